/* SPDX-License-Identifier: Apache-2.0 */
/* Over how many L1 banks a capture spreads its interleaved buffers, if it does not say: derived from the addresses. The next
 * buffer above limits how much a buffer takes of a bank, and tt-metal places each L1 buffer directly below another, so the
 * number of banks that gives exactly these distances is that of the device. */
#ifndef TTMEM_PARSE_GRAPH_BANKS_H
#define TTMEM_PARSE_GRAPH_BANKS_H

#include "base/vec.h"
#include "device/event.h"

enum { GRAPH_BANK_COUNTS = 19 }; /* counts that devices have */

struct graph_banks_buffer {
    uint64_t address, size, page_size, id;
    bool interleaved;
};

struct graph_banks {
    VEC(struct graph_banks_buffer) live; /* in L1, by address */
    uint64_t exact[GRAPH_BANK_COUNTS];   /* distances that this count explains */
    bool impossible[GRAPH_BANK_COUNTS];
    uint64_t page[GRAPH_BANK_COUNTS]; /* page size in bytes that did so; 0: different ones, or the capture has page sizes */
    bool told;                        /* a buffer gives its bytes per bank itself, so there is nothing to find */
};

void graph_banks_event(struct graph_banks *banks, const struct mem_event *event);

/* 0: the addresses do not tell. *page is that of buffers without one of their own, or 0. */
unsigned graph_banks_found(const struct graph_banks *banks, uint64_t *page);
void graph_banks_release(struct graph_banks *banks);

/* For a whole capture, or the available part of it. */
unsigned graph_banks_of(struct slice capture, uint64_t *page);

#endif
