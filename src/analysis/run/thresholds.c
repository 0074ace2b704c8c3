/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/thresholds.h"

#include <stddef.h>

/* For each metric the highest first. */
static const struct threshold thresholds[] = {
    {METRIC_DRAM, 90, 2, "risk of running out of memory: reduce batch, sequence length or model size"},
    {METRIC_DRAM, 80, 1, "little headroom"},
    {METRIC_L1, 95, 2, "ops may spill to DRAM or fail to place circular buffers"},
    {METRIC_L1, 90, 1, "little room for circular buffers"},
    {METRIC_PADDING, 50, 2, "consider tile-friendly shapes: last two dimensions in multiples of 32"},
};

const struct threshold *threshold_crossed(enum metric metric, uint64_t part, uint64_t whole) {
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        const struct threshold *t = &thresholds[i];
        if (t->metric != metric || !whole) continue;
        unsigned __int128 figure = (unsigned __int128)part * 100, limit = (unsigned __int128)whole * t->percent;
        if (figure > limit || (figure == limit && t->severity == 1)) return t;
    }
    return NULL;
}
