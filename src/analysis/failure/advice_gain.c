/* SPDX-License-Identifier: Apache-2.0 */
/* Which advice is enough: the gain of each piece against what is missing. */
#include "analysis/failure/advice_figures.h"
#include "base/num.h"

/* Thousandths of a MB as bytes, never more than the real value: both ends of the difference were rounded. */
static uint64_t milli_bytes(uint64_t milli) { return milli && milli <= UINT32_MAX ? (milli - 1) * NUM_MIB / 1000 : 0; }

bool gain_trace(const struct figures *x, struct advice_gain *out) {
    const struct pool_use *trace = &x->context->trace;
    if (!trace->known || trace->used_milli >= trace->size_milli) return false;
    out->space = out->piece = milli_bytes(trace->size_milli - trace->used_milli); /* at the end of the bank */
    return out->space > 0;
}

bool gain_padding(const struct figures *x, struct advice_gain *out) {
    const uint64_t *n = x->f->number;
    uint64_t bare = x->context->unpadded_bytes, per_bank;
    if (!bare || !failure_knows(x->f, FAILURE_REQUESTED) || !failure_knows(x->f, FAILURE_PER_BANK)) return false;
    if (!failure_knows(x->f, FAILURE_BANKS) || !n[FAILURE_BANKS]) return false;
    per_bank = num_ceil_div(bare, n[FAILURE_BANKS]);
    if (per_bank >= n[FAILURE_PER_BANK]) return false;
    out->request = n[FAILURE_PER_BANK] - per_bank;
    return true;
}

bool gain_weights(const struct figures *x, struct advice_gain *out) {
    out->space = x->context->alive.weight_saved_bytes;
    return x->context->alive.known && out->space > 0;
}

bool gain_cache(const struct figures *x, struct advice_gain *out) {
    out->space = x->context->alive.cache_saved_bytes;
    return x->context->alive.known && out->space > 0;
}

bool gain_request_bfp8(const struct figures *x, struct advice_gain *out) {
    uint64_t small = x->context->bfp8_per_bank;
    if (!small || !failure_knows(x->f, FAILURE_PER_BANK) || small >= x->f->number[FAILURE_PER_BANK]) return false;
    out->request = x->f->number[FAILURE_PER_BANK] - small;
    return true;
}

bool gain_l1_tensors(const struct figures *x, struct advice_gain *out) {
    out->space = x->context->alive.bytes;
    return x->context->alive.known && out->space > 0;
}

static bool knows_blocks(const struct failure *f) {
    return f->kind == FAILURE_OOM && failure_knows(f, FAILURE_PER_BANK) && failure_knows(f, FAILURE_LARGEST);
}

static bool is_whole(const struct failure *f) {
    return failure_knows(f, FAILURE_FREE) && f->number[FAILURE_FREE] == f->number[FAILURE_LARGEST];
}

bool gains_suffice(const struct failure *f, const struct advice_gain *sum) {
    if (!knows_blocks(f)) return false;
    uint64_t need = f->number[FAILURE_PER_BANK], block = f->number[FAILURE_LARGEST];
    need -= sum->request < need ? sum->request : need;
    if (need <= block) return true;
    return is_whole(f) ? sum->space >= need - block : sum->piece >= need;
}

bool gains_fall_short(const struct failure *f, const struct advice_gain *sum) {
    return gain_total(sum) < gain_missing_in_sum(f);
}

uint64_t gain_missing(const struct failure *f) {
    if (!knows_blocks(f)) return 0;
    uint64_t need = f->number[FAILURE_PER_BANK], block = f->number[FAILURE_LARGEST];
    if (!is_whole(f)) return need;
    return need > block ? need - block : 0;
}

uint64_t gain_missing_in_sum(const struct failure *f) {
    if (f->kind != FAILURE_OOM || !failure_knows(f, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_FREE)) return 0;
    uint64_t need = f->number[FAILURE_PER_BANK], free = f->number[FAILURE_FREE];
    return need > free ? need - free : 0;
}

bool gain_in_one_piece(const struct failure *f) { return knows_blocks(f) && !is_whole(f); }

/* Pieces that become free at different places do not join. */
static struct advice_gain sum_of(const struct advice_gain *gains, unsigned set) {
    struct advice_gain sum = {0};
    for (unsigned i = 0; set >> i; i++) {
        if (!(set >> i & 1)) continue;
        if (!num_add(sum.space, gains[i].space, &sum.space)) sum.space = UINT64_MAX;
        if (!num_add(sum.request, gains[i].request, &sum.request)) sum.request = UINT64_MAX;
        if (gains[i].piece > sum.piece) sum.piece = gains[i].piece;
    }
    return sum;
}

uint64_t gain_total(const struct advice_gain *gain) {
    uint64_t total;
    return num_add(gain->space, gain->request, &total) ? total : UINT64_MAX;
}

/* A tensor stored without padding and one stored in bfloat8_b shrink the same request: only one of two such counts. */
static bool counts_twice(const struct advice_gain *gains, unsigned set) {
    unsigned requests = 0;
    for (unsigned i = 0; set >> i; i++) requests += (set >> i & 1) && gains[i].request;
    return requests > 1;
}

unsigned gains_smallest_set(const struct failure *f, const struct advice_gain *gains, size_t count) {
    unsigned counted = 0, best = 0;
    for (unsigned i = 0; i < count; i++) counted |= (unsigned)(gains[i].space || gains[i].request) << i;
    for (unsigned set = counted; set; set = (set - 1) & counted) { /* tries every subset; of equal ones the last wins */
        if (counts_twice(gains, set)) continue;
        if (best && __builtin_popcount(set) > __builtin_popcount(best)) continue;
        struct advice_gain sum = sum_of(gains, set);
        if (gains_suffice(f, &sum)) best = set;
    }
    return best;
}

struct advice_gain gains_sum(const struct advice_gain *gains, size_t count, unsigned set) {
    struct advice_gain sum = sum_of(gains, set ? set : (1u << count) - 1);
    if (set) return sum;
    sum.request = 0; /* of those that shrink the same request, one counts */
    for (size_t i = 0; i < count; i++)
        if (gains[i].request > sum.request) sum.request = gains[i].request;
    return sum;
}
