/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history export: the runs with their labels and measures, for other programs. */
#include <string.h>

#include "base/json_write.h"
#include "cmd/history/export_forms.h"
#include "cmd/history/history_options.h"
#include "cmd/line/emit.h"
#include "render/format/json_parts.h"

static void json_line(struct strbuf *out, const struct history_details *d) {
    struct json j = {.out = out};
    json_document(&j);
    history_json_run(&j, &d->run);
    json_member_text_or_null(&j, "source", d->run.source);
    json_member_i64(&j, "op_count", d->run.ops);
    history_json_labels(&j, d);
    history_json_measures(&j, d);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}

/* A cell that a spreadsheet reads as text: quoted, and never as a formula. */
static void csv_cell(struct strbuf *out, struct slice text) {
    strbuf_addc(out, '"');
    if (text.len && strchr("=+-@\t\r", text.ptr[0])) strbuf_addc(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') strbuf_addc(out, '"');
        strbuf_addc(out, text.ptr[i]);
    }
    strbuf_addc(out, '"');
}

/* Separate columns give the source of a peak and whether it is a lower bound. Free memory has bounds too. */
static bool is_pool_peak(const struct measure *measure) {
    struct slice name = slice_from(measure->name);
    return slice_ends(name, SLICE(".peak")) && !slice_starts(name, SLICE("host."));
}

/* Name of the column that says whether a figure of free memory is a bound; NULL: none. */
static const char *free_bound(const struct measure *measure) {
    struct slice name = slice_from(measure->name);
    return slice_ends(name, SLICE(".largest_free")) ? "at_most" : slice_ends(name, SLICE(".free_gap")) ? "at_least" : NULL;
}

static void csv_head(struct strbuf *out) {
    strbuf_addz(out, "id,added,model,commit,branch,host,job,chip,source,labels");
    for (const struct measure *m = measure_table; m->name; m++) {
        strbuf_addf(out, ",%s", m->name);
        if (is_pool_peak(m)) strbuf_addf(out, ",%s_source,%s_at_least", m->name, m->name);
        if (free_bound(m)) strbuf_addf(out, ",%s_%s", m->name, free_bound(m));
    }
    strbuf_addc(out, '\n');
}

static void csv_line(struct strbuf *out, const struct history_details *d) {
    char id[HISTORY_ID_DIGITS + 1];
    history_id_text(d->run.id, id);
    strbuf_addf(out, "%s,", id);
    add_time(out, d->run.added, true);
    struct strbuf labels = {0};
    bool predicted = history_run_is_predicted(&d->run);
    for (size_t i = 0; i < d->labels.len; i++) {
        strbuf_addf(&labels, "%s%.*s=%.*s", i ? ";" : "", SLICE_FMT(d->labels.items[i].name),
                    SLICE_FMT(d->labels.items[i].value));
    }
    const struct slice cells[] = {d->run.model, d->run.commit, d->run.branch, d->run.host,
                                  d->run.job,   d->run.chip,   d->run.source, strbuf_slice(&labels)};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        strbuf_addc(out, ',');
        csv_cell(out, cells[i]);
    }
    strbuf_release(&labels);
    for (const struct measure *m = measure_table; m->name; m++) {
        strbuf_addc(out, ',');
        bool known = false;
        for (size_t i = 0; i < d->measures.len; i++) {
            if (!slice_equal(d->measures.items[i], slice_from(m->name))) continue;
            strbuf_addf(out, "%lld", (long long)d->values.items[i]);
            known = true;
        }
        const struct history_peak *peak = history_pool_of(d, slice_from(m->name));
        bool smaller = peak && peak->of_sizes && slice_ends(slice_from(m->name), SLICE(".free_gap")); /* an upper bound */
        if (free_bound(m)) strbuf_addz(out, !known || !peak ? "," : peak->at_least && !smaller ? ",1" : ",0");
        if (!is_pool_peak(m)) continue;
        if (peak) strbuf_addf(out, ",%s,%d", peak_source_word(peak->source, predicted), peak->at_least);
        else strbuf_addz(out, ",,");
    }
    strbuf_addc(out, '\n');
}

static int each_run(struct store *store, const struct history_list *list,
                    void (*line)(struct strbuf *, const struct history_details *), struct strbuf *text, struct err *err) {
    for (size_t i = 0; i < list->runs.len; i++) {
        struct history_details details;
        int rc = history_details(store, list->runs.items[i].run.id, &details, err);
        if (rc == 0) line(text, &details);
        history_details_release(&details);
        if (rc != 0 && history_whole(store, NULL) == 0) return -1; /* not merely because its month is missing */
    }
    return 0;
}

static int export_jsonl(struct store *store, const struct history_list *list, struct strbuf *text, struct err *err) {
    return each_run(store, list, json_line, text, err);
}

static int runs_csv(struct store *store, const struct history_list *list, struct strbuf *text, struct err *err) {
    csv_head(text);
    return each_run(store, list, csv_line, text, err);
}

static const struct form {
    const char *name;
    bool one; /* a single object: the newest run */
    export_form_fn *write;
} forms[] = {
    {"jsonl", false, export_jsonl},
    {"csv", false, runs_csv},
    {"prometheus", false, export_prometheus},
    {"benchmark", true, export_benchmark},
    {0},
};

static const struct form *form_of(const char *name) {
    const struct form *form = forms;
    while (name && form->name && strcmp(form->name, name) != 0) form++;
    return form;
}

static int run(struct invocation *inv, struct err *err) {
    const struct form *form = form_of(args_text(&inv->args, "format"));
    struct history_filter filter;
    struct history_list list = {0};
    struct strbuf scratch = {0}, text = {0};
    int rc = history_filter_of(&inv->args, form->one ? 1 : 0, &filter, &scratch, err);
    if (rc == 0 && form->one && filter.limit != 1)
        rc = err_set(err, ERR_USAGE, "--format %s covers one run, the newest that matches; --limit cannot be used with it",
                     form->name);
    struct store *store = rc == 0 ? history_store_open(&inv->work, false, err) : NULL;
    rc = store ? history_list(store, &filter, &list, err) : -1;
    if (rc == 0 && form->one && !list.runs.len)
        rc = err_set(err, ERR_LACKS, "no run in the history matches; ttmem history list shows the runs");
    if (rc == 0) rc = form->write(store, &list, &text, err);
    if (rc == 0) rc = emit_answer(inv, strbuf_slice(&text), false, err);
    if (rc == 0) rc = history_whole(store, err);
    history_close(store);
    history_list_release(&list);
    strbuf_release(&scratch);
    strbuf_release(&text);
    return rc;
}

static const struct option options[] = {
    {"format", 0, OPTION_TEXT, "jsonl|csv|prometheus|benchmark",
     "an object per line (the default), rows, metrics, a benchmark run"},
    HISTORY_FILTER_OPTIONS,
    OPTION_STORE,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_history_export = {
    .name = "history export",
    .summary = "Write the runs of the history for other programs",
    .synopsis = "[--format jsonl|csv|prometheus|benchmark] [--model NAME] [--branch NAME] [--since AGE] [-o FILE] [options]",
    .details =
        "prometheus: the measures of the newest run of each model and branch, for the Pushgateway. benchmark: the newest "
        "matching run as a PartialBenchmarkRun, which Tenstorrent's CI collects from generated/benchmark_data.",
    .example = "ttmem history export --format csv -o runs.csv",
    .options = options,
    .run = run,
};
