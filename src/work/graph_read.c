/* SPDX-License-Identifier: Apache-2.0 */
#include "work/graph_read.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "work/version.h"
#include "render/page/graph_page.h"
#include "input/graph_run.h"
#include "input/input.h"
#include "input/kinds.h"
#include "parse/foreign/graph_banks.h"
#include "source/source.h"

enum { PIECE = 4 << 20, LOOKED_AT = 64 << 20 };

/* A mapped file is read in pieces of the mapping, a stream (pipe, .gz, .zst) in pieces as they come. */
static int push_source(struct source *source, struct graph_session *session, struct progress *progress, struct err *err) {
    for (size_t at = 0; source->mapped && at < source->bytes.len; at += PIECE) {
        struct slice piece = slice_take(slice_skip(source->bytes, at), PIECE);
        if (graph_session_push(session, piece, err) != 0) return -1;
        madvise((void *)(uintptr_t)piece.ptr, piece.len, MADV_DONTNEED); /* read once: a file of any size needs little memory */
        progress_add(progress, piece.len);
    }
    if (source->mapped) return 0;
    char *piece = mem_alloc(PIECE);
    int64_t n;
    while ((n = source_read(source, piece, PIECE, err)) > 0) {
        if (graph_session_push(session, slice_of(piece, (size_t)n), err) != 0) n = -1;
        if (n < 0) break;
        progress_add(progress, (uint64_t)n);
    }
    free(piece);
    return n < 0 ? -1 : 0;
}

static int read_file(const char *path, struct graph_session *session, enum progress_mode mode, struct err *err) {
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    /* captures without bytes per bank are old and small */
    uint64_t page = 0;
    struct slice head = source.bytes;
    if (!source.mapped && source_peek(&source, &head, err) != 0) {
        source_release(&source);
        return -1;
    }
    unsigned banks = graph_banks_of(slice_take(head, LOOKED_AT), &page);
    source_looked_at(&source, slice_take(source.bytes, LOOKED_AT));
    graph_session_banks(session, banks, page);
    struct progress progress;
    progress_start(&progress, mode, "reading", source.mapped ? source.bytes.len : 0);
    int rc = push_source(&source, session, &progress, err);
    progress_end(&progress);
    source_release(&source);
    return rc;
}

/* A file without nodes says what it is instead. */
static int check_segment(const struct graph_segment *segment, struct err *err) {
    if (segment->nodes) return 0;
    if (segment->end == GRAPH_WHOLE && segment->found && !segment->problems.unreadable) return 0; /* [] is an empty capture */
    static const char *const what[] = {[GRAPH_WHOLE] = "has no graph node",
                                       [GRAPH_CUT] = "is cut before the first node",
                                       [GRAPH_EMPTY] = "is empty",
                                       [GRAPH_NOT_JSON] = "is not JSON"};
    return err_set(err, ERR_LACKS, "%s %s; ttnn.graph.end_graph_capture_to_file(path) writes a capture", segment->path,
                   what[segment->end]);
}

int graph_read(struct graph_session *session, const char *path, struct slice name, enum progress_mode mode, struct err *err) {
    if (graph_session_begin(session, path, err) != 0 || read_file(path, session, mode, err) != 0 ||
        graph_session_end(session, name, err) != 0)
        return -1;
    return check_segment(&vec_last(&session->details), err);
}

/* The segments also form a run. If they cannot be read as one, the page lacks the L1 of a core. */
static bool segments_as_run(const struct graph_session *session, struct source *sources, struct graph_file *files,
                            struct run *run) {
    struct err ignored = {0};
    size_t opened = 0, count = session->details.len;
    bool all = count > 0;
    for (size_t i = 0; all && i < count; i++) {
        const struct graph_segment *segment = &session->details.items[i];
        all = segment->nodes && strcmp(segment->path, "-") != 0 && source_open(&sources[i], segment->path, &ignored) == 0;
        opened += all;
        if (all) all = source_spool(&sources[i], input_temporary_folder(), &ignored) == 0;
        files[i] = (struct graph_file){.bytes = sources[i].bytes,
                                       .path = segment->path,
                                       .source = &sources[i],
                                       .first_node = segment->first_node,
                                       .number = i};
    }
    *run = (struct run){0};
    bool is_run = all && graph_segments_read(run, files, count, &ignored) == 0;
    if (!is_run) run_release(run);
    for (size_t i = 0; i < opened; i++) source_release(&sources[i]);
    return is_run;
}

/* A stream is read only once. */
static void tell_no_l1(const struct work *work, const struct graph_session *session) {
    for (size_t i = 0; i < session->details.len; i++)
        if (strcmp(session->details.items[i].path, "-") == 0) {
            work_note(work, "the page has no map of a core's L1: stdin is read only once; name the file to have it");
            return;
        }
    work_note(work, "the page has no map of a core's L1: a capture could not be read a second time");
}

int graph_page_file(const struct work *work, const struct graph_session *session, struct slice name, const char *path,
                    struct err *err) {
    struct strbuf generator = {0};
    struct outfile file;
    strbuf_addf(&generator, "ttmem %s", version_number());
    struct run run;
    struct source *sources = mem_zalloc(session->details.len + 1, sizeof *sources);
    struct graph_file *files = mem_zalloc(session->details.len + 1, sizeof *files);
    bool is_run = segments_as_run(session, sources, files, &run);
    int rc = outfile_open(&file, path, err);
    if (rc == 0) {
        rc = graph_page(session, is_run ? &run : NULL, name, strbuf_text(&generator), &file, err);
        if (rc == 0) rc = outfile_commit(&file, err);
        else outfile_abort(&file);
    }
    if (rc == 0 && !is_run) tell_no_l1(work, session);
    if (is_run) run_release(&run);
    free(sources);
    free(files);
    strbuf_release(&generator);
    return rc;
}

bool graph_looks_like(const char *path) {
    struct slice name = slice_from(path);
    static const char *const packed[] = {".gz", ".zst"};
    for (size_t i = 0; i < 2; i++)
        if (slice_ends(name, slice_from(packed[i]))) name = slice_take(name, name.len - strlen(packed[i]));
    bool named = slice_ends(name, SLICE(".json"));
    struct source source;
    struct err err = {0};
    struct stat st; /* a pipe can be opened only once */
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || source_open(&source, path, &err) != 0) return named;
    struct slice head = {0};
    if (source_peek(&source, &head, &err) != 0) head = slice_of("", 0);
    const struct input_kind *kind = kind_of_content(head);
    head = slice_trim(slice_take(head, 64));
    /* a log may begin with [timestamp] */
    bool looks =
        head.len && (head.ptr[0] == '{' || (head.ptr[0] == '[' && slice_starts(slice_trim(slice_skip(head, 1)), SLICE("{"))));
    source_release(&source);
    /* other tools write JSON too */
    return kind ? kind == &input_graph_capture : named || looks;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Judged only by its content. */
static bool graph_is_capture(const char *path) {
    struct source source;
    struct err ignored = {0};
    struct slice head;
    if (source_open(&source, path, &ignored) != 0) return false;
    const struct input_kind *kind = source_peek(&source, &head, &ignored) == 0 ? kind_of_content(head) : NULL;
    source_release(&source);
    return kind == &input_graph_capture;
}

int graph_captures_in(const char *folder, graph_paths *paths, struct err *err) {
    DIR *dir = opendir(folder);
    size_t before = paths->len;
    struct strbuf path = {0};
    if (!dir) return err_set_errno(err, ERR_INPUT, "cannot read '%s'", folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat st;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(strbuf_text(&path), &st) != 0 || !S_ISREG(st.st_mode)) continue;
        if (graph_is_capture(strbuf_text(&path))) vec_push(paths, mem_strdup(strbuf_text(&path)));
    }
    closedir(dir);
    strbuf_release(&path);
    if (paths->len > before) {
        qsort(paths->items + before, paths->len - before, sizeof *paths->items, by_name);
        return 0;
    }
    const struct input_kind *kind = kind_of_folder(folder);
    return err_set(err, ERR_LACKS, "%s holds no graph capture (a JSON file of ttnn.graph.end_graph_capture_to_file)%s%s",
                   folder, kind ? ": it is " : "", kind ? kind->name : "");
}
