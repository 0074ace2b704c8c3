/* SPDX-License-Identifier: Apache-2.0 */
/* What a tt-metal log says about circular buffers and L1: partition parameters, clashes and overflows, SHM records, kernel
 * and program sizes, ops, and lines of the kernel macro in ttmem-cb-log(1) (DPRINT). Also the circular buffers of a ttnn
 * graph capture. Takes text, opens no files; strings live in the result's arena. */
#ifndef TTMEM_PARSE_CB_LOG_H
#define TTMEM_PARSE_CB_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/table/strtab.h"
#include "base/vec.h"

struct cb_partition {
    bool seen;
    uint64_t worker_l1_bytes, base, l1_small_bytes, bank_bytes, allocatable_bytes;
    uint64_t line;
};

enum cb_clash_kind {
    CB_CLASH_BUFFER,
    CB_CLASH_L1_END,
    CB_CLASH_PROGRAM_SIZE,
    CB_CLASH_NO_ROOM, /* an L1 buffer: region_end is the request per bank, limit the largest free block */
    CB_CLASH_TOO_LOW, /* an L1 buffer would reach below limit, to region_end */
    CB_CLASH_RULE,    /* a rule of circular buffers is broken; `text` has the message with its numbers */
    CB_CLASH_KINDS
};

struct cb_clash {
    enum cb_clash_kind kind;
    bool dataflow;       /* dataflow buffers instead of circular ones */
    uint64_t program;    /* 0: not stated */
    struct slice cores;  /* core range, or what the program is too large for */
    uint64_t region_end; /* end of the CBs, or size of the program */
    uint64_t limit;      /* lowest L1 buffer, size of L1, or of the kernel config buffer */
    uint64_t overlap;    /* bytes too many; 0: not stated */
    const char *rule;    /* CB_CLASH_RULE: the broken rule; else NULL */
    struct slice text;   /* its message */
    uint64_t line, times;
};

struct cb_kernel_size {
    struct slice risc, name;
    uint64_t bytes, times;
};

struct cb_pool_record {
    struct slice type;
    uint64_t allocations, deallocations, allocated_bytes, live_bytes, peak_bytes;
    int64_t live;
};

struct cb_op_record {
    struct slice name;
    uint64_t begun, ended, ns;
};

enum cb_event_op { CB_EVENT_RESERVE, CB_EVENT_PUSH, CB_EVENT_WAIT, CB_EVENT_POP, CB_EVENT_OPS };
extern const char *const cb_event_names[CB_EVENT_OPS];

struct cb_event {
    uint32_t core; /* string table id */
    uint16_t cb;
    uint8_t op;
    uint32_t tiles;
    uint64_t begin, end; /* clock of the core, extended beyond 32 bits; only differences are meaningful */
};

struct cb_capture_cb {
    struct slice op;
    uint64_t bytes, address;
    bool globally_allocated;
    struct slice cores;
    uint64_t device, program; /* program: buffers that exist at the same time have the same number */
};

struct cb_log {
    struct arena arena;
    struct strtab cores;
    struct cb_partition partition;
    VEC(struct cb_clash) clashes;
    VEC(struct cb_kernel_size) kernels;
    VEC(struct cb_pool_record) pools;
    VEC(struct cb_op_record) ops;
    VEC(struct cb_event) events;
    VEC(struct cb_capture_cb) captured;
    VEC(uint64_t) clocks; /* while reading: latest time of each core */
    uint64_t lines, gaps; /* gaps: programs whose CB indices are not contiguous */
    uint64_t malformed;   /* lines of a known form that could not be read */
    uint64_t events_dropped;
    bool cut; /* set by the caller: the input ended early */
};

/* Reads a whole log, or a graph capture (recognised by its first byte). */
void cb_log_read(struct cb_log *log, struct slice text);
void cb_log_release(struct cb_log *log);
/* Does it say nothing about circular buffers or L1? */
bool cb_log_is_empty(const struct cb_log *log);

#endif
