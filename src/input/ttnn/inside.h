/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a device inside an op, from the nodes of a graph capture: buffers that come and go, and the memory of the
 * program (circular buffers, dataflow buffers, scratchpads), which is at the bottom of L1 while it runs. States that are
 * higher than those before and after the op become states of the run, so that every view has them. */
#ifndef TTMEM_INPUT_TTNN_INSIDE_H
#define TTMEM_INPUT_TTNN_INSIDE_H

#include "device/event.h"
#include "device/simulate.h"
#include "model/buffers.h"
#include "usage/program.h"

enum { INSIDE_CHIPS = 64 };

struct inside {
    struct buffers *b;
    struct run *run;
    uint16_t rank;
    const struct sim_map *map;
    struct {
        uint64_t id;
        struct program_memory memory;
        uint64_t end;      /* end address of its highest circular buffer, 0: not recorded */
    } chips[INSIDE_CHIPS]; /* programs by the chip that their nodes name: a mesh prints them once per chip */
    size_t chip_count;
    struct program_scope scope;
    struct program_bytes program; /* on the fullest core */
    uint64_t sum[POOL_COUNT];     /* bytes per bank of the buffers */
    uint64_t high[POOL_COUNT];    /* of the recorded states */
    int64_t margin;               /* least gap of the recorded states, from the program to the lowest buffer */
    bool rose, has_program;
    bool unspread; /* the number of banks of interleaved buffers is unknown: `map` has the largest possible */
};

void inside_init(struct inside *in, struct buffers *b, struct run *run, uint16_t rank, const struct sim_map *map);

/* An op begins. */
void inside_begin(struct inside *in);

/* A function inside it begins or ends: its program may end there. */
void inside_function_begins(struct inside *in);
void inside_function_ends(struct inside *in);

/* `tensor` is the contents of a new buffer, or NULL. An event without an address does not count. */
void inside_event(struct inside *in, const struct mem_event *event, const struct buffer_tensor *tensor);

/* The address of a new buffer is unknown: it is left out. */
void inside_lost(struct inside *in, const struct mem_event *event);

/* Records the highest state so far for the last op of the run. */
void inside_tell(struct inside *in);

/* The op ends, and its program too. */
void inside_end(struct inside *in);
void inside_release(struct inside *in);

#endif
