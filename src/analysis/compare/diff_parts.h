/* SPDX-License-Identifier: Apache-2.0 */
/* The half of diff.h that charges bytes to causes. */
#ifndef TTMEM_ANALYSIS_DIFF_PARTS_H
#define TTMEM_ANALYSIS_DIFF_PARTS_H

#include "analysis/compare/diff.h"

/* Fills diff->pools; ops must be aligned. */
void diff_pools(struct diff *diff);

/* Splits the growth of a tensor whose type changed. */
void diff_split(const struct footprint *a, const struct footprint_type *from, const struct footprint *b,
                const struct footprint_type *to, bool other_banks, int64_t by_cause[CAUSE_COUNT]);

/* Key of a kind of op: equal texts in programs of the same name have equal keys, in any footprint. */
uint64_t kind_identity(const struct footprint *f, const struct footprint_kind *kind);

#endif
