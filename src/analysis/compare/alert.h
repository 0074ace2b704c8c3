/* SPDX-License-Identifier: Apache-2.0 */
/* A limit on live memory: "dram>90%", "l1>=64MB", "cb > 800KB". */
#ifndef TTMEM_ANALYSIS_ALERT_H
#define TTMEM_ANALYSIS_ALERT_H

#include "base/err.h"
#include "model/live_devices.h"

struct alert {
    const char *text; /* as given, not owned */
    enum shm_kind kind;
    bool or_equal;
    bool is_share;        /* of the capacity */
    uint64_t thousandths; /* of a percent */
    uint64_t bytes;
};

/* Returns -1 with a usage error that shows the syntax. */
int alert_parse(struct alert *alert, const char *text, struct err *err);

/* Is the device beyond it? A percentage needs the chip: without it the answer is no. */
bool alert_holds(const struct alert *alert, const struct live_device *device, const struct chip *chip);

#endif
