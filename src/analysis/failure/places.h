/* SPDX-License-Identifier: Apache-2.0 */
/* Where failures are in the text, and who printed them: a message that several ranks print is one failure of all of them. */
#ifndef TTMEM_ANALYSIS_FAILURE_PLACES_H
#define TTMEM_ANALYSIS_FAILURE_PLACES_H

#include "analysis/failure/explain.h"

/* The places of each failure; a zeroed struct has none. */
struct places {
    const struct run *run;
    uint32_t *order;    /* indices of places, grouped by failure */
    uint32_t *first[2]; /* by failure, by note: start of its places in `order`; one more entry ends the last */
    VEC(uint32_t) tags; /* of lines that belong to no rank of the run, in text order */
};

void places_init(struct places *places, const struct run *run);
void places_release(struct places *places);

/* Number of the places of a failure (with SITE_NOTE: a note), and one of them. */
size_t places_count(const struct places *places, uint32_t failure);
const struct failure_place *places_at(const struct places *places, uint32_t failure, size_t i);

/* Adds the ranks that printed it to `context`. */
void places_ranks(const struct places *places, uint32_t failure, struct arena *arena, struct failure_context *context);

/* Every failure as often as it happened, without copies of a message, in text order. */
void explain_each(struct explain *explain);

#endif
