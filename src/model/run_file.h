/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a file: everything that a report needs to answer as its log does, when the log is gone.
 *
 * It holds the rows of a run as they are in memory, its texts in one piece, and the text of its modules, which is parsed
 * again. Only the same build of ttmem can read it: the JSON files of a report are for everyone else. The file is not
 * trusted: every id and every text is checked. */
#ifndef TTMEM_MODEL_RUN_FILE_H
#define TTMEM_MODEL_RUN_FILE_H

#include "base/err.h"
#include "base/outfile.h"
#include "model/run.h"

int run_file_write(const struct run *run, struct outfile *file, struct err *err);

enum run_file_kind { RUN_FILE_OTHER /* not such a file, or from another build */, RUN_FILE_DAMAGED, RUN_FILE_READ };

/* Fills an empty run, which must be released even after an error. `bytes` must outlive it. */
enum run_file_kind run_file_read(struct run *run, struct slice bytes);

/* Size of the fixed part at the front, for tests: the check is at 24, the number of bytes of texts at 40. */
size_t run_file_head_bytes(void);

#endif
