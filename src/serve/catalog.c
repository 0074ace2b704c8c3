/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/catalog.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/recent.h"

#define JSON_MIME "application/json; charset=utf-8"

const struct catalog_kind catalog_kinds[REPORT_FILES] = {
    [FILE_PAGE] = {"page", "text/html; charset=utf-8"},
    [FILE_MEMORY] = {"memory", JSON_MIME},
    [FILE_OPERATIONS] = {"operations", JSON_MIME},
    [FILE_REGISTRY] = {"registry", JSON_MIME},
    [FILE_IR] = {"IR", JSON_MIME},
    [FILE_SUMMARY] = {"summary", JSON_MIME},
    [FILE_MARKDOWN] = {"markdown", "text/markdown; charset=utf-8"},
    [FILE_RUN] = {"run", "application/octet-stream"},
};

static void note_found(void *context, const struct found_report *report) {
    (void)report;
    *(bool *)context = true;
}

int catalog_is_report(const char *folder, bool *found, struct err *err) {
    *found = false;
    if (reports_in(folder, note_found, found)) return err_set_errno(err, ERR_INPUT, "cannot read the folder '%s'", folder);
    return 0;
}

static void add_entry(void *context, const struct found_report *report) {
    struct catalog *catalog = context;
    struct catalog_entry entry = {.folder = arena_text(&catalog->arena, slice_from(report->folder)),
                                  .id = arena_text(&catalog->arena, slice_from(report->id)),
                                  .name = arena_text(&catalog->arena, slice_from(report->name)),
                                  .written = report->written};
    memcpy(entry.have, report->have, sizeof entry.have);
    vec_push(&catalog->entries, entry);
}

static int newest_first(const void *a, const void *b) {
    const struct catalog_entry *x = a, *y = b;
    if (x->written != y->written) return x->written < y->written ? 1 : -1;
    int by_id = strcmp(x->id, y->id);
    return by_id ? by_id : strcmp(x->name, y->name);
}

static void add_recent(struct catalog *catalog) {
    struct strbuf lines = {0}, folder = {0};
    recent_lines(&lines, RECENT_REPORTS);
    for (struct slice rest = strbuf_slice(&lines); rest.len;) {
        size_t end = slice_find_byte(rest, '\n');
        strbuf_clear(&folder);
        strbuf_add(&folder, slice_take(rest, end));
        rest = slice_skip(rest, end + 1);
        catalog->unread += reports_in(strbuf_text(&folder), add_entry, catalog);
    }
    strbuf_release(&lines);
    strbuf_release(&folder);
}

void catalog_read(struct catalog *catalog, const char *folder, enum catalog_scope scope) {
    *catalog = (struct catalog){0};
    catalog->unread = scope == CATALOG_ONE ? reports_in(folder, add_entry, catalog) : reports_below(folder, add_entry, catalog);
    size_t below = catalog->entries.len;
    if (scope == CATALOG_HOME) add_recent(catalog);
    catalog->elsewhere = catalog->entries.len - below;
    if (catalog->entries.len) qsort(catalog->entries.items, catalog->entries.len, sizeof *catalog->entries.items, newest_first);
}

void catalog_release(struct catalog *catalog) {
    vec_release(&catalog->entries);
    arena_release(&catalog->arena);
}

bool catalog_has_link(const struct catalog_entry *entry) {
    char path[PATH_MAX];
    struct stat info;
    for (unsigned file = 0; file < REPORT_FILES; file++) {
        int n = snprintf(path, sizeof path, "%s/%s%s", entry->folder, entry->name, report_suffixes[file]);
        if (n < 0 || (size_t)n >= sizeof path || (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))) return true;
    }
    return false;
}

static bool names_file(const struct catalog_entry *entry, struct slice text, enum report_file *file) {
    struct slice name = slice_from(entry->name);
    if (!slice_starts(text, name)) return false;
    for (unsigned kind = 0; kind < REPORT_FILES; kind++)
        if (slice_equal(slice_skip(text, name.len), slice_from(report_suffixes[kind]))) {
            *file = kind;
            return true;
        }
    return false;
}

const struct catalog_entry *catalog_find(const struct catalog *catalog, const char *url, enum report_file *file) {
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
