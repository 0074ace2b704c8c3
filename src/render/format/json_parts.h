/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that several JSON outputs share. */
#ifndef TTMEM_RENDER_JSON_PARTS_H
#define TTMEM_RENDER_JSON_PARTS_H

#include "analysis/run/overview.h"
#include "base/json_write.h"

/* {"DRAM": {"allocated_MB", "capacity_MB", "op_index", "before_op_index", "rank", "line"}, ...} for the pools seen. */
void json_peaks(struct json *j, const struct run *run, const struct peaks *peaks);

/* {"DRAM": {"num_banks", "total_bytes_per_bank_MB"}, ...} as first seen. */
void json_memory_config(struct json *j, const struct run *run);

void json_missing(struct json *j, const struct overview *overview);

/* The tag of a rank, null for lines without one. */
void json_rank(struct json *j, const struct run *run, uint16_t rank);

/* An id, null for NONE. */
void json_index(struct json *j, uint32_t index);
void json_member_index(struct json *j, const char *key, uint32_t index);

/* Text, null when empty. */
void json_member_text_or_null(struct json *j, const char *key, struct slice text);

/* bytes / 1048576 with three decimals. */
void json_member_mb(struct json *j, const char *key, uint64_t bytes);

/* [{"op_index", "op", "per_bank_MB"}, ...]: what is held, by difference. */
void json_holders(struct json *j, const struct run *run, const struct holders *holders);

/* Bytes per bank of live tensors, null when the number of banks is not known. */
void json_member_per_bank(struct json *j, const char *key, const struct live_sum *sum);
void json_member_per_bank_mb(struct json *j, const char *key, const struct live_sum *sum);

/* {"unpadded_bytes", "padded_bytes", "num_tensors", "unpadded_MB", "padded_MB", "overhead_MB", "overhead_pct"} */
void json_padding(struct json *j, const struct live_sum *sum);

#endif
