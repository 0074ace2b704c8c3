/* SPDX-License-Identifier: Apache-2.0 */
/* How often each kind of op ran, by the name after the last dot: ttnn.add and ttir.add are one kind. */
#ifndef TTMEM_ANALYSIS_OP_MIX_H
#define TTMEM_ANALYSIS_OP_MIX_H

#include "analysis/run/overview.h"

struct op_kind_count {
    struct slice name; /* in the run's strings */
    uint64_t records;
    uint64_t seen; /* order of appearance */
};

struct op_mix {
    VEC(struct op_kind_count) kinds; /* most frequent first, ties in order of appearance */
};

/* From the counts by full name. */
void op_mix_make(const struct run *run, const struct overview *overview, struct op_mix *out);
void op_mix_release(struct op_mix *mix);

/* "matmul" from "ttnn.matmul". */
struct slice op_short_name(struct slice name);

#endif
