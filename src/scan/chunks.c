/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/chunks.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ordered.h"
#include "scan/lines.h"

struct chunks {
    const struct chunk_work *work;
    struct slice bytes;
};

size_t chunk_line_start(struct slice bytes, size_t nominal) {
    if (nominal == 0) return 0;
    if (nominal >= bytes.len) return bytes.len;
    return (size_t)(lines_behind(bytes.ptr + nominal - 1, bytes.ptr + bytes.len) - bytes.ptr);
}

/* Maps the pages of a chunk with one call instead of a fault for every few of them. Where the kernel cannot do that, or the
 * bytes are not a mapping, nothing happens. */
static void map_pages(struct slice bytes, size_t begin, size_t end) {
#ifdef MADV_POPULATE_READ
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)bytes.ptr + begin) & ~(page - 1), last = (uintptr_t)bytes.ptr + end;
    if (last > first) madvise((void *)first, last - first, MADV_POPULATE_READ);
#else
    (void)bytes, (void)begin, (void)end;
#endif
}

static void *make(void *context, unsigned thread, size_t number) {
    const struct chunks *chunks = context;
    size_t begin = chunk_line_start(chunks->bytes, number * CHUNK_BYTES);
    size_t end = chunk_line_start(chunks->bytes, (number + 1) * CHUNK_BYTES);
    map_pages(chunks->bytes, begin, end);
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

unsigned chunks_threads(size_t bytes) {
    size_t useful = bytes / CHUNK_BYTES + 1;
    unsigned threads = ordered_threads();
    return threads < useful ? threads : (unsigned)useful;
}
