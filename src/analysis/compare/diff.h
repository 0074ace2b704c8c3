/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two runs and why. Ops are aligned as sequences (align.h); tensors alive at the peaks of both runs are
 * matched by the op that made them or by name, and every difference of their bytes is charged to one cause. The causes and the
 * rest add up to the difference of the peaks. Borrows both footprints. */
#ifndef TTMEM_ANALYSIS_DIFF_H
#define TTMEM_ANALYSIS_DIFF_H

#include "analysis/compare/footprint.h"

enum diff_cause {
    /* alive at the second peak only */
    CAUSE_NEW,     /* made by an op, or given as an argument, that only the second run has */
    CAUSE_KEPT,    /* both make it; the first frees it before this point */
    CAUSE_POOL_IN, /* the first run has it in another memory */
    /* alive at the first peak only */
    CAUSE_GONE,
    CAUSE_FREED,
    CAUSE_POOL_OUT,
    /* alive at one peak only, but both runs hold it at that point: the peaks are at different points */
    CAUSE_ELSEWHERE,
    /* alive at one peak only, when two passes of one run are compared: an earlier pass made it, and it exists in only one of
     * the two */
    CAUSE_LEFT,
    /* alive at both with another size */
    CAUSE_SHAPE,
    CAUSE_DTYPE,
    CAUSE_LAYOUT,
    CAUSE_GRID,
    CAUSE_PADDING,
    CAUSE_BANKS,
    CAUSE_COUNT,
};

extern const char *const diff_cause_names[CAUSE_COUNT]; /* "new", "kept", ... for JSON */
extern const char *const diff_cause_words[CAUSE_COUNT]; /* for people */

/* A tensor whose bytes at the peak differ. */
struct diff_tensor {
    uint32_t a, b;                 /* of the footprints' tensors, NONE */
    uint32_t other_type;           /* at one peak only: its type in the other run; NONE: unknown, or no op makes it there */
    int64_t bytes;                 /* per bank */
    int64_t by_cause[CAUSE_COUNT]; /* at one peak only: what its size changed, the rest elsewhere */
};

/* One cause within one class of tensors. */
struct diff_part {
    uint8_t class; /* LIVE_CLASS_COUNT: of all classes */
    uint8_t cause;
    uint32_t tensors;
    int64_t bytes; /* per bank */
    uint32_t row;  /* index of the pool's tensor with the most bytes of it */
};

struct diff_pool {
    bool seen;                       /* in both runs */
    int64_t difference;              /* of the peaks, bytes per bank */
    bool exact;                      /* both peaks are known to the byte */
    int64_t rest;                    /* what the parts do not explain */
    bool has_live;                   /* tensors are known at both peaks */
    VEC(struct diff_tensor) tensors; /* largest change first */
    VEC(struct diff_part) parts;     /* largest change first */
    uint64_t logical[2], padding[2]; /* of what is alive at the peaks, all banks */
};

/* Ops of the first run in place of ops of the second: one side may be empty. */
struct diff_hunk {
    uint32_t a, a_end, b, b_end; /* of the sequences */
};

/* Hunks that read the same: "ttnn.linear" -> "ttnn.matmul, ttnn.add", and how often. */
struct diff_rewrite {
    uint32_t hunk; /* index of the first of them */
    uint32_t count;
};

/* Ops of one kind that moved: the first of them, as items of the sequences, and how many. */
struct diff_move {
    uint32_t a, b;
    uint32_t count;
};

/* Matched ops whose result changed its type: equal changes are one entry, with the first op. */
struct diff_retype {
    uint32_t a, b; /* items of a_ops and b_ops */
    uint32_t count;
};

struct diff {
    const struct footprint *a, *b;
    bool has_ops;
    VEC(uint32_t) a_ops, b_ops; /* the sequences that were aligned: ops of one rank each */
    uint32_t a_rank, b_rank;    /* b_rank has the second run's DRAM peak, a_rank is its counterpart */
    VEC(uint32_t) match;        /* per item of a_ops: item of b_ops, or NONE */
    VEC(uint32_t) back;         /* per item of b_ops */
    VEC(struct diff_hunk) hunks;
    VEC(struct diff_rewrite) rewrites; /* most frequent first */
    VEC(struct diff_move) moves;       /* in the order of the second run */
    VEC(struct diff_retype) retypes;   /* in the order of the first run */
    uint64_t matched, added, removed, moved;
    uint64_t unreached[2];    /* ops of the first run that the second did not reach because it ended there; and the reverse */
    uint32_t unreached_at[2]; /* items of a_ops, of b_ops: from here on the other run does not reach them; or NONE */
    uint64_t retyped;         /* matched ops whose result has another type */
    struct diff_pool pools[POOL_COUNT];
};

void diff_make(const struct footprint *a, const struct footprint *b, struct diff *d);
void diff_release(struct diff *diff);

/* Are these the ops that one run did not reach? */
bool diff_hunk_is_unreached(const struct diff *d, const struct diff_hunk *hunk);

/* What a tensor's change is mostly due to; a peak at another point counts only if there is no other cause. */
enum diff_cause diff_main_cause(const struct diff_tensor *row);

/* The rank of `f` that corresponds to a rank of another run: of the same tag, or the only one whose tag ends in the same
 * number ("0", "1,0"); or NONE. */
uint32_t footprint_rank_like(const struct footprint *f, const struct footprint *other, uint32_t rank);

#endif
