/* SPDX-License-Identifier: Apache-2.0 */
#include "model/step_times.h"

static const uint64_t MS = 1000000;

static void by_input(const struct run *run, struct step_times *out) {
    uint64_t last = 0;
    vec_reserve(&out->ns, run->times.len);
    for (size_t i = 0; i < run->times.len; i++) {
        const struct step_time *at = &run->times.items[i];
        /* ranks follow one another, and each starts anew */
        if (i && run->steps.items[i].rank != run->steps.items[i - 1].rank) last = 0;
        if (at->start_ns > last) last = at->start_ns;
        vec_push(&out->ns, last);
        if (last + at->duration_ns > out->end_ns) out->end_ns = last + at->duration_ns;
    }
    const struct host_record *host = run->host;
    uint64_t start = run->inspector ? run->inspector->start_unix_ns : 0;
    if (!host || host->start_unix_ns == HOST_UNKNOWN || !start) return;
    out->has_host_start = true;
    out->host_start_ms = host->start_unix_ns >= start ? (int64_t)((host->start_unix_ns - start) / MS)
                                                      : -(int64_t)((start - host->start_unix_ns) / MS);
}

/* A sample shows that its step had begun by then and the next one had not. */
static void by_samples(const struct run *run, struct step_times *out) {
    const struct host_record *host = run->host;
    uint64_t from_ms = 0;
    uint32_t told = 0; /* number of steps with a time */
    for (size_t i = 0; i < host->samples.len; i++) {
        uint64_t ms = host->samples.items[i].t_ms;
        uint32_t step = host->samples.items[i].step, next = step == NONE ? 0 : step + 1;
        if (next > run->steps.len) next = (uint32_t)run->steps.len;
        for (uint32_t k = told; k < next; k++)
            vec_push(&out->ns, (from_ms + (ms - from_ms) * (k - told + 1) / (next - told)) * MS);
        if (next > told) told = next;
        if (ms > from_ms) from_ms = ms;
    }
    uint64_t last_ms = host->last_ms > from_ms ? host->last_ms : from_ms;
    for (uint32_t k = told; k < run->steps.len; k++) vec_push(&out->ns, last_ms * MS);
    out->end_ns = last_ms * MS;
    out->by_samples = out->has_host_start = true;
}

void step_times_find(const struct run *run, struct step_times *out) {
    *out = (struct step_times){0};
    if (run->times.len && run->times.len == run->steps.len) by_input(run, out);
    else if (run->host && run->host->tied && run->host->samples.len) by_samples(run, out);
    /* a single moment for all says nothing */
    if (out->ns.len && !out->end_ns) vec_clear(&out->ns);
}

void step_times_release(struct step_times *times) { vec_release(&times->ns); }

uint32_t step_at_unix_time(const struct run *run, const struct step_times *times, uint64_t unix_ns) {
    uint64_t start = run->inspector && !times->by_samples ? run->inspector->start_unix_ns
                     : run->host && times->by_samples     ? run->host->start_unix_ns
                                                          : 0;
    if (!start || start == HOST_UNKNOWN || unix_ns < start) return NONE;
    /* of the first rank */
    size_t low = 0, high = 0;
    while (high < times->ns.len && run->steps.items[high].rank == run->steps.items[0].rank) high++;
    for (size_t end = high; low < end;) {
        size_t mid = low + (end - low) / 2;
        if (times->ns.items[mid] <= unix_ns - start) low = mid + 1;
        else end = mid;
    }
    return low ? (uint32_t)(low - 1) : NONE;
}
