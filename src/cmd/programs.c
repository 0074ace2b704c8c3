#include "cmd/programs.h"

#include <stddef.h>
#include <string.h>

static const struct program programs[] = {
    {"tt-memory-profiler", "run", NULL},
    {"extract_last_run", "last-run", NULL},
    {"generate_viz", "view", NULL},
    {"analyze_memory", "train", NULL},
    {"memory_analysis_tool", "cb simulate", NULL},
    {"code_memory_analyzer", "cb scan", NULL},
    {"runtime_memory_profiler", "cb log", NULL},
    {"run_memory_analysis", "cb report", NULL},
};

const struct program *program_find(const char *argv0) {
    const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
    const char *dot = strrchr(name, '.');
    size_t len = dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".sh") == 0) ? (size_t)(dot - name) : strlen(name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strlen(programs[i].name) == len && memcmp(programs[i].name, name, len) == 0) return &programs[i];
    return NULL;
}

int program_rename(const struct program *program, int argc, char **argv) {
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
