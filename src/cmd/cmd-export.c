/* ttmem export: a run in the format of another program. */
#include "analysis/run/overview.h"
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "work/load.h"
#include "work/run_ref.h"
#include "work/version.h"
#include "render/export/export.h"

static const struct export_format *find_format(const char *name, struct err *err) {
    struct strbuf known = {0};
    for (const struct export_format *format = export_formats; format->name; format++) {
        if (name && strcmp(format->name, name) == 0) {
            strbuf_release(&known);
            return format;
        }
        strbuf_addf(&known, "%s%s", known.len ? ", " : "", format->name);
    }
    err_set(err, ERR_USAGE, "--format takes one of %s", strbuf_text(&known));
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

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *output = args_text(args, "output"), *table = args_text(args, "table");
    const struct export_format *format = find_format(args_text(args, "format"), err);
    struct strbuf path = {0};
    struct loaded loaded;
    if (!format) return -1;
    if (format->needs_file && (!output || strcmp(output, "-") == 0))
        return err_set(err, ERR_USAGE, "--format %s needs a file to write: -o FILE", format->name);
    if (table && strcmp(format->name, "csv") != 0) return err_set(err, ERR_USAGE, "--table belongs to --format csv");
    int rc = run_ref_log(&inv->work, args->words.items[0], &path, err);
    if (rc == 0) rc = load_log(&loaded, &inv->work, strbuf_text(&path), work_temporary_folder(), err);
    if (rc == 0) {
        struct output_job job = {.run = &loaded.run,
                                 .name = strbuf_slice(&loaded.name),
                                 .path = strbuf_text(&path),
                                 .version = version_number(),
                                 .table = table ? table : export_tables[0]};
        rc = load_check(&loaded, err);
        if (rc == 0) rc = write_export(format, &job, output ? output : "-", err);
        loaded_release(&loaded);
    }
    strbuf_release(&path);
    return rc;
}

static const struct option options[] = {
    {"format", 'f', OPTION_TEXT, "chrome|speedscope|folded|csv|sqlite|pytorch", "what to write"},
    {"table", 0, OPTION_TEXT, "ops|blocks|tensors|pools", "csv: which table (ops)"},
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_export = {
    .name = "export",
    .summary = "Write a run for Perfetto, speedscope, a flame graph, a spreadsheet, SQLite or PyTorch's viewer",
    .synopsis = "RUN --format FORMAT [--table TABLE] [-o FILE]",
    .details =
        "RUN is what analyze reads (a log, a file of another tool, a recording of top; .gz, .zst, - for stdin), or a report or "
        "a\n"
        "run of the history, by folder, name or id, whose log is still where it was.\n"
        "chrome      ops as slices per program and rank, pools as counters: ui.perfetto.dev, chrome://tracing, Tracy\n"
        "speedscope  what is alive at the peak by module and op: speedscope.app\n"
        "folded      the same as a line per stack: flamegraph.pl, inferno\n"
        "csv         a table of the ops, memory blocks, tensors or pools\n"
        "sqlite      all these tables in a database\n"
        "pytorch     allocations and frees with frames: pytorch.org/memory_viz\n"
        "A log has no durations: where a format wants time, a step of the log is a microsecond. Databases, captures and "
        "recordings\n"
        "have times: chrome shows them.",
    .example = "ttmem export model_profile.log --format chrome -o model.trace.json",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
