#include <string.h>

#include "cmd/cmd.h"

#define COMMAND(name) extern const struct command cmd_##name;
#include "cmd/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &cmd_##name,
#include "cmd/commands.def"
#undef COMMAND
    NULL,
};

const struct command *command_find(const char *name) {
    for (const struct command *const *c = commands; *c; c++)
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
