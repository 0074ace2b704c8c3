/* SPDX-License-Identifier: Apache-2.0 */
/* What would make it fit, as text and as JSON. */
#ifndef TTMEM_RENDER_FIT_REPORT_H
#define TTMEM_RENDER_FIT_REPORT_H

#include "analysis/fit/fit.h"
#include "analysis/fit/limits.h"
#include "analysis/fit/regions.h"
#include "base/json_write.h"
#include "base/term.h"

struct fit_report {
    const struct fit *fit;
    const struct run *run; /* NULL: from modules */
    uint16_t rank;
    enum pool pool;    /* if nothing is tried: the pool in question */
    const char *chip;  /* title, or NULL */
    struct slice name; /* of the run or program */
    bool predicted;
    bool tried;   /* fit->set was requested by --try */
    size_t limit; /* lines of the table; 0: all */
    struct fit_regions regions;
    struct fit_limits limits;
};

void fit_report_text(struct strbuf *out, const struct term *term, const struct fit_report *report);
void fit_report_json(struct strbuf *out, const struct fit_report *report);

/* Member "fit" of another answer: the smallest set that is enough, or may be; null if `fit` is NULL. */
void fit_answer_member(struct json *j, const struct fit *fit);

/* The line that is enough, or may be, without a line end: "no program cache: fits, peak 990.2 MB"; nothing if there is none.
 * For other commands. */
bool fit_report_line(struct strbuf *out, const struct term *term, const struct fit *fit);

/* Is it enough, not just perhaps? */
bool fit_report_is_certain(const struct fit *fit);

#endif
