/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/line/cmd.h"

enum { OPTION_COLUMN = 28 };

static void option_line(struct strbuf *out, const struct option *option) {
    size_t start = out->len;
    strbuf_addz(out, "  ");
    if (option->letter) strbuf_addf(out, "-%c, ", option->letter);
    strbuf_addf(out, "--%s", option->name);
    if (option->value && option_takes_value(option)) strbuf_addf(out, " %s", option->value);
    size_t used = out->len - start;
    if (used + 2 > OPTION_COLUMN) {
        strbuf_addc(out, '\n');
        used = 0;
    }
    strbuf_fill(out, ' ', OPTION_COLUMN - used);
    strbuf_addf(out, "%s\n", option->help);
}

void help_command(struct strbuf *out, const char *program, const struct command *command) {
    bool older = strcmp(program, "ttmem") != 0;
    strbuf_addf(out, "%s\n\nUsage: %s%s%s %s\n", command->summary, program, older ? "" : " ", older ? "" : command->name,
                command->synopsis);
    if (older) strbuf_addf(out, "       the same as ttmem %s\n", command->name);
    if (command->details) strbuf_addf(out, "\n%s\n", command->details);
    strbuf_addz(out, "\nOptions:\n");
    for (const struct option *o = command->options; o && o->name; o++) option_line(out, o);
    for (const struct option *o = common_options; o->name; o++) option_line(out, o);
    strbuf_addf(out, "\nExample:\n  %s\n", command->example);
}

/* Whether the command is of the group; all are of NULL. */
static bool in_group(const struct command *command, const char *group) {
    size_t len = group ? strlen(group) : 0;
    return !group || (strncmp(command->name, group, len) == 0 && command->name[len] == ' ');
}

static void command_lines(struct strbuf *out, const char *group) {
    size_t widest = 0;
    for (const struct command *const *c = command_table; *c; c++)
        if (in_group(*c, group) && strlen((*c)->name) > widest) widest = strlen((*c)->name);
    for (const struct command *const *c = command_table; *c; c++) {
        if (!in_group(*c, group)) continue;
        strbuf_addf(out, "  %s", (*c)->name);
        strbuf_fill(out, ' ', widest + 2 - strlen((*c)->name));
        strbuf_addf(out, "%s\n", (*c)->summary);
    }
}

void help_group(struct strbuf *out, const char *group) {
    strbuf_addf(out, "Usage: ttmem %s <command> [options]\n\nCommands:\n", group);
    command_lines(out, group);
    strbuf_addf(out, "\nttmem %s <command> --help tells more and ends with an example.\n", group);
}

void help_program(struct strbuf *out) {
    strbuf_addz(out,
                "ttmem tells what holds the memory of a Tenstorrent chip, what is wasted, and why an allocation failed,\n"
                "from the logs and captures that TT-XLA, tt-mlir, tt-metal and tt-train write.\n"
                "\nUsage: ttmem <command> [options]\n       ttmem                        on a terminal: asks, runs and "
                "shows\n\nCommands:\n");
    command_lines(out, NULL);
    strbuf_addz(out, "\nttmem <command> --help tells more and ends with an example.\n");
}

/* Edit distance, for short words; long ones are never near anything. */
static unsigned distance(const char *a, const char *b) {
    enum { LIMIT = 32 };
    unsigned row[LIMIT + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > LIMIT || lb > LIMIT) return LIMIT;
    for (unsigned j = 0; j <= lb; j++) row[j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            unsigned above = row[j];
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[lb];
}

const char *args_suggest(const char *word, const char *const *names) {
    const char *nearest = NULL;
    unsigned best = (unsigned)strlen(word) / 3 + 1;
    for (; *names; names++) {
        unsigned d = distance(word, *names);
        if (d <= best && (!nearest || d < best)) {
            best = d;
            nearest = *names;
        }
    }
    return nearest;
}
