/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of graph reports: graph_capture.json, or one graph_capture_<n>_of_<world>.json per process, as ttnn leaves them
 * before they are put into a database. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/graph_run.h"
#include "input/kinds.h"

static bool is_capture_name(struct slice name) {
    return slice_starts(name, SLICE("graph_capture")) && slice_ends(name, SLICE(".json")) &&
           !slice_ends(name, SLICE(".python_io.json")) && !slice_ends(name, SLICE(".comparison_records.json")) &&
           !slice_ends(name, SLICE(".tensor_lifetime.json"));
}

/* "graph_capture_2_of_16.json" before "graph_capture_10_of_16.json". */
static int by_number(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t long_x = strlen(x), long_y = strlen(y);
    if (long_x != long_y) return long_x < long_y ? -1 : 1;
    return strcmp(x, y);
}

void graph_folder_captures(graph_paths_in_folder *out, const char *folder) {
    DIR *dir = opendir(folder);
    struct strbuf path = {0};
    struct stat st;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!is_capture_name(slice_from(entry->d_name))) continue;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, entry->d_name);
        if (stat(strbuf_text(&path), &st) == 0 && S_ISREG(st.st_mode)) vec_push(out, mem_strdup(strbuf_text(&path)));
    }
    if (dir) closedir(dir);
    strbuf_release(&path);
    if (out->len) qsort(out->items, out->len, sizeof *out->items, by_number);
}

static void paths_release(graph_paths_in_folder *list) {
    for (size_t i = 0; i < list->len; i++) free(list->items[i]);
    vec_release(list);
}

bool graph_folder_is(const char *path) {
    graph_paths_in_folder found = {0};
    graph_folder_captures(&found, path);
    bool any = found.len > 0;
    paths_release(&found);
    return any;
}

bool graph_files_are(const char *const *paths, size_t count) {
    bool are = count > 0;
    for (size_t i = 0; are && i < count; i++) {
        struct source source;
        struct err ignored = {0};
        struct slice head;
        struct stat st;
        are = slice_ends(slice_from(paths[i]), SLICE(".json")) && stat(paths[i], &st) == 0 && S_ISREG(st.st_mode) &&
              source_open(&source, paths[i], &ignored) == 0;
        if (!are) break;
        are = source_peek(&source, &head, &ignored) == 0 && graph_run_looks_like(head);
        source_release(&source);
    }
    return are;
}

int graph_files_read(struct input *in, const char *const *paths, size_t count, const struct input_options *options,
                     struct err *err) {
    struct source *sources = mem_zalloc(count + 1, sizeof *sources);
    struct graph_file *files = mem_zalloc(count + 1, sizeof *files);
    size_t opened = 0;
    int rc = options->last_run
                 ? err_set(err, ERR_USAGE, "%s holds graph captures: --last-run takes the last pass of a log", in->path)
                 : 0;
    struct strbuf content = {0};
    for (; rc == 0 && opened < count; opened += rc == 0) {
        rc = source_open(&sources[opened], paths[opened], err);
        if (rc != 0) break;
        files[opened] = (struct graph_file){.bytes = sources[opened].bytes, .path = paths[opened], .source = &sources[opened]};
        struct hash128 hash = source_hash(&sources[opened]);
        strbuf_add(&content, slice_of((const char *)&hash, sizeof hash));
    }
    if (rc == 0) rc = graph_captures_read(&in->run, files, count, err);
    if (rc == 0) in->run.content = hash_bytes(strbuf_slice(&content));
    for (size_t i = 0; i < opened; i++) source_release(&sources[i]);
    if (rc == 0) rc = source_open(&in->source, paths[0], err);
    free(sources);
    free(files);
    strbuf_release(&content);
    return rc;
}

static int graph_folder_read(struct input *in, const struct input_options *options, struct err *err) {
    graph_paths_in_folder found = {0};
    graph_folder_captures(&found, in->path);
    int rc = graph_files_read(in, (const char *const *)found.items, found.len, options, err);
    paths_release(&found);
    return rc;
}

const struct input_kind input_graph_folder = {
    .name = "a folder of graph captures",
    .is_folder = graph_folder_is,
    .read = graph_folder_read,
};
