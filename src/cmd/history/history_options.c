/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/history/history_options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "render/format/json_parts.h"

void history_json_run(struct json *j, const struct history_run *run) {
    struct strbuf time = {0};
    char id[HISTORY_ID_DIGITS + 1];
    history_id_text(run->id, id);
    add_time(&time, run->added, true);
    json_member_text(j, "id", id);
    json_member_str(j, "added", strbuf_slice(&time));
    json_member_str(j, "model", run->model);
    json_member_text_or_null(j, "commit", run->commit);
    json_member_text_or_null(j, "branch", run->branch);
    json_member_text_or_null(j, "host_name", run->host);
    json_member_text_or_null(j, "job", run->job);
    json_member_text_or_null(j, "chip", run->chip);
    json_member_bool(j, "predicted", history_run_is_predicted(run));
    strbuf_release(&time);
}

void history_json_labels(struct json *j, const struct history_details *details) {
    json_key(j, "labels");
    json_object(j);
    for (size_t i = 0; i < details->labels.len; i++) {
        json_key_slice(j, details->labels.items[i].name);
        json_str(j, details->labels.items[i].value);
    }
    json_object_end(j);
}

void history_json_measures(struct json *j, const struct history_details *details) {
    bool predicted = history_run_is_predicted(&details->run);
    json_key(j, "measures");
    json_object(j);
    for (size_t i = 0; i < details->measures.len; i++) {
        const struct measure *measure = measure_find(details->measures.items[i]);
        bool is_count = measure && measure->is_count;
        int64_t value = details->values.items[i], whole = details->wholes.items[i];
        json_key_slice(j, details->measures.items[i]);
        json_object(j);
        json_member_i64_if(j, "value_bytes", !is_count, value);
        json_member_i64_if(j, "value_count", is_count, value);
        json_member_i64_if(j, "whole_bytes", !is_count && whole != 0, whole);
        const struct history_peak *peak = history_peak_of(details, details->measures.items[i]);
        json_member_text(j, "source", peak ? peak_source_word(peak->source, predicted) : NULL);
        if (peak) json_member_bool(j, "at_least", peak->at_least);
        else json_member_null(j, "at_least");
        json_object_end(j);
    }
    json_object_end(j);
}

void history_json_missing(struct json *j, const struct store *store) {
    char month[HISTORY_MONTH_ROOM];
    json_key(j, "missing_months");
    json_array(j);
    for (size_t at = 0; (at = history_missing(store, at, month));) json_text(j, month);
    json_array_end(j);
}

int history_age(const char *option, const char *text, int64_t *microseconds, struct err *err) {
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    uint64_t n;
    size_t used = num_read_u64(slice_from(text), &n);
    for (size_t i = 0; used && n < 100000 && i < sizeof units / sizeof *units; i++)
        if (text[used] == units[i].unit && !text[used + 1]) {
            *microseconds = (int64_t)n * units[i].seconds * 1000000;
            return 0;
        }
    return err_set(err, ERR_USAGE, "--%s takes an age such as 12h, 30d or 8w, not '%.60s'", option, text);
}

int history_filter_of(const struct args *args, int64_t default_limit, struct history_filter *filter, struct strbuf *scratch,
                      struct err *err) {
    const char *label = args_text(args, "label"), *since = args_text(args, "since");
    uint64_t limit;
    *filter = (struct history_filter){.model = args_text(args, "model"), .branch = args_text(args, "branch")};
    if (args_number(args, "limit", (uint64_t)default_limit, &limit, err) != 0) return -1;
    filter->limit = limit > INT64_MAX ? 0 : (int64_t)limit;
    if (since) {
        int64_t age;
        if (history_age("since", since, &age, err) != 0) return -1;
        filter->since = (int64_t)time(NULL) * 1000000 - age;
    }
    if (!label) return 0;
    const char *equals = strchr(label, '=');
    if (!equals || equals == label) return err_set(err, ERR_USAGE, "--label takes NAME=VALUE, not '%.60s'", label);
    strbuf_add(scratch, slice_between(label, equals));
    filter->label = strbuf_text(scratch);
    filter->label_value = equals + 1;
    return 0;
}

const struct measure *history_measure(const struct args *args, struct err *err) {
    const char *name = args_text(args, "measure");
    const struct measure *measure = measure_find(slice_from(name ? name : "dram.peak"));
    if (measure) return measure;
    const char *names[64];
    size_t n = 0;
    for (; n < measure_count && n < 63; n++) names[n] = measure_table[n].name;
    names[n] = NULL;
    const char *near = args_suggest(name, names);
    err_set(err, ERR_USAGE, "unknown measure '%.60s'%s%s%s", name, near ? "; did you mean " : "", near ? near : "",
            near ? "?" : "; ttmem check --help lists them");
    return NULL;
}

static void add_trend(struct trends *trends, const struct history_point *points, size_t count, const struct measure *measure,
                      const struct trend_limit *limit) {
    struct trend_point *out = arena_alloc(&trends->arena, count * sizeof *out);
    struct trend trend = {.model = points[0].model, .measure = measure, .points = out, .count = count};
    struct trend_value *values = mem_alloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = (struct trend_value){points[i].value, points[i].ended};
        out[i] = (struct trend_point){points[i].added,
                                      points[i].value,
                                      points[i].whole,
                                      points[i].id,
                                      points[i].at_least || (points[i].ended && !measure->low_is_bad),
                                      points[i].bound};
    }
    struct trend_rises rises = {0};
    if (limit) trend_find(values, count, measure->low_is_bad, *limit, &rises);
    trend.rises = rises.items;
    trend.rise_count = rises.len;
    free(values);
    vec_push(&trends->list, trend);
}

void trends_make(struct trends *trends, const struct history_series *series, const struct measure *measure,
                 const struct trend_limit *limit) {
    *trends = (struct trends){0};
    for (size_t i = 0, end; i < series->points.len; i = end) {
        for (end = i + 1; end < series->points.len; end++)
            if (!slice_equal(series->points.items[end].model, series->points.items[i].model)) break;
        add_trend(trends, &series->points.items[i], end - i, measure, limit);
    }
}

void trends_release(struct trends *trends) {
    for (size_t i = 0; i < trends->list.len; i++) free((void *)(uintptr_t)trends->list.items[i].rises);
    vec_release(&trends->list);
    arena_release(&trends->arena);
}
