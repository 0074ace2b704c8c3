/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive at one point in a run, in one pool: as text and as JSON. */
#ifndef TTMEM_RENDER_LIVE_REPORT_H
#define TTMEM_RENDER_LIVE_REPORT_H

#include "analysis/run/holders.h"
#include "analysis/run/live.h"
#include "analysis/run/peaks.h"
#include "base/json_write.h"
#include "analysis/search/live_groups.h"
#include "base/strbuf.h"
#include "base/term.h"

struct live_place {
    enum pool pool;
    uint32_t step;                        /* what is alive before it */
    uint32_t block;                       /* memory block with the measured figures; or NONE */
    uint32_t after_record, before_record; /* NONE at the ends of the log */
    bool is_peak;
    struct peak peak;                 /* if it is the peak: that one */
    size_t limit;                     /* tensors listed, 0: all */
    struct holders holders;           /* if no tensor is known: what differences show */
    const struct live_groups *groups; /* tensors in groups; NULL: they are listed */
    enum live_by by;
    bool bounds_known, of_bounds; /* the input marks sizes that are bounds, and some live ones are */
};

/* Is the state given by the failure message at that point, not by a memory block? */
bool live_place_stated(const struct live_place *place);

/* Sets the last two. */
void live_place_bounds(struct live_place *place, const struct run *run, const struct live_set *set);

/* "Free DRAM at its peak, after #12 ttnn.add, before #13 ttnn.multiply" */
void live_place_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                     const char *what);
/* Is it the peak? Then how high it is, its source and whether it may have been higher. */
void live_place_json(struct json *j, const struct run *run, const struct live_place *place);

void live_report_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                      const struct live_set *set);

/* According to schemas/live.json. */
void live_report_json(struct strbuf *out, const struct run *run, const struct live_place *place, const struct live_set *set);

#endif
