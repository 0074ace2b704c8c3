/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of measures that belong to no pool: counts, the circular buffers of an op, the host. For the table in measures.c. */
#ifndef TTMEM_ANALYSIS_MEASURES_COUNTS_H
#define TTMEM_ANALYSIS_MEASURES_COUNTS_H

#include "analysis/compare/measures.h"

enum { MEASURE_RUNS_ALL, MEASURE_RUNS_MAIN };
enum { MEASURE_FAILURES_ENDED, MEASURE_FAILURES_CAUGHT, MEASURE_FAILURES_ANY };

extern const char measure_unread[]; /* why a figure is a bound if parts of its input are unread */

/* The figure is a slope between these bounds. */
void measure_set_slope(struct measure_value *out, int64_t low, int64_t high);

void measure_ops(const struct footprint *f, unsigned unused, struct measure_value *out);
void measure_runs(const struct footprint *f, unsigned which, struct measure_value *out);
void measure_failures(const struct footprint *f, unsigned which, struct measure_value *out);
void measure_program(const struct footprint *f, unsigned unused, struct measure_value *out);
void measure_host(const struct footprint *f, unsigned which, struct measure_value *out);

#endif
