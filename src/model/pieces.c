/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pieces.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/ordered.h"
#include "parse/failure/failure.h"
#include "scan/chunks.h"

/* In streams a line without an end is cut here, so that memory stays bounded; files have no such limit. */
enum { STREAM_BLOCK = 4 << 20, LONGEST_STREAM_LINE = 64 << 20 };

struct spare_piece {
    struct log_piece piece;
    struct chunk chunk;
    int error; /* errno if it cannot be read */
    struct spare_piece *next;
};

/* A file being read, alone or as one of several. */
struct read_file {
    struct source *source;
    uint64_t offset; /* position of its bytes among those of all files */
    struct chunk_file file;
    size_t first_chunk;
    uint64_t taken; /* bytes of the pieces that were delivered */
    bool ended;     /* it ended early: anything read beyond that point is ignored */
    int error;
};

struct file_reading {
    const struct piece_taker *taker;
    struct read_file *files;
    size_t count;
    struct log_worker *workers;
    struct progress *progress;
    pthread_mutex_t lock;
    struct spare_piece *spare; /* pieces whose memory can be reused */
};

/* The file that contains chunk `number`. */
static size_t file_of(const struct file_reading *reading, size_t number) {
    size_t low = 0, high = reading->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (reading->files[middle].first_chunk <= number) low = middle;
        else high = middle;
    }
    return low;
}

static void *parse_chunk(void *context, unsigned thread, size_t number) {
    struct file_reading *reading = context;
    pthread_mutex_lock(&reading->lock);
    struct spare_piece *spare = reading->spare;
    if (spare) reading->spare = spare->next;
    pthread_mutex_unlock(&reading->lock);
    if (!spare) spare = mem_zalloc(1, sizeof *spare);
    if (reading->taker->ahead) ahead_touch(reading->taker->ahead);
    struct chunk *chunk = &spare->chunk;
    size_t at = file_of(reading, number);
    const struct read_file *file = &reading->files[at];
    bool stopped = progress_stopped(reading->progress);
    spare->error = stopped || chunk_read(chunk, &file->file, number - file->first_chunk) == 0 ? 0 : errno;
    if (spare->error || stopped) chunk->len = chunk->begin = chunk->end = 0;
    log_parse(&reading->workers[thread], &spare->piece, slice_of(chunk->data, chunk->len), chunk->begin, chunk->end,
              file->offset + chunk->offset);
    spare->piece.file = (uint32_t)at;
    return spare;
}

static void take_chunk(void *context, size_t number, void *result) {
    struct file_reading *reading = context;
    struct spare_piece *spare = result;
    struct read_file *file = &reading->files[spare->piece.file];
    (void)number;
    if (spare->error && !file->ended) {
        file->error = spare->error;
        file->ended = true;
    }
    if (!file->ended && !progress_stopped(reading->progress)) {
        const struct chunk *chunk = &spare->chunk;
        struct hash_stream *content = reading->taker->content;
        reading->taker->take(reading->taker->context, &spare->piece);
        /* from where the last one ended: the rest of a line that was too long lies between them */
        size_t from = file->taken > chunk->offset ? (size_t)(file->taken - chunk->offset) : 0;
        if (content && chunk->end > from) hash_stream_add(content, slice_between(chunk->data + from, chunk->data + chunk->end));
        if (chunk->end > from) file->taken = chunk->offset + chunk->end;
        file->ended = spare->chunk.cut && spare->chunk.end == spare->chunk.len;
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
    const struct source *source = context;
    if (!source->copy) return source_read_at(source, offset, out, room);
    struct slice rest = slice_take(slice_skip(source->bytes, (size_t)offset), room);
    memcpy(out, rest.ptr, rest.len);
    return (int64_t)rest.len;
}

/* The result of reading: the first file that cannot be read is the error. */
static int settle(struct file_reading *reading, uint64_t *bytes, struct err *err) {
    int rc = 0;
    *bytes = 0;
    for (size_t i = 0; i < reading->count; i++) {
        struct read_file *file = &reading->files[i];
        *bytes += file->taken;
        errno = file->error;
        if (file->error && rc == 0) rc = err_set_errno(err, ERR_INPUT, "cannot read '%s'", file->source->path);
        else if (file->ended) file->source->cut = file->source->shrank = true;
    }
    return rc;
}

int pieces_read_files(struct source *sources, const uint64_t *offsets, size_t count, const struct piece_taker *taker,
                      uint64_t *bytes, struct progress *progress, struct err *err) {
    struct file_reading reading = {.taker = taker, .count = count, .progress = progress, .lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t total = 0;
    size_t chunks = 0;
    reading.files = mem_zalloc(count + 1, sizeof *reading.files);
    for (size_t i = 0; i < count; i++) {
        struct read_file *file = &reading.files[i];
        *file = (struct read_file){.source = &sources[i], .offset = offsets[i], .first_chunk = chunks};
        file->file = (struct chunk_file){&sources[i], read_source, sources[i].bytes.len, CHUNK_BYTES};
        chunks += chunk_count(&file->file);
        total += sources[i].bytes.len;
    }
    unsigned threads = chunks_threads(total);
    reading.workers = mem_zalloc(threads, sizeof *reading.workers);
    for (unsigned i = 0; i < threads; i++) log_worker_init(&reading.workers[i], i, taker->keep_ops);
    struct ordered_work work = {&reading, parse_chunk, take_chunk};
    ordered_run(&work, chunks, threads);
    release_spares(&reading);
    for (unsigned i = 0; i < threads; i++) log_worker_release(&reading.workers[i]);
    free(reading.workers);
    int rc = settle(&reading, bytes, err);
    free(reading.files);
    return rc == 0 && progress_stopped(progress) ? err_set(err, ERR_INPUT, "cancelled while it was read") : rc;
}

static void read_copy(struct slice bytes, const struct piece_taker *taker) {
    struct log_worker worker;
    struct log_piece piece = {0};
    log_worker_init(&worker, 0, taker->keep_ops);
    log_parse(&worker, &piece, bytes, 0, bytes.len, 0);
    if (taker->content) hash_stream_add(taker->content, bytes);
    taker->take(taker->context, &piece);
    log_worker_release(&worker);
    log_piece_release(&piece);
}

static struct slice unparsed(const struct piece_feed *feed) { return slice_skip(strbuf_slice(&feed->tail), feed->lead); }

/* Delivers the lines that start in the first `len` unparsed bytes, and drops these bytes except for a lead. */
static void take_tail(struct piece_feed *feed, size_t len) {
    if (!feed->ready) log_worker_init(&feed->worker, 0, feed->taker.keep_ops);
    feed->ready = true;
    size_t end = feed->lead + len;
    log_parse(&feed->worker, &feed->piece, strbuf_slice(&feed->tail), feed->lead, end, feed->offset);
    feed->taker.take(feed->taker.context, &feed->piece);
    /* a line that was cut starts anew */
    feed->lead = feed->tail.data[end - 1] != '\n' ? 0 : end < CHUNK_LEAD ? end : CHUNK_LEAD;
    size_t drop = end - feed->lead;
    memmove(feed->tail.data, feed->tail.data + drop, feed->tail.len - drop);
    feed->tail.len -= drop;
    feed->lines_end = feed->lines_end > drop ? feed->lines_end - drop : 0;
    feed->offset += drop;
}

/* Some lines refer to those above them: the last lines wait until more follow, or the input ends. */
static size_t without_last_lines(struct slice lines) {
    const char *lf = lines.len > LOG_LOOK_AHEAD ? memrchr(lines.ptr, '\n', lines.len - LOG_LOOK_AHEAD) : NULL;
    return lf ? (size_t)(lf + 1 - lines.ptr) : 0;
}

char *piece_feed_room(struct piece_feed *feed, size_t size) { return strbuf_room(&feed->tail, size); }

void piece_feed_took(struct piece_feed *feed, size_t size) {
    strbuf_took(&feed->tail, size);
    /* a '\r' at the very end may be half of "\r\n" */
    struct slice rest = unparsed(feed), all = strbuf_slice(&feed->tail);
    const char *lf = size ? memrchr(all.ptr + all.len - size, '\n', size) : NULL;
    if (lf) feed->lines_end = (size_t)(lf + 1 - all.ptr);
    struct slice lines = slice_take(rest, feed->lines_end > feed->lead ? feed->lines_end - feed->lead : 0);
    if (rest.len > LONGEST_STREAM_LINE) lines = rest;
    else if (!feed->at_once) {
        size_t settled = failure_settled(lines);
        lines.len = without_last_lines(lines);
        if (settled < lines.len) lines.len = settled;
    }
    if (lines.len) take_tail(feed, lines.len);
}

void piece_feed_bytes(struct piece_feed *feed, struct slice bytes) {
    if (!bytes.len) return;
    memcpy(piece_feed_room(feed, bytes.len), bytes.ptr, bytes.len);
    piece_feed_took(feed, bytes.len);
}

void piece_feed_finish(struct piece_feed *feed) {
    size_t rest = unparsed(feed).len;
    if (rest) take_tail(feed, rest);
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
        if (taker->stream.take) taker->stream.take(taker->stream.context, slice_of(room, filled));
        piece_feed_took(&feed, filled);
        *bytes += filled;
        if (progress) progress_add(progress, filled);
        if (progress_stopped(progress)) n = err_set(err, ERR_INPUT, "cancelled while it was read");
    }
    piece_feed_finish(&feed);
    return n < 0 ? -1 : 0;
}

int pieces_read(struct source *source, const struct piece_taker *taker, uint64_t *bytes, struct progress *progress,
                struct err *err) {
    *bytes = source->bytes.len;
    if (!source->mapped) return read_stream(source, taker, bytes, progress, err);
    if (!source->copy) return pieces_read_files(source, &(uint64_t){0}, 1, taker, bytes, progress, err);
    read_copy(source->bytes, taker);
    if (progress) progress_add(progress, source->bytes.len);
    return 0;
}
