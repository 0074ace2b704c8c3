/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/trend.h"

static bool exceeds(int64_t value, int64_t level, struct trend_limit limit) {
    __int128 rise = (__int128)value - level, size = level < 0 ? -(__int128)level : level;
    return limit.is_share ? rise * 100000 > size * limit.amount : rise > limit.amount;
}

/* The lowest of each value and all complete ones after it. */
static int64_t *find_lowest(const struct trend_value *values, size_t count, int64_t sign) {
    int64_t *lowest = mem_alloc(count * sizeof *lowest), least = INT64_MAX;
    for (size_t i = count; i-- > 0;) {
        int64_t now = sign * values[i].value;
        lowest[i] = now < least ? now : least;
        if (!values[i].ended) least = lowest[i];
    }
    return lowest;
}

void trend_find(const struct trend_value *values, size_t count, bool low_is_bad, struct trend_limit limit,
                struct trend_rises *out) {
    *out = (struct trend_rises){0};
    size_t previous = 0;
    while (previous < count && values[previous].ended) previous++; /* the first level is that of a complete run */
    if (previous == count) return;
    int64_t sign = low_is_bad ? -1 : 1, level = sign * values[previous].value, last = level;
    int64_t *lowest = find_lowest(values, count, sign);
    bool open = false; /* the level is from a run that ended early: the next complete run shows how high it really is */
    for (size_t i = previous + 1; i < count; i++) {
        int64_t now = sign * values[i].value;
        if (exceeds(lowest[i], level, limit)) {
            struct trend_rise rise = {i, previous, sign * level, sign * lowest[i]};
            if (!open) vec_push(out, rise);
            level = lowest[i];
            open = values[i].ended && level == now;
        } else if (!values[i].ended && now < level && last < level) {
            level = now > last ? now : last;
        }
        if (values[i].ended) continue;
        open = false;
        last = now;
        previous = i;
    }
    free(lowest);
}
