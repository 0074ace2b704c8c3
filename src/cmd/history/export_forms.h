/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of ttmem history export that are more than a line per run. */
#ifndef TTMEM_CMD_EXPORT_FORMS_H
#define TTMEM_CMD_EXPORT_FORMS_H

#include "store/history.h"

/* Appends the runs of the list, newest first, to `out`. */
typedef int export_form_fn(struct store *store, const struct history_list *list, struct strbuf *out, struct err *err);

/* Prometheus's text format: each measure of the newest run of every model and branch. */
export_form_fn export_prometheus;

/* PartialBenchmarkRun of tt-metal's infra/data_collection/pydantic_models.py, for the first run. */
export_form_fn export_benchmark;

/* The name of a measure where dots are not allowed, with its unit: dram_peak_bytes_per_bank. */
void measure_metric_name(struct strbuf *out, const struct measure *measure);

/* The index of a measure among the details; false if the run does not record it. */
bool measure_in_details(const struct history_details *details, const struct measure *measure, size_t *at);

#endif
