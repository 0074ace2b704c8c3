/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kv_cache.h"

#include "model/step_times.h"
#include "parse/foreign/telemetry.h"

static uint64_t start_of(const struct run *run, const struct step_times *times) {
    uint64_t start = times->by_samples ? run->host->start_unix_ns : run->inspector ? run->inspector->start_unix_ns : 0;
    return start == HOST_UNKNOWN || !times->ns.len ? 0 : start;
}

static void take(struct kv_cache *kv, const struct run *run, const struct step_times *times, uint64_t start,
                 const struct telemetry_line *line) {
    if (line->blocks) kv->blocks = line->blocks;
    kv->preempted += line->preempted;
    if (!line->has_used) return;
    uint64_t ns = line->unix_ms * 1000000;
    vec_push(&kv->samples, ((struct kv_sample){.t_ms = ns > start ? (ns - start) / 1000000 : 0,
                                               .step = step_at_unix_time(run, times, ns),
                                               .used = line->used}));
}

int kv_cache_read(struct kv_cache *kv, const struct run *run, struct slice bytes, const char *path, struct err *err) {
    *kv = (struct kv_cache){0};
    struct step_times times;
    step_times_find(run, &times);
    uint64_t start = start_of(run, &times);
    struct json_reader *json = start ? json_reader_new() : NULL;
    while (json && bytes.len) {
        size_t end = slice_find_byte(bytes, '\n');
        struct slice text = slice_take(bytes, end);
        struct telemetry_line line;
        if (telemetry_line_read(json, text, &line)) take(kv, run, &times, start, &line);
        else if (text.len && end != SLICE_NONE) kv->wrong_lines++;
        bytes = end == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, end + 1);
    }
    if (json) json_reader_free(json);
    step_times_release(&times);
    if (!start)
        return err_set(err, ERR_LACKS, "nothing ties the times of %s to this run: a recording of host memory or Inspector does",
                       path);
    if (!kv->samples.len) return err_set(err, ERR_LACKS, "%s tells of no KV cache", path);
    return 0;
}

void kv_cache_release(struct kv_cache *kv) { vec_release(&kv->samples); }
