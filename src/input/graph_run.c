/* SPDX-License-Identifier: Apache-2.0 */
/* A graph capture as a run: every function is an op in call order, with the buffers that exist before it and the circular
 * buffers of its program, if any. Each device is a rank and sees every function. Captures of several processes form one run.
 *
 * A report lists the buffers after each op (per_operation_buffers): these count, including those from before the capture,
 * and the nodes show what happened in between. If a capture has no addresses (RunMode NO_DISPATCH), buffers are where the
 * simulated allocator puts them. */
#include "input/graph_run.h"

#include <string.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/vec.h"
#include "device/simulate.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "input/ttnn/graph_index.h"
#include "input/ttnn/graph_map.h"
#include "input/ttnn/inside.h"
#include "parse/foreign/graph_or_end.h"
#include "parse/ttnn_words.h"

enum { MAX_DEVICES = 64, LOOK = 1 << 20, ALL_POOLS = (1 << POOL_COUNT) - 1 };

struct capture_device {
    uint64_t id;
    uint16_t rank;
    bool ready;
    struct sim sim;
    struct inside inside;
    struct idmap address_of; /* id of a buffer without an address -> index into `addresses` */
};

struct graph_capture {
    struct buffers *builder;
    struct capture_device devices[MAX_DEVICES];
    size_t device_count;
    uint64_t beyond; /* events of devices beyond the limit */
    VEC(uint64_t) addresses;
    struct graph_map told; /* the device */
    bool building;
    struct run *run;
    struct sim_map map;
    const struct graph_file *file;
    struct graph_index index;
    struct json_reader *json;
    VEC(uint64_t) open;             /* counters of functions that have not ended */
    struct idmap tensors_at;        /* address and pool -> tensor of the index that was last there */
    VEC(struct buffer_tensor) refs; /* of the function that is beginning */
    bool several;                   /* several captures: ranks are named */
    uint64_t rank;                  /* from the file name, or its position among several; used if the capture does not say */
};

static struct capture_device *device_of(struct graph_capture *c, const struct mem_event *event) {
    uint64_t id = event->has_device ? event->device : 0;
    for (size_t i = 0; i < c->device_count; i++)
        if (c->devices[i].id == id) return &c->devices[i];
    if (c->building || c->device_count == MAX_DEVICES) {
        c->beyond++;
        return NULL;
    }
    c->devices[c->device_count].id = id;
    return &c->devices[c->device_count++];
}

static bool touches_buffers(const struct mem_event *event) {
    return event && (event->kind == MEM_ALLOCATE || event->kind == MEM_FREE);
}

/* --- first pass: finds the devices --- */

static bool find_device(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct graph_capture *c = context;
    graph_index_node(&c->index, node);
    if (event) graph_map_event(&c->told, event);
    if (touches_buffers(event)) device_of(c, event);
    return true;
}

static void take_reported(void *context, const struct graph_device *device) {
    graph_map_device(&((struct graph_capture *)context)->told, device);
}

static void take_metadata(void *context, const struct graph_metadata *metadata) {
    ((struct graph_capture *)context)->index.metadata = *metadata;
}

static void take_table(void *context, enum graph_part part, struct slice name, struct slice text, uint64_t offset) {
    graph_index_table(&((struct graph_capture *)context)->index, part, name, text, offset);
}

/* --- second pass: the run --- */

static void make_ranks(struct graph_capture *c) {
    struct sim_map map = c->map = graph_map_memory(&c->told);
    const struct graph_metadata *told = &c->index.metadata;
    bool ranked = c->several || told->world_size > 1;
    if (!c->device_count) c->devices[c->device_count++].id = 0;
    for (size_t i = 0; i < c->device_count; i++) {
        struct capture_device *d = &c->devices[i];
        struct strbuf name = {0};
        if (ranked) strbuf_addf(&name, "%llu", (unsigned long long)(told->has_rank ? told->rank : c->rank));
        if (c->device_count > 1) strbuf_addf(&name, "%s%llu", name.len ? "," : "", (unsigned long long)d->id);
        d->rank = buffers_rank(c->builder, strbuf_slice(&name));
        strbuf_release(&name);
        d->ready = sim_init(&d->sim, &map) == SIM_OK;
        inside_init(&d->inside, c->builder, c->run, d->rank, &c->map);
        d->inside.unspread = !graph_map_spreads(&c->told);
        buffers_pool(c->builder, d->rank, POOL_DRAM, map.dram_banks, true, map.dram_base, map.dram_end - map.dram_base);
        buffers_pool(c->builder, d->rank, POOL_L1, map.l1_banks, true, map.l1_base, map.l1_end - map.l1_base);
    }
    c->building = true;
}

/* Adds the tensors of nodes; those not on this device have no bytes there. */
static size_t add_refs(struct graph_capture *c, const struct capture_device *d, const uint64_t *counters, size_t count) {
    size_t before = c->refs.len;
    for (size_t i = 0; i < count && i < INT16_MAX; i++) {
        const struct graph_index_tensor *t = graph_index_tensor(&c->index, counters[i]);
        if (!t) continue;
        struct buffer_tensor ref = graph_index_as_buffer(&c->index, t);
        if (ref.on_device) ref.bank_bytes = buffers_bytes_at(c->builder, d->rank, ref.pool, t->address);
        vec_push(&c->refs, ref);
    }
    return c->refs.len - before;
}

static void use_operands(struct graph_capture *c, const struct capture_device *d, const struct graph_node *node) {
    if (slice_ends(node->name, SLICE("deallocate"))) return;
    for (size_t i = 0; i < node->input_tensors_len; i++) {
        const struct graph_index_tensor *t = graph_index_tensor(&c->index, node->input_tensors[i]);
        if (t && t->on_device) buffers_use(c->builder, d->rank, t->pool, t->address);
    }
}

static uint64_t place_key(enum pool pool, uint64_t address) { return address * POOL_COUNT + pool; }

static void note_places(struct graph_capture *c, const uint64_t *counters, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct graph_index_tensor *t = graph_index_tensor(&c->index, counters[i]);
        if (t && t->on_device)
            idmap_set(&c->tensors_at, place_key(t->pool, t->address), (uint32_t)(t - c->index.tensors.items));
    }
}

static void add_function(struct graph_capture *c, const struct graph_node *node) {
    size_t results;
    const uint64_t *made = graph_index_results(&c->index, node->counter, &results);
    struct buffer_op op = {.name = node->name.len ? node->name : SLICE("function"),
                           .location = python_io_next(&c->index.io, node->name),
                           .line = c->file->first_node + node->counter};
    for (size_t i = 0; i < c->device_count; i++) {
        struct capture_device *d = &c->devices[i];
        vec_clear(&c->refs);
        op.operand_count = add_refs(c, d, node->input_tensors, node->input_tensors_len);
        op.result_count = add_refs(c, d, made, results);
        op.operands = c->refs.items;
        op.results = c->refs.items ? c->refs.items + op.operand_count : NULL;
        inside_tell(&d->inside);
        inside_function_begins(&d->inside);
        buffers_op(c->builder, d->rank, &op);
        use_operands(c, d, node);
        inside_begin(&d->inside);
    }
    note_places(c, node->input_tensors, node->input_tensors_len);
    note_places(c, made, results);
    vec_push(&c->open, node->counter);
}

/* --- buffers after an op, from a report --- */

static bool member_u64(struct json_value object, const char *name, uint64_t *out) {
    struct json_value value;
    *out = 0;
    return json_member(object, name, &value) && json_u64_of(value, out);
}

/* A report counts devices from 0 where nodes name a mesh: then the first of them represents it. */
static bool find_reported(struct json_value list, uint64_t wanted, uint64_t *id) {
    struct json_value item;
    uint64_t device;
    bool any = false;
    for (struct json_walk walk = json_walk_of(list); json_next(&walk, NULL, &item);) {
        if (!member_u64(item, "device_id", &device)) continue;
        if (!any || device == wanted || (*id != wanted && device < *id)) *id = device;
        any = true;
    }
    return any;
}

static void take_reported_buffer(struct graph_capture *c, const struct capture_device *d, struct json_value item) {
    uint64_t type, layout;
    struct device_buffer buffer = {0};
    if (!member_u64(item, "address", &buffer.address) || !member_u64(item, "max_size_per_bank", &buffer.bank_bytes) ||
        !member_u64(item, "buffer_type", &type) || type > INT64_MAX || !ttnn_pool((int64_t)type, &buffer.pool))
        return;
    member_u64(item, "buffer_layout", &layout);
    if (buffers_keep(c->builder, d->rank, buffer.pool, buffer.address, buffer.bank_bytes)) return;
    const uint32_t *known = idmap_find(&c->tensors_at, place_key(buffer.pool, buffer.address));
    struct buffer_tensor tensor;
    if (known) {
        tensor = graph_index_as_buffer(&c->index, &c->index.tensors.items[*known]);
        tensor.layout = (enum buffer_layout)ttnn_layout_number(layout <= INT64_MAX ? (int64_t)layout : 0);
        buffer.tensor = &tensor;
    }
    buffers_take(c->builder, d->rank, &buffer);
}

static void take_reported_buffers(struct graph_capture *c, uint64_t function) {
    const struct graph_index_entry *entry = graph_index_after(&c->index, function);
    struct json_value list, item;
    uint64_t id = 0, device;
    if (!entry) return;
    if (!c->json) c->json = json_reader_new();
    if (!c->json || !json_parse(c->json, graph_file_part(c->file, entry->offset, entry->length), &list)) {
        c->run->warnings[WARN_PARTS_UNREAD]++;
        return;
    }
    for (size_t i = 0; i < c->device_count; i++) {
        const struct capture_device *d = &c->devices[i];
        bool any = find_reported(list, d->id, &id);
        buffers_all_begin(c->builder, d->rank);
        for (struct json_walk walk = json_walk_of(list); any && json_next(&walk, NULL, &item);)
            if (member_u64(item, "device_id", &device) && device == id) take_reported_buffer(c, d, item);
        buffers_all_end(c->builder, d->rank);
    }
    graph_file_part_end(c->file, entry->offset, entry->length);
}

static void end_function(struct graph_capture *c, const struct graph_node *node) {
    for (size_t i = 0; i < c->device_count; i++) {
        inside_tell(&c->devices[i].inside);
        inside_function_ends(&c->devices[i].inside);
        buffers_op_ends(c->builder, c->devices[i].rank, node->duration_ns);
    }
    if (!c->open.len) return;
    take_reported_buffers(c, c->open.items[--c->open.len]);
    if (graph_index_after(&c->index, c->open.items[c->open.len]))
        for (size_t i = 0; i < c->device_count; i++) inside_begin(&c->devices[i].inside);
}

/* If a capture gives the address only when a buffer is allocated, it is remembered until the free. */
static void note_address(struct graph_capture *c, struct capture_device *d, const struct mem_event *event) {
    uint64_t name = graph_map_name(event);
    if (!c->told.frees_by_id || !event->id) return;
    const uint32_t *known = idmap_find(&d->address_of, name);
    if (known && event->kind == MEM_FREE) idmap_remove(&d->address_of, name);
    else if (known) c->addresses.items[*known] = event->address;
    else if (event->kind == MEM_ALLOCATE) {
        vec_push(&c->addresses, event->address);
        idmap_set(&d->address_of, name, (uint32_t)c->addresses.len - 1);
    }
}

/* The address of the buffer: as captured, else as the simulator placed it. */
static bool find_address(struct graph_capture *c, struct capture_device *d, const struct mem_event *event, uint64_t *address) {
    struct sim_failure failure;
    uint64_t name = graph_map_name(event);
    *address = event->address;
    if (event->address && !graph_map_is_nowhere(&c->told, event)) {
        note_address(c, d, event);
        return true;
    }
    const uint32_t *known = idmap_find(&d->address_of, name);
    if (event->kind == MEM_FREE) {
        if (!known || !d->ready) return false;
        *address = c->addresses.items[*known];
        idmap_remove(&d->address_of, name);
        sim_event(&d->sim, event, NULL, &failure);
        return true;
    }
    if (known || !d->ready || sim_event(&d->sim, event, address, &failure) != SIM_OK) return false;
    vec_push(&c->addresses, *address);
    return idmap_set(&d->address_of, name, (uint32_t)c->addresses.len - 1);
}

static void add_event(struct graph_capture *c, const struct graph_node *node, const struct mem_event *event) {
    struct capture_device *d = device_of(c, event);
    const struct graph_index_tensor *known =
        node->connections_len ? graph_index_in_buffer(&c->index, node->connections[0]) : NULL;
    struct buffer_tensor tensor;
    struct mem_event placed = graph_map_paged(&c->told, event);
    if (!d) return;
    if (!find_address(c, d, event, &placed.address)) {
        if (event->kind == MEM_ALLOCATE) inside_lost(&d->inside, event);
        return;
    }
    if (known) tensor = graph_index_as_buffer(&c->index, known);
    inside_event(&d->inside, &placed, known ? &tensor : NULL);
}

/* A program's memory is recorded per chip, buffers per mesh: if no device has the chip's number, it belongs to all of them. */
static void add_program_event(struct graph_capture *c, const struct mem_event *event) {
    const struct capture_device *own = NULL;
    for (size_t i = 0; i < c->device_count; i++)
        if (event->has_device && c->devices[i].id == event->device) own = &c->devices[i];
    for (size_t i = 0; i < c->device_count; i++)
        if (!own || own == &c->devices[i]) inside_event(&c->devices[i].inside, event, NULL);
}

static bool take_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct graph_capture *c = context;
    if (node->kind == NODE_FUNCTION_START) add_function(c, node);
    else if (node->kind == NODE_FUNCTION_END) end_function(c, node);
    else if (touches_buffers(event)) add_event(c, node, event);
    else if (event) add_program_event(c, event);
    return true;
}

int graph_file_pass(const struct graph_file *file, const struct graph_calls *calls, struct graph_left_out *left_out,
                    struct err *err) {
    struct graph_reader reader;
    enum { PIECE = 4 << 20 };
    graph_reader_begin(&reader, calls);
    reader.capture = file->number;
    for (size_t at = 0; at < file->bytes.len; at += PIECE) {
        struct slice piece = slice_take(slice_skip(file->bytes, at), PIECE);
        if (!graph_reader_take(&reader, piece)) break;
        if (file->source) source_looked_at(file->source, piece);
    }
    enum graph_scan_end end = graph_reader_finish(&reader);
    uint64_t nodes = reader.nodes;
    if (left_out) *left_out = (struct graph_left_out){end == GRAPH_CUT, reader.problems.unreadable};
    graph_reader_release(&reader);
    return nodes ? 0 : err_set(err, ERR_LACKS, "%s holds no node of a graph capture", file->path);
}

struct slice graph_file_part(const struct graph_file *file, uint64_t offset, size_t length) {
    return slice_take(slice_skip(file->bytes, (size_t)offset), length);
}

void graph_file_part_end(const struct graph_file *file, uint64_t offset, size_t length) {
    enum { PAGE = 4096 };
    size_t from = (size_t)offset / PAGE * PAGE; /* parts follow one another: the page that two share goes with the second */
    if (file->source) source_looked_at(file->source, slice_take(slice_skip(file->bytes, from), (size_t)offset + length - from));
}

bool graph_run_looks_like(struct slice bytes) {
    struct slice head = slice_take(bytes, LOOK);
    size_t at = 0;
    while (at < head.len && memchr(" \t\r\n", head.ptr[at], 4)) at++;
    return at < head.len && (head.ptr[at] == '[' || head.ptr[at] == '{') &&
           slice_find(head, SLICE("\"node_type\"")) != SLICE_NONE;
}

/* Reads its devices, tensors and tables. */
static int look_through(struct graph_capture *c, struct graph_left_out *left_out, struct err *err) {
    const struct graph_calls calls = {
        .node = find_device, .device = take_reported, .metadata = take_metadata, .table = take_table, .context = c};
    if (graph_file_pass(c->file, &calls, left_out, err) != 0) return -1;
    if (!c->index.io.records.len) python_io_beside(&c->index.io, c->file->path);
    return 0;
}

static void choose_chip(struct graph_capture *c) {
    if (!graph_map_choose(&c->told)) buffers_device_assumed(c->builder);
}

static int take_nodes(struct graph_capture *c, const struct graph_left_out *left_out, struct err *err) {
    const struct graph_calls calls = {.node = take_node, .context = c};
    c->run->warnings[WARN_PARTS_UNREAD] += c->index.io.unreadable + left_out->nodes;
    if (c->index.per_core) c->run->warnings[WARN_PER_CORE_L1] = 1;
    if (left_out->cut) run_warn(c->run, WARN_CUT_INPUT, 0);
    if (left_out->cut || left_out->nodes) c->run->unread_pools = ALL_POOLS;
    int rc = graph_file_pass(c->file, &calls, NULL, err);
    for (size_t i = 0; i < c->device_count; i++) inside_end(&c->devices[i].inside);
    return rc;
}

/* Adds one capture to the run. */
static int add_capture(struct graph_capture *c, struct err *err) {
    struct graph_left_out left_out;
    graph_map_init(&c->told);
    if (look_through(c, &left_out, err) != 0) return -1;
    choose_chip(c);
    make_ranks(c);
    return take_nodes(c, &left_out, err);
}

static void forget_file(struct graph_capture *c) {
    graph_index_release(&c->index);
    c->index = (struct graph_index){0};
    idmap_release(&c->tensors_at);
    c->tensors_at = (struct idmap){0};
    vec_clear(&c->open);
}

/* All of them are scanned before the first is added, because any of them may name the device. */
static int add_segments(struct graph_capture *c, const struct graph_file *files, size_t count, struct err *err) {
    struct graph_left_out left_out;
    int rc = 0;
    graph_map_init(&c->told);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        c->file = &files[i];
        rc = look_through(c, &left_out, err);
        forget_file(c);
    }
    if (rc != 0) return -1;
    choose_chip(c);
    make_ranks(c);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        c->file = &files[i];
        rc = look_through(c, &left_out, err);
        if (rc == 0) rc = take_nodes(c, &left_out, err);
        forget_file(c);
    }
    return rc;
}

static void capture_release(struct graph_capture *c) {
    for (size_t i = 0; i < c->device_count; i++) {
        if (c->devices[i].ready) sim_release(&c->devices[i].sim);
        inside_release(&c->devices[i].inside);
        idmap_release(&c->devices[i].address_of);
    }
    vec_release(&c->addresses);
    vec_release(&c->open);
    vec_release(&c->refs);
    idmap_release(&c->tensors_at);
    graph_map_release(&c->told);
    graph_index_release(&c->index);
    json_reader_free(c->json);
}

/* "graph_capture_2_of_16.json" is rank 1; false if the name does not say. */
static bool rank_by_name(const char *path, uint64_t *rank) {
    const char *of = strrchr(path, '/');
    of = strstr(of ? of : path, "_of_");
    uint64_t number;
    if (!of || !num_at_end(slice_between(path, of), &number) || !number) return false;
    *rank = number - 1;
    return true;
}

/* Uses the file names, if they distinguish all captures. */
static void number_captures(const struct graph_file *files, size_t count, uint64_t *ranks) {
    bool told = true;
    for (size_t i = 0; i < count && told; i++) {
        told = rank_by_name(files[i].path, &ranks[i]);
        for (size_t k = 0; k < i && told; k++) told = ranks[k] != ranks[i];
    }
    for (size_t i = 0; i < count && !told; i++) ranks[i] = i;
}

int graph_captures_read(struct run *run, const struct graph_file *files, size_t count, struct err *err) {
    uint64_t bytes = 0;
    int rc = 0;
    for (size_t i = 0; i < count; i++) bytes += files[i].bytes.len;
    struct buffers *builder = buffers_begin(run, RUN_GRAPH_CAPTURE, bytes);
    uint64_t *ranks = mem_zalloc(count + 1, sizeof *ranks);
    number_captures(files, count, ranks);
    run->l1.step = NONE;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct graph_capture *c = mem_zalloc(1, sizeof *c);
        c->builder = builder;
        c->run = run;
        c->file = &files[i];
        c->several = count > 1;
        c->rank = ranks[i];
        rc = add_capture(c, err);
        capture_release(c);
        free(c);
    }
    buffers_end(builder);
    free(ranks);
    return rc;
}

int graph_segments_read(struct run *run, const struct graph_file *files, size_t count, struct err *err) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += files[i].bytes.len;
    struct buffers *builder = buffers_begin(run, RUN_GRAPH_CAPTURE, bytes);
    struct graph_capture *c = mem_zalloc(1, sizeof *c);
    run->l1.step = NONE;
    c->builder = builder;
    c->run = run;
    int rc = add_segments(c, files, count, err);
    capture_release(c);
    free(c);
    buffers_end(builder);
    return rc;
}

static int graph_run_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    return graph_captures_read(run, &(struct graph_file){.bytes = bytes, .path = path}, 1, err);
}

static int graph_source_read(struct run *run, const struct source *source, struct err *err) {
    return graph_captures_read(run, &(struct graph_file){.bytes = source->bytes, .path = source->path, .source = source}, 1,
                               err);
}

const struct input_kind input_graph_capture = {
    .name = "a graph capture",
    .is_content = graph_run_looks_like,
    .read_bytes = graph_run_read,
    .read_source = graph_source_read,
};
