/* SPDX-License-Identifier: Apache-2.0 */
/* The failures of a text with their verdicts, ready to be shown. */
#ifndef TTMEM_ANALYSIS_EXPLAIN_H
#define TTMEM_ANALYSIS_EXPLAIN_H

#include "analysis/failure/cut.h"
#include "analysis/run/live.h"
#include "analysis/failure/outcome.h"
#include "analysis/failure/verdict.h"
#include "base/vec.h"
#include "parse/failure/set.h"

/* What was alive in the pool concerned when the failed op began. */
struct failure_live {
    enum live_answer {
        LIVE_DOES_NOT_APPLY, /* the failure is not about tensors in memory, or its pool is unknown */
        LIVE_NO_OPS,         /* the text has no op lines */
        LIVE_NO_OP_RUNNING,  /* the failure came when no op of its rank was running */
        LIVE_NOT_LOOKED_UP,  /* there are more failures than FAILURES_WITH_LIVE */
        LIVE_KNOWN,
    } answer;
    enum pool pool;
    struct live_set set;
    bool has_allocated;      /* from the message itself, else from the memory block before the op */
    int64_t allocated_milli; /* thousandths of a MB per bank */
    int64_t allocated_bytes; /* the same in bytes; exact if the message states it */
};

struct explanation {
    const struct failure_entry *entry; /* in the set that was explained */
    size_t number;                     /* of the same failure in run.failures, or SLICE_NONE */
    uint32_t site;                     /* the same, with SITE_NOTE in run.notes; NONE if the run did not meet it */
    uint64_t line, count;              /* its first occurrence, and how often it was printed */
    struct failure_context context;
    struct failure_ending outcome;
    struct failure_live live;
    struct verdict verdict; /* without advice: see explanation_advised */
};

struct explain {
    VEC(struct explanation) failures; /* in line order */
    size_t decisive;                  /* the one that ended the run, else the last one during an op, else the first */
    struct log_cut cut;               /* the text ends inside a program */
    uint64_t left_out;                /* messages beyond the limit of the set */
    const struct run *run;            /* the run of `live`; NULL for a text without a run */
    struct arena arena;
};

enum { FAILURES_WITH_LIVE = 64 }; /* each of them walks over all tensors */

/* The nth failure if the decisive one comes first. */
static inline const struct explanation *explain_ranked(const struct explain *explain, size_t n) {
    size_t i = n == 0 ? explain->decisive : n <= explain->decisive ? n - 1 : n;
    return &explain->failures.items[i];
}

/* The verdict with advice, whose texts are in the arena. A text of nothing but failures has thousands of them and shows the
 * advice of a few. */
struct verdict explanation_advised(const struct explanation *e, struct arena *arena);

void explain_release(struct explain *explain);

#endif
