/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem skill: what a coding agent should know about memory on these chips, as a skill that it can load. */
#include <string.h>

#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "cmd/mcp/documents.h"

static int install(const struct invocation *inv, const char *folder, struct err *err) {
    const char *name;
    struct slice text;
    struct strbuf path = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && document_of_skill(i, &name, &text); i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, name);
        char *slash = strrchr(strbuf_text(&path), '/');
        *slash = '\0';
        rc = make_folders(path.data, err);
        *slash = '/';
        if (rc == 0) rc = outfile_put(strbuf_text(&path), text, err);
        if (rc == 0 && i == 0) work_note(&inv->work, "wrote %s", strbuf_text(&path));
    }
    strbuf_release(&path);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    const char *folder = args_text(&inv->args, "install"), *name;
    struct slice text;
    if (folder) return install(inv, folder, err);
    document_of_skill(0, &name, &text);
    return emit_answer(inv, text, false, err);
}

static const struct option options[] = {
    {"install", 0, OPTION_TEXT, "DIR", "write the skill and its references below DIR, such as .claude/skills"},
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_skill = {
    .name = "skill",
    .summary = "Print or install the skill for coding agents",
    .synopsis = "[--install DIR] [-o FILE]",
    .details =
        "The skill tells an agent when to reach for ttmem and in which order: get a log, explain a failure, look at the peak,\n"
        "change one thing, let diff and check decide. It is a folder with a SKILL.md, as agents that load skills expect.",
    .example = "ttmem skill --install .claude/skills",
    .options = options,
    .min_words = 0,
    .max_words = 0,
    .run = run,
};
