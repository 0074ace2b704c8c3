/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_files.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "input/report/report_dir.h"

enum report_file report_part_file(enum report_part part) {
    static const enum report_file files[PART_COUNT] = {FILE_MEMORY, FILE_OPERATIONS, FILE_REGISTRY,
                                                       FILE_IR,     FILE_SUMMARY,    FILE_RUN};
    return files[part];
}

static const char *suffix_of(enum report_part part) { return report_suffixes[report_part_file(part)]; }

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* If the path is a file of a report, gives its folder and name. */
static bool names_part(struct slice path, struct strbuf *folder, struct strbuf *name) {
    const char *slash = memrchr(path.ptr, '/', path.len);
    struct slice file = slash ? slice_between(slash + 1, path.ptr + path.len) : path;
    for (unsigned i = 0; i <= PART_COUNT; i++) {
        struct slice suffix = i < PART_COUNT ? slice_from(suffix_of(i)) : slice_from(report_suffixes[FILE_PAGE]);
        if (!slice_ends(file, suffix) || file.len == suffix.len) continue;
        strbuf_add(name, slice_take(file, file.len - suffix.len));
        strbuf_add(folder, slash ? slice_between(path.ptr, slash + (slash == path.ptr)) : SLICE("."));
        return true;
    }
    return false;
}

bool report_files_part(const char *path, struct strbuf *folder, struct strbuf *name) {
    return is_file(path) && names_part(slice_from(path), folder, name);
}

/* The name before such an ending; returns the number of such files. */
static unsigned find_name(const char *folder, enum report_part part, struct strbuf *name) {
    DIR *dir = opendir(folder);
    if (!dir && errno == ENOMEM) mem_exhausted();
    unsigned found = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct slice file = slice_from(entry->d_name), suffix = slice_from(suffix_of(part));
        if (!slice_ends(file, suffix) || file.len == suffix.len || file.ptr[0] == '.') continue;
        strbuf_clear(name);
        strbuf_add(name, slice_take(file, file.len - suffix.len));
        found++;
    }
    if (dir) closedir(dir);
    return found;
}

unsigned report_files_in(const char *folder) {
    struct strbuf name = {0};
    unsigned found = find_name(folder, PART_MEMORY, &name);
    strbuf_release(&name);
    return found;
}

bool report_files_lack_memory(const char *folder, struct strbuf *name) {
    static const enum report_part telling[] = {PART_OPERATIONS, PART_REGISTRY,
                                               PART_RUN}; /* other files may also be called *_summary.json */
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (find_name(folder, telling[i], name)) return true;
    return false;
}

static void part_path(const struct report_files *files, const char *suffix, struct strbuf *out) {
    strbuf_clear(out);
    strbuf_addf(out, "%.*s/%.*s%s", SLICE_FMT(strbuf_slice(&files->folder)), SLICE_FMT(strbuf_slice(&files->name)), suffix);
}

int report_files_open(struct report_files *files, const char *folder, const char *name, struct err *err) {
    *files = (struct report_files){0};
    for (unsigned i = 0; i < PART_COUNT; i++) files->parts[i].fd = -1;
    if (!is_folder(folder)) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", folder);
    strbuf_addz(&files->folder, folder);
    unsigned found = 1;
    int rc = 0;
    if (name[0]) strbuf_addz(&files->name, name);
    else found = find_name(folder, PART_MEMORY, &files->name);
    if (!found)
        rc =
            err_set(err, ERR_LACKS, "%s holds no report: there is no <name>_memory.json; ttmem analyze LOG writes one", folder);
    else if (found > 1)
        rc = err_set(err, ERR_LACKS, "%s holds %u reports: name a file of one, <name>_memory.json", folder, found);
    struct strbuf path = {0};
    for (unsigned i = 0; rc == 0 && i < PART_COUNT; i++) {
        part_path(files, suffix_of(i), &path);
        if (!is_file(strbuf_text(&path))) continue;
        rc = source_open(&files->parts[i], strbuf_text(&path), err);
        files->have[i] = rc == 0;
        if (rc == 0 && !files->parts[i].mapped) rc = err_set(err, ERR_INPUT, "%s is not a plain file", strbuf_text(&path));
    }
    if (rc == 0 && !files->have[PART_MEMORY])
        rc = err_set(err, ERR_LACKS, "%s holds no %s_memory.json", folder, strbuf_text(&files->name));
    strbuf_release(&path);
    if (rc != 0) report_files_release(files);
    return rc;
}

bool report_files_page(const struct report_files *files, struct strbuf *path) {
    struct stat page, data;
    struct strbuf part = {0};
    part_path(files, report_suffixes[FILE_PAGE], path);
    bool fresh = stat(strbuf_text(path), &page) == 0;
    /* the summary is written after the page */
    for (unsigned i = 0; fresh && i < PART_SUMMARY; i++) {
        if (!files->have[i]) continue;
        part_path(files, suffix_of(i), &part);
        fresh = stat(strbuf_text(&part), &data) == 0 && page.st_mtime >= data.st_mtime;
    }
    strbuf_release(&part);
    return fresh;
}

void report_files_release(struct report_files *files) {
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (files->have[i]) source_release(&files->parts[i]);
    strbuf_release(&files->folder);
    strbuf_release(&files->name);
}
