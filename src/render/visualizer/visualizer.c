/* SPDX-License-Identifier: Apache-2.0 */
#include "render/visualizer/visualizer.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "parse/foreign/python_stack.h"

#define RANK "rank int NOT NULL DEFAULT 0"

const struct visualizer_columns visualizer_tables[VIS_TABLES] = {
    [VIS_DEVICES] = {"devices",
                     {"device_id", "num_y_cores", "num_x_cores", "num_y_compute_cores", "num_x_compute_cores", "worker_l1_size",
                      "l1_num_banks", "l1_bank_size", "address_at_first_l1_bank", "address_at_first_l1_cb_buffer",
                      "num_banks_per_storage_core", "num_compute_cores", "num_storage_cores", "total_l1_memory",
                      "total_l1_for_tensors", "total_l1_for_interleaved_buffers", "total_l1_for_sharded_buffers", "cb_limit",
                      "rank"},
                     "device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int, "
                     "worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int, "
                     "address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, "
                     "num_storage_cores int, total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers "
                     "int, total_l1_for_sharded_buffers int, cb_limit int, " RANK},
    [VIS_OPERATIONS] = {"operations",
                        {"operation_id", "name", "duration", "rank"},
                        "operation_id int, name text, duration float, " RANK ", UNIQUE(operation_id, rank)"},
    [VIS_OPERATION_ARGUMENTS] = {"operation_arguments",
                                 {"operation_id", "name", "value", "rank"},
                                 "operation_id int, name text, value text, " RANK},
    [VIS_STACK_TRACES] = {"stack_traces",
                          {"operation_id", "stack_trace", "source_file_id", "rank"},
                          "operation_id int, stack_trace text, source_file_id int, " RANK},
    [VIS_SOURCE_FILES] = {"source_files",
                          {"id", "path", "contents"},
                          "id INTEGER PRIMARY KEY, path text UNIQUE NOT NULL, contents text"},
    [VIS_TENSORS] = {"tensors",
                     {"tensor_id", "shape", "dtype", "layout", "memory_config", "device_id", "address", "buffer_type", "rank"},
                     "tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int, "
                     "buffer_type int, " RANK ", UNIQUE(tensor_id, rank)"},
    [VIS_DEVICE_TENSORS] = {"device_tensors",
                            {"tensor_id", "device_id", "address", "rank"},
                            "tensor_id int, device_id int, address int, " RANK},
    [VIS_INPUT_TENSORS] = {"input_tensors",
                           {"operation_id", "input_index", "tensor_id", "rank"},
                           "operation_id int, input_index int, tensor_id int, " RANK},
    [VIS_OUTPUT_TENSORS] = {"output_tensors",
                            {"operation_id", "output_index", "tensor_id", "rank"},
                            "operation_id int, output_index int, tensor_id int, " RANK},
    [VIS_BUFFERS] = {"buffers",
                     {"operation_id", "device_id", "address", "max_size_per_bank", "buffer_type", "buffer_layout", "rank"},
                     "operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int, buffer_layout "
                     "int, " RANK},
    [VIS_BUFFER_CHUNKS] = {"buffer_chunks",
                           {"operation_id", "device_id", "address", "bank_id", "core_x", "core_y", "chunk_address",
                            "chunk_size", "page_size", "num_pages", "buffer_type", "rank"},
                           "operation_id int, device_id int, address int, bank_id int, core_x int, core_y int, chunk_address "
                           "int, chunk_size int, page_size int, num_pages int, buffer_type int, " RANK},
    [VIS_CAPTURED_GRAPH] = {"captured_graph",
                            {"operation_id", "captured_graph", "rank"},
                            "operation_id int, captured_graph text, " RANK},
    [VIS_NODES] = {"nodes",
                   {"operation_id", "unique_id", "node_operation_id", "name", "rank"},
                   "operation_id int, unique_id int, node_operation_id int, name text, " RANK},
    [VIS_EDGES] = {"edges",
                   {"operation_id", "source_unique_id", "sink_unique_id", "source_output_index", "sink_input_index", "key",
                    "rank"},
                   "operation_id int, source_unique_id int, sink_unique_id int, source_output_index int, sink_input_index int, "
                   "key int, " RANK},
    [VIS_ERRORS] = {"errors",
                    {"operation_id", "operation_name", "error_type", "error_message", "stack_trace", "timestamp", "rank"},
                    "operation_id int, operation_name text, error_type text, error_message text, stack_trace text, timestamp "
                    "text, " RANK},
    [VIS_TENSOR_LIFETIME] =
        {"tensor_lifetime",
         {"tensor_id", "producer_operation_id", "last_use_operation_id", "deallocate_operation_id", "producer_source_file",
          "producer_source_line", "last_use_source_file", "last_use_source_line", "rank"},
         "tensor_id int, producer_operation_id int, last_use_operation_id int, deallocate_operation_id int, "
         "producer_source_file text, producer_source_line int, last_use_source_file text, "
         "last_use_source_line int, " RANK ", UNIQUE(tensor_id, rank)"},
    [VIS_TENSOR_CONSUMERS] = {"tensor_consumers",
                              {"tensor_id", "operation_id", "input_index", "rank"},
                              "tensor_id int, operation_id int, input_index int, " RANK
                              ", UNIQUE(tensor_id, operation_id, input_index, rank)"},
    [VIS_TENSOR_PRODUCERS] = {"tensor_producers",
                              {"tensor_id", "operation_id", "output_index", "rank"},
                              "tensor_id int, operation_id int, output_index int, " RANK
                              ", UNIQUE(tensor_id, operation_id, output_index, rank)"},
    [VIS_LOCAL_COMPARISONS] = {"local_tensor_comparison_records",
                               {"tensor_id", "golden_tensor_id", "matches", "desired_pcc", "actual_pcc", "rank"},
                               "tensor_id int, golden_tensor_id int, matches int, desired_pcc float, actual_pcc float, " RANK
                               ", UNIQUE(tensor_id, rank)"},
    [VIS_GLOBAL_COMPARISONS] = {"global_tensor_comparison_records",
                                {"tensor_id", "golden_tensor_id", "matches", "desired_pcc", "actual_pcc", "rank"},
                                "tensor_id int, golden_tensor_id int, matches int, desired_pcc float, actual_pcc float, " RANK
                                ", UNIQUE(tensor_id, rank)"},
    [VIS_REPORT_METADATA] = {"report_metadata", {"key", "value"}, "key text UNIQUE, value text"},
};

static int failed(const struct visualizer *v, struct err *err) {
    return err_set(err, ERR_OUTPUT, "cannot write '%s': %s", v->file.path, v->handle ? sqlite3_errmsg(v->handle) : "no memory");
}

static bool execute(struct visualizer *v, const char *sql) {
    return sqlite3_exec(v->handle, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool make_table(struct visualizer *v, enum visualizer_table table) {
    const struct visualizer_columns *t = &visualizer_tables[table];
    struct strbuf sql = {0};
    strbuf_addf(&sql, "CREATE TABLE %s(%s)", t->name, t->create);
    bool made = execute(v, strbuf_text(&sql));
    strbuf_clear(&sql);
    strbuf_addf(&sql, "INSERT OR IGNORE INTO %s VALUES(", t->name);
    for (size_t i = 0; t->columns[i]; i++) strbuf_addz(&sql, i ? ",?" : "?");
    strbuf_addc(&sql, ')');
    made = made && sqlite3_prepare_v2(v->handle, strbuf_text(&sql), -1, &v->inserts[table], NULL) == SQLITE_OK;
    strbuf_release(&sql);
    return made;
}

int visualizer_open(struct visualizer *v, const char *folder, struct err *err) {
    struct strbuf path = {0};
    struct stat st;
    *v = (struct visualizer){0};
    if (stat(folder, &st) != 0) v->made_folder = mem_strdup(folder);
    if (make_folders(folder, err) != 0) {
        visualizer_abort(v);
        return -1;
    }
    strbuf_addf(&path, "%s/db.sqlite", folder);
    int rc = stat(strbuf_text(&path), &st) == 0
                 ? err_set(err, ERR_OUTPUT, "%s exists already: name another folder", strbuf_text(&path))
                 : outfile_open(&v->file, strbuf_text(&path), err);
    strbuf_release(&path);
    if (rc != 0) {
        visualizer_abort(v);
        return -1;
    }
    bool good =
        sqlite3_open_v2(v->file.temporary, &v->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        execute(v, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN");
    for (unsigned i = 0; good && i < VIS_TABLES; i++) good = make_table(v, (enum visualizer_table)i);
    if (good) return 0;
    failed(v, err);
    visualizer_abort(v);
    return -1;
}

bool visualizer_row(struct visualizer *v, enum visualizer_table table, const char *kinds, ...) {
    sqlite3_stmt *insert = v->inserts[table];
    va_list args;
    va_start(args, kinds);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    for (int i = 0; kinds[i]; i++) {
        struct slice text;
        switch (kinds[i]) {
            case 'i':
                sqlite3_bind_int64(insert, i + 1, va_arg(args, int64_t));
                break;
            case 'o':
                if (va_arg(args, int)) sqlite3_bind_int64(insert, i + 1, va_arg(args, int64_t));
                else (void)va_arg(args, int64_t);
                break;
            case 'd':
                sqlite3_bind_double(insert, i + 1, va_arg(args, double));
                break;
            case 's':
                text = va_arg(args, struct slice);
                if (text.len) sqlite3_bind_text64(insert, i + 1, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
                break;
            default:
                break;
        }
    }
    va_end(args);
    v->failed |= sqlite3_step(insert) != SQLITE_DONE;
    bool added = sqlite3_changes(v->handle) > 0;
    v->rows[table] += added;
    return added;
}

void visualizer_metadata(struct visualizer *v, const char *key, struct slice value) {
    visualizer_row(v, VIS_REPORT_METADATA, "ss", slice_from(key), value);
}

int64_t visualizer_next_id(struct visualizer *v, int64_t rank) {
    enum { STRIDE = 10000 };
    sqlite3_stmt *statement = NULL;
    int64_t last = 0;
    if (sqlite3_prepare_v2(v->handle, "SELECT max(operation_id) FROM operations WHERE rank = ?1", -1, &statement, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, rank);
        if (sqlite3_step(statement) == SQLITE_ROW) last = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return last ? (last / STRIDE + 1) * STRIDE + 1 : 1;
}

/* file(stack) and line(stack): of the innermost frame outside ttnn. */
static void stack_file(sqlite3_context *context, int count, sqlite3_value **values) {
    const char *text = (const char *)sqlite3_value_text(values[0]);
    struct python_frame frame;
    (void)count;
    if (text && python_stack_frame(slice_from(text), &frame))
        sqlite3_result_text(context, frame.path.ptr, (int)frame.path.len, SQLITE_TRANSIENT);
}

static void stack_line(sqlite3_context *context, int count, sqlite3_value **values) {
    const char *text = (const char *)sqlite3_value_text(values[0]);
    struct python_frame frame;
    uint64_t line;
    (void)count;
    if (text && python_stack_frame(slice_from(text), &frame) && num_read_u64(frame.line, &line) && line < INT32_MAX)
        sqlite3_result_int64(context, (int64_t)line);
}

/* Derives tables from the others if nothing wrote them. */
static bool derive(struct visualizer *v) {
    static const char uses[] =
        "INSERT OR IGNORE INTO tensor_consumers SELECT tensor_id, operation_id, input_index, rank FROM input_tensors;"
        "INSERT OR IGNORE INTO tensor_producers SELECT tensor_id, operation_id, output_index, rank FROM output_tensors;";
    static const char lifetimes[] =
        "CREATE TEMP TABLE told(rank, tensor_id, producer, last_use, freed);"
        "INSERT INTO told SELECT t.rank, t.tensor_id,"
        " (SELECT min(o.operation_id) FROM output_tensors o WHERE o.tensor_id = t.tensor_id AND o.rank = t.rank),"
        " (SELECT max(i.operation_id) FROM input_tensors i JOIN operations p ON p.operation_id = i.operation_id AND p.rank = "
        "i.rank"
        "  WHERE i.tensor_id = t.tensor_id AND i.rank = t.rank AND p.name NOT IN ('ttnn::deallocate', 'ttnn.deallocate', "
        "'Tensor::deallocate')),"
        " (SELECT min(i.operation_id) FROM input_tensors i JOIN operations p ON p.operation_id = i.operation_id AND p.rank = "
        "i.rank"
        "  WHERE i.tensor_id = t.tensor_id AND i.rank = t.rank AND p.name IN ('ttnn::deallocate', 'ttnn.deallocate', "
        "'Tensor::deallocate')) FROM tensors t;"
        "CREATE TEMP TABLE stacks(rank, operation_id, stack, PRIMARY KEY(rank, operation_id));"
        "INSERT OR IGNORE INTO stacks SELECT rank, operation_id, stack_trace FROM stack_traces;"
        "INSERT OR IGNORE INTO tensor_lifetime SELECT tensor_id, producer, last_use, freed, stack_file(p.stack), "
        "stack_line(p.stack), stack_file(u.stack), stack_line(u.stack), told.rank FROM told LEFT JOIN stacks p ON p.rank = "
        "told.rank "
        "AND p.operation_id = producer LEFT JOIN stacks u ON u.rank = told.rank AND u.operation_id = last_use;";
    sqlite3_create_function(v->handle, "stack_file", 1, SQLITE_UTF8, NULL, stack_file, NULL, NULL);
    sqlite3_create_function(v->handle, "stack_line", 1, SQLITE_UTF8, NULL, stack_line, NULL, NULL);
    if (!v->rows[VIS_TENSOR_CONSUMERS] && !v->rows[VIS_TENSOR_PRODUCERS] && !execute(v, uses)) return false;
    return v->rows[VIS_TENSOR_LIFETIME] || !v->rows[VIS_STACK_TRACES] || execute(v, lifetimes);
}

int visualizer_end(struct visualizer *v, struct err *err) {
    static const char indexes[] =
        "CREATE INDEX idx_buffers_operation_id ON buffers(operation_id);"
        "CREATE INDEX idx_input_tensors_tensor_id ON input_tensors(tensor_id);"
        "CREATE INDEX idx_output_tensors_tensor_id ON output_tensors(tensor_id);";
    int rc = 0;
    visualizer_metadata(v, "schema_version", SLICE("3.3"));
    if (v->failed || !execute(v, indexes) || !derive(v) || !execute(v, "COMMIT")) rc = failed(v, err);
    for (unsigned i = 0; i < VIS_TABLES; i++) sqlite3_finalize(v->inserts[i]);
    memset(v->inserts, 0, sizeof v->inserts);
    if (sqlite3_close(v->handle) != SQLITE_OK && rc == 0) rc = failed(v, err);
    v->handle = NULL;
    if (rc == 0) rc = outfile_commit(&v->file, err);
    else outfile_abort(&v->file);
    if (rc != 0 && v->made_folder) rmdir(v->made_folder);
    free(v->made_folder);
    *v = (struct visualizer){0};
    return rc;
}

void visualizer_abort(struct visualizer *v) {
    for (unsigned i = 0; i < VIS_TABLES; i++) sqlite3_finalize(v->inserts[i]);
    sqlite3_close(v->handle);
    if (v->file.path) outfile_abort(&v->file);
    if (v->made_folder) rmdir(v->made_folder);
    free(v->made_folder);
    *v = (struct visualizer){0};
}
