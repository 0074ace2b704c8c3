/* SPDX-License-Identifier: Apache-2.0 */
/* What Python knew about the ops of a graph capture: records of python_io, inside a report or in NAME.python_io.json beside
 * it. The n-th record of a name belongs to the n-th function of that name. */
#ifndef TTMEM_INPUT_TTNN_PYTHON_IO_H
#define TTMEM_INPUT_TTNN_PYTHON_IO_H

#include "base/json_read.h"
#include "base/table/strtab.h"

struct python_io_record {
    uint32_t location; /* text; 0: not recorded */
    struct slice text; /* the record as written, if keep_texts was set; in `kept` */
    uint32_t next;     /* next record of the same name + 1, 0: none */
};

/* Records of a name that no function has taken yet; record + 1, 0: none. */
struct python_io_queue {
    uint32_t first, last;
};

struct python_io {
    struct strtab texts;
    VEC(struct python_io_record) records;
    VEC(struct python_io_queue) names; /* by id of the name */
    uint64_t unreadable;
    struct json_reader *json;
    bool keep_texts; /* set before the first record */
    struct arena kept;
};

void python_io_add(struct python_io *io, struct slice text);

/* Reads the file beside a capture, if there is one. Returns whether it was read. */
bool python_io_beside(struct python_io *io, const char *capture);

/* The next record of that name, or NULL. */
const struct python_io_record *python_io_take(struct python_io *io, struct slice name);

/* The location of the next function of that name; empty: not recorded. */
struct slice python_io_next(struct python_io *io, struct slice name);

void python_io_release(struct python_io *io);

#endif
