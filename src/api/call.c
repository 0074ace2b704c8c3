/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, closing, and the frame around every call. */
#include "api/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "render/json/summary_json.h"
#include "work/version.h"

__attribute__((constructor)) static void at_load(void) { json_prepare(); }

static _Thread_local char last_error[1024];

const char *ttmem_run_last_error(void) { return last_error; }
const char *ttmem_run_version(void) { return version_number(); }

ttmem_run_status run_fail(ttmem_run_status status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(last_error, sizeof last_error, format, values);
    va_end(values);
    return status;
}

ttmem_run_status run_fail_err(const struct err *err) {
    ttmem_run_status status = err->code == ERR_LACKS   ? TTMEM_RUN_LACKS
                              : err->code == ERR_USAGE ? TTMEM_RUN_BAD_ARGUMENT
                              : err->code == ERR_INPUT ? TTMEM_RUN_INPUT
                                                       : TTMEM_RUN_BUG;
    return run_fail(status, "%s", err->text);
}

static ttmem_run_status fail_no_memory(void) { return run_fail(TTMEM_RUN_NO_MEMORY, "the host has no memory left"); }

/* Nothing is kept in registers across the jump: anything that changes lives in the run. */
static ttmem_run_status guarded(ttmem_run *run, run_work_fn *work, void *context) {
    struct mem_guard guard;
    void *outer = mem_scope_enter(run->heap);
    volatile ttmem_run_status status = TTMEM_RUN_NO_MEMORY;
    if (mem_try(&guard)) {
        status = work(run, context);
    } else {
        run->broken = true;
        fail_no_memory();
    }
    mem_guard_end(&guard);
    mem_scope_enter(outer);
    return status;
}

ttmem_run_status run_call(ttmem_run *run, run_work_fn *work, void *context) {
    if (!run) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the run is NULL");
    pthread_mutex_lock(&run->lock);
    ttmem_run_status status = run->broken
                                  ? run_fail(TTMEM_RUN_NO_MEMORY, "an earlier call had no memory: the run can only be closed")
                                  : guarded(run, work, context);
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* Files and mappings are not on the heap; everything else goes with it. */
static void destroy(ttmem_run *run) {
    struct heap *heap = run->heap;
    void *outer = mem_scope_enter(heap);
    source_release(&run->in.source);
    pthread_mutex_destroy(&run->lock);
    mem_scope_enter(outer);
    json_readers_free_of(heap);
    heap_free(heap);
    free(run);
}

void run_unref(ttmem_run *run) {
    if (atomic_fetch_sub(&run->references, 1) == 1) destroy(run);
}

void ttmem_run_close(ttmem_run *run) {
    if (run) run_unref(run);
}

struct paths {
    const char *const *items;
    size_t count;
};

static ttmem_run_status read_paths(ttmem_run *run, void *context) {
    const struct paths *paths = context;
    struct input_options options = {0};
    struct err err = {0};
    if (input_open_all(&run->in, paths->items, paths->count, &options, &err) != 0) {
        run->in.source = (struct source){.fd = -1}; /* released by the function that failed */
        return run_fail_err(&err);
    }
    if (input_check(&run->in, &err) != 0) return run_fail_err(&err);
    run->job = (struct output_job){
        .run = &run->in.run, .name = strbuf_slice(&run->in.name), .path = run->in.path, .version = version_number()};
    return TTMEM_RUN_OK;
}

ttmem_run_status ttmem_run_open_all(const char *const *paths, size_t count, ttmem_run **out) {
    if (!out) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the pointer that takes the run is NULL");
    *out = NULL;
    if (!paths || !count) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "no path is given");
    for (size_t i = 0; i < count; i++) {
        if (!paths[i]) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the path is NULL");
        if (!paths[i][0]) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the path is empty");
        if (paths[i][0] == '-' && !paths[i][1])
            return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the path is -, but stdin cannot be read here: it belongs to the program");
    }
    json_in_library(mem_exhausted, mem_scope);
    ttmem_run *run = calloc(1, sizeof *run);
    struct heap *heap = run ? heap_new() : NULL;
    if (!heap) {
        free(run);
        return fail_no_memory();
    }
    run->heap = heap;
    run->references = 1;
    run->in.source.fd = -1;
    pthread_mutex_init(&run->lock, NULL);
    struct paths given = {paths, count};
    ttmem_run_status status = run_call(run, read_paths, &given);
    if (status == TTMEM_RUN_OK) *out = run;
    else run_unref(run);
    return status;
}

ttmem_run_status ttmem_run_open(const char *path, ttmem_run **out) { return ttmem_run_open_all(&path, 1, out); }

void run_need_overview(ttmem_run *run) {
    if (run->has_overview) return;
    overview_make(&run->in.run, &run->overview);
    run->has_overview = true;
    run->job.overview = &run->overview;
}

/* --- texts --- */

static ttmem_run_status make_summary(ttmem_run *run, void *context) {
    (void)context;
    if (run->summary.len) return TTMEM_RUN_OK;
    run_need_overview(run);
    struct summary_origin origin = {.name = run->job.name, .path = slice_from(run->in.path)};
    summary_json(&run->summary, &run->in.run, &run->overview, &origin, true);
    strbuf_text(&run->summary);
    return TTMEM_RUN_OK;
}

ttmem_run_status ttmem_run_summary(ttmem_run *run, const char **json, size_t *length) {
    if (!json || !length) return run_fail(TTMEM_RUN_BAD_ARGUMENT, "the pointer that takes the summary is NULL");
    *json = "";
    *length = 0;
    ttmem_run_status status = run_call(run, make_summary, NULL);
    if (status != TTMEM_RUN_OK) return status;
    *json = run->summary.data;
    *length = run->summary.len;
    return TTMEM_RUN_OK;
}

static ttmem_run_status end_texts(ttmem_run *run, void *context) {
    const char **out = context;
    out[0] = strbuf_text(&run->in.name);
    out[1] = strbuf_text(&run->in.notes);
    return TTMEM_RUN_OK;
}

const char *ttmem_run_name(ttmem_run *run) {
    const char *texts[2] = {"", ""};
    return run_call(run, end_texts, texts) == TTMEM_RUN_OK ? texts[0] : "";
}

const char *ttmem_run_notes(ttmem_run *run) {
    const char *texts[2] = {"", ""};
    return run_call(run, end_texts, texts) == TTMEM_RUN_OK ? texts[1] : "";
}
