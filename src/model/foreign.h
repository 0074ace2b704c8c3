/* Runs from what other tools wrote: recognised by content, read from memory, put together with model/buffers.h. */
#ifndef TTMEM_MODEL_FOREIGN_H
#define TTMEM_MODEL_FOREIGN_H

#include "base/err.h"
#include "base/slice.h"
#include "model/origin.h"

struct run;

struct foreign_format {
    const char *name; /* for people: "ttnn report database" */
    enum run_origin origin;
    bool (*looks_like)(struct slice bytes);
    int (*read)(struct run *run, struct slice bytes, const char *path, struct err *err);
};

/* By what the bytes begin with; NULL: none of them, so a log. */
const struct foreign_format *foreign_find(struct slice bytes);

bool ttnn_report_looks_like(struct slice bytes);
int ttnn_report_read(struct run *run, struct slice bytes, const char *path, struct err *err);

/* memory_results.json of ttrt run --memory. */
bool ttrt_memory_looks_like(struct slice bytes);
int ttrt_memory_read(struct run *run, struct slice bytes, const char *path, struct err *err);

/* The CSV files of tt-metal's memory reporter: usage summary, L1 summary, detailed usage. */
bool memory_csv_looks_like(struct slice bytes);
int memory_csv_read(struct run *run, struct slice bytes, const char *path, struct err *err);

/* A graph capture of ttnn, bare or as a report. */
bool graph_run_looks_like(struct slice bytes);
int graph_run_read(struct run *run, struct slice bytes, const char *path, struct err *err);

/* What ttmem top --record keeps. */
bool recording_looks_like(struct slice bytes);
int recording_read(struct run *run, struct slice bytes, const char *path, struct err *err);

#endif
