/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history regressions: the runs where a measure rose and stayed higher. */
#include <string.h>

#include "base/json_write.h"
#include "base/num.h"
#include "base/size.h"
#include "cmd/line/emit.h"
#include "cmd/history/history_options.h"
#include "base/amounts.h"
#include "render/format/json_parts.h"
#include "render/compare/budget.h"

/* "2%", "10MB", "5" (a count). */
static int read_limit(const char *text, const struct measure *measure, struct trend_limit *limit, struct err *err) {
    uint64_t n = 0;
    struct slice s = slice_from(text ? text : "2%");
    bool share = s.len && s.ptr[s.len - 1] == '%', good;
    if (share) good = s.len > 1 && num_read_thousandths(slice_take(s, s.len - 1), &n) == s.len - 1;
    else good = measure->is_count ? s.len && num_read_u64(s, &n) == s.len : size_read(s, &n);
    *limit = (struct trend_limit){share, (int64_t)n};
    if (good && n < INT64_MAX / 2) return 0;
    return err_set(err, ERR_USAGE, "--by takes a share or an amount: 2%% or 10MB, not '%.60s'", text);
}

/* A rise with what the history says about the two runs. */
struct told {
    const struct trend *trend;
    const struct trend_rise *rise;
    struct strbuf id, commit, previous_id, previous_commit;
};

static int look_up(struct told *told, struct store *store, struct err *err) {
    const struct trend_point *point = &told->trend->points[told->rise->at];
    const struct trend_point *previous = &told->trend->points[told->rise->previous];
    add_run_id(&told->id, point->id);
    add_run_id(&told->previous_id, previous->id);
    if (history_commit(store, point->id, &told->commit, err) != 0) return -1;
    return history_commit(store, previous->id, &told->previous_commit, err);
}

static void told_release(struct told *told) {
    strbuf_release(&told->id);
    strbuf_release(&told->commit);
    strbuf_release(&told->previous_id);
    strbuf_release(&told->previous_commit);
}

static void text_commit(struct strbuf *out, const struct term *term, const struct strbuf *commit) {
    if (!commit->len) return;
    strbuf_addz(out, " commit ");
    term_text(out, term, slice_take(strbuf_slice(commit), 12), 12);
}

static bool previous_at_least(const struct told *told) { return told->trend->points[told->rise->previous].at_least; }

/* From a figure that may really be worse, or to one that may be better, it need not be one. Peaks and classes are lower bounds,
 * the largest free block is an upper bound; others may be either. */
static bool is_certain(const struct trend *trend, const struct trend_rise *rise) {
    struct slice name = slice_from(trend->measure->name);
    bool worse = slice_ends(name, SLICE(".peak")) || slice_ends(name, SLICE(".dram")) || trend->measure->low_is_bad;
    return !trend->points[rise->previous].bound && (worse || !trend->points[rise->at].bound);
}

static void text_rise(struct strbuf *out, const struct term *term, const struct told *told) {
    const struct trend *trend = told->trend;
    const struct trend_rise *rise = told->rise;
    int64_t change = rise->after - rise->before;
    strbuf_add(out, strbuf_slice(&told->id));
    strbuf_addz(out, "  ");
    add_time(out, trend->points[rise->at].added, false);
    strbuf_addz(out, "  ");
    term_text(out, term, trend->model, 24);
    strbuf_addf(out, "  level of %s ", trend->measure->name);
    if (previous_at_least(told)) strbuf_addz(out, "at least ");
    measure_amount(out, trend->measure, rise->before);
    strbuf_addz(out, term->utf8 ? " \xe2\x86\x92 " : " -> ");
    if (trend->points[rise->at].at_least) strbuf_addz(out, "at least ");
    measure_amount(out, trend->measure, rise->after);
    if (measure_is_total(trend->measure)) strbuf_addz(out, " in total");
    strbuf_addz(out, "  ");
    if (change > 0) strbuf_addc(out, '+');
    /* zero has no percentage */
    if (rise->before) add_percent(out, change, (uint64_t)(rise->before < 0 ? -rise->before : rise->before));
    else measure_amount(out, trend->measure, change);
    text_commit(out, term, &told->commit);
    strbuf_addz(out, "  after ");
    strbuf_add(out, strbuf_slice(&told->previous_id));
    text_commit(out, term, &told->previous_commit);
    if (!is_certain(trend, rise)) strbuf_addz(out, "  not certain: figures are bounds");
    strbuf_addc(out, '\n');
}

static void json_rise(struct json *j, const struct told *told) {
    const struct trend *trend = told->trend;
    struct strbuf time = {0};
    add_time(&time, trend->points[told->rise->at].added, true);
    json_object(j);
    json_member_str(j, "model", trend->model);
    json_member_text(j, "measure", trend->measure->name);
    json_member_str(j, "id", strbuf_slice(&told->id));
    json_member_str(j, "added", strbuf_slice(&time));
    json_member_text_or_null(j, "commit", strbuf_slice(&told->commit));
    json_member_str(j, "previous_id", strbuf_slice(&told->previous_id));
    json_member_text_or_null(j, "previous_commit", strbuf_slice(&told->previous_commit));
    bool is_count = trend->measure->is_count;
    json_member_i64_if(j, "before_bytes", !is_count, told->rise->before);
    json_member_i64_if(j, "after_bytes", !is_count, told->rise->after);
    json_member_i64_if(j, "before_count", is_count, told->rise->before);
    json_member_i64_if(j, "after_count", is_count, told->rise->after);
    json_member_bool(j, "before_at_least", previous_at_least(told));
    json_member_bool(j, "after_at_least", trend->points[told->rise->at].at_least);
    json_member_bool(j, "certain", is_certain(trend, told->rise));
    json_object_end(j);
    strbuf_release(&time);
}

static int add_rises(struct strbuf *text, struct json *j, const struct invocation *inv, struct store *store,
                     const struct trend *trend, struct err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < trend->rise_count; i++) {
        struct told told = {.trend = trend, .rise = &trend->rises[i]};
        rc = look_up(&told, store, err);
        if (rc == 0 && j) json_rise(j, &told);
        else if (rc == 0) text_rise(text, &inv->work.out, &told);
        told_release(&told);
    }
    return rc;
}

/* The filters that were given, as in " --model 'm' --branch 'main'". */
static void add_filters(struct strbuf *out, const struct args *args) {
    static const char *const names[] = {"model", "branch", "label", "since"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (args_text(args, names[i])) strbuf_addf(out, " --%s '%.60s'", names[i], args_text(args, names[i]));
}

/* With --fail, a filter that matches nothing (a typing error, say) must not pass for "no regression". */
static int check_matches(const struct invocation *inv, const struct store *store, const struct measure *measure, size_t runs,
                         struct err *err) {
    struct strbuf filters = {0};
    int rc = 0;
    if (!runs) add_filters(&filters, &inv->args);
    if (filters.len && args_has(&inv->args, "fail")) {
        rc = history_whole(store, err); /* they may be in a month that is missing */
        if (rc == 0)
            rc = err_set(err, ERR_LACKS, "no run with %s matches%s: nothing to judge; ttmem history list shows the runs",
                         measure->name, strbuf_text(&filters));
    }
    strbuf_release(&filters);
    return rc;
}

/* Why no rise is listed: there are no runs, none that can be compared, or none that rose. */
static void note_none(const struct invocation *inv, const struct measure *measure, const struct trends *trends) {
    struct strbuf filters = {0};
    const char *by = args_text(&inv->args, "by");
    size_t compared = 0;
    for (size_t i = 0; i < trends->list.len; i++)
        if (trends->list.items[i].count > 1) compared += trends->list.items[i].count;
    add_filters(&filters, &inv->args);
    if (!trends->list.len && filters.len)
        work_note(&inv->work, "no run with %s matches%s: nothing to judge", measure->name, strbuf_text(&filters));
    else if (!trends->list.len) work_note(&inv->work, "no run of the history has %s: nothing to judge", measure->name);
    else if (!compared && trends->list.len == 1)
        work_note(&inv->work, "only one run with %s: there is no other to compare it with", measure->name);
    else if (!compared) work_note(&inv->work, "only one run with %s of each model: nothing to compare", measure->name);
    else
        work_note(&inv->work, "%s: no %s of more than %s that stayed, in %zu runs", measure->name,
                  measure->low_is_bad ? "fall" : "rise", by ? by : "2%", compared);
    strbuf_release(&filters);
}

static int tell(struct invocation *inv, struct store *store, const struct measure *measure, const struct trends *trends,
                size_t *found, size_t *certain, struct err *err) {
    struct strbuf text = {0};
    bool json = args_has(&inv->args, "json");
    struct json j = {.out = &text, .pretty = true};
    int rc = 0;
    if (json) {
        json_document(&j);
        json_key(&j, "regressions");
        json_array(&j);
    }
    for (size_t i = 0; rc == 0 && i < trends->list.len; i++) {
        const struct trend *trend = &trends->list.items[i];
        *found += trend->rise_count;
        for (size_t k = 0; k < trend->rise_count; k++) *certain += is_certain(trend, &trend->rises[k]);
        rc = add_rises(&text, json ? &j : NULL, inv, store, &trends->list.items[i], err);
    }
    if (json) {
        json_array_end(&j);
        history_json_missing(&j, store);
        json_object_end(&j);
        strbuf_addc(&text, '\n');
    } else if (!*found) {
        note_none(inv, measure, trends);
    }
    if (rc == 0) rc = emit_answer(inv, strbuf_slice(&text), !json, err);
    if (rc == 0) rc = history_whole(store, err);
    strbuf_release(&text);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    struct history_filter filter;
    struct history_series series = {0};
    struct strbuf scratch = {0};
    struct trend_limit limit;
    struct trends trends = {0};
    size_t found = 0, certain = 0;
    const struct measure *measure = history_measure(&inv->args, err);
    int rc = measure ? history_filter_of(&inv->args, 0, &filter, &scratch, err) : -1;
    if (rc == 0) rc = read_limit(args_text(&inv->args, "by"), measure, &limit, err);
    struct store *store = rc == 0 ? history_store_open(&inv->work, false, err) : NULL;
    rc = store ? history_series(store, measure, &filter, &series, err) : -1;
    if (rc == 0) {
        trends_make(&trends, &series, measure, &limit);
        rc = check_matches(inv, store, measure, series.points.len, err);
        if (rc == 0) rc = tell(inv, store, measure, &trends, &found, &certain, err);
    }
    trends_release(&trends);
    history_close(store);
    history_series_release(&series);
    strbuf_release(&scratch);
    if (rc != 0 || !args_has(&inv->args, "fail")) return rc;
    return certain ? 1 : found ? (int)ERR_LACKS : 0;
}

static const struct option options[] = {
    {"measure", 0, OPTION_TEXT, "NAME", "what to look at (dram.peak); ttmem check --help lists the measures"},
    {"by", 0, OPTION_TEXT, "LIMIT", "how much more than before: 2% (the default), 10MB"},
    {"fail", 0, OPTION_FLAG, NULL,
     "exit with 1 when there is one, with 4 when there are only uncertain ones or no run matches"},
    HISTORY_FILTER_OPTIONS,
    OPTION_STORE,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_history_regressions = {
    .name = "history regressions",
    .summary = "Find the run where a measure rose and stayed higher",
    .synopsis = "[--measure NAME] [--by 2%] [--model NAME] [--branch NAME] [--since AGE] [--fail] [--json] [options]",
    .details =
        "Looks at one measure, dram.peak unless --measure names another. A rise counts if every later run is still above the "
        "level before it by more than --by; the part that stayed is shown, from that level to the lowest value since. A rise "
        "in the newest run, which has no later one, counts too. A rise is listed as long as the level stays; to accept it, "
        "begin after it, with --since or --limit. For measures where less is worse (largest_free), falls count.",
    .example = "ttmem history regressions --branch main --by 2%",
    .options = options,
    .run = run,
};
