/* SPDX-License-Identifier: Apache-2.0 */
/* Why ranks are odd: each is compared with the median rank; of several with the same peak, the first. The highest rank is
 * compared too if it is not odd but holds more than the median. */
#ifndef TTMEM_ANALYSIS_RANK_WHYS_H
#define TTMEM_ANALYSIS_RANK_WHYS_H

#include "analysis/compare/rank_diff.h"
#include "analysis/compare/ranks.h"

struct rank_why {
    size_t first, end; /* rows of the ranks with that peak */
    size_t high, low;  /* rows that are compared: `first` and the median */
    struct rank_diff diff;
};

struct rank_whys {
    VEC(struct rank_why) items; /* in the order of the rows */
    size_t left_out;            /* odd ranks of other peaks, which were not compared */
};

/* At most `most` comparisons, 0: all. The first and the last odd rank are among them. */
void rank_whys_make(const struct run *run, const struct overview *overview, const struct rank_rows *rows, size_t most,
                    struct rank_whys *out);
void rank_whys_release(struct rank_whys *whys);

#endif
