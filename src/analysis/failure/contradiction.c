/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/contradiction.h"

#include "base/num.h"

#define K(kind) (1u << FAILURE_##kind)

/* `small` is never larger than `large`, nor equal if the message says that one is too large. */
static const struct order {
    unsigned kinds;
    enum failure_number small, large;
    bool never_equal;
    const char *text;
} orders[] = {
    {K(OOM), FAILURE_LARGEST, FAILURE_FREE, false, "the largest free block ($largest) is larger than all that is free ($free)"},
    {K(OOM), FAILURE_FREE, FAILURE_BANK, false, "more is free ($free) than the bank holds ($bank)"},
    {K(OOM), FAILURE_LARGEST, FAILURE_BANK, false, "the largest free block ($largest) is larger than the bank ($bank)"},
    {K(OOM), FAILURE_PLACEABLE, FAILURE_FREE, false, "more is placeable ($placeable) than is free ($free)"},
    {K(CB_CLASH) | K(DFB_CLASH), FAILURE_L1_ADDRESS, FAILURE_REGION_END, true,
     "the $buffers end at $end and the L1 buffer begins at $address, so they do not meet"},
    {K(CB_BEYOND_L1) | K(DFB_BEYOND_L1), FAILURE_LIMIT, FAILURE_REGION_END, true,
     "the $buffers grow to $end, which is within the L1 of $limit"},
    {K(TRACE_REGION), FAILURE_LIMIT, FAILURE_REQUESTED, true,
     "the trace buffers ($requested) fit into the trace region ($limit_bytes)"},
    {K(KERNEL_CONFIG), FAILURE_LIMIT, FAILURE_REQUESTED, false, /* builds of 2025 refuse an exact fit */
     "the program ($requested) fits into the kernel config buffer ($limit_bytes)"},
    {K(OOM_ADDRESS), FAILURE_L1_ADDRESS, FAILURE_LIMIT, true, "the allocation at $address is not below the limit of $limit"},
};

static bool knows(const struct failure *f, enum failure_number a, enum failure_number b) {
    return failure_knows(f, a) && failure_knows(f, b);
}

static const char *allocated_in_bank(const struct failure *f) {
    if (f->kind != FAILURE_OOM || !knows(f, FAILURE_ALLOCATED, FAILURE_BANK)) return NULL;
    bool wrong = f->number[FAILURE_ALLOCATED] > f->number[FAILURE_BANK];
    return wrong ? "more is allocated ($allocated) than the bank holds ($bank)" : NULL;
}

/* Allocated and free add up to the bank, except for alignment; the L1 of a sub-device can be smaller than the bank. */
static const char *sum_of_bank(const struct failure *f) {
    const uint64_t *n = f->number;
    uint64_t sum, bank = n[FAILURE_BANK], slack = bank / 1024 < 2048 ? bank / 1024 : 2048;
    if (f->kind != FAILURE_OOM || !knows(f, FAILURE_ALLOCATED, FAILURE_FREE) || !failure_knows(f, FAILURE_BANK)) return NULL;
    if (!num_add(n[FAILURE_ALLOCATED], n[FAILURE_FREE], &sum)) return NULL;
    bool wrong = sum > bank + slack || (f->pool == FAILURE_DRAM && sum + slack < bank);
    return wrong ? "allocated ($allocated) and free ($free) do not make up the bank ($bank)" : NULL;
}

/* Each bank stores at least its share of the request. */
static const char *share_of_bank(const struct failure *f) {
    uint64_t all;
    if (f->kind != FAILURE_OOM || !knows(f, FAILURE_REQUESTED, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_BANKS))
        return NULL;
    if (!num_mul(f->number[FAILURE_PER_BANK], f->number[FAILURE_BANKS], &all)) return NULL;
    return all < f->number[FAILURE_REQUESTED] ? "$banks banks of $need do not hold the $requested asked for" : NULL;
}

static const char *rule_kept(const struct failure *f) {
    if (f->kind != FAILURE_CB_RULE || !knows(f, FAILURE_REQUESTED, FAILURE_LIMIT)) return NULL;
    uint64_t size = f->number[FAILURE_REQUESTED], limit = f->number[FAILURE_LIMIT];
    bool kept = f->limit_is_page ? limit && size % limit == 0 : size <= limit;
    return kept ? "the circular buffer ($requested) keeps the rule it is said to break ($limit_bytes)" : NULL;
}

/* What a verdict rests on. */
static const char *of_verdict(const struct failure *f) {
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct order *o = &orders[i];
        if (!(o->kinds >> f->kind & 1) || !knows(f, o->small, o->large)) continue;
        uint64_t small = f->number[o->small], large = f->number[o->large];
        if (small > large || (small == large && o->never_equal)) return o->text;
    }
    return rule_kept(f);
}

struct contradiction contradiction_of(const struct failure *f) {
    const char *text = of_verdict(f);
    if (text) return (struct contradiction){text, false};
    text = allocated_in_bank(f);
    if (!text) text = sum_of_bank(f);
    if (!text) text = share_of_bank(f);
    return (struct contradiction){text, true};
}
