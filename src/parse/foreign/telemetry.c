/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/telemetry.h"

enum { SCHEMA = 1, FULL = 10000 };

static bool number_of(struct json_value object, const char *name, uint64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_u64_of(value, out);
}

static void read_used(struct json_value object, struct telemetry_line *out) {
    struct json_value value;
    uint64_t unused;
    int64_t share;
    bool blocks = number_of(object, "num_total_blocks", &out->blocks) && out->blocks && out->blocks < UINT64_MAX / FULL &&
                  number_of(object, "num_free_blocks", &unused) && unused <= out->blocks;
    bool told = json_member(object, "kv_util", &value) && json_milli_of(value, &share) && share >= 0 && share <= 1000;
    out->has_used = blocks || told;
    if (blocks) out->used = (uint32_t)((out->blocks - unused) * FULL / out->blocks);
    else if (told) out->used = (uint32_t)share * (FULL / 1000);
}

static void read_runner(struct json_value object, struct telemetry_line *out) {
    struct json_value value;
    struct slice event;
    out->of_runner = true;
    if (!json_member(object, "event", &value) || !json_string_of(value, &event)) return;
    out->completes = slice_equal(event, SLICE("request_completed"));
    if (!slice_equal(event, SLICE("step"))) return;
    out->has_slots = number_of(object, "slots_total", &out->slots) && out->slots && out->slots < UINT32_MAX &&
                     number_of(object, "slots_occupied", &out->slots_taken) && out->slots_taken <= out->slots;
    if (!number_of(object, "emitted_tokens", &out->tokens) || out->tokens > UINT32_MAX) out->tokens = 0;
}

bool telemetry_line_read(struct json_reader *reader, struct slice text, struct telemetry_line *out) {
    struct json_value object, value;
    struct slice layer;
    uint64_t schema;
    int64_t ms;
    *out = (struct telemetry_line){0};
    if (!json_parse(reader, text, &object) || json_kind_of(object) != JSON_OBJECT) return false;
    if (!number_of(object, "schema", &schema) || schema != SCHEMA) return false;
    if (!json_member(object, "layer", &value) || !json_string_of(value, &layer)) return false;
    bool runner = slice_equal(layer, SLICE("runner"));
    if (!runner && !slice_equal(layer, SLICE("scheduler"))) return false;
    if (!json_member(object, "ts", &value) || !json_milli_of(value, &ms) || ms < 0) return false;
    out->unix_ms = (uint64_t)ms;
    if (runner) {
        read_runner(object, out);
        return true;
    }
    if (!number_of(object, "preempted", &out->preempted) || out->preempted > UINT32_MAX) out->preempted = 0;
    read_used(object, out);
    return true;
}
