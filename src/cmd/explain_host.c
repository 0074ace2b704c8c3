/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/explain_host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/run/host.h"
#include "cmd/line/emit.h"
#include "input/host_beside.h"
#include "render/host/host_explain.h"
#include "work/open.h"

bool explain_is_recording(const char *path) {
    struct source source;
    struct slice head;
    struct err ignored;
    if (strcmp(path, "-") == 0 || access(path, R_OK) != 0 || source_open(&source, path, &ignored) != 0) return false;
    bool is = source_peek(&source, &head, &ignored) == 0 && host_looks_like(head);
    source_release(&source);
    return is;
}

/* The run of a recording: "x_host.jsonl" -> "x_profile.log", "x.log", or "inspector" in the same folder. */
static bool find_run(const char *path, struct strbuf *out) {
    static const char *const ends[] = {"_profile.log", ".log", "_profile.log.gz", "_profile.log.zst"};
    struct slice name = slice_from(path), end = SLICE("_host.jsonl");
    if (!slice_ends(name, end)) return false;
    name = slice_take(name, name.len - end.len);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        strbuf_clear(out);
        strbuf_add(out, name);
        strbuf_addz(out, ends[i]);
        if (access(strbuf_text(out), R_OK) == 0) return true;
    }
    const char *slash = strrchr(path, '/');
    strbuf_clear(out);
    strbuf_add(out, slash ? slice_between(path, slash) : SLICE("."));
    strbuf_addz(out, "/inspector");
    return access(strbuf_text(out), R_OK) == 0;
}

/* The run with its recording; only the recording if the run cannot be read. */
static int open_recorded(struct input *in, const struct work *work, const char *path, struct err *err) {
    struct strbuf of = {0};
    struct err ignored = {0};
    bool opened = find_run(path, &of) && open_run(in, work, strbuf_text(&of), NULL, &ignored) == 0;
    strbuf_release(&of);
    if (opened && in->run.host) return 0;
    if (opened) input_release(in);
    *in = (struct input){.path = mem_strdup(path), .source = {.fd = -1}};
    in->run.host = mem_zalloc(1, sizeof *in->run.host);
    if (host_file_read(in->run.host, path, err) == 0) return 0;
    input_release(in);
    return -1;
}

static int explain(struct invocation *inv, const char *path, bool only_kills, struct err *err) {
    struct input in;
    if (open_recorded(&in, &inv->work, path, err) != 0) return -1;
    struct host_use use;
    struct strbuf text = {0};
    host_use_make(in.run.host, &in.run, &use);
    int status = use.killed_by_kernel ? 1 : in.run.host->ended ? 0 : (int)ERR_LACKS;
    bool json = args_has(&inv->args, "json");
    if (!only_kills || use.killed) {
        if (json) host_explain_json(&text, &in.run, &use);
        else host_explain_text(&text, &inv->work.out, &in.run, &use);
        if (emit_answer(inv, strbuf_slice(&text), !json, err) != 0) status = -1;
    }
    if (status == ERR_LACKS && !only_kills)
        status = err_set(err, ERR_LACKS, "%s has no end: ttmem run was killed too, or its disk was full", path);
    strbuf_release(&text);
    host_use_release(&use);
    input_release(&in);
    return only_kills && status != 1 && status != -1 ? 0 : status;
}

int explain_recording(struct invocation *inv, const char *path, struct err *err) { return explain(inv, path, false, err); }

int explain_recording_beside(struct invocation *inv, const char *log, struct err *err) {
    struct strbuf path = {0};
    if (strcmp(log, "-") == 0 || !host_is_beside(log)) return 0;
    host_path_beside(&path, log);
    int status = explain(inv, strbuf_text(&path), true, err);
    strbuf_release(&path);
    return status;
}
