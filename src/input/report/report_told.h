/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines generated for the fold by report_json.c. */
#ifndef TTMEM_INPUT_REPORT_TOLD_H
#define TTMEM_INPUT_REPORT_TOLD_H

#include "base/json_read.h"
#include "base/strbuf.h"
#include "parse/memview.h"

/* The state of a pool in a record, in thousandths of a MB; -1: unknown. A pool without `allocated` is unknown. */
struct told_pool {
    int64_t banks, total, allocated, free, largest;
};

struct told_state {
    bool known;
    struct told_pool pools[POOL_COUNT];
};

/* The member "memory" of the record. */
struct told_state told_state_of(struct json_value record);

/* The text of a member, empty if absent or not a text. */
struct slice told_text(struct json_value object, const char *name);
bool told_u64(struct json_value object, const char *name, uint64_t *out);
bool told_milli(struct json_value object, const char *name, int64_t *out); /* figures in MB, as a log prints them */
bool told_true(struct json_value object, const char *name);                /* false if absent */

/* Each appends lines, all preceded by `tag`. */
void told_start(struct strbuf *out, struct slice tag, struct slice program);
void told_finish(struct strbuf *out, struct slice tag, struct slice program);
void told_op(struct strbuf *out, struct slice tag, struct json_value record, const struct json_value *op, struct slice callee);
void told_miss(struct strbuf *out, struct slice tag, struct slice graph); /* of the cache, after its op */
void told_free(struct strbuf *out, struct slice tag, struct slice value);
void told_block(struct strbuf *out, struct slice tag, struct slice op_type, const struct told_state *state);
void told_submit_block(struct strbuf *out, struct slice tag, const struct told_state *state);
void told_module(struct strbuf *out, const char *stage, struct slice text);

#endif
