/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/advice_figures.h"

#include <assert.h>

#include "base/amounts.h"
#include "base/num.h"
#include "base/utf8.h"

enum { MOST_PARTS = 64 }; /* splitting into more pieces would be another program */

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

/* For figures that the message rounds: the largest possible value. */
static bool figure_short(struct strbuf *out, const struct figures *x) {
    uint64_t most;
    if (!x->v->has_shortfall || !num_add(x->v->shortfall_bytes, 2 * x->f->rounding, &most)) return false;
    add_bytes_and_mb(out, most);
    return true;
}

static bool figure_short_total(struct strbuf *out, const struct figures *x) {
    if (!x->v->shortfall_total_bytes) return false;
    add_grouped(out, x->v->shortfall_total_bytes);
    strbuf_addz(out, " B");
    return true;
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
static bool figure_held(struct strbuf *out, const struct figures *x) {
    return x->f->number[FAILURE_ALLOCATED] && number_bytes(out, x->f, FAILURE_ALLOCATED);
}
static bool figure_placeable(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_PLACEABLE); }
static bool figure_limit(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_LIMIT) && plain(out, x->f->number[FAILURE_LIMIT]);
}

static bool figure_overlap(struct strbuf *out, const struct figures *x) {
    if (x->v->has_overlap) add_bytes_and_mb(out, x->v->overlap_bytes);
    return x->v->has_overlap;
}

static bool figure_l1_small(struct strbuf *out, const struct figures *x) {
    return x->v->l1_small_size && plain(out, x->v->l1_small_size);
}

/* What a core has, if no setting of L1_SMALL could hold the request. */
static bool figure_l1_core(struct strbuf *out, const struct figures *x) {
    if (!advice_is_beyond_l1(x)) return false;
    add_bytes_and_mb(out, advice_core_l1(x));
    return true;
}

/* This much more room is enough, whatever else is there. */
static bool figure_l1_small_sure(struct strbuf *out, const struct figures *x) {
    uint64_t sum, align = x->v->chip ? x->v->chip->dram_align : 32;
    if (advice_l1_small_is_empty(x->f) || !failure_knows(x->f, FAILURE_BANK) || !failure_knows(x->f, FAILURE_PER_BANK))
        return false;
    if (!num_add(x->f->number[FAILURE_BANK], x->f->number[FAILURE_PER_BANK], &sum)) return false;
    if (!num_mul(num_ceil_div(sum, align), align, &sum) || sum > advice_core_l1(x)) return false;
    return plain(out, sum);
}

static bool figure_trace(struct strbuf *out, const struct figures *x) {
    return x->v->trace_region_size && plain(out, x->v->trace_region_size);
}

static bool figure_any_dram(struct strbuf *out, const struct figures *x) {
    add_bytes_and_mb(out, chip_most_dram_bytes(x->v->chip));
    return true;
}

static void add_trace_cost(struct strbuf *out, const struct figures *x, const struct chip *chip) {
    add_grouped(out, verdict_trace_cost_per_bank(x->v->trace_region_size, chip->dram_banks));
    strbuf_addf(out, " B of each of the %u DRAM banks of %s", chip->dram_banks, chip->title);
}

/* For the chip, or for both in use if the message does not say which. */
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

/* What to make smaller: op by op if nothing names the op; a family has its own row. */
static bool figure_blocks(struct strbuf *out, const struct figures *x) {
    strbuf_addz(out, x->context->op.len
                         ? "smaller block sizes or chunks, where it takes a program config"
                         : "smaller block sizes (in0_block_w of a matmul, act_block_h_override of a convolution, "
                           "chunk sizes of SDPA)");
    return true;
}

static bool figure_rule(struct strbuf *out, const struct figures *x) {
    if (x->f->rule) strbuf_addz(out, x->f->rule);
    return x->f->rule;
}

bool advice_request_fits(const struct failure *f, const struct verdict *v) {
    if (v->contradiction.len || !failure_knows(f, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_LARGEST)) return false;
    return f->number[FAILURE_PER_BANK] <= f->number[FAILURE_LARGEST];
}

static bool figure_fitting(struct strbuf *out, const struct figures *x) {
    return advice_request_fits(x->f, x->v) && number_bytes(out, x->f, FAILURE_LARGEST);
}

static bool figure_count(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_COUNT) && plain(out, x->f->number[FAILURE_COUNT]);
}
static bool figure_count_limit(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_COUNT_LIMIT) && plain(out, x->f->number[FAILURE_COUNT_LIMIT]);
}
static bool figure_seq_len(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_SEQ_LEN) && plain(out, x->f->number[FAILURE_SEQ_LEN]);
}
static bool figure_seq_fits(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_SEQ_FITS) && plain(out, x->f->number[FAILURE_SEQ_FITS]);
}
static bool figure_rss(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_RSS); }
static bool figure_rss_kept(struct strbuf *out, const struct figures *x) { return number_bytes(out, x->f, FAILURE_RSS_KEPT); }

static void add_milli_mb(struct strbuf *out, uint64_t milli) {
    uint64_t tenths = (milli + 50) / 100;
    strbuf_addf(out, "%llu.%llu MB", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
}

/* A size of the trace region is one per bank in tt-metal before 2026-06-22 (abf1dd34b55) and a total since: the log is older,
 * or both are given. */
#define PER_BANK_ERA " (a size per bank, as in all tt-metal before 2026-06-22, which this log is older than)"
#define TOTAL_ERA " (a total, as in tt-metal from 2026-06-22 on; before that a size per bank: "

static void add_from_to(struct strbuf *out, uint64_t now, uint64_t to) {
    strbuf_addz(out, "from ");
    add_milli_mb(out, now);
    strbuf_addz(out, " to ");
    add_milli_mb(out, to + 99); /* not below what it holds */
}

static bool figure_trace_from_to(struct strbuf *out, const struct figures *x) {
    struct advice_gain gain;
    const struct pool_use *trace = &x->context->trace;
    if (!gain_trace(x, &gain)) return false;
    if (!x->context->trace_per_bank) {
        add_from_to(out, trace->size_milli * trace->banks, trace->used_milli * trace->banks);
        strbuf_addz(out, TOTAL_ERA);
    }
    add_from_to(out, trace->size_milli, trace->used_milli);
    strbuf_addz(out, x->context->trace_per_bank ? PER_BANK_ERA : ")");
    return true;
}

/* Settings are plain digits, to be copied. */
static bool add_trace_setting(struct strbuf *out, const struct figures *x, uint64_t per_bank) {
    uint64_t total;
    if (!failure_knows(x->f, FAILURE_BANKS) || !num_mul(per_bank, x->f->number[FAILURE_BANKS], &total)) return false;
    if (!x->context->trace_per_bank) {
        plain(out, total);
        strbuf_addz(out, TOTAL_ERA);
    }
    plain(out, per_bank);
    strbuf_addz(out, x->context->trace_per_bank ? PER_BANK_ERA : ")");
    return true;
}
static bool figure_trace_need(struct strbuf *out, const struct figures *x) {
    return failure_knows(x->f, FAILURE_PER_BANK) && add_trace_setting(out, x, x->f->number[FAILURE_PER_BANK]);
}
/* Including existing traces; 0: unknown. */
static uint64_t trace_with_others(const struct figures *x) {
    const uint64_t *n = x->f->number;
    uint64_t sum;
    bool none = failure_knows(x->f, FAILURE_BANK) && !n[FAILURE_BANK];
    if (!failure_knows(x->f, FAILURE_PER_BANK) || !(none || failure_knows(x->f, FAILURE_ALLOCATED))) return 0;
    return num_add(n[FAILURE_PER_BANK], none ? 0 : n[FAILURE_ALLOCATED], &sum) ? sum : 0;
}
static bool figure_trace_all(struct strbuf *out, const struct figures *x) {
    uint64_t sum = trace_with_others(x);
    return sum && add_trace_setting(out, x, sum);
}
static bool figure_trace_all_bank(struct strbuf *out, const struct figures *x) {
    uint64_t sum = trace_with_others(x);
    if (sum) add_bytes_and_mb(out, sum);
    return sum;
}
static bool figure_trace_others(struct strbuf *out, const struct figures *x) {
    if (!failure_knows(x->f, FAILURE_ALLOCATED) || !x->f->number[FAILURE_ALLOCATED]) return true;
    strbuf_addz(out, ", ");
    add_bytes(out, x->f->number[FAILURE_ALLOCATED]);
    strbuf_addz(out, " of it for traces that are there already");
    return true;
}
static bool figure_trace_sure(struct strbuf *out, const struct figures *x) {
    uint64_t sum;
    if (!failure_knows(x->f, FAILURE_PER_BANK) || !failure_knows(x->f, FAILURE_BANK)) return false;
    if (!num_add(x->f->number[FAILURE_PER_BANK], x->f->number[FAILURE_BANK], &sum)) return false;
    return add_trace_setting(out, x, sum);
}
static bool figure_trace_more(struct strbuf *out, const struct figures *x) {
    return x->v->has_shortfall && add_trace_setting(out, x, x->v->shortfall_bytes);
}

/* What a region of the size in the message takes. */
static bool figure_trace_takes(struct strbuf *out, const struct figures *x) {
    if (!x->context->trace_per_bank) {
        strbuf_addz(out, "Since tt-metal of 2026-06-22 that is a total and takes ");
        figure_trace_cost(out, x);
        strbuf_addz(out, "; before that it was a size per bank and took ");
    } else strbuf_addz(out, "In tt-metal before 2026-06-22, which this log is older than, that is a size per bank and takes ");
    add_bytes(out, x->v->trace_region_size);
    strbuf_addz(out, " of every bank");
    return x->v->trace_region_size > 0;
}
static bool figure_trace_gain(struct strbuf *out, const struct figures *x) {
    add_milli_mb(out, x->context->trace.size_milli - x->context->trace.used_milli);
    return true;
}

/* ", 3.6 x what is missing"; nothing if that is unknown. Separate pieces are not compared with a request that needs one
 * piece. */
static void add_times(struct strbuf *out, const struct advice_gain *gain, const struct failure *f) {
    bool pieces = gain_in_one_piece(f) && gain->piece < gain->space;
    bool joins = gain_in_one_piece(f) && !pieces && gain->piece < gain_missing(f); /* if the largest block is next to it */
    uint64_t missing = pieces ? gain_missing_in_sum(f) : gain_missing(f), tenths;
    if (joins) missing -= f->number[FAILURE_LARGEST] < missing ? f->number[FAILURE_LARGEST] : missing;
    if (!missing) return;
    tenths = gain->space / (missing / 10 ? missing / 10 : 1);
    strbuf_addf(out, ", %llu.%llu x what %s", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10),
                pieces                 ? "is missing in sum"
                : joins                ? "the largest free block lacks"
                : gain_in_one_piece(f) ? "must be free in one piece"
                                       : "is missing");
}
static bool figure_trace_times(struct strbuf *out, const struct figures *x) {
    struct advice_gain gain = {0};
    gain_trace(x, &gain);
    add_times(out, &gain, x->f);
    return true;
}

static bool figure_weights(struct strbuf *out, const struct figures *x) {
    if (!x->context->alive.known || x->context->alive.weight_saved_bytes <= gain_missing(x->f) / 20) return false; /* no help */
    add_bytes_and_mb(out, x->context->alive.weight_bytes);
    return true;
}
static bool figure_weights_saved(struct strbuf *out, const struct figures *x) {
    struct advice_gain gain = {0};
    gain_weights(x, &gain);
    add_bytes_and_mb(out, gain.space);
    add_times(out, &gain, x->f);
    return true;
}
static bool figure_bfp8(struct strbuf *out, const struct figures *x) {
    struct advice_gain gain;
    if (!gain_request_bfp8(x, &gain)) return false;
    add_bytes_and_mb(out, x->context->bfp8_per_bank);
    return true;
}
static bool figure_l1_alive(struct strbuf *out, const struct figures *x) {
    if (!x->context->alive.known || !x->context->alive.bytes) return false;
    add_bytes_and_mb(out, x->context->alive.bytes);
    strbuf_addf(out, " per bank in %zu tensor%s", x->context->alive.tensors, x->context->alive.tensors == 1 ? "" : "s");
    return true;
}

/* Unused L1_SMALL: L1 tensors are below it and move up if it is smaller. */
static bool figure_l1_small_now(struct strbuf *out, const struct figures *x) {
    const struct pool_use *pool = &x->context->l1_small;
    if (!pool->known || !x->v->has_overlap || pool->used_milli >= pool->size_milli) return false;
    uint64_t spare = (pool->size_milli - pool->used_milli - 1) * NUM_MIB / 1000;
    if (spare < x->v->overlap_bytes) return false;
    add_bytes(out, (pool->size_milli * NUM_MIB + 500) / 1000);
    return true;
}

/* The same if the log does not give its size; in practice it is 16 to 64 KiB, so a larger overlap does not fit into it. */
static bool figure_overlap_small(struct strbuf *out, const struct figures *x) {
    return !x->context->l1_small.known && x->v->overlap_bytes <= 65536 && figure_overlap(out, x);
}

/* Where L1_SMALL begins, if circular buffers alone do not reach it: on the chip, else on the smallest chip. */
static bool figure_l1_room(struct strbuf *out, const struct figures *x) {
    enum { USUAL = 65536 };
    const struct pool_use *small = &x->context->l1_small;
    uint64_t l1 = (x->v->chip ? x->v->chip : chip_find(SLICE("grayskull")))->l1_bytes;
    uint64_t reserved = small->known ? (small->size_milli + 1) * NUM_MIB / 1000 : USUAL;
    if (!failure_knows(x->f, FAILURE_REGION_END) || reserved >= l1) return false;
    if (x->f->number[FAILURE_REGION_END] > l1 - reserved) return false;
    return plain(out, l1 - reserved);
}

static bool add_setting(struct strbuf *out, const struct figures *x, enum setting setting) {
    struct setting_words words = setting_of(x->context->product, setting);
    if (words.words) strbuf_addz(out, words.words);
    return words.words;
}
static bool figure_set_trace(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_TRACE_REGION); }
static bool figure_set_l1_small(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_L1_SMALL); }
static bool figure_set_worker_l1(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_WORKER_L1); }
static bool figure_set_weights(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_WEIGHTS); }
static bool figure_set_sequence(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_SEQUENCE); }
static bool figure_set_no_trace(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_NO_TRACE); }
static bool figure_set_const_eval(struct strbuf *out, const struct figures *x) {
    return add_setting(out, x, SETTING_CONST_EVAL);
}
static bool figure_set_kv(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_KV_CACHE); }
static bool figure_set_dram_space(struct strbuf *out, const struct figures *x) {
    return add_setting(out, x, SETTING_DRAM_SPACE);
}
static bool figure_set_accumulate(struct strbuf *out, const struct figures *x) {
    return add_setting(out, x, SETTING_ACCUMULATE);
}
static bool figure_set_optimizer(struct strbuf *out, const struct figures *x) { return add_setting(out, x, SETTING_OPTIMIZER); }

/* On how many cores a bank needs no more than `room`; false if the chip does not have them, or already uses that many. */
static bool spread(struct strbuf *out, const struct figures *x, enum failure_number room, bool sure) {
    const struct failure *f = x->f;
    if (!failure_knows(f, FAILURE_REQUESTED) || !failure_knows(f, room) || !f->number[room]) return false;
    uint64_t cores = num_ceil_div(f->number[FAILURE_REQUESTED], f->number[room]);
    if (cores > advice_most_cores(x) || sure != (cores <= advice_sure_cores(x))) return false;
    if (failure_knows(f, FAILURE_BANKS) && cores <= f->number[FAILURE_BANKS]) return false;
    return plain(out, cores);
}
static bool figure_cores(struct strbuf *out, const struct figures *x) {
    return spread(out, x, FAILURE_BANK, true) || spread(out, x, FAILURE_BANK, false);
}
static bool figure_cores_largest(struct strbuf *out, const struct figures *x) { return spread(out, x, FAILURE_LARGEST, true); }
static bool figure_cores_maybe(struct strbuf *out, const struct figures *x) { return spread(out, x, FAILURE_LARGEST, false); }

/* Free DRAM, from the memory block before the op. */
static bool figure_dram_room(struct strbuf *out, const struct figures *x) {
    const struct pool_use *dram = &x->context->dram;
    if (!dram->known || !dram->has_largest || !dram->banks || dram->largest_milli < 2) return false;
    uint64_t room = (dram->largest_milli - 1) * NUM_MIB / 1000;
    if (!failure_knows(x->f, FAILURE_REQUESTED) || num_ceil_div(x->f->number[FAILURE_REQUESTED], dram->banks) > room)
        return false;
    add_bytes_and_mb(out, num_ceil_div(x->f->number[FAILURE_REQUESTED], dram->banks));
    strbuf_addz(out, " of the ");
    add_milli_mb(out, dram->largest_milli);
    return true;
}

/* Into how many parts the request must be split for the largest block: whole pages, of which the largest is a tile of
 * float32. */
static bool figure_parts(struct strbuf *out, const struct figures *x) {
    const struct failure *f = x->f;
    enum { PAGE = 4096 };
    if (!failure_knows(f, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_LARGEST)) return false;
    if (f->number[FAILURE_LARGEST] <= PAGE) return false;
    uint64_t parts = num_ceil_div(f->number[FAILURE_PER_BANK], f->number[FAILURE_LARGEST] - PAGE);
    return parts <= MOST_PARTS && plain(out, parts);
}
static bool figure_times_largest(struct strbuf *out, const struct figures *x) { return figure_parts(out, x); }

/* What the largest free block lacks. */
static bool figure_piece(struct strbuf *out, const struct figures *x) {
    const uint64_t *n = x->f->number;
    if (!failure_knows(x->f, FAILURE_PER_BANK) || !failure_knows(x->f, FAILURE_LARGEST)) return false;
    if (n[FAILURE_PER_BANK] <= n[FAILURE_LARGEST]) return false;
    add_bytes_and_mb(out, n[FAILURE_PER_BANK] - n[FAILURE_LARGEST]);
    return true;
}
static bool figure_half(struct strbuf *out, const struct figures *x) {
    if (failure_knows(x->f, FAILURE_ALLOCATED)) add_bytes_and_mb(out, x->f->number[FAILURE_ALLOCATED] / 2);
    return failure_knows(x->f, FAILURE_ALLOCATED);
}
static bool figure_padding_saved(struct strbuf *out, const struct figures *x) {
    struct advice_gain gain;
    if (!gain_padding(x, &gain)) return false;
    add_bytes_and_mb(out, gain.request);
    return true;
}

/* A tile of bfloat16 has 2048 bytes, one of bfloat8_b 1088. */
static bool figure_need_bfp8(struct strbuf *out, const struct figures *x) {
    uint64_t bytes;
    if (!failure_knows(x->f, FAILURE_PER_BANK) || !num_mul(x->f->number[FAILURE_PER_BANK], 1088, &bytes)) return false;
    add_bytes_and_mb(out, num_ceil_div(bytes, 2048));
    return true;
}
static bool figure_cache(struct strbuf *out, const struct figures *x) {
    if (!x->context->alive.known || !x->context->alive.cache_saved_bytes) return false;
    add_bytes_and_mb(out, x->context->alive.cache_bytes);
    return true;
}
static bool figure_cache_saved(struct strbuf *out, const struct figures *x) {
    struct advice_gain gain = {0};
    gain_cache(x, &gain);
    add_bytes_and_mb(out, gain.space);
    add_times(out, &gain, x->f);
    return true;
}

/* "kernel reader", as in the message. */
static bool figure_kernel(struct strbuf *out, const struct figures *x) {
    strbuf_addz(out, x->f->subject[0] ? "kernel " : "the kernel");
    utf8_add_printable(out, slice_from(x->f->subject), true);
    return true;
}

/* "/docker/abc", the kernel's name for it. */
static bool figure_cgroup(struct strbuf *out, const struct figures *x) {
    utf8_add_printable(out, slice_from(x->f->cgroup), true);
    return x->f->cgroup[0] != 0;
}

static const struct {
    struct slice name;
    bool (*add)(struct strbuf *out, const struct figures *x);
} figures[] = {
    {SLICE("requested"), figure_requested},
    {SLICE("need"), figure_need},
    {SLICE("trace_need"), figure_trace_need},
    {SLICE("trace_all"), figure_trace_all},
    {SLICE("trace_all_bank"), figure_trace_all_bank},
    {SLICE("trace_others"), figure_trace_others},
    {SLICE("trace_sure"), figure_trace_sure},
    {SLICE("trace_takes"), figure_trace_takes},
    {SLICE("trace_from_to"), figure_trace_from_to},
    {SLICE("bank"), figure_bank},
    {SLICE("banks"), figure_banks},
    {SLICE("free"), figure_free},
    {SLICE("largest"), figure_largest},
    {SLICE("short"), figure_short},
    {SLICE("short_total"), figure_short_total},
    {SLICE("trace_more"), figure_trace_more},
    {SLICE("contradiction"), figure_contradiction},
    {SLICE("allocated"), figure_allocated},
    {SLICE("held"), figure_held},
    {SLICE("placeable"), figure_placeable},
    {SLICE("limit_bytes"), figure_limit_bytes},
    {SLICE("unpadded"), figure_unpadded},
    {SLICE("times"), figure_times},
    {SLICE("cores"), figure_cores},
    {SLICE("overlap"), figure_overlap},
    {SLICE("overlap_small"), figure_overlap_small},
    {SLICE("address"), figure_address},
    {SLICE("end"), figure_end},
    {SLICE("limit"), figure_limit},
    {SLICE("l1_small"), figure_l1_small},
    {SLICE("l1_small_sure"), figure_l1_small_sure},
    {SLICE("l1_core"), figure_l1_core},
    {SLICE("trace"), figure_trace},
    {SLICE("any_dram"), figure_any_dram},
    {SLICE("buffers"), figure_buffers},
    {SLICE("blocks"), figure_blocks},
    {SLICE("rule"), figure_rule},
    {SLICE("fitting"), figure_fitting},
    {SLICE("count"), figure_count},
    {SLICE("count_limit"), figure_count_limit},
    {SLICE("seq_len"), figure_seq_len},
    {SLICE("seq_fits"), figure_seq_fits},
    {SLICE("rss"), figure_rss},
    {SLICE("rss_kept"), figure_rss_kept},
    {SLICE("trace_gain"), figure_trace_gain},
    {SLICE("trace_times"), figure_trace_times},
    {SLICE("parts"), figure_parts},
    {SLICE("weights"), figure_weights},
    {SLICE("weights_saved"), figure_weights_saved},
    {SLICE("bfp8"), figure_bfp8},
    {SLICE("l1_alive"), figure_l1_alive},
    {SLICE("l1_small_now"), figure_l1_small_now},
    {SLICE("set_trace"), figure_set_trace},
    {SLICE("set_l1_small"), figure_set_l1_small},
    {SLICE("set_worker_l1"), figure_set_worker_l1},
    {SLICE("set_weights"), figure_set_weights},
    {SLICE("set_sequence"), figure_set_sequence},
    {SLICE("set_no_trace"), figure_set_no_trace},
    {SLICE("set_optimizer"), figure_set_optimizer},
    {SLICE("cores_largest"), figure_cores_largest},
    {SLICE("cores_maybe"), figure_cores_maybe},
    {SLICE("dram_room"), figure_dram_room},
    {SLICE("l1_room"), figure_l1_room},
    {SLICE("set_const_eval"), figure_set_const_eval},
    {SLICE("set_kv"), figure_set_kv},
    {SLICE("set_dram_space"), figure_set_dram_space},
    {SLICE("set_accumulate"), figure_set_accumulate},
    {SLICE("times_largest"), figure_times_largest},
    {SLICE("piece"), figure_piece},
    {SLICE("half"), figure_half},
    {SLICE("padding_saved"), figure_padding_saved},
    {SLICE("need_bfp8"), figure_need_bfp8},
    {SLICE("cache"), figure_cache},
    {SLICE("cache_saved"), figure_cache_saved},
    {SLICE("kernel"), figure_kernel},
    {SLICE("cgroup"), figure_cgroup},
};

bool advice_has_figure(struct slice name) {
    static const struct failure nothing = {.kind = FAILURE_OOM};
    static const struct failure_context no_context = {0};
    static const struct verdict no_verdict = {0};
    const struct figures x = {&nothing, &no_context, &no_verdict};
    bool holds, found = advice_condition(name, &x, &holds);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) found |= slice_equal(name, figures[i].name);
    return found || (slice_starts(name, SLICE("no_")) && advice_has_figure(slice_skip(name, 3)));
}

bool advice_figure(struct strbuf *out, struct slice name, const struct figures *x) {
    bool holds;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (slice_equal(name, figures[i].name)) return figures[i].add(out, x);
    if (advice_condition(name, x, &holds)) return holds;
    struct slice no = SLICE("no_"); /* before any figure: it must be unknown */
    assert(slice_starts(name, no) && "a row names a figure that is not in the table");
    struct strbuf ignored = {0};
    holds = slice_starts(name, no) && !advice_figure(&ignored, slice_skip(name, no.len), x);
    strbuf_release(&ignored);
    return holds;
}
