/* SPDX-License-Identifier: Apache-2.0 */
/* The highest state of each pool: the largest of what memory blocks measured, what the known tensors add up to where nothing
 * was measured between ops, and what a failure message states. It is never below what is known. */
#ifndef TTMEM_ANALYSIS_PEAKS_H
#define TTMEM_ANALYSIS_PEAKS_H

#include "base/num.h"
#include "model/run.h"

enum peak_source { PEAK_MEASURED, PEAK_TENSORS, PEAK_FAILURE, PEAK_SOURCES };

extern const char *const peak_source_names[PEAK_SOURCES]; /* "measured", "tensors", "failure" */
/* The same of a run: nothing of a prediction was measured, "predicted". */
const char *peak_source_of(const struct run *run, unsigned source);

/* How the log of a peak's rank ends before its run does, or the module of a prediction: it may have come to need more. */
enum early_end {
    EARLY_NOT,
    EARLY_CUT,   /* without a word */
    EARLY_RANK,  /* inside a program or with a failure, beside ranks that came to their end */
    EARLY_MODULE /* operations or functions are missing, or tensors have no size */
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
    bool lost;        /* `gaps`, as lines of the log are missing: ops may be among them */
    bool of_others;   /* logs of some ranks cannot be read: theirs may be higher */
    bool unread;      /* parts of the input that tell about it could not be read */
    bool unspread;    /* over how many banks buffers lie is not known */
    bool before_only; /* the files of a report hold the memory before ops alone */
    bool unmeasured;  /* no block shows the pool on its rank */
    uint8_t early;    /* enum early_end */
    uint8_t source;
    uint32_t allocated, total, banks; /* per bank, thousandths of a MB */
    int16_t rest;                     /* bytes that total leaves, see block_bytes.h */
    uint64_t bytes;                   /* the same as allocated, exact, where the input tells it; else 0 */
    uint32_t block;                   /* PEAK_MEASURED; else NONE */
    uint32_t step;                    /* what is alive before it is alive at the peak; the number of steps: at the end; NONE */
    uint32_t after_record;            /* the record after which it was first seen, NONE when it was there from the start */
    uint32_t submit;                  /* number of the submit at whose block it was seen, where no op is known in it; else 0 */
    bool before_submit;               /* before it, else after it */
    uint32_t before_record;           /* the record before which it was printed, NONE after the last one */
    uint16_t rank;
    uint64_t line;            /* heading of the block, the op line, the failure */
    uint64_t all_banks_bytes; /* most that known tensors add up to, where the number of banks is not known; else 0 */
    uint32_t all_banks_step;  /* what is alive before it adds up to that */
};

/* The peak of what known tensors add up to in all banks together, as a place; false where a peak per bank is known. */
bool peak_of_all_banks(const struct run *run, const struct peak *peak, struct peak *out);

struct peaks {
    struct peak pools[POOL_COUNT];
    struct peak tightest[POOL_COUNT]; /* the highest share of its own bank: another one where banks differ in size */
    bool any_bound[POOL_COUNT];       /* the peak of some rank is a lower bound */
};

/* Fills `all` with the maximum over ranks and `by_rank` (as many as run.ranks, may be NULL) with each rank's own. */
void peaks_find(const struct run *run, struct peaks *all, struct peaks *by_rank);

/* The same of the steps [first, end) alone. */
void peaks_between(const struct run *run, uint32_t first, uint32_t end, struct peaks *all, struct peaks *by_rank);

/* The op that ran when a failure was printed, NONE. Without op lines that is the one whose block was the last before it. */
uint32_t failing_step(const struct run *run, const struct failure_site *site, uint64_t line);

/* Bytes per bank: exact ones where they are known, else by thousandths of a MB. */
static inline int64_t peak_bytes(const struct peak *peak) {
    return peak->bytes ? (int64_t)peak->bytes : num_milli_mb_to_bytes(peak->allocated);
}

static inline int64_t peak_total_bytes(const struct peak *peak) { return num_milli_mb_to_bytes(peak->total) + peak->rest; }

/* "after submit 2" where no op is known that it came after, "from the start" where nothing else is known. */
enum { PEAK_PLACE_ROOM = 40 };
const char *peak_place_words(const struct peak *peak, char room[PEAK_PLACE_ROOM]);

/* What a peak is known from, in a word: of a prediction nothing is measured. */
const char *peak_source_word(unsigned source, bool predicted);

/* What the figures of a pool never include: logs do not show circular buffers. NULL: nothing. */
extern const char peak_without_circular[];
static inline const char *peak_caveat(const struct run *run, enum pool pool) {
    return pool == POOL_L1 && !run->l1.told ? peak_without_circular : NULL;
}

/* Why a peak that is a lower bound is one: "memory is measured around submits only". */
const char *peak_bound_words(const struct peak *peak);

#endif
