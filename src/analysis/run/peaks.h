/* The highest state of each pool over every memory block of the log. */
#ifndef TTMEM_ANALYSIS_PEAKS_H
#define TTMEM_ANALYSIS_PEAKS_H

#include "model/run.h"

struct peak {
    bool seen;
    uint32_t allocated, total, banks; /* per bank, thousandths of a MB */
    uint32_t block;
    uint32_t after_record;  /* the record after which it was first seen, NONE when it was there from the start */
    uint32_t before_record; /* the record in front of which it was printed, NONE behind the last one */
    uint16_t rank;
    uint64_t line;
};

struct peaks {
    struct peak pools[POOL_COUNT];
};

/* Fills `all` with the maximum over ranks and `by_rank` (as many as run.ranks, may be NULL) with each rank's own. */
void peaks_find(const struct run *run, struct peaks *all, struct peaks *by_rank);

#endif
