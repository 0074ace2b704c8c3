/* SPDX-License-Identifier: Apache-2.0 */
/* The memory cgroup of a process: what it uses, what it may use, how often the kernel killed in it. Version 2 and version 1
 * of the interface. Paths are those of this mount namespace; in a container they may not exist; then the top of the mount is
 * used. */
#ifndef TTMEM_SOURCE_CGROUP_H
#define TTMEM_SOURCE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct cgroup {
    struct strbuf folder; /* empty: none */
    bool version_1;
};

struct cgroup_memory {
    bool has_usage, has_limit, has_kills;
    uint64_t usage_bytes;
    uint64_t limit_bytes; /* the lowest of its own limit and those of the cgroups around it */
    uint64_t kills;       /* by the kernel for lack of memory, since the cgroup was made */
};

/* `proc` is "/proc", `mount` "/sys/fs/cgroup". */
void cgroup_find(struct cgroup *cgroup, const char *proc, int pid, const char *mount);
void cgroup_read(const struct cgroup *cgroup, struct cgroup_memory *out);
void cgroup_release(struct cgroup *cgroup);

#endif
