/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_beside.h"

#include <stdlib.h>

#include "base/num.h"
#include "model/kv_cache.h"
#include "model/step_times.h"

enum { MOST_SAMPLES = 200000 };

static const uint64_t LAST_UNIT = UINT32_MAX - 1;

/* Times are whole multiples of a unit: a microsecond, or as many as needed for the last time to fit into 32 bits. */
static uint64_t unit_ns(const struct step_times *times) {
    uint64_t last = times->ns.len ? vec_last(&times->ns) : 0, unit = 1000;
    while (last / unit > LAST_UNIT) unit *= 10;
    return unit;
}

static void push_times(struct page_columns *c, const struct step_times *times) {
    uint64_t unit = unit_ns(times);
    page_reserve(c, COL_STEP_TIME, times->ns.len);
    for (size_t i = 0; i < times->ns.len; i++) page_push(c, COL_STEP_TIME, (uint32_t)(times->ns.items[i] / unit));
}

static void push_programs(struct page_columns *c, const struct run *run) {
    if (!run->inspector || !run->inspector->op_programs.len || run->inspector->op_programs.len != run->records.len) return;
    uint32_t kept = 0;
    for (size_t i = 0; i < run->steps.len; i++) {
        uint32_t record = run->steps.items[i].record;
        if (record != NONE) kept = run->inspector->op_programs.items[record];
        page_push(c, COL_STEP_PROGRAMS, kept);
    }
}

static uint32_t kilobytes(uint64_t bytes) {
    if (bytes == HOST_UNKNOWN) return NONE;
    return bytes / 1024 < NONE ? (uint32_t)(bytes / 1024) : NONE - 1;
}

static uint32_t milliseconds(uint64_t ms) { return ms < NONE ? (uint32_t)ms : NONE - 1; }

/* Of very many samples only those that matter: the highest of each stretch of a process, and its end. */
static void push_samples(struct page_columns *c, const struct host_record *record) {
    size_t stretch = record->samples.len / MOST_SAMPLES + 1;
    struct kept {
        size_t seen, best;
    } *kept = mem_zalloc(record->processes.len + 1, sizeof *kept);
    for (size_t i = 0; i < record->samples.len; i++) {
        const struct host_record_sample *at = &record->samples.items[i];
        struct kept *k = &kept[at->process];
        if (!k->seen || at->rss_bytes >= record->samples.items[k->best].rss_bytes) k->best = i;
        if (++k->seen < stretch && !at->gone) continue;
        const struct host_record_sample *shown = at->gone ? at : &record->samples.items[k->best];
        page_push(c, COL_HOST_PROCESS, at->process);
        page_push(c, COL_HOST_MS, milliseconds(shown->t_ms));
        page_push(c, COL_HOST_STEP, shown->step);
        page_push(c, COL_HOST_KB, kilobytes(shown->rss_bytes));
        *k = (struct kept){0};
    }
    free(kept);
}

static void push_machine(struct page_columns *c, const struct host_record *record) {
    size_t stretch = record->machine.len / MOST_SAMPLES + 1;
    for (size_t i = 0; i < record->machine.len; i += stretch) {
        const struct host_record_machine *at = &record->machine.items[i];
        page_push(c, COL_MACHINE_MS, milliseconds(at->t_ms));
        page_push(c, COL_MACHINE_STEP, at->step);
        page_push(c, COL_MACHINE_HUGE_KB, kilobytes(at->hugepages_bytes));
        page_push(c, COL_MACHINE_CGROUP_KB, kilobytes(at->cgroup_bytes));
    }
}

static void push_kv(struct page_columns *c, const struct kv_cache *kv) {
    size_t stretch = kv->samples.len / MOST_SAMPLES + 1;
    for (size_t i = 0; i < kv->samples.len; i += stretch) {
        page_push(c, COL_KV_MS, kv->samples.items[i].t_ms < NONE ? (uint32_t)kv->samples.items[i].t_ms : NONE - 1);
        page_push(c, COL_KV_STEP, kv->samples.items[i].step);
        page_push(c, COL_KV_USED, kv->samples.items[i].used);
    }
}

void page_beside(struct page_columns *c, const struct run *run) {
    struct step_times times;
    step_times_find(run, &times);
    push_times(c, &times);
    step_times_release(&times);
    push_programs(c, run);
    if (run->host) push_samples(c, run->host);
    if (run->host) push_machine(c, run->host);
    if (run->kv) push_kv(c, run->kv);
}

static void member_kilobytes(struct json *j, const char *key, uint64_t bytes) {
    if (bytes == HOST_UNKNOWN) json_member_null(j, key);
    else json_member_u64(j, key, bytes / 1024);
}

static void host_meta(struct json *j, const struct run *run) {
    const struct host_record *record = run->host;
    json_key(j, "host");
    if (!record || !record->samples.len) {
        json_null(j);
        return;
    }
    json_object(j);
    json_key(j, "processes");
    json_array(j);
    for (size_t i = 0; i < record->processes.len; i++) {
        json_array(j);
        json_u64(j, record->processes.items[i].pid);
        json_str(j, record->processes.items[i].name);
        json_array_end(j);
    }
    json_array_end(j);
    member_kilobytes(j, "cgroup_limit_kb", record->cgroup_limit_bytes);
    member_kilobytes(j, "machine_kb", record->machine_bytes);
    json_object_end(j);
}

void page_beside_meta(struct json *j, const struct run *run) {
    struct step_times times;
    step_times_find(run, &times);
    json_key(j, "time");
    if (!times.ns.len) {
        json_null(j);
    } else {
        json_object(j);
        json_member_u64(j, "unit_ns", unit_ns(&times));
        json_member_text(j, "source", times.by_samples ? "samples" : "input");
        /* the zero of the host samples on the axis of the steps */
        if (times.has_host_start) json_member_i64(j, "host_start_ms", times.host_start_ms);
        else json_member_null(j, "host_start_ms");
        json_member_u64(j, "end_ms", times.end_ns / 1000000);
        json_object_end(j);
    }
    step_times_release(&times);
    host_meta(j, run);
    json_key(j, "kv");
    if (!run->kv) {
        json_null(j);
        return;
    }
    json_object(j);
    if (run->kv->blocks) json_member_u64(j, "blocks", run->kv->blocks);
    else json_member_null(j, "blocks");
    json_member_u64(j, "preempted", run->kv->preempted);
    json_member_bool(j, "of_slots", run->kv->of_slots);
    json_object_end(j);
}
