/* SPDX-License-Identifier: Apache-2.0 */
#include "work/run_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/table/hash.h"

enum { MOST_RUNS = 4 };

struct kept {
    char *path; /* NULL: free */
    uint64_t identity;
    uint64_t used; /* last use, by count */
    struct input in;
};

struct run_cache {
    struct kept runs[MOST_RUNS];
    uint64_t clock;
};

struct run_cache *run_cache_new(void) {
    return mem_zalloc(1, sizeof(struct run_cache));
}

static void drop(struct kept *kept) {
    if (!kept->path) return;
    kept->in.borrowed = false;
    input_release(&kept->in);
    free(kept->path);
    kept->path = NULL;
}

void run_cache_free(struct run_cache *cache) {
    for (size_t i = 0; i < MOST_RUNS; i++) drop(&cache->runs[i]);
    free(cache);
}

static uint64_t identity_of(const struct stat *st, uint64_t seed) {
    const uint64_t parts[] = {seed,
                              (uint64_t)st->st_dev,
                              (uint64_t)st->st_ino,
                              (uint64_t)st->st_size,
                              (uint64_t)st->st_mtim.tv_sec,
                              (uint64_t)st->st_mtim.tv_nsec};
    return hash_bytes64(slice_of((const char *)parts, sizeof parts));
}

/* The order in which a folder lists its files does not matter. */
bool run_cache_identity(const char *path, uint64_t *identity) {
    struct stat st;
    if (stat(path, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) return false;
    *identity = identity_of(&st, 0);
    if (S_ISREG(st.st_mode)) return true;
    DIR *folder = opendir(path);
    if (!folder) return false;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, "..") != 0 && fstatat(dirfd(folder), entry->d_name, &st, 0) == 0)
            *identity += identity_of(&st, hash_bytes64(slice_from(entry->d_name)));
    closedir(folder);
    return true;
}

static void lend(struct run_cache *cache, struct kept *kept, struct input *in) {
    kept->used = ++cache->clock;
    *in = kept->in;
    in->borrowed = true;
}

bool run_cache_get(struct run_cache *cache, const char *path, struct input *in) {
    uint64_t identity;
    for (size_t i = 0; i < MOST_RUNS; i++) {
        struct kept *kept = &cache->runs[i];
        if (!kept->path || strcmp(kept->path, path) != 0) continue;
        if (run_cache_identity(path, &identity) && identity == kept->identity) {
            lend(cache, kept, in);
            return true;
        }
        drop(kept);
    }
    return false;
}

void run_cache_put(struct run_cache *cache, const char *path, uint64_t identity, struct input *in) {
    struct kept *oldest = &cache->runs[0];
    for (size_t i = 0; i < MOST_RUNS; i++) {
        struct kept *kept = &cache->runs[i];
        if (!kept->path || (oldest->path && kept->used < oldest->used)) oldest = kept;
    }
    drop(oldest);
    *oldest = (struct kept){.path = mem_strdup(path), .identity = identity, .in = *in};
    lend(cache, oldest, in);
}
