/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command under capture, in its own folder: what `ttmem run` and "do it for me" share. */
#ifndef TTMEM_WORK_PROFILE_H
#define TTMEM_WORK_PROFILE_H

#include "capture/capture.h"
#include "work/launcher.h"
#include "work/work.h"

struct profile_wish {
    const char *const *command; /* NULL-terminated, at least one word */
    const char *output_dir;     /* the run's folder is made in it; NULL: ./logs */
    const char *name;           /* NULL: from the script or program */
    bool quiet_child;           /* its output goes only to the log */
    bool inspector;             /* tt-metal's Inspector records buffers in the run's folder */
    bool ttnn_report;           /* ttnn writes its report into the run's folder */
    bool no_host;               /* do not sample the memory of its processes */
};

struct profile {
    struct strbuf name, folder, log; /* log: path */
    struct strbuf inspector;         /* folder of Inspector; empty: not requested */
    struct strbuf ttnn;              /* folder of ttnn's report; empty: not requested */
    struct strbuf host;              /* path of the recording of host memory; empty: none */
    struct launched launched;        /* by a launcher, as one of several */
    struct capture_end end;
    uint64_t bytes;
};

/* Prints on stderr what is run, which settings it gets and how it ended. Returns -1 if it could not be started or the log
 * could not be made; release either way. */
int profile_run(struct profile *profile, const struct work *work, const struct profile_wish *wish, struct err *err);
void profile_end(struct profile *profile);

/* The exit status of ttmem: the child's, else that of what ttmem failed to do afterwards. */
int profile_status(const struct profile *profile, int own_status);

#endif
