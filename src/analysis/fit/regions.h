/* SPDX-License-Identifier: Apache-2.0 */
/* How large the regions that are set aside have to be: TRACE at the end of DRAM, L1_SMALL at the end of L1. From what a run
 * used of them at most, over all ranks and passes, and from the requests that failed. */
#ifndef TTMEM_ANALYSIS_FIT_REGIONS_H
#define TTMEM_ANALYSIS_FIT_REGIONS_H

#include "model/run.h"

struct fit_region {
    bool seen;           /* the run records the pool */
    uint64_t bank_bytes; /* what one bank has now */
    uint64_t used;       /* of a bank, at most; with the request that failed */
    bool failed;         /* a request did not fit in: `used` holds it for certain */
    bool unsized;        /* a request did not fit, and the size of the region is not known: `used` is a lower bound */
    unsigned banks;
    uint64_t per_bank;   /* what it should be: used, a margin, rounded up */
    uint64_t total;      /* the same for all banks */
    int64_t gives_back;  /* bytes per bank given back to DRAM or L1; negative: taken */
    uint64_t asked, set; /* as a message has them, in the unit of the setting; 0: there is none */
};

struct fit_regions {
    struct fit_region trace, l1_small;
};

/* Percent that are added to what was used. */
enum { FIT_REGION_MARGIN = 10 };

/* Whether anything can be said about it. */
static inline bool fit_region_known(const struct fit_region *r) { return r->asked || (r->seen && (r->used || r->bank_bytes)); }

void fit_regions_find(const struct run *run, struct fit_regions *out);

/* One region from figures: what it has, what was used of it. */
struct fit_region fit_region_of(uint64_t bank_bytes, uint64_t used, unsigned banks, bool failed, uint64_t rounding);

#endif
