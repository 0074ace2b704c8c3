/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/graph.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/try.h"

#define NAME(text) \
    { text, sizeof(text) - 1 }

static const struct {
    struct slice name;
    enum mem_event_kind event;
} kinds[NODE_KINDS] = {
    [NODE_OTHER] = {NAME(""), MEM_NONE},
    [NODE_CAPTURE_START] = {NAME("capture_start"), MEM_NONE},
    [NODE_CAPTURE_END] = {NAME("capture_end"), MEM_NONE},
    [NODE_FUNCTION_START] = {NAME("function_start"), MEM_NONE},
    [NODE_FUNCTION_END] = {NAME("function_end"), MEM_NONE},
    [NODE_TENSOR] = {NAME("tensor"), MEM_NONE},
    [NODE_BUFFER] = {NAME("buffer"), MEM_NONE},
    [NODE_BUFFER_ALLOCATE] = {NAME("buffer_allocate"), MEM_ALLOCATE},
    [NODE_BUFFER_DEALLOCATE] = {NAME("buffer_deallocate"), MEM_FREE},
    [NODE_CIRCULAR_BUFFER] = {NAME("circular_buffer_allocate"), MEM_CIRCULAR_BUFFER},
    [NODE_DATAFLOW_BUFFER] = {NAME("dataflow_buffer_allocate"), MEM_DATAFLOW_BUFFER},
    [NODE_SCRATCHPAD] = {NAME("scratchpad_allocate"), MEM_SCRATCHPAD},
    [NODE_RELEASE_PROGRAM] = {NAME("circular_buffer_deallocate_all"), MEM_RELEASE_PROGRAM},
    [NODE_ERROR] = {NAME("error"), MEM_NONE},
};

static const char *const type_names[MEM_TYPES] = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};

/* A number, or a text that is a number. */
static bool number_of(struct json_value value, uint64_t *out) {
    if (json_u64_of(value, out)) return true;
    struct slice text;
    if (!json_string_of(value, &text)) return false;
    text = slice_trim(text);
    return text.len && num_read_u64(text, out) == text.len;
}

/* "1", "0", "true", "false" in any case, 1, true. */
static bool flag_of(struct json_value value, bool *out) {
    uint64_t number;
    if (json_bool_of(value, out)) return true;
    if (number_of(value, &number)) {
        *out = number != 0;
        return true;
    }
    struct slice text;
    if (!json_string_of(value, &text) || !text.len) return false;
    *out = text.ptr[0] == 't' || text.ptr[0] == 'T';
    return *out || text.ptr[0] == 'f' || text.ptr[0] == 'F';
}

/* 3, "3", "L1_SMALL", "BufferType::L1_SMALL". */
static bool type_of(struct json_value value, enum mem_type *out) {
    uint64_t number;
    if (number_of(value, &number)) {
        *out = (enum mem_type)number;
        return number < MEM_TYPES;
    }
    struct slice text;
    if (!json_string_of(value, &text)) return false;
    size_t colons = slice_find(text, SLICE("::"));
    if (colons != SLICE_NONE) text = slice_skip(text, colons + 2);
    for (unsigned i = 0; i < MEM_TYPES; i++)
        if (slice_equal(text, slice_from(type_names[i]))) {
            *out = (enum mem_type)i;
            return true;
        }
    return false;
}

/* --- parameters, one row each --- */

enum param_kind { PARAM_NUMBER, PARAM_TEXT, PARAM_FLAG, PARAM_TYPE, PARAM_TYPE_TEXT, PARAM_DEVICE, PARAM_CORES, PARAM_LAYOUT };

struct draft {
    struct graph_node node;
    struct mem_event event;
};

#define IN_NODE(field) offsetof(struct draft, node.field)
#define IN_EVENT(field) offsetof(struct draft, event.field)

static const struct {
    struct slice name;
    enum param_kind kind;
    size_t at;
} params[] = {
    {NAME("size"), PARAM_NUMBER, IN_EVENT(size)},
    {NAME("address"), PARAM_NUMBER, IN_EVENT(address)},
    {NAME("page_size"), PARAM_NUMBER, IN_EVENT(page_size)},
    {NAME("num_cores"), PARAM_NUMBER, IN_EVENT(num_cores)},
    {NAME("max_size_per_bank"), PARAM_NUMBER, IN_EVENT(size_per_bank)},
    {NAME("device_id"), PARAM_DEVICE, 0},
    {NAME("type"), PARAM_TYPE_TEXT, 0},
    {NAME("buffer_type"), PARAM_TYPE, 0},
    {NAME("buffer_type_value"), PARAM_TYPE, 0},
    {NAME("globally_allocated"), PARAM_FLAG, 0},
    {NAME("borrows_memory"), PARAM_FLAG, 0},
    {NAME("core_range_set"), PARAM_CORES, 0},
    {NAME("layout"), PARAM_LAYOUT, 0},
    {NAME("device_tensors"), PARAM_TEXT, IN_NODE(device_tensors)},
    {NAME("tensor_id"), PARAM_NUMBER, IN_NODE(tensor_id)},
    {NAME("name"), PARAM_TEXT, IN_NODE(name)},
    {NAME("shape"), PARAM_TEXT, IN_NODE(shape)},
    {NAME("dtype"), PARAM_TEXT, IN_NODE(dtype)},
    {NAME("memory_config"), PARAM_TEXT, IN_NODE(memory_config)},
    {NAME("error_message"), PARAM_TEXT, IN_NODE(error_text)},
};

static void read_number(struct graph_reader *reader, struct draft *draft, size_t at, struct json_value value) {
    uint64_t number;
    bool is_address = at == IN_EVENT(address) || at == IN_NODE(tensor_id);
    if (!number_of(value, &number) || (!is_address && number > MEM_SIZE_MAX)) {
        reader->problems.wrong_values++;
        draft->event.unreadable |= at == IN_EVENT(size) || at == IN_EVENT(size_per_bank) || at == IN_EVENT(address);
        return;
    }
    memcpy((char *)draft + at, &number, sizeof number);
    if (at == IN_NODE(tensor_id)) draft->node.has_tensor_id = true;
}

static bool number_after(struct slice text, struct slice key, uint64_t *out) {
    size_t at = slice_find(text, key);
    if (at == SLICE_NONE) return false;
    struct slice rest = slice_skip(text, at + key.len);
    while (rest.len && (rest.ptr[0] == ' ' || rest.ptr[0] == ':')) rest = slice_skip(rest, 1);
    return num_read_u64(rest, out) > 0;
}

/* [{"address": .., "device_id": chip, "mesh_device_id": mesh}, ..], itself stored as a text. */
bool graph_next_chip(struct slice *rest, uint64_t *chip, uint64_t *mesh) {
    size_t end = slice_find_byte(*rest, '}');
    if (end == SLICE_NONE) return false;
    struct slice object = slice_take(*rest, end);
    *rest = slice_skip(*rest, end + 1);
    return number_after(object, SLICE("\"device_id\""), chip) && number_after(object, SLICE("\"mesh_device_id\""), mesh);
}

static void read_param(struct graph_reader *reader, struct draft *draft, size_t row, struct json_value value) {
    struct graph_node *node = &draft->node;
    struct mem_event *event = &draft->event;
    struct slice text = {0};
    bool is_text = json_string_of(value, &text), good = true;
    switch (params[row].kind) {
        case PARAM_NUMBER:
            read_number(reader, draft, params[row].at, value);
            break;
        case PARAM_TEXT:
            if (is_text) memcpy((char *)draft + params[row].at, &text, sizeof text);
            break;
        case PARAM_FLAG:
            good = flag_of(value, &event->borrowed);
            break;
        case PARAM_TYPE:
            good = node->has_type = type_of(value, &event->type);
            break;
        case PARAM_TYPE_TEXT:
            node->has_type_text = is_text;
            node->is_l1 = is_text && !slice_equal(text, SLICE("DRAM"));
            break;
        case PARAM_DEVICE:
            good = event->has_device = number_of(value, &event->device);
            break;
        case PARAM_CORES:
            node->core_text = text;
            good = is_text && core_ranges_parse(&reader->ranges, text) == CORE_TEXT_OK;
            if (!good) reader->ranges.len = 0;
            break;
        case PARAM_LAYOUT:
            node->layout = text;
            event->sharded = slice_ends(text, SLICE("SHARDED"));
            break;
    }
    reader->problems.wrong_values += !good;
}

static void read_params(struct graph_reader *reader, struct draft *draft, struct json_value object) {
    struct slice name;
    struct json_value value;
    for (struct json_walk walk = json_walk_of(object); json_next(&walk, &name, &value);)
        for (size_t row = 0; row < sizeof params / sizeof *params; row++)
            if (slice_equal(name, params[row].name)) {
                read_param(reader, draft, row, value);
                break;
            }
}

static bool read_numbers(struct graph_reader *reader, struct graph_numbers *out, struct json_value array) {
    out->len = 0;
    struct json_value item;
    uint64_t number;
    for (struct json_walk walk = json_walk_of(array); json_next(&walk, NULL, &item);) {
        if (!number_of(item, &number)) {
            reader->problems.wrong_values++;
            continue;
        }
        if (!vec_try_reserve(out, out->len + 1)) return false;
        out->items[out->len++] = number;
    }
    return true;
}

static bool read_texts(struct graph_texts *out, struct json_value array) {
    out->len = 0;
    struct json_value item;
    for (struct json_walk walk = json_walk_of(array); json_next(&walk, NULL, &item);) {
        if (!vec_try_reserve(out, out->len + 1)) return false;
        out->items[out->len] = slice_of("", 0);
        json_string_of(item, &out->items[out->len++]);
    }
    return true;
}

static enum graph_node_kind kind_of(struct slice name) {
    for (unsigned i = NODE_OTHER + 1; i < NODE_KINDS; i++)
        if (slice_equal(name, kinds[i].name)) return (enum graph_node_kind)i;
    return NODE_OTHER;
}

/* --- one node --- */

static bool read_members(struct graph_reader *reader, struct draft *draft, struct json_value object) {
    struct graph_node *node = &draft->node;
    struct slice name, text;
    struct json_value value;
    bool has_kind = false;
    for (struct json_walk walk = json_walk_of(object); json_next(&walk, &name, &value);) {
        bool room = true;
        if (slice_equal(name, SLICE("node_type"))) {
            has_kind = json_string_of(value, &text);
            if (has_kind) node->kind = kind_of(text);
        } else if (slice_equal(name, SLICE("counter"))) {
            if (!number_of(value, &node->counter)) reader->problems.wrong_values++;
        } else if (slice_equal(name, SLICE("params"))) {
            read_params(reader, draft, value);
        } else if (slice_equal(name, SLICE("connections"))) {
            room = read_numbers(reader, &reader->connections, value);
        } else if (slice_equal(name, SLICE("input_tensors"))) {
            room = read_numbers(reader, &reader->input_tensors, value);
        } else if (slice_equal(name, SLICE("duration_ns"))) {
            if (!number_of(value, &node->duration_ns)) reader->problems.wrong_values++;
        } else if (slice_equal(name, SLICE("arguments"))) {
            room = read_texts(&reader->arguments, value);
        }
        if (!room) reader->no_memory = true;
    }
    return has_kind && !reader->no_memory;
}

static bool is_dram(enum mem_type type) { return type == MEM_DRAM || type == MEM_TRACE; }

static bool remember_buffer(struct graph_reader *reader, const struct draft *draft) {
    const uint32_t *known = idmap_find(&reader->buffer_of, draft->node.counter);
    uint32_t slot = known ? *known : reader->unused_buffer;
    if (!slot) {
        if (!try_reserve_in((void **)&reader->buffers, &reader->buffers_cap, reader->buffers_len + 2, sizeof *reader->buffers))
            return false;
        reader->buffers_len += !reader->buffers_len;
        slot = (uint32_t)reader->buffers_len;
    }
    if (!known && !idmap_set(&reader->buffer_of, draft->node.counter, slot)) return false;
    if (slot == reader->buffers_len) reader->buffers_len++;
    else if (!known) reader->unused_buffer = reader->buffers[slot].next_unused;
    reader->buffers[slot] = (struct graph_seen_buffer){.size = draft->event.size, .is_dram = is_dram(draft->event.type)};
    return true;
}

/* Captures of 2024 reuse a buffer node after its buffer was freed: it is forgotten only after many others. */
static bool note_freed(struct graph_reader *reader, uint64_t counter) {
    if (!reader->freed) reader->freed = malloc(GRAPH_FREED_KEPT * sizeof *reader->freed);
    if (!reader->freed) return false;
    uint64_t *place = &reader->freed[reader->freed_at % GRAPH_FREED_KEPT];
    const uint32_t *oldest = reader->freed_at >= GRAPH_FREED_KEPT ? idmap_find(&reader->buffer_of, *place) : NULL;
    if (oldest && reader->buffers[*oldest].freed) {
        uint32_t slot = *oldest;
        reader->buffers[slot].next_unused = reader->unused_buffer;
        reader->unused_buffer = slot;
        idmap_remove(&reader->buffer_of, *place);
    }
    *place = counter;
    reader->freed_at++;
    return true;
}

/* Fills in what follows from several members. */
static void complete(struct graph_reader *reader, struct draft *draft) {
    struct graph_node *node = &draft->node;
    struct mem_event *event = &draft->event;
    if (node->has_type && !node->has_type_text) node->is_l1 = !is_dram(event->type);
    if (!node->has_type) event->type = node->is_l1 ? MEM_L1 : MEM_DRAM;
    event->kind = kinds[node->kind].event;
    event->ranges = reader->ranges.items;
    event->ranges_len = reader->ranges.len;
    node->type = event->type;
    node->size = event->size;
    node->address = event->address;
    node->connections = reader->connections.items;
    node->connections_len = reader->connections.len;
    node->input_tensors = reader->input_tensors.items;
    node->input_tensors_len = reader->input_tensors.len;
    node->arguments = reader->arguments.items;
    node->arguments_len = reader->arguments.len;
    if (event->kind != MEM_ALLOCATE && event->kind != MEM_FREE) return;
    event->node_size = event->size;
    event->node_is_dram = is_dram(event->type);
    if (!node->connections_len) return;
    event->id = graph_buffer_id(reader, node->connections[0]);
    const uint32_t *found = idmap_find(&reader->buffer_of, node->connections[0]);
    if (!found) return;
    struct graph_seen_buffer *seen = &reader->buffers[*found];
    seen->freed = event->kind == MEM_FREE;
    if (event->kind != MEM_FREE) return;
    event->node_size = seen->size;
    event->node_is_dram = seen->is_dram;
    /* Captures of 2024 write size 0 when a buffer is freed. */
    if (!event->size && event->node_is_dram == is_dram(event->type)) event->size = event->node_size;
    if (!note_freed(reader, node->connections[0])) reader->no_memory = true;
}

/* Never 0, and never an id that a program gives to its own events. */
uint64_t graph_buffer_id(const struct graph_reader *reader, uint64_t counter) {
    return (uint64_t)1 << 63 | reader->capture << 36 | (counter & (((uint64_t)1 << 36) - 1));
}

static void count_unreadable(struct graph_reader *reader, uint64_t offset) {
    if (!reader->problems.unreadable++) reader->problems.first_unreadable = offset;
}

static bool on_node(struct graph_reader *reader, struct json_value value, uint64_t offset) {
    struct draft draft = {.node = {.index = reader->nodes, .counter = reader->nodes, .offset = offset, .json = value}};
    reader->connections.len = reader->input_tensors.len = reader->arguments.len = reader->ranges.len = 0;
    if (!read_members(reader, &draft, value)) {
        if (!reader->no_memory) count_unreadable(reader, offset);
        return !reader->no_memory;
    }
    reader->nodes++;
    reader->problems.unknown_kinds += draft.node.kind == NODE_OTHER;
    reader->problems.out_of_order += draft.node.counter != draft.node.index;
    complete(reader, &draft);
    if (reader->no_memory) return false;
    if (draft.node.kind == NODE_BUFFER && !remember_buffer(reader, &draft)) {
        reader->no_memory = true;
        return false;
    }
    return reader->calls.node(reader->calls.context, &draft.node, draft.event.kind == MEM_NONE ? NULL : &draft.event);
}

/* --- the other parts of a report --- */

static uint64_t member_number(struct json_value object, const char *name) {
    struct json_value value;
    uint64_t number = 0;
    if (!json_member(object, name, &value) || !number_of(value, &number)) return 0;
    return number;
}

static void on_device(struct graph_reader *reader, struct json_value value) {
    if (!reader->calls.device) return;
    struct graph_device device = {
        .id = member_number(value, "device_id"),
        .l1_banks = member_number(value, "l1_num_banks"),
        .l1_bank_bytes = member_number(value, "l1_bank_size"),
        .worker_l1_bytes = member_number(value, "worker_l1_size"),
        .l1_base = member_number(value, "address_at_first_l1_cb_buffer"),
        .dram_channels = member_number(value, "num_dram_channels"),
        .dram_channel_bytes = member_number(value, "dram_size_per_channel"),
        .json = value,
    };
    struct json_value arch;
    if (json_member(value, "arch", &arch)) json_string_of(arch, &device.arch);
    reader->calls.device(reader->calls.context, &device);
}

static void on_metadata(struct graph_reader *reader, struct json_value value) {
    if (!reader->calls.metadata) return;
    struct json_value rank;
    struct graph_metadata metadata = {
        .timestamp_ns = member_number(value, "capture_timestamp_ns"),
        .duration_ns = member_number(value, "total_duration_ns"),
        .rank = member_number(value, "rank"),
        .world_size = member_number(value, "world_size"),
        .has_rank = json_member(value, "rank", &rank),
    };
    reader->calls.metadata(reader->calls.context, &metadata);
}

static bool on_part(void *context, enum graph_part part, struct slice text, uint64_t offset) {
    struct graph_reader *reader = context;
    struct json_value value;
    if (part >= GRAPH_PYTHON_IO) {
        reader->calls.table(reader->calls.context, part, slice_of(reader->scan.name, reader->scan.name_len), text, offset);
        return true;
    }
    if (!json_parse(reader->json, text, &value) || json_kind_of(value) != JSON_OBJECT) {
        reader->no_memory |= json_lacks_memory(reader->json);
        if (!reader->no_memory) count_unreadable(reader, offset);
        return !reader->no_memory;
    }
    if (part == GRAPH_NODE) return on_node(reader, value, offset);
    if (part == GRAPH_DEVICE) on_device(reader, value);
    else on_metadata(reader, value);
    return true;
}

bool graph_reader_init(struct graph_reader *reader, const struct graph_calls *calls) {
    *reader = (struct graph_reader){.calls = *calls, .json = json_reader_new()};
    graph_scan_init(&reader->scan, on_part, reader);
    reader->scan.wants_tables = calls->table != NULL;
    return reader->json != NULL;
}

void graph_reader_release(struct graph_reader *reader) {
    json_reader_free(reader->json);
    graph_scan_release(&reader->scan);
    free(reader->connections.items);
    free(reader->input_tensors.items);
    free(reader->arguments.items);
    core_ranges_release(&reader->ranges);
    idmap_release(&reader->buffer_of);
    free(reader->buffers);
    free(reader->freed);
    *reader = (struct graph_reader){0};
}

bool graph_reader_push(struct graph_reader *reader, struct slice bytes) {
    if (graph_scan_push(&reader->scan, bytes)) return true;
    reader->no_memory |= reader->scan.no_memory;
    return false;
}

enum graph_scan_end graph_reader_finish(struct graph_reader *reader) {
    reader->problems.unreadable += reader->scan.oversized;
    reader->problems.stray_bytes = reader->scan.stray;
    return graph_scan_finish(&reader->scan);
}
