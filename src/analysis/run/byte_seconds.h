/* SPDX-License-Identifier: Apache-2.0 */
/* Memory times time: what the results of an op take of a bank, times how long they exist. A large tensor with a long
 * lifetime is worth freeing earlier or making later, whatever the peak is. */
#ifndef TTMEM_ANALYSIS_BYTE_SECONDS_H
#define TTMEM_ANALYSIS_BYTE_SECONDS_H

#include "model/run.h"

/* Does the input record how long ops took? */
bool has_durations(const struct run *run);

/* Per record, in bytes per bank times milliseconds: from the start of the op until the tensor is freed, or the end of its
 * rank. The caller frees it. */
int64_t *records_byte_seconds(const struct run *run, enum pool pool);

#endif
