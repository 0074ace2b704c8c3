/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/host.h"

#include <signal.h>
#include <stdlib.h>

#include "model/left/pass_growth.h"

enum {
    GROWTH_PROCESSES = 64, /* the largest ones */
    NOTICED_PERCENT = 2,   /* a maximum that exceeds the highest sample by no more than this occurred at that sample */
    ENDING_MS = 500,       /* a process that ends this shortly before the end ended with the program */
    KILLED_MS = 250,       /* a signal leaves no time: two samples, and the time between them and the end of the recording */
    MOMENTS_BETWEEN = 3,   /* fewer samples between the first and the last pass prove neither growth nor its absence */
};

static int higher_peak_first(const void *a, const void *b) {
    const struct host_process_use *x = a, *y = b;
    if (x->peak_bytes != y->peak_bytes) return x->peak_bytes < y->peak_bytes ? 1 : -1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* A signal ended the program, so it freed nothing first. */
static bool is_cut_off(const struct host_record *record) {
    return record->ended && record->signal && record->signal != HOST_UNKNOWN;
}

static void take_samples(const struct host_record *record, const struct run *run, struct host_use *out) {
    uint32_t last_step = run->records.len ? vec_last(&run->records) : NONE;
    uint64_t *now = mem_zalloc(record->processes.len + 1, sizeof *now), sum = 0;
    bool *looked = mem_zalloc(record->processes.len + 1, sizeof *looked);
    uint64_t ending_ms = is_cut_off(record) ? KILLED_MS : ENDING_MS;
    for (size_t i = 0; i < record->samples.len; i++) {
        const struct host_record_sample *sample = &record->samples.items[i];
        struct host_process_use *use = &out->processes.items[sample->process];
        sum += sample->rss_bytes - now[sample->process];
        now[sample->process] = sample->rss_bytes;
        bool late = last_step != NONE && sample->step != NONE && sample->step >= last_step;
        /* processes that end before the last op, or long before the end, do not count at the end */
        bool before = last_step != NONE && sample->step != NONE && !late;
        bool early = sample->gone && (before || sample->t_ms + ending_ms < record->last_ms);
        if (!sample->gone) use->last_bytes = sample->rss_bytes;
        if (early) use->end_bytes = use->last_bytes = 0;
        /* after the last op the first sample counts, if there was none between the ops; later ones show the program ending */
        bool ending = late && sample->t_ms + ENDING_MS >= record->last_ms;
        bool first_look = late && !looked[sample->process] && !ending;
        if (!sample->gone && (!late || first_look || !use->end_bytes)) use->end_bytes = sample->rss_bytes;
        looked[sample->process] |= before || first_look;
        if (sample->rss_bytes > use->peak_bytes) {
            use->peak_bytes = sample->rss_bytes;
            use->peak_ms = sample->t_ms;
            use->peak_step = sample->step;
        }
        /* samples of one moment are adjacent */
        bool last = i + 1 == record->samples.len || record->samples.items[i + 1].t_ms != sample->t_ms;
        if (last && sum > out->together_bytes) {
            out->together_bytes = sum;
            out->together_ms = sample->t_ms;
        }
    }
    free(now);
    free(looked);
}

/* The kernel's own maxima: of a process when it was last examined, and of the child after it ended. */
static void take_maxima(const struct host_record *record, struct host_use *out) {
    for (size_t i = 0; i < out->processes.len; i++) {
        struct host_process_use *use = &out->processes.items[i];
        uint64_t peak = record->processes.items[use->process].peak_rss_bytes;
        if (out->processes.len == 1 && record->largest_rss_bytes != HOST_UNKNOWN && record->largest_rss_bytes > peak)
            peak = record->largest_rss_bytes;
        if (peak == HOST_UNKNOWN || peak <= use->peak_bytes) continue;
        use->between = (peak - use->peak_bytes) / NOTICED_PERCENT > use->peak_bytes / 100;
        use->peak_bytes = peak;
    }
    if (out->processes.len && out->together_bytes < out->processes.items[0].peak_bytes && out->processes.len == 1)
        out->together_bytes = out->processes.items[0].peak_bytes;
}

static void take_machine(const struct host_record *record, struct host_use *out) {
    enum { PERIOD_MS = 1000, LATE_MS = 300 }; /* the machine is sampled each second, processes ten times as often */
    out->hugepages_bytes = out->lowest_available_bytes = HOST_UNKNOWN;
    for (size_t i = 0; i < record->machine.len; i++) {
        const struct host_record_machine *at = &record->machine.items[i];
        uint64_t since = i && at->t_ms > at[-1].t_ms ? at->t_ms - at[-1].t_ms : 0;
        if (since > PERIOD_MS + LATE_MS && since - PERIOD_MS > out->late_ms) out->late_ms = since - PERIOD_MS;
        if (at->hugepages_bytes != HOST_UNKNOWN &&
            (out->hugepages_bytes == HOST_UNKNOWN || at->hugepages_bytes > out->hugepages_bytes))
            out->hugepages_bytes = at->hugepages_bytes;
        if (at->available_bytes < out->lowest_available_bytes) out->lowest_available_bytes = at->available_bytes;
    }
}

/* Number of samples between two steps: unchanged sizes are not written, but the machine is sampled each second. */
static size_t moments_between(const struct host_record *record, uint32_t first, uint32_t last) {
    size_t moments = 0;
    uint64_t before = HOST_UNKNOWN;
    for (size_t i = 0; i < record->samples.len; i++) {
        const struct host_record_sample *at = &record->samples.items[i];
        if (at->step == NONE || at->step < first || at->step >= last || at->t_ms == before) continue;
        before = at->t_ms;
        moments++;
    }
    for (size_t i = 0; i < record->machine.len; i++) {
        uint32_t step = record->machine.items[i].step;
        moments += step != NONE && step >= first && step < last;
    }
    return moments;
}

/* Sizes of a process at the passes; returns their number, 0 if it did not exist at all of them. After the last pass the
 * program shuts down: that pass has a size only if a sample was taken within it. */
static size_t sizes_at(const struct host_record *record, uint32_t process, const uint32_t *steps, size_t count, int64_t *out) {
    size_t filled = 0;
    int64_t now = -1;
    bool within = false;
    for (size_t i = 0; i < record->samples.len && filled < count; i++) {
        const struct host_record_sample *at = &record->samples.items[i];
        if (at->process != process) continue;
        while (filled < count && at->step != NONE && at->step > steps[filled]) {
            if (now < 0) return 0;
            out[filled++] = now;
        }
        if (filled == count || (filled + 1 == count && at->step != NONE && at->step >= steps[filled])) break;
        within = filled + 1 == count && at->step != NONE && at->step > steps[filled - 1];
        now = at->gone ? -1 : (int64_t)at->rss_bytes;
    }
    if (filled < count && now < 0) return 0;
    while (filled + 1 < count) out[filled++] = now;
    if (filled < count && within) out[filled++] = now;
    return filled;
}

static void find_growth(const struct host_record *record, const struct run *run, struct host_use *out) {
    struct pass_ends passes;
    pass_ends_find(run, &passes);
    out->growth_process = NONE;
    out->growth_program = passes.program;
    size_t count = passes.steps.len - passes.skipped;
    const uint32_t *steps = count ? passes.steps.items + passes.skipped : NULL;
    if (count >= SLOPE_LEAST && moments_between(record, steps[0], steps[count - 1]) >= MOMENTS_BETWEEN) {
        int64_t *values = mem_alloc(count * sizeof *values);
        for (size_t i = 0; i < out->processes.len && i < GROWTH_PROCESSES; i++) {
            struct slope slope;
            size_t sizes = sizes_at(record, out->processes.items[i].process, steps, count, values);
            if (sizes < SLOPE_LEAST) continue;
            slope_find(values, sizes, &slope);
            bool more = slope.rises && (!out->growth.rises || slope.per_step > out->growth.per_step);
            if (out->growth.known && !more) continue;
            out->growth = slope;
            out->growth_process = out->processes.items[i].process;
        }
        free(values);
    }
    pass_ends_release(&passes);
}

void host_use_make(const struct host_record *record, const struct run *run, struct host_use *out) {
    *out = (struct host_use){.known = record->samples.len > 0, .growth_process = NONE, .end_process = NONE, .last_step = NONE};
    for (size_t i = 0; i < record->processes.len; i++)
        vec_push(&out->processes, ((struct host_process_use){.process = (uint32_t)i, .peak_step = NONE}));
    take_samples(record, run, out);
    take_maxima(record, out);
    take_machine(record, out);
    if (out->processes.len) qsort(out->processes.items, out->processes.len, sizeof *out->processes.items, higher_peak_first);
    find_growth(record, run, out);
    /* a program that ends by itself frees everything first */
    bool cut_off = is_cut_off(record);
    for (size_t i = 0; cut_off && i < out->processes.len; i++)
        out->processes.items[i].end_bytes = out->processes.items[i].last_bytes;
    for (size_t i = 0; i < out->processes.len; i++) {
        const struct host_process_use *use = &out->processes.items[i];
        if (use->end_bytes <= out->end_bytes) continue;
        out->end_bytes = use->end_bytes;
        out->end_process = use->process;
    }
    out->killed_by_kernel = record->kernel_kills != HOST_UNKNOWN && record->kernel_kills > 0;
    out->killed = out->killed_by_kernel || (record->ended && record->signal == SIGKILL);
    if (record->samples.len) out->last_step = vec_last(&record->samples).step;
}

void host_use_release(struct host_use *use) { vec_release(&use->processes); }

static int larger_first(const void *a, const void *b) {
    const struct host_size *x = a, *y = b;
    if (x->rss_bytes != y->rss_bytes) return x->rss_bytes < y->rss_bytes ? 1 : -1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* Samples from before the first op count for it too. */
static bool is_later(uint32_t at, uint32_t step) { return at != NONE && at > step; }

void host_at(const struct host_record *record, uint32_t step, struct host_moment *out) {
    *out = (struct host_moment){.hugepages_bytes = HOST_UNKNOWN, .cgroup_bytes = HOST_UNKNOWN, .available_bytes = HOST_UNKNOWN};
    uint64_t *rss = mem_zalloc(record->processes.len + 1, sizeof *rss);
    for (size_t i = 0; i < record->samples.len && !is_later(record->samples.items[i].step, step); i++) {
        rss[record->samples.items[i].process] = record->samples.items[i].rss_bytes;
        out->known = record->tied;
    }
    for (size_t i = 0; out->known && i < record->processes.len; i++) {
        if (!rss[i]) continue;
        vec_push(&out->processes, ((struct host_size){(uint32_t)i, rss[i]}));
        out->together_bytes += rss[i];
    }
    free(rss);
    for (size_t i = 0; out->known && i < record->machine.len && !is_later(record->machine.items[i].step, step); i++) {
        out->hugepages_bytes = record->machine.items[i].hugepages_bytes;
        out->cgroup_bytes = record->machine.items[i].cgroup_bytes;
        out->available_bytes = record->machine.items[i].available_bytes;
    }
    if (out->processes.len) qsort(out->processes.items, out->processes.len, sizeof *out->processes.items, larger_first);
}

void host_moment_release(struct host_moment *moment) { vec_release(&moment->processes); }
