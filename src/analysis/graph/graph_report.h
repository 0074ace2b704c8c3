/* SPDX-License-Identifier: Apache-2.0 */
/* What a graph capture says about memory: usage per segment, what is alive at the peaks and at the end, circular buffers per
 * function and core range, the call tree with memory per function, output and intermediate tensors, and the result of a
 * replay on a simulated device.
 *
 * Segments are pushed in sequence; buffers stay alive from one to the next. Memory grows with what is alive and with the
 * number of different functions, not with the size of the capture (arguments of calls are kept up to a limit). Owns its
 * memory. */
#ifndef TTMEM_ANALYSIS_GRAPH_REPORT_H
#define TTMEM_ANALYSIS_GRAPH_REPORT_H

#include "analysis/graph/graph_legacy.h"
#include "analysis/graph/graph_timeline.h"
#include "analysis/graph/graph_trace.h"
#include "analysis/pass/recent.h"
#include "base/err.h"
#include "base/table/strtab.h"
#include "device/simulate.h"
#include "parse/foreign/graph.h"
#include "usage/segments.h"

/* A function in the call tree: same name, same callers. [0] is the capture itself. Memory includes what it calls. */
struct graph_function {
    uint32_t name, parent, first_child, last_child, next_sibling; /* 0: none */
    uint64_t calls, duration_ns;
    int64_t dram_allocated, dram_freed;
    int64_t dram_rise;    /* highest above its own start, over all calls */
    int64_t l1_rise;      /* buffers, per core */
    int64_t program_peak; /* circular and dataflow buffers and scratchpads on the fullest core */
    uint32_t arguments;   /* of the first call: index of the first in the session's `argument_ids` */
    uint32_t arguments_count;
};

/* Program memory of one kind that a function places on one set of cores. */
struct graph_circular {
    uint32_t function; /* index of a graph_function */
    uint32_t cores;    /* text of the core ranges */
    enum mem_event_kind kind;
    uint64_t device;
    uint64_t core_count;
    uint64_t buffers, borrowed; /* in the fullest program */
    uint64_t bytes;             /* per core, in the fullest program */
    uint64_t region_end;        /* highest; 0: addresses are unknown */
    bool has_gap;
    int64_t gap;        /* smallest distance to the lowest L1 buffer above; negative: it reaches into it */
    uint64_t lowest_l1; /* at that moment */
    /* of the running program */
    uint64_t program, now_bytes, now_buffers, now_borrowed;
};

struct graph_live {
    struct usage_buffer buffer;
    uint32_t function;
    uint32_t tensor; /* text of shape and type; 0: unknown */
};

typedef VEC(struct graph_live) graph_lives;

struct graph_tensor {
    uint32_t shape, dtype;
    uint64_t counter, id;
    bool has_id, has_buffer;
    uint64_t buffer_size;
    enum mem_type buffer_type;
};

struct graph_sim_failure {
    struct sim_failure failure;
    uint32_t function;
    uint64_t counter;
};

struct graph_bank {
    uint64_t device;
    enum mem_type type;
    struct allocator_stats end;
    uint64_t high_water;
};

/* One segment, complete after graph_session_end. Its sums are segments.items[same index] of the session. */
struct graph_segment {
    char *path;
    enum graph_scan_end end;
    struct graph_problems problems;
    uint64_t bytes, nodes, functions_called, duration_ns;
    uint64_t first_node; /* on the timeline */
    uint64_t kinds[NODE_KINDS];
    bool found;       /* an array of nodes, possibly empty */
    bool no_dispatch; /* every buffer has address 0 */
    bool has_rank;
    uint64_t rank, world_size;
    int64_t legacy_peak_l1;
    graph_lives dram_peak, l1_peak, alive; /* largest first */
    VEC(struct graph_function) functions;
    VEC(struct graph_circular) circular;
    VEC(struct graph_tensor) outputs;
    uint64_t intermediates;
    VEC(struct graph_sim_failure) failures;
    uint64_t failure_count;
    uint64_t placed, placed_alike; /* buffers with an address in the capture, and those that the simulation puts there too */
    VEC(struct graph_bank) banks;
};

struct graph_simulated {
    uint64_t device;
    struct sim sim;
};

struct graph_frame {
    uint32_t function;
    int64_t dram_start, dram_high, l1_start, l1_high, program_high;
    int64_t allocated, freed;
    uint64_t begin; /* node on the timeline */
    uint32_t arguments, arguments_count;
};

/* The number of banks of interleaved L1 buffers, from their pages and bytes per bank. least 0: unknown. */
struct graph_bank_bounds {
    uint64_t least, most;
};

enum graph_banks_from { GRAPH_BANKS_UNKNOWN, GRAPH_BANKS_OPTION, GRAPH_BANKS_DEVICE, GRAPH_BANKS_ADDRESSES };

struct graph_session {
    struct strtab texts;
    struct usage usage;
    struct segments segments;
    VEC(struct graph_segment) details;
    VEC(struct graph_device) devices; /* arch is copied into `texts` */
    const struct chip *simulate;      /* NULL: not requested */
    unsigned interleaved_cores;       /* 0: from the capture's devices, else from addresses */
    enum graph_banks_from banks_from; /* the source of usage.interleaved_cores */
    uint64_t page_size;               /* of L1 buffers that do not state theirs; 0: unknown */
    bool programs_stay;               /* until they are released, as in tt-metal's own sums: not only while an op runs */
    struct program_scope scope;
    bool per_core; /* L1 is allocated per core, by the memory config of a tensor */
    bool l1_whole; /* interleaved L1 buffers count whole, because their number of banks is unknown */
    struct graph_timeline timeline;
    VEC(uint32_t) argument_ids; /* into `texts` */
    uint64_t argument_bytes;

    /* the segment being read */
    struct graph_reader reader;
    struct graph_legacy legacy;
    VEC(struct graph_frame) frames;
    int64_t dram_now, l1_now;
    uint64_t program;
    struct map children; /* parent and name -> function */
    struct map circular_rows;
    /* Edges span only a short distance, so the most recent entries are enough. */
    struct recent tensors;     /* counter -> graph_tensor */
    struct recent buffers;     /* buffer id -> graph_tensor: the tensor in it and the buffer's size */
    struct recent uses;        /* counter of a tensor to come -> uint64_t, id of its buffer */
    struct recent created;     /* counter of a tensor that create_device_tensor made -> char */
    struct recent created_ids; /* its tensor_id -> char */
    uint64_t created_count;
    VEC(uint64_t) pending_outputs, output_counters;
    uint64_t last_address_seen;
    VEC(struct graph_simulated) simulated;
    struct graph_bank_bounds bank_bounds;
    struct graph_trace trace; /* filled if `simulate` is set */
    uint64_t lowest_serial, lowest_device, lowest_l1;
    bool has_lowest;
    bool failed;
};

/* The L1 of a core of the capture's device; that of Blackhole if unknown. */
uint64_t graph_core_bytes(const struct graph_session *session);

void graph_session_release(struct graph_session *session);

/* Starts a segment; `path` is only shown, and copied. A zeroed session is ready; set `simulate`, `interleaved_cores` and
 * `timeline.wanted` before the first segment. */
int graph_session_begin(struct graph_session *session, const char *path, struct err *err);
/* The number of banks of interleaved L1 buffers, from addresses, unless a better source exists; 0: unknown. `page`: bytes of
 * a page if the capture does not state them; 0. */
void graph_session_banks(struct graph_session *session, unsigned banks, uint64_t page);

int graph_session_push(struct graph_session *session, struct slice bytes, struct err *err);

/* Ends it under that name. */
int graph_session_end(struct graph_session *session, struct slice name, struct err *err);

#endif
