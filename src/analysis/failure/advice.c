#include "analysis/failure/advice.h"

#include <assert.h>

#include "base/amounts.h"
#include "base/num.h"
#include "base/strbuf.h"

enum {
    DRAM = 1u << FAILURE_DRAM,
    L1 = 1u << FAILURE_L1,
    L1_SMALL = 1u << FAILURE_L1_SMALL,
    TRACE = 1u << FAILURE_TRACE,
    NO_POOL = 1u << FAILURE_POOL_UNKNOWN,
    OTHER = NO_POOL | 1u << FAILURE_SYSTEM_MEMORY,
    ANY = ~0u >> 1,
};

/* Words with a $ are figures (see `figures`); a row whose figure is not known is left out. */
struct advice_row {
    unsigned verdicts;
    unsigned pools;
    const char *text;
};

#define V(verdict) (1u << VERDICT_##verdict)

static const struct advice_row rows[] = {
    {V(UNKNOWN), ANY,
     "The figures contradict each other: $contradiction. Look at the message where it stands; a copy of it elsewhere in the "
     "log "
     "may be whole."},

    {V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), DRAM | L1,
     "The request is mostly padding: the tensor holds $unpadded of the $requested asked for. A shape whose last two dimensions "
     "fill 32x32 tiles, or row-major with long rows, asks for less."},

    {V(FRAGMENTED), DRAM,
     "Bring long-lived tensors (weights, KV cache) into DRAM before short-lived ones, and free what lives across this "
     "operation: "
     "$free per bank are free, but in pieces."},
    {V(FRAGMENTED), DRAM,
     "Ask for less at once: up to $largest per bank fits now. Process in chunks, reduce batch or sequence length, use "
     "bfloat8_b."},
    {V(FRAGMENTED), DRAM, "Lower trace_region_size or the KV cache: that makes one block larger, the holes stay."},
    {V(FRAGMENTED), L1,
     "Close the holes: deallocate L1 tensors that are no longer used, and move those that stay with ttnn.reallocate."},
    {V(FRAGMENTED), L1,
     "Spread the tensor over more cores until a bank needs no more than $largest, or give the operation a DRAM memory config."},

    {V(EXHAUSTED), DRAM,
     "Take $short per bank ($short_total in total) out of what is alive: free tensors after their last use, hold weights and "
     "KV "
     "cache in bfloat8_b, reduce batch or sequence length."},
    {V(EXHAUSTED), DRAM,
     "Spread the model over more chips (tensor parallel), so that each holds a part of weights and KV cache."},
    {V(EXHAUSTED), DRAM, "Lower trace_region_size: it is taken from every DRAM bank, used or not."},
    {V(EXHAUSTED), L1,
     "Deallocate or move to DRAM at least $short per bank of the L1 tensors that live across this operation."},
    {V(EXHAUSTED), L1,
     "Spread the tensor over more cores until a bank needs no more than $free, or give the operation a DRAM memory config."},

    {V(EXCEEDS_BANK), DRAM,
     "Freeing memory does not help: $need per bank is more than an empty bank holds. Split the tensor, or shard it over at "
     "least "
     "$times chips."},
    {V(EXCEEDS_BANK), DRAM,
     "Look at the operation that asks: a tensor of this size is often an intermediate (one-hot, repeat, gather index, unfolded "
     "convolution) that another formulation avoids."},
    {V(EXCEEDS_BANK), DRAM,
     "Use a smaller data type (bfloat16 for float32, bfloat8_b for bfloat16), smaller batch or sequence length."},
    {V(EXCEEDS_BANK), L1,
     "Freeing memory does not help: $need per bank is more than an empty bank holds. Give the operation a DRAM memory config."},
    {V(EXCEEDS_BANK), L1, "Or shard the tensor over at least $cores cores (it was asked for on $banks)."},

    {V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
     "Open the device with l1_small_size of at least $l1_small (now $bank)."},
    {V(UNKNOWN), L1_SMALL,
     "Open the device with a larger l1_small_size: $l1_small holds this request for certain (now $bank)."},
    {V(UNKNOWN) | V(EXCEEDS_BANK), L1_SMALL, "Open the device with a larger l1_small_size.$no_l1_small"},
    {V(EXCEEDS_BANK), L1_SMALL,
     "The message does not say what else is in use: should it fail again, $l1_small_sure is certain to hold this request."},
    {V(EXHAUSTED) | V(UNKNOWN), L1_SMALL,
     "The program cache keeps the L1_SMALL buffers of every convolution and pooling operation: fewer distinct shapes need "
     "less."},
    {V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
     "Not larger than needed: l1_small_size is taken from the L1 of every core, circular buffers and L1 tensors share the "
     "rest."},

    {V(EXCEEDS_BANK), TRACE, "Open the device with trace_region_size of at least $need_total: $need on each of $banks banks."},
    {V(EXHAUSTED), TRACE,
     "Open the device with a trace_region_size larger by at least $trace_more, or release traces that are no longer "
     "replayed."},
    {V(FRAGMENTED) | V(UNKNOWN), TRACE,
     "Open the device with a larger trace_region_size, or release traces that are no longer replayed."},

    {V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), ANY,
     "Other figures of the message contradict each other: $contradiction. A copy of it elsewhere in the log may be whole."},

    {V(CLASH), ANY,
     "Shrink the $buffers of this operation by at least $overlap per core: smaller blocks (per_core_M, per_core_N, "
     "in0_block_w, act_block_h), no double buffering, or more cores."},
    {V(CLASH), ANY,
     "Move to DRAM or deallocate the L1 tensors that reach below address $end on these cores; the lowest begins at $address."},
    {V(CLASH), ANY,
     "Reduce l1_small_size by at least $overlap_small if it has that much to spare: L1 tensors lie below it and move up."},
    {V(CLASH), ANY, "Shrink the $buffers of this operation, or move the L1 tensors of these cores to DRAM.$no_overlap"},
    {V(EXCEEDS_L1), ANY,
     "Shrink the $buffers of this operation by at least $overlap per core: smaller blocks (per_core_M, per_core_N, "
     "in0_block_w, act_block_h), no double buffering, smaller data type."},
    {V(EXCEEDS_L1), ANY,
     "Spread the operation over more cores or split it; a row that a kernel keeps whole in L1 can be processed in parts."},
    {V(EXCEEDS_L1), ANY, "Moving tensors to DRAM does not help: the $buffers alone are larger than the L1 of a core."},

    {V(TRACE_REGION_SHORT), ANY, "Set trace_region_size to at least $trace; it takes $trace_cost."},
    {V(TRACE_REGION_SHORT), ANY,
     "Captures add up, later traces need more. Release traces that are no longer replayed (ttnn.release_trace)."},
    {V(TRACE_REGION_SHORT), ANY, "tt-metal of 2026 takes traces out of free DRAM when trace_region_size is 0."},

    {V(KERNEL_CONFIG_SHORT), ANY,
     "On Tensix cores, open the device with a worker_l1_size smaller by at least $short: the kernel config buffer is what is "
     "left "
     "of L1 below it."},
    {V(KERNEL_CONFIG_SHORT), ANY,
     "Run without watcher and device profiler, they enlarge every kernel (on Ethernet cores: TT_METAL_WATCHER_DISABLE_ETH=1)."},
    {V(KERNEL_CONFIG_SHORT), ANY, "Make the program smaller: fewer fused operations, less unrolling, fewer runtime arguments."},

    {V(BELOW_LIMIT), ANY, "Free at least $short of L1 per core before this operation, or give it a DRAM memory config."},
    {V(BELOW_LIMIT), ANY, "Use a sharded layout: only interleaved L1 buffers stop at address $limit."},

    {V(RULE), ANY, "Correct the circular buffer of this operation: $rule."},

    {V(UNKNOWN), DRAM | OTHER,
     "Free tensors after their last use, hold weights and KV cache in bfloat8_b, reduce batch or sequence length, lower "
     "trace_region_size."},
    {V(UNKNOWN), L1,
     "Give the operation a DRAM memory config, deallocate L1 tensors that are no longer used, or spread the tensor over more "
     "cores."},
    {V(UNKNOWN), ANY,
     "Exhausted or fragmented cannot be told apart without the allocator's figures, which tt-metal of 2026 "
     "prints.$no_statistics"},
    {V(UNKNOWN), ANY,
     "The request fits the largest free block ($fitting), so something else refused it: an address limit, or dependencies "
     "between "
     "allocators."},
    {V(UNKNOWN) | V(CLASH) | V(EXCEEDS_L1), ANY,
     "The figures are missing: builds of early 2024 left the placeholders unfilled, another build prints them.$unfilled"},
};

struct figures {
    const struct failure *f;
    const struct failure_context *context;
    const struct verdict *v;
};

static void add_bytes_and_mb(struct strbuf *out, uint64_t bytes) {
    add_bytes(out, bytes);
    if (bytes < NUM_MIB) return;
    strbuf_addz(out, " (");
    add_mb(out, bytes, 1);
    strbuf_addz(out, " MB)");
}

static bool number_bytes(struct strbuf *out, const struct failure *f, enum failure_number n) {
    if (failure_knows(f, n)) add_bytes_and_mb(out, f->number[n]);
    return failure_knows(f, n);
}

static bool plain(struct strbuf *out, uint64_t value) {
    strbuf_addu(out, value);
    return true;
}

static bool figure_short(struct strbuf *out, const struct figures *x) {
    if (x->v->has_shortfall) add_bytes_and_mb(out, x->v->shortfall_bytes);
    return x->v->has_shortfall;
}

static bool figure_short_total(struct strbuf *out, const struct figures *x) {
    if (!x->v->shortfall_total_bytes) return false;
    add_grouped(out, x->v->shortfall_total_bytes);
    strbuf_addz(out, " B");
    return true;
}

/* Values of settings are plain digits, to be copied. */
static bool figure_trace_more(struct strbuf *out, const struct figures *x) {
    return x->v->shortfall_total_bytes && plain(out, x->v->shortfall_total_bytes);
}

static bool figure_need_total(struct strbuf *out, const struct figures *x) {
    uint64_t total;
    if (!failure_knows(x->f, FAILURE_PER_BANK) || !failure_knows(x->f, FAILURE_BANKS)) return false;
    return num_mul(x->f->number[FAILURE_PER_BANK], x->f->number[FAILURE_BANKS], &total) && plain(out, total);
}

static bool figure_contradiction(struct strbuf *out, const struct figures *x) {
    strbuf_add(out, x->v->contradiction);
    return x->v->contradiction.len;
}

static bool figure_unpadded(struct strbuf *out, const struct figures *x) {
    uint64_t unpadded = x->context->unpadded_bytes;
    if (!unpadded || !failure_knows(x->f, FAILURE_REQUESTED) || unpadded > x->f->number[FAILURE_REQUESTED] / 2) return false;
    add_bytes_and_mb(out, unpadded);
    return true;
}

static bool ratio(struct strbuf *out, const struct failure *f, enum failure_number of) {
    if (!failure_knows(f, of) || !failure_knows(f, FAILURE_BANK) || !f->number[FAILURE_BANK]) return false;
    return plain(out, num_ceil_div(f->number[of], f->number[FAILURE_BANK]));
}

static bool figure_times(struct strbuf *out, const struct figures *x) { return ratio(out, x->f, FAILURE_PER_BANK); }
static bool figure_cores(struct strbuf *out, const struct figures *x) { return ratio(out, x->f, FAILURE_REQUESTED); }
static bool figure_requested(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_REQUESTED); }
static bool figure_need(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_PER_BANK); }
static bool figure_bank(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_BANK); }
static bool figure_free(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_FREE); }
static bool figure_largest(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_LARGEST); }

static bool figure_banks(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_BANKS) && plain(out, x->f->number[FAILURE_BANKS]);
}
static bool figure_end(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_REGION_END) && plain(out, x->f->number[FAILURE_REGION_END]);
}
static bool figure_address(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_L1_ADDRESS) && plain(out, x->f->number[FAILURE_L1_ADDRESS]);
}
static bool figure_limit_bytes(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_LIMIT); }
static bool figure_allocated(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_ALLOCATED); }
static bool figure_placeable(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_PLACEABLE); }
static bool figure_limit(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_LIMIT) && plain(out, x->f->number[FAILURE_LIMIT]);
}

static bool figure_overlap(struct strbuf *out, const struct figures *x) {
    if (x->v->has_overlap) add_bytes_and_mb(out, x->v->overlap_bytes);
    return x->v->has_overlap;
}

/* l1_small_size is 16 to 64 KiB in practice: a larger overlap does not fit into it. */
static bool figure_overlap_small(struct strbuf *out, const struct figures *x) {
    return x->v->overlap_bytes <= 65536 && figure_overlap(out, x);
}

static bool figure_l1_small(struct strbuf *out, const struct figures *x) {
    return x->v->l1_small_size && plain(out, x->v->l1_small_size);
}

static bool figure_l1_small_sure(struct strbuf *out, const struct figures *x) {
    uint64_t sum;
    if (failure_knows(x->f, FAILURE_LARGEST) || !failure_knows(x->f, FAILURE_BANK) || !x->f->number[FAILURE_BANK]) return false;
    return num_add(x->f->number[FAILURE_BANK], x->f->number[FAILURE_PER_BANK], &sum) && plain(out, sum);
}

static bool figure_trace(struct strbuf *out, const struct figures *x) {
    return x->v->trace_region_size && plain(out, x->v->trace_region_size);
}

static void add_trace_cost(struct strbuf *out, const struct figures *x, const struct chip *chip) {
    add_grouped(out, verdict_trace_cost_per_bank(x->v->trace_region_size, chip->dram_banks));
    strbuf_addf(out, " B of each of the %u DRAM banks of %s", chip->dram_banks, chip->title);
}

/* Of the chip, or of both that are in use when the message does not tell which. */
static bool figure_trace_cost(struct strbuf *out, const struct figures *x) {
    if (x->v->chip) {
        add_trace_cost(out, x, x->v->chip);
        return true;
    }
    add_trace_cost(out, x, chip_find(SLICE("wormhole_b0")));
    strbuf_addz(out, ", ");
    add_trace_cost(out, x, chip_find(SLICE("blackhole")));
    return true;
}

static bool figure_buffers(struct strbuf *out, const struct figures *x) {
    bool dataflow = x->f->kind == FAILURE_DFB_CLASH || x->f->kind == FAILURE_DFB_BEYOND_L1;
    strbuf_addz(out, dataflow ? "dataflow buffers" : "circular buffers");
    return true;
}

static bool figure_rule(struct strbuf *out, const struct figures *x) {
    if (x->f->rule) strbuf_addz(out, x->f->rule);
    return x->f->rule;
}

static bool figure_fitting(struct strbuf *out, const struct figures *x) {
    const struct failure *f = x->f;
    if (x->v->contradiction.len || !failure_knows(f, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_LARGEST)) return false;
    return f->number[FAILURE_PER_BANK] <= f->number[FAILURE_LARGEST] && number_bytes(out, f, FAILURE_LARGEST);
}

/* Conditions: figures without a text. */
static bool figure_unfilled(struct strbuf *out, const struct figures *x) {
    (void)out;
    return x->f->unformatted && !x->f->known;
}
static bool figure_no_overlap(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !x->v->has_overlap;
}
static bool figure_no_l1_small(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !x->v->l1_small_size;
}
static bool figure_no_statistics(struct strbuf *out, const struct figures *x) {
    (void)out;
    bool statistics = failure_knows(x->f, FAILURE_FREE) && failure_knows(x->f, FAILURE_LARGEST);
    return x->f->kind == FAILURE_OOM && !statistics && !x->v->contradiction.len;
}

static const struct {
    const char *name;
    bool (*add)(struct strbuf *out, const struct figures *x);
} figures[] = {
    {"requested", figure_requested},
    {"need", figure_need},
    {"need_total", figure_need_total},
    {"bank", figure_bank},
    {"banks", figure_banks},
    {"free", figure_free},
    {"largest", figure_largest},
    {"short", figure_short},
    {"short_total", figure_short_total},
    {"trace_more", figure_trace_more},
    {"contradiction", figure_contradiction},
    {"allocated", figure_allocated},
    {"placeable", figure_placeable},
    {"limit_bytes", figure_limit_bytes},
    {"unpadded", figure_unpadded},
    {"times", figure_times},
    {"cores", figure_cores},
    {"overlap", figure_overlap},
    {"overlap_small", figure_overlap_small},
    {"address", figure_address},
    {"end", figure_end},
    {"limit", figure_limit},
    {"l1_small", figure_l1_small},
    {"l1_small_sure", figure_l1_small_sure},
    {"trace", figure_trace},
    {"trace_cost", figure_trace_cost},
    {"buffers", figure_buffers},
    {"rule", figure_rule},
    {"fitting", figure_fitting},
    {"unfilled", figure_unfilled},
    {"no_overlap", figure_no_overlap},
    {"no_l1_small", figure_no_l1_small},
    {"no_statistics", figure_no_statistics},
};

static bool add_figure(struct strbuf *out, struct slice name, const struct figures *x) {
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (slice_equal(name, slice_from(figures[i].name))) return figures[i].add(out, x);
    assert(false && "a row names a figure that is not in the table");
    return false;
}

static size_t name_len(const char *text) { return strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"); }

static bool fill(struct strbuf *out, const char *text, const struct figures *x) {
    while (*text) {
        size_t plain_len = strcspn(text, "$");
        strbuf_add(out, slice_of(text, plain_len));
        text += plain_len;
        if (!*text) break;
        size_t len = name_len(++text);
        if (!add_figure(out, slice_of(text, len), x)) return false;
        text += len;
    }
    return true;
}

bool advice_fill(const char *text, const struct failure *f, const struct failure_context *context, struct arena *arena,
                 const struct verdict *v, struct slice *out) {
    struct figures x = {f, context, v};
    struct strbuf line = {0};
    bool filled = fill(&line, text, &x);
    if (filled) *out = arena_copy(arena, strbuf_slice(&line));
    strbuf_release(&line);
    return filled;
}

void advice_add(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *v) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows && v->advice_len < VERDICT_ADVICE_MAX; i++) {
        if (!(rows[i].verdicts >> v->kind & 1) || !(rows[i].pools >> f->pool & 1)) continue;
        if (v->contradiction.len && v->advice_len && f->kind != FAILURE_OOM) break; /* the rest is about running out */
        v->advice_len += advice_fill(rows[i].text, f, context, arena, v, &v->advice[v->advice_len]);
    }
}
