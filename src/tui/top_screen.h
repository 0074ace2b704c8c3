/* SPDX-License-Identifier: Apache-2.0 */
/* The devices' memory as a screen, redrawn with every sample: a line per device, the history of the chosen one, the processes
 * in a table. */
#ifndef TTMEM_TUI_TOP_SCREEN_H
#define TTMEM_TUI_TOP_SCREEN_H

#include "model/live_devices.h"
#include "tui/screen.h"

enum { TOP_SHORTEST_MS = 100, TOP_LONGEST_MS = 10000 };

struct top_screen_options {
    const struct chip *chip; /* NULL: capacities are unknown */
    int interval_ms;
    void *who;
    /* Called after every sample; returns a text to show until the next, or NULL. -1 ends with the error. */
    int (*sampled)(void *who, const char **message, struct err *err);
};

/* Runs until the user leaves. Returns 0 or -1. */
int top_screen_run(struct live_devices *live, const struct top_screen_options *options, struct err *err);

#endif
