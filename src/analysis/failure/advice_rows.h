/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about which failure; private to the advice. */
#ifndef TTMEM_ANALYSIS_ADVICE_ROWS_H
#define TTMEM_ANALYSIS_ADVICE_ROWS_H

#include <stdint.h>

#include "analysis/failure/advice_figures.h"

/* Words with a $ are figures of the failure; a row whose figure is not known is left out. */
struct advice_row {
    unsigned verdicts;
    unsigned pools;
    const char *text;
    uint64_t kinds;     /* 0: any */
    unsigned phases;    /* bit per phase; 0: any */
    unsigned products;  /* bit per product; 0: any */
    const char *ops;    /* parts of op names, between bars: only for these; NULL: any */
    const char *source; /* where the knowledge about these ops comes from */
    gain_fn *gain;      /* what it gives, by the figures of the log; NULL: not counted */
    bool enough;        /* who does this needs nothing else, as far as the message tells */
};

/* In the order in which they are given; ends with a row without text. */
extern const struct advice_row advice_rows[];

#endif
