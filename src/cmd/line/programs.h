/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs that ttmem replaces: called by their name (a link to ttmem), it runs the command that does their job and
 * accepts their arguments. */
#ifndef TTMEM_CMD_PROGRAMS_H
#define TTMEM_CMD_PROGRAMS_H

/* An option in the older program's spelling and in the command's. Underscores for dashes need no row. */
struct renamed_option {
    const char *given; /* with its dashes */
    const char *meant; /* NULL: no longer means anything, dropped */
};

struct older_program {
    const char *name; /* also with .py or .sh after it */
    const char *command;
    const struct renamed_option *renamed; /* NULL-name-terminated; NULL: none */
};

extern const struct older_program older_programs[]; /* NULL-name-terminated; the rows of programs.def */

/* Finds it by the last part of argv[0]; NULL for ttmem itself. */
const struct older_program *older_program_find(const char *argv0);

/* Rewrites the options in place; returns the new argc. */
int older_program_rename(const struct older_program *program, int argc, char **argv);

#endif
