/* SPDX-License-Identifier: Apache-2.0 */
/* Pins where a request failed or at the peak: the unbroken stretches of buffers between two holes. */
#ifndef TTMEM_ANALYSIS_FIT_PINS_H
#define TTMEM_ANALYSIS_FIT_PINS_H

#include "analysis/fit/fit.h"

enum { FIT_PINS = 3, FIT_MOST_PINNING = 32 };

struct fit_pin {
    uint64_t bytes;  /* of everything there, per bank */
    uint64_t joined; /* the free block without it */
    uint32_t buffers;
    uint32_t group; /* of the largest of them */
};

/* The free blocks that moving pins would give, largest first; returns their number, at most FIT_PINS. 0 if addresses are
 * unknown. */
unsigned fit_pins_find(const struct fit *fit, struct fit_pin pins[FIT_PINS]);

/* The groups of everything between two holes, those that split the largest block first; adds those without room to
 * *left_out. Returns their number. */
size_t fit_pinning_find(const struct fit *fit, uint32_t groups[FIT_MOST_PINNING], uint64_t *left_out);

#endif
