/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a run that budgets, trends and comparisons refer to by name. A const table; values are integers: bytes per
 * bank, or counts. */
#ifndef TTMEM_ANALYSIS_MEASURES_H
#define TTMEM_ANALYSIS_MEASURES_H

#include "analysis/compare/footprint.h"

struct measure_value {
    bool known;
    int64_t value;
    int64_t whole;     /* what a percentage refers to: capacity of the bank, size without padding; 0: no percentage */
    const char *why;   /* unknown: what the log lacks */
    const char *bound; /* known, but it may have been worse: why; or NULL */
    const char *range; /* known, but only between two bounds: why; or NULL */
    int64_t low, high; /* these bounds; INT64_MIN, INT64_MAX: not known. Without `range` both are `value` */
    int64_t need;      /* the least it would have become if a request had not failed; 0 */
    uint32_t need_op;
    int64_t need_whole;                    /* size of its bank; 0: unknown */
    bool at_least, at_most;                /* the figure is a lower, an upper bound */
    const char *source;                    /* for a peak: its source, "measured"; or NULL */
    const char *how_known;                 /* for a peak that is a bound: in words; or NULL */
    const char *caveat;                    /* what the figure never includes; or NULL */
    bool of_share;                         /* chosen by percentage: a rank or run part other than the one with the most bytes */
    bool at_peak;                          /* about what is alive at the peak of a pool */
    uint32_t rank;                         /* its rank, if a run has several; NONE: all, or unknown */
    uint32_t op;                           /* the op that explains it, NONE */
    uint32_t program;                      /* index of footprint.programs, NONE */
    uint32_t leak;                         /* index of footprint.leaks, NONE */
    const struct footprint_tensor *tensor; /* the one that has most of it, or NULL */
    const struct footprint_failure *failure; /* the first of those that are counted, or NULL */
};

struct measure {
    const char *name; /* "dram.peak" */
    const char *help;
    bool is_count;   /* else bytes per bank */
    bool low_is_bad; /* less is worse: free memory */
    unsigned arg;
    void (*read)(const struct footprint *f, unsigned arg, struct measure_value *out);
};

/* The lowest and the highest that the figure can really be, whatever makes it a bound; INT64_MIN, INT64_MAX: not known. */
struct measure_range {
    int64_t low, high;
};
struct measure_range measure_range(const struct measure *measure, const struct measure_value *value);

extern const struct measure measure_table[]; /* ends with a NULL name */
extern const size_t measure_count;

const struct measure *measure_find(struct slice name);
/* What follows the name if units are part of it: "_bytes_per_bank", "_bytes" for all banks or the host, "" for a count. */
const char *measure_unit(const struct measure *measure);
/* Is it about all banks together? Other measures of device memory are per bank. */
bool measure_is_total(const struct measure *measure);
struct measure_value measure_read(const struct measure *measure, const struct footprint *f);
/* The same for a limit that is a percentage: if ranks or run parts have banks of different sizes, that with the highest
 * share. */
struct measure_value measure_read_share(const struct measure *measure, const struct footprint *f);

#endif
