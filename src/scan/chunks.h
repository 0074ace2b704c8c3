/* SPDX-License-Identifier: Apache-2.0 */
/* Splits bytes into chunks that own the lines that start in them, has them parsed by several threads, and hands the results
 * over in order. Nothing in the result depends on the number of threads. */
#ifndef TTMEM_SCAN_CHUNKS_H
#define TTMEM_SCAN_CHUNKS_H

#include "base/slice.h"

struct chunk_work {
    void *context;
    /* Parses the lines that start in [begin, end) of `bytes`; a line may reach beyond `end`. Runs on any thread;
     * `thread` is 0..threads-1 and never runs two calls at once. */
    void *(*parse)(void *context, unsigned thread, struct slice bytes, size_t begin, size_t end);
    /* Takes the results in order, one call at a time, on any thread. Owns the result. */
    void (*take)(void *context, void *result);
};

enum { CHUNK_BYTES = 4 << 20 };

/* Where the chunk ends whose nominal end is `nominal`: behind the first line end at or after it, so that no line is owned
 * twice. */
size_t chunk_line_start(struct slice bytes, size_t nominal);

void chunks_run(const struct chunk_work *work, struct slice bytes, unsigned threads);

/* Threads worth using for this many bytes. */
unsigned chunks_threads(size_t bytes);

#endif
