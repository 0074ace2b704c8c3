/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/outcome.h"

const char *const failure_outcome_names[] = {
    [OUTCOME_UNKNOWN] = "unknown", [OUTCOME_ENDED] = "ended", [OUTCOME_CAUGHT] = "caught", [OUTCOME_TEST] = "test"};

/* The first row that applies. How a test or the process ended says more than what was printed in between. */
static const struct {
    unsigned after; /* all of these */
    enum failure_outcome kind;
    const char *evidence;
} rows[] = {
    {AFTER_TEST_FAILED | AFTER_TESTS, OUTCOME_TEST, "its test failed, the run went on"},
    {AFTER_TEST_FAILED, OUTCOME_ENDED, "its test failed"},
    {AFTER_XFAILED, OUTCOME_CAUGHT, "its test failed as expected (xfail)"},
    {AFTER_SKIPPED, OUTCOME_CAUGHT, "its test was skipped"},
    {AFTER_TEST_PASSED, OUTCOME_CAUGHT, "its test passed"},
    {AFTER_OPS, OUTCOME_CAUGHT, "ops ran after it"},
    {AFTER_FAILURE, OUTCOME_CAUGHT, "the program went on to another failure"},
    {AFTER_EXIT_0, OUTCOME_CAUGHT, "the process ended with status 0"},
    {AFTER_PRINTED, OUTCOME_CAUGHT, "the program printed it and went on"},
    {AFTER_EXIT_FAILED, OUTCOME_ENDED, "the process failed after it"},
    {AFTER_LINES, OUTCOME_UNKNOWN, "a traceback reports it, and other lines follow"},
    {AFTER_THROWN, OUTCOME_ENDED, "nothing caught it"},
    {AFTER_KILLED, OUTCOME_UNKNOWN, "the process was killed after it"},
    {AFTER_REOPENED, OUTCOME_UNKNOWN, "the device was opened again after it, maybe by another process"},
    {AFTER_UNTOLD, OUTCOME_UNKNOWN, "the files of the report do not record what came after it"},
};

struct failure_ending failure_outcome(const struct failure *f, const struct failure_site *site) {
    if (f->kind == FAILURE_HOST_KILLED && !failure_is_ray_worker(f))
        return (struct failure_ending){OUTCOME_ENDED, "the process was killed"};
    if (!site || f->warning) return (struct failure_ending){OUTCOME_UNKNOWN, NULL}; /* a warning ends nothing */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((site->after & rows[i].after) == rows[i].after) return (struct failure_ending){rows[i].kind, rows[i].evidence};
    if (site->step != NONE) return (struct failure_ending){OUTCOME_ENDED, "no op came after it"};
    return (struct failure_ending){OUTCOME_UNKNOWN, NULL};
}
