/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/files/cb_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cb/files/cb_headers.h"
#include "cb/files/cb_tree.h"

struct cb_cached {
    char *path;
    pthread_mutex_t lock; /* guards the fields below */
    bool read, parsed, counted, listed;
    struct cb_header header;
    struct slice text; /* ptr is NULL if the file cannot be read */
    struct cpp_tree tree;
    struct kernel_facts facts;
};

void cb_cache_init(struct cb_cache *cache) {
    *cache = (struct cb_cache){.cap = 256};
    pthread_mutex_init(&cache->lock, NULL);
    cache->table = mem_zalloc(cache->cap, sizeof *cache->table);
}

void cb_cache_release(struct cb_cache *cache) {
    for (size_t i = 0; i < cache->cap; i++) {
        struct cb_cached *entry = cache->table[i];
        if (!entry) continue;
        cpp_tree_release(&entry->tree);
        kernel_facts_release(&entry->facts);
        for (size_t k = 0; k < entry->header.includes.len; k++) free(entry->header.includes.items[k]);
        vec_release(&entry->header.includes);
        vec_release(&entry->header.names);
        free((void *)entry->text.ptr);
        pthread_mutex_destroy(&entry->lock);
        free(entry->path);
        free(entry);
    }
    free(cache->table);
    pthread_mutex_destroy(&cache->lock);
}

static struct cb_cached **slot_of(struct cb_cached **table, size_t cap, const char *path) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *p = path; *p; p++) hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
    size_t i = hash & (cap - 1);
    while (table[i] && strcmp(table[i]->path, path) != 0) i = (i + 1) & (cap - 1);
    return &table[i];
}

static void grow(struct cb_cache *cache) {
    size_t cap = cache->cap * 2;
    struct cb_cached **table = mem_zalloc(cap, sizeof *table);
    for (size_t i = 0; i < cache->cap; i++)
        if (cache->table[i]) *slot_of(table, cap, cache->table[i]->path) = cache->table[i];
    free(cache->table);
    cache->table = table;
    cache->cap = cap;
}

/* Returns the entry of a path, locked and with its text read. */
static struct cb_cached *open_entry(struct cb_cache *cache, const char *path) {
    pthread_mutex_lock(&cache->lock);
    if (cache->len * 2 >= cache->cap) grow(cache);
    struct cb_cached **slot = slot_of(cache->table, cache->cap, path), *entry = *slot;
    if (!entry) {
        entry = *slot = mem_zalloc(1, sizeof *entry);
        entry->path = mem_strdup(path);
        pthread_mutex_init(&entry->lock, NULL);
        cache->len++;
    }
    pthread_mutex_unlock(&cache->lock);
    pthread_mutex_lock(&entry->lock);
    if (!entry->read && read_whole(path, &entry->text, NULL) != 0) entry->text = (struct slice){0};
    entry->read = true;
    return entry;
}

struct slice cb_cache_text(struct cb_cache *cache, const char *path) {
    struct cb_cached *entry = open_entry(cache, path);
    struct slice text = entry->text;
    pthread_mutex_unlock(&entry->lock);
    return text;
}

const struct cpp_tree *cb_cache_tree(struct cb_cache *cache, const char *path) {
    struct cb_cached *entry = open_entry(cache, path);
    if (!entry->parsed && entry->text.ptr) cpp_tree_parse(&entry->tree, entry->text);
    entry->parsed = true;
    const struct cpp_tree *tree = entry->tree.tree ? &entry->tree : NULL;
    pthread_mutex_unlock(&entry->lock);
    return tree;
}

/* --- kernels --- */

enum { MAX_KERNEL_HEADERS = 8, MAX_KERNEL_HEADER_BYTES = 192 << 10, MAX_INCLUDE_DEPTH = 3 };

struct header_trees {
    const struct cpp_tree *items[MAX_KERNEL_HEADERS];
    struct slice texts[MAX_KERNEL_HEADERS];
    size_t len;
};

/* Can the text fill, empty or name a buffer? */
static bool touches_buffers(struct slice text) {
    static const char *const needles[] = {"wait_front", "pop_front", "reserve_back", "push_back", "#define ", "CBIndex::"};
    enum { OPERATIONS = 4, SMALL = 4096 };
    size_t count = text.len < SMALL ? sizeof needles / sizeof *needles : OPERATIONS;
    for (size_t i = 0; i < count; i++)
        if (slice_find(text, slice_from(needles[i])) != SLICE_NONE) return true;
    return false;
}

static void add_headers(struct header_trees *out, struct cb_cache *cache, const char *path, struct slice text,
                        cb_resolve_fn *resolve, void *ctx, unsigned depth) {
    struct strbuf found = {0};
    for (struct slice name; depth < MAX_INCLUDE_DEPTH && cb_next_include(&text, &name, true);) {
        /* Calls of tt-metal's own interface are known by name; its headers need no reading. */
        bool own = slice_starts(name, SLICE("api/")) || slice_starts(name, SLICE("hostdev")) ||
                   slice_starts(name, SLICE("compute_kernel_api")) || slice_starts(name, SLICE("dataflow_api"));
        if (own || !resolve(ctx, path, name, &found)) continue;
        if (strstr(strbuf_text(&found), "/hw/inc/")) continue;
        struct slice header = cb_cache_text(cache, strbuf_text(&found));
        if (!header.ptr || header.len > MAX_KERNEL_HEADER_BYTES) continue;
        bool known = false;
        for (size_t i = 0; i < out->len && !known; i++) known = out->texts[i].ptr == header.ptr;
        if (known) continue;
        char *at = mem_strdup(strbuf_text(&found));
        add_headers(out, cache, at, header, resolve, ctx, depth + 1);
        free(at);
        const struct cpp_tree *tree =
            out->len < MAX_KERNEL_HEADERS && touches_buffers(header) ? cb_cache_tree(cache, strbuf_text(&found)) : NULL;
        if (!tree) continue;
        out->texts[out->len] = header;
        out->items[out->len++] = tree;
    }
    strbuf_release(&found);
}

const struct kernel_facts *cb_cache_kernel(struct cb_cache *cache, const char *path, cb_resolve_fn *resolve, void *ctx) {
    struct cb_cached *entry = open_entry(cache, path);
    bool counted = entry->counted;
    struct slice text = entry->text;
    pthread_mutex_unlock(&entry->lock); /* headers are entries too: never hold two locks */
    struct header_trees headers = {.len = 0};
    if (!counted && text.ptr) add_headers(&headers, cache, path, text, resolve, ctx, 0);
    pthread_mutex_lock(&entry->lock);
    if (!entry->counted && entry->text.ptr) kernel_facts_read(&entry->facts, entry->text, headers.items, headers.len);
    entry->counted = true;
    const struct kernel_facts *facts = entry->text.ptr ? &entry->facts : NULL;
    pthread_mutex_unlock(&entry->lock);
    return facts;
}

const struct cb_header *cb_cache_header(struct cb_cache *cache, const char *path, cb_resolve_fn *resolve, void *ctx) {
    struct cb_cached *entry = open_entry(cache, path);
    if (!entry->listed && entry->text.ptr) cb_header_read(&entry->header, entry->text, path, resolve, ctx);
    entry->listed = true;
    pthread_mutex_unlock(&entry->lock);
    return &entry->header;
}
