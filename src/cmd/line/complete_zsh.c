/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/line/completion.h"
#include "cmd/line/programs.h"

/* Text inside '...' of a specification of _arguments or _describe, where brackets and colons are special. */
static void add_text(struct strbuf *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'') strbuf_addz(out, "'\\''");
        else if (strchr("[]:\\", *text)) strbuf_addf(out, "\\%c", *text);
        else strbuf_addc(out, *text);
    }
}

/* The part of a specification that says what to offer. */
static void add_action(struct strbuf *out, enum completion_kind kind, const char *value) {
    static const char *const actions[] = {
        [COMPLETE_FILES] = "_files",
        [COMPLETE_FOLDERS] = "_files -/",
        [COMPLETE_REPORTS] = "_ttmem_reports",
        [COMPLETE_NOTHING] = " ",
    };
    if (kind == COMPLETE_WORDS || kind == COMPLETE_CHIPS) {
        strbuf_addc(out, '(');
        completion_words(out, kind, value);
        strbuf_addc(out, ')');
    } else {
        strbuf_addz(out, actions[kind]);
    }
}

static void add_value(struct strbuf *out, const struct option *option) {
    if (!option_takes_value(option)) return;
    strbuf_addc(out, ':');
    add_text(out, option->value ? option->value : "value");
    strbuf_addc(out, ':');
    add_action(out, completion_of_option(option), option->value);
}

static void add_spec(struct strbuf *out, const struct command *command, const struct option *option) {
    (void)command;
    bool many = option->kind == OPTION_LIST;
    if (option->letter) {
        if (many) strbuf_addf(out, " \\\n        '*-%c", option->letter);
        else strbuf_addf(out, " \\\n        '(-%c --%s)-%c", option->letter, option->name, option->letter);
        if (option_takes_value(option)) strbuf_addc(out, '+');
        strbuf_addc(out, '[');
        add_text(out, option->help);
        strbuf_addc(out, ']');
        add_value(out, option);
        strbuf_addc(out, '\'');
    }
    strbuf_addz(out, " \\\n        '");
    if (many) strbuf_addc(out, '*');
    else if (option->letter) strbuf_addf(out, "(-%c --%s)", option->letter, option->name);
    strbuf_addf(out, "--%s%s[", option->name, option_takes_value(option) ? "=" : "");
    add_text(out, option->help);
    strbuf_addc(out, ']');
    add_value(out, option);
    strbuf_addc(out, '\'');
}

static void add_command(struct strbuf *out, const struct command *command) {
    strbuf_addf(out, "    '%s')\n        _arguments -s -S", command->name);
    completion_each_option(out, command, add_spec);
    enum completion_kind kind = completion_of_words(command);
    if (kind == COMPLETE_PROGRAM) {
        strbuf_addz(out, " \\\n        '(-)1:program:_command_names -e' '*::arguments:_normal'");
    } else if (kind != COMPLETE_NOTHING) {
        strbuf_addf(out, " \\\n        '%s:argument:", kind == COMPLETE_WORDS ? "1" : "*");
        add_action(out, kind, command->synopsis);
        strbuf_addc(out, '\'');
    }
    strbuf_addz(out, ";;\n");
}

static void add_described(struct strbuf *out, const char *name, const char *text) {
    strbuf_addf(out, " \\\n        '%s:", name);
    add_text(out, text);
    strbuf_addc(out, '\'');
}

/* The lists that are offered after `ttmem` and after the first word of a group. */
static void add_lists(struct strbuf *out) {
    struct slice groups[COMPLETION_GROUPS];
    size_t count = completion_groups(groups);
    strbuf_addz(out, "_ttmem_list() {\n    local -a list\n    case $1 in\n");
    for (size_t i = 0; i < count; i++) {
        strbuf_addf(out, "    %.*s) list=(", SLICE_FMT(groups[i]));
        for (const struct command *const *c = command_table; *c; c++)
            if (completion_in_group(*c, groups[i])) add_described(out, (*c)->name + groups[i].len + 1, (*c)->summary);
        strbuf_addz(out, ");;\n");
    }
    strbuf_addz(out, "    *) list=(");
    for (const struct command *const *c = command_table; *c; c++)
        if (!strchr((*c)->name, ' ')) add_described(out, (*c)->name, (*c)->summary);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out, " \\\n        '%.*s:more commands, ttmem %.*s --help lists them'", SLICE_FMT(groups[i]),
                    SLICE_FMT(groups[i]));
    strbuf_addz(out, ");;\n    esac\n    _describe command list\n}\n");
}

void completion_zsh(struct strbuf *out) {
    strbuf_addz(out, "#compdef ttmem");
    for (const struct older_program *p = older_programs; p->name; p++) strbuf_addf(out, " %s", p->name);
    strbuf_addz(out,
                "\n# zsh completion for ttmem, written by: ttmem completion zsh\n\n"
                "_ttmem_reports() {\n"
                "    local -a names\n"
                "    names=(${TTMEM_HOME:-$HOME/.ttmem}/reports/*(N/:t))\n"
                "    _alternative \"reports:report:compadd -a names\" 'files:file:_files'\n"
                "}\n");
    add_lists(out);
    strbuf_addz(out, "_ttmem_command() {\n    case $1 in\n");
    for (const struct command *const *c = command_table; *c; c++) add_command(out, *c);
    strbuf_addz(out,
                "    esac\n}\n"
                "_ttmem() {\n    local command\n    case ${words[1]:t} in\n");
    for (const struct older_program *p = older_programs; p->name; p++)
        strbuf_addf(out, "    %s) _ttmem_command '%s'; return;;\n", p->name, p->command);
    strbuf_addz(out,
                "    esac\n"
                "    if (( CURRENT == 2 )); then\n"
                "        if [[ $PREFIX == -* ]]; then compadd -- --help --version --llm; else _ttmem_list; fi\n"
                "        return\n"
                "    fi\n"
                "    command=$words[2]\n"
                "    case $command in\n"
                "    --llm) _ttmem_command report; return;;\n");
    struct slice groups[COMPLETION_GROUPS];
    size_t count = completion_groups(groups);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out,
                    "    %.*s)\n"
                    "        if (( CURRENT == 3 )); then _ttmem_list $command; return; fi\n"
                    "        command=\"$command $words[3]\"\n"
                    "        shift words; (( CURRENT-- ));;\n",
                    SLICE_FMT(groups[i]));
    strbuf_addz(out, "    esac\n    shift words; (( CURRENT-- ))\n    _ttmem_command $command\n}\n\n_ttmem \"$@\"\n");
}
