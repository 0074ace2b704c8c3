/* ttmem explain: the memory failures in any text, what they mean and what to do. Reads once, in bounded memory. */
#include <stdlib.h>

#include "analysis/failure/run_failures.h"
#include "base/amounts.h"
#include "base/num.h"
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "model/read.h"
#include "render/answer/explain.h"

/* The failures of a text, and the run that it tells of. */
struct explain_input {
    struct source source;
    struct failure_set set;
    struct run run; /* empty when a mapped file holds no failure: nothing needs it then */
    uint64_t bytes;
    bool utf16; /* as some editors and shells save a pasted message */
};

static bool is_utf16(struct slice text) {
    return slice_starts(text, SLICE("\xff\xfe")) || slice_starts(text, SLICE("\xfe\xff"));
}

static void feed_stream(struct failure_stream *stream, struct slice bytes) {
    while (bytes.len) {
        size_t n = bytes.len < FAILURE_STREAM_ROOM ? bytes.len : FAILURE_STREAM_ROOM;
        memcpy(failure_stream_room(stream), bytes.ptr, n);
        failure_stream_took(stream, n);
        bytes = slice_skip(bytes, n);
    }
}

/* A stream is read once, by both. */
static int read_stream(struct explain_input *r, struct failure_stream *stream, struct progress *progress, struct err *err) {
    struct run_feed *feed = run_feed_new(&r->run);
    char *block = mem_alloc(FAILURE_STREAM_ROOM);
    int64_t n;
    while ((n = source_read(&r->source, block, FAILURE_STREAM_ROOM, err)) > 0) {
        struct slice bytes = slice_of(block, (size_t)n);
        if (!stream->bytes) r->utf16 = is_utf16(bytes);
        feed_stream(stream, bytes);
        run_feed_bytes(feed, bytes);
        progress_add(progress, bytes.len);
    }
    run_feed_finish(feed);
    free(block);
    return n < 0 ? -1 : 0;
}

static int read_all(struct explain_input *r, const struct invocation *inv, const char *path, struct err *err) {
    if (source_open(&r->source, path, err) != 0) return -1;
    struct progress progress;
    progress_start(&progress, inv->work.progress, "reading", r->source.mapped ? r->source.bytes.len : 0);
    struct failure_stream *stream = mem_zalloc(1, sizeof *stream);
    stream->set = &r->set;
    int rc = 0;
    if (!r->source.mapped) rc = read_stream(r, stream, &progress, err);
    else if (failure_maybe(r->source.bytes)) feed_stream(stream, r->source.bytes);
    failure_stream_finish(stream);
    if (rc == 0 && r->source.mapped && r->set.entries.len) rc = run_read(&r->run, &r->source, &progress, err);
    if (r->source.mapped) r->utf16 = is_utf16(r->source.bytes);
    r->bytes = r->source.mapped ? r->source.bytes.len : stream->bytes;
    free(stream);
    progress_end(&progress);
    return rc;
}

static void reading_release(struct explain_input *r) {
    failure_set_release(&r->set);
    run_release(&r->run);
    source_release(&r->source);
}

static void say_nothing_found(struct strbuf *out, uint64_t bytes) {
    strbuf_addf(out, "No memory failure in %s bytes.\n", figure_grouped(bytes).text);
}

/* A failure was found, there is none, or there is none in the part of a damaged file that can be read. */
static int found(const struct invocation *inv, const struct explain_input *reading, size_t failures, struct err *err) {
    const char *path = inv->args.words.items[0];
    if (!reading->source.cut) return failures ? 1 : 0;
    if (!failures)
        return err_set(err, ERR_INPUT, "%s is cut or damaged behind %llu bytes; no memory failure up to there", path,
                       (unsigned long long)reading->bytes);
    work_note(&inv->work, "%s is cut or damaged: everything before that place was read", path);
    return 1;
}

static int run(struct invocation *inv, struct err *err) {
    struct explain_input reading = {.source = {.fd = -1}};
    const char *path = inv->args.words.items[0];
    if (read_all(&reading, inv, path, err) != 0) {
        reading_release(&reading);
        return -1;
    }
    if (!reading.bytes) {
        bool cut = reading.source.cut;
        reading_release(&reading);
        return cut ? err_set(err, ERR_INPUT, "%s is cut or damaged: nothing of it can be read", path)
                   : err_set(err, ERR_LACKS, "%s is empty", path);
    }
    if (reading.utf16) {
        reading_release(&reading);
        return err_set(err, ERR_LACKS, "%s is UTF-16; make it UTF-8 first: iconv -f UTF-16 -t UTF-8", path);
    }
    struct explain explain;
    run_explain_set(&reading.run, &reading.set, &explain);
    struct term term = inv->work.out;
    if (args_text(&inv->args, "output")) term.color = false, term.columns = 0;
    struct strbuf text = {0};
    if (args_has(&inv->args, "json")) explain_json(&text, &explain);
    else if (explain.failures.len) explain_text(&text, &term, &explain);
    else if (!reading.source.cut) say_nothing_found(&text, reading.bytes);
    int status = emit_answer(inv, strbuf_slice(&text), !args_has(&inv->args, "json"), err);
    size_t failures = 0;
    for (size_t i = 0; i < explain.failures.len; i++) failures += !explain.failures.items[i].entry->failure.warning;
    if (status == 0) status = found(inv, &reading, failures, err);
    strbuf_release(&text);
    explain_release(&explain);
    reading_release(&reading);
    return status;
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_explain = {
    .name = "explain",
    .summary = "Say why a run ran out of memory, and what to do about it",
    .synopsis = "LOG|- [--json] [-o FILE]",
    .details =
        "Finds out-of-memory errors, circular buffers that do not fit, trace regions and kernel config buffers that are\n"
        "too small, in any text: a runtime log, pytest or CI output, a pasted message. Exit status 1 when a failure was\n"
        "found, 0 when there is none.",
    .example = "ttmem explain run.log       verdict, shortfall and advice for every failure in run.log",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
