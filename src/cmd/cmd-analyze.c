/* ttmem analyze: writes the files of a report and prints the summary. */
#include <stdio.h>

#include "analysis/overview.h"
#include "cmd/cmd.h"
#include "cmd/keep.h"
#include "cmd/load.h"
#include "render/summary_text.h"

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    struct report_options options = {.output_dir = args_text(args, "output-dir"),
                                     .name = args_text(args, "name"),
                                     .force = args_has(args, "force"),
                                     .pretty = args_has(args, "pretty"),
                                     .no_page = args_has(args, "no-page")};
    const char *path = args->words.items[0];
    struct strbuf spool = {0}, folder = {0}, text = {0};
    struct loaded loaded;
    int rc = report_folder(&spool, &options, err);
    if (rc == 0) rc = load_log(&loaded, inv, path, strbuf_text(&spool), err);
    strbuf_release(&spool);
    if (rc != 0) return -1;
    rc = load_check(&loaded, err);
    if (rc == 0) {
        struct overview overview;
        overview_make(&loaded.run, &overview);
        rc = keep_report(inv, &loaded, &overview, &options, NULL, &folder, err);
        if (rc == 0) {
            struct summary_source source = {strbuf_slice(&loaded.name), path, loaded.read_ns};
            summary_text(&text, &inv->out, &loaded.run, &overview, &source);
            strbuf_addz(&text, "\n  Report: ");
            term_text(&text, &inv->out, strbuf_slice(&folder), 0);
            strbuf_addc(&text, '\n');
            rc = print_text(inv, strbuf_slice(&text), err);
        }
        overview_release(&overview);
    }
    strbuf_release(&folder);
    strbuf_release(&text);
    loaded_release(&loaded);
    return rc;
}

static const struct option options[] = {
    {"output-dir", 0, OPTION_TEXT, "DIR", "write the files there instead of ~/.ttmem/reports/<name>"},
    {"name", 0, OPTION_TEXT, "NAME", "name of the report (default: from the log's name)"},
    {"pretty", 0, OPTION_FLAG, NULL, "indent the JSON files"},
    {"no-page", 0, OPTION_FLAG, NULL, "leave out the HTML page"},
    {"force", 0, OPTION_FLAG, NULL, "take the name over from the report of another log"},
    OPTIONS_END,
};

const struct command cmd_analyze = {
    .name = "analyze",
    .summary = "Write the report of a log: JSON files, a page and a summary",
    .synopsis = "LOG [--output-dir DIR] [--name NAME] [--pretty] [--no-page] [--force]",
    .details = "LOG is a runtime log of TT-XLA or tt-mlir: a file, a .gz or .zst file, or - for stdin.\n"
               "Writes <name>_memory.json, <name>_operations.json, <name>_inputs_registry.json, <name>_ir.json,\n"
               "<name>_report.html (one file, for any browser, without network) and <name>_summary.json. The report of the same log is refreshed; that of another log of the same name is kept\n"
               "and the new one gets -2, -3, ... behind its name.",
    .example = "ttmem analyze model_profile.log --output-dir report",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
