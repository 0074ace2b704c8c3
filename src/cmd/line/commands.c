/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/line/cmd.h"

#define HEADING(title, first)
#define COMMAND(name) extern const struct command cmd_##name;
#include "cmd/line/commands.def"
#undef COMMAND

const struct command *const command_table[] = {
#define COMMAND(name) &cmd_##name,
#include "cmd/line/commands.def"
#undef COMMAND
    NULL,
};
#undef HEADING

static const struct {
    const char *title;
    const struct command *first;
} headings[] = {
#define COMMAND(name)
#define HEADING(title, first) {title, &cmd_##first},
#include "cmd/line/commands.def"
#undef HEADING
#undef COMMAND
};

const char *command_heading(const struct command *command) {
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (headings[i].first == command) return headings[i].title;
    return NULL;
}

const struct command *command_find(const char *name) {
    for (const struct command *const *c = command_table; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

static const struct {
    const char *option, *command;
} leading_options[] = {
    {"--llm", "report"},
};

const struct command *command_of_options(int argc, char *const *argv) {
    if (argc < 1 || argv[0][0] != '-') return NULL;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (size_t k = 0; k < sizeof leading_options / sizeof *leading_options; k++)
            if (strcmp(argv[i], leading_options[k].option) == 0) return command_find(leading_options[k].command);
    return NULL;
}

bool command_is_group(const char *word) {
    size_t len = strlen(word);
    for (const struct command *const *c = command_table; *c; c++)
        if (strncmp((*c)->name, word, len) == 0 && (*c)->name[len] == ' ') return true;
    return false;
}

const struct command *command_find_words(int argc, char *const *argv, int *used) {
    *used = 1;
    if (argc < 2 || !command_is_group(argv[0])) return argc ? command_find(argv[0]) : NULL;
    *used = 2;
    for (const struct command *const *c = command_table; *c; c++) {
        size_t len = strlen(argv[0]);
        if (strncmp((*c)->name, argv[0], len) == 0 && (*c)->name[len] == ' ' && strcmp((*c)->name + len + 1, argv[1]) == 0)
            return *c;
    }
    return NULL;
}
