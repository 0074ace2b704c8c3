/* SPDX-License-Identifier: Apache-2.0 */
/* A ttnn database of any schema into one of the newest: row by row, so that its size does not matter. */
#include <sqlite3.h>
#include <string.h>

#include "base/strbuf.h"
#include "input/ttnn/open.h"
#include "work/visualizer/visualizer_export.h"

static bool has_column(sqlite3 *from, const char *table, const char *column) {
    static const char sql[] =
        "SELECT 1 FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name = ?1 AND (?2 = '' OR "
        "c.name = ?2) LIMIT 1";
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(from, sql, -1, &statement, NULL) != SQLITE_OK) return false;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

/* Columns that an older schema lacks get the newest schema's default. */
static void add_select(struct strbuf *sql, sqlite3 *from, const struct visualizer_columns *t,
                       const struct visualizer_wish *wish) {
    strbuf_addz(sql, "SELECT ");
    for (size_t i = 0; t->columns[i]; i++) {
        const char *missing = strcmp(t->columns[i], "rank") == 0 ? "0" : "NULL";
        strbuf_addf(sql, "%s%s", i ? ", " : "", has_column(from, t->name, t->columns[i]) ? t->columns[i] : missing);
    }
    strbuf_addf(sql, " FROM %s", t->name);
    if (wish->has_range && has_column(from, t->name, "operation_id"))
        strbuf_addf(sql, " WHERE operation_id BETWEEN %llu AND %llu", (unsigned long long)wish->first,
                    (unsigned long long)wish->last);
}

static bool copy_table(struct visualizer *v, sqlite3 *from, enum visualizer_table table, const struct visualizer_wish *wish) {
    const struct visualizer_columns *t = &visualizer_tables[table];
    sqlite3_stmt *rows = NULL, *insert = v->inserts[table];
    struct strbuf sql = {0};
    if (!has_column(from, t->name, "")) return true;
    add_select(&sql, from, t, wish);
    bool good = sqlite3_prepare_v2(from, strbuf_text(&sql), -1, &rows, NULL) == SQLITE_OK;
    strbuf_release(&sql);
    int state = SQLITE_DONE;
    while (good && (state = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *key = table == VIS_REPORT_METADATA ? (const char *)sqlite3_column_text(rows, 0) : NULL;
        if (key && strcmp(key, "schema_version") == 0) continue;
        sqlite3_reset(insert);
        for (int i = 0; t->columns[i]; i++) sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
        v->failed |= sqlite3_step(insert) != SQLITE_DONE;
        v->rows[table]++;
    }
    sqlite3_finalize(rows);
    return good && state == SQLITE_DONE;
}

/* Pages of older schemas become chunks: the part of a buffer on one core. */
static void copy_pages(struct visualizer *v, sqlite3 *from, const struct visualizer_wish *wish) {
    sqlite3_stmt *rows = NULL, *insert = v->inserts[VIS_BUFFER_CHUNKS];
    struct strbuf sql = {0};
    if (!has_column(from, "buffer_pages", "page_address") || has_column(from, "buffer_chunks", "")) return;
    strbuf_addz(
        &sql,
        "SELECT operation_id, device_id, address, bank_id, core_x, core_y, min(page_address), max(page_address + page_size) "
        "- min(page_address), max(page_size), count(*), buffer_type, 0 FROM buffer_pages");
    if (wish->has_range)
        strbuf_addf(&sql, " WHERE operation_id BETWEEN %llu AND %llu", (unsigned long long)wish->first,
                    (unsigned long long)wish->last);
    strbuf_addz(&sql, " GROUP BY operation_id, device_id, address, bank_id, core_x, core_y, buffer_type");
    if (sqlite3_prepare_v2(from, strbuf_text(&sql), -1, &rows, NULL) == SQLITE_OK)
        while (sqlite3_step(rows) == SQLITE_ROW) {
            sqlite3_reset(insert);
            for (int i = 0; i < 12; i++) sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
            v->failed |= sqlite3_step(insert) != SQLITE_DONE;
        }
    sqlite3_finalize(rows);
    strbuf_release(&sql);
}

int visualizer_from_database(struct visualizer *v, struct slice bytes, const char *path, const struct visualizer_wish *wish,
                             struct err *err) {
    sqlite3 *from;
    bool older, whole = true;
    if (ttnn_open(&from, bytes, path, &older, err) != 0) return -1;
    sqlite3_db_config(from, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(from, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    int rc = has_column(from, "operations", "operation_id")
                 ? 0
                 : err_set(err, ERR_LACKS, "%s is a database without the table operations, not a ttnn report", path);
    for (unsigned i = 0; rc == 0 && i < VIS_TABLES; i++) whole &= copy_table(v, from, (enum visualizer_table)i, wish);
    if (rc == 0) copy_pages(v, from, wish);
    if (rc == 0 && !v->rows[VIS_OPERATIONS])
        rc = !wish->has_range
                 ? err_set(err, ERR_LACKS, "%s has no op", path)
                 : err_set(err, ERR_LACKS, "%s has no op from %llu to %llu: --ops takes ids of its table operations", path,
                           (unsigned long long)wish->first, (unsigned long long)wish->last);
    v->left_out = !whole;
    if (rc == 0 && !whole) visualizer_metadata(v, "ttmem_left_out", SLICE("rows that are damaged"));
    sqlite3_close(from);
    return rc;
}
