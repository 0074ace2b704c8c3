/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "parse/failure/failure.h"

enum { LARGEST_SUMMARY = 16 << 20 };

const char *const report_suffixes[REPORT_FILES] = {
    [FILE_PAGE] = "_report.html",
    [FILE_MEMORY] = "_memory.json",
    [FILE_OPERATIONS] = "_operations.json",
    [FILE_REGISTRY] = "_inputs_registry.json",
    [FILE_IR] = "_ir.json",
    [FILE_SUMMARY] = "_summary.json",
    [FILE_MARKDOWN] = "_report.md",
    [FILE_RUN] = "_run.ttmem",
};

/* The name of the report that a file belongs to, from its page or its memory.json; empty if it is neither. */
static struct slice name_of(struct slice file) {
    static const enum report_file known_by[] = {FILE_PAGE, FILE_MEMORY};
    for (size_t i = 0; i < sizeof known_by / sizeof *known_by; i++) {
        struct slice suffix = slice_from(report_suffixes[known_by[i]]);
        if (slice_ends(file, suffix) && file.len > suffix.len && file.ptr[0] != '.')
            return slice_take(file, file.len - suffix.len);
    }
    return slice_of("", 0);
}

static bool is_plain(const char *folder, const char *name, const char *suffix, time_t *written) {
    char path[PATH_MAX];
    struct stat info;
    int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    if (n < 0 || (size_t)n >= sizeof path || lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (info.st_mtime > *written) *written = info.st_mtime;
    return true;
}

static void take_report(const char *folder, const char *id, const char *name, found_report_fn *found, void *context) {
    struct found_report report = {.folder = folder, .id = id, .name = name};
    for (unsigned file = 0; file < REPORT_FILES; file++)
        report.have[file] = is_plain(folder, name, report_suffixes[file], &report.written);
    if (report.have[FILE_PAGE] || report.have[FILE_MEMORY]) found(context, &report);
}

/* There is usually one, so searching those already taken is cheap. */
static size_t read_folder(const char *folder, const char *id, found_report_fn *found, void *context) {
    DIR *dir = opendir(folder);
    if (!dir) return errno != ENOENT && errno != ENOTDIR;
    struct strbuf taken = {0}, name = {0};
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct slice part = name_of(slice_from(entry->d_name));
        if (!part.len) continue;
        strbuf_clear(&name);
        strbuf_addf(&name, "/%.*s/", SLICE_FMT(part));
        if (slice_find(strbuf_slice(&taken), strbuf_slice(&name)) != SLICE_NONE) continue;
        strbuf_add(&taken, strbuf_slice(&name));
        strbuf_clear(&name);
        strbuf_add(&name, part);
        take_report(folder, id, strbuf_text(&name), found, context);
    }
    closedir(dir);
    strbuf_release(&taken);
    strbuf_release(&name);
    return 0;
}

size_t reports_in(const char *folder, found_report_fn *found, void *context) {
    const char *slash = strrchr(folder, '/');
    return read_folder(folder, slash && slash[1] ? slash + 1 : "report", found, context);
}

size_t reports_below(const char *root, found_report_fn *found, void *context) {
    size_t unread = 0;
    DIR *dir = opendir(root);
    if (!dir) return errno != ENOENT && errno != ENOTDIR;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[PATH_MAX];
        struct stat info;
        int n = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (entry->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof path) continue;
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) unread += read_folder(path, entry->d_name, found, context);
    }
    closedir(dir);
    return unread;
}

static bool read_text(struct strbuf *out, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat info;
    bool good = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= LARGEST_SUMMARY;
    while (good && out->len <= LARGEST_SUMMARY) {
        ssize_t n = read(fd, strbuf_room(out, 65536), 65536);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) good = false;
        if (n <= 0) break;
        strbuf_took(out, (size_t)n);
    }
    if (fd >= 0) close(fd);
    return good && out->len <= LARGEST_SUMMARY;
}

static void member_text(struct json_value object, const char *name, struct slice *out) {
    struct json_value value;
    if (json_member(object, name, &value)) json_string_of(value, out);
}

/* In thousandths of a MB. */
static void member_bytes(struct json_value object, const char *name, int64_t *milli) {
    struct json_value value;
    uint64_t bytes;
    if (json_member(object, name, &value) && json_u64_of(value, &bytes)) *milli = num_bytes_to_milli_mb(bytes);
}

/* The name of the pool in words, from any spelling in the file. */
static struct slice pool_in_words(struct slice pool) {
    for (unsigned i = FAILURE_DRAM; i <= FAILURE_SYSTEM_MEMORY; i++)
        if (slice_equal(pool, slice_from(failure_pool_key((enum failure_pool)i))))
            return slice_from(failure_pool_name((enum failure_pool)i));
    return pool;
}

static void read_failures(struct report_summary *summary, struct json_value list) {
    struct json_value item, caught;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        bool was_caught = false;
        struct slice outcome = slice_of("", 0);
        member_text(item, "outcome", &outcome);
        if (json_member(item, "caught", &caught)) json_bool_of(caught, &was_caught);
        if (slice_starts(outcome, SLICE("its test failed"))) was_caught = false; /* the run continued, its test did not */
        if (was_caught || summary->failures++) continue;
        member_text(item, "kind", &summary->failure_kind);
        member_text(item, "verdict", &summary->failure_verdict);
        member_text(item, "pool", &summary->failure_pool);
        summary->failure_pool = pool_in_words(summary->failure_pool);
    }
}

/* Is a file of the report not as large as its summary says? A look that is cheap enough for a list of many. */
static bool is_mixed(struct json_value root, const char *folder, const char *name) {
    struct json_value list, item, value;
    if (!json_member(root, "files", &list)) return false;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        struct slice suffix = slice_of("", 0);
        int64_t bytes = -1;
        char path[PATH_MAX];
        struct stat st;
        member_text(item, "suffix", &suffix);
        if (json_member(item, "file_bytes", &value)) json_i64_of(value, &bytes);
        int n = snprintf(path, sizeof path, "%s/%s%.*s", folder, name, SLICE_FMT(suffix));
        if (bytes >= 0 && n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 && st.st_size != bytes) return true;
    }
    return false;
}

bool report_summary_read(struct report_summary *summary, const char *folder, const char *name, struct json_reader *reader,
                         struct strbuf *text) {
    struct json_value root, value, peaks, pool;
    *summary = (struct report_summary){.ops = -1};
    for (unsigned i = 0; i < POOL_COUNT; i++) summary->peak[i] = summary->capacity[i] = -1;
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, report_suffixes[FILE_SUMMARY]);
    strbuf_clear(text);
    if (n < 0 || (size_t)n >= sizeof path || !reader || !read_text(text, path) ||
        !json_parse(reader, strbuf_slice(text), &root))
        return false;
    summary->mixed = is_mixed(root, folder, name);
    if (summary->mixed) return false;
    if (json_member(root, "records", &value)) json_i64_of(value, &summary->ops);
    member_text(root, "source_path", &summary->source);
    member_text(root, "chip", &summary->chip);
    if (json_member(root, "ranks", &value))
        for (struct json_walk w = json_walk_of(value); json_next(&w, NULL, &pool);) summary->ranks++;
    for (unsigned i = 0; json_member(root, "peaks", &peaks) && i < POOL_COUNT; i++) {
        if (json_member(peaks, pool_keys[i], &pool)) {
            member_bytes(pool, "allocated_bytes_per_bank", &summary->peak[i]);
            member_bytes(pool, "capacity_bytes_per_bank", &summary->capacity[i]);
        } else if (json_member(peaks, pool_names[i], &pool)) { /* of version 0.1 */
            if (json_member(pool, "allocated_MB", &value)) json_milli_of(value, &summary->peak[i]);
            if (json_member(pool, "capacity_MB", &value)) json_milli_of(value, &summary->capacity[i]);
        }
    }
    if (json_member(root, "failures", &value)) read_failures(summary, value);
    int64_t left_out = 0;
    if (json_member(root, "failures_left_out", &value)) json_i64_of(value, &left_out);
    summary->more_failures = left_out > 0;
    if (json_member(root, "predicted", &value)) json_bool_of(value, &summary->predicted);
    return true;
}
