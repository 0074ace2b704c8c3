/* SPDX-License-Identifier: Apache-2.0 */
/* /metrics: a sample of the devices for Prometheus, taken on request. */
#ifndef TTMEM_SERVE_METRICS_H
#define TTMEM_SERVE_METRICS_H

#include "device/chip.h"
#include "serve/mhd.h"

#define METRICS_PATH "/metrics"

struct serve_metrics;

/* `chip` gives capacities; NULL: unknown. */
struct serve_metrics *serve_metrics_new(const struct chip *chip, bool no_process_labels);
void serve_metrics_free(struct serve_metrics *metrics);

/* In the text format that the request accepts. Any thread. */
enum MHD_Result serve_metrics_answer(struct serve_metrics *metrics, struct MHD_Connection *connection);

#endif
