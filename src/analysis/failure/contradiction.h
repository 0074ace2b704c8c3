/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of one message that cannot be true together: a number was misprinted, overwritten by another writer or combined
 * from two messages. A verdict that rests on such figures is not given; if only other figures are in doubt it is, and they
 * are named. */
#ifndef TTMEM_ANALYSIS_CONTRADICTION_H
#define TTMEM_ANALYSIS_CONTRADICTION_H

#include "parse/failure/failure.h"

struct contradiction {
    const char *text; /* a half sentence with figures to be filled in as in advice; NULL: they agree as far as they are known */
    bool verdict_stands; /* need, free, largest free block and bank are not in doubt */
};

struct contradiction contradiction_of(const struct failure *f);

#endif
