/* ttmem summary: what is known about a run, on stdout, no files. */
#include "analysis/run/overview.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "base/outfile.h"
#include "work/load.h"
#include "render/json/summary_json.h"
#include "render/answer/summary_text.h"

static int run(struct invocation *inv, struct err *err) {
    struct loaded loaded;
    if (load_log(&loaded, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = load_check(&loaded, err);
    if (rc == 0) {
        struct overview overview;
        struct strbuf text = {0};
        overview_make(&loaded.run, &overview);
        if (args_has(&inv->args, "json")) {
            struct summary_origin origin = {strbuf_slice(&loaded.name), slice_from(inv->args.words.items[0])};
            summary_json(&text, &loaded.run, &overview, &origin, true);
            rc = emit_answer(inv, strbuf_slice(&text), false, err);
        } else {
            struct summary_source source = {strbuf_slice(&loaded.name), inv->args.words.items[0], loaded.read_ns};
            summary_text(&text, &inv->work.out, &loaded.run, &overview, &source);
            rc = emit_answer(inv, strbuf_slice(&text), true, err);
        }
        strbuf_release(&text);
        overview_release(&overview);
    }
    loaded_release(&loaded);
    return rc;
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_summary = {
    .name = "summary",
    .summary = "Tell what a run used: configuration, peaks, growth, padding, weights",
    .synopsis = "LOG [--json] [-o FILE]",
    .details =
        "LOG is a runtime log of TT-XLA or tt-mlir: a file, a .gz or .zst file, or - for stdin. Also taken, by content: a ttnn "
        "report\n"
        "database (db.sqlite), ttrt's memory_results.json, tt-metal's memory CSVs, a ttnn graph capture. Nothing is written.",
    .example = "ttmem summary model_profile.log",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
