/* SPDX-License-Identifier: Apache-2.0 */
/* Did a launcher start this process as one of several? And what they share: a run folder with a folder for each rank, and
 * the report, which the last to finish makes. */
#ifndef TTMEM_WORK_LAUNCHER_H
#define TTMEM_WORK_LAUNCHER_H

#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

struct launched {
    bool several; /* a launcher started this and other processes */
    bool unnamed; /* the same, but nothing names the job: each is on its own */
    uint64_t rank;
    uint64_t size;     /* 0: unknown */
    struct strbuf job; /* the name of the job that they share, usable as a file name */
};

/* Judged by what mpirun, tt-run, srun and other launchers set in the environment. */
void launched_find(struct launched *out);
void launched_release(struct launched *launched);

/* Makes <root>/<name>_<job>/rank.N and appends it to `folder`; the name is one given to all (NULL: "run"), because they may
 * run different programs. -1 if another run of that name is in it. */
int launched_folder(const struct launched *launched, const char *root, const char *name, struct strbuf *folder,
                    struct err *err);

/* Do the logs of all ranks in a run's folder have that name, which means that they ran the same program? */
bool launched_share_name(const char *folder, const char *name);

/* Notes in the rank's folder that it has finished; true for exactly one process, the last one. */
bool launched_done(const struct launched *launched, const char *folder, int status);

#endif
