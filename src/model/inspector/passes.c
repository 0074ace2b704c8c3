/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/passes.h"

#include "base/mem.h"

enum { SHORTEST = 2, MOST_OPS = 1 << 24 };

/* How far the reversed list agrees with itself from each place on (the Z function). */
static uint32_t *agreements(const struct inspector_op *ops, size_t n) {
    uint32_t *z = mem_zalloc(n, sizeof *z);
    for (size_t i = 1, from = 0, until = 0; i < n; i++) {
        size_t len = 0;
        if (i < until) len = z[i - from] < until - i ? z[i - from] : until - i;
        while (i + len < n && ops[n - 1 - len].workload == ops[n - 1 - i - len].workload) len++;
        z[i] = (uint32_t)len;
        if (i + len > until) from = i, until = i + len;
    }
    return z;
}

void inspector_passes_find(const struct inspector_op *ops, size_t count, struct inspector_passes *out) {
    *out = (struct inspector_passes){0};
    if (count < 2 * SHORTEST || count > MOST_OPS) return;
    uint32_t *z = agreements(ops, count);
    size_t best = 0;
    for (size_t period = SHORTEST; period * 2 <= count; period++) {
        size_t covered = z[period] + period;
        /* a longer period has to cover clearly more: twice a pass is one too */
        if (z[period] < period || covered <= best + best / 4) continue;
        best = covered;
        *out = (struct inspector_passes){.period = period, .count = covered / period};
        out->first = count - out->count * period;
    }
    free(z);
}
