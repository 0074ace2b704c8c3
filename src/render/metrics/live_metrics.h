/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of the devices for Prometheus: bytes by chip and pool, and by process. */
#ifndef TTMEM_RENDER_LIVE_METRICS_H
#define TTMEM_RENDER_LIVE_METRICS_H

#include "model/live_devices.h"
#include "render/metrics/metrics.h"

/* Segments that could not be read, by reason, since the program began. DEVICE_OK is not used. */
struct scrape_errors {
    uint64_t count[DEVICE_NOT_READY + 1];
};

struct live_metrics_options {
    const struct chip *chip; /* gives the capacity of each device; NULL: unknown */
    bool no_process_labels;  /* nothing by process, because its number of series is unbounded over time */
    const char *version;     /* of ttmem */
};

/* Adds the problems of a sample to `errors` first. */
void live_metrics(struct strbuf *out, enum metrics_form form, const struct live_devices *live,
                  const struct live_metrics_options *options, struct scrape_errors *errors);

#endif
