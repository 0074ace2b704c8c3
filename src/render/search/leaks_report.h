/* SPDX-License-Identifier: Apache-2.0 */
/* What passes leave behind: lines of text, and JSON. */
#ifndef TTMEM_RENDER_LEAKS_REPORT_H
#define TTMEM_RENDER_LEAKS_REPORT_H

#include "analysis/pass/leaks.h"
#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/term.h"

struct leak_page {
    const struct run *run;
    const struct leaks *leaks;
    size_t limit; /* of ops, 0: all */
};

/* The nth line without its end: an op, the number of further ones, how long this can go on. False: no more. */
bool leaks_line(struct strbuf *out, const struct term *term, const struct leak_page *page, size_t n);

/* "unbounded growth of 176.1 KB per bank per pass reaches the bank's end after about 5,931 more passes"; false: nothing
 * grows, or the bank's end is unknown. */
bool leaks_end_words(struct strbuf *out, const struct leaks *leaks);

/* {"growth_bytes_per_bank_per_pass", "passes", "passes_until_full", "ops", "left_out"}; null if no program ran more than
 * once, or frees are unknown. */
void leaks_json(struct json *j, const struct leak_page *page);

#endif
