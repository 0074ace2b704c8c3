/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the files of one process's loggers (TTMLIR_RUNTIME_LOGGER_FILE, TTXLA_LOGGER_FILE, TT_LOGGER_FILE) into one log,
 * ordered by the times of their lines. The runtime's own lines have none: something must have added them (ts, a CI system, a
 * container). Without times the order is unknown, and is not guessed. */
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "input/log_files.h"
#include "input/rank_names.h"
#include "input/rewritten.h"
#include "parse/line_prefix.h"

enum { KEY_DIGITS = 9, KEY_LEN = LOG_TIME_LEN + KEY_DIGITS, WRITE_BLOCK = 1 << 20, FARTHEST = 40 };

/* A time as text that sorts: date, time, nanoseconds. */
struct line_time {
    char key[KEY_LEN + 1];
    bool utc; /* it says so */
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool time_at(struct slice s, struct line_time *out) {
    static const char shape[] = "dddd-dd-dd dd:dd:dd";
    if (s.len < LOG_TIME_LEN) return false;
    for (unsigned i = 0; i < LOG_TIME_LEN; i++)
        if (shape[i] == 'd' ? !is_digit(s.ptr[i]) : s.ptr[i] != shape[i] && !(shape[i] == ' ' && s.ptr[i] == 'T')) return false;
    memcpy(out->key, s.ptr, LOG_TIME_LEN);
    out->key[10] = ' ';
    memset(out->key + LOG_TIME_LEN, '0', KEY_DIGITS);
    out->key[KEY_LEN] = '\0';
    size_t at = LOG_TIME_LEN;
    if (at < s.len && (s.ptr[at] == '.' || s.ptr[at] == ',')) at++;
    for (unsigned i = 0; at < s.len && is_digit(s.ptr[at]); at++, i++)
        if (i < KEY_DIGITS) out->key[LOG_TIME_LEN + i] = s.ptr[at];
    out->utc = at < s.len && s.ptr[at] == 'Z';
    return true;
}

/* The time near the start of a line, possibly after a bracket or a tag. */
static bool line_time(struct slice line, struct line_time *out) {
    size_t reach = line.len < FARTHEST ? line.len : FARTHEST;
    for (size_t i = 0; i < reach; i++)
        if (line.ptr[i] == '2' && (!i || !is_digit(line.ptr[i - 1])) && time_at(slice_skip(line, i), out)) return true;
    return false;
}

/* A file being merged: lines without a time belong to the one above. */
struct log_cursor {
    struct slice rest, group;
    struct line_time time;
};

static struct slice take_line(struct slice *rest) {
    size_t end = slice_find_byte(*rest, '\n');
    struct slice line = end == SLICE_NONE ? *rest : slice_take(*rest, end + 1);
    *rest = slice_skip(*rest, line.len);
    return line;
}

static void next_group(struct log_cursor *cursor) {
    const char *start = cursor->rest.ptr;
    struct line_time ahead;
    if (!cursor->rest.len) {
        cursor->group = slice_of("", 0);
        return;
    }
    struct slice line = take_line(&cursor->rest);
    line_time(line, &cursor->time);
    for (struct slice look = cursor->rest; look.len; cursor->rest = look)
        if (line_time(take_line(&look), &ahead)) break;
    cursor->group = slice_between(start, cursor->rest.ptr);
}

/* Do nearly all lines of the loggers have times, judged by the first ones? */
static bool has_times(const struct log_file *file, bool *utc) {
    enum { LINES = 400 };
    struct slice rest = file->source.bytes;
    unsigned timed = 0, bare = 0;
    for (unsigned i = 0; i < LINES && rest.len; i++) {
        struct line_time time;
        struct slice line = take_line(&rest);
        if (line_time(line, &time)) {
            timed++;
            *utc = time.utc;
        } else if (slice_find(line, SLICE(" | ")) != SLICE_NONE) {
            bare++; /* a line of the runtime's logger */
        }
    }
    return timed && !bare;
}

struct merging {
    struct log_cursor *cursors;
    size_t count;
};

static int write_merged(int fd, void *who, struct err *err) {
    struct log_cursor *cursors = ((struct merging *)who)->cursors;
    size_t count = ((struct merging *)who)->count;
    struct strbuf block = {0};
    int rc = 0;
    for (size_t i = 0; i < count; i++) next_group(&cursors[i]);
    for (bool more = true; rc == 0 && more;) {
        struct log_cursor *first = NULL;
        for (size_t i = 0; i < count; i++)
            if (cursors[i].group.len && (!first || strcmp(cursors[i].time.key, first->time.key) < 0)) first = &cursors[i];
        more = first != NULL;
        if (first) {
            strbuf_add(&block, first->group);
            if (first->group.ptr[first->group.len - 1] != '\n') strbuf_addc(&block, '\n');
            next_group(first);
        }
        if (block.len >= WRITE_BLOCK || !more) {
            rc = write_all(fd, strbuf_slice(&block), err);
            strbuf_clear(&block);
        }
    }
    strbuf_release(&block);
    return rc;
}

/* The merged lines become the source of `into`. */
static int merge(struct log_file *into, struct log_file *const *with, size_t count, struct err *err) {
    struct merging merging = {mem_zalloc(count + 1, sizeof *merging.cursors), count + 1};
    merging.cursors[0].rest = into->source.bytes;
    for (size_t i = 0; i < count; i++) merging.cursors[i + 1].rest = with[i]->source.bytes;
    int rc = source_rewrite(&into->source, write_merged, &merging, err);
    free(merging.cursors);
    return rc;
}

static struct slice folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slice_between(path, slash) : slice_of("", 0);
}

/* The file with op lines that this one belongs to: the only one, or the only one in its folder. NULL: unknown. */
static struct log_file *runtime_file_of(struct log_files *files, const struct log_file *other) {
    struct log_file *only = NULL, *beside = NULL;
    size_t all = 0, here = 0;
    for (size_t i = 0; i < files->items.len; i++) {
        struct log_file *file = &files->items.items[i];
        if (!file->runs) continue;
        all++;
        only = file;
        if (!slice_equal(folder_of(file->path), folder_of(other->path))) continue;
        here++;
        beside = file;
    }
    return all == 1 ? only : here == 1 ? beside : NULL;
}

/* -1: the times do not tell the order. */
static int check_times(const struct log_file *runtime, const struct log_file *other, struct err *err) {
    bool utc = false, other_utc = false;
    static const char advice[] =
        "let all loggers write to the same place (unset TTMLIR_RUNTIME_LOGGER_FILE, TTXLA_LOGGER_FILE and TT_LOGGER_FILE), or "
        "put a time before every line (ts '%Y-%m-%d %H:%M:%.S')";
    const struct log_file *bare = !has_times(runtime, &utc) ? runtime : !has_times(other, &other_utc) ? other : NULL;
    if (bare)
        return err_set(err, ERR_LACKS,
                       "%s and %s are from one process, and lines of %s have no times: their order is not known; %s",
                       runtime->path, other->path, bare->path, advice);
    if (utc != other_utc)
        return err_set(err, ERR_LACKS, "%s and %s are from one process, and only one of them has times in UTC: %s",
                       runtime->path, other->path, advice);
    return 0;
}

/* A file named like those of ranks belongs to a rank that ran nothing, not to another rank's logger. */
static void find_idle_ranks(struct input *in, struct log_files *files) {
    const char **paths = mem_zalloc(files->items.len + 1, sizeof *paths);
    size_t count = 0;
    for (size_t i = 0; i < files->items.len; i++)
        if (files->items.items[i].runs) paths[count++] = files->items.items[i].path;
    for (size_t i = 0; i < files->items.len; i++) {
        struct log_file *file = &files->items.items[i];
        if (file->runs || log_file_is_stderr(file) || !rank_path_is_like(file->path, paths, count)) continue;
        file->runs = true;
        input_note(in, "%s has no op or memory lines: its rank ran nothing", file->path);
    }
    free(paths);
}

int logger_files_merge(struct input *in, struct log_files *files, struct err *err) {
    size_t runtime_files = 0;
    for (size_t i = 0; i < files->items.len; i++) runtime_files += files->items.items[i].runs;
    if (!runtime_files || runtime_files == files->items.len) return 0;
    find_idle_ranks(in, files);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < files->items.len; i++) {
        struct log_file *runtime = &files->items.items[i];
        VEC(struct log_file *) others = {0};
        for (size_t k = 0; rc == 0 && runtime->runs && k < files->items.len; k++) {
            struct log_file *other = &files->items.items[k];
            if (other->runs || log_file_is_stderr(other) || runtime_file_of(files, other) != runtime) continue;
            struct err why = {0};
            if (check_times(runtime, other, &why) == 0) vec_push(&others, other);
            else if (other->found) input_note(in, "%s is left out: %s", other->path, why.text);
            else {
                *err = why;
                rc = -1;
            }
        }
        if (rc == 0 && others.len) rc = merge(runtime, others.items, others.len, err);
        vec_release(&others);
    }
    size_t kept = 0;
    for (size_t i = 0; i < files->items.len; i++) {
        struct log_file *file = &files->items.items[i];
        if (rc == 0 && !file->runs && !log_file_is_stderr(file) && !runtime_file_of(files, file))
            input_note(
                in,
                "%s has no op or memory lines, and nothing says which of the %zu other files it belongs to (put the files "
                "of each process into a folder of its own): it is left out",
                file->path, runtime_files);
    }
    for (size_t i = 0; i < files->items.len; i++) {
        struct log_file *file = &files->items.items[i];
        if (rc != 0 || file->runs || log_file_is_stderr(file)) {
            files->items.items[kept++] = *file;
            continue;
        }
        source_release(&file->source);
        strbuf_release(&file->name);
        free(file->path);
    }
    files->items.len = kept;
    return rc;
}
