/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `buffers` in storage order, some thousand at a time: an SQL function of ours takes them inside SQLite, which
 * costs half as much as returning each row. Owns its memory; release once. */
#ifndef TTMEM_PARSE_TTNN_ROWS_H
#define TTMEM_PARSE_TTNN_ROWS_H

#include "base/strbuf.h"
#include "parse/foreign/ttnn_db.h"

struct sqlite3_stmt;

struct ttnn_rows {
    struct sqlite3 *handle;
    struct sqlite3_stmt *some, *next; /* rows of a range, the first row after one */
    VEC(struct ttnn_buffer) rows;
    size_t at;
    int64_t last; /* last rowid read */
    bool ended, broken;
    uint64_t unreadable; /* rows with impossible values */
};

/* `columns` are those of struct ttnn_buffer in order, NULL for those that the table lacks. False: it cannot be read that
 * way. */
bool ttnn_rows_begin(struct ttnn_rows *rows, struct sqlite3 *handle, struct slice columns);

/* False: no more, or broken from here on. */
bool ttnn_rows_next(struct ttnn_rows *rows, struct ttnn_buffer *out);
void ttnn_rows_release(struct ttnn_rows *rows);

#endif
