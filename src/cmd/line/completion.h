/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts for shells, written from the tables of commands, options and older programs. The name of a value in the
 * table decides what a shell offers. One file per shell. */
#ifndef TTMEM_CMD_COMPLETION_H
#define TTMEM_CMD_COMPLETION_H

#include "cmd/line/cmd.h"

enum completion_kind {
    COMPLETE_NOTHING, /* a number, a free text */
    COMPLETE_WORDS,   /* dram|l1 */
    COMPLETE_FILES,
    COMPLETE_FOLDERS,
    COMPLETE_CHIPS,
    COMPLETE_REPORTS, /* files, and the names under ~/.ttmem/reports */
    COMPLETE_PROGRAM, /* another program with its arguments */
};

/* What to offer as the option's value. */
enum completion_kind completion_of_option(const struct option *option);

/* What to offer where no option is expected. */
enum completion_kind completion_of_words(const struct command *command);

/* The words of dram|l1 (the value of an option, the synopsis of a command), or the names of the chips, separated by spaces. */
void completion_words(struct strbuf *out, enum completion_kind kind, const char *value);

/* Calls `each` for all of the command's options, then for those that every command has. */
void completion_each_option(struct strbuf *out, const struct command *command,
                            void (*each)(struct strbuf *out, const struct command *command, const struct option *option));

/* First words of two-word commands, each once. */
enum { COMPLETION_GROUPS = 16 };
size_t completion_groups(struct slice groups[COMPLETION_GROUPS]);
bool completion_in_group(const struct command *command, struct slice group);

void completion_bash(struct strbuf *out);
void completion_zsh(struct strbuf *out);
void completion_fish(struct strbuf *out);

#endif
