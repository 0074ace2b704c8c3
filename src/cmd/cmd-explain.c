/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem explain: the memory failures in any text, what they mean and what to do. Reads once, in bounded memory. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/failure/asked.h"
#include "analysis/failure/places.h"
#include "analysis/failure/run_failures.h"
#include "base/amounts.h"
#include "base/num.h"
#include "cmd/explain_host.h"
#include "cmd/explain_input.h"
#include "cmd/fit/fit_work.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit_ci.h"
#include "render/answer/explain_files.h"
#include "work/checkout.h"

enum { DEFAULT_LIMIT = 20 };

static void say_nothing_found(struct strbuf *out, uint64_t bytes) {
    strbuf_addf(out, "No memory failure in %s bytes.\n", figure_grouped(bytes).text);
}

/* Why a text cannot be read; 0 if it can. */
static int check_readable(const struct explain_input *in, const char *path, struct err *err) {
    if (in->shrank) return 0; /* what was there is said, and that it was cut */
    if (!in->bytes && in->source.cut) return err_set(err, ERR_INPUT, "%s is cut or damaged: nothing of it can be read", path);
    if (!in->bytes) return input_empty(path, err);
    if (!in->set.entries.len && in->binary) return err_set(err, ERR_INPUT, "%s is not text, so not a log", path);
    return 0;
}

static size_t count_failures(const struct explain *explain) {
    size_t failures = 0;
    for (size_t i = 0; i < explain->failures.len; i++) failures += !explain->failures.items[i].entry->failure.warning;
    return failures;
}

/* What is wrong with the text itself: it is damaged, or ends in the middle of something without a reason. */
static void say_state(struct strbuf *out, const struct explain_input *in, const struct explain *explain) {
    if (explain->cut.cut && (!count_failures(explain) || explain_tells_kill(explain))) explain_cut(out, explain);
    const char *why = in->shrank ? "cut while it was read" : in->source.cut ? "cut or damaged" : NULL;
    if (why) strbuf_addf(out, "%s%s", out->len ? "; " : "", why);
}

static int parse_show(const struct invocation *inv, struct explain_show *show, struct err *err) {
    const char *limit = args_text(&inv->args, "limit");
    uint64_t n = DEFAULT_LIMIT;
    if (limit && (num_read_u64(slice_from(limit), &n) != strlen(limit) || !n || n > SIZE_MAX))
        return err_set(err, ERR_USAGE, "--limit takes a number of failures, not '%s'", limit);
    bool all = args_has(&inv->args, "all");
    *show = (struct explain_show){.all = all, .limit = all && !limit ? 0 : (size_t)n, .json_limit = limit ? (size_t)n : 0};
    return 0;
}

/* A traceback's line of Python, if it is in the checkout. */
static void find_places(struct explain_files *all) {
    struct strbuf root = {0}, path = {0};
    checkout_root(&root);
    for (size_t i = 0; root.len && i < all->rows.len; i++) {
        struct explain_row *row = &all->rows.items[i];
        strbuf_clear(&path);
        if (checkout_find(strbuf_text(&root), row->python, &path, &row->path_line))
            row->path = arena_copy(&all->arena, strbuf_slice(&path));
    }
    strbuf_release(&root);
    strbuf_release(&path);
}

/* JUnit, annotations, the summary of the step. */
static int emit_ci(const struct invocation *inv, struct explain_files *all, struct explain_show show, int64_t began,
                   struct err *err) {
    int rc = 0;
    struct strbuf text = {0};
    const char *junit = args_text(&inv->args, "junit");
    if (junit) {
        explain_files_junit(&text, all, junit_time_since(began));
        rc = emit_to(inv, junit, strbuf_slice(&text), false, err);
        strbuf_clear(&text);
    }
    if (rc == 0 && args_has(&inv->args, "github")) {
        find_places(all);
        explain_files_github(&text, all, show);
        rc = emit_to(inv, NULL, strbuf_slice(&text), false, err);
        strbuf_clear(&text);
        explain_files_markdown(&text, all, show);
        if (rc == 0) rc = emit_step_summary(strbuf_slice(&text), err);
    }
    strbuf_release(&text);
    return rc;
}

static bool has_ci(const struct invocation *inv) { return args_has(&inv->args, "junit") || args_has(&inv->args, "github"); }

/* A failure was found, there is none, or there is none in the readable part of a damaged or cut file. */
static int found(const struct invocation *inv, const char *path, const struct explain_input *in, const struct explain *explain,
                 struct err *err) {
    size_t failures = count_failures(explain);
    if (in->shrank && !failures)
        return err_set(err, ERR_LACKS, "%s was cut while it was read; no memory failure in the %llu bytes that were read", path,
                       (unsigned long long)in->bytes);
    if (in->source.cut && !failures)
        return err_set(err, ERR_INPUT, "%s is cut or damaged after %llu bytes; no memory failure up to there", path,
                       (unsigned long long)in->bytes);
    if (in->source.cut && !in->shrank)
        work_note(&inv->work, "%s is cut or damaged: only what comes before the damage was read", path);
    if (failures || !explain->cut.cut) return failures ? 1 : 0;
    return err_set(err, ERR_LACKS, "%s is not complete; no memory failure up to its end", path);
}

/* The failed request, by the types of the module that --module names. */
static int match_module(const struct invocation *inv, struct explain *explain, struct err *err) {
    const char *path = args_text(&inv->args, "module");
    struct source source = {.fd = -1};
    if (!path) return 0;
    int rc = source_open(&source, path, err);
    if (rc == 0 && !source.mapped) rc = err_set(err, ERR_LACKS, "%s must be a plain file", path);
    if (rc == 0 && slice_find(source.bytes, SLICE("tensor<")) == SLICE_NONE)
        rc = err_set(err, ERR_LACKS, "%s is not an MLIR module: it has no tensors", path);
    if (rc == 0 && explain->failures.len) explain_match_module(explain, source.bytes);
    source_release(&source);
    return rc;
}

/* The change that is enough, if the run records lifetimes. */
static void say_what_fits(struct strbuf *out, const struct term *term, const struct fit *fit) {
    if (!fit) return;
    strbuf_addf(out, "\nWhat %s fit, of the changes that a replay can try (ttmem fit has the details):\n  ",
                fit_report_is_certain(fit) ? "would" : "may");
    fit_report_line(out, term, fit);
    strbuf_addc(out, '\n');
}

static int explain_one(struct invocation *inv, const char *path, struct explain_show show, struct err *err) {
    struct explain_input in = {.source = {.fd = -1}};
    int64_t began = clock_ns();
    if (explain_input_read(&in, inv, path, err) != 0 || check_readable(&in, path, err) != 0) {
        explain_input_release(&in);
        return -1;
    }
    struct explain explain;
    run_explain_set(&in.run, &in.set, &explain);
    log_cut_by_text(&explain.cut, in.tail);
    if (show.all) explain_each(&explain);
    if (match_module(inv, &explain, err) != 0) {
        explain_release(&explain);
        explain_input_release(&in);
        return -1;
    }
    struct term term = inv->work.out;
    if (args_text(&inv->args, "output")) term.color = false, term.columns = 0;
    struct strbuf text = {0};
    /* a log just ends when the kernel kills the process; the recording beside it shows that */
    int killed = explain.failures.len || args_has(&inv->args, "json") ? 0 : explain_recording_beside(inv, path, err);
    if (killed != 0) {
        explain_release(&explain);
        explain_input_release(&in);
        return killed;
    }
    struct fit_work work = {0};
    const struct fit *fit = in.run.tensors.len && in.run.failures.entries.len
                                ? fit_work_answer(&work, &in.run, path, NULL, (struct fit_target){0})
                                : NULL;
    if (args_has(&inv->args, "json")) explain_json(&text, &explain, show.json_limit, fit, in.shrank);
    else if (explain.failures.len) {
        explain_text(&text, &term, &explain, show);
        say_what_fits(&text, &term, fit);
    } else if (in.shrank) {
        strbuf_addf(&text, "The log was cut while it was read. No memory failure in the %s bytes that were read.\n",
                    figure_grouped(in.bytes).text);
    } else if (explain.cut.cut) {
        strbuf_addz(&text, "The log ");
        explain_cut(&text, &explain);
        strbuf_addz(
            &text,
            ": the process was killed, or the log was cut. No memory failure up to there.\n"
            "If the Linux kernel killed it for its memory, dmesg says so, and ttmem run records the memory of its processes;\n"
            "a full disk (df) or a time limit of CI cuts a log too.\n");
    } else if (!in.source.cut) say_nothing_found(&text, in.bytes);
    fit_work_release(&work);
    int status = emit_answer(inv, strbuf_slice(&text), !args_has(&inv->args, "json"), err);
    if (status == 0 && has_ci(inv)) {
        struct explain_files all = {0};
        struct strbuf state = {0};
        say_state(&state, &in, &explain);
        explain_files_add(&all, slice_from(path), &explain, strbuf_slice(&state), show.json_limit);
        strbuf_release(&state);
        status = emit_ci(inv, &all, show, began, err);
        explain_files_release(&all);
    }
    if (status == 0) status = found(inv, path, &in, &explain, err);
    strbuf_release(&text);
    explain_release(&explain);
    explain_input_release(&in);
    return status;
}

/* The failures of one file of many. A file that cannot be read is reported, and the others count. Returns its status. */
static int add_file(struct invocation *inv, const char *path, struct explain_show show, struct explain_files *all) {
    struct err own = {0};
    struct explain_input in = {.source = {.fd = -1}};
    int status = 0;
    if (explain_input_read(&in, inv, path, &own) != 0 || check_readable(&in, path, &own) != 0) {
        explain_files_add(all, slice_from(path), NULL, slice_from(own.text), show.json_limit);
        status = (int)own.code;
    } else {
        struct explain explain;
        struct strbuf state = {0};
        run_explain_set(&in.run, &in.set, &explain);
        log_cut_by_text(&explain.cut, in.tail);
        if (show.all) explain_each(&explain);
        size_t failures = count_failures(&explain);
        status = failures ? 1 : explain.cut.cut || in.shrank ? ERR_LACKS : in.source.cut ? ERR_INPUT : 0;
        say_state(&state, &in, &explain);
        explain_files_add(all, slice_from(path), &explain, strbuf_slice(&state), show.json_limit);
        strbuf_release(&state);
        explain_release(&explain);
    }
    explain_input_release(&in);
    return status;
}

static int explain_many(struct invocation *inv, const explain_paths *paths, const explain_paths *skipped,
                        struct explain_show show, struct err *err) {
    struct explain_files all = {0};
    int64_t began = clock_ns();
    for (size_t i = 0; i < skipped->len; i++) explain_files_skip(&all, slice_from(skipped->items[i]));
    bool failed = false, unreadable = false, lacks = false;
    for (size_t i = 0; i < paths->len; i++) {
        int status = add_file(inv, paths->items[i], show, &all);
        failed |= status == 1;
        unreadable |= status == ERR_INPUT;
        lacks |= status == ERR_LACKS;
    }
    struct term term = inv->work.out;
    if (args_text(&inv->args, "output")) term.color = false, term.columns = 0;
    struct strbuf text = {0};
    if (args_has(&inv->args, "json")) explain_files_json(&text, &all);
    else explain_files_text(&text, &term, &all, show);
    int status = emit_answer(inv, strbuf_slice(&text), false, err);
    if (status == 0 && has_ci(inv)) status = emit_ci(inv, &all, show, began, err);
    strbuf_release(&text);
    explain_files_release(&all);
    if (status != 0) return status;
    if (failed) return 1;
    if (unreadable) return err_set(err, ERR_INPUT, "some of the files cannot be read; there is no failure in the others");
    return lacks ? err_set(err, ERR_LACKS, "some of the logs are empty or end inside a program; no failure up to there") : 0;
}

/* The log of a folder that has one, and the recording of host memory beside it, which form one run; or NULL. */
static const char *log_of_run(const explain_paths *paths) {
    if (paths->len != 2) return NULL;
    bool first = explain_is_recording(paths->items[0]), second = explain_is_recording(paths->items[1]);
    return first == second ? NULL : paths->items[first ? 1 : 0];
}

static int run(struct invocation *inv, struct err *err) {
    struct explain_show show;
    if (parse_show(inv, &show, err) != 0) return -1;
    explain_paths paths = {0}, skipped = {0};
    bool folder = false;
    for (size_t i = 0; i < inv->args.words.len; i++) folder |= explain_paths_add(&paths, &skipped, inv->args.words.items[i]);
    const char *log = folder ? log_of_run(&paths) : NULL;
    int status;
    if (log && !has_ci(inv)) status = explain_one(inv, log, show, err);
    else if (!paths.len) status = err_set(err, ERR_LACKS, "%s has no logs (" EXPLAIN_LOG_NAMES ")", inv->args.words.items[0]);
    else if (paths.len == 1 && !folder && explain_is_recording(paths.items[0]))
        status = explain_recording(inv, paths.items[0], err);
    else if (paths.len == 1 && !folder) status = explain_one(inv, paths.items[0], show, err);
    else status = explain_many(inv, &paths, &skipped, show, err);
    explain_paths_release(&paths);
    explain_paths_release(&skipped);
    return status;
}

static const struct option options[] = {
    OPTION_JSON,
    OPTION_OUTPUT,
    {"module", 0, OPTION_TEXT, "FILE", "an MLIR module, to name the tensor that was asked for"},
    {"limit", 0, OPTION_TEXT, "N", "at most N different failures (default: 20, in JSON all)"},
    {"all", 0, OPTION_FLAG, NULL, "every failure, also those equal to an earlier one"},
    {"junit", 0, OPTION_TEXT, "FILE", "also write the failures as JUnit XML"},
    {"github", 0, OPTION_FLAG, NULL, "also print annotations for GitHub Actions, and a table for the step's summary"},
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_explain = {
    .name = "explain",
    .summary = "Say why a run ran out of memory, and what to do about it",
    .synopsis =
        "LOG|FOLDER|-... [--json] [-o FILE] [--module FILE] [--limit N] [--all] [--junit FILE] [--github] [--last-run] "
        "[--device CHIP]",
    .details =
        "Finds memory failures in any text: a runtime log, pytest or CI output, a pasted message. For several files or "
        "a\n"
        "folder, a line for each file and then the distinct failures. Exit status 1 when a failure was found, 0 when\n"
        "there is none, 4 when a log without one ends inside a program. A recording of host memory (NAME_host.jsonl of ttmem\n"
        "run) shows whether the Linux kernel killed the run for memory, with its last samples.",
    .example = "ttmem explain run.log      # verdict, shortfall and advice for each failure",
    .options = options,
    .min_words = 1,
    .max_words = 10000,
    .run = run,
};
