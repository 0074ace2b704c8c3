#include "model/read.h"

#include <stdlib.h>

#include "model/fold.h"
#include "scan/chunks.h"

/* A line without an end is cut here in streams, so that memory stays bounded; mapped files have no such limit. */
enum { STREAM_BLOCK = 4 << 20, LONGEST_STREAM_LINE = 64 << 20 };

struct reader {
    struct fold fold;
    struct log_worker *workers;
    struct progress *progress;
};

static void *parse_chunk(void *context, unsigned thread, struct slice bytes, size_t begin, size_t end) {
    struct reader *reader = context;
    return log_parse(&reader->workers[thread], bytes, begin, end, 0);
}

static void take_chunk(void *context, void *result) {
    struct reader *reader = context;
    fold_piece(&reader->fold, result);
    log_piece_free(result);
    if (reader->progress) progress_add(reader->progress, CHUNK_BYTES);
}

static void read_mapped(struct run *run, struct slice bytes, struct progress *progress) {
    struct reader reader = {.progress = progress};
    unsigned threads = chunks_threads(bytes.len);
    reader.workers = mem_zalloc(threads, sizeof *reader.workers);
    for (unsigned i = 0; i < threads; i++) log_worker_init(&reader.workers[i], i, true);
    fold_init(&reader.fold, run, true);
    struct chunk_work work = {&reader, parse_chunk, take_chunk};
    chunks_run(&work, bytes, threads);
    fold_finish(&reader.fold);
    for (unsigned i = 0; i < threads; i++) log_worker_release(&reader.workers[i]);
    free(reader.workers);
    run->bytes = bytes.len;
}

struct run_feed {
    struct fold fold;
    struct log_worker worker;
    struct strbuf tail; /* bytes behind the last line end */
    uint64_t offset;    /* of tail.data in the log */
};

struct run_feed *run_feed_new(struct run *run) {
    struct run_feed *feed = mem_zalloc(1, sizeof *feed);
    fold_init(&feed->fold, run, false);
    log_worker_init(&feed->worker, 0, true);
    return feed;
}

/* Parses the first `len` bytes of the tail and forgets them. */
static void take_tail(struct run_feed *feed, size_t len) {
    struct slice bytes = slice_of(feed->tail.data, len);
    struct log_piece *piece = log_parse(&feed->worker, bytes, 0, len, feed->offset);
    fold_piece(&feed->fold, piece);
    log_piece_free(piece);
    memmove(feed->tail.data, feed->tail.data + len, feed->tail.len - len);
    feed->tail.len -= len;
    feed->offset += len;
}

void run_feed_bytes(struct run_feed *feed, struct slice bytes) {
    strbuf_add(&feed->tail, bytes);
    feed->fold.run->bytes += bytes.len;
    /* a '\r' at the very end may be half of "\r\n" */
    const char *lf = memrchr(feed->tail.data, '\n', feed->tail.len);
    if (lf) take_tail(feed, (size_t)(lf + 1 - feed->tail.data));
    else if (feed->tail.len > LONGEST_STREAM_LINE) take_tail(feed, feed->tail.len);
}

void run_feed_finish(struct run_feed *feed) {
    if (feed->tail.len) take_tail(feed, feed->tail.len);
    fold_finish(&feed->fold);
    log_worker_release(&feed->worker);
    strbuf_release(&feed->tail);
    free(feed);
}

static int read_stream(struct run *run, struct source *source, struct progress *progress, struct err *err) {
    struct run_feed *feed = run_feed_new(run);
    char *block = mem_alloc(STREAM_BLOCK);
    int64_t n;
    while ((n = source_read(source, block, STREAM_BLOCK, err)) > 0) {
        run_feed_bytes(feed, slice_of(block, (size_t)n));
        if (progress) progress_add(progress, (uint64_t)n);
    }
    run_feed_finish(feed);
    free(block);
    return n < 0 ? -1 : 0;
}

int run_read(struct run *run, struct source *source, struct progress *progress, struct err *err) {
    if (source->mapped) read_mapped(run, source->bytes, progress);
    else if (read_stream(run, source, progress, err) != 0) return -1;
    if (source->cut) run_warn(run, WARN_CUT_INPUT, run->lines);
    return 0;
}
