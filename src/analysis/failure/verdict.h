/* SPDX-License-Identifier: Apache-2.0 */
/* What a failure message means: which kind of shortage, by how much, on which chip, and what helps. Pure: a failure in, a
 * verdict out. Texts of the advice live in the caller's arena, everything else is a value or a constant. */
#ifndef TTMEM_ANALYSIS_VERDICT_H
#define TTMEM_ANALYSIS_VERDICT_H

#include "analysis/failure/settings.h"
#include "base/arena.h"
#include "device/chip.h"
#include "parse/failure/failure.h"
#include "parse/around.h"

enum verdict_kind {
    VERDICT_UNKNOWN,            /* no statistics, or they do not explain it, or contradict each other */
    VERDICT_FRAGMENTED,         /* enough free, no block large enough */
    VERDICT_EXHAUSTED,          /* not enough free */
    VERDICT_EXCEEDS_BANK,       /* more than a bank holds, however empty */
    VERDICT_CLASH,              /* circular or dataflow buffers reach into L1 buffers */
    VERDICT_EXCEEDS_L1,         /* circular or dataflow buffers are larger than the L1 of a core */
    VERDICT_TRACE_REGION_SHORT, /* set trace_region_size */
    VERDICT_KERNEL_CONFIG_SHORT,
    VERDICT_BELOW_LIMIT,   /* an interleaved L1 buffer would reach below the lowest address allowed */
    VERDICT_RULE,          /* a circular buffer breaks a rule */
    VERDICT_EXCEEDS_LIMIT, /* something needs more than there is of it: L1 of an op, kernels, fabric, huge pages, KV cache */
    VERDICT_OVERLAP,       /* trace buffers are where a capture or another trace wrote */
    VERDICT_UNSAFE,        /* a trace replay writes over buffers that are alive */
    VERDICT_HOST,          /* the memory of the host, not the device's */
    VERDICT_NOT_MEMORY,
    VERDICT_KINDS,
};

/* A pool according to the memory blocks of the log; per bank, thousandths of a MB. */
struct pool_use {
    bool known;
    uint32_t banks;
    uint64_t size_milli, used_milli; /* used: the most */
    bool has_largest;                /* from the block before the failed op */
    uint64_t largest_milli;
};

/* Per bank, over the tensors alive in the pool concerned. */
struct alive_figures {
    bool known;
    size_t tensors;
    uint64_t bytes;
    uint64_t weight_bytes;                   /* of those that bfloat8_b makes smaller */
    uint64_t weight_saved_bytes;             /* by how much */
    uint64_t cache_bytes, cache_saved_bytes; /* the same for the KV cache */
};

/* What else is known about the moment of the failure, from a log with memory lines. A zeroed struct knows nothing. */
struct failure_context {
    bool has_op;    /* the op that was running on that rank */
    bool has_index; /* it is a record (a deallocate is not) */
    uint64_t op_index;
    struct slice op;           /* "ttnn.concat"; without has_op from the message or its stack */
    struct slice inner;        /* the failed step inside it, from the stack: "binary_ng"; may be empty */
    struct slice asked;        /* tensors of exactly the bytes requested, in words; may be empty */
    struct slice rank;         /* tag of its lines; may be empty */
    const struct slice *ranks; /* all that printed it; NULL if rank_count is 0 */
    size_t rank_count;
    uint32_t rank_index;       /* see run_rank_index; UINT32_MAX: none */
    struct slice test, python; /* the running one; "model.py:12" from its traceback; may be empty */
    enum around_phase phase;
    struct slice shape, layout; /* of its result, in the usual notation; may be empty */
    uint64_t unpadded_bytes;    /* what that result would need without padding, in total; 0: unknown */
    const struct chip *chip;    /* NULL: unknown */
    bool has_product;           /* the log names its product */
    enum product product;
    struct pool_use trace, l1_small, dram; /* from the memory blocks of the log */
    bool trace_per_bank;                   /* the log is older than the change of trace_region_size to a total */
    uint32_t l1_banks;                     /* from the log's own lines; 0: unknown */
    struct alive_figures alive;            /* what was alive when the op began */
    uint64_t bfp8_per_bank;                /* what the requested tensor needs in bfloat8_b; 0: unknown */
};

enum { VERDICT_ADVICE_MAX = 7 };

/* The value of a piece of advice, from the figures of the message and the log. */
enum advice_worth {
    ADVICE_NOT_KNOWN, /* whether it is enough */
    ADVICE_ENOUGH,    /* alone */
    ADVICE_GOAL,      /* the same, but it names the figure to reach, not the way */
    ADVICE_PART,      /* part of the smallest set that is enough */
    ADVICE_SHORT,     /* it gives less than what is missing */
    ADVICE_REMARK,    /* nothing to do */
};

struct verdict {
    enum verdict_kind kind;
    bool has_shortfall, has_overlap;
    uint64_t shortfall_bytes;       /* per bank; of the whole region for trace region and kernel config */
    uint64_t contiguous_bytes;      /* what the largest free block lacks, if known; 0: nothing or unknown */
    uint64_t shortfall_total_bytes; /* of an exhausted pool, in all banks; 0: unknown or does not apply */
    uint64_t overlap_bytes;         /* per core; in DRAM for a trace */
    uint64_t l1_small_size;         /* smallest value that also holds this request, 0: does not apply */
    uint64_t trace_region_size;
    const struct chip *chip;    /* NULL: the message does not imply one */
    struct slice contradiction; /* which figures cannot be true together, a half sentence; empty if they agree */
    struct slice advice[VERDICT_ADVICE_MAX];
    uint8_t worth[VERDICT_ADVICE_MAX]; /* enum advice_worth */
    uint64_t gain[VERDICT_ADVICE_MAX]; /* bytes per bank that it gains by the figures of the log; 0: not counted */
    size_t advice_len;                 /* what is enough comes first */
    size_t sufficient;                 /* index of the first that is enough alone, advice_len if none is */
    unsigned together;       /* bit i for advice i: the smallest set that is enough by the log's figures, if no counted piece is
                                alone; 0: none is known */
    uint64_t gained;         /* what that set, or else all counted advice, gains per bank */
    uint64_t missing;        /* what it must provide; 0: unknown */
    uint64_t missing_in_sum; /* the least that can be enough; 0: nothing, or unknown */
    bool missing_in_one_piece; /* the free memory is in pieces: what becomes free must hold the whole request */
};

const char *verdict_name(enum verdict_kind kind); /* "exceeds_bank" */

/* The verdict without advice. `context` may be NULL. */
void verdict_judge(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *out);

/* The same with advice. */
void verdict_of(const struct failure *f, const struct failure_context *context, struct arena *arena, struct verdict *out);

/* DRAM that a trace region takes from every bank. */
uint64_t verdict_trace_cost_per_bank(uint64_t trace_region_size, unsigned banks);

#endif
