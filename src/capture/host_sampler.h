/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the memory of a run's processes, on a thread of its own, into a recording of JSON lines (docs/host-memory.md): sizes
 * ten times a second, names, maxima and the machine's state once a second, shares every two. What a kind of sample costs
 * decides how often it is taken, so that all of them together stay below half a percent of one core, with a thousand processes
 * too.
 *
 * A size is written when it changed, and the longer the run lasts the less often, so that a recording of a day is no larger
 * than ten of a minute. The run is never held up: when the recording cannot be written, it ends there. */
#ifndef TTMEM_CAPTURE_HOST_SAMPLER_H
#define TTMEM_CAPTURE_HOST_SAMPLER_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct host_sampler;

struct host_sampler_wish {
    int fd; /* of the recording, open for writing; not owned */
    pid_t root;
    const char *mark; /* in the environment of the child, NULL */
    const char *proc; /* NULL: "/proc" */
    _Atomic uint64_t *log_bytes;
};

struct host_sampler_end {
    int write_errno;       /* not 0: the recording ends early */
    uint64_t unreadable;   /* processes whose size could not be read */
    uint64_t kernel_kills; /* for memory, in the cgroup of the child while it ran */
    uint64_t cpu_ns, ns;   /* what sampling took, and how long it went on */
    uint64_t ticks;
};

/* NULL: there is no thread for it. */
struct host_sampler *host_sampler_start(const struct host_sampler_wish *wish);

/* Writes how the child ended (`status` 128+n and `signal` n when a signal ended it; `largest_bytes`: the largest that a process
 * of it was, as the kernel says at the end, 0: not known) and ends. */
void host_sampler_stop(struct host_sampler *sampler, int status, int signal, uint64_t largest_bytes,
                       struct host_sampler_end *end);

#endif
