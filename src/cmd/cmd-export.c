/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem export: a run in the format of another program. */
#include "base/num.h"
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "work/open.h"
#include "work/version.h"
#include "render/export/export.h"
#include "work/visualizer/visualizer_export.h"

#define VISUALIZER "ttnn-visualizer"

static const struct export_format *find_format(const char *name, struct err *err) {
    struct strbuf known = {0};
    for (const struct export_format *format = export_formats; format->name; format++) {
        if (name && strcmp(format->name, name) == 0) {
            strbuf_release(&known);
            return format;
        }
        strbuf_addf(&known, "%s%s", known.len ? ", " : "", format->name);
    }
    err_set(err, ERR_USAGE, "%s: give one of %s, " VISUALIZER, name ? "unknown format" : "--format is missing",
            strbuf_text(&known));
    strbuf_release(&known);
    return NULL;
}

static int write_export(const struct export_format *format, const struct output_job *job, const char *path, struct err *err) {
    struct outfile file;
    if (outfile_open(&file, path, err) != 0) return -1;
    int rc = format->needs_file && !file.temporary
                 ? err_set(err, ERR_USAGE, "--format %s needs a file to write: -o FILE", format->name)
                 : format->write(job, &file, err);
    if (rc == 0) return outfile_commit(&file, err);
    outfile_abort(&file);
    return -1;
}

/* "3..40" */
static int read_range(const char *text, struct visualizer_wish *wish, struct err *err) {
    struct slice rest = slice_from(text);
    size_t used = num_read_u64(rest, &wish->first);
    rest = slice_skip(rest, used);
    bool good = used && slice_starts(rest, SLICE(".."));
    rest = slice_skip(rest, good ? 2 : 0);
    wish->has_range = good && rest.len && num_read_u64(rest, &wish->last) == rest.len && wish->first <= wish->last;
    return wish->has_range ? 0 : err_set(err, ERR_USAGE, "--ops takes A..B, numbers of ops, not '%.100s'", text);
}

static int run_visualizer(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *ops = args_text(args, "ops"), *folder = args_text(args, "output-dir"), *output = args_text(args, "output");
    if (folder && output) return err_set(err, ERR_USAGE, "--output-dir and -o both name the folder: give one of them");
    struct visualizer_wish wish = {
        .folder = folder ? folder : output, .no_addresses = args_has(args, "no-addresses"), .version = version_number()};
    if (!wish.folder || strcmp(wish.folder, "-") == 0)
        return err_set(err, ERR_USAGE, "--format " VISUALIZER " needs a folder to write: --output-dir DIR");
    if (ops && read_range(ops, &wish, err) != 0) return -1;
    return visualizer_export(&inv->work, args->words.items[0], &wish, err);
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *name = args_text(args, "format");
    if (name && strcmp(name, VISUALIZER) == 0) return run_visualizer(inv, err);
    if (args_has(args, "ops") || args_has(args, "no-addresses"))
        return err_set(err, ERR_USAGE, "--ops and --no-addresses need --format " VISUALIZER);
    const char *output = args_text(args, "output"), *table = args_text(args, "table");
    const struct export_format *format = find_format(name, err);
    struct input in;
    if (!format) return -1;
    if (format->needs_file && (!output || strcmp(output, "-") == 0))
        return err_set(err, ERR_USAGE, "--format %s needs a file to write: -o FILE", format->name);
    if (table && !format->one_table) return err_set(err, ERR_USAGE, "--table needs --format csv");
    if (args_has(args, "output-dir"))
        return err_set(err, ERR_USAGE, "--output-dir needs --format " VISUALIZER "; other formats take -o FILE");
    int rc = open_run(&in, &inv->work, args->words.items[0], input_temporary_folder(), err);
    if (rc == 0) {
        struct output_job job = {.run = &in.run,
                                 .name = strbuf_slice(&in.name),
                                 .path = strbuf_text(&in.origin),
                                 .version = version_number(),
                                 .table = table ? table : export_tables[0]};
        struct overview overview = {0};
        bool needs_overview = export_needs_overview(format, job.table);
        rc = input_check(&in, err);
        if (rc == 0 && needs_overview) overview_make(&in.run, &overview), job.overview = &overview;
        if (rc == 0) rc = write_export(format, &job, output ? output : "-", err);
        if (job.overview) overview_release(&overview);
        input_release(&in);
    }
    return rc;
}

static const struct option options[] = {
    {"format", 'f', OPTION_TEXT, "chrome|speedscope|folded|csv|sqlite|pytorch|ttnn-visualizer", "what to write"},
    {"table", 0, OPTION_TEXT, "ops|blocks|tensors|pools|peaks|growth|failures|run", "csv: which table (ops)"},
    {"ops", 0, OPTION_TEXT, "A..B", "ttnn-visualizer: only these ops, by their ids in the database"},
    {"no-addresses", 0, OPTION_FLAG, NULL, "ttnn-visualizer: leave addresses and buffers out"},
    OPTION_OUTPUT,
    OPTION_OUTPUT_DIR("ttnn-visualizer: where to write db.sqlite; -o DIR does the same"),
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_export = {
    .name = "export",
    .summary = "Export a run to Perfetto, speedscope, CSV, SQLite, ...",
    .synopsis =
        "RUN... --format FORMAT [--table TABLE] [--ops A..B] [--no-addresses] [-o FILE|--output-dir DIR] [--last-run] "
        "[--device CHIP]",
    .details = OPEN_HELP
    "\n"
    "  chrome      ops as slices per program and rank, pools as counters:\n"
    "              ui.perfetto.dev, chrome://tracing, Tracy\n"
    "  speedscope  what is alive at the peak by module and op: speedscope.app\n"
    "  folded      the same as a line per stack: flamegraph.pl, inferno\n"
    "  csv         a table: ops, memory blocks, tensors, pools, peaks, growth,\n"
    "              failures, or facts about the run\n"
    "  sqlite      all these tables in a database\n"
    "  pytorch     allocations and frees with frames: pytorch.org/memory_viz\n"
    "  ttnn-visualizer\n"
    "              DIR/db.sqlite for ttnn-visualizer, from anything that ttmem reads;\n"
    "              --output-dir names the folder\n\n"
    "A log has no durations: where a format needs time, a step of the log is a microsecond. Databases, captures and "
    "recordings\n"
    "have times: chrome shows them.",
    .example = "ttmem export model_profile.log --format chrome -o model.trace.json",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
