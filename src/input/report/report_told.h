/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines, written for the fold: what report_json.c tells it. */
#ifndef TTMEM_INPUT_REPORT_TOLD_H
#define TTMEM_INPUT_REPORT_TOLD_H

#include "base/json_read.h"
#include "base/strbuf.h"
#include "parse/memview.h"

/* The state of a pool as a record has it, in thousandths of a MB; -1: not known. A pool without `allocated` is not known. */
struct told_pool {
    int64_t banks, total, allocated, free, largest;
};

struct told_state {
    bool known;
    struct told_pool pools[POOL_COUNT];
};

/* The record's member "memory". */
struct told_state told_state_of(struct json_value record);

/* Text of a member, empty when it is absent or not text. */
struct slice told_text(struct json_value object, const char *name);
bool told_u64(struct json_value object, const char *name, uint64_t *out);
bool told_milli(struct json_value object, const char *name, int64_t *out); /* amounts in MB, as a log prints them */
bool told_true(struct json_value object, const char *name);                /* false when it is absent */

/* Each appends lines; `tag` stands before every one of them. */
void told_start(struct strbuf *out, struct slice tag, struct slice program);
void told_finish(struct strbuf *out, struct slice tag, struct slice program);
void told_op(struct strbuf *out, struct slice tag, struct json_value record, const struct json_value *op, struct slice callee);
void told_miss(struct strbuf *out, struct slice tag, struct slice graph); /* of the cache, after its op */
void told_free(struct strbuf *out, struct slice tag, struct slice value);
void told_block(struct strbuf *out, struct slice tag, struct slice op_type, const struct told_state *state);
void told_submit_block(struct strbuf *out, struct slice tag, const struct told_state *state);
void told_module(struct strbuf *out, const char *stage, struct slice text);

#endif
