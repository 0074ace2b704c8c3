/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/regions.h"

#include "base/num.h"

/* The trace region of a bank is rounded up to this (tt-metal from 2026-06-24 or later); L1_SMALL to an L1 line. */
enum { TRACE_ROUNDING = 8192, L1_SMALL_ROUNDING = 1024 };

struct fit_region fit_region_of(uint64_t bank_bytes, uint64_t used, unsigned banks, bool failed, uint64_t rounding) {
    struct fit_region r = {.seen = true, .bank_bytes = bank_bytes, .used = used, .failed = failed, .banks = banks ? banks : 1};
    r.per_bank = num_ceil_div(used + num_ceil_div(used * FIT_REGION_MARGIN, 100), rounding) * rounding;
    r.total = r.per_bank * r.banks;
    r.gives_back = (int64_t)bank_bytes - (int64_t)r.per_bank;
    return r;
}

/* Bytes of a bank that certainly hold the request: free memory helps only if it is in one piece; otherwise the region grows
 * by the request at its end. */
static uint64_t held_with(const struct failure *f) {
    uint64_t request = f->number[FAILURE_PER_BANK];
    bool one_piece = failure_knows(f, FAILURE_ALLOCATED) && failure_knows(f, FAILURE_FREE) &&
                     failure_knows(f, FAILURE_LARGEST) && f->number[FAILURE_FREE] == f->number[FAILURE_LARGEST];
    if (failure_knows(f, FAILURE_BANK) && !one_piece) return f->number[FAILURE_BANK] + request;
    return (failure_knows(f, FAILURE_ALLOCATED) ? f->number[FAILURE_ALLOCATED] : 0) + request;
}

/* Impossible figures would overflow, and say nothing about a region. */
static bool is_sensible(const struct failure *f) {
    static const enum failure_number sizes[] = {FAILURE_PER_BANK, FAILURE_BANK, FAILURE_ALLOCATED};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (failure_knows(f, sizes[i]) && f->number[sizes[i]] >= (uint64_t)1 << 40) return false;
    return true;
}

static struct fit_region find(const struct run *run, enum pool pool, enum failure_pool failure_pool, uint64_t rounding) {
    uint64_t used = 0, bank = 0;
    unsigned banks = 0;
    bool seen = false, failed = false, unsized = false;
    for (size_t i = 0; i < run->configs.len; i++) {
        const struct pool_config *c = &run->configs.items[i];
        if (c->pool != pool) continue;
        banks = c->banks;
        if ((uint64_t)c->total * NUM_MIB / 1000 > bank) bank = (uint64_t)c->total * NUM_MIB / 1000;
    }
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (!(block->have >> pool & 1)) continue;
        seen = true;
        /* the log rounds to a thousandth of a MB */
        uint64_t here = block->allocated[pool] ? (uint64_t)(block->allocated[pool] + 1) * NUM_MIB / 1000 : 0;
        if (here > used) used = here;
    }
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        if (f->kind != FAILURE_OOM || f->pool != failure_pool || !failure_knows(f, FAILURE_PER_BANK) || !is_sensible(f))
            continue;
        uint64_t here = held_with(f);
        unsized |= !bank && !failure_knows(f, FAILURE_BANK);
        if (failure_knows(f, FAILURE_BANK)) bank = f->number[FAILURE_BANK];
        if (failure_knows(f, FAILURE_BANKS)) banks = (unsigned)f->number[FAILURE_BANKS];
        seen = failed = true;
        if (here > used) used = here;
    }
    struct fit_region region = seen ? fit_region_of(bank, used, banks, failed, rounding) : (struct fit_region){0};
    region.unsized = unsized;
    return region;
}

/* "Creating trace buffers of size A, but only B is allocated": both are in the unit in which the region was set. */
static void take_message(const struct run *run, struct fit_region *trace) {
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        if (f->kind != FAILURE_TRACE_REGION || !failure_knows(f, FAILURE_REQUESTED) || !failure_knows(f, FAILURE_LIMIT) ||
            f->number[FAILURE_REQUESTED] > (uint64_t)1 << 44 || f->number[FAILURE_REQUESTED] <= trace->asked)
            continue;
        uint64_t rounding = (uint64_t)TRACE_ROUNDING * (trace->banks ? trace->banks : 1), asked = f->number[FAILURE_REQUESTED];
        trace->asked = asked;
        trace->set = f->number[FAILURE_LIMIT];
        trace->failed = true;
        trace->total = num_ceil_div(asked + num_ceil_div(asked * FIT_REGION_MARGIN, 100), rounding) * rounding;
    }
}

void fit_regions_find(const struct run *run, struct fit_regions *out) {
    out->trace = find(run, POOL_TRACE, FAILURE_TRACE, TRACE_ROUNDING);
    take_message(run, &out->trace);
    out->l1_small = find(run, POOL_L1_SMALL, FAILURE_L1_SMALL, L1_SMALL_ROUNDING);
}
