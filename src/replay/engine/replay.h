/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program on a simulated device: arguments, operations in order, const-eval functions when they are first asked for,
 * calls and traces, what stays when a program ends. Programs that follow each other in one process share the device, the cache
 * of compiled programs and whatever is kept between them.
 *
 * Nothing in a module is fatal: what cannot be followed is counted. */
#ifndef TTMEM_REPLAY_REPLAY_H
#define TTMEM_REPLAY_REPLAY_H

#include "replay/engine/op_run.h"

enum replay_between { BETWEEN_DROP, BETWEEN_KEEP };

struct replay_options {
    bool no_program_cache; /* programs, maps and tables go when their op ends */
    bool keep_going;       /* what does not fit is left out */
    bool per_op;           /* keep a state for every operation */
    bool largest_first;    /* arguments are brought in by size, the largest first */
    bool const_eval_first; /* const-eval functions that take nothing but arguments run before anything else */
    uint64_t resident;     /* bytes per bank that are there before anything */
    uint64_t most_ops;     /* of a program; 0: as many as any real one has */
};

/* An operation that ran. */
struct op_state {
    uint32_t program;
    uint32_t op;       /* index of ir.ops; IR_NONE: the arguments of the program */
    uint32_t function; /* index of ir.functions; IR_NONE: an operation on its own */
    uint32_t record;   /* number in its function among ops other than deallocate and get_device, IR_NONE for those */
    uint32_t caller;   /* state of the op that started its function, IR_NONE */
    uint64_t dram_before, dram_after, l1_after, largest_after;
    uint64_t temporaries;
    uint32_t argument; /* IR_NONE, or the argument that was being brought in */
};

/* What ran on its own terms. */
struct replay_program {
    const struct ir *ir;
    uint32_t records; /* operations of the function that ran, without deallocate and get_device */
    uint32_t first_state, end_state;
    uint64_t dram_at_start; /* with its arguments in place */
    uint64_t dram_at_end;   /* with its results */
    bool failed;
    struct memory_failure failure;
    struct memory_peak peaks[POOL_COUNT];
    int64_t margin[POOL_COUNT];
    struct memory_sums end_sums; /* DRAM */
    bool frees_by_last_use;      /* the module holds no deallocate: values go after their last use */
    bool unsized;                /* some tensors have no known size: what they take is left out */
    bool cut;                    /* the text ends early, or there are more operations than a replay follows */
    bool left_out;               /* operations or functions are torn or missing: what they take is left out */
};

/* Whether all of it was followed: only then is it known that it fits. */
static inline bool replay_program_is_whole(const struct replay_program *p) { return !p->cut && !p->unsized && !p->left_out; }

/* An operation that is taken as plain because nothing is known of it, or because its operands are sharded. */
struct plain_op {
    struct slice name;
    uint32_t count;
    bool sharded;
};

/* A map of a tiled reshape as it was made. */
struct map_made {
    uint32_t state;
    uint32_t buffer;
    struct ir_type in, out;
};

struct kept_tensor {
    struct slice name; /* of an argument; empty for a result */
    uint64_t type;     /* identity of what is held */
    uint64_t id;
    uint32_t buffer;
    struct ir_type held;
    bool used; /* by the program that runs */
};

struct const_eval {
    uint64_t key;
    uint32_t first_result, result_count; /* in const_eval_results */
    uint32_t first_input, input_count;   /* in const_eval_inputs */
    bool gone;
};

/* Is told about every operation but deallocate and get_device: before it runs, of the buffers that it takes, and when it and
 * what it called are through. Any may be NULL. */
struct op_watch {
    void *context;
    void (*begins)(void *context, uint32_t state);
    void (*uses)(void *context, uint32_t state, uint32_t buffer);
    void (*ends)(void *context, uint32_t state);
};

struct replay {
    struct predict_device device;
    struct replay_options options;
    struct memory memory;
    struct op_watch op_watch;
    struct reshape_maps maps;  /* by shapes: good for any replay */
    struct reshape_maps *lent; /* of another replay, which outlives this one, used instead; NULL */
    struct map programs;
    uint64_t program_count;
    uint64_t l1_small_tables; /* programs whose tables lie in L1_SMALL, of a size that is not known */
    uint64_t traces;          /* that were captured: their buffers have a size that is not known */
    VEC(struct op_state) states;
    VEC(struct replay_program) runs;
    VEC(struct plain_op) plain;
    VEC(struct slice) estimated_ops; /* names, once each */
    VEC(struct map_made) maps_made;
    VEC(struct kept_tensor) kept;
    VEC(struct const_eval) const_evals;
    VEC(uint32_t) const_eval_results;
    VEC(uint64_t) const_eval_inputs;
    struct ir_odd odd;
    uint64_t next_id;
    uint64_t ops_run;             /* of the program that runs */
    const struct ir *ir;          /* of the program that runs */
    const struct ir_type *taking; /* for whoever watches: what the buffer being taken holds, NULL */
    uint32_t depth;
    bool stopped;
};

void replay_init(struct replay *r, const struct predict_device *device, const struct replay_options *options);
void replay_release(struct replay *r);

/* Runs one program; what the one before left is treated as `between` says. The module must outlive the replay. False: it does
 * not fit. */
bool replay_program(struct replay *r, const struct ir *ir, enum replay_between between);

/* Runs one operation of a module on its own (ir_add_lone_op): its operands are there, its results go when it ends. What is
 * left is what it leaves on the device beside tensors. */
void replay_lone_op(struct replay *r, const struct ir *ir, uint32_t index);

/* Inside the engine. */
struct replay_frame {
    const struct ir_function *function; /* NULL: an operation on its own */
    uint32_t *values;
    uint64_t *ids; /* of arguments; NULL inside calls */
    uint32_t caller;
    enum memory_class class; /* of what its operations make */
};

/* A tensor whose size is not known was left out; so was a function. */
void replay_note_unsized(struct replay *r);
void replay_note_left_out(struct replay *r);

void replay_function(struct replay *r, struct replay_frame *frame, uint32_t *returned);
void replay_call(struct op_run *x, struct replay_frame *frame, uint32_t state);
void replay_load_cached(struct op_run *x, struct replay_frame *frame, uint32_t state);
void replay_trace(struct op_run *x, struct replay_frame *frame, uint32_t state);
void replay_arguments(struct replay *r, const struct ir_function *f, struct replay_frame *frame);
void replay_let_go(struct replay *r, enum replay_between between);
uint32_t replay_take(struct replay *r, const struct ir_type *type, enum memory_class class);

/* Bytes per bank of a tensor on this device; 0 when it takes none. */
uint64_t replay_bytes(const struct replay *r, const struct ir_type *type);

#endif
