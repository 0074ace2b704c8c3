/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets and the judgement of a run, as text and JSON; check_ci.h has the forms for CI systems. */
#ifndef TTMEM_RENDER_BUDGET_H
#define TTMEM_RENDER_BUDGET_H

#include "analysis/compare/budget.h"
#include "base/json_write.h"
#include "base/term.h"
#include "render/ci/junit.h"

extern const char *const judgement_names[]; /* "ok", "breach", "not_judged" */

/* The value; a lower bound as "at least 969.540 MB". */
void judgement_value(struct strbuf *out, const struct judgement *j);
/* One line: the rule, the value, the limit, the margin; a second one with the cause of a breach. */
void judgement_text(struct strbuf *out, const struct term *term, const struct judgement *judgement,
                    const struct footprint *run);
/* "rank 1,0" after `lead`, for a run of several ranks; nothing for NONE. */
void footprint_rank_words(struct strbuf *out, const struct footprint *f, const char *lead, uint32_t rank);
/* Members rank and rank_index; null for NONE and without a tag. */
void footprint_rank_json(struct json *j, const struct footprint *f, uint32_t rank);
/* The op of a kept run as a member; null for NONE. */
void footprint_op_json(struct json *j, const char *key, const struct footprint *f, uint32_t op);

void judgement_json(struct json *j, const struct judgement *judged, const struct footprint *run);

/* Raw words that explain the value ("after #41 ttnn.matmul  layers.3"); empty if nothing is known. */
void judgement_witness(struct strbuf *out, const struct judgement *j, const struct footprint *f);

/* An amount of a measure: "861.120 MB", "512 B", "12". */
void measure_amount(struct strbuf *out, const struct measure *measure, int64_t value);

/* Where a judgement is shown: a file of the checkout, relative to its root; empty: nowhere. */
struct check_place {
    struct slice path;
    uint32_t line;
};

struct check_report {
    const struct judgement *judgements;
    size_t count;
    const struct footprint *run;
    struct slice name;     /* the user's name for the run */
    struct slice baseline; /* empty: none */
    size_t breaches, not_judged;
    const struct check_place *places; /* of each judgement; for CI systems */
    struct junit_time time;           /* of the check */
    const struct fit *fit;            /* what would satisfy a broken limit, or NULL */
    const struct rule *fit_rule;      /* that limit */
};

void check_text(struct strbuf *out, const struct term *term, const struct check_report *report);
void check_json(struct strbuf *out, const struct check_report *report);

#endif
