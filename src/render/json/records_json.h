/* SPDX-License-Identifier: Apache-2.0 */
/* <name>_memory.json and <name>_operations.json: one element per record in each, the nth of one is the nth of the other.
 * Written in batches by several threads; op texts that repeat are rendered once. */
#ifndef TTMEM_RENDER_RECORDS_JSON_H
#define TTMEM_RENDER_RECORDS_JSON_H

#include "base/json_write.h"
#include "base/outfile.h"
#include "render/format/output_job.h"

int memory_json(const struct output_job *job, struct outfile *file, struct err *err);
int operations_json(const struct output_job *job, struct outfile *file, struct err *err);

/* {"operation": ..., "memory": ...}: what the two files hold about one record, as members of an open object. */
void record_json(struct json *j, const struct output_job *job, uint32_t record);

#endif
