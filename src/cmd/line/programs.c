/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/line/programs.h"

#include <stddef.h>
#include <string.h>

const struct older_program older_programs[] = {
#define PROGRAM(name, command, script) {name, command, NULL},
#include "cmd/line/programs.def"
#undef PROGRAM
    {0},
};

const struct older_program *older_program_find(const char *argv0) {
    const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
    const char *dot = strrchr(name, '.');
    size_t len = dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".sh") == 0) ? (size_t)(dot - name) : strlen(name);
    for (const struct older_program *p = older_programs; p->name; p++)
        if (strlen(p->name) == len && memcmp(p->name, name, len) == 0) return p;
    return NULL;
}

int older_program_rename(const struct older_program *program, int argc, char **argv) {
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        const struct renamed_option *row = program->renamed;
        while (row && row->given && strcmp(row->given, argv[i]) != 0) row++;
        if (!row || !row->given) argv[kept++] = argv[i];
        else if (row->meant) argv[kept++] = (char *)row->meant;
    }
    argv[kept] = NULL;
    return kept;
}
