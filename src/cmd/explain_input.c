/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/explain_input.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analysis/failure/cut.h"
#include "input/kinds.h"
#include "model/read.h"
#include "source/spool_limit.h"
#include "work/open.h"

static void feed_stream(struct failure_stream *stream, struct slice bytes) {
    while (bytes.len) {
        size_t n = bytes.len < FAILURE_STREAM_ROOM ? bytes.len : FAILURE_STREAM_ROOM;
        memcpy(failure_stream_room(stream), bytes.ptr, n);
        failure_stream_took(stream, n);
        bytes = slice_skip(bytes, n);
    }
}

/* A stream is read once, for both. */
static int read_stream(struct explain_input *r, struct failure_stream *stream, struct progress *progress, struct err *err) {
    if (spool_limit_check(err) != 0) return -1;
    struct run_feed *feed = run_feed_new(&r->run);
    kept_text_init(&r->source.kept, input_temporary_folder());
    run_feed_keep(feed, &r->source.kept);
    char *block = mem_alloc(FAILURE_STREAM_ROOM);
    int64_t n;
    while ((n = source_read(&r->source, block, FAILURE_STREAM_ROOM, err)) > 0) {
        struct slice bytes = slice_of(block, (size_t)n);
        feed_stream(stream, bytes);
        run_feed_bytes(feed, bytes);
        progress_add(progress, bytes.len);
    }
    run_feed_finish(feed);
    free(block);
    return n < 0 ? -1 : 0;
}

static const struct failure_entry *entry_at(const struct failure_set *set, size_t i) {
    return i < set->entries.len ? &set->entries.items[i] : NULL;
}

/* The failures of a run and its notes, in text order. */
static void take_failures(struct explain_input *r) {
    const struct failure_set *failures = &r->run.failures, *notes = &r->run.notes;
    for (size_t i = 0, k = 0; entry_at(failures, i) || entry_at(notes, k);) {
        const struct failure_entry *a = entry_at(failures, i), *b = entry_at(notes, k);
        const struct failure_entry *next = a && (!b || a->line <= b->line) ? a : b;
        *(next == a ? &i : &k) += 1;
        size_t number = failure_set_add(&r->set, &next->failure, next->line);
        if (number == SLICE_NONE) continue;
        struct failure_entry *made = &r->set.entries.items[number];
        made->count = next->count;
        vec_clear(&made->programs);
        for (size_t p = 0; p < next->programs.len; p++) vec_push(&made->programs, next->programs.items[p]);
    }
    r->set.left_out += failures->left_out + notes->left_out;
}

/* Opens a text, or another input from which a run can be read. */
static int open_input(struct explain_input *r, const struct invocation *inv, const char *path, bool *is_run, struct err *err) {
    struct input in;
    if (open_probe(&in, &inv->work, path, err) != 0) return -1;
    *is_run = in.kind != &input_log || inv->work.last_run;
    if (*is_run && open_probed(&in, &inv->work, err) != 0) return -1;
    r->run = in.run;
    r->source = in.source;
    in.run = (struct run){0};
    in.source = (struct source){.fd = -1};
    r->told = in.told;
    in.told = (struct strbuf){0};
    input_release(&in);
    if (!*is_run) return 0;
    if (r->run.told_by_files & TOLD_NO_FAILURES)
        return err_set(err, ERR_LACKS, "%s keeps no messages of failures: explain the log that it was made from", path);
    r->bytes = r->run.bytes;
    take_failures(r);
    return 0;
}

/* A text that is almost only failures: reading it as a run finds them all, so it is not searched twice. */
static bool is_dense(struct slice text) {
    enum { SAMPLE = 64 << 10, MANY = 64 };
    struct slice sample = slice_take(text, SAMPLE);
    struct failure f;
    size_t found = 0;
    for (size_t from = 0; found < MANY && failure_next(sample, from, &f); from = f.at + f.length) found++;
    return found == MANY;
}

int explain_input_read(struct explain_input *r, const struct invocation *inv, const char *path, struct err *err) {
    bool is_run;
    if (open_input(r, inv, path, &is_run, err) != 0) return -1;
    if (is_run) return 0;
    struct progress progress;
    progress_start(&progress, inv->work.progress, "reading", r->source.mapped ? r->source.bytes.len : 0);
    struct failure_stream *stream = r->stream = mem_zalloc(1, sizeof *stream);
    stream->set = &r->set;
    struct slice head;
    char date[16];
    int rc = source_peek(&r->source, &head, err);
    struct slice found = rc == 0 ? slice_take(log_first_date(head), sizeof date) : slice_of("", 0);
    memcpy(date, found.ptr, found.len);
    if (rc == 0 && !r->source.mapped) rc = read_stream(r, stream, &progress, err);
    bool dense = rc == 0 && r->source.mapped && is_dense(r->source.bytes);
    if (rc == 0 && r->source.mapped && !dense) failure_set_add_text(&r->set, r->source.bytes);
    failure_stream_finish(stream);
    r->bytes = r->source.mapped ? source_sound(&r->source) : stream->bytes;
    bool shrank = r->source.mapped && !r->source.copy && source_change(&r->source) == SOURCE_SHRANK;
    bool wanted = r->source.mapped && (dense || shrank || r->set.entries.len || log_cut_maybe(r->source.bytes));
    if (rc == 0 && wanted) {
        rc = run_read(&r->run, &r->source, &progress, err);
        r->run.text = slice_take(r->source.bytes, r->run.bytes); /* the texts of ops are looked up in it */
        if (rc == 0 && dense) take_failures(r);
        if (dense && r->run.bytes < r->bytes) r->bytes = r->run.bytes;
    }
    if (found.len && r->run.ranks.len) r->run.created = strtab_id(&r->run.strings, slice_of(date, found.len));
    r->shrank =
        shrank || r->source.shrank || (r->source.mapped && !r->source.copy && source_change(&r->source) == SOURCE_SHRANK);
    r->binary = source_is_binary(&r->source);
    struct slice kept = r->source.mapped ? slice_take(r->source.bytes, r->bytes) : slice_of(stream->data, stream->len);
    r->tail = slice_skip(kept, kept.len > FAILURE_LEAD ? kept.len - FAILURE_LEAD : 0);
    progress_end(&progress);
    work_note_change(&inv->work, &r->source);
    return rc;
}

void explain_input_release(struct explain_input *r) {
    failure_set_release(&r->set);
    run_release(&r->run);
    strbuf_release(&r->told);
    free(r->stream);
    if (r->source.path) source_release(&r->source);
}

/* ---- which files ---- */

static bool ends_in_any_case(struct slice name, struct slice ending) {
    if (name.len < ending.len) return false;
    for (size_t i = 0; i < ending.len; i++) {
        char c = name.ptr[name.len - ending.len + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != ending.ptr[i]) return false;
    }
    return true;
}

/* "run.log.2", the name of a rotated log. */
static struct slice without_number(struct slice name) {
    size_t n = name.len;
    while (n && name.ptr[n - 1] >= '0' && name.ptr[n - 1] <= '9') n--;
    return n && n < name.len && name.ptr[n - 1] == '.' ? slice_take(name, n - 1) : name;
}

static bool is_log_name(const char *name) {
    static const char *const endings[] = {".log", ".txt", ".out", ".err", ".xml", ".jsonl", ".gz", ".zst"};
    static const char *const names[] = {"stdout", "stderr"};
    struct slice s = without_number(slice_from(name));
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in_any_case(s, slice_from(endings[i]))) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(s, slice_from(names[i]))) return true;
    return false;
}

enum { DEEPEST = 16 };

/* Symbolic links to folders are not followed: a tree can point into itself. */
static void walk(const char *folder, explain_paths *out, explain_paths *skipped, unsigned depth) {
    DIR *dir = depth < DEEPEST ? opendir(folder) : NULL;
    if (!dir) {
        vec_push(skipped, mem_strdup(folder));
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        struct strbuf path = {0};
        strbuf_addf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", entry->d_name);
        struct stat st;
        bool there = lstat(strbuf_text(&path), &st) == 0;
        if (there && S_ISDIR(st.st_mode)) walk(strbuf_text(&path), out, skipped, depth + 1);
        else {
            /* a broken link is reported as unreadable, not skipped */
            bool broken = there && S_ISLNK(st.st_mode) && stat(strbuf_text(&path), &(struct stat){0}) != 0;
            bool log = there && (S_ISREG(st.st_mode) || broken) && is_log_name(entry->d_name);
            vec_push(log ? out : skipped, mem_strdup(strbuf_text(&path)));
        }
        strbuf_release(&path);
    }
    closedir(dir);
}

static int by_path(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

bool explain_paths_add(explain_paths *out, explain_paths *skipped, const char *word) {
    struct stat st;
    if (strcmp(word, "-") == 0 || stat(word, &st) != 0 || !S_ISDIR(st.st_mode)) {
        vec_push(out, mem_strdup(word));
        return false;
    }
    const struct input_kind *kind = kind_of_folder(word);
    if (kind && kind != &input_log_folder) {
        vec_push(out, mem_strdup(word));
        return false;
    }
    size_t first = out->len, first_skipped = skipped->len;
    walk(word, out, skipped, 0);
    if (out->len > first) qsort(out->items + first, out->len - first, sizeof *out->items, by_path);
    if (skipped->len > first_skipped)
        qsort(skipped->items + first_skipped, skipped->len - first_skipped, sizeof *skipped->items, by_path);
    return true;
}

void explain_paths_release(explain_paths *paths) {
    for (size_t i = 0; i < paths->len; i++) free(paths->items[i]);
    vec_release(paths);
}
