/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem report, and ttmem --llm: the report for agents on stdout, the report's files in the home of ttmem. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cmd/line/cmd.h"
#include "work/keep.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "render/markdown/report_md.h"

static int log_path(const struct args *args, const char **path, struct err *err) {
    const char *word = args->words.len ? args->words.items[0] : NULL, *option = args_text(args, "logfile");
    if (word && option) return err_set(err, ERR_USAGE, "'%s' and --logfile '%s' name two logs: give one of them", word, option);
    *path = word ? word : option;
    return *path ? 0 : err_set(err, ERR_USAGE, "too few arguments; usage: ttmem report RUN, or ttmem --llm --logfile RUN");
}

static int token_limit(const struct args *args, uint64_t *limit, struct err *err) {
    const char *text = args_text(args, "max-tokens");
    *limit = 0;
    if (!text) return 0;
    if (num_read_u64(slice_from(text), limit) != strlen(text) || *limit < REPORT_TOKENS_MIN)
        return err_set(err, ERR_USAGE, "--max-tokens takes a number of at least %d, not '%s'", REPORT_TOKENS_MIN, text);
    return 0;
}

static int check_options(const struct args *args, const struct report_options *options, struct report_request *request,
                         struct err *err) {
    const char *format = args_text(args, "format");
    if (format && strcmp(format, "markdown") != 0)
        return err_set(err, ERR_USAGE, "--format takes markdown, not '%.100s'", format);
    if (options->name && report_check_name(options->name, err) != 0) return -1;
    if (log_path(args, &request->path, err) != 0) return -1;
    return token_limit(args, &request->max_tokens, err);
}

/* The report has been printed: if it cannot be kept, a note is enough. */
static void keep(struct invocation *inv, struct input *in, const struct overview *overview,
                 const struct report_options *options, const struct strbuf *text) {
    struct err err = {0};
    struct strbuf folder = {0};
    if (keep_report(&inv->work, in, overview, options, text, &folder, &err) != 0)
        work_note(&inv->work, "the report's files were not kept: %s", err.text);
    strbuf_release(&folder);
}

/* Reads the log; *kept: its files can be kept. */
static int load(struct input *in, struct invocation *inv, const char *path, const struct report_options *options, bool *kept,
                struct err *err) {
    struct strbuf folder = {0};
    struct err home = {0};
    *kept = !args_has(&inv->args, "no-files");
    if (open_try(&inv->work, path, err) != 0) return -1;
    if (*kept && report_spool_folder(&folder, options, &home) != 0) {
        work_note(&inv->work, "the report's files are not kept: %s", home.text);
        *kept = false;
    }
    int rc = open_run(in, &inv->work, path, *kept ? strbuf_text(&folder) : NULL, err);
    strbuf_release(&folder);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const struct report_options options = {.name = args_text(args, "name")};
    struct report_request request = {0};
    struct input in;
    bool kept;
    if (check_options(args, &options, &request, err) != 0) return -1;
    if (load(&in, inv, request.path, &options, &kept, err) != 0) return -1;
    if (inv->work.together_count > 1) request.path = in.path;
    int rc = input_check(&in, err);
    if (rc == 0) {
        struct overview overview;
        struct report_figures figures;
        struct strbuf text = {0};
        overview_make(&in.run, &overview);
        report_figures_make(&in.run, &overview, &figures);
        request.name = options.name ? slice_from(options.name) : strbuf_slice(&in.name);
        report_md(&text, &in.run, &overview, &figures, &request);
        rc = emit_answer(inv, strbuf_slice(&text), false, err);
        if (rc == 0 && kept && request.max_tokens) { /* what is kept is complete */
            strbuf_clear(&text);
            request.max_tokens = 0;
            report_md(&text, &in.run, &overview, &figures, &request);
        }
        if (rc == 0 && kept) keep(inv, &in, &overview, &options, &text);
        strbuf_release(&text);
        report_figures_release(&figures);
        overview_release(&overview);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"llm", 0, OPTION_FLAG, NULL, "the report for agents (the default)"},
    {"logfile", 0, OPTION_TEXT, "LOG", "the log, where it is not named as an argument"},
    {"format", 0, OPTION_TEXT, "markdown", "form of the report"},
    {"max-tokens", 0, OPTION_TEXT, "N", "shorten tables so that the report has at most N tokens (500 or more)"},
    OPTION_OUTPUT,
    {"name", 0, OPTION_TEXT, "NAME", "name of the report (default: from the log's name)"},
    {"no-files", 0, OPTION_FLAG, NULL, "keep no files in ~/.ttmem/reports/<name>"},
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_report = {
    .name = "report",
    .summary = "Print the markdown report for agents, and keep its files",
    .synopsis = "RUN... [--format markdown] [--max-tokens N] [-o FILE] [--name NAME] [--no-files] [--last-run] [--device CHIP]",
    .details =
        "Also: ttmem --llm --logfile LOG [-o FILE]. Only the report goes to stdout. The report's files are kept in\n"
        "~/.ttmem/reports/<name>, with the report itself, always whole, as <name>_report.md." OPEN_HELP_SHORT,
    .example = "ttmem --llm --logfile model_profile.log",
    .options = options,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
