/* SPDX-License-Identifier: Apache-2.0 */
/* An Inspector folder while a program writes into it: what a status line shows now, and the whole run on request. Reading
 * continues where it last stopped. */
#ifndef TTMEM_WORK_INSPECTOR_WATCH_H
#define TTMEM_WORK_INSPECTOR_WATCH_H

#include "model/inspector/data.h"
#include "model/run.h"
#include "model/watch.h"

struct inspector_watch {
    struct strbuf folder;    /* of the files */
    const struct chip *chip; /* the named chip, or NULL */
    struct inspector_data data;
    struct watch_status status; /* figures of the rank that had most; lower bounds until the run is made */
    int64_t looked_ns;          /* when they were computed */
};

/* -1: there are no such files in or below `path`. */
int inspector_watch_open(struct inspector_watch *watch, const char *path, const struct chip *chip, struct err *err);

/* Reads what was added. `cleared`: the devices were opened again, which emptied the folder, and it is read from the start. */
int inspector_watch_look(struct inspector_watch *watch, bool *grew, bool *cleared, struct err *err);

/* Nobody has the file of buffers open for writing. */
bool inspector_watch_is_closed(const struct inspector_watch *watch);

/* The run so far, from all events: the figures of the status become those of the run. The caller releases it. Reading
 * continues with the next call; from the start of the files while they are too short to be certain of the chip. */
int inspector_watch_run(struct inspector_watch *watch, struct run *run, struct err *err);

void inspector_watch_close(struct inspector_watch *watch);

#endif
