/* SPDX-License-Identifier: Apache-2.0 */
/* Limits on the measures of a run, from the command line or a budget file, and the judgement of a run by them. */
#ifndef TTMEM_ANALYSIS_BUDGET_H
#define TTMEM_ANALYSIS_BUDGET_H

#include "analysis/compare/measures.h"
#include "base/err.h"

enum rule_kind { RULE_MAX, RULE_MIN, RULE_NO_FAILURE };

enum limit_kind {
    LIMIT_AMOUNT,      /* bytes per bank, or a count */
    LIMIT_SHARE,       /* of the measure's whole */
    LIMIT_MORE_AMOUNT, /* against the baseline */
    LIMIT_MORE_SHARE,
};

struct rule {
    enum rule_kind kind;
    const struct measure *measure;
    enum limit_kind limit;
    int64_t amount;    /* bytes, count, or thousandths of a percent */
    bool equal_breaks; /* the limit itself is already too much */
    struct slice text; /* "max dram.peak 80%", in the arena */
    const char *file;  /* NULL: the command line */
    uint32_t line;
    uint32_t section; /* of the file, from 1; 0: the command line */
};

struct budget {
    struct arena arena;
    VEC(struct rule) rules;
    uint32_t section; /* of the file that is being read; 0: the command line */
};

/* Reads "dram.peak=80%" or "dram.peak 80%" after max or min. */
int budget_add(struct budget *budget, enum rule_kind kind, struct slice text, struct err *err);

/* Reads a condition that is a breach if it holds: "dram.peak > +2%". */
int budget_add_condition(struct budget *budget, struct slice text, struct err *err);
void budget_add_no_failure(struct budget *budget, bool any); /* `any`: including caught ones */

/* Reads a budget file: a rule per line (max MEASURE LIMIT, min MEASURE LIMIT, no-failure), # comments, [PATTERN] sections for
 * runs of a name. The rules of a section about a measure replace those of earlier sections, the rules of the command
 * line those of the file; within a section, and on the command line, all of them hold. */
int budget_read(struct budget *budget, struct slice text, const char *path, struct slice run_name, struct err *err);
void budget_release(struct budget *budget);

bool budget_needs_baseline(const struct budget *budget);

enum judgement_state { JUDGED_OK, JUDGED_BREACH, JUDGED_NOT /* cannot be judged from this run */ };

struct judgement {
    const struct rule *rule;
    enum judgement_state state;
    struct measure_value value;
    bool has_baseline;
    int64_t baseline;
    bool of_need;    /* the value keeps the limit, but with an op's request (value.need) it would not; the margin is that of the
                        request */
    int64_t limit;   /* in the measure's unit, rounded towards what is allowed */
    int64_t margin;  /* what is left up to the limit; negative: the excess */
    const char *why; /* JUDGED_NOT */
};

/* `baseline` may be NULL. */
struct judgement budget_judge(const struct rule *rule, const struct footprint *run, const struct footprint *baseline);

#endif
