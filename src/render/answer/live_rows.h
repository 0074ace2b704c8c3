/* SPDX-License-Identifier: Apache-2.0 */
/* A live set as rows of text and as JSON values: sums by class, unattributed memory, the largest tensors. Used by everything
 * that shows live tensors. */
#ifndef TTMEM_RENDER_LIVE_ROWS_H
#define TTMEM_RENDER_LIVE_ROWS_H

#include "analysis/run/live.h"
#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/term.h"

struct live_rows {
    const struct run *run;
    const struct live_set *set;
    bool has_allocated;
    int64_t allocated_milli; /* allocated as measured: thousandths of a MB per bank */
    int64_t allocated_bytes; /* the same, in bytes */
    size_t limit;            /* tensors listed, 0: all */
    const char *unit;        /* "bank", or what pool_unit says; NULL: "bank" */
};

/* "#12 ttnn.add" */
void live_rows_op(struct strbuf *out, const struct term *term, const struct run *run, uint32_t record);

/* Returns how many tensors were left out. */
size_t live_rows_text(struct strbuf *out, const struct term *term, const struct live_rows *rows);

/* Computed and unattributed memory: the end of the sums. */
void live_rows_text_beyond(struct strbuf *out, const struct live_rows *rows);

/* The same members without "tensors" and "left_out". */
void live_rows_json_sums(struct json *j, const struct live_rows *rows);

/* Members "allocated_bytes_per_bank", "attributed_bytes_per_bank", "unattributed_bytes_per_bank", "classes", "sum",
 * "left_behind", "tensors", "left_out". */
void live_rows_json(struct json *j, const struct live_rows *rows);

/* Members "freed_before_op_index", "freed_after_op_index", "is_left_behind", "last_used_op_index"; NULL: no tensor is known. */
void json_member_lifetime(struct json *j, const struct run *run, const struct tensor *tensor, bool left);

/* {"reshape_map": {"count", "bytes_per_bank", "by_rule_bytes_per_bank", "estimated"}, ...}: memory in no tensor
 * (computed.h). The bytes are at most what the tensors leave unexplained; by_rule has those that the rules give. null if
 * every buffer is known, or if nothing says how much is allocated. */
void live_rows_json_computed(struct json *j, const struct live_set *set);

#endif
