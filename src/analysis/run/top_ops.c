/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/top_ops.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run/byte_seconds.h"
#include "analysis/run/op_padding.h"
#include "model/buffer/block_bytes.h"

const char *const top_by_names[TOP_BY_COUNT] = {"dram", "l1", "growth", "padding", "byte-seconds", "l1-byte-seconds"};

uint32_t *records_reached(const struct run *run, enum pool pool) {
    uint32_t *reached = mem_zalloc(run->records.len + 1, sizeof *reached);
    bool *followed = mem_zalloc(run->records.len + 1, sizeof *followed);
    uint32_t *last = mem_alloc(sizeof *last * (run->ranks.len + 1));
    for (size_t i = 0; i < run->ranks.len; i++) last[i] = NONE;
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        const struct block *block = step->block == NONE ? NULL : &run->blocks.items[step->block];
        if (block && block->have & 1u << pool) {
            uint32_t owner = last[step->rank], allocated = block->allocated[pool];
            if (owner != NONE && (!followed[owner] || allocated > reached[owner])) {
                reached[owner] = allocated;
                followed[owner] = true;
            }
            if (step->record != NONE) reached[step->record] = allocated;
        }
        if (step->record != NONE) last[step->rank] = step->record;
    }
    free(followed);
    free(last);
    return reached;
}

int64_t record_reached_bytes(const struct run *run, uint32_t record, enum pool pool) {
    const struct step *own = &run->steps.items[run->records.items[record]];
    int64_t most = -1;
    for (size_t i = run->records.items[record] + (size_t)1; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != own->rank) continue;
        const struct block *block = step->block == NONE ? NULL : &run->blocks.items[step->block];
        if (block && block->have & 1u << pool && block_allocated_bytes(run, block, pool) > most)
            most = block_allocated_bytes(run, block, pool);
        if (step->record != NONE) break;
    }
    const struct block *before = own->block == NONE ? NULL : &run->blocks.items[own->block];
    if (most < 0 && before && before->have & 1u << pool) most = block_allocated_bytes(run, before, pool);
    return most < 0 ? 0 : most;
}

static int larger_first(const void *a, const void *b) {
    const struct top_op *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static void cut(struct top_ops *top, size_t limit) {
    if (top->rows.len) qsort(top->rows.items, top->rows.len, sizeof *top->rows.items, larger_first);
    if (limit && top->rows.len > limit) top->rows.len = limit;
}

/* Rows come in record order. Twice the limit is collected before the smaller half is dropped; a further row has to exceed
 * `floor`. */
static void consider(struct top_ops *top, size_t limit, int64_t *floor, struct top_op row) {
    if (row.value <= 0) return;
    top->candidates++;
    if (row.value <= *floor) return;
    vec_push(&top->rows, row);
    if (!limit || top->rows.len / 2 < limit + 32) return;
    cut(top, limit);
    *floor = vec_last(&top->rows).value;
}

static bool is_load_cached(const struct run *run, uint32_t step) {
    uint32_t op = run->steps.items[step].op;
    return op != NONE && run->ops.items[op].kind == OP_LOAD_CACHED;
}

/* Per execution: does a load_cached run it, directly or indirectly? An outer execution comes before those inside it. */
static bool *inside_load_cached(const struct run *run) {
    bool *inside = mem_zalloc(run->executions.len + 1, sizeof *inside);
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        inside[i] = (e->caller != NONE && is_load_cached(run, e->caller)) || (e->parent != NONE && inside[e->parent]);
    }
    return inside;
}

/* In a prediction, functions that ops call are no executions: the ops between an op and the state after it are inside it. */
static void predicted_elsewhere(const struct run *run, bool *elsewhere) {
    for (uint32_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->op == NONE || step->after == NONE || elsewhere[i]) continue;
        bool cached = slice_equal(run_string(run, run->ops.items[step->op].name), SLICE("ttcore.load_cached"));
        for (uint32_t k = i + 1; k < run->blocks.items[step->after].step; k++)
            if (run->steps.items[k].record != NONE) elsewhere[cached ? k : i] = true;
    }
}

bool *growth_elsewhere(const struct run *run) {
    bool *elsewhere = mem_zalloc(run->steps.len + 1, sizeof *elsewhere);
    bool *inside = inside_load_cached(run);
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if (e->caller != NONE && e->own_records && !inside[i]) elsewhere[e->caller] = true;
    }
    for (size_t i = 0; i < run->steps.len; i++) {
        uint32_t execution = run->steps.items[i].execution;
        if (execution != NONE && inside[execution]) elsewhere[i] = true;
    }
    free(inside);
    if (run->origin == RUN_PREDICTED) predicted_elsewhere(run, elsewhere);
    return elsewhere;
}

bool step_growth(const struct run *run, const struct step *step, enum pool pool, int64_t *milli) {
    if (step->block == NONE || step->after == NONE) return false;
    const struct block *before = &run->blocks.items[step->block], *after = &run->blocks.items[step->after];
    if (!(before->have & after->have & 1u << pool)) return false;
    *milli = (int64_t)after->allocated[pool] - before->allocated[pool];
    return true;
}

int64_t step_growth_bytes(const struct run *run, const struct step *step, enum pool pool) {
    return block_allocated_bytes(run, &run->blocks.items[step->after], pool) -
           block_allocated_bytes(run, &run->blocks.items[step->block], pool);
}

/* One value per op, because a log repeats few ops many times. */
static int64_t *padding_by_op(const struct run *run) {
    int64_t *bytes = mem_alloc(sizeof *bytes * (run->ops.len + 1));
    for (size_t i = 0; i < run->ops.len; i++) {
        struct op_padding padding = op_padding(run, &run->ops.items[i]);
        uint64_t beyond = op_padding_bytes(&padding);
        bytes[i] = beyond > INT64_MAX ? INT64_MAX : (int64_t)beyond;
    }
    return bytes;
}

/* The source of each record's value. */
struct values {
    uint32_t *reached;
    int64_t *padding;
    int64_t *byte_seconds;
    bool *elsewhere;
};

static struct values values_of(const struct run *run, enum top_by by) {
    bool held = by == TOP_BYTE_SECONDS || by == TOP_L1_BYTE_SECONDS;
    return (struct values){
        .byte_seconds = held ? records_byte_seconds(run, by == TOP_BYTE_SECONDS ? POOL_DRAM : POOL_L1) : NULL,
        .reached = by == TOP_DRAM || by == TOP_L1 ? records_reached(run, by == TOP_L1 ? POOL_L1 : POOL_DRAM) : NULL,
        .padding = by == TOP_PADDING ? padding_by_op(run) : NULL,
        .elsewhere = by == TOP_GROWTH ? growth_elsewhere(run) : NULL};
}

/* False: it has none. */
static bool value_at(const struct run *run, const struct values *values, uint32_t record, int64_t *value) {
    uint32_t at = run->records.items[record];
    const struct step *step = &run->steps.items[at];
    if (values->elsewhere) return !values->elsewhere[at] && step_growth(run, step, POOL_DRAM, value);
    if (values->byte_seconds) *value = values->byte_seconds[record];
    else if (values->reached) *value = values->reached[record];
    else *value = step->op == NONE ? 0 : values->padding[step->op];
    return true;
}

static void values_release(struct values *values) {
    free(values->reached);
    free(values->padding);
    free(values->byte_seconds);
    free(values->elsewhere);
}

void top_ops_find(const struct run *run, enum top_by by, size_t limit, const bool *among, struct top_ops *out) {
    struct values values = values_of(run, by);
    int64_t floor = 0, value;
    *out = (struct top_ops){0};
    for (uint32_t i = 0; i < run->records.len; i++)
        if (value_at(run, &values, i, &value) && (!among || among[i]))
            consider(out, limit, &floor, (struct top_op){.record = i, .value = value});
    cut(out, limit);
    values_release(&values);
}

/* The same elements in the same tiles, whatever their type and memory: the ops inside a const-eval convert and move what its
 * load_cached finally returns. */
static bool same_padding(const struct run *run, uint32_t inner, uint32_t load) {
    if (inner == NONE || load == NONE) return false;
    struct op_padding padding = op_padding(run, &run->ops.items[inner]);
    if (!op_padding_bytes(&padding)) return false; /* no result, or none with padding */
    const struct tensor_type *made = &run->types.items[padding.type];
    const struct op *op = &run->ops.items[load];
    char ours[256], theirs[256];
    size_t length = tensor_padded_shape(made, ours, sizeof ours);
    for (unsigned i = 0; i < op->result_count; i++) {
        const struct tensor_type *type = &run->types.items[run->refs.items[op->first_ref + op->operand_count + i].type];
        if (slice_equal(type->shape, made->shape) &&
            slice_equal(slice_of(theirs, tensor_padded_shape(type, theirs, sizeof theirs)), slice_of(ours, length)))
            return true;
    }
    return false;
}

/* Per op: does a load_cached with the same padding run it? */
static bool *told_by_load_cached(const struct run *run) {
    bool *told = mem_zalloc(run->ops.len + 1, sizeof *told);
    for (size_t i = 0; i < run->records.len; i++) {
        const struct step *step = &run->steps.items[run->records.items[i]];
        const struct execution *e = step->execution == NONE ? NULL : &run->executions.items[step->execution];
        if (!e || e->caller == NONE || step->op == NONE || told[step->op] || !is_load_cached(run, e->caller)) continue;
        told[step->op] = same_padding(run, step->op, run->steps.items[e->caller].op);
    }
    return told;
}

static int earlier_first(const void *a, const void *b) {
    const struct top_op *x = a, *y = b;
    return x->record < y->record ? -1 : x->record > y->record;
}

void top_ops_folded(const struct run *run, enum top_by by, size_t limit, struct top_ops *out) {
    struct values values = values_of(run, by);
    bool *told = by == TOP_PADDING ? told_by_load_cached(run) : NULL;
    struct top_op *best = mem_zalloc(run->ops.len + 1, sizeof *best);
    VEC(struct top_op) rows = {0};
    int64_t value, floor = 0;
    *out = (struct top_ops){0};
    for (uint32_t i = 0; i < run->records.len; i++) {
        uint32_t op = run->steps.items[run->records.items[i]].op;
        if (!value_at(run, &values, i, &value) || value <= 0 || (told && op != NONE && told[op])) continue;
        if (op == NONE) {
            vec_push(&rows, ((struct top_op){i, value, 1}));
            continue;
        }
        uint32_t times = best[op].times + 1;
        if (value > best[op].value) best[op] = (struct top_op){i, value, times};
        best[op].times = times;
    }
    for (size_t i = 0; i < run->ops.len; i++)
        if (best[i].times) vec_push(&rows, best[i]);
    if (rows.len) qsort(rows.items, rows.len, sizeof *rows.items, earlier_first);
    for (size_t i = 0; i < rows.len; i++) consider(out, limit, &floor, rows.items[i]);
    cut(out, limit);
    values_release(&values);
    vec_release(&rows);
    free(best);
    free(told);
}

void top_ops_in_order(const struct run *run, const bool *among, size_t limit, struct top_ops *out) {
    *out = (struct top_ops){0};
    for (uint32_t i = 0; i < run->records.len; i++) {
        if (!among[i]) continue;
        out->candidates++;
        if (!limit || out->rows.len < limit) vec_push(&out->rows, ((struct top_op){.record = i}));
    }
}

enum top_by top_by_named(const char *name) {
    for (unsigned by = 0; name && by < TOP_BY_COUNT; by++)
        if (strcmp(name, top_by_names[by]) == 0) return (enum top_by)by;
    return TOP_DRAM;
}

void top_ops_release(struct top_ops *top) { vec_release(&top->rows); }
