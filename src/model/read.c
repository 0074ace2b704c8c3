/* SPDX-License-Identifier: Apache-2.0 */
#include "model/read.h"

#include <stdlib.h>

#include "model/fold.h"
#include "model/pieces.h"
#include "scan/chunks.h"

void run_read_parts(struct run *run, struct slice bytes, const struct log_part *parts, size_t count) {
    struct fold fold;
    struct log_worker worker;
    struct log_piece piece = {0};
    fold_init(&fold, run, bytes);
    log_worker_init(&worker, 0, true);
    for (size_t i = 0; i < count; i++) {
        fold.first_line = parts[i].first_line;
        struct slice part = slice_of(bytes.ptr, parts[i].end);
        for (size_t at = parts[i].begin, end; at < parts[i].end; at = end) {
            end = chunk_line_start(part, at + CHUNK_BYTES);
            log_parse(&worker, &piece, part, at, end, 0);
            fold_piece(&fold, &piece);
        }
        run->bytes += parts[i].end - parts[i].begin;
    }
    fold_finish(&fold);
    log_worker_release(&worker);
    log_piece_release(&piece);
}

static void take_piece(void *context, const struct log_piece *piece) { fold_piece(context, piece); }

static struct piece_taker taker_of(struct fold *fold) {
    return (struct piece_taker){.context = fold, .take = take_piece, .keep_ops = true, .ahead = &fold->ahead};
}

int run_read_files(struct run *run, struct source *files, const uint64_t *offsets, const struct slice *names, size_t count,
                   struct slice all, struct progress *progress, struct err *err) {
    struct fold fold;
    fold_init(&fold, run, all);
    fold.names = names;
    fold.name_count = count;
    run->file_count = count > 1 ? (uint32_t)count : 0;
    struct piece_taker taker = taker_of(&fold);
    int rc = pieces_read_files(files, offsets, count, &taker, &run->bytes, progress, err);
    fold_finish(&fold);
    for (size_t i = 0; i < count; i++)
        if (files[i].cut) run_warn(run, WARN_CUT_INPUT, 0);
    return rc;
}

struct run_feed {
    struct fold fold;
    struct piece_feed pieces;
};

struct run_feed *run_feed_new(struct run *run) {
    struct run_feed *feed = mem_zalloc(1, sizeof *feed);
    fold_init(&feed->fold, run, slice_of("", 0));
    feed->pieces.taker = taker_of(&feed->fold);
    return feed;
}

void run_feed_keep(struct run_feed *feed, struct kept_text *kept) { feed->fold.kept = kept; }

void run_feed_bytes(struct run_feed *feed, struct slice bytes) {
    piece_feed_bytes(&feed->pieces, bytes);
    feed->fold.run->bytes += bytes.len;
}

void run_feed_finish(struct run_feed *feed) {
    piece_feed_finish(&feed->pieces);
    fold_finish(&feed->fold);
    if (feed->fold.kept) feed->fold.run->text = kept_text_map(feed->fold.kept, feed->fold.run->bytes);
    free(feed);
}

static int read_with(struct run *run, struct source *source, struct hash_stream *content, struct progress *progress,
                     struct err *err) {
    struct fold fold;
    fold_init(&fold, run, source->bytes);
    fold.kept = source->mapped ? NULL : &source->kept;
    struct piece_taker taker = taker_of(&fold);
    taker.content = content;
    int rc = pieces_read(source, &taker, &run->bytes, progress, err);
    fold_finish(&fold);
    if (rc != 0) return -1;
    if (fold.kept) run->text = kept_text_map(fold.kept, run->bytes);
    if (source->cut) run_warn(run, WARN_CUT_INPUT, run->lines);
    return 0;
}

int run_read(struct run *run, struct source *source, struct progress *progress, struct err *err) {
    return read_with(run, source, NULL, progress, err);
}

int run_read_known(struct run *run, struct source *source, struct progress *progress, struct err *err) {
    if (!source->mapped) return run_read(run, source, progress, err);
    struct hash_stream *content = hash_stream_new();
    int rc = read_with(run, source, content, progress, err);
    run->content = hash_stream_end(content);
    return rc;
}
