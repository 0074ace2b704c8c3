/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"
#include "base/amounts.h"
#include "render/compare/budget.h"
#include "render/compare/diff_fold.h"
#include "render/format/predicted.h"
#include "render/format/short_location.h"

enum { PARTS_SHOWN = 8, TENSORS_SHOWN = 8, REWRITES_SHOWN = 6, RETYPES_SHOWN = 20, MOVES_SHOWN = 3, LABEL = 16 };

struct diff_sheet {
    struct strbuf *out;
    const struct term *term;
    const struct diff *d;
    const char *arrow;
    const struct diff_request *request;
};

static void pad_to(struct strbuf *out, size_t start, size_t width) {
    size_t used = utf8_width(slice_of(out->data + start, out->len - start));
    strbuf_fill(out, ' ', used < width ? width - used : 1);
}

static void label(struct diff_sheet *p, const char *text) {
    size_t start = p->out->len;
    strbuf_addz(p->out, "  ");
    strbuf_addz(p->out, text);
    pad_to(p->out, start, LABEL);
}

static void right(struct diff_sheet *p, struct strbuf *cell, size_t width) {
    strbuf_fill(p->out, ' ', cell->len < width ? width - cell->len : 0);
    strbuf_add(p->out, strbuf_slice(cell));
    strbuf_clear(cell);
}

static void left_out(struct diff_sheet *p, size_t count, size_t shown, const char *what) {
    if (count > shown)
        strbuf_addf(p->out, "    ... and %s more%s; --limit 0 lists all\n", figure_grouped(count - shown).text, what);
}

static void add_toned_size(struct diff_sheet *p, int64_t bytes, size_t width) {
    struct strbuf cell = {0};
    add_log_size(&cell, bytes, true);
    strbuf_fill(p->out, ' ', cell.len < width ? width - cell.len : 0);
    if (bytes) term_tone(p->out, p->term, bytes > 0 ? TONE_WARN : TONE_GOOD);
    strbuf_add(p->out, strbuf_slice(&cell));
    if (bytes) term_tone(p->out, p->term, TONE_PLAIN);
    strbuf_release(&cell);
}

static void safe(struct diff_sheet *p, const struct strbuf *raw, size_t width) {
    term_text(p->out, p->term, strbuf_slice(raw), width);
}

/* A separate line for raw words, which are cleared. */
static void note(struct diff_sheet *p, const char *name, struct strbuf *words) {
    label(p, name);
    safe(p, words, 0);
    strbuf_addc(p->out, '\n');
    strbuf_clear(words);
}

static void pass_lines(struct diff_sheet *p) {
    struct strbuf text = {0};
    for (unsigned second = 0; second < 2; second++)
        if (diff_pass_words(&text, p->d, second)) note(p, "pass", &text);
    strbuf_release(&text);
}

static void failure_lines(struct diff_sheet *p) {
    struct strbuf text = {0};
    for (unsigned second = 0; second < 2; second++) {
        if (!diff_failure_words(&text, p->d, second)) continue;
        term_tone(p->out, p->term, second ? TONE_BAD : TONE_WARN);
        label(p, second ? "failed" : "failed before");
        term_tone(p->out, p->term, TONE_PLAIN);
        safe(p, &text, 0);
        strbuf_addc(p->out, '\n');
        strbuf_clear(&text);
    }
    strbuf_release(&text);
}

static void config_lines(struct diff_sheet *p) {
    struct strbuf text = {0};
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct footprint_pool *a = &p->d->a->pools[pool], *b = &p->d->b->pools[pool];
        if (a->seen != b->seen) {
            label(p, pool_names[pool]);
            strbuf_addf(p->out, "known only in the %s run\n", a->seen ? "first" : "second");
            continue;
        }
        if (diff_config_words(&text, p->d, (enum pool)pool, p->arrow)) note(p, "config", &text);
    }
    if (diff_ranks_words(&text, p->d, p->arrow)) note(p, "of ranks", &text);
    strbuf_release(&text);
}

static void part_lines(struct diff_sheet *p, const struct diff_pool *pool) {
    struct strbuf text = {0};
    int64_t left = 0;
    size_t more = 0, shown = diff_shown(p->request, pool->parts.len, PARTS_SHOWN);
    for (size_t i = 0; i < pool->parts.len; i++) {
        const struct diff_part *part = &pool->parts.items[i];
        if (!part->bytes) continue;
        if (i >= shown) {
            left += part->bytes;
            more++;
            continue;
        }
        size_t start = p->out->len;
        strbuf_addf(p->out, "    %s: %s", diff_class_words(part), diff_cause_words[part->cause]);
        pad_to(p->out, start, 40);
        add_toned_size(p, part->bytes, 14);
        strbuf_addf(p->out, "  %4u %s  ", part->tensors, part->tensors == 1 ? "tensor " : "tensors");
        const struct diff_tensor *row = &pool->tensors.items[part->row];
        diff_tensor_change(&text, p->d, row, part->cause, p->arrow);
        strbuf_addz(&text, "  ");
        diff_tensor_title(&text, p->d, row);
        safe(p, &text, 100);
        strbuf_clear(&text);
        strbuf_addc(p->out, '\n');
    }
    if (more) {
        size_t start = p->out->len;
        strbuf_addf(p->out, "    %zu smaller parts", more);
        pad_to(p->out, start, 40);
        add_toned_size(p, left, 14);
        strbuf_addc(p->out, '\n');
    }
    if (pool->has_live && (pool->rest || pool->parts.len)) {
        size_t start = p->out->len;
        strbuf_addz(p->out, "    unexplained");
        pad_to(p->out, start, 40);
        add_toned_size(p, pool->rest, 14);
        if (!pool->exact && pool->rest && pool->rest <= DIFF_ROUNDING_BYTES && pool->rest >= -DIFF_ROUNDING_BYTES)
            strbuf_addz(p->out, "  within the rounding of the log");
        strbuf_addc(p->out, '\n');
    }
    strbuf_release(&text);
}

static void pool_lines(struct diff_sheet *p, enum pool which) {
    const struct diff_pool *pool = &p->d->pools[which];
    const struct footprint_pool *a = &p->d->a->pools[which], *b = &p->d->b->pools[which];
    if (!pool->seen || (which >= POOL_L1_SMALL && !a->peak && !b->peak)) return;
    struct strbuf cell = {0};
    term_tone(p->out, p->term, TONE_BOLD);
    label(p, pool_names[which]);
    term_tone(p->out, p->term, TONE_PLAIN);
    diff_peak(&cell, a);
    right(p, &cell, 10);
    strbuf_addz(p->out, p->arrow);
    diff_peak(p->out, b);
    strbuf_addf(p->out, " MB per %s  ", diff_unit(p->d, which));
    add_toned_size(p, pool->difference, 0);
    if (a->peak || !pool->difference) strbuf_addz(p->out, "  ");
    diff_percent(p->out, p->d, which);
    if (b->total) {
        strbuf_addz(p->out, term_dot(p->term));
        add_percent(p->out, b->peak, b->total);
        strbuf_addf(p->out, " of the %s", diff_unit(p->d, which));
    }
    strbuf_addc(p->out, '\n');
    const char *first = diff_bound_words(a), *second = diff_bound_words(b);
    if (first && first == second) strbuf_addf(p->out, "    both are lower bounds: %s\n", first);
    else if (first) strbuf_addf(p->out, "    the first is a lower bound: %s\n", first);
    if (second && first != second) strbuf_addf(p->out, "    the second is a lower bound: %s\n", second);
    if (!pool->has_live && pool->difference)
        strbuf_addz(p->out, "    what is alive is not known in both runs: the difference cannot be attributed\n");
    part_lines(p, pool);
    strbuf_release(&cell);
}

/* Between the known states less may have been free, in smaller blocks. */
static const char *free_bound(const struct footprint_pool *pool, const char *words) {
    return footprint_peak_at_least(pool) ? words : "";
}

/* Larger buffers leave less outside the largest block; between the known states it may have been more. */
static const char *gap_bound(const struct footprint_pool *pool) {
    bool of_sizes = pool->bounded && !pool->sparse && !pool->unread && !pool->unspread && !pool->early;
    return free_bound(pool, of_sizes ? "at most " : pool->bounded || pool->unspread ? "about " : "at least ");
}

static void free_lines(struct diff_sheet *p) {
    for (unsigned i = 0; i < POOL_COUNT; i++) {
        const struct footprint_pool *a = &p->d->a->pools[i], *b = &p->d->b->pools[i];
        if (!a->free_seen || !b->free_seen || !a->total) continue;
        if (a->largest_free == b->largest_free && a->gap == b->gap) continue;
        label(p, "free");
        const char *at_most[] = {free_bound(a, "at most "), free_bound(b, "at most ")};
        const char *gaps[] = {gap_bound(a), gap_bound(b)};
        strbuf_addf(p->out, "%s largest free block, at its smallest: %s", pool_names[i], at_most[0]);
        add_milli(p->out, a->largest_free, 3);
        strbuf_addf(p->out, "%s%s", p->arrow, at_most[1]);
        add_milli(p->out, b->largest_free, 3);
        strbuf_addf(p->out, " MB; widest gap: %s", gaps[0]);
        add_milli(p->out, a->gap, 3);
        strbuf_addf(p->out, "%s%s", p->arrow, gaps[1]);
        add_milli(p->out, b->gap, 3);
        strbuf_addz(p->out, " MB\n");
    }
    for (unsigned i = 0; i < FOOTPRINT_REACHED; i++) {
        const struct diff_pool *pool = &p->d->pools[i];
        if (!pool->logical[0] || !pool->logical[1]) continue;
        const uint64_t *over = pool->padding;
        if (over[0] == over[1]) continue;
        label(p, "padding");
        strbuf_addf(p->out, "%s at the peak ", pool_names[i]);
        add_percent(p->out, (int64_t)over[0], pool->logical[0]);
        strbuf_addz(p->out, p->arrow);
        add_percent(p->out, (int64_t)over[1], pool->logical[1]);
        strbuf_addz(p->out, ", ");
        add_size(p->out, over[0]);
        strbuf_addz(p->out, p->arrow);
        add_size(p->out, over[1]);
        strbuf_addz(p->out, " in all banks\n");
    }
}

/* Rank by rank, if both runs have the same ones. */
static void rank_lines(struct diff_sheet *p) {
    struct diff_rank *rows;
    struct strbuf name = {0};
    size_t count = diff_by_rank(p->d, &rows), changed = 0;
    for (size_t i = 0; i < count; i++) changed += rows[i].a != rows[i].b;
    if (count) {
        label(p, "ranks");
        strbuf_addf(p->out, "%zu of %zu with another DRAM peak, MB per bank\n", changed, count);
    }
    size_t shown = diff_shown(p->request, changed, DIFF_RANKS_SHOWN);
    for (size_t i = 0; i < shown; i++) {
        size_t start = p->out->len;
        strbuf_addz(p->out, "    ");
        diff_rank_name(&name, p->d, &rows[i], p->arrow);
        term_text(p->out, p->term, strbuf_slice(&name), 24);
        strbuf_clear(&name);
        pad_to(p->out, start, 30);
        strbuf_addf(p->out, "%s%10s%s", rows[i].a_bound ? "at least " : "", figure_milli(rows[i].a, 3).text, p->arrow);
        strbuf_addf(p->out, "%s%10s  ", rows[i].b_bound ? "at least " : "", figure_milli(rows[i].b, 3).text);
        add_toned_size(p, num_milli_mb_to_bytes((int64_t)rows[i].b - rows[i].a), 14);
        strbuf_addc(p->out, '\n');
    }
    left_out(p, changed, shown, "");
    strbuf_release(&name);
    free(rows);
}

/* Why the rank with the largest change changed, if the text above is about another one. */
static void changed_rank_lines(const struct diff_sheet *p, const struct diff_request *request) {
    if (!request->changed) return;
    struct diff_sheet own = *p;
    own.d = request->changed;
    strbuf_addz(p->out, "    why rank ");
    term_text(p->out, p->term, request->changed_rank, 40);
    strbuf_addz(p->out, " changed, DRAM per bank\n");
    part_lines(&own, &request->changed->pools[POOL_DRAM]);
}

static void growth_line(struct diff_sheet *p) {
    struct strbuf text = {0};
    if (diff_growth_words(&text, p->d, p->arrow)) note(p, "per pass", &text);
    strbuf_clear(&text);
    if (diff_host_words(&text, p->d, p->arrow)) note(p, "host", &text);
    strbuf_release(&text);
}

static void op_lines(struct diff_sheet *p) {
    const struct diff *d = p->d;
    if (!d->has_ops) {
        label(p, "ops");
        strbuf_addz(p->out, p->d->a->has_ops && p->d->b->has_ops
                                ? "not compared: one of the runs has no op lines\n"
                                : "not kept for both runs; ttmem history add --ops keeps them\n");
        return;
    }
    label(p, "ops");
    add_grouped(p->out, d->matched - d->retyped);
    strbuf_addz(p->out, " the same, ");
    add_grouped(p->out, d->added);
    strbuf_addz(p->out, " added, ");
    add_grouped(p->out, d->removed);
    strbuf_addz(p->out, " removed, ");
    add_grouped(p->out, d->moved);
    strbuf_addz(p->out, " moved, ");
    add_grouped(p->out, d->retyped);
    strbuf_addz(p->out, " with a different result\n");
    struct strbuf text = {0};
    for (unsigned second = 0; second < 2; second++) {
        if (!diff_unreached_words(&text, d, second)) continue;
        strbuf_addz(p->out, "    ");
        safe(p, &text, 0);
        strbuf_clear(&text);
        strbuf_addc(p->out, '\n');
    }
    size_t retypes = diff_shown(p->request, d->retypes.len, RETYPES_SHOWN),
           moves = diff_shown(p->request, d->moves.len, MOVES_SHOWN),
           rewrites = diff_shown(p->request, d->rewrites.len, REWRITES_SHOWN);
    for (size_t i = 0; i < retypes; i++) {
        const struct diff_retype *retype = &d->retypes.items[i];
        strbuf_addf(p->out, "    %4u x  ", retype->count);
        diff_retype_text(&text, d, retype, p->arrow);
        safe(p, &text, 100);
        strbuf_clear(&text);
        strbuf_addf(p->out, "  %s#%u%s#%u ", retype->count > 1 ? "first " : "", d->a_ops.items[retype->a], p->arrow,
                    d->b_ops.items[retype->b]);
        short_location(&text, footprint_op_location(d->b, d->b_ops.items[retype->b]));
        safe(p, &text, 60);
        strbuf_clear(&text);
        strbuf_addc(p->out, '\n');
    }
    left_out(p, d->retypes.len, retypes, " with a different result");
    for (size_t i = 0; i < moves; i++) {
        const struct diff_move *move = &d->moves.items[i];
        size_t start = p->out->len;
        strbuf_addf(p->out, "    %4u x  ", move->count);
        diff_move_text(&text, d, move);
        safe(p, &text, 80);
        strbuf_clear(&text);
        pad_to(p->out, start, 56);
        strbuf_addf(p->out, "  %s#%u%s#%u ", move->count > 1 ? "first " : "", d->a_ops.items[move->a], p->arrow,
                    d->b_ops.items[move->b]);
        short_location(&text, footprint_op_location(d->b, d->b_ops.items[move->b]));
        safe(p, &text, 60);
        strbuf_clear(&text);
        strbuf_addc(p->out, '\n');
    }
    left_out(p, d->moves.len, moves, " moved");
    for (size_t i = 0; i < rewrites; i++) {
        const struct diff_rewrite *rewrite = &d->rewrites.items[i];
        const struct diff_hunk *hunk = &d->hunks.items[rewrite->hunk];
        bool in_b = hunk->b < hunk->b_end;
        uint32_t op = in_b ? d->b_ops.items[hunk->b] : d->a_ops.items[hunk->a];
        size_t start = p->out->len;
        strbuf_addf(p->out, "    %4u x  ", rewrite->count);
        diff_rewrite_text(&text, d, rewrite, p->arrow);
        safe(p, &text, 80);
        strbuf_clear(&text);
        pad_to(p->out, start, 56);
        strbuf_addf(p->out, "  %s#%u ", rewrite->count > 1 ? "first " : "", op);
        short_location(&text, in_b ? footprint_op_location(d->b, op) : footprint_op_location(d->a, op));
        safe(p, &text, 60);
        strbuf_clear(&text);
        if (!in_b) strbuf_addz(p->out, " (before)");
        strbuf_addc(p->out, '\n');
    }
    left_out(p, d->rewrites.len, rewrites, " added or removed");
    strbuf_release(&text);
}

static void tensor_lines(struct diff_sheet *p, enum pool which) {
    const struct diff_pool *pool = &p->d->pools[which];
    if (pool->tensors.len < 2) return;
    struct strbuf text = {0};
    strbuf_addf(p->out, "\n  Largest changes at the %s peak, per %s\n", pool_names[which], diff_unit(p->d, which));
    struct diff_folds folds;
    diff_folds_make(&folds, p->d, pool, p->request->limited && !p->request->limit);
    size_t shown = diff_shown(p->request, folds.items.len, TENSORS_SHOWN), told = 0;
    for (size_t i = 0; i < shown; i++) {
        const struct diff_fold *fold = &folds.items.items[i];
        const struct diff_tensor *row = &pool->tensors.items[fold->first];
        enum diff_cause cause = diff_main_cause(row);
        add_toned_size(p, row->bytes, 16);
        size_t start = p->out->len;
        strbuf_addz(p->out, "  ");
        diff_row_causes(p->out, row);
        pad_to(p->out, start, 24);
        start = p->out->len;
        diff_tensor_change(&text, p->d, row, cause, p->arrow);
        safe(p, &text, 44);
        strbuf_clear(&text);
        pad_to(p->out, start, 30);
        diff_fold_title(&text, p->d, pool, &folds, i);
        safe(p, &text, 70);
        strbuf_clear(&text);
        diff_fold_rest(p->out, p->d, pool, fold);
        strbuf_addc(p->out, '\n');
        told += fold->count;
    }
    if (told == pool->tensors.len && folds.items.len < told && !p->request->limited)
        strbuf_addz(p->out, "    --limit 0 lists them one by one\n");
    left_out(p, pool->tensors.len, told, "");
    diff_folds_release(&folds);
    strbuf_release(&text);
}

void diff_text(struct strbuf *out, const struct term *term, const struct diff_request *request) {
    struct diff_sheet p = {out, term, request->diff, term->utf8 ? " \xe2\x86\x92 " : " -> ", request};
    term_tone(out, term, TONE_BOLD);
    term_text(out, term, request->a, 0);
    if (footprint_is_predicted(request->diff->a)) strbuf_addz(out, " (predicted)");
    strbuf_addz(out, p.arrow);
    term_text(out, term, request->b, 0);
    if (footprint_is_predicted(request->diff->b)) strbuf_addz(out, " (predicted)");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n");
    pass_lines(&p);
    failure_lines(&p);
    config_lines(&p);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) pool_lines(&p, (enum pool)pool);
    rank_lines(&p);
    changed_rank_lines(&p, request);
    free_lines(&p);
    growth_line(&p);
    op_lines(&p);
    for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++) tensor_lines(&p, (enum pool)pool);
    if (request->judgement_count) strbuf_addc(out, '\n');
    for (size_t i = 0; i < request->judgement_count; i++) judgement_text(out, term, &request->judgements[i], request->diff->b);
}
