/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of ttmem mcp: each is a command, and its arguments are that command's words and options. */
#ifndef TTMEM_CMD_MCP_TOOL_TABLE_H
#define TTMEM_CMD_MCP_TOOL_TABLE_H

#include <stdbool.h>

enum tool_argument_kind {
    ARGUMENT_RUN,        /* a word of the command that names a run, a module or a log */
    ARGUMENT_TEXT,       /* a pasted text, in place of a run */
    ARGUMENT_WORD,       /* another word of the command: an integer */
    ARGUMENT_STRING,     /* the value of an option */
    ARGUMENT_INTEGER,    /* the same, a number */
    ARGUMENT_PLACE,      /* the same, a number or a string */
    ARGUMENT_RUN_OPTION, /* an option that names a run */
    ARGUMENT_RULES,      /* a list of rules of check */
    ARGUMENT_LIST,       /* a list of values of an option */
};

struct tool_argument {
    const char *name;
    enum tool_argument_kind kind;
    bool required;
    const char *option;   /* with its dashes; NULL for words */
    const char *choices;  /* "dram|l1", NULL: any */
    const char *fallback; /* value of the option if the argument is not given; NULL: the option is left out */
    const char *help;
};

enum { TOOL_ARGUMENTS = 12 };

struct tool {
    const char *name, *command, *help;
    struct tool_argument arguments[TOOL_ARGUMENTS]; /* ends with a NULL name */
};

extern const struct tool tool_table[]; /* ends with a NULL name */

#endif
