/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a host memory recording (docs/host-memory.md) as plain data. Accepts any text; a line that is not from a
 * recording is refused. */
#ifndef TTMEM_PARSE_HOST_SAMPLES_H
#define TTMEM_PARSE_HOST_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_read.h"

enum host_line_kind {
    HOST_HEAD,    /* the first line */
    HOST_PROCESS, /* a process was found, or changed its name */
    HOST_SIZE,
    HOST_PEAK,
    HOST_SHARES,
    HOST_GONE,
    HOST_MACHINE,
    HOST_END,
};

#define HOST_UNKNOWN UINT64_MAX

/* Fields of other kinds, and those that the recording lacks, are HOST_UNKNOWN or empty. */
struct host_line {
    enum host_line_kind kind;
    uint64_t t_ms, log_bytes;
    uint64_t pid, start;
    struct slice name, command; /* valid until the reader reads again */
    uint64_t rss_bytes, peak_rss_bytes, pss_bytes, swap_bytes, hugetlb_bytes;
    uint64_t available_bytes, hugepages_bytes, cgroup_bytes, cgroup_limit_bytes;
    uint64_t start_unix_ns, machine_bytes;
    bool l1_per_core; /* the child was told to allocate L1 per core */
    uint64_t status, signal, kernel_kills, largest_rss_bytes, unreadable_processes;
};

bool host_looks_like(struct slice bytes);
bool host_line_read(struct json_reader *reader, struct slice text, struct host_line *out);

#endif
