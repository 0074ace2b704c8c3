/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/advice_rows.h"

#include <assert.h>

#include "analysis/failure/advice.h"
#include "base/amounts.h"
#include "base/num.h"
#include "base/strbuf.h"

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
/* More cores than the chip has are no advice; where the chip is not known, as many as any has. */
static bool figure_cores(struct strbuf *out, const struct figures *x) {
    const struct failure *f = x->f;
    uint64_t most = 0;
    if (!failure_knows(f, FAILURE_REQUESTED) || !failure_knows(f, FAILURE_BANK) || !f->number[FAILURE_BANK]) return false;
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        if (x->v->chip && strcmp(chip->arch, x->v->chip->arch) != 0) continue;
        for (unsigned i = 0; i < CHIP_L1_BANK_COUNTS; i++)
            if (chip->l1_bank_counts[i] > most) most = chip->l1_bank_counts[i];
    }
    uint64_t cores = num_ceil_div(f->number[FAILURE_REQUESTED], f->number[FAILURE_BANK]);
    return cores <= most && plain(out, cores);
}
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

/* What the log tells about the trace region, where making it as small as what it holds gives enough: a block as large as the
 * request, or enough for the only free block. */
static bool trace_gain(const struct figures *x, uint64_t *gain_bytes, uint64_t *missing) {
    const struct failure_context *c = x->context;
    const uint64_t *n = x->f->number;
    if (!c->has_trace || c->trace_used_milli >= c->trace_milli || !failure_knows(x->f, FAILURE_PER_BANK)) return false;
    uint64_t need = n[FAILURE_PER_BANK], gain = c->trace_milli - c->trace_used_milli;
    if (gain < 2 || gain > UINT32_MAX) return false;
    *gain_bytes = (gain - 1) * NUM_MIB / 1000; /* both were rounded */
    bool whole =
        failure_knows(x->f, FAILURE_FREE) && failure_knows(x->f, FAILURE_LARGEST) && n[FAILURE_FREE] == n[FAILURE_LARGEST];
    *missing = whole && need > n[FAILURE_LARGEST] ? need - n[FAILURE_LARGEST] : need;
    return *gain_bytes >= *missing;
}

static void add_milli_mb(struct strbuf *out, uint64_t milli) {
    uint64_t tenths = (milli + 50) / 100;
    strbuf_addf(out, "%llu.%llu MB", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
}

static bool figure_trace_now(struct strbuf *out, const struct figures *x) {
    uint64_t gain, missing;
    if (!trace_gain(x, &gain, &missing)) return false;
    add_milli_mb(out, x->context->trace_milli * x->context->trace_banks);
    return true;
}
static bool figure_trace_to(struct strbuf *out, const struct figures *x) {
    add_milli_mb(out, x->context->trace_used_milli * x->context->trace_banks + 99); /* not below what it holds */
    return true;
}
static bool figure_trace_gain(struct strbuf *out, const struct figures *x) {
    add_milli_mb(out, x->context->trace_milli - x->context->trace_used_milli);
    return true;
}
static bool figure_trace_times(struct strbuf *out, const struct figures *x) {
    uint64_t gain, missing;
    if (!trace_gain(x, &gain, &missing) || !missing) return false;
    uint64_t tenths = gain / (missing / 10 ? missing / 10 : 1);
    strbuf_addf(out, "%llu.%llu", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
    return true;
}

/* In how many parts the largest block holds the request. */
static bool figure_parts(struct strbuf *out, const struct figures *x) {
    const struct failure *f = x->f;
    if (!failure_knows(f, FAILURE_PER_BANK) || !failure_knows(f, FAILURE_LARGEST) || !f->number[FAILURE_LARGEST]) return false;
    return plain(out, num_ceil_div(f->number[FAILURE_PER_BANK], f->number[FAILURE_LARGEST]));
}

/* Conditions: figures without a text. */
static bool figure_may_trace(struct strbuf *out, const struct figures *x) {
    (void)out;
    uint64_t gain, missing;
    bool none = x->context->has_trace && x->context->trace_used_milli >= x->context->trace_milli;
    return !none && !trace_gain(x, &gain, &missing);
}
static bool figure_with_statistics(struct strbuf *out, const struct figures *x) {
    (void)out;
    return failure_knows(x->f, FAILURE_LARGEST);
}
static bool figure_without_statistics(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !failure_knows(x->f, FAILURE_LARGEST);
}
static bool figure_l1_tensors(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !failure_knows(x->f, FAILURE_ALLOCATED) || x->f->number[FAILURE_ALLOCATED] > 0;
}
static bool figure_no_short(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !x->v->has_shortfall;
}
static bool is_ethernet(const struct failure *f) { return slice_find(slice_from(f->core_range), SLICE("ETH")) != SLICE_NONE; }
static bool figure_ethernet(struct strbuf *out, const struct figures *x) {
    (void)out;
    return is_ethernet(x->f);
}
static bool figure_not_ethernet(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !is_ethernet(x->f);
}
static bool figure_no_rss(struct strbuf *out, const struct figures *x) {
    (void)out;
    return !failure_knows(x->f, FAILURE_RSS);
}
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
    {"ethernet", figure_ethernet},
    {"not_ethernet", figure_not_ethernet},
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
    {"count", figure_count},
    {"count_limit", figure_count_limit},
    {"seq_len", figure_seq_len},
    {"seq_fits", figure_seq_fits},
    {"rss", figure_rss},
    {"no_short", figure_no_short},
    {"trace_now", figure_trace_now},
    {"trace_to", figure_trace_to},
    {"trace_gain", figure_trace_gain},
    {"trace_times", figure_trace_times},
    {"parts", figure_parts},
    {"may_trace", figure_may_trace},
    {"l1_tensors", figure_l1_tensors},
    {"with_statistics", figure_with_statistics},
    {"without_statistics", figure_without_statistics},
    {"no_rss", figure_no_rss},
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

static bool op_fits(const char *ops, struct slice op) {
    for (const char *word = ops; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
        if (slice_find(op, slice_of(word, strcspn(word, "|"))) != SLICE_NONE) return true;
    return false;
}

static bool row_fits(const struct advice_row *row, const struct failure *f, const struct failure_context *context,
                     const struct verdict *v) {
    if (!(row->verdicts >> v->kind & 1) || !(row->pools >> f->pool & 1)) return false;
    if (row->kinds && !(row->kinds >> f->kind & 1)) return false;
    if (row->phases && !(row->phases >> context->phase & 1)) return false;
    return !row->ops || op_fits(row->ops, context->op);
}

void advice_add(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *v) {
    bool enough = false;
    for (const struct advice_row *row = advice_rows; row->text && v->advice_len < VERDICT_ADVICE_MAX; row++) {
        if (!row_fits(row, f, context, v)) continue;
        if (v->contradiction.len && v->advice_len && f->kind != FAILURE_OOM) break; /* the rest is about running out */
        bool added = advice_fill(row->text, f, context, arena, v, &v->advice[v->advice_len]);
        if (added && row->enough && !enough) v->sufficient = v->advice_len, enough = true;
        v->advice_len += added;
    }
    if (!enough) v->sufficient = v->advice_len;
}
