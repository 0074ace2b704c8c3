/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV files of tt-metal's memory reporter. Numbers are bytes, or KB in the files of 2023 and 2024, as the header says.
 *
 * usage summary   header, then three rows per dump: DRAM, L1, L1_SMALL, per bank. In the program_ variant the first column
 * of
 *                 the first of the three rows has a program's id.
 * L1 summary      only the largest free block of L1: it gives no state of a pool.
 * detailed usage  per pool totals over all banks and, as free text, the allocator's block table, per bank. */
#include "base/num.h"
#include "base/strbuf.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "model/run.h"

static const struct slice summary_head = {"Total Allocatable Size (", 24};
static const struct slice l1_title = {"This report indicates available space for interleaving L1 buffers", 65};
static const struct slice detailed_head = {",Total allocatable (", 20};

struct csv {
    struct buffers *builder;
    struct slice rest;
    uint64_t line, unit, states, wrong;
    uint16_t rank;
};

static bool next_line(struct csv *csv, struct slice *line) {
    if (!csv->rest.len) return false;
    size_t end = slice_find_byte(csv->rest, '\n');
    *line = slice_take(csv->rest, end);
    csv->rest = end == SLICE_NONE ? slice_of("", 0) : slice_skip(csv->rest, end + 1);
    if (line->len && line->ptr[line->len - 1] == '\r') line->len--;
    csv->line++;
    return true;
}

static struct slice next_cell(struct slice *line) {
    size_t comma = slice_find_byte(*line, ',');
    struct slice cell = slice_trim(slice_take(*line, comma));
    *line = comma == SLICE_NONE ? slice_of("", 0) : slice_skip(*line, comma + 1);
    return cell;
}

static bool read_bytes(const struct csv *csv, struct slice cell, uint64_t *bytes) {
    return cell.len && num_read_u64(cell, bytes) == cell.len && num_mul(*bytes, csv->unit, bytes);
}

static void find_unit(struct csv *csv, struct slice header) {
    csv->unit = slice_find(header, SLICE("(KB)")) != SLICE_NONE ? 1024 : 1;
}

/* The architecture whose banks have about that size, because the files do not name it. */
static const struct chip *chip_by_size(uint64_t dram_bytes, uint64_t l1_bytes) {
    for (const struct chip *chip = chip_table; chip->name; chip++)
        if (strcmp(chip->name, chip->arch) == 0 && dram_bytes <= chip->dram_view_bytes &&
            dram_bytes > chip->dram_view_bytes / 2 && l1_bytes <= chip->l1_bytes && l1_bytes > chip->l1_bytes / 4 * 3)
            return chip;
    return NULL;
}

static void name_state(struct csv *csv, struct slice program) {
    struct strbuf name = {0};
    if (program.len) strbuf_addf(&name, "program %.*s", SLICE_FMT(slice_take(program, 100)));
    else strbuf_addf(&name, "dump %llu", (unsigned long long)csv->states + 1);
    buffers_add_state(csv->builder, csv->rank, strbuf_slice(&name), csv->line);
    strbuf_release(&name);
    csv->states++;
}

struct summary_row {
    uint64_t total, allocated, free, largest;
};

static bool read_row(const struct csv *csv, struct slice line, struct slice *program, struct summary_row *row) {
    *program = next_cell(&line);
    return read_bytes(csv, next_cell(&line), &row->total) && read_bytes(csv, next_cell(&line), &row->allocated) &&
           read_bytes(csv, next_cell(&line), &row->free) && read_bytes(csv, next_cell(&line), &row->largest);
}

static void add_summary_state(struct csv *csv, struct run *run, const struct summary_row *rows, struct slice program) {
    if (!run->chip) run->chip = chip_by_size(rows[POOL_DRAM].total, rows[POOL_L1].total);
    for (unsigned pool = 0; pool <= POOL_L1_SMALL; pool++) {
        unsigned banks = !run->chip ? 0 : pool == POOL_DRAM ? run->chip->dram_banks : run->chip->l1_banks;
        buffers_pool(csv->builder, csv->rank, (enum pool)pool, banks, false, 0, rows[pool].total);
        buffers_state(csv->builder, csv->rank, (enum pool)pool, rows[pool].allocated, rows[pool].free, rows[pool].largest);
    }
    name_state(csv, program);
}

static void read_summary(struct csv *csv, struct run *run) {
    struct slice line, program = slice_of("", 0), first;
    struct summary_row rows[POOL_L1_SMALL + 1];
    unsigned at = 0;
    while (next_line(csv, &line)) {
        if (!slice_trim(line).len) continue;
        if (slice_find(line, summary_head) != SLICE_NONE) {
            find_unit(csv, line);
            at = 0;
        } else if (!read_row(csv, line, &first, &rows[at])) {
            csv->wrong++;
            at = 0;
        } else {
            if (at == 0) program = first;
            if (at++ < POOL_L1_SMALL) continue;
            add_summary_state(csv, run, rows, program);
            at = 0;
        }
    }
}

/* --- the detailed file --- */

static bool read_pool_name(struct slice line, enum pool *pool) {
    struct slice cell = slice_trim(line);
    if (!cell.len || cell.ptr[0] != ',') return false;
    cell = slice_trim(slice_skip(cell, 1));
    for (unsigned i = 0; i < POOL_COUNT; i++) {
        if (!slice_equal(cell, slice_from(pool_names[i]))) continue;
        *pool = (enum pool)i;
        return true;
    }
    return false;
}

static struct slice next_word(struct slice *line) {
    *line = slice_trim(*line);
    size_t end = slice_find_byte(*line, ' ');
    struct slice word = slice_take(*line, end);
    *line = end == SLICE_NONE ? slice_of("", 0) : slice_skip(*line, end);
    return word;
}

struct block_row {
    uint64_t address, size;
    bool allocated;
};

/* "           0      1046528         2048            1         none           no" */
static bool read_block(struct slice line, struct block_row *row) {
    struct slice words[6];
    for (unsigned i = 0; i < 6; i++) words[i] = next_word(&line);
    uint64_t id;
    row->allocated = slice_equal(words[5], SLICE("yes"));
    return num_read_u64(words[0], &id) == words[0].len && words[0].len && words[1].len && words[2].len &&
           num_read_u64(words[1], &row->address) == words[1].len && num_read_u64(words[2], &row->size) == words[2].len &&
           (row->allocated || slice_equal(words[5], SLICE("no")));
}

struct detailed_pool {
    bool seen;
    uint64_t total, allocated, free; /* over all banks */
    uint64_t bank_total, largest;    /* from the block table */
    VEC(struct block_row) blocks;
};

static void add_detailed_pool(struct csv *csv, enum pool pool, struct detailed_pool *p) {
    uint64_t banks = p->bank_total ? p->total / p->bank_total : 1;
    if (!banks || banks > UINT16_MAX) banks = 1;
    buffers_pool(csv->builder, csv->rank, pool, (unsigned)banks, p->blocks.len > 0, 0,
                 p->bank_total ? p->bank_total : p->total);
    for (size_t i = 0; i < p->blocks.len; i++) {
        struct device_buffer buffer = {
            .pool = pool, .address = p->blocks.items[i].address, .bank_bytes = p->blocks.items[i].size};
        if (p->blocks.items[i].allocated) buffers_take(csv->builder, csv->rank, &buffer);
    }
    buffers_state(csv->builder, csv->rank, pool, p->allocated / banks, p->free / banks, p->largest);
}

static void finish_dump(struct csv *csv, struct detailed_pool *pools) {
    bool any = false;
    buffers_all_begin(csv->builder, csv->rank);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (pools[pool].seen) add_detailed_pool(csv, (enum pool)pool, &pools[pool]);
        any |= pools[pool].seen;
        vec_release(&pools[pool].blocks);
        pools[pool] = (struct detailed_pool){0};
    }
    buffers_all_end(csv->builder, csv->rank);
    if (any) name_state(csv, slice_of("", 0));
}

static void read_detailed_line(struct csv *csv, struct slice line, struct detailed_pool *pool) {
    static const char *const heads[] = {",Total allocatable (", ",Total allocated (", ",Total free ("};
    uint64_t *const figures[] = {&pool->total, &pool->allocated, &pool->free};
    struct block_row row;
    for (unsigned i = 0; i < 3; i++) {
        if (!slice_starts(line, slice_from(heads[i]))) continue;
        struct slice rest = slice_skip(line, 1);
        find_unit(csv, next_cell(&rest));
        if (!read_bytes(csv, next_cell(&rest), figures[i])) csv->wrong++;
        return;
    }
    if (!read_block(line, &row) || !num_add(pool->bank_total, row.size, &pool->bank_total)) return;
    if (!row.allocated && row.size > pool->largest) pool->largest = row.size;
    vec_push(&pool->blocks, row);
}

static void read_detailed(struct csv *csv) {
    struct detailed_pool pools[POOL_COUNT] = {0};
    struct slice line;
    enum pool pool = POOL_DRAM, next;
    while (next_line(csv, &line)) {
        if (read_pool_name(line, &next)) {
            if (pools[next].seen) finish_dump(csv, pools);
            pools[next].seen = true;
            pool = next;
        } else if (pools[pool].seen) {
            read_detailed_line(csv, line, &pools[pool]);
        }
    }
    finish_dump(csv, pools);
}

/* --- the L1 summary --- */

/* "Total Free L1 Space" is the largest block times the banks: the file has neither what is allocated nor what is free beyond
 * that block. */
static int refuse_l1(struct csv *csv, const char *path, struct err *err) {
    struct slice line;
    uint64_t largest = 0, times_banks = 0;
    while (next_line(csv, &line)) {
        if (slice_find(line, SLICE("Largest Contiguous")) != SLICE_NONE) find_unit(csv, line);
        next_cell(&line);
        if (read_bytes(csv, next_cell(&line), &largest) && read_bytes(csv, next_cell(&line), &times_banks)) break;
    }
    return err_set(err, ERR_LACKS,
                   "%s has only the largest free block of L1, %llu B in each of %llu banks; memory_usage_summary.csv, "
                   "which is written with it, has what is allocated",
                   path, (unsigned long long)largest, (unsigned long long)(largest ? times_banks / largest : 0));
}

/* --- */

static bool memory_csv_looks_like(struct slice bytes) {
    struct slice head = slice_take(bytes, 4096), first = slice_take(head, slice_find_byte(head, '\n'));
    return slice_find(first, summary_head) != SLICE_NONE || slice_starts(first, l1_title) ||
           (head.len && head.ptr[0] == ',' && slice_find(head, detailed_head) != SLICE_NONE);
}

static int memory_csv_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct csv csv = {.rest = bytes, .unit = 1};
    struct slice first = slice_take(bytes, slice_find_byte(bytes, '\n'));
    if (slice_starts(first, l1_title)) return refuse_l1(&csv, path, err);
    csv.builder = buffers_begin(run, RUN_MEMORY_CSV, bytes.len);
    csv.rank = buffers_rank(csv.builder, slice_of("", 0));
    if (slice_find(first, summary_head) != SLICE_NONE) read_summary(&csv, run);
    else read_detailed(&csv);
    buffers_end(csv.builder);
    if (csv.wrong) run->warnings[WARN_MALFORMED_POOL] = csv.wrong;
    return csv.states ? 0 : err_set(err, ERR_LACKS, "%s is a memory report of tt-metal without a whole row of figures", path);
}

const struct input_kind input_memory_csv = {
    .name = "a memory report of tt-metal",
    .is_content = memory_csv_looks_like,
    .read_bytes = memory_csv_read,
};
