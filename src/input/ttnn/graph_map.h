/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a graph capture's device: as the capture gives it, else from the addresses of its buffers, else the first
 * architecture that they fit. Filled by a first pass over the nodes. Owns its memory. */
#ifndef TTMEM_INPUT_TTNN_GRAPH_MAP_H
#define TTMEM_INPUT_TTNN_GRAPH_MAP_H

#include "device/simulate.h"
#include "model/run.h"
#include "parse/foreign/graph.h"
#include "parse/foreign/graph_banks.h"

struct graph_map {
    const struct chip *chip;      /* NULL: not given, and not chosen yet */
    uint64_t highest[POOL_COUNT]; /* end of the highest buffer */
    struct graph_device reported; /* the first one; id is UINT64_MAX if there is none */
    struct graph_banks banks;
    uint64_t lowest_program; /* lowest address of circular buffers: they begin where L1 can be allocated */
    bool frees_by_id;        /* a free does not give the address of the buffer */
};

void graph_map_init(struct graph_map *m);
void graph_map_event(struct graph_map *m, const struct mem_event *event);
void graph_map_device(struct graph_map *m, const struct graph_device *device);
void graph_map_release(struct graph_map *m);

/* After the pass. False: the chip is assumed. */
bool graph_map_choose(struct graph_map *m);
struct sim_map graph_map_memory(const struct graph_map *m);

/* Is it known over how many banks interleaved L1 buffers are spread, from the device or from their addresses? */
bool graph_map_spreads(const struct graph_map *m);
/* The event with the page size of interleaved L1 buffers, if only their addresses tell it. */
struct mem_event graph_map_paged(const struct graph_map *m, const struct mem_event *event);

/* Is it beyond the memory of the chip, or of every chip if that is unknown? Old captures have such addresses. */
bool graph_map_is_nowhere(const struct graph_map *m, const struct mem_event *event);

/* A name that no other buffer has at that time: captures of 2024 point to one node from buffers of both memories. */
uint64_t graph_map_name(const struct mem_event *event);

#endif
