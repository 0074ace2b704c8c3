/* SPDX-License-Identifier: Apache-2.0 */
/* A report database of ttnn as a run. Each device of each rank is a rank of the run, with the operations on it and the buffers
 * that it holds after each. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/num.h"
#include "model/buffers.h"
#include "input/kinds.h"
#include "model/run.h"
#include "parse/foreign/ttnn_db.h"
#include "parse/ttnn_words.h"

/* Reserved at the front of DRAM: profiler, device print, command queues. The allocator hands out the lowest address first, so
 * that the lowest one ever seen is its base; when it is farther up, buffers of an earlier time may have been there. */
enum { MOST_RESERVED_DRAM = 64 << 20 };

struct db_report {
    const struct ttnn_db *db;
    struct run *run;
    struct buffers *builder;
    struct arena texts;
    struct map by_id;      /* rank and id -> index of db.tensors + 1 */
    struct map by_address; /* rank, address and buffer type -> the tensor that was last used there */
    struct map bank_bytes; /* device, address and buffer type -> bytes per bank of the buffer that was last there */
};

struct db_place {
    int64_t rank, device;
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

static const struct ttnn_device *device_of(const struct ttnn_db *db, struct db_place place) {
    for (size_t i = 0; i < db->devices.len; i++)
        if (db->devices.items[i].id == place.device && db->devices.items[i].rank == place.rank) return &db->devices.items[i];
    return NULL;
}

static uint64_t lowest_dram(const struct ttnn_db *db, struct db_place place) {
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < db->buffers.len; i++) {
        const struct ttnn_buffer *b = &db->buffers.items[i];
        if (b->rank == place.rank && b->device == place.device && b->buffer_type == 0 && b->address < lowest)
            lowest = b->address;
    }
    return lowest;
}

static void add_pools(struct db_report *r, struct db_place place, uint16_t rank) {
    const struct ttnn_device *device = device_of(r->db, place);
    const struct chip *chip = chip_of(device);
    if (device && device->l1_bank_bytes) {
        unsigned banks = device->l1_banks < UINT16_MAX ? (unsigned)device->l1_banks : 0;
        buffers_pool(r->builder, rank, POOL_L1, banks, device->l1_base > 0, device->l1_base, device->l1_bank_bytes);
        if (device->cb_limit > device->l1_bank_bytes)
            buffers_pool(r->builder, rank, POOL_L1_SMALL, banks, true, device->l1_base + device->l1_bank_bytes,
                         device->cb_limit - device->l1_bank_bytes);
    }
    if (!chip) return;
    uint64_t lowest = lowest_dram(r->db, place), base = chip->dram_unreserved_base;
    if (lowest < MOST_RESERVED_DRAM && lowest > 0) base = lowest;
    r->run->chip = chip;
    buffers_pool(r->builder, rank, POOL_DRAM, chip->dram_banks, true, base, chip->dram_view_bytes - base);
}

/* --- operations --- */

/* The range of rows that belong to an operation, in a table that is ordered by rank and operation; *at moves on. */
#define ROWS_OF(table, at, op, begin, end)                                                                                  \
    size_t begin = *(at);                                                                                                   \
    while (begin < (table).len && ((table).items[begin].rank < (op)->rank ||                                                \
                                   ((table).items[begin].rank == (op)->rank && (table).items[begin].operation < (op)->id))) \
        begin++;                                                                                                            \
    size_t end = begin;                                                                                                     \
    while (end < (table).len && (table).items[end].rank == (op)->rank && (table).items[end].operation == (op)->id) end++;   \
    *(at) = end

struct cursor {
    size_t inputs, outputs, buffers;
};

/* What the tensor takes of a bank: by the buffers that the operation leaves, else by those before it. 0: neither tells. */
static uint64_t bank_bytes_of(struct db_report *r, const struct ttnn_tensor *t, const struct ttnn_buffer *left, size_t count,
                              struct db_place place) {
    for (size_t i = 0; i < count; i++)
        if (left[i].device == place.device && left[i].address == t->address && left[i].buffer_type == t->buffer_type)
            return left[i].bank_bytes;
    const uint32_t *before = map_find(&r->bank_bytes, key_of(place.device, (int64_t)t->address, t->buffer_type));
    return before ? *before : 0;
}

static size_t add_uses(struct db_report *r, const struct ttnn_use *uses, size_t count, const struct ttnn_buffer *left,
                       size_t left_count, struct db_place place, struct buffer_tensor *out) {
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *known = map_find(&r->by_id, key_of(uses[i].rank, uses[i].tensor, 0));
        if (!known) continue;
        const struct ttnn_tensor *t = &r->db->tensors.items[*known - 1];
        uint32_t number = *known;
        bool added;
        out[made] = tensor_of(r, t);
        if (out[made].on_device) out[made].bank_bytes = bank_bytes_of(r, t, left, left_count, place);
        made++;
        if (t->has_address) *map_at(&r->by_address, key_of(t->rank, (int64_t)t->address, t->buffer_type), &added) = number;
    }
    return made;
}

static void add_buffers(struct db_report *r, const struct ttnn_buffer *buffers, size_t count, struct db_place place,
                        uint16_t rank) {
    buffers_all_begin(r->builder, rank);
    for (size_t i = 0; i < count; i++) {
        const struct ttnn_buffer *b = &buffers[i];
        struct device_buffer buffer = {.address = b->address, .bank_bytes = b->bank_bytes};
        if (b->device != place.device || !ttnn_pool(b->buffer_type, &buffer.pool)) continue;
        const uint32_t *known = map_find(&r->by_address, key_of(b->rank, (int64_t)b->address, b->buffer_type));
        struct buffer_tensor tensor;
        if (known) {
            tensor = tensor_of(r, &r->db->tensors.items[*known - 1]);
            tensor.layout = (enum buffer_layout)ttnn_layout_number(b->buffer_layout);
            buffer.tensor = &tensor;
        }
        buffers_take(r->builder, rank, &buffer);
        bool added;
        if (b->bank_bytes < UINT32_MAX)
            *map_at(&r->bank_bytes, key_of(place.device, (int64_t)b->address, b->buffer_type), &added) =
                (uint32_t)b->bank_bytes;
    }
    buffers_all_end(r->builder, rank);
}

static void add_use(struct db_report *r, const struct ttnn_use *use, uint16_t rank) {
    const uint32_t *known = map_find(&r->by_id, key_of(use->rank, use->tensor, 0));
    const struct ttnn_tensor *t = known ? &r->db->tensors.items[*known - 1] : NULL;
    enum pool pool;
    if (t && t->has_address && ttnn_pool(t->buffer_type, &pool)) buffers_use(r->builder, rank, pool, t->address);
}

static void add_operation(struct db_report *r, struct cursor *at, uint32_t number, struct db_place place, uint16_t rank) {
    const struct ttnn_operation *op = &r->db->operations.items[number];
    ROWS_OF(r->db->inputs, &at->inputs, op, in_begin, in_end);
    ROWS_OF(r->db->outputs, &at->outputs, op, out_begin, out_end);
    ROWS_OF(r->db->buffers, &at->buffers, op, buffers_begin, buffers_end);
    size_t ins = in_end - in_begin, outs = out_end - out_begin;
    if (ins > INT16_MAX) ins = INT16_MAX;
    if (outs > INT16_MAX) outs = INT16_MAX;
    struct buffer_tensor *tensors = mem_alloc(sizeof *tensors * (ins + outs + 1));
    size_t held = buffers_end - buffers_begin;
    const struct ttnn_buffer *left = held ? &r->db->buffers.items[buffers_begin] : NULL;
    size_t operands = add_uses(r, ins ? &r->db->inputs.items[in_begin] : NULL, ins, left, held, place, tensors);
    size_t results = add_uses(r, outs ? &r->db->outputs.items[out_begin] : NULL, outs, left, held, place, tensors + operands);
    struct buffer_op made = {.name = op->name.len ? op->name : SLICE("operation"),
                             .line = op->id > 0 ? (uint64_t)op->id : 0,
                             .operands = tensors,
                             .operand_count = operands,
                             .results = tensors + operands,
                             .result_count = results};
    buffers_op(r->builder, rank, &made);
    bool frees = slice_ends(op->name, SLICE("deallocate"));
    for (size_t i = 0; i < ins && !frees; i++) add_use(r, &r->db->inputs.items[in_begin + i], rank);
    buffers_op_ends(r->builder, rank, op->duration_ns);
    add_buffers(r, left, held, place, rank);
    free(tensors);
}

/* --- ranks --- */

typedef VEC(struct db_place) places;

static void add_place(places *known, int64_t rank, int64_t device) {
    for (size_t i = 0; i < known->len; i++)
        if (known->items[i].rank == rank && known->items[i].device == device) return;
    if (known->len < UINT8_MAX) vec_push(known, ((struct db_place){rank, device}));
}

static void find_places(const struct ttnn_db *db, places *found) {
    int64_t last_rank = -1, last_device = -1;
    for (size_t i = 0; i < db->buffers.len; i++) {
        const struct ttnn_buffer *b = &db->buffers.items[i];
        if (i && b->rank == last_rank && b->device == last_device) continue;
        add_place(found, last_rank = b->rank, last_device = b->device);
    }
    for (size_t i = 0; i < db->devices.len && !found->len; i++)
        add_place(found, db->devices.items[i].rank, db->devices.items[i].id);
    if (!found->len) add_place(found, db->operations.len ? db->operations.items[0].rank : 0, 0);
}

static void add_rank(struct db_report *r, struct db_place place, bool alone) {
    struct strbuf name = {0};
    struct cursor at = {0};
    map_release(&r->bank_bytes);
    if (!alone) strbuf_addf(&name, "%lld,%lld", (long long)place.rank, (long long)place.device);
    uint16_t rank = buffers_rank(r->builder, strbuf_slice(&name));
    strbuf_release(&name);
    add_pools(r, place, rank);
    for (uint32_t i = 0; i < r->db->operations.len; i++)
        if (r->db->operations.items[i].rank == place.rank) add_operation(r, &at, i, place, rank);
}

bool ttnn_report_file_in(const char *folder, struct strbuf *file) {
    struct stat st;
    strbuf_clear(file);
    strbuf_addf(file, "%s/db.sqlite", folder);
    return stat(strbuf_text(file), &st) == 0 && S_ISREG(st.st_mode);
}

bool ttnn_report_looks_like(struct slice bytes) { return ttnn_db_looks_like(bytes); }

int ttnn_report_read(struct run *run, struct slice bytes, const char *path, struct err *err) {
    struct ttnn_db db;
    places found = {0};
    int rc = ttnn_db_read(&db, bytes, path, err);
    if (rc == 0 && !db.operations.len) rc = err_set(err, ERR_LACKS, "%s is a report of ttnn without operations", path);
    if (rc == 0) {
        struct db_report r = {.db = &db, .run = run, .builder = buffers_begin(run, RUN_TTNN_REPORT, bytes.len)};
        index_tensors(&r);
        find_places(&db, &found);
        for (size_t i = 0; i < found.len; i++) add_rank(&r, found.items[i], found.len == 1);
        buffers_end(r.builder);
        map_release(&r.by_address);
        map_release(&r.bank_bytes);
        map_release(&r.by_id);
        arena_release(&r.texts);
    }
    vec_release(&found);
    ttnn_db_release(&db);
    return rc;
}
