/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops leave buffers behind, pass by pass: made in a pass and still alive at the end of the last one. What only one
 * pass leaves is a cache; what several leave accumulates. What the last passes made may still be in use: it counts if it has
 * existed twice as long as anything that the op made and that was freed. For runs whose frees are known. */
#ifndef TTMEM_ANALYSIS_PASS_LEAKS_H
#define TTMEM_ANALYSIS_PASS_LEAKS_H

#include "model/run.h"

struct pass_leak {
    uint32_t place;  /* op of the pass, by its number in it */
    uint32_t record; /* its last occurrence */
    uint32_t tensor; /* that one */
    uint8_t pool;
    uint32_t passes;       /* that left something, at least 2 */
    uint32_t of;           /* passes of its program that were examined */
    uint32_t last_pass;    /* the last of these, as an execution */
    uint64_t longest_life; /* steps, of what was freed */
    uint64_t buffers, bank_bytes;
};

struct pass_leaks {
    uint64_t passes;           /* examined: all but the first, which fills caches, and the last of each program */
    VEC(struct pass_leak) ops; /* most bytes first */
};

/* Nothing if the input does not record frees, or no program ran three times. */
void pass_leaks_find(const struct run *run, struct pass_leaks *out);
void pass_leaks_release(struct pass_leaks *leaks);

#endif
