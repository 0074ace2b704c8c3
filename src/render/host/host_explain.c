/* SPDX-License-Identifier: Apache-2.0 */
#include "render/host/host_explain.h"

#include "base/amounts.h"
#include "base/json_write.h"
#include "render/host/host_text.h"
#include "render/format/json_parts.h"

enum { LAST_SAMPLES = 8, LABEL = 11, PROCESS_WIDTH = 32 };

static void label(struct strbuf *out, const char *text) { strbuf_addf(out, "  %-*s", LABEL, text); }

static void row_size(struct strbuf *out, const char *name, uint64_t bytes, const char *what) {
    if (bytes == HOST_UNKNOWN) return;
    struct strbuf cell = {0};
    label(out, name);
    add_scaled_size(&cell, bytes, true);
    strbuf_fill(out, ' ', cell.len < 10 ? 10 - cell.len : 0);
    strbuf_add(out, strbuf_slice(&cell));
    strbuf_addf(out, "  %s\n", what);
    strbuf_release(&cell);
}

static const char *headline(const struct host_record *record, const struct host_use *use) {
    if (use->killed_by_kernel) return "Killed by the Linux kernel: out of host memory";
    if (use->killed) return "Ended by SIGKILL; nothing says that it was for memory";
    if (!record->ended) return "The recording has no end: how the run ended is not known";
    return "Not killed for memory on the host";
}

static uint64_t last_cgroup(const struct host_record *record) {
    uint64_t last = HOST_UNKNOWN;
    for (size_t i = 0; i < record->machine.len; i++)
        if (record->machine.items[i].cgroup_bytes != HOST_UNKNOWN) last = record->machine.items[i].cgroup_bytes;
    return last;
}

/* The last samples of any process other than its end, newest last. */
static size_t last_samples(const struct host_record *record, const struct host_record_sample *out[LAST_SAMPLES]) {
    size_t n = 0;
    for (size_t i = record->samples.len; i-- > 0 && n < LAST_SAMPLES;)
        if (!record->samples.items[i].gone) out[n++] = &record->samples.items[i];
    for (size_t i = 0; i < n / 2; i++) {
        const struct host_record_sample *other = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = other;
    }
    return n;
}

static void sample_rows(struct strbuf *out, const struct term *term, const struct host_record *record) {
    const struct host_record_sample *list[LAST_SAMPLES];
    size_t n = last_samples(record, list);
    if (!n) return;
    strbuf_addz(out, "\n  Last samples, seconds before the end of the recording\n");
    for (size_t i = 0; i < n; i++) {
        const struct host_record_process *process = &record->processes.items[list[i]->process];
        uint64_t before = record->last_ms - list[i]->t_ms;
        struct strbuf name = {0};
        term_text(&name, term, process->name.len ? process->name : SLICE("process"), 20);
        strbuf_addf(&name, " (pid %llu)", (unsigned long long)process->pid);
        strbuf_addf(out, "  %7llu.%llu  ", (unsigned long long)(before / 1000), (unsigned long long)(before / 100 % 10));
        strbuf_add(out, strbuf_slice(&name));
        strbuf_fill(out, ' ', name.len < PROCESS_WIDTH ? PROCESS_WIDTH - name.len : 1);
        add_scaled_size(out, list[i]->rss_bytes, true);
        strbuf_addc(out, '\n');
        strbuf_release(&name);
    }
}

static void advice(struct strbuf *out, const struct run *run, const struct host_use *use) {
    const struct host_record *record = run->host;
    if (!use->killed_by_kernel) return;
    strbuf_addz(out, "\n  1. Raise the limit of the cgroup (docker run --memory, MemoryMax= of systemd, the job's request): ");
    if (record->cgroup_limit_bytes != HOST_UNKNOWN) {
        strbuf_addz(out, "more than\n     ");
        add_scaled_size(out, record->cgroup_limit_bytes, true);
        strbuf_addz(out, " is needed; the recording cannot say how much more.\n");
    } else {
        strbuf_addz(out, "the recording\n     cannot say how much is needed.\n");
    }
    bool early = use->processes.len && use->processes.items[0].peak_step == NONE;
    strbuf_addf(out, "  2. %s\n",
                early
                    ? "The peak was before the first op: load weights in parts or mapped from their files, and keep one copy\n"
                      "     for all devices; compile with fewer processes at once."
                    : "Keep fewer copies of weights on the host: free or map what is on the device already, and load one\n"
                      "     model at a time.");
    if (use->growth.known && use->growth.rises)
        strbuf_addz(out, "  3. Every pass leaves memory behind: the run would reach any limit, only later.\n");
}

void host_explain_text(struct strbuf *out, const struct term *term, const struct run *run, const struct host_use *use) {
    const struct host_record *record = run->host;
    struct strbuf text = {0};
    if (use->killed) term_tone(out, term, TONE_BAD);
    strbuf_addz(out, headline(record, use));
    if (use->killed) term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n");
    row_size(out, "limit", record->cgroup_limit_bytes, "of the memory cgroup");
    row_size(out, "cgroup", last_cgroup(record), "when it was last looked at");
    row_size(out, "available", use->lowest_available_bytes, "memory of the machine, at the lowest");
    if (use->killed) {
        host_text_killed(&text, term, run, use);
        label(out, "end");
        strbuf_add(out, strbuf_slice(&text));
        strbuf_addc(out, '\n');
    } else if (record->ended) {
        label(out, "end");
        if (record->signal && record->signal != HOST_UNKNOWN)
            strbuf_addf(out, "by signal %llu\n", (unsigned long long)record->signal);
        else strbuf_addf(out, "with status %llu\n", (unsigned long long)(record->status == HOST_UNKNOWN ? 0 : record->status));
    }
    label(out, "host");
    host_text_line(out, term, run, use);
    strbuf_addc(out, '\n');
    strbuf_clear(&text);
    if (host_text_lacks(&text, run)) {
        label(out, "note");
        strbuf_add(out, strbuf_slice(&text));
        strbuf_addc(out, '\n');
    }
    strbuf_release(&text);
    sample_rows(out, term, record);
    advice(out, run, use);
}

void host_explain_json(struct strbuf *out, const struct run *run, const struct host_use *use) {
    const struct host_record *record = run->host;
    const struct host_record_sample *list[LAST_SAMPLES];
    size_t n = last_samples(record, list);
    struct json j = {.out = out, .pretty = true};
    json_object(&j);
    json_member_u64(&j, "schema_version", JSON_SCHEMA_VERSION);
    json_key(&j, "host");
    host_json(&j, run, use);
    json_key(&j, "last_samples");
    json_array(&j);
    for (size_t i = 0; i < n; i++) {
        const struct host_record_process *process = &record->processes.items[list[i]->process];
        json_object(&j);
        json_member_u64(&j, "before_end_ms", record->last_ms - list[i]->t_ms);
        json_member_u64(&j, "pid", process->pid);
        json_member_text_or_null(&j, "name", process->name);
        json_member_u64(&j, "rss_bytes", list[i]->rss_bytes);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
