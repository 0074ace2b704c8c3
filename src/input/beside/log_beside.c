/* SPDX-License-Identifier: Apache-2.0 */
#include "input/beside/log_beside.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "input/kinds.h"
#include "input/log_files.h"

static bool open_one(struct input *log, const char *path) {
    struct input_options options = {.spool_folder = input_temporary_folder()};
    struct err ignored = {0};
    if (input_probe(log, path, &ignored) != 0) return false;
    if (log->kind != &input_log) {
        input_release(log);
        return false;
    }
    if (input_read(log, &options, &ignored) != 0) return false;
    if (log->run.steps.len) return true;
    input_release(log);
    return false;
}

/* Folders that tt-metal and ttmem run make for Inspector's files: the folder above them still belongs to the run. */
static bool is_of_inspector(const char *folder) {
    static const char *const names[] = {"inspector", "generated"};
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

bool log_beside_open(struct input *log, const char *folder) {
    char *place = realpath(folder, NULL);
    bool found = false, climbed = false, may_climb = place != NULL;
    for (; !found && may_climb; climbed = true) {
        struct strbuf path = {0};
        found = log_files_directly_in(place, &path) == 1 && open_one(log, strbuf_text(&path));
        strbuf_release(&path);
        char *slash = strrchr(place, '/');
        may_climb = slash && slash != place && (!climbed || is_of_inspector(place));
        if (slash) *slash = '\0';
    }
    free(place);
    return found;
}

bool logs_of_ranks_open(struct input *log, const char *folder) {
    struct input_options options = {.spool_folder = input_temporary_folder()};
    struct err ignored = {0};
    *log = (struct input){.path = mem_strdup(folder), .source = {.fd = -1}, .kind = &input_log};
    bool read = log_folder_is(folder) && log_folder_read(log, &options, &ignored) == 0;
    if (read && log->run.steps.len) return true;
    input_release(log);
    return false;
}

const char *log_beside_name(const struct input *log) {
    const char *slash = strrchr(log->path, '/');
    return slash ? slash + 1 : log->path;
}

const struct chip *log_beside_chip(const struct input *log) {
    const struct run *run = &log->run;
    if (run->chip && !run->device_assumed) return run->chip;
    return run->logged_chip;
}
