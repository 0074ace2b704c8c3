/* SPDX-License-Identifier: Apache-2.0 */
/* A line of scheduler.jsonl or runner.jsonl, which TT-XLA's plugin for vLLM writes with TTXLA_TELEMETRY=1 (schema 1): the
 * first reports blocks of the KV cache, the second slots of the batch. Accepts any text. */
#ifndef TTMEM_PARSE_TELEMETRY_H
#define TTMEM_PARSE_TELEMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_read.h"

struct telemetry_line {
    uint64_t unix_ms;
    bool has_used;
    uint32_t used;   /* of the KV cache, in parts of 10000 */
    uint64_t blocks; /* of the cache; 0: not recorded */
    uint64_t preempted;
    bool of_runner;
    bool has_slots;
    uint64_t slots, slots_taken; /* of the batch: a request holds one, and with it its part of the cache */
    uint64_t tokens;             /* emitted in the step */
    bool completes;              /* a request completes */
};

/* False: not such a line. */
bool telemetry_line_read(struct json_reader *reader, struct slice text, struct telemetry_line *out);

#endif
