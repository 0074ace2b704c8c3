/* SPDX-License-Identifier: Apache-2.0 */
/* A database with the tables of export_rows.c and `run`, which holds facts about the whole as keys and values. It is made in
 * the outfile's temporary file, without a journal: the file appears complete or not at all. SQLite makes the tables,
 * sqlite_pages.h fills them. */
#include <sqlite3.h>

#include "base/utf8.h"
#include "render/export/export_rows.h"
#include "render/export/sqlite_pages.h"

enum { TABLES = 8 }; /* room for this many */

struct database {
    sqlite3 *handle;
    const char *path;
    struct err *err;
};

static int failed(const struct database *db) {
    return err_set(db->err, ERR_OUTPUT, "cannot write '%s': %s", db->path,
                   db->handle ? sqlite3_errmsg(db->handle) : "no memory");
}

static int execute(const struct database *db, const char *sql) {
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(db);
}

static int prepare(const struct database *db, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(db->handle, sql, -1, statement, NULL) == SQLITE_OK ? 0 : failed(db);
}

/* ASCII without zeros, eight bytes at a time. */
static bool is_plain(struct slice text) {
    uint64_t high = 0, eight;
    size_t at = 0;
    for (; at + sizeof eight <= text.len; at += sizeof eight) {
        memcpy(&eight, text.ptr + at, sizeof eight);
        /* the top bit of a byte is set if it was zero or above 127 */
        high |= (eight - 0x0101010101010101) | eight;
    }
    for (; at < text.len; at++) high |= (unsigned char)text.ptr[at] ? (unsigned char)text.ptr[at] : 0x80;
    return !(high & 0x8080808080808080);
}

/* --- rows --- */

static void create_sql(struct strbuf *create, const struct export_table *table) {
    strbuf_addf(create, "CREATE TABLE %s(", table->name);
    for (const struct export_column *column = table->columns; column->name; column++)
        strbuf_addf(create, "%s%s %s", column == table->columns ? "" : ",", column->name, column->type);
    strbuf_addz(create, ")");
}

static int create_table(const struct database *db, const struct export_table *table, uint32_t *root) {
    struct strbuf sql = {0};
    sqlite3_stmt *statement = NULL;
    create_sql(&sql, table);
    int rc = execute(db, strbuf_text(&sql));
    if (rc == 0) rc = prepare(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?", &statement);
    if (rc == 0) {
        sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW) *root = (uint32_t)sqlite3_column_int64(statement, 0);
        else rc = failed(db);
    }
    sqlite3_finalize(statement);
    strbuf_release(&sql);
    return rc;
}

/* Text that had to be repaired is kept in `mended` until the row is written. */
static struct sqlite_cell cell_for(const struct export_cell *cell, struct strbuf *mended) {
    switch (cell->kind) {
        case CELL_INTEGER:
            return (struct sqlite_cell){.kind = SQLITE_CELL_INTEGER, .integer = cell->number};
        case CELL_TEXT:
            if (is_plain(cell->text)) return (struct sqlite_cell){.kind = SQLITE_CELL_TEXT, .text = cell->text};
            strbuf_clear(mended);
            utf8_add_printable(mended, cell->text, false);
            return (struct sqlite_cell){.kind = SQLITE_CELL_TEXT, .text = strbuf_slice(mended)};
        case CELL_NULL:
            break;
    }
    return (struct sqlite_cell){.kind = SQLITE_CELL_NULL};
}

static int write_rows(struct sqlite_pages *pages, const struct export_table *table, const struct output_job *job,
                      struct err *err) {
    struct sqlite_cell cells[SQLITE_COLUMNS];
    struct strbuf mended[SQLITE_COLUMNS] = {0};
    bool keyed = strstr(table->columns[0].type, "PRIMARY KEY") != NULL;
    size_t rows = table->rows(job);
    int rc = 0;
    for (size_t row = 0; rc == 0 && row < rows; row++) {
        unsigned count = 0;
        for (const struct export_column *column = table->columns; column->name && count < SQLITE_COLUMNS; column++, count++) {
            struct export_cell cell = {0};
            column->get(job, row, &cell);
            if (!count && cell.kind == CELL_NULL) break;
            cells[count] = cell_for(&cell, &mended[count]);
        }
        if (!count) continue;
        int64_t rowid = keyed ? cells[0].integer : (int64_t)row + 1;
        if (keyed) cells[0] = (struct sqlite_cell){.kind = SQLITE_CELL_NULL};
        rc = sqlite_pages_row(pages, rowid, cells, count, err);
    }
    for (unsigned i = 0; i < SQLITE_COLUMNS; i++) strbuf_release(&mended[i]);
    return rc;
}

static int write_tables(const struct output_job *job, const struct outfile *file, const uint32_t *roots, struct err *err) {
    struct sqlite_pages pages;
    int rc = sqlite_pages_open(&pages, file->temporary, file->path, err);
    for (unsigned i = 0; rc == 0 && export_row_tables[i].name; i++) {
        sqlite_pages_table(&pages, roots[i]);
        rc = write_rows(&pages, &export_row_tables[i], job, err);
        if (rc == 0) rc = sqlite_pages_table_end(&pages, err);
    }
    if (rc == 0) rc = sqlite_pages_finish(&pages, err);
    sqlite_pages_release(&pages);
    return rc;
}

/* SQLite makes the file and its tables. */
static int make_database(const struct outfile *file, uint32_t *roots, struct err *err) {
    struct database db = {.path = file->path, .err = err};
    int rc = sqlite3_open_v2(file->temporary, &db.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
                 ? 0
                 : failed(&db);
    if (rc == 0)
        rc = execute(&db,
                     "PRAGMA page_size=16384; PRAGMA auto_vacuum=NONE; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA "
                     "locking_mode=EXCLUSIVE; BEGIN");
    for (unsigned i = 0; rc == 0 && export_row_tables[i].name; i++) rc = create_table(&db, &export_row_tables[i], &roots[i]);
    if (rc == 0) rc = execute(&db, "COMMIT");
    if (sqlite3_close(db.handle) != SQLITE_OK && rc == 0) rc = failed(&db);
    return rc;
}

int export_sqlite(const struct output_job *job, struct outfile *file, struct err *err) {
    uint32_t roots[TABLES] = {0};
    if (make_database(file, roots, err) != 0) return -1;
    return write_tables(job, file, roots, err);
}
