/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers, containers, terminals and CI systems put before every line, as one table of parts: tags that name the
 * writer, times, a tab, colours. Log lines and failure messages use the same table. To support a new prefix, add a row. */
#ifndef TTMEM_PARSE_LINE_PREFIX_H
#define TTMEM_PARSE_LINE_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* One bit per row of the table. */
enum prefix_part {
    PREFIX_PAINT = 1 << 0,     /* colour codes, NULs: may be on some lines only */
    PREFIX_MPI = 1 << 1,       /* [1,0]<stdout>: */
    PREFIX_ISO_TIME = 1 << 2,  /* 2026-06-11T13:22:54.0212345Z, possibly in brackets, with what GitLab and CRI add after it */
    PREFIX_PROCESS = 1 << 3,   /* (EngineCore_DP0 pid=77), (RayWorker pid=7, ip=10.0.0.1) */
    PREFIX_CONTAINER = 1 << 4, /* server-1  | */
    PREFIX_POD = 1 << 5,       /* [pod/name/container] */
    PREFIX_SYSLOG = 1 << 6,    /* Nov 15 14:00:00 host python[123]: */
    PREFIX_TIME = 1 << 7, /* Nov 15 14:00:00, 2026-11-15T14:00:00, 14:00:00.123, 1794800261.123456, Mon Nov 15 14:00:00 2026 */
    PREFIX_RANK = 1 << 8, /* [rank0]:, [default0]:, [0] */
    PREFIX_TASK = 1 << 9, /* 0:, 00: from srun --label, possibly after spaces */
    PREFIX_TAB = 1 << 10,
    PREFIX_JOB = 1 << 11,   /* job, step and time from gh run view --log, separated by tabs */
    PREFIX_EPOCH = 1 << 12, /* 1794800261 */
    PREFIX_ALL = (1 << 13) - 1,
    PREFIX_HOST = 1 << 13, /* node1: from pdsh and clush */
    PREFIX_LOGS = 1 << 14, /* pod-0 container, from stern */
    /* Names that look like many words: they are tags only before lines of the runtime, and only if all of those have one. */
    PREFIX_LOOSE = PREFIX_HOST | PREFIX_LOGS,
    PREFIX_RUNTIME = PREFIX_ALL | PREFIX_LOOSE,
    /* Parts that never precede a further line of a message: a name and a bar, a number of bytes. */
    PREFIX_OF_MESSAGE = PREFIX_ALL & ~(PREFIX_CONTAINER | PREFIX_EPOCH),
    /* Parts that nothing else looks like: they are removed from any line. The others are prefixes only before a line of a
     * known form, and on lines of the same dump. */
    PREFIX_CERTAIN = PREFIX_PAINT | PREFIX_MPI | PREFIX_ISO_TIME | PREFIX_PROCESS | PREFIX_CONTAINER,
};

struct line_prefix {
    uint32_t parts;     /* enum prefix_part */
    size_t len;         /* bytes of all of them */
    struct slice tag;   /* who wrote the line, as printed: "1,0", "rank0", "server-1"; empty if unknown */
    struct slice outer; /* the tag before it: that of a container around several ranks; or empty */
    struct slice job;   /* named by the tag itself: the namespace of Open MPI 5; or empty */
    uint32_t tag_part;  /* enum prefix_part of the tag; 0: no tag */
    bool tag_is_rank;   /* MPI's: it names a rank even if there is no other */
};

/* Removes the parts in `allowed` from the front, in any order; stops at the date of a logger's own line. */
struct line_prefix line_prefix_read(struct slice line, uint32_t allowed);

/* Length of the prefix of another line that is like `prefix`, which is of no known kind: the same except for its numbers and
 * the spaces that pad them. 0 if it has none. */
size_t line_prefix_like(struct slice prefix, struct slice line);

/* Can parts other than a container's name be at the front? False is certain. */
bool line_prefix_may_begin(struct slice line);

/* The tags as one name, the outermost first, with PREFIX_OUTER_END between them; in `room` if there are several. */
enum { PREFIX_OUTER_END = '\n', PREFIX_TAG_ROOM = 640 };
struct slice line_prefix_writer(const struct line_prefix *prefix, char room[PREFIX_TAG_ROOM]);

/* "2026-06-11 13:22:54.021 (   1.315s) [" (loguru) or "2025-07-22 17:08:31.374 | info     |" (spdlog) at the front. */
bool line_prefix_is_logger(struct slice line);

#endif
