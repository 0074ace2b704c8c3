/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/ttnn_db.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "parse/foreign/python_stack.h"
#include "parse/foreign/ttnn_rows.h"

static const char magic[16] = "SQLite format 3";

enum { MAX_COLUMNS = 10, MOST_PLACES = UINT8_MAX, FIRST_ROWS = 20000 };
enum { MOST_BANKS = 4096, MOST_L1 = 16 << 20 };

/* A database with endless queries is not a report: views and triggers are not followed, and steps are limited. */
enum { OPCODES_PER_CHECK = 1000000, MAX_CHECKS = 200000 };

struct db_reading {
    sqlite3 *handle;
    sqlite3_stmt *buffers, *graph;
    struct ttnn_rows rows; /* the buffers, if they are stored in order */
    bool by_rows;
    struct ttnn_db *db;
    const char *path;
    struct err *err;
    uint64_t checks;
    int64_t last_rank, last_operation; /* of the rows of buffers */
    struct ttnn_place *place;          /* of the last one */
    uint64_t most_rows;                /* rows to read of a table; 0: all */
    bool looked_at_all, ended;
    bool given; /* a row of `buffers` was returned */
    uint64_t streamed;
};

/* One table: its columns, and the function that takes a row. A column that the schema lacks reads as NULL. */
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

/* NULL reads as 0: only then is its type checked. */
static int64_t column_i64(sqlite3_stmt *row, int at, int64_t missing) {
    int64_t n = sqlite3_column_int64(row, at);
    return n || !missing || sqlite3_column_type(row, at) != SQLITE_NULL ? n : missing;
}

static uint64_t column_u64(struct ttnn_db *db, sqlite3_stmt *row, int at) {
    int64_t n = column_i64(row, at, 0);
    if (n > 0) return (uint64_t)n;
    int type = n ? SQLITE_INTEGER : sqlite3_column_type(row, at);
    db->unreadable += n < 0 || type == SQLITE_TEXT || type == SQLITE_BLOB;
    return 0;
}

/* A figure for a core's L1 or its banks that no chip has reads as unknown. */
static uint64_t column_below(struct ttnn_db *db, sqlite3_stmt *row, int at, uint64_t most) {
    uint64_t n = column_u64(db, row, at);
    if (n <= most) return n;
    db->unreadable++;
    return 0;
}

static void take_device(struct ttnn_db *db, sqlite3_stmt *row) {
    vec_push(&db->devices, ((struct ttnn_device){.rank = column_i64(row, 0, 0),
                                                 .id = column_i64(row, 1, 0),
                                                 .l1_banks = column_below(db, row, 2, MOST_BANKS),
                                                 .l1_bank_bytes = column_below(db, row, 3, MOST_L1),
                                                 .worker_l1_bytes = column_below(db, row, 4, MOST_L1),
                                                 .l1_base = column_below(db, row, 5, MOST_L1),
                                                 .cb_limit = column_below(db, row, 6, MOST_L1)}));
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
    const char *config = (const char *)sqlite3_column_text(row, 5);
    db->per_core_l1 |= config && strstr(config, "per_core_allocation=1");
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

static struct ttnn_buffer buffer_of(struct ttnn_db *db, sqlite3_stmt *row) {
    uint64_t before = db->unreadable;
    struct ttnn_buffer buffer = {.rank = column_i64(row, 0, 0),
                                 .operation = column_i64(row, 1, 0),
                                 .device = column_i64(row, 2, 0),
                                 .address = column_u64(db, row, 3),
                                 .bank_bytes = column_u64(db, row, 4),
                                 .buffer_type = column_i64(row, 5, -1),
                                 .buffer_layout = column_i64(row, 6, 0)};
    db->unreadable_buffers += db->unreadable - before;
    return buffer;
}

static struct ttnn_place *place_of(struct ttnn_db *db, int64_t rank, int64_t device) {
    for (size_t i = db->places.len; i-- > 0;)
        if (db->places.items[i].rank == rank && db->places.items[i].device == device) return &db->places.items[i];
    if (db->places.len >= MOST_PLACES) return NULL;
    vec_push(&db->places, ((struct ttnn_place){rank, device, UINT64_MAX}));
    return &vec_last(&db->places);
}

/* A first walk over the buffers: finds the devices, and whether the rows are stored in order, as ttnn's importer writes
 * them. The first rows are enough as long as later ones agree. */
static void take_buffer_place(struct ttnn_db *db, sqlite3_stmt *row) {
    int64_t rank = column_i64(row, 0, 0), operation = column_i64(row, 1, 0), device = column_i64(row, 2, 0);
    struct db_reading *r = db->reading;
    db->buffers_in_order &= !db->buffer_rows || rank > r->last_rank || (rank == r->last_rank && operation >= r->last_operation);
    r->last_rank = rank;
    r->last_operation = operation;
    db->buffer_rows++;
    if (!r->place || r->place->rank != rank || r->place->device != device) r->place = place_of(db, rank, device);
    if (!r->place || column_i64(row, 4, -1) != 0) return;
    uint64_t address = column_u64(db, row, 3);
    if (address < r->place->lowest_dram) r->place->lowest_dram = address;
}

static void take_graph(struct ttnn_db *db, sqlite3_stmt *row) {
    vec_push(&db->graphs, ((struct ttnn_graph){column_i64(row, 0, 0), column_i64(row, 1, 0), column_i64(row, 2, 0)}));
}

static struct ttnn_operation *operation_of(struct ttnn_db *db, int64_t rank, int64_t id) {
    size_t low = 0, high = db->operations.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct ttnn_operation *op = &db->operations.items[mid];
        if (op->rank < rank || (op->rank == rank && op->id < id)) low = mid + 1;
        else high = mid;
    }
    bool found = low < db->operations.len && db->operations.items[low].rank == rank && db->operations.items[low].id == id;
    return found ? &db->operations.items[low] : NULL;
}

static void set_location(struct ttnn_db *db, struct ttnn_operation *op, const struct python_frame *frame) {
    struct strbuf text = {0};
    python_frame_place(&text, frame);
    op->location = arena_copy(&db->arena, strbuf_slice(&text));
    strbuf_release(&text);
}

static void take_stack(struct ttnn_db *db, sqlite3_stmt *row) {
    struct ttnn_operation *op = operation_of(db, column_i64(row, 0, 0), column_i64(row, 1, 0));
    const char *bytes = (const char *)sqlite3_column_text(row, 2);
    struct python_frame frame;
    if (!op || !bytes || op->location.len) return;
    if (python_stack_frame(slice_of(bytes, (size_t)sqlite3_column_bytes(row, 2)), &frame)) set_location(db, op, &frame);
}

/* Without a stack: the line that made a tensor, or used it last. */
static void take_lifetime(struct ttnn_db *db, sqlite3_stmt *row) {
    if (sqlite3_column_type(row, 2) != SQLITE_NULL && sqlite3_column_type(row, 7) != SQLITE_NULL)
        vec_push(&db->last_uses, ((struct ttnn_use){column_i64(row, 0, 0), column_i64(row, 2, 0), column_i64(row, 7, -1)}));
    for (int use = 0; use < 2; use++) {
        struct ttnn_operation *op = operation_of(db, column_i64(row, 0, 0), column_i64(row, 1 + use, -1));
        const char *path = (const char *)sqlite3_column_text(row, 3 + 2 * use);
        const char *line = (const char *)sqlite3_column_text(row, 4 + 2 * use);
        if (op && path && path[0] && line && line[0] && !op->location.len)
            set_location(db, op, &(struct python_frame){slice_from(path), slice_from(line)});
    }
}

static void take_metadata(struct ttnn_db *db, sqlite3_stmt *row) {
    const char *key = (const char *)sqlite3_column_text(row, 0);
    if (key && strcmp(key, "schema_version") == 0) db->schema_version = column_text(db, row, 1);
    /* written by ttmem for a database made from a source that does not record them */
    if (key && strcmp(key, "ttmem_circular_buffers") == 0) db->programs_untold = true;
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
    {"captured_graph", {"rank", "operation_id", "rowid"}, "1, 2, 3", take_graph, false},
    {"stack_traces", {"rank", "operation_id", "stack_trace"}, NULL, take_stack, false},
    {"tensor_lifetime",
     {"rank", "producer_operation_id", "last_use_operation_id", "producer_source_file", "producer_source_line",
      "last_use_source_file", "last_use_source_line", "tensor_id"},
     "1, 3",
     take_lifetime,
     false},
    {"report_metadata", {"key", "value"}, "1", take_metadata, false},
};

static int damaged(const struct db_reading *r) {
    return err_set(r->err, ERR_INPUT, "%s cannot be read as a database: %s", r->path, sqlite3_errmsg(r->handle));
}

/* Does the table (not a view) have the column? An empty column asks only for the table. */
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

/* A column that the table lacks reads as NULL. */
static void add_columns(const struct db_reading *r, const struct db_table *table, struct strbuf *sql) {
    for (size_t i = 0; i < MAX_COLUMNS && table->columns[i]; i++) {
        bool has = strcmp(table->columns[i], "rowid") == 0 || has_column(r, table->name, table->columns[i]);
        strbuf_addf(sql, "%s%s", i ? ", " : "", has ? table->columns[i] : "NULL");
    }
}

static int by_id(const void *a, const void *b) {
    const struct ttnn_operation *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Reads rows from one end of the table until the damage, or until those read from the other end. */
static void read_from_end(const struct db_reading *r, const struct db_table *table, bool last) {
    struct strbuf sql = {0};
    sqlite3_stmt *statement = NULL;
    size_t before = r->db->operations.len;
    strbuf_addz(&sql, "SELECT ");
    add_columns(r, table, &sql);
    strbuf_addf(&sql, " FROM %s NOT INDEXED ORDER BY rowid%s", table->name, last ? " DESC" : "");
    if (sqlite3_prepare_v2(r->handle, strbuf_text(&sql), -1, &statement, NULL) == SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW) {
            table->take(r->db, statement);
            if (last && before && by_id(&vec_last(&r->db->operations), &r->db->operations.items[before - 1]) == 0) {
                r->db->operations.len--;
                break;
            }
        }
    sqlite3_finalize(statement);
    strbuf_release(&sql);
}

/* Reads the ops before and after the damage in a damaged table, because sorting would read all of it. */
static void read_undamaged(const struct db_reading *r, const struct db_table *table) {
    vec_clear(&r->db->operations);
    read_from_end(r, table, false);
    read_from_end(r, table, true);
    if (r->db->operations.len) qsort(r->db->operations.items, r->db->operations.len, sizeof *r->db->operations.items, by_id);
}

static int read_rows(const struct db_reading *r, const struct db_table *table, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(r->handle, sql, -1, &statement, NULL) != SQLITE_OK) return damaged(r);
    int state;
    uint64_t rows = 0;
    while ((state = sqlite3_step(statement)) == SQLITE_ROW && !(r->most_rows && ++rows > r->most_rows))
        table->take(r->db, statement);
    if (state == SQLITE_ROW) state = SQLITE_DONE;
    /* if a table is damaged, the rows read so far count */
    bool whole = state == SQLITE_DONE;
    if (!whole && table->required) read_undamaged(r, table);
    r->db->some_operations |= !whole && table->required;
    r->db->unread_tables += !whole;
    sqlite3_finalize(statement);
    return 0;
}

static void add_select(const struct db_reading *r, const struct db_table *table, struct strbuf *sql) {
    strbuf_addz(sql, "SELECT ");
    add_columns(r, table, sql);
    strbuf_addf(sql, " FROM %s", table->name);
    if (table->order) strbuf_addf(sql, " ORDER BY %s", table->order);
}

static int read_table(const struct db_reading *r, const struct db_table *table) {
    if (!has_column(r, table->name, "")) {
        if (!table->required) return 0;
        /* a database that is damaged at its very start fails here */
        int code = sqlite3_errcode(r->handle);
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) return damaged(r);
        if (has_column(r, "captured_graph", "operation_id") || has_column(r, "buffers", "max_size_per_bank")) {
            r->db->some_operations = true;
            r->db->unread_tables++;
            return 0;
        }
        return err_set(r->err, ERR_LACKS, "%s is a database without the table %s, not a ttnn report", r->path, table->name);
    }
    struct strbuf sql = {0};
    add_select(r, table, &sql);
    int rc = read_rows(r, table, strbuf_text(&sql));
    strbuf_release(&sql);
    return rc;
}

/* Adds ops that have nodes but no row of their own: they ran all the same. */
static void add_unlisted(struct ttnn_db *db) {
    size_t listed = db->operations.len;
    for (size_t i = 0; i < db->graphs.len; i++) {
        const struct ttnn_graph *graph = &db->graphs.items[i];
        bool again = i && graph[-1].rank == graph->rank && graph[-1].operation == graph->operation;
        struct ttnn_operation op = {.rank = graph->rank, .id = graph->operation};
        if (!again && (!listed || !bsearch(&op, db->operations.items, listed, sizeof op, by_id))) vec_push(&db->operations, op);
    }
    db->unlisted = db->operations.len - listed;
    if (db->unlisted) qsort(db->operations.items, db->operations.len, sizeof *db->operations.items, by_id);
}

static int count_checks(void *context) {
    struct db_reading *r = context;
    return ++r->checks > MAX_CHECKS;
}

bool ttnn_db_looks_like(struct slice bytes) { return slice_starts(bytes, slice_of(magic, sizeof magic)); }

static void make_safe(struct db_reading *r) {
    sqlite3_db_config(r->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(r->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_exec(r->handle, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
    sqlite3_progress_handler(r->handle, OPCODES_PER_CHECK, count_checks, r);
}

static const struct db_table buffer_places = {
    "buffers", {"rank", "operation_id", "device_id", "address", "buffer_type"}, NULL, take_buffer_place, false};

static int by_place(const void *a, const void *b) {
    const struct ttnn_place *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->device < y->device ? -1 : x->device > y->device;
}

static void sort_places(struct ttnn_db *db) {
    if (db->places.len) qsort(db->places.items, db->places.len, sizeof *db->places.items, by_place);
    db->reading->place = NULL;
}

/* In lock-step all parts of a buffer begin at the same address on every core. The first rows show this. */
static void look_at_chunks(struct db_reading *r) {
    static const char sql[] =
        "SELECT 1 FROM (SELECT operation_id, device_id, address, chunk_address FROM buffer_chunks WHERE buffer_type = 1 LIMIT "
        "200000) "
        "GROUP BY operation_id, device_id, address HAVING min(chunk_address) <> max(chunk_address) LIMIT 1";
    sqlite3_stmt *statement = NULL;
    if (!has_column(r, "buffer_chunks", "chunk_address")) return;
    if (sqlite3_prepare_v2(r->handle, sql, -1, &statement, NULL) == SQLITE_OK)
        r->db->per_core_l1 |= sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
}

/* Rows without one of these are useless. A newer schema may use other names. */
static bool has_buffers(const struct db_reading *r) {
    static const char *const needed[] = {"operation_id", "address", "max_size_per_bank", "buffer_type"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!has_column(r, "buffers", needed[i])) {
            r->db->unread_tables++;
            r->db->no_buffers = true;
            return false;
        }
    return true;
}

uint64_t ttnn_db_unreadable(const struct ttnn_db *db) {
    return db->unreadable + (db->reading ? db->reading->rows.unreadable : 0);
}

uint64_t ttnn_db_unreadable_buffers(const struct ttnn_db *db) {
    return db->unreadable_buffers + (db->reading ? db->reading->rows.unreadable : 0);
}

int ttnn_db_read(struct ttnn_db *db, struct sqlite3 *handle, const char *path, struct err *err) {
    *db = (struct ttnn_db){.buffers_in_order = true, .reading = mem_zalloc(1, sizeof *db->reading)};
    *db->reading = (struct db_reading){.db = db, .path = path, .err = err, .handle = handle};
    make_safe(db->reading);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++) {
        rc = read_table(db->reading, &tables[i]);
        if (tables[i].take == take_graph) add_unlisted(db);
    }
    if (rc == 0) look_at_chunks(db->reading);
    db->reading->most_rows = FIRST_ROWS;
    if (rc == 0 && has_buffers(db->reading)) rc = read_table(db->reading, &buffer_places);
    sort_places(db);
    return rc;
}

void ttnn_db_look_at_all(struct ttnn_db *db) {
    struct db_reading *r = db->reading;
    sqlite3_finalize(r->buffers);
    r->buffers = NULL;
    r->ended = r->given = false;
    ttnn_rows_release(&r->rows);
    r->by_rows = false;
    r->place = NULL;
    r->most_rows = 0;
    vec_clear(&db->places);
    db->buffer_rows = 0;
    db->buffers_in_order = true;
    read_table(r, &buffer_places);
    sort_places(db);
    r->looked_at_all = true;
}

/* Is the row on a known device, in order, and not below the lowest known address? */
static bool is_as_expected(struct ttnn_db *db, const struct ttnn_buffer *row) {
    struct db_reading *r = db->reading;
    bool same = r->place && r->place->rank == row->rank && r->place->device == row->device;
    for (size_t i = 0; i < db->places.len && !same; i++) {
        r->place = &db->places.items[i];
        same = r->place->rank == row->rank && r->place->device == row->device;
    }
    bool first = !r->streamed++;
    bool ordered = first || row->rank > r->last_rank || (row->rank == r->last_rank && row->operation >= r->last_operation);
    r->last_rank = row->rank;
    r->last_operation = row->operation;
    db->unexpected |= !same || !ordered || (same && row->buffer_type == 0 && row->address < r->place->lowest_dram);
    return !db->unexpected;
}

static const struct db_table buffer_rows = {
    .name = "buffers",
    .columns = {"rank", "operation_id", "device_id", "address", "max_size_per_bank", "buffer_type", "buffer_layout"},
    .order = "1, 2, 3"};

static bool begin_buffers(struct ttnn_db *db) {
    struct db_reading *r = db->reading;
    struct strbuf sql = {0};
    if (!db->buffer_rows) return false;
    if (db->buffers_in_order) {
        add_columns(r, &buffer_rows, &sql);
        r->by_rows = ttnn_rows_begin(&r->rows, r->handle, strbuf_slice(&sql));
        strbuf_clear(&sql);
    }
    add_select(r, &buffer_rows, &sql);
    bool ready = r->by_rows || sqlite3_prepare_v2(r->handle, strbuf_text(&sql), -1, &r->buffers, NULL) == SQLITE_OK;
    strbuf_release(&sql);
    return ready;
}

bool ttnn_db_next_buffer(struct ttnn_db *db, struct ttnn_buffer *out) {
    struct db_reading *r = db->reading;
    if (!r->buffers && !r->by_rows && !begin_buffers(db)) return false;
    if (r->by_rows) {
        bool more = ttnn_rows_next(&r->rows, out);
        db->broken |= !more && r->rows.broken;
        return more && (r->looked_at_all || is_as_expected(db, out));
    }
    if (r->ended) return false;
    int state = sqlite3_step(r->buffers);
    if (state != SQLITE_ROW) {
        r->ended = true; /* another step would start over */
        /* damaged rows out of order cannot be sorted: only the ops are known */
        bool failed = state != SQLITE_DONE;
        if (failed && !r->given) db->no_buffers = true, db->unread_tables++;
        db->broken |= failed && r->given;
        return false;
    }
    r->given = true;
    *out = buffer_of(db, r->buffers);
    return r->looked_at_all || is_as_expected(db, out);
}

bool ttnn_db_graph_text(struct ttnn_db *db, const struct ttnn_graph *graph, struct slice *text) {
    static const char sql[] = "SELECT captured_graph FROM captured_graph WHERE rowid = ?1";
    struct db_reading *r = db->reading;
    if (!r->graph && sqlite3_prepare_v2(r->handle, sql, -1, &r->graph, NULL) != SQLITE_OK) return false;
    sqlite3_reset(r->graph);
    sqlite3_bind_int64(r->graph, 1, graph->row);
    if (sqlite3_step(r->graph) != SQLITE_ROW) return false;
    const char *bytes = (const char *)sqlite3_column_text(r->graph, 0);
    *text = slice_of(bytes ? bytes : "", bytes ? (size_t)sqlite3_column_bytes(r->graph, 0) : 0);
    return bytes != NULL;
}

void ttnn_db_release(struct ttnn_db *db) {
    arena_release(&db->arena);
    vec_release(&db->devices);
    vec_release(&db->operations);
    vec_release(&db->tensors);
    vec_release(&db->inputs);
    vec_release(&db->outputs);
    vec_release(&db->last_uses);
    vec_release(&db->places);
    vec_release(&db->graphs);
    if (db->reading) {
        sqlite3_finalize(db->reading->buffers);
        ttnn_rows_release(&db->reading->rows);
        sqlite3_finalize(db->reading->graph);
        sqlite3_close(db->reading->handle);
    }
    free(db->reading);
}
