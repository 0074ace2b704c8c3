/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/history/export_forms.h"
#include "render/metrics/metrics.h"
#include "work/version.h"

struct chosen {
    VEC(struct history_details) runs;
};

void measure_metric_name(struct strbuf *out, const struct measure *measure) {
    for (const char *c = measure->name; *c; c++) strbuf_addc(out, *c == '.' ? '_' : *c);
    strbuf_addz(out, measure_unit(measure));
}

bool measure_in_details(const struct history_details *details, const struct measure *measure, size_t *at) {
    for (*at = 0; *at < details->measures.len; ++*at)
        if (slice_equal(details->measures.items[*at], slice_from(measure->name))) return true;
    return false;
}

/* A series is a model on a branch; its commit changes with every run, so only the newest may appear. */
static bool is_chosen(const struct chosen *chosen, const struct history_run *run) {
    for (size_t i = 0; i < chosen->runs.len; i++) {
        const struct history_run *other = &chosen->runs.items[i].run;
        if (slice_equal(other->model, run->model) && slice_equal(other->branch, run->branch)) return true;
    }
    return false;
}

static int choose(struct store *store, const struct history_list *list, struct chosen *chosen, struct err *err) {
    for (size_t i = 0; i < list->runs.len; i++) {
        struct history_details details;
        if (is_chosen(chosen, &list->runs.items[i].run)) continue;
        if (history_details(store, list->runs.items[i].run.id, &details, err) != 0) {
            history_details_release(&details);
            if (history_whole(store, NULL) == 0) return -1;
            continue; /* its month is missing, which is reported at the end */
        }
        vec_push(&chosen->runs, details);
    }
    return 0;
}

enum { RUN_LABELS = 3, MORE_LABELS = 2 };

static void sample(struct strbuf *out, const struct metric_family *family, const struct history_run *run,
                   const struct metric_label *more, size_t count) {
    struct metric_label labels[RUN_LABELS + MORE_LABELS] = {
        {"model", run->model}, {"branch", run->branch}, {"commit", run->commit}};
    for (size_t i = 0; i < count; i++) labels[RUN_LABELS + i] = more[i];
    metrics_sample(out, family, labels, RUN_LABELS + count);
}

/* A prediction does not fail: what does not fit has not run. */
static bool is_of_failures(const struct measure *measure) { return slice_starts(slice_from(measure->name), SLICE("failures")); }

static void add_measure(struct strbuf *out, const struct chosen *chosen, const struct measure *measure) {
    struct strbuf name = {0};
    bool begun = false;
    strbuf_addz(&name, "ttmem_run_");
    measure_metric_name(&name, measure);
    const struct metric_family family = {strbuf_text(&name), "gauge", NULL, measure->help};
    for (size_t i = 0; i < chosen->runs.len; i++) {
        const struct history_details *run = &chosen->runs.items[i];
        size_t at;
        if (!measure_in_details(run, measure, &at)) continue;
        if (history_run_is_predicted(&run->run) && is_of_failures(measure)) continue;
        if (!begun) metrics_family(out, METRICS_PROMETHEUS, &family);
        begun = true;
        sample(out, &family, &run->run, NULL, 0);
        strbuf_addf(out, "%lld\n", (long long)run->values.items[at]);
    }
    strbuf_release(&name);
}

static const struct metric_family largest_free_bound = {
    "ttmem_run_largest_free_is_upper_bound", "gauge", NULL,
    "1: the run failed, or does not record the memory of every op, so the largest free block may have been smaller."};
static const struct metric_family free_gap_bound = {
    "ttmem_run_free_gap_is_lower_bound", "gauge", NULL,
    "1: the run failed, or does not record the memory of every op, so more may have been free outside the largest free block."};

/* A peak that is a lower bound must not look like one that was measured. */
static void add_bounds(struct strbuf *out, const struct chosen *chosen) {
    static const struct metric_family family = {
        "ttmem_run_peak_is_lower_bound", "gauge", NULL,
        "1: the run failed, or does not record the memory of every op, so the peak may have been "
        "higher, or, for L1, the run records no circular buffers; source: where the figure comes from."};
    const struct measure *l1_peak = measure_find(SLICE("l1.peak")), *circular_buffers = measure_find(SLICE("l1.cb"));
    bool begun = false;
    for (size_t i = 0; i < chosen->runs.len; i++)
        for (const struct measure *m = measure_table; m->name; m++) {
            const struct history_details *run = &chosen->runs.items[i];
            bool predicted = history_run_is_predicted(&run->run);
            const struct history_peak *peak = history_peak_of(run, slice_from(m->name));
            size_t at;
            if (!peak || !measure_in_details(run, m, &at)) continue;
            if (!begun) metrics_family(out, METRICS_PROMETHEUS, &family);
            begun = true;
            struct slice pool = slice_take(slice_from(m->name), slice_find_byte(slice_from(m->name), '.'));
            const struct metric_label more[MORE_LABELS] = {{"pool", pool},
                                                           {"source", slice_from(peak_source_word(peak->source, predicted))}};
            sample(out, &family, &run->run, more, MORE_LABELS);
            bool leaves_out = m == l1_peak && !measure_in_details(run, circular_buffers, &at);
            strbuf_addz(out, peak->at_least || leaves_out ? "1\n" : "0\n");
        }
}

/* The same for free memory. */
static void add_free_bounds(struct strbuf *out, const struct chosen *chosen, struct slice kind,
                            const struct metric_family *family) {
    bool begun = false;
    for (size_t i = 0; i < chosen->runs.len; i++)
        for (const struct measure *m = measure_table; m->name; m++) {
            const struct history_details *run = &chosen->runs.items[i];
            const struct history_peak *pool = history_pool_of(run, slice_from(m->name));
            size_t at;
            if (!pool || !slice_ends(slice_from(m->name), kind) || !measure_in_details(run, m, &at)) continue;
            if (!begun) metrics_family(out, METRICS_PROMETHEUS, family);
            begun = true;
            struct slice name = slice_take(slice_from(m->name), strlen(m->name) - kind.len);
            sample(out, family, &run->run, &(struct metric_label){"pool", name}, 1);
            bool smaller = pool->of_sizes && slice_equal(kind, SLICE(".free_gap")); /* an upper bound */
            strbuf_addz(out, pool->at_least && !smaller ? "1\n" : "0\n");
        }
}

static void add_times(struct strbuf *out, const struct chosen *chosen) {
    static const struct metric_family family = {"ttmem_run_added_timestamp_seconds", "gauge", "seconds",
                                                "When the run was added to the history, in seconds since 1970."};
    if (chosen->runs.len) metrics_family(out, METRICS_PROMETHEUS, &family);
    for (size_t i = 0; i < chosen->runs.len; i++) {
        const struct history_run *run = &chosen->runs.items[i].run;
        sample(out, &family, run, NULL, 0);
        strbuf_addf(out, "%lld.%06lld\n", (long long)(run->added / 1000000), (long long)(run->added % 1000000));
    }
}

int export_prometheus(struct store *store, const struct history_list *list, struct strbuf *out, struct err *err) {
    struct chosen chosen = {0};
    int rc = choose(store, list, &chosen, err);
    if (rc == 0) {
        for (const struct measure *m = measure_table; m->name; m++) add_measure(out, &chosen, m);
        add_bounds(out, &chosen);
        add_free_bounds(out, &chosen, SLICE(".largest_free"), &largest_free_bound);
        add_free_bounds(out, &chosen, SLICE(".free_gap"), &free_gap_bound);
        add_times(out, &chosen);
        metrics_build_info(out, METRICS_PROMETHEUS, version_number());
    }
    for (size_t i = 0; i < chosen.runs.len; i++) history_details_release(&chosen.runs.items[i]);
    vec_release(&chosen.runs);
    return rc;
}
