/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a history -> the footprint of a run. */
#include "store/history_rows.h"
#include "store/months.h"

static uint32_t u32_of(const struct store_value *value) {
    return value->kind == STORE_INT && value->number >= 0 && value->number < NONE ? (uint32_t)value->number : NONE;
}

static uint32_t text_of(struct footprint *f, const struct store_value *value) { return strtab_id(&f->strings, value->text); }

static bool take_run(void *who, const struct store_value *row) {
    struct footprint *f = who;
    f->name = text_of(f, &row[0]);
    f->chip = text_of(f, &row[1]);
    f->op_count = (uint64_t)row[2].number;
    f->has_ops = row[3].number != 0;
    f->has_lifetimes = row[4].number & 1;
    f->ends_early = row[4].number & 2;
    f->more_failures = row[4].number & 4;
    f->no_messages = row[4].number & 8;
    f->has_leaks = row[5].number != 0;
    return true;
}

static bool take_pool(void *who, const struct store_value *row) {
    struct footprint *f = who;
    if (row[0].number < 0 || row[0].number >= POOL_COUNT) return true;
    f->pools[row[0].number] =
        (struct footprint_pool){.seen = true,
                                .banks = u32_of(&row[1]),
                                .total = u32_of(&row[2]),
                                .peak = u32_of(&row[3]),
                                .after_op = u32_of(&row[4]),
                                .before_op = u32_of(&row[5]),
                                .rank = u32_of(&row[6]),
                                .line = u32_of(&row[7]),
                                .free_seen = row[8].number & 1,
                                .sparse = row[8].number & (row[8].number & (128 | 512 | 1024 | 2048 | 4096 | 8192) ? 256 : 2),
                                .bounded = row[8].number & 16,
                                .any_bound = row[8].number & 32,
                                .gaps = row[8].number & 64,
                                .early = row[8].number & 128    ? EARLY_CUT
                                         : row[8].number & 512  ? EARLY_RANK
                                         : row[8].number & 4096 ? EARLY_MODULE
                                                                : EARLY_NOT,
                                .unread = row[8].number & 1024,
                                .unspread = row[8].number & 2048,
                                .of_thread = row[8].number & 8192,
                                .no_classes = row[8].number & 16384,
                                .shapeless = row[8].number & 32768,
                                .source = (uint8_t)(row[8].number >> 2 & 3) % PEAK_SOURCES,
                                .largest_free = u32_of(&row[9]),
                                .largest_free_op = u32_of(&row[10]),
                                .gap = u32_of(&row[11]),
                                .gap_op = u32_of(&row[12]),
                                .free_rank = NONE,
                                .gap_rank = NONE};
    return true;
}

static bool take_type(void *who, const struct store_value *row) {
    struct footprint *f = who;
    struct footprint_type type = {.shape = text_of(f, &row[0]),
                                  .dtype = text_of(f, &row[1]),
                                  .layout = text_of(f, &row[2]),
                                  .grid = text_of(f, &row[3]),
                                  .pool = (uint8_t)(row[4].number < POOL_COUNT ? row[4].number : POOL_COUNT),
                                  .logical_bytes = (uint64_t)row[5].number,
                                  .padded_bytes = (uint64_t)row[6].number,
                                  .per_bank_bytes = (uint64_t)row[7].number};
    vec_push(&f->types, type);
    return true;
}

/* Of a type that is kept; else NONE. */
static uint32_t type_of(const struct footprint *f, const struct store_value *value) {
    uint32_t type = u32_of(value);
    return type < f->types.len ? type : NONE;
}

static bool take_kind(void *who, const struct store_value *row) {
    struct footprint *f = who;
    struct footprint_kind kind = {text_of(f, &row[0]), text_of(f, &row[1]), text_of(f, &row[2]), type_of(f, &row[3])};
    vec_push(&f->kinds, kind);
    return true;
}

static bool take_tensor(void *who, const struct store_value *row) {
    struct footprint *f = who;
    uint32_t kind = u32_of(&row[1]);
    struct footprint_tensor tensor = {.op = u32_of(&row[0]),
                                      .kind = kind < f->kinds.len ? kind : NONE,
                                      .name = text_of(f, &row[2]),
                                      .program = text_of(f, &row[3]),
                                      .type = type_of(f, &row[4]),
                                      .result = (uint16_t)row[5].number,
                                      .class = (uint8_t)((uint64_t)row[6].number < LIVE_CLASS_COUNT ? row[6].number : 0),
                                      .pool = (uint8_t)row[7].number};
    vec_push(&f->tensors, tensor);
    return true;
}

static bool take_op(void *who, const struct store_value *row) {
    struct footprint *f = who;
    uint32_t kind = u32_of(&row[0]), line = u32_of(&row[4]);
    if (kind >= f->kinds.len) return true;
    struct footprint_op op = {.kind = kind,
                              .reached = {u32_of(&row[1]), u32_of(&row[2])},
                              .held = u32_of(&row[3]),
                              .line = line == NONE ? 0 : line,
                              .rank = u32_of(&row[5])};
    vec_push(&f->ops, op);
    return true;
}

static bool take_program(void *who, const struct store_value *row) {
    struct footprint *f = who;
    struct footprint_program program = {.name = text_of(f, &row[0]),
                                        .passes = u32_of(&row[1]),
                                        .first = u32_of(&row[2]),
                                        .second = u32_of(&row[3]),
                                        .last = u32_of(&row[4]),
                                        .rank = NONE};
    vec_push(&f->programs, program);
    return true;
}

static bool take_leak(void *who, const struct store_value *row) {
    struct footprint *f = who;
    uint32_t kind = u32_of(&row[0]);
    if (kind < f->kinds.len)
        vec_push(&f->leaks, ((struct footprint_leak){kind, (uint64_t)row[1].number, (uint64_t)row[2].number, NONE}));
    return true;
}

static bool take_failure(void *who, const struct store_value *row) {
    struct footprint *f = who;
    enum failure_outcome outcome =
        row[3].number >= 0 && row[3].number <= OUTCOME_TEST ? (enum failure_outcome)row[3].number : OUTCOME_UNKNOWN;
    vec_push(&f->failures,
             ((struct footprint_failure){
                 .title = text_of(f, &row[0]), .op = u32_of(&row[1]), .line = u32_of(&row[2]), .outcome = outcome}));
    return true;
}

static bool take_other_fatal(void *who, const struct store_value *row) {
    struct footprint *f = who;
    f->other_fatal = text_of(f, &row[0]);
    f->other_fatal_line = u32_of(&row[1]);
    return true;
}

static bool take_rank(void *who, const struct store_value *row) {
    struct footprint *f = who;
    vec_push(&f->ranks, text_of(f, &row[0]));
    return true;
}

static bool take_rank_peak(void *who, const struct store_value *row) {
    struct footprint *f = who;
    uint32_t rank = u32_of(&row[0]), pool = u32_of(&row[1]), figure = pool - HISTORY_FIGURES;
    bool is_figure = pool >= HISTORY_FIGURES && figure < FIGURE_COUNT;
    if ((pool >= POOL_COUNT && !is_figure) || rank >= f->ranks.len) return true;
    if (!f->rank_peaks.len || vec_last(&f->rank_peaks).rank != rank)
        vec_push(&f->rank_peaks, ((struct footprint_rank){.rank = rank, .after_op = NONE}));
    struct footprint_rank *last = &vec_last(&f->rank_peaks);
    if (is_figure) {
        last->figures[figure] = (struct footprint_rank_figure){true, row[2].number, row[3].number, NONE};
        return true;
    }
    last->seen |= (uint8_t)(1u << pool);
    last->peak[pool] = u32_of(&row[2]);
    last->total[pool] = u32_of(&row[3]);
    if (pool == POOL_DRAM) last->after_op = u32_of(&row[4]);
    return true;
}

/* The rank with the highest share, if it is not that of the highest peak. Of ranks only the peaks are kept, not which of
 * them are bounds. */
static void find_shares(struct footprint *f) {
    for (size_t i = 0; i < f->rank_peaks.len; i++)
        for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
            const struct footprint_rank *rank = &f->rank_peaks.items[i];
            struct footprint_pool *at = &f->pools[pool];
            uint32_t peak = at->tightest.seen ? at->tightest.peak : at->peak;
            uint32_t total = at->tightest.seen ? at->tightest.total : at->total;
            if (!at->seen || !(rank->seen >> pool & 1) || !rank->total[pool] || rank->rank == at->rank) continue;
            if ((uint64_t)rank->peak[pool] * total <= (uint64_t)peak * rank->total[pool]) continue;
            at->tightest = (struct footprint_share){.seen = true,
                                                    .at_least = at->any_bound,
                                                    .peak = rank->peak[pool],
                                                    .total = rank->total[pool],
                                                    .op = pool == POOL_DRAM ? rank->after_op : NONE,
                                                    .rank = rank->rank};
        }
}

/* Of the host, program runs and circular buffers only the figures are kept. */
static bool take_figure(void *who, const struct store_value *row) {
    static const char *const names[FOOTPRINT_HOST_COUNT] = {[FOOTPRINT_HOST_PEAK] = "host.peak",
                                                            [FOOTPRINT_HOST_END] = "host.end",
                                                            [FOOTPRINT_HOST_GROWTH] = "host.growth_per_pass",
                                                            [FOOTPRINT_HOST_HUGEPAGES] = "host.hugepages"};
    struct footprint *f = who;
    f->host_peak_op = f->l1_program_op = NONE;
    if (slice_equal(row[0].text, SLICE("program_runs"))) f->program_runs = (uint64_t)row[1].number;
    if (slice_equal(row[0].text, SLICE("main_runs"))) f->main_runs = (uint64_t)row[1].number;
    if (slice_equal(row[0].text, SLICE("growth_per_pass"))) {
        f->has_kept_growth = true;
        f->kept_growth_bytes = row[1].number;
    }
    if (slice_equal(row[0].text, SLICE("l1.cb"))) {
        f->has_l1_program = true;
        f->l1_program_bytes = (uint64_t)row[1].number;
    }
    for (unsigned i = 0; i < FOOTPRINT_HOST_COUNT; i++)
        if (slice_equal(row[0].text, slice_from(names[i])))
            f->host[i] = (struct footprint_host_figure){.known = true, .bytes = row[1].number};
    return true;
}

enum { NEWEST = 1000 };

/* In this order: rows that refer to kinds come after them. */
static const struct {
    int64_t version, until; /* the schemas that have it */
    const char *sql;
    store_row_fn *take;
} tables[] = {
    {1, NEWEST, "SELECT name, chip, ops, has_ops, has_lifetimes, has_leaks FROM ttmem_runs@ WHERE run_id = $1", take_run},
    {1, NEWEST,
     "SELECT pool, banks, total, peak, after_op, before_op, peak_rank, line, free_seen, largest_free, largest_free_op, gap, "
     "gap_op FROM ttmem_pools@ WHERE run_id = $1",
     take_pool},
    {1, NEWEST,
     "SELECT shape, dtype, layout, grid, pool, logical_bytes, padded_bytes, per_bank_bytes FROM ttmem_types@ WHERE run_id = $1 "
     "ORDER BY type",
     take_type},
    {1, NEWEST, "SELECT name, location, program, type FROM ttmem_kinds@ WHERE run_id = $1 ORDER BY kind", take_kind},
    {1, NEWEST,
     "SELECT op, kind, name, program, type, result, class, pool FROM ttmem_tensors@ WHERE run_id = $1 ORDER BY tensor",
     take_tensor},
    {1, NEWEST, "SELECT kind, dram, l1, held, line, op_rank FROM ttmem_ops@ WHERE run_id = $1 ORDER BY op", take_op},
    {1, NEWEST,
     "SELECT name, passes, after_first, after_second, after_last FROM ttmem_programs@ WHERE run_id = $1 ORDER BY program",
     take_program},
    {1, NEWEST, "SELECT kind, tensors, per_bank_bytes FROM ttmem_leaks@ WHERE run_id = $1 ORDER BY leak", take_leak},
    {1, NEWEST,
     "SELECT measure, value FROM ttmem_measures@ WHERE run_id = $1 AND (measure LIKE 'host.%' OR measure LIKE '%_runs' OR "
     "measure IN ('l1.cb', 'growth_per_pass'))",
     take_figure},
    {1, NEWEST, "SELECT name FROM ttmem_ranks@ WHERE run_id = $1 ORDER BY op_rank", take_rank},
    /* an older history does not record how failures ended */
    {1, 2, "SELECT title, op, line, 1 FROM ttmem_failures@ WHERE run_id = $1 ORDER BY failure", take_failure},
    {3, NEWEST, "SELECT title, op, line, outcome FROM ttmem_failures@ WHERE run_id = $1 ORDER BY failure", take_failure},
    /* nor the peaks of ranks */
    {4, NEWEST, "SELECT op_rank, pool, peak, total, after_op FROM ttmem_rank_peaks@ WHERE run_id = $1 ORDER BY op_rank, pool",
     take_rank_peak},
    /* nor an end of the run that is not about memory */
    {5, NEWEST, "SELECT message, line FROM ttmem_other_fatals@ WHERE run_id = $1", take_other_fatal},
};

static int read_tables(struct store *store, int64_t id, struct footprint *out, struct err *err) {
    struct store_value key = STORE_I(id);
    size_t part;
    int rc = months_find(store, id, &part, err);
    for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++)
        if (tables[i].version <= store->version && store->version <= tables[i].until)
            rc = months_run(store, part, tables[i].sql, &key, 1, tables[i].take, out, NULL, err);
    return rc == 0 ? months_answered(store, part, err) : rc;
}

int history_footprint(struct store *store, int64_t id, struct footprint *out, struct err *err) {
    *out = (struct footprint){0};
    int rc = store->ops->begin(store, false, err);
    if (rc != 0) return -1;
    rc = read_tables(store, id, out, err);
    store->ops->rollback(store); /* nothing was written */
    if (rc == 0) find_shares(out);
    else footprint_release(out);
    return rc;
}
