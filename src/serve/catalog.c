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

/* The name of the report in a folder: in front of _memory.json, or of _report.html where there is no such file. */
static bool report_name_in(const char *folder, char *name, size_t room) {
    DIR *dir = opendir(folder);
    int found = FILE_KINDS;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct slice file = slice_from(entry->d_name);
        for (int kind = FILE_PAGE; kind <= FILE_MEMORY; kind++) {
            struct slice suffix = slice_from(catalog_kinds[kind].suffix);
            time_t written;
            if (!slice_ends(file, suffix) || file.len == suffix.len || file.ptr[0] == '.' || file.len - suffix.len >= room) continue;
            if ((found != FILE_KINDS && kind < found) || !is_plain(folder, entry->d_name, &written)) continue;
            found = kind;
            snprintf(name, room, "%.*s", (int)(file.len - suffix.len), file.ptr);
        }
    }
    if (dir) closedir(dir);
    return found != FILE_KINDS;
}

bool catalog_is_report(const char *folder) {
    char name[NAME_MAX + 1];
    return report_name_in(folder, name, sizeof name);
}

static void add_entry(struct catalog *catalog, const char *folder, const char *id) {
    char name[NAME_MAX + 1];
    if (!report_name_in(folder, name, sizeof name)) return;
    struct catalog_entry entry = {.folder = arena_text(&catalog->arena, slice_from(folder)),
                                  .id = arena_text(&catalog->arena, slice_from(id)),
                                  .name = arena_text(&catalog->arena, slice_from(name))};
    for (unsigned kind = 0; kind < FILE_KINDS; kind++) {
        char file[2 * NAME_MAX];
        time_t written = 0;
        snprintf(file, sizeof file, "%s%s", name, catalog_kinds[kind].suffix);
        entry.have[kind] = is_plain(folder, file, &written);
        if (written > entry.written) entry.written = written;
    }
    vec_push(&catalog->entries, entry);
}

static int newest_first(const void *a, const void *b) {
    const struct catalog_entry *x = a, *y = b;
    if (x->written != y->written) return x->written < y->written ? 1 : -1;
    return strcmp(x->id, y->id);
}

void catalog_read(struct catalog *catalog, const char *folder, bool single) {
    *catalog = (struct catalog){0};
    if (single) {
        const char *slash = strrchr(folder, '/');
        add_entry(catalog, folder, slash && slash[1] ? slash + 1 : "report");
        return;
    }
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[PATH_MAX];
        struct stat info;
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof path) continue;
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) add_entry(catalog, path, entry->d_name);
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
