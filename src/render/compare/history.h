/* SPDX-License-Identifier: Apache-2.0 */
/* What ttmem history shows: lists, one run, a trend, rises. */
#ifndef TTMEM_RENDER_HISTORY_H
#define TTMEM_RENDER_HISTORY_H

#include "analysis/compare/measures.h"
#include "analysis/compare/trend.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "render/chart/scene.h"

/* One value of a trend. */
struct trend_point {
    int64_t added; /* microseconds since 1970 */
    int64_t value, whole;
    int64_t id;
    bool at_least; /* for a peak: it may have been higher */
    bool bound;    /* the figure is a bound */
};

/* One measure of one model, oldest first. */
struct trend {
    struct slice model;
    const struct measure *measure;
    const struct trend_point *points;
    size_t count;
    const struct trend_rise *rises;
    size_t rise_count;
};

/* "2026-03-16 14:02" in UTC; "2026-03-16T14:02:11Z" when exact. */
void add_time(struct strbuf *out, int64_t microseconds, bool exact);

void trend_text(struct strbuf *out, const struct term *term, const struct trend *trend);
void trend_draw(struct scene *scene, const struct trend *trend);

/* The first ten digits of a run's id, as shown. */
void add_run_id(struct strbuf *out, int64_t id);

#endif
