/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kv_cache.h"

#include "model/step_times.h"
#include "parse/foreign/telemetry.h"

static uint64_t start_of(const struct run *run, const struct step_times *times) {
    uint64_t start = times->by_samples ? run->host->start_unix_ns : run->inspector ? run->inspector->start_unix_ns : 0;
    return start == HOST_UNKNOWN || !times->ns.len ? 0 : start;
}

struct kv_reading {
    struct kv_cache *kv;
    const struct run *run;
    struct step_times times;
    uint64_t start; /* 0: unknown */
    bool slots;     /* the line reports slots */
};

static void add_sample(struct kv_reading *r, uint64_t unix_ms, uint32_t used) {
    if (unix_ms > UINT64_MAX / 1000000) return;
    uint64_t ns = unix_ms * 1000000;
    vec_push(&r->kv->samples, ((struct kv_sample){.t_ms = ns > r->start ? (ns - r->start) / 1000000 : 0,
                                                  .step = step_at_unix_time(r->run, &r->times, ns),
                                                  .used = used}));
}

static void take_scheduler(struct kv_reading *r, const struct telemetry_line *line) {
    if (line->blocks) r->kv->blocks = line->blocks;
    r->kv->preempted += line->preempted;
    if (line->has_used) add_sample(r, line->unix_ms, line->used);
}

static void take_runner(struct kv_reading *r, const struct telemetry_line *line) {
    r->kv->tokens += line->tokens;
    r->kv->requests += line->completes;
    if (!line->has_slots) return;
    r->kv->slots = line->slots;
    if (line->slots_taken > r->kv->most_slots) r->kv->most_slots = line->slots_taken;
    if (r->slots) add_sample(r, line->unix_ms, (uint32_t)(line->slots_taken * KV_FULL / line->slots));
}

static void read_lines(struct kv_reading *r, struct slice bytes, bool runner) {
    struct json_reader *json = bytes.len ? json_reader_new() : NULL;
    while (bytes.len) {
        size_t end = slice_find_byte(bytes, '\n');
        struct slice text = slice_take(bytes, end);
        struct telemetry_line line;
        bool is = telemetry_line_read(json, text, &line) && line.of_runner == runner;
        if (is && runner) take_runner(r, &line);
        else if (is) take_scheduler(r, &line);
        else if (text.len && end != SLICE_NONE) r->kv->wrong_lines++;
        bytes = end == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, end + 1);
    }
    if (json) json_reader_free(json);
}

int kv_cache_read(struct kv_cache *kv, const struct run *run, struct slice scheduler, struct slice runner, const char *path,
                  struct err *err) {
    *kv = (struct kv_cache){0};
    struct kv_reading r = {.kv = kv, .run = run};
    step_times_find(run, &r.times);
    r.start = start_of(run, &r.times);
    if (r.start) {
        read_lines(&r, scheduler, false);
        r.slots = kv->of_slots = !kv->samples.len;
        read_lines(&r, runner, true);
    }
    step_times_release(&r.times);
    if (!r.start)
        return err_set(err, ERR_LACKS,
                       "nothing ties the times of %s to this run: a recording of host memory or Inspector would", path);
    if (!kv->samples.len) return err_set(err, ERR_LACKS, "%s holds no figures of a KV cache", path);
    return 0;
}

void kv_cache_release(struct kv_cache *kv) { vec_release(&kv->samples); }
