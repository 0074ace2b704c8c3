/* SPDX-License-Identifier: Apache-2.0 */
/* What passes leave allocated, by op. For logs: results that nothing frees, of programs whose passes leave memory allocated
 * (model/left/left.h); for inputs that record frees: what several passes made and the last one still finds (pass_leaks.h).
 * All code that reports leaks uses this. */
#ifndef TTMEM_ANALYSIS_LEAKS_H
#define TTMEM_ANALYSIS_LEAKS_H

#include "analysis/run/live.h"
#include "model/left/left.h"

struct leak_row {
    uint32_t record; /* the op, at its last occurrence that left something */
    uint32_t tensor; /* that one */
    uint8_t pool;
    bool suspect;     /* a candidate: no result that certainly stays explains the growth */
    uint32_t passes;  /* that left something */
    uint32_t of;      /* passes examined */
    uint64_t tensors; /* that were left */
    uint64_t bytes;   /* per bank, all of them */
};

struct leaks {
    struct left_behind left;   /* candidates: of logs */
    VEC(struct leak_row) rows; /* with two passes only those that match their growth; most bytes first */
    int64_t growth;            /* DRAM per pass of the fastest growing series, bytes per bank; 0: none grows */
    uint32_t passes;           /* of that series; two give one difference, which is not a trend */
    bool end_known;
    uint64_t passes_left; /* until that series reaches the end of the bank, from the highest state of its rank */
};

void leaks_find(const struct run *run, struct leaks *out);
void leaks_release(struct leaks *leaks);

/* Bytes per bank that each pass leaves. */
static inline uint64_t leak_pass_bytes(const struct leak_row *row) { return row->passes ? row->bytes / row->passes : 0; }

/* The model frees results when their program runs again, or ends, unless they certainly leak. Those that may leak are added
 * to a live set of DRAM as far as a block has more than what is known to be alive. `allocated` is in thousandths of a MB per
 * bank. */
void live_add_left(const struct run *run, const struct leaks *leaks, uint32_t step, enum pool pool, int64_t allocated,
                   struct live_set *set);

/* The same candidate by candidate, for callers that sum up live tensors themselves: the bytes of a block beyond what is
 * known (negative: unknown), and whether a candidate of the rank is alive before the step and finds room, which it then
 * takes. */
int64_t live_left_room(const struct live_sum *sum, int64_t allocated);
bool live_left_take(const struct run *run, const struct leak_candidate *candidate, uint32_t step, int64_t *room);

#endif
