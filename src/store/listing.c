#include "store/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/strbuf.h"

enum { MAX_SUMMARY = 64 << 20 };

static const char *const suffixes[] = {"_memory.json", "_operations.json", "_inputs_registry.json", "_ir.json",
                                       "_report.html", "_report.md",       "_summary.json"};

static char *copy(struct slice s) {
    char *text = mem_alloc(s.len + 1);
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

static bool read_file(struct strbuf *out, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < MAX_SUMMARY;
    while (good) {
        ssize_t n = read(fd, strbuf_room(out, 65536), 65536);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        strbuf_took(out, (size_t)n);
        good = out->len < MAX_SUMMARY;
    }
    if (fd >= 0) close(fd);
    return good;
}

static void read_peaks(struct listed_report *report, struct json_value root) {
    struct json_value peaks, pool, number;
    if (!json_member(root, "peaks", &peaks)) return;
    for (unsigned i = 0; i < POOL_COUNT; i++) {
        if (!json_member(peaks, pool_names[i], &pool)) continue;
        if (json_member(pool, "allocated_MB", &number)) json_milli_of(number, &report->peak[i]);
        if (json_member(pool, "capacity_MB", &number)) json_milli_of(number, &report->capacity[i]);
    }
}

static void read_summary(struct listed_report *report, struct json_reader *reader, const char *path) {
    struct strbuf text = {0};
    struct json_value root, value;
    struct slice source;
    if (reader && read_file(&text, path) && json_parse(reader, strbuf_slice(&text), &root)) {
        report->has_summary = true;
        if (json_member(root, "records", &value)) json_u64_of(value, &report->ops);
        if (json_member(root, "source_path", &value) && json_string_of(value, &source)) {
            free(report->source);
            report->source = copy(source);
        }
        read_peaks(report, root);
        if (json_member(root, "failures", &value)) {
            struct json_value item;
            for (struct json_walk walk = json_walk_of(value); json_next(&walk, NULL, &item);) report->failures++;
        }
    }
    strbuf_release(&text);
}

/* A report is known by its memory file. */
static void read_folder(struct listing *listing, struct json_reader *reader, const char *folder) {
    DIR *dir = opendir(folder);
    struct dirent *entry;
    struct strbuf path = {0};
    while (dir && (entry = readdir(dir))) {
        struct slice file = slice_from(entry->d_name), end = slice_from(suffixes[0]);
        if (!slice_ends(file, end) || file.len == end.len) continue;
        struct slice name = slice_take(file, file.len - end.len);
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, entry->d_name);
        struct stat st;
        if (stat(strbuf_text(&path), &st) != 0) continue;
        struct listed_report report = {
            .name = copy(name), .folder = copy(slice_from(folder)), .source = copy(slice_of("", 0)), .written = st.st_mtime};
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%.*s_summary.json", folder, SLICE_FMT(name));
        read_summary(&report, reader, strbuf_text(&path));
        vec_push(listing, report);
    }
    if (dir) closedir(dir);
    strbuf_release(&path);
}

void listing_read(struct listing *listing, const char *root) {
    DIR *dir = opendir(root);
    if (!dir) return;
    struct json_reader *reader = json_reader_new();
    struct strbuf folder = {0};
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        strbuf_clear(&folder);
        strbuf_addf(&folder, "%s/%s", root, entry->d_name);
        struct stat st;
        if (stat(strbuf_text(&folder), &st) == 0 && S_ISDIR(st.st_mode)) read_folder(listing, reader, strbuf_text(&folder));
    }
    closedir(dir);
    json_reader_free(reader);
    strbuf_release(&folder);
}

void listing_release(struct listing *listing) {
    for (size_t i = 0; i < listing->len; i++) {
        free(listing->items[i].name);
        free(listing->items[i].folder);
        free(listing->items[i].source);
    }
    vec_release(listing);
}

int listing_delete(const struct listed_report *report, struct err *err) {
    struct strbuf path = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof suffixes / sizeof *suffixes; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s%s", report->folder, report->name, suffixes[i]);
        if (unlink(strbuf_text(&path)) != 0 && errno != ENOENT)
            rc = err_set_errno(err, ERR_OUTPUT, "cannot delete %s", strbuf_text(&path));
    }
    if (rc == 0) rmdir(report->folder); /* stays when the log or something else is in it */
    strbuf_release(&path);
    return rc;
}
