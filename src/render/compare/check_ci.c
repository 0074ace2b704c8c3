/* SPDX-License-Identifier: Apache-2.0 */
/* The result of ttmem check for CI systems: JUnit XML, workflow commands and the step's summary for GitHub, findings. */
#include <stdlib.h>

#include "base/amounts.h"
#include "render/ci/junit.h"
#include "render/compare/check_ci.h"
#include "render/format/escape.h"
#include "render/format/markdown.h"
#include "render/format/predicted.h"

enum { MOST_ROWS = 500, TOP_ALIVE = 5, LONGEST_RULE = 200, LONGEST_WITNESS = 300 }; /* a step's summary has at most 1 MiB */

/* "is 861.120 MB, limit 858.021 MB; after #41 ttnn.matmul" */
static void add_message(struct strbuf *out, const struct check_report *r, const struct judgement *j) {
    struct strbuf witness = {0};
    if (j->state == JUDGED_NOT) {
        strbuf_addz(out, j->why);
        return;
    }
    strbuf_addz(out, "is ");
    judgement_value(out, j);
    if (j->rule->kind != RULE_NO_FAILURE) {
        strbuf_addz(out, ", limit ");
        measure_amount(out, j->rule->measure, j->limit);
    }
    judgement_witness(&witness, j, r->run);
    if (witness.len) strbuf_addz(out, "; ");
    strbuf_add(out, strbuf_slice(&witness));
    if (j->value.caveat) strbuf_addf(out, "; %s", j->value.caveat);
    strbuf_release(&witness);
}

struct slice judgement_location(const struct judgement *j, const struct footprint *f) {
    const struct measure_value *v = &j->value;
    if (v->leak < f->leaks.len) return footprint_text(f, f->kinds.items[f->leaks.items[v->leak].kind].location);
    if (v->tensor && v->tensor->kind != NONE) return footprint_text(f, f->kinds.items[v->tensor->kind].location);
    return v->op != NONE ? footprint_op_location(f, v->op) : slice_of("", 0);
}

/* --- worst first --- */

/* By how much a rule is exceeded, in thousandths of its limit: rules about failures and others that allow nothing come
 * first. */
static int64_t excess(const struct judgement *j) {
    if (j->rule->kind == RULE_NO_FAILURE || !j->limit) return INT64_MAX;
    double share = -(double)j->margin / (double)(j->limit < 0 ? -j->limit : j->limit);
    return share > 1e12 ? INT64_MAX : (int64_t)(share * 1000);
}

static int worse_first(const void *a, const void *b, void *context) {
    const struct check_report *r = context;
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct judgement *x = &r->judgements[i], *y = &r->judgements[k];
    static const int order[] = {[JUDGED_BREACH] = 0, [JUDGED_NOT] = 1, [JUDGED_OK] = 2};
    if (order[x->state] != order[y->state]) return order[x->state] - order[y->state];
    if (x->state == JUDGED_BREACH && excess(x) != excess(y)) return excess(x) > excess(y) ? -1 : 1;
    return i < k ? -1 : i > k;
}

/* Indices of the judgements; the caller frees them. */
static size_t *by_badness(const struct check_report *r) {
    size_t *order = mem_zalloc(r->count + 1, sizeof *order);
    for (size_t i = 0; i < r->count; i++) order[i] = i;
    qsort_r(order, r->count, sizeof *order, worse_first, (void *)(uintptr_t)r);
    return order;
}

/* --- JUnit --- */

static bool is_bound(const struct measure *measure, const struct measure_value *value) {
    struct measure_range range = measure_range(measure, value);
    return value->range && (range.low != value->value || range.high != value->value);
}

static void properties(struct strbuf *out, const struct check_report *r) {
    struct strbuf name = {0}, value = {0};
    strbuf_addz(out, "<properties>\n");
    for (const struct measure *m = measure_table; m->name; m++) {
        struct measure_value measured = measure_read(m, r->run);
        if (!measured.known) continue;
        strbuf_clear(&name);
        strbuf_clear(&value);
        strbuf_addf(&name, "ttmem.%s%s", m->name, measure_unit(m));
        strbuf_addf(&value, "%lld", (long long)measured.value);
        junit_property(out, strbuf_slice(&name), strbuf_slice(&value));
        size_t stem = name.len;
        if (measured.bound || is_bound(m, &measured)) {
            strbuf_addz(&name, ".bound");
            junit_property(out, strbuf_slice(&name), slice_from(measured.bound ? measured.bound : measured.range));
        }
        if (!measured.caveat) continue;
        name.len = stem;
        strbuf_addz(&name, ".caveat");
        junit_property(out, strbuf_slice(&name), slice_from(measured.caveat));
    }
    strbuf_addz(out, "</properties>\n");
    strbuf_release(&name);
    strbuf_release(&value);
}

void check_junit(struct strbuf *out, const struct check_report *r) {
    struct strbuf message = {0}, name = {0};
    strbuf_addz(&name, "ttmem check ");
    strbuf_add(&name, r->name);
    junit_begin(
        out,
        &(struct junit_suite){
            .name = strbuf_slice(&name), .tests = r->count, .failures = r->breaches, .errors = r->not_judged, .time = r->time});
    properties(out, r);
    for (size_t i = 0; i < r->count; i++) {
        const struct judgement *j = &r->judgements[i];
        junit_case(out, footprint_text(r->run, r->run->name), j->rule->text);
        strbuf_clear(&message);
        add_message(&message, r, j);
        if (j->state == JUDGED_OK) {
            strbuf_addz(out, "<system-out>");
            escape_xml(out, strbuf_slice(&message));
            strbuf_addz(out, "</system-out></testcase>\n");
            continue;
        }
        const char *element = j->state == JUDGED_BREACH ? "failure" : "error";
        strbuf_addf(out, "\n<%s message=\"", element);
        escape_xml(out, strbuf_slice(&message));
        strbuf_addf(out, "\"></%s>\n</testcase>\n", element);
    }
    junit_end(out);
    strbuf_release(&message);
    strbuf_release(&name);
}

/* --- GitHub --- */

void check_github(struct strbuf *out, const struct check_report *r) {
    struct strbuf message = {0};
    size_t *order = by_badness(r);
    for (size_t i = 0; i < r->count; i++) {
        const struct judgement *j = &r->judgements[order[i]];
        const struct check_place *place = &r->places[order[i]];
        if (j->state == JUDGED_OK) continue;
        strbuf_clear(&message);
        strbuf_add(&message, r->name);
        strbuf_addz(&message, ": ");
        add_message(&message, r, j);
        strbuf_addz(out, "::error ");
        if (place->path.len) {
            strbuf_addz(out, "file=");
            escape_github(out, place->path, true);
            strbuf_addf(out, ",line=%u,", place->line);
        }
        strbuf_addz(out, j->state == JUDGED_BREACH ? "title=memory budget " : "title=memory budget not judged ");
        escape_github(out, j->rule->text, true);
        strbuf_addz(out, "::");
        escape_github(out, strbuf_slice(&message), false);
        strbuf_addc(out, '\n');
    }
    free(order);
    strbuf_release(&message);
}

static void amount_cell(struct strbuf *out, const struct judgement *j, bool known, int64_t value) {
    struct strbuf text = {0};
    if (known) measure_amount(&text, j->rule->measure, value);
    md_cellf(out, "%s", known ? strbuf_text(&text) : "");
    strbuf_release(&text);
}

static void rule_rows(struct strbuf *out, const struct check_report *r) {
    static const char *const verdicts[] = {[JUDGED_OK] = "ok", [JUDGED_BREACH] = "**breach**", [JUDGED_NOT] = "not judged"};
    size_t *order = by_badness(r);
    struct strbuf why = {0};
    md_table(out, SLICE("rule|value|limit|margin|verdict|why"));
    for (size_t i = 0; i < r->count && i < MOST_ROWS; i++) {
        const struct judgement *j = &r->judgements[order[i]];
        bool judged = j->state != JUDGED_NOT, limited = judged && j->rule->kind != RULE_NO_FAILURE;
        strbuf_clear(&why);
        if (!judged) strbuf_addz(&why, j->why);
        else if (j->state == JUDGED_BREACH) judgement_witness(&why, j, r->run);
        if (judged && j->value.caveat) strbuf_addf(&why, "%s%s", why.len ? "; " : "", j->value.caveat);
        md_cell(out, j->rule->text, LONGEST_RULE);
        struct strbuf value = {0};
        if (judged) judgement_value(&value, j);
        md_cellf(out, "%s", strbuf_text(&value));
        strbuf_release(&value);
        amount_cell(out, j, limited, j->limit);
        amount_cell(out, j, limited, j->margin);
        md_cellf(out, "%s", verdicts[j->state]);
        if (why.len) md_cell(out, strbuf_slice(&why), LONGEST_WITNESS);
        else md_cellf(out, "%s", "");
        md_row_end(out);
    }
    if (r->count > MOST_ROWS) strbuf_addf(out, "\n... and %zu more\n", r->count - MOST_ROWS);
    free(order);
    strbuf_release(&why);
}

/* The largest tensors alive at the DRAM peak. */
static void alive_rows(struct strbuf *out, const struct footprint *f) {
    size_t shown = 0;
    struct strbuf text = {0};
    for (size_t i = 0; i < f->tensors.len && shown < TOP_ALIVE; i++) {
        const struct footprint_tensor *t = &f->tensors.items[i];
        if (t->pool != POOL_DRAM || t->type >= f->types.len) continue;
        const struct footprint_type *type = &f->types.items[t->type];
        if (!shown++) {
            strbuf_addz(out, "\nLargest at the DRAM peak:\n\n");
            md_table(out, SLICE("per bank|class|tensor|made by"));
        }
        strbuf_clear(&text);
        add_size(&text, type->per_bank_bytes);
        md_cellf(out, "%s", strbuf_text(&text));
        md_cellf(out, "%s", live_class_names[t->class]);
        strbuf_clear(&text);
        strbuf_add(&text, type->shape ? footprint_text(f, type->shape) : SLICE("scalar"));
        strbuf_addc(&text, ' ');
        strbuf_add(&text, footprint_text(f, type->dtype));
        md_cell(out, strbuf_slice(&text), LONGEST_RULE);
        strbuf_clear(&text);
        if (t->op != NONE) strbuf_addf(&text, "#%u ", t->op);
        strbuf_add(&text, footprint_text(f, t->kind != NONE ? f->kinds.items[t->kind].name : t->name));
        md_cell(out, strbuf_slice(&text), LONGEST_RULE);
        md_row_end(out);
    }
    strbuf_release(&text);
}

void check_markdown(struct strbuf *out, const struct check_report *r) {
    struct strbuf title = {0};
    strbuf_addz(&title, "Memory budget: ");
    strbuf_add(&title, slice_take(r->name, r->name.len < LONGEST_RULE ? r->name.len : LONGEST_RULE));
    strbuf_addf(&title, "%s, %zu of %zu rules hold", footprint_is_predicted(r->run) ? " (predicted)" : "",
                r->count - r->breaches - r->not_judged, r->count);
    md_heading(out, 3, strbuf_slice(&title));
    strbuf_addc(out, '\n');
    rule_rows(out, r);
    alive_rows(out, r->run);
    strbuf_addc(out, '\n');
    strbuf_release(&title);
}

/* --- findings --- */

static const struct ci_rule budget_rules[] = {
    [CHECK_BREACH] = {"TTM101", "MemoryBudgetBreached", "A run takes more memory than its budget allows",
                      "ttmem live RUN --at peak shows what holds it, ttmem diff what changed against another run.", true},
    [CHECK_NOT_JUDGED] = {"TTM102", "MemoryBudgetNotJudged", "A rule of the memory budget cannot be judged from the run",
                          "The message says what the log lacks; ttmem run sets the log levels that print it.", false},
};

void check_findings_make(struct check_findings *all, const struct check_report *r) {
    size_t *order = by_badness(r);
    struct strbuf message = {0};
    *all = (struct check_findings){0};
    for (size_t i = 0; i < r->count; i++) {
        const struct judgement *j = &r->judgements[order[i]];
        const struct check_place *place = &r->places[order[i]];
        if (j->state == JUDGED_OK) continue;
        strbuf_clear(&message);
        strbuf_add(&message, footprint_text(r->run, r->run->name));
        strbuf_addz(&message, ": ");
        strbuf_add(&message, j->rule->text);
        strbuf_addz(&message, ": ");
        add_message(&message, r, j);
        /* the model and its rule: the same finding in every run */
        size_t scope = footprint_text(r->run, r->run->name).len + 2 + j->rule->text.len;
        struct slice text = arena_copy(&all->arena, strbuf_slice(&message));
        struct ci_finding finding = {.rule = j->state == JUDGED_BREACH ? CHECK_BREACH : CHECK_NOT_JUDGED,
                                     .message = text,
                                     .path = place->path,
                                     .line = place->line,
                                     .scope = slice_take(text, scope),
                                     .is_figure = true};
        vec_push(&all->items, finding);
    }
    free(order);
    strbuf_release(&message);
    all->findings =
        (struct ci_findings){budget_rules, sizeof budget_rules / sizeof *budget_rules, all->items.items, all->items.len};
}

void check_findings_release(struct check_findings *all) {
    vec_release(&all->items);
    arena_release(&all->arena);
}
