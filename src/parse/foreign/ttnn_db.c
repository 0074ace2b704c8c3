/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/ttnn_db.h"

#include <sqlite3.h>

#include "base/strbuf.h"

static const char magic[16] = "SQLite format 3";

enum { MAX_COLUMNS = 10, WRITE_VERSION = 18, READ_VERSION = 19, ROLLBACK_JOURNAL = 1 };

/* Databases whose queries run on and on are not reports: views and triggers are not followed, and steps are counted. */
enum { OPCODES_PER_CHECK = 1000000, MAX_CHECKS = 200000 };

struct db_reading {
    sqlite3 *handle;
    struct ttnn_db *db;
    const char *path;
    struct err *err;
    uint64_t checks;
};

/* One table: its columns, and what takes a row. A column that the schema lacks reads as NULL. */
struct db_table {
    const char *name;
    const char *columns[MAX_COLUMNS]; /* NULL-terminated */
    const char *order;
    void (*take)(struct ttnn_db *db, sqlite3_stmt *row);
    bool required;
};

static struct slice column_text(struct ttnn_db *db, sqlite3_stmt *row, int at) {
    const char *text = (const char *)sqlite3_column_text(row, at);
    return text ? arena_copy(&db->arena, slice_of(text, (size_t)sqlite3_column_bytes(row, at))) : slice_of("", 0);
}

static int64_t column_i64(sqlite3_stmt *row, int at, int64_t missing) {
    return sqlite3_column_type(row, at) == SQLITE_NULL ? missing : sqlite3_column_int64(row, at);
}

static uint64_t column_u64(struct ttnn_db *db, sqlite3_stmt *row, int at) {
    int64_t n = column_i64(row, at, 0);
    if (n >= 0) return (uint64_t)n;
    db->unreadable++;
    return 0;
}

static void take_device(struct ttnn_db *db, sqlite3_stmt *row) {
    vec_push(&db->devices, ((struct ttnn_device){.rank = column_i64(row, 0, 0),
                                                 .id = column_i64(row, 1, 0),
                                                 .l1_banks = column_u64(db, row, 2),
                                                 .l1_bank_bytes = column_u64(db, row, 3),
                                                 .worker_l1_bytes = column_u64(db, row, 4),
                                                 .l1_base = column_u64(db, row, 5),
                                                 .cb_limit = column_u64(db, row, 6)}));
}

static void take_operation(struct ttnn_db *db, sqlite3_stmt *row) {
    double seconds = sqlite3_column_double(row, 3);
    bool known = seconds > 0 && seconds < 1e9;
    vec_push(&db->operations, ((struct ttnn_operation){.rank = column_i64(row, 0, 0),
                                                       .id = column_i64(row, 1, 0),
                                                       .name = column_text(db, row, 2),
                                                       .duration_ns = known ? (uint64_t)(seconds * 1e9 + 0.5) : 0}));
}

static void take_tensor(struct ttnn_db *db, sqlite3_stmt *row) {
    vec_push(&db->tensors, ((struct ttnn_tensor){.rank = column_i64(row, 0, 0),
                                                 .id = column_i64(row, 1, 0),
                                                 .shape = column_text(db, row, 2),
                                                 .dtype = column_text(db, row, 3),
                                                 .layout = column_text(db, row, 4),
                                                 .memory_config = column_text(db, row, 5),
                                                 .device = column_i64(row, 6, -1),
                                                 .address = column_u64(db, row, 7),
                                                 .has_address = sqlite3_column_type(row, 7) != SQLITE_NULL,
                                                 .buffer_type = column_i64(row, 8, -1)}));
}

static struct ttnn_use use_of(sqlite3_stmt *row) {
    return (struct ttnn_use){column_i64(row, 0, 0), column_i64(row, 1, 0), column_i64(row, 2, -1)};
}

static void take_input(struct ttnn_db *db, sqlite3_stmt *row) { vec_push(&db->inputs, use_of(row)); }
static void take_output(struct ttnn_db *db, sqlite3_stmt *row) { vec_push(&db->outputs, use_of(row)); }

static void take_buffer(struct ttnn_db *db, sqlite3_stmt *row) {
    vec_push(&db->buffers, ((struct ttnn_buffer){.rank = column_i64(row, 0, 0),
                                                 .operation = column_i64(row, 1, 0),
                                                 .device = column_i64(row, 2, 0),
                                                 .address = column_u64(db, row, 3),
                                                 .bank_bytes = column_u64(db, row, 4),
                                                 .buffer_type = column_i64(row, 5, -1),
                                                 .buffer_layout = column_i64(row, 6, -1)}));
}

static void take_metadata(struct ttnn_db *db, sqlite3_stmt *row) {
    const char *key = (const char *)sqlite3_column_text(row, 0);
    if (key && strcmp(key, "schema_version") == 0) db->schema_version = column_text(db, row, 1);
}

static const struct db_table tables[] = {
    {"operations", {"rank", "operation_id", "name", "duration"}, "1, 2", take_operation, true},
    {"devices",
     {"rank", "device_id", "l1_num_banks", "l1_bank_size", "worker_l1_size", "address_at_first_l1_cb_buffer", "cb_limit"},
     "1, 2",
     take_device,
     false},
    {"tensors",
     {"rank", "tensor_id", "shape", "dtype", "layout", "memory_config", "device_id", "address", "buffer_type"},
     "1, 2",
     take_tensor,
     false},
    {"input_tensors", {"rank", "operation_id", "tensor_id", "input_index"}, "1, 2, 4", take_input, false},
    {"output_tensors", {"rank", "operation_id", "tensor_id", "output_index"}, "1, 2, 4", take_output, false},
    {"buffers",
     {"rank", "operation_id", "device_id", "address", "max_size_per_bank", "buffer_type", "buffer_layout"},
     "1, 2, 3",
     take_buffer,
     false},
    {"report_metadata", {"key", "value"}, "1", take_metadata, false},
};

static int damaged(const struct db_reading *r) {
    return err_set(r->err, ERR_INPUT, "%s cannot be read as a database: %s", r->path, sqlite3_errmsg(r->handle));
}

/* Does the table, no view, have the column? An empty column asks for the table alone. */
static bool has_column(const struct db_reading *r, const char *table, const char *column) {
    static const char sql[] =
        "SELECT 1 FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND "
        "m.name = ?1 AND (?2 = '' OR c.name = ?2) LIMIT 1";
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(r->handle, sql, -1, &statement, NULL) != SQLITE_OK) return false;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

static int read_rows(const struct db_reading *r, const struct db_table *table, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(r->handle, sql, -1, &statement, NULL) != SQLITE_OK) return damaged(r);
    int state;
    while ((state = sqlite3_step(statement)) == SQLITE_ROW) table->take(r->db, statement);
    int rc = state == SQLITE_DONE ? 0 : damaged(r);
    sqlite3_finalize(statement);
    return rc;
}

static int read_table(const struct db_reading *r, const struct db_table *table) {
    if (!has_column(r, table->name, "")) {
        if (!table->required) return 0;
        /* a database that is damaged at its very front says so here */
        int code = sqlite3_errcode(r->handle);
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) return damaged(r);
        return err_set(r->err, ERR_LACKS, "%s is a database without a table %s, no report of ttnn", r->path, table->name);
    }
    struct strbuf sql = {0};
    strbuf_addz(&sql, "SELECT ");
    for (size_t i = 0; i < MAX_COLUMNS && table->columns[i]; i++)
        strbuf_addf(&sql, "%s%s", i ? ", " : "", has_column(r, table->name, table->columns[i]) ? table->columns[i] : "NULL");
    strbuf_addf(&sql, " FROM %s ORDER BY %s", table->name, table->order);
    int rc = read_rows(r, table, strbuf_text(&sql));
    strbuf_release(&sql);
    return rc;
}

static int count_checks(void *context) {
    struct db_reading *r = context;
    return ++r->checks > MAX_CHECKS;
}

bool ttnn_db_looks_like(struct slice bytes) { return slice_starts(bytes, slice_of(magic, sizeof magic)); }

/* SQLite reads the bytes in place. A database in WAL mode it refuses without its -wal file: a copy says it is not in that
 * mode. */
static int open_bytes(struct db_reading *r, struct slice bytes) {
    unsigned char *own = NULL;
    if (sqlite3_open_v2(":memory:", &r->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return damaged(r);
    unsigned flags = SQLITE_DESERIALIZE_READONLY;
    if (bytes.len > READ_VERSION && bytes.ptr[READ_VERSION] > ROLLBACK_JOURNAL) {
        own = sqlite3_malloc64(bytes.len);
        if (!own) return err_set(r->err, ERR_INPUT, "%s: no memory for a copy", r->path);
        memcpy(own, bytes.ptr, bytes.len);
        own[WRITE_VERSION] = own[READ_VERSION] = ROLLBACK_JOURNAL;
        flags |= SQLITE_DESERIALIZE_FREEONCLOSE;
    }
    unsigned char *data = own ? own : (unsigned char *)(uintptr_t)bytes.ptr;
    if (sqlite3_deserialize(r->handle, "main", data, (sqlite3_int64)bytes.len, (sqlite3_int64)bytes.len, flags) != SQLITE_OK)
        return damaged(r);
    sqlite3_db_config(r->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(r->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_exec(r->handle, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
    sqlite3_progress_handler(r->handle, OPCODES_PER_CHECK, count_checks, r);
    return 0;
}

int ttnn_db_read(struct ttnn_db *db, struct slice bytes, const char *path, struct err *err) {
    *db = (struct ttnn_db){0};
    struct db_reading r = {.db = db, .path = path, .err = err};
    int rc = open_bytes(&r, bytes);
    for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++) rc = read_table(&r, &tables[i]);
    sqlite3_close(r.handle);
    return rc;
}

void ttnn_db_release(struct ttnn_db *db) {
    arena_release(&db->arena);
    vec_release(&db->devices);
    vec_release(&db->operations);
    vec_release(&db->tensors);
    vec_release(&db->inputs);
    vec_release(&db->outputs);
    vec_release(&db->buffers);
}
