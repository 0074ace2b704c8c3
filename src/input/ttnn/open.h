/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a report database so that one state of it is read, even while another process writes it: through SQLite's own locks
 * and write-ahead log if the bytes are those of a file, else (a pipe, a compressed file) from memory. Reports if a writer
 * has locked the database or left it in the middle of a transaction. */
#ifndef TTMEM_INPUT_TTNN_OPEN_H
#define TTMEM_INPUT_TTNN_OPEN_H

#include "base/err.h"
#include "base/slice.h"

struct sqlite3;

/* `bytes` must stay until the handle is closed. *older: its write-ahead log could not be read. */
int ttnn_open(struct sqlite3 **out, struct slice bytes, const char *path, bool *older, struct err *err);

#endif
