/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a stream that are needed after it was read, such as the texts of its ops: each at its place in an unlinked file,
 * with nothing between them, so that positions are those in the stream. The file is made with the first part and has at most
 * spool_limit bytes. Not thread-safe. */
#ifndef TTMEM_SOURCE_KEPT_TEXT_H
#define TTMEM_SOURCE_KEPT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* What to say if there was a problem. */
#define KEPT_TEXT_MISSING                                                                                                 \
    "the texts of its ops and modules could not be kept on disk meanwhile: what only they show is missing (TMPDIR names " \
    "another folder, TTMEM_MAX_SPOOL=SIZE allows more)"

/* Keeps nothing when zeroed. */
struct kept_text {
    const char *folder; /* for the file; a constant text, or one that outlives this */
    bool open;
    int fd;
    int problem;          /* errno of what failed; nothing is kept then */
    uint64_t bytes, most; /* of all parts; at most */
    char *block;          /* parts directly after each other that were not written yet */
    size_t block_len;
    uint64_t block_at;  /* their place */
    struct slice whole; /* the mapping */
};

void kept_text_init(struct kept_text *kept, const char *folder);

/* Adds a part, or sets `problem`. */
void kept_text_add(struct kept_text *kept, uint64_t offset, struct slice part);

/* All parts at their places, zeros elsewhere; empty if there is none, or a problem. `size` is that of the stream. Valid until
 * the release. */
struct slice kept_text_map(struct kept_text *kept, uint64_t size);

void kept_text_release(struct kept_text *kept);

#endif
