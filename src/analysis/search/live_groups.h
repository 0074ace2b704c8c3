/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive, grouped: equal tensors are one group with a count and a sum. */
#ifndef TTMEM_ANALYSIS_LIVE_GROUPS_H
#define TTMEM_ANALYSIS_LIVE_GROUPS_H

#include "analysis/run/live.h"
#include "base/strbuf.h"

enum live_by {
    LIVE_BY_CLASS,
    LIVE_BY_OP,    /* name of the op that made it; "argument" for what a program gets */
    LIVE_BY_SHAPE, /* shape and type of its elements */
    LIVE_BY_DTYPE,
    LIVE_BY_MODULE,   /* where in the model its op is, with layer numbers folded: layers.*.attention */
    LIVE_BY_LOCATION, /* the same as written */
    LIVE_BY_COUNT,
};

extern const char *const live_by_names[LIVE_BY_COUNT]; /* "class", ... */

struct live_group {
    uint32_t key; /* string id in `keys`; 0: unknown */
    struct live_sum sum;
    uint64_t largest_bytes_per_bank;
    uint32_t first_record; /* the earliest op that made one, or NONE */
};

struct live_groups {
    struct strtab keys;
    VEC(struct live_group) groups; /* largest sum per bank first */
};

/* Appends a location as tables show it. */
typedef void (*live_short_form)(struct strbuf *out, struct slice location);

void live_groups_make(const struct run *run, const struct live_set *set, enum live_by by, live_short_form short_form,
                      struct live_groups *out);
void live_groups_release(struct live_groups *groups);

#endif
