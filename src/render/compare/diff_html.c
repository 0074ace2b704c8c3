/* SPDX-License-Identifier: Apache-2.0 */
/* The difference as a page: both timelines in one graph, the causes below. web/src/diff is the template. */
#include <stdlib.h>

#include "base/json_write.h"
#include "base/amounts.h"
#include "render/compare/diff_fold.h"
#include "render/format/escape.h"
#include "render/format/predicted.h"
#include "render/format/short_location.h"
#include "render/page/page_template.h"

enum { TENSORS_SHOWN = 200, MEMBERS_SHOWN = 1000 };

static const char arrow[] = " \xe2\x86\x92 ";

struct diff_page {
    struct strbuf *out;
    const struct diff *d;
    uint32_t *a_place, *b_place; /* items of the sequences -> position on the common axis */
    size_t places;
};

/* One position per pair, and per op without a partner: first those of the first run, then those of the second. */
static void lay_out(struct diff_page *p) {
    const struct diff *d = p->d;
    p->a_place = mem_alloc((d->a_ops.len + 1) * sizeof *p->a_place);
    p->b_place = mem_alloc((d->b_ops.len + 1) * sizeof *p->b_place);
    uint32_t b = 0, place = 0;
    for (uint32_t a = 0; a <= d->a_ops.len; a++) {
        if (a < d->a_ops.len && d->match.items[a] == NONE) {
            p->a_place[a] = place++;
            continue;
        }
        uint32_t to = a < d->a_ops.len ? d->match.items[a] : (uint32_t)d->b_ops.len;
        while (b < to) p->b_place[b++] = place++;
        if (a == d->a_ops.len) break;
        p->a_place[a] = p->b_place[b++] = place++;
    }
    p->places = place;
}

static void column(struct json *j, const char *key, const struct footprint *f, const uint32_t *ops, size_t len,
                   unsigned which) {
    json_key(j, key);
    json_array(j);
    for (size_t i = 0; i < len; i++) {
        const struct footprint_op *op = &f->ops.items[ops[i]];
        const uint32_t values[] = {op->kind, ops[i], op->held, op->line};
        json_i64(j, values[which] == NONE ? -1 : (int64_t)values[which]);
    }
    json_array_end(j);
}

static void kinds(struct json *j, const struct footprint *f) {
    struct strbuf type = {0}, place = {0};
    json_key(j, "kinds");
    json_array(j);
    for (size_t i = 0; i < f->kinds.len; i++) {
        const struct footprint_kind *kind = &f->kinds.items[i];
        strbuf_clear(&type);
        strbuf_clear(&place);
        short_location(&place, footprint_text(f, kind->location));
        if (kind->type < f->types.len) {
            const struct footprint_type *t = &f->types.items[kind->type];
            strbuf_addf(&type, "%.*s %.*s, %.*s", SLICE_FMT(footprint_text(f, t->shape)),
                        SLICE_FMT(footprint_text(f, t->dtype)), SLICE_FMT(footprint_text(f, t->layout)));
            if (t->grid) strbuf_addf(&type, ", grid %.*s", SLICE_FMT(footprint_text(f, t->grid)));
            if (t->pool < POOL_COUNT) strbuf_addf(&type, ", %s ", pool_names[t->pool]);
            if (t->pool < POOL_COUNT) add_size(&type, t->per_bank_bytes);
            if (t->pool < POOL_COUNT) strbuf_addf(&type, " per %s", f->pools[t->pool].per_core ? "core" : "bank");
        }
        json_array(j);
        json_str(j, footprint_text(f, kind->name));
        json_str(j, strbuf_slice(&place));
        json_str(j, strbuf_slice(&type));
        json_str(j, footprint_text(f, kind->location));
        json_array_end(j);
    }
    json_array_end(j);
    strbuf_release(&type);
    strbuf_release(&place);
}

static void side(struct json *j, struct diff_page *p, const char *key, const struct footprint *f, struct slice name,
                 const uint32_t *ops, size_t len, const uint32_t *place) {
    int64_t *at = mem_alloc((p->places + 1) * sizeof *at);
    for (size_t i = 0; i < p->places; i++) at[i] = -1;
    for (size_t i = 0; i < len; i++) at[place[i]] = (int64_t)i;
    json_key(j, key);
    json_object(j);
    struct strbuf title = {0};
    strbuf_add(&title, name);
    if (footprint_is_predicted(f)) strbuf_addz(&title, " (predicted)");
    json_member_str(j, "name", strbuf_slice(&title));
    strbuf_release(&title);
    json_key(j, "at");
    json_array(j);
    for (size_t i = 0; i < p->places; i++) json_i64(j, at[i]);
    json_array_end(j);
    static const char *const columns[] = {"kind", "index", "held", "line"};
    for (unsigned i = 0; i < 4; i++) column(j, columns[i], f, ops, len, i);
    json_key(j, "reached");
    json_array(j);
    for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++) {
        json_array(j);
        for (size_t i = 0; i < len; i++) {
            uint32_t reached = f->ops.items[ops[i]].reached[pool];
            json_i64(j, reached == NONE ? -1 : (int64_t)reached);
        }
        json_array_end(j);
    }
    json_array_end(j);
    kinds(j, f);
    json_object_end(j);
    free(at);
}

/* Position of an op of the second (or first) run, or -1. */
static int64_t place_of(const struct diff_page *p, bool in_b, uint32_t op) {
    const struct diff *d = p->d;
    const uint32_t *ops = in_b ? d->b_ops.items : d->a_ops.items;
    size_t low = 0, high = in_b ? d->b_ops.len : d->a_ops.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ops[middle] < op) low = middle + 1;
        else high = middle;
    }
    bool found = low < (in_b ? d->b_ops.len : d->a_ops.len) && ops[low] == op;
    return found ? (int64_t)(in_b ? p->b_place[low] : p->a_place[low]) : -1;
}

static void data(struct diff_page *p, const struct diff_request *request) {
    const struct diff *d = p->d;
    struct strbuf text = {0};
    struct json j = {.out = &text};
    json_object(&j);
    json_key(&j, "pools");
    json_array(&j);
    for (unsigned pool = 0; pool < FOOTPRINT_REACHED; pool++) json_text(&j, pool_names[pool]);
    json_array_end(&j);
    json_member_i64(&j, "start", d->b->pools[POOL_DRAM].seen ? place_of(p, true, d->b->pools[POOL_DRAM].after_op) : -1);
    side(&j, p, "a", d->a, request->a, d->a_ops.items, d->a_ops.len, p->a_place);
    side(&j, p, "b", d->b, request->b, d->b_ops.items, d->b_ops.len, p->b_place);
    json_object_end(&j);
    escape_json_in_html(p->out, strbuf_slice(&text));
    strbuf_release(&text);
}

static void cell(struct diff_page *p, struct strbuf *text, bool number) {
    strbuf_addz(p->out, number ? "<td class=\"num\">" : "<td>");
    escape_xml(p->out, strbuf_slice(text));
    strbuf_addz(p->out, "</td>");
    strbuf_clear(text);
}

/* What the difference consists of. */
static void causes(struct diff_page *p, enum pool which) {
    const struct diff_pool *pool = &p->d->pools[which];
    struct strbuf text = {0};
    strbuf_addf(p->out,
                "<div class=\"table\"><table><tr><th>what</th><th>cause</th><th class=\"num\">per %s</th>"
                "<th class=\"num\">tensors</th></tr>\n",
                diff_unit(p->d, which));
    for (size_t i = 0; i < pool->parts.len; i++) {
        const struct diff_part *part = &pool->parts.items[i];
        strbuf_addf(p->out, "<tr><td>%s</td><td>%s</td>", diff_class_words(part), diff_cause_words[part->cause]);
        add_log_size(&text, part->bytes, true);
        cell(p, &text, true);
        strbuf_addu(&text, part->tensors);
        cell(p, &text, true);
        strbuf_addz(p->out, "</tr>\n");
    }
    strbuf_addz(p->out, "<tr><td>unexplained</td><td></td>");
    add_log_size(&text, pool->rest, true);
    cell(p, &text, true);
    strbuf_addz(p->out, "<td></td></tr>\n</table></div>\n");
    strbuf_release(&text);
}

/* A row of the table that links to its op; the caller supplies `title` and `first` (text before it in the same cell). */
static void tensor_row(struct diff_page *p, const struct diff_tensor *row, const char *first, struct strbuf *title,
                       bool hidden) {
    struct strbuf text = {0};
    bool in_b = row->b != NONE;
    uint32_t op = in_b ? p->d->b->tensors.items[row->b].op : p->d->a->tensors.items[row->a].op;
    enum diff_cause cause = diff_main_cause(row);
    int64_t place = op == NONE || first ? -1 : place_of(p, in_b, op);
    strbuf_addz(p->out, hidden ? "<tr hidden" : "<tr");
    if (place >= 0) strbuf_addf(p->out, " data-place=\"%lld\"", (long long)place);
    strbuf_addc(p->out, '>');
    add_log_size(&text, row->bytes, true);
    cell(p, &text, true);
    diff_row_causes(&text, row);
    cell(p, &text, false);
    diff_tensor_change(&text, p->d, row, cause, arrow);
    cell(p, &text, false);
    strbuf_addf(p->out, "<td>%s", first ? first : "");
    escape_xml(p->out, strbuf_slice(title));
    strbuf_addz(p->out, "</td></tr>\n");
    strbuf_clear(title);
    strbuf_release(&text);
}

/* Rows that are alike become one that can be opened. */
static void tensor_fold(struct diff_page *p, const struct diff_pool *pool, const struct diff_folds *folds, size_t number) {
    const struct diff_fold *fold = &folds->items.items[number];
    struct strbuf title = {0};
    bool several = fold->count > 1;
    if (several) {
        strbuf_addz(p->out, "<tbody>");
        diff_fold_title(&title, p->d, pool, folds, number);
        diff_fold_rest(&title, p->d, pool, fold);
        tensor_row(p, &pool->tensors.items[fold->first],
                   "<button type=\"button\" class=\"fold\" aria-expanded=\"false\" aria-label=\"show each\"></button>", &title,
                   false);
    }
    size_t shown = 0;
    for (size_t i = fold->first; i < pool->tensors.len && shown < fold->count && shown < MEMBERS_SHOWN; i++) {
        if (folds->of[i] != number) continue;
        diff_tensor_title(&title, p->d, &pool->tensors.items[i]);
        tensor_row(p, &pool->tensors.items[i], NULL, &title, several);
        shown++;
    }
    if (fold->count > shown)
        strbuf_addf(p->out, "<tr hidden><td></td><td></td><td></td><td>and %zu more</td></tr>\n", fold->count - shown);
    if (several) strbuf_addz(p->out, "</tbody><tbody>");
    strbuf_release(&title);
}

static void tensors(struct diff_page *p, enum pool which) {
    const struct diff_pool *pool = &p->d->pools[which];
    struct diff_folds folds;
    size_t told = 0;
    diff_folds_make(&folds, p->d, pool, false);
    strbuf_addf(p->out,
                "<div class=\"table\"><table><tr><th class=\"num\">per %s</th><th>cause</th><th>change</th>"
                "<th>tensor</th></tr>\n",
                diff_unit(p->d, which));
    for (size_t i = 0; i < folds.items.len && i < TENSORS_SHOWN; i++) {
        tensor_fold(p, pool, &folds, i);
        told += folds.items.items[i].count;
    }
    strbuf_addz(p->out, "</table></div>\n");
    if (pool->tensors.len > told) strbuf_addf(p->out, "<p class=\"dim\">and %zu more</p>\n", pool->tensors.len - told);
    diff_folds_release(&folds);
}

static void parts(struct diff_page *p, enum pool which) {
    const struct diff_pool *pool = &p->d->pools[which];
    struct strbuf text = {0};
    if (!pool->seen || (!pool->parts.len && !pool->difference)) return;
    strbuf_addf(p->out, "<h2>%s ", pool_names[which]);
    diff_peak(&text, &p->d->a->pools[which]);
    strbuf_addz(&text, arrow);
    diff_peak(&text, &p->d->b->pools[which]);
    strbuf_addf(&text, " MB per %s, ", diff_unit(p->d, which));
    add_log_size(&text, pool->difference, true);
    escape_xml(p->out, strbuf_slice(&text));
    strbuf_clear(&text);
    strbuf_addz(p->out, "</h2>\n");
    causes(p, which);
    if (pool->tensors.len) tensors(p, which);
    strbuf_release(&text);
}

static void ops(struct diff_page *p) {
    const struct diff *d = p->d;
    struct strbuf text = {0};
    if (!d->has_ops) return;
    strbuf_addf(p->out, "<h2>Ops: %llu the same, %llu added, %llu removed, %llu moved, %llu with a different result</h2>\n",
                (unsigned long long)(d->matched - d->retyped), (unsigned long long)d->added, (unsigned long long)d->removed,
                (unsigned long long)d->moved, (unsigned long long)d->retyped);
    for (unsigned second = 0; second < 2; second++) {
        if (!diff_unreached_words(&text, d, second)) continue;
        strbuf_addz(p->out, "<p>");
        escape_xml(p->out, strbuf_slice(&text));
        strbuf_addz(p->out, "</p>\n");
        strbuf_clear(&text);
    }
    if (!d->rewrites.len && !d->retypes.len) {
        strbuf_release(&text);
        return;
    }
    strbuf_addz(p->out, "<div class=\"table\"><table><tr><th class=\"num\">times</th><th>change</th><th>first at</th></tr>\n");
    for (size_t i = 0; i < d->retypes.len && i < TENSORS_SHOWN; i++) {
        const struct diff_retype *retype = &d->retypes.items[i];
        strbuf_addf(p->out, "<tr data-place=\"%u\">", p->b_place[retype->b]);
        strbuf_addu(&text, retype->count);
        cell(p, &text, true);
        diff_retype_text(&text, d, retype, arrow);
        cell(p, &text, false);
        strbuf_addf(&text, "#%u ", d->b_ops.items[retype->b]);
        short_location(&text, footprint_op_location(d->b, d->b_ops.items[retype->b]));
        cell(p, &text, false);
        strbuf_addz(p->out, "</tr>\n");
    }
    for (size_t i = 0; i < d->rewrites.len && i < TENSORS_SHOWN; i++) {
        const struct diff_hunk *hunk = &d->hunks.items[d->rewrites.items[i].hunk];
        bool in_b = hunk->b < hunk->b_end;
        uint32_t op = in_b ? d->b_ops.items[hunk->b] : d->a_ops.items[hunk->a];
        strbuf_addf(p->out, "<tr data-place=\"%u\">", in_b ? p->b_place[hunk->b] : p->a_place[hunk->a]);
        strbuf_addu(&text, d->rewrites.items[i].count);
        cell(p, &text, true);
        diff_rewrite_text(&text, d, &d->rewrites.items[i], arrow);
        cell(p, &text, false);
        strbuf_addf(&text, "#%u ", op);
        short_location(&text, in_b ? footprint_op_location(d->b, op) : footprint_op_location(d->a, op));
        cell(p, &text, false);
        strbuf_addz(p->out, "</tr>\n");
    }
    strbuf_addz(p->out, "</table></div>\n");
    strbuf_release(&text);
}

static void note(struct diff_page *p, const char *what, struct strbuf *text) {
    strbuf_addf(p->out, "<p>%s: ", what);
    escape_xml(p->out, strbuf_slice(text));
    strbuf_addz(p->out, "</p>\n");
    strbuf_clear(text);
}

static void notes(struct diff_page *p) {
    struct strbuf text = {0};
    if (diff_pass_words(&text, p->d, false)) note(p, "Pass", &text);
    if (diff_pass_words(&text, p->d, true)) note(p, "Pass", &text);
    if (diff_failure_words(&text, p->d, true)) note(p, "Failed", &text);
    if (diff_failure_words(&text, p->d, false)) note(p, "Failed before", &text);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (diff_config_words(&text, p->d, (enum pool)pool, arrow)) note(p, "Configuration", &text);
    if (diff_ranks_words(&text, p->d, arrow)) note(p, "Ranks", &text);
    if (diff_growth_words(&text, p->d, arrow)) note(p, "Per pass", &text);
    if (diff_host_words(&text, p->d, arrow)) note(p, "Host memory", &text);
    strbuf_release(&text);
}

/* The ranks that changed, and why the one with the largest change did, if the rest is about another one. */
static void ranks(struct diff_page *p, const struct diff_request *request) {
    struct diff_rank *rows;
    struct strbuf text = {0};
    size_t count = diff_by_rank(p->d, &rows), changed = 0;
    for (size_t i = 0; i < count; i++) changed += rows[i].a != rows[i].b;
    if (count) strbuf_addf(p->out, "<h2>Ranks: %zu of %zu with another DRAM peak</h2>\n", changed, count);
    if (changed)
        strbuf_addz(p->out,
                    "<div class=\"table\"><table><tr><th>rank</th><th class=\"num\">before</th><th class=\"num\">after</th>"
                    "<th class=\"num\">change per bank</th></tr>\n");
    for (size_t i = 0; i < changed; i++) {
        strbuf_addz(p->out, "<tr>");
        diff_rank_name(&text, p->d, &rows[i], arrow);
        cell(p, &text, false);
        strbuf_addf(&text, "%s%s MB", rows[i].a_bound ? "at least " : "", figure_milli(rows[i].a, 3).text);
        cell(p, &text, true);
        strbuf_addf(&text, "%s%s MB", rows[i].b_bound ? "at least " : "", figure_milli(rows[i].b, 3).text);
        cell(p, &text, true);
        add_log_size(&text, num_milli_mb_to_bytes((int64_t)rows[i].b - rows[i].a), true);
        cell(p, &text, true);
        strbuf_addz(p->out, "</tr>\n");
    }
    if (changed) strbuf_addz(p->out, "</table></div>\n");
    free(rows);
    strbuf_release(&text);
    if (!request->changed) return;
    struct diff_page of_rank = *p;
    of_rank.d = request->changed;
    strbuf_addz(p->out, "<p>Why rank ");
    escape_xml(p->out, request->changed_rank);
    strbuf_addz(p->out, " changed:</p>\n");
    causes(&of_rank, POOL_DRAM);
}

void diff_html(struct strbuf *out, const struct diff_request *request) {
    struct diff_page p = {.out = out, .d = request->diff};
    struct slice rest = diff_template();
    struct strbuf headline = {0};
    diff_headline(&headline, request->diff);
    lay_out(&p);
    strbuf_add(out, template_until(&rest, "TITLE"));
    escape_xml(out, strbuf_slice(&headline));
    strbuf_add(out, template_until(&rest, "HEADLINE"));
    escape_xml(out, strbuf_slice(&headline));
    strbuf_add(out, template_until(&rest, "BODY"));
    notes(&p);
    ranks(&p, request);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) parts(&p, (enum pool)pool);
    ops(&p);
    strbuf_add(out, template_until(&rest, "DATA"));
    data(&p, request);
    strbuf_add(out, rest);
    strbuf_release(&headline);
    free(p.a_place);
    free(p.b_place);
}
