/* SPDX-License-Identifier: Apache-2.0 */
#include "input/log_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/amounts.h"
#include "base/num.h"
#include "base/rank_folders.h"
#include "input/host_beside.h"
#include "input/kinds.h"
#include "input/rank_names.h"
#include "input/rewritten.h"
#include "model/read.h"
#include "parse/failure/failure.h"
#include "parse/line_prefix.h"
#include "scan/find_any.h"

enum { TAGS_SEARCH = 64 << 10, COPY_PART = 16 << 10 }; /* searched at the start of a file */

enum { DEEPEST = 4, MOST_FILES = 20000, MOST_ENTRIES = 200000, MOST_NOTES = 5 };

/* --- which files --- */

static const char *const suffixes[] = {".log", ".log.gz", ".log.zst", ".txt", ".out", ".err"};
static const char *const whole_names[] = {"stdout", "stderr"}; /* from mpirun --output-filename */

static bool is_log_name(struct slice name) {
    if (!name.len || name.ptr[0] == '.') return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (slice_ends(name, slice_from(suffixes[i]))) return true;
    for (size_t i = 0; i < sizeof whole_names / sizeof *whole_names; i++)
        if (slice_equal(name, slice_from(whole_names[i]))) return true;
    return false;
}

static void add_file(struct log_files *files, const char *path, bool found) {
    if (files->items.len >= MOST_FILES) return;
    vec_push(&files->items, ((struct log_file){.path = mem_strdup(path), .found = found}));
}

static void note_lost(struct log_files *files, const char *path, enum log_lost_why why, bool found) {
    if (files->lost.len < MOST_FILES)
        vec_push(&files->lost, ((struct log_lost){.path = mem_strdup(path), .why = why, .found = found}));
}

/* Folders are listed in any order: the first file is the first by path. */
static void keep_first(struct strbuf *first, size_t *count, const char *path) {
    if ((*count)++ && rank_path_order(strbuf_text(first), path) <= 0) return;
    strbuf_clear(first);
    strbuf_addz(first, path);
}

/* Links to folders are not followed, because they may lead back. If ranks have their own folders, the logs are in these. */
static void add_folder(struct log_files *files, const char *folder, unsigned depth, size_t *entries) {
    DIR *dir = opendir(folder);
    struct strbuf path = {0};
    struct rank_folders ranks;
    rank_folders_find(&ranks, folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && ++*entries < MOST_ENTRIES;) {
        struct slice name = slice_from(entry->d_name);
        struct stat st;
        if (name.ptr[0] == '.') continue;
        bool maybe_folder = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
        if (!maybe_folder && !is_log_name(name)) continue;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, entry->d_name);
        if (maybe_folder && lstat(strbuf_text(&path), &st) == 0 && S_ISDIR(st.st_mode)) {
            if (depth < DEEPEST) add_folder(files, strbuf_text(&path), depth + 1, entries);
        } else if (stat(strbuf_text(&path), &st) != 0 || !S_ISREG(st.st_mode)) {
            keep_first(&files->unread, &files->unread_count, strbuf_text(&path));
            if (is_log_name(name)) note_lost(files, strbuf_text(&path), LOG_UNREAD, true);
        } else if (is_log_name(name)) {
            if (ranks.numbers.len) keep_first(&files->beside, &files->beside_count, strbuf_text(&path));
            else add_file(files, strbuf_text(&path), true);
        }
    }
    rank_folders_release(&ranks);
    if (dir) closedir(dir);
    strbuf_release(&path);
}

static int by_path(const void *a, const void *b) {
    return rank_path_order(((const struct log_file *)a)->path, ((const struct log_file *)b)->path);
}

void log_files_list(struct log_files *files, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct stat st;
        size_t entries = 0;
        if (stat(words[i], &st) == 0 && S_ISDIR(st.st_mode)) add_folder(files, words[i], 0, &entries);
        else add_file(files, words[i], false);
    }
    if (files->items.len) qsort(files->items.items, files->items.len, sizeof *files->items.items, by_path);
}

static size_t count_and_first(struct log_files *files, struct strbuf *first) {
    size_t count = files->items.len;
    if (count) strbuf_addz(first, files->items.items[0].path);
    log_files_release(files);
    return count;
}

size_t log_files_in(const char *folder, struct strbuf *first) {
    struct log_files files = {0};
    log_files_list(&files, &folder, 1);
    return count_and_first(&files, first);
}

size_t log_files_directly_in(const char *folder, struct strbuf *first) {
    struct log_files files = {0};
    size_t entries = 0;
    add_folder(&files, folder, DEEPEST, &entries);
    return count_and_first(&files, first);
}

static void release_file(struct log_file *file) {
    if (file->opened) source_release(&file->source);
    strbuf_release(&file->name);
    free(file->rank_folder);
    free(file->path);
}

void log_files_release(struct log_files *files) {
    for (size_t i = 0; i < files->items.len; i++) release_file(&files->items.items[i]);
    vec_release(&files->items);
    for (size_t i = 0; i < files->lost.len; i++) free(files->lost.items[i].path);
    vec_release(&files->lost);
    strbuf_release(&files->beside);
    strbuf_release(&files->unread);
}

/* --- what is in them --- */

bool log_file_is_stderr(const struct log_file *file) {
    return slice_ends(slice_from(file->path), SLICE("stderr")) || slice_ends(slice_from(file->path), SLICE(".err"));
}

static const struct needle run_words[] = {NEEDLE("Executing operation: ", 10), NEEDLE(" memory state", 1),
                                          NEEDLE("Starting execution of program: ", 19)};
static const struct needle module_words[] = {NEEDLE("MLIR Module ", 5), NEEDLE(" Module:", 1),
                                             NEEDLE("StableHLO pipeline:", 0)};

static bool holds(struct slice bytes, const struct needle *needles, size_t count) {
    struct finder finder;
    finder_init(&finder, needles, count);
    return find_any(&finder, bytes, 0) != SLICE_NONE;
}

/* Lines of TT-XLA or tt-metal near the start. */
static bool has_logger_lines(struct slice bytes) {
    enum { LINES = 200 };
    struct slice rest = bytes;
    for (unsigned i = 0; i < LINES && rest.len; i++) {
        size_t end = slice_find_byte(rest, '\n');
        struct line_prefix prefix = line_prefix_read(slice_take(rest, end), PREFIX_ALL);
        if (line_prefix_is_logger(slice_skip(slice_take(rest, end), prefix.len))) return true;
        rest = end == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, end + 1);
    }
    return false;
}

static void look_into(struct log_file *file) {
    struct slice bytes = file->source.bytes;
    file->runs = holds(bytes, run_words, sizeof run_words / sizeof *run_words);
    file->tells = file->runs || holds(bytes, module_words, sizeof module_words / sizeof *module_words) ||
                  failure_maybe(bytes) || has_logger_lines(bytes);
    log_times_find(file);
}

/* Why files were left out: a note for each of the first, and one for the rest of its kind. */
struct left_out {
    size_t named, found; /* files with a note of their own, and others found in folders */
    struct strbuf first;
};

static void leave_out(struct input *in, struct left_out *out, const struct log_file *file, const char *why) {
    if (file->found && log_file_is_stderr(file)) return; /* most ranks print nothing there */
    if (file->found) {
        if (!out->found++) strbuf_addz(&out->first, file->path);
    } else if (out->named++ < MOST_NOTES) {
        input_note(in, "%s %s: it is left out", file->path, why);
    }
}

static int open_one(struct input *in, struct log_files *files, struct log_file *file, struct left_out *out, struct err *err) {
    struct err own = {0};
    struct slice head;
    if (source_open(&file->source, file->path, &own) != 0) {
        if (out->named++ < MOST_NOTES) input_note(in, "%s: it is left out", own.text);
        if (!err->text[0]) *err = own;
        note_lost(files, file->path, LOG_UNREAD, file->found);
        return -1;
    }
    file->opened = true;
    const struct input_kind *kind = NULL;
    if (source_peek(&file->source, &head, &own) == 0) kind = kind_of_content(head);
    if (kind || own.text[0] || source_spool(&file->source, input_temporary_folder(), &own) != 0) {
        struct strbuf why = {0};
        strbuf_addf(&why, kind ? "is %s, and only logs can be combined" : "cannot be read", kind ? kind->name : "");
        if (!file->found && kind && !err->text[0]) err_set(err, ERR_LACKS, "%s %s into one run", file->path, strbuf_text(&why));
        leave_out(in, out, file, strbuf_text(&why));
        if (!kind || !file->found) note_lost(files, file->path, LOG_UNREAD, file->found);
        strbuf_release(&why);
        return -1;
    }
    bool tagged =
        mpi_lines_tagged(slice_take(file->source.bytes, TAGS_SEARCH)); /* tags that begin later show once it was read */
    if (tagged && log_mend_torn(&file->source, &own) < 0) {
        leave_out(in, out, file, own.text);
        note_lost(files, file->path, LOG_UNREAD, file->found);
        return -1;
    }
    look_into(file);
    if (file->source.cut && !file->source.shrank)
        input_note(in, "%s is cut or damaged: only what comes before the damage was read", file->path);
    log_note_broken(in, file->path, &file->source);
    if (file->tells) return 0;
    leave_out(in, out, file, file->source.bytes.len ? "holds nothing of a run" : "is empty");
    if (!log_file_is_stderr(file)) note_lost(files, file->path, LOG_EMPTY, file->found);
    return -1;
}

static bool is_twice(struct input *in, struct log_files *files, size_t kept, const struct log_file *file) {
    for (size_t i = 0; i < kept; i++) {
        if (!source_same_file(&files->items.items[i].source, &file->source)) continue;
        input_note(in, "%s and %s are the same file: it is read once", files->items.items[i].path, file->path);
        note_lost(files, file->path, LOG_TWICE, file->found);
        return true;
    }
    return false;
}

/* Compares length, start and end: reading all bytes of all files would double the work. */
static int by_looks(const struct log_file *x, const struct log_file *y) {
    struct slice a = x->source.bytes, b = y->source.bytes;
    if (a.len != b.len) return a.len < b.len ? -1 : 1;
    size_t part = a.len < COPY_PART ? a.len : COPY_PART;
    int order = memcmp(a.ptr, b.ptr, part);
    return order ? order : memcmp(a.ptr + (a.len - part), b.ptr + (b.len - part), part);
}

static int by_looks_and_path(const void *a, const void *b) {
    const struct log_file *x = *(const struct log_file *const *)a, *y = *(const struct log_file *const *)b;
    int order = by_looks(x, y);
    return order ? order : rank_path_order(x->path, y->path);
}

/* Ranks may print exactly the same text, so an apparent copy is noted but counts. */
static void note_copies(struct input *in, const struct log_files *files) {
    VEC(const struct log_file *) all = {0};
    const struct log_file *const *pair = NULL;
    size_t copies = 0;
    for (size_t i = 0; i < files->items.len; i++)
        if (files->items.items[i].runs) vec_push(&all, &files->items.items[i]);
    if (all.len > 1) qsort(all.items, all.len, sizeof *all.items, by_looks_and_path);
    for (size_t i = 1; i < all.len; i++)
        if (by_looks(all.items[i - 1], all.items[i]) == 0 && !copies++) pair = &all.items[i - 1];
    if (copies == 1)
        input_note(in, "%s and %s have the same length, start and end: both count as ranks; leave one out if it is a copy",
                   pair[0]->path, pair[1]->path);
    else if (copies)
        input_note(in,
                   "%s and %s have the same length, start and end, as %s %zu more: all count as ranks; leave out those that "
                   "are copies",
                   pair[0]->path, pair[1]->path, copies == 2 ? "does" : "do", copies - 1);
    vec_release(&all);
}

/* Raises the limit of open files if the system allows it. False: not enough. */
static bool allow_files(size_t count) {
    struct rlimit limit;
    enum { OTHERS = 64 };
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + OTHERS) return true;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= count + OTHERS;
}

/* Opens the files and drops those that do not belong to a run. */
static int open_files(struct input *in, struct log_files *files, struct err *err) {
    struct left_out out = {0};
    struct err first = {0};
    size_t kept = 0;
    bool all_may_be_open = allow_files(files->items.len);
    for (size_t i = 0; i < files->items.len; i++) {
        struct log_file *file = &files->items.items[i];
        if (open_one(in, files, file, &out, &first) != 0 || is_twice(in, files, kept, file)) {
            release_file(file);
            continue;
        }
        source_close_file(&file->source, !all_may_be_open);
        files->items.items[kept++] = *file;
    }
    size_t all = files->items.len;
    files->items.len = kept;
    note_copies(in, files);
    if (out.found)
        input_note(in,
                   out.found == 1 ? "%s of the %s files in %s holds nothing of a run, %s: it is left out"
                                  : "%s of the %s files in %s hold nothing of a run, %s first: they are left out",
                   figure_grouped(out.found).text, figure_grouped(all).text, in->path, strbuf_text(&out.first));
    if (out.named > MOST_NOTES) input_note(in, "%zu more files are left out", out.named - MOST_NOTES);
    strbuf_release(&out.first);
    if (kept) return 0;
    if (!first.text[0]) return input_no_run(in->path, err);
    *err = first;
    return -1;
}

/* --- names --- */

/* The path without parts that say nothing about the rank: compression and kind. stderr belongs to the rank of its stdout. */
static char *rank_path(const char *path) {
    static const char *const ends[] = {".gz", ".zst", ".log", ".txt", ".out", ".err", "stdout", "stderr"};
    char *own = mem_strdup(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strlen(own), end = strlen(ends[i]);
        if (len > end && slice_ends(slice_from(own), slice_from(ends[i]))) own[len - end] = '\0';
    }
    return own;
}

char *log_file_rank_path(const struct log_file *file) {
    return file->rank_folder ? mem_strdup(file->rank_folder) : rank_path(file->path);
}

static int by_rank_and_path(const void *a, const void *b) {
    const struct log_file *x = a, *y = b;
    char *p = log_file_rank_path(x), *q = log_file_rank_path(y);
    int order = rank_path_order(p, q);
    free(p);
    free(q);
    return order ? order : -strcmp(x->path, y->path); /* stdout before stderr, .out before .err */
}

/* A log and its compressed copy, or two kinds under one name: the first counts. */
static void drop_copies(struct input *in, struct log_files *files) {
    size_t kept = 0;
    for (size_t i = 0; i < files->items.len; i++) {
        struct log_file *file = &files->items.items[i], *last = kept ? &files->items.items[kept - 1] : NULL;
        char *path = log_file_rank_path(file), *above = last ? log_file_rank_path(last) : NULL;
        bool copy = last && strcmp(path, above) == 0 && log_file_is_stderr(file) == log_file_is_stderr(last);
        free(path);
        free(above);
        if (copy) {
            input_note(in, "%s and %s have the same name: %s is left out", last->path, file->path, file->path);
            release_file(file);
        } else {
            files->items.items[kept++] = *file;
        }
    }
    files->items.len = kept;
}

static void name_files(struct input *in, struct log_files *files) {
    qsort(files->items.items, files->items.len, sizeof *files->items.items, by_rank_and_path);
    drop_copies(in, files);
    size_t count = files->items.len;
    char **paths = mem_zalloc(count, sizeof *paths);
    struct strbuf *names = mem_zalloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) paths[i] = log_file_rank_path(&files->items.items[i]);
    rank_names((const char *const *)paths, count, names);
    for (size_t i = 0; i < count; i++) {
        free(paths[i]);
        files->items.items[i].name = names[i];
    }
    free(paths);
    free(names);
}

static bool has_digit(struct slice name) {
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] >= '0' && name.ptr[i] <= '9') return true;
    return false;
}

/* Logs in a folder that nothing marks as ranks may be of several runs. */
static void note_as_ranks(struct input *in, const struct log_files *files) {
    size_t unmarked = 0;
    for (size_t i = 0; i < files->items.len; i++) {
        const struct log_file *file = &files->items.items[i];
        unmarked += file->found && !has_digit(strbuf_slice(&file->name));
    }
    if (unmarked && files->items.len > 1)
        input_note(in, "%zu logs are read as ranks of one run; if they are of several runs, give one of them",
                   files->items.len);
}

/* --- reading --- */

/* Notes ranks whose device differs from that of most, judged by their first memory block. */
static void note_other_devices(struct input *in) {
    const struct run *run = &in->run;
    const struct pool_config **dram = mem_zalloc(run->ranks.len + 1, sizeof *dram), *usual = NULL;
    size_t *uses = mem_zalloc(run->configs.len + 1, sizeof *uses), most = 0;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        uint16_t rank = run->steps.items[block->step].rank;
        if (!dram[rank] && (block->have & 1u << POOL_DRAM)) dram[rank] = block_config(run, block, POOL_DRAM);
    }
    for (size_t i = 0; i < run->ranks.len; i++)
        if (dram[i] && ++uses[dram[i] - run->configs.items] > most) {
            most = uses[dram[i] - run->configs.items];
            usual = dram[i];
        }
    for (size_t i = 0, noted = 0; i < run->ranks.len && noted < MOST_NOTES; i++) {
        if (!dram[i] || dram[i] == usual) continue;
        struct slice name = run_string(run, run->ranks.items[i].name);
        input_note(in, "rank %.*s has DRAM of %u x %s MB, others %u x %s MB: is it from another run?", SLICE_FMT(name),
                   dram[i]->banks, figure_milli(dram[i]->total, 3).text, usual->banks, figure_milli(usual->total, 3).text);
        noted++;
    }
    free(uses);
    free(dram);
}

/* Notes ranks whose logs end inside a program, without a failure, while those of others do not. */
static void note_cut(struct input *in) {
    const struct run *run = &in->run;
    const struct execution **last = mem_zalloc(run->ranks.len + 1, sizeof *last);
    size_t ended = 0;
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        if (execution->parent == NONE) last[execution->rank] = execution;
    }
    for (size_t i = 0; i < run->ranks.len; i++) ended += last[i] && last[i]->finished;
    for (size_t i = 0, noted = 0; ended && i < run->ranks.len && noted < MOST_NOTES; i++) {
        if (!last[i] || last[i]->finished || run->ranks.items[i].failures) continue;
        input_note(in, "rank %.*s ends inside @%.*s: its log is cut, or still being written",
                   SLICE_FMT(run_string(run, run->ranks.items[i].name)), SLICE_FMT(run_string(run, last[i]->name)));
        noted++;
    }
    free(last);
}

/* Tags of mpirun that begin further down a file: mends the files whose lines it tore. 1: they must be read again. */
static int mend_late(struct input *in, struct source *sources, size_t count, struct err *err) {
    int mended = 0;
    if (!log_has_mpi_ranks(&in->run)) return 0;
    for (size_t i = 0; i < count && mended >= 0; i++) {
        int torn = log_mend_torn(&sources[i], err);
        if (torn > 0) log_note_broken(in, sources[i].path, &sources[i]);
        if (torn) mended = torn;
    }
    return mended;
}

static int join_and_read(struct input *in, struct log_files *files, const struct input_options *options, struct err *err) {
    size_t count = files->items.len;
    uint64_t *offsets = mem_zalloc(count, sizeof *offsets), total = 0;
    struct source *sources = mem_zalloc(count, sizeof *sources);
    struct slice *names = mem_zalloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        struct log_file *file = &files->items.items[i];
        sources[i] = file->source;
        names[i] = strbuf_slice(&file->name);
        total += file->source.bytes.len;
        file->opened = false;
    }
    int rc = source_join(&in->source, sources, count, offsets, err);
    if (options->progress) options->progress->total = total;
    if (rc == 0) rc = run_read_files(&in->run, sources, offsets, names, count, in->source.bytes, options->progress, err);
    int torn = rc == 0 ? mend_late(in, sources, count, err) : 0;
    if (torn > 0) {
        run_release(&in->run);
        in->run = (struct run){0};
        source_release(&in->source);
        rc = source_join(&in->source, sources, count, offsets, err);
        if (rc == 0) rc = run_read_files(&in->run, sources, offsets, names, count, in->source.bytes, options->progress, err);
    } else if (torn < 0) {
        rc = -1;
    }
    in->run.text = in->source.bytes;
    for (size_t i = 0; i < count; i++) {
        const char *change = rc == 0 ? source_change_text(&sources[i]) : NULL;
        if (change) input_note(in, "%s %s", sources[i].path, change);
        source_release(&sources[i]);
    }
    free(offsets);
    free(sources);
    free(names);
    return rc;
}

/* Reads what is beside the logs and in their paths: host memory, hosts. */
static void read_beside(struct run *run, const struct log_files *files) {
    size_t count = files->items.len;
    struct strbuf *hosts = mem_zalloc(count + 1, sizeof *hosts);
    const char **paths = mem_zalloc(count + 1, sizeof *paths);
    uint64_t ranks;
    for (size_t i = 0; i < count; i++) paths[i] = files->items.items[i].path;
    if (count > 1) rank_hosts(paths, count, hosts);
    for (size_t i = 0; i < count; i++) {
        const struct log_file *file = &files->items.items[i];
        uint64_t peak = host_beside_peak(file->path);
        struct strbuf noted = {0};
        rank_noted_beside(file->path, &noted, &ranks);
        struct slice host = strbuf_slice(noted.len ? &noted : &hosts[i]);
        for (size_t k = 0; (peak || host.len) && k < run->ranks.len; k++) {
            struct rank *rank = &run->ranks.items[k];
            if (!slice_equal(run_string(run, rank->name), strbuf_slice(&file->name))) continue;
            if (peak > rank->host_peak_bytes) rank->host_peak_bytes = peak;
            if (host.len) rank->host = strtab_id(&run->strings, host);
        }
        strbuf_release(&noted);
    }
    for (size_t i = 0; i < count; i++) strbuf_release(&hosts[i]);
    free(paths);
    free(hosts);
}

int log_files_read(struct input *in, struct log_files *files, const struct input_options *options, struct err *err) {
    if (options->last_run)
        return err_set(err, ERR_USAGE, "%s are several logs: the last pass can be taken from one log only", in->path);
    if (files->beside_count)
        input_note(in, "%s is beside the folders of the ranks%s: left out", strbuf_text(&files->beside),
                   files->beside_count > 1 ? ", and others with it" : "");
    if (files->unread_count)
        input_note(in, "%s cannot be read, or is not a file: left out%s", strbuf_text(&files->unread),
                   files->unread_count > 1 ? ", and others with it" : "");
    if (open_files(in, files, err) != 0) return -1;
    if (logger_files_merge(in, files, err) != 0) return -1;
    struct strbuf near = {0};
    strbuf_addz(&near, files->items.items[0].path);
    char date[LOG_TIME_LEN + 1] = "";
    for (size_t i = 0; i < files->items.len && !date[0]; i++) memcpy(date, files->items.items[i].first, sizeof date);
    name_files(in, files);
    if (files->items.len == 1) strbuf_clear(&files->items.items[0].name); /* one process, not one of several */
    note_as_ranks(in, files);
    uint64_t missing = rank_missing_note(in, files);
    log_times_note(in, files);
    int rc = join_and_read(in, files, options, err);
    if (rc == 0) {
        in->run.created = strtab_id(&in->run.strings, slice_take(slice_from(date), 10));
        in->run.warnings[WARN_RANK_UNREAD] = missing;
        note_other_devices(in);
        note_cut(in);
        read_beside(&in->run, files);
        rank_bindings_read(in, strbuf_text(&near));
    }
    strbuf_release(&near);
    return rc;
}
