/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/chunks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/ordered.h"
#include "scan/lines.h"

/* A buffer that an enormous line has blown up is not kept. */
enum { ROOM_AFTER = 12 << 10, LARGEST_KEPT = 16, LONGEST_LINE = 256 << 20, BYTES_PER_THREAD = 1 << 20 };

size_t chunk_line_start(struct slice bytes, size_t nominal) {
    if (nominal == 0) return 0;
    if (nominal >= bytes.len) return bytes.len;
    return (size_t)(lines_next(bytes.ptr + nominal - 1, bytes.ptr + bytes.len) - bytes.ptr);
}

size_t chunk_count(const struct chunk_file *file) { return (size_t)((file->size + file->chunk_bytes - 1) / file->chunk_bytes); }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Reads on until the buffer reaches `until`, or the file ends. */
static int read_to(struct chunk *chunk, const struct chunk_file *file, uint64_t until) {
    until = least(until, file->size);
    uint64_t have = chunk->offset + chunk->len;
    if (chunk->cut || until <= have) return 0;
    size_t more = (size_t)(until - have);
    if (chunk->len + more > chunk->cap) {
        chunk->data = mem_resize(chunk->data, chunk->len + more, 1);
        chunk->cap = chunk->len + more;
    }
    int64_t n = file->read_at(file->context, have, chunk->data + chunk->len, more);
    if (n < 0) return -1;
    chunk->len += (size_t)n;
    chunk->cut = (size_t)n < more;
    return 0;
}

/* The start of the first line that begins at or after `nominal`, in the buffer, which is filled as far as needed. */
static int find_line(struct chunk *chunk, const struct chunk_file *file, uint64_t nominal, size_t *start) {
    if (nominal == 0) return *start = 0, 0;
    size_t from = (size_t)(nominal - 1 - chunk->offset);
    for (;;) {
        const char *lf = from < chunk->len ? memchr(chunk->data + from, '\n', chunk->len - from) : NULL;
        *start = lf ? (size_t)(lf + 1 - chunk->data) : chunk->len;
        if (lf || chunk->cut || chunk->offset + chunk->len >= file->size || chunk->len > LONGEST_LINE) return 0;
        if (chunk->len > from) from = chunk->len;
        if (read_to(chunk, file, chunk->offset + chunk->len + chunk->len) != 0) return -1;
    }
}

int chunk_read(struct chunk *chunk, const struct chunk_file *file, size_t number) {
    uint64_t begin = (uint64_t)number * file->chunk_bytes, end = least(begin + file->chunk_bytes, file->size);
    if (chunk->cap > LARGEST_KEPT * file->chunk_bytes) chunk_release(chunk);
    chunk->len = chunk->begin = chunk->end = 0;
    chunk->cut = false;
    chunk->offset = begin > CHUNK_LEAD ? begin - CHUNK_LEAD : 0;
    if (read_to(chunk, file, end + ROOM_AFTER) != 0) return -1;
    /* a line that fills the chunk belongs to an earlier one, so its end is not searched */
    size_t owned = (size_t)least(end - chunk->offset, chunk->len), from = (size_t)(begin ? begin - 1 - chunk->offset : 0);
    if (begin && (from >= owned || !memchr(chunk->data + from, '\n', owned - from))) {
        chunk->begin = chunk->end = owned;
        return 0;
    }
    if (find_line(chunk, file, begin, &chunk->begin) != 0 || find_line(chunk, file, end, &chunk->end) != 0) return -1;
    return read_to(chunk, file, chunk->offset + chunk->end + CHUNK_AHEAD);
}

void chunk_release(struct chunk *chunk) {
    free(chunk->data);
    *chunk = (struct chunk){0};
}

struct chunks {
    const struct chunk_work *work;
    struct slice bytes;
};

static void *make(void *context, unsigned thread, size_t number) {
    const struct chunks *chunks = context;
    size_t from = number * CHUNK_BYTES, to = from + CHUNK_BYTES < chunks->bytes.len ? from + CHUNK_BYTES : chunks->bytes.len;
    /* a line that fills the chunk belongs to an earlier one, so its end is not searched */
    if (from && !memchr(chunks->bytes.ptr + from - 1, '\n', to - from))
        return chunks->work->parse(chunks->work->context, thread, chunks->bytes, to, to);
    size_t begin = chunk_line_start(chunks->bytes, from), end = chunk_line_start(chunks->bytes, to);
    return chunks->work->parse(chunks->work->context, thread, chunks->bytes, begin, end);
}

static void take(void *context, size_t number, void *result) {
    const struct chunks *chunks = context;
    (void)number;
    chunks->work->take(chunks->work->context, result);
}

void chunks_run(const struct chunk_work *work, struct slice bytes, unsigned threads) {
    struct chunks chunks = {work, bytes};
    struct ordered_work ordered = {&chunks, make, take};
    ordered_run(&ordered, (bytes.len + CHUNK_BYTES - 1) / CHUNK_BYTES, threads);
}

unsigned chunks_threads(uint64_t bytes) {
    uint64_t useful = bytes / BYTES_PER_THREAD + 1;
    unsigned threads = ordered_threads();
    return threads < useful ? threads : (unsigned)useful;
}
