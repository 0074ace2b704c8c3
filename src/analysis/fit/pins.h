/* SPDX-License-Identifier: Apache-2.0 */
/* Pins, where a request failed or at the peak: what is allocated between two holes without a gap. */
#ifndef TTMEM_ANALYSIS_FIT_PINS_H
#define TTMEM_ANALYSIS_FIT_PINS_H

#include "analysis/fit/fit.h"

enum { FIT_PINS = 3, FIT_MOST_PINNING = 32 };

struct fit_pin {
    uint64_t bytes;  /* of all that lies there, per bank */
    uint64_t joined; /* the free block that there would be without it */
    uint32_t buffers;
    uint32_t group; /* of the largest of them */
};

/* The free blocks that moving pins would give, the largest first; returns how many there are, at most FIT_PINS. 0 where places
 * are not known. */
unsigned fit_pins_find(const struct fit *fit, struct fit_pin pins[FIT_PINS]);

/* The groups of everything between two holes, those that split the largest block first; adds to *left_out what there was no
 * room for. Returns how many there are. */
size_t fit_pinning_find(const struct fit *fit, uint32_t groups[FIT_MOST_PINNING], uint64_t *left_out);

#endif
