/* ttmem explain: the memory failures in any text, what they mean and what to do. Reads once, in bounded memory. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/explain.h"
#include "base/num.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "render/explain.h"

static int open_input(const char *path, struct err *err) {
    if (strcmp(path, "-") == 0) return STDIN_FILENO;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set_errno(err, ERR_INPUT, "cannot open %s", path);
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return err_set(err, ERR_INPUT, "%s is a folder, not a log", path);
    }
    return fd;
}

static int read_all(int fd, const char *path, struct failure_stream *stream, struct progress *progress, struct err *err) {
    for (;;) {
        ssize_t n = read(fd, failure_stream_room(stream), FAILURE_STREAM_ROOM);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return err_set_errno(err, ERR_INPUT, "cannot read %s", path);
        if (n == 0) break;
        failure_stream_took(stream, (size_t)n);
        progress_add(progress, (uint64_t)n);
    }
    failure_stream_finish(stream);
    return 0;
}

/* Finds the failures of a file or, for "-", of stdin. `lines` and `bytes` tell how much was read. */
static int collect(struct invocation *inv, const char *path, struct failure_set *set, uint64_t *lines, uint64_t *bytes,
                   struct err *err) {
    int fd = open_input(path, err);
    if (fd < 0) return -1;
    struct stat st;
    bool sized = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    struct progress progress;
    progress_start(&progress, inv->progress, "reading", sized ? (uint64_t)st.st_size : 0);
    struct failure_stream *stream = mem_zalloc(1, sizeof *stream);
    stream->set = set;
    int rc = read_all(fd, path, stream, &progress, err);
    *lines = stream->lines;
    *bytes = stream->bytes;
    free(stream);
    progress_end(&progress);
    if (fd != STDIN_FILENO) close(fd);
    return rc;
}

static void say_nothing_found(struct strbuf *out, uint64_t lines, uint64_t bytes) {
    char text[2][NUM_ROOM];
    size_t n = num_write_grouped(text[0], lines), m = num_write_grouped(text[1], bytes);
    strbuf_addf(out, "No memory failure in %.*s lines (%.*s bytes).\n", (int)n, text[0], (int)m, text[1]);
}

static int print(struct invocation *inv, struct slice text, struct err *err) {
    const char *path = args_text(&inv->args, "output");
    if (!path && !args_has(&inv->args, "json")) return print_text(inv, text, err);
    struct outfile file;
    if (outfile_open(&file, path ? path : "-", err) != 0) return -1;
    if (outfile_write(&file, text, err) == 0 && outfile_commit(&file, err) == 0) return 0;
    outfile_abort(&file);
    return -1;
}

static int run(struct invocation *inv, struct err *err) {
    struct failure_set set = {0};
    uint64_t lines, bytes;
    if (collect(inv, inv->args.words.items[0], &set, &lines, &bytes, err) != 0) {
        failure_set_release(&set);
        return -1;
    }
    struct explain explain;
    explain_failures(&explain, &set, NULL, NULL);
    struct term term = inv->out;
    if (args_text(&inv->args, "output")) term.color = false, term.columns = 0;
    struct strbuf text = {0};
    if (args_has(&inv->args, "json")) explain_json(&text, &explain);
    else if (explain.failures.len) explain_text(&text, &term, &explain);
    else say_nothing_found(&text, lines, bytes);
    int status = print(inv, strbuf_slice(&text), err);
    if (status == 0) status = explain.failures.len ? 1 : 0;
    strbuf_release(&text);
    explain_release(&explain);
    failure_set_release(&set);
    return status;
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_explain = {
    .name = "explain",
    .summary = "Say why a run ran out of memory, and what to do about it",
    .synopsis = "LOG|- [--json] [-o FILE]",
    .details =
        "Finds out-of-memory errors, circular buffers that do not fit, trace regions and kernel config buffers that are\n"
        "too small, in any text: a runtime log, pytest or CI output, a pasted message. Exit status 1 when a failure was\n"
        "found, 0 when there is none.",
    .example = "ttmem explain run.log       verdict, shortfall and advice for every failure in run.log",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
