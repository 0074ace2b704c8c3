/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a run that budgets, trends and comparisons refer to by name. A const table; values are integers: bytes per
 * bank, or counts. */
#ifndef TTMEM_ANALYSIS_MEASURES_H
#define TTMEM_ANALYSIS_MEASURES_H

#include "analysis/compare/footprint.h"

struct measure_value {
    bool known;
    int64_t value;
    int64_t whole;     /* what a percentage is of: capacity of the bank, size without padding; 0: no percentage */
    const char *why;   /* not known: what the log lacks */
    const char *bound; /* known, but it may have been worse: why; NULL */
    const char *range; /* known, but a bound: why; NULL. `worst` is then the worst value, if has_worst */
    bool has_worst;
    int64_t worst;
    bool has_least; /* of a slope: it is at least `least` */
    int64_t least;
    int64_t need; /* what it would have become at least if a request had not failed; 0 */
    uint32_t need_op;
    int64_t need_whole;                    /* the size of its bank; 0: not known */
    bool at_least;                         /* of a peak: it may have been higher */
    const char *source;                    /* of a peak: what it is known from, "measured"; NULL */
    const char *how_known;                 /* of a peak that is a bound: in words; NULL */
    const char *caveat;                    /* what the figure never includes; NULL */
    bool of_share;                         /* chosen by percentage: a rank or run part other than the one with the most bytes */
    bool at_peak;                          /* it is of what is alive at the peak of a pool */
    uint32_t rank;                         /* that it is of, where a run has several; NONE: of all, or not known */
    uint32_t op;                           /* the op that explains it, NONE */
    uint32_t program;                      /* index of footprint.programs, NONE */
    uint32_t leak;                         /* index of footprint.leaks, NONE */
    const struct footprint_tensor *tensor; /* that has most of it, NULL */
};

struct measure {
    const char *name; /* "dram.peak" */
    const char *help;
    bool is_count;   /* else bytes per bank */
    bool low_is_bad; /* less is worse: free memory */
    unsigned arg;
    void (*read)(const struct footprint *f, unsigned arg, struct measure_value *out);
};

extern const struct measure measure_table[]; /* ends with a NULL name */
extern const size_t measure_count;

const struct measure *measure_find(struct slice name);
/* What follows the name where units are part of it: "_bytes_per_bank", "_bytes" of all banks or of the host, "" of a count. */
const char *measure_unit(const struct measure *measure);
struct measure_value measure_read(const struct measure *measure, const struct footprint *f);
/* The same for a limit that is a percentage: of ranks and run parts with banks of different sizes, the one of the highest
 * share. */
struct measure_value measure_read_share(const struct measure *measure, const struct footprint *f);

#endif
