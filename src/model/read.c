#include "model/read.h"

#include <pthread.h>
#include <stdlib.h>

#include "model/fold.h"
#include "scan/chunks.h"

/* A line without an end is cut here in streams, so that memory stays bounded; mapped files have no such limit. */
enum { STREAM_BLOCK = 4 << 20, LONGEST_STREAM_LINE = 64 << 20 };

struct spare_piece {
    struct log_piece piece; /* first: a piece is its spare_piece */
    struct spare_piece *next;
};

struct reader {
    struct fold fold;
    struct log_worker *workers;
    struct progress *progress;
    pthread_mutex_t lock;
    struct spare_piece *spare; /* pieces whose memory waits to be used again */
};

static void *parse_chunk(void *context, unsigned thread, struct slice bytes, size_t begin, size_t end) {
    struct reader *reader = context;
    pthread_mutex_lock(&reader->lock);
    struct spare_piece *spare = reader->spare;
    if (spare) reader->spare = spare->next;
    pthread_mutex_unlock(&reader->lock);
    if (!spare) spare = mem_zalloc(1, sizeof *spare);
    log_parse(&reader->workers[thread], &spare->piece, bytes, begin, end, 0);
    return spare;
}

static void take_chunk(void *context, void *result) {
    struct reader *reader = context;
    struct spare_piece *spare = result;
    fold_piece(&reader->fold, &spare->piece);
    pthread_mutex_lock(&reader->lock);
    spare->next = reader->spare;
    reader->spare = spare;
    pthread_mutex_unlock(&reader->lock);
    if (reader->progress) progress_add(reader->progress, CHUNK_BYTES);
}

static void release_spares(struct reader *reader) {
    while (reader->spare) {
        struct spare_piece *spare = reader->spare;
        reader->spare = spare->next;
        log_piece_release(&spare->piece);
        free(spare);
    }
}

static void read_mapped(struct run *run, struct slice bytes, struct progress *progress) {
    struct reader reader = {.progress = progress, .lock = PTHREAD_MUTEX_INITIALIZER};
    unsigned threads = chunks_threads(bytes.len);
    reader.workers = mem_zalloc(threads, sizeof *reader.workers);
    for (unsigned i = 0; i < threads; i++) log_worker_init(&reader.workers[i], i, true);
    fold_init(&reader.fold, run, true);
    struct chunk_work work = {&reader, parse_chunk, take_chunk};
    chunks_run(&work, bytes, threads);
    release_spares(&reader);
    fold_finish(&reader.fold);
    for (unsigned i = 0; i < threads; i++) log_worker_release(&reader.workers[i]);
    free(reader.workers);
    run->bytes = bytes.len;
}

void run_read_parts(struct run *run, struct slice bytes, const struct log_part *parts, size_t count) {
    struct fold fold;
    struct log_worker worker;
    struct log_piece piece = {0};
    fold_init(&fold, run, true);
    log_worker_init(&worker, 0, true);
    for (size_t i = 0; i < count; i++) {
        fold.first_line = parts[i].first_line;
        for (size_t at = parts[i].begin; at < parts[i].end; at += CHUNK_BYTES) {
            size_t end = parts[i].end - at < CHUNK_BYTES ? parts[i].end : at + CHUNK_BYTES;
            log_parse(&worker, &piece, slice_of(bytes.ptr, parts[i].end), at, end, 0);
            fold_piece(&fold, &piece);
        }
        run->bytes += parts[i].end - parts[i].begin;
    }
    fold_finish(&fold);
    log_worker_release(&worker);
    log_piece_release(&piece);
}

struct run_feed {
    struct fold fold;
    struct log_worker worker;
    struct log_piece piece;
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
    log_parse(&feed->worker, &feed->piece, bytes, 0, len, feed->offset);
    fold_piece(&feed->fold, &feed->piece);
    memmove(feed->tail.data, feed->tail.data + len, feed->tail.len - len);
    feed->tail.len -= len;
    feed->offset += len;
}

void run_feed_bytes(struct run_feed *feed, struct slice bytes) {
    strbuf_add(&feed->tail, bytes);
    feed->fold.run->bytes += bytes.len;
    /* a '\r' at the very end may be half of "\r\n" */
    const char *lf = feed->tail.len ? memrchr(feed->tail.data, '\n', feed->tail.len) : NULL;
    if (lf) take_tail(feed, (size_t)(lf + 1 - feed->tail.data));
    else if (feed->tail.len > LONGEST_STREAM_LINE) take_tail(feed, feed->tail.len);
}

void run_feed_finish(struct run_feed *feed) {
    if (feed->tail.len) take_tail(feed, feed->tail.len);
    fold_finish(&feed->fold);
    log_worker_release(&feed->worker);
    log_piece_release(&feed->piece);
    strbuf_release(&feed->tail);
    free(feed);
}

static int read_stream(struct run *run, struct source *source, struct progress *progress, struct err *err) {
    struct run_feed *feed = run_feed_new(run);
    char *block = mem_alloc(STREAM_BLOCK);
    int64_t n = 1;
    while (n > 0) {
        size_t filled = 0;
        while (filled < STREAM_BLOCK && (n = source_read(source, block + filled, STREAM_BLOCK - filled, err)) > 0)
            filled += (size_t)n;
        run_feed_bytes(feed, slice_of(block, filled));
        if (progress) progress_add(progress, filled);
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
