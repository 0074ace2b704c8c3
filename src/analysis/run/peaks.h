/* SPDX-License-Identifier: Apache-2.0 */
/* The highest state of each pool: the largest of what memory blocks measured, what the known tensors add up to if nothing
 * was measured between ops, and what a failure message states. It is never below what is known. */
#ifndef TTMEM_ANALYSIS_PEAKS_H
#define TTMEM_ANALYSIS_PEAKS_H

#include "base/num.h"
#include "model/run.h"

enum peak_source { PEAK_MEASURED, PEAK_TENSORS, PEAK_FAILURE, PEAK_SOURCES };

extern const char *const peak_source_names[PEAK_SOURCES]; /* "measured", "tensors", "failure" */
/* The same for a run: in a prediction nothing was measured, "predicted". */
const char *peak_source_of(const struct run *run, unsigned source);

/* How the log of a peak's rank, or the module of a prediction, ends before its run does: it may have needed more later. */
enum early_end {
    EARLY_NOT,
    EARLY_CUT,   /* without a message */
    EARLY_RANK,  /* inside a program or with a failure, while other ranks completed */
    EARLY_MODULE /* ops or functions are missing, or tensors have no size */
};

/* As "the log ends in the middle of a run". */
const char *early_end_words(unsigned early);

struct peak {
    bool seen;
    bool at_least;    /* it may have been higher: not every op was measured, or not every size is known */
    bool of_bounds;   /* sizes of some buffers are lower bounds */
    bool of_meshes;   /* a sum over meshes whose buffers cannot be distinguished */
    bool at_submits;  /* memory is measured around submits only */
    bool gaps;        /* it is measured before ops, but not before all of them: blocks or their lines are missing */
    bool lost;        /* `gaps` because lines of the log are missing: ops may be among them */
    bool of_others;   /* logs of some ranks cannot be read: their peaks may be higher */
    bool unread;      /* parts of the input that describe it could not be read */
    bool unspread;    /* it is unknown over how many banks buffers are spread */
    bool of_thread;   /* only what one thread holds may be counted */
    bool before_only; /* the files of a report have only the memory before ops */
    bool unmeasured;  /* no block shows the pool on its rank */
    uint8_t early;    /* enum early_end */
    uint8_t source;
    uint32_t allocated, total, banks; /* per bank, thousandths of a MB */
    int16_t rest;                     /* remainder of total in bytes, see block_bytes.h */
    uint64_t bytes;                   /* the same as allocated, exact, if the input has it; else 0 */
    uint32_t block;                   /* PEAK_MEASURED; else NONE */
    uint32_t step;          /* what is alive before this step is alive at the peak; the number of steps: at the end; or NONE */
    uint32_t after_record;  /* the record after which it was first seen, NONE if it was there from the start */
    uint32_t submit;        /* number of the submit at whose block it was seen, if no op is known in it; else 0 */
    bool before_submit;     /* before it, else after it */
    uint32_t before_record; /* the record before which it was printed, NONE after the last one */
    uint16_t rank;
    uint64_t line;            /* heading of the block, the op line, the failure */
    uint64_t all_banks_bytes; /* largest sum of known tensors if the number of banks is unknown; else 0 */
    uint32_t all_banks_step;  /* the step before which it is alive */
};

/* The peak of what known tensors add up to in all banks together, as a place; false if a peak per bank is known. */
bool peak_of_all_banks(const struct run *run, const struct peak *peak, struct peak *out);

struct peaks {
    struct peak pools[POOL_COUNT];
    struct peak tightest[POOL_COUNT]; /* the highest share of its own bank: differs if banks have different sizes */
    bool any_bound[POOL_COUNT];       /* the peak of some rank is a lower bound */
};

/* Fills `all` with the maximum over ranks and `by_rank` (as many as run.ranks, may be NULL) with each rank's own. */
void peaks_find(const struct run *run, struct peaks *all, struct peaks *by_rank);

/* The same for only the steps [first, end). */
void peaks_between(const struct run *run, uint32_t first, uint32_t end, struct peaks *all, struct peaks *by_rank);

/* The op that was running when a failure was printed, or NONE. Without op lines it is the one with the last block before it. */
uint32_t failing_step(const struct run *run, const struct failure_site *site, uint64_t line);

/* Bytes per bank: exact if known, else from thousandths of a MB. */
static inline int64_t peak_bytes(const struct peak *peak) {
    return peak->bytes ? (int64_t)peak->bytes : num_milli_mb_to_bytes(peak->allocated);
}

static inline int64_t peak_total_bytes(const struct peak *peak) { return num_milli_mb_to_bytes(peak->total) + peak->rest; }

/* "after submit 2" if no op is known before it, "from the start" if nothing else is known. */
enum { PEAK_PLACE_ROOM = 40 };
const char *peak_place_words(const struct peak *peak, char room[PEAK_PLACE_ROOM]);

/* The source of a peak in a word: in a prediction nothing is measured. */
const char *peak_source_word(unsigned source, bool predicted);

/* What the figures of a pool never include: logs do not show circular buffers. NULL: nothing. */
extern const char peak_without_circular[];
static inline const char *peak_caveat(const struct run *run, enum pool pool) {
    return pool == POOL_L1 && !run->l1.told ? peak_without_circular : NULL;
}

/* Why a peak is a lower bound: "memory is measured around submits only". */
const char *peak_bound_words(const struct peak *peak);

#endif
