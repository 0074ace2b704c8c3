/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/top_report.h"

#include "analysis/run/change_kind.h"
#include "analysis/run/op_padding.h"
#include "analysis/run/peaks.h"
#include "analysis/search/op_search.h"
#include "analysis/compare/ranks.h"
#include "base/amounts.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"
#include "render/format/short_location.h"
#include "render/format/warning_words.h"

/* By enum top_by. */
static const struct {
    const char *title, *key;
} measures[TOP_BY_COUNT] = {
    [TOP_DRAM] = {"the most DRAM allocated per bank between the op and the next one, by everything",
                  "allocated_bytes_per_bank"},
    [TOP_L1] = {"the most L1 allocated per bank between the op and the next one, circular buffers included",
                "allocated_bytes_per_bank"},
    [TOP_GROWTH] = {"change in DRAM per bank across the op", "change_bytes_per_bank"},
    [TOP_PADDING] = {"padding of the op's result, all banks", "padding_bytes"},
    [TOP_BYTE_SECONDS] = {"DRAM per bank of the op's results times the time from its start until they are freed",
                          "byte_seconds_per_bank"},
    [TOP_L1_BYTE_SECONDS] = {"L1 per bank of the op's results times the time from its start until they are freed",
                             "byte_seconds_per_bank"},
};

static bool is_held(enum top_by by) { return by == TOP_BYTE_SECONDS || by == TOP_L1_BYTE_SECONDS; }

/* What the ops are ranked by, for this run. */
static const char *title_of(const struct run *run, enum top_by by) {
    if (run_l1_is_per_core(run) && by == TOP_L1)
        return run->l1.told
                   ? "the most L1 allocated per core between the op and the next one, circular buffers included"
                   : "the most L1 allocated per core between the op and the next one (a lower bound: without circular buffers)";
    if (run_l1_is_per_core(run) && by == TOP_L1_BYTE_SECONDS)
        return "L1 per core of the op's results times the time from its start until they are freed";
    if (by == TOP_L1 && !run->l1.told)
        return "the most L1 allocated per bank between the op and the next one (a lower bound: without circular buffers)";
    return measures[by].title;
}

/* The pool that ops are ranked by, if it is one. */
static bool pool_of(enum top_by by, enum pool *pool) {
    *pool = by == TOP_L1 ? POOL_L1 : POOL_DRAM;
    return by != TOP_PADDING;
}

/* The peak of that pool, if it is a lower bound because some ops were not measured: they may have reached more. */
static bool is_unmeasured(const struct run *run, enum top_by by, struct peak *peak) {
    enum pool pool;
    struct peaks peaks;
    if (!pool_of(by, &pool)) return false;
    peaks_find(run, &peaks, NULL);
    *peak = peaks.pools[pool];
    return peak->seen && peak->at_least && !peak->of_bounds;
}

static void text_unmeasured(struct strbuf *out, const struct run *run, enum top_by by) {
    struct peak peak;
    if (!is_unmeasured(run, by, &peak)) return;
    strbuf_addf(out, "\n  Not all of it was measured: the peak of the run is at least %s MB per %s (%s).\n",
                figure_milli(peak.allocated, 3).text, pool_unit(run, by == TOP_L1 ? POOL_L1 : POOL_DRAM),
                peak_bound_words(&peak));
}

static void json_run_peak(struct json *j, const struct run *run, enum top_by by) {
    enum pool pool;
    struct peaks peaks;
    json_key(j, "peak");
    if (pool_of(by, &pool)) peaks_find(run, &peaks, NULL);
    if (pool_of(by, &pool) && peaks.pools[pool].seen) json_peak(j, run, pool, &peaks.pools[pool]);
    else json_null(j);
}

static const struct op *op_of(const struct run *run, const struct step *step) {
    return step->op == NONE ? NULL : &run->ops.items[step->op];
}

static const struct tensor_type *type_at(const struct run *run, const struct op *op, unsigned ref) {
    return &run->types.items[run->refs.items[op->first_ref + ref].type];
}

static void text_value(struct strbuf *out, enum top_by by, int64_t value) {
    struct strbuf cell = {0};
    if (by == TOP_GROWTH) strbuf_addc(&cell, '+');
    if (by == TOP_PADDING) add_mb(&cell, (uint64_t)value, 3);
    else if (is_held(by)) add_ratio(&cell, value, (int64_t)1000 << 20, 6);
    else add_milli(&cell, value, 3);
    strbuf_fill(out, ' ', cell.len < 12 ? 12 - cell.len : 0);
    strbuf_add(out, strbuf_slice(&cell));
    strbuf_addz(out, is_held(by) ? " MB s  " : " MB  ");
    strbuf_release(&cell);
}

static void text_padding(struct strbuf *out, const struct term *term, const struct run *run, const struct op *op) {
    struct op_padding padding = op_padding(run, op);
    const struct tensor_type *type = &run->types.items[padding.type];
    char padded[256];
    term_text(out, term, type->shape, 40);
    strbuf_addc(out, ' ');
    term_text(out, term, type->dtype, 20);
    strbuf_addz(out, term->utf8 ? " → " : " -> ");
    term_text(out, term, slice_of(padded, tensor_padded_shape(type, padded, sizeof padded)), 40);
    strbuf_addz(out, "  +");
    add_percent(out, (int64_t)op_padding_bytes(&padding), padding.logical_bytes);
    strbuf_addz(out, "  ");
}

/* The op, after the figure at the start of its row. */
static void text_op(struct strbuf *out, const struct term *term, const struct run *run, enum top_by by, uint32_t record) {
    const struct step *step = &run->steps.items[run->records.items[record]];
    const struct op *op = op_of(run, step);
    size_t start = out->len;
    strbuf_addf(out, "#%u ", record);
    term_text(out, term, step_name(run, step), 48);
    size_t used = out->len - start;
    strbuf_fill(out, ' ', used < 34 ? 34 - used : 2);
    if (op && by == TOP_PADDING) text_padding(out, term, run, op);
    else if (op && op->result_count) {
        const struct tensor_type *type = type_at(run, op, op->operand_count);
        term_text(out, term, type->shape, 32);
        strbuf_addc(out, ' ');
        term_text(out, term, type->dtype, 16);
        strbuf_addz(out, "  ");
    }
    struct strbuf place = {0};
    short_location_of(&place, run, step);
    term_text(out, term, strbuf_slice(&place), 60);
    strbuf_release(&place);
    while (out->len && out->data[out->len - 1] == ' ') out->len--;
    if (run_has_ranks(run)) {
        strbuf_addz(out, "  rank ");
        term_text(out, term, rank_title(run, step->rank), 24);
    }
    strbuf_addc(out, '\n');
}

static void text_left_out(struct strbuf *out, const struct top_ops *top) {
    if (top->candidates <= top->rows.len) return;
    strbuf_addz(out, "  ... and ");
    add_grouped(out, top->candidates - top->rows.len);
    strbuf_addz(out, " more; --limit 0 lists all\n");
}

void top_report_text(struct strbuf *out, const struct term *term, const struct run *run, enum top_by by,
                     const struct top_ops *top) {
    term_tone(out, term, TONE_BOLD);
    strbuf_addf(out, "Top ops by %s", top_by_names[by]);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addf(out, ": %s\n\n", title_of(run, by));
    uint8_t *kinds = by == TOP_GROWTH ? change_kinds(run, POOL_DRAM) : NULL;
    for (size_t i = 0; i < top->rows.len; i++) {
        enum change_kind kind = change_kind_of(run, kinds, run->records.items[top->rows.items[i].record]);
        text_value(out, by, top->rows.items[i].value);
        if (kinds) strbuf_addf(out, "%-8s  ", change_kind_words[kind]);
        text_op(out, term, run, by, top->rows.items[i].record);
    }
    free(kinds);
    if (!top->rows.len) strbuf_addz(out, "  none\n");
    text_left_out(out, top);
    text_unmeasured(out, run, by);
    if (by != TOP_PADDING) add_bounds_note(out, term, run);
    add_predicted_note(out, term, run);
}

static void json_types(struct json *j, const char *key, bool dtypes, const struct run *run, const struct op *op, unsigned first,
                       unsigned count) {
    json_key(j, key);
    json_array(j);
    for (unsigned i = 0; op && i < count; i++) {
        const struct tensor_type *type = type_at(run, op, first + i);
        if (type->kind != TYPE_TENSOR || (dtypes && !type->dtype.len)) json_null(j);
        else json_str(j, dtypes ? type->dtype : type->shape);
    }
    json_array_end(j);
}

/* Members input_shapes, input_dtypes, output_shapes, output_dtypes. */
static void json_tensors(struct json *j, const struct run *run, const struct op *op) {
    unsigned operands = op ? op->operand_count : 0, results = op ? op->result_count : 0;
    json_types(j, "input_shapes", false, run, op, 0, operands);
    json_types(j, "input_dtypes", true, run, op, 0, operands);
    json_types(j, "output_shapes", false, run, op, operands, results);
    json_types(j, "output_dtypes", true, run, op, operands, results);
}

static void json_padded(struct json *j, const struct run *run, const struct op *op) {
    struct op_padding padding = op_padding(run, op);
    const struct tensor_type *type = &run->types.items[padding.type];
    char padded[256];
    json_member_str(j, "logical_shape", type->shape);
    json_member_str(j, "dtype", type->dtype);
    json_member_str(j, "padded_shape", slice_of(padded, tensor_padded_shape(type, padded, sizeof padded)));
    json_member_u64(j, "logical_bytes", padding.logical_bytes);
    json_member_u64(j, "padded_bytes", padding.padded_bytes);
}

static void json_duration(struct json *j, const struct run *run, uint32_t step) {
    json_member_u64_if(j, "duration_ns", step < run->times.len, step < run->times.len ? run->times.items[step].duration_ns : 0);
}

static void json_row(struct json *j, const struct run *run, enum top_by by, const uint8_t *kinds, size_t place,
                     const struct top_op *row) {
    const struct step *step = &run->steps.items[run->records.items[row->record]];
    const struct op *op = op_of(run, step);
    json_object(j);
    json_member_u64(j, "place", place);
    json_member_op(j, "op", run, row->record);
    if (by == TOP_PADDING) json_member_i64(j, measures[by].key, row->value);
    else if (is_held(by)) json_member_milli(j, measures[by].key, row->value);
    else if (by == TOP_GROWTH) {
        json_member_i64(j, measures[by].key, step_growth_bytes(run, step, POOL_DRAM));
        json_member_text(j, "bound", change_kind_keys[change_kind_of(run, kinds, run->records.items[row->record])]);
    } else json_member_i64(j, measures[by].key, record_reached_bytes(run, row->record, by == TOP_L1 ? POOL_L1 : POOL_DRAM));
    if (by == TOP_PADDING && op) json_padded(j, run, op);
    if (is_held(by)) json_duration(j, run, run->records.items[row->record]);
    json_tensors(j, run, op);
    json_object_end(j);
}

void top_report_json(struct strbuf *out, const struct run *run, enum top_by by, const struct top_ops *top) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(run));
    json_member_bool(&j, "at_least", run_is_bounded(run));
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(run));
    json_member_text(&j, "by", top_by_names[by]);
    json_member_text(&j, "measure", title_of(run, by));
    json_run_peak(&j, run, by);
    json_key(&j, "ops");
    json_array(&j);
    uint8_t *kinds = by == TOP_GROWTH ? change_kinds(run, POOL_DRAM) : NULL;
    for (size_t i = 0; i < top->rows.len; i++) json_row(&j, run, by, kinds, i + 1, &top->rows.items[i]);
    free(kinds);
    json_array_end(&j);
    json_member_u64(&j, "left_out", top->candidates - top->rows.len);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}

/* "366.063 +124.032  435.709": allocated after the op, the change across it, the largest free block. */
static void text_state(struct strbuf *out, const struct run *run, uint32_t record) {
    struct op_memory state = op_memory_of(run, record, POOL_DRAM);
    struct strbuf cells[3] = {0};
    if (state.known) add_mb(&cells[0], (uint64_t)state.allocated, 3);
    /* the difference of rounded figures, as in the tables of other commands */
    int64_t change = num_bytes_to_milli_mb((uint64_t)state.allocated) -
                     num_bytes_to_milli_mb((uint64_t)(state.allocated > state.delta ? state.allocated - state.delta : 0));
    if (state.delta_known) strbuf_addz(&cells[1], figure_change(change, 3).text);
    if (state.largest_known) add_mb(&cells[2], (uint64_t)state.largest_free, 3);
    for (size_t i = 0; i < 3; i++) {
        if (!cells[i].len) strbuf_addc(&cells[i], '?');
        strbuf_fill(out, ' ', cells[i].len < 11 ? 11 - cells[i].len : 1);
        strbuf_add(out, strbuf_slice(&cells[i]));
        strbuf_release(&cells[i]);
    }
    strbuf_addz(out, "  ");
}

void found_ops_text(struct strbuf *out, const struct term *term, const struct run *run, const struct top_ops *found, bool first,
                    bool by_tensor) {
    if (!found->rows.len) {
        strbuf_addz(out, "No op matches.\n");
        return;
    }
    term_tone(out, term, TONE_BOLD);
    if (first && found->candidates > 1) strbuf_addz(out, "The first of ");
    add_grouped(out, found->candidates);
    strbuf_addz(out, found->candidates == 1 ? " op" : " ops");
    if (by_tensor)
        strbuf_addz(out, found->candidates == 1 ? " that takes or makes such a tensor" : " that take or make such a tensor");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, ", DRAM in MB per bank\n\n  allocated     change  largest free block, after the op\n");
    for (size_t i = 0; i < found->rows.len; i++) {
        text_state(out, run, found->rows.items[i].record);
        text_op(out, term, run, TOP_DRAM, found->rows.items[i].record);
    }
    if (!first) text_left_out(out, found);
    add_bounds_note(out, term, run);
    add_predicted_note(out, term, run);
}

static void json_state(struct json *j, const char *key, const struct run *run, uint32_t record, enum pool pool) {
    struct op_memory state = op_memory_of(run, record, pool);
    json_key(j, key);
    json_object(j);
    json_member_i64_if(j, "allocated_bytes_per_bank", state.known, state.allocated);
    json_member_i64_if(j, "change_bytes_per_bank", state.delta_known, state.delta);
    json_member_i64_if(j, "largest_free_bytes_per_bank", state.largest_known, state.largest_free);
    json_member_i64_if(j, "capacity_bytes_per_bank", state.known, state.capacity);
    json_object_end(j);
}

void found_ops_json(struct strbuf *out, const struct run *run, const struct top_ops *found) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(run));
    json_member_bool(&j, "at_least", run_is_bounded(run));
    json_member_u64(&j, "op_count", found->candidates);
    json_key(&j, "ops");
    json_array(&j);
    for (size_t i = 0; i < found->rows.len; i++) {
        uint32_t record = found->rows.items[i].record;
        const struct op *op = op_of(run, &run->steps.items[run->records.items[record]]);
        json_object(&j);
        json_member_op(&j, "op", run, record);
        json_state(&j, "dram_after", run, record, POOL_DRAM);
        json_state(&j, "l1_after", run, record, POOL_L1);
        json_tensors(&j, run, op);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_member_u64(&j, "left_out", found->candidates - found->rows.len);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
