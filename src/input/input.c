/* SPDX-License-Identifier: Apache-2.0 */
#include "input/input.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/amounts.h"
#include "base/num.h"
#include "base/utf8.h"
#include "input/kinds.h"
#include "input/log_files.h"
#include "input/names.h"
#include "input/rank_names.h"
#include "input/report/report_files.h"
#include "predict/fit/run_modules.h"

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int input_try(const char *path, struct err *err) {
    struct stat st;
    /* a pipe can be opened only once */
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) return 0;
    if (is_folder(path)) return 0;
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    source_release(&source);
    return 0;
}

const char *input_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] ? folder : "/tmp";
}

/* Names of files and ranks in notes may hold any bytes. */
static void add_note(struct strbuf *notes, const char *text) {
    utf8_add_printable(notes, slice_from(text), false);
    strbuf_addc(notes, '\n');
}

void input_note(struct input *in, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_note(&in->notes, text);
}

static int open_folder(struct input *in, struct err *err) {
    struct strbuf file = {0};
    int rc = 0;
    in->kind = kind_of_folder(in->path);
    if (in->kind && in->kind->file_in && in->kind->file_in(in->path, &file))
        rc = source_open(&in->source, strbuf_text(&file), err);
    strbuf_release(&file);
    if (in->kind) return rc;
    DIR *list = opendir(in->path);
    if (!list) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", in->path);
    closedir(list);
    struct strbuf name = {0};
    bool torn = report_files_lack_memory(in->path, &name);
    if (torn)
        err_set(err, ERR_LACKS, "%s lacks %s_memory.json, which the report had: ttmem analyze makes it again", in->path,
                strbuf_text(&name));
    strbuf_release(&name);
    if (torn) return -1;
    return err_set(
        err, ERR_LACKS,
        "%s is a folder that ttmem cannot read: it holds no report (<name>_memory.json), no Inspector files, no ttnn "
        "report (db.sqlite), no codegen module (ttnn.mlir, irs/ttnn_*.mlir) and no log (*.log, *.log.gz, *.log.zst, *.txt, "
        "*.out, *.err, stdout, stderr)",
        in->path);
}

static int open_file(struct input *in, struct err *err) {
    struct slice head;
    if (source_open(&in->source, in->path, err) != 0 || source_peek(&in->source, &head, err) != 0) return -1;
    in->kind = kind_of_file(in->path);
    if (!in->kind) in->kind = kind_of_content(head);
    if (!in->kind) in->kind = &input_log;
    return 0;
}

int input_probe(struct input *in, const char *path, struct err *err) {
    *in = (struct input){.path = mem_strdup(path), .source = {.fd = -1}};
    if ((is_folder(path) ? open_folder(in, err) : open_file(in, err)) == 0) return 0;
    input_release(in);
    return -1;
}

/* Output of other tools is read from memory, even in cases where a log would be streamed. */
static int read_from_memory(struct input *in, const struct input_options *options, struct err *err) {
    const char *folder = options->spool_folder ? options->spool_folder : input_temporary_folder();
    if (source_spool(&in->source, folder, err) != 0) return -1;
    if (options->last_run)
        return err_set(err, ERR_USAGE, "%s is %s: --last-run takes the last pass of a log", in->path, in->kind->name);
    in->run.content = source_hash(&in->source);
    if (in->kind->read_source) return in->kind->read_source(&in->run, &in->source, err);
    return in->kind->read_bytes(&in->run, in->source.bytes, in->source.path, err);
}

int input_read(struct input *in, const struct input_options *options, struct err *err) {
    report_name(&in->name, in->path);
    strbuf_addz(&in->origin, in->path);
    int rc = in->kind->read_bytes ? read_from_memory(in, options, err) : in->kind->read(in, options, err);
    if (rc == 0 && in->run.origin == RUN_PREDICTED) fit_run_modules_offer();
    if (rc == 0 && in->run.origin == RUN_PREDICTED && !slice_ends(strbuf_slice(&in->name), SLICE(PREDICTED_ENDING)))
        strbuf_addz(&in->name, PREDICTED_ENDING);
    if (rc != 0) input_release(in);
    return rc;
}

int input_open(struct input *in, const char *path, const struct input_options *options, struct err *err) {
    return input_probe(in, path, err) != 0 ? -1 : input_read(in, options, err);
}

/* The name of several files: the common beginning of their names, or their folder. */
static void name_of_all(struct strbuf *out, const char *const *paths, size_t count) {
    enum { SHORTEST = 2 };
    const char *slash = strrchr(paths[0], '/'), *base = slash ? slash + 1 : paths[0];
    size_t common = strlen(base);
    for (size_t i = 1; i < count; i++) {
        const char *cut = strrchr(paths[i], '/'), *other = cut ? cut + 1 : paths[i];
        size_t n = 0;
        while (n < common && other[n] == base[n]) n++;
        common = n;
    }
    while (common && strchr("._-0123456789", base[common - 1])) common--;
    struct strbuf stem = {0};
    if (common >= SHORTEST) strbuf_add(&stem, slice_of(base, common));
    else if (slash) strbuf_add(&stem, slice_between(paths[0], slash));
    else strbuf_addz(&stem, "ranks");
    report_name(out, strbuf_text(&stem));
    strbuf_release(&stem);
}

/* Several paths form one run of logs; a path to something else cannot be part of it. */
static int check_together(const char *path, struct err *err) {
    struct stat st;
    struct strbuf first = {0};
    if (stat(path, &st) != 0) return err_set_errno(err, ERR_INPUT, "cannot open '%s'", path);
    bool folder = S_ISDIR(st.st_mode);
    const struct input_kind *kind = folder ? kind_of_folder(path) : kind_of_file(path);
    bool logs = !folder || log_files_in(path, &first) > 0;
    strbuf_release(&first);
    if (kind && kind != &input_log && !(folder && log_folder_is(path)))
        return err_set(err, ERR_LACKS, "%s is %s, and only logs can be combined into one run", path, kind->name);
    return logs ? 0 : err_set(err, ERR_LACKS, "%s holds no log", path);
}

/* Keeps the paths that belong to the run; problems with the others become notes, and they are counted: what they held is
 * missing. -1: none is left. */
static int pick_words(const char *const *paths, size_t count, const char **picked, size_t *kept, size_t *unread,
                      struct strbuf *notes, struct err *err) {
    enum { MOST_NOTES = 5 };
    struct err first = {0};
    for (size_t i = 0; i < count; i++) {
        struct err own = {0};
        if (strcmp(paths[i], "-") == 0) return err_set(err, ERR_USAGE, "stdin is one log: it cannot be combined with files");
        if (check_together(paths[i], &own) == 0) {
            picked[(*kept)++] = paths[i];
            continue;
        }
        ++*unread;
        size_t left = i + 1 - *kept;
        if (left == 1) first = own;
        struct strbuf note = {0};
        strbuf_addf(&note, "%s: it is left out", own.text);
        if (left <= MOST_NOTES) add_note(notes, strbuf_text(&note));
        strbuf_release(&note);
    }
    if (count - *kept > MOST_NOTES) strbuf_addf(notes, "%zu more are left out\n", count - *kept - MOST_NOTES);
    if (!*kept) *err = first;
    return *kept ? 0 : -1;
}

static void name_words(struct input *in, const char *const *paths, size_t count) {
    struct strbuf shown = {0};
    strbuf_addz(&shown, paths[0]);
    if (count > 1) strbuf_addf(&shown, " and %zu more", count - 1);
    in->path = mem_strdup(strbuf_text(&shown));
    strbuf_addz(&in->origin, in->path);
    strbuf_release(&shown);
    name_of_all(&in->name, paths, count);
}

static int by_path(const void *a, const void *b) { return rank_path_order(*(const char *const *)a, *(const char *const *)b); }

static int read_captures(struct input *in, const char *const *paths, size_t count, const struct input_options *options,
                         struct err *err) {
    *in = (struct input){.source = {.fd = -1}, .kind = &input_graph_capture};
    name_words(in, paths, count);
    const char **sorted = mem_zalloc(count, sizeof *sorted);
    memcpy(sorted, paths, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_path);
    int rc = graph_files_read(in, sorted, count, options, err);
    free(sorted);
    if (rc != 0) input_release(in);
    return rc;
}

static int read_words(struct input *in, const char *const *paths, size_t count, size_t unread,
                      const struct input_options *options, struct err *err) {
    struct log_files files = {.unread_words = unread};
    name_words(in, paths, count);
    log_files_list(&files, paths, count);
    int rc = files.items.len ? log_files_read(in, &files, options, err) : input_no_run(in->path, err);
    log_files_release(&files);
    return rc;
}

int input_open_all(struct input *in, const char *const *paths, size_t count, const struct input_options *options,
                   struct err *err) {
    if (count == 1) return input_open(in, paths[0], options, err);
    if (graph_files_are(paths, count)) return read_captures(in, paths, count, options, err);
    const char **picked = mem_zalloc(count, sizeof *picked);
    size_t kept = 0, unread = 0;
    *in = (struct input){.source = {.fd = -1}, .kind = &input_log};
    int rc = pick_words(paths, count, picked, &kept, &unread, &in->notes, err);
    if (rc == 0) rc = read_words(in, picked, kept, unread, options, err);
    free(picked);
    if (rc != 0) input_release(in);
    return rc;
}

void input_release(struct input *in) {
    if (in->borrowed) {
        *in = (struct input){.source = {.fd = -1}};
        return;
    }
    run_release(&in->run);
    if (in->source.path) source_release(&in->source);
    strbuf_release(&in->name);
    strbuf_release(&in->origin);
    strbuf_release(&in->notes);
    strbuf_release(&in->told);
    free(in->path);
    *in = (struct input){.source = {.fd = -1}};
}

int input_empty(const char *path, struct err *err) {
    if (strcmp(path, "-") == 0) return err_set(err, ERR_LACKS, "stdin is empty: nothing was piped into ttmem");
    return err_set(err, ERR_LACKS, "%s is empty: the program printed nothing, or its output went elsewhere", path);
}

/* Summaries of a training's phases have their own command. */
static bool is_training_log(const char *path) {
    enum { HEAD = 1 << 22 };
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) return false;
    char *bytes = mem_alloc(HEAD);
    size_t length = fread(bytes, 1, HEAD, file);
    bool found = memmem(bytes, length, "DRAM: Segment Peak ", 19) || memmem(bytes, length, "=== Memory Usage Summary ===", 28);
    free(bytes);
    fclose(file);
    return found;
}

/* JSON may begin with some blank lines. */
static bool begins_as_json(const char *path) {
    enum { HEAD = 1 << 16 };
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) return false;
    char *bytes = mem_alloc(HEAD);
    size_t length = fread(bytes, 1, HEAD, file), first = 0;
    while (first < length && isspace((unsigned char)bytes[first])) first++;
    size_t second = first + 1;
    while (second < length && isspace((unsigned char)bytes[second])) second++;
    bool list = second < length && bytes[first] == '[' && bytes[second] && strchr("{[\"]", bytes[second]);
    bool found = first < length && (bytes[first] == '{' || list); /* "[INFO] ..." is a line of a log */
    free(bytes);
    fclose(file);
    return found;
}

int input_no_run(const char *path, struct err *err) {
    static const char *const files[] = {"mesh_buffers_log.yaml", "mesh_workloads_log.yaml",
                                        "programs_log.yaml",     "mesh_devices_log.yaml",
                                        "kernels.yaml",          "startup.yaml"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i]) == 0)
            return err_set(err, ERR_LACKS, "%s is one of Inspector's files: give the folder that it is in", path);
    if (is_training_log(path))
        return err_set(err, ERR_LACKS, "%s holds no op or memory lines, but the memory of training phases: ttmem train %s",
                       path, path);
    if (begins_as_json(path))
        return err_set(
            err, ERR_LACKS,
            "%s is JSON, but it is cut, or it is none of these: a graph capture, a result of ttrt, a part of a report; "
            "man ttmem-formats lists what ttmem reads",
            path);
    return err_set(
        err, ERR_LACKS,
        "%s holds no op, memory or module lines of a TT-XLA run: is it the right file? ttmem run -- COMMAND records "
        "a log if tt-mlir is built with TT_RUNTIME_DEBUG=ON; for a release build, use ttmem run --inspector (tt-metal "
        "from 2026-08-21 or later)",
        path);
}

/* Two processes that write into one pipe without tags: headings and values of one land between those of the other, submits
 * cross, and result numbers restart within a program. Each rank is judged separately, because the rest of the run may be
 * fine. NULL: there is none. */
static const struct rank *interleaved_rank(const struct run *run) {
    enum { MOST_PERCENT = 2, LEAST = 4 };
    bool whole = !run->warnings[WARN_LOST_LINES] && !run->failures.entries.len && !run->notes.entries.len;
    for (size_t i = 0; run->origin == RUN_LOG && i < run->ranks.len; i++) {
        const struct rank *rank = &run->ranks.items[i];
        if (rank->bare_headings >= LEAST && rank->bare_headings * 100 > rank->headings * MOST_PERCENT) return rank;
        if (rank->backwards >= LEAST && rank->backwards * 2 > run->executions.len) return rank;
        if (rank->crossed_submits && whole) return rank; /* a failure or a lost line can leave a submit open */
    }
    return NULL;
}

/* Says what shows that a log mixes the lines of several processes. */
static void add_mixture(const struct run *run, const struct rank *rank, struct strbuf *out) {
    struct slice name = run->ranks.len > 1 ? run_string(run, rank->name) : slice_of("", 0);
    if (name.len) strbuf_addf(out, "rank %.*s: ", SLICE_FMT(name));
    if (rank->bare_headings > rank->backwards)
        strbuf_addf(out, "at least %s of %s memory headings have no values of their own",
                    figure_grouped(rank->bare_headings).text, figure_grouped(rank->headings).text);
    else if (rank->backwards) strbuf_addf(out, "%s results start again in their program", figure_grouped(rank->backwards).text);
    else strbuf_addz(out, "submits begin inside of others and end after them");
}

/* Line numbers, as from grep -n, look like the labels of srun, but nearly every line has its own. */
static bool has_numbered_lines(const struct run *run) {
    enum { LEAST = 16, MOST_EACH = 2 };
    uint64_t shown = 0, named = 0;
    for (size_t i = 0; run->origin == RUN_LOG && i < run->ranks.len; i++) {
        struct slice name = run_string(run, run->ranks.items[i].name);
        if (!name.len) continue;
        uint64_t number;
        if (num_read_u64(name, &number) != name.len) return false;
        named++;
        shown += run->ranks.items[i].records + run->ranks.items[i].blocks;
    }
    return named >= LEAST && shown <= named * MOST_EACH;
}

/* The recording beside the log shows a run that the log does not. */
static int killed_early(const struct input *in, struct err *err) {
    const struct host_record *host = in->run.host;
    uint64_t peak = 0;
    for (size_t i = 0; i < host->samples.len; i++)
        if (host->samples.items[i].rss_bytes > peak) peak = host->samples.items[i].rss_bytes;
    bool kernel = host->kernel_kills && host->kernel_kills != HOST_UNKNOWN;
    return err_set(err, ERR_LACKS,
                   "%s: killed before its first op, %s; its largest process had %s MB of host memory at the peak; ttmem "
                   "explain has the details",
                   in->path,
                   kernel ? "by the Linux kernel: out of host memory" : "by SIGKILL (nothing says that it was for memory)",
                   figure_milli(num_bytes_to_milli_mb(peak), 1).text);
}

int input_check(const struct input *in, struct err *err) {
    const struct run *run = &in->run;
    const struct rank *mixed = interleaved_rank(run);
    if (has_numbered_lines(run))
        return err_set(
            err, ERR_LACKS,
            "%s: its lines begin with their numbers, as grep -n prints them: give the log itself, or take them off (cut "
            "-d: -f2-)",
            in->path);
    if (mixed) {
        struct strbuf shows = {0};
        add_mixture(run, mixed, &shows);
        err_set(
            err, ERR_LACKS,
            "%s: %s: several processes wrote into it at once, and their lines cannot be told apart; give each a file of its "
            "own (mpirun --output-filename DIR, srun --output 'rank%%t.log') or tag the lines (mpirun --tag-output, srun "
            "--label)",
            in->path, strbuf_text(&shows));
        strbuf_release(&shows);
        return -1;
    }
    if (run->steps.len || run->failures.entries.len || run->notes.entries.len || run->modules.len || run->executions.len)
        return 0;
    if (run->host && run->host->ended && run->host->signal == SIGKILL) return killed_early(in, err);
    if (!run->bytes && in->source.cut)
        return err_set(err, ERR_INPUT, "%s is cut or damaged: nothing of it can be read", in->path);
    if (!run->bytes) return input_empty(in->path, err);
    if (source_is_binary(&in->source)) return err_set(err, ERR_INPUT, "%s is not text, so not a log", in->path);
    return input_no_run(in->path, err);
}
