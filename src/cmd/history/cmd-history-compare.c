/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem history compare: ttmem diff of two runs of the history. */
#include "cmd/line/cmd.h"
#include "cmd/history/history_options.h"

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *words[16];
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (!history_word(args->words.items[i]))
            return err_set(err, ERR_USAGE,
                           "'%.100s' is not the id of a run: give its first digits, at least %d, or branch:NAME; ttmem diff "
                           "compares logs and other inputs, too",
                           args->words.items[i], HISTORY_PREFIX_MIN);
        words[n++] = args->words.items[i];
    }
    static const char *const passed[][2] = {{"store", "--store"}, {"format", "--format"}, {"output", "--output"}};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (args_has(args, passed[i][0])) {
            words[n++] = passed[i][1];
            words[n++] = args_text(args, passed[i][0]);
        }
    if (args_has(args, "json")) words[n++] = "--json";
    words[n] = NULL;
    return command_call(inv->program, "diff", words);
}

static const struct option options[] = {
    {"format", 0, OPTION_TEXT, "text|markdown|json|html", "form of the result (text)"},
    OPTION_STORE,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_history_compare = {
    .name = "history compare",
    .summary = "Compare two runs of the history, as ttmem diff does",
    .synopsis = "ID|branch:NAME ID|branch:NAME [--format text|markdown|json|html] [-o FILE] [options]",
    .details = "ID is the id that history list shows; its first characters are enough, if no other id begins with them.",
    .example = "ttmem history compare branch:main branch:feature",
    .options = options,
    .min_words = 2,
    .max_words = 2,
    .run = run,
};
