/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the memory of a run's processes, on its own thread, into a recording of JSON lines (docs/host-memory.md): sizes
 * ten times a second, names, maxima and the machine's state once a second, shares every two. The cost of each kind of sample
 * limits its rate, so that all of them together stay below half a percent of one core, even with a thousand processes.
 *
 * A size is written when it has changed, and less often the longer the run lasts, so that a recording of a day is no larger
 * than ten of a minute. The run is never held up: if the recording cannot be written, it ends there. */
#ifndef TTMEM_CAPTURE_HOST_SAMPLER_H
#define TTMEM_CAPTURE_HOST_SAMPLER_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct host_sampler;

struct host_sampler_wish {
    int fd; /* of the recording, open for writing; not owned */
    pid_t root;
    const char *mark; /* in the child's environment, or NULL */
    const char *proc; /* NULL: "/proc" */
    _Atomic uint64_t *log_bytes;
};

struct host_sampler_end {
    int write_errno;       /* not 0: the recording ends early */
    uint64_t unreadable;   /* processes whose size could not be read */
    uint64_t kernel_kills; /* for lack of memory, in the child's cgroup while it ran */
    uint64_t cpu_ns, ns;   /* CPU time of sampling, and its duration */
    uint64_t ticks;
};

/* NULL: the thread could not be started. */
struct host_sampler *host_sampler_start(const struct host_sampler_wish *wish);

/* Writes how the child ended and stops (`status` is 128+n and `signal` n if a signal ended it; `largest_bytes` is the
 * largest size of one of its processes, as the kernel reports at the end, 0: unknown). */
void host_sampler_stop(struct host_sampler *sampler, int status, int signal, uint64_t largest_bytes,
                       struct host_sampler_end *end);

#endif
