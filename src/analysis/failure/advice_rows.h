/* What to do about which failure; private to the advice. */
#ifndef TTMEM_ANALYSIS_ADVICE_ROWS_H
#define TTMEM_ANALYSIS_ADVICE_ROWS_H

#include <stdint.h>

#include "analysis/failure/verdict.h"

/* Words with a $ are figures of the failure; a row whose figure is not known is left out. */
struct advice_row {
    unsigned verdicts;
    unsigned pools;
    const char *text;
    uint64_t kinds; /* 0: any */
};

/* In the order in which they are given; ends with a row without text. */
extern const struct advice_row advice_rows[];

#endif
