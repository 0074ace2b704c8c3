/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a run and their memory: the child, its descendants, and those that left the tree (daemons) but have its
 * mark in their environment. Once found, a process is followed until it ends, whatever its parent is by then.
 *
 * A pid is never mistaken for a later process that gets the same number: the file of its size stays open, and becomes
 * invalid with the process. Used by one thread. */
#ifndef TTMEM_CAPTURE_HOST_TREE_H
#define TTMEM_CAPTURE_HOST_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vec.h"

struct host_process {
    int pid;
    uint64_t start_ticks;
    int size_fd;         /* statm; -1: opened each time */
    int status_fd;       /* the same for status */
    char name[64];       /* empty: unknown */
    bool fresh;          /* found or renamed since the caller last looked */
    bool gone;           /* removed by the next scan */
    bool unreadable;     /* its size cannot be read */
    uint64_t rss_bytes;  /* from the last host_tree_sizes */
    uint64_t peak_bytes; /* the kernel's own maximum, 0: unknown */
    bool has_shares;
    uint64_t pss_bytes, swap_bytes, hugetlb_bytes; /* from the last host_tree_shares */
    uint64_t shares_rss;                           /* its size then */
    unsigned shares_passed;                        /* how often they were skipped since, because the size was the same */
    /* for the caller: what it last wrote, and when */
    uint64_t written_rss, written_peak;
    int64_t written_ns;
};

struct host_tree {
    const char *proc; /* "/proc" */
    const char *mark; /* "NAME=VALUE" in the child's environment, NULL: none */
    int root;
    uint64_t root_start, page_bytes;
    VEC(struct host_process) processes;
    VEC(int) seen;       /* all pids when they were last listed, ascending */
    uint64_t last_given; /* pid that the system gave out last, as of the last scan; 0: unknown */
    uint64_t unreadable; /* processes whose size could not be read */
    int given_fd;        /* loadavg, which has that pid; or -1 */
    unsigned open_files, most_open_files;
};

void host_tree_init(struct host_tree *tree, const char *proc, int root, const char *mark);

/* Finds new processes, and forgets those that ended. */
void host_tree_scan(struct host_tree *tree);
/* Reads resident sizes; marks processes that ended. */
void host_tree_sizes(struct host_tree *tree);
/* Reads names and the kernel's maxima. */
void host_tree_names(struct host_tree *tree);
/* The same of one process. */
void host_tree_name(struct host_tree *tree, struct host_process *process);
/* Reads sizes by share. This is slow for large processes, so it is done for one at a time, and less often if its size stays
 * the same. False: nothing was read. */
bool host_tree_shares(struct host_tree *tree, size_t at);

void host_tree_release(struct host_tree *tree);

#endif
