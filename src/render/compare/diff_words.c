/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analysis/compare/diff_parts.h"
#include "analysis/compare/measures.h"
#include "analysis/rules/computed.h"
#include "base/num.h"
#include "base/amounts.h"
#include "render/compare/diff.h"
#include "render/format/short_location.h"

enum { NAMES_SHOWN = 6 };

static const struct footprint_tensor *shown_tensor(const struct diff *d, const struct diff_tensor *row,
                                                   const struct footprint **of) {
    *of = row->b != NONE ? d->b : d->a;
    return row->b != NONE ? &d->b->tensors.items[row->b] : &d->a->tensors.items[row->a];
}

void diff_tensor_title(struct strbuf *out, const struct diff *d, const struct diff_tensor *row) {
    const struct footprint *f;
    const struct footprint_tensor *t = shown_tensor(d, row, &f);
    if (t->kind == NONE) {
        strbuf_add(out, t->name ? footprint_text(f, t->name) : SLICE("argument"));
        return;
    }
    const struct footprint_kind *kind = &f->kinds.items[t->kind];
    if (t->op != NONE) strbuf_addf(out, "#%u ", t->op);
    strbuf_add(out, footprint_text(f, kind->name));
    /* for some buffers it is unknown, and others are not results */
    if (t->result && t->result != UINT16_MAX && !computed_has((enum live_class)t->class)) strbuf_addf(out, ":%u", t->result);
    if (kind->location) strbuf_addz(out, "  ");
    short_location(out, footprint_text(f, kind->location));
}

static struct slice or_dash(struct slice s) { return s.len ? s : SLICE("-"); }

static void add_change(struct strbuf *out, struct slice from, struct slice to, const char *arrow) {
    strbuf_add(out, or_dash(from));
    strbuf_addz(out, arrow);
    strbuf_add(out, or_dash(to));
}

static void add_shape(struct strbuf *out, const struct footprint *f, const struct footprint_type *type) {
    strbuf_add(out, type->shape ? footprint_text(f, type->shape) : SLICE("scalar"));
    strbuf_addc(out, ' ');
    strbuf_add(out, footprint_text(f, type->dtype));
}

static void add_padding(struct strbuf *out, const struct footprint_type *type) {
    add_percent(out, (int64_t)footprint_padding(type), type->logical_bytes);
}

static void add_type_change(struct strbuf *out, const struct diff *d, const struct footprint_type *from,
                            const struct footprint_type *to, enum diff_cause cause, const char *arrow) {
    switch (cause) {
        case CAUSE_DTYPE:
            add_change(out, footprint_text(d->a, from->dtype), footprint_text(d->b, to->dtype), arrow);
            break;
        case CAUSE_LAYOUT:
            add_change(out, footprint_text(d->a, from->layout), footprint_text(d->b, to->layout), arrow);
            break;
        case CAUSE_GRID:
            add_change(out, footprint_text(d->a, from->grid), footprint_text(d->b, to->grid), arrow);
            break;
        case CAUSE_PADDING:
            add_padding(out, from);
            strbuf_addz(out, arrow);
            add_padding(out, to);
            break;
        case CAUSE_BANKS:
            add_shape(out, d->b, to);
            break;
        default:
            add_change(out, footprint_text(d->a, from->shape), footprint_text(d->b, to->shape), arrow);
    }
}

/* A tensor of one peak that the other run makes in another size: what differs. */
static void add_other_type(struct strbuf *out, const struct diff *d, const struct diff_tensor *row, uint32_t own,
                           const char *arrow) {
    struct diff_tensor split = {0};
    uint32_t a = row->a == NONE ? row->other_type : own, b = row->a == NONE ? own : row->other_type;
    if (a >= d->a->types.len || b >= d->b->types.len) return;
    const struct footprint_type *from = &d->a->types.items[a], *to = &d->b->types.items[b];
    if (from->per_bank_bytes == to->per_bank_bytes) return;
    diff_split(d->a, from, d->b, to, false, split.by_cause);
    enum diff_cause cause = diff_main_cause(&split);
    strbuf_addz(out, ", ");
    add_type_change(out, d, from, to, cause, arrow);
}

void diff_tensor_change(struct strbuf *out, const struct diff *d, const struct diff_tensor *row, enum diff_cause cause,
                        const char *arrow) {
    const struct footprint *f;
    const struct footprint_tensor *t = shown_tensor(d, row, &f);
    if (t->type >= f->types.len) return;
    if (row->a == NONE || row->b == NONE) {
        add_shape(out, f, &f->types.items[t->type]);
        add_other_type(out, d, row, t->type, arrow);
        return;
    }
    const uint32_t from = d->a->tensors.items[row->a].type, to = d->b->tensors.items[row->b].type;
    if (from >= d->a->types.len || to >= d->b->types.len) return;
    add_type_change(out, d, &d->a->types.items[from], &d->b->types.items[to], cause, arrow);
}

static void add_names(struct strbuf *out, const struct footprint *f, const uint32_t *ops, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end && i < begin + NAMES_SHOWN; i++) {
        if (i > begin) strbuf_addz(out, ", ");
        strbuf_add(out, footprint_op_name(f, ops[i]));
    }
    if (end - begin > NAMES_SHOWN) strbuf_addf(out, " and %u more", end - begin - NAMES_SHOWN);
}

void diff_rewrite_text(struct strbuf *out, const struct diff *d, const struct diff_rewrite *rewrite, const char *arrow) {
    const struct diff_hunk *hunk = &d->hunks.items[rewrite->hunk];
    bool removes = hunk->a < hunk->a_end, adds = hunk->b < hunk->b_end;
    if (!adds) strbuf_addz(out, "- ");
    if (!removes) strbuf_addz(out, "+ ");
    add_names(out, d->a, d->a_ops.items, hunk->a, hunk->a_end);
    if (removes && adds) strbuf_addz(out, arrow);
    add_names(out, d->b, d->b_ops.items, hunk->b, hunk->b_end);
}

void diff_row_causes(struct strbuf *out, const struct diff_tensor *row) {
    struct diff_tensor left = *row;
    enum diff_cause cause = diff_main_cause(row);
    strbuf_addz(out, diff_cause_words[cause]);
    for (left.by_cause[cause] = 0; left.by_cause[cause = diff_main_cause(&left)]; left.by_cause[cause] = 0)
        strbuf_addf(out, ", %s", diff_cause_words[cause]);
}

bool diff_unreached_words(struct strbuf *out, const struct diff *d, bool of_second) {
    uint64_t count = d->unreached[of_second];
    if (!count) return false;
    const struct footprint *f = of_second ? d->b : d->a;
    uint32_t op = (of_second ? d->b_ops.items : d->a_ops.items)[d->unreached_at[of_second]];
    add_grouped(out, count);
    strbuf_addf(out, " %s only in the %s run, from #%u ", count == 1 ? "op" : "ops", of_second ? "second" : "first", op);
    strbuf_add(out, footprint_op_name(f, op));
    strbuf_addf(out, " on: the %s run ended before", of_second ? "first" : "second");
    return true;
}

void diff_move_text(struct strbuf *out, const struct diff *d, const struct diff_move *move) {
    strbuf_addz(out, "moved ");
    strbuf_add(out, footprint_op_name(d->b, d->b_ops.items[move->b]));
}

const char *diff_class_words(const struct diff_part *part) {
    return part->class < LIVE_CLASS_COUNT ? live_class_names[part->class] : "all";
}

bool diff_failure_words(struct strbuf *out, const struct diff *d, bool of_second) {
    const struct footprint *f = of_second ? d->b : d->a;
    const struct footprint_failure *first;
    size_t count = footprint_failures(f, &first);
    if (!count) return false;
    strbuf_add(out, footprint_text(f, first->title));
    if (first->line) strbuf_addf(out, " at line %u", first->line);
    if (first->op != NONE) {
        struct slice place = footprint_op_location(f, first->op);
        strbuf_addf(out, ", in #%u ", first->op);
        strbuf_add(out, footprint_op_name(f, first->op));
        if (place.len) strbuf_addz(out, "  ");
        short_location(out, place);
    }
    if (count > 1) strbuf_addf(out, " and %zu more", count - 1);
    return true;
}

/* For the program whose passes leave most behind; thousandths of a MB. */
static bool worst_growth(const struct footprint *f, int64_t *growth) {
    struct measure_value value = measure_read(measure_find(SLICE("growth_per_pass")), f);
    *growth = value.value < 0 ? -num_bytes_to_milli_mb((uint64_t)-value.value) : num_bytes_to_milli_mb((uint64_t)value.value);
    return value.known;
}

const char *diff_unit(const struct diff *d, enum pool pool) {
    return d->a->pools[pool].per_core || d->b->pools[pool].per_core ? "core" : "bank";
}

void diff_peak(struct strbuf *out, const struct footprint_pool *pool) {
    if (pool->seen && footprint_peak_at_least(pool)) strbuf_addz(out, "at least ");
    add_milli(out, pool->peak, 3);
}

const char *diff_bound_words(const struct footprint_pool *pool) {
    if (!pool->seen || !footprint_peak_at_least(pool)) return NULL;
    return peak_bound_words(&(struct peak){.source = pool->source,
                                           .total = pool->total,
                                           .at_least = true,
                                           .unread = pool->unread,
                                           .unspread = pool->unspread,
                                           .of_thread = pool->of_thread,
                                           .early = pool->early,
                                           .at_submits = pool->submits,
                                           .gaps = pool->sparse && !pool->submits,
                                           .of_bounds = pool->bounded && !pool->sparse});
}

bool diff_growth_words(struct strbuf *out, const struct diff *d, const char *arrow) {
    int64_t a, b;
    if (!worst_growth(d->a, &a) || !worst_growth(d->b, &b) || a == b) return false;
    strbuf_addz(out, "DRAM that every repetition leaves behind ");
    add_milli(out, a, 3);
    strbuf_addz(out, arrow);
    add_milli(out, b, 3);
    strbuf_addz(out, " MB per bank");
    return true;
}

bool diff_host_words(struct strbuf *out, const struct diff *d, const char *arrow) {
    static const char *const words[FOOTPRINT_HOST_COUNT] = {"peak ", "at the end ", "per pass ", "huge pages "};
    bool any = false;
    for (unsigned i = 0; i < FOOTPRINT_HOST_COUNT; i++) {
        const struct footprint_host_figure *a = &d->a->host[i], *b = &d->b->host[i];
        if (!a->known || !b->known || a->bytes == b->bytes) continue;
        strbuf_addz(out, any ? ", " : "");
        strbuf_addz(out, words[i]);
        add_milli(out, num_bytes_to_milli_mb((uint64_t)a->bytes), 3);
        strbuf_addz(out, arrow);
        add_milli(out, num_bytes_to_milli_mb((uint64_t)b->bytes), 3);
        strbuf_addz(out, " MB");
        any = true;
    }
    return any;
}

/* "12 x 1022.169 MB"; a run without memory blocks may give only the number of banks, or nothing. */
static void add_banks(struct strbuf *out, const struct footprint_pool *pool) {
    if (pool->banks) strbuf_addf(out, pool->total ? "%u x " : "%u banks of unknown size", pool->banks);
    if (!pool->total) {
        if (!pool->banks) strbuf_addz(out, "not known");
        return;
    }
    add_milli(out, pool->total, 3);
    strbuf_addz(out, " MB");
}

bool diff_config_words(struct strbuf *out, const struct diff *d, enum pool pool, const char *arrow) {
    const struct footprint_pool *a = &d->a->pools[pool], *b = &d->b->pools[pool];
    if (!a->seen || !b->seen || (a->banks == b->banks && a->total == b->total)) return false;
    strbuf_addf(out, "%s ", pool_names[pool]);
    add_banks(out, a);
    strbuf_addz(out, arrow);
    add_banks(out, b);
    return true;
}

bool diff_pass_words(struct strbuf *out, const struct diff *d, bool of_second) {
    const struct footprint *f = of_second ? d->b : d->a;
    const struct footprint_pass *pass = &f->pass;
    if (!pass->number) return false;
    strbuf_addf(out, "%u of %u, ", pass->number, pass->of);
    strbuf_add(out, footprint_text(f, pass->program));
    if (pass->first_op < pass->end_op) strbuf_addf(out, ", #%u to #%u", pass->first_op, pass->end_op - 1);
    if (pass->start != NONE) strbuf_addf(out, ", DRAM %s MB per bank as it starts", figure_milli(pass->start, 3).text);
    if (pass->start != NONE && pass->end != NONE)
        strbuf_addf(out, ", %s before the op after it", figure_milli(pass->end, 3).text);
    return true;
}

static void add_rank_name(struct strbuf *out, const struct footprint *f, uint32_t rank) {
    struct slice name = rank < f->ranks.len ? footprint_text(f, f->ranks.items[rank]) : slice_of("", 0);
    strbuf_add(out, name.len ? name : f->ranks.len > 1 ? SLICE("untagged") : SLICE("one process"));
}

/* "rank 0", or "rank 0 -> 1,0" if the two have different names. */
static void add_rank_pair(struct strbuf *out, const struct diff *d, uint32_t a, uint32_t b, const char *arrow) {
    struct strbuf before = {0}, after = {0};
    add_rank_name(&before, d->a, a);
    add_rank_name(&after, d->b, b);
    strbuf_addz(out, "rank ");
    strbuf_add(out, strbuf_slice(&before));
    if (!slice_equal(strbuf_slice(&before), strbuf_slice(&after))) {
        strbuf_addz(out, arrow);
        strbuf_add(out, strbuf_slice(&after));
    }
    strbuf_release(&before);
    strbuf_release(&after);
}

bool diff_ranks_words(struct strbuf *out, const struct diff *d, const char *arrow) {
    size_t a = d->a->rank_peaks.len, b = d->b->rank_peaks.len;
    if (d->a->only_rank || d->b->only_rank || (a < 2 && b < 2)) return false;
    if (a != b) strbuf_addf(out, "%zu%s%zu ranks; ", a, arrow, b);
    struct diff_rank *rows;
    if (!diff_by_rank(d, &rows))
        strbuf_addz(out, a == b ? "not rank by rank, as their tags differ; " : "not rank by rank, as these differ; ");
    free(rows);
    const struct footprint_pool *before = &d->a->pools[POOL_DRAM], *after = &d->b->pools[POOL_DRAM];
    if (before->seen && after->seen) {
        strbuf_addz(out, "highest DRAM peak of ");
        add_rank_pair(out, d, before->rank, after->rank, arrow);
    }
    if (d->has_ops) strbuf_addz(out, before->seen && after->seen ? ", ops of " : "ops of ");
    if (d->has_ops) add_rank_pair(out, d, d->a_rank, d->b_rank, arrow);
    return true;
}

void diff_percent(struct strbuf *out, const struct diff *d, enum pool pool) {
    if (!d->a->pools[pool].peak && d->pools[pool].difference) return;
    if (d->pools[pool].difference > 0) strbuf_addc(out, '+');
    add_percent(out, d->pools[pool].difference, (uint64_t)num_milli_mb_to_bytes(d->a->pools[pool].peak));
}

/* The part that explains most of the difference, in the same direction. NULL if the rest is larger. */
static const struct diff_part *main_part(const struct diff_pool *pool) {
    for (size_t i = 0; i < pool->parts.len; i++) {
        const struct diff_part *part = &pool->parts.items[i];
        if ((part->bytes > 0) != (pool->difference > 0)) continue;
        return llabs(pool->rest) > llabs(part->bytes) ? NULL : part;
    }
    return NULL;
}

static void add_bound(struct strbuf *out, const struct diff *d) {
    bool a = footprint_peak_at_least(&d->a->pools[POOL_DRAM]), b = footprint_peak_at_least(&d->b->pools[POOL_DRAM]);
    if (a || b)
        strbuf_addz(out, a && b ? " (lower bounds)" : a ? " (the first is a lower bound)" : " (the second is a lower bound)");
}

static void peak_headline(struct strbuf *out, const struct diff *d) {
    const struct diff_pool *dram = &d->pools[POOL_DRAM];
    if (!dram->seen) {
        strbuf_addz(out, "DRAM peaks are not known in both runs");
        return;
    }
    if (!dram->difference) {
        strbuf_addz(out, "DRAM peak unchanged");
        add_bound(out, d);
        return;
    }
    strbuf_addz(out, "DRAM peak ");
    add_log_size(out, dram->difference, true);
    strbuf_addz(out, " per bank");
    if (d->a->pools[POOL_DRAM].peak) {
        strbuf_addz(out, " (");
        diff_percent(out, d, POOL_DRAM);
        strbuf_addc(out, ')');
    }
    add_bound(out, d);
    if (!dram->has_live) return;
    const struct diff_part *part = main_part(dram);
    if (part) strbuf_addf(out, ", mostly %s: %s", diff_class_words(part), diff_cause_words[part->cause]);
    else strbuf_addz(out, ", mostly unexplained");
}

void diff_headline(struct strbuf *out, const struct diff *d) {
    const struct footprint_failure *first;
    bool before = footprint_failures(d->a, &first) > 0, after = footprint_failures(d->b, &first) > 0;
    if (after && !before) {
        strbuf_addz(out, "New memory failure: ");
        strbuf_add(out, footprint_text(d->b, first->title));
        strbuf_addz(out, "; ");
    }
    if (before && !after) strbuf_addz(out, "No memory failure now; ");
    peak_headline(out, d);
}

static const struct footprint_type *type_of(const struct footprint *f, uint32_t op) {
    uint32_t type = f->kinds.items[f->ops.items[op].kind].type;
    return type < f->types.len ? &f->types.items[type] : NULL;
}

/* Its type, and its layout if that is what changed. */
static void add_type(struct strbuf *out, const struct footprint *f, const struct footprint_type *type, bool laid_out) {
    if (!type) {
        strbuf_addz(out, "nothing");
        return;
    }
    add_shape(out, f, type);
    if (!laid_out) return;
    strbuf_addf(out, " in %s ", type->pool < POOL_COUNT ? pool_names[type->pool] : "host memory");
    strbuf_add(out, footprint_text(f, type->layout));
    strbuf_addc(out, ' ');
    strbuf_add(out, footprint_text(f, type->grid));
}

void diff_retype_text(struct strbuf *out, const struct diff *d, const struct diff_retype *retype, const char *arrow) {
    uint32_t before = d->a_ops.items[retype->a], after = d->b_ops.items[retype->b];
    const struct footprint_type *from = type_of(d->a, before), *to = type_of(d->b, after);
    bool same = from && to && slice_equal(footprint_text(d->a, from->shape), footprint_text(d->b, to->shape)) &&
                slice_equal(footprint_text(d->a, from->dtype), footprint_text(d->b, to->dtype));
    strbuf_add(out, footprint_text(d->b, d->b->kinds.items[d->b->ops.items[after].kind].name));
    strbuf_addc(out, ' ');
    add_type(out, d->a, from, same);
    strbuf_addz(out, arrow);
    add_type(out, d->b, to, same);
}

static int larger_change_first(const void *x, const void *y) {
    const struct diff_rank *p = x, *q = y;
    int64_t m = (int64_t)p->b - p->a, n = (int64_t)q->b - q->a;
    if (m < 0) m = -m;
    if (n < 0) n = -n;
    return m != n ? (m < n ? 1 : -1) : p->rank < q->rank ? -1 : p->rank > q->rank;
}

static const struct footprint_rank *peaks_of(const struct footprint *f, uint32_t rank) {
    for (size_t i = 0; i < f->rank_peaks.len; i++)
        if (f->rank_peaks.items[i].rank == rank) return &f->rank_peaks.items[i];
    return NULL;
}

size_t diff_by_rank(const struct diff *d, struct diff_rank **rows) {
    size_t count = d->b->rank_peaks.len;
    *rows = mem_zalloc(count + 1, sizeof **rows);
    if (count < 2 || d->a->rank_peaks.len != count) return 0;
    for (size_t i = 0; i < count; i++) {
        const struct footprint_rank *b = &d->b->rank_peaks.items[i];
        uint32_t like = footprint_rank_like(d->a, d->b, b->rank);
        const struct footprint_rank *a = like == NONE ? NULL : peaks_of(d->a, like);
        if (!a || !(a->seen & b->seen & 1u << POOL_DRAM)) return 0;
        (*rows)[i] = (struct diff_rank){.rank = b->rank,
                                        .a_name = d->a->ranks.items[a->rank],
                                        .name = d->b->ranks.items[b->rank],
                                        .a = a->peak[POOL_DRAM],
                                        .b = b->peak[POOL_DRAM],
                                        .a_bound = a->bound >> POOL_DRAM & 1,
                                        .b_bound = b->bound >> POOL_DRAM & 1};
    }
    qsort(*rows, count, sizeof **rows, larger_change_first);
    return count;
}

void diff_rank_name(struct strbuf *out, const struct diff *d, const struct diff_rank *row, const char *arrow) {
    struct slice before = footprint_text(d->a, row->a_name), after = footprint_text(d->b, row->name);
    strbuf_add(out, before.len ? before : SLICE("untagged"));
    if (slice_equal(before, after)) return;
    strbuf_addz(out, arrow);
    strbuf_add(out, after.len ? after : SLICE("untagged"));
}
