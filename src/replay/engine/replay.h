/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program on a simulated device: arguments, ops in order, const-eval functions when they are first needed, calls and
 * traces, and what remains when a program ends. Consecutive programs of one process share the device, the cache of compiled
 * programs and whatever is kept between them.
 *
 * Nothing in a module is fatal: what cannot be followed is counted. */
#ifndef TTMEM_REPLAY_REPLAY_H
#define TTMEM_REPLAY_REPLAY_H

#include "replay/engine/op_run.h"

enum replay_between { BETWEEN_DROP, BETWEEN_KEEP };

struct replay_options {
    bool no_program_cache; /* binaries, maps and tables are freed when their op ends */
    bool keep_going;       /* leave out what does not fit */
    bool per_op;           /* keep a state for every op */
    bool largest_first;    /* bring in arguments by size, largest first */
    bool const_eval_first; /* run const-eval functions that take only arguments before anything else */
    uint64_t resident;     /* bytes per bank that are allocated before anything runs */
    uint64_t most_ops;     /* per program; 0: more than any real one has */
};

/* An op that ran. */
struct op_state {
    uint32_t program;
    uint32_t op;       /* index of ir.ops; IR_NONE: the arguments of the program */
    uint32_t function; /* index of ir.functions; IR_NONE: a single op */
    uint32_t record;   /* number in its function among ops other than deallocate and get_device, IR_NONE for those */
    uint32_t caller;   /* state of the op that started its function, or IR_NONE */
    uint64_t dram_before, dram_after, l1_after, largest_after;
    uint64_t temporaries;
    uint32_t argument; /* the argument that was being brought in, or IR_NONE */
};

/* One program that ran. */
struct replay_program {
    const struct ir *ir;
    uint32_t records; /* ops of the function that ran, without deallocate and get_device */
    uint32_t first_state, end_state;
    uint64_t dram_at_start; /* with its arguments in place */
    uint64_t dram_at_end;   /* with its results */
    bool failed;
    struct memory_failure failure;
    struct memory_peak peaks[POOL_COUNT];
    int64_t margin[POOL_COUNT];
    struct memory_sums end_sums; /* DRAM */
    bool frees_by_last_use;      /* the module has no deallocate: values go after their last use */
    bool unsized;                /* some tensors have no known size and are left out */
    bool cut;                    /* the text ends early, or there are more ops than a replay follows */
    bool left_out;               /* ops or functions are torn or missing, and their memory is left out */
};

/* Was all of it followed? Only then is it known to fit. */
static inline bool replay_program_is_whole(const struct replay_program *p) { return !p->cut && !p->unsized && !p->left_out; }

/* An op that counts as plain because nothing is known about it, or because its operands are sharded. */
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
    uint64_t type;     /* identity of its contents */
    uint64_t id;
    uint32_t buffer;
    struct ir_type held;
    bool used; /* by the running program */
};

struct const_eval {
    uint64_t key;
    uint32_t first_result, result_count; /* in const_eval_results */
    uint32_t first_input, input_count;   /* in const_eval_inputs */
    bool gone;
};

/* Gets every op except deallocate and get_device: before it runs, with the buffers that it takes, and when it and everything
 * it called have ended. Any member may be NULL. */
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
    struct reshape_maps maps;  /* by shapes: valid for any replay */
    struct reshape_maps *lent; /* those of another replay, which outlives this one, used instead; or NULL */
    struct map programs;
    uint64_t program_count;
    uint64_t l1_small_tables; /* programs with tables of unknown size in L1_SMALL */
    uint64_t traces;          /* captured traces, with buffers of unknown size */
    VEC(struct op_state) states;
    VEC(struct replay_program) runs;
    VEC(struct plain_op) plain;
    VEC(struct slice) estimated_ops; /* distinct names */
    VEC(struct map_made) maps_made;
    VEC(struct kept_tensor) kept;
    VEC(struct const_eval) const_evals;
    VEC(uint32_t) const_eval_results;
    VEC(uint64_t) const_eval_inputs;
    struct ir_odd odd;
    uint64_t next_id;
    uint64_t ops_run;             /* of the running program */
    const struct ir *ir;          /* of the running program */
    const struct ir_type *taking; /* for watchers: the contents of the buffer being taken, or NULL */
    uint32_t depth;
    bool stopped;
};

void replay_init(struct replay *r, const struct predict_device *device, const struct replay_options *options);
void replay_release(struct replay *r);

/* Runs one program; what the previous one left is treated according to `between`. The module must outlive the replay. False:
 * it does not fit. */
bool replay_program(struct replay *r, const struct ir *ir, enum replay_between between);

/* Runs one op of a module on its own (ir_add_lone_op): its operands exist, its results go when it ends. What remains is what
 * it leaves on the device beside tensors. */
void replay_lone_op(struct replay *r, const struct ir *ir, uint32_t index);

/* Internal to the engine. */
struct replay_frame {
    const struct ir_function *function; /* NULL: a single op */
    uint32_t *values;
    uint64_t *ids; /* of arguments; NULL inside calls */
    uint32_t caller;
    enum memory_class class; /* of the values that its ops make */
};

/* A tensor of unknown size was left out; so was a function. */
void replay_note_unsized(struct replay *r);
void replay_note_left_out(struct replay *r);

void replay_function(struct replay *r, struct replay_frame *frame, uint32_t *returned);
void replay_call(struct op_run *x, struct replay_frame *frame, uint32_t state);
void replay_load_cached(struct op_run *x, struct replay_frame *frame, uint32_t state);
void replay_trace(struct op_run *x, struct replay_frame *frame, uint32_t state);
void replay_arguments(struct replay *r, const struct ir_function *f, struct replay_frame *frame);
void replay_let_go(struct replay *r, enum replay_between between);
uint32_t replay_take(struct replay *r, const struct ir_type *type, enum memory_class class);

/* Bytes per bank of a tensor on this device; 0 if it takes none. */
uint64_t replay_bytes(const struct replay *r, const struct ir_type *type);

#endif
