/* SPDX-License-Identifier: Apache-2.0 */
/* Equal failures as one: a sweep that fails 25 times for the same reason is one entry with the range of its figures.
 * Failures of one class, wording, memory, op and phase are equal. */
#ifndef TTMEM_ANALYSIS_FAILURE_GROUPS_H
#define TTMEM_ANALYSIS_FAILURE_GROUPS_H

#include "analysis/failure/explain.h"
#include "base/strbuf.h"

struct group_range {
    bool known;
    uint64_t low, high;
};

struct failure_group {
    size_t first;     /* number in the order of explain_ranked: the one to show */
    size_t count;     /* distinct failures */
    uint64_t printed; /* messages */
    uint64_t first_line, last_line;
    size_t ended, caught;                        /* of the distinct ones */
    struct group_range lacking;                  /* shortfall, or overlap if there is one */
    struct group_range wanted;                   /* per bank, or in total */
    struct group_range numbers[FAILURE_NUMBERS]; /* of the messages */
};

typedef VEC(struct failure_group) failure_groups;

/* In the order of their first failure. */
void failure_groups_make(const struct explain *explain, failure_groups *out);

/* Appends a key that is equal for failures that belong together. */
void failure_group_key(struct strbuf *out, const struct explanation *e);

/* Widens a range by a value, or by another range. */
void group_range_add(struct group_range *range, bool known, uint64_t value);

#endif
