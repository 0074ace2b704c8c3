/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a figure rises, robustly: the median of the slopes between all pairs of points (Theil-Sen), with 95 % confidence
 * bounds (from the variance of Kendall's statistic). Single outliers do not move it. */
#ifndef TTMEM_MODEL_SLOPE_H
#define TTMEM_MODEL_SLOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOPE_LEAST = 5 }; /* fewest points; with fewer the bounds say nothing */

struct slope {
    bool known;
    int64_t per_step, low, high; /* rounded to nearest */
    bool rises;                  /* both bounds are above 0 before rounding */
    int64_t least, most;         /* the bounds, whatever values that are lower bounds really are; else equal to them */
    size_t points;
};

/* `values` at x = 0, 1, 2, ... Of very many points a few hundred are used, evenly spaced. */
void slope_find(const int64_t *values, size_t count, struct slope *out);

/* A part of the values whose size is not known: from one value to another each can be higher by up to as much. */
struct slope_slack {
    size_t first, last;
    uint64_t most;
};

/* The same for values that are lower bounds. */
void slope_find_bounded(const int64_t *values, size_t count, const struct slope_slack *slacks, size_t slack_count,
                        struct slope *out);

#endif
