/* SPDX-License-Identifier: Apache-2.0 */
/* A log as parsed pieces, handed over in the order of the log: a file is read and parsed by several threads, a stream as
 * it comes. Nothing depends on the number of threads. Pieces are only lent: their memory is used again. */
#ifndef TTMEM_MODEL_PIECES_H
#define TTMEM_MODEL_PIECES_H

#include "base/err.h"
#include "base/progress.h"
#include "parse/log.h"
#include "source/source.h"

struct piece_taker {
    void *context;
    void (*take)(void *context, const struct log_piece *piece);
    bool keep_ops;               /* see struct log_worker */
    struct hash_stream *content; /* gets the bytes of the pieces of a file in order, while they are at hand; or NULL */
};

/* Hands over all of the source and tells how much that was. 0, or -1 when it cannot be read on; what came before that was
 * handed over. A file that is cut meanwhile is read as far as it goes: source->shrank. */
int pieces_read(struct source *source, const struct piece_taker *taker, uint64_t *bytes, struct progress *progress,
                struct err *err);

/* The same for several held files, one after the other: read and parsed by several threads, also where each is small. Pieces
 * count their bytes from `offsets` on. */
int pieces_read_files(struct source *sources, const uint64_t *offsets, size_t count, const struct piece_taker *taker,
                      uint64_t *bytes, struct progress *progress, struct err *err);

/* The push interface, for logs that grow. Zeroed but for `taker` and `at_once` it is ready; finish releases it. */
struct piece_feed {
    struct piece_taker taker;
    bool at_once; /* take every line as it comes; otherwise a failure message waits for its end */
    bool ready;
    struct log_worker worker;
    struct log_piece piece;
    struct strbuf tail; /* bytes that were not parsed yet, after the last that were */
    size_t lead;        /* how many of those are kept: they decide what a line means */
    uint64_t offset;    /* of tail.data in the log */
};

/* Bytes can be written in place: into the room, then took. */
char *piece_feed_room(struct piece_feed *feed, size_t size);
void piece_feed_took(struct piece_feed *feed, size_t size);
void piece_feed_bytes(struct piece_feed *feed, struct slice bytes);
void piece_feed_finish(struct piece_feed *feed); /* hands over the rest, also a line without an end */
void piece_feed_release(struct piece_feed *feed);

#endif
