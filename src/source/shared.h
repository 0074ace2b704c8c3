/* SPDX-License-Identifier: Apache-2.0 */
/* Files of shared memory that other processes write: found by a test of their names in a folder, kept open, copied without
 * ever writing to them. They are read, not mapped, because a file that shrinks under a mapping would end the program. */
#ifndef TTMEM_SOURCE_SHARED_H
#define TTMEM_SOURCE_SHARED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/slice.h"
#include "base/vec.h"

enum { SHARED_COPY = 8576 };

struct shared_file {
    char name[64];
    uint64_t number; /* in the name */
    int fd;          /* -1: cannot be opened */
    int error;       /* errno of that; 0: it is open */
    dev_t device;
    ino_t inode;
    uid_t owner;
    bool seen; /* in the current search */
    size_t before_len, after_len;
    char before[SHARED_COPY], after[SHARED_COPY];
};

struct shared_folder {
    const char *path;
    bool (*is_name)(struct slice name, uint64_t *number);
    VEC(struct shared_file *) files; /* by number */
    int error;                       /* of the folder itself, errno */
};

/* Looks for files that came, went or were replaced. */
void shared_find(struct shared_folder *folder);

/* Takes two copies of each open file, one after the other. `error` is set for one that was removed or replaced. */
void shared_read(struct shared_folder *folder);
void shared_release(struct shared_folder *folder);

#endif
