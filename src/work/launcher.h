/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a launcher started this process as one of several, and what they share: a run folder with a folder for each rank,
 * and the report, which the last to finish makes. */
#ifndef TTMEM_WORK_LAUNCHER_H
#define TTMEM_WORK_LAUNCHER_H

#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

struct launched {
    bool several; /* a launcher did, and it started more than one */
    bool unnamed; /* the same, but nothing names what they have in common: each is on its own */
    uint64_t rank;
    uint64_t size;     /* 0: not told */
    struct strbuf job; /* what all of them have in common, fit for a file name */
};

/* By what mpirun, tt-run, srun and other launchers set in the environment. */
void launched_find(struct launched *out);
void launched_release(struct launched *launched);

/* Makes <root>/<name>_<job>/rank.N and appends it to `folder`; the name is one that was given to all (NULL: "run"), as they may
 * run different programs. -1 when another run of that name is in it. */
int launched_folder(const struct launched *launched, const char *root, const char *name, struct strbuf *folder,
                    struct err *err);

/* Whether the logs of all ranks in the folder of a run have that name: they ran the same program. */
bool launched_share_name(const char *folder, const char *name);

/* Notes in the rank's folder that it is through; true for one process alone, the last of all. */
bool launched_done(const struct launched *launched, const char *folder, int status);

#endif
