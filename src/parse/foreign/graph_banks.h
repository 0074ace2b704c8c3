/* SPDX-License-Identifier: Apache-2.0 */
/* Over how many L1 banks a capture spreads its interleaved buffers, where it does not say: by the addresses. What lies above a
 * buffer bounds what it takes of a bank, and tt-metal places L1 buffers one directly below the other, so that a count of banks
 * that gives exactly these distances is the one of the device. */
#ifndef TTMEM_PARSE_GRAPH_BANKS_H
#define TTMEM_PARSE_GRAPH_BANKS_H

#include "base/vec.h"
#include "device/event.h"

enum { GRAPH_BANK_COUNTS = 19 }; /* that devices have */

struct graph_banks_buffer {
    uint64_t address, size, page_size, id;
    bool interleaved;
};

struct graph_banks {
    VEC(struct graph_banks_buffer) live; /* in L1, by address */
    uint64_t exact[GRAPH_BANK_COUNTS];   /* distances that this count explains */
    bool impossible[GRAPH_BANK_COUNTS];
    uint64_t
        page[GRAPH_BANK_COUNTS]; /* bytes of the page with which it did so; 0: different ones, or the capture has page sizes */
    bool told;                   /* a buffer says itself what it takes of a bank: nothing to find */
};

void graph_banks_event(struct graph_banks *banks, const struct mem_event *event);

/* 0: the addresses do not say. *page is that of buffers that do not say theirs, 0. */
unsigned graph_banks_found(const struct graph_banks *banks, uint64_t *page);
void graph_banks_release(struct graph_banks *banks);

/* Of a whole capture, or of as much as is there of it. */
unsigned graph_banks_of(struct slice capture, uint64_t *page);

#endif
