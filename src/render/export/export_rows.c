/* SPDX-License-Identifier: Apache-2.0 */
#include "render/export/export_rows.h"

#include "analysis/run/live.h"
#include "model/buffer/block_bytes.h"

/* --- ops: one row per record --- */

static const struct step *step_of(const struct run *run, size_t row) { return &run->steps.items[run->records.items[row]]; }

static const struct op *op_of(const struct run *run, size_t row) {
    const struct step *step = step_of(run, row);
    return step->op == NONE ? NULL : &run->ops.items[step->op];
}

static const struct tensor_type *result_of(const struct run *run, size_t row) {
    const struct op *op = op_of(run, row);
    return op && op->result_count ? &run->types.items[run->refs.items[op->first_ref + op->operand_count].type] : NULL;
}

static void put_pool(const struct run *run, uint32_t block, enum pool pool, struct export_cell *cell) {
    if (block == NONE || !(run->blocks.items[block].have & 1u << pool)) return;
    put_bytes(cell, block_allocated_bytes(run, &run->blocks.items[block], pool));
}

static void op_index(const struct output_job *job, size_t row, struct export_cell *c) {
    (void)job;
    put_integer(c, row);
}
static void op_step(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, job->run->records.items[row]);
}
static void op_name(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, step_name(job->run, step_of(job->run, row)));
}
static void op_type(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, run_string(job->run, step_of(job->run, row)->op_type));
}
static void op_program(const struct output_job *job, size_t row, struct export_cell *c) {
    uint32_t execution = step_of(job->run, row)->execution;
    if (execution != NONE) put_text(c, run_string(job->run, job->run->executions.items[execution].name));
}
static void op_program_index(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, step_program(job->run, step_of(job->run, row)));
}
static void op_rank(const struct output_job *job, size_t row, struct export_cell *c) {
    put_rank(c, job->run, step_of(job->run, row)->rank);
}
static void op_rank_index(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, run_rank_index(job->run, step_of(job->run, row)->rank));
}
static void op_location(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, step_display(job->run, step_of(job->run, row)));
}
static void op_shape(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct tensor_type *type = result_of(job->run, row);
    if (type) put_text(c, type->shape);
}
static void op_dtype(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct tensor_type *type = result_of(job->run, row);
    if (type) put_text(c, type->dtype);
}
static void op_dram_before(const struct output_job *job, size_t row, struct export_cell *c) {
    put_pool(job->run, step_of(job->run, row)->block, POOL_DRAM, c);
}
static void op_dram_after(const struct output_job *job, size_t row, struct export_cell *c) {
    put_pool(job->run, step_of(job->run, row)->after, POOL_DRAM, c);
}
static void op_l1_before(const struct output_job *job, size_t row, struct export_cell *c) {
    put_pool(job->run, step_of(job->run, row)->block, POOL_L1, c);
}
static void op_l1_after(const struct output_job *job, size_t row, struct export_cell *c) {
    put_pool(job->run, step_of(job->run, row)->after, POOL_L1, c);
}
static void op_line(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, step_of(job->run, row)->line);
}

static void op_predicted(const struct output_job *job, size_t row, struct export_cell *c) {
    (void)row;
    put_integer(c, job->run->origin == RUN_PREDICTED);
}

static const struct export_column op_columns[] = {
    {"op_index", "INTEGER PRIMARY KEY", op_index},
    {"step", "INTEGER", op_step},
    {"name", "TEXT", op_name},
    {"op_type", "TEXT", op_type},
    {"program", "TEXT", op_program},
    {"program_index", "INTEGER", op_program_index},
    {"rank", "TEXT", op_rank},
    {"location", "TEXT", op_location},
    {"result_shape", "TEXT", op_shape},
    {"result_dtype", "TEXT", op_dtype},
    {"dram_before_bytes_per_bank", "INTEGER", op_dram_before},
    {"dram_after_bytes_per_bank", "INTEGER", op_dram_after},
    {"l1_before_bytes_per_bank", "INTEGER", op_l1_before},
    {"l1_after_bytes_per_bank", "INTEGER", op_l1_after},
    {"line", "INTEGER", op_line},
    {"rank_index", "INTEGER", op_rank_index},
    {"predicted", "INTEGER", op_predicted},
    {0},
};

static size_t op_rows(const struct output_job *job) { return job->run->records.len; }

/* --- blocks: one row per memory block, three figures per pool --- */

static void block_index(const struct output_job *job, size_t row, struct export_cell *c) {
    if (job->run->blocks.items[row].have) put_integer(c, row);
}
static void block_step(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, job->run->blocks.items[row].step);
}
static void block_rank(const struct output_job *job, size_t row, struct export_cell *c) {
    put_rank(c, job->run, job->run->steps.items[job->run->blocks.items[row].step].rank);
}
static void block_rank_index(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, run_rank_index(job->run, job->run->steps.items[job->run->blocks.items[row].step].rank));
}
static void block_before(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, job->run->steps.items[job->run->blocks.items[row].step].record);
}
static void block_line(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, job->run->blocks.items[row].line);
}

/* Figures that a cut line lacks are null, and so is what is free if the size is unknown. */
static void put_figure(const struct run *run, const struct block *block, enum pool pool, int64_t bytes, struct export_cell *c) {
    if (!(block->have & 1u << pool) || (!bytes && block->partial & 1u << pool)) return;
    if (block_config(run, block, pool)->total || !block->allocated[pool]) put_bytes(c, bytes);
}

#define POOL_FIGURES(name, pool)                                                                    \
    static void name##_allocated(const struct output_job *job, size_t row, struct export_cell *c) { \
        put_pool(job->run, (uint32_t)row, pool, c);                                                 \
    }                                                                                               \
    static void name##_free(const struct output_job *job, size_t row, struct export_cell *c) {      \
        const struct block *block = &job->run->blocks.items[row];                                   \
        put_figure(job->run, block, pool, block_free_bytes(job->run, block, pool), c);              \
    }                                                                                               \
    static void name##_largest(const struct output_job *job, size_t row, struct export_cell *c) {   \
        const struct block *block = &job->run->blocks.items[row];                                   \
        put_figure(job->run, block, pool, block_largest_bytes(job->run, block, pool), c);           \
    }

POOL_FIGURES(dram, POOL_DRAM)
POOL_FIGURES(l1, POOL_L1)
POOL_FIGURES(l1_small, POOL_L1_SMALL)
POOL_FIGURES(trace, POOL_TRACE)

#define POOL_COLUMNS(name)                                                                                                    \
    {#name "_allocated_bytes_per_bank", "INTEGER", name##_allocated}, {#name "_free_bytes_per_bank", "INTEGER", name##_free}, \
    {                                                                                                                         \
#name "_largest_free_bytes_per_bank", "INTEGER", name##_largest                                                       \
    }

/* A row whose first cell is null is left out: a heading without figures is not a block. */
static const struct export_column block_columns[] = {
    {"block", "INTEGER PRIMARY KEY", block_index},
    {"step", "INTEGER", block_step},
    {"before_op", "INTEGER", block_before},
    {"rank", "TEXT", block_rank},
    {"line", "INTEGER", block_line},
    POOL_COLUMNS(dram),
    POOL_COLUMNS(l1),
    POOL_COLUMNS(l1_small),
    POOL_COLUMNS(trace),
    {"rank_index", "INTEGER", block_rank_index},
    {0},
};

static size_t block_rows(const struct output_job *job) { return job->run->blocks.len; }

/* --- tensors --- */

static const struct tensor *tensor_of(const struct run *run, size_t row) { return &run->tensors.items[row]; }
static const struct tensor_type *type_of(const struct run *run, size_t row) {
    return &run->types.items[tensor_of(run, row)->type];
}

static void tensor_index(const struct output_job *job, size_t row, struct export_cell *c) {
    (void)job;
    put_integer(c, row);
}
static void tensor_class_name(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, slice_from(live_class_names[tensor_live_class(job->run, tensor_of(job->run, row))]));
}
static void tensor_label(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, tensor_name(job->run, tensor_of(job->run, row)));
}
static void tensor_shape(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, type_of(job->run, row)->shape);
}
static void tensor_dtype(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, type_of(job->run, row)->dtype);
}
static void tensor_buffer(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, slice_from(buffer_type_name(type_of(job->run, row)->buffer)));
}
static void tensor_layout(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, slice_from(memory_layout_name(type_of(job->run, row)->memory_layout)));
}
static void tensor_logical(const struct output_job *job, size_t row, struct export_cell *c) {
    if (type_of(job->run, row)->logical_known) put_integer(c, type_of(job->run, row)->logical_bytes);
}
static void tensor_padded(const struct output_job *job, size_t row, struct export_cell *c) {
    uint64_t bytes = tensor_sum(job->run, tensor_of(job->run, row)).padded_bytes;
    if (bytes) put_integer(c, bytes);
}
static void tensor_per_bank(const struct output_job *job, size_t row, struct export_cell *c) {
    uint64_t bytes = tensor_sum(job->run, tensor_of(job->run, row)).per_bank_bytes;
    if (bytes) put_integer(c, bytes);
}
static void tensor_born(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, tensor_of(job->run, row)->born);
}
static void tensor_gone(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, tensor_of(job->run, row)->gone);
}
static void tensor_producer(const struct output_job *job, size_t row, struct export_cell *c) {
    uint32_t step = tensor_of(job->run, row)->producer;
    if (step != NONE) put_id(c, job->run->steps.items[step].record);
}
static void tensor_rank(const struct output_job *job, size_t row, struct export_cell *c) {
    put_rank(c, job->run, tensor_of(job->run, row)->rank);
}
static void tensor_rank_index(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, run_rank_index(job->run, tensor_of(job->run, row)->rank));
}

static const struct export_column tensor_columns[] = {
    {"tensor", "INTEGER PRIMARY KEY", tensor_index},
    {"class", "TEXT", tensor_class_name},
    {"name", "TEXT", tensor_label},
    {"shape", "TEXT", tensor_shape},
    {"dtype", "TEXT", tensor_dtype},
    {"memory", "TEXT", tensor_buffer},
    {"layout", "TEXT", tensor_layout},
    {"logical_bytes", "INTEGER", tensor_logical},
    {"padded_bytes", "INTEGER", tensor_padded},
    {"bytes_per_bank", "INTEGER", tensor_per_bank},
    {"born_step", "INTEGER", tensor_born},
    {"gone_step", "INTEGER", tensor_gone},
    {"producer_op", "INTEGER", tensor_producer},
    {"rank", "TEXT", tensor_rank},
    {"rank_index", "INTEGER", tensor_rank_index},
    {0},
};

static size_t tensor_rows(const struct output_job *job) { return job->run->tensors.len; }

/* --- pools: one row per pool in the memory blocks --- */

static void pool_name(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, slice_from(pool_keys[job->run->configs.items[row].pool]));
}
static void pool_banks(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, job->run->configs.items[row].banks);
}
static void pool_total(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct pool_config *config = &job->run->configs.items[row];
    if (config->total || job->run->origin != RUN_RECORDING) put_bytes(c, config_bytes(config));
}

static const struct export_column pool_columns[] = {
    {"pool", "TEXT", pool_name},
    {"banks", "INTEGER", pool_banks},
    {"capacity_bytes_per_bank", "INTEGER", pool_total},
    {0},
};

static size_t pool_rows(const struct output_job *job) { return job->run->configs.len; }

const struct export_table export_row_tables[] = {
    {"ops", op_columns, op_rows, false},
    {"blocks", block_columns, block_rows, false},
    {"tensors", tensor_columns, tensor_rows, false},
    {"pools", pool_columns, pool_rows, false},
    {"peaks", export_peak_columns, export_peak_rows, true},
    {"growth", export_growth_columns, export_growth_rows, true},
    {"failures", export_failure_columns, export_failure_rows, true},
    {"run", export_run_columns, export_run_rows, true},
    {0},
};

const char *const export_tables[] = {"ops", "blocks", "tensors", "pools", "peaks", "growth", "failures", "run", NULL};

bool export_needs_overview(const struct export_format *format, const char *table) {
    if (!format->one_table || !format->of_overview) return format->of_overview;
    for (const struct export_table *t = export_row_tables; t->name; t++)
        if (strcmp(t->name, table) == 0) return t->from_overview;
    return false;
}
