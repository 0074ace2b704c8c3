#include "serve/catalog.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define JSON_MIME "application/json; charset=utf-8"

const struct catalog_kind catalog_kinds[FILE_KINDS] = {
    {"_report.html", "page", "text/html; charset=utf-8"},
    {"_memory.json", "memory", JSON_MIME},
    {"_operations.json", "operations", JSON_MIME},
    {"_inputs_registry.json", "registry", JSON_MIME},
    {"_ir.json", "IR", JSON_MIME},
    {"_summary.json", "summary", JSON_MIME},
};

static bool is_plain(const char *folder, const char *file, time_t *written) {
    char path[PATH_MAX];
    struct stat info;
    int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (n < 0 || (size_t)n >= sizeof path || lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    *written = info.st_mtime;
    return true;
}

/* The name of a report that a file belongs to, by its page or its memory.json; empty when it is neither. */
static struct slice name_of(struct slice file) {
    for (unsigned kind = FILE_PAGE; kind <= FILE_MEMORY; kind++) {
        struct slice suffix = slice_from(catalog_kinds[kind].suffix);
        if (slice_ends(file, suffix) && file.len > suffix.len && file.ptr[0] != '.')
            return slice_take(file, file.len - suffix.len);
    }
    return slice_of("", 0);
}

bool catalog_is_report(const char *folder) {
    DIR *dir = opendir(folder);
    bool found = false;
    time_t written;
    for (struct dirent *entry; !found && dir && (entry = readdir(dir));)
        found = name_of(slice_from(entry->d_name)).len && is_plain(folder, entry->d_name, &written);
    if (dir) closedir(dir);
    return found;
}

static bool is_known(const struct catalog *catalog, size_t from, struct slice name) {
    for (size_t i = from; i < catalog->entries.len; i++)
        if (slice_equal(slice_from(catalog->entries.items[i].name), name)) return true;
    return false;
}

static void add_entry(struct catalog *catalog, const char *folder, const char *id, struct slice name) {
    struct catalog_entry entry = {.folder = arena_text(&catalog->arena, slice_from(folder)),
                                  .id = arena_text(&catalog->arena, slice_from(id)),
                                  .name = arena_text(&catalog->arena, name)};
    for (unsigned kind = 0; kind < FILE_KINDS; kind++) {
        char file[2 * NAME_MAX];
        time_t written = 0;
        snprintf(file, sizeof file, "%s%s", entry.name, catalog_kinds[kind].suffix);
        entry.have[kind] = is_plain(folder, file, &written);
        if (written > entry.written) entry.written = written;
    }
    if (entry.have[FILE_PAGE] || entry.have[FILE_MEMORY]) vec_push(&catalog->entries, entry);
}

/* The reports in one folder: mostly one. */
static void add_folder(struct catalog *catalog, const char *folder, const char *id) {
    size_t before = catalog->entries.len;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct slice name = name_of(slice_from(entry->d_name));
        if (name.len && !is_known(catalog, before, name)) add_entry(catalog, folder, id, name);
    }
    if (dir) closedir(dir);
}

static int newest_first(const void *a, const void *b) {
    const struct catalog_entry *x = a, *y = b;
    if (x->written != y->written) return x->written < y->written ? 1 : -1;
    int by_id = strcmp(x->id, y->id);
    return by_id ? by_id : strcmp(x->name, y->name);
}

void catalog_read(struct catalog *catalog, const char *folder, bool single) {
    *catalog = (struct catalog){0};
    if (single) {
        const char *slash = strrchr(folder, '/');
        add_folder(catalog, folder, slash && slash[1] ? slash + 1 : "report");
    }
    DIR *dir = single ? NULL : opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[PATH_MAX];
        struct stat info;
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof path) continue;
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) add_folder(catalog, path, entry->d_name);
    }
    if (dir) closedir(dir);
    if (catalog->entries.len) qsort(catalog->entries.items, catalog->entries.len, sizeof *catalog->entries.items, newest_first);
}

void catalog_release(struct catalog *catalog) {
    vec_release(&catalog->entries);
    arena_release(&catalog->arena);
}

static bool names_file(const struct catalog_entry *entry, struct slice text, enum catalog_file *file) {
    struct slice name = slice_from(entry->name);
    if (!slice_starts(text, name)) return false;
    for (unsigned kind = 0; kind < FILE_KINDS; kind++)
        if (slice_equal(slice_skip(text, name.len), slice_from(catalog_kinds[kind].suffix))) {
            *file = kind;
            return true;
        }
    return false;
}

const struct catalog_entry *catalog_find(const struct catalog *catalog, const char *url, enum catalog_file *file) {
    if (url[0] != '/') return NULL;
    struct slice path = slice_from(url + 1);
    size_t slash = slice_find_byte(path, '/');
    struct slice head = slice_take(path, slash), tail = slash == SLICE_NONE ? slice_of("", 0) : slice_skip(path, slash + 1);
    for (size_t i = 0; i < catalog->entries.len; i++) {
        const struct catalog_entry *entry = &catalog->entries.items[i];
        if (slash == SLICE_NONE && names_file(entry, path, file)) return entry;
        if (!slice_equal(head, slice_from(entry->id))) continue;
        *file = FILE_PAGE;
        if (!tail.len || names_file(entry, tail, file)) return entry;
    }
    return NULL;
}
