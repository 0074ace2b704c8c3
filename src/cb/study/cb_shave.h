/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameters of a source its L1 depends on, what smaller values of each save, and the smallest change that frees
 * enough. Every suggestion is verified: the caller's function scans the source again with it. */
#ifndef TTMEM_ANALYSIS_CB_SHAVE_H
#define TTMEM_ANALYSIS_CB_SHAVE_H

#include "base/err.h"
#include "cb/study/cb_scan.h"

enum shave_kind { SHAVE_PARAMETER, SHAVE_CONSTANT, SHAVE_FORMAT, SHAVE_DOUBLE };

struct shave_value {
    enum shave_kind kind;
    struct slice name, from, to;
    struct slice place;   /* for a number in an expression, whose text is then `name`; else "" */
    uint32_t line;        /* for a constant */
    uint64_t ratio_milli; /* how many times smaller, in thousandths */
};

/* A buffer that a change makes smaller. */
struct shave_buffer {
    struct slice name;
    int64_t index; /* -1: none */
    uint64_t before_bytes, after_bytes, before_tiles, after_tiles;
};

struct shave_step {
    struct shave_value values[2];
    unsigned n_values;
    uint64_t bytes, saves; /* of a core, after the change */
    bool fits;
    uint64_t fetched_again; /* more tiles than before, if the operands in these buffers are used four times */
    struct shave_buffer *buffers;
    uint32_t n_buffers;
};

/* What sizes depend on and no one tunes: a value from the shape of a tensor, or the size of a tile. */
struct shave_shape {
    struct slice name, value;
    uint32_t line; /* of a constant */
    bool tile;     /* with a smaller value, the pages of a buffer would be no whole tiles of its format */
};

struct shave {
    struct arena arena;
    struct slice function;
    uint64_t over, bytes;         /* to be freed, and in total */
    bool open;                    /* some sizes are ranges: `bytes` is the most, savings are the least */
    VEC(struct shave_step) steps; /* those that save something, by parameter, largest value first */
    VEC(struct shave_shape) shapes;
    VEC(struct slice) not_given; /* names that open sizes depend on, without a value in the request */
    struct shave_step *smallest; /* the change that fits; NULL: none does */
    struct shave_step pair;      /* if two changes are needed */
    unsigned scans;
};

/* Scans the source with the values into `file`, which the caller releases. */
typedef int shave_scan_fn(void *ctx, const struct cb_set *sets, size_t n, struct cb_file *file, struct err *err);

struct shave_request {
    const struct cb_set *sets; /* known values */
    size_t n_sets;
    uint64_t over;
    const struct slice *text; /* of the source; `scan` may set it */
    const char *function;     /* the program's function; NULL: the program that needs most */
    const struct chip *chip;
    shave_scan_fn *scan;
    void *ctx;
};

int cb_shave(struct shave *out, const struct shave_request *request, struct err *err);
void cb_shave_release(struct shave *shave);

#endif
