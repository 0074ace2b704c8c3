/* SPDX-License-Identifier: Apache-2.0 */
/* A report database of ttnn as a run. Each device of each rank is a rank of the run, with its ops and the buffers that it
 * has after each. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/num.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "input/ttnn/inside.h"
#include "input/ttnn/open.h"
#include "model/run.h"
#include "parse/foreign/graph_or_end.h"
#include "parse/foreign/ttnn_db.h"
#include "parse/ttnn_words.h"

/* Reserved at the start of DRAM: profiler, device print, command queues. The allocator gives out the lowest address first,
 * so the lowest one ever seen is its base; if it is higher up, earlier buffers may have been there. */
enum { MOST_RESERVED_DRAM = 64 << 20, ALL_POOLS = (1 << POOL_COUNT) - 1 };

/* A device of a rank, and what is known about its memory. */
struct db_device {
    struct ttnn_place place;
    uint16_t rank; /* of the run */
    struct sim_map map;
    uint64_t dram_end, l1_end; /* upper ends of buffer addresses: those of the chip, or of any chip if it is unknown */
    struct inside inside;
};

struct db_report {
    struct ttnn_db *db;
    struct run *run;
    struct buffers *builder;
    struct arena texts;
    struct map by_id;      /* rank and id -> index into db.tensors + 1 */
    struct map by_address; /* rank, address and buffer type -> the tensor last used there */
    VEC(struct db_device) devices;
    /* the current op */
    VEC(struct ttnn_buffer) rows; /* alive after it */
    struct ttnn_buffer ahead;     /* the row that was read but belongs to a later op */
    bool has_ahead;
    const struct ttnn_use *outputs;
    size_t output_count;
    int64_t op_rank;
    bool begun; /* an op came, the last one from this rank */
    int64_t begun_rank;
    size_t graph;            /* index of the next in db.graphs */
    struct slice name;       /* name of an op according to its nodes */
    VEC(uint64_t) allocated; /* addresses, from the nodes of the first op of a rank */
    uint64_t unlisted;       /* ops that have only rows of buffers */
    uint64_t impossible;     /* rows of buffers beyond the memory, or in an unknown one */
};

static struct hash128 key_of(int64_t a, int64_t b, int64_t c) {
    const int64_t key[] = {a, b, c};
    return hash_bytes(slice_of((const char *)key, sizeof key));
}

static void index_tensors(struct db_report *r) {
    for (uint32_t i = 0; i < r->db->tensors.len; i++) {
        const struct ttnn_tensor *t = &r->db->tensors.items[i];
        bool added;
        *map_at(&r->by_id, key_of(t->rank, t->id, 0), &added) = i + 1;
    }
}

static struct buffer_tensor tensor_of(struct db_report *r, const struct ttnn_tensor *t) {
    struct strbuf shape = {0};
    ttnn_shape(&shape, t->shape);
    struct buffer_tensor made = {.id = (uint64_t)t->id,
                                 .shape = arena_copy(&r->texts, strbuf_slice(&shape)),
                                 .dtype = ttnn_dtype(t->dtype),
                                 .tiled = ttnn_is_tiled(t->layout),
                                 .layout = (enum buffer_layout)ttnn_memory_layout(t->memory_config)};
    made.on_device = t->has_address && ttnn_pool(t->buffer_type, &made.pool);
    strbuf_release(&shape);
    return made;
}

/* --- devices --- */

static const struct chip *chip_of(const struct ttnn_device *device) {
    for (const struct chip *chip = chip_table; device && chip->name; chip++)
        for (unsigned i = 0; chip->l1_bytes == device->worker_l1_bytes && i < CHIP_L1_BANK_COUNTS; i++)
            if (chip->l1_bank_counts[i] && chip->l1_bank_counts[i] == device->l1_banks) return chip;
    return NULL;
}

static const struct ttnn_device *device_of(const struct ttnn_db *db, const struct ttnn_place *place) {
    for (size_t i = 0; i < db->devices.len; i++)
        if (db->devices.items[i].id == place->device && db->devices.items[i].rank == place->rank) return &db->devices.items[i];
    return NULL;
}

static void add_pools(struct db_report *r, struct db_device *d) {
    const struct ttnn_device *device = device_of(r->db, &d->place);
    const struct chip *chip = chip_of(device);
    d->map = sim_map_of(chip ? chip : &chip_table[0]);
    for (const struct chip *any = chip ? chip : chip_table; any->name; any++) {
        if (any->dram_view_bytes > d->dram_end) d->dram_end = any->dram_view_bytes;
        if (any->l1_bytes > d->l1_end) d->l1_end = any->l1_bytes;
        if (chip) break;
    }
    r->run->chip = chip ? chip : r->run->chip;
    if (!r->db->buffer_rows && !r->db->graphs.len) return; /* nothing shows what is allocated */
    if (device && device->l1_bank_bytes) {
        unsigned banks = device->l1_banks < UINT16_MAX ? (unsigned)device->l1_banks : 0;
        buffers_pool(r->builder, d->rank, POOL_L1, banks, device->l1_base > 0, device->l1_base, device->l1_bank_bytes);
        if (device->cb_limit > device->l1_bank_bytes)
            buffers_pool(r->builder, d->rank, POOL_L1_SMALL, banks, true, device->l1_base + device->l1_bank_bytes,
                         device->cb_limit - device->l1_bank_bytes);
        if (banks) d->map.l1_banks = banks;
        if (device->l1_base) d->map.l1_base = device->l1_base;
        if (device->worker_l1_bytes) d->map.l1_end = device->worker_l1_bytes;
    }
    if (!chip) return;
    uint64_t lowest = d->place.lowest_dram, base = chip->dram_unreserved_base;
    if (lowest < MOST_RESERVED_DRAM && lowest > 0) base = lowest;
    buffers_pool(r->builder, d->rank, POOL_DRAM, chip->dram_banks, true, base, chip->dram_view_bytes - base);
}

/* --- operations --- */

/* The range of rows that belong to an op, in a table sorted by rank and op; advances *at. */
#define ROWS_OF(table, at, op, begin, end)                                                                                  \
    size_t begin = *(at);                                                                                                   \
    while (begin < (table).len && ((table).items[begin].rank < (op)->rank ||                                                \
                                   ((table).items[begin].rank == (op)->rank && (table).items[begin].operation < (op)->id))) \
        begin++;                                                                                                            \
    size_t end = begin;                                                                                                     \
    while (end < (table).len && (table).items[end].rank == (op)->rank && (table).items[end].operation == (op)->id) end++;   \
    *(at) = end

struct db_cursor {
    size_t inputs, outputs, last_uses;
};

/* The tensor's bytes per bank: from the buffers after the op, else from those before it. 0: unknown. */
static uint64_t bank_bytes_of(const struct db_report *r, const struct ttnn_tensor *t, const struct db_device *d) {
    enum pool pool;
    for (size_t i = 0; i < r->rows.len; i++) {
        const struct ttnn_buffer *left = &r->rows.items[i];
        if (left->device == d->place.device && left->address == t->address && left->buffer_type == t->buffer_type)
            return left->bank_bytes;
    }
    return ttnn_pool(t->buffer_type, &pool) ? buffers_bytes_at(r->builder, d->rank, pool, t->address) : 0;
}

static size_t add_uses(struct db_report *r, const struct ttnn_use *uses, size_t count, const struct db_device *d,
                       struct buffer_tensor *out) {
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *known = map_find(&r->by_id, key_of(uses[i].rank, uses[i].tensor, 0));
        if (!known) continue;
        const struct ttnn_tensor *t = &r->db->tensors.items[*known - 1];
        uint32_t number = *known;
        bool added;
        out[made] = tensor_of(r, t);
        if (out[made].on_device) out[made].bank_bytes = bank_bytes_of(r, t, d);
        made++;
        if (t->has_address) *map_at(&r->by_address, key_of(t->rank, (int64_t)t->address, t->buffer_type), &added) = number;
    }
    return made;
}

static bool is_possible(const struct db_device *d, enum pool pool, const struct ttnn_buffer *b) {
    uint64_t end = pool == POOL_DRAM || pool == POOL_TRACE ? d->dram_end : d->l1_end;
    return b->bank_bytes <= end && b->address < end;
}

static void take_row(struct db_report *r, const struct db_device *d, const struct ttnn_buffer *row,
                     struct device_buffer buffer) {
    const uint32_t *known = map_find(&r->by_address, key_of(row->rank, (int64_t)row->address, row->buffer_type));
    struct buffer_tensor tensor;
    if (known) {
        tensor = tensor_of(r, &r->db->tensors.items[*known - 1]);
        tensor.layout = (enum buffer_layout)ttnn_layout_number(row->buffer_layout);
        buffer.tensor = &tensor;
    }
    buffers_take(r->builder, d->rank, &buffer);
}

static void add_buffers(struct db_report *r, const struct db_device *d) {
    buffers_all_begin(r->builder, d->rank);
    for (size_t i = 0; i < r->rows.len; i++) {
        const struct ttnn_buffer *b = &r->rows.items[i];
        struct device_buffer buffer = {.address = b->address, .bank_bytes = b->bank_bytes};
        if (b->device != d->place.device) continue;
        if (!ttnn_pool(b->buffer_type, &buffer.pool)) {
            r->impossible += b->buffer_type != MEM_SYSTEM_MEMORY;
            if (b->buffer_type != MEM_SYSTEM_MEMORY) r->run->unread_pools = ALL_POOLS;
            continue;
        }
        if (!is_possible(d, buffer.pool, b)) {
            r->impossible++;
            r->run->unread_pools |= (uint8_t)(1u << buffer.pool);
            continue;
        }
        if (!b->bank_bytes) continue;
        if (!buffers_keep(r->builder, d->rank, buffer.pool, b->address, b->bank_bytes)) take_row(r, d, b, buffer);
    }
    buffers_all_end(r->builder, d->rank);
}

/* --- inside an op --- */

/* A node names a mesh, a chip or nothing: it belongs to this device unless it names another one that has buffers. */
static bool is_of(const struct db_report *r, const struct db_device *d, const struct mem_event *event) {
    if (!event->has_device || event->device == (uint64_t)d->place.device) return true;
    for (size_t i = 0; i < r->devices.len; i++)
        if (r->devices.items[i].place.rank == r->op_rank && (uint64_t)r->devices.items[i].place.device == event->device)
            return false;
    return true;
}

/* The result of the op at that address. */
static bool output_at(struct db_report *r, const struct mem_event *event, struct buffer_tensor *out) {
    for (size_t i = 0; i < r->output_count; i++) {
        const uint32_t *known = map_find(&r->by_id, key_of(r->outputs[i].rank, r->outputs[i].tensor, 0));
        const struct ttnn_tensor *t = known ? &r->db->tensors.items[*known - 1] : NULL;
        if (!t || !t->has_address || t->address != event->address || t->buffer_type != (int64_t)event->type) continue;
        *out = tensor_of(r, t);
        return true;
    }
    return false;
}

static void pass_function(struct db_report *r, bool begins) {
    for (size_t i = 0; i < r->devices.len; i++) {
        struct inside *inside = &r->devices.items[i].inside;
        if (r->devices.items[i].place.rank != r->op_rank) continue;
        if (begins) inside_function_begins(inside);
        else inside_function_ends(inside);
    }
}

static bool take_node(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct db_report *r = context;
    struct buffer_tensor tensor;
    if (node->kind == NODE_FUNCTION_START || node->kind == NODE_FUNCTION_END)
        pass_function(r, node->kind == NODE_FUNCTION_START);
    if (!event) return true;
    bool known = event->kind == MEM_ALLOCATE && event->address && output_at(r, event, &tensor);
    for (size_t i = 0; i < r->devices.len; i++) {
        struct db_device *d = &r->devices.items[i];
        if (d->place.rank == r->op_rank && is_of(r, d, event)) inside_event(&d->inside, event, known ? &tensor : NULL);
    }
    return true;
}

static void replay(struct db_report *r, const struct ttnn_graph *graph) {
    struct graph_reader reader;
    struct slice text = {0};
    const struct graph_calls calls = {.node = take_node, .context = r};
    bool read = ttnn_db_graph_text(r->db, graph, &text);
    if (read) {
        graph_reader_begin(&reader, &calls);
        reader.capture = r->graph;
        graph_reader_take(&reader, text);
        enum graph_scan_end end = graph_reader_finish(&reader);
        r->run->l1.told |= reader.nodes > 0 && !r->db->programs_untold;
        read = reader.nodes && end == GRAPH_WHOLE && !reader.problems.unreadable;
        graph_reader_release(&reader);
    }
    r->run->l1.unreadable += !read;
    if (!read) r->run->unread_pools = ALL_POOLS;
}

/* --- buffers that existed before the op --- */

static bool note_allocation(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct db_report *r = context;
    (void)node;
    if (event && event->kind == MEM_ALLOCATE) vec_push(&r->allocated, event->address);
    return true;
}

/* The addresses that the nodes of an op allocate; false if they cannot be read. */
static bool read_allocations(struct db_report *r, const struct ttnn_graph *graph) {
    struct graph_reader reader;
    struct slice text = {0};
    const struct graph_calls calls = {.node = note_allocation, .context = r};
    vec_clear(&r->allocated);
    if (!ttnn_db_graph_text(r->db, graph, &text)) return false;
    graph_reader_begin(&reader, &calls);
    graph_reader_take(&reader, text);
    graph_reader_finish(&reader);
    bool read = reader.nodes > 0;
    graph_reader_release(&reader);
    return read;
}

static bool is_allocated(const struct db_report *r, uint64_t address) {
    for (size_t i = 0; i < r->allocated.len; i++)
        if (r->allocated.items[i] == address) return true;
    return false;
}

/* The nodes of the op, or NULL. */
static const struct ttnn_graph *graph_of(struct db_report *r, const struct ttnn_operation *op) {
    while (r->graph < r->db->graphs.len &&
           (r->db->graphs.items[r->graph].rank < op->rank ||
            (r->db->graphs.items[r->graph].rank == op->rank && r->db->graphs.items[r->graph].operation < op->id)))
        r->graph++;
    const struct ttnn_graph *graph = r->graph < r->db->graphs.len ? &r->db->graphs.items[r->graph] : NULL;
    return graph && graph->rank == op->rank && graph->operation == op->id ? graph : NULL;
}

/* A report begins in the middle of a program, or was cut out of one: a buffer that exists after its first op, which does not
 * allocate it, existed before. */
static void take_found(struct db_report *r, const struct ttnn_operation *op) {
    const struct ttnn_graph *graph = graph_of(r, op);
    if (!graph || !read_allocations(r, graph)) return;
    for (size_t i = 0; i < r->rows.len; i++) {
        const struct ttnn_buffer *b = &r->rows.items[i];
        struct device_buffer buffer = {.address = b->address, .bank_bytes = b->bank_bytes};
        if (!b->bank_bytes || !ttnn_pool(b->buffer_type, &buffer.pool) || is_allocated(r, b->address)) continue;
        for (size_t k = 0; k < r->devices.len; k++) {
            const struct db_device *d = &r->devices.items[k];
            if (d->place.rank == op->rank && d->place.device == b->device && is_possible(d, buffer.pool, b))
                take_row(r, d, b, buffer);
        }
    }
}

/* A buffer that exists after a later op whose nodes do not name it: it came without a node (a view, a given address) and
 * exists while the program runs, like results. */
static void take_unnamed(struct db_report *r, const struct ttnn_operation *op) {
    const struct ttnn_graph *graph = graph_of(r, op);
    struct slice text = {0};
    for (size_t i = 0; graph && i < r->rows.len; i++) {
        const struct ttnn_buffer *b = &r->rows.items[i];
        struct device_buffer buffer = {.address = b->address, .bank_bytes = b->bank_bytes};
        if (!b->bank_bytes || !ttnn_pool(b->buffer_type, &buffer.pool)) continue;
        for (size_t k = 0; k < r->devices.len; k++) {
            const struct db_device *d = &r->devices.items[k];
            if (d->place.rank != op->rank || d->place.device != b->device || !is_possible(d, buffer.pool, b)) continue;
            if (buffers_bytes_at(r->builder, d->rank, buffer.pool, b->address)) continue;
            char digits[NUM_ROOM];
            struct slice number = slice_of(digits, num_write_u64(digits, b->address));
            if (!text.len && !ttnn_db_graph_text(r->db, graph, &text)) return;
            if (slice_find(text, number) == SLICE_NONE) take_row(r, d, b, buffer);
        }
    }
}

static void replay_all(struct db_report *r, const struct ttnn_operation *op) {
    if (!r->begun || r->begun_rank != op->rank) take_found(r, op);
    else take_unnamed(r, op);
    r->begun = true;
    r->begun_rank = op->rank;
    for (size_t i = 0; i < r->devices.len; i++)
        if (r->devices.items[i].place.rank == op->rank) inside_begin(&r->devices.items[i].inside);
    for (; r->graph < r->db->graphs.len; r->graph++) {
        const struct ttnn_graph *graph = &r->db->graphs.items[r->graph];
        if (graph->rank > op->rank || (graph->rank == op->rank && graph->operation > op->id)) break;
        if (graph->rank == op->rank && graph->operation == op->id) replay(r, graph);
    }
    for (size_t i = 0; i < r->devices.len; i++)
        if (r->devices.items[i].place.rank == op->rank) inside_end(&r->devices.items[i].inside);
}

/* --- op by op --- */

static void read_rows(struct db_report *r, const struct ttnn_operation *op) {
    vec_clear(&r->rows);
    while (r->has_ahead || ttnn_db_next_buffer(r->db, &r->ahead)) {
        r->has_ahead = r->ahead.rank > op->rank || (r->ahead.rank == op->rank && r->ahead.operation > op->id);
        if (r->has_ahead) return;
        if (r->ahead.rank == op->rank && r->ahead.operation == op->id) vec_push(&r->rows, r->ahead);
    }
}

static void add_use(struct db_report *r, const struct ttnn_use *use, uint16_t rank) {
    const uint32_t *known = map_find(&r->by_id, key_of(use->rank, use->tensor, 0));
    const struct ttnn_tensor *t = known ? &r->db->tensors.items[*known - 1] : NULL;
    enum pool pool;
    if (t && t->has_address && ttnn_pool(t->buffer_type, &pool)) buffers_use(r->builder, rank, pool, t->address);
}

static bool take_name(void *context, const struct graph_node *node, const struct mem_event *event) {
    struct db_report *r = context;
    (void)event;
    if (node->kind != NODE_FUNCTION_START || !node->name.len) return true;
    r->name = arena_copy(&r->texts, node->name);
    return false;
}

/* The name of an op that is missing in the table of ops: that of its first function. */
static struct slice name_by_nodes(struct db_report *r, const struct ttnn_operation *op) {
    struct graph_reader reader;
    struct slice text = {0};
    const struct graph_calls calls = {.node = take_name, .context = r};
    r->name = SLICE("operation");
    for (size_t i = r->graph; i < r->db->graphs.len; i++) {
        const struct ttnn_graph *graph = &r->db->graphs.items[i];
        if (graph->rank > op->rank || (graph->rank == op->rank && graph->operation > op->id)) break;
        if (graph->rank != op->rank || graph->operation != op->id) continue;
        if (!ttnn_db_graph_text(r->db, graph, &text)) break;
        graph_reader_begin(&reader, &calls);
        graph_reader_take(&reader, text);
        graph_reader_release(&reader);
        break;
    }
    return r->name;
}

static void add_operation(struct db_report *r, struct db_cursor *at, const struct ttnn_operation *op) {
    ROWS_OF(r->db->inputs, &at->inputs, op, in_begin, in_end);
    ROWS_OF(r->db->outputs, &at->outputs, op, out_begin, out_end);
    ROWS_OF(r->db->last_uses, &at->last_uses, op, last_begin, last_end);
    size_t ins = in_end - in_begin, outs = out_end - out_begin;
    if (ins > INT16_MAX) ins = INT16_MAX;
    if (outs > INT16_MAX) outs = INT16_MAX;
    struct buffer_tensor *tensors = mem_alloc(sizeof *tensors * (ins + outs + 1));
    r->op_rank = op->rank;
    r->outputs = outs ? &r->db->outputs.items[out_begin] : NULL;
    r->output_count = outs;
    read_rows(r, op);
    if (r->db->broken) { /* what was alive after it is unknown */
        free(tensors);
        return;
    }
    for (size_t i = 0; i < r->devices.len; i++) {
        const struct db_device *d = &r->devices.items[i];
        if (d->place.rank != op->rank) continue;
        size_t operands = add_uses(r, ins ? &r->db->inputs.items[in_begin] : NULL, ins, d, tensors);
        size_t results = add_uses(r, r->outputs, outs, d, tensors + operands);
        struct buffer_op made = {.name = op->name.len ? op->name : name_by_nodes(r, op),
                                 .location = op->location,
                                 .line = op->id > 0 ? (uint64_t)op->id : 0,
                                 .operands = tensors,
                                 .operand_count = operands,
                                 .results = tensors + operands,
                                 .result_count = results};
        buffers_op(r->builder, d->rank, &made);
        bool frees = slice_ends(op->name, SLICE("deallocate"));
        for (size_t k = 0; k < ins && !frees; k++) add_use(r, &r->db->inputs.items[in_begin + k], d->rank);
        for (size_t k = last_begin; k < last_end; k++) add_use(r, &r->db->last_uses.items[k], d->rank);
        buffers_op_ends(r->builder, d->rank, op->duration_ns);
    }
    replay_all(r, op);
    for (size_t i = 0; i < r->devices.len && r->db->buffer_rows; i++)
        if (r->devices.items[i].place.rank == op->rank) add_buffers(r, &r->devices.items[i]);
    free(tensors);
}

/* Rows of buffers before those of `op` (NULL: after all others) that belong to an op in no table. */
static bool next_unlisted(struct db_report *r, const struct ttnn_operation *op, struct ttnn_operation *out) {
    if (!r->has_ahead) r->has_ahead = ttnn_db_next_buffer(r->db, &r->ahead);
    if (!r->has_ahead) return false;
    if (op && (r->ahead.rank > op->rank || (r->ahead.rank == op->rank && r->ahead.operation >= op->id))) return false;
    *out = (struct ttnn_operation){.rank = r->ahead.rank, .id = r->ahead.operation};
    r->unlisted++;
    return true;
}

static void add_device(struct db_report *r, const struct ttnn_place *place, bool alone) {
    struct strbuf name = {0};
    struct db_device d = {.place = *place};
    if (!alone) strbuf_addf(&name, "%lld,%lld", (long long)place->rank, (long long)place->device);
    d.rank = buffers_rank(r->builder, strbuf_slice(&name));
    strbuf_release(&name);
    add_pools(r, &d);
    vec_push(&r->devices, d);
}

/* The devices that have buffers, else those that the report lists, for every rank that has ops. */
static void find_places(const struct ttnn_db *db, ttnn_places *out) {
    for (size_t i = 0; i < db->places.len; i++) vec_push(out, db->places.items[i]);
    for (size_t i = 0; i < db->devices.len && !db->places.len && i < UINT8_MAX; i++)
        vec_push(out, ((struct ttnn_place){db->devices.items[i].rank, db->devices.items[i].id, UINT64_MAX}));
    for (size_t i = 0; i < db->operations.len; i++) {
        int64_t rank = db->operations.items[i].rank, device = 0;
        bool known = i && db->operations.items[i - 1].rank == rank;
        for (size_t k = 0; k < out->len && !known; k++) known = out->items[k].rank == rank;
        if (known || out->len >= UINT8_MAX) continue;
        for (size_t k = db->devices.len; k-- > 0;)
            if (db->devices.items[k].rank == rank) device = db->devices.items[k].id;
        vec_push(out, ((struct ttnn_place){rank, device, UINT64_MAX}));
    }
    if (!out->len) vec_push(out, ((struct ttnn_place){0, 0, UINT64_MAX}));
}

static void add_devices(struct db_report *r) {
    ttnn_places places = {0};
    find_places(r->db, &places);
    for (size_t i = 0; i < places.len; i++) add_device(r, &places.items[i], places.len == 1);
    vec_release(&places);
    for (size_t i = 0; i < r->devices.len; i++) {
        struct db_device *d = &r->devices.items[i];
        inside_init(&d->inside, r->builder, r->run, d->rank, &d->map);
    }
}

static bool ttnn_report_file_in(const char *folder, struct strbuf *file) {
    struct stat st;
    strbuf_clear(file);
    strbuf_addf(file, "%s/db.sqlite", folder);
    return stat(strbuf_text(file), &st) == 0 && S_ISREG(st.st_mode);
}

static void make_run(struct ttnn_db *db, struct run *run, uint64_t bytes) {
    struct db_report r = {.db = db, .run = run, .builder = buffers_begin(run, RUN_TTNN_REPORT, bytes)};
    struct db_cursor at = {0};
    index_tensors(&r);
    add_devices(&r);
    run->l1.step = NONE;
    for (size_t i = 0; i <= db->operations.len && !db->unexpected && !db->broken; i++) {
        const struct ttnn_operation *op = i < db->operations.len ? &db->operations.items[i] : NULL;
        struct ttnn_operation unlisted;
        while (next_unlisted(&r, op, &unlisted)) add_operation(&r, &at, &unlisted);
        if (op && !db->unexpected && !db->broken) add_operation(&r, &at, op);
    }
    run->warnings[WARN_PARTS_UNREAD] +=
        db->unread_tables + db->broken + ttnn_db_unreadable(db) + r.impossible + db->unlisted + r.unlisted;
    if (r.unlisted || db->no_buffers || db->some_operations || db->broken || ttnn_db_unreadable_buffers(db))
        run->unread_pools = ALL_POOLS;
    buffers_end(r.builder);
    for (size_t i = 0; i < r.devices.len; i++) inside_release(&r.devices.items[i].inside);
    vec_release(&r.devices);
    vec_release(&r.rows);
    vec_release(&r.allocated);
    map_release(&r.by_address);
    map_release(&r.by_id);
    arena_release(&r.texts);
}

/* Schema 3.3 is the newest that is known. */
static bool is_newer(struct slice version) {
    uint64_t major = 0, minor = 0;
    size_t used = num_read_u64(version, &major);
    if (used && used < version.len && version.ptr[used] == '.') num_read_u64(slice_skip(version, used + 1), &minor);
    return major > 3 || (major == 3 && minor > 3);
}

static int ttnn_report_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct ttnn_db db;
    struct hash128 content = run->content;
    struct sqlite3 *handle;
    bool older;
    if (ttnn_open(&handle, bytes, path, &older, err) != 0) return -1;
    int rc = ttnn_db_read(&db, handle, path, err);
    if (rc == 0 && !db.operations.len && !db.buffer_rows)
        rc = db.some_operations
                 ? err_set(err, ERR_INPUT, "%s cannot be read as a database: its tables of operations are damaged", path)
                 : err_set(err, ERR_LACKS, "%s is a ttnn report without ops", path);
    if (rc == 0) make_run(&db, run, bytes.len);
    if (rc == 0 && db.unexpected) {
        run_release(run);
        *run = (struct run){.content = content};
        ttnn_db_look_at_all(&db);
        db.unexpected = false;
        make_run(&db, run, bytes.len);
    }
    if (rc == 0 && db.no_buffers && db.buffer_rows) { /* none of them could be read, so nothing counts as 0 */
        run_release(run);
        *run = (struct run){.content = content};
        db.buffer_rows = 0;
        make_run(&db, run, bytes.len);
    }
    if (rc == 0 && db.per_core_l1) run->warnings[WARN_PER_CORE_L1] = 1;
    if (rc == 0 && is_newer(db.schema_version)) run->warnings[WARN_NEWER_SCHEMA]++;
    if (rc == 0 && older) run->warnings[WARN_PARTS_UNREAD]++;
    ttnn_db_release(&db);
    return rc;
}

const struct input_kind input_ttnn_report = {
    .name = "a ttnn report",
    .file_in = ttnn_report_file_in,
    .read_bytes = ttnn_report_read,
};

const struct input_kind input_ttnn_database = {
    .name = "a ttnn report database",
    .is_content = ttnn_db_looks_like,
    .read_bytes = ttnn_report_read,
};
