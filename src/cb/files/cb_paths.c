/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/files/cb_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct slice last_part(struct slice path) {
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/') return slice_skip(path, i);
    return path;
}

static uint64_t hash_of(struct slice text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

void cb_paths_init(struct cb_paths *paths, const char *const *items, size_t n) {
    *paths = (struct cb_paths){.cap = 64};
    while (paths->cap < n * 2) paths->cap *= 2;
    paths->table = mem_zalloc(paths->cap, sizeof *paths->table);
    for (size_t i = 0; i < n; i++) {
        vec_push(&paths->items, items[i]);
        size_t k = hash_of(last_part(slice_from(items[i]))) & (paths->cap - 1);
        while (paths->table[k]) k = (k + 1) & (paths->cap - 1);
        paths->table[k] = (uint32_t)i + 1;
    }
}

void cb_paths_release(struct cb_paths *paths) {
    vec_release(&paths->items);
    free(paths->table);
    *paths = (struct cb_paths){0};
}

static size_t common_folders(const char *a, const char *b) {
    size_t n = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++) n += a[i] == '/';
    return n;
}

bool cb_paths_find(const struct cb_paths *paths, const char *source, struct slice name, struct strbuf *out) {
    while (slice_starts(name, SLICE("../")) || slice_starts(name, SLICE("./")))
        name = slice_skip(name, name.ptr[1] == '/' ? 2 : 3);
    if (!paths->cap || !name.len) return false;
    const char *best = NULL;
    size_t near = 0;
    bool tie = false;
    for (size_t k = hash_of(last_part(name)) & (paths->cap - 1); paths->table[k]; k = (k + 1) & (paths->cap - 1)) {
        const char *path = paths->items.items[paths->table[k] - 1];
        struct slice whole = slice_from(path);
        if (!slice_ends(whole, name) || (whole.len > name.len && whole.ptr[whole.len - name.len - 1] != '/')) continue;
        size_t common = common_folders(path, source);
        if (best && common < near) continue;
        tie = best && common == near;
        best = path;
        near = common;
    }
    if (!best || tie) return false;
    strbuf_clear(out);
    strbuf_addz(out, best);
    return true;
}
