/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_report.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/graph/graph_simulate.h"
#include "analysis/graph/graph_tree.h"

static struct graph_segment *current(struct graph_session *session) { return &vec_last(&session->details); }

/* --- tensors: a buffer is identified by the tensor in it --- */

static void *keep(struct graph_session *session, struct recent *recent, uint64_t key, const void *item) {
    void *place = recent_put(recent, key, item);
    if (!place) session->failed = true;
    return place;
}

/* The buffer gets the tensor's shape, also in the list of live buffers; the tensor gets the buffer's size. */
static void join(struct graph_session *session, uint64_t buffer_id, struct graph_tensor *buffer, struct graph_tensor *tensor) {
    if (!buffer->shape) {
        buffer->shape = tensor->shape;
        usage_describe(&session->usage, buffer_id, tensor->shape);
    }
    tensor->has_buffer = true;
    tensor->buffer_size = buffer->buffer_size;
    tensor->buffer_type = buffer->buffer_type;
}

static void remember_created(struct graph_session *session, const struct graph_tensor *tensor) {
    if (tensor->has_id && recent_find(&session->created, tensor->counter)) keep(session, &session->created_ids, tensor->id, "");
}

static void on_tensor(struct graph_session *session, const struct graph_node *node) {
    uint64_t chip, mesh;
    session->per_core |= slice_find(node->memory_config, SLICE("per_core_allocation=1")) != SLICE_NONE;
    for (struct slice rest = node->device_tensors; graph_next_chip(&rest, &chip, &mesh);)
        if (usage_tie(&session->usage, chip, mesh) == USAGE_NO_MEMORY) session->failed = true;
    struct graph_tensor tensor = {.shape = strtab_id(&session->texts, node->shape),
                                  .dtype = strtab_id(&session->texts, node->dtype),
                                  .counter = node->counter,
                                  .id = node->tensor_id,
                                  .has_id = node->has_tensor_id};
    const uint64_t *buffer_id = recent_find(&session->uses, node->counter);
    struct graph_tensor *buffer = buffer_id ? recent_find(&session->buffers, *buffer_id) : NULL;
    if (buffer) join(session, *buffer_id, buffer, &tensor);
    remember_created(session, &tensor);
    keep(session, &session->tensors, node->counter, &tensor);
    for (size_t i = 0; i < session->pending_outputs.len; i++) {
        if (session->pending_outputs.items[i] != node->counter) continue;
        session->output_counters.len = 0;
        for (size_t k = 0; k < session->pending_outputs.len; k++)
            vec_push(&session->output_counters, session->pending_outputs.items[k]);
        break;
    }
}

static void on_buffer(struct graph_session *session, const struct graph_node *node) {
    uint64_t id = graph_buffer_id(&session->reader, node->counter);
    struct graph_tensor seen = {.buffer_size = node->size, .buffer_type = node->type};
    for (size_t i = 0; i < node->connections_len; i++) {
        uint64_t counter = node->connections[i];
        if (i && counter == node->connections[i - 1]) continue;
        struct graph_tensor *tensor = recent_find(&session->tensors, counter);
        if (tensor) join(session, id, &seen, tensor);
        else keep(session, &session->uses, counter, &id);
    }
    keep(session, &session->buffers, id, &seen);
}

/* A buffer node comes before its allocation: what is known so far is passed on. */
static void describe_allocated(struct graph_session *session, const struct mem_event *event) {
    const struct graph_tensor *buffer =
        event->kind == MEM_ALLOCATE && event->id ? recent_find(&session->buffers, event->id) : NULL;
    if (buffer && buffer->shape) usage_describe(&session->usage, event->id, buffer->shape);
}

static bool makes_tensor(struct slice name) {
    return slice_equal(name, SLICE("create_device_tensor")) || slice_ends(name, SLICE("::create_device_tensor"));
}

/* The outputs of the capture are those of the last function_end that names a tensor. */
static void note_outputs(struct graph_session *session, const struct graph_node *node) {
    bool has_tensor = false;
    session->pending_outputs.len = 0;
    for (size_t i = 0; i < node->connections_len; i++) {
        vec_push(&session->pending_outputs, node->connections[i]);
        has_tensor |= recent_find(&session->tensors, node->connections[i]) != NULL;
    }
    if (has_tensor) {
        session->output_counters.len = 0;
        for (size_t i = 0; i < node->connections_len; i++) vec_push(&session->output_counters, node->connections[i]);
    }
    if (!node->connections_len || !makes_tensor(node->name) || recent_find(&session->created, node->connections[0])) return;
    session->created_count++;
    keep(session, &session->created, node->connections[0], "");
    const struct graph_tensor *tensor = recent_find(&session->tensors, node->connections[0]);
    if (tensor) remember_created(session, tensor);
}

/* --- nodes --- */

/* No program can request 4 GiB of a core. */
static bool is_no_size(const struct mem_event *event) {
    bool program = event->kind == MEM_CIRCULAR_BUFFER || event->kind == MEM_DATAFLOW_BUFFER || event->kind == MEM_SCRATCHPAD;
    return (program && event->size > UINT32_MAX) || (event->type == MEM_L1 && event->size_per_bank > UINT32_MAX);
}

static void count_event(struct graph_session *session, const struct graph_node *node, const struct mem_event *as_read) {
    struct mem_event resolved = *as_read, *event = &resolved;
    if (is_no_size(event)) {
        session->reader.problems.wrong_values++;
        return;
    }
    if (event->kind == MEM_ALLOCATE && event->type == MEM_L1 && !event->page_size && !event->sharded)
        event->page_size = session->page_size;
    program_scope_event(&session->scope, event);
    usage_resolve_free(&session->usage, event);
    if (usage_event(&session->usage, event) == USAGE_NO_MEMORY) session->failed = true;
    if (event->kind == MEM_ALLOCATE || event->kind == MEM_FREE) session->last_address_seen |= event->address;
    if (event->kind == MEM_ALLOCATE && event->type == MEM_L1 && !event->size_per_bank && !event->num_cores &&
        !session->usage.interleaved_cores)
        session->l1_whole = true;
    describe_allocated(session, event);
    graph_tree_event(session, node, event);
    graph_simulate(session, node, event);
}

static void end_programs(struct graph_session *session) {
    if (!session->programs_stay) usage_programs_end(&session->usage);
}

static bool on_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct graph_session *session = context;
    struct graph_segment *segment = current(session);
    bool ended = false;
    segment->kinds[node->kind]++;
    graph_legacy_node(&session->legacy, node, event);
    if (node->kind == NODE_FUNCTION_START) {
        segment->functions_called++;
        ended = program_function_begins(&session->scope);
        if (ended) end_programs(session);
        graph_tree_enter(session, node);
    } else if (node->kind == NODE_FUNCTION_END) {
        graph_tree_leave(session, node->duration_ns);
        ended = program_function_ends(&session->scope);
        if (ended) end_programs(session);
        note_outputs(session, node);
    } else if (node->kind == NODE_TENSOR) {
        on_tensor(session, node);
    } else if (node->kind == NODE_BUFFER) {
        on_buffer(session, node);
    } else if (node->kind == NODE_CAPTURE_END) {
        segment->duration_ns = node->duration_ns;
    }
    if (event) count_event(session, node, event);
    graph_timeline_node(&session->timeline, &session->usage, event || ended);
    return !session->failed;
}

static void on_device(void *context, const struct graph_device *device) {
    struct graph_session *session = context;
    struct graph_device copy = *device;
    copy.arch = strtab_get(&session->texts, strtab_id(&session->texts, device->arch));
    for (size_t i = 0; i < session->devices.len; i++)
        if (session->devices.items[i].id == device->id) return;
    vec_push(&session->devices, copy);
    if (!session->interleaved_cores && device->l1_banks && device->l1_banks <= UINT16_MAX)
        session->usage.interleaved_cores = (unsigned)device->l1_banks;
    if (!session->interleaved_cores && device->l1_banks) session->banks_from = GRAPH_BANKS_DEVICE;
}

static void on_metadata(void *context, const struct graph_metadata *metadata) {
    struct graph_session *session = context;
    struct graph_segment *segment = current(session);
    segment->has_rank = metadata->has_rank;
    segment->rank = metadata->rank;
    segment->world_size = metadata->world_size;
    if (metadata->duration_ns) segment->duration_ns = metadata->duration_ns;
}

/* --- a segment from begin to end --- */

int graph_session_begin(struct graph_session *session, const char *path, struct err *err) {
    if (!session->details.len) {
        usage_init(&session->usage);
        session->usage.keep_moments = true;
        session->tensors.item_size = session->buffers.item_size = sizeof(struct graph_tensor);
        session->uses.item_size = sizeof(uint64_t);
        session->created.item_size = session->created_ids.item_size = 1;
        session->usage.interleaved_cores = session->interleaved_cores;
        if (session->interleaved_cores) session->banks_from = GRAPH_BANKS_OPTION;
    }
    vec_push(&session->details, ((struct graph_segment){.path = mem_strdup(path), .first_node = session->timeline.nodes}));
    session->legacy = (struct graph_legacy){0};
    session->scope = (struct program_scope){0};
    session->last_address_seen = 0;
    graph_tree_begin(session);
    struct graph_calls calls = {.node = on_node, .device = on_device, .metadata = on_metadata, .context = session};
    if (!graph_reader_init(&session->reader, &calls)) return err_set(err, ERR_BUG, "out of host memory");
    session->reader.capture = session->details.len;
    return 0;
}

uint64_t graph_core_bytes(const struct graph_session *session) {
    const struct chip *chip = session->simulate;
    uint64_t most = 0;
    for (size_t i = 0; i < session->devices.len; i++) {
        const struct graph_device *device = &session->devices.items[i];
        if (device->worker_l1_bytes > most) most = device->worker_l1_bytes;
        if (!chip) chip = chip_find(device->arch);
    }
    if (most) return most;
    return chip ? chip->l1_bytes : chip_find(SLICE("blackhole"))->l1_bytes;
}

void graph_session_banks(struct graph_session *session, unsigned banks, uint64_t page) {
    if (!banks || session->usage.interleaved_cores) return;
    session->usage.interleaved_cores = banks;
    session->banks_from = GRAPH_BANKS_ADDRESSES;
    session->page_size = page;
}

int graph_session_push(struct graph_session *session, struct slice bytes, struct err *err) {
    current(session)->bytes += bytes.len;
    if (graph_reader_push(&session->reader, bytes)) return 0;
    return err_set(err, ERR_BUG, "out of host memory");
}

static void gather_live(void *context, const struct usage_buffer *buffer) {
    graph_lives *out = context;
    vec_push(out, ((struct graph_live){*buffer, buffer->tag, buffer->description}));
}

static int larger_first(const void *left, const void *right) {
    const struct graph_live *a = left, *b = right;
    if (a->buffer.counted != b->buffer.counted) return a->buffer.counted < b->buffer.counted ? 1 : -1;
    return a->buffer.serial < b->buffer.serial ? -1 : a->buffer.serial > b->buffer.serial;
}

static void sort_lives(graph_lives *lives) {
    if (lives->len) qsort(lives->items, lives->len, sizeof *lives->items, larger_first);
}

static const struct usage_device *highest(const struct usage *usage, bool l1) {
    const struct usage_device *best = NULL;
    for (size_t i = 0; i < usage->devices_len; i++) {
        const struct usage_device *device = &usage->devices[i];
        if (device->tied || !device->has_buffers) continue;
        int64_t peak = l1 ? device->l1.peak_total : device->pools[MEM_DRAM].peak;
        if (!best || peak > (l1 ? best->l1.peak_total : best->pools[MEM_DRAM].peak)) best = device;
    }
    return best;
}

static void gather_lives(struct graph_session *session, struct graph_segment *segment) {
    const struct usage_device *dram = highest(&session->usage, false), *l1 = highest(&session->usage, true);
    if (dram) usage_each_at_peak(&session->usage, dram, false, gather_live, &segment->dram_peak);
    if (l1) usage_each_at_peak(&session->usage, l1, true, gather_live, &segment->l1_peak);
    usage_each_live(&session->usage, gather_live, &segment->alive);
    sort_lives(&segment->dram_peak);
    sort_lives(&segment->l1_peak);
    sort_lives(&segment->alive);
}

/* There is a tensor node for every use: the same tensor is recognised by its id. */
static bool is_output(const struct graph_segment *segment, const struct graph_tensor *tensor) {
    for (size_t i = 0; i < segment->outputs.len; i++) {
        const struct graph_tensor *output = &segment->outputs.items[i];
        if (output->counter == tensor->counter || (output->has_id && tensor->has_id && output->id == tensor->id)) return true;
    }
    return false;
}

static void gather_tensors(struct graph_session *session, struct graph_segment *segment) {
    segment->intermediates = session->created_count;
    for (size_t i = 0; i < session->output_counters.len; i++) {
        const struct graph_tensor *tensor = recent_find(&session->tensors, session->output_counters.items[i]);
        if (!tensor || is_output(segment, tensor)) continue;
        vec_push(&segment->outputs, *tensor);
        bool made = recent_find(&session->created, tensor->counter) ||
                    (tensor->has_id && recent_find(&session->created_ids, tensor->id));
        segment->intermediates -= made && segment->intermediates;
    }
}

static void gather_banks(struct graph_session *session, struct graph_segment *segment) {
    for (size_t i = 0; i < session->simulated.len; i++)
        for (unsigned t = 0; t < MEM_TYPES; t++) {
            const struct allocator *allocator = &session->simulated.items[i].sim.pools[t].allocator;
            if (!allocator->size) continue;
            vec_push(&segment->banks, ((struct graph_bank){session->simulated.items[i].device, (enum mem_type)t,
                                                           allocator_stats(allocator), allocator->high_water}));
        }
}

static void forget_segment(struct graph_session *session) {
    recent_clear(&session->tensors);
    recent_clear(&session->buffers);
    recent_clear(&session->uses);
    recent_clear(&session->created);
    recent_clear(&session->created_ids);
    session->created_count = 0;
    vec_clear(&session->pending_outputs);
    vec_clear(&session->output_counters);
}

int graph_session_end(struct graph_session *session, struct slice name, struct err *err) {
    struct graph_segment *segment = current(session);
    segment->end = graph_reader_finish(&session->reader);
    segment->problems = session->reader.problems;
    segment->nodes = session->reader.nodes;
    segment->found = session->reader.scan.found;
    segment->legacy_peak_l1 = graph_legacy_peak(&session->legacy);
    uint64_t allocations = segment->kinds[NODE_BUFFER_ALLOCATE] + segment->kinds[NODE_BUFFER_DEALLOCATE];
    segment->no_dispatch = allocations && !session->last_address_seen;
    graph_reader_release(&session->reader);
    graph_tree_end(session);
    graph_timeline_segment(&session->timeline, &session->usage);
    gather_lives(session, segment);
    gather_tensors(session, segment);
    gather_banks(session, segment);
    forget_segment(session);
    if (session->failed || segments_close(&session->segments, &session->usage, name) != USAGE_OK)
        return err_set(err, ERR_BUG, "out of host memory");
    vec_last(&session->segments).l1_whole = session->l1_whole;
    return 0;
}

void graph_session_release(struct graph_session *session) {
    for (size_t i = 0; i < session->details.len; i++) {
        struct graph_segment *segment = &session->details.items[i];
        free(segment->path);
        vec_release(&segment->dram_peak);
        vec_release(&segment->l1_peak);
        vec_release(&segment->alive);
        vec_release(&segment->functions);
        vec_release(&segment->circular);
        vec_release(&segment->outputs);
        vec_release(&segment->failures);
        vec_release(&segment->banks);
    }
    for (size_t i = 0; i < session->simulated.len; i++) sim_release(&session->simulated.items[i].sim);
    vec_release(&session->details);
    vec_release(&session->devices);
    vec_release(&session->frames);
    recent_release(&session->tensors);
    recent_release(&session->buffers);
    recent_release(&session->uses);
    recent_release(&session->created);
    recent_release(&session->created_ids);
    vec_release(&session->pending_outputs);
    vec_release(&session->output_counters);
    vec_release(&session->simulated);
    vec_release(&session->argument_ids);
    graph_trace_release(&session->trace);
    graph_timeline_release(&session->timeline);
    map_release(&session->children);
    map_release(&session->circular_rows);
    graph_reader_release(&session->reader);
    usage_release(&session->usage);
    segments_release(&session->segments);
    strtab_release(&session->texts);
    *session = (struct graph_session){0};
}
