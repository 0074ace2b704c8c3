/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/trend.h"

static bool exceeds(int64_t value, int64_t level, struct trend_limit limit) {
    __int128 rise = (__int128)value - level, size = level < 0 ? -(__int128)level : level;
    return limit.is_share ? rise * 100000 > size * limit.amount : rise > limit.amount;
}

void trend_find(const int64_t *values, size_t count, bool low_is_bad, struct trend_limit limit, struct trend_rises *out) {
    *out = (struct trend_rises){0};
    if (count < 2) return;
    int64_t sign = low_is_bad ? -1 : 1, level = sign * values[0];
    int64_t *lowest = mem_alloc(count * sizeof *lowest); /* of the value and all after it */
    for (size_t i = count; i-- > 0;) {
        lowest[i] = sign * values[i];
        if (i + 1 < count && lowest[i + 1] < lowest[i]) lowest[i] = lowest[i + 1];
    }
    for (size_t i = 1; i < count; i++) {
        int64_t now = sign * values[i], last = sign * values[i - 1];
        if (exceeds(lowest[i], level, limit)) {
            struct trend_rise rise = {i, sign * level, sign * lowest[i]};
            vec_push(out, rise);
            level = lowest[i];
        } else if (now < level && last < level) {
            level = now > last ? now : last;
        }
    }
    free(lowest);
}
