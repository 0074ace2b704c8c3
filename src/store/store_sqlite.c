/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "store/store_ops.h"
#include "store/store_waits.h"

struct sqlite_store {
    struct store base;
    sqlite3 *db;
    struct store_waits waits;
    bool told;
    int64_t waits_since;
};

static sqlite3 *db_of(struct store *store) { return ((struct sqlite_store *)store)->db; }

/* A moment of waiting that began at `since`. False once it was long enough. */
static bool wait_on(struct sqlite_store *s, int64_t since, int64_t pause_ns) {
    const int64_t second = 1000000000, waited = clock_ns() - since, most = store_wait_seconds() * second;
    if (waited >= most) return false;
    if (waited >= second && !s->told && s->waits.tell) {
        s->told = true;
        s->waits.tell(s->waits.context, s->base.name, store_wait_seconds(), true);
    }
    if (pause_ns > most - waited) pause_ns = most - waited;
    nanosleep(&(struct timespec){.tv_sec = pause_ns / second, .tv_nsec = pause_ns % second}, NULL);
    return true;
}

/* SQLite asks whether to try again, for the `count`th time. */
static int on_busy(void *who, int count) {
    enum { LONGEST_MS = 100 };
    struct sqlite_store *s = who;
    int64_t ms = count < 20 ? 1 + 5 * (int64_t)count : LONGEST_MS;
    if (count == 0) s->waits_since = clock_ns();
    return wait_on(s, s->waits_since, ms * 1000000);
}

/* A message that says what to do about it. */
static int fail(struct store *store, struct err *err) {
    sqlite3 *db = db_of(store);
    switch (sqlite3_errcode(db) & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return err_set(err, ERR_OUTPUT, "%s has been locked by another process for more than %d s; nothing was changed",
                           store->name, store_wait_seconds());
        case SQLITE_FULL:
            return err_set(err, ERR_OUTPUT, "the disk of %s is full; nothing was changed", store->name);
        case SQLITE_NOTADB:
            return err_set(err, ERR_INPUT, "%s is not a history of ttmem", store->name);
        case SQLITE_CORRUPT:
            return err_set(err, ERR_INPUT, "%s is damaged: %s", store->name, sqlite3_errmsg(db));
        case SQLITE_READONLY:
            return err_set(err, ERR_OUTPUT, "%s cannot be written: %s", store->name, sqlite3_errmsg(db));
        case SQLITE_CANTOPEN:
            if (access(sqlite3_filename_wal(sqlite3_db_filename(db, "main")), F_OK) == 0)
                return err_set(err, ERR_INPUT,
                               "%s has changes in its -wal file, which SQLite cannot read in a folder that cannot be written: "
                               "copy both files to one that can",
                               store->name);
            if (access(sqlite3_db_filename(db, "main"), F_OK) == 0)
                return err_set(err, ERR_OUTPUT, "SQLite cannot make the journal of %s: its folder cannot be written",
                               store->name);
            return err_set(err, ERR_INPUT, "cannot open '%s': %s", store->name, strerror(sqlite3_system_errno(db)));
        case SQLITE_IOERR:
            return err_set(err, ERR_OUTPUT, "%s: %s (%s); nothing was changed", store->name, sqlite3_errmsg(db),
                           strerror(sqlite3_system_errno(db)));
        default:
            return err_set(err, ERR_OUTPUT, "%s: %s", store->name, sqlite3_errmsg(db));
    }
}

static void bind_value(sqlite3_stmt *statement, int at, const struct store_value *value) {
    if (value->kind == STORE_INT) sqlite3_bind_int64(statement, at, value->number);
    else if (value->kind == STORE_TEXT)
        sqlite3_bind_text(statement, at, value->text.ptr ? value->text.ptr : "", (int)value->text.len, SQLITE_STATIC);
    else sqlite3_bind_null(statement, at);
}

static void bind_all(sqlite3_stmt *statement, const struct store_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "$%zu", i + 1);
        int at = sqlite3_bind_parameter_index(statement, name);
        if (at) bind_value(statement, at, &values[i]);
    }
}

static void read_row(sqlite3_stmt *statement, struct store_value *row, int columns) {
    for (int i = 0; i < columns; i++) {
        row[i] = (struct store_value){.kind = STORE_NULL};
        switch (sqlite3_column_type(statement, i)) {
            case SQLITE_INTEGER:
                row[i] = STORE_I(sqlite3_column_int64(statement, i));
                break;
            case SQLITE_NULL:
                break;
            default:
                row[i] = STORE_T(
                    slice_of((const char *)sqlite3_column_text(statement, i), (size_t)sqlite3_column_bytes(statement, i)));
        }
    }
}

static int sqlite_run(struct store *store, const char *sql, const struct store_value *values, size_t count, store_row_fn *row,
                      void *who, int64_t *changed, struct err *err) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db_of(store), sql, -1, &statement, NULL) != SQLITE_OK) return fail(store, err);
    bind_all(statement, values, count);
    int columns = sqlite3_column_count(statement), rc;
    struct store_value *cells = mem_alloc(sizeof *cells * (size_t)(columns + 1));
    bool more = true;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW && more) {
        read_row(statement, cells, columns);
        if (row) more = row(who, cells);
    }
    free(cells);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) fail(store, err);
    sqlite3_finalize(statement);
    if (changed) *changed = sqlite3_changes64(db_of(store));
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : -1;
}

static int sqlite_bulk(struct store *store, const char *table, const char *columns, size_t column_count, store_next_fn *next,
                       void *who, struct err *err) {
    struct strbuf sql = {0};
    strbuf_addf(&sql, "INSERT INTO %s (%s) VALUES (", table, columns);
    for (size_t i = 0; i < column_count; i++) strbuf_addz(&sql, i ? ", ?" : "?");
    strbuf_addc(&sql, ')');
    sqlite3_stmt *statement;
    int rc = sqlite3_prepare_v2(db_of(store), strbuf_text(&sql), -1, &statement, NULL);
    strbuf_release(&sql);
    if (rc != SQLITE_OK) return fail(store, err);
    struct store_value *row = mem_zalloc(column_count, sizeof *row);
    while (rc == SQLITE_OK && next(who, row)) {
        for (size_t i = 0; i < column_count; i++) bind_value(statement, (int)i + 1, &row[i]);
        if (sqlite3_step(statement) != SQLITE_DONE) rc = fail(store, err);
        sqlite3_reset(statement);
    }
    free(row);
    sqlite3_finalize(statement);
    return rc == SQLITE_OK ? 0 : -1;
}

static int exec(struct store *store, const char *sql, struct err *err) {
    return sqlite3_exec(db_of(store), sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(store, err);
}

static int sqlite_begin(struct store *store, bool write, struct err *err) {
    return exec(store, write ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

static int sqlite_commit(struct store *store, struct err *err) { return exec(store, "COMMIT", err); }

static void sqlite_rollback(struct store *store) { sqlite3_exec(db_of(store), "ROLLBACK", NULL, NULL, NULL); }

static void sqlite_close(struct store *store) {
    sqlite3_close(db_of(store));
    free(store->name);
    free(store);
}

/* Can no one write to it under this name, so that it cannot change while it is read? The file, or the folder that a writer
 * needs for its journal, is not writable, and no writer left a journal. */
static bool is_at_rest(const char *where) {
    struct strbuf path = {0};
    struct stat st;
    const char *slash = strrchr(where, '/');
    strbuf_addf(&path, "%.*s", slash ? (int)(slash - where) : 1, slash ? where : ".");
    if (slash == where) strbuf_addc(&path, '/');
    bool writable = access(where, W_OK) == 0 && access(strbuf_text(&path), W_OK) == 0;
    strbuf_clear(&path);
    strbuf_addf(&path, "%s-wal", where);
    bool journal = stat(strbuf_text(&path), &st) == 0 && st.st_size > 0;
    strbuf_release(&path);
    return !writable && !journal && access(where, R_OK) == 0;
}

/* A history on a read-only medium can still be read; without this SQLite asks for a journal beside it. */
static int open_at_rest(const char *where, sqlite3 **db) {
    struct strbuf uri = {0};
    strbuf_addz(&uri, "file:");
    for (const char *p = where; *p; p++) {
        if (strchr("?#%", *p)) strbuf_addf(&uri, "%%%02x", (unsigned char)*p);
        else strbuf_addc(&uri, *p);
    }
    strbuf_addz(&uri, "?immutable=1");
    int rc = sqlite3_open_v2(strbuf_text(&uri), db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
    strbuf_release(&uri);
    return rc;
}

/* Readers and one writer at a time do not wait for each other. Two processes that both find a new file and change its mode
 * would wait for each other for ever, so SQLite refuses one of them at once, without the requested wait: asking again finds
 * the mode as the other one set it. */
static int use_wal(struct store *store, struct err *err) {
    for (int64_t since = clock_ns();;) {
        int rc = sqlite3_exec(db_of(store), "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (rc == SQLITE_OK) return 0;
        if (rc != SQLITE_BUSY || !wait_on((struct sqlite_store *)store, since, 10000000)) return fail(store, err);
    }
}

static struct store *sqlite_open(const char *where, bool create, struct err *err) {
    struct stat st;
    if (stat(where, &st) == 0 && !S_ISREG(st.st_mode)) { /* SQLite would leave a journal beside a device */
        err_set(err, ERR_INPUT, "%s is not a file, so not a history", where);
        return NULL;
    }
    struct sqlite_store *s = mem_zalloc(1, sizeof *s);
    s->base = (struct store){.ops = &store_sqlite, .name = mem_strdup(where)};
    s->waits = store_waits_here();
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    int rc = !create && is_at_rest(where) ? open_at_rest(where, &s->db) : sqlite3_open_v2(where, &s->db, flags, NULL);
    if (rc != SQLITE_OK && !create) {
        sqlite3_close(s->db);
        rc = sqlite3_open_v2(where, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    }
    if (rc == SQLITE_OK) {
        sqlite3_busy_handler(s->db, on_busy, s);
        if (create) rc = use_wal(&s->base, err);
        /* a commit is on the disk when it returns */
        if (rc == 0) rc = exec(&s->base, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", err);
    } else {
        fail(&s->base, err);
    }
    if (rc == SQLITE_OK) return &s->base;
    sqlite_close(&s->base);
    return NULL;
}

static bool take_number(void *who, const struct store_value *row) {
    *(int64_t *)who = row[0].number;
    return true;
}

static int sqlite_version(struct store *store, int64_t *version, struct err *err) {
    int64_t whose = 0;
    enum { NOBODYS, OURS, ANOTHERS };
    *version = 0;
    /* one query: between two, another process may create the tables */
    if (sqlite_run(
            store,
            "SELECT CASE WHEN count(*) = 0 THEN 0 WHEN sum(name = 'ttmem_schema') > 0 THEN 1 ELSE 2 END FROM sqlite_master",
            NULL, 0, take_number, &whose, NULL, err) != 0)
        return -1;
    if (whose == ANOTHERS) return err_set(err, ERR_INPUT, "%s is the database of another program", store->name);
    if (whose == NOBODYS) return 0;
    return sqlite_run(store, "SELECT max(version) FROM ttmem_schema", NULL, 0, take_number, version, NULL, err);
}

static int sqlite_lock_schema(struct store *store, struct err *err) {
    (void)store;
    (void)err;
    return 0; /* BEGIN IMMEDIATE did */
}

static const char *sqlite_state(struct store *store) {
    (void)store;
    return "";
}

const struct store_ops store_sqlite = {
    .open = sqlite_open,
    .close = sqlite_close,
    .run = sqlite_run,
    .bulk = sqlite_bulk,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .version = sqlite_version,
    .lock_schema = sqlite_lock_schema,
    .state = sqlite_state,
    .table_options = " WITHOUT ROWID",
    .newest_schema = 5,
};
