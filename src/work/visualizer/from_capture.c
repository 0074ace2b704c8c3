/* SPDX-License-Identifier: Apache-2.0 */
/* A graph capture or report by the rules of ttnn's own importer: ops are the outermost functions, wrappers of conversion and
 * deallocation are transparent, and a buffer that is freed outside any function is its own op. The capture is read twice and
 * never held; memory grows with its tensors, not with its buffers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "input/graph_run.h"
#include "input/ttnn/graph_index.h"
#include "input/ttnn/graph_map.h"
#include "parse/ttnn_words.h"
#include "work/visualizer/json_copy.h"
#include "work/visualizer/op_graph.h"
#include "work/visualizer/page_chunks.h"
#include "work/visualizer/visualizer_export.h"

enum { DEVICES = 256, DEVICE_FIGURES = 18 };

struct live {
    uint64_t device, address, name, bank_bytes; /* name: for a buffer whose free does not give its address */
    int64_t type, layout;
};

struct open_function {
    uint64_t counter;
    bool nested;
    size_t first, count; /* in `taken`: what it takes */
};

struct imported_capture {
    struct visualizer *v;
    const struct visualizer_wish *wish;
    const struct graph_file *file;
    struct graph_index index;
    struct graph_map map;
    struct sim_map memory; /* of the chip */
    struct json_reader *json, *pages_json;
    uint64_t devices[DEVICES]; /* ids in the capture, in order: they are numbered from 0 */
    size_t device_count;
    struct graph_device reported[DEVICES];
    int64_t figures[DEVICES][DEVICE_FIGURES]; /* of its row */
    int64_t rank, operation;                  /* id of the next one */
    VEC(struct open_function) frames;
    VEC(struct live) alive;
    uint64_t depth; /* functions that are operations and have not ended */
    bool computed;  /* an op other than loading was seen */
    /* the running op */
    struct strbuf name;
    struct op_graph graph;
    VEC(uint64_t) taken, made, inner; /* tensor ids: of nested functions; inner: made and not taken by the same function */
    VEC(uint64_t) made_nodes;         /* counters of those that were made */
    const struct python_io_record *io;
    uint64_t start;
    VEC(uint64_t) inputs; /* counters of its own */
};

static int64_t device_number(const struct imported_capture *c, uint64_t id) {
    for (size_t i = 0; i < c->device_count; i++)
        if (c->devices[i] == id) return (int64_t)i;
    return (int64_t)id;
}

static bool in_range(const struct imported_capture *c, int64_t operation) {
    return !c->wish->has_range || ((uint64_t)operation >= c->wish->first && (uint64_t)operation <= c->wish->last);
}

static int64_t member_i64(struct json_value object, const char *name) {
    struct json_value value;
    int64_t number = 0;
    if (json_member(object, name, &value)) json_i64_of(value, &number);
    return number;
}

/* --- first pass --- */

static bool first_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct imported_capture *c = context;
    graph_index_node(&c->index, node);
    if (event) graph_map_event(&c->map, event);
    return true;
}

static void first_device(void *context, const struct graph_device *device) {
    struct imported_capture *c = context;
    size_t at = 0;
    graph_map_device(&c->map, device);
    if (c->device_count == DEVICES) return;
    while (at < c->device_count && c->devices[at] < device->id) at++;
    if (at < c->device_count && c->devices[at] == device->id) return;
    for (size_t i = c->device_count; i > at; i--) {
        c->devices[i] = c->devices[i - 1];
        c->reported[i] = c->reported[i - 1];
        memcpy(c->figures[i], c->figures[i - 1], sizeof c->figures[i]);
    }
    c->devices[at] = device->id;
    c->reported[at] = *device;
    for (size_t i = 0; i < DEVICE_FIGURES; i++)
        c->figures[at][i] = member_i64(device->json, visualizer_tables[VIS_DEVICES].columns[i]);
    c->device_count++;
}

static void first_metadata(void *context, const struct graph_metadata *metadata) {
    ((struct imported_capture *)context)->index.metadata = *metadata;
}

static void first_table(void *context, enum graph_part part, struct slice name, struct slice text, uint64_t offset) {
    graph_index_table(&((struct imported_capture *)context)->index, part, name, text, offset);
}

/* --- nodes of an op --- */

static void add_node(struct imported_capture *c, uint64_t counter) {
    const struct graph_index_entry *place = graph_index_place(&c->index, counter);
    struct json_value node;
    if (!place) return;
    struct slice text = graph_file_part(c->file, place->offset, place->length); /* up to the next node */
    while (text.len && text.ptr[text.len - 1] != '}') text.len--;
    if (json_parse(c->pages_json, text, &node)) op_graph_add(&c->graph, node);
}

/* Tensors that it made come after its nodes, even those that are among them. */
static void add_results(struct imported_capture *c, const uint64_t *counters, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (graph_index_tensor(&c->index, counters[i])) add_node(c, counters[i]);
}

/* Python may have kept the nodes itself. */
static bool told_nodes(struct imported_capture *c, int64_t operation) {
    struct json_value record, list, node;
    if (!c->io || !c->io->text.len || !json_parse(c->json, c->io->text, &record)) return false;
    if (!json_member(record, "captured_graph", &list)) return false;
    op_graph_clear(&c->graph);
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &node);) op_graph_add(&c->graph, node);
    if (!c->graph.nodes.len) return false;
    op_graph_write_as_is(&c->graph, c->v, operation, c->rank);
    return true;
}

/* --- what an op takes and makes --- */

static bool has(const uint64_t *ids, size_t count, uint64_t id) {
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id) return true;
    return false;
}

static void add_use(struct imported_capture *c, enum visualizer_table table, int64_t operation, uint64_t *ids, size_t *count,
                    uint64_t id) {
    if (has(ids, *count, id)) return;
    visualizer_row(c->v, table, "iiii", operation, (int64_t)*count, (int64_t)id, c->rank);
    ids[(*count)++] = id;
}

/* From Python if it recorded this; true: it did. */
static bool told_uses(struct imported_capture *c, enum visualizer_table table, int64_t operation, struct json_value record,
                      const char *member) {
    struct json_value list, item;
    uint64_t ids[1024], id;
    size_t count = 0;
    if (!json_member(record, member, &list)) return false;
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &item) && count < 1024;) {
        struct slice text;
        if (json_u64_of(item, &id) || (json_string_of(item, &text) && num_read_u64(text, &id) == text.len))
            add_use(c, table, operation, ids, &count, id);
    }
    return count > 0;
}

static size_t own_uses(struct imported_capture *c, enum visualizer_table table, int64_t operation, const uint64_t *counters,
                       size_t n) {
    uint64_t ids[1024];
    size_t count = 0;
    for (size_t i = 0; i < n && count < 1024; i++) {
        const struct graph_index_tensor *t = graph_index_tensor(&c->index, counters[i]);
        if (t) add_use(c, table, operation, ids, &count, t->id);
    }
    return count;
}

static void lifted_uses(struct imported_capture *c, enum visualizer_table table, int64_t operation, bool inputs) {
    uint64_t ids[1024];
    size_t count = 0, n = inputs ? c->taken.len : c->made.len;
    for (size_t i = 0; i < n && count < 1024; i++) {
        uint64_t id = inputs ? c->taken.items[i] : c->made.items[i];
        bool inside = has(c->inner.items, c->inner.len, id);
        if (inputs ? inside : inside && has(c->taken.items, c->taken.len, id)) continue;
        size_t before = count;
        add_use(c, table, operation, ids, &count, id);
        if (!inputs && count > before) add_node(c, c->made_nodes.items[i]);
    }
}

static bool told_by_python(struct imported_capture *c, int64_t operation, bool inputs) {
    struct json_value record, list, item;
    if (!c->io || !c->io->text.len || !json_parse(c->json, c->io->text, &record)) return false;
    if (!inputs) return told_uses(c, VIS_OUTPUT_TENSORS, operation, record, "output_tensor_ids");
    struct slice name, text;
    if (json_member(record, "arguments", &list))
        for (struct json_walk walk = json_walk_of(list); json_next(&walk, &name, &item);) {
            struct strbuf value = {0};
            struct json j = {.out = &value};
            if (!json_string_of(item, &text)) json_copy(&j, item), text = strbuf_slice(&value);
            visualizer_row(c->v, VIS_OPERATION_ARGUMENTS, "issi", operation, name, text, c->rank);
            strbuf_release(&value);
        }
    struct strbuf stack = {0};
    if (json_member(record, "python_stack_trace", &list))
        for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &item);) {
            if (stack.len) strbuf_addc(&stack, '\n');
            if (json_string_of(item, &text)) strbuf_add(&stack, text);
        }
    int64_t file = source_files_id(c->wish->files, c->v, strbuf_slice(&stack));
    if (stack.len)
        visualizer_row(c->v, VIS_STACK_TRACES, "isoi", operation, strbuf_slice(&stack), (int)(file > 0), file, c->rank);
    strbuf_release(&stack);
    return told_uses(c, VIS_INPUT_TENSORS, operation, record, "input_tensor_ids");
}

/* --- buffers --- */

/* --- pages of a buffer, joined by core --- */

static void add_page(page_chunks *out, const struct imported_capture *c, struct json_value page) {
    page_chunks_add(out, (struct page_chunk){.device = device_number(c, (uint64_t)member_i64(page, "device_id")),
                                             .bank = member_i64(page, "bank_id"),
                                             .x = member_i64(page, "core_x"),
                                             .y = member_i64(page, "core_y"),
                                             .type = member_i64(page, "buffer_type"),
                                             .start = member_i64(page, "page_address"),
                                             .page = member_i64(page, "page_size")});
}

/* Of the allocations at that address, the last before the op ended. */
static bool pages_then(struct json_value snapshots, uint64_t ended, struct json_value *pages) {
    struct json_value item, list;
    int64_t best = -1;
    bool found = false;
    for (struct json_walk walk = json_walk_of(snapshots); json_next(&walk, NULL, &item);) {
        if (!json_member(item, "pages", &list)) {
            *pages = snapshots; /* an older report: the pages themselves */
            return true;
        }
        int64_t at = member_i64(item, "alloc_counter");
        if (found && (at > (int64_t)ended || at < best)) continue;
        best = at;
        *pages = list;
        found = true;
    }
    return found;
}

static void write_chunks(struct imported_capture *c, int64_t operation, int64_t address, uint64_t ended) {
    const uint32_t *at = idmap_find(&c->index.pages_of, (uint64_t)address);
    const struct graph_index_entry *entry = at ? &c->index.pages.items[*at] : NULL;
    struct json_value snapshots, pages, page;
    page_chunks all = {0};
    if (!entry || !json_parse(c->pages_json, graph_file_part(c->file, entry->offset, entry->length), &snapshots)) return;
    if (pages_then(snapshots, ended, &pages))
        for (struct json_walk walk = json_walk_of(pages); json_next(&walk, NULL, &page);) add_page(&all, c, page);
    for (size_t i = 0; i < all.len; i++) {
        const struct page_chunk *k = &all.items[i];
        visualizer_row(c->v, VIS_BUFFER_CHUNKS, "iiiiiiiiiiii", operation, k->device, address, k->bank, k->x, k->y, k->start,
                       k->end - k->start, k->page, k->count, k->type, c->rank);
    }
    vec_release(&all);
}

static void write_buffers(struct imported_capture *c, int64_t operation, uint64_t function, uint64_t ended) {
    const struct graph_index_entry *entry = graph_index_after(&c->index, function);
    struct json_value list, item;
    if (c->wish->no_addresses) return;
    if (entry && json_parse(c->json, graph_file_part(c->file, entry->offset, entry->length), &list)) {
        for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &item);) {
            int64_t address = member_i64(item, "address");
            visualizer_row(c->v, VIS_BUFFERS, "iiiiiii", operation, device_number(c, (uint64_t)member_i64(item, "device_id")),
                           address, member_i64(item, "max_size_per_bank"), member_i64(item, "buffer_type"),
                           member_i64(item, "buffer_layout"), c->rank);
            write_chunks(c, operation, address, ended);
        }
        graph_file_part_end(c->file, entry->offset, entry->length);
        return;
    }
    for (size_t i = 0; i < c->alive.len; i++) {
        const struct live *b = &c->alive.items[i];
        visualizer_row(c->v, VIS_BUFFERS, "iiiiiii", operation, device_number(c, b->device), (int64_t)b->address,
                       (int64_t)b->bank_bytes, b->type, b->layout, c->rank);
    }
}

/* The memory of the event's device. */
static struct sim_map memory_of(const struct imported_capture *c, const struct mem_event *event) {
    struct sim_map memory = c->memory;
    int64_t at = device_number(c, event->device);
    if (at < 0 || (size_t)at >= c->device_count) return memory;
    const struct graph_device *device = &c->reported[at];
    if (device->dram_channels && device->dram_channels < UINT16_MAX) memory.dram_banks = (unsigned)device->dram_channels;
    if (device->l1_banks && device->l1_banks < UINT16_MAX) memory.l1_banks = (unsigned)device->l1_banks;
    return memory;
}

static bool is_of(const struct live *b, const struct mem_event *event) {
    if (b->device != event->device || b->type != (int64_t)event->type) return false;
    return event->address ? b->address == event->address : event->id && b->name == event->id;
}

static void free_live(struct imported_capture *c, const struct mem_event *event) {
    for (size_t i = c->alive.len; i-- > 0;) {
        if (!is_of(&c->alive.items[i], event)) continue;
        c->alive.items[i] = vec_last(&c->alive);
        c->alive.len--;
    }
}

/* The bytes of a bank rest on a number of banks that the capture does not give. */
static bool is_assumed(const struct imported_capture *c, const struct mem_event *event) {
    if (event->size_per_bank || event->num_cores) return false;
    if (event->type == MEM_DRAM || event->type == MEM_TRACE) return !c->map.reported.dram_channels;
    return event->sharded || !graph_map_spreads(&c->map);
}

static void take_live(struct imported_capture *c, const struct graph_node *node, const struct mem_event *event) {
    static const int64_t numbers[] = {0, 2, 3, 4, 5};
    const struct mem_event paged = graph_map_paged(&c->map, event);
    const struct sim_map memory = memory_of(c, event);
    uint64_t bytes = sim_size_per_bank(&memory, &paged);
    bool dram = event->type == MEM_DRAM || event->type == MEM_TRACE;
    bool shown = !c->wish->no_addresses && !c->index.after.len; /* otherwise a report lists what is there */
    unsigned layout = ttnn_memory_layout(node->layout);
    free_live(c, event);
    if (!event->address || graph_map_is_nowhere(&c->map, event) || bytes > (dram ? memory.dram_end : memory.l1_end)) {
        c->v->unplaced += shown;
        return;
    }
    c->v->assumed += shown && is_assumed(c, event);
    vec_push(&c->alive, ((struct live){event->device, event->address, event->id, bytes, (int64_t)event->type,
                                       numbers[layout < 5 ? layout : 0]}));
}

/* --- ops --- */

static bool is_wrapper(struct slice name) {
    static const char *const prefixes[] = {"ttnn::convert_python_tensor_to_tt_tensor",
                                           "tt::tt_metal::detail::convert_tt_tensor_to_framework_tensor",
                                           "Tensor::deallocate",
                                           "Tensor::to_device",
                                           "Tensor::reshape",
                                           "tt::tt_metal::to_dtype"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (slice_starts(name, slice_from(prefixes[i]))) return true;
    return false;
}

static void begin_operation(struct imported_capture *c, const struct graph_node *node) {
    c->depth++;
    c->start = node->counter;
    strbuf_clear(&c->name);
    strbuf_add(&c->name, node->name.len ? node->name : SLICE("unknown"));
    op_graph_clear(&c->graph);
    vec_clear(&c->taken);
    vec_clear(&c->made);
    vec_clear(&c->made_nodes);
    vec_clear(&c->inner);
    vec_clear(&c->inputs);
    for (size_t i = 0; i < node->input_tensors_len; i++) vec_push(&c->inputs, node->input_tensors[i]);
    if (!in_range(c, c->operation)) return;
    visualizer_row(c->v, VIS_NODES, "iiisi", c->operation, (int64_t)node->counter, c->operation, strbuf_slice(&c->name),
                   c->rank);
    if (c->io) return;
    for (size_t i = 0; i < node->arguments_len; i++) {
        char name[32];
        snprintf(name, sizeof name, "arg_%zu", i);
        visualizer_row(c->v, VIS_OPERATION_ARGUMENTS, "issi", c->operation, slice_from(name), node->arguments[i], c->rank);
    }
}

static void start_function(struct imported_capture *c, const struct graph_node *node) {
    bool loading = slice_equal(node->name, SLICE("ttnn.from_torch"));
    bool wrapper = is_wrapper(node->name) || (loading && !c->computed);
    const struct python_io_record *io = python_io_take(&c->index.io, node->name);
    if (!wrapper && !c->depth && !loading) c->computed = true;
    bool nested = c->depth || wrapper;
    vec_push(&c->frames, ((struct open_function){.counter = node->counter, .nested = nested}));
    if (nested) return;
    c->io = io;
    begin_operation(c, node);
}

/* A tensor that a function makes and does not take is internal to the op, unless nothing inside takes it. */
static void end_nested(struct imported_capture *c, const struct graph_node *node, const struct open_function *frame) {
    for (size_t i = 0; i < node->connections_len; i++) {
        const struct graph_index_tensor *t = graph_index_tensor(&c->index, node->connections[i]);
        if (!t) continue;
        vec_push(&c->made, t->id);
        vec_push(&c->made_nodes, node->connections[i]);
        bool in_place = frame->first + frame->count <= c->taken.len && has(c->taken.items + frame->first, frame->count, t->id);
        if (!in_place) vec_push(&c->inner, t->id);
    }
}

static void end_operation(struct imported_capture *c, const struct graph_node *node) {
    int64_t operation = c->operation++;
    if (!in_range(c, operation)) return;
    visualizer_row(c->v, VIS_OPERATIONS, "isdi", operation, strbuf_slice(&c->name), (double)node->duration_ns / 1e9, c->rank);
    if (!told_by_python(c, operation, true) && !own_uses(c, VIS_INPUT_TENSORS, operation, c->inputs.items, c->inputs.len))
        lifted_uses(c, VIS_INPUT_TENSORS, operation, true);
    if (!told_by_python(c, operation, false)) {
        if (own_uses(c, VIS_OUTPUT_TENSORS, operation, node->connections, node->connections_len))
            add_results(c, node->connections, node->connections_len);
        else lifted_uses(c, VIS_OUTPUT_TENSORS, operation, false);
    }
    if (!told_nodes(c, operation)) op_graph_write(&c->graph, c->v, operation, c->rank);
    write_buffers(c, operation, c->start, node->counter);
}

static void end_function(struct imported_capture *c, const struct graph_node *node) {
    if (!c->frames.len) return;
    struct open_function frame = c->frames.items[--c->frames.len];
    if (frame.nested) {
        end_nested(c, node, &frame);
        return;
    }
    c->depth--;
    end_operation(c, node);
}

/* DataType::BFLOAT16 is DataType.BFLOAT16 in a database. */
static void add_dotted(struct strbuf *out, struct slice text) {
    for (size_t i = 0; i < text.len; i++) {
        bool colons = text.ptr[i] == ':' && i + 1 < text.len && text.ptr[i + 1] == ':';
        strbuf_addc(out, colons ? '.' : text.ptr[i]);
        i += colons;
    }
}

static void add_tensor(struct imported_capture *c, const struct graph_node *node) {
    struct strbuf dtype = {0}, layout = {0};
    struct json_value params, value;
    uint64_t chip, mesh;
    if (!node->has_tensor_id) return;
    bool on_device = json_member(node->json, "params", &params) && json_member(params, "device_id", &value);
    bool placed = node->address && !c->wish->no_addresses;
    add_dotted(&dtype, node->dtype);
    add_dotted(&layout, node->layout);
    bool added = visualizer_row(c->v, VIS_TENSORS, "issssooii", (int64_t)node->tensor_id, node->shape, strbuf_slice(&dtype),
                                strbuf_slice(&layout), node->memory_config, (int)on_device,
                                on_device ? device_number(c, (uint64_t)member_i64(params, "device_id")) : 0, (int)placed,
                                (int64_t)node->address, (int64_t)(node->has_type ? node->type : MEM_DRAM), c->rank);
    for (struct slice rest = node->device_tensors; added && placed && graph_next_chip(&rest, &chip, &mesh);)
        visualizer_row(c->v, VIS_DEVICE_TENSORS, "iiii", (int64_t)node->tensor_id, device_number(c, mesh),
                       (int64_t)node->address, c->rank);
    strbuf_release(&dtype);
    strbuf_release(&layout);
}

/* A buffer that is freed outside any function. */
static void bare_free(struct imported_capture *c, const struct graph_node *node) {
    int64_t operation = c->operation++;
    const struct graph_index_tensor *t = node->connections_len ? graph_index_in_buffer(&c->index, node->connections[0]) : NULL;
    if (!in_range(c, operation)) return;
    c->start = node->counter;
    op_graph_clear(&c->graph);
    op_graph_add(&c->graph, node->json);
    op_graph_lone(&c->graph);
    visualizer_row(c->v, VIS_OPERATIONS, "isdi", operation, SLICE("ttnn::deallocate"), 0.0, c->rank);
    visualizer_row(c->v, VIS_NODES, "iiisi", operation, (int64_t)node->counter, operation, SLICE("ttnn::deallocate"), c->rank);
    if (t) visualizer_row(c->v, VIS_INPUT_TENSORS, "iiii", operation, (int64_t)0, (int64_t)t->id, c->rank);
    op_graph_write(&c->graph, c->v, operation, c->rank);
    write_buffers(c, operation, UINT64_MAX, node->counter);
}

static void take_nested(struct imported_capture *c, const struct graph_node *node, struct open_function *frame) {
    frame->first = c->taken.len;
    for (size_t i = 0; i < node->input_tensors_len; i++) {
        const struct graph_index_tensor *t = graph_index_tensor(&c->index, node->input_tensors[i]);
        if (t) vec_push(&c->taken, t->id);
    }
    frame->count = c->taken.len - frame->first;
}

/* What is freed inside an op is one of its inputs. */
static void take_freed(struct imported_capture *c, const struct graph_node *node) {
    const struct graph_index_tensor *t = node->connections_len ? graph_index_in_buffer(&c->index, node->connections[0]) : NULL;
    if (t) vec_push(&c->taken, t->id);
}

static bool second_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct imported_capture *c = context;
    bool outside = !c->frames.len;
    if (node->kind == NODE_FUNCTION_START) start_function(c, node);
    if (c->depth && in_range(c, c->operation)) op_graph_add(&c->graph, node->json);
    if (node->kind == NODE_FUNCTION_START && vec_last(&c->frames).nested) take_nested(c, node, &vec_last(&c->frames));
    if (node->kind == NODE_TENSOR) add_tensor(c, node);
    if (event && event->kind == MEM_ALLOCATE) take_live(c, node, event);
    if (event && event->kind == MEM_FREE) {
        free_live(c, event);
        if (outside) bare_free(c, node);
        else take_freed(c, node);
    }
    if (node->kind == NODE_ERROR)
        visualizer_row(c->v, VIS_ERRORS, "isssnni", c->operation, strbuf_slice(&c->name), SLICE("unknown"), node->error_text,
                       c->rank);
    if (node->kind == NODE_FUNCTION_END) end_function(c, node);
    return true;
}

/* --- the whole --- */

static void write_devices(struct imported_capture *c) {
    for (size_t i = 0; i < c->device_count; i++) {
        const int64_t *n = c->figures[i];
        visualizer_row(c->v, VIS_DEVICES, "iiiiiiiiiiiiiiiiiii", (int64_t)i, n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8],
                       n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17], c->rank);
    }
}

static void write_metadata(struct imported_capture *c) {
    const struct graph_metadata *told = &c->index.metadata;
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {{"capture_timestamp_ns", told->timestamp_ns},
                {"total_duration_ns", told->duration_ns},
                {"rank", told->rank},
                {"world_size", told->world_size}};
    char number[NUM_ROOM];
    for (size_t i = 0; i < sizeof rows / sizeof *rows && told->has_rank; i++)
        if (rows[i].value || strcmp(rows[i].key, "rank") == 0)
            visualizer_metadata(c->v, rows[i].key, slice_of(number, num_write_u64(number, rows[i].value)));
}

static void write_unfinished(struct imported_capture *c) {
    if (!c->depth) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "Operation '%.*s' started but never completed (likely crashed)", SLICE_FMT(strbuf_slice(&c->name)));
    visualizer_row(c->v, VIS_ERRORS, "isssnni", c->operation, strbuf_slice(&c->name), SLICE("incomplete_operation"),
                   strbuf_slice(&text), c->rank);
    strbuf_release(&text);
}

int visualizer_from_capture(struct visualizer *v, const struct source *source, const struct visualizer_wish *wish,
                            struct err *err) {
    const struct graph_file file = {.bytes = source->bytes, .path = source->path, .source = source};
    struct imported_capture *c = mem_zalloc(1, sizeof *c);
    const struct graph_calls first = {
        .node = first_node, .device = first_device, .metadata = first_metadata, .table = first_table, .context = c};
    const struct graph_calls second = {.node = second_node, .context = c};
    c->v = v;
    c->wish = wish;
    c->file = &file;
    graph_map_init(&c->map);
    c->index.keep_places = true;
    c->json = json_reader_new();
    c->pages_json = json_reader_new();
    c->index.io.keep_texts = true;
    if (!c->json || !c->pages_json) mem_exhausted();
    int rc = graph_file_pass(&file, &first, NULL, err);
    if (rc == 0) {
        if (!c->index.io.records.len) python_io_beside(&c->index.io, source->path);
        c->rank = (int64_t)c->index.metadata.rank;
        c->operation = visualizer_next_id(v, c->rank);
        graph_map_choose(&c->map);
        c->memory = graph_map_memory(&c->map);
        c->graph.devices = c->devices;
        c->graph.device_count = c->device_count;
        c->graph.inner = json_reader_new();
        write_devices(c);
        write_metadata(c);
        rc = graph_file_pass(&file, &second, NULL, err);
        write_unfinished(c);
    }
    strbuf_release(&c->name);
    op_graph_release(&c->graph);
    vec_release(&c->frames);
    vec_release(&c->alive);
    vec_release(&c->taken);
    vec_release(&c->made);
    vec_release(&c->made_nodes);
    vec_release(&c->inner);
    vec_release(&c->inputs);
    json_reader_free(c->json);
    json_reader_free(c->pages_json);
    graph_map_release(&c->map);
    graph_index_release(&c->index);
    free(c);
    return rc;
}
