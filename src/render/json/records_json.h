/* SPDX-License-Identifier: Apache-2.0 */
/* <name>_memory.json and <name>_operations.json: one element per record in each, the nth of one belongs to the nth of the
 * other. Written in batches by several threads; op texts that repeat are rendered once. */
#ifndef TTMEM_RENDER_RECORDS_JSON_H
#define TTMEM_RENDER_RECORDS_JSON_H

#include "base/json_write.h"
#include "base/outfile.h"
#include "render/format/output_job.h"

int memory_json(const struct output_job *job, struct outfile *file, struct err *err);
int operations_json(const struct output_job *job, struct outfile *file, struct err *err);

/* The block before the first record of the same rank at or after the block that follows the step; NULL: none follows. */
const struct block *next_record_block(const struct run *run, const struct step *step);

/* Members "const_eval_graph" and "const_eval_cache_miss". */
void json_member_const_eval(struct json *j, const struct run *run, const struct step *step);

#endif
