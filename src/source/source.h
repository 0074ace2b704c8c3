/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a log: a file that is held (all of it is accessible), or a stream (pipe, .gz, .zst) that is read front to back.
 * Files change under their readers: a large one is held by a mapping that survives that (source/guard.h) and is better read
 * by source_read_at, which reports where it ends; source_change says afterwards what happened to it. Compression is
 * recognised by content, not by name; so are UTF-16 and the entries of containers, which are delivered as plain text
 * (source/recoder.h). Owns the mapping or descriptor; release once. Not thread-safe, but the bytes of a held source may be
 * read from any thread, in memory or by source_read_at. */
#ifndef TTMEM_SOURCE_SOURCE_H
#define TTMEM_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/err.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "base/table/hash.h"
#include "source/kept_text.h"
#include "source/recoder.h"

/* A file among several: where it begins in the joined bytes. */
struct source_part {
    size_t offset, size;
    bool guarded; /* it has its own mapping */
};

struct source_decoder;

/* Rewrites a stream while it is read: takes bytes, or the end, and adds to `out` what can be delivered. */
struct source_filter {
    void *context; /* NULL: none */
    void (*take)(void *context, struct slice bytes, bool end, struct strbuf *out);
    void (*release)(void *context);
};

struct source {
    char *path;   /* as given; "-" is stdin */
    int fd;       /* -1: closed, see source_close_file */
    dev_t device; /* of the file, with its inode: its identity */
    ino_t inode;
    bool mapped;                    /* held, as a mapping or in memory */
    struct slice bytes;             /* held sources: all of it, for as long as the file has it */
    bool spooled;                   /* fd is a copy that nobody else can reach */
    char *copy;                     /* of a small file; NULL: a mapping */
    struct timespec changed_at;     /* of the file when it was mapped */
    struct hash128 sample;          /* likewise, of its beginning and end */
    uint64_t file_bytes;            /* size of the file on disk, 0 if unknown */
    struct source_decoder *decoder; /* NULL for plain streams */
    struct recoder *recoder;        /* NULL for plain text */
    bool recoder_known;             /* whether there is one has been checked */
    bool recoder_ended;
    char *coded;           /* buffer for the recoder's input */
    struct strbuf recoded; /* its output that source_read has yet to deliver */
    size_t recoded_used;
    char head[RECODER_HEAD]; /* bytes that were read to recognise compression and wrapping */
    size_t head_len, head_used;
    char *peeked; /* bytes that source_peek read and source_read has yet to deliver */
    size_t peeked_len, peeked_used;
    struct source_part *parts; /* for a source of several files; or NULL */
    size_t part_count, range_bytes;
    struct kept_text kept;       /* of a stream, if a reader asked for it */
    struct source_filter filter; /* owned */
    struct strbuf filtered;      /* its output that source_read has yet to deliver */
    size_t filtered_used;
    bool filter_ended;
    uint32_t sampled, odd; /* for a stream: bytes that were checked, and how many of them cannot be in text */
    uint64_t broken_tags;  /* lines that mpirun left unfinished: their rest is lost */
    bool untorn;           /* a held one: mpirun tore none of its lines; known once that was looked for */
    bool cut;              /* the data ended early or was damaged: everything before that was delivered */
    bool shrank;           /* the same, because the file was cut while it was read */
};

int source_open(struct source *source, const char *path, struct err *err);

/* From now on source_open opens a path only if `check` returns 0 for it, and otherwise returns the error of `check`. NULL: no
 * limit. */
void source_limit(int (*check)(const void *context, const char *path, struct err *err), const void *context);

/* Stream sources: reads up to `room` bytes; 0 at the end, -1 on error. */
int64_t source_read(struct source *source, char *out, size_t room, struct err *err);

/* Does the input begin with bytes that cannot be in text: control characters other than those for terminals? NULs do not
 * count, because a log that was emptied while it was written begins with them. */
bool source_is_binary(const struct source *source);

/* The first bytes, up to SOURCE_PEEK of them, before anything is read; source_read returns them again. Valid until then. */
enum { SOURCE_PEEK = 1 << 20 };
int source_peek(struct source *source, struct slice *head, struct err *err);

/* Held sources that are not `copy`: bytes at a position in the file, fewer only if it ends there by now; -1 with errno. From
 * any thread. */
int64_t source_read_at(const struct source *source, uint64_t offset, char *out, size_t room);

/* What happened to the bytes of a held file since it was opened; additions do not count. */
enum source_change { SOURCE_KEPT, SOURCE_SHRANK, SOURCE_REWRITTEN };
enum source_change source_change(const struct source *source);
/* What to say after the path: "shrank while ..."; NULL if it did not change. */
const char *source_change_text(const struct source *source);

/* How many bytes from its start a held source really had while they were read through `bytes`: fewer than bytes.len if the file
 * was cut before they were. */
size_t source_sound(const struct source *source);

/* Bytes of a held source that are not needed soon: they take no memory until they are read again. */
void source_looked_at(const struct source *source, struct slice bytes);

/* The hash of all bytes of a held source, in memory that does not grow with it. */
struct hash128 source_hash(const struct source *source);

/* Closes the descriptor of a held source, because the number of open files is limited. A small file is already in memory; a
 * larger one is read through its mapping from then on, if `large` allows it. */
void source_close_file(struct source *source, bool large);

/* Are two sources the same file? */
bool source_same_file(const struct source *a, const struct source *b);

/* Does the path lead to another file, or to none, by now? */
bool source_replaced(const struct source *source);

/* Turns a stream into a held source by copying it to an unlinked file in `folder`, up to spool_limit bytes. Does nothing for a
 * held one. */
int source_spool(struct source *source, const char *folder, struct err *err);

/* Several held sources as one, which holds the bytes of all in sequence, with zeros between them: `offsets` says where each
 * begins. The sources do not change, and may be released. */
int source_join(struct source *out, const struct source *files, size_t count, uint64_t *offsets, struct err *err);
void source_unjoin(struct source *source); /* for source_release */

void source_release(struct source *source);

#endif
