/* ttmem info: what is in a log, without understanding it: as fast as the disk allows. */
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/load.h"
#include "render/answer/info.h"

static int run(struct invocation *inv, struct err *err) {
    const char *path = inv->args.words.items[0];
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    struct progress progress;
    progress_start(&progress, inv->work.progress, "reading", source.mapped ? source.bytes.len : 0);
    struct census census;
    int rc = census_take(&census, &source, &progress, err);
    progress_end(&progress);
    struct strbuf text = {0};
    if (rc == 0 && !census.bytes) rc = err_set(err, ERR_LACKS, "%s is empty", path);
    if (rc == 0 && args_has(&inv->args, "json")) {
        info_json(&text, &census, path);
        rc = emit_answer(inv, strbuf_slice(&text), false, err);
    } else if (rc == 0) {
        info_text(&text, &inv->work.out, &census, path);
        rc = emit_answer(inv, strbuf_slice(&text), true, err);
    }
    bool nothing = !census.ops && !census.blocks && !census.modules.len && !census.programs.len && !census.failures.entries.len;
    if (rc == 0 && nothing) rc = no_run_in(path, err);
    strbuf_release(&text);
    census_release(&census);
    source_release(&source);
    return rc;
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_info = {
    .name = "info",
    .summary = "Tell what is in a log: shape, ops, blocks, programs, modules, failures",
    .synopsis = "LOG [--json] [-o FILE]",
    .details =
        "LOG is a file, a .gz or .zst file, or - for stdin. Counts lines without following the run, as fast as the disk\n"
        "allows, and names what the log lacks.",
    .example = "ttmem info model_profile.log",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
