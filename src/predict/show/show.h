/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction as text and as JSON. */
#ifndef TTMEM_PREDICT_SHOW_H
#define TTMEM_PREDICT_SHOW_H

#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "predict/compare.h"
#include "predict/decision.h"
#include "predict/search.h"
#include "predict/what_if.h"

struct show {
    struct prediction *prediction;
    const struct what_ifs *tried;
    const struct search_result *found; /* from --max, or NULL */
    const struct compare *compare;     /* with a log, or NULL */
    const struct decision_trace *plan; /* of the compiler, or NULL */
    bool per_op;
};

void show_text(struct strbuf *out, const struct term *term, const struct show *show);
void show_json(struct strbuf *out, const struct show *show);

/* Rows of --per-op. */
void show_per_op_text(struct strbuf *out, const struct term *term, const struct show *show);
void show_per_op_json(struct json *j, const struct show *show); /* null if not requested */

/* Other sizes than compiled, and the largest that fit. */
void show_scale_text(struct strbuf *out, const struct prediction *p);
void show_scale_json(struct json *j, const struct prediction *p);
void show_search_text(struct strbuf *out, const struct search_result *found);
void show_search_json(struct json *j, const struct search_result *found); /* NULL: null */

/* A log and the compiler's plan beside it; NULL gives null. */
/* The peak of the log beside the predicted one. */
void show_measured_text(struct strbuf *out, const struct replay *r, const struct compare *c);
void show_compare_text(struct strbuf *out, const struct term *term, const struct prediction *p, const struct compare *c);
void show_compare_json(struct json *j, const struct prediction *p, const struct compare *c);
void show_decision_text(struct strbuf *out, const struct term *term, const struct prediction *p,
                        const struct decision_trace *t);
void show_decision_json(struct json *j, const struct decision_trace *t);

/* "maps of tiled reshapes", as shown. */
const char *show_class_words(enum memory_class class);

/* Classes that stay until the device is closed. */
static inline bool show_class_stays(enum memory_class class) {
    return class == MEMORY_RESHAPE_MAP || class == MEMORY_TABLE || class == MEMORY_BINARY;
}

/* The largest maps, largest first; returns their number, at most `room`. */
unsigned show_largest_maps(const struct replay *r, const struct map_made **largest, unsigned room);

/* {"index", "name", "line", "location", "program", "rank"}: as in other outputs. */
void show_op_json(struct json *j, const struct replay *r, const struct op_state *s);

#endif
