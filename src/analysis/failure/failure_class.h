/* SPDX-License-Identifier: Apache-2.0 */
/* The class of a failure: one stable word for scripts, CI and triage. Classes are never renamed; new ones may be added. */
#ifndef TTMEM_ANALYSIS_FAILURE_CLASS_H
#define TTMEM_ANALYSIS_FAILURE_CLASS_H

#include "analysis/failure/verdict.h"

/* A constant text: "dram-exhausted", "cb-clash", ..., "unknown". */
const char *failure_class(const struct failure *f, enum verdict_kind verdict);

/* All of them, in the order of the documentation; ends with NULL. */
extern const char *const failure_classes[];

#endif
