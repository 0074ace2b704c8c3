/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the log records it. Everything is in columns with ids; only modules and registry point into the bytes of a held
 * log.
 *
 * STEPS are the events in log order: executed ops (deallocate and get_device too), memory blocks without an op line, submit
 * blocks. A RECORD is a step that is an op other than deallocate and get_device, or a block without an op: the nth record is
 * the nth element of the JSON files. A step's BLOCK is the memory state before it; its `after` is the next block of the same
 * rank.
 *
 * A TENSOR is a buffer that ops made or used: alive before the steps s with born <= s < gone. Sizes follow from its type.
 *
 * Filled by run_read; afterwards read-only and safe to read from any thread. */
#ifndef TTMEM_MODEL_RUN_H
#define TTMEM_MODEL_RUN_H

#include "base/table/strtab.h"
#include "device/chip.h"
#include "device/core_range.h"
#include "device/tensor_type.h"
#include "model/argset.h"
#include "model/host_record.h"
#include "model/inspector/facts.h"
#include "model/kv_cache.h"
#include "model/origin.h"
#include "parse/failure/set.h"
#include "parse/memview.h"
#include "parse/module.h"

#define NONE UINT32_MAX

enum op_kind {
    OP_PLAIN,
    OP_DEALLOCATE,
    OP_GET_DEVICE,
    OP_LOAD_CACHED,
    OP_CALL,     /* func.call to a device program */
    OP_CPU_CALL, /* func.call to a function on the host */
    OP_TRACE,    /* capture_or_execute_trace */
};

struct op_ref {
    uint32_t value; /* value_code; 0 for results */
    uint16_t index;
    uint32_t type;
};

/* One distinct op text. */
struct op {
    uint64_t offset; /* where its text first occurs in the log */
    uint32_t length;
    uint32_t text; /* string id if the text is not whole at `offset` (torn or tagged inside); else 0 */
    uint32_t name; /* string ids */
    uint32_t callee;
    uint32_t op_type;   /* from the last block bound to it */
    uint32_t display;   /* location as shown */
    uint32_t ir_line;   /* in the TTNN module of its program; 0: unknown, or it occurs in several */
    uint32_t result;    /* value_code */
    uint32_t first_ref; /* operands, then results */
    uint16_t operand_count, result_count;
    uint8_t kind; /* enum op_kind */
    bool truncated;
    bool frees_first_operand; /* deallocate_activation */
    uint8_t cache_operands;   /* bit i: operand i is a KV cache */
    bool may_return_input;    /* reshape and similar: the result can be a view of operand 0 */
    uint64_t key, place_key;
    struct hash128 hash;
};

enum step_kind { STEP_OP, STEP_BLOCK, STEP_BEFORE_SUBMIT, STEP_AFTER_SUBMIT, STEP_VOID /* a heading without a block */ };
enum {
    STEP_RETAINED = 1,
    STEP_CACHE_HIT = 2,
    STEP_CACHE_MISS = 4,
    STEP_TRACE_HIT = 8,
    STEP_TRACE_MISS = 16,
    STEP_INSIDE = 32,    /* the state inside an op: neither before nor after it */
    STEP_AFTER_LOSS = 64 /* lines of the log are missing between it and its rank's previous step */
};

struct step {
    uint64_t line; /* 1-based */
    uint32_t op;
    uint32_t op_type; /* string id of the block's OpType; the name of a step without an op line */
    uint32_t block;
    uint32_t after;
    uint32_t execution;
    uint32_t record;
    uint32_t arguments; /* argset: arguments of the outermost program that the operands come from */
    uint16_t rank;
    uint8_t kind;
    uint8_t flags;
};

/* When a step began, counted from the start of the run, and how long it took. */
struct step_time {
    uint64_t start_ns, duration_ns;
};

/* One distinct (banks, total) of a pool. */
struct pool_config {
    uint8_t pool;
    int16_t rest; /* remainder of `total` in bytes, see block_bytes.h */
    uint32_t banks;
    uint32_t total;
};

struct block {
    uint64_t line; /* of the heading, or of the first pool if there is none */
    uint32_t step;
    uint8_t have, partial; /* bit i for pool i */
    uint16_t config[POOL_COUNT];
    uint32_t allocated[POOL_COUNT], free[POOL_COUNT], largest[POOL_COUNT]; /* thousandths of a MB per bank */
};

/* Remainders in bytes of a block's thousandths, see block_bytes.h. */
struct block_rest {
    int16_t allocated[POOL_COUNT], free[POOL_COUNT], largest[POOL_COUNT];
};

/* One execution of a program. */
struct execution {
    uint32_t name;
    uint32_t parent;               /* NONE for a top-level one */
    uint32_t top;                  /* the outermost one; itself if top-level */
    uint32_t caller;               /* step of the op that started it */
    uint32_t first_step, end_step; /* [first, end) */
    uint32_t own_ops, own_records;
    uint32_t program;        /* index in run.programs; set for top-level ones */
    uint64_t key, place_key; /* hashes of its own ops: names and results; the same with locations */
    uint64_t text_key;       /* hash of the whole texts of its own ops */
    uint64_t start_line;
    uint16_t rank;
    bool finished, const_eval;
    bool cache_miss; /* the log says so; if a const-eval ran without such a line, it is unknown */
};

/* Equal executions of one compiled graph. */
struct program {
    uint32_t name;
    uint32_t module; /* index in run.modules (TTNN), NONE if no dump fits */
    uint32_t runs;
    uint32_t first_execution;
    uint32_t first_record, last_record; /* NONE if it has none */
    uint32_t records;                   /* including nested programs */
    uint32_t first_entry, entry_count;  /* its arguments in run.registry */
};

enum tensor_class {
    TENSOR_ACTIVATION,
    TENSOR_ARGUMENT, /* of a program; the role says more */
    TENSOR_CONST_EVAL,
    /* only predictions distinguish these */
    TENSOR_WEIGHT,
    TENSOR_INPUT,
    TENSOR_KV_CACHE,
    TENSOR_TEMPORARY,
    TENSOR_RESHAPE_MAP,
    TENSOR_TABLE,
    TENSOR_BINARY,
    TENSOR_CIRCULAR_BUFFER, /* memory of a running program: circular buffers, dataflow buffers, scratchpads */
    TENSOR_CLASS_COUNT
};

struct tensor {
    uint32_t type;
    uint32_t born, gone; /* steps; gone is NONE if it lives to the end */
    uint32_t producer;   /* step; NONE for an argument */
    uint32_t last_use;   /* step of the last op, except deallocate, that used it or a view of it; NONE: none, or unknown */
    uint32_t execution;  /* the top-level one that it belongs to */
    uint32_t argument;   /* argument number, else result number */
    uint32_t arguments;  /* argset that it comes from */
    uint32_t references;
    uint32_t held_as; /* value that held it when its program ended; 0: several, or none */
    uint32_t name;    /* string id if the input names it; empty: its program's argument may have a name */
    uint16_t rank;
    uint8_t class;
    bool kv_cache; /* an op uses it as one */
    bool retained; /* kept by the runtime: const-eval cache, trace */
    bool returned; /* result of a finished program, now held by the host */
    bool bounded;  /* its bytes per bank are a lower bound */
    bool left;     /* nothing frees it and every pass leaves one more (left/left.h): gone is the end of its part of the run */
};

struct text_run {
    uint64_t offset, length;
    bool torn; /* continues without a line break */
};

struct module {
    struct slice stage; /* a literal, or in the strings table */
    uint32_t set;       /* modules of one compilation share a number */
    uint64_t line;      /* of the heading */
    uint16_t rank;
    bool closed;           /* the END line was there */
    struct slice tag;      /* of its writer, or empty */
    uint32_t prefix_parts; /* prefix of its lines beyond MPI's tag and CI timestamps: enum prefix_part */
    struct slice prefix;   /* the same as printed before the heading, if its kind is unknown; else empty */
    struct module_text text;
    VEC(struct text_run) runs;
};

struct registry_entry {
    uint32_t argument;
    uint32_t module; /* whose signature it comes from */
    uint32_t set;
    uint32_t program; /* NONE if the module was never executed */
    uint32_t buffer;  /* entry that represents the same buffer: itself, or one of a graph that got it earlier */
    uint32_t users;   /* number of compiled graphs that get the buffer this entry represents */
    enum argument_role role;
    bool kv_cache;
    struct slice name, shape, local_shape, dtype;
    uint64_t bytes; /* on one device */
    bool bytes_known;
};

/* What came with or after a failure, as far as the text shows. */
enum failure_after {
    AFTER_OPS = 1 << 0,     /* ops or a finished program of the same rank */
    AFTER_FAILURE = 1 << 1, /* another failure */
    AFTER_TEST_PASSED = 1 << 2,
    AFTER_TEST_FAILED = 1 << 3,
    AFTER_EXIT_0 = 1 << 4,
    AFTER_EXIT_FAILED = 1 << 5,
    AFTER_THROWN = 1 << 6,    /* terminate, abort, a traceback */
    AFTER_PRINTED = 1 << 7,   /* the program itself printed it */
    AFTER_UNTOLD = 1 << 8,    /* the input ends before this is known */
    AFTER_LINES = 1 << 9,     /* a traceback, followed by lines that an ending process would not print */
    AFTER_TESTS = 1 << 10,    /* other tests than the one that failed with it */
    AFTER_REOPENED = 1 << 11, /* the device was opened again, by this process or another */
    AFTER_XFAILED = 1 << 12,  /* its test failed as it was expected to */
    AFTER_SKIPPED = 1 << 13,  /* its test was skipped */
    AFTER_KILLED = 1 << 14,   /* the process was killed, which says nothing about the failure */
};

/* Where the failure of the same number in run.failures (run.notes) first occurred, and its context. Names are ids in
 * run.strings, 0 if unknown. */
struct failure_site {
    uint32_t step; /* op that was running on that rank, or NONE */
    uint32_t text; /* string id of its line */
    uint16_t rank;
    uint16_t after;      /* enum failure_after */
    uint8_t phase;       /* enum around_phase, from the stack */
    bool stack_done;     /* the frames of its stack have been read */
    bool op_logged;      /* the op logger named the running op: the stack is inside it */
    bool python_done;    /* its traceback has been read too: later frames belong to exceptions that followed from it */
    uint8_t shape;       /* how its first appearance was printed, for the fold */
    uint32_t op, inner;  /* outermost and innermost op of the stack */
    uint32_t caller;     /* outermost function of the stack that belongs to an op, if no public op is outside it */
    uint32_t runtime_op; /* its runtime type: "ConcatOp" */
    uint32_t op_log;     /* source file of the op that logged last before it */
    uint32_t call;       /* op called in the line of Python that led to it */
    uint32_t test, python;
    uint32_t tag;            /* writer of its line, as printed: a rank if no other line names ranks */
    uint32_t round, process; /* test and process in which it last appeared, for the fold */
    uint64_t last_line, moment, failures_so_far;
};

/* A failure number with SITE_NOTE refers to run.notes. */
enum { SITE_NOTE = 1 << 30, FAILURE_PLACES_MAX = 65536 };

/* One occurrence of a failure in the text. */
struct failure_place {
    uint64_t line;
    uint32_t failure; /* number in run.failures, with SITE_NOTE in run.notes */
    uint32_t tag;     /* its writer, as printed; a string id, 0: unknown */
    uint32_t step;    /* op that was running on its rank, or NONE */
    uint16_t rank;
    bool copy; /* repeats an earlier one: exception text, a test's report or summary */
};

/* A buffer that is alive when a trace is replayed; texts are string ids, 0: not given. */
struct alive_buffer {
    uint64_t id;
    uint32_t failure; /* number in run.failures */
    uint32_t op;      /* the op that made it */
    uint32_t python;  /* the place in Python */
    uint32_t holders; /* paths of the Python tensors that hold it, the first few */
    uint32_t holder_count;
};

enum warning {
    WARN_TRUNCATED_OP,
    WARN_JOINED_OP,
    WARN_PARTIAL_BLOCK,
    WARN_EMPTY_BLOCK,
    WARN_BLOCK_WITHOUT_HEADING,
    WARN_MALFORMED_POOL,
    WARN_OP_WITHOUT_BLOCK,
    WARN_UNFINISHED_PROGRAM,
    WARN_FINISH_WITHOUT_START,
    WARN_UNCLOSED_MODULE,
    WARN_CONFIG_CHANGED,
    WARN_CUT_INPUT,
    WARN_PARTS_UNREAD, /* tables, rows, records in another tool's output */
    WARN_NEWER_SCHEMA, /* in another tool's output */
    WARN_LOST_LINES,   /* places with missing lines: steps with STEP_AFTER_LOSS */
    WARN_DROPPED,      /* messages that a logger says it dropped */
    WARN_PER_CORE_L1,  /* L1 is allocated per core (HYBRID): cores differ, and an address refers to one core */
    WARN_RANK_UNREAD,  /* a rank's log cannot be read, so its contents are not counted */
    WARN_COUNT,
};

extern const char *const warning_names[WARN_COUNT];

/* The address range of a pool, the same in each of its banks. */
struct region {
    uint16_t rank;
    uint8_t pool;
    uint64_t base, bytes;
};

/* Memory of the program running at a step (a state inside an op) on a rectangle of cores. Those of a step do not overlap;
 * one that ends at UINT16_MAX is on every core, at an unknown place. */
struct l1_area {
    uint32_t step;
    uint32_t bytes; /* on each core */
    uint32_t end;   /* highest end address on any core at that step; 0: addresses are not recorded */
    struct core_range cores;
};

/* A device was opened again, by a new process or with another shape: from `step` on, nothing from before exists. */
struct run_part {
    uint32_t step;
    uint16_t rank;
    uint64_t line;
};

struct rank {
    uint32_t name;          /* string id of "1,0"; 0 for lines without a tag */
    uint32_t host, devices; /* string ids of their names; 0: not recorded */
    uint64_t records, blocks;
    uint64_t headings;      /* of memory blocks in its log */
    uint64_t bare_headings; /* at least how many of these have their values elsewhere, because others wrote in between */
    uint64_t backwards; /* ops whose result number had already occurred in their program, so they are from another process */
    uint64_t crossed_submits; /* submits that began inside another one and ended after it, so they are from another process */
    uint64_t failures;        /* memory failures that it reported */
    uint64_t host_peak_bytes; /* of its host processes; 0: not recorded */
};

/* What a report's files leave open if a run was read from them alone. */
enum told_by_files {
    TOLD_BY_FILES = 1,
    TOLD_BEFORE_ONLY = 2, /* no state after ops */
    TOLD_NO_ROLES = 4,    /* no roles of arguments */
    TOLD_NO_COUNTS = 8,   /* no counts of the log's lines and blocks */
    TOLD_WHOLE = 16,      /* the log was not cut; otherwise unknown */
    TOLD_NO_FAILURES = 32 /* the tool that wrote them kept no messages */
};

/* Memory of running programs (circular buffers, dataflow buffers, scratchpads), if the input records it. */
struct program_facts {
    bool told;           /* recorded for at least one op */
    uint32_t step;       /* state inside the op that has most of it, or NONE */
    uint64_t most_bytes; /* of one op on the fullest core */
    uint64_t ops;        /* ops that have some */
    uint64_t unreadable; /* ops whose nodes could not be read */
};

struct run {
    enum run_origin origin;
    struct strtab strings;
    struct arena arena;
    VEC(struct tensor_type) types;
    VEC(struct op) ops;
    VEC(struct op_ref) refs;
    VEC(struct step) steps;
    VEC(struct step_time) times; /* by step; empty if the input does not record it, as in logs */
    VEC(uint32_t) ends;          /* by step: first step after everything inside its op; empty: ops are not nested */
    VEC(struct block) blocks;
    VEC(struct block_rest) rests; /* by block; empty if the input has only thousandths of a MB, as in logs */
    VEC(struct pool_config) configs;
    VEC(struct execution) executions;
    VEC(struct program) programs;
    VEC(struct tensor) tensors;
    VEC(uint64_t) addresses; /* of the tensors; empty if the input does not record them, as in logs */
    VEC(uint32_t)
    moves; /* tensors in the order in which they came (2 * tensor) and went (2 * tensor + 1), finer than steps; empty if the
              input does not record it, as in logs */
    VEC(struct region) regions;
    VEC(struct l1_area) l1_areas; /* in step order; empty if not recorded */
    VEC(struct module) modules;
    VEC(struct registry_entry) registry;
    struct failure_set failures;
    VEC(struct failure_site) failure_sites;
    VEC(struct failure_place) failure_places; /* in text order, up to FAILURE_PLACES_MAX */
    VEC(struct alive_buffer) alive_buffers;
    struct failure_set notes; /* warnings, and fatal errors that are not about memory */
    VEC(struct failure_site) note_sites;
    VEC(struct rank) ranks;
    VEC(struct run_part) parts; /* in order; empty if no device was opened again */
    VEC(uint32_t) records;      /* record -> step */
    struct argsets argsets;
    uint64_t block_count; /* with at least one pool */
    uint64_t op_lines, deallocates, get_devices, lines, bytes;
    uint64_t warnings[WARN_COUNT];
    uint64_t first_warning_line[WARN_COUNT];
    uint32_t first_warning_file[WARN_COUNT]; /* string id: with several files, the one that the line is in; 0 */
    uint32_t file_count;                     /* number of files that form the run; 0: one input */
    uint32_t reading;                        /* string id of the file being read; 0 */
    struct slice text;                       /* what ops and modules point into: the bytes of a held log, else empty */
    struct hash128 content;                  /* hash of the input; zero if not requested */
    uint32_t created;                        /* string id: the first date in the input, empty if none */
    uint64_t estimated_bytes;                /* of a predicted run: the estimated part of DRAM per bank at its peak */
    struct slice mesh;
    const struct chip *chip;        /* guessed, NULL if unknown */
    const struct chip *logged_chip; /* named by the driver, tt-smi or a server; or NULL */
    uint32_t logged_mesh;           /* string id of the shape that a server opened, 0 */
    uint32_t chips_opened;          /* according to the driver: at least those that programs ran on; 0 if unknown */
    bool tests_open;                /* a pytest session began and did not end */
    bool device_assumed;            /* unknown: sizes of pools are those of a likely device */
    uint8_t unread_pools;           /* bit i: not everything about pool i could be read, so its figures are lower bounds */
    uint8_t unspread_pools;         /* bit i: it is unknown over how many banks pool i's buffers are spread, likewise */
    uint8_t one_thread_pools;       /* bit i: only what one thread holds in pool i may be counted, likewise */
    struct memory_geometry geometry;
    uint8_t products;                  /* enum product_seen: which product wrote the log */
    uint8_t told_by_files;             /* enum told_by_files; 0: read from the original input */
    struct program_facts l1;           /* what the input records about memory inside ops */
    struct inspector_facts *inspector; /* for a run from Inspector; or NULL */
    struct host_record *host;          /* memory of its host processes; NULL: not recorded */
    struct kv_cache *kv;               /* how full a server's KV cache was; NULL: not recorded */
};

/* Does every id name an existing text or row? For runs from untrusted files. */
bool run_is_sound(const struct run *run);

/* Identifies the input by its bytes. */
struct hash128 run_content(const struct run *run);

/* The text of an op, empty if it was not kept. */
struct slice run_op_text(const struct run *run, const struct op *op);

void run_warn(struct run *run, enum warning kind, uint64_t line);
void run_release(struct run *run);

static inline struct slice run_string(const struct run *run, uint32_t id) { return strtab_get(&run->strings, id); }

/* The op of a failure according to its context, or empty: the outermost public op of the stack, the op called in a line of
 * Python, its runtime type, the outermost and the innermost function of an op, the op that logged last. */
struct slice run_site_op(const struct run *run, const struct failure_site *site);

/* The step's name: the op, or the OpType of a block without an op line. */
struct slice step_name(const struct run *run, const struct step *step);

/* Outermost execution of a step, NONE outside programs. */
uint32_t step_top(const struct run *run, const struct step *step);

/* The name of the const-eval graph that the step ran in, or empty; *miss: the log reports a cache miss. */
struct slice step_const_eval(const struct run *run, const struct step *step, bool *miss);

/* Does the log have what the runtime prints at level DEBUG: ops, programs, the cache? Without it none of these is known. */
bool run_tells_ops(const struct run *run);

/* Are the records states without known ops: Inspector's buffers without its other entries? */
static inline bool run_is_states(const struct run *run) {
    bool records_states = run->inspector || run->origin == RUN_RECORDING || run->origin == RUN_MEMORY_CSV;
    return records_states && !run->ops.len;
}

/* First step after `step` at which the rank's device was opened again, or NONE. */
uint32_t run_part_end(const struct run *run, uint16_t rank, uint32_t step);

/* Index of a rank among those with a tag, in tag order, where numbers compare as numbers; NONE for lines without a tag. */
uint32_t run_rank_index(const struct run *run, uint16_t rank);

/* Did more than one rank run something? Then figures name their rank. */
bool run_has_ranks(const struct run *run);

/* Number of chips in the mesh of a process; 0 if unknown. */
uint64_t run_mesh_chips(const struct run *run);

/* Number of compiled graphs: modules of one graph share a set. */
uint32_t run_compilations(const struct run *run);

static inline bool registry_is_weight(const struct registry_entry *entry) {
    return entry->role == ROLE_PARAMETER || entry->role == ROLE_CONSTANT;
}

/* The rank whose module it comes from; reports do not record it. */
static inline uint16_t registry_rank(const struct run *run, const struct registry_entry *entry) {
    return entry->module == NONE ? 0 : run->modules.items[entry->module].rank;
}

/* How often the device of the entry's rank had been opened again when its program was compiled and first ran. */
uint32_t registry_part(const struct run *run, const struct registry_entry *entry);

/* Registry entry of a program's argument, or NONE. */
uint32_t program_argument(const struct run *run, uint32_t program, uint32_t argument);

/* Registry entries (parameters and constants) that the step's operands come from; returns the number written. */
size_t step_weights(const struct run *run, const struct step *step, uint32_t *out, size_t room);
bool step_is_weight_op(const struct run *run, const struct step *step);

/* Index in run.programs of the step's outermost program, NONE outside programs. */
uint32_t step_program(const struct run *run, const struct step *step);

static inline const struct pool_config *block_config(const struct run *run, const struct block *block, enum pool pool) {
    return &run->configs.items[block->config[pool]];
}

/* A cut line, or an input without addresses, may lack the free memory and its distribution. */
static inline bool block_free_known(const struct block *block, unsigned pool) {
    return !(block->partial >> pool & 1) || block->free[pool];
}
static inline bool block_largest_known(const struct block *block, unsigned pool) {
    return !(block->partial >> pool & 1) || block->largest[pool];
}

/* Does the block precede an op rather than belong to a submit? A heading without pools is not a block. */
static inline bool block_is_of_op(const struct run *run, const struct block *block) {
    return block->have && run->steps.items[block->step].kind <= STEP_BLOCK;
}

#endif
