/* SPDX-License-Identifier: Apache-2.0 */
/* Fills tables of an SQLite database with rows in ascending order, page by page according to
 * https://sqlite.org/fileformat2.html: several times faster than INSERT, which walks the tree and runs a program for each
 * row. SQLite itself makes the file and the tables; they must be empty, rowid tables, without indexes, and no other process
 * may have the file open.
 *
 * Memory does not grow with the rows except for 16 bytes per page. Owns the descriptor; release once. */
#ifndef TTMEM_RENDER_SQLITE_PAGES_H
#define TTMEM_RENDER_SQLITE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum { SQLITE_COLUMNS = 24 }; /* most columns of a row */

enum sqlite_kind { SQLITE_CELL_NULL, SQLITE_CELL_INTEGER, SQLITE_CELL_REAL, SQLITE_CELL_TEXT };

struct sqlite_cell {
    enum sqlite_kind kind;
    int64_t integer;
    double real;
    struct slice text; /* valid UTF-8 */
};

struct sqlite_child {
    uint32_t page;
    int64_t last; /* rowid */
};

struct sqlite_pages {
    int fd;
    const char *path; /* for messages */
    uint32_t page_size, page_count;
    uint64_t written; /* bytes of the file on disk; `ahead` follows them */
    struct strbuf ahead, record;
    uint8_t *leaf;
    size_t leaf_low; /* where the cells of `leaf` begin */
    unsigned leaf_cells;
    int64_t last; /* rowid */
    uint32_t root;
    VEC(struct sqlite_child) children;
};

/* `file` was made by SQLite and closed; `path` is its name in messages. */
int sqlite_pages_open(struct sqlite_pages *pages, const char *file, const char *path, struct err *err);

/* Starts the rows of the table whose first page is `root`. A column that is the rowid itself is a null cell. */
void sqlite_pages_table(struct sqlite_pages *pages, uint32_t root);
int sqlite_pages_row(struct sqlite_pages *pages, int64_t rowid, const struct sqlite_cell *cells, unsigned count,
                     struct err *err);
int sqlite_pages_table_end(struct sqlite_pages *pages, struct err *err);

/* Completes the file after the last table. */
int sqlite_pages_finish(struct sqlite_pages *pages, struct err *err);
void sqlite_pages_release(struct sqlite_pages *pages);

#endif
