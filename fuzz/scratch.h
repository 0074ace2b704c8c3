/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of a target's own, in memory where the machine has such a place, removed when the process ends. */
#ifndef TTMEM_FUZZ_SCRATCH_H
#define TTMEM_FUZZ_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[64];

static inline void scratch_clear(void) {
    DIR *dir = opendir(scratch_folder);
    char path[400];
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
        if (entry->d_name[0] != '.') unlink(path);
    }
    if (dir) closedir(dir);
}

static inline void scratch_remove(void) {
    scratch_clear();
    rmdir(scratch_folder);
}

static inline void scratch_make(void) {
    if (scratch_folder[0]) return;
    strcpy(scratch_folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/ttmem-fuzz-XXXXXX" : "/tmp/ttmem-fuzz-XXXXXX");
    if (!mkdtemp(scratch_folder)) abort();
    atexit(scratch_remove);
}

#endif
