/* SPDX-License-Identifier: Apache-2.0 */
#include "work/visualizer/source_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "source/source.h"

enum { MOST_BYTES = 8 << 20 };

/* The first `File "...", line N` of a trace: innermost frames are first. */
static struct slice file_of(struct slice trace) {
    size_t at = slice_find(trace, SLICE("File \""));
    if (at == SLICE_NONE) return slice_of("", 0);
    struct slice rest = slice_skip(trace, at + 6);
    size_t end = slice_find(rest, SLICE("\", line "));
    return end == SLICE_NONE || memchr(rest.ptr, '\n', end) || memchr(rest.ptr, '\0', end) ? slice_of("", 0)
                                                                                           : slice_take(rest, end);
}

static bool is_below(const char *path, const char *folder) {
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* The real path of a readable file; false: it must not be read. */
static bool may_read(struct slice name, char real[PATH_MAX]) {
    char path[PATH_MAX], here[PATH_MAX];
    struct stat st;
    if (!name.len || name.len >= sizeof path || !getcwd(here, sizeof here)) return false;
    memcpy(path, name.ptr, name.len);
    path[name.len] = '\0';
    return realpath(path, real) && is_below(real, here) && slice_ends(slice_from(real), SLICE(".py")) && stat(real, &st) == 0 &&
           S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES;
}

static int64_t row_of(struct source_files *files, struct visualizer *v, const char *real) {
    size_t known = files->real.strings.len;
    uint32_t id = strtab_id(&files->real, slice_from(real));
    if (files->real.strings.len == known) return id;
    struct source source;
    struct err ignored = {0};
    if (source_open(&source, real, &ignored) != 0) return id;
    visualizer_row(v, VIS_SOURCE_FILES, "iss", (int64_t)id, slice_from(real), source.bytes);
    source_release(&source);
    return id;
}

int64_t source_files_id(struct source_files *files, struct visualizer *v, struct slice stack_trace) {
    char real[PATH_MAX];
    struct slice name = file_of(stack_trace);
    if (!name.len) return 0;
    uint32_t at = strtab_id(&files->named, name);
    while (files->ids.len <= at) vec_push(&files->ids, -1);
    if (files->ids.items[at] < 0) files->ids.items[at] = may_read(name, real) ? row_of(files, v, real) : 0;
    return files->ids.items[at];
}

void source_files_release(struct source_files *files) {
    strtab_release(&files->named);
    strtab_release(&files->real);
    vec_release(&files->ids);
}
