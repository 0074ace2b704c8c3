/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a report database so that what is read is one state of it, also while another process writes it: through SQLite's own
 * locks and its write-ahead log where the bytes are those of a file, else (a pipe, a compressed file) from memory. A database
 * that a writer has locked, or left in the middle of a transaction, is said to be so. */
#ifndef TTMEM_INPUT_TTNN_OPEN_H
#define TTMEM_INPUT_TTNN_OPEN_H

#include "base/err.h"
#include "base/slice.h"

struct sqlite3;

/* `bytes` stay until the handle is closed. *older: what is in its write-ahead log could not be read. */
int ttnn_open(struct sqlite3 **out, struct slice bytes, const char *path, bool *older, struct err *err);

#endif
