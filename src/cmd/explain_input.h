/* SPDX-License-Identifier: Apache-2.0 */
/* Reading for ttmem explain: one text with its failures and its run, once and in bounded memory; and the files of folders. */
#ifndef TTMEM_CMD_EXPLAIN_INPUT_H
#define TTMEM_CMD_EXPLAIN_INPUT_H

#include "base/strbuf.h"
#include "cmd/line/cmd.h"
#include "model/run.h"
#include "source/source.h"

/* The failures of a text, and its run. */
struct explain_input {
    struct source source;
    struct strbuf told; /* what the run points into instead, if it came from the files of a report */
    struct failure_set set;
    struct run run; /* empty if a mapped file has no failure: then nothing needs it */
    uint64_t bytes;
    bool shrank;       /* the file was cut while it was read: `bytes` of it were */
    bool binary;       /* what was read as text is not text */
    struct slice tail; /* its last bytes, if it is text */
    struct failure_stream *stream;
};

/* A zeroed struct with source.fd = -1; release it in any case. */
int explain_input_read(struct explain_input *r, const struct invocation *inv, const char *path, struct err *err);
void explain_input_release(struct explain_input *r);

typedef VEC(char *) explain_paths;

#define EXPLAIN_LOG_NAMES "*.log, *.txt, *.out, *.err, *.xml, *.jsonl, stdout, stderr, also .gz, .zst or numbered"

/* A file or a report as named; the logs below a folder by their names, in any case, sorted. Other files go to `skipped`.
 * True for a folder. */
bool explain_paths_add(explain_paths *out, explain_paths *skipped, const char *word);
void explain_paths_release(explain_paths *paths);

#endif
