/* A database with the tables of export_rows.c and `run`, which holds what is known of the whole as key and value. It is made
 * in the outfile's temporary file, without a journal: the file appears whole or not at all. */
#include <sqlite3.h>

#include "base/utf8.h"
#include "render/export_rows.h"

struct database {
    sqlite3 *handle;
    const char *path;
    struct err *err;
};

static int failed(const struct database *db) {
    return err_set(db->err, ERR_OUTPUT, "cannot write %s: %s", db->path, db->handle ? sqlite3_errmsg(db->handle) : "no memory");
}

static int execute(const struct database *db, const char *sql) {
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(db);
}

static int prepare(const struct database *db, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(db->handle, sql, -1, statement, NULL) == SQLITE_OK ? 0 : failed(db);
}

/* The text stays valid until the row is written, except for what had to be mended. */
static void bind_text(sqlite3_stmt *statement, int at, struct slice text) {
    bool plain = true;
    for (size_t i = 0; plain && i < text.len; i++) plain = (unsigned char)text.ptr[i] < 0x80 && text.ptr[i];
    if (plain) {
        sqlite3_bind_text(statement, at, text.ptr, (int)text.len, SQLITE_STATIC);
        return;
    }
    struct strbuf valid = {0};
    utf8_add_printable(&valid, text, false);
    sqlite3_bind_text(statement, at, valid.data, (int)valid.len, SQLITE_TRANSIENT);
    strbuf_release(&valid);
}

static void bind_cell(sqlite3_stmt *statement, int at, const struct cell *cell) {
    switch (cell->kind) {
        case CELL_NULL:
            sqlite3_bind_null(statement, at);
            return;
        case CELL_INTEGER:
            sqlite3_bind_int64(statement, at, cell->number);
            return;
        case CELL_MILLI:
            sqlite3_bind_double(statement, at, (double)cell->number / 1000);
            return;
        case CELL_TEXT:
            bind_text(statement, at, cell->text);
    }
}

static void table_sql(struct strbuf *create, struct strbuf *insert, const struct export_table *table) {
    strbuf_addf(create, "CREATE TABLE %s(", table->name);
    strbuf_addf(insert, "INSERT INTO %s VALUES(", table->name);
    for (const struct export_column *column = table->columns; column->name; column++) {
        const char *comma = column == table->columns ? "" : ",";
        strbuf_addf(create, "%s%s %s", comma, column->name, column->type);
        strbuf_addf(insert, "%s?", comma);
    }
    strbuf_addz(create, ")");
    strbuf_addz(insert, ")");
}

static int write_rows(const struct database *db, const struct export_table *table, const struct run *run,
                      sqlite3_stmt *statement) {
    size_t rows = table->rows(run);
    for (size_t row = 0; row < rows; row++) {
        int at = 1;
        bool skip = false;
        for (const struct export_column *column = table->columns; column->name && !skip; column++, at++) {
            struct cell cell = {0};
            column->get(run, row, &cell);
            skip = at == 1 && cell.kind == CELL_NULL;
            bind_cell(statement, at, &cell);
        }
        if (skip) continue;
        if (sqlite3_step(statement) != SQLITE_DONE) return failed(db);
        sqlite3_reset(statement);
    }
    return 0;
}

static int write_table(const struct database *db, const struct export_table *table, const struct run *run) {
    struct strbuf create = {0}, insert = {0};
    sqlite3_stmt *statement = NULL;
    table_sql(&create, &insert, table);
    int rc = execute(db, strbuf_text(&create));
    if (rc == 0) rc = prepare(db, strbuf_text(&insert), &statement);
    if (rc == 0) rc = write_rows(db, table, run, statement);
    sqlite3_finalize(statement);
    strbuf_release(&create);
    strbuf_release(&insert);
    return rc;
}

static int write_facts(const struct database *db, const struct export_job *job) {
    const struct {
        const char *key;
        struct slice value;
    } facts[] = {{"name", job->name},
                 {"source", slice_from(job->source)},
                 {"generator", SLICE("ttmem")},
                 {"version", slice_from(job->version)},
                 {"schema_version", SLICE("1")},
                 {"chip", slice_from(job->run->chip ? job->run->chip->name : "")},
                 {"unit", SLICE("*_mb: MB of 1048576 bytes per bank; *_bytes: bytes")}};
    sqlite3_stmt *statement = NULL;
    int rc = execute(db, "CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT)");
    if (rc == 0) rc = prepare(db, "INSERT INTO run VALUES(?,?)", &statement);
    for (size_t i = 0; rc == 0 && i < sizeof facts / sizeof *facts; i++) {
        sqlite3_bind_text(statement, 1, facts[i].key, -1, SQLITE_STATIC);
        bind_text(statement, 2, facts[i].value);
        if (sqlite3_step(statement) != SQLITE_DONE) rc = failed(db);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return rc;
}

int export_sqlite(const struct export_job *job, struct outfile *file, struct err *err) {
    struct database db = {.path = file->path, .err = err};
    int rc = sqlite3_open_v2(file->temporary, &db.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
                 ? 0
                 : failed(&db);
    if (rc == 0)
        rc = execute(&db,
                     "PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA "
                     "locking_mode=EXCLUSIVE; BEGIN");
    if (rc == 0) rc = write_facts(&db, job);
    for (const struct export_table *table = export_row_tables; rc == 0 && table->name; table++)
        rc = write_table(&db, table, job->run);
    if (rc == 0) rc = execute(&db, "COMMIT");
    if (sqlite3_close(db.handle) != SQLITE_OK && rc == 0) rc = failed(&db);
    return rc;
}
