/* SPDX-License-Identifier: Apache-2.0 */
/* Searches ops: by name, place in the model, tensors, program, rank, and by the memory after them. */
#ifndef TTMEM_ANALYSIS_OP_SEARCH_H
#define TTMEM_ANALYSIS_OP_SEARCH_H

#include "base/err.h"
#include "device/tile.h"
#include "model/run.h"

/* NULL and 0 mean any. Texts match anywhere, in any case; shapes and types must equal those of an operand or a result. */
struct op_wish {
    const char *name, *location, *shape, *dtype, *program;
    const bool *located;              /* per distinct op: does its place contain `location`? */
    const struct data_format *format; /* named by dtype, or NULL */
    bool dtype_seen;                  /* the run spells a type this way */
    bool one_rank;
    uint16_t rank; /* of the run */
    bool over;     /* only ops that bring a pool to a limit: its bytes, or its share in thousandths of a percent */
    enum pool over_pool;
    uint64_t over_bytes, over_share;
    uint64_t no_longer_fits; /* only ops after which no free block of DRAM in a bank has this many bytes */
};

/* Ignores case. */
bool op_text_contains(struct slice text, const char *part);

/* Reads "dram=80%" or "l1=900KB". */
int op_wish_over(struct op_wish *wish, const char *text, struct err *err);

/* What is known about memory after a record. Bytes per bank. */
struct op_memory {
    bool known; /* a block of the pool follows */
    bool largest_known;
    int64_t allocated, largest_free, capacity;
    bool delta_known;
    int64_t delta;
};

struct op_memory op_memory_of(const struct run *run, uint32_t record, enum pool pool);

/* One flag per record; the caller frees it. */
bool *op_search(const struct run *run, const struct op_wish *wish);

#endif
