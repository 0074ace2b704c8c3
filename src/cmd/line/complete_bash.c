/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/line/completion.h"
#include "cmd/line/programs.h"

static const char head[] =
    "# bash completion for ttmem, written by: ttmem completion bash\n"
    "\n"
    "_ttmem_files() { local IFS=$'\\n'; COMPREPLY+=($(compgen -f -- \"$1\")); compopt -o filenames 2>/dev/null; }\n"
    "_ttmem_folders() { local IFS=$'\\n'; COMPREPLY+=($(compgen -d -- \"$1\")); compopt -o filenames 2>/dev/null; }\n"
    "_ttmem_words() { local IFS=$' \\t\\n'; COMPREPLY+=($(compgen -W \"$2\" -- \"$1\")); }\n"
    "_ttmem_reports() {\n"
    "    local folder names=\n"
    "    for folder in \"${TTMEM_HOME:-$HOME/.ttmem}\"/reports/*/; do\n"
    "        [ -d \"$folder\" ] && folder=${folder%/} && names+=\" ${folder##*/}\"\n"
    "    done\n"
    "    _ttmem_words \"$1\" \"$names\"\n"
    "    _ttmem_files \"$1\"\n"
    "}\n";

static const char tail[] =
    "\n"
    "_ttmem() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command first=1 i\n"
    "    COMPREPLY=()\n"
    "    if [ \"$cur\" = = ]; then cur=; elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    command=$(_ttmem_program \"${COMP_WORDS[0]##*/}\")\n"
    "    if [ -z \"$command\" ]; then\n"
    "        if [ $COMP_CWORD -eq 1 ]; then _ttmem_words \"$cur\" \"$_ttmem_commands\"; return; fi\n"
    "        command=${COMP_WORDS[1]} first=2\n"
    "        local members=$(_ttmem_group \"$command\")\n"
    "        if [ -n \"$members\" ]; then\n"
    "            if [ $COMP_CWORD -eq 2 ]; then _ttmem_words \"$cur\" \"$members\"; return; fi\n"
    "            command+=\" ${COMP_WORDS[2]}\" first=3\n"
    "        fi\n"
    "        case $command in --llm|--logfile) command=report first=1;; esac\n"
    "    fi\n"
    "    if _ttmem_behind_program \"$command\" $first; then _ttmem_files \"$cur\"; return; fi\n"
    "    if _ttmem_value \"$command\" \"$prev\" \"$cur\"; then return; fi\n"
    "    if [[ $cur == -* ]]; then _ttmem_words \"$cur\" \"$(_ttmem_options \"$command\")\"; return; fi\n"
    "    _ttmem_argument \"$command\" \"$cur\"\n"
    "}\n";

static void add_option_name(struct strbuf *out, const struct command *command, const struct option *option) {
    (void)command;
    if (option->letter) strbuf_addf(out, " -%c", option->letter);
    strbuf_addf(out, " --%s", option->name);
}

/* The call that makes the offers; `text_so_far` is the name of the shell variable with the typed text. */
static void add_offer(struct strbuf *out, enum completion_kind kind, const char *value, const char *text_so_far) {
    static const char *const functions[] = {
        [COMPLETE_NOTHING] = ":",
        [COMPLETE_WORDS] = "_ttmem_words",
        [COMPLETE_FILES] = "_ttmem_files",
        [COMPLETE_FOLDERS] = "_ttmem_folders",
        [COMPLETE_CHIPS] = "_ttmem_words",
        [COMPLETE_REPORTS] = "_ttmem_reports",
        [COMPLETE_PROGRAM] = "_ttmem_files",
    };
    strbuf_addz(out, functions[kind]);
    if (kind == COMPLETE_NOTHING) return;
    strbuf_addf(out, " \"$%s\"", text_so_far);
    if (kind != COMPLETE_WORDS && kind != COMPLETE_CHIPS) return;
    strbuf_addz(out, " '");
    completion_words(out, kind, value);
    strbuf_addc(out, '\'');
}

static void add_value_row(struct strbuf *out, const struct command *command, const struct option *option) {
    if (!option_takes_value(option)) return;
    strbuf_addf(out, "    '%s --%s'", command->name, option->name);
    if (option->letter) strbuf_addf(out, "|'%s -%c'", command->name, option->letter);
    strbuf_addz(out, ") ");
    add_offer(out, completion_of_option(option), option->value, "3");
    strbuf_addz(out, ";;\n");
}

static void add_commands(struct strbuf *out) {
    struct slice groups[COMPLETION_GROUPS];
    size_t group_count = completion_groups(groups);
    strbuf_addz(out, "\n_ttmem_commands='help --help --version --llm");
    for (const struct command *const *c = command_table; *c; c++)
        if (!strchr((*c)->name, ' ')) strbuf_addf(out, " %s", (*c)->name);
    for (size_t i = 0; i < group_count; i++) strbuf_addf(out, " %.*s", SLICE_FMT(groups[i]));
    strbuf_addz(out, "'\n_ttmem_group() {\n    case $1 in\n");
    for (size_t i = 0; i < group_count; i++) {
        strbuf_addf(out, "    %.*s) echo '", SLICE_FMT(groups[i]));
        for (const struct command *const *c = command_table; *c; c++)
            if (completion_in_group(*c, groups[i])) strbuf_addf(out, "%s ", (*c)->name + groups[i].len + 1);
        strbuf_addz(out, "--help';;\n");
    }
    strbuf_addz(out, "    esac\n}\n_ttmem_program() {\n    case $1 in\n");
    for (const struct older_program *p = older_programs; p->name; p++)
        strbuf_addf(out, "    %s) echo '%s';;\n", p->name, p->command);
    strbuf_addz(out, "    esac\n}\n");
}

/* Is a word after the first place the program that the command runs? Then everything after it belongs to that program. */
static void add_behind_program(struct strbuf *out) {
    strbuf_addz(out, "_ttmem_behind_program() {\n    local i\n    case $1 in\n");
    for (const struct command *const *c = command_table; *c; c++)
        if ((*c)->takes_rest) strbuf_addf(out, "    '%s') ;;\n", (*c)->name);
    strbuf_addz(out,
                "    *) return 1;;\n    esac\n"
                "    for ((i = $2; i < COMP_CWORD; i++)); do\n"
                "        case ${COMP_WORDS[i]} in\n"
                "        --) return 0;;\n"
                "        --*=*) ;;\n"
                "        -*) _ttmem_value \"$1\" \"${COMP_WORDS[i]}\" '' && i=$((i + 1));;\n"
                "        *) return 0;;\n"
                "        esac\n"
                "    done\n    COMPREPLY=()\n    return 1\n}\n");
}

void completion_bash(struct strbuf *out) {
    strbuf_addz(out, head);
    add_commands(out);
    strbuf_addz(out, "_ttmem_options() {\n    case $1 in\n");
    for (const struct command *const *c = command_table; *c; c++) {
        strbuf_addf(out, "    '%s') echo '", (*c)->name);
        completion_each_option(out, *c, add_option_name);
        strbuf_addz(out, "';;\n");
    }
    strbuf_addz(out, "    esac\n}\n_ttmem_value() {\n    case \"$1 $2\" in\n");
    for (const struct command *const *c = command_table; *c; c++) completion_each_option(out, *c, add_value_row);
    strbuf_addz(out, "    *) return 1;;\n    esac\n    return 0\n}\n_ttmem_argument() {\n    case $1 in\n");
    for (const struct command *const *c = command_table; *c; c++) {
        strbuf_addf(out, "    '%s') ", (*c)->name);
        add_offer(out, completion_of_words(*c), (*c)->synopsis, "2");
        strbuf_addz(out, ";;\n");
    }
    strbuf_addz(out, "    esac\n}\n");
    add_behind_program(out);
    strbuf_addz(out, tail);
    strbuf_addz(out, "complete -F _ttmem ttmem");
    for (const struct older_program *p = older_programs; p->name; p++) strbuf_addf(out, " %s", p->name);
    strbuf_addc(out, '\n');
}
