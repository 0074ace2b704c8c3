/* SPDX-License-Identifier: Apache-2.0 */
#include "store/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/ordered.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "render/json/ir_json.h"
#include "render/page/page_pack.h"
#include "render/page/page_run.h"
#include "render/json/records_json.h"
#include "render/json/summary_json.h"
#include "input/names.h"
#include "input/report/report_check.h"
#include "model/run_file.h"

enum { MAX_NAME = 200, MAX_SAME_NAME = 10000 };

/* Temporary files of reports exist only while their folder is locked. */
static const char temporary_prefix[] = ".ttmem-report-";

/* How long a writer waits for another: in a folder of many reports there is no other place to go. */
static const int64_t WAIT_NS = 60000000000, LONG_WAIT_NS = 600000000000;

int ttmem_home(struct strbuf *out, struct err *err) {
    const char *own = getenv("TTMEM_HOME"), *home = getenv("HOME");
    if (own && own[0]) strbuf_addz(out, own);
    else if (home && home[0]) strbuf_addf(out, "%s/.ttmem", home);
    else return err_set(err, ERR_OUTPUT, "no home folder to keep reports in; use --output-dir, or set HOME or TTMEM_HOME");
    return 0;
}

static int report_root(struct strbuf *out, const struct report_options *options, struct err *err) {
    if (options->output_dir) strbuf_addz(out, options->output_dir);
    else if (ttmem_home(out, err) != 0) return -1;
    else strbuf_addz(out, "/reports");
    return 0;
}

int report_spool_folder(struct strbuf *out, const struct report_options *options, struct err *err) {
    if (report_root(out, options, err) != 0) return -1;
    while (access(strbuf_text(out), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        struct slice path = strbuf_slice(out);
        const char *slash = memrchr(path.ptr, '/', path.len);
        size_t above = slash ? (size_t)(slash - path.ptr) : 0;
        out->len = above;
        if (!above) strbuf_addz(out, slash ? "/" : ".");
    }
    struct stat st;
    if (stat(strbuf_text(out), &st) == 0 && !S_ISDIR(st.st_mode))
        return err_set(err, ERR_OUTPUT, "%s is not a folder", strbuf_text(out));
    if (access(strbuf_text(out), W_OK) != 0) return err_set_errno(err, ERR_OUTPUT, "cannot write to '%s'", strbuf_text(out));
    return 0;
}

static int report_folder(struct strbuf *out, const struct report_options *options, struct err *err) {
    if (report_root(out, options, err) != 0) return -1;
    if (make_folders(strbuf_text(out), err) != 0) return -1;
    if (access(strbuf_text(out), W_OK) != 0) return err_set_errno(err, ERR_OUTPUT, "cannot write to '%s'", strbuf_text(out));
    return 0;
}

const char *report_path(const struct report *report, const char *suffix, struct strbuf *out) {
    strbuf_clear(out);
    strbuf_add(out, strbuf_slice(&report->folder));
    strbuf_addc(out, '/');
    strbuf_add(out, strbuf_slice(&report->name));
    strbuf_addz(out, suffix);
    return strbuf_text(out);
}

int report_check_name(const char *name, struct err *err) {
    if (!name[0] || strchr(name, '/') || strstr(name, "..") || name[0] == '.' || strlen(name) > MAX_NAME)
        return err_set(err, ERR_USAGE, "a report name must not be empty, contain / or .., or begin with a dot: '%.100s'", name);
    return 0;
}

/* Input from stdin or from several files is identified by its content. */
static void find_origin(struct report *report, const char *path, const struct run *run) {
    char real[PATH_MAX];
    bool from_stdin = strcmp(path, "-") == 0;
    if (!from_stdin && realpath(path, real)) {
        strbuf_addz(&report->origin, real);
        return;
    }
    struct hash128 content = run_content(run);
    strbuf_addf(&report->origin, "%s:%016llx%016llx", from_stdin ? "stdin" : "files", (unsigned long long)content.high,
                (unsigned long long)content.low);
}

/* Does the summary at `path` name this origin? A missing file names none. */
static bool is_free(const char *path, struct slice origin) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT || errno == ENOTDIR;
    /* the member is near the front */
    char head[2 * PATH_MAX + 1024];
    ssize_t n = read(fd, head, sizeof head);
    close(fd);
    struct slice text = slice_of(head, n > 0 ? (size_t)n : 0), key = SLICE("\"source_path\":");
    size_t at = slice_find(text, key);
    struct strbuf wanted = {0};
    json_quote(&wanted, origin);
    bool same = at != SLICE_NONE && slice_starts(slice_trim(slice_skip(text, at + key.len)), strbuf_slice(&wanted));
    strbuf_release(&wanted);
    return same;
}

static void unlock(struct report *report) {
    if (report->locked) close(report->lock);
    report->locked = false;
}

enum lock_state { LOCK_TAKEN, LOCK_BUSY, LOCK_FAILED };

/* What a writer left that was killed: only the one that has the lock writes. */
static void remove_leftovers(struct report *report) {
    DIR *folder = opendir(strbuf_text(&report->folder));
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, temporary_prefix, sizeof temporary_prefix - 1) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
}

/* Locks the folder, or waits until its current writer has finished. The lock leaves nothing behind, however a writer ends;
 * if the file system has no locks there is none. */
static enum lock_state lock(struct report *report, int64_t patience_ns, struct err *err) {
    int fd = open(strbuf_text(&report->folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        err_set_errno(err, ERR_OUTPUT, "cannot write to '%s'", strbuf_text(&report->folder));
        return LOCK_FAILED;
    }
    int failed = 0;
    for (int64_t until = clock_ns() + patience_ns; (failed = flock(fd, LOCK_EX | LOCK_NB)) != 0 && errno == EWOULDBLOCK;) {
        struct timespec moment = {0, 5000000};
        if (clock_ns() > until) {
            close(fd);
            return LOCK_BUSY;
        }
        nanosleep(&moment, NULL);
    }
    report->lock = fd;
    report->locked = true;
    if (!failed) remove_leftovers(report);
    return LOCK_TAKEN;
}

void report_make_name(struct strbuf *name) {
    struct strbuf made = {0};
    struct slice from = strbuf_slice(name);
    for (size_t i = 0, n; i < from.len; i += n) {
        struct slice rest = slice_skip(from, i);
        bool dots = rest.ptr[0] == '.' && (i == 0 || (made.len && made.data[made.len - 1] == '.'));
        n = utf8_char(rest);
        /* a control character, or a byte that is no character: the name of a folder is shown by any program */
        uint32_t c = n ? utf8_decode(rest.ptr, n) : 0;
        if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == '/' || dots) strbuf_addc(&made, '-');
        else strbuf_add(&made, slice_take(rest, n));
        if (!n) n = 1;
    }
    /* not inside a multi-byte character */
    if (made.len > MAX_NAME)
        for (made.len = MAX_NAME; made.len && ((unsigned char)made.data[made.len] & 0xc0) == 0x80;) made.len--;
    if (!made.len) strbuf_addz(&made, "report");
    strbuf_release(name);
    *name = made;
}

int report_open(struct report *report, const char *log, const struct run *run, const struct report_options *options,
                struct err *err) {
    *report = (struct report){0};
    struct strbuf base = {0}, root = {0}, path = {0};
    if (options->name) {
        strbuf_addz(&base, options->name);
    } else {
        report_name(&base, log);
        report_make_name(&base);
    }
    int rc = report_check_name(strbuf_text(&base), err);
    if (rc == 0) rc = report_folder(&root, options, err);
    if (rc == 0) find_origin(report, log, run);
    bool found = false;
    for (unsigned i = 1; rc == 0 && !found && i < MAX_SAME_NAME; i++) {
        strbuf_clear(&report->name);
        strbuf_add(&report->name, strbuf_slice(&base));
        if (i > 1) strbuf_addf(&report->name, "-%u", i);
        strbuf_clear(&report->folder);
        strbuf_add(&report->folder, strbuf_slice(&root));
        if (!options->output_dir) strbuf_addf(&report->folder, "/%.*s", SLICE_FMT(strbuf_slice(&report->name)));
        rc = make_folders(strbuf_text(&report->folder), err);
        enum lock_state state = rc == 0 ? lock(report, options->output_dir ? LONG_WAIT_NS : WAIT_NS, err) : LOCK_FAILED;
        if (state == LOCK_FAILED) rc = -1;
        if (state == LOCK_BUSY && (options->output_dir || options->force))
            rc = err_set(err, ERR_OUTPUT, "another ttmem is still writing to %s: try again when it has ended",
                         strbuf_text(&report->folder));
        found = state == LOCK_TAKEN &&
                (options->force || is_free(report_path(report, "_summary.json", &path), strbuf_slice(&report->origin)));
        if (!found) unlock(report);
    }
    strbuf_release(&base);
    strbuf_release(&root);
    strbuf_release(&path);
    if (rc != 0) report_release(report);
    return rc;
}

struct file_writer {
    const char *suffix;
    int (*write)(const struct output_job *job, struct outfile *file, struct err *err);
};

static int write_registry(const struct output_job *job, struct outfile *file, struct err *err) {
    return registry_json(job->run, job->pretty, file, err);
}

static int write_ir(const struct output_job *job, struct outfile *file, struct err *err) {
    return ir_json(job->run, job->pretty, file, err);
}

static int write_run(const struct output_job *job, struct outfile *file, struct err *err) {
    return run_file_write(job->run, file, err);
}

/* The two large ones first, so that they are written in parallel. The summary goes last: a folder that has one is complete. */
static const struct file_writer files[] = {{"_memory.json", memory_json},
                                           {"_operations.json", operations_json},
                                           {"_inputs_registry.json", write_registry},
                                           {"_ir.json", write_ir},
                                           {"_run.ttmem", write_run}};
enum { FILES = sizeof files / sizeof *files };

/* The files of a report before they appear. */
struct unborn {
    struct outfile files[FILES + 2]; /* then the page and the summary */
    bool have[FILES + 2];
};
enum { UNBORN_PAGE = FILES, UNBORN_SUMMARY, UNBORN };

static int write_unborn(struct unborn *unborn, size_t number, const struct report *report, const struct file_writer *kind,
                        const struct output_job *job, struct err *err) {
    struct strbuf path = {0};
    struct outfile *file = &unborn->files[number];
    int rc = outfile_open_as(file, report_path(report, kind->suffix, &path), temporary_prefix, err);
    unborn->have[number] = rc == 0;
    if (rc == 0) rc = kind->write(job, file, err);
    if (rc == 0) rc = outfile_finish(file, err);
    strbuf_release(&path);
    return rc;
}

struct file_job {
    const struct report *report;
    struct unborn *unborn;
    const struct output_job *records;
    struct err *err; /* of the first file that could not be written */
    bool failed;
};

/* NULL, or the error. */
static void *make_file(void *context, unsigned thread, size_t number) {
    const struct file_job *job = context;
    (void)thread;
    struct err *err = mem_zalloc(1, sizeof *err);
    if (write_unborn(job->unborn, number, job->report, &files[number], job->records, err) != 0) return err;
    free(err);
    return NULL;
}

static void take_file(void *context, size_t number, void *error) {
    struct file_job *job = context;
    (void)number;
    if (error && !job->failed) *job->err = *(struct err *)error;
    job->failed |= error != NULL;
    free(error);
}

/* The kernel lets only one thread at a time write to a file, so two files in parallel take half the time. */
static int write_files(const struct report *report, struct unborn *unborn, const struct output_job *records, struct err *err) {
    struct file_job job = {.report = report, .unborn = unborn, .records = records, .err = err};
    struct ordered_work work = {&job, make_file, take_file};
    ordered_run(&work, FILES, ordered_threads() < 2 ? 1 : 2);
    return job.failed ? -1 : 0;
}

int report_page_into(struct outfile *file, const struct output_job *job, struct err *err) {
    struct page_data page;
    page_from_run(&page, job);
    int rc = page_write(&page, job->name, file, err);
    page_data_release(&page);
    return rc;
}

static int write_page(const struct output_job *job, struct outfile *file, struct err *err) {
    return report_page_into(file, job, err);
}

int report_add(const struct report *report, const char *suffix, struct slice text, struct err *err) {
    struct strbuf path = {0};
    struct outfile file;
    int rc = outfile_open(&file, report_path(report, suffix, &path), err);
    if (rc == 0) {
        rc = outfile_write(&file, text, err);
        if (rc == 0) rc = outfile_commit(&file, err);
        else outfile_abort(&file);
    }
    strbuf_release(&path);
    return rc;
}

/* The state that later shows whether a file is still the one that was written. */
static int list_files(const struct unborn *unborn, struct summary_file *listed, struct err *err) {
    for (size_t i = 0; i < FILES; i++) {
        struct source source;
        if (source_open(&source, unborn->files[i].temporary, err) != 0) return -1;
        listed[i] = (struct summary_file){files[i].suffix, source.bytes.len, report_file_check(source.bytes)};
        source_release(&source);
    }
    return 0;
}

static int write_summary(const struct report *report, struct unborn *unborn, const struct output_job *job, struct err *err) {
    struct strbuf text = {0}, path = {0};
    struct summary_file listed[FILES];
    struct outfile *file = &unborn->files[UNBORN_SUMMARY];
    if (list_files(unborn, listed, err) != 0) return -1;
    struct summary_origin origin = {strbuf_slice(&report->name), strbuf_slice(&report->origin), listed, FILES, 0};
    summary_json(&text, job->run, job->overview, &origin, job->pretty);
    int rc = outfile_open_as(file, report_path(report, "_summary.json", &path), temporary_prefix, err);
    unborn->have[UNBORN_SUMMARY] = rc == 0;
    if (rc == 0) rc = outfile_write(file, strbuf_slice(&text), err);
    if (rc == 0) rc = outfile_finish(file, err);
    strbuf_release(&text);
    strbuf_release(&path);
    return rc;
}

static void *clear_one(void *context, unsigned thread, size_t number) {
    struct unborn *unborn = context;
    (void)thread;
    if (unborn->have[number]) outfile_abort(&unborn->files[number]);
    return NULL;
}

static void cleared(void *context, size_t number, void *nothing) { (void)context, (void)number, (void)nothing; }

/* All at once, as far as the file system can: the old files are removed afterwards, which takes longer. If one cannot
 * appear, the replaced files are restored. A signal comes before or after. */
static int appear(struct unborn *unborn, int rc, struct err *err) {
    size_t done = 0;
    outfile_hold();
    for (; rc == 0 && done < UNBORN; done++)
        if (unborn->have[done]) rc = outfile_swap(&unborn->files[done], err);
    for (size_t i = 0; rc != 0 && i + 1 < done; i++)
        if (unborn->have[i] && unborn->files[i].temporary) outfile_swap(&unborn->files[i], NULL);
    outfile_let_go();
    struct ordered_work clear = {unborn, clear_one, cleared};
    ordered_run(&clear, UNBORN, ordered_threads() < 2 ? 1 : 2);
    return rc;
}

int report_write(struct report *report, const struct run *run, const struct overview *overview,
                 const struct report_options *options, const char *version, struct progress *progress, struct err *err) {
    struct output_job job = {.run = run,
                             .overview = overview,
                             .name = strbuf_slice(&report->name),
                             .path = strbuf_text(&report->origin),
                             .version = version,
                             .pretty = options->pretty,
                             .progress = progress,
                             .note = options->note};
    static const struct file_writer page = {"_report.html", write_page};
    struct unborn unborn = {0};
    int rc = write_files(report, &unborn, &job, err);
    if (rc == 0 && !options->no_page) rc = write_unborn(&unborn, UNBORN_PAGE, report, &page, &job, err);
    if (rc == 0) rc = write_summary(report, &unborn, &job, err);
    return appear(&unborn, rc, err);
}

void report_release(struct report *report) {
    unlock(report);
    strbuf_release(&report->folder);
    strbuf_release(&report->name);
    strbuf_release(&report->origin);
}
