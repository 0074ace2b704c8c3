/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem run: runs a program, keeps its output as a log, makes the report. Also called tt-memory-profiler. */
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/shell.h"
#include "cmd/line/cmd.h"
#include "input/kinds.h"
#include "store/recent.h"
#include "work/make_report.h"
#include "work/profile.h"
#include "work/ttnn_env.h"

/* stdout belongs to the program: ttmem's messages go to stderr. */
static void say(const struct invocation *inv, struct slice text) {
    if (inv->work.quiet) return;
    struct term term = term_of(STDERR_FILENO, args_has(&inv->args, "no-color"));
    struct strbuf fitted = {0};
    term_fit_lines(&fitted, &term, text);
    write_all(STDERR_FILENO, strbuf_slice(&fitted), NULL);
    strbuf_release(&fitted);
}

static void say_next(const struct invocation *inv, const struct profile *profile) {
    static const char *const next[] = {"analyze", "analyze --last-run", "summary", "last-run"};
    struct strbuf text = {0}, line = {0};
    strbuf_addz(&text, "\n  Next:\n");
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        strbuf_clear(&line);
        shell_word(&line, strbuf_slice(&profile->log));
        strbuf_addf(&text, "    ttmem %s %s\n", next[i], strbuf_text(&line));
    }
    say(inv, strbuf_slice(&text));
    strbuf_release(&text);
    strbuf_release(&line);
}

/* The next command to suggest; after a failure, ttmem explain. */
static void say_after_report(struct strbuf *text, const struct profile *profile, const struct made_report *made) {
    struct strbuf folder = {0}, log = {0};
    shell_word(&folder, strbuf_slice(&made->folder));
    shell_word(&log, strbuf_slice(&profile->log));
    strbuf_addz(text, "  Next: ");
    if (made->in.run.failures.entries.len) strbuf_addf(text, "ttmem explain %s, ", strbuf_text(&log));
    strbuf_addf(text, "ttmem view %s, ttmem live %s --at peak, ttmem serve\n", strbuf_text(&folder), strbuf_text(&folder));
    strbuf_release(&folder);
    strbuf_release(&log);
}

/* The report beside the log. */
static int report_of(struct invocation *inv, struct profile *profile, const char *path, struct err *err) {
    struct report_wish wish = {.options = {.output_dir = strbuf_text(&profile->folder), .name = strbuf_text(&profile->name)}};
    struct made_report made;
    if (make_report(&made, &inv->work, path, &wish, err) != 0) return -1;
    struct term term = term_of(STDERR_FILENO, args_has(&inv->args, "no-color"));
    struct strbuf text = {0};
    strbuf_addc(&text, '\n');
    made_report_text(&text, &term, &made);
    recent_add(strbuf_text(&made.folder), RECENT_REPORTS); /* so that ttmem serve lists it */
    say_after_report(&text, profile, &made);
    say(inv, strbuf_slice(&text));
    strbuf_release(&text);
    made_report_release(&made);
    return 0;
}

/* Of several processes the last makes the report of the whole folder; the others say so. */
static int report_of_all(struct invocation *inv, struct profile *profile) {
    struct err err = {0};
    struct strbuf all = {0};
    const char *slash = strrchr(strbuf_text(&profile->folder), '/');
    strbuf_add(&all, slice_between(profile->folder.data, slash));
    int status = 0;
    if (!launched_done(&profile->launched, strbuf_text(&profile->folder), profile->end.status)) {
        work_note(&inv->work, "rank %llu is done: the last rank to finish makes the report; ttmem analyze %s makes it too",
                  (unsigned long long)profile->launched.rank, strbuf_text(&all));
    } else {
        strbuf_clear(&profile->folder);
        strbuf_add(&profile->folder, strbuf_slice(&all));
        if (!launched_share_name(strbuf_text(&all), strbuf_text(&profile->name))) {
            slash = strrchr(strbuf_text(&all), '/');
            strbuf_clear(&profile->name);
            strbuf_addz(&profile->name, slash ? slash + 1 : strbuf_text(&all));
        }
        if (report_of(inv, profile, strbuf_text(&all), &err) != 0) {
            work_error("%s", err.text);
            status = (int)err.code;
        }
    }
    strbuf_release(&all);
    return status;
}

/* From Inspector's folder if that was requested and has anything, else from the log. Returns an exit status. */
static int report(struct invocation *inv, struct profile *profile) {
    struct err err = {0};
    if (profile->inspector.len) {
        const char *folder = strbuf_text(&profile->inspector);
        if (!inspector_is_folder(folder))
            work_note(&inv->work, "Inspector wrote nothing: no device was opened, or this tt-metal is older than 2026-08-21");
        else if (report_of(inv, profile, folder, &err) == 0) return 0;
        else work_note(&inv->work, "%s", err.text);
        err = (struct err){0};
    }
    if (profile->ttnn.len) {
        struct strbuf found = {0};
        bool there = ttnn_env_report(&found, strbuf_text(&profile->ttnn));
        int rc = there ? report_of(inv, profile, strbuf_text(&found), &err) : -1;
        strbuf_release(&found);
        if (rc == 0) return 0;
        work_note(
            &inv->work, "%s",
            there ? err.text
                  : "ttnn wrote no report: the program opened no device through ttnn, or does not use ttnn's Python package");
        err = (struct err){0};
    }
    if (report_of(inv, profile, strbuf_text(&profile->log), &err) == 0) return 0;
    if (profile->inspector.len && strstr(err.text, "ttmem run --inspector")) /* which this was */
        work_error("%s records no memory either: update tt-metal, or build TT-XLA with TT_RUNTIME_DEBUG=ON (the debug preset)",
                   strbuf_text(&profile->log));
    else work_error("%s", err.text);
    return (int)err.code;
}

/* The older program's other jobs. */
static int run_other(struct invocation *inv, const char *command, const char *what) {
    const char *output_dir = args_text(&inv->args, "output-dir");
    const char *words[] = {what, output_dir ? "--output-dir" : NULL, output_dir, NULL};
    return command_call(inv->program, command, words);
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    if (args_text(args, "analyze")) return run_other(inv, "analyze", args_text(args, "analyze"));
    if (args_text(args, "visualize")) {
        const char *words[] = {args_text(args, "visualize"), NULL};
        return command_call(inv->program, "view", words);
    }
    if (!args->rest || !args->rest[0])
        return err_set(err, ERR_USAGE, "nothing to run; usage: ttmem run %s", inv->command->synopsis);
    struct profile_wish wish = {.command = args->rest,
                                .output_dir = args_text(args, "output-dir"),
                                .name = args_text(args, "name"),
                                .quiet_child = args_has(args, "quiet-child"),
                                .inspector = args_has(args, "inspector"),
                                .ttnn_report = args_has(args, "ttnn-report"),
                                .no_host = args_has(args, "no-host")};
    struct profile profile;
    int status = profile_run(&profile, &inv->work, &wish, err);
    if (status == 0) {
        int own = 0;
        if (args_has(args, "log-only") || args_has(args, "log")) say_next(inv, &profile);
        else if (profile.launched.several) own = report_of_all(inv, &profile);
        else own = report(inv, &profile);
        if (profile.launched.unnamed)
            work_note(&inv->work,
                      "rank %llu by TT_RUN_RANK, and nothing names the run: give ttmem analyze the folders of all ranks "
                      "to make their report",
                      (unsigned long long)profile.launched.rank);
        status = profile_status(&profile, own);
    }
    profile_end(&profile);
    return status;
}

static const struct option options[] = {
    {"log-only", 0, OPTION_FLAG, NULL, "keep the log, make no report"},
    OPTION_OUTPUT_DIR("make the run's folder there instead of ./logs"),
    {"name", 0, OPTION_TEXT, "NAME", "name of the run (default: of the script or program)"},
    {"quiet-child", 0, OPTION_FLAG, NULL, "the program's output goes to the log alone"},
    {"inspector", 0, OPTION_FLAG, NULL, "record device buffers with tt-metal's Inspector: works in release builds"},
    {"ttnn-report", 0, OPTION_FLAG, NULL, "let ttnn write its report (buffers, Python stacks), and read it"},
    {"no-host", 0, OPTION_FLAG, NULL, "do not record the host memory of the program's processes"},
    {"log", 0, OPTION_FLAG, NULL, "spelling of --log-only in tt-memory-profiler, the older Python tool"},
    {"analyze", 0, OPTION_TEXT, "LOG", "spelling of ttmem analyze LOG in tt-memory-profiler"},
    {"visualize", 0, OPTION_TEXT, "DIR", "spelling of ttmem view DIR in tt-memory-profiler"},
    OPTIONS_END,
};

const struct command cmd_run = {
    .name = "run",
    .summary = "Run a program, keep its output as a log, write the report",
    .synopsis =
        "[--log-only] [--output-dir DIR] [--name NAME] [--quiet-child] [--inspector] [--ttnn-report] [--no-host] [--] "
        "COMMAND|SCRIPT.py "
        "[ARGS...]",
    .details =
        "Makes the folder ./logs/<name>_YYYYMMDD_HHMMSS with <name>_profile.log and the files of the report. A .py file is\n"
        "run by the python3 of the active virtual environment, with -u. Unless already set, the program gets\n"
        "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG TT_RUNTIME_MEMORY_LOG_LEVEL=all TTXLA_LOGGER_LEVEL=DEBUG PYTHONUNBUFFERED=1.\n"
        "\n"
        "Under mpirun, tt-run or srun all processes share the folder ./logs/run_<job> (with --name: <name>_<job>), with\n"
        "a folder rank.N for each, whatever programs they run; the last to finish makes the report of all ranks, as ttmem "
        "analyze does "
        "for that folder.\n"
        "\n"
        "With --inspector the folder inspector/ beside the log gets the files of tt-metal's Inspector (tt-metal from "
        "2026-08-21 or later),\n"
        "and the report is made from them: every buffer with its address, in release builds too.\n"
        "\n"
        "With --ttnn-report the program gets TTNN_CONFIG_OVERRIDES (yours take precedence), so that ttnn writes its report "
        "into the "
        "folder\n"
        "ttnn/ beside the log, and the report is made from it: circular buffers, tensors, durations, lines of the model.\n"
        "\n"
        "The host memory of the program's processes is sampled into <name>_host.jsonl beside the log; --no-host turns that "
        "off.\n"
        "\n"
        "What the program prints, on stdout and stderr, goes to the log and to stdout at the same time, byte for byte; "
        "ttmem's\n"
        "own messages go to stderr, on a terminal with a status line while the program runs. Ctrl+C goes to the\n"
        "program (the third one kills it); the report is made from what was printed until then. The exit status is\n"
        "the program's, 128+n when signal n ended it; when it is 0, that of the report (4: the log lacks what is needed).",
    .example = "ttmem run -- python3 -u model.py --batch 8",
    .options = options,
    .takes_rest = true,
    .run = run,
};
