/* SPDX-License-Identifier: Apache-2.0 */
/* A run that the terminal program shows, and where its report is. */
#ifndef TTMEM_TUI_OPENED_H
#define TTMEM_TUI_OPENED_H

#include "work/make_report.h"

struct opened {
    struct made_report *made; /* owned; separate, because an abandoned reader may still fill it */
    const struct run *run;
    const struct overview *overview;
    const char *path;   /* of the log */
    const char *name;   /* of the report */
    const char *folder; /* NULL: only read, nothing written */
};

/* Reads a log; with `wish` also writes its report. Prints nothing, because the screen is active. Returns -1 with nothing to
 * close. */
int opened_log(struct opened *opened, const char *path, const struct report_options *wish, struct progress *progress,
               struct err *err);
/* What happened to the log since it was read, in words: "the file was replaced ..."; NULL if it has not changed, or only
 * grew. */
const char *opened_change(const struct opened *opened);
void opened_close(struct opened *opened);

#endif
