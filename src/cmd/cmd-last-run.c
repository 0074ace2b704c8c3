/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem last-run: the last complete pass of a log with warm-up passes, as a separate log. Also called extract_last_run. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/num.h"
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "model/last_run.h"
#include "input/kinds.h"
#include "work/open.h"

/* "<log>_last_run.log", with the log's own .log (and .gz, .zst) removed first. */
static void default_path(struct strbuf *out, const char *path) {
    struct slice s = slice_from(path);
    if (slice_ends(s, SLICE(".gz"))) s = slice_take(s, s.len - 3);
    else if (slice_ends(s, SLICE(".zst"))) s = slice_take(s, s.len - 4);
    if (slice_ends(s, SLICE(".log"))) s = slice_take(s, s.len - 4);
    strbuf_add(out, s);
    strbuf_addz(out, "_last_run.log");
}

static int write_parts(const char *path, const struct input *in, const struct last_run *last, bool sync, struct err *err) {
    struct outfile file;
    if (outfile_open(&file, path, err) != 0) return -1;
    int rc = sync ? outfile_take_over(&file, err) : 0;
    for (size_t i = 0; rc == 0 && i < last->parts.len; i++) {
        const struct log_part *part = &last->parts.items[i];
        struct slice bytes = slice_of(in->source.bytes.ptr + part->begin, part->end - part->begin);
        rc = outfile_write(&file, bytes, err);
        if (rc == 0 && bytes.len && i + 1 < last->parts.len && bytes.ptr[bytes.len - 1] != '\n')
            rc = outfile_write(&file, SLICE("\n"), err);
    }
    if (rc == 0 && source_change(&in->source) != SOURCE_KEPT)
        rc = err_set(err, ERR_INPUT, "%s changed while it was read: nothing was written", in->path);
    if (rc == 0 && sync) rc = outfile_sync(&file, err);
    if (rc == 0) return outfile_commit(&file, err);
    outfile_abort(&file);
    return -1;
}

static void say(const struct invocation *inv, const char *path, const struct input *in, const struct last_run *last) {
    struct strbuf of_ranks = {0};
    if (last->ranks > 1) strbuf_addf(&of_ranks, " for each of %zu ranks", last->ranks);
    uint64_t bytes = 0;
    for (size_t i = 0; i < last->parts.len; i++) bytes += last->parts.items[i].end - last->parts.items[i].begin;
    work_note(&inv->work, "%s: the last complete of %s%s %s%s%s, from line %s; %zu module dumps; %s of %s bytes", path,
              last->ranks > 1 ? "up to " : "", figure_grouped(last->passes).text, last->passes == 1 ? "pass" : "passes",
              last->by_marker ? " (by marker)" : "", strbuf_text(&of_ranks), figure_grouped(last->first_line).text, last->dumps,
              figure_grouped(bytes).text, figure_grouped(in->source.bytes.len).text);
    strbuf_release(&of_ranks);
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return strcmp(b, "-") != 0 && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(y.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* A new file takes the name, so other names of the old one would keep the old text. */
static int may_replace(const char *path, struct err *err) {
    struct stat st;
    if (stat(path, &st) != 0) return 0; /* reading it says why */
    if (!S_ISREG(st.st_mode)) return err_set(err, ERR_USAGE, "--in-place needs a plain file");
    if (st.st_nlink > 1)
        return err_set(err, ERR_OUTPUT, "'%s' has other names (hard links), which would keep the whole log: use -o", path);
    return access(path, W_OK) == 0 ? 0 : err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *path = args->words.items[0], *given = args_text(args, "output");
    bool in_place = args_has(args, "in-place"), from_stdin = strcmp(path, "-") == 0;
    if (given && in_place) return err_set(err, ERR_USAGE, "--in-place and -o cannot be used together");
    if (in_place && (from_stdin || slice_ends(slice_from(path), SLICE(".gz")) || slice_ends(slice_from(path), SLICE(".zst"))))
        return err_set(err, ERR_USAGE, "--in-place needs a plain file");
    if (in_place && may_replace(path, err) != 0) return -1;
    if (given && same_file(path, given)) return err_set(err, ERR_USAGE, "%s is the log itself; --in-place replaces it", given);
    struct input in;
    if (open_run(&in, &inv->work, path, "/tmp", err) != 0) return -1;
    if (in.kind != &input_log) {
        input_release(&in);
        return err_set(err, ERR_LACKS, "%s is not a log: last-run takes the last pass of a log", path);
    }
    struct last_run last;
    int rc = last_run_find(&last, &in.run, in.source.bytes, args_text(args, "marker"), err);
    if (rc == 0) {
        struct strbuf target = {0};
        char real[PATH_MAX];
        if (in_place) strbuf_addz(&target, realpath(path, real) ? real : path); /* a link remains a link */
        else if (given || from_stdin) strbuf_addz(&target, given ? given : "-");
        else default_path(&target, path);
        rc = write_parts(strbuf_text(&target), &in, &last, in_place, err);
        if (rc == 0) say(inv, strbuf_text(&target), &in, &last);
        strbuf_release(&target);
    }
    last_run_release(&last);
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "write there (- is stdout) instead of <log>_last_run.log"},
    {"in-place", 0, OPTION_FLAG, NULL, "replace the log itself"},
    {"marker", 0, OPTION_TEXT, "TEXT", "text printed after each pass"},
    OPTIONS_END,
};

const struct command cmd_last_run = {
    .name = "last-run",
    .summary = "Extract the last complete pass of a log",
    .synopsis = "LOG [-o FILE | --in-place] [--marker TEXT]",
    .details =
        "Writes a log with the last complete pass and the module dumps, which weights and shapes come from. A pass begins\n"
        "with the first program that runs more than once and ends where that program begins again. Without program lines,\n"
        "submits take the place of programs; if the log has the text \"Got output shape:\", each pass ends there. A pass\n"
        "that the log cuts off does not count. If tags separate ranks, the last pass of each is kept. LOG itself is not\n"
        "changed unless --in-place is given.",
    .example = "ttmem last-run model_profile.log -o last.log",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
