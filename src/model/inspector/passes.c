/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/passes.h"

#include "base/mem.h"

enum { SHORTEST = 2, MOST_OPS = 1 << 24 };

/* Are two ops the same, by name alone or also by program? */
static bool is_same(const struct inspector_op *a, const struct inspector_op *b, bool by_name) {
    return a->name == b->name && (by_name || a->workload == b->workload);
}

/* How long the reversed list agrees with itself from each index on (the Z function). */
static uint32_t *agreements(const struct inspector_op *ops, size_t n, bool by_name) {
    uint32_t *z = mem_zalloc(n, sizeof *z);
    for (size_t i = 1, from = 0, until = 0; i < n; i++) {
        size_t len = 0;
        if (i < until) len = z[i - from] < until - i ? z[i - from] : until - i;
        while (i + len < n && is_same(&ops[n - 1 - len], &ops[n - 1 - i - len], by_name)) len++;
        z[i] = (uint32_t)len;
        if (i + len > until) from = i, until = i + len;
    }
    return z;
}

static void find(const struct inspector_op *ops, size_t count, bool by_name, struct inspector_passes *out) {
    *out = (struct inspector_passes){0};
    uint32_t *z = agreements(ops, count, by_name);
    size_t best = 0;
    for (size_t period = SHORTEST; period * 2 <= count; period++) {
        size_t covered = z[period] + period;
        /* a longer period must cover clearly more, because two passes together repeat as well */
        if (z[period] < period || covered <= best + best / 4) continue;
        best = covered;
        *out = (struct inspector_passes){.period = period, .count = covered / period};
        out->first = count - out->count * period;
    }
    free(z);
}

void inspector_passes_find(const struct inspector_op *ops, size_t count, struct inspector_passes *out) {
    *out = (struct inspector_passes){0};
    if (count < 2 * SHORTEST || count > MOST_OPS) return;
    struct inspector_passes named;
    find(ops, count, false, out);
    find(ops, count, true, &named);
    if (named.count * named.period / 2 > out->count * out->period) *out = named;
}
