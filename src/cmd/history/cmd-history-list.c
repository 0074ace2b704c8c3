/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history list: the runs of the history, newest first. */
#include "base/json_write.h"
#include "cmd/line/emit.h"
#include "cmd/history/history_options.h"
#include "base/amounts.h"
#include "render/format/json_parts.h"

enum { DEFAULT_LIMIT = 20 };

static void text_cell(struct strbuf *out, const struct term *term, struct slice text, size_t width) {
    size_t start = out->len;
    term_text(out, term, text, width);
    size_t used = out->len - start;
    strbuf_fill(out, ' ', used < width + 2 ? width + 2 - used : 2);
}

static void add_share(struct strbuf *out, const struct term *term, bool known, const struct history_peak *peak, int64_t value,
                      int64_t whole) {
    struct strbuf cell = {0};
    if (known) {
        if (peak->at_least) strbuf_addz(&cell, term->utf8 ? "≥ " : ">= ");
        add_mb(&cell, (uint64_t)value, 3);
        strbuf_addz(&cell, " MB");
    } else {
        strbuf_addc(&cell, '-');
    }
    size_t columns = cell.len - (known && peak->at_least && term->utf8 ? 2 : 0); /* the sign has three bytes */
    strbuf_fill(out, ' ', columns < 13 ? 13 - columns : 0);
    strbuf_add(out, strbuf_slice(&cell));
    strbuf_clear(&cell);
    if (known && whole) add_percent(&cell, value, (uint64_t)whole);
    strbuf_fill(out, ' ', cell.len < 8 ? 8 - cell.len : 0);
    strbuf_add(out, strbuf_slice(&cell));
    strbuf_release(&cell);
}

static void list_text(struct strbuf *out, const struct term *term, const struct history_list *list) {
    term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "%-12s%-18s%-24s%-12s%-16s%21s%21s%10s\n", "id", "added (UTC)", "model", "commit", "branch",
                "DRAM peak per bank", "L1 peak per bank", "ops");
    term_tone(out, term, TONE_PLAIN);
    for (size_t i = 0; i < list->runs.len; i++) {
        const struct history_listed *row = &list->runs.items[i];
        char id[HISTORY_ID_DIGITS + 1];
        struct strbuf ops = {0};
        history_id_text(row->run.id, id);
        strbuf_addf(out, "%.10s  ", id);
        add_time(out, row->run.added, false);
        strbuf_addz(out, "  ");
        text_cell(out, term, row->run.model, 22);
        text_cell(out, term, slice_take(row->run.commit, 10), 10);
        text_cell(out, term, row->run.branch, 14);
        add_share(out, term, row->has_dram, &row->dram_peak, row->dram, row->dram_whole);
        add_share(out, term, row->has_l1, &row->l1_peak, row->l1, row->l1_whole);
        add_grouped(&ops, (uint64_t)row->run.ops);
        strbuf_fill(out, ' ', ops.len < 10 ? 10 - ops.len : 1);
        strbuf_add(out, strbuf_slice(&ops));
        bool predicted = history_run_is_predicted(&row->run);
        if (predicted && !row->failures) strbuf_addz(out, "  predicted");
        if (row->failures) {
            term_tone(out, term, TONE_BAD);
            strbuf_addz(out, predicted ? "  predicted: would not fit" : "  failed");
            term_tone(out, term, TONE_PLAIN);
        }
        strbuf_addc(out, '\n');
        strbuf_release(&ops);
    }
}

/* keys: of the figure, of its source, of whether it is a lower bound */
static void peak_members(struct json *j, const char *const *keys, bool known, int64_t bytes, const struct history_peak *peak,
                         bool predicted) {
    if (!known) {
        for (unsigned i = 0; i < 3; i++) json_member_null(j, keys[i]);
        return;
    }
    json_member_i64(j, keys[0], bytes);
    json_member_text(j, keys[1], peak_source_word(peak->source, predicted));
    json_member_bool(j, keys[2], peak->at_least);
}

static void list_json(struct strbuf *out, const struct history_list *list, const struct store *store) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_key(&j, "runs");
    json_array(&j);
    for (size_t i = 0; i < list->runs.len; i++) {
        const struct history_listed *row = &list->runs.items[i];
        bool predicted = history_run_is_predicted(&row->run);
        json_object(&j);
        history_json_run(&j, &row->run);
        json_member_i64(&j, "op_count", row->run.ops);
        json_member_bool(&j, "has_ops", row->run.has_ops);
        peak_members(&j, (const char *const[]){"dram_peak_bytes_per_bank", "dram_peak_source", "dram_peak_at_least"},
                     row->has_dram, row->dram, &row->dram_peak, predicted);
        peak_members(&j, (const char *const[]){"l1_peak_bytes_per_bank", "l1_peak_source", "l1_peak_at_least"}, row->has_l1,
                     row->l1, &row->l1_peak, predicted);
        json_member_i64(&j, "failure_count", predicted ? 0 : row->failures);
        if (predicted) json_member_bool(&j, "fits", !row->failures);
        else json_member_null(&j, "fits");
        json_object_end(&j);
    }
    json_array_end(&j);
    history_json_missing(&j, store);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}

static int run(struct invocation *inv, struct err *err) {
    struct history_filter filter;
    struct history_list list = {0};
    struct strbuf scratch = {0}, text = {0};
    bool json = args_has(&inv->args, "json");
    int rc = history_filter_of(&inv->args, DEFAULT_LIMIT, &filter, &scratch, err);
    struct store *store = rc == 0 ? history_store_open(&inv->work, false, err) : NULL;
    rc = store ? history_list(store, &filter, &list, err) : -1;
    if (rc == 0) {
        if (json) list_json(&text, &list, store);
        else list_text(&text, &inv->work.out, &list);
        rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        if (rc == 0) rc = history_whole(store, err);
    }
    history_close(store);
    history_list_release(&list);
    strbuf_release(&scratch);
    strbuf_release(&text);
    return rc;
}

static const struct option options[] = {HISTORY_FILTER_OPTIONS, OPTION_STORE, OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_history_list = {
    .name = "history list",
    .summary = "List the runs of the history, newest first",
    .synopsis = "[--model NAME] [--branch NAME] [--label NAME=VALUE] [--since AGE] [--limit N] [--json] [options]",
    .details =
        "Shows each run's id, time, model, commit, branch, peaks per bank and number of ops. A peak is - where the run does "
        "not record it, or where the number of banks is not known; a greater-or-equal sign marks a lower bound, such as that "
        "of a run that failed. "
        "L1 leaves out circular buffers unless the run records them; that is not marked.",
    .example = "ttmem history list --branch main --since 30d",
    .options = options,
    .run = run,
};
