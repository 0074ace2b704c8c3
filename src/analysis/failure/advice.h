/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a failure, in order of effect, with the figures of this one filled in. */
#ifndef TTMEM_ANALYSIS_ADVICE_H
#define TTMEM_ANALYSIS_ADVICE_H

#include "analysis/failure/verdict.h"

/* Fills advice of a verdict whose other fields are set. */
void advice_add(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *v);

/* Fills figures ("$free") into a text; false if one of them is unknown. */
bool advice_fill(const char *text, const struct failure *f, const struct failure_context *context, struct arena *arena,
                 const struct verdict *v, struct slice *out);

#endif
