/* SPDX-License-Identifier: Apache-2.0 */
/* Made for a comment on a pull request: the answer in the first lines, the evidence folded. */
#include "base/amounts.h"
#include "render/compare/budget.h"
#include "render/compare/diff_fold.h"
#include "render/format/markdown.h"
#include "render/format/predicted.h"
#include "render/format/short_location.h"

enum { TENSORS_SHOWN = 20, REWRITES_SHOWN = 20, RETYPES_SHOWN = 20, MOVES_SHOWN = 5, TEXT_MOST = 80 };

static const char arrow[] = " \xe2\x86\x92 ";

static void raw_cell(struct strbuf *out, struct strbuf *text) {
    md_cell(out, strbuf_slice(text), TEXT_MOST);
    strbuf_clear(text);
}

static void size_cell(struct strbuf *out, int64_t bytes) {
    md_cell_open(out);
    add_log_size(out, bytes, true);
}

static const char *at_least(const struct footprint_pool *pool) {
    return pool->seen && footprint_peak_at_least(pool) ? "at least " : "";
}

static void pools_table(struct strbuf *out, const struct diff *d) {
    bool cores = d->a->pools[POOL_L1].per_core || d->b->pools[POOL_L1].per_core;
    md_table(out, cores ? SLICE("pool|>before|>after|>change per bank (L1: per core)|>of it")
                        : SLICE("pool|>before|>after|>change per bank|>of the bank"));
    for (unsigned i = 0; i < POOL_COUNT; i++) {
        const struct footprint_pool *a = &d->a->pools[i], *b = &d->b->pools[i];
        if (!d->pools[i].seen || (i >= POOL_L1_SMALL && !a->peak && !b->peak)) continue;
        const char *strong = d->pools[i].difference ? "**" : "";
        md_cellf(out, "%s", pool_names[i]);
        md_cellf(out, "%s%s MB", at_least(a), figure_milli(a->peak, 3).text);
        md_cellf(out, "%s%s MB", at_least(b), figure_milli(b->peak, 3).text);
        md_cellf(out, "%s", strong);
        add_log_size(out, d->pools[i].difference, true);
        strbuf_addz(out, strong);
        if (b->total) md_cellf(out, "%s %%", figure_percent(b->peak, b->total, 1).text);
        else md_cellf(out, "not known");
        md_row_end(out);
    }
}

static void parts_table(struct strbuf *out, const struct diff *d, enum pool which) {
    const struct diff_pool *pool = &d->pools[which];
    struct strbuf text = {0};
    if (!pool->seen || !pool->parts.len) return;
    strbuf_addf(out, "\n**%s**, bytes per %s; the parts add up to the difference of the peaks\n\n", pool_names[which],
                diff_unit(d, which));
    md_table(out, SLICE("what|cause|>change|>tensors|largest"));
    for (size_t i = 0; i < pool->parts.len; i++) {
        const struct diff_part *part = &pool->parts.items[i];
        const struct diff_tensor *row = &pool->tensors.items[part->row];
        if (!part->bytes) continue;
        md_cellf(out, "%s", diff_class_words(part));
        md_cellf(out, "%s", diff_cause_words[part->cause]);
        size_cell(out, part->bytes);
        md_cellf(out, "%u", part->tensors);
        diff_tensor_change(&text, d, row, part->cause, arrow);
        strbuf_addz(&text, ", ");
        diff_tensor_title(&text, d, row);
        raw_cell(out, &text);
        md_row_end(out);
    }
    md_cellf(out, "unexplained");
    md_cell_open(out);
    size_cell(out, pool->rest);
    md_cell_open(out);
    md_cell_open(out);
    md_row_end(out);
    strbuf_release(&text);
}

static void tensors_table(struct strbuf *out, const struct diff_request *request, enum pool which) {
    const struct diff *d = request->diff;
    const struct diff_pool *pool = &d->pools[which];
    struct strbuf text = {0};
    if (!pool->tensors.len) return;
    strbuf_addf(out, "\n<details><summary>Tensors that changed at the %s peak (%zu)</summary>\n\n", pool_names[which],
                pool->tensors.len);
    md_table(out, SLICE(">change|tensor|what"));
    struct diff_folds folds;
    diff_folds_make(&folds, d, pool, request->limited && !request->limit);
    size_t shown = diff_shown(request, folds.items.len, TENSORS_SHOWN), told = 0;
    for (size_t i = 0; i < shown; i++) {
        const struct diff_fold *fold = &folds.items.items[i];
        const struct diff_tensor *row = &pool->tensors.items[fold->first];
        enum diff_cause cause = diff_main_cause(row);
        told += fold->count;
        size_cell(out, row->bytes);
        diff_fold_title(&text, d, pool, &folds, i);
        raw_cell(out, &text);
        diff_fold_rest(out, d, pool, fold);
        diff_row_causes(&text, row);
        strbuf_addz(&text, ": ");
        diff_tensor_change(&text, d, row, cause, arrow);
        raw_cell(out, &text);
        md_row_end(out);
    }
    if (pool->tensors.len > told) strbuf_addf(out, "\nand %zu more\n", pool->tensors.len - told);
    strbuf_addz(out, "\n</details>\n");
    diff_folds_release(&folds);
    strbuf_release(&text);
}

static void ops_part(struct strbuf *out, const struct diff_request *request) {
    const struct diff *d = request->diff;
    struct strbuf text = {0};
    if (!d->has_ops) return;
    strbuf_addf(out,
                "\n<details><summary>Ops: %llu the same, %llu added, %llu removed, %llu moved, %llu with a different "
                "result</summary>\n",
                (unsigned long long)(d->matched - d->retyped), (unsigned long long)d->added, (unsigned long long)d->removed,
                (unsigned long long)d->moved, (unsigned long long)d->retyped);
    for (unsigned second = 0; second < 2; second++) {
        if (!diff_unreached_words(&text, d, second)) continue;
        strbuf_addc(out, '\n');
        md_text(out, strbuf_slice(&text), 200);
        strbuf_addc(out, '\n');
        strbuf_clear(&text);
    }
    if (d->rewrites.len || d->moves.len || d->retypes.len) {
        strbuf_addc(out, '\n');
        md_table(out, SLICE(">times|change|first at"));
    }
    size_t retypes = diff_shown(request, d->retypes.len, RETYPES_SHOWN), moves = diff_shown(request, d->moves.len, MOVES_SHOWN),
           rewrites = diff_shown(request, d->rewrites.len, REWRITES_SHOWN);
    for (size_t i = 0; i < retypes; i++) {
        const struct diff_retype *retype = &d->retypes.items[i];
        md_cellf(out, "%u", retype->count);
        diff_retype_text(&text, d, retype, arrow);
        raw_cell(out, &text);
        strbuf_addf(&text, "#%u%s#%u ", d->a_ops.items[retype->a], arrow, d->b_ops.items[retype->b]);
        short_location(&text, footprint_op_location(d->b, d->b_ops.items[retype->b]));
        raw_cell(out, &text);
        md_row_end(out);
    }
    for (size_t i = 0; i < moves; i++) {
        const struct diff_move *move = &d->moves.items[i];
        uint32_t after = d->b_ops.items[move->b];
        md_cellf(out, "%u", move->count);
        diff_move_text(&text, d, move);
        raw_cell(out, &text);
        strbuf_addf(&text, "#%u%s#%u ", d->a_ops.items[move->a], arrow, after);
        short_location(&text, footprint_op_location(d->b, after));
        raw_cell(out, &text);
        md_row_end(out);
    }
    for (size_t i = 0; i < rewrites; i++) {
        const struct diff_rewrite *rewrite = &d->rewrites.items[i];
        const struct diff_hunk *hunk = &d->hunks.items[rewrite->hunk];
        bool in_b = hunk->b < hunk->b_end;
        uint32_t op = in_b ? d->b_ops.items[hunk->b] : d->a_ops.items[hunk->a];
        md_cellf(out, "%u", rewrite->count);
        diff_rewrite_text(&text, d, rewrite, arrow);
        raw_cell(out, &text);
        strbuf_addf(&text, "#%u ", op);
        short_location(&text, in_b ? footprint_op_location(d->b, op) : footprint_op_location(d->a, op));
        raw_cell(out, &text);
        md_row_end(out);
    }
    size_t left_out = d->retypes.len - retypes + d->moves.len - moves + d->rewrites.len - rewrites;
    if (left_out) strbuf_addf(out, "\nand %zu more\n", left_out);
    strbuf_addz(out, "\n</details>\n");
    strbuf_release(&text);
}

static void judgement_lines(struct strbuf *out, const struct diff_request *request) {
    struct strbuf text = {0};
    for (size_t i = 0; i < request->judgement_count; i++) {
        const struct judgement *j = &request->judgements[i];
        if (j->state == JUDGED_OK) continue;
        strbuf_addz(out, j->state == JUDGED_BREACH ? "\n**Breach:** " : "\n**Not judged:** ");
        md_item(out, j->rule->text, 0);
        if (j->state == JUDGED_NOT) {
            strbuf_addz(out, ", ");
            md_text(out, slice_from(j->why), 0);
        } else {
            strbuf_addz(out, ", is ");
            judgement_value(out, j);
            strbuf_addz(out, ", limit ");
            measure_amount(out, j->rule->measure, j->limit);
            judgement_witness(&text, j, request->diff->b);
            if (text.len) strbuf_addz(out, ", ");
            md_text(out, strbuf_slice(&text), 120);
            strbuf_clear(&text);
        }
        strbuf_addc(out, '\n');
    }
    strbuf_release(&text);
}

static void note(struct strbuf *out, const char *before, struct strbuf *text) {
    strbuf_addf(out, "\n%s", before);
    md_text(out, strbuf_slice(text), 2 * TEXT_MOST);
    strbuf_addc(out, '\n');
    strbuf_clear(text);
}

static void notes(struct strbuf *out, const struct diff *d) {
    struct strbuf text = {0};
    if (diff_pass_words(&text, d, false)) note(out, "Pass ", &text);
    if (diff_pass_words(&text, d, true)) note(out, "Pass ", &text);
    if (diff_failure_words(&text, d, true)) note(out, "**Failed:** ", &text);
    if (diff_failure_words(&text, d, false)) note(out, "Failed before: ", &text);
    for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++)
        if (diff_config_words(&text, d, (enum pool)pool, arrow)) note(out, "Configuration: ", &text);
    if (diff_ranks_words(&text, d, arrow)) note(out, "Ranks: ", &text);
    if (diff_growth_words(&text, d, arrow)) note(out, "Per pass: ", &text);
    if (diff_host_words(&text, d, arrow)) note(out, "Host memory: ", &text);
    strbuf_release(&text);
}

/* The ranks that changed, and why the one with the largest change did, if the rest is about another one. */
static void ranks_table(struct strbuf *out, const struct diff_request *request) {
    struct diff_rank *rows;
    struct strbuf name = {0};
    size_t count = diff_by_rank(request->diff, &rows), changed = 0;
    for (size_t i = 0; i < count; i++) changed += rows[i].a != rows[i].b;
    if (count) strbuf_addf(out, "\n%zu of %zu ranks have another DRAM peak\n", changed, count);
    size_t shown = diff_shown(request, changed, DIFF_RANKS_SHOWN);
    if (shown) {
        strbuf_addc(out, '\n');
        md_table(out, SLICE("rank|>before|>after|>change per bank"));
    }
    for (size_t i = 0; i < shown; i++) {
        diff_rank_name(&name, request->diff, &rows[i], arrow);
        md_cell(out, strbuf_slice(&name), TEXT_MOST);
        strbuf_clear(&name);
        md_cellf(out, "%s%s MB", rows[i].a_bound ? "at least " : "", figure_milli(rows[i].a, 3).text);
        md_cellf(out, "%s%s MB", rows[i].b_bound ? "at least " : "", figure_milli(rows[i].b, 3).text);
        size_cell(out, num_milli_mb_to_bytes((int64_t)rows[i].b - rows[i].a));
        md_row_end(out);
    }
    if (changed > shown) strbuf_addf(out, "\n... and %zu more\n", changed - shown);
    free(rows);
    if (request->changed) {
        strbuf_addz(out, "\nWhy rank ");
        md_text(out, request->changed_rank, TEXT_MOST);
        strbuf_addz(out, " changed:\n");
        parts_table(out, request->changed, POOL_DRAM);
    }
    strbuf_release(&name);
}

/* Is there anything to unfold below "Why"? */
static bool explains(const struct diff *d) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (d->pools[pool].seen && d->pools[pool].parts.len) return true;
    return !d->pools[POOL_DRAM].has_live;
}

void diff_markdown(struct strbuf *out, const struct diff_request *request) {
    const struct diff *d = request->diff;
    struct strbuf title = {0};
    diff_headline(&title, d);
    md_heading(out, 3, strbuf_slice(&title));
    strbuf_addc(out, '\n');
    strbuf_release(&title);
    pools_table(out, d);
    notes(out, d);
    ranks_table(out, request);
    judgement_lines(out, request);
    strbuf_addz(out, explains(d) ? "\n<details><summary>Why: " : "\n");
    md_text(out, request->a, TEXT_MOST);
    if (footprint_is_predicted(request->diff->a)) strbuf_addz(out, " (predicted)");
    strbuf_addz(out, arrow);
    md_text(out, request->b, TEXT_MOST);
    if (footprint_is_predicted(request->diff->b)) strbuf_addz(out, " (predicted)");
    strbuf_addz(out, explains(d) ? "</summary>\n" : "\n");
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) parts_table(out, d, (enum pool)pool);
    if (!d->pools[POOL_DRAM].has_live)
        strbuf_addz(out, "\nWhat is alive at the peak is not known in both runs, so the difference cannot be attributed.\n");
    if (explains(d)) strbuf_addz(out, "\n</details>\n");
    for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++) tensors_table(out, request, (enum pool)pool);
    ops_part(out, request);
}
