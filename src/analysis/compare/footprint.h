/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a run that is compared with another one, kept in a history, or judged: pools and their peaks, what was alive
 * at them, the ops in order, what repeated passes leave allocated. Much smaller than the log; made from a run
 * (footprint_of_run), from the files of a report, or from a history.
 *
 * Figures of pools are thousandths of a MB per bank as the runtime prints them, sizes of tensors are bytes. NONE means
 * "unknown" in every 32-bit field. Owns everything it holds; a zeroed struct is empty. */
#ifndef TTMEM_ANALYSIS_FOOTPRINT_H
#define TTMEM_ANALYSIS_FOOTPRINT_H

#include "analysis/failure/outcome.h"
#include "analysis/pass/passes.h"
#include "analysis/run/live.h"
#include "analysis/run/overview.h"
#include "base/num.h"

enum { FOOTPRINT_REACHED = 2 }; /* DRAM and L1 */

/* A tensor type. Texts are string ids. */
struct footprint_type {
    uint32_t shape, dtype, layout, grid; /* dtype: the stored element type */
    uint8_t pool;                        /* POOL_COUNT if it is not on the device */
    uint64_t logical_bytes;              /* of the elements; 0: unknown, or memory in no tensor */
    uint64_t padded_bytes, per_bank_bytes;
};

/* Ops of one text in programs of one name. */
struct footprint_kind {
    uint32_t name, location, program; /* string ids */
    uint32_t type;                    /* of the first result, or NONE */
};

/* One record. */
struct footprint_op {
    uint32_t kind;
    uint32_t reached[FOOTPRINT_REACHED]; /* highest allocated after it, up to the next op of its rank */
    uint32_t held;                       /* ops of its rank until its first result is freed; NONE: never, or it has none */
    uint32_t line;                       /* 0: unknown */
    uint32_t rank;
};

/* A tensor that is alive at the peak of its pool. */
struct footprint_tensor {
    uint32_t op;   /* that made it, NONE: an argument */
    uint32_t kind; /* of that op, or NONE */
    uint32_t name; /* string id: name in the model, %argN, or empty */
    uint32_t program;
    uint32_t type;
    uint16_t result;
    uint8_t class; /* enum live_class */
    uint8_t pool;
};

/* The peak with the highest percentage of its own bank: not the one with the most bytes if ranks or run parts have banks of
 * different sizes. */
struct footprint_share {
    bool seen, at_least;
    uint8_t source;
    uint32_t peak, total;
    uint32_t op, rank; /* the op after which it was seen, or NONE */
};

struct footprint_pool {
    bool seen;
    bool sparse;    /* states are known only around programs, not between all of their ops */
    bool submits;   /* sparse: they are known only around submits; not kept in a history */
    bool gaps;      /* sparse: they are known before ops, but blocks or lines of blocks are missing */
    bool unread;    /* parts of the input that describe it could not be read */
    bool unspread;  /* it is unknown over how many banks buffers are spread */
    bool of_thread; /* only what one thread holds may be counted */
    uint8_t early;  /* enum early_end: how the log of the peak's rank ends before its run does */
    uint8_t source; /* enum peak_source: a peak that was not measured is a lower bound */
    uint32_t banks, total, peak;
    uint64_t peak_bytes; /* the same as `peak`, exact, if the input has it; else 0. Not kept in a history */
    int16_t total_rest, largest_free_rest, gap_rest; /* remainders beyond thousandths of a MB; not kept in a history */
    bool of_meshes;                                  /* the peak is a sum over meshes whose buffers cannot be distinguished */
    uint32_t after_op, before_op;                    /* NONE: from the start, after the last */
    uint32_t rank;
    uint32_t line;
    bool free_seen;
    uint32_t largest_free, largest_free_op; /* smallest size of the largest free block, and the op after which it was seen */
    uint32_t gap, gap_op;                   /* most memory free outside the largest free block */
    uint32_t free_rank, gap_rank;           /* their ranks; NONE: unknown, as in a history */
    struct footprint_share free_share, gap_share; /* both as shares of each one's own bank; not kept in a history */
    uint64_t need;                                /* bytes per bank with the request that ended the run; 0 */
    uint32_t need_op;
    uint32_t need_total;             /* size of its bank; 0: unknown */
    struct footprint_share tightest; /* valid if it differs from the peak */
    bool per_core;                   /* L1 allocated per core: a bank is a core here; not kept in a history */
    bool any_bound;                  /* the peak of some rank is a lower bound; not kept in a history */
    bool bounded;                    /* only a lower bound of the bytes per bank is known for some buffers */
    uint64_t most_peak,
        most_slack; /* bounded: an upper bound of the peak, and how much smaller the largest free block can be; 0: unknown */
    uint64_t least_gap; /* bounded: a lower bound of `gap`, in bytes */
    bool no_classes;    /* the input does not record which buffers are weights, inputs or results of const-eval */
    bool shapeless;     /* nor the shapes of some that are alive at the peak: their padding is not known */
};

static inline int64_t footprint_total_bytes(const struct footprint_pool *pool) {
    return num_milli_mb_to_bytes(pool->total) + pool->total_rest;
}

/* May the peak have been higher, because not every op was measured or not every size is known? */
static inline bool footprint_peak_at_least(const struct footprint_pool *pool) {
    bool of_bounds = pool->bounded && (!pool->most_peak || num_bytes_to_milli_mb(pool->most_peak) > pool->peak);
    return pool->sparse || pool->unread || pool->unspread || pool->of_thread || pool->early || of_bounds ||
           pool->source != PEAK_MEASURED;
}

/* Figures of each rank beside the peaks of its pools: what is alive at them, and what its passes leave allocated. */
enum footprint_figure {
    FIGURE_PADDING_DRAM,
    FIGURE_PADDING_L1,
    FIGURE_WEIGHT,
    FIGURE_CONST_EVAL,
    FIGURE_ACTIVATION,
    FIGURE_INPUT,
    FIGURE_NEVER_FREED,
    FIGURE_COUNT
};

struct footprint_rank_figure {
    bool known;
    int64_t value, whole; /* bytes, and those that a percentage refers to; 0: none */
    uint32_t tensor;      /* index in rank_tensors of the one that has most of it, or NONE; not kept in a history */
};

/* A rank and the peaks of its pools. */
struct footprint_rank {
    uint32_t rank; /* of `ranks` */
    uint8_t seen;  /* bit i for pool i */
    uint8_t bound; /* bit i: the peak of pool i may have been higher; not kept in a history */
    uint32_t peak[POOL_COUNT], total[POOL_COUNT];
    uint32_t after_op;                                  /* of the DRAM peak, or NONE */
    struct footprint_rank_figure figures[FIGURE_COUNT]; /* only with several ranks */
};

/* Repetitions of one program on one rank, by what is allocated in DRAM at their ends. */
struct footprint_program {
    uint32_t name;
    uint32_t passes;
    uint32_t first, second, last;
    struct slope slope; /* bytes per pass; unknown: too few passes, or from a history */
    uint32_t rank;      /* NONE: from a history */
};

/* Results that nothing deallocates, of a program whose passes leave memory behind: possible leaks. Figures are those of the
 * rank that leaves most. */
struct footprint_leak {
    uint32_t kind;
    uint64_t tensors, per_bank_bytes;
    uint32_t rank; /* NONE: from a history */
};

struct footprint_failure {
    uint32_t title; /* string id */
    uint32_t op;    /* or NONE; not kept in a history */
    uint32_t rank;  /* string id of its name, 0: unnamed, or unknown; not kept either */
    uint32_t line;
    enum failure_outcome outcome;
};

/* Memory of the run's processes on the host. */
enum { FOOTPRINT_HOST_PEAK, FOOTPRINT_HOST_END, FOOTPRINT_HOST_GROWTH, FOOTPRINT_HOST_HUGEPAGES, FOOTPRINT_HOST_COUNT };

struct footprint_host_figure {
    bool known;
    int64_t bytes;
    bool has_bounds; /* for a slope: it is between these */
    int64_t low, high;
};

/* The pass of a run that a footprint covers. */
struct footprint_pass {
    uint32_t number, of; /* from 1; 0: the whole run */
    uint32_t program;    /* string id */
    uint32_t first_op, end_op;
    uint32_t start, end; /* DRAM at its start and in the first block after it, thousandths of a MB per bank; or NONE */
};

struct footprint {
    struct strtab strings;
    uint32_t name, chip, source; /* string ids */
    struct hash128 content;      /* hash of the bytes that it was made from */
    VEC(struct footprint_type) types;
    VEC(struct footprint_kind) kinds;
    VEC(struct footprint_op) ops;
    VEC(struct footprint_tensor) tensors; /* by pool, largest per bank first */
    struct footprint_pool pools[POOL_COUNT];
    VEC(struct footprint_program) programs;
    VEC(struct footprint_leak) leaks; /* largest first */
    VEC(struct footprint_failure) failures;
    VEC(uint32_t) ranks;                       /* string ids of their names */
    VEC(struct footprint_rank) rank_peaks;     /* of the ranks that ran something */
    VEC(struct footprint_tensor) rank_tensors; /* referred to by figures of ranks */
    uint32_t only_rank;                        /* the only rank it covers, + 1; 0: all */
    struct footprint_pass pass;
    struct footprint_host_figure host[FOOTPRINT_HOST_COUNT];
    bool has_kept_growth; /* from a history: the growth per pass, without the passes */
    int64_t kept_growth_bytes;
    uint32_t host_peak_op;            /* NONE */
    bool has_l1_program;              /* memory of running programs is known */
    uint64_t l1_program_bytes;        /* the most of it, on the fullest core */
    uint32_t l1_program_op;           /* NONE */
    uint64_t op_count;                /* even if the ops themselves were not kept */
    uint64_t program_runs, main_runs; /* as in the overview */
    bool has_ops;                     /* the ops are included */
    bool has_lifetimes;               /* frees are known, so leaks and `held` are */
    bool has_leaks;                   /* lifetimes are known, and a program ran more than once */
    uint32_t other_fatal;             /* string id: what ended the run, if it is not about memory; 0: nothing */
    uint32_t other_fatal_line;
    bool ends_early;            /* the log ends inside a program */
    bool more_failures;         /* more failures than are kept apart */
    uint64_t failures_left_out; /* messages of those; 0: none, or from a history, which does not keep it */
    bool no_messages;           /* the input does not contain the program's output, so failures are unknown */
    char unread[80];            /* "3 of 8 ranks have no log that can be read"; or empty. Not kept in a history */
    bool partial;               /* a prediction of an incomplete program; not kept in a history */
};

void footprint_of_run(const struct run *run, const struct overview *overview, struct slice name, struct footprint *out);
/* The same for one rank: its own peaks, and what was alive at them. Ops of the others are included but not compared. */
void footprint_of_rank(const struct run *run, const struct overview *overview, uint16_t rank, struct footprint *out);
/* The same for one pass, the one of that number among `passes`: what it found and what it did. Figures of the whole run are
 * unknown for a pass: host memory, growth over passes, other ranks. Ops of other passes are included but not compared. */
void footprint_of_pass(const struct run *run, const struct overview *overview, const struct passes *passes, uint32_t number,
                       struct slice name, struct footprint *out);
void footprint_release(struct footprint *footprint);

static inline struct slice footprint_text(const struct footprint *f, uint32_t id) { return strtab_get(&f->strings, id); }

/* Padding of a tensor of this type, over all banks (tensor_padding_bytes). */
static inline uint64_t footprint_padding(const struct footprint_type *type) {
    return type->logical_bytes && type->padded_bytes > type->logical_bytes ? type->padded_bytes - type->logical_bytes : 0;
}

/* The name of a predicted run ends with this everywhere. */
static inline bool footprint_is_predicted(const struct footprint *f) {
    return slice_ends(footprint_text(f, f->name), SLICE(PREDICTED_ENDING));
}

/* Failures that were not caught, and the first of them. */
size_t footprint_failures(const struct footprint *f, const struct footprint_failure **first);

/* Does the footprint cover the op? Ops of other ranks and passes are included as well. */
static inline bool footprint_has_op(const struct footprint *f, uint32_t op) {
    return !f->pass.number || (op >= f->pass.first_op && op < f->pass.end_op);
}

/* Name and location of an op by number; empty for NONE and if ops were not kept. */
struct slice footprint_op_name(const struct footprint *f, uint32_t op);
struct slice footprint_op_location(const struct footprint *f, uint32_t op);

/* What each further pass leaves, thousandths of a MB per bank (pass_series_growth). False with fewer than two passes. */
bool footprint_growth(const struct footprint_program *program, int64_t *growth);
bool footprint_growth_bytes(const struct footprint_program *program, int64_t *growth);

/* For filling a footprint: the id of an equal kind, or a new one. `known` starts zeroed. */
uint32_t footprint_kind(struct footprint *f, struct map *known, const struct footprint_kind *kind);

/* For filling a footprint: counts a result that was never freed. `known` starts zeroed. Then keeps the rank that leaves most of
 * each kind, and sorts the leaks. */
void footprint_leak(struct footprint *f, struct map *known, uint32_t kind, uint32_t rank, uint64_t per_bank_bytes);
void footprint_sort_leaks(struct footprint *f);

#endif
