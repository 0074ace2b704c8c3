/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/graph_render.h"

#include <stdlib.h>

#include "render/format/json_parts.h"

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

static const char *const pools[MEM_TYPES] = {"dram", "l1", "system_memory", "l1_small", "trace"};

static void device_id(struct json *json, uint64_t id) { json_member_u64_if(json, "device_id", id != USAGE_NO_DEVICE, id); }

static void address_or_null(struct json *json, const char *key, uint64_t address) {
    json_member_u64_if(json, key, address > 0, address);
}

static void lives_json(struct json *json, const char *key, const struct graph_session *session, const graph_lives *lives) {
    json_key(json, key);
    json_array(json);
    for (size_t i = 0; i < lives->len; i++) {
        const struct graph_live *live = &lives->items[i];
        const struct usage_buffer *buffer = &live->buffer;
        bool per_bank = buffer->type == MEM_L1 || buffer->type == MEM_L1_SMALL;
        json_object(json);
        json_member_text(json, "pool", pools[buffer->type]);
        json_member_u64(json, "size_bytes", buffer->size);
        json_member_i64_if(json, "bytes_per_core", per_bank, buffer->counted);
        device_id(json, buffer->device);
        address_or_null(json, "address", buffer->address);
        json_member_text_or_null(json, "function", graph_function_name(session, buffer->segment, live->function));
        json_member_text_or_null(json, "tensor", strtab_get(&session->texts, live->tensor));
        json_member_u64(json, "segment_index", buffer->segment);
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
        json_member_text_or_null(json, "function", name_of(where, row->function));
        device_id(json, row->device);
        json_member_text_or_null(json, "core_ranges", strtab_get(&where->session->texts, row->cores));
        json_member_u64(json, "core_count", row->core_count);
        json_member_u64(json, "buffer_count", row->buffers);
        json_member_u64(json, "borrowed_count", row->borrowed);
        json_member_u64(json, "bytes_per_core", row->bytes);
        address_or_null(json, "region_end", row->region_end);
        json_member_u64_if(json, "lowest_l1_address", row->has_gap, row->lowest_l1);
        json_member_i64_if(json, "gap_bytes", row->has_gap, row->gap);
        json_object_end(json);
    }
    json_array_end(json);
}

void graph_arguments_json(struct json *json, const struct graph_session *session, uint32_t first, uint32_t count) {
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
        json_member_u64(json, "function_id", i);
        json_member_u64_if(json, "parent", function->parent > 0, function->parent);
        json_member_str(json, "name", strtab_get(&where->session->texts, function->name));
        json_member_u64(json, "calls", function->calls);
        json_member_u64_if(json, "duration_ns", function->duration_ns > 0, function->duration_ns);
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
    json_member_u64(json, "intermediate_tensor_count", segment->intermediates);
    json_key(json, "output_tensors");
    json_array(json);
    for (size_t i = 0; i < segment->outputs.len; i++) {
        const struct graph_tensor *tensor = &segment->outputs.items[i];
        json_object(json);
        json_member_text_or_null(json, "shape", strtab_get(&session->texts, tensor->shape));
        json_member_text_or_null(json, "dtype", strtab_get(&session->texts, tensor->dtype));
        json_member_u64_if(json, "tensor_id", tensor->has_id, tensor->id);
        json_member_u64_if(json, "size_bytes", tensor->has_buffer, tensor->buffer_size);
        json_member_text(json, "pool", tensor->has_buffer ? pools[tensor->buffer_type] : NULL);
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
    json_member_text(json, "pool", pools[failure->type]);
    device_id(json, failure->device);
    json_member_text_or_null(json, "function", name_of(where, failed->function));
    json_member_u64(json, "counter", failed->counter);
    json_member_u64(json, "size_bytes", failure->size);
    bool of_program = failure->kind == SIM_BEYOND_L1 || failure->kind == SIM_CLASH;
    json_member_text(json, "program_memory", of_program ? kinds[failure->program] : NULL);
    json_member_u64_if(json, "region_end", of_program, failure->region_end);
    address_or_null(json, "lowest_l1_address", of_program ? failure->lowest_l1 : 0);
    json_member_u64_if(json, "requested_bytes_per_bank", !of_program, failure->size_per_bank);
    json_member_u64_if(json, "free_bytes_per_bank", !of_program, failure->bank.free);
    json_member_u64_if(json, "largest_free_bytes_per_bank", !of_program, failure->bank.largest_free);
    json_member_u64_if(json, "capacity_bytes_per_bank", !of_program, failure->bank.total);
    json_object_end(json);
}

static void simulation_json(struct json *json, const struct where *where, const struct graph_segment *segment,
                            const graph_what_ifs *what_if) {
    json_key(json, "simulation");
    if (!where->session->simulate) {
        json_null(json);
        return;
    }
    json_object(json);
    json_member_text(json, "chip", where->session->simulate->name);
    json_member_bool(json, "fits", !segment->failure_count && !graph_lacks_cores(what_if));
    json_member_u64(json, "failure_count", segment->failure_count);
    json_member_u64(json, "captured_address_count", segment->placed);
    json_member_u64(json, "equal_address_count", segment->placed_alike);
    json_key(json, "failures");
    json_array(json);
    for (size_t i = 0; i < segment->failures.len; i++) failure_json(json, where, &segment->failures.items[i]);
    json_array_end(json);
    json_key(json, "simulated_pools");
    json_array(json);
    for (size_t i = 0; i < segment->banks.len; i++) {
        const struct graph_bank *bank = &segment->banks.items[i];
        json_object(json);
        device_id(json, bank->device);
        json_member_text(json, "pool", pools[bank->type]);
        json_member_u64(json, "capacity_bytes_per_bank", bank->end.total);
        json_member_u64(json, "peak_bytes_per_bank", bank->high_water);
        json_member_u64(json, "allocated_bytes_per_bank", bank->end.allocated);
        json_member_u64(json, "free_bytes_per_bank", bank->end.free);
        json_member_u64(json, "largest_free_bytes_per_bank", bank->end.largest_free);
        json_object_end(json);
    }
    json_array_end(json);
    graph_what_if_json(json, where->session, where->segment + 1 == where->session->segments.len ? what_if : NULL);
    json_object_end(json);
}

static void problems_json(struct json *json, const struct graph_segment *segment) {
    static const char *const ends[] = {
        [GRAPH_WHOLE] = "whole", [GRAPH_CUT] = "cut", [GRAPH_EMPTY] = "empty", [GRAPH_NOT_JSON] = "not_json"};
    const struct graph_problems *problems = &segment->problems;
    json_member_text(json, "ending", ends[segment->end]);
    json_key(json, "problems");
    json_object(json);
    json_member_u64(json, "unreadable_nodes", problems->unreadable);
    json_member_u64_if(json, "first_unreadable_offset", problems->unreadable > 0, problems->first_unreadable);
    json_member_u64(json, "wrong_values", problems->wrong_values);
    json_member_u64(json, "unknown_nodes", problems->unknown_kinds);
    json_member_u64(json, "out_of_order", problems->out_of_order);
    json_member_u64(json, "stray_bytes", problems->stray_bytes);
    json_object_end(json);
}

/* The number of banks of interleaved L1 buffers. Without it, only their bytes over all banks are known. */
static void banks_json(struct json *json, const struct graph_session *session, size_t at) {
    static const char *const from[] = {
        [GRAPH_BANKS_OPTION] = "option", [GRAPH_BANKS_DEVICE] = "device", [GRAPH_BANKS_ADDRESSES] = "addresses"};
    const struct segment *segment = &session->segments.items[at];
    json_member_u64_if(json, "l1_banks", session->usage.interleaved_cores > 0, session->usage.interleaved_cores);
    json_member_bool(json, "l1_per_core", session->per_core);
    if (from[session->banks_from]) json_member_text(json, "l1_banks_from", from[session->banks_from]);
    else json_member_null(json, "l1_banks_from");
    json_member_i64_if(json, "l1_buffer_bytes", segment->l1_whole, segment_l1(segment).peak_buffer);
    int64_t beyond = segment_l1(segment).peak_total - (int64_t)graph_core_bytes(session);
    json_member_i64_if(json, "l1_beyond_core_bytes", !segment->l1_whole && beyond > 0, beyond);
}

void graph_json(struct json *json, const struct graph_session *session, const graph_what_ifs *what_if) {
    uint64_t main_device = segments_main_device(&session->segments);
    for (size_t i = 0; i < session->segments.len; i++) {
        const struct graph_segment *segment = &session->details.items[i];
        const struct where where = {session, i};
        json_object(json);
        segment_json(json, &session->segments.items[i], main_device, name_of, &where);
        banks_json(json, session, i);
        json_member_i64(json, "upstream_legacy_peak_l1_bytes", segment->legacy_peak_l1);
        json_member_text(json, "path", segment->path);
        json_member_u64(json, "node_count", segment->nodes);
        json_member_bool(json, "no_dispatch", segment->no_dispatch);
        json_member_u64_if(json, "duration_ns", segment->duration_ns > 0, segment->duration_ns);
        json_member_null(json, "rank");
        json_member_u64_if(json, "rank_index", segment->has_rank, segment->rank);
        problems_json(json, segment);
        lives_json(json, "alive_at_dram_peak", session, &segment->dram_peak);
        lives_json(json, "alive_at_l1_peak", session, &segment->l1_peak);
        lives_json(json, "alive_at_end", session, &segment->alive);
        circular_json(json, &where, segment);
        functions_json(json, &where, segment);
        tensors_json(json, session, segment);
        simulation_json(json, &where, segment, what_if);
        json_object_end(json);
    }
}

void graph_summary(struct strbuf *out, const struct graph_session *session, bool upstream_rules) {
    struct usage_line *lines = mem_zalloc(session->segments.len + 1, sizeof *lines);
    segments_lines(&session->segments, upstream_rules, lines);
    usage_summary(out, lines, session->segments.len);
    free(lines);
}
