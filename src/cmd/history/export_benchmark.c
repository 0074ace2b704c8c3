/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"
#include "base/num.h"
#include "cmd/history/export_forms.h"
#include "render/compare/history.h"
#include "render/format/json_parts.h"

/* The names of the same figures in tt-metal's sweeps: an L1 bank is that of a core. The L1 peak is their total if the run
 * records circular buffers; a log records buffers only. */
static const struct {
    const char *measure, *with_circular, *without;
} sweep_names[] = {
    {"l1.peak", "peak_l1_memory_per_core_bytes", "peak_l1_buffers_per_core_bytes"},
    {"l1.cb", "peak_cb_per_core_bytes", NULL},
};

static void measurement_name(struct strbuf *out, const struct history_details *d, const struct measure *measure) {
    size_t at;
    bool has_circular = measure_in_details(d, measure_find(SLICE("l1.cb")), &at);
    for (size_t i = 0; i < sizeof sweep_names / sizeof *sweep_names; i++) {
        const char *name = has_circular ? sweep_names[i].with_circular : sweep_names[i].without;
        if (!name || !slice_equal(slice_from(sweep_names[i].measure), slice_from(measure->name))) continue;
        strbuf_addz(out, name);
        return;
    }
    measure_metric_name(out, measure);
}

static void measurements(struct json *j, const struct history_details *d, struct slice time) {
    struct strbuf name = {0};
    json_key(j, "measurements");
    json_array(j);
    for (const struct measure *m = measure_table; m->name; m++) {
        size_t at;
        if (!measure_in_details(d, m, &at)) continue;
        strbuf_clear(&name);
        measurement_name(&name, d, m);
        json_object(j);
        json_member_str(j, "step_start_ts", time);
        json_member_str(j, "step_end_ts", time);
        json_member_u64(j, "iteration", 0);
        json_member_text(j, "step_name", "memory");
        json_member_str(j, "name", strbuf_slice(&name));
        json_member_i64(j, "value", d->values.items[at]);
        json_member_null(j, "target");
        json_object_end(j);
    }
    json_array_end(j);
    strbuf_release(&name);
}

static bool is_batch(struct slice name) { return slice_equal(name, SLICE("batch")) || slice_equal(name, SLICE("batch_size")); }

/* The batch size if a label gives it; readers expect a number or nothing. */
static void batch(struct json *j, const struct history_details *d) {
    uint64_t number = 0;
    bool known = false;
    for (size_t i = 0; i < d->labels.len && !known; i++) {
        struct slice value = d->labels.items[i].value;
        known = is_batch(d->labels.items[i].name) && value.len && num_read_u64(value, &number) == value.len;
    }
    json_member_u64_if(j, "batch_size", known, number);
}

/* Labels, and which peaks are lower bounds: a measurement has no place for that. */
static void config(struct json *j, const struct history_details *d) {
    struct strbuf key = {0};
    json_key(j, "config_params");
    json_object(j);
    for (size_t i = 0; i < d->labels.len; i++) {
        json_key_slice(j, d->labels.items[i].name);
        json_str(j, d->labels.items[i].value);
    }
    for (const struct measure *m = measure_table; m->name; m++) {
        const struct history_peak *peak = history_peak_of(d, slice_from(m->name));
        size_t at;
        if (!peak || !peak->at_least || !measure_in_details(d, m, &at)) continue;
        strbuf_clear(&key);
        strbuf_addz(&key, "ttmem.at_least.");
        measurement_name(&key, d, m);
        json_key_slice(j, strbuf_slice(&key));
        json_bool(j, true);
    }
    json_object_end(j);
    strbuf_release(&key);
}

static void device_info(struct json *j, const struct history_details *d) {
    size_t at;
    json_key(j, "device_info");
    json_object(j);
    json_member_text_or_null(j, "card_type", d->run.chip);
    bool known = measure_in_details(d, measure_find(SLICE("dram.peak")), &at) && d->wholes.items[at];
    json_member_i64_if(j, "dram_bytes_per_bank", known, known ? d->wholes.items[at] : 0);
    json_object_end(j);
}

static void benchmark_run(struct json *j, const struct history_details *d) {
    struct strbuf time = {0};
    /* the history has only one time of a run: when it was added */
    add_time(&time, d->run.added, true);
    json_object(j);
    json_member_str(j, "run_start_ts", strbuf_slice(&time));
    json_member_str(j, "run_end_ts", strbuf_slice(&time));
    json_member_text(j, "run_type", "memory");
    json_member_text_or_null(j, "git_commit_hash", d->run.commit);
    json_member_text_or_null(j, "git_branch_name", d->run.branch);
    json_member_text_or_null(j, "device_hostname", d->run.host);
    device_info(j, d);
    json_member_str(j, "ml_model_name", d->run.model);
    batch(j, d);
    config(j, d);
    json_member_text(j, "profiler_name", "ttmem");
    measurements(j, d, strbuf_slice(&time));
    json_object_end(j);
    strbuf_release(&time);
}

int export_benchmark(struct store *store, const struct history_list *list, struct strbuf *out, struct err *err) {
    struct history_details details;
    struct json j = {.out = out, .pretty = true};
    int rc = history_details(store, list->runs.items[0].run.id, &details, err);
    if (rc == 0) benchmark_run(&j, &details);
    history_details_release(&details);
    strbuf_addc(out, '\n');
    return rc;
}
