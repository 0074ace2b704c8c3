/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the overview's answers: peaks with their sources, the largest growth, failures with how they ended. */
#include "analysis/failure/failure_class.h"
#include "analysis/run/top_ops.h"
#include "render/export/export_rows.h"
#include "render/format/predicted.h"

/* --- peaks: one row per pool that was seen --- */

static const struct peak *peak_of(const struct output_job *job, size_t row) { return &job->overview->peaks.pools[row]; }

static void peak_pool(const struct output_job *job, size_t row, struct export_cell *c) {
    if (peak_of(job, row)->seen) put_text(c, slice_from(pool_keys[row]));
}
static void peak_allocated(const struct output_job *job, size_t row, struct export_cell *c) {
    put_bytes(c, peak_bytes(peak_of(job, row)));
}
static void peak_capacity(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct peak *peak = peak_of(job, row);
    if (peak->total || !peak->allocated) put_bytes(c, peak_total_bytes(peak));
}
static void peak_banks(const struct output_job *job, size_t row, struct export_cell *c) {
    if (peak_of(job, row)->banks) put_integer(c, peak_of(job, row)->banks);
}
static void peak_op(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, peak_of(job, row)->after_record);
}
static void peak_before(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, peak_of(job, row)->before_record);
}
static void peak_rank(const struct output_job *job, size_t row, struct export_cell *c) {
    put_rank(c, job->run, peak_of(job, row)->rank);
}
static void peak_rank_index(const struct output_job *job, size_t row, struct export_cell *c) {
    put_id(c, run_rank_index(job->run, peak_of(job, row)->rank));
}
static void peak_line(const struct output_job *job, size_t row, struct export_cell *c) {
    if (peak_of(job, row)->line) put_integer(c, peak_of(job, row)->line);
}
static void peak_source(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, slice_from(peak_source_of(job->run, peak_of(job, row)->source)));
}
static void peak_leaves_out(const struct output_job *job, size_t row, struct export_cell *c) {
    const char *caveat = peak_caveat(job->run, (enum pool)row);
    if (caveat) put_text(c, slice_from(caveat));
}
static void peak_at_least(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, peak_of(job, row)->at_least);
}

const struct export_column export_peak_columns[] = {
    {"pool", "TEXT", peak_pool},
    {"allocated_bytes_per_bank", "INTEGER", peak_allocated},
    {"capacity_bytes_per_bank", "INTEGER", peak_capacity},
    {"banks", "INTEGER", peak_banks},
    {"op_index", "INTEGER", peak_op},
    {"before_op_index", "INTEGER", peak_before},
    {"rank", "TEXT", peak_rank},
    {"rank_index", "INTEGER", peak_rank_index},
    {"line", "INTEGER", peak_line},
    {"source", "TEXT", peak_source},
    {"at_least", "INTEGER", peak_at_least},
    {"caveat", "TEXT", peak_leaves_out},
    {0},
};

size_t export_peak_rows(const struct output_job *job) {
    (void)job;
    return POOL_COUNT;
}

/* --- growth of DRAM, largest first --- */

static const struct growth *growth_of(const struct output_job *job, size_t row) { return &job->overview->growth.items[row]; }

static void growth_op(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, growth_of(job, row)->record);
}
static void growth_name(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, step_name(job->run, &job->run->steps.items[growth_of(job, row)->step]));
}
static void growth_delta(const struct output_job *job, size_t row, struct export_cell *c) {
    put_bytes(c, step_growth_bytes(job->run, &job->run->steps.items[growth_of(job, row)->step], POOL_DRAM));
}
static void growth_bound(const struct output_job *job, size_t row, struct export_cell *c) {
    put_text(c, slice_from(change_kind_keys[growth_of(job, row)->kind]));
}
static void growth_line(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, job->run->steps.items[growth_of(job, row)->step].line);
}

const struct export_column export_growth_columns[] = {
    {"op_index", "INTEGER", growth_op},
    {"name", "TEXT", growth_name},
    {"dram_growth_bytes_per_bank", "INTEGER", growth_delta},
    {"bound", "TEXT", growth_bound},
    {"line", "INTEGER", growth_line},
    {0},
};

size_t export_growth_rows(const struct output_job *job) { return job->overview->growth.len; }

/* --- failures, in line order --- */

static const struct explanation *failure_of(const struct output_job *job, size_t row) {
    return &job->overview->failures.failures.items[row];
}

static const struct failure_site *site_of(const struct output_job *job, size_t row) {
    size_t number = failure_of(job, row)->number;
    return number < job->run->failure_sites.len ? &job->run->failure_sites.items[number] : NULL;
}

static void failure_line(const struct output_job *job, size_t row, struct export_cell *c) {
    put_integer(c, failure_of(job, row)->line);
}
static void failure_class_name(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct explanation *e = failure_of(job, row);
    put_text(c, slice_from(failure_class(&e->entry->failure, e->verdict.kind)));
}
static void failure_ended(const struct output_job *job, size_t row, struct export_cell *c) {
    bool predicted = job->run->origin == RUN_PREDICTED; /* nothing ran, so nothing was ended */
    put_text(c, predicted ? SLICE("predicted") : slice_from(failure_outcome_names[failure_of(job, row)->outcome.kind]));
}
static void failure_op(const struct output_job *job, size_t row, struct export_cell *c) {
    if (failure_of(job, row)->context.has_index) put_integer(c, failure_of(job, row)->context.op_index);
}
static void failure_rank(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct failure_site *site = site_of(job, row);
    if (site) put_rank(c, job->run, site->rank);
}
static void failure_rank_index(const struct output_job *job, size_t row, struct export_cell *c) {
    const struct failure_site *site = site_of(job, row);
    if (site) put_id(c, run_rank_index(job->run, site->rank));
}

const struct export_column export_failure_columns[] = {
    {"line", "INTEGER", failure_line},
    {"class", "TEXT", failure_class_name},
    {"outcome", "TEXT", failure_ended},
    {"op_index", "INTEGER", failure_op},
    {"rank", "TEXT", failure_rank},
    {"rank_index", "INTEGER", failure_rank_index},
    {0},
};

size_t export_failure_rows(const struct output_job *job) { return job->overview->failures.failures.len; }

/* --- run: facts by name --- */

enum { FACT_UNKNOWN = -1 };

static int64_t first_banks(const struct run *run, enum pool pool) {
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == pool) return run->configs.items[i].banks;
    return FACT_UNKNOWN;
}

static int64_t count_outcome(const struct output_job *job, enum failure_outcome outcome) {
    int64_t count = 0;
    for (size_t i = 0; i < job->overview->failures.failures.len; i++)
        count += job->overview->failures.failures.items[i].outcome.kind == outcome;
    return count;
}

static int64_t run_ops(const struct output_job *job) { return (int64_t)job->run->records.len; }
static int64_t run_lines(const struct output_job *job) { return (int64_t)job->run->lines; }
static int64_t run_blocks(const struct output_job *job) { return (int64_t)job->run->block_count; }
static int64_t run_program_runs(const struct output_job *job) {
    return job->overview->program_runs ? (int64_t)job->overview->program_runs : FACT_UNKNOWN;
}
static int64_t run_main_runs(const struct output_job *job) {
    return job->overview->program_runs ? (int64_t)job->overview->main_runs : FACT_UNKNOWN;
}
static int64_t run_weights(const struct output_job *job) { return (int64_t)job->overview->weight_count; }
static int64_t run_weight_bytes(const struct output_job *job) { return (int64_t)job->overview->weight_bytes; }
static int64_t run_dram_banks(const struct output_job *job) { return first_banks(job->run, POOL_DRAM); }
static int64_t run_l1_banks(const struct output_job *job) { return first_banks(job->run, POOL_L1); }
static int64_t run_logical(const struct output_job *job) {
    return job->overview->has_live ? (int64_t)job->overview->at_peak.sum.logical_bytes : FACT_UNKNOWN;
}
static int64_t run_padded(const struct output_job *job) {
    return job->overview->has_live ? (int64_t)job->overview->at_peak.sum.padded_bytes : FACT_UNKNOWN;
}
static int64_t run_failures_ended(const struct output_job *job) {
    return count_outcome(job, OUTCOME_ENDED) + count_outcome(job, OUTCOME_TEST);
}
static int64_t run_failures_caught(const struct output_job *job) { return count_outcome(job, OUTCOME_CAUGHT); }
static int64_t run_failures_unknown(const struct output_job *job) { return count_outcome(job, OUTCOME_UNKNOWN); }

static struct slice run_name(const struct output_job *job) { return job->name; }
static struct slice run_path(const struct output_job *job) { return slice_from(job->path); }
static struct slice run_generator(const struct output_job *job) {
    (void)job;
    return SLICE("ttmem");
}
static struct slice run_version(const struct output_job *job) { return slice_from(job->version); }
static struct slice run_schema(const struct output_job *job) {
    (void)job;
    return SLICE("3");
}
static struct slice run_chip(const struct output_job *job) { return slice_from(job->run->chip ? job->run->chip->name : ""); }
static struct slice run_unit(const struct output_job *job) {
    (void)job;
    return SLICE("bytes");
}

static const struct {
    const char *key;
    struct slice (*text)(const struct output_job *job);
    int64_t (*number)(const struct output_job *job);
} facts[] = {
    {"name", run_name, NULL},
    {"source", run_path, NULL},
    {"generator", run_generator, NULL},
    {"version", run_version, NULL},
    {"schema_version", run_schema, NULL},
    {"chip", run_chip, NULL},
    {"unit", run_unit, NULL},
    {"ops", NULL, run_ops},
    {"lines", NULL, run_lines},
    {"blocks", NULL, run_blocks},
    {"program_runs", NULL, run_program_runs},
    {"main_runs", NULL, run_main_runs},
    {"weights", NULL, run_weights},
    {"weights_bytes", NULL, run_weight_bytes},
    {"dram_banks", NULL, run_dram_banks},
    {"l1_banks", NULL, run_l1_banks},
    {"logical_at_dram_peak_bytes", NULL, run_logical},
    {"padded_at_dram_peak_bytes", NULL, run_padded},
    {"failures", NULL, run_failures_ended},
    {"failures_caught", NULL, run_failures_caught},
    {"failures_unknown", NULL, run_failures_unknown},
};

static void fact_key(const struct output_job *job, size_t row, struct export_cell *c) {
    (void)job;
    put_text(c, slice_from(facts[row].key));
}

static void fact_value(const struct output_job *job, size_t row, struct export_cell *c) {
    if (facts[row].text) {
        put_text(c, facts[row].text(job));
        return;
    }
    int64_t number = facts[row].number(job);
    if (number != FACT_UNKNOWN) put_integer(c, (uint64_t)number);
}

const struct export_column export_run_columns[] = {
    {"key", "TEXT", fact_key},
    {"value", "", fact_value}, /* text or a number */
    {0},
};

size_t export_run_rows(const struct output_job *job) {
    (void)job;
    return sizeof facts / sizeof *facts;
}
