/* SPDX-License-Identifier: Apache-2.0 */
/* How large the reserved regions have to be: TRACE at the end of DRAM, L1_SMALL at the end of L1. From what a run used of
 * them at most, over all ranks and passes, and from failed requests. */
#ifndef TTMEM_ANALYSIS_FIT_REGIONS_H
#define TTMEM_ANALYSIS_FIT_REGIONS_H

#include "model/run.h"

struct fit_region {
    bool seen;           /* the run records the pool */
    uint64_t bank_bytes; /* what one bank has now */
    uint64_t used;       /* most used in a bank, including the failed request */
    bool failed;         /* a request did not fit: `used` certainly holds it */
    bool unsized;        /* a request did not fit, and the size of the region is unknown: `used` is a lower bound */
    unsigned banks;
    uint64_t per_bank;   /* recommended: used plus a margin, rounded up */
    uint64_t total;      /* the same for all banks */
    int64_t gives_back;  /* bytes per bank given back to DRAM or L1; negative: taken */
    uint64_t asked, set; /* as in a message, in the unit of the setting; 0: none */
};

struct fit_regions {
    struct fit_region trace, l1_small;
};

/* Percent added to what was used. */
enum { FIT_REGION_MARGIN = 10 };

/* Whether anything can be said about it. */
static inline bool fit_region_known(const struct fit_region *r) { return r->asked || (r->seen && (r->used || r->bank_bytes)); }

void fit_regions_find(const struct run *run, struct fit_regions *out);

/* One region from figures: its size, and what was used of it. */
struct fit_region fit_region_of(uint64_t bank_bytes, uint64_t used, unsigned banks, bool failed, uint64_t rounding);

#endif
