/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem graph: ttnn graph captures. Files are read in pieces; memory stays bounded whatever their size. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "cmd/line/cmd.h"
#include "work/graph_read.h"
#include "cmd/line/emit.h"
#include "render/answer/graph_render.h"

struct request {
    struct invocation *inv;
    const struct chip *simulate;
    unsigned interleaved_cores;
    bool upstream_rules, all, arguments, json, summary, html;
    bool does_not_fit; /* --simulate */
    VEC(struct graph_change) changes;
    struct strbuf out;
    struct json writer;
};

static struct slice name_of_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return slice_from(slash && slash[1] ? slash + 1 : path);
}

static void start_session(const struct request *request, struct graph_session *session) {
    session->simulate = request->simulate;
    session->interleaved_cores = request->interleaved_cores;
    session->timeline.wanted = request->html;
    session->programs_stay = request->summary;
}

static int write_page(struct request *request, const struct graph_session *session, struct err *err) {
    const char *path = args_text(&request->inv->args, "output");
    struct strbuf name = {0};
    for (size_t i = 0; i < session->segments.len; i++) {
        if (i) strbuf_addz(&name, ", ");
        strbuf_add(&name, slice_of(session->segments.items[i].name, session->segments.items[i].name_len));
    }
    int rc = graph_page_file(&request->inv->work, session, strbuf_slice(&name), path ? path : "-", err);
    strbuf_release(&name);
    return rc;
}

static int render_with(struct request *request, const struct graph_session *session, const graph_what_ifs *what_if,
                       struct err *err) {
    for (size_t i = 0; i < session->details.len; i++) request->does_not_fit |= session->details.items[i].failure_count > 0;
    request->does_not_fit |= graph_lacks_cores(what_if) != NULL;
    const struct graph_text_options options = {
        .upstream_rules = request->upstream_rules, .all = request->all, .arguments = request->arguments, .what_if = what_if};
    if (request->html) return write_page(request, session, err);
    if (request->json) {
        graph_json(&request->writer, session, what_if);
    } else if (request->summary) {
        graph_summary(&request->out, session, request->upstream_rules);
    } else {
        if (request->out.len) strbuf_addc(&request->out, '\n');
        graph_text(&request->out, &request->inv->work.out, session, &options);
    }
    return 0;
}

/* Old captures have no bytes per bank: with too few banks, a core would hold more than it has. */
static int check_cores(const struct request *request, const struct graph_session *session, struct err *err) {
    uint64_t most = 0;
    for (const struct chip *chip = chip_table; chip->name; chip++)
        if (chip->l1_bytes > most) most = chip->l1_bytes;
    for (size_t i = 0; request->interleaved_cores && i < session->segments.len; i++) {
        struct usage_l1 l1 = segment_l1(&session->segments.items[i]);
        if (l1.peak_buffer > (int64_t)most)
            return err_set(err, ERR_USAGE,
                           "--interleaved-cores %u: a core would hold %lld B of buffers, and none has more than %llu",
                           request->interleaved_cores, (long long)l1.peak_buffer, (unsigned long long)most);
    }
    return 0;
}

static int render(struct request *request, const struct graph_session *session, struct err *err) {
    graph_what_ifs what_if = {0};
    if (check_cores(request, session, err) != 0) return -1;
    int rc = graph_what_if(session, request->changes.items, request->changes.len, &what_if, err);
    if (rc == 0) rc = render_with(request, session, &what_if, err);
    graph_what_ifs_release(&what_if);
    return rc;
}

static int run_file(struct request *request, const char *path, struct err *err) {
    struct graph_session session = {0};
    start_session(request, &session);
    int rc = graph_read(&session, path, name_of_file(path), request->inv->work.progress, err);
    if (rc == 0) rc = render(request, &session, err);
    graph_session_release(&session);
    return rc;
}

/* Each file is one capture; a folder is all captures in it. */
static int list_files(const struct args *args, graph_paths *paths, struct err *err) {
    struct stat st;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < args->words.len; i++) {
        const char *word = args->words.items[i];
        if (stat(word, &st) == 0 && S_ISDIR(st.st_mode)) rc = graph_captures_in(word, paths, err);
        else vec_push(paths, mem_strdup(word));
    }
    return rc;
}

static int run_files(struct request *request, struct err *err) {
    const struct args *args = &request->inv->args;
    graph_paths paths = {0};
    int rc = list_files(args, &paths, err);
    if (rc == 0 && request->html && paths.len + (args_count(args, "segment") > 0) > 1)
        rc = err_set(err, ERR_USAGE, "--format html takes one FILE, or the segments of one run");
    for (size_t i = 0; rc == 0 && i < paths.len; i++) rc = run_file(request, paths.items[i], err);
    for (size_t i = 0; i < paths.len; i++) free(paths.items[i]);
    vec_release(&paths);
    return rc;
}

/* --segment NAME=FILE ...: phases of one run; buffers live on from one to the next. */
static int run_segments(struct request *request, struct err *err) {
    const struct args *args = &request->inv->args;
    size_t count = args_count(args, "segment");
    if (!count) return 0;
    struct graph_session session = {0};
    start_session(request, &session);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *text = args_nth(args, "segment", i), *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1]) rc = err_set(err, ERR_USAGE, "--segment takes NAME=FILE, not '%s'", text);
        else rc = graph_read(&session, equals + 1, slice_between(text, equals), request->inv->work.progress, err);
    }
    if (rc == 0) rc = render(request, &session, err);
    graph_session_release(&session);
    return rc;
}

static int read_chip(struct request *request, const char *name, struct err *err) {
    return name ? chip_choose(name, &request->simulate, err) : 0;
}

static int read_cores(struct request *request, const char *text, struct err *err) {
    uint64_t cores;
    if (!text) return 0;
    if (num_read_u64(slice_from(text), &cores) != strlen(text) || !cores || cores > UINT16_MAX)
        return err_set(err, ERR_USAGE, "--interleaved-cores takes a number of cores, not '%s'", text);
    request->interleaved_cores = (unsigned)cores;
    return 0;
}

static int read_changes(struct request *request, const struct args *args, struct err *err) {
    size_t count = args_count(args, "what-if");
    if (count && !request->simulate) return err_set(err, ERR_USAGE, "--what-if needs --simulate CHIP");
    for (size_t i = 0; i < count; i++)
        if (graph_change_parse(args_nth(args, "what-if", i), vec_add(&request->changes), err) != 0) return -1;
    return 0;
}

static int answer(struct request *request, struct err *err) {
    if (request->json) {
        json_document(&request->writer);
        json_key(&request->writer, "segments");
        json_array(&request->writer);
    }
    int rc = run_files(request, err);
    if (rc == 0) rc = run_segments(request, err);
    if (request->json) {
        json_array_end(&request->writer);
        json_object_end(&request->writer);
        strbuf_addc(&request->out, '\n');
    }
    if (rc == 0 && !request->html) rc = emit_answer(request->inv, strbuf_slice(&request->out), !request->json, err);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *format = args_text(args, "format");
    struct request request = {.inv = inv,
                              .upstream_rules = args_has(args, "upstream-rules"),
                              .all = args_has(args, "all"),
                              .json = args_has(args, "json") || (format && strcmp(format, "json") == 0),
                              .arguments = args_has(args, "arguments"),
                              .summary = format && strcmp(format, "summary") == 0,
                              .html = format && strcmp(format, "html") == 0};
    request.writer = (struct json){.out = &request.out, .pretty = true};
    if (!args->words.len && !args_count(args, "segment"))
        return err_set(err, ERR_USAGE, "no capture given; usage: ttmem graph %s", inv->command->synopsis);
    const char *simulate = args_text(args, "simulate"), *device = args_text(args, "device");
    if (read_chip(&request, simulate ? simulate : device, err) != 0) return -1;
    if (read_cores(&request, args_text(args, "interleaved-cores"), err) != 0) return -1;
    int rc = read_changes(&request, args, err);
    if (rc == 0) rc = answer(&request, err);
    vec_release(&request.changes);
    strbuf_release(&request.out);
    return rc == 0 && request.does_not_fit ? 1 : rc;
}

static const struct option options[] = {
    {"segment", 0, OPTION_LIST, "NAME=FILE",
     "add FILE as the segment (phase) NAME of one run; buffers live on from segment to segment"},
    {"format", 0, OPTION_TEXT, "text|json|summary|html",
     "summary: the text that tt-train's memory tracker prints; html: the page, as ttmem view makes it"},
    {"simulate", 0, OPTION_TEXT, "CHIP",
     "replay it in a simulated allocator (n150, n300, p150, ...); exit status 1: it does not fit"},
    OPTION_DEVICE("the same as --simulate"),
    {"what-if", 0, OPTION_LIST, "CHANGE",
     "replay it with that change: chip=CHIP, order=persistent-first|largest-first, halve-cb=NODE|FUNCTION, "
     "shard=NODE|FUNCTION:CORES; may be repeated, to try several together (default: a few obvious ones)"},
    {"upstream-rules", 0, OPTION_FLAG, NULL, "add up as tt-metal itself does (see man ttmem-graph)"},
    {"interleaved-cores", 0, OPTION_TEXT, "N", "L1 banks, for captures without bytes per bank"},
    {"all", 0, OPTION_FLAG, NULL, "every row of the tables"},
    {"arguments", 0, OPTION_FLAG, NULL, "the arguments of each function's first call"},
    {"json", 0, OPTION_FLAG, NULL, "JSON, the same as --format json"},
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_graph = {
    .name = "graph",
    .summary = "Show the memory in ttnn graph captures",
    .synopsis = "FILE|FOLDER... [--segment NAME=FILE]... [options]",
    .details =
        "Reads the JSON of ttnn.graph.end_graph_capture() and end_graph_capture_to_file(), of any age and size; - is stdin.\n"
        "Each FILE is analysed by itself. DRAM is counted over all banks of a chip from the start of the capture, L1 per core.",
    .example = "ttmem graph --simulate n150 graph_capture.json",
    .options = options,
    .min_words = 0,
    .max_words = 1000000,
    .run = run,
};
