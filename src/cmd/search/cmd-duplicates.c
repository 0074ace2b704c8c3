/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem duplicates: weights that the device holds more than once. */
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/search/duplicates_report.h"
#include "work/open.h"

enum { DEFAULT_LIMIT = 20 };

static int run(struct invocation *inv, struct err *err) {
    struct input in;
    uint64_t limit;
    if (args_number(&inv->args, "limit", DEFAULT_LIMIT, &limit, err) != 0) return -1;
    if (open_run(&in, &inv->work, inv->args.words.items[0], NULL, err) != 0) return -1;
    int rc = input_check(&in, err);
    if (rc == 0) {
        struct duplicates duplicates;
        struct duplicates_page page = {&in.run, &duplicates, (size_t)limit};
        struct strbuf text = {0};
        bool json = args_has(&inv->args, "json");
        duplicates_find(&in.run, &duplicates);
        if (!duplicates.known)
            rc = err_set(err, ERR_LACKS,
                         "%s shows no const-eval programs that ran: use a TT-XLA log with op lines "
                         "(TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG) of a model that has some",
                         in.path);
        else if (json) duplicates_json(&text, &page);
        else duplicates_text(&text, &inv->work.out, &page);
        if (rc == 0) rc = emit_answer(inv, strbuf_slice(&text), !json, err);
        strbuf_release(&text);
        duplicates_release(&duplicates);
    }
    input_release(&in);
    return rc;
}

static const struct option options[] = {
    {"limit", 0, OPTION_TEXT, "N", "list N rows (20); 0 lists all"}, OPTION_JSON, OPTION_OUTPUT, OPTIONS_OF_RUN, OPTIONS_END,
};

const struct command cmd_duplicates = {
    .name = "duplicates",
    .summary = "List prepared weights that are held more than once",
    .synopsis = "RUN... [--limit N] [--json] [-o FILE] [--last-run] [--device CHIP]",
    .details =
        "Results of const-eval stay in the runtime's cache. Lists the results that identical graphs computed from the same "
        "parameters, in one program or in several, and f32 copies of bf16 weights. A weight beside its one prepared copy is "
        "not listed." OPEN_HELP_SHORT,
    .example = "ttmem duplicates model_profile.log",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
