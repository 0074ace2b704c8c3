/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct failures of a text, in order of first occurrence. The same failure is printed several times: by the logger,
 * as the text of the exception, by every device of a mesh (with its own program id), cut by a test's summary. Those count as
 * one. At most FAILURE_SET_MAX failures are kept apart, so that no text can exhaust memory. Of further ones the latest of
 * each wording is kept, in an entry after the others: what ended a run comes last, and a new wording is not lost among
 * thousands of others. The rest are counted. Owned by the caller: a zeroed struct is empty, failure_set_release frees it. */
#ifndef TTMEM_PARSE_FAILURE_SET_H
#define TTMEM_PARSE_FAILURE_SET_H

#include "base/table/map.h"
#include "base/vec.h"
#include "parse/failure/failure.h"

enum { FAILURE_SET_MAX = 4096, FAILURE_PROGRAMS_MAX = 256 };

struct failure_entry {
    struct failure failure; /* its fullest occurrence */
    uint64_t line;          /* of the first occurrence, from 1 */
    uint64_t count;
    VEC(uint64_t) programs; /* distinct ids, if the message has them; the first FAILURE_PROGRAMS_MAX */
};

struct failure_set {
    VEC(struct failure_entry) entries;
    struct map by_values;
    uint64_t left_out; /* messages beyond FAILURE_SET_MAX, except those that are kept */
};

/* The number of the entry that it creates or joins, SLICE_NONE if there are too many. Its count is 1 if it is new; an entry
 * from FAILURE_SET_MAX on then holds another failure than before. */
size_t failure_set_add(struct failure_set *set, const struct failure *failure, uint64_t line);
void failure_set_release(struct failure_set *set);

/* Adds all failures of a text in memory, searched by several threads: the result does not depend on their number. */
void failure_set_add_text(struct failure_set *set, struct slice text);

/* Finds the failures of a text that comes in pieces of any size; memory stays bounded.
 *     while (...) { read into failure_stream_room(); failure_stream_took(n); }  failure_stream_finish(); */
enum { FAILURE_STREAM_ROOM = 256 * 1024 };

struct failure_stream {
    struct failure_set *set;
    uint64_t lines; /* line breaks before `data` */
    uint64_t bytes; /* taken so far */
    size_t len;
    size_t done; /* bytes of `data` that have been searched, kept as context for the bytes after them */
    char data[FAILURE_LEAD + FAILURE_WINDOW + FAILURE_STREAM_ROOM];
};

/* Where the next bytes go: at most FAILURE_STREAM_ROOM of them. */
static inline char *failure_stream_room(struct failure_stream *s) { return s->data + s->len; }
void failure_stream_took(struct failure_stream *s, size_t n);
void failure_stream_finish(struct failure_stream *s);

#endif
