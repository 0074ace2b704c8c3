/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/line/completion.h"
#include "cmd/line/programs.h"

/* In single quotes, in which fish reads \' and \\ as ' and \. */
static void add_quoted(struct strbuf *out, const char *text) {
    strbuf_addc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') strbuf_addc(out, '\\');
        strbuf_addc(out, *text);
    }
    strbuf_addc(out, '\'');
}

static void add_action(struct strbuf *out, enum completion_kind kind, const char *value) {
    switch (kind) {
        case COMPLETE_WORDS:
        case COMPLETE_CHIPS:
            strbuf_addz(out, " -a '");
            completion_words(out, kind, value);
            strbuf_addc(out, '\'');
            return;
        case COMPLETE_FILES:
            strbuf_addz(out, " -F");
            return;
        case COMPLETE_FOLDERS:
            strbuf_addz(out, " -a '(__fish_complete_directories)'");
            return;
        case COMPLETE_REPORTS:
            strbuf_addz(out, " -F -a '(__ttmem_reports)'");
            return;
        case COMPLETE_PROGRAM:
            strbuf_addz(out, " -F");
            return;
        case COMPLETE_NOTHING:
            return;
    }
}

/* Options and arguments of a command, for ttmem after that command's words, or for an older program. */
static void add_command(struct strbuf *out, const struct command *command, const struct older_program *program) {
    const char *name = program ? program->name : "ttmem";
    const struct option *const tables[] = {command->options, common_options};
    struct strbuf start = {0};
    strbuf_addf(&start, "complete -c %s", name);
    if (!program) strbuf_addf(&start, " -n '__ttmem_is \"%s\"'", command->name);
    for (size_t t = 0; t < 2; t++)
        for (const struct option *o = tables[t]; o && o->name; o++) {
            strbuf_add(out, strbuf_slice(&start));
            if (o->letter) strbuf_addf(out, " -s %c", o->letter);
            strbuf_addf(out, " -l %s", o->name);
            if (option_takes_value(o)) {
                enum completion_kind kind = completion_of_option(o);
                strbuf_addz(out, kind == COMPLETE_FILES || kind == COMPLETE_REPORTS ? " -r" : " -x");
                add_action(out, kind, o->value);
            }
            strbuf_addz(out, " -d ");
            add_quoted(out, o->help);
            strbuf_addc(out, '\n');
        }
    enum completion_kind kind = completion_of_words(command);
    strbuf_add(out, strbuf_slice(&start));
    if (kind != COMPLETE_FILES && kind != COMPLETE_REPORTS && kind != COMPLETE_PROGRAM) strbuf_addz(out, " -f");
    add_action(out, kind, command->synopsis);
    strbuf_addc(out, '\n');
    strbuf_release(&start);
}

static void add_names(struct strbuf *out) {
    struct slice groups[COMPLETION_GROUPS];
    size_t count = completion_groups(groups);
    for (const struct command *const *c = command_table; *c; c++) {
        const char *space = strchr((*c)->name, ' ');
        if (space) strbuf_addf(out, "complete -c ttmem -n '__ttmem_is %.*s' -f", (int)(space - (*c)->name), (*c)->name);
        else strbuf_addz(out, "complete -c ttmem -n '__ttmem_is \"\"' -f");
        strbuf_addf(out, " -a %s -d ", space ? space + 1 : (*c)->name);
        add_quoted(out, (*c)->summary);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out, "complete -c ttmem -n '__ttmem_is \"\"' -f -a %.*s -d 'more commands'\n", SLICE_FMT(groups[i]));
    strbuf_addz(out,
                "complete -c ttmem -n '__ttmem_is \"\"' -f -l help -s h -d 'list the commands'\n"
                "complete -c ttmem -n '__ttmem_is \"\"' -f -l version -d 'version of ttmem'\n"
                "complete -c ttmem -n '__ttmem_is \"\"' -f -l llm -d 'the report for agents'\n");
}

void completion_fish(struct strbuf *out) {
    struct slice groups[COMPLETION_GROUPS];
    size_t count = completion_groups(groups);
    strbuf_addz(out,
                "# fish completion for ttmem, written by: ttmem completion fish\n\n"
                "function __ttmem_reports\n"
                "    set -l home $TTMEM_HOME\n"
                "    test -n \"$home\"; or set home ~/.ttmem\n"
                "    for folder in $home/reports/*/\n"
                "        string replace -r '.*/([^/]+)/$' '$1' $folder\n"
                "    end\n"
                "end\n\n"
                "# Whether the words before the cursor are of that command; \"\" before any command.\n"
                "function __ttmem_is\n"
                "    set -l words (commandline -opc)\n"
                "    set -l command $words[2]\n"
                "    test \"$command\" = --llm; and set command report\n"
                "    if contains -- \"$command\"");
    for (size_t i = 0; i < count; i++) strbuf_addf(out, " %.*s", SLICE_FMT(groups[i]));
    strbuf_addz(out,
                "; and test (count $words) -gt 2\n"
                "        set command \"$command $words[3]\"\n"
                "    end\n"
                "    test \"$command\" = \"$argv[1]\"\n"
                "end\n\n");
    add_names(out);
    for (const struct command *const *c = command_table; *c; c++) add_command(out, *c, NULL);
    for (const struct older_program *p = older_programs; p->name; p++) add_command(out, command_find(p->command), p);
}
