/* SPDX-License-Identifier: Apache-2.0 */
/* What holds memory, by difference alone: for logs without op lines, which name no tensors. A rise between two memory states
 * is charged to the op that ran between them, and counts as held until a later fall gives it back: a fall gives back the
 * latest rise of its size, else the latest ones. A rise in or before a submit whose ops have no blocks is charged to that
 * submit. A device that was opened again holds nothing from before. */
#ifndef TTMEM_ANALYSIS_HOLDERS_H
#define TTMEM_ANALYSIS_HOLDERS_H

#include "analysis/run/peaks.h"

struct holder {
    uint32_t record; /* the op that took it; NONE: from the start, or `submit` */
    uint32_t submit; /* number of the submit that took it, if no block shows its ops; else 0 */
    uint32_t milli;  /* thousandths of a MB per bank */
    uint64_t opened; /* from the start: line where the device was opened again; 0: the start of the log */
};

struct holders {
    struct holder *items; /* largest first */
    size_t len, cap;
};

/* "the start", "the opening at line 4880", "submit 3"; empty if an op is known. */
enum { HOLDER_ROOM = 48 };
const char *holder_since(const struct holder *holder, char room[HOLDER_ROOM]);

/* What is held at the state before `step`, on the step's rank. */
void holders_find(const struct run *run, enum pool pool, uint32_t step, struct holders *out);
void holders_release(struct holders *holders);

/* Are only differences known? Memory is measured before ops, and no op line names tensors. */
bool holders_needed(const struct run *run);

#endif
