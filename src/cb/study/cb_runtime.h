/* SPDX-License-Identifier: Apache-2.0 */
/* Circular-buffer events of a log in order: counts, occupancy and waits per buffer, over all cores and for the busiest. */
#ifndef TTMEM_ANALYSIS_CB_RUNTIME_H
#define TTMEM_ANALYSIS_CB_RUNTIME_H

#include "cb/study/cb_log.h"

struct cb_level_point {
    uint64_t time; /* clock of the core, from its first event on */
    uint32_t tiles;
};

struct cb_runtime_buffer {
    uint16_t cb;
    uint64_t counts[CB_EVENT_OPS], tiles[CB_EVENT_OPS];
    uint64_t reserve_wait, front_wait; /* clock cycles in reserve_back and wait_front, over all cores */
    uint64_t longest_wait;
    uint32_t peak_tiles;               /* on the fullest core */
    bool unbalanced;                   /* pops exceed pushes somewhere, or tiles remain */
    VEC(struct cb_level_point) levels; /* on the busiest core */
};

struct cb_runtime {
    VEC(struct cb_runtime_buffer) buffers; /* sorted by index */
    uint32_t n_cores;
    struct slice busiest; /* the core with the most events */
    uint64_t span;        /* cycles from the first to the last event there */
};

/* Sorts the log's events. */
void cb_runtime_make(struct cb_runtime *out, struct cb_log *log);
void cb_runtime_release(struct cb_runtime *runtime);

/* Circular buffers of a capture, per op: those of its program that takes most of a core. */
struct cb_capture_op {
    struct slice op;
    uint64_t programs; /* how often it made circular buffers, over all devices */
    uint64_t bytes;    /* on the fullest core */
    uint64_t buffers, globally_allocated;
};
typedef VEC(struct cb_capture_op) cb_capture_ops;
void cb_capture_by_op(cb_capture_ops *out, const struct cb_log *log);

#endif
