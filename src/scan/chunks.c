#include "scan/chunks.h"

#include "base/ordered.h"
#include "scan/find.h"

struct chunks {
    const struct chunk_work *work;
    struct slice bytes;
};

/* The chunk begins behind the first line end at or after the nominal place, so that no line is owned twice. */
static size_t line_start(struct slice bytes, size_t nominal) {
    if (nominal == 0) return 0;
    if (nominal >= bytes.len) return bytes.len;
    const char *end = bytes.ptr + bytes.len;
    const char *eol = find_eol(bytes.ptr + nominal - 1, end);
    if (eol == end) return bytes.len;
    if (*eol == '\r' && eol + 1 < end && eol[1] == '\n') eol++;
    return (size_t)(eol + 1 - bytes.ptr);
}

static void *make(void *context, unsigned thread, size_t number) {
    const struct chunks *chunks = context;
    size_t begin = line_start(chunks->bytes, number * CHUNK_BYTES), end = line_start(chunks->bytes, (number + 1) * CHUNK_BYTES);
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
