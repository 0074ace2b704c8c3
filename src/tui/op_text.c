/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/op_text.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/format/short_location.h"
#include "render/format/warning_words.h"

enum { LABEL = 12, MAX_TEXT = 4000, MAX_WEIGHTS = 16 };

static void label(struct strbuf *out, const struct term *term, const char *text) {
    term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "  %-*s", LABEL, text);
    term_tone(out, term, TONE_PLAIN);
}

static void text_line(struct strbuf *out, const struct term *term, const char *name, struct slice text) {
    if (!text.len) return;
    label(out, term, name);
    term_text(out, term, text, 0);
    strbuf_addc(out, '\n');
}

static void pools(struct strbuf *out, const struct term *term, const struct run *run, const struct step *step) {
    const struct block *before = step->block == NONE ? NULL : &run->blocks.items[step->block];
    const struct block *after = step->after == NONE ? NULL : &run->blocks.items[step->after];
    label(out, term, run_l1_is_per_core(run) ? "MB" : "MB per bank");
    term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "%-10s %12s %12s %12s %12s %12s\n", "", "before", "after", "change", "free before", "largest");
    term_tone(out, term, TONE_PLAIN);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        bool has_before = before && before->have & 1u << pool, has_after = after && after->have & 1u << pool;
        if (!has_before && !has_after) continue;
        label(out, term, "");
        strbuf_addf(out, "%-10s", pool == POOL_L1 && run_l1_is_per_core(run) ? "L1 a core" : pool_names[pool]);
        if (has_before) strbuf_addf(out, " %12s", figure_milli(before->allocated[pool], 3).text);
        else strbuf_addf(out, " %12s", "?");
        if (has_after) strbuf_addf(out, " %12s", figure_milli(after->allocated[pool], 3).text);
        else strbuf_addf(out, " %12s", "?");
        if (has_before && has_after)
            strbuf_addf(out, " %12s",
                        figure_change((int64_t)after->allocated[pool] - (int64_t)before->allocated[pool], 3).text);
        else strbuf_addf(out, " %12s", "");
        if (has_before)
            strbuf_addf(out, " %12s %12s", block_free_known(before, pool) ? figure_milli(before->free[pool], 3).text : "?",
                        block_largest_known(before, pool) ? figure_milli(before->largest[pool], 3).text : "?");
        strbuf_addc(out, '\n');
    }
    if (!before && !after) strbuf_addz(out, "              no memory block around this op\n");
}

static void types(struct strbuf *out, const struct term *term, const struct run *run, const struct op *op) {
    for (unsigned i = 0; i < (unsigned)op->operand_count + op->result_count; i++) {
        bool result = i >= op->operand_count;
        const struct tensor_type *type = &run->types.items[run->refs.items[op->first_ref + i].type];
        label(out, term, i == 0 && !result ? "in" : i == op->operand_count ? "out" : "");
        term_text(out, term, type->shape, 40);
        strbuf_addc(out, ' ');
        term_text(out, term, type->dtype, 24);
        char padded[256];
        size_t n = tensor_padded_shape(type, padded, sizeof padded);
        if (n && !slice_equal(slice_of(padded, n), type->shape)) {
            term_tone(out, term, TONE_DIM);
            strbuf_addf(out, "  padded %.*s", (int)n, padded);
            term_tone(out, term, TONE_PLAIN);
        }
        if (type->memref.len) {
            strbuf_addz(out, "  ");
            term_text(out, term, type->memref, 48);
        }
        strbuf_addc(out, '\n');
    }
}

static void weights(struct strbuf *out, const struct term *term, const struct run *run, const struct step *step) {
    uint32_t found[MAX_WEIGHTS];
    size_t n = step_weights(run, step, found, MAX_WEIGHTS);
    for (size_t i = 0; i < n && i < MAX_WEIGHTS; i++) {
        const struct registry_entry *entry = &run->registry.items[found[i]];
        label(out, term, i ? "" : "weights");
        term_text(out, term, entry->name, 60);
        strbuf_addz(out, "  ");
        term_text(out, term, entry->shape, 30);
        strbuf_addc(out, ' ');
        term_text(out, term, entry->dtype, 16);
        strbuf_addc(out, '\n');
    }
}

/* The line of the log, in pieces as wide as the screen. */
static void source_text(struct strbuf *out, const struct term *term, const struct opened *opened, const struct op *op) {
    struct slice text = slice_take(run_op_text(opened->run, op), MAX_TEXT);
    if (!text.len) return;
    strbuf_addc(out, '\n');
    size_t width = term->columns > 20 ? term->columns - 6 : 74;
    while (text.len) {
        struct slice piece = slice_take(text, width);
        strbuf_addz(out, "  ");
        term_text(out, term, piece, 0);
        strbuf_addc(out, '\n');
        text = slice_skip(text, piece.len);
    }
}

void op_text(struct strbuf *out, const struct term *term, const struct opened *opened, size_t record) {
    const struct run *run = opened->run;
    const struct step *step = &run->steps.items[run->records.items[record]];
    const struct op *op = step->op == NONE ? NULL : &run->ops.items[step->op];
    term_tone(out, term, TONE_BOLD);
    strbuf_addf(out, "#%zu ", record);
    term_text(out, term, step_name(run, step), 0);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n");
    if (op && op->display) {
        struct strbuf place = {0};
        short_location(&place, run_string(run, op->display));
        bool parsed = !slice_equal(strbuf_slice(&place), run_string(run, op->display));
        if (parsed) text_line(out, term, "module", strbuf_slice(&place));
        text_line(out, term, "location", run_string(run, op->display));
        strbuf_release(&place);
    }
    if (op) text_line(out, term, "calls", run_string(run, op->callee));
    uint32_t program = step_program(run, step);
    if (program != NONE) text_line(out, term, "program", run_string(run, run->programs.items[program].name));
    bool miss = false;
    struct slice graph = step_const_eval(run, step, &miss);
    text_line(out, term, "const-eval", graph);
    text_line(out, term, "rank", run_string(run, run->ranks.items[step->rank].name));
    label(out, term, "line");
    strbuf_addf(out, "%llu of the log\n\n", (unsigned long long)step->line);
    pools(out, term, run, step);
    strbuf_addc(out, '\n');
    if (op) types(out, term, run, op);
    weights(out, term, run, step);
    if (op) source_text(out, term, opened, op);
}
