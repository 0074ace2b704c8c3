/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome's trace event format, the JSON object form. A rank is a process. Its thread "ops" holds the executions of programs
 * as slices with their ops inside; an op that runs a program (load_cached, func.call) lasts until that program ends. Pools
 * are counters of the process, written when they change. Times are those of the input if it has them, else steps. */
#include <stdlib.h>

#include "base/json_write.h"
#include "render/export/export.h"
#include "render/format/warning_words.h"

struct trace {
    const struct run *run;
    struct strbuf text;
    struct json json;
    uint32_t *end;      /* by step: the end of the program that the op runs, 0 if it runs none */
    struct block *last; /* by rank: the last value written of each pool; `have` says which */
};

/* Nanoseconds: a step is a microsecond if the input does not say how long things took. */
static uint64_t start_of(const struct trace *t, uint32_t step) {
    if (!t->run->times.len) return (uint64_t)step * 1000;
    if (step < t->run->times.len) return t->run->times.items[step].start_ns;
    const struct step_time *last = &vec_last(&t->run->times);
    return last->start_ns + last->duration_ns;
}

static uint64_t duration_of(const struct trace *t, uint32_t from, uint32_t end) {
    uint64_t begin = start_of(t, from), past = start_of(t, end);
    return past > begin ? past - begin : 0;
}

static void begin_event(struct trace *t, const char *phase, unsigned rank, uint32_t at) {
    json_object(&t->json);
    json_member_text(&t->json, "ph", phase);
    json_member_u64(&t->json, "pid", rank);
    json_member_u64(&t->json, "tid", 0);
    json_member_milli(&t->json, "ts", (int64_t)start_of(t, at));
}

static void name_thing(struct trace *t, unsigned rank, const char *what, struct slice name) {
    begin_event(t, "M", rank, 0);
    json_member_text(&t->json, "name", what);
    json_key(&t->json, "args");
    json_object(&t->json);
    json_member_str(&t->json, "name", name);
    json_object_end(&t->json);
    json_object_end(&t->json);
}

static void name_processes(struct trace *t) {
    struct strbuf name = {0};
    for (unsigned i = 0; i < t->run->ranks.len; i++) {
        const struct rank *rank = &t->run->ranks.items[i];
        if (!rank->records && !rank->blocks) continue;
        strbuf_clear(&name);
        if (rank->name) strbuf_addf(&name, "rank %.*s", SLICE_FMT(run_string(t->run, rank->name)));
        else strbuf_addz(&name, "run");
        name_thing(t, i, "process_name", strbuf_slice(&name));
        name_thing(t, i, "thread_name", SLICE("ops"));
    }
    strbuf_release(&name);
}

static void add_execution(struct trace *t, const struct execution *execution) {
    begin_event(t, "X", execution->rank, execution->first_step);
    json_member_milli(&t->json, "dur", (int64_t)duration_of(t, execution->first_step, execution->end_step));
    json_member_str(&t->json, "name", run_string(t->run, execution->name));
    json_member_text(&t->json, "cat", execution->const_eval ? "const_eval" : "program");
    json_object_end(&t->json);
}

static void add_step(struct trace *t, uint32_t at, const struct step *step) {
    static const char *const categories[] = {[STEP_OP] = "op",
                                             [STEP_BLOCK] = "memory",
                                             [STEP_BEFORE_SUBMIT] = "submit",
                                             [STEP_AFTER_SUBMIT] = "submit",
                                             [STEP_VOID] = "op"};
    begin_event(t, "X", step->rank, at);
    uint64_t duration = t->end[at]          ? duration_of(t, at, t->end[at])
                        : t->run->times.len ? t->run->times.items[at].duration_ns
                                            : 1000;
    json_member_milli(&t->json, "dur", (int64_t)duration);
    json_member_str(&t->json, "name", step_name(t->run, step));
    json_member_text(&t->json, "cat", categories[step->kind]);
    json_key(&t->json, "args");
    json_object(&t->json);
    if (step->record != NONE) json_member_u64(&t->json, "index", step->record);
    struct slice display = step_display(t->run, step);
    if (display.len) json_member_str(&t->json, "loc", display);
    json_member_u64(&t->json, "line", step->line);
    json_object_end(&t->json);
    json_object_end(&t->json);
}

static void add_counters(struct trace *t, uint32_t at, const struct step *step) {
    const struct block *block = &t->run->blocks.items[step->block];
    struct block *last = &t->last[step->rank];
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        unsigned bit = 1u << pool;
        if (!(block->have & bit) || (last->have & bit && last->allocated[pool] == block->allocated[pool])) continue;
        last->have |= (uint8_t)bit;
        last->allocated[pool] = block->allocated[pool];
        begin_event(t, "C", step->rank, at);
        json_member_text(&t->json, "name", pool_names[pool]);
        json_key(&t->json, "args");
        json_object(&t->json);
        json_member_milli(&t->json, pool_unit(t->run, (enum pool)pool)[0] == 'c' ? "MB per core" : "MB per bank",
                          block->allocated[pool]);
        json_object_end(&t->json);
        json_object_end(&t->json);
    }
}

static void find_ends(struct trace *t) {
    t->end = mem_zalloc(t->run->steps.len + 1, sizeof *t->end);
    for (size_t i = 0; i < t->run->executions.len; i++) {
        const struct execution *execution = &t->run->executions.items[i];
        if (execution->caller != NONE && execution->end_step > t->end[execution->caller])
            t->end[execution->caller] = execution->end_step;
    }
}

/* Executions are sorted by start, so that outer slices come first. */
static int write_events(struct trace *t, struct outfile *file, struct err *err) {
    const struct run *run = t->run;
    size_t next = 0;
    for (uint32_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        for (; next < run->executions.len && run->executions.items[next].first_step <= i; next++)
            if (run->executions.items[next].end_step > run->executions.items[next].first_step)
                add_execution(t, &run->executions.items[next]);
        if (step->kind != STEP_VOID) add_step(t, i, step);
        if (step->block != NONE) add_counters(t, i, step);
        if (export_flush(&t->text, false, file, err) != 0) return -1;
    }
    return 0;
}

int export_chrome(const struct output_job *job, struct outfile *file, struct err *err) {
    struct trace t = {.run = job->run};
    t.json = (struct json){.out = &t.text};
    t.last = mem_zalloc(job->run->ranks.len + 1, sizeof *t.last);
    find_ends(&t);
    json_object(&t.json);
    json_member_text(&t.json, "displayTimeUnit", "ns");
    json_key(&t.json, "otherData");
    json_object(&t.json);
    json_member_str(&t.json, "name", job->name);
    json_member_text(&t.json, "source", job->path);
    json_member_text(&t.json, "generator", "ttmem");
    json_member_text(&t.json, "version", job->version);
    json_member_text(&t.json, "time",
                     !job->run->times.len                ? "one microsecond is one step of the log, not a duration"
                     : job->run->origin == RUN_RECORDING ? "as it was, from the first sample on"
                                                         : "durations as measured, one op after the other without gaps");
    json_object_end(&t.json);
    json_key(&t.json, "traceEvents");
    json_array(&t.json);
    name_processes(&t);
    int rc = write_events(&t, file, err);
    json_array_end(&t.json);
    json_object_end(&t.json);
    strbuf_addc(&t.text, '\n');
    if (rc == 0) rc = export_flush(&t.text, true, file, err);
    strbuf_release(&t.text);
    free(t.last);
    free(t.end);
    return rc;
}
