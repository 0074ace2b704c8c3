/* SPDX-License-Identifier: Apache-2.0 */
#include "input/kv_beside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/kv_cache.h"

static bool find(struct strbuf *out, struct slice folder) {
    static const char *const names[] = {"scheduler.jsonl", "tt_telemetry/scheduler.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        strbuf_clear(out);
        strbuf_add(out, folder);
        strbuf_addf(out, "/%s", names[i]);
        if (access(strbuf_text(out), R_OK) == 0) return true;
    }
    return false;
}

static int read_kv(struct kv_cache *kv, const struct run *run, const char *path, struct err *err) {
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    int rc = source_spool(&source, input_temporary_folder(), err);
    if (rc == 0) rc = kv_cache_read(kv, run, source.bytes, path, err);
    source_release(&source);
    return rc;
}

static void take(struct input *in, const char *path) {
    struct err err = {0};
    struct kv_cache *kv = mem_zalloc(1, sizeof *kv);
    if (read_kv(kv, &in->run, path, &err) == 0) {
        in->run.kv = kv;
        return;
    }
    input_note(in, "the KV cache is left out: %s", err.text);
    kv_cache_release(kv);
    free(kv);
}

void kv_beside_read(struct input *in, const char *path, unsigned levels) {
    struct strbuf folder = {0}, file = {0};
    struct stat st;
    const char *slash = strrchr(path, '/');
    bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (is_folder) strbuf_addz(&folder, path);
    else if (slash) strbuf_add(&folder, slice_between(path, slash));
    else strbuf_addc(&folder, '.');
    for (unsigned i = 0; i <= levels; i++) {
        if (find(&file, strbuf_slice(&folder))) {
            take(in, strbuf_text(&file));
            break;
        }
        strbuf_addz(&folder, "/..");
    }
    strbuf_release(&folder);
    strbuf_release(&file);
}
