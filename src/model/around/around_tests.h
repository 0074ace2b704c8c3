/* SPDX-License-Identifier: Apache-2.0 */
/* Which test a failure belongs to, from the names before, in and after the reports of tests. Part of the fold. */
#ifndef TTMEM_MODEL_AROUND_TESTS_H
#define TTMEM_MODEL_AROUND_TESTS_H

#include "model/fold.h"

/* The full name of a failed test, given the title of its report, as a string id; the title itself if no line has the full
 * name. */
uint32_t around_test_title(struct fold *fold, struct slice title);

/* A failed test is named: failures that its report mentions get the full name. */
void around_test_failed(struct fold *fold, struct slice node);

/* Sets the test of a failure that has none yet; 0: unknown. */
void around_set_test(struct fold *fold, uint32_t number, uint32_t test);

/* A test began or ended. */
void around_test_named(struct fold *fold, uint32_t test);

/* A line of a short summary names a test that failed. */
void around_name_by_summary(struct fold *fold, uint32_t name);

/* Another test begins, so the summary no longer applies. */
void around_forget_summary(struct fold *fold);

/* No more tests follow: finds the failures that ended their test but not the run. */
void around_settle_tests(struct fold *fold);

#endif
