/* SPDX-License-Identifier: Apache-2.0 */
#include "model/host_record.h"

#include "base/mem.h"
#include "base/table/map.h"
#include "model/run.h"

struct host_reading {
    struct host_record *record;
    struct map current; /* pid -> the process that currently has it */
};

static uint32_t *current_of(struct host_reading *r, uint64_t pid, bool *added) {
    return map_at(&r->current, (struct hash128){hash_mix(0, pid), pid}, added);
}

static struct host_record_process *known_process(struct host_reading *r, const struct host_line *line, uint32_t *index) {
    bool added;
    uint32_t *at = current_of(r, line->pid, &added);
    if (added) {
        *at = (uint32_t)r->record->processes.len;
        vec_push(&r->record->processes, ((struct host_record_process){.pid = line->pid, .gone_ms = HOST_UNKNOWN}));
        r->record->untold += line->kind != HOST_PROCESS;
    }
    *index = *at;
    return &r->record->processes.items[*at];
}

static void introduce(struct host_reading *r, const struct host_line *line) {
    uint32_t index;
    struct host_record_process *process = known_process(r, line, &index);
    if (process->gone_ms != HOST_UNKNOWN) { /* the pid belongs to another process now */
        bool added;
        uint32_t next = (uint32_t)r->record->processes.len;
        *current_of(r, line->pid, &added) = next;
        vec_push(&r->record->processes, ((struct host_record_process){.pid = line->pid, .gone_ms = HOST_UNKNOWN}));
        process = &r->record->processes.items[next];
    }
    if (line->name.len) process->name = arena_copy(&r->record->arena, line->name);
    if (line->command.len) process->command = arena_copy(&r->record->arena, line->command);
}

static void add_sample(struct host_reading *r, const struct host_line *line, uint64_t rss_bytes, bool gone) {
    uint32_t index;
    struct host_record_process *process = known_process(r, line, &index);
    if (gone) process->gone_ms = line->t_ms;
    vec_push(&r->record->samples, ((struct host_record_sample){.t_ms = line->t_ms,
                                                               .log_bytes = line->log_bytes,
                                                               .rss_bytes = rss_bytes,
                                                               .process = index,
                                                               .step = NONE,
                                                               .gone = gone}));
}

static void take_end(struct host_record *record, const struct host_line *line) {
    record->ended = true;
    record->status = line->status;
    record->signal = line->signal;
    record->kernel_kills = line->kernel_kills;
    record->largest_rss_bytes = line->largest_rss_bytes;
    record->unreadable_processes = line->unreadable_processes;
}

static void take_machine(struct host_record *record, const struct host_line *line) {
    vec_push(&record->machine,
             ((struct host_record_machine){line->t_ms, line->log_bytes, line->available_bytes, line->hugepages_bytes,
                                           line->cgroup_bytes, line->cgroup_limit_bytes, NONE}));
    if (line->cgroup_limit_bytes != HOST_UNKNOWN) record->cgroup_limit_bytes = line->cgroup_limit_bytes;
}

static void take_line(struct host_reading *r, const struct host_line *line) {
    struct host_record *record = r->record;
    uint32_t index;
    if (line->kind != HOST_HEAD && line->t_ms > record->last_ms) record->last_ms = line->t_ms;
    switch (line->kind) {
        case HOST_HEAD:
            record->start_unix_ns = line->start_unix_ns;
            record->machine_bytes = line->machine_bytes;
            record->l1_per_core = line->l1_per_core;
            record->cgroup_limit_bytes = line->cgroup_limit_bytes;
            break;
        case HOST_PROCESS:
            introduce(r, line);
            break;
        case HOST_SIZE:
            add_sample(r, line, line->rss_bytes, false);
            break;
        case HOST_GONE:
            add_sample(r, line, 0, true);
            break;
        case HOST_PEAK:
            known_process(r, line, &index)->peak_rss_bytes = line->peak_rss_bytes;
            break;
        case HOST_SHARES: {
            struct host_record_process *process = known_process(r, line, &index);
            process->pss_bytes = line->pss_bytes;
            process->swap_bytes = line->swap_bytes;
            process->hugetlb_bytes = line->hugetlb_bytes;
            break;
        }
        case HOST_MACHINE:
            take_machine(record, line);
            break;
        case HOST_END:
            take_end(record, line);
            break;
    }
}

int host_record_read(struct host_record *record, struct slice bytes, const char *path, struct err *err) {
    *record =
        (struct host_record){.start_unix_ns = HOST_UNKNOWN, .machine_bytes = HOST_UNKNOWN, .cgroup_limit_bytes = HOST_UNKNOWN};
    if (!host_looks_like(bytes)) return err_set(err, ERR_INPUT, "%s is not a recording of host memory", path);
    struct json_reader *json = json_reader_new();
    if (!json) mem_exhausted();
    struct host_reading r = {.record = record};
    while (bytes.len) {
        size_t end = slice_find_byte(bytes, '\n');
        struct slice text = slice_take(bytes, end);
        struct host_line line;
        if (host_line_read(json, text, &line)) take_line(&r, &line);
        else if (text.len && end != SLICE_NONE) record->wrong_lines++; /* a kill leaves a cut last line */
        bytes = end == SLICE_NONE ? slice_of("", 0) : slice_skip(bytes, end + 1);
    }
    json_reader_free(json);
    map_release(&r.current);
    return 0;
}

/* Steps are in the order of their lines, samples in that of the log's growth, so both are walked once. */
struct host_walk {
    const struct run *run;
    struct slice log;
    uint64_t at, line;
    size_t step;
};

/* The last step whose line was complete when the log had this many bytes. */
static uint32_t step_at(struct host_walk *w, uint64_t log_bytes) {
    uint64_t until = log_bytes < w->log.len ? log_bytes : w->log.len;
    for (const char *end; w->at < until && (end = memchr(w->log.ptr + w->at, '\n', until - w->at)); w->line++)
        w->at = (uint64_t)(end - w->log.ptr) + 1;
    while (w->step < w->run->steps.len && w->run->steps.items[w->step].line < w->line) w->step++;
    return w->step ? (uint32_t)(w->step - 1) : NONE;
}

void host_record_tie(struct host_record *record, const struct run *run, struct slice log) {
    record->tied = true;
    struct host_walk samples = {.run = run, .log = log, .line = 1}, machine = samples;
    for (size_t i = 0; i < record->samples.len; i++)
        record->samples.items[i].step = step_at(&samples, record->samples.items[i].log_bytes);
    for (size_t i = 0; i < record->machine.len; i++)
        record->machine.items[i].step = step_at(&machine, record->machine.items[i].log_bytes);
}

/* The last step of the first rank that had begun by then. */
static uint32_t step_at_time(const struct run *run, size_t *step, uint64_t unix_ns, uint64_t start_ns) {
    while (*step < run->steps.len && *step < run->times.len && run->steps.items[*step].rank == 0 && unix_ns >= start_ns &&
           run->times.items[*step].start_ns <= unix_ns - start_ns)
        ++*step;
    return *step ? (uint32_t)(*step - 1) : NONE;
}

void host_record_tie_times(struct host_record *record, const struct run *run, uint64_t start_unix_ns) {
    size_t sampled = 0, looked = 0;
    if (record->start_unix_ns == HOST_UNKNOWN) return;
    record->tied = true;
    for (size_t i = 0; i < record->samples.len; i++)
        record->samples.items[i].step =
            step_at_time(run, &sampled, record->start_unix_ns + record->samples.items[i].t_ms * 1000000, start_unix_ns);
    for (size_t i = 0; i < record->machine.len; i++)
        record->machine.items[i].step =
            step_at_time(run, &looked, record->start_unix_ns + record->machine.items[i].t_ms * 1000000, start_unix_ns);
}

void host_record_release(struct host_record *record) {
    arena_release(&record->arena);
    vec_release(&record->processes);
    vec_release(&record->samples);
    vec_release(&record->machine);
    *record = (struct host_record){0};
}
