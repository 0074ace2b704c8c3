/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/graph_render.h"

#include <stdlib.h>

struct slice graph_function_name(const struct graph_session *session, size_t segment, uint32_t function) {
    if (segment >= session->details.len || function >= session->details.items[segment].functions.len) return slice_of("", 0);
    return strtab_get(&session->texts, session->details.items[segment].functions.items[function].name);
}

struct where {
    const struct graph_session *session;
    size_t segment;
};

static struct slice name_of(const void *context, uint32_t tag) {
    const struct where *where = context;
    return graph_function_name(where->session, where->segment, tag);
}

static const char *const type_names[MEM_TYPES] = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};

static void text_or_null(struct json *json, const char *key, struct slice text) {
    if (text.len) json_member_str(json, key, text);
    else json_member_null(json, key);
}

static void device_id(struct json *json, uint64_t id) {
    if (id == USAGE_NO_DEVICE) json_member_null(json, "device_id");
    else json_member_u64(json, "device_id", id);
}

static void address_or_null(struct json *json, const char *key, uint64_t address) {
    if (address) json_member_u64(json, key, address);
    else json_member_null(json, key);
}

static void lives_json(struct json *json, const char *key, const struct graph_session *session, const graph_lives *lives) {
    json_key(json, key);
    json_array(json);
    for (size_t i = 0; i < lives->len; i++) {
        const struct graph_live *live = &lives->items[i];
        const struct usage_buffer *buffer = &live->buffer;
        bool per_bank = buffer->type == MEM_L1 || buffer->type == MEM_L1_SMALL;
        json_object(json);
        json_member_text(json, "type", type_names[buffer->type]);
        json_member_u64(json, "size_bytes", buffer->size);
        if (per_bank) json_member_i64(json, "per_core_bytes", buffer->counted);
        device_id(json, buffer->device);
        address_or_null(json, "address", buffer->address);
        text_or_null(json, "function", graph_function_name(session, buffer->segment, live->function));
        text_or_null(json, "tensor", strtab_get(&session->texts, live->tensor));
        json_member_u64(json, "segment", buffer->segment);
        json_object_end(json);
    }
    json_array_end(json);
}

static const char *const kinds[] = {
    [MEM_CIRCULAR_BUFFER] = "circular_buffer", [MEM_DATAFLOW_BUFFER] = "dataflow_buffer", [MEM_SCRATCHPAD] = "scratchpad"};

static void circular_json(struct json *json, const struct where *where, const struct graph_segment *segment) {
    json_key(json, "circular_buffers");
    json_array(json);
    for (size_t i = 0; i < segment->circular.len; i++) {
        const struct graph_circular *row = &segment->circular.items[i];
        json_object(json);
        json_member_text(json, "kind", kinds[row->kind]);
        text_or_null(json, "function", name_of(where, row->function));
        device_id(json, row->device);
        text_or_null(json, "core_ranges", strtab_get(&where->session->texts, row->cores));
        json_member_u64(json, "cores", row->core_count);
        json_member_u64(json, "buffers", row->buffers);
        json_member_u64(json, "borrowed", row->borrowed);
        json_member_u64(json, "per_core_bytes", row->bytes);
        address_or_null(json, "region_end", row->region_end);
        if (row->has_gap) {
            json_member_u64(json, "lowest_l1_address", row->lowest_l1);
            json_member_i64(json, "gap_bytes", row->gap);
        } else {
            json_member_null(json, "gap_bytes");
        }
        json_object_end(json);
    }
    json_array_end(json);
}

void graph_arguments_json(struct json *json, const struct graph_session *session, uint32_t first, uint32_t count) {
    if (!count) return;
    json_key(json, "arguments");
    json_array(json);
    for (uint32_t i = 0; i < count; i++) json_str(json, strtab_get(&session->texts, session->argument_ids.items[first + i]));
    json_array_end(json);
}

static void functions_json(struct json *json, const struct where *where, const struct graph_segment *segment) {
    json_key(json, "functions");
    json_array(json);
    for (size_t i = 1; i < segment->functions.len; i++) {
        const struct graph_function *function = &segment->functions.items[i];
        json_object(json);
        json_member_u64(json, "id", i);
        if (function->parent) json_member_u64(json, "parent", function->parent);
        else json_member_null(json, "parent");
        json_member_str(json, "name", strtab_get(&where->session->texts, function->name));
        json_member_u64(json, "calls", function->calls);
        if (function->duration_ns) json_member_u64(json, "duration_ns", function->duration_ns);
        json_member_i64(json, "dram_allocated_bytes", function->dram_allocated);
        json_member_i64(json, "dram_freed_bytes", function->dram_freed);
        json_member_i64(json, "dram_rise_bytes", function->dram_rise);
        json_member_i64(json, "l1_rise_bytes", function->l1_rise);
        json_member_i64(json, "program_peak_bytes", function->program_peak);
        graph_arguments_json(json, where->session, function->arguments, function->arguments_count);
        json_object_end(json);
    }
    json_array_end(json);
}

static void tensors_json(struct json *json, const struct graph_session *session, const struct graph_segment *segment) {
    json_member_u64(json, "intermediate_tensors", segment->intermediates);
    json_key(json, "output_tensors");
    json_array(json);
    for (size_t i = 0; i < segment->outputs.len; i++) {
        const struct graph_tensor *tensor = &segment->outputs.items[i];
        json_object(json);
        text_or_null(json, "shape", strtab_get(&session->texts, tensor->shape));
        text_or_null(json, "dtype", strtab_get(&session->texts, tensor->dtype));
        if (tensor->has_id) json_member_u64(json, "tensor_id", tensor->id);
        if (tensor->has_buffer) {
            json_member_u64(json, "size_bytes", tensor->buffer_size);
            json_member_text(json, "type", type_names[tensor->buffer_type]);
        }
        json_object_end(json);
    }
    json_array_end(json);
}

static const char *const failure_names[] = {[SIM_OUT_OF_MEMORY] = "out_of_memory",
                                            [SIM_FRAGMENTED] = "fragmented",
                                            [SIM_BEYOND_L1] = "beyond_l1",
                                            [SIM_CLASH] = "circular_buffer_clash"};

static void failure_json(struct json *json, const struct where *where, const struct graph_sim_failure *failed) {
    const struct sim_failure *failure = &failed->failure;
    json_object(json);
    json_member_text(json, "kind", failure_names[failure->kind]);
    json_member_text(json, "type", type_names[failure->type]);
    device_id(json, failure->device);
    text_or_null(json, "function", name_of(where, failed->function));
    json_member_u64(json, "counter", failed->counter);
    json_member_u64(json, "size_bytes", failure->size);
    if (failure->kind == SIM_BEYOND_L1 || failure->kind == SIM_CLASH) {
        json_member_text(json, "program_memory", kinds[failure->program]);
        json_member_u64(json, "region_end", failure->region_end);
        address_or_null(json, "lowest_l1_address", failure->lowest_l1);
    } else {
        json_member_u64(json, "per_bank_bytes", failure->size_per_bank);
        json_member_u64(json, "free_per_bank_bytes", failure->bank.free);
        json_member_u64(json, "largest_free_bytes", failure->bank.largest_free);
        json_member_u64(json, "bank_bytes", failure->bank.total);
    }
    json_object_end(json);
}

static void simulation_json(struct json *json, const struct where *where, const struct graph_segment *segment) {
    if (!where->session->simulate) return;
    json_key(json, "simulation");
    json_object(json);
    json_member_text(json, "chip", where->session->simulate->name);
    json_member_bool(json, "fits", !segment->failure_count);
    json_member_u64(json, "failures", segment->failure_count);
    json_key(json, "first_failures");
    json_array(json);
    for (size_t i = 0; i < segment->failures.len; i++) failure_json(json, where, &segment->failures.items[i]);
    json_array_end(json);
    json_key(json, "banks");
    json_array(json);
    for (size_t i = 0; i < segment->banks.len; i++) {
        const struct graph_bank *bank = &segment->banks.items[i];
        json_object(json);
        device_id(json, bank->device);
        json_member_text(json, "type", type_names[bank->type]);
        json_member_u64(json, "total_bytes", bank->end.total);
        json_member_u64(json, "peak_bytes", bank->high_water);
        json_member_u64(json, "allocated_bytes", bank->end.allocated);
        json_member_u64(json, "free_bytes", bank->end.free);
        json_member_u64(json, "largest_free_bytes", bank->end.largest_free);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

static void problems_json(struct json *json, const struct graph_segment *segment) {
    static const char *const ends[] = {
        [GRAPH_WHOLE] = "whole", [GRAPH_CUT] = "cut", [GRAPH_EMPTY] = "empty", [GRAPH_NOT_JSON] = "not_json"};
    const struct graph_problems *problems = &segment->problems;
    json_member_text(json, "end", ends[segment->end]);
    json_key(json, "problems");
    json_object(json);
    json_member_u64(json, "unreadable_nodes", problems->unreadable);
    if (problems->unreadable) json_member_u64(json, "first_unreadable_offset", problems->first_unreadable);
    json_member_u64(json, "wrong_values", problems->wrong_values);
    json_member_u64(json, "unknown_nodes", problems->unknown_kinds);
    json_member_u64(json, "out_of_order", problems->out_of_order);
    json_member_u64(json, "stray_bytes", problems->stray_bytes);
    json_object_end(json);
}

void graph_json(struct json *json, const struct graph_session *session) {
    uint64_t main_device = segments_main_device(&session->segments);
    for (size_t i = 0; i < session->segments.len; i++) {
        const struct graph_segment *segment = &session->details.items[i];
        const struct where where = {session, i};
        json_object(json);
        segment_json(json, &session->segments.items[i], main_device, name_of, &where);
        json_member_i64(json, "upstream_legacy_peak_l1_bytes", segment->legacy_peak_l1);
        json_member_text(json, "path", segment->path);
        json_member_u64(json, "nodes", segment->nodes);
        json_member_bool(json, "no_dispatch", segment->no_dispatch);
        if (segment->duration_ns) json_member_u64(json, "duration_ns", segment->duration_ns);
        if (segment->has_rank) json_member_u64(json, "rank", segment->rank);
        problems_json(json, segment);
        lives_json(json, "alive_at_dram_peak", session, &segment->dram_peak);
        lives_json(json, "alive_at_l1_peak", session, &segment->l1_peak);
        lives_json(json, "alive_at_end", session, &segment->alive);
        circular_json(json, &where, segment);
        functions_json(json, &where, segment);
        tensors_json(json, session, segment);
        simulation_json(json, &where, segment);
        json_object_end(json);
    }
}

void graph_summary(struct strbuf *out, const struct graph_session *session, bool upstream_rules) {
    struct usage_line *lines = mem_zalloc(session->segments.len + 1, sizeof *lines);
    segments_lines(&session->segments, upstream_rules, lines);
    usage_summary(out, lines, session->segments.len);
    free(lines);
}
