/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/verdict.h"

#include "analysis/failure/advice.h"
#include "analysis/failure/contradiction.h"
#include "base/num.h"

const char *verdict_name(enum verdict_kind kind) {
    static const char *const names[] = {
        [VERDICT_UNKNOWN] = "unknown",
        [VERDICT_FRAGMENTED] = "fragmented",
        [VERDICT_EXHAUSTED] = "exhausted",
        [VERDICT_EXCEEDS_BANK] = "exceeds_bank",
        [VERDICT_CLASH] = "clash",
        [VERDICT_EXCEEDS_L1] = "exceeds_l1",
        [VERDICT_TRACE_REGION_SHORT] = "trace_region_short",
        [VERDICT_KERNEL_CONFIG_SHORT] = "kernel_config_short",
        [VERDICT_BELOW_LIMIT] = "below_limit",
        [VERDICT_RULE] = "rule",
        [VERDICT_EXCEEDS_LIMIT] = "exceeds_limit",
        [VERDICT_OVERLAP] = "overlap",
        [VERDICT_UNSAFE] = "unsafe",
        [VERDICT_HOST] = "host",
        [VERDICT_NOT_MEMORY] = "not_memory",
    };
    return names[kind];
}

uint64_t verdict_trace_cost_per_bank(uint64_t trace_region_size, unsigned banks) {
    const uint64_t page = 8192; /* tt-metal gives trace regions in pages of this size */
    uint64_t cost;
    return num_mul(num_ceil_div(num_ceil_div(trace_region_size, banks), page), page, &cost) ? cost : 0;
}

static void set_shortfall(struct verdict *v, enum verdict_kind kind, uint64_t need, uint64_t have) {
    v->kind = kind;
    v->has_shortfall = true;
    v->shortfall_bytes = need - have;
}

/* Both numbers are known and the first is larger. */
static bool exceeds(const struct failure *f, enum failure_number a, enum failure_number b) {
    return failure_knows(f, a) && failure_knows(f, b) && f->number[a] > f->number[b];
}

static bool has_statistics(const struct failure *f) {
    return failure_knows(f, FAILURE_PER_BANK) && failure_knows(f, FAILURE_FREE) && failure_knows(f, FAILURE_LARGEST);
}

/* Free memory, if the message is cut before it: bank minus allocated. */
static bool knows_free(const struct failure *f, uint64_t *free) {
    const uint64_t *n = f->number;
    *free = n[FAILURE_FREE];
    if (failure_knows(f, FAILURE_FREE)) return true;
    if (!failure_knows(f, FAILURE_BANK) || !failure_knows(f, FAILURE_ALLOCATED) || n[FAILURE_ALLOCATED] > n[FAILURE_BANK])
        return false;
    *free = n[FAILURE_BANK] - n[FAILURE_ALLOCATED];
    return true;
}

/* The request per bank, if the message lacks it: at least an equal part. */
static uint64_t need_at_least(const struct failure *f) {
    if (failure_knows(f, FAILURE_PER_BANK)) return f->number[FAILURE_PER_BANK];
    bool shared = failure_knows(f, FAILURE_REQUESTED) && failure_knows(f, FAILURE_BANKS) && f->number[FAILURE_BANKS];
    return shared ? num_ceil_div(f->number[FAILURE_REQUESTED], f->number[FAILURE_BANKS]) : 0;
}

/* What a bank holds at most, from the message, the memory blocks of the log, the chip or any chip; 0: unknown. */
static uint64_t bank_at_most(const struct failure *f, const struct failure_context *context, const struct chip *chip) {
    const struct pool_use *use = f->pool == FAILURE_DRAM       ? &context->dram
                                 : f->pool == FAILURE_L1_SMALL ? &context->l1_small
                                                               : NULL;
    if (failure_knows(f, FAILURE_BANK)) return f->number[FAILURE_BANK];
    if (use && use->known) return (use->size_milli + 1) * NUM_MIB / 1000;
    if (f->pool == FAILURE_DRAM) return chip_most_dram_bank_bytes(chip);
    bool l1 = f->pool == FAILURE_L1 || f->pool == FAILURE_L1_SMALL;
    return l1 ? chip_most_l1_bank_bytes(chip, failure_knows(f, FAILURE_BANKS) ? f->number[FAILURE_BANKS] : 0) : 0;
}

/* A verdict that some of the figures prove without giving the amount. */
static void judge_partly(const struct failure *f, const struct failure_context *context, struct verdict *v) {
    uint64_t need = need_at_least(f), bank = bank_at_most(f, context, v->chip), free;
    if (f->kind != FAILURE_OOM || v->kind != VERDICT_UNKNOWN || !need) return;
    if (bank && need > bank) v->kind = VERDICT_EXCEEDS_BANK;
    else if (knows_free(f, &free) && need > free) v->kind = VERDICT_EXHAUSTED;
}

static void judge_oom(const struct failure *f, struct verdict *v) {
    const uint64_t *n = f->number;
    uint64_t need = n[FAILURE_PER_BANK], free;
    if (exceeds(f, FAILURE_PER_BANK, FAILURE_LARGEST)) v->contiguous_bytes = need - n[FAILURE_LARGEST];
    if (exceeds(f, FAILURE_PER_BANK, FAILURE_BANK)) set_shortfall(v, VERDICT_EXCEEDS_BANK, need, n[FAILURE_BANK]);
    else if (failure_knows(f, FAILURE_BANK) && n[FAILURE_BANK] == 0) v->kind = VERDICT_EXCEEDS_BANK; /* nothing is reserved */
    else if (failure_knows(f, FAILURE_PER_BANK) && knows_free(f, &free) && need > free)
        set_shortfall(v, VERDICT_EXHAUSTED, need, free);
    else if (!has_statistics(f)) return;
    else if (need > n[FAILURE_LARGEST]) set_shortfall(v, VERDICT_FRAGMENTED, need, n[FAILURE_LARGEST]);
    else if (exceeds(f, FAILURE_PER_BANK, FAILURE_PLACEABLE)) set_shortfall(v, VERDICT_EXHAUSTED, need, n[FAILURE_PLACEABLE]);
    else if (exceeds(f, FAILURE_PER_BANK, FAILURE_PLACEABLE_LARGEST))
        set_shortfall(v, VERDICT_FRAGMENTED, need, n[FAILURE_PLACEABLE_LARGEST]);
}

/* The L1_SMALL region grows towards lower addresses, buffers fill it from the top: more room joins the lowest free block. With
 * statistics, that block is assumed to be the largest; without, only this request is counted. */
static uint64_t smallest_l1_small(const struct failure *f, const struct chip *chip) {
    const uint64_t *n = f->number;
    if (f->pool != FAILURE_L1_SMALL || !failure_knows(f, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_BANK)) return 0;
    uint64_t need = n[FAILURE_PER_BANK], in_use = n[FAILURE_BANK], align = chip ? chip->dram_align : 32, size;
    if (failure_knows(f, FAILURE_LARGEST) && need <= n[FAILURE_LARGEST]) return 0;
    if (failure_knows(f, FAILURE_LARGEST) && n[FAILURE_LARGEST] <= in_use) in_use -= n[FAILURE_LARGEST];
    else if (need > in_use) in_use = 0;
    if (!num_add(in_use, need, &size) || !num_mul(num_ceil_div(size, align), align, &size)) return 0;
    return size <= chip_most_l1_bank_bytes(chip, failure_knows(f, FAILURE_BANKS) ? n[FAILURE_BANKS] : 0) ? size : 0;
}

/* The trace buffers are below the highest address in use: the part between the two is overwritten. */
static void judge_overlap(const struct failure *f, struct verdict *v) {
    const uint64_t *n = f->number;
    uint64_t mark = failure_knows(f, FAILURE_HIGH_WATER) ? n[FAILURE_HIGH_WATER] : 0;
    if (failure_knows(f, FAILURE_HIGH_WATER2) && n[FAILURE_HIGH_WATER2] > mark) mark = n[FAILURE_HIGH_WATER2];
    v->kind = VERDICT_OVERLAP;
    v->has_overlap = failure_knows(f, FAILURE_ADDRESS) && mark > n[FAILURE_ADDRESS];
    if (v->has_overlap) v->overlap_bytes = mark - n[FAILURE_ADDRESS];
}

/* Something needs more than there is; what is already in use counts if the message gives it. */
static void judge_limit(const struct failure *f, struct verdict *v) {
    const uint64_t *n = f->number;
    uint64_t need = n[failure_knows(f, FAILURE_ALIGNED) ? FAILURE_ALIGNED : FAILURE_REQUESTED];
    v->kind = VERDICT_EXCEEDS_LIMIT;
    if (!failure_knows(f, FAILURE_REQUESTED) || !failure_knows(f, FAILURE_LIMIT)) return;
    if (failure_knows(f, FAILURE_ALLOCATED) && !num_add(need, n[FAILURE_ALLOCATED], &need)) return;
    if (need > n[FAILURE_LIMIT]) set_shortfall(v, v->kind, need, n[FAILURE_LIMIT]);
}

static void judge(const struct failure *f, struct verdict *v) {
    const uint64_t *n = f->number;
    switch (f->kind) {
        case FAILURE_OOM:
            judge_oom(f, v);
            break;
        case FAILURE_CB_CLASH:
        case FAILURE_DFB_CLASH:
            v->kind = VERDICT_CLASH;
            v->has_overlap = exceeds(f, FAILURE_REGION_END, FAILURE_L1_ADDRESS);
            if (v->has_overlap) v->overlap_bytes = n[FAILURE_REGION_END] - n[FAILURE_L1_ADDRESS];
            break;
        case FAILURE_CB_BEYOND_L1:
        case FAILURE_DFB_BEYOND_L1:
            v->kind = VERDICT_EXCEEDS_L1;
            v->has_overlap = exceeds(f, FAILURE_REGION_END, FAILURE_LIMIT);
            if (v->has_overlap) v->overlap_bytes = n[FAILURE_REGION_END] - n[FAILURE_LIMIT];
            break;
        case FAILURE_TRACE_REGION:
            v->kind = VERDICT_TRACE_REGION_SHORT;
            v->trace_region_size = failure_knows(f, FAILURE_REQUESTED) ? n[FAILURE_REQUESTED] : 0;
            if (exceeds(f, FAILURE_REQUESTED, FAILURE_LIMIT)) set_shortfall(v, v->kind, n[FAILURE_REQUESTED], n[FAILURE_LIMIT]);
            break;
        case FAILURE_KERNEL_CONFIG:
            v->kind = VERDICT_KERNEL_CONFIG_SHORT;
            if (exceeds(f, FAILURE_REQUESTED, FAILURE_LIMIT)) set_shortfall(v, v->kind, n[FAILURE_REQUESTED], n[FAILURE_LIMIT]);
            break;
        case FAILURE_OOM_ADDRESS:
            v->kind = VERDICT_BELOW_LIMIT;
            if (exceeds(f, FAILURE_LIMIT, FAILURE_L1_ADDRESS))
                set_shortfall(v, v->kind, n[FAILURE_LIMIT], n[FAILURE_L1_ADDRESS]);
            break;
        case FAILURE_CB_RULE:
            v->kind = VERDICT_RULE;
            break;
        case FAILURE_TRACE_OVERLAP:
            judge_overlap(f, v);
            break;
        case FAILURE_TRACE_UNSAFE:
            v->kind = VERDICT_UNSAFE;
            break;
        case FAILURE_L1_ZONE:
        case FAILURE_L1_SHARDS:
        case FAILURE_OP_L1:
        case FAILURE_DFB_OP:
        case FAILURE_KERNEL_BINARY:
        case FAILURE_RUNTIME_ARGS:
        case FAILURE_SEMAPHORES:
        case FAILURE_HUGEPAGES:
        case FAILURE_FABRIC:
        case FAILURE_COMPILE_L1:
        case FAILURE_COMPILE_DRAM:
        case FAILURE_KV_CACHE:
            judge_limit(f, v);
            break;
        case FAILURE_HOST_ALLOC:
        case FAILURE_HOST_KILLED:
            if (!f->maybe_other) v->kind = VERDICT_HOST;
            break;
        case FAILURE_NOT_MEMORY:
            if (!failure_may_be_memory(f)) v->kind = VERDICT_NOT_MEMORY;
            break;
        case FAILURE_XLA:
        case FAILURE_KINDS:
            break;
    }
}

static const struct chip *by_arch(const char *arch) { return chip_find(slice_from(arch)); }

/* DRAM: the number of banks with their size; 12 or 7 banks identify a chip, 8 banks exist on two architectures. */
static const struct chip *chip_of_dram(const struct failure *f) {
    if (!failure_knows(f, FAILURE_BANKS) || f->number[FAILURE_BANKS] > 4096) return NULL;
    unsigned banks = (unsigned)f->number[FAILURE_BANKS];
    bool sized = failure_knows(f, FAILURE_BANK) && f->pool == FAILURE_DRAM; /* the size of a TRACE bank is a setting */
    if (!sized && banks != 12 && banks != 7) return NULL;
    const struct chip *chip = chip_guess(banks, 0, sized ? f->number[FAILURE_BANK] : 0);
    if (chip || !sized) return chip;
    /* a sharded buffer is on some of the banks; only Blackhole has banks of 4 GB */
    const struct chip *blackhole = by_arch("blackhole");
    return f->number[FAILURE_BANK] > blackhole->dram_view_bytes / 2 ? blackhole : NULL;
}

/* L1: more than a Wormhole core has means Blackhole; less, on a number of cores that Wormhole has, means Wormhole. */
static const struct chip *chip_of_l1(const struct failure *f) {
    enum { LOWEST_BASE = 98304, WORMHOLE_CORES = 80, GRAYSKULL_L1 = 1048576 };
    if (!failure_knows(f, FAILURE_BANK) || f->pool == FAILURE_L1_SMALL) return NULL;
    uint64_t bank = f->number[FAILURE_BANK], banks = failure_knows(f, FAILURE_BANKS) ? f->number[FAILURE_BANKS] : 0;
    const struct chip *wormhole = by_arch("wormhole_b0"), *blackhole = by_arch("blackhole");
    if (bank <= GRAYSKULL_L1 || bank > blackhole->l1_bytes) return NULL;
    if (bank > wormhole->l1_bytes - LOWEST_BASE || banks > WORMHOLE_CORES) return blackhole;
    for (const struct chip *chip = chip_table; chip->name; chip++)
        for (unsigned i = 0; strcmp(chip->arch, "wormhole_b0") == 0 && i < CHIP_L1_BANK_COUNTS && chip->l1_bank_counts[i]; i++)
            if (chip->l1_bank_counts[i] == banks) return wormhole;
    return NULL;
}

/* Highest column and row of a core range: its numbers are x and y in turn. */
static void highest_core(const char *cores, uint64_t *x, uint64_t *y) {
    uint64_t *axis[] = {x, y};
    struct slice rest = slice_from(cores);
    *x = *y = 0;
    for (size_t i = 0; rest.len;) {
        uint64_t value;
        size_t n = num_read_u64(rest, &value);
        if (n) {
            if (value > *axis[i % 2]) *axis[i % 2] = value;
            i++;
        }
        rest = slice_skip(rest, n ? n : 1);
    }
}

/* Circular buffers: the limit is the L1 of a core; else an address beyond Wormhole's L1, or a core that only Blackhole has. */
static const struct chip *chip_of_cores(const struct failure *f) {
    enum { WORMHOLE_COLUMNS = 8, GRAYSKULL_COLUMNS = 12 };
    if (f->kind == FAILURE_CB_BEYOND_L1 || f->kind == FAILURE_DFB_BEYOND_L1) {
        for (const struct chip *chip = chip_table; chip->name && failure_knows(f, FAILURE_LIMIT); chip++)
            if (chip->l1_bytes == f->number[FAILURE_LIMIT]) return by_arch(chip->arch);
        return NULL;
    }
    const struct chip *wormhole = by_arch("wormhole_b0"), *blackhole = by_arch("blackhole"), *grayskull = by_arch("grayskull");
    uint64_t x, y, end = failure_knows(f, FAILURE_REGION_END) ? f->number[FAILURE_REGION_END] : 0;
    highest_core(f->core_range, &x, &y);
    if (end > blackhole->l1_bytes) return NULL;
    if (end > wormhole->l1_bytes || x >= GRAYSKULL_COLUMNS) return blackhole;
    return x >= WORMHOLE_COLUMNS && end > grayskull->l1_bytes ? blackhole : NULL;
}

static const struct chip *implied_chip(const struct failure *f) {
    switch (f->kind) {
        case FAILURE_OOM:
            return f->pool == FAILURE_DRAM || f->pool == FAILURE_TRACE ? chip_of_dram(f) : f->pool ? chip_of_l1(f) : NULL;
        case FAILURE_CB_CLASH:
        case FAILURE_DFB_CLASH:
        case FAILURE_CB_BEYOND_L1:
        case FAILURE_DFB_BEYOND_L1:
            return chip_of_cores(f);
        default:
            return NULL;
    }
}

static const struct failure_context nothing = {0};

void verdict_judge(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *out) {
    if (!context) context = &nothing;
    *out = (struct verdict){0};
    struct contradiction contradiction = contradiction_of(f);
    if (contradiction.text) advice_fill(contradiction.text, f, context, arena, out, &out->contradiction);
    out->chip = context->chip ? context->chip : implied_chip(f);
    if (!contradiction.text || contradiction.verdict_stands) judge(f, out);
    if (!contradiction.text) judge_partly(f, context, out);
    if (out->kind != VERDICT_EXHAUSTED && out->kind != VERDICT_FRAGMENTED) out->contiguous_bytes = 0;
    uint64_t total;
    if (out->kind == VERDICT_EXHAUSTED && failure_knows(f, FAILURE_BANKS) &&
        num_mul(out->shortfall_bytes, f->number[FAILURE_BANKS], &total))
        out->shortfall_total_bytes = total;
    out->l1_small_size = smallest_l1_small(f, out->chip);
}

void verdict_of(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *out) {
    verdict_judge(f, context, arena, out);
    advice_add(f, context ? context : &nothing, arena, out);
}
