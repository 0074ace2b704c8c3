/* SPDX-License-Identifier: Apache-2.0 */
/* How certain the change of a pool across a step is if the bytes of some buffers are lower bounds: one that comes makes the
 * change a lower bound, one that goes an upper bound. */
#ifndef TTMEM_ANALYSIS_CHANGE_KIND_H
#define TTMEM_ANALYSIS_CHANGE_KIND_H

#include "model/run.h"

enum change_kind {
    CHANGE_EXACT,
    CHANGE_AT_LEAST,
    CHANGE_AT_MOST,
    CHANGE_ABOUT, /* both: CHANGE_AT_LEAST | CHANGE_AT_MOST */
    CHANGE_KIND_COUNT
};

extern const char *const change_kind_keys[CHANGE_KIND_COUNT];  /* "exact", "at_least", ... */
extern const char *const change_kind_words[CHANGE_KIND_COUNT]; /* "", "at least", ... */

/* Per step what came and went there, as an enum change_kind; the caller frees it. NULL: every size is known. */
uint8_t *change_kinds(const struct run *run, enum pool pool);

/* For the change from the state before a step to the one after it, including the steps inside it. */
enum change_kind change_kind_of(const struct run *run, const uint8_t *kinds, uint32_t step);

#endif
