/* SPDX-License-Identifier: Apache-2.0 */
/* The two pictures of a training report, as data for the charts. Names point into the report. */
#ifndef TTMEM_RENDER_TRAIN_CHART_H
#define TTMEM_RENDER_TRAIN_CHART_H

#include "analysis/train/train.h"
#include "render/chart/chart.h"

/* A bar per summary: the parts of the peak. */
void train_peak_chart(struct bar_chart *chart, const struct train_report *report, struct slice title);

/* A panel per summary: what is in use after and during each phase. */
void train_timeline_chart(struct step_chart *chart, const struct train_report *report, struct slice title);

#endif
