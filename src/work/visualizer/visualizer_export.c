/* SPDX-License-Identifier: Apache-2.0 */
#include "work/visualizer/visualizer_export.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/num.h"
#include "input/graph_run.h"
#include "input/kinds.h"
#include "work/open.h"

static int from_folder(struct visualizer *v, const char *folder, const struct visualizer_wish *wish, struct err *err) {
    graph_paths_in_folder paths = {0};
    int rc = 0;
    graph_folder_captures(&paths, folder);
    for (size_t i = 0; i < paths.len; i++) {
        struct source source;
        if (rc == 0) rc = source_open(&source, paths.items[i], err);
        if (rc == 0) {
            rc = visualizer_from_capture(v, &source, wish, err);
            source_release(&source);
        }
        free(paths.items[i]);
    }
    vec_release(&paths);
    return rc;
}

static const char *source_words(const struct input *in) {
    static const struct {
        const struct input_kind *kind;
        const char *words;
    } rows[] = {
        {&input_ttnn_report, "ttnn database"},
        {&input_ttnn_database, "ttnn database"},
        {&input_graph_capture, "graph capture"},
        {&input_graph_folder, "graph capture"},
        {&input_log, "runtime log"},
        {&input_log_folder, "runtime log"},
        {&input_inspector, "Inspector"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == in->kind) return rows[i].words;
    return in->kind->name;
}

static int fill(struct visualizer *v, struct input *in, const struct work *work, const struct visualizer_wish *wish,
                struct err *err) {
    visualizer_metadata(v, "ttmem_source", slice_from(source_words(in)));
    visualizer_metadata(v, "ttmem_version", slice_from(wish->version));
    bool database = in->kind == &input_ttnn_report || in->kind == &input_ttnn_database;
    bool capture = in->kind == &input_graph_capture;
    if (database || capture) {
        int rc = source_spool(&in->source, input_temporary_folder(), err);
        if (rc == 0 && database) rc = visualizer_from_database(v, in->source.bytes, in->source.path, wish, err);
        if (rc == 0 && capture) rc = visualizer_from_capture(v, &in->source, wish, err);
        input_release(in);
        return rc;
    }
    if (in->kind == &input_graph_folder) {
        int rc = from_folder(v, in->path, wish, err);
        input_release(in);
        return rc;
    }
    if (open_probed(in, work, err) != 0) return -1;
    int rc = input_check(in, err);
    if (rc == 0) rc = visualizer_from_run(v, &in->run, in->path, wish, err);
    input_release(in);
    return rc;
}

/* The visualizer's name for it. */
static int write_config(const struct visualizer_wish *wish, struct slice name, struct err *err) {
    struct strbuf path = {0}, text = {0};
    struct json j = {.out = &text, .pretty = true};
    json_object(&j);
    json_member_str(&j, "report_name", name);
    json_object_end(&j);
    strbuf_addf(&path, "%s/config.json", wish->folder);
    int rc = outfile_put(strbuf_text(&path), strbuf_slice(&text), err);
    strbuf_release(&path);
    strbuf_release(&text);
    return rc;
}

/* What a capture does not say about its buffers: for readers of the database, and for the user. */
static void tell_unknown(struct visualizer *v, const struct work *work, const char *word) {
    char number[NUM_ROOM];
    if (v->assumed) {
        visualizer_metadata(v, "ttmem_bytes_per_bank", SLICE("by an assumed number of banks"));
        work_note(
            work,
            "%s does not record how many banks %llu of its buffers lie on: their bytes per bank rest on an assumed number",
            word, (unsigned long long)v->assumed);
    }
    if (v->unplaced) {
        visualizer_metadata(v, "ttmem_buffers_left_out", slice_of(number, num_write_u64(number, v->unplaced)));
        work_note(work,
                  "%s does not record where %llu of its buffers lie, or gives sizes that no device has: these are left out",
                  word, (unsigned long long)v->unplaced);
    }
}

int visualizer_export(const struct work *work, const char *word, const struct visualizer_wish *asked, struct err *err) {
    struct visualizer v;
    struct input in;
    struct source_files files = {0};
    struct visualizer_wish wished = *asked, *wish = &wished;
    wish->files = &files;
    if (open_probe(&in, work, word, err) != 0) return -1;
    if (visualizer_open(&v, wish->folder, err) != 0) {
        input_release(&in);
        return -1;
    }
    struct strbuf name = {0};
    const char *slash = strrchr(in.path, '/');
    strbuf_addz(&name, slash && slash[1] ? slash + 1 : in.path);
    int rc = fill(&v, &in, work, wish, err);
    if (rc == 0) tell_unknown(&v, work, word);
    bool left_out = v.left_out;
    if (rc == 0) rc = visualizer_end(&v, err);
    else visualizer_abort(&v);
    if (rc == 0 && left_out) work_note(work, "%s is damaged: rows that could not be read are left out", word);
    if (rc == 0) rc = write_config(wish, strbuf_slice(&name), err);
    strbuf_release(&name);
    source_files_release(&files);
    return rc;
}
