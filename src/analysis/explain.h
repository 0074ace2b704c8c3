/* The failures of a text with their verdicts, ready to be shown. */
#ifndef TTMEM_ANALYSIS_EXPLAIN_H
#define TTMEM_ANALYSIS_EXPLAIN_H

#include "analysis/verdict.h"
#include "base/vec.h"
#include "parse/failure_set.h"

struct explanation {
    const struct failure_entry *entry; /* of the set that was explained */
    struct failure_context context;
    struct verdict verdict;
};

struct explain {
    VEC(struct explanation) failures;
    uint64_t left_out; /* messages beyond what the set tells apart */
    struct arena arena;
};

/* Tells what is known about the moment of a failure; slices must outlive the result. NULL stands for a text without a run. */
typedef void explain_context_fn(void *who, const struct failure_entry *entry, struct failure_context *out);

void explain_failures(struct explain *out, const struct failure_set *set, explain_context_fn *context_of, void *who);
void explain_release(struct explain *explain);

#endif
