/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pieces.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/ordered.h"
#include "parse/failure.h"
#include "scan/chunks.h"

/* A line without an end is cut here in streams, so that memory stays bounded; files have no such limit. */
enum { STREAM_BLOCK = 4 << 20, LONGEST_STREAM_LINE = 64 << 20 };

struct spare_piece {
    struct log_piece piece;
    struct chunk chunk;
    int error; /* errno: it cannot be read */
    struct spare_piece *next;
};

struct file_reading {
    const struct piece_taker *taker;
    struct chunk_file file;
    struct log_worker *workers;
    struct progress *progress;
    pthread_mutex_t lock;
    struct spare_piece *spare; /* pieces whose memory waits to be used again */
    uint64_t taken;            /* bytes of the pieces that were handed over */
    bool ended;                /* the file was found to end early: what is read from behind that place counts no more */
    int error;
};

static void *parse_chunk(void *context, unsigned thread, size_t number) {
    struct file_reading *reading = context;
    pthread_mutex_lock(&reading->lock);
    struct spare_piece *spare = reading->spare;
    if (spare) reading->spare = spare->next;
    pthread_mutex_unlock(&reading->lock);
    if (!spare) spare = mem_zalloc(1, sizeof *spare);
    struct chunk *chunk = &spare->chunk;
    spare->error = chunk_read(chunk, &reading->file, number) == 0 ? 0 : errno;
    if (spare->error) chunk->len = chunk->begin = chunk->end = 0;
    log_parse(&reading->workers[thread], &spare->piece, slice_of(chunk->data, chunk->len), chunk->begin, chunk->end,
              chunk->offset);
    return spare;
}

static void take_chunk(void *context, size_t number, void *result) {
    struct file_reading *reading = context;
    struct spare_piece *spare = result;
    (void)number;
    if (spare->error && !reading->ended) {
        reading->error = spare->error;
        reading->ended = true;
    }
    if (!reading->ended) {
        reading->taker->take(reading->taker->context, &spare->piece);
        if (spare->chunk.end > spare->chunk.begin) reading->taken = spare->chunk.offset + spare->chunk.end;
        reading->ended = spare->chunk.cut && spare->chunk.end == spare->chunk.len;
    }
    pthread_mutex_lock(&reading->lock);
    spare->next = reading->spare;
    reading->spare = spare;
    pthread_mutex_unlock(&reading->lock);
    if (reading->progress) progress_add(reading->progress, CHUNK_BYTES);
}

static void release_spares(struct file_reading *reading) {
    while (reading->spare) {
        struct spare_piece *spare = reading->spare;
        reading->spare = spare->next;
        log_piece_release(&spare->piece);
        chunk_release(&spare->chunk);
        free(spare);
    }
}

static int64_t read_source(const void *context, uint64_t offset, char *out, size_t room) {
    return source_read_at(context, offset, out, room);
}

static int read_file(struct source *source, const struct piece_taker *taker, uint64_t *bytes, struct progress *progress,
                     struct err *err) {
    struct file_reading reading = {.taker = taker, .progress = progress, .lock = PTHREAD_MUTEX_INITIALIZER};
    reading.file = (struct chunk_file){source, read_source, source->bytes.len, CHUNK_BYTES};
    unsigned threads = chunks_threads(source->bytes.len);
    reading.workers = mem_zalloc(threads, sizeof *reading.workers);
    for (unsigned i = 0; i < threads; i++) log_worker_init(&reading.workers[i], i, taker->keep_ops);
    struct ordered_work work = {&reading, parse_chunk, take_chunk};
    ordered_run(&work, chunk_count(&reading.file), threads);
    release_spares(&reading);
    for (unsigned i = 0; i < threads; i++) log_worker_release(&reading.workers[i]);
    free(reading.workers);
    *bytes = reading.taken;
    errno = reading.error;
    if (reading.error) return err_set_errno(err, ERR_INPUT, "cannot read %s", source->path);
    if (reading.ended) source->cut = source->shrank = true;
    return 0;
}

static void read_copy(struct slice bytes, const struct piece_taker *taker) {
    struct log_worker worker;
    struct log_piece piece = {0};
    log_worker_init(&worker, 0, taker->keep_ops);
    log_parse(&worker, &piece, bytes, 0, bytes.len, 0);
    taker->take(taker->context, &piece);
    log_worker_release(&worker);
    log_piece_release(&piece);
}

/* Hands over the lines that start in the first `len` bytes of the tail, and forgets these bytes. */
static void take_tail(struct piece_feed *feed, size_t len) {
    if (!feed->ready) log_worker_init(&feed->worker, 0, feed->taker.keep_ops);
    feed->ready = true;
    log_parse(&feed->worker, &feed->piece, strbuf_slice(&feed->tail), 0, len, feed->offset);
    feed->taker.take(feed->taker.context, &feed->piece);
    memmove(feed->tail.data, feed->tail.data + len, feed->tail.len - len);
    feed->tail.len -= len;
    feed->offset += len;
}

char *piece_feed_room(struct piece_feed *feed, size_t size) { return strbuf_room(&feed->tail, size); }

void piece_feed_took(struct piece_feed *feed, size_t size) {
    strbuf_took(&feed->tail, size);
    /* a '\r' at the very end may be half of "\r\n" */
    const char *lf = feed->tail.len ? memrchr(feed->tail.data, '\n', feed->tail.len) : NULL;
    struct slice lines = lf ? slice_between(feed->tail.data, lf + 1) : slice_of("", 0);
    if (feed->tail.len > LONGEST_STREAM_LINE) lines = strbuf_slice(&feed->tail);
    else if (!feed->at_once) lines.len = failure_settled(lines);
    if (lines.len) take_tail(feed, lines.len);
}

void piece_feed_bytes(struct piece_feed *feed, struct slice bytes) {
    if (!bytes.len) return;
    memcpy(piece_feed_room(feed, bytes.len), bytes.ptr, bytes.len);
    piece_feed_took(feed, bytes.len);
}

void piece_feed_finish(struct piece_feed *feed) {
    if (feed->tail.len) take_tail(feed, feed->tail.len);
    piece_feed_release(feed);
}

void piece_feed_release(struct piece_feed *feed) {
    if (feed->ready) log_worker_release(&feed->worker);
    log_piece_release(&feed->piece);
    strbuf_release(&feed->tail);
}

static int read_stream(struct source *source, const struct piece_taker *taker, uint64_t *bytes, struct progress *progress,
                       struct err *err) {
    struct piece_feed feed = {.taker = *taker};
    int64_t n = 1;
    while (n > 0) {
        size_t filled = 0;
        char *room = piece_feed_room(&feed, STREAM_BLOCK);
        while (filled < STREAM_BLOCK && (n = source_read(source, room + filled, STREAM_BLOCK - filled, err)) > 0)
            filled += (size_t)n;
        piece_feed_took(&feed, filled);
        *bytes += filled;
        if (progress) progress_add(progress, filled);
    }
    piece_feed_finish(&feed);
    return n < 0 ? -1 : 0;
}

int pieces_read(struct source *source, const struct piece_taker *taker, uint64_t *bytes, struct progress *progress,
                struct err *err) {
    *bytes = source->bytes.len;
    if (!source->mapped) return read_stream(source, taker, bytes, progress, err);
    if (!source->copy) return read_file(source, taker, bytes, progress, err);
    read_copy(source->bytes, taker);
    if (progress) progress_add(progress, source->bytes.len);
    return 0;
}
