/* SPDX-License-Identifier: Apache-2.0 */
/* The request in words: the tensors of a run or a module whose size is exactly the bytes requested, unpadded or padded to
 * tiles. All that match are named. */
#ifndef TTMEM_ANALYSIS_ASKED_H
#define TTMEM_ANALYSIS_ASKED_H

#include "analysis/failure/explain.h"

/* Fills context.asked of the failures that lack it, from the types in an MLIR module. */
void explain_match_module(struct explain *explain, struct slice module);

/* The same from the op lines of a run, else from the module dumps of its log: "1x32x8x921600 f32, its 8 rows padded to 32: 4 x,
 * result of ttnn.concat". */
void explain_match_run(struct explain *explain, const struct run *run);

#endif
