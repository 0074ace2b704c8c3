/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a log: a mapped file, or a stream (pipe, .gz, .zst) that is read front to back.
 * Compression is recognised by content, not by name; so are UTF-16 and Docker's json-file, which are handed out as plain text
 * (source/recoder.h). Owns the mapping or descriptor; release once. Not thread-safe, but the
 * bytes of a mapped source may be read from any thread. */
#ifndef TTMEM_SOURCE_SOURCE_H
#define TTMEM_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

struct recoder;
struct source_decoder;

struct source {
    char *path; /* as given; "-" is stdin */
    int fd;
    bool mapped;
    struct slice bytes;             /* mapped sources: all of it */
    uint64_t file_bytes;            /* size of the file on disk, 0 when not known */
    struct source_decoder *decoder; /* NULL for plain streams */
    struct recoder *recoder;        /* NULL for plain text */
    bool recoder_known;             /* whether there is one was looked at */
    char *coded;                    /* text that waits for the recoder */
    struct slice coded_left;
    char head[8]; /* bytes that were read to recognise compression */
    size_t head_len, head_used;
    char *peeked; /* bytes that source_peek took and source_read has yet to hand out */
    size_t peeked_len, peeked_used;
    bool cut; /* the compressed data ended early or was damaged: what came before it was handed out */
};

int source_open(struct source *source, const char *path, struct err *err);

/* Stream sources: reads up to `room` bytes; 0 at the end, -1 on error. */
int64_t source_read(struct source *source, char *out, size_t room, struct err *err);

/* The first bytes, up to SOURCE_PEEK of them, before anything was read; they are read again. Valid until then. */
enum { SOURCE_PEEK = 1 << 20 };
int source_peek(struct source *source, struct slice *head, struct err *err);

/* Turns a stream into a mapped source by copying it to an unlinked file in `folder`. Does nothing for a mapped one. */
int source_spool(struct source *source, const char *folder, struct err *err);

void source_release(struct source *source);

#endif
