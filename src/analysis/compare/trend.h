/* SPDX-License-Identifier: Apache-2.0 */
/* Where a repeatedly measured figure rose and stayed higher. */
#ifndef TTMEM_ANALYSIS_TREND_H
#define TTMEM_ANALYSIS_TREND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* What counts as a rise: more than `amount` or, with `is_share`, thousandths of a percent of the level before. */
struct trend_limit {
    bool is_share;
    int64_t amount;
};

/* A value, and whether its run ended early: the real value is then at least this bad. */
struct trend_value {
    int64_t value;
    bool ended;
};

struct trend_rise {
    size_t at;       /* first value of the new level */
    size_t previous; /* the last complete one before it; the first if there is none */
    int64_t before;  /* level before */
    int64_t after;   /* lowest value since */
};

struct trend_rises {
    struct trend_rise *items;
    size_t len, cap;
};

/* A rise is the first value after which all values, itself included, exceed the previous level by more than the limit. The
 * level is the first value, lowered when two values in a row are below it (one low value is an outlier), raised by every rise.
 * A run that ended early does not lower a level or end a rise, but begins one if it already used that much. With `low_is_bad`
 * falls count as rises of the negative. */
void trend_find(const struct trend_value *values, size_t count, bool low_is_bad, struct trend_limit limit,
                struct trend_rises *out);

#endif
