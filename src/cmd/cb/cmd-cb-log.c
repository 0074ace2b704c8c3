/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem cb log: circular buffers and L1 in tt-metal logs and graph captures. */
#include <stdlib.h>

#include "base/json_write.h"
#include "cb/files/cb_sample.h"
#include "cmd/line/emit.h"
#include "cb/show/cb_log_text.h"
#include "source/source.h"

static int lacks(const char *path, struct err *err) {
    return err_set(err, ERR_LACKS,
                   "%s says nothing about circular buffers or L1; run with TT_LOGGER_LEVEL=Debug (TT_METAL_LOGGER_LEVEL=Debug "
                   "in older tt-metal), and see ttmem-cb-log(1) for the "
                   "macro that makes kernels report their circular buffers",
                   path);
}

static int show(struct invocation *inv, struct slice text, const char *path, bool cut, struct err *err) {
    struct cb_log log;
    struct cb_runtime runtime;
    cb_log_read(&log, text);
    log.cut = cut;
    int rc = path && cb_log_is_empty(&log) ? lacks(path, err) : 0;
    cb_runtime_make(&runtime, &log);
    if (rc == 0) {
        struct strbuf out = {0};
        bool json = args_has(&inv->args, "json");
        if (json) {
            struct json j = {.out = &out, .pretty = true};
            json_document(&j);
            json_member_bool(&j, "sample", !path);
            cb_log_json(&j, &log, &runtime);
            json_object_end(&j);
            strbuf_addc(&out, '\n');
        } else {
            cb_log_text(&out, &inv->work.out, &log, &runtime, slice_from(path ? path : ""), !path);
        }
        rc = emit_answer(inv, strbuf_slice(&out), !json, err);
        strbuf_release(&out);
    }
    cb_runtime_release(&runtime);
    cb_log_release(&log);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    if (!inv->args.words.len) return show(inv, slice_from(cb_sample_log), NULL, false, err);
    struct source source;
    const char *path = inv->args.words.items[0];
    if (source_open(&source, path, err) != 0) return -1;
    const char *folder = getenv("TMPDIR");
    int rc = source_spool(&source, folder && folder[0] ? folder : "/tmp", err);
    if (rc == 0 && source.cut) work_note(&inv->work, "%s is cut or damaged: only what comes before the damage was read", path);
    if (rc == 0) rc = show(inv, source.bytes, path, source.cut, err);
    if (rc == 0) work_note_change(&inv->work, &source);
    source_release(&source);
    return rc;
}

static const struct option options[] = {OPTION_JSON, OPTION_OUTPUT, OPTIONS_END};

const struct command cmd_cb_log = {
    .name = "cb log",
    .summary = "Read circular buffers from logs and graph captures",
    .synopsis = "[LOG] [--json] [options]",
    .details =
        "LOG is what a tt-metal program printed (a file, .gz, .zst, - for stdin), or a ttnn graph capture. Without LOG, a "
        "built-in\n"
        "sample shows what there is to see.",
    .example = "ttmem cb log debug.log",
    .options = options,
    .max_words = 1,
    .run = run,
};
