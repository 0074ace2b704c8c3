/* SPDX-License-Identifier: Apache-2.0 */
/* A line of scheduler.jsonl, which TT-XLA's plugin for vLLM writes with TTXLA_TELEMETRY=1 (schema 1). Takes any text. */
#ifndef TTMEM_PARSE_TELEMETRY_H
#define TTMEM_PARSE_TELEMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_read.h"

struct telemetry_line {
    uint64_t unix_ms;
    bool has_used;
    uint32_t used;   /* of the KV cache, in parts of 10000 */
    uint64_t blocks; /* of the cache; 0: not told */
    uint64_t preempted;
};

/* False: it is not such a line. */
bool telemetry_line_read(struct json_reader *reader, struct slice text, struct telemetry_line *out);

#endif
