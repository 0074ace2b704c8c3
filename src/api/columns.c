/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the export as columns in memory. */
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "base/mem.h"
#include "base/utf8.h"

struct run_table {
    bool counted;
    VEC(uint32_t) rows; /* the export's rows that exist */
    size_t row_count;
    bool all; /* all of them */
    size_t column_count;
    ttmem_column *columns; /* type 0: not made yet */
};

static size_t table_count(void) {
    size_t n = 0;
    while (export_row_tables[n].name) n++;
    return n;
}

const char *ttmem_run_table_name(size_t index) { return index < table_count() ? export_row_tables[index].name : NULL; }

const struct export_table *run_table_named(const char *name, size_t *index) {
    for (size_t i = 0; name && export_row_tables[i].name; i++)
        if (strcmp(export_row_tables[i].name, name) == 0) {
            *index = i;
            return &export_row_tables[i];
        }
    return NULL;
}

const char *ttmem_run_column_name(const char *name, size_t index) {
    size_t at;
    const struct export_table *table = run_table_named(name, &at);
    if (!table) return NULL;
    for (size_t i = 0; table->columns[i].name; i++)
        if (i == index) return table->columns[i].name;
    return NULL;
}

/* A row whose first cell is null is left out, as in the export. */
static void count_rows(ttmem_run *run, const struct export_table *from, struct run_table *table) {
    size_t rows = from->rows(&run->job);
    table->all = true;
    for (size_t i = 0; i < rows; i++) {
        struct export_cell cell = {0};
        from->columns[0].get(&run->job, i, &cell);
        if (cell.kind == CELL_NULL && table->all) {
            table->all = false;
            for (size_t k = 0; k < i; k++) vec_push(&table->rows, (uint32_t)k);
        }
        if (cell.kind != CELL_NULL && !table->all) vec_push(&table->rows, (uint32_t)i);
    }
    table->row_count = table->all ? rows : table->rows.len;
    while (from->columns[table->column_count].name) table->column_count++;
    table->columns = mem_zalloc(table->column_count, sizeof *table->columns);
    table->counted = true;
}

static struct run_table *table_of(ttmem_run *run, size_t index) {
    if (!run->tables) run->tables = mem_zalloc(table_count(), sizeof *run->tables);
    if (export_row_tables[index].from_overview) run_need_overview(run);
    if (!run->tables[index].counted) count_rows(run, &export_row_tables[index], &run->tables[index]);
    return &run->tables[index];
}

size_t run_table_rows(ttmem_run *run, size_t table) { return table_of(run, table)->row_count; }

static void set_valid(uint8_t *validity, size_t row) { validity[row / 8] |= (uint8_t)(1u << row % 8); }

static void fill_numbers(ttmem_run *run, const struct run_table *table, const struct export_column *from, ttmem_column *out,
                         uint8_t *validity) {
    int64_t *values = mem_zalloc(table->row_count + 1, sizeof *values);
    for (size_t i = 0; i < table->row_count; i++) {
        struct export_cell cell = {0};
        from->get(&run->job, table->all ? i : table->rows.items[i], &cell);
        if (cell.kind != CELL_INTEGER) continue;
        values[i] = cell.number;
        set_valid(validity, i);
        out->nulls--;
    }
    out->values = values;
    out->stride = sizeof *values;
}

static void fill_texts(ttmem_run *run, const struct run_table *table, const struct export_column *from, ttmem_column *out,
                       uint8_t *validity) {
    struct strbuf text = {0};
    int64_t *offsets = mem_zalloc(table->row_count + 1, sizeof *offsets);
    for (size_t i = 0; i < table->row_count; i++) {
        struct export_cell cell = {0};
        from->get(&run->job, table->all ? i : table->rows.items[i], &cell);
        if (cell.kind == CELL_TEXT) utf8_add_valid(&text, cell.text);
        if (cell.kind == CELL_INTEGER) strbuf_addf(&text, "%lld", (long long)cell.number);
        offsets[i + 1] = (int64_t)text.len;
        if (cell.kind == CELL_NULL) continue;
        set_valid(validity, i);
        out->nulls--;
    }
    out->values = strbuf_text(&text);
    out->offsets = offsets;
}

const ttmem_column *run_column_made(ttmem_run *run, const struct export_table *from, size_t column) {
    struct run_table *table = table_of(run, (size_t)(from - export_row_tables));
    ttmem_column *kept = &table->columns[column];
    if (kept->type) return kept;
    ttmem_column made = {.length = table->row_count, .nulls = table->row_count};
    uint8_t *validity = mem_zalloc(table->row_count / 8 + 1, 1);
    bool numbers = strncmp(from->columns[column].type, "INTEGER", sizeof "INTEGER" - 1) == 0;
    if (numbers) fill_numbers(run, table, &from->columns[column], &made, validity);
    else fill_texts(run, table, &from->columns[column], &made, validity);
    if (made.nulls) made.validity = validity;
    else free(validity);
    made.type = numbers ? TTMEM_INT64 : TTMEM_TEXT;
    *kept = made;
    return kept;
}

/* --- calls --- */

struct asked {
    const char *table, *column;
    size_t *rows;
    ttmem_column *out;
};

static ttmem_run_status count(ttmem_run *run, void *context) {
    struct asked *asked = context;
    size_t index;
    if (!run_table_named(asked->table, &index))
        return run_fail(TTMEM_RUN_BAD_ARGUMENT, "there is no table '%.60s'", asked->table);
    *asked->rows = run_table_rows(run, index);
    return TTMEM_RUN_OK;
}

ttmem_run_status ttmem_run_rows(ttmem_run *run, const char *table, size_t *rows) {
    if (!table || !rows) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the table or the pointer that takes its rows is NULL");
    *rows = 0;
    return run_call(run, count, &(struct asked){.table = table, .rows = rows});
}

static ttmem_run_status find(ttmem_run *run, void *context) {
    struct asked *asked = context;
    size_t index;
    const struct export_table *table = run_table_named(asked->table, &index);
    if (!table) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "there is no table '%.60s'", asked->table);
    for (size_t i = 0; table->columns[i].name; i++)
        if (strcmp(table->columns[i].name, asked->column) == 0) {
            *asked->out = *run_column_made(run, table, i);
            return TTMEM_RUN_OK;
        }
    return run_fail(TTMEM_RUN_BAD_ARGUMENT, "%s has no column '%.60s'", table->name, asked->column);
}

ttmem_run_status ttmem_run_column(ttmem_run *run, const char *table, const char *column, ttmem_column *out) {
    if (!table || !column || !out)
        return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the table, the column or the pointer that takes it is NULL");
    *out = (ttmem_column){0};
    return run_call(run, find, &(struct asked){.table = table, .column = column, .out = out});
}

struct alive_asked {
    const char *pool;
    int64_t op;
};

static ttmem_run_status find_alive(ttmem_run *run, void *context) {
    const struct alive_asked *asked = context;
    unsigned pool = 0;
    while (pool < POOL_COUNT && strcmp(pool_keys[pool], asked->pool) != 0) pool++;
    if (pool == POOL_COUNT) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "there is no pool '%.60s'", asked->pool);
    uint32_t step = NONE;
    if (asked->op < -1)
        return run_fail(TTMEM_RUN_BAD_ARGUMENT, "an op is given by its number, from 0, and the peak by -1, not %lld",
                        (long long)asked->op);
    if (asked->op == -1) {
        run_need_overview(run);
        step = run->overview.peaks.pools[pool].seen ? run->overview.peaks.pools[pool].step : NONE;
        if (step == NONE)
            return run_fail(TTMEM_RUN_LACKS, "the run does not show what is alive at the peak of %s", asked->pool);
    } else {
        if ((uint64_t)asked->op >= run->in.run.records.len)
            return run_fail(TTMEM_RUN_BAD_ARGUMENT, "there are %zu ops, numbered from 0; %lld is not one of them",
                            run->in.run.records.len, (long long)asked->op);
        step = run->in.run.records.items[asked->op];
    }
    live_release(&run->alive);
    run->alive = (struct live_set){0};
    live_at(&run->in.run, step, (enum pool)pool, &run->alive);
    return TTMEM_RUN_OK;
}

ttmem_run_status ttmem_run_alive(ttmem_run *run, const char *pool, int64_t op, const uint32_t **tensors, size_t *number) {
    if (!pool || !tensors || !number)
        return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the pool or the pointer that takes the tensors is NULL");
    *tensors = NULL;
    *number = 0;
    ttmem_run_status status = run_call(run, find_alive, &(struct alive_asked){pool, op});
    if (status != TTMEM_RUN_OK) return status;
    *tensors = run->alive.tensors.items;
    *number = run->alive.tensors.len;
    return TTMEM_RUN_OK;
}
