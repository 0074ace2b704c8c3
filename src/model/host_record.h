/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a run's processes on the host, from the recording that ttmem run keeps beside the log.
 *
 * A size is valid until the next one of its process. Samples are in time order. `step` is the last step of the run that was
 * in the log when the sample was taken, NONE before the first; it follows from the bytes of the log, so no clocks are
 * compared. HOST_UNKNOWN means "unknown". */
#ifndef TTMEM_MODEL_HOST_RECORD_H
#define TTMEM_MODEL_HOST_RECORD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "parse/host_samples.h"

struct run;

struct host_record_process {
    uint64_t pid;
    struct slice name, command;
    uint64_t peak_rss_bytes;                       /* the kernel's own maximum, 0: not recorded */
    uint64_t pss_bytes, swap_bytes, hugetlb_bytes; /* last recorded values */
    uint64_t gone_ms;                              /* HOST_UNKNOWN: it lived to the end */
};

struct host_record_sample {
    uint64_t t_ms, log_bytes, rss_bytes;
    uint32_t process;
    uint32_t step;
    bool gone; /* the process ended: rss_bytes is 0 */
};

struct host_record_machine {
    uint64_t t_ms, log_bytes;
    uint64_t available_bytes, hugepages_bytes, cgroup_bytes, cgroup_limit_bytes;
    uint32_t step;
};

struct host_record {
    struct arena arena;
    VEC(struct host_record_process) processes;
    VEC(struct host_record_sample) samples;
    VEC(struct host_record_machine) machine;
    uint64_t start_unix_ns, machine_bytes, cgroup_limit_bytes;
    uint64_t last_ms;
    bool tied;        /* the steps of samples are known */
    bool l1_per_core; /* the child's environment asked for HYBRID allocation */
    bool ended;       /* the recording has its end, with how the child ended: */
    uint64_t status, signal, kernel_kills, largest_rss_bytes, unreadable_processes;
    uint64_t wrong_lines;
    uint64_t untold; /* sizes of processes that were never introduced */
};

/* Returns -1 if it is not such a recording. A cut one is read as far as it goes. */
int host_record_read(struct host_record *record, struct slice bytes, const char *path, struct err *err);

/* Sets the steps of the samples; `log` is the text that the run was read from. */
void host_record_tie(struct host_record *record, const struct run *run, struct slice log);

/* The same by time, for a run whose steps have times that count from `start_unix_ns`. */
void host_record_tie_times(struct host_record *record, const struct run *run, uint64_t start_unix_ns);

void host_record_release(struct host_record *record);

#endif
