/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem completion: the completion script of a shell. */
#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/line/completion.h"
#include "cmd/line/emit.h"

static const struct {
    const char *shell;
    void (*write)(struct strbuf *out);
} shells[] = {
    {"bash", completion_bash},
    {"zsh", completion_zsh},
    {"fish", completion_fish},
};

static int run(struct invocation *inv, struct err *err) {
    const char *shell = inv->args.words.items[0];
    size_t i = 0, count = sizeof shells / sizeof *shells;
    while (i < count && strcmp(shells[i].shell, shell) != 0) i++;
    if (i == count) return err_set(err, ERR_USAGE, "no completion for '%s'; there is one for bash, zsh and fish", shell);
    struct strbuf script = {0};
    shells[i].write(&script);
    int rc = emit_answer(inv, strbuf_slice(&script), false, err);
    strbuf_release(&script);
    return rc;
}

static const struct option options[] = {
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_completion = {
    .name = "completion",
    .summary = "Print the completion script of a shell",
    .synopsis = "bash|zsh|fish [-o FILE]",
    .details = "Packages and ./dev install put the scripts where the shells look for them; this is for everything else.",
    .example = "eval \"$(ttmem completion bash)\"",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
