/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/ttnn_rows.h"

#include <sqlite3.h>

enum { AT_ONCE = 16384, COLUMNS = 7 };

static int64_t value_i64(sqlite3_value *value, int64_t missing) {
    int64_t n = sqlite3_value_int64(value);
    return n || !missing || sqlite3_value_type(value) != SQLITE_NULL ? n : missing;
}

static uint64_t value_u64(struct ttnn_rows *rows, sqlite3_value *value) {
    int64_t n = sqlite3_value_int64(value);
    if (n > 0) return (uint64_t)n;
    int type = n ? SQLITE_INTEGER : sqlite3_value_type(value);
    rows->unreadable += n < 0 || type == SQLITE_TEXT || type == SQLITE_BLOB;
    return 0;
}

static void take(sqlite3_context *context, int count, sqlite3_value **v) {
    struct ttnn_rows *rows = sqlite3_user_data(context);
    if (count != COLUMNS) return;
    vec_push(&rows->rows, ((struct ttnn_buffer){.rank = value_i64(v[0], 0),
                                                .operation = value_i64(v[1], 0),
                                                .device = value_i64(v[2], 0),
                                                .address = value_u64(rows, v[3]),
                                                .bank_bytes = value_u64(rows, v[4]),
                                                .buffer_type = value_i64(v[5], -1),
                                                .buffer_layout = value_i64(v[6], 0)}));
}

static void finish(sqlite3_context *context) { sqlite3_result_null(context); }

bool ttnn_rows_begin(struct ttnn_rows *rows, sqlite3 *handle, struct slice columns) {
    struct strbuf sql = {0};
    int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    *rows = (struct ttnn_rows){.handle = handle, .last = INT64_MIN};
    bool ready = sqlite3_create_function_v2(handle, "ttmem_take", COLUMNS, flags, rows, NULL, take, finish, NULL) == SQLITE_OK;
    strbuf_addf(&sql, "SELECT ttmem_take(%.*s) FROM buffers WHERE rowid > ?1 AND rowid <= ?2", SLICE_FMT(columns));
    ready = ready && sqlite3_prepare_v2(handle, strbuf_text(&sql), -1, &rows->some, NULL) == SQLITE_OK;
    static const char next[] = "SELECT rowid FROM buffers WHERE rowid > ?1 ORDER BY rowid LIMIT 1";
    ready = ready && sqlite3_prepare_v2(handle, next, -1, &rows->next, NULL) == SQLITE_OK;
    strbuf_release(&sql);
    return ready;
}

/* Finds where the rows continue: any distance may be between two. */
static bool find_next(struct ttnn_rows *rows) {
    sqlite3_reset(rows->next);
    sqlite3_bind_int64(rows->next, 1, rows->last);
    int state = sqlite3_step(rows->next);
    rows->broken |= state != SQLITE_ROW && state != SQLITE_DONE;
    if (state != SQLITE_ROW) return false;
    rows->last = sqlite3_column_int64(rows->next, 0) - 1;
    return true;
}

static void read_some(struct ttnn_rows *rows) {
    rows->at = 0;
    vec_clear(&rows->rows);
    while (!rows->rows.len && !rows->broken) {
        if (!find_next(rows)) {
            rows->ended = true;
            return;
        }
        int64_t until = rows->last > INT64_MAX - AT_ONCE ? INT64_MAX : rows->last + AT_ONCE;
        sqlite3_reset(rows->some);
        sqlite3_bind_int64(rows->some, 1, rows->last);
        sqlite3_bind_int64(rows->some, 2, until);
        rows->broken |= sqlite3_step(rows->some) != SQLITE_ROW;
        rows->last = until;
    }
    if (rows->last == INT64_MAX) rows->ended = true;
}

bool ttnn_rows_next(struct ttnn_rows *rows, struct ttnn_buffer *out) {
    if (rows->at == rows->rows.len && (rows->ended || rows->broken)) return false;
    if (rows->at == rows->rows.len) read_some(rows);
    if (rows->at == rows->rows.len) return false;
    *out = rows->rows.items[rows->at++];
    return true;
}

void ttnn_rows_release(struct ttnn_rows *rows) {
    sqlite3_finalize(rows->some);
    sqlite3_finalize(rows->next);
    vec_release(&rows->rows);
    *rows = (struct ttnn_rows){0};
}
