/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/measures_counts.h"

#include "base/num.h"
#include "parse/failure/failure.h"

const char measure_unread[] = "parts of the input that record it could not be read, so it may have been worse";

static const char no_host[] = "host memory was not recorded: ttmem run does so, and keeps NAME_host.jsonl beside the log";
static const char *const host_missing[FOOTPRINT_HOST_COUNT] = {
    [FOOTPRINT_HOST_PEAK] = no_host,
    [FOOTPRINT_HOST_END] = no_host,
    [FOOTPRINT_HOST_GROWTH] = "no program ran often and long enough to show what a pass leaves on the host",
    [FOOTPRINT_HOST_HUGEPAGES] = "the machine does not report its huge pages",
};

static const char ends_early[] =
    "the log ends inside a program and does not say why: the run was ended from outside, is still going, or the log is cut";

static const char no_messages[] = "the report keeps no messages of failures: only the log that it was made from has them";

static const char more_failures[] =
    "there are more different failures than are distinguished: at least this many, at most as many as there are messages";

static const char other_fatal[] =
    "the run ended with a fatal error that is not about memory: whether it would have run out of memory is not known";

static const char maybe_memory[] =
    "the run ended with a fatal error that may be about memory: whether it is a memory failure is not known";

static const char slope_bounds[] =
    "the bounds of the slope lie on both sides of the limit: the passes vary too much, or are too few, to tell";

static const char cut_counts[] = "the log ends inside a program: more may have run than it shows";

void measure_set_slope(struct measure_value *out, int64_t low, int64_t high) {
    out->range = slope_bounds;
    out->low = low;
    out->high = high;
}

void measure_ops(const struct footprint *f, unsigned unused, struct measure_value *out) {
    (void)unused;
    out->known = true;
    out->value = (int64_t)f->op_count;
    if (f->ends_early) out->bound = cut_counts;
}

void measure_runs(const struct footprint *f, unsigned which, struct measure_value *out) {
    out->why = "no line shows a program that ran";
    out->known = f->program_runs > 0;
    out->value = (int64_t)(which == MEASURE_RUNS_ALL ? f->program_runs : f->main_runs);
    if (f->ends_early) out->bound = cut_counts;
}

/* If it is unknown whether a failure was caught, so is the number of failures that ended the run; one that certainly did is
 * enough for a verdict. */
void measure_failures(const struct footprint *f, unsigned which, struct measure_value *out) {
    size_t unknown = 0;
    for (size_t i = 0; i < f->failures.len; i++) {
        enum failure_outcome outcome = f->failures.items[i].outcome;
        unknown += outcome == OUTCOME_UNKNOWN;
        bool counts = which == MEASURE_FAILURES_ANY ||
                      (which == MEASURE_FAILURES_CAUGHT ? outcome == OUTCOME_CAUGHT
                                                        : outcome == OUTCOME_ENDED || outcome == OUTCOME_TEST);
        if (!counts || out->value++) continue;
        out->failure = &f->failures.items[i];
        out->op = out->failure->op;
    }
    out->known = which == MEASURE_FAILURES_ANY || !unknown || out->value;
    out->why = "nothing after the failure shows whether it ended the run or was caught";
    if (f->no_messages) {
        out->known = false;
        out->why = no_messages;
        return;
    }
    if (f->more_failures) { /* any of the others may count */
        out->range = more_failures;
        out->at_least = true;
        out->low = out->value;
        out->high = f->failures_left_out ? out->value + (int64_t)f->failures_left_out : INT64_MAX;
    }
    if (f->ends_early) out->bound = ends_early;
    if (f->other_fatal_line)
        out->bound = failure_words_may_be_memory(footprint_text(f, f->other_fatal)) ? maybe_memory : other_fatal;
}

void measure_program(const struct footprint *f, unsigned unused, struct measure_value *out) {
    (void)unused;
    out->why = "the run does not show circular buffers; ttnn reports and graph captures do";
    out->known = f->has_l1_program;
    out->value = (int64_t)f->l1_program_bytes;
    out->op = f->l1_program_op;
    if (f->pools[POOL_L1].unread) out->bound = measure_unread;
    out->whole = f->pools[POOL_L1].seen ? footprint_total_bytes(&f->pools[POOL_L1]) : 0;
}

void measure_host(const struct footprint *f, unsigned which, struct measure_value *out) {
    out->why = f->host[FOOTPRINT_HOST_PEAK].known ? host_missing[which] : no_host;
    out->known = f->host[which].known;
    out->value = f->host[which].bytes;
    if (f->host[which].has_bounds) measure_set_slope(out, f->host[which].low, f->host[which].high);
    if (which == FOOTPRINT_HOST_PEAK) out->op = f->host_peak_op;
}
