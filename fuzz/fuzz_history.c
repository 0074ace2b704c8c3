/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a history that somebody else changed: what was kept of a run is read, listed, compared and drawn. The input is lines
 * "table column value", a line "====", and the log of the run. */
#include <stdint.h>

#include "analysis/compare/diff.h"
#include "render/compare/diff.h"
#include "scratch.h"
#include "store/history.h"
#include "store/history_schema.h"
#include "two_logs.h"

static bool is_name(struct slice word) {
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] != '_' && (word.ptr[i] < 'a' || word.ptr[i] > 'z') && (word.ptr[i] < '0' || word.ptr[i] > '9'))
            return false;
    return word.len > 0 && word.len < 40;
}

static void change_rows(struct store *store, struct slice lines) {
    struct strbuf sql = {0};
    for (unsigned n = 0; lines.len && n < 40; n++) {
        struct slice line = slice_take(lines, slice_find_byte(lines, '\n'));
        lines = slice_skip(lines, line.len + 1);
        size_t a = slice_find_byte(line, ' ');
        struct slice table = slice_take(line, a), rest = a == SLICE_NONE ? SLICE("") : slice_skip(line, a + 1);
        size_t b = slice_find_byte(rest, ' ');
        struct slice column = slice_take(rest, b), value = b == SLICE_NONE ? SLICE("") : slice_skip(rest, b + 1);
        if (!is_name(table) || !is_name(column) || slice_equal(column, SLICE("run_id"))) continue;
        struct err err;
        strbuf_clear(&sql);
        /* a number where it reads as one: SQLite keeps what it is given */
        strbuf_addf(&sql, "UPDATE OR IGNORE ttmem_%.*s SET %.*s = CASE WHEN $1 = '' THEN NULL ELSE $1 END", SLICE_FMT(table),
                    SLICE_FMT(column));
        store->ops->run(store, strbuf_text(&sql), &STORE_T(value), 1, NULL, NULL, NULL, &err);
    }
    strbuf_release(&sql);
}

static void look(struct store *store, int64_t id, const struct footprint *whole) {
    struct history_list list = {0};
    struct history_details details = {0};
    struct footprint kept = {0};
    struct err err;
    if (history_list(store, &(struct history_filter){0}, &list, &err) == 0) history_list_release(&list);
    if (history_details(store, id, &details, &err) == 0) history_details_release(&details);
    for (const struct measure *m = measure_table; m->name; m++) {
        struct history_series series = {0};
        if (history_series(store, m, &(struct history_filter){0}, &series, &err) == 0) history_series_release(&series);
    }
    if (history_footprint(store, id, &kept, &err) != 0) return;
    struct diff d;
    struct strbuf out = {0};
    struct term term = {.columns = 80};
    diff_make(&kept, whole, &d);
    struct diff_request request = {.diff = &d, .a = SLICE("kept"), .b = SLICE("whole")};
    diff_text(&out, &term, &request);
    diff_json(&out, &request);
    strbuf_release(&out);
    diff_release(&d);
    footprint_release(&kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct store *store;
    struct slice lines, log;
    struct fuzz_run r;
    struct err err = {0};
    if (!store) {
        char path[128];
        scratch_make();
        snprintf(path, sizeof path, "%s/h.db", scratch_folder);
        store = history_open(path, true, &err);
        if (!store) abort();
    }
    fuzz_split(slice_of((const char *)data, size), &lines, &log);
    fuzz_run_read(&r, log, SLICE("fuzz"));
    struct history_run row = {.name = SLICE("fuzz"), .model = SLICE("m"), .branch = SLICE("b"), .source = SLICE("fuzz.log")};
    bool added;
    if (history_add(store, &row, NULL, 0, &r.footprint, true, &added, &err) == 0) {
        change_rows(store, lines);
        look(store, row.id, &r.footprint);
        history_remove(store, &row.id, 1, &err);
    }
    fuzz_run_release(&r);
    return 0;
}
