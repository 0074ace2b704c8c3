/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem analyze: writes the files of a report and prints the summary. */
#include "base/size.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "source/spool_limit.h"
#include "work/make_report.h"

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    struct report_wish wish = {.options = {.output_dir = args_text(args, "output-dir"),
                                           .name = args_text(args, "name"),
                                           .force = args_has(args, "force"),
                                           .pretty = args_has(args, "pretty"),
                                           .no_page = args_has(args, "no-page"),
                                           .note = args_text(args, "note")},
                               .last_run = args_has(args, "last-run") || args_has(args, "marker"),
                               .marker = args_text(args, "marker")};
    const char *spool = args_text(args, "max-spool");
    spool_limit_option();
    uint64_t most = 0;
    if (spool && (!size_read(slice_from(spool), &most) || !most))
        return err_set(err, ERR_USAGE, "--max-spool takes a size such as 64GB, not '%s'", spool);
    spool_limit_set(most);
    struct made_report made;
    if (make_report(&made, &inv->work, args->words.items[0], &wish, err) != 0) return -1;
    struct strbuf text = {0};
    made_report_text(&text, &inv->work.out, &made);
    int rc = emit_to(inv, NULL, strbuf_slice(&text), true, err);
    strbuf_release(&text);
    made_report_release(&made);
    return rc;
}

static const struct option options[] = {
    OPTION_OUTPUT_DIR("write the files there instead of ~/.ttmem/reports/<name>"),
    {"name", 0, OPTION_TEXT, "NAME", "name of the report (default: from the log's name)"},
    {"marker", 0, OPTION_TEXT, "TEXT", "text printed after each pass; implies --last-run"},
    {"pretty", 0, OPTION_FLAG, NULL, "indent the JSON files"},
    {"no-page", 0, OPTION_FLAG, NULL, "leave out the HTML page"},
    {"note", 0, OPTION_TEXT, "TEXT", "a line that the page shows at its foot"},
    {"force", 0, OPTION_FLAG, NULL, "replace the report of another log that has this name"},
    {"max-spool", 0, OPTION_TEXT, "SIZE",
     "the most of a stream to keep on disk while it is read (default: 4 x free memory, but at most 16GB)"},
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_analyze = {
    .name = "analyze",
    .summary = "Write the report of a run: JSON files, page, summary",
    .synopsis =
        "RUN... [--output-dir DIR] [--name NAME] [--last-run] [--pretty] [--no-page] [--force] [--device CHIP] [options]",
    .details = OPEN_HELP
    "\n"
    "Writes <name>_memory.json, <name>_operations.json, <name>_inputs_registry.json, <name>_ir.json,\n"
    "<name>_report.html (one file, for any browser, without network), <name>_run.ttmem (the run, for ttmem) and\n"
    "<name>_summary.json. The report of the same log "
    "is refreshed; that of another log of the same name is kept\n"
    "and the new one gets -2, -3, ... at the end of its name.",
    .example = "ttmem analyze model_profile.log --output-dir report",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
