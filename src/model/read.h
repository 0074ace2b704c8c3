/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a log into a run. */
#ifndef TTMEM_MODEL_READ_H
#define TTMEM_MODEL_READ_H

#include "base/err.h"
#include "base/progress.h"
#include "model/last_run.h"
#include "model/run.h"
#include "source/source.h"

/* Reads the whole source: files with several threads, streams as they come, into source->kept what the run points into. Returns
 * 0 or -1; the run must be released either way. Modules and registry of a run point into the bytes of a held source, which must
 * outlive it. */
int run_read(struct run *run, struct source *source, struct progress *progress, struct err *err);
/* The same, but also sets run->content if the source is held: hashing the bytes separately takes longer. */
int run_read_known(struct run *run, struct source *source, struct progress *progress, struct err *err);

/* Reads several held files as one run, each a rank with the file's name; consecutive files of the same name belong to the
 * same rank. `all` is their bytes joined (source_join), which must outlive the run; lines count from the start of each file. */
int run_read_files(struct run *run, struct source *files, const uint64_t *offsets, const struct slice *names, size_t count,
                   struct slice all, struct progress *progress, struct err *err);

/* Reads only parts of a held source; lines keep their numbers. */
void run_read_parts(struct run *run, struct slice bytes, const struct log_part *parts, size_t count);

/* The push interface, for logs that grow: pass bytes as they come, then finish. */
struct run_feed;
struct run_feed *run_feed_new(struct run *run);
/* Before the first bytes: the texts of ops and modules go to `kept`, which must outlive the run. Else they are gone. */
void run_feed_keep(struct run_feed *feed, struct kept_text *kept);
void run_feed_bytes(struct run_feed *feed, struct slice bytes);
void run_feed_finish(struct run_feed *feed); /* frees the feed */

#endif
