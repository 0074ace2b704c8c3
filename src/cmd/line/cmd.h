/* SPDX-License-Identifier: Apache-2.0 */
/* A subcommand: a const entry with its options as data. The same tables serve parsing, --help, man-page checks and
 * completion. To add a command: a file cmd-<name>.c with its entry, and a line in commands.def. */
#ifndef TTMEM_CMD_CMD_H
#define TTMEM_CMD_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "base/vec.h"
#include "work/work.h"

enum option_kind {
    OPTION_FLAG,
    OPTION_MAYBE, /* a flag that may have a value after an equals sign, only the one in its row */
    OPTION_TEXT,  /* takes a value; the last one counts */
    OPTION_LIST,  /* takes a value, may be given several times */
};

struct option {
    const char *name; /* long name without dashes; underscores are accepted for dashes */
    char letter;      /* 0: none */
    enum option_kind kind;
    const char *value; /* name of the value in help: FILE, N, "auto|always|never" (a list of words is checked) */
    const char *help;
};

/* Must a value follow? */
static inline bool option_takes_value(const struct option *option) {
    return option->kind != OPTION_FLAG && option->kind != OPTION_MAYBE;
}

#define OPTIONS_END \
    { 0 }

/* Shared rows, so that an option means the same everywhere. */
#define OPTION_JSON \
    { "json", 0, OPTION_FLAG, NULL, "machine-readable output" }
#define OPTION_OUTPUT \
    { "output", 'o', OPTION_TEXT, "FILE", "write there instead of stdout (- is stdout)" }
#define OPTION_OUTPUT_DIR(help) \
    { "output-dir", 0, OPTION_TEXT, "DIR", (help) }
#define OPTION_RANK(help) \
    { "rank", 0, OPTION_TEXT, "RANK", (help) }
#define OPTION_DEVICE(help) \
    { "device", 0, OPTION_TEXT, "CHIP", (help) }
/* For commands that take a run. */
#define OPTION_LAST_RUN \
    { "last-run", 0, OPTION_FLAG, NULL, "only the last complete pass of a log with warm-up passes (see last-run)" }
#define RUN_DEVICE_HELP "the board (n150, p150, ...) that an Inspector folder comes from: the folder does not name it"
#define OPTION_RUN_DEVICE OPTION_DEVICE(RUN_DEVICE_HELP)
#define OPTIONS_OF_RUN OPTION_LAST_RUN, OPTION_RUN_DEVICE

/* Another spelling, accepted if a command has the option and no option of that name itself; help shows only the main name. */
struct option_alias {
    const char *alias, *name;
};

struct option_value {
    const struct option *option;
    const char *text; /* NULL for a flag */
};

struct args {
    VEC(struct option_value) options;
    VEC(const char *) words; /* positional arguments */
    const char *const *rest; /* what follows "--", for commands that run another program; NULL-terminated or NULL */
};

bool args_has(const struct args *args, const char *name);
const char *args_text(const struct args *args, const char *name); /* NULL if not given */
size_t args_count(const struct args *args, const char *name);
const char *args_nth(const struct args *args, const char *name, size_t n);

/* The number given to an option, `fallback` if it was not given; -1 with a usage error if it is not a number. */
int args_number(const struct args *args, const char *name, uint64_t fallback, uint64_t *number, struct err *err);

struct invocation {
    const struct command *command;
    const char *program; /* name it was called by */
    struct args args;
    struct work work;
    struct strbuf *answer; /* gets the answer instead of stdout; may be NULL */
};

enum { MOST_FILES = 100000 };

struct command {
    const char *name;     /* one word, or two ("cb scan"): commands that share the first word are a group */
    const char *summary;  /* one line for the list of commands */
    const char *synopsis; /* after "ttmem <name> " */
    const char *details;  /* paragraphs of the help, may be NULL */
    const char *example;  /* a command that works, and what it does */
    const struct option *options;
    unsigned min_words, max_words;
    bool takes_files; /* its words are files and folders of one run */
    bool takes_last;  /* the last word is not: at least two are needed */
    bool takes_rest;  /* everything after the first word or "--" belongs to another program */
    /* Returns the exit status, or -1 with `err` filled. */
    int (*run)(struct invocation *inv, struct err *err);
};

extern const struct command *const command_table[];         /* NULL-terminated, in the order of the help */
const char *command_heading(const struct command *command); /* for the commands that begin with it; NULL for the others */
extern const struct option common_options[];
extern const struct option_alias option_aliases[]; /* ends with a NULL alias */

const struct command *command_find(const char *name);
/* Finds it by the first one or two words of argv; *used is their number. NULL if there is none. */
const struct command *command_find_words(int argc, char *const *argv, int *used);
bool command_is_group(const char *word);

/* The command that a leading option selects: ttmem --llm ... is ttmem report --llm ... NULL: none. */
const struct command *command_of_options(int argc, char *const *argv);

/* Parses argv after the command's name. Returns 0, or -1 with a usage error. */
int args_parse(struct args *args, const struct command *command, int argc, char *const *argv, struct err *err);
void args_release(struct args *args);

void help_command(struct strbuf *out, const char *program, const struct command *command); /* by the name it was called */
void help_program(struct strbuf *out);
void help_group(struct strbuf *out, const char *group);

/* The nearest of `names` (NULL-terminated) to `word`, or NULL if none is near. */
const char *args_suggest(const char *word, const char *const *names);

/* Runs a command by name as if its words (NULL-terminated) had been typed; returns its exit status. */
int command_call(const char *program, const char *name, const char *const *words);

/* The same for callers that want the answer itself: -1 with the error, or the exit status. */
int command_answer(const char *name, const char *const *words, const struct work *work, struct strbuf *answer, struct err *err);

#endif
