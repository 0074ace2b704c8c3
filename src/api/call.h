/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libttmem_run share: the run of include/ttmem/run.h, and how a call of the library works. */
#ifndef TTMEM_API_CALL_H
#define TTMEM_API_CALL_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/heap.h"
#include "input/input.h"
#include "render/export/export_rows.h"
#include "ttmem/run.h"

struct run_table; /* its columns, made when needed */

struct ttmem_run {
    struct heap *heap;
    pthread_mutex_t lock;
    atomic_size_t references; /* its owner, and Arrow arrays and schemas */
    bool broken;              /* a call ran out of memory halfway */
    struct input in;
    bool has_overview;
    struct overview overview;
    struct output_job job;
    struct run_table *tables;
    struct strbuf summary;
    struct live_set alive;
};

/* Keeps the message for ttmem_run_last_error and returns the status. */
ttmem_run_status run_fail(ttmem_run_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
ttmem_run_status run_fail_err(const struct err *err);

/* Does the work with the run's lock and memory; a NULL run, a broken one and a lack of memory become a status. */
typedef ttmem_run_status run_work_fn(ttmem_run *run, void *context);
ttmem_run_status run_call(ttmem_run *run, run_work_fn *work, void *context);

void run_unref(ttmem_run *run);

/* Inside a call: makes sure that the overview exists. */
void run_need_overview(ttmem_run *run);

/* Inside a call: a column; NULL if there is none of that name. */
const ttmem_column *run_column_made(ttmem_run *run, const struct export_table *from, size_t column);
const struct export_table *run_table_named(const char *name, size_t *index);
size_t run_table_rows(ttmem_run *run, size_t table);

#endif
