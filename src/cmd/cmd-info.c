/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem info: what is in a log, without interpreting it, as fast as the disk allows. */
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "render/answer/info.h"

static int run(struct invocation *inv, struct err *err) {
    const char *path = inv->args.words.items[0];
    struct census census;
    int rc = open_census(&census, &inv->work, path, err);
    struct strbuf text = {0}, all = {0};
    if (inv->work.together_count > 1) {
        strbuf_addf(&all, "%s and %zu more", path, inv->work.together_count - 1);
        path = strbuf_text(&all);
    }
    if (rc == 0 && args_has(&inv->args, "json")) {
        info_json(&text, &census, path);
        rc = emit_answer(inv, strbuf_slice(&text), false, err);
    } else if (rc == 0) {
        info_text(&text, &inv->work.out, &census, path);
        rc = emit_answer(inv, strbuf_slice(&text), true, err);
    }
    bool nothing = !census.ops && !census.blocks && !census.modules.len && !census.programs.len && !census.failures.entries.len;
    if (rc == 0 && nothing && census.binary) rc = err_set(err, ERR_INPUT, "%s is not text, so not a log", path);
    if (rc == 0 && nothing) rc = input_no_run(path, err);
    strbuf_release(&text);
    strbuf_release(&all);
    census_release(&census);
    return rc;
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_OF_RUN, OPTIONS_END};

const struct command cmd_info = {
    .name = "info",
    .summary = "Show what an input holds: ops, modules, failures",
    .synopsis = "RUN... [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details = OPEN_HELP
    "\nCounts the lines of a log without following the run, as fast as the disk allows, and names what is missing.",
    .example = "ttmem info model_profile.log",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
