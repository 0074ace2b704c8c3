/* SPDX-License-Identifier: Apache-2.0 */
/* The figures above which a run gets a warning, and their meaning. */
#ifndef TTMEM_ANALYSIS_THRESHOLDS_H
#define TTMEM_ANALYSIS_THRESHOLDS_H

#include <stdint.h>

enum metric { METRIC_DRAM, METRIC_L1, METRIC_PADDING };

struct threshold {
    enum metric metric;
    unsigned percent;
    int severity; /* 1: a target is missed, which is to stay below the percentage; 2: a problem, which begins above it */
    const char *meaning;
};

/* The highest threshold that part / whole crosses, NULL if it is within its target (or whole is 0). */
const struct threshold *threshold_crossed(enum metric metric, uint64_t part, uint64_t whole);

#endif
