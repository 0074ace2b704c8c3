/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem cb report: simulation, sources and log of circular buffers in one document. */
#include <stdlib.h>

#include "base/json_write.h"
#include "cmd/cb/cb_workload.h"
#include "cmd/line/emit.h"
#include "cb/show/cb_report.h"
#include "source/source.h"

enum { MAX_SIZES = 32 };

struct inputs {
    cb_studies studies;
    struct cb_tree tree;
    struct source source;
    bool source_open;
    struct cb_log log;
    struct cb_runtime runtime;
    struct cb_report_parts parts;
};

/* "4,8,16" -> one workload each, with as many A as B tiles. */
static int study_sizes(struct cb_setup *setup, struct inputs *in, const char *list, struct err *err) {
    char *text = mem_strdup(list), *rest = text;
    int rc = 0;
    for (char *word; rc == 0 && (word = strsep(&rest, ","));) {
        uint64_t tiles;
        rc = cb_read_count("--sizes", word, 1, CB_SIM_MAX_TILES, &tiles, err);
        if (rc == 0 && in->studies.len == MAX_SIZES) rc = err_set(err, ERR_USAGE, "--sizes takes at most %d sizes", MAX_SIZES);
        if (rc == 0) rc = cb_setup_study(setup, tiles, tiles, vec_add(&in->studies), err);
    }
    free(text);
    return rc;
}

static int study_all(struct invocation *inv, struct cb_setup *setup, struct inputs *in, struct err *err) {
    const struct args *args = &inv->args;
    const char *sizes = args_text(args, "sizes");
    if (args_has(args, "multi") || sizes) {
        if (args->words.len)
            return err_set(err, ERR_USAGE, "--multi takes its sizes from --sizes, not '%s'", args->words.items[0]);
        if (cb_setup_sweeps(setup, err) != 0) return -1;
        return study_sizes(setup, in, sizes ? sizes : "4,8,16,32,64", err);
    }
    uint64_t tiles[2];
    if (cb_setup_tiles(setup, args, tiles, err) != 0) return -1;
    return cb_setup_study(setup, tiles[0], tiles[1], vec_add(&in->studies), err);
}

static int read_inputs(struct invocation *inv, struct cb_setup *setup, struct inputs *in, struct err *err) {
    const char *folder = args_text(&inv->args, "source"), *log = args_text(&inv->args, "log");
    if (!folder && strcmp(inv->program, "run_memory_analysis") == 0) folder = "."; /* that program read the sources around it */
    if (folder) {
        struct cb_tree_options options = {
            .sets = setup->sets, .n_sets = setup->n_sets, .chip = setup->chip, .progress = inv->work.progress};
        if (cb_tree_scan(&in->tree, &folder, 1, &options, err) != 0) return -1;
        cb_tree_relative(&in->tree, folder);
        in->parts.has_source = true;
        in->parts.files = (struct cb_files){in->tree.files.items, in->tree.files.len};
        in->parts.files_read = in->tree.files_read;
        setup->sets_used |= in->tree.sets_used;
    }
    if (!log) return 0;
    const char *temporary = getenv("TMPDIR");
    if (source_open(&in->source, log, err) != 0) return -1;
    in->source_open = true;
    if (source_spool(&in->source, temporary && temporary[0] ? temporary : "/tmp", err) != 0) return -1;
    cb_log_read(&in->log, in->source.bytes);
    in->log.cut = in->source.cut;
    if (in->source.cut) work_note(&inv->work, "%s is cut or damaged: only what comes before the damage was read", log);
    cb_runtime_make(&in->runtime, &in->log);
    in->parts.log = &in->log;
    in->parts.runtime = &in->runtime;
    in->parts.log_name = slice_from(log);
    return 0;
}

static bool wants_html(const struct args *args) {
    const char *path = args_text(args, "output");
    return args_has(args, "html") || (path && slice_ends(slice_from(path), SLICE(".html")));
}

static void write_report(const struct args *args, struct strbuf *out, const struct cb_report_parts *parts) {
    if (args_has(args, "json")) {
        struct json j = {.out = out, .pretty = true};
        cb_report_json(&j, parts);
        strbuf_addc(out, '\n');
        return;
    }
    struct doc doc = {0};
    cb_report_doc(&doc, parts);
    if (wants_html(args)) doc_html(out, &doc);
    else doc_markdown(out, &doc);
    doc_release(&doc);
}

static int run(struct invocation *inv, struct err *err) {
    struct cb_setup setup;
    struct inputs in = {0};
    int rc = cb_setup_read(&setup, &inv->args, err);
    if (rc == 0) rc = study_all(inv, &setup, &in, err);
    if (rc == 0) rc = read_inputs(inv, &setup, &in, err);
    if (rc == 0) {
        struct strbuf out = {0};
        cb_setup_notes(inv, &setup);
        in.parts.studies = in.studies.items;
        in.parts.n_studies = in.studies.len;
        write_report(&inv->args, &out, &in.parts);
        rc = emit_answer(inv, strbuf_slice(&out), false, err);
        strbuf_release(&out);
    }
    cb_runtime_release(&in.runtime);
    cb_log_release(&in.log);
    if (in.source_open) source_release(&in.source);
    cb_tree_release(&in.tree);
    vec_release(&in.studies);
    cb_setup_release(&setup);
    return rc;
}

static const struct option options[] = {
    {"multi", 0, OPTION_FLAG, NULL, "a sweep over workload sizes instead of one workload"},
    {"sizes", 0, OPTION_TEXT, "N,N,...", "sizes of the sweep (default 4,8,16,32,64)"},
    {"source", 0, OPTION_TEXT, "DIR", "add the circular buffers that the sources there declare"},
    {"log", 0, OPTION_TEXT, "FILE", "add what a log or graph capture says"},
    {"html", 0, OPTION_FLAG, NULL, "a page with pictures (also when -o names a .html file)"},
    CB_WORKLOAD_OPTIONS,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_cb_report = {
    .name = "cb report",
    .summary = "Report circular buffers: simulation, sources and log",
    .synopsis = "A_TILES B_TILES | --multi [--source DIR] [--log FILE] [--html] [-o FILE] [options]",
    .details =
        "Markdown on stdout; --html or -o NAME.html gives a page with the L1 map to scale, pressure by workload size and "
        "occupancy.",
    .example = "ttmem cb report 16 16 --source . -o report.html",
    .options = options,
    .max_words = 2,
    .run = run,
};
