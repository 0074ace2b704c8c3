/* SPDX-License-Identifier: Apache-2.0 */
#include "input/kv_beside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/kv_cache.h"

static bool find(struct strbuf *out, struct slice folder, const char *name) {
    static const char *const below[] = {"", "tt_telemetry/"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        strbuf_clear(out);
        strbuf_add(out, folder);
        strbuf_addf(out, "/%s%s", below[i], name);
        if (access(strbuf_text(out), R_OK) == 0) return true;
    }
    strbuf_clear(out);
    return false;
}

/* Opens one of the two files; a missing one counts as empty. */
static int open_lines(struct source *source, const struct strbuf *path, struct err *err) {
    if (source_open(source, path->len ? path->data : "/dev/null", err) != 0) return -1;
    if (source_spool(source, input_temporary_folder(), err) == 0) return 0;
    source_release(source);
    return -1;
}

static int read_kv(struct kv_cache *kv, const struct run *run, const struct strbuf *scheduler, const struct strbuf *runner,
                   struct err *err) {
    struct source blocks, slots;
    if (open_lines(&blocks, scheduler, err) != 0) return -1;
    int rc = open_lines(&slots, runner, err);
    if (rc == 0) {
        rc = kv_cache_read(kv, run, blocks.bytes, slots.bytes, scheduler->len ? scheduler->data : runner->data, err);
        source_release(&slots);
    }
    source_release(&blocks);
    return rc;
}

static void take(struct input *in, const struct strbuf *scheduler, const struct strbuf *runner) {
    struct err err = {0};
    struct kv_cache *kv = mem_zalloc(1, sizeof *kv);
    if (read_kv(kv, &in->run, scheduler, runner, &err) == 0) {
        in->run.kv = kv;
        return;
    }
    input_note(in, "the KV cache is left out: %s", err.text);
    kv_cache_release(kv);
    free(kv);
}

void kv_beside_read(struct input *in, const char *path, unsigned levels) {
    struct strbuf folder = {0}, scheduler = {0}, runner = {0};
    struct stat st;
    const char *slash = strrchr(path, '/');
    bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (is_folder) strbuf_addz(&folder, path);
    else if (slash) strbuf_add(&folder, slice_between(path, slash));
    else strbuf_addc(&folder, '.');
    for (unsigned i = 0; i <= levels; i++) {
        bool has_blocks = find(&scheduler, strbuf_slice(&folder), "scheduler.jsonl");
        bool has_slots = find(&runner, strbuf_slice(&folder), "runner.jsonl");
        if (has_blocks || has_slots) {
            take(in, &scheduler, &runner);
            break;
        }
        strbuf_addz(&folder, "/..");
    }
    strbuf_release(&folder);
    strbuf_release(&scheduler);
    strbuf_release(&runner);
}
