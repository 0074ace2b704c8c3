/* SPDX-License-Identifier: Apache-2.0 */
/* A report directory as an input. Its run file answers as the log did; if another ttmem wrote it, the log is used if it
 * still exists unchanged; else the JSON files, as far as they go. */
#include <sys/stat.h>

#include "base/json_split.h"
#include "input/kinds.h"
#include "input/report/report_check.h"
#include "input/report/report_counts.h"
#include "input/report/report_files.h"
#include "input/report/report_json.h"
#include "input/report/report_told.h"
#include "model/run_file.h"

bool report_is_folder(const char *path) { return report_files_in(path) > 0; }

bool report_is_file(const char *path) {
    struct strbuf folder = {0}, name = {0};
    bool is = report_files_part(path, &folder, &name);
    strbuf_release(&folder);
    strbuf_release(&name);
    return is;
}

static bool read_hex(struct slice digits, uint64_t *out) {
    static const char letters[] = "0123456789abcdef";
    *out = 0;
    for (size_t i = 0; i < digits.len; i++) {
        const char *at = memchr(letters, digits.ptr[i], 16);
        if (!at) return false;
        *out = *out << 4 | (uint64_t)(at - letters);
    }
    return true;
}

/* The log that a report was made from, according to memory.json. */
struct told_log {
    struct strbuf path;
    bool known; /* the fields below are valid */
    uint64_t bytes;
    struct hash128 content;
};

static void find_log(const struct report_files *files, struct told_log *log) {
    struct slice metadata, source;
    struct json_value root;
    struct json_reader *reader = json_reader_new();
    *log = (struct told_log){0};
    if (reader && json_split_member(files->parts[PART_MEMORY].bytes, "metadata", &metadata) &&
        json_split_member(metadata, "source", &source) && json_parse(reader, source, &root)) {
        struct slice hash = told_text(root, "xxh128");
        strbuf_add(&log->path, told_text(root, "path"));
        log->known = told_u64(root, "bytes", &log->bytes) && hash.len == 32 &&
                     read_hex(slice_take(hash, 16), &log->content.high) && read_hex(slice_skip(hash, 16), &log->content.low);
    }
    json_reader_free(reader);
}

static bool log_is_unchanged(const char *path, uint64_t bytes, struct hash128 content) {
    struct stat st;
    struct source source;
    struct err ignored = {0};
    if (path[0] != '/' || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || source_open(&source, path, &ignored) != 0)
        return false;
    bool same = source.mapped && source.bytes.len == bytes && hash_equal(hash_bytes(source.bytes), content);
    source_release(&source);
    return same;
}

static void take_source(struct input *in, struct report_files *files, enum report_part part) {
    if (in->source.path) source_release(&in->source);
    in->source = files->parts[part];
    files->have[part] = false;
}

static int read_run_file(struct input *in, struct report_files *files, bool *done, struct err *err) {
    if (!files->have[PART_RUN]) return 0;
    const char *path = files->parts[PART_RUN].path;
    switch (run_file_read(&in->run, files->parts[PART_RUN].bytes)) {
        case RUN_FILE_READ:
            *done = true;
            break;
        case RUN_FILE_DAMAGED:
            return err_set(err, ERR_INPUT, "%s is damaged: ttmem analyze makes the report again", path);
        case RUN_FILE_OTHER:
            input_note(in, "%s was written by another build of ttmem and is not used: ttmem analyze writes it again", path);
            return 0;
    }
    take_source(in, files, PART_RUN);
    return 0;
}

static int read_from_log(struct input *in, struct told_log *log, const struct input_options *options, bool *done,
                         struct err *err) {
    int rc = 0;
    if (log->path.len) {
        strbuf_clear(&in->origin);
        strbuf_add(&in->origin, strbuf_slice(&log->path));
    }
    if (!*done && log->known && log_is_unchanged(strbuf_text(&log->path), log->bytes, log->content)) {
        if (in->source.path) source_release(&in->source);
        in->source = (struct source){.fd = -1};
        rc = source_open(&in->source, strbuf_text(&log->path), err);
        if (rc == 0) rc = log_read(in, options, err);
        *done = rc == 0;
    }
    return rc;
}

bool report_log(const char *folder, struct strbuf *path) {
    struct report_files files;
    struct told_log log;
    struct err ignored = {0};
    if (report_files_open(&files, folder, "", &ignored) != 0) return false;
    find_log(&files, &log);
    bool there = log.known && log_is_unchanged(strbuf_text(&log.path), log.bytes, log.content);
    strbuf_add(path, strbuf_slice(&log.path));
    strbuf_release(&log.path);
    report_files_release(&files);
    return there;
}

static int report_read(struct input *in, const struct input_options *options, struct err *err) {
    struct strbuf folder = {0}, name = {0};
    struct report_files files;
    bool done = false;
    if (!report_files_part(in->path, &folder, &name)) strbuf_addz(&folder, in->path);
    int rc = report_files_open(&files, strbuf_text(&folder), strbuf_text(&name), err);
    strbuf_release(&folder);
    strbuf_release(&name);
    if (rc != 0) return -1;
    strbuf_clear(&in->name);
    strbuf_add(&in->name, strbuf_slice(&files.name));
    rc = report_check_versions(&files, err);
    if (rc == 0) rc = report_check_listed(&files, err);
    if (rc == 0 && !options->last_run) rc = read_run_file(in, &files, &done, err);
    struct told_log log;
    find_log(&files, &log);
    if (rc == 0) rc = read_from_log(in, &log, options, &done, err);
    if (rc == 0 && !done && options->last_run && log.path.len)
        rc = err_set(err, ERR_LACKS, "the last pass of %s is in its log, %s, %s", in->path, strbuf_text(&log.path),
                     log.known ? "which is gone or has changed" : "and the report does not say whether that is unchanged");
    else if (rc == 0 && !done && options->last_run)
        rc = err_set(err, ERR_LACKS, "the last pass of %s is in the log that it was made from, which it does not name",
                     in->path);
    if (rc == 0 && !done && report_counts_nested(&files))
        rc =
            err_set(err, ERR_LACKS,
                    "%s cannot be read without its log: programs ran inside others (traces), and its files do not record which "
                    "ops are theirs",
                    in->path);
    if (rc == 0 && !done) {
        rc = report_json_read(in, &files, err);
        in->run.content = hash_bytes(files.parts[PART_MEMORY].bytes);
    }
    if (rc == 0 && log.known) in->run.content = log.content; /* in the history a log and its report are one run */
    strbuf_release(&log.path);
    report_files_release(&files);
    return rc;
}

const struct input_kind input_report = {
    .name = "a report",
    .is_folder = report_is_folder,
    .is_file = report_is_file,
    .read = report_read,
};
