/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that several JSON outputs share, so that each thing has one name and one form everywhere (schemas/common.json states
 * them). Unknown values are null, and always present; bytes are integers; pools are dram, l1, l1_small, trace. */
#ifndef TTMEM_RENDER_JSON_PARTS_H
#define TTMEM_RENDER_JSON_PARTS_H

#include "analysis/run/overview.h"
#include "base/json_write.h"

/* An op as far as known: NONE, 0 and empty texts are written as null. */
struct json_op_words {
    uint32_t index;
    struct slice name;
    uint64_t line;
    struct slice location, program, rank;
};

/* {"index", "name", "line", "location", "program", "rank"} */
void json_op_words(struct json *j, const struct json_op_words *op);

/* The same for a record of a run; null for NONE. */
void json_op(struct json *j, const struct run *run, uint32_t record);
void json_member_op(struct json *j, const char *key, const struct run *run, uint32_t record);

/* Members "rank" (its tag) and "rank_index" (its index among those with a tag); both null for lines without a tag. */
void json_member_rank(struct json *j, const struct run *run, uint16_t rank);

/* Only the tag, null for lines without one. */
void json_rank(struct json *j, const struct run *run, uint16_t rank);

/* Was anything of the rank read? Only such ranks are listed. */
bool rank_is_listed(const struct run *run, size_t rank);

/* {"dram": {"allocated_bytes_per_bank", "capacity_bytes_per_bank", "banks", "used_percent", "op", "before_op", "rank",
 * "rank_index", "line", "source", "at_least"}, "l1": ...}; null for pools that were not seen. */
void json_peak(struct json *j, const struct run *run, enum pool pool, const struct peak *peak);
void json_peaks(struct json *j, const struct run *run, const struct peaks *peaks);
void json_all_banks(struct json *j, const struct run *run, const struct peaks *peaks); /* member "all_banks" */

/* {"banks", "capacity_bytes_per_bank"} */
void json_pool_size(struct json *j, const struct pool_config *config);

/* {"dram": {"banks", "capacity_bytes_per_bank"}, ...} as first seen; null for pools that were not seen. */
void json_pools(struct json *j, const struct run *run);

void json_missing(struct json *j, const struct overview *overview);

/* An id, null for NONE. */
void json_index(struct json *j, uint32_t index);
void json_member_index(struct json *j, const char *key, uint32_t index);

/* Text, null if empty. */
void json_member_text_or_null(struct json *j, const char *key, struct slice text);

/* A number, null if unknown. */
void json_member_u64_if(struct json *j, const char *key, bool known, uint64_t value);
void json_member_i64_if(struct json *j, const char *key, bool known, int64_t value);

/* Thousandths of a MB as bytes. */
void json_member_bytes_of_milli(struct json *j, const char *key, int64_t milli);
void json_member_bytes_of_milli_if(struct json *j, const char *key, bool known, int64_t milli);

/* [{"op", "bytes_per_bank"}, ...]: what is held, by difference. */
void json_holders(struct json *j, const struct run *run, const struct holders *holders);

/* Bytes per bank of live tensors, null if the number of banks is unknown. */
void json_member_per_bank(struct json *j, const char *key, const struct live_sum *sum);

/* {"tensor_count", "logical_bytes", "padded_bytes", "padding_bytes", "padding_percent", "bytes_per_bank"} */
void json_sum(struct json *j, const struct live_sum *sum);

/* Member "l1_inside": the most of L1 inside the op and its parts; null if the input does not record it. */
void json_member_l1_inside(struct json *j, const struct run *run, uint32_t record);

#endif
