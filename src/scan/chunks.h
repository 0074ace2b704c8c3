/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a file into chunks that own the lines that start in them. A chunk is read into a buffer with what a parser may read
 * around its lines (of a line of hundreds of megabytes only the beginning, so that memory stays bounded): CHUNK_LEAD bytes
 * before them and CHUNK_AHEAD after them, as far as the file goes. Which chunk owns a line depends only on the bytes, so
 * several threads can read chunks. */
#ifndef TTMEM_SCAN_CHUNKS_H
#define TTMEM_SCAN_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* Small enough that the bytes are still in the core's cache when they are parsed. */
enum { CHUNK_BYTES = 512 << 10, CHUNK_LEAD = 1024, CHUNK_AHEAD = 8192 };

/* The end of the chunk whose nominal end is `nominal`: after the first line end at or after it, so that no line is owned
 * twice. */
size_t chunk_line_start(struct slice bytes, size_t nominal);

/* Reads bytes at `offset`: returns how many, fewer only at the end of the file; -1 with errno. */
struct chunk_file {
    const void *context;
    int64_t (*read_at)(const void *context, uint64_t offset, char *out, size_t room);
    uint64_t size;
    size_t chunk_bytes; /* nominal size of a chunk */
};

/* Ready when zeroed; its memory is reused. */
struct chunk {
    char *data;
    size_t len, cap;
    uint64_t offset;   /* position of data in the file */
    size_t begin, end; /* its lines start in here; a line may reach further */
    bool cut;          /* the file ends before `size` */
};

size_t chunk_count(const struct chunk_file *file);
/* 0, or -1 with errno. */
int chunk_read(struct chunk *chunk, const struct chunk_file *file, size_t number);
void chunk_release(struct chunk *chunk);

/* The same for bytes in memory: several threads parse chunks, and the results are delivered in order. */
struct chunk_work {
    void *context;
    /* Parses the lines that start in [begin, end) of `bytes`; a line may reach beyond `end`. Runs on any thread; `thread` is
     * 0..threads-1 and never runs two calls at once. */
    void *(*parse)(void *context, unsigned thread, struct slice bytes, size_t begin, size_t end);
    /* Takes the results in order, one call at a time, on any thread. Owns the result. */
    void (*take)(void *context, void *result);
};

void chunks_run(const struct chunk_work *work, struct slice bytes, unsigned threads);

/* Threads worth using for this many bytes. */
unsigned chunks_threads(uint64_t bytes);

#endif
