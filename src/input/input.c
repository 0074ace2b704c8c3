/* SPDX-License-Identifier: Apache-2.0 */
#include "input/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/kinds.h"
#include "input/names.h"

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int input_try(const char *path, struct err *err) {
    struct stat st;
    /* a pipe can be opened only once */
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) return 0;
    if (is_folder(path)) return 0;
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    source_release(&source);
    return 0;
}

const char *input_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] ? folder : "/tmp";
}

void input_note(struct input *in, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    strbuf_addz(&in->notes, text);
    strbuf_addc(&in->notes, '\n');
}

static int open_folder(struct input *in, struct err *err) {
    struct strbuf file = {0};
    int rc = 0;
    in->kind = kind_of_folder(in->path);
    if (in->kind && in->kind->file_in && in->kind->file_in(in->path, &file))
        rc = source_open(&in->source, strbuf_text(&file), err);
    strbuf_release(&file);
    if (in->kind) return rc;
    return err_set(
        err, ERR_LACKS,
        "%s is a folder that ttmem cannot read: it holds no report (<name>_memory.json), no files of Inspector, no "
        "ttnn report (db.sqlite), no module of codegen (ttnn.mlir, irs/ttnn_*.mlir) and no log (*.log, *.log.gz, *.log.zst)",
        in->path);
}

static int open_file(struct input *in, struct err *err) {
    struct slice head;
    if (source_open(&in->source, in->path, err) != 0 || source_peek(&in->source, &head, err) != 0) return -1;
    in->kind = kind_of_file(in->path);
    if (!in->kind) in->kind = kind_of_content(head);
    if (!in->kind) in->kind = &input_log;
    return 0;
}

int input_probe(struct input *in, const char *path, struct err *err) {
    *in = (struct input){.path = mem_strdup(path), .source = {.fd = -1}};
    if ((is_folder(path) ? open_folder(in, err) : open_file(in, err)) == 0) return 0;
    input_release(in);
    return -1;
}

/* What other tools wrote is read from memory, also where a log would be read as it comes. */
static int read_from_memory(struct input *in, const struct input_options *options, struct err *err) {
    const char *folder = options->spool_folder ? options->spool_folder : input_temporary_folder();
    if (source_spool(&in->source, folder, err) != 0) return -1;
    if (options->last_run) return err_set(err, ERR_USAGE, "%s is %s: only logs have a last run", in->path, in->kind->name);
    in->run.content = hash_bytes(in->source.bytes);
    return in->kind->read_bytes(&in->run, in->source.bytes, in->source.path, err);
}

int input_open(struct input *in, const char *path, const struct input_options *options, struct err *err) {
    if (input_probe(in, path, err) != 0) return -1;
    report_name(&in->name, path);
    strbuf_addz(&in->origin, path);
    int rc = in->kind->read_bytes ? read_from_memory(in, options, err) : in->kind->read(in, options, err);
    if (rc == 0 && in->run.origin == RUN_PREDICTED) strbuf_addz(&in->name, "_predicted"); /* whatever shows it says so */
    if (rc != 0) input_release(in);
    return rc;
}

void input_release(struct input *in) {
    run_release(&in->run);
    if (in->source.path) source_release(&in->source);
    strbuf_release(&in->name);
    strbuf_release(&in->origin);
    strbuf_release(&in->notes);
    strbuf_release(&in->told);
    free(in->path);
    *in = (struct input){.source = {.fd = -1}};
}

int input_no_run(const char *path, struct err *err) {
    return err_set(
        err, ERR_LACKS,
        "%s holds no operation, memory or module lines of a TT-XLA run; run with ttmem run --inspector (release builds "
        "with a tt-metal since 2026-08-21), or build with TT_RUNTIME_DEBUG=ON (the debug preset) and run "
        "with TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG TT_RUNTIME_MEMORY_LOG_LEVEL=all TTXLA_LOGGER_LEVEL=DEBUG",
        path);
}

int input_check(const struct input *in, struct err *err) {
    const struct run *run = &in->run;
    if (run->steps.len || run->failures.entries.len || run->modules.len || run->executions.len) return 0;
    if (!run->bytes && in->source.cut)
        return err_set(err, ERR_INPUT, "%s is cut or damaged: nothing of it can be read", in->path);
    if (!run->bytes) return err_set(err, ERR_LACKS, "%s is empty", in->path);
    return input_no_run(in->path, err);
}
