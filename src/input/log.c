/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime logs: plain, .gz, .zst, from a pipe; or the logs in a folder. */
#include <string.h>

#include "input/host_beside.h"
#include "input/kinds.h"
#include "input/kv_beside.h"
#include "input/log_files.h"
#include "input/names.h"
#include "input/rewritten.h"
#include "model/last_run.h"
#include "model/read.h"
#include "source/spool_limit.h"

enum { DATE_SEARCH = 64 << 10, DATE_LEN = 10 };

static bool is_date(const char *p) {
    for (unsigned i = 0; i < DATE_LEN; i++) {
        bool dash = i == 4 || i == 7;
        if (dash ? p[i] != '-' : p[i] < '0' || p[i] > '9') return false;
    }
    return p[0] == '2' && p[1] == '0' && p[5] <= '1' && p[8] <= '3';
}

/* " 12:34:56" after a date: the time of a line, not a version or a file. */
static bool is_time(struct slice s) {
    static const char shape[] = " 00:00:00";
    if (s.len < sizeof shape - 1 || (s.ptr[0] != ' ' && s.ptr[0] != 'T')) return false;
    for (size_t i = 1; i < sizeof shape - 1; i++)
        if (shape[i] == '0' ? s.ptr[i] < '0' || s.ptr[i] > '9' : s.ptr[i] != shape[i]) return false;
    return true;
}

/* The oldest time at the start of lines: what a pipe or CI adds before a line is not older than the line. */
struct slice log_first_date(struct slice head) {
    enum { LINE_HEAD = 120 };
    size_t end = head.len < DATE_SEARCH ? head.len : DATE_SEARCH, line = 0;
    struct slice oldest = slice_of("", 0);
    for (size_t i = 0; i + DATE_LEN <= end; i++) {
        if (head.ptr[i] == '\n') line = i;
        if (head.ptr[i] != '2' || i - line > LINE_HEAD || !is_date(head.ptr + i) || !is_time(slice_skip(head, i + DATE_LEN)))
            continue;
        if (!oldest.len || memcmp(head.ptr + i, oldest.ptr, DATE_LEN) < 0) oldest = slice_of(head.ptr + i, DATE_LEN);
    }
    return oldest;
}

static int read_last_run(struct input *in, const struct input_options *options, struct err *err) {
    struct last_run last;
    int rc = last_run_find(&last, &in->run, in->source.bytes, options->marker, err);
    if (rc == 0) {
        if (options->all_passes) options->all_passes(options->context, &in->run);
        run_release(&in->run);
        in->run = (struct run){0};
        run_read_parts(&in->run, in->source.bytes, last.parts.items, last.parts.len);
    }
    last_run_release(&last);
    return rc;
}

int log_mend_tagged(struct source *source, struct err *err) {
    struct slice head;
    if (source_peek(source, &head, err) != 0) return -1;
    mpi_lines_filter(source); /* in a stream, wherever its tags begin */
    return mpi_lines_tagged(head) && log_mend_torn(source, err) < 0 ? -1 : 0;
}

void log_note_broken(struct input *in, const char *path, const struct source *source) {
    uint64_t n = source->broken_tags;
    if (n)
        input_note(in, "%s: mpirun left %llu tag%s unfinished and lost what should have followed: lines are missing", path,
                   (unsigned long long)n, n == 1 ? "" : "s");
}

int log_mend_torn(struct source *source, struct err *err) {
    if (!source->mapped || source->untorn) return 0;
    source->untorn = !mpi_lines_torn(source->bytes);
    if (source->untorn) return 0;
    return mpi_lines_mend(source, err) == 0 ? 1 : -1;
}

bool log_has_mpi_ranks(const struct run *run) {
    for (size_t i = 0; i < run->ranks.len; i++)
        if (slice_find_byte(run_string(run, run->ranks.items[i].name), ',') != SLICE_NONE) return true;
    return false;
}

/* Tags of mpirun may begin anywhere, for example after a controller's modules: then the lines were read unmended. */
static int read_again_mended(struct input *in, const struct input_options *options, struct err *err) {
    int torn = log_has_mpi_ranks(&in->run) ? log_mend_torn(&in->source, err) : 0;
    if (torn <= 0) return torn;
    run_release(&in->run);
    in->run = (struct run){0};
    return (options->content ? run_read_known : run_read)(&in->run, &in->source, options->progress, err);
}

int log_read(struct input *in, const struct input_options *options, struct err *err) {
    struct slice head;
    char date[DATE_LEN];
    int rc = source_peek(&in->source, &head, err);
    if (rc != 0) return -1;
    struct slice found = log_first_date(head);
    memcpy(date, found.ptr, found.len);
    bool has_host = host_is_beside(in->source.path); /* its samples refer to bytes of the log */
    const char *spool = options->spool_folder ? options->spool_folder : has_host ? input_temporary_folder() : NULL;
    rc = log_mend_tagged(&in->source, err);
    if (rc == 0 && spool) rc = source_spool(&in->source, spool, err);
    if (rc == 0 && !in->source.mapped) rc = spool_limit_check(err);
    if (!in->source.mapped) kept_text_init(&in->source.kept, input_temporary_folder());
    if (in->source.mapped && options->progress) options->progress->total = in->source.bytes.len;
    if (rc == 0) rc = (options->content ? run_read_known : run_read)(&in->run, &in->source, options->progress, err);
    if (rc == 0) rc = read_again_mended(in, options, err);
    if (rc == 0 && options->last_run) rc = read_last_run(in, options, err);
    if (rc != 0) return -1;
    if (in->source.mapped) in->run.text = options->last_run ? in->source.bytes : slice_take(in->source.bytes, in->run.bytes);
    if (has_host) host_beside_read(in, in->source.path);
    if (in->source.path[0] != '-' || in->source.path[1]) kv_beside_read(in, in->source.path, 0);
    in->run.created = strtab_id(&in->run.strings, slice_of(date, found.len));
    if (in->source.cut && !in->source.shrank)
        input_note(in, "%s is cut or damaged: only what comes before the damage was read", in->path);
    log_note_broken(in, in->path, &in->source);
    const char *change = source_change_text(&in->source);
    if (change) input_note(in, "%s %s", in->path, change);
    return 0;
}

/* --- folders --- */

bool log_folder_is(const char *path) {
    struct strbuf first = {0};
    size_t count = log_files_in(path, &first);
    strbuf_release(&first);
    return count > 0;
}

/* A single log is read as such; several are the ranks of one run. */
int log_folder_read(struct input *in, const struct input_options *options, struct err *err) {
    struct strbuf first = {0};
    const char *folder = in->path;
    int rc;
    if (log_files_in(folder, &first) == 1) {
        rc = source_open(&in->source, strbuf_text(&first), err);
        if (rc == 0) rc = log_read(in, options, err);
        strbuf_clear(&in->name);
        report_name(&in->name, strbuf_text(&first));
    } else {
        struct log_files files = {0};
        log_files_list(&files, &folder, 1);
        rc = log_files_read(in, &files, options, err);
        log_files_release(&files);
    }
    strbuf_release(&first);
    return rc;
}

const struct input_kind input_log_folder = {
    .name = "a folder of logs",
    .is_folder = log_folder_is,
    .read = log_folder_read,
};

const struct input_kind input_log = {.name = "a log", .read = log_read};
