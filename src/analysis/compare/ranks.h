/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a run side by side: what each used, how far apart they are, and which are odd.
 *
 * The rule for these: take the median of the DRAM peaks (of an even number of ranks the lower of the two in the middle, so
 * that it is the peak of a rank) and the median of the distances from it. A rank is odd if its peak is more than five times
 * that distance, and more than 2 % of the median, away from the median. One rank, or ten of a hundred, do not move the
 * median. A peak that is only a lower bound is not odd for being low. */
#ifndef TTMEM_ANALYSIS_RANKS_H
#define TTMEM_ANALYSIS_RANKS_H

#include "analysis/run/fragmentation.h"
#include "analysis/run/overview.h"

enum { RANKS_ODD_DISTANCES = 5, RANKS_ODD_PERCENT = 2 };

struct rank_row {
    uint16_t rank;
    struct peak peak;       /* of DRAM */
    struct free_state free; /* where the largest free block of DRAM was smallest */
    bool free_seen;
    int64_t largest_bytes; /* that block, exact if the input has it */
    bool at_least; /* its peak may have been higher: it is a bound itself, or the log ends inside a program or with a failure */
    bool odd;
};

struct rank_rows {
    VEC(struct rank_row) rows; /* ranks that ran something: highest peak first, equal ones in rank order */
    size_t measured;           /* the first this many have a peak */
    uint64_t unread;           /* ranks whose logs cannot be read: they could change any of these figures */
    size_t lowest, median;     /* rows, if any is measured; the highest is row 0 */
    uint32_t distance;         /* median distance from the median, thousandths of a MB per bank */
    int64_t distance_bytes;    /* the same, exact if the input has it */
    size_t odd;                /* number of odd ranks */
    uint32_t low, high;        /* peaks of those that are not odd */
};

/* Marks the ranks (as many as run.ranks) that end inside a program, or with a memory failure: they may have needed more
 * later. */
void rank_bounds_find(const struct run *run, bool *bounds);

void rank_rows_make(const struct run *run, const struct overview *overview, struct rank_rows *out);
void rank_rows_release(struct rank_rows *rows);

/* Highest minus lowest peak in thousandths of a percent of the median; false with fewer than two ranks or a median of 0. */
bool rank_rows_spread(const struct rank_rows *rows, uint64_t *milli_percent);

enum { RANK_NONE = -1, RANK_SEVERAL = -2 };

/* The rank of that title (also as tables shorten it), or the one whose tag ends in that number ("1,7", "7"); in a run
 * without tags 0 is the only one. */
int rank_find(const struct run *run, struct slice word);

/* "1,7"; "untagged" for lines without a tag beside others that have one; "one process" if there is only one. */
struct slice rank_title(const struct run *run, uint16_t rank);

#endif
