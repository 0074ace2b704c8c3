/* SPDX-License-Identifier: Apache-2.0 */
/* What would make it fit, as text for people and as JSON. */
#ifndef TTMEM_RENDER_FIT_REPORT_H
#define TTMEM_RENDER_FIT_REPORT_H

#include "analysis/fit/fit.h"
#include "analysis/fit/regions.h"
#include "base/json_write.h"
#include "base/term.h"

/* Largest batch or cache that fits, and what it costs. */
struct fit_limit {
    bool known;
    const char *what; /* "batch", "kv_len", "kv_blocks" */
    uint64_t was, best;
    bool bounded; /* false: all that was tried fits */
    bool exact;
    uint64_t peak;
    uint64_t bytes_each; /* per bank, of one position or block of all caches, of one of the batch; 0: not known */
};

enum { FIT_LIMITS = 3 };

struct fit_report {
    const struct fit *fit;
    const struct run *run; /* NULL: of modules */
    uint16_t rank;
    const char *chip;  /* title, NULL */
    struct slice name; /* of the run or program */
    bool predicted;
    bool tried;   /* fit->set is what was asked for by --try */
    size_t limit; /* lines of the table; 0: all */
    struct fit_regions regions;
    struct fit_limit limits[FIT_LIMITS];
    uint64_t utilization_percent_milli; /* gpu_memory_utilization that asks for the caches that fit, in thousandths; 0: none */
};

void fit_report_text(struct strbuf *out, const struct term *term, const struct fit_report *report);
void fit_report_json(struct strbuf *out, const struct fit_report *report);

/* Member "fit" of another answer: the smallest set that is enough, or may be; null where `fit` is NULL. */
void fit_answer_member(struct json *j, const struct fit *fit);

/* The line that is enough, or may be, without a line end: "no program cache: fits, peak 990.2 MB"; nothing when none is. For
 * other commands. */
bool fit_report_line(struct strbuf *out, const struct term *term, const struct fit *fit);

#endif
