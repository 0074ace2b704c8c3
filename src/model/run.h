/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the log records it. Everything is columns with ids; only modules and registry point into the bytes of a held log.
 *
 * STEPS are what happened, in the order of the log: executed ops (deallocate and get_device too), memory blocks without an op
 * line, submit blocks. A RECORD is a step that is an op other than deallocate and get_device, or a block without an op: the
 * nth record is the nth element of the JSON files. A step's BLOCK is the memory state before it; its `after` the next
 * block of the same rank.
 *
 * A TENSOR is a buffer that ops made or took: visible before the steps s with born <= s < gone. Sizes follow from its
 * type.
 *
 * Filled by run_read; read-only afterwards and then safe to read from any thread. */
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
#include "parse/failure_set.h"
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

/* One distinct operation text. */
struct op {
    uint64_t offset; /* of its text in the log, where it was first seen */
    uint32_t length;
    uint32_t text; /* string id, when the text is not found whole at `offset` (torn or tagged inside); else 0 */
    uint32_t name; /* string ids */
    uint32_t callee;
    uint32_t op_type;   /* of the last block that was bound to it */
    uint32_t display;   /* location for people */
    uint32_t ir_line;   /* of the TTNN module of its program; 0: not known, or it stands in several */
    uint32_t result;    /* value_code */
    uint32_t first_ref; /* operands, then results */
    uint16_t operand_count, result_count;
    uint8_t kind; /* enum op_kind */
    bool truncated;
    bool frees_first_operand; /* deallocate_activation */
    uint8_t cache_operands;   /* bit per operand that is a KV cache, from the first */
    bool may_return_input;    /* reshape and the like: the result can be a view of operand 0 */
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
    STEP_INSIDE = 32,    /* the state inside an op: neither before it nor after it */
    STEP_AFTER_LOSS = 64 /* lines of the log are missing between it and the step before it of its rank */
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

/* When a step began and how long it took; the start counts from that of the run. */
struct step_time {
    uint64_t start_ns, duration_ns;
};

/* One distinct (banks, total) of a pool. */
struct pool_config {
    uint8_t pool;
    int16_t rest; /* bytes that `total` leaves, see block_bytes.h */
    uint32_t banks;
    uint32_t total;
};

struct block {
    uint64_t line; /* of the heading, or of the first pool when there is none */
    uint32_t step;
    uint8_t have, partial; /* bit per pool */
    uint16_t config[POOL_COUNT];
    uint32_t allocated[POOL_COUNT], free[POOL_COUNT], largest[POOL_COUNT]; /* thousandths of a MB per bank */
};

/* Bytes that the thousandths of a block leave, see block_bytes.h. */
struct block_rest {
    int16_t allocated[POOL_COUNT], free[POOL_COUNT], largest[POOL_COUNT];
};

/* One execution of a program. */
struct execution {
    uint32_t name;
    uint32_t parent;               /* NONE for a top-level one */
    uint32_t top;                  /* the outermost one; itself when top-level */
    uint32_t caller;               /* step of the op that started it */
    uint32_t first_step, end_step; /* [first, end) */
    uint32_t own_ops, own_records;
    uint32_t program;        /* index of run.programs; set for top-level ones */
    uint64_t key, place_key; /* of its own ops: names and results, and with locations */
    uint64_t text_key;       /* of its own ops: their whole texts */
    uint64_t start_line;
    uint16_t rank;
    bool finished, const_eval;
    bool cache_miss; /* the log says so; of a const-eval that ran and was not said to, nothing is known */
};

/* Equal executions of one compiled graph. */
struct program {
    uint32_t name;
    uint32_t module; /* index of run.modules (TTNN), NONE when no dump fits */
    uint32_t runs;
    uint32_t first_execution;
    uint32_t first_record, last_record; /* NONE when it has none */
    uint32_t records;                   /* with those of nested programs */
    uint32_t first_entry, entry_count;  /* of its arguments in run.registry */
};

enum tensor_class {
    TENSOR_ACTIVATION,
    TENSOR_ARGUMENT, /* of a program: see its role */
    TENSOR_CONST_EVAL,
    /* what only predictions distinguish */
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
    uint32_t born, gone; /* steps; gone is NONE when it was still there at the end */
    uint32_t producer;   /* step; for an argument NONE */
    uint32_t last_use;   /* step of the last op that took it or a view of it, except deallocate; NONE: none, or not known */
    uint32_t execution;  /* top-level one that it belongs to */
    uint32_t argument;   /* number of an argument, else result number */
    uint32_t arguments;  /* argset that it comes from */
    uint32_t references;
    uint32_t held_as; /* value that held it when its program ended; 0: several did, or none */
    uint32_t name;    /* string id, where the input names it; empty: its program's argument may have one */
    uint16_t rank;
    uint8_t class;
    bool kv_cache; /* an op uses it as one */
    bool retained; /* kept by the runtime: const-eval cache, trace */
    bool returned; /* result of a finished program: the host has it */
    bool bounded;  /* its bytes per bank are a lower bound */
    bool left;     /* nothing frees it and every pass leaves one more (left/left.h): gone is the end of its part of the run */
};

struct text_run {
    uint64_t offset, length;
    bool torn; /* continues without a line end */
};

struct module {
    struct slice stage; /* literal or in the strings table */
    uint32_t set;       /* modules of one compilation share a number */
    uint64_t line;      /* of the heading */
    uint16_t rank;
    bool closed;           /* the END line was there */
    struct slice tag;      /* of its writer, empty */
    uint32_t prefix_parts; /* what is before its lines beyond MPI's tag and times of CI: enum prefix_part */
    struct slice prefix;   /* the same as it is before the heading, where its kind is unknown; else empty */
    struct module_text text;
    VEC(struct text_run) runs;
};

struct registry_entry {
    uint32_t argument;
    uint32_t module; /* whose signature it is from */
    uint32_t set;
    uint32_t program; /* NONE when the module was never executed */
    uint32_t buffer;  /* entry that stands for the same buffer: itself, or that of a graph that was handed it before */
    uint32_t users;   /* compiled graphs that are handed the buffer that this entry stands for */
    enum argument_role role;
    bool kv_cache;
    struct slice name, shape, local_shape, dtype;
    uint64_t bytes; /* of one device's part */
    bool bytes_known;
};

/* What came after a failure, or with it, as far as the text shows. */
enum failure_after {
    AFTER_OPS = 1 << 0,     /* ops or a finished program of the same rank */
    AFTER_FAILURE = 1 << 1, /* another failure */
    AFTER_TEST_PASSED = 1 << 2,
    AFTER_TEST_FAILED = 1 << 3,
    AFTER_EXIT_0 = 1 << 4,
    AFTER_EXIT_FAILED = 1 << 5,
    AFTER_THROWN = 1 << 6,    /* terminate, abort, a traceback */
    AFTER_PRINTED = 1 << 7,   /* the program itself printed it */
    AFTER_UNTOLD = 1 << 8,    /* the input ends before it could tell */
    AFTER_LINES = 1 << 9,     /* a traceback, and lines after it that are not of a process that ends */
    AFTER_TESTS = 1 << 10,    /* other tests than the one that failed with it */
    AFTER_REOPENED = 1 << 11, /* the device was opened again, by this process or by another one */
    AFTER_XFAILED = 1 << 12,  /* its test failed as it was expected to */
    AFTER_SKIPPED = 1 << 13,  /* its test was left */
    AFTER_KILLED = 1 << 14,   /* the process was killed, which says nothing about the failure */
};

/* Where the failure of the same number in run.failures (run.notes) was first met, and what is around it. Names are ids of
 * run.strings, 0 where nothing says. */
struct failure_site {
    uint32_t step; /* op that was running on that rank, NONE */
    uint32_t text; /* string id of its line */
    uint16_t rank;
    uint16_t after;      /* enum failure_after */
    uint8_t phase;       /* enum around_phase, by the stack */
    bool stack_done;     /* the frames of its stack were read */
    bool op_logged;      /* the logger for ops told which one was running: the stack is inside of it */
    bool python_done;    /* so were those of its traceback: later ones are of exceptions that followed from it */
    uint8_t shape;       /* how its first appearance was printed, for the fold */
    uint32_t op, inner;  /* outermost and innermost op of the stack */
    uint32_t caller;     /* outermost function of the stack that is of an op, where no op that people call is outside of it */
    uint32_t runtime_op; /* the runtime's type of it: "ConcatOp" */
    uint32_t op_log;     /* source file of the op that logged last before it */
    uint32_t call;       /* op that the line of Python calls which led to it */
    uint32_t test, python;
    uint32_t tag;            /* who wrote its line, as printed: a rank where no other line names ranks */
    uint32_t round, process; /* test and process in which it appeared last, for the fold */
    uint64_t last_line, moment, failures_so_far;
};

/* A number of a failure with SITE_NOTE is one of run.notes. */
enum { SITE_NOTE = 1 << 30, FAILURE_PLACES_MAX = 65536 };

/* One appearance of a failure in the text. */
struct failure_place {
    uint64_t line;
    uint32_t failure; /* number in run.failures, with SITE_NOTE in run.notes */
    uint32_t tag;     /* who wrote it, as printed; a string id, 0: nothing says */
    uint16_t rank;
    bool copy; /* of one before it: the text of the exception, a test's report or summary */
};

/* A buffer that is alive before a trace is replayed; texts are string ids, 0: not told. */
struct alive_buffer {
    uint64_t id;
    uint32_t failure; /* number in run.failures */
    uint32_t op;      /* that made it */
    uint32_t python;  /* where */
    uint32_t holders; /* paths of tensors of Python, the first few */
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
    WARN_PARTS_UNREAD, /* tables, rows, records of what another tool wrote */
    WARN_NEWER_SCHEMA, /* of what another tool wrote */
    WARN_LOST_LINES,   /* places where lines are missing: steps with STEP_AFTER_LOSS */
    WARN_DROPPED,      /* messages that a logger says it dropped */
    WARN_PER_CORE_L1,  /* L1 is allocated core by core (HYBRID): cores differ, and an address means one core */
    WARN_RANK_UNREAD,  /* a log of a rank cannot be read: what it held counts nowhere */
    WARN_COUNT,
};

extern const char *const warning_names[WARN_COUNT];

/* Addresses that a pool hands out, the same in each of its banks. */
struct region {
    uint16_t rank;
    uint8_t pool;
    uint64_t base, bytes;
};

/* Memory of the program that runs at a step (a state inside an op) on a rectangle of cores. Those of a step do not meet; one
 * that ends at UINT16_MAX is that of every core: where it lies is not known. */
struct l1_area {
    uint32_t step;
    uint32_t bytes; /* on each of the cores */
    uint32_t end;   /* address of the end of what lies highest on any core at that step; 0: addresses are not told */
    struct core_range cores;
};

/* A device was opened again, by a new process or with another shape: nothing that was there before is there from `step` on. */
struct run_part {
    uint32_t step;
    uint16_t rank;
    uint64_t line;
};

struct rank {
    uint32_t name;          /* string id of "1,0"; 0 for lines without a tag */
    uint32_t host, devices; /* string ids of what names them; 0: not told */
    uint64_t records, blocks;
    uint64_t headings;        /* of memory blocks in its log */
    uint64_t bare_headings;   /* of them, at least, whose values stand elsewhere: others wrote between them */
    uint64_t backwards;       /* ops whose result number had been before in their program: of another process */
    uint64_t crossed_submits; /* that began inside another one and ended after it: of another process */
    uint64_t failures;        /* of memory that it told about */
    uint64_t host_peak_bytes; /* of its processes on the host; 0: not recorded */
};

/* What the files of a report leave open, where a run was read from them alone. */
enum told_by_files {
    TOLD_BY_FILES = 1,
    TOLD_BEFORE_ONLY = 2, /* no state after ops */
    TOLD_NO_ROLES = 4,    /* of arguments */
    TOLD_NO_COUNTS = 8,   /* of the lines and blocks of the log */
    TOLD_WHOLE = 16,      /* the log was not cut; else it is not known */
    TOLD_NO_FAILURES = 32 /* the tool that wrote them kept no messages */
};

/* Memory of running programs (circular buffers, dataflow buffers, scratchpads), where the input records it. */
struct program_facts {
    bool told;           /* of at least one operation */
    uint32_t step;       /* state inside the operation that has most of it, NONE */
    uint64_t most_bytes; /* on the fullest core, of one operation */
    uint64_t ops;        /* that have some */
    uint64_t unreadable; /* operations whose nodes could not be read */
};

struct run {
    enum run_origin origin;
    struct strtab strings;
    struct arena arena;
    VEC(struct tensor_type) types;
    VEC(struct op) ops;
    VEC(struct op_ref) refs;
    VEC(struct step) steps;
    VEC(struct step_time) times; /* by step; empty where the input does not say: logs */
    VEC(uint32_t) ends;          /* by step: first step after all that ran inside its op; empty: nothing ran inside another */
    VEC(struct block) blocks;
    VEC(struct block_rest) rests; /* by block; empty where the input has only thousandths of a MB: logs */
    VEC(struct pool_config) configs;
    VEC(struct execution) executions;
    VEC(struct program) programs;
    VEC(struct tensor) tensors;
    VEC(uint64_t) addresses; /* of the tensors; empty where the input does not say, as logs do not */
    VEC(uint32_t)
    moves; /* tensors in the order in which they came (2 * tensor) and went (2 * tensor + 1), finer than
            * steps; empty where the input does not say, as logs do not */
    VEC(struct region) regions;
    VEC(struct l1_area) l1_areas; /* in the order of steps; empty where the input does not say */
    VEC(struct module) modules;
    VEC(struct registry_entry) registry;
    struct failure_set failures;
    VEC(struct failure_site) failure_sites;
    VEC(struct failure_place) failure_places; /* in the order of the text, up to FAILURE_PLACES_MAX */
    VEC(struct alive_buffer) alive_buffers;
    struct failure_set notes; /* warnings, and fatal errors that are not about memory */
    VEC(struct failure_site) note_sites;
    VEC(struct rank) ranks;
    VEC(struct run_part) parts; /* in order; empty where no device was opened again */
    VEC(uint32_t) records;      /* record -> step */
    struct argsets argsets;
    uint64_t block_count; /* with at least one pool */
    uint64_t op_lines, deallocates, get_devices, lines, bytes;
    uint64_t warnings[WARN_COUNT];
    uint64_t first_warning_line[WARN_COUNT];
    uint32_t first_warning_file[WARN_COUNT]; /* string id: of several files the one that line is of; 0 */
    uint32_t file_count;                     /* of several files that are one run; 0: one input */
    uint32_t reading;                        /* string id of the file that is being read; 0 */
    struct slice text;                       /* what ops and modules point into: the bytes of a log that stay, else empty */
    struct hash128 content;                  /* of the input; zero when it was not asked for */
    uint32_t created;                        /* string id: the first date in the input, empty when there is none */
    uint64_t estimated_bytes;                /* of a predicted run: per bank, of what DRAM holds at its peak */
    struct slice mesh;
    const struct chip *chip;        /* guessed, NULL when nothing says */
    const struct chip *logged_chip; /* named by the driver, by tt-smi or by a server; NULL */
    uint32_t logged_mesh;           /* string id of the shape that a server opened, 0 */
    uint32_t chips_opened;          /* by the driver: at least those that programs ran on; 0 when nothing says */
    bool tests_open;                /* a pytest session began and did not end */
    bool device_assumed;            /* nothing says, and sizes of pools are those of a likely device */
    uint8_t unread_pools;           /* bit per pool: not everything about it could be read: its figures are lower bounds */
    uint8_t unspread_pools;         /* bit per pool: over how many banks its buffers lie is not known, likewise */
    struct memory_geometry geometry;
    uint8_t products;                  /* enum product_seen: whose log it is */
    uint8_t told_by_files;             /* enum told_by_files; 0: by its input itself */
    struct program_facts l1;           /* what the input records about memory inside ops */
    struct inspector_facts *inspector; /* where the run is of Inspector; NULL */
    struct host_record *host;          /* memory of its processes on the host; NULL: not recorded */
    struct kv_cache *kv;               /* how full the KV cache of a server was; NULL: not told */
};

/* Where every text and row that a number names is there: for runs from files that are not trusted. */
bool run_is_sound(const struct run *run);

/* What identifies the input, by its bytes. */
struct hash128 run_content(const struct run *run);

/* The text of an op, empty when it did not stay. */
struct slice run_op_text(const struct run *run, const struct op *op);

void run_warn(struct run *run, enum warning kind, uint64_t line);
void run_release(struct run *run);

static inline struct slice run_string(const struct run *run, uint32_t id) { return strtab_get(&run->strings, id); }

/* The op of a failure by what is around it, empty: the outermost op of the stack that people call, what a line of Python
 * calls, the runtime's type of it, the outermost and the innermost function of an op, the op that logged last. */
struct slice run_site_op(const struct run *run, const struct failure_site *site);

/* The step's name: the op, or the OpType of a block without an op line. */
struct slice step_name(const struct run *run, const struct step *step);

/* Outermost execution of a step, NONE outside programs. */
uint32_t step_top(const struct run *run, const struct step *step);

/* Name of the const-eval graph that the step ran in, empty when none; *miss tells whether the log says that the cache was
 * missed.
 */
struct slice step_const_eval(const struct run *run, const struct step *step, bool *miss);

/* Whether the log has what the runtime prints at level DEBUG: ops, programs, the cache. Without it none of these is known. */
bool run_tells_ops(const struct run *run);

/* Whether the records are states that no operation is known of: buffers of Inspector without its other entries. */
static inline bool run_is_states(const struct run *run) { return run->inspector && !run->ops.len; }

/* First step after `step` at which the rank's device was opened again, NONE. */
uint32_t run_part_end(const struct run *run, uint16_t rank, uint32_t step);

/* Position of a rank among those that have a tag, in the order of their tags, which compares numbers as numbers; NONE for lines
 * without one. */
uint32_t run_rank_index(const struct run *run, uint16_t rank);

/* Whether more than one rank ran something: then it is said of which one a figure is. */
bool run_has_ranks(const struct run *run);

/* Chips of the mesh that a process drives; 0 when nothing says. */
uint64_t run_mesh_chips(const struct run *run);

/* Number of graphs that were compiled: modules of one share a set. */
uint32_t run_compilations(const struct run *run);

static inline bool registry_is_weight(const struct registry_entry *entry) {
    return entry->role == ROLE_PARAMETER || entry->role == ROLE_CONSTANT;
}

/* The rank whose module it is from; reports do not say. */
static inline uint16_t registry_rank(const struct run *run, const struct registry_entry *entry) {
    return entry->module == NONE ? 0 : run->modules.items[entry->module].rank;
}

/* How often the device of the entry's rank had been opened again when its program was compiled and first ran. */
uint32_t registry_part(const struct run *run, const struct registry_entry *entry);

/* Registry entry of an argument of a program, NONE. */
uint32_t program_argument(const struct run *run, uint32_t program, uint32_t argument);

/* Registry entries (parameters and constants) that the step's operands come from; returns how many were written. */
size_t step_weights(const struct run *run, const struct step *step, uint32_t *out, size_t room);
bool step_is_weight_op(const struct run *run, const struct step *step);

/* Index in run.programs of the step's outermost program, NONE outside programs. */
uint32_t step_program(const struct run *run, const struct step *step);

static inline const struct pool_config *block_config(const struct run *run, const struct block *block, enum pool pool) {
    return &run->configs.items[block->config[pool]];
}

/* A cut line, or an input without addresses, may lack what was free and how it was spread. */
static inline bool block_free_known(const struct block *block, unsigned pool) {
    return !(block->partial >> pool & 1) || block->free[pool];
}
static inline bool block_largest_known(const struct block *block, unsigned pool) {
    return !(block->partial >> pool & 1) || block->largest[pool];
}

/* Whether the block stands before an operation, not around a submit. A heading that no pool followed is not a block. */
static inline bool block_is_of_op(const struct run *run, const struct block *block) {
    return block->have && run->steps.items[block->step].kind <= STEP_BLOCK;
}

#endif
