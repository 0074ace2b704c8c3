/* SPDX-License-Identifier: Apache-2.0 */
/* A log as parsed pieces, delivered in log order: files are read and parsed by several threads, streams as they come. The
 * result does not depend on the number of threads. Pieces are only lent: their memory is reused. */
#ifndef TTMEM_MODEL_PIECES_H
#define TTMEM_MODEL_PIECES_H

#include "base/ahead.h"
#include "base/err.h"
#include "base/progress.h"
#include "parse/log.h"
#include "source/source.h"

struct byte_taker {
    void *context;
    void (*take)(void *context, struct slice bytes); /* NULL: nobody */
};

struct piece_taker {
    void *context;
    void (*take)(void *context, const struct log_piece *piece);
    bool keep_ops;               /* see struct log_worker */
    struct hash_stream *content; /* gets the bytes of a file's pieces in order while they are available; or NULL */
    struct ahead *ahead;         /* what `take` is about to fill, or NULL */
    struct byte_taker stream;    /* gets the bytes of a stream in order */
};

/* Delivers the whole source and its size. Returns 0, or -1 if it cannot be read to the end; everything before that was
 * delivered. A file that is cut in the meantime is read as far as it goes: source->shrank. */
int pieces_read(struct source *source, const struct piece_taker *taker, uint64_t *bytes, struct progress *progress,
                struct err *err);

/* The same for several held files in sequence, read and parsed by several threads even if each is small. Byte positions of
 * pieces start at `offsets`. */
int pieces_read_files(struct source *sources, const uint64_t *offsets, size_t count, const struct piece_taker *taker,
                      uint64_t *bytes, struct progress *progress, struct err *err);

/* The push interface, for logs that grow. Ready when zeroed except for `taker` and `at_once`; finish releases it. */
struct piece_feed {
    struct piece_taker taker;
    bool at_once; /* deliver every line as it comes; otherwise a failure message waits for its end */
    bool ready;
    struct log_worker worker;
    struct log_piece piece;
    struct strbuf tail; /* the unparsed bytes, after the last parsed ones */
    size_t lead;        /* number of parsed bytes kept before them: they decide what a line means */
    size_t lines_end;   /* end of the last whole line in `tail`; 0: there is none */
    uint64_t offset;    /* position of tail.data in the log */
};

/* To write bytes in place: get room, write, then call took. */
char *piece_feed_room(struct piece_feed *feed, size_t size);
void piece_feed_took(struct piece_feed *feed, size_t size);
void piece_feed_bytes(struct piece_feed *feed, struct slice bytes);
void piece_feed_finish(struct piece_feed *feed); /* delivers the rest, even a line without an end */
void piece_feed_release(struct piece_feed *feed);

#endif
