/* SPDX-License-Identifier: Apache-2.0 */
/* What came and went in one pool of one device, in order: the form in which changes are tried. Made from a run (run_trace.h)
 * or from compiled modules (predict/fit). A CHANGE marks frees and requests to be moved, or other sizes or another bank;
 * fit_replay then puts every buffer through the allocator and reports the result.
 *
 * Sizes are bytes per bank as the allocator reserves them. Owns its memory; not thread-safe. */
#ifndef TTMEM_ANALYSIS_FIT_TRACE_H
#define TTMEM_ANALYSIS_FIT_TRACE_H

#include "analysis/run/live.h"
#include "base/arena.h"
#include "device/chip.h"
#include "device/tensor_type.h"

/* What keeps a buffer alive, and so could free it earlier. */
enum fit_holder {
    HOLDER_PROGRAM,  /* its own deallocate */
    HOLDER_CALLER,   /* an input: the host holds it too */
    HOLDER_RUNTIME,  /* a cache of the runtime, a weight that every pass needs */
    HOLDER_RETURNED, /* the host reads it when the program has finished */
    HOLDER_OP,       /* inside one op */
};

struct fit_buffer {
    uint64_t bytes;
    uint64_t address; /* its address; UINT64_MAX: unknown */
    uint32_t group;
    uint32_t take, free; /* events; NONE: it lived to the end */
    uint32_t unused;     /* first event after its last user has finished; NONE: unknown, or not before the end */
    uint8_t high;        /* placed from the other end of its pool than most */
};

/* A tensor of the program: the buffers that one op made for it, pass by pass. */
struct fit_group {
    struct slice name; /* "%605", "model.embed.weight", empty */
    uint64_t key;      /* the same in every trace of the same program */
    uint8_t class;     /* enum live_class; LIVE_CLASS_COUNT: filler */
    uint8_t holder;
    bool estimated;  /* its size is an estimate */
    bool request;    /* it did not fit: the request that ended the run */
    bool const_eval; /* only const-eval functions use it */
    uint32_t place;  /* of the op that made it; or NONE */
    uint32_t buffers;
    uint64_t bytes;                 /* of the largest buffer */
    const struct tensor_type *type; /* NULL: unknown */
};

/* An op as shown and in JSON. */
struct fit_op {
    uint32_t index; /* NONE */
    struct slice name, ssa;
    uint64_t line;
    struct slice location, program, rank;
};

/* A request in another pool that found no block; wants 0: none. */
struct fit_stop {
    enum pool pool;
    uint64_t wants, allocated, free, largest;
    uint32_t place;
};

struct fit_trace {
    enum pool pool;
    uint64_t base, bank, alignment; /* bank: size of one */
    uint64_t capacity;              /* the usable part: less than the bank if the sum of holes is known but not their places */
    unsigned banks;
    const struct chip *chip; /* its board or architecture; NULL: unknown */
    uint64_t trace_region;   /* what is reserved at the end of a bank; 0 */
    bool has_capacity, device_assumed;
    VEC(struct fit_buffer) buffers;
    VEC(struct fit_group) groups;
    VEC(uint32_t) events; /* 2 * buffer if it is taken, 2 * buffer + 1 if it is freed */
    VEC(uint32_t) places; /* of the events: what was running, for `op_of` */
    bool placed;          /* addresses are known */
    bool follows;         /* from a log: places are unknown, and what op lines do not explain is added as filler */
    bool ended;           /* ended by a failed request: it is unknown whether what was alive then stays, or is unused */
    bool no_uses;         /* the input does not record what uses a buffer */
    bool paged;           /* caches are paged */
    bool cut;             /* for a changed program: it is not followed to its end; `stop` says where another pool ran out */
    struct fit_stop stop;
    bool compiled;     /* from modules, which give sizes for other element types and devices more exactly than the trace */
    uint64_t measured; /* peak in the input; 0: unknown */
    int64_t room; /* from a log: the smallest difference between the largest free block before an op and a tensor that it makes;
                     INT64_MAX */
    uint32_t room_place;
    uint64_t bounded; /* buffers with only a lower bound of their bytes */
    uint64_t higher;  /* how much higher the peak can have been, with these as large as possible */
    uint64_t off;     /* most that a level of the trace differs from what the input says was allocated */
    struct arena arena;
    const void *context;
    void (*op_of)(const struct fit_trace *trace, uint32_t place, struct fit_op *op);
};

void fit_trace_release(struct fit_trace *trace);

uint32_t fit_trace_group(struct fit_trace *trace, const struct fit_group *group);
/* One event each; `place` is what was running. Returns the buffer. */
uint32_t fit_trace_take(struct fit_trace *trace, uint32_t group, uint64_t bytes, uint64_t address, uint32_t place);
void fit_trace_free(struct fit_trace *trace, uint32_t buffer, uint32_t place);

/* Finds the end that each buffer is placed from, by the addresses if they are known. */
void fit_trace_ends(struct fit_trace *trace);

static inline bool fit_is_free(uint32_t event) { return event & 1; }

/* --- trying --- */

struct fit_move {
    uint32_t before; /* of the trace's events */
    uint32_t event;  /* the event that happens there instead; NONE: a new one */
    uint32_t code;   /* as in events */
};

/* A trace with changes. */
struct fit_variant {
    const struct fit_trace *trace;
    uint64_t capacity;
    uint64_t *bytes;    /* of the buffers; NULL: unchanged */
    uint64_t *elements; /* the same with only another element type; NULL */
    VEC(struct fit_move) moves;
};

void fit_variant_init(struct fit_variant *v, const struct fit_trace *trace);
void fit_variant_release(struct fit_variant *v);

/* The event happens before that one instead. */
void fit_variant_move(struct fit_variant *v, uint32_t event, uint32_t before);
/* The buffer is freed before that event. */
void fit_variant_end(struct fit_variant *v, uint32_t buffer, uint32_t before);
/* It takes this much; several such changes of a buffer all count. */
void fit_variant_resize(struct fit_variant *v, uint32_t buffer, uint64_t bytes);
/* With another element type it would take this much: of several the smallest counts, because a tensor has one element type. */
void fit_variant_element(struct fit_variant *v, uint32_t buffer, uint64_t bytes);

struct fit_result {
    bool fits;
    uint64_t capacity;
    uint64_t peak; /* most allocated, including what does not fit: what an allocator without holes would need */
    uint32_t peak_place;
    uint32_t peak_event; /* number of events before it */
    int64_t margin; /* least of largest free block minus request, over all requests that fit; INT64_MAX: unknown, or none */
    uint32_t margin_place, margin_event;
    /* the first request that does not fit */
    uint64_t wants, allocated, free, largest;
    uint32_t failed_place, failed_buffer, failed_event;
    enum pool failed_pool;
    bool cut;                 /* the changed program is not followed to its end, so the peak is unknown */
    uint64_t compared, equal; /* buffers with a known address, and those that the replay puts there too */
};

/* The whole replay; adds its events to *work. `addresses` gets the place of each buffer, may be NULL. If addresses are
 * unknown, sums are compared with the bank. */
void fit_replay(const struct fit_variant *v, struct fit_result *result, uint64_t *addresses, uint64_t *work);

/* Reports what is allocated after every event, in order, and what was running. */
struct fit_watcher {
    void *context;
    void (*level)(void *context, const struct fit_trace *trace, uint32_t place, uint64_t allocated);
};
void fit_levels(const struct fit_variant *v, const struct fit_watcher *watcher);

/* Sums only: the peak and its place, without checking for free blocks. */
void fit_sums(const struct fit_variant *v, struct fit_result *result);

#endif
