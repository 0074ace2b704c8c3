/* SPDX-License-Identifier: Apache-2.0 */
/* What the history knows about the reports that a server shows: commit, branch, labels. */
#ifndef TTMEM_SERVE_KNOWN_RUNS_H
#define TTMEM_SERVE_KNOWN_RUNS_H

#include "input/report/report_dir.h"
#include "store/history.h"

struct known_runs {
    struct history_list list; /* newest first, at most KNOWN_RUNS_MOST */
    struct history_labels labels;
    struct err problem; /* code ERR_NONE if all went well; ERR_LACKS: months are missing; else the lists are empty */
};

enum { KNOWN_RUNS_MOST = 5000 };

/* Reads the history that TTMEM_STORE names, else the default one. */
void known_runs_read(struct known_runs *known);
void known_runs_release(struct known_runs *known);

/* The newest run with the report's name, ops and DRAM peak; NULL: none. */
const struct history_listed *known_run_of(const struct known_runs *known, const char *name,
                                          const struct report_summary *summary);

/* Appends "batch=8, owner=ci"; raw. */
void known_labels(struct strbuf *out, const struct known_runs *known, int64_t run);

#endif
