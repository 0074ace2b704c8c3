/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the device that a graph capture is of: as the capture tells it, else by the addresses of its buffers, else by
 * the first architecture that they fit. Filled by a first pass over the nodes. Owns its memory. */
#ifndef TTMEM_INPUT_TTNN_GRAPH_MAP_H
#define TTMEM_INPUT_TTNN_GRAPH_MAP_H

#include "device/simulate.h"
#include "model/run.h"
#include "parse/foreign/graph.h"
#include "parse/foreign/graph_banks.h"

struct graph_map {
    const struct chip *chip;      /* NULL: not told, and not chosen yet */
    uint64_t highest[POOL_COUNT]; /* end of the highest buffer */
    struct graph_device reported; /* the first one; id is UINT64_MAX when there is none */
    struct graph_banks banks;
    uint64_t lowest_program; /* address of circular buffers: they begin where L1 can be allocated */
    bool frees_by_id;        /* a free does not tell where the buffer lay */
};

void graph_map_init(struct graph_map *m);
void graph_map_event(struct graph_map *m, const struct mem_event *event);
void graph_map_device(struct graph_map *m, const struct graph_device *device);
void graph_map_release(struct graph_map *m);

/* After the pass. False: the chip is assumed. */
bool graph_map_choose(struct graph_map *m);
struct sim_map graph_map_memory(const struct graph_map *m);

/* Over how many banks interleaved L1 buffers lie is known, by the device or by their addresses. */
bool graph_map_spreads(const struct graph_map *m);
/* The event with the page of interleaved L1 buffers where only their addresses tell it. */
struct mem_event graph_map_paged(const struct graph_map *m, const struct mem_event *event);

/* Beyond the memory of the chip, of every chip where that is not known: old captures have such addresses. */
bool graph_map_is_nowhere(const struct graph_map *m, const struct mem_event *event);

/* A name of the buffer that no other one has at that time: captures of 2024 point to one node from buffers of both memories. */
uint64_t graph_map_name(const struct mem_event *event);

#endif
