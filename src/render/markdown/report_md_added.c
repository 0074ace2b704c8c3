/* SPDX-License-Identifier: Apache-2.0 */
/* The sections that the older tool did not have: the failure, growth, what is alive at the peak, fragmentation, caveats. */
#include <stdio.h>

#include "analysis/rules/computed.h"
#include "analysis/run/change_kind.h"
#include "base/num.h"
#include "render/answer/explain.h"
#include "base/amounts.h"
#include "render/format/markdown.h"
#include "render/markdown/report_md_parts.h"
#include "render/format/warning_words.h"

enum { HEADLINE_MOST = 200, ADVICE_MOST = 600, FAILURES_ADVISED = 3 };

/* The figures of the message, in report order. */
static const struct {
    enum failure_number number;
    const char *label, *unit;
} failure_rows[] = {
    {FAILURE_REQUESTED, "requested", " B"},
    {FAILURE_BANKS, "banks", ""},
    {FAILURE_PER_BANK, "per bank", " B"},
    {FAILURE_FREE, "free per bank", " B"},
    {FAILURE_LARGEST, "largest free block", " B"},
    {FAILURE_ALLOCATED, "allocated per bank", " B"},
    {FAILURE_BANK, "bank size", " B"},
    {FAILURE_REGION_END, "buffers end at", ""},
    {FAILURE_L1_ADDRESS, "L1 tensor at", ""},
    {FAILURE_LIMIT, "limit", " B"},
};

/* The label of a kind's figures, if the common one does not fit. */
static const char *failure_label(const struct failure *f, size_t row) {
    enum failure_number number = failure_rows[row].number;
    if (f->kind == FAILURE_CB_RULE && number == FAILURE_REQUESTED) return "circular buffer";
    if (f->kind == FAILURE_CB_RULE && number == FAILURE_LIMIT) return f->limit_is_page ? "page" : "its L1 buffer";
    if (number != FAILURE_LIMIT) return failure_rows[row].label;
    switch (f->kind) {
        case FAILURE_TRACE_REGION:
            return "trace region";
        case FAILURE_KERNEL_CONFIG:
            return "kernel config buffer";
        case FAILURE_OOM_ADDRESS:
            return "lowest address allowed at";
        default:
            return "L1 of a core";
    }
}

static bool failure_figures(struct md_page *p, const struct failure *f) {
    const char *front = "- ";
    for (size_t i = 0; i < sizeof failure_rows / sizeof *failure_rows; i++) {
        if (!failure_knows(f, failure_rows[i].number)) continue;
        strbuf_addf(p->out, "%s%s ", front, failure_label(f, i));
        add_grouped(p->out, f->number[failure_rows[i].number]);
        strbuf_addz(p->out, failure_rows[i].unit);
        front = "; ";
    }
    if (front[0] == '-') return false;
    strbuf_addc(p->out, '\n');
    return true;
}

static void failure_headline(struct md_page *p, const struct explanation *e, bool with_result) {
    struct strbuf text = {0};
    explain_headline(&text, e);
    strbuf_addz(p->out, "**");
    md_text(p->out, strbuf_slice(&text), HEADLINE_MOST);
    strbuf_addf(p->out, "** (line %llu", (unsigned long long)e->line);
    if (e->count > 1) strbuf_addf(p->out, ", printed %llu times", (unsigned long long)e->count);
    strbuf_release(&text);
    if (e->context.rank.len) {
        strbuf_addz(p->out, ", rank ");
        md_text(p->out, e->context.rank, NAME_MOST);
    }
    if (e->context.has_op) {
        strbuf_addz(p->out, ", in ");
        if (e->context.has_index) strbuf_addf(p->out, "op %llu ", (unsigned long long)e->context.op_index);
        md_text(p->out, e->context.op, NAME_MOST);
        if (with_result && e->context.shape.len) {
            strbuf_addz(p->out, " -> ");
            md_text(p->out, e->context.shape, SHAPE_MOST);
            strbuf_addc(p->out, ' ');
            md_text(p->out, e->context.layout, DTYPE_MOST);
        }
    }
    static const char *const endings[] = {[OUTCOME_UNKNOWN] = "; whether it ended the run is not known",
                                          [OUTCOME_ENDED] = "; ended the run: ",
                                          [OUTCOME_CAUGHT] = "; was caught: ",
                                          [OUTCOME_TEST] = "; was caught: "};
    strbuf_addf(p->out, "%s%s)\n", endings[e->outcome.kind], e->outcome.evidence ? e->outcome.evidence : "");
}

static void failure_details(struct md_page *p, const struct explanation *e, bool with_advice) {
    strbuf_addc(p->out, '\n');
    bool figures = failure_figures(p, &e->entry->failure);
    if (e->verdict.contradiction.len) {
        strbuf_addz(p->out, "- contradiction: ");
        md_text(p->out, e->verdict.contradiction, ADVICE_MOST);
        strbuf_addc(p->out, '\n');
    }
    if (!with_advice) return;
    struct arena arena = {0};
    struct verdict advised = explanation_advised(e, &arena);
    for (size_t k = 0; k < advised.advice_len; k++) {
        if (!k && figures) strbuf_addc(p->out, '\n');
        strbuf_addf(p->out, "%zu. ", k + 1);
        struct strbuf line = {0};
        strbuf_add(&line, advised.advice[k]);
        explain_worth(&line, &advised, k);
        md_text(p->out, strbuf_slice(&line), ADVICE_MOST);
        strbuf_release(&line);
        strbuf_addc(p->out, '\n');
    }
    arena_release(&arena);
}

/* The first row is the headline of the decisive failure, which is kept to the end; each further one is a failure with its
 * figures, the first few with what to do. */
size_t md_failures(struct md_page *p, size_t limit) {
    const struct explain *explain = &p->o->failures;
    size_t count = explain->failures.len, shown = limit < 2 ? 1 : limit - 1;
    if (!count || !limit) return count ? count + 1 : 0;
    if (shown > count) shown = count;
    md_heading(p->out, 2, SLICE("Failure"));
    for (size_t i = 0; i < shown; i++) {
        const struct explanation *e = explain_ranked(explain, i);
        if (i) strbuf_addc(p->out, '\n');
        failure_headline(p, e, limit > 1);
        if (limit > 1) failure_details(p, e, i < FAILURES_ADVISED);
    }
    uint64_t more = count - shown + explain->left_out;
    md_more(p, more, more == 1 ? "failure" : "failures");
    if (limit > 1) md_next(p, "explain", "%s", "");
    return count + 1;
}

/* What each pass leaves allocated, and what is held without need. */
size_t md_left(struct md_page *p, size_t limit) {
    const struct leaks *leaks = &p->o->leaks;
    if (!leaks->rows.len || !limit) return leaks->rows.len;
    md_heading(p->out, 2, SLICE("Left Behind by Passes"));
    md_table(p->out, run_l1_is_per_core(p->run)
                         ? SLICE("Op#|Operation|Location|IR|Tensor|Pool|MB/bank (L1: /core) per pass|Passes|So far")
                         : SLICE("Op#|Operation|Location|IR|Tensor|Pool|MB/bank per pass|Passes|MB/bank so far"));
    for (size_t i = 0; i < leaks->rows.len && i < limit; i++) {
        const struct leak_row *row = &leaks->rows.items[i];
        uint32_t op = p->run->steps.items[p->run->records.items[row->record]].op;
        uint32_t line = op == NONE ? 0 : p->run->ops.items[op].ir_line;
        const struct tensor_type *type = &p->run->types.items[p->run->tensors.items[row->tensor].type];
        md_op_cells(p, row->record, true);
        if (line) md_cellf(p->out, "TTNN:%u", line);
        else md_cellf(p->out, "N/A");
        md_cell_open(p->out);
        md_text(p->out, type->shape, SHAPE_MOST);
        strbuf_addz(p->out, " (");
        md_text(p->out, type->dtype, DTYPE_MOST);
        strbuf_addc(p->out, ')');
        md_cellf(p->out, "%s", pool_names[row->pool]);
        md_cell_open(p->out);
        add_mb(p->out, leak_pass_bytes(row), 3);
        md_cellf(p->out, "%u of %u", row->passes, row->of);
        md_cell_open(p->out);
        add_mb(p->out, row->bytes, 3);
        md_row_end(p->out);
    }
    if (leaks->rows.items[0].suspect)
        strbuf_addz(p->out, "\nNone of these fits the growth: which of them stays, if any, is not known.\n");
    else if (leaks->passes == 2) strbuf_addz(p->out, "\nSeen between two passes: whether it goes on is not known.\n");
    md_next(p, "op", " %u", leaks->rows.items[0].record);
    return leaks->rows.len;
}

size_t md_growth(struct md_page *p, size_t limit) {
    const struct top_ops *top = &p->figures->top[TOP_GROWTH];
    if (!top->rows.len || !limit) return top->rows.len;
    uint8_t *kinds = change_kinds(p->run, POOL_DRAM);
    md_heading(p->out, 2, SLICE("Largest Growth"));
    md_top_table(p, SLICE("Op#|Operation|Location|Growth (MB)|Output"));
    for (size_t i = 0; i < top->rows.len && i < limit; i++) {
        const struct top_op *row = &top->rows.items[i];
        uint32_t step = p->run->records.items[row->record], op = p->run->steps.items[step].op;
        enum change_kind kind = change_kind_of(p->run, kinds, step);
        md_cellf(p->out, "%zu", i + 1);
        md_times_cells(p, row, true);
        md_cellf(p->out, "%s%s+%s", change_kind_words[kind], kind ? " " : "", figure_milli(row->value, 3).text);
        md_shapes_cell(p, op == NONE ? NULL : &p->run->ops.items[op], true);
        md_rank_cell(p, row->record);
        md_row_end(p->out);
    }
    free(kinds);
    strbuf_addz(
        p->out,
        "\nGrowth (MB): change in DRAM per bank across the op; what a load_cached runs counts once, with the load_cached.\n");
    md_next(p, "op", " %u", top->rows.items[0].record);
    return top->rows.len;
}

static void live_class_row(struct md_page *p, const char *name, uint64_t tensors, int64_t milli, uint32_t allocated) {
    md_cellf(p->out, "%s", name);
    md_cellf(p->out, "%s", tensors ? figure_grouped(tensors).text : "-");
    md_cellf(p->out, "%s", figure_milli(milli, 3).text);
    md_cellf(p->out, "%s%%", figure_percent(milli, allocated, 1).text);
    md_row_end(p->out);
}

static void live_classes(struct md_page *p, const struct live_set *set, uint32_t allocated) {
    static const enum live_class order[] = {LIVE_WEIGHT,   LIVE_ACTIVATION,     LIVE_CONST_EVAL,  LIVE_INPUT,
                                            LIVE_KV_CACHE, LIVE_TEMPORARY,      LIVE_RESHAPE_MAP, LIVE_TABLE,
                                            LIVE_BINARY,   LIVE_CIRCULAR_BUFFER};
    md_table(p->out, SLICE("Class|Tensors|MB/bank|Share"));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct live_sum *sum = &set->by_class[order[i]];
        if (sum->tensors)
            live_class_row(p, live_class_names[order[i]], sum->tensors, num_bytes_to_milli_mb(sum->per_bank_bytes), allocated);
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct live_computed *c = &set->computed[order[i]];
        char name[64];
        snprintf(name, sizeof name, "%s (computed%s)", live_class_names[order[i]],
                 computed_is_estimate(order[i]) ? ", estimate" : "");
        if (c->bytes) live_class_row(p, name, 0, num_bytes_to_milli_mb(c->bytes), allocated);
    }
    int64_t rest = live_unattributed(set, allocated);
    live_class_row(p, "unattributed", 0, rest, allocated);
    if (set->computed_bytes)
        strbuf_addz(p->out, "\nComputed: in no tensor of the log, by the ops that ran; it stays until the device is closed.\n");
    if (rest < 0)
        strbuf_addz(
            p->out,
            "\nUnattributed is negative: the op lines name more tensors than the runtime holds (views, early frees).\n");
}

static void live_tensor_row(struct md_page *p, size_t rank, const struct tensor *tensor) {
    const struct tensor_type *type = &p->run->types.items[tensor->type];
    struct live_sum sum = tensor_sum(p->run, tensor);
    md_cellf(p->out, "%zu", rank);
    md_cell_open(p->out);
    md_text(p->out, type->shape, SHAPE_MOST);
    strbuf_addz(p->out, type->shape.len ? " (" : "(");
    md_text(p->out, type->dtype, DTYPE_MOST);
    strbuf_addc(p->out, ')');
    md_cellf(p->out, "%s", live_class_names[tensor_live_class(p->run, tensor)]);
    md_cellf(p->out, "%s", memory_layout_name(type->memory_layout));
    md_cell_open(p->out);
    add_mb(p->out, sum.per_bank_bytes, 3);
    md_cell_open(p->out);
    if (type->logical_known && sum.logical_bytes && sum.padded_bytes)
        add_percent_close(p->out, (int64_t)sum.padding_bytes, sum.logical_bytes);
    else strbuf_addz(p->out, "N/A");
    struct slice name = tensor_name(p->run, tensor);
    uint32_t record = tensor->producer == NONE ? NONE : p->run->steps.items[tensor->producer].record;
    struct strbuf from = {0};
    if (name.len) strbuf_add(&from, name);
    else if (tensor->class == TENSOR_ARGUMENT) strbuf_addf(&from, "%%arg%u", tensor->argument);
    else if (record != NONE) {
        strbuf_addf(&from, "op %u ", record);
        strbuf_add(&from, step_name(p->run, &p->run->steps.items[tensor->producer]));
    }
    md_cell(p->out, strbuf_slice(&from), NAME_MOST);
    md_row_end(p->out);
    strbuf_release(&from);
}

static size_t md_holders(struct md_page *p, size_t limit) {
    const struct holders *held = &p->o->holders;
    if (!held->len || !limit) return held->len;
    md_heading(p->out, 2, SLICE("Held at Peak, by Difference"));
    strbuf_addz(
        p->out,
        "The log has no op lines, so no tensor is known: a rise that no later fall gives back is held since that op.\n\n");
    md_alive_table(p, SLICE("Held since|MB/bank|Share"));
    for (size_t i = 0; i < held->len && i < limit; i++) {
        uint32_t record = held->items[i].record;
        md_cellf(p->out, "%zu", i + 1);
        struct strbuf from = {0};
        char room[HOLDER_ROOM];
        strbuf_addz(&from, holder_since(&held->items[i], room));
        if (record != NONE) {
            strbuf_addf(&from, "op %u ", record);
            strbuf_add(&from, step_name(p->run, &p->run->steps.items[p->run->records.items[record]]));
        }
        md_cell(p->out, strbuf_slice(&from), NAME_MOST);
        strbuf_release(&from);
        md_cellf(p->out, "%s", figure_milli(held->items[i].milli, 3).text);
        md_cellf(p->out, "%s%%", figure_percent(held->items[i].milli, p->o->peaks.pools[POOL_DRAM].allocated, 1).text);
        md_row_end(p->out);
    }
    md_next(p, "live", " --at peak --limit 0");
    return held->len;
}

size_t md_live(struct md_page *p, size_t limit) {
    const struct live_set *set = &p->o->at_peak;
    const struct peak *dram = &p->o->peaks.pools[POOL_DRAM];
    if (p->o->holders.len) return md_holders(p, limit);
    if (!set->tensors.len || !limit) return set->tensors.len;
    md_heading(p->out, 2, SLICE("Live at Peak"));
    live_classes(p, set, dram->allocated);
    strbuf_addc(p->out, '\n');
    md_alive_table(p, SLICE("Tensor|Class|Layout|MB/bank|Padding|From"));
    for (size_t i = 0; i < set->tensors.len && i < limit; i++)
        live_tensor_row(p, i + 1, &p->run->tensors.items[set->tensors.items[i]]);
    md_more(p, set->tensors.len > limit ? set->tensors.len - limit : 0, "live tensors");
    md_next(p, "live", " --at peak --limit 0");
    return set->tensors.len;
}

static void fragmentation_row(struct md_page *p, unsigned pool) {
    const struct fragmentation *f = &p->figures->fragmentation[pool];
    md_cellf(p->out, "%s", pool_names[pool]);
    md_op_cells(p, f->worst.after_record, false);
    md_cellf(p->out, "%s MB", figure_milli(f->worst.free, 3).text);
    md_cellf(p->out, "%s MB", figure_milli(f->worst.largest, 3).text);
    bool bound = p->o->peaks.pools[pool].at_least;     /* between the known states less may have been free */
    bool of_sizes = p->o->peaks.pools[pool].of_bounds; /* larger buffers leave less outside the largest block */
    md_cellf(p->out, "%s%s MB (%s%%)",
             of_sizes ? "at most "
             : bound  ? "at least "
                      : "",
             figure_milli(free_gap(&f->worst), 3).text, figure_percent(free_gap(&f->worst), f->worst.free, 1).text);
    md_cellf(p->out, "%s%s MB", bound ? "at most " : "", figure_milli(f->tightest.largest, 3).text);
    md_row_end(p->out);
}

size_t md_fragmentation(struct md_page *p, size_t limit) {
    const struct fragmentation *pools = p->figures->fragmentation;
    size_t gaps = 0;
    uint32_t record = NONE;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (!pools[pool].seen || !free_gap(&pools[pool].worst)) continue;
        if (!gaps++) record = pools[pool].worst.after_record;
    }
    if (!gaps || !limit) return gaps;
    md_heading(p->out, 2, SLICE("Fragmentation"));
    md_table(p->out, SLICE("Type|Op#|Operation|Free|Largest Free Block|Gap|Smallest in Run"));
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (pools[pool].seen && free_gap(&pools[pool].worst)) fragmentation_row(p, pool);
    strbuf_addz(p->out,
                "\nWhere the gap was widest, per bank, after that op. Smallest in Run: the lowest value of the largest free "
                "block; a "
                "larger tensor could not have been placed then.");
    strbuf_addz(p->out, p->run->origin == RUN_LOG
                            ? " Runtime logs have no addresses: what lies between the holes is not known.\n"
                            : "\n");
    if (record != NONE) md_next(p, "op", " %u", record);
    else md_next(p, "summary", "%s", "");
    return gaps;
}

static void caveat_warning(struct md_page *p, enum warning kind) {
    strbuf_addz(p->out, "- ");
    add_grouped(p->out, p->run->warnings[kind]);
    strbuf_addf(p->out, " %s", warning_words(kind, p->run->warnings[kind]));
    uint64_t line = p->run->first_warning_line[kind];
    if (line) strbuf_addf(p->out, ", first at line %llu", (unsigned long long)line);
    if (p->run->first_warning_file[kind]) {
        strbuf_addz(p->out, " of rank ");
        md_text(p->out, run_string(p->run, p->run->first_warning_file[kind]), NAME_MOST);
    }
    strbuf_addz(p->out, ".\n");
}

size_t md_caveats(struct md_page *p, size_t limit) {
    const struct overview *o = p->o;
    size_t count = o->missing.len + o->has_live;
    for (unsigned i = 0; i < WARN_COUNT; i++) count += p->run->warnings[i] > 0;
    if (!count || !limit) return count;
    md_heading(p->out, 2, SLICE("Caveats"));
    for (size_t i = 0; i < o->missing.len; i++)
        strbuf_addf(p->out, "- Not in this %s: %s (%s).\n", run_origin_word(p->run->origin), o->missing.items[i].what,
                    o->missing.items[i].setting);
    if (o->has_live)
        strbuf_addz(p->out,
                    "- Live tensors, padding and classes follow from op lines and are estimates; the allocated figures are the "
                    "runtime's own.\n");
    for (unsigned i = 0; i < WARN_COUNT; i++)
        if (p->run->warnings[i]) caveat_warning(p, (enum warning)i);
    md_next(p, "info", "%s", "");
    return count;
}
