/* ttmem graph: ttnn graph captures. Files are read in pieces; memory stays bounded whatever their size. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "render/graph_render.h"
#include "source/source.h"

enum { PIECE = 4 << 20 };

struct request {
    struct invocation *inv;
    const struct chip *simulate;
    unsigned interleaved_cores;
    bool upstream_rules, all, json, summary;
    bool does_not_fit; /* --simulate */
    struct strbuf out;
    struct json writer;
};

/* A mapped file goes in pieces of the mapping, a stream (pipe, .gz, .zst) in pieces that are read. */
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
    struct progress progress;
    progress_start(&progress, mode, "reading", source.mapped ? source.bytes.len : 0);
    int rc = push_source(&source, session, &progress, err);
    progress_end(&progress);
    source_release(&source);
    return rc;
}

static struct slice name_of_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return slice_from(slash && slash[1] ? slash + 1 : path);
}

/* A file that holds no node says what it is instead. */
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

static int read_segment(const struct request *request, struct graph_session *session, const char *path, struct slice name,
                        struct err *err) {
    if (graph_session_begin(session, path, err) != 0 || read_file(path, session, request->inv->progress, err) != 0 ||
        graph_session_end(session, name, err) != 0)
        return -1;
    return check_segment(&vec_last(&session->details), err);
}

static void start_session(const struct request *request, struct graph_session *session) {
    session->simulate = request->simulate;
    session->interleaved_cores = request->interleaved_cores;
}

static void render(struct request *request, const struct graph_session *session) {
    for (size_t i = 0; i < session->details.len; i++) request->does_not_fit |= session->details.items[i].failure_count > 0;
    const struct graph_text_options options = {.upstream_rules = request->upstream_rules, .all = request->all};
    if (request->json) {
        graph_json(&request->writer, session);
    } else if (request->summary) {
        graph_summary(&request->out, session, request->upstream_rules);
    } else {
        if (request->out.len) strbuf_addc(&request->out, '\n');
        graph_text(&request->out, &request->inv->out, session, &options);
    }
}

/* Each file stands for itself. */
static int run_files(struct request *request, struct err *err) {
    const struct args *args = &request->inv->args;
    for (size_t i = 0; i < args->words.len; i++) {
        struct graph_session session = {0};
        start_session(request, &session);
        int rc = read_segment(request, &session, args->words.items[i], name_of_file(args->words.items[i]), err);
        if (rc == 0) render(request, &session);
        graph_session_release(&session);
        if (rc != 0) return rc;
    }
    return 0;
}

/* --segment NAME=FILE ...: phases of one run, buffers live on from one to the next. */
static int run_segments(struct request *request, struct err *err) {
    const struct args *args = &request->inv->args;
    size_t count = args_count(args, "segment");
    if (!count) return 0;
    struct graph_session session = {0};
    start_session(request, &session);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *text = args_nth(args, "segment", i), *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1]) rc = err_set(err, ERR_USAGE, "--segment takes NAME=FILE, not %s", text);
        else rc = read_segment(request, &session, equals + 1, slice_between(text, equals), err);
    }
    if (rc == 0) render(request, &session);
    graph_session_release(&session);
    return rc;
}

static int read_chip(struct request *request, const char *name, struct err *err) {
    if (!name) return 0;
    request->simulate = chip_find(slice_from(name));
    if (request->simulate) return 0;
    struct strbuf known = {0};
    for (const struct chip *chip = chips; chip->name; chip++) {
        if (known.len) strbuf_addz(&known, ", ");
        strbuf_addz(&known, chip->name);
    }
    int rc = err_set(err, ERR_USAGE, "unknown chip %s; known are %s", name, strbuf_text(&known));
    strbuf_release(&known);
    return rc;
}

static int read_cores(struct request *request, const char *text, struct err *err) {
    uint64_t cores;
    if (!text) return 0;
    if (num_read_u64(slice_from(text), &cores) != strlen(text) || !cores || cores > UINT16_MAX)
        return err_set(err, ERR_USAGE, "--interleaved-cores takes a number of cores, not %s", text);
    request->interleaved_cores = (unsigned)cores;
    return 0;
}

static int write_out(struct request *request, struct err *err) {
    const char *path = args_text(&request->inv->args, "output");
    struct slice text = strbuf_slice(&request->out);
    if (!path || strcmp(path, "-") == 0)
        return request->json ? write_all(STDOUT_FILENO, text, err) : print_text(request->inv, text, err);
    struct outfile file;
    if (outfile_open(&file, path, err) != 0) return -1;
    if (outfile_write(&file, text, err) != 0) {
        outfile_abort(&file);
        return -1;
    }
    return outfile_commit(&file, err);
}

static int run(struct invocation *inv, struct err *err) {
    const struct args *args = &inv->args;
    const char *format = args_text(args, "format");
    struct request request = {.inv = inv,
                              .upstream_rules = args_has(args, "upstream-rules"),
                              .all = args_has(args, "all"),
                              .json = args_has(args, "json") || (format && strcmp(format, "json") == 0),
                              .summary = format && strcmp(format, "summary") == 0};
    request.writer = (struct json){.out = &request.out, .pretty = true};
    if (!args->words.len && !args_count(args, "segment"))
        return err_set(err, ERR_USAGE, "no capture given; usage: ttmem graph %s", inv->command->synopsis);
    if (read_chip(&request, args_text(args, "simulate"), err) != 0) return -1;
    if (read_cores(&request, args_text(args, "interleaved-cores"), err) != 0) return -1;
    if (request.json) {
        json_object(&request.writer);
        json_key(&request.writer, "segments");
        json_array(&request.writer);
    }
    int rc = run_files(&request, err);
    if (rc == 0) rc = run_segments(&request, err);
    if (request.json) {
        json_array_end(&request.writer);
        json_object_end(&request.writer);
        strbuf_addc(&request.out, '\n');
    }
    if (rc == 0) rc = write_out(&request, err);
    strbuf_release(&request.out);
    return rc == 0 && request.does_not_fit ? 1 : rc;
}

static const struct option options[] = {
    {"segment", 0, OPTION_LIST, "NAME=FILE", "a capture as one phase of a run; buffers live on from phase to phase"},
    {"format", 0, OPTION_TEXT, "text|json|summary", "summary: the text that tt-train's memory tracker prints"},
    {"simulate", 0, OPTION_TEXT, "CHIP",
     "replay it in a simulated allocator (n150, n300, p150, ...); exit status 1: it does not fit"},
    {"upstream-rules", 0, OPTION_FLAG, NULL, "the sums of tt-metal's own extractors"},
    {"interleaved-cores", 0, OPTION_TEXT, "N", "L1 banks, for captures without bytes per bank"},
    {"all", 0, OPTION_FLAG, NULL, "every row of the tables"},
    {"json", 0, OPTION_FLAG, NULL, "JSON, the same as --format json"},
    OPTION_OUTPUT,
    OPTIONS_END,
};

const struct command cmd_graph = {
    .name = "graph",
    .summary = "Memory in ttnn graph captures: peaks, what is alive, circular buffers, call tree",
    .synopsis = "FILE... [--segment NAME=FILE]... [options]",
    .details =
        "Reads the JSON of ttnn.graph.end_graph_capture() and end_graph_capture_to_file(), of any age and size; - is stdin.\n"
        "Each FILE stands for itself. DRAM is counted over all banks of a chip from the start of the capture, L1 per core.",
    .example = "ttmem graph --simulate n150 graph_capture.json",
    .options = options,
    .min_words = 0,
    .max_words = 1000000,
    .run = run,
};
