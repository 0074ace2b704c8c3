/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem summary: the summary of a run on stdout, without files. */
#include "analysis/run/overview.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "render/json/summary_json.h"
#include "render/answer/summary_text.h"

static int run(struct invocation *inv, struct err *err) {
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", 0, &limit, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) {
        struct overview overview;
        struct strbuf text = {0};
        overview_make(&in.run, &overview);
        if (args_has(&inv->args, "json")) {
            struct summary_origin origin = {
                .name = strbuf_slice(&in.name), .path = slice_from(in.path), .ranks = (size_t)limit};
            summary_json(&text, &in.run, &overview, &origin, true);
            rc = emit_answer(inv, strbuf_slice(&text), false, err);
        } else {
            struct summary_source source = {strbuf_slice(&in.name), in.path};
            summary_text(&text, &inv->work.out, &in.run, &overview, &source);
            rc = emit_answer(inv, strbuf_slice(&text), true, err);
        }
        strbuf_release(&text);
        overview_release(&overview);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    OPTION_JSON,
    {"limit", 0, OPTION_TEXT, "N", "with --json, the N ranks with the highest DRAM peaks; 0 lists all"},
    OPTION_OUTPUT,
    OPTIONS_OF_RUN,
    OPTIONS_END};

const struct command cmd_summary = {
    .name = "summary",
    .summary = "Summarize a run: peak, growth, padding, weights, failures",
    .synopsis = "RUN... [--json [--limit N]] [-o FILE] [--last-run] [--device CHIP]",
    .details = OPEN_HELP "\nWrites no files.",
    .example = "ttmem summary model_profile.log",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
