/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to the memory of a device inside an operation, by the nodes of a graph capture: buffers that come and go, and
 * the memory of the program (circular buffers, dataflow buffers, scratchpads), which lies at the bottom of L1 while it runs.
 * States that are higher than those before and after the operation become states of the run, so that every view has them. */
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
        uint64_t end;      /* address of the end of its highest circular buffer, 0: none is told */
    } chips[INSIDE_CHIPS]; /* programs by the chip that their nodes name: a mesh prints them once per chip */
    size_t chip_count;
    struct program_scope scope;
    struct program_bytes program; /* of the fullest core */
    uint64_t sum[POOL_COUNT];     /* bytes per bank of the buffers */
    uint64_t high[POOL_COUNT];    /* of the states that were told */
    int64_t margin;               /* the least of the states that were told, from the program to the lowest buffer */
    bool rose, has_program;
    bool unspread; /* over how many banks interleaved buffers lie is not known: what `map` has are the most that there are */
};

void inside_init(struct inside *in, struct buffers *b, struct run *run, uint16_t rank, const struct sim_map *map);

/* An operation begins. */
void inside_begin(struct inside *in);

/* A function inside it begins or ends: its program may end there. */
void inside_function_begins(struct inside *in);
void inside_function_ends(struct inside *in);

/* `tensor` is what lies in a buffer that comes, NULL. An address that is not known does not count. */
void inside_event(struct inside *in, const struct mem_event *event, const struct buffer_tensor *tensor);

/* Of a buffer that comes it is not known where it lies: it is left out. */
void inside_lost(struct inside *in, const struct mem_event *event);

/* What was reached until now counts for the operation that was given last to the run. */
void inside_tell(struct inside *in);

/* It ends; its program does too. */
void inside_end(struct inside *in);
void inside_release(struct inside *in);

#endif
