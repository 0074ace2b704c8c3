/* SPDX-License-Identifier: Apache-2.0 */
/* What the recording of host memory says about a run: how much its processes had, when, what remained, how they ended.
 *
 * Sizes are resident memory (RSS). That of one process is exact; the sum over processes counts shared pages once for each of
 * them, so it is an upper bound. */
#ifndef TTMEM_ANALYSIS_HOST_H
#define TTMEM_ANALYSIS_HOST_H

#include "model/left/slope.h"
#include "model/host_record.h"
#include "model/run.h"

struct host_process_use {
    uint32_t process; /* index in the record */
    uint64_t peak_bytes, peak_ms;
    uint32_t peak_step;  /* NONE: before the first op */
    bool between;        /* the peak was between two samples: moment and step are those of the highest sample */
    uint64_t end_bytes;  /* when the last op was printed, or without ops when the program ended; 0: it had gone before */
    uint64_t last_bytes; /* when it was last seen */
};

struct host_use {
    bool known;
    VEC(struct host_process_use) processes; /* highest peak first; the first is "the peak" */
    uint64_t together_bytes, together_ms;   /* highest sum of all at one time */
    uint64_t late_ms;                       /* the longest delay of samples, if more than three periods; else 0 */
    uint64_t end_bytes;                     /* of the largest process that existed at the end */
    uint32_t end_process;                   /* index in the record; or NONE */
    struct slope growth;                    /* per pass, of the process that grows most */
    uint32_t growth_process;                /* index in the record; or NONE */
    uint32_t growth_program;                /* index in the run: whose passes were counted */
    uint64_t hugepages_bytes;               /* most in use on the machine; or HOST_UNKNOWN */
    uint64_t lowest_available_bytes;        /* or HOST_UNKNOWN */
    bool killed;                            /* SIGKILL ended the program, or the kernel killed one of its processes */
    bool killed_by_kernel;                  /* the kernel reports that it killed for lack of memory */
    uint32_t last_step;                     /* the last step that the run printed, or NONE */
};

void host_use_make(const struct host_record *record, const struct run *run, struct host_use *out);
void host_use_release(struct host_use *use);

struct host_size {
    uint32_t process; /* index in the record */
    uint64_t rss_bytes;
};

/* The processes when a step was the last one printed, largest first, and the machine's last figures before that. */
struct host_moment {
    bool known; /* there was a sample by then */
    VEC(struct host_size) processes;
    uint64_t together_bytes;                                 /* their sum: shared pages count once for each */
    uint64_t hugepages_bytes, cgroup_bytes, available_bytes; /* or HOST_UNKNOWN */
};

void host_at(const struct host_record *record, uint32_t step, struct host_moment *out);
void host_moment_release(struct host_moment *moment);

#endif
