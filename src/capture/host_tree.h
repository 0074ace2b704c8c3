/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a run and what memory they have: the child, its children and theirs, and those that left the tree (daemons)
 * but carry its mark in their environment. A process that was found once is followed until it ends, whoever its parent is then.
 *
 * A number is never mistaken for another process that gets it later: the file of its size stays open, and goes with the
 * process. Used by one thread. */
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
    int status_fd;       /* the same of status */
    char name[64];       /* empty: not known */
    bool fresh;          /* found or renamed since the caller last looked */
    bool gone;           /* removed by the next scan */
    bool unreadable;     /* its size cannot be read */
    uint64_t rss_bytes;  /* from the last host_tree_sizes */
    uint64_t peak_bytes; /* the kernel's own maximum, 0: not known */
    bool has_shares;
    uint64_t pss_bytes, swap_bytes, hugetlb_bytes; /* from the last host_tree_shares */
    uint64_t shares_rss;                           /* its size then */
    unsigned shares_passed;                        /* how often they were not read since, because the size was the same */
    /* the caller's: what it last wrote, and when */
    uint64_t written_rss, written_peak;
    int64_t written_ns;
};

struct host_tree {
    const char *proc; /* "/proc" */
    const char *mark; /* "NAME=VALUE" in the environment of the child, NULL: none */
    int root;
    uint64_t root_start, page_bytes;
    VEC(struct host_process) processes;
    VEC(int) seen;       /* all numbers when they were last listed, rising */
    uint64_t last_given; /* number that the system gave out last, as of the last scan; 0: not known */
    uint64_t unreadable; /* processes whose size could not be read */
    int given_fd;        /* loadavg, which tells that; -1 */
    unsigned open_files, most_open_files;
};

void host_tree_init(struct host_tree *tree, const char *proc, int root, const char *mark);

/* Looks for processes that began, and forgets those that ended. */
void host_tree_scan(struct host_tree *tree);
/* Resident sizes; marks those that ended. */
void host_tree_sizes(struct host_tree *tree);
/* Names and the kernel's maxima. */
void host_tree_names(struct host_tree *tree);
/* Sizes by share: slow for large processes, so for one at a time, and less often for one whose size stays. False: nothing was
 * read. */
bool host_tree_shares(struct host_tree *tree, size_t at);

void host_tree_release(struct host_tree *tree);

#endif
