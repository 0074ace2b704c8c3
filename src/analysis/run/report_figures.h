/* SPDX-License-Identifier: Apache-2.0 */
/* The lists that a report shows beside the overview, made once and used by every form of the report. */
#ifndef TTMEM_ANALYSIS_REPORT_FIGURES_H
#define TTMEM_ANALYSIS_REPORT_FIGURES_H

#include "analysis/run/fragmentation.h"
#include "analysis/run/op_mix.h"
#include "analysis/run/top_ops.h"
#include "analysis/run/weights.h"

enum { REPORT_TOP = 10 };

struct report_figures {
    struct top_ops top[TOP_BY_COUNT]; /* REPORT_TOP rows each */
    struct weights weights;
    struct op_mix mix;
    struct fragmentation fragmentation[POOL_COUNT];
};

void report_figures_make(const struct run *run, const struct overview *overview, struct report_figures *out);
void report_figures_release(struct report_figures *figures);

#endif
