/* Figures of one message that cannot be true together: a number was misprinted, overwritten by another writer or put together
 * from two messages. No verdict follows from them. */
#ifndef TTMEM_ANALYSIS_CONTRADICTION_H
#define TTMEM_ANALYSIS_CONTRADICTION_H

#include "parse/failure.h"

/* A half sentence with figures to be filled in as in advice, or NULL when the figures agree as far as they are known. */
const char *contradiction_of(const struct failure *f);

#endif
