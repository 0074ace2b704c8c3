/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/report_figures.h"

void report_figures_make(const struct run *run, const struct overview *overview, struct report_figures *out) {
    for (unsigned by = 0; by < TOP_BY_COUNT; by++) top_ops_folded(run, (enum top_by)by, REPORT_TOP, &out->top[by]);
    weights_list(run, &out->weights);
    op_mix_make(run, overview, &out->mix);
    fragmentation_find(run, out->fragmentation);
}

void report_figures_release(struct report_figures *figures) {
    for (unsigned by = 0; by < TOP_BY_COUNT; by++) top_ops_release(&figures->top[by]);
    weights_release(&figures->weights);
    op_mix_release(&figures->mix);
}
