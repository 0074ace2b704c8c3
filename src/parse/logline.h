/* SPDX-License-Identifier: Apache-2.0 */
/* What a line of a runtime log is: sees through colours, MPI tags and anything else before the logger's own prefix
 *   {type:>23} | {level:>8} | message        (tt-mlir runtime logger, also tt-metal before mid-2025)
 * and recognises the lines of other loggers, so that they can be told from module text. */
#ifndef TTMEM_PARSE_LOGLINE_H
#define TTMEM_PARSE_LOGLINE_H

#include <stdbool.h>

#include "base/slice.h"
#include "parse/line_prefix.h"
#include "parse/memview.h"

enum line_kind {
    LINE_TEXT, /* without a logger's prefix: module text, exception text, anything */
    LINE_OP,
    LINE_POOL, /* one pool of a memory block */
    LINE_BLOCK_OP,
    LINE_BLOCK_BEFORE_SUBMIT,
    LINE_BLOCK_AFTER_SUBMIT,
    LINE_START,
    LINE_FINISH,
    LINE_CACHE_RUN,
    LINE_CACHE_HIT,
    LINE_CACHE_MISS,
    LINE_SUBFUNC,
    LINE_TRACE_HIT,
    LINE_TRACE_MISS,
    LINE_TRACE_STALE,
    LINE_RETAINED,
    LINE_RUNTIME_OTHER,
    LINE_FOREIGN, /* loguru or spdlog */
    LINE_MODULE_BEGIN,
    LINE_MODULE_END,
    LINE_DEVICE, /* a device is opened or closed: see device_line */
};

struct log_line {
    enum line_kind kind;
    enum pool pool;            /* LINE_POOL */
    struct line_prefix writer; /* its tags ("1,0", "rank0", "server-1"); LINE_TEXT, LINE_FOREIGN: only MPI's */
    struct slice text;         /* after the recognised words: op text, name, stage; LINE_TEXT, LINE_FOREIGN: the line */
    const char *message;       /* where a runtime line's message begins, NULL for other lines */
    struct slice ahead;        /* text before a runtime line that landed in the middle of module text; else empty */
};

/* `line` is without its line end. */
void logline_read(struct slice line, struct log_line *out);

/* The kind of a runtime line from its message, for callers that know where it begins. Sets kind, pool and text. */
void logline_message(struct slice message, struct log_line *out);

/* Removes MPI tags, CI timestamps, container names and process tags from the front; *rank is MPI's tag, if there is one. */
struct slice logline_strip_prefix(struct slice line, struct slice *rank);

/* The prefix of a module heading or END line, of any kind; `parts` is 0 for a kind that is not in the table. */
struct line_prefix logline_dump_prefix(struct slice line);

/* Removes colour codes and NULs; returns `line` itself if there are none, else a clean copy in `room` (line.len). */
struct slice logline_clean(struct slice line, char *room);

/* Lines with which the driver, tt-metal and TT-XLA open and close a device. */
enum device_line {
    DEVICE_NONE,
    DEVICE_OPENS,   /* a process opens its device */
    DEVICE_REOPENS, /* a process closes its device and opens it again, maybe with another shape */
    DEVICE_CLOSES,
};

/* What the message of a logger's line says about a device. */
enum device_line device_message(struct slice message);

/* The same for a whole line, whatever is before the message. */
enum device_line device_line(struct slice line);

#endif
