/* SPDX-License-Identifier: Apache-2.0 */
/* The database that ttnn-visualizer opens (db.sqlite, schema 3.3 of ttnn's reports): its tables, and rows into them in any
 * order. It is made under a temporary name and appears complete or not at all. Owns its memory; end or abort once. */
#ifndef TTMEM_RENDER_VISUALIZER_H
#define TTMEM_RENDER_VISUALIZER_H

#include "base/outfile.h"
#include "base/slice.h"

enum visualizer_table {
    VIS_DEVICES,
    VIS_OPERATIONS,
    VIS_OPERATION_ARGUMENTS,
    VIS_STACK_TRACES,
    VIS_SOURCE_FILES,
    VIS_TENSORS,
    VIS_DEVICE_TENSORS,
    VIS_INPUT_TENSORS,
    VIS_OUTPUT_TENSORS,
    VIS_BUFFERS,
    VIS_BUFFER_CHUNKS,
    VIS_CAPTURED_GRAPH,
    VIS_NODES,
    VIS_EDGES,
    VIS_ERRORS,
    VIS_TENSOR_LIFETIME,
    VIS_TENSOR_CONSUMERS,
    VIS_TENSOR_PRODUCERS,
    VIS_LOCAL_COMPARISONS,
    VIS_GLOBAL_COMPARISONS,
    VIS_REPORT_METADATA,
    VIS_TABLES
};

enum { VIS_COLUMNS = 20 };

struct visualizer_columns {
    const char *name;
    const char *columns[VIS_COLUMNS]; /* NULL-terminated */
    const char *create;               /* the text between the brackets of CREATE TABLE */
};
extern const struct visualizer_columns visualizer_tables[VIS_TABLES];

struct sqlite3;
struct sqlite3_stmt;

struct visualizer {
    struct outfile file;
    struct sqlite3 *handle;
    struct sqlite3_stmt *inserts[VIS_TABLES];
    bool failed;
    bool left_out;     /* some of what was read is damaged */
    uint64_t unplaced; /* buffers left out: their address or size is unknown or impossible for the device */
    uint64_t assumed;  /* buffers whose bytes per bank rest on an assumed number of banks */
    char *made_folder; /* NULL: it existed already */
    uint64_t rows[VIS_TABLES];
};

/* Makes the folder and db.sqlite in it; an existing database is not touched: ERR_OUTPUT. */
int visualizer_open(struct visualizer *v, const char *folder, struct err *err);

/* Adds a row. `kinds` has a letter per column: i int64_t, s struct slice (empty: null), d double, n nothing: null, o bool
 * and int64_t: a number that may be unknown. Failures are reported at the end. False: a row of that key already exists. */
bool visualizer_row(struct visualizer *v, enum visualizer_table table, const char *kinds, ...);

void visualizer_metadata(struct visualizer *v, const char *key, struct slice value);

/* The first id of a further file of the rank: 1, else after the next multiple of 10000. */
int64_t visualizer_next_id(struct visualizer *v, int64_t rank);

/* Indexes, commit. */
int visualizer_end(struct visualizer *v, struct err *err);
void visualizer_abort(struct visualizer *v);

#endif
