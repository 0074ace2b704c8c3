/* SPDX-License-Identifier: Apache-2.0 */
/* How circular buffers of given sizes serve a workload of A and B tiles: the tile-level run of reader, compute and writer, and
 * the figures of memory pressure that follow from the sizes. Pure arithmetic in integers; percentages and scores are
 * thousandths. Formulas: ttmem-cb-simulate(1). */
#ifndef TTMEM_ANALYSIS_CB_SIM_H
#define TTMEM_ANALYSIS_CB_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct chip;

enum { CB_SIM_MAX_BUFFERS = 64, CB_SIM_MAX_TILES = 1000000, CB_SIM_MAX_PASSES = 1000 };

enum cb_level { CB_LOW, CB_MEDIUM, CB_HIGH };
extern const char *const cb_level_names[];

/* What a buffer is for. Index 0 is the streamed operand, 1 the reused one, 16 and up are outputs, others intermediate. */
enum cb_role { CB_OPERAND_A, CB_OPERAND_B, CB_INTERMEDIATE, CB_OUTPUT };
enum cb_role cb_role_of(int64_t index);
extern const char *const cb_role_names[];

struct cb_sim_buffer {
    int64_t index;
    uint64_t tiles;
    uint64_t tile_bytes;
    bool tensor_backed; /* holds tiles, takes no memory of its own */
    bool shared;        /* another index of a buffer that is already counted */
    bool has_role;      /* its role is known from more than its index */
    enum cb_role role;
};
enum cb_role cb_sim_role(const struct cb_sim_buffer *buffer);

struct cb_strategy_sizes {
    struct slice name;
    struct cb_sim_buffer buffers[CB_SIM_MAX_BUFFERS];
    unsigned n_buffers;
};

struct cb_workload {
    uint64_t a_tiles, b_tiles; /* tiles_per_shard and r_tiles */
    uint64_t tile_bytes;
    uint64_t passes;                               /* how often the program goes over the shard */
    uint64_t fetch_cost, compute_cost, write_cost; /* per tile, in any unit */
    uint64_t kernel_bytes, l1_buffer_bytes;
};

struct cb_sim_use {
    uint64_t high_water;                    /* tiles */
    uint64_t producer_stall, consumer_wait; /* in units of the costs */
    bool single;                            /* room for one tile only, so filling and emptying do not overlap */
};

struct cb_pressure {
    uint64_t cb_bytes, available_bytes, used_bytes;                   /* used: CBs and L1 buffers */
    int64_t miss_milli, coverage_milli, efficiency_milli, used_milli; /* thousandths of a percent */
    int64_t score_milli;                                              /* thousandths of a point */
    enum cb_level thrashing, pressure, coverage, verdict;             /* LOW is good for coverage too */
    uint64_t fetched, fetched_again, total_time, ideal_time;
    struct cb_sim_use uses[CB_SIM_MAX_BUFFERS]; /* in the order of the buffers */
    bool fits;
    bool kernels_fit; /* the kernel binaries fit their ring; true if its size is unknown */
};

struct cb_workload_class {
    const char *name, *strategy, *behaviour;
    uint64_t up_to; /* tiles */
};
const struct cb_workload_class *cb_workload_class(const struct cb_workload *workload);

/* The two built-in strategies. */
void cb_strategy_fixed(struct cb_strategy_sizes *out, const struct cb_workload *workload);
void cb_strategy_adaptive(struct cb_strategy_sizes *out, const struct cb_workload *workload);

void cb_simulate(struct cb_pressure *out, const struct cb_strategy_sizes *sizes, const struct cb_workload *workload,
                 const struct chip *chip);

/* Both consider only the sizes of circular buffers: kernels that are too large are so with any sizes.
 * The smallest sizes whose verdict is LOW; false if none that fits has it. */
bool cb_smallest_low(struct cb_strategy_sizes *out, const struct cb_workload *workload, const struct chip *chip);
/* The sizes with the best verdict, then the lowest score, within the free L1; false if not even one tile per buffer fits. */
bool cb_best_within(struct cb_strategy_sizes *out, const struct cb_workload *workload, const struct chip *chip);

/* Bytes of the ring of kernel configurations; 0 if unknown. */
uint64_t cb_kernel_ring(const struct chip *chip);
/* Bytes that a buffer takes. */
uint64_t cb_sim_bytes(const struct cb_sim_buffer *buffer);

#endif
