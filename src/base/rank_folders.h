/* SPDX-License-Identifier: Apache-2.0 */
/* The rank folders of a run, as ttmem run makes them under a launcher: rank.0, rank.1, ... */
#ifndef TTMEM_BASE_RANK_FOLDERS_H
#define TTMEM_BASE_RANK_FOLDERS_H

#include <stdint.h>

#include "base/vec.h"

struct rank_folders {
    VEC(uint64_t) numbers; /* in order */
};

/* Those directly below a folder; links are not followed. */
void rank_folders_find(struct rank_folders *out, const char *folder);
void rank_folders_release(struct rank_folders *folders);

#endif
