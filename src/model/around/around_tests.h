/* SPDX-License-Identifier: Apache-2.0 */
/* Whose failures they are: the names of tests, as lines before, in and after their reports tell them. Part of the fold. */
#ifndef TTMEM_MODEL_AROUND_TESTS_H
#define TTMEM_MODEL_AROUND_TESTS_H

#include "model/fold.h"

/* The full name of a test by the title of its report, as a string id; that title itself where no line told it. */
uint32_t around_test_title(struct fold *fold, struct slice title);

/* A test that failed is named: failures that its report told about get the full name. */
void around_test_failed(struct fold *fold, struct slice node);

/* The test of a failure, where it has none yet; 0: not known. */
void around_set_test(struct fold *fold, uint32_t number, uint32_t test);

/* A test began or ended. */
void around_test_named(struct fold *fold, uint32_t test);

/* A line of a short summary names a test that failed. */
void around_name_by_summary(struct fold *fold, uint32_t name);

/* What a summary told ends where another test begins. */
void around_forget_summary(struct fold *fold);

/* No more tests come: which failures ended their test and not the run. */
void around_settle_tests(struct fold *fold);

#endif
