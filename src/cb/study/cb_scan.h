/* SPDX-License-Identifier: Apache-2.0 */
/* What the circular buffers of host sources cost, and what is odd about them. A cb_file is one source with its kernels; the
 * caller fills its parts from the scanned text, and this file adds sums and findings. */
#ifndef TTMEM_ANALYSIS_CB_SCAN_H
#define TTMEM_ANALYSIS_CB_SCAN_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "cb/interp/cb_kernel.h"
#include "cb/interp/cb_source.h"

struct cb_kernel {
    struct slice path; /* as written in the source */
    struct slice file; /* where it was found; "" if not found */
    uint32_t line, program;
    const struct cb_kernel_ref *ref; /* in the source */
    struct kernel_facts facts;
};

/* Bytes on the core that has most. */
struct cb_total {
    uint64_t min_bytes; /* on any path through the branches */
    uint64_t max_bytes; /* if `bounded` */
    bool bounded;
    uint32_t buffers, tensor_backed, adaptive, unknown;
    uint32_t kinds[3]; /* counts by enum cb_kind */
};

enum cb_finding_kind {
    CB_PRODUCED_ONLY, /* filled, never emptied */
    CB_CONSUMED_ONLY, /* waited for, never filled */
    CB_OVER_LIMIT,    /* more bytes than the chip has room for */
    CB_BAD_PAGES,     /* size is not a multiple of the page size */
    CB_SAME_INDEX,    /* an index twice in one program, on the same cores */
    CB_BAD_INDEX,     /* above the chip's number of circular buffers */
    CB_MANY_PAGES,    /* more pages than tt-metal can count */
    CB_NO_PAGE_SIZE,  /* a format without a page size */
    CB_NO_BYTES,      /* a size of 0 */
};

enum cb_severity { CB_WARNING, CB_ERROR };

struct cb_finding {
    enum cb_finding_kind kind;
    uint32_t program, line;
    int64_t index;
    uint64_t bytes, limit;
    struct slice name; /* for a buffer without an index */
};

struct cb_file {
    struct slice path;
    struct cb_source source;
    VEC(struct cb_kernel) kernels;
    VEC(struct cb_total) totals; /* one per program of the source */
    struct cb_total largest;     /* the program that needs most */
    VEC(struct cb_finding) findings;
};

struct chip;

/* Does the program have a buffer of that index? */
bool cb_file_has_index(const struct cb_file *file, uint32_t program, int64_t index);
/* Fills totals, largest and findings. */
void cb_file_finish(struct cb_file *file, const struct chip *chip);
void cb_file_release(struct cb_file *file);

/* Errors are what tt-metal refuses or what hangs; the rest are warnings. */
enum cb_severity cb_finding_severity(enum cb_finding_kind kind);
const char *cb_finding_key(enum cb_finding_kind kind); /* "over_limit" */

/* One sentence without a full stop. */
void cb_finding_write(struct strbuf *out, const struct cb_file *file, const struct cb_finding *finding);

/* Is the total a single number? */
bool cb_total_is_known(const struct cb_total *total);

/* Bytes that a buffer takes of a core: 0 if tensor-backed, -1 if unknown. */
int64_t cb_decl_cost(const struct cb_decl *decl);

#endif
