/* SPDX-License-Identifier: Apache-2.0 */
#include "render/host/host_text.h"

#include "base/amounts.h"
#include "render/format/json_parts.h"

enum { PROCESSES_SHOWN = 50, NEAR_END_MS = 2000 };

static void host_size(struct strbuf *out, uint64_t bytes) { add_scaled_size(out, bytes, true); }

static void add_process(struct strbuf *out, const struct term *term, const struct run *run, uint32_t process) {
    const struct host_record_process *p = &run->host->processes.items[process];
    if (p->name.len) term_text(out, term, p->name, 40);
    else strbuf_addz(out, "a process");
    strbuf_addf(out, " (pid %llu)", (unsigned long long)p->pid);
}

/* What happens at a step, if that says more than its name; else NULL. */
static const char *doing_at(const struct run *run, const struct step *step) {
    struct slice name = step_name(run, step);
    bool weight = step_is_weight_op(run, step), miss;
    if (weight && (slice_find(name, SLICE("to_device")) != SLICE_NONE || slice_find(name, SLICE("to_layout")) != SLICE_NONE))
        return "while weights go to the device";
    if (step_const_eval(run, step, &miss).len) return "while weights are prepared by const-eval";
    return NULL;
}

/* "at #1516 ttnn.mean", or the time if no op was printed yet. */
static void add_moment(struct strbuf *out, const struct term *term, const struct run *run, uint32_t step, uint64_t t_ms,
                       bool exact) {
    uint32_t record = NONE;
    for (uint32_t i = step; i != NONE && record == NONE; i = i ? i - 1 : NONE) record = run->steps.items[i].record;
    if (record == NONE) {
        strbuf_addf(out, "%llu.%llu s after its start", (unsigned long long)(t_ms / 1000),
                    (unsigned long long)(t_ms / 100 % 10));
        if (run->records.len) strbuf_addz(out, ", before the first op");
        return;
    }
    strbuf_addf(out, "%s#%u ", exact ? "at " : "", record);
    const struct step *at = &run->steps.items[run->records.items[record]];
    term_text(out, term, step_name(run, at), 48);
    const char *doing = doing_at(run, at);
    if (doing) strbuf_addf(out, " (%s)", doing);
}

static void add_growth(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use) {
    const struct slope *growth = &use->growth;
    if (!growth->known) return;
    if (!growth->rises) {
        strbuf_addf(out, ", no growth over %zu passes", growth->points);
        return;
    }
    strbuf_addz(out, ", +");
    host_size(out, (uint64_t)growth->per_step);
    strbuf_addz(out, " per pass (");
    host_size(out, growth->low > 0 ? (uint64_t)growth->low : 0);
    strbuf_addz(out, " to ");
    host_size(out, (uint64_t)growth->high);
    strbuf_addf(out, ", %zu passes", growth->points);
    if (use->growth_process != use->processes.items[0].process) {
        strbuf_addz(out, ", in ");
        add_process(out, term, run, use->growth_process);
    }
    strbuf_addc(out, ')');
}

void host_text_line(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use) {
    if (!use->known) {
        strbuf_addz(out, "no sample: the program ended too soon, or its processes could not be read");
        return;
    }
    const struct host_process_use *top = &use->processes.items[0];
    host_size(out, top->peak_bytes);
    strbuf_addz(out, " peak in ");
    add_process(out, term, run, top->process);
    strbuf_addz(out, ", ");
    if (top->between) strbuf_addz(out, "around ");
    add_moment(out, term, run, top->peak_step, top->peak_ms, !top->between);
    strbuf_addz(out, ", ");
    host_size(out, use->end_bytes);
    strbuf_addz(out, " at the end");
    if (use->end_process != NONE && use->end_process != top->process) {
        strbuf_addz(out, " in ");
        add_process(out, term, run, use->end_process);
    }
    add_growth(out, term, run, use);
    if (use->processes.len > 1) {
        strbuf_addf(out, "; %zu processes, together %s", use->processes.len, use->late_ms ? "" : "at most ");
        host_size(out, use->together_bytes);
        if (use->late_ms)
            strbuf_addf(out, " (samples came up to %s s late: what came and went between them is not counted)",
                        figure_ratio((int64_t)use->late_ms, 1000, 1).text);
    }
}

/* Of those that ran until the end, or nearly. */
static const struct host_process_use *largest_at_end(const struct host_record *record, const struct host_use *use) {
    const struct host_process_use *largest = NULL;
    for (size_t i = 0; i < use->processes.len; i++) {
        const struct host_process_use *p = &use->processes.items[i];
        uint64_t gone = record->processes.items[p->process].gone_ms;
        if (gone != HOST_UNKNOWN && gone + NEAR_END_MS < record->last_ms) continue;
        if (!largest || p->last_bytes > largest->last_bytes) largest = p;
    }
    return largest;
}

void host_text_killed(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use) {
    const struct host_record *record = run->host;
    if (!use->killed) return;
    if (use->killed_by_kernel) {
        strbuf_addf(out, "the Linux kernel killed %llu %s of its cgroup for memory", (unsigned long long)record->kernel_kills,
                    record->kernel_kills == 1 ? "process" : "processes");
        if (record->cgroup_limit_bytes != HOST_UNKNOWN) {
            strbuf_addz(out, " (limit ");
            host_size(out, record->cgroup_limit_bytes);
            strbuf_addc(out, ')');
        }
    } else {
        strbuf_addz(out, "the program was ended by SIGKILL; ");
        strbuf_addz(out, record->kernel_kills == HOST_UNKNOWN
                             ? "whether the Linux kernel did so for memory is not known"
                             : "its cgroup counts no kill for memory, so who sent it is not known");
        if (use->lowest_available_bytes != HOST_UNKNOWN) {
            strbuf_addz(out, " (lowest available memory of the machine: ");
            host_size(out, use->lowest_available_bytes);
            strbuf_addc(out, ')');
        }
    }
    const struct host_process_use *largest = largest_at_end(record, use);
    if (!use->known || !largest) return;
    strbuf_addz(out, "; the largest process was ");
    add_process(out, term, run, largest->process);
    strbuf_addz(out, " with ");
    host_size(out, largest->last_bytes);
    strbuf_addz(out, ", ");
    add_moment(out, term, run, use->last_step, record->last_ms, true);
}

bool host_text_lacks(struct strbuf *out, const struct run *run) {
    const struct host_record *record = run->host;
    size_t before = out->len;
    if (!record->ended) strbuf_addz(out, "the recording of host memory has no end: what came after its last line is not known");
    if (record->unreadable_processes && record->unreadable_processes != HOST_UNKNOWN) {
        if (out->len > before) strbuf_addz(out, "; ");
        strbuf_addf(out, "the host memory of %llu of its processes could not be read",
                    (unsigned long long)record->unreadable_processes);
    }
    if (record->wrong_lines) {
        if (out->len > before) strbuf_addz(out, "; ");
        strbuf_addf(out, "%llu %s of the recording of host memory cannot be read", (unsigned long long)record->wrong_lines,
                    record->wrong_lines == 1 ? "line" : "lines");
    }
    return out->len > before;
}

static void member_bytes(struct json *j, const char *key, uint64_t bytes) {
    json_member_u64_if(j, key, bytes != HOST_UNKNOWN, bytes);
}

static uint32_t record_of(const struct run *run, uint32_t step) {
    for (uint32_t i = step; i != NONE; i = i ? i - 1 : NONE)
        if (run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

static void growth_json(struct json *j, const struct run *run, const struct host_use *use) {
    if (!use->growth.known) {
        json_member_null(j, "growth_per_pass");
        return;
    }
    json_key(j, "growth_per_pass");
    json_object(j);
    json_member_i64(j, "per_pass_bytes", use->growth.per_step);
    json_member_i64(j, "low_bytes", use->growth.low);
    json_member_i64(j, "high_bytes", use->growth.high);
    json_member_bool(j, "grows", use->growth.rises);
    json_member_u64(j, "passes", use->growth.points);
    json_member_u64(j, "pid", run->host->processes.items[use->growth_process].pid);
    json_object_end(j);
}

void host_json(struct json *j, const struct run *run, const struct host_use *use) {
    const struct host_record *record = run->host;
    if (!record) {
        json_null(j);
        return;
    }
    json_object(j);
    json_key(j, "processes");
    json_array(j);
    for (size_t i = 0; i < use->processes.len && i < PROCESSES_SHOWN; i++) {
        const struct host_process_use *p = &use->processes.items[i];
        const struct host_record_process *process = &record->processes.items[p->process];
        json_object(j);
        json_member_u64(j, "pid", process->pid);
        json_member_text_or_null(j, "name", process->name);
        json_member_text_or_null(j, "command", process->command);
        json_member_u64(j, "peak_bytes", p->peak_bytes);
        json_member_u64(j, "peak_ms", p->peak_ms);
        json_member_op(j, "peak_op", run, record_of(run, p->peak_step));
        json_member_u64(j, "end_bytes", p->end_bytes);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "process_count", use->processes.len);
    json_member_u64(j, "together_at_most_bytes", use->together_bytes);
    growth_json(j, run, use);
    member_bytes(j, "hugepages_bytes", use->hugepages_bytes);
    member_bytes(j, "machine_bytes", record->machine_bytes);
    member_bytes(j, "lowest_available_bytes", use->lowest_available_bytes);
    member_bytes(j, "cgroup_limit_bytes", record->cgroup_limit_bytes);
    json_member_bool(j, "killed", use->killed);
    json_member_bool(j, "killed_by_kernel", use->killed_by_kernel);
    json_member_bool(j, "complete", record->ended && !record->wrong_lines && !record->unreadable_processes);
    json_object_end(j);
}
