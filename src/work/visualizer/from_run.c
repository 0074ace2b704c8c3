/* SPDX-License-Identifier: Apache-2.0 */
/* Any run: its ops, tensors and what is alive after each op. If the input has no addresses (a log), buffers are where the
 * simulated allocator puts them in the order in which they came, and the database says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/live.h"
#include "base/num.h"
#include "device/allocator.h"
#include "device/chip.h"
#include "model/buffer/block_bytes.h"
#include "work/visualizer/run_nodes.h"
#include "work/visualizer/visualizer_export.h"

struct from_run {
    struct visualizer *v;
    const struct run *run;
    const struct visualizer_wish *wish;
    uint64_t *addresses; /* of the tensors; 0: none */
    uint32_t *ids;       /* of a step's op, 0: none */
    struct allocator pools[POOL_COUNT];
    bool ready[POOL_COUNT];
    const struct chip *chip;
    bool own;              /* addresses are those of the input */
    bool has_unattributed; /* a row represents unattributed memory */
    struct run_nodes nodes;
};

static bool is_buffer(const struct run *run, const struct tensor *t) {
    return t->class != TENSOR_CIRCULAR_BUFFER && tensor_on_device(&run->types.items[t->type]);
}

static enum pool pool_of(const struct run *run, const struct tensor *t) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (tensor_in_pool(run, t, (enum pool)pool)) return (enum pool)pool;
    return POOL_COUNT;
}

/* --- addresses --- */

/* What the run reserves at the top of L1. */
static uint64_t small_bytes(const struct run *run, const struct chip *chip) {
    uint64_t most = 0;
    for (size_t i = 0; i < run->configs.len; i++) {
        const struct pool_config *config = &run->configs.items[i];
        uint64_t bytes = config->pool == POOL_L1_SMALL ? (uint64_t)config_bytes(config) : 0;
        if (bytes > most) most = bytes;
    }
    return most < chip->l1_bytes - chip->l1_unreserved_base ? most : 0;
}

static void start_pools(struct from_run *f, const struct chip *chip) {
    uint64_t small_base = chip->l1_bytes - small_bytes(f->run, chip);
    const struct {
        enum pool pool;
        uint64_t base, end;
    } regions[] = {{POOL_DRAM, chip->dram_unreserved_base, chip->dram_view_bytes},
                   {POOL_L1, chip->l1_unreserved_base, small_base},
                   {POOL_L1_SMALL, small_base, chip->l1_bytes}};
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        if (regions[i].end > regions[i].base)
            f->ready[regions[i].pool] = allocator_init(&f->pools[regions[i].pool], regions[i].base,
                                                       regions[i].end - regions[i].base, chip->dram_align) == ALLOCATOR_OK;
}

static void end_pools(struct from_run *f) {
    for (unsigned i = 0; i < POOL_COUNT; i++) {
        if (f->ready[i]) allocator_release(&f->pools[i]);
        f->ready[i] = false;
    }
}

struct move {
    uint32_t step, tensor;
    bool comes;
};

/* Frees come before allocations of the same step, to make room. */
static int by_step(const void *a, const void *b) {
    const struct move *x = a, *y = b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->comes != y->comes) return x->comes ? 1 : -1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

typedef VEC(struct move) moves;

/* `programs`: includes the memory of programs. */
static void moves_of(const struct run *run, uint16_t rank, bool programs, moves *out) {
    vec_clear(out);
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *t = &run->tensors.items[i];
        bool counts = is_buffer(run, t) || (programs && t->class == TENSOR_CIRCULAR_BUFFER);
        if (t->rank != rank || !counts || t->gone <= t->born) continue; /* never alive */
        vec_push(out, ((struct move){t->born, i, true}));
        if (t->gone != NONE) vec_push(out, ((struct move){t->gone, i, false}));
    }
    if (out->len) qsort(out->items, out->len, sizeof *out->items, by_step);
}

static void place(struct from_run *f, const moves *all, const struct chip *chip) {
    start_pools(f, chip);
    for (size_t i = 0; i < all->len; i++) {
        uint32_t id = all->items[i].tensor;
        const struct tensor *t = &f->run->tensors.items[id];
        enum pool pool = pool_of(f->run, t);
        if (pool == POOL_COUNT || !f->ready[pool]) continue;
        uint64_t bytes = tensor_per_bank_bytes(&f->run->types.items[t->type], &f->run->geometry);
        if (!all->items[i].comes) {
            if (f->addresses[id]) allocator_free(&f->pools[pool], f->addresses[id]);
        } else if (bytes && allocator_take(&f->pools[pool], bytes, pool == POOL_DRAM, &f->addresses[id]) != ALLOCATOR_OK) {
            f->addresses[id] = 0; /* it does not fit the simulated device, so it has no address */
        }
    }
    end_pools(f);
}

/* --- rows --- */

/* "1x32x4" -> "Shape([1, 32, 4])" */
static void add_shape(struct strbuf *out, struct slice shape) {
    strbuf_addz(out, "Shape([");
    for (size_t i = 0; i < shape.len; i++)
        if (shape.ptr[i] == 'x') strbuf_addz(out, ", ");
        else strbuf_addc(out, shape.ptr[i]);
    strbuf_addz(out, "])");
}

static void add_dtype(struct strbuf *out, struct slice dtype) {
    static const struct {
        const char *own, *theirs;
    } names[] = {{"bf16", "BFLOAT16"}, {"f32", "FLOAT32"}, {"bfp_bf8", "BFLOAT8_B"}, {"bfp_bf4", "BFLOAT4_B"},
                 {"si32", "INT32"},    {"i32", "INT32"},   {"ui32", "UINT32"},       {"u32", "UINT32"},
                 {"ui16", "UINT16"},   {"u16", "UINT16"},  {"ui8", "UINT8"},         {"u8", "UINT8"}};
    strbuf_addz(out, "DataType.");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(dtype, slice_from(names[i].own))) {
            strbuf_addz(out, names[i].theirs);
            return;
        }
    strbuf_add(out, dtype);
}

static const int64_t layout_numbers[] = {[LAYOUT_NONE] = 0,          [LAYOUT_INTERLEAVED] = 0,   [LAYOUT_HEIGHT_SHARDED] = 2,
                                         [LAYOUT_WIDTH_SHARDED] = 3, [LAYOUT_BLOCK_SHARDED] = 4, [LAYOUT_ND_SHARDED] = 5};
static const int64_t type_numbers[POOL_COUNT] = {[POOL_DRAM] = 0, [POOL_L1] = 1, [POOL_L1_SMALL] = 3, [POOL_TRACE] = 4};

static void write_tensor(struct from_run *f, uint32_t id) {
    const struct tensor *t = &f->run->tensors.items[id];
    const struct tensor_type *type = &f->run->types.items[t->type];
    static const char *const layouts[] = {"INTERLEAVED",   "INTERLEAVED",   "HEIGHT_SHARDED",
                                          "WIDTH_SHARDED", "BLOCK_SHARDED", "ND_SHARDED"};
    struct strbuf shape = {0}, dtype = {0}, config = {0};
    enum pool pool = pool_of(f->run, t);
    if (!is_buffer(f->run, t) || pool == POOL_COUNT) return;
    add_shape(&shape, type->shape);
    add_dtype(&dtype, type->dtype);
    strbuf_addf(&config, "MemoryConfig(memory_layout=TensorMemoryLayout::%s,buffer_type=BufferType::%s)",
                layouts[type->memory_layout],
                pool == POOL_DRAM    ? "DRAM"
                : pool == POOL_L1    ? "L1"
                : pool == POOL_TRACE ? "TRACE"
                                     : "L1_SMALL");
    visualizer_row(f->v, VIS_TENSORS, "issssioii", (int64_t)id + 1, strbuf_slice(&shape), strbuf_slice(&dtype),
                   type->tiled ? SLICE("Layout.TILE") : SLICE("Layout.ROW_MAJOR"), strbuf_slice(&config), (int64_t)0,
                   (int)(f->addresses[id] != 0), (int64_t)f->addresses[id], type_numbers[pool], (int64_t)t->rank);
    if (f->addresses[id])
        visualizer_row(f->v, VIS_DEVICE_TENSORS, "iiii", (int64_t)id + 1, (int64_t)0, (int64_t)f->addresses[id],
                       (int64_t)t->rank);
    strbuf_release(&shape);
    strbuf_release(&dtype);
    strbuf_release(&config);
}

static bool in_range(const struct from_run *f, uint32_t id) {
    return !f->wish->has_range || (id >= f->wish->first && id <= f->wish->last);
}

static void write_operation(struct from_run *f, uint32_t at) {
    const struct run *run = f->run;
    const struct step *step = &run->steps.items[at];
    int64_t id = f->ids[at], rank = step->rank;
    double seconds = at < run->times.len ? (double)run->times.items[at].duration_ns / 1e9 : 0;
    visualizer_row(f->v, VIS_OPERATIONS, "isdi", id, step_name(run, step), seconds, rank);
    visualizer_row(f->v, VIS_NODES, "iiisi", id, id, id, step_name(run, step), rank);
    if (step->op == NONE) return;
    struct slice location = run_string(run, run->ops.items[step->op].display);
    if (location.len) visualizer_row(f->v, VIS_OPERATION_ARGUMENTS, "issi", id, SLICE("location"), location, rank);
}

/* Results of ops, and who took them last: all that a run keeps about uses. */
static void write_uses(struct from_run *f) {
    const struct run *run = f->run;
    struct idmap made = {0}, taken = {0};
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *t = &run->tensors.items[i];
        if (!is_buffer(run, t) || pool_of(run, t) == POOL_COUNT) continue;
        uint32_t producer = t->producer == NONE ? 0 : f->ids[t->producer], user = t->last_use == NONE ? 0 : f->ids[t->last_use];
        const struct {
            uint32_t id, step;
            enum visualizer_table table;
            struct idmap *counts;
        } uses[] = {{producer, t->producer, VIS_OUTPUT_TENSORS, &made}, {user, t->last_use, VIS_INPUT_TENSORS, &taken}};
        for (size_t k = 0; k < 2; k++) {
            if (!uses[k].id || !in_range(f, uses[k].id)) continue;
            const uint32_t *known = idmap_find(uses[k].counts, uses[k].step);
            uint32_t index = known ? *known : 0;
            visualizer_row(f->v, uses[k].table, "iiii", (int64_t)uses[k].id, (int64_t)index, (int64_t)i + 1, (int64_t)t->rank);
            idmap_set(uses[k].counts, uses[k].step, index + 1);
        }
    }
    idmap_release(&made);
    idmap_release(&taken);
}

/* What a pool has after an op: the live tensors, and their addresses. */
struct held {
    uint64_t bytes, lowest, end;
};

/* Logs round to thousandths of a MB: a smaller difference does not count. */
enum { ROUNDING = 1049 };

static void take_measured(const struct run *run, const struct step *step, uint64_t *most) {
    const struct block *block = step->block == NONE ? NULL : &run->blocks.items[step->block];
    for (unsigned pool = 0; block && pool < POOL_COUNT; pool++) {
        uint64_t bytes = block->have >> pool & 1 ? (uint64_t)block_allocated_bytes(run, block, pool) : 0;
        if (bytes > most[pool]) most[pool] = bytes;
    }
}

/* Measured memory that no tensor explains is an anonymous buffer: directly below those of L1, above those of DRAM. */
static uint64_t unattributed_address(const struct from_run *f, unsigned pool, const struct held *held, uint64_t bytes) {
    const struct chip *chip = f->chip;
    const uint64_t tops[POOL_COUNT] = {
        [POOL_L1] = chip->l1_bytes - small_bytes(f->run, chip), [POOL_L1_SMALL] = chip->l1_bytes};
    if (!tops[pool]) return held->bytes ? held->end : chip->dram_unreserved_base;
    uint64_t end = held->bytes ? held->lowest : tops[pool];
    return end > bytes ? end - bytes : 1;
}

/* What was measured before the first op of the rank and exceeds the state after it: inside that op. */
static void write_earlier(struct from_run *f, uint32_t at, const struct held *held, const uint64_t *most) {
    const struct run *run = f->run;
    uint64_t before[POOL_COUNT] = {0};
    bool any = false;
    for (uint32_t i = 0; i <= at; i++)
        if (run->steps.items[i].rank == run->steps.items[at].rank) take_measured(run, &run->steps.items[i], before);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        uint64_t there = most[pool] > held[pool].bytes ? most[pool] : held[pool].bytes, bytes = before[pool] - there;
        if (before[pool] <= there + ROUNDING) continue;
        if (!any) run_nodes_begin(&f->nodes, step_name(run, &run->steps.items[at]));
        any = true;
        /* beside what is there after the op: it counts as existing before */
        const struct node_buffer buffer = {
            .type = type_numbers[pool],
            .address = unattributed_address(f, pool, &held[pool], there - held[pool].bytes + bytes),
            .bank_bytes = bytes,
            .banks = 1,
            .layout = "INTERLEAVED"};
        run_nodes_allocate(&f->nodes, &buffer);
        run_nodes_free(&f->nodes, &buffer);
    }
    if (!any) return;
    run_nodes_end(&f->nodes, f->v, step_name(run, &run->steps.items[at]), f->ids[at], run->steps.items[at].rank);
    f->has_unattributed = true;
}

static void write_unattributed(struct from_run *f, uint32_t at, uint32_t after, const struct held *held) {
    const struct run *run = f->run;
    uint64_t most[POOL_COUNT] = {0};
    for (uint32_t i = after; i < run->steps.len; i++) {
        if (run->steps.items[i].rank != run->steps.items[at].rank) continue;
        take_measured(run, &run->steps.items[i], most);
        if (f->ids[i]) break;
    }
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        uint64_t measured = most[pool], bytes = measured - held[pool].bytes;
        if (measured <= held[pool].bytes + (held[pool].bytes ? ROUNDING : 0)) continue;
        visualizer_row(f->v, VIS_BUFFERS, "iiiiiii", (int64_t)f->ids[at], (int64_t)0,
                       (int64_t)unattributed_address(f, pool, &held[pool], bytes), (int64_t)bytes, type_numbers[pool],
                       (int64_t)0, (int64_t)run->steps.items[at].rank);
        f->has_unattributed = true;
    }
    if (f->ids[at] == 1) write_earlier(f, at, held, most);
}

/* --- higher states in between --- */

static const char *const layout_names[] = {[LAYOUT_NONE] = "INTERLEAVED",
                                           [LAYOUT_INTERLEAVED] = "INTERLEAVED",
                                           [LAYOUT_HEIGHT_SHARDED] = "HEIGHT_SHARDED",
                                           [LAYOUT_WIDTH_SHARDED] = "WIDTH_SHARDED",
                                           [LAYOUT_BLOCK_SHARDED] = "BLOCK_SHARDED",
                                           [LAYOUT_ND_SHARDED] = "UNKNOWN"};

static uint64_t bytes_of(const struct from_run *f, uint32_t id) {
    return tensor_per_bank_bytes(&f->run->types.items[f->run->tensors.items[id].type], &f->run->geometry);
}

/* Are the pool and the address of a move known? */
static bool is_told(const struct from_run *f, const struct move *move, enum pool *pool) {
    const struct tensor *t = &f->run->tensors.items[move->tensor];
    *pool = t->class == TENSOR_CIRCULAR_BUFFER ? POOL_L1 : pool_of(f->run, t);
    return *pool != POOL_COUNT && (f->addresses[move->tensor] || t->class == TENSOR_CIRCULAR_BUFFER);
}

static void program_nodes(struct from_run *f, uint32_t id) {
    const struct run *run = f->run;
    const struct tensor *t = &run->tensors.items[id];
    struct slice dtype = run->types.items[t->type].dtype;
    enum node_program kind = slice_find(dtype, SLICE("dataflow")) != SLICE_NONE     ? NODE_PROGRAM_DATAFLOW
                             : slice_find(dtype, SLICE("scratchpad")) != SLICE_NONE ? NODE_PROGRAM_SCRATCHPAD
                                                                                    : NODE_PROGRAM_CIRCULAR;
    uint64_t bytes = bytes_of(f, id), most = 0;
    size_t first = 0;
    while (first < run->l1_areas.len && run->l1_areas.items[first].step < t->born) first++;
    for (size_t i = first; i < run->l1_areas.len && run->l1_areas.items[i].step == t->born; i++)
        if (run->l1_areas.items[i].cores.x1 < UINT16_MAX && run->l1_areas.items[i].bytes > most)
            most = run->l1_areas.items[i].bytes;
    /* areas describe the program as a whole: the place of one part among several is unknown */
    for (size_t i = first; most == bytes && i < run->l1_areas.len && run->l1_areas.items[i].step == t->born; i++)
        run_nodes_program(&f->nodes, kind, f->addresses[id], run->l1_areas.items[i].bytes, run->l1_areas.items[i].cores);
    if (most != bytes) run_nodes_program(&f->nodes, kind, f->addresses[id], bytes, (struct core_range){0, 0, 0, 0});
}

static void write_moves(struct from_run *f, uint32_t at, const struct move *made, size_t count) {
    const struct run *run = f->run;
    struct slice name = step_name(run, &run->steps.items[at]);
    run_nodes_begin(&f->nodes, name);
    for (size_t i = 0; i < count; i++) {
        const struct move *move = &made[i];
        const struct tensor *t = &run->tensors.items[move->tensor];
        enum pool pool;
        if (!is_told(f, move, &pool)) continue;
        if (t->class == TENSOR_CIRCULAR_BUFFER) {
            if (move->comes) program_nodes(f, move->tensor);
            else run_nodes_release_program(&f->nodes);
            continue;
        }
        const struct node_buffer buffer = {.type = type_numbers[pool],
                                           .address = f->addresses[move->tensor],
                                           .bank_bytes = bytes_of(f, move->tensor),
                                           .banks = pool == POOL_L1 ? run->geometry.l1_banks : run->geometry.dram_banks,
                                           .layout = layout_names[run->types.items[t->type].memory_layout]};
        if (move->comes) run_nodes_allocate(&f->nodes, &buffer);
        else run_nodes_free(&f->nodes, &buffer);
    }
    run_nodes_end(&f->nodes, f->v, name, f->ids[at], run->steps.items[at].rank);
}

/* Bytes of the pools while the moves are made; moves within one step happen at once. */
struct levels {
    uint64_t now[POOL_COUNT], most[POOL_COUNT];
};

static void level_moves(const struct from_run *f, const struct move *made, size_t count, struct levels *levels) {
    enum pool pool;
    for (size_t i = 0; i < count; i++) {
        if (!is_told(f, &made[i], &pool)) continue;
        if (made[i].comes) levels->now[pool] += bytes_of(f, made[i].tensor);
        else levels->now[pool] -= bytes_of(f, made[i].tensor);
        if (levels->now[pool] > levels->most[pool]) levels->most[pool] = levels->now[pool];
    }
}

/* The moves up to the state after an op, also those after its last state if nothing before was as high. `levels` are those
 * before it. */
static void write_between(struct from_run *f, uint32_t at, const moves *all, size_t from, size_t to, bool is_last,
                          struct levels *levels) {
    struct levels here = *levels, rest;
    bool higher = false;
    memcpy(here.most, here.now, sizeof here.most);
    level_moves(f, all->items + from, to - from, &here);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        higher |= here.most[pool] > levels->now[pool] && here.most[pool] > here.now[pool];
        if (here.most[pool] > levels->most[pool]) levels->most[pool] = here.most[pool];
    }
    memcpy(levels->now, here.now, sizeof here.now);
    rest = *levels;
    if (is_last) level_moves(f, all->items + to, all->len - to, &rest);
    bool later = memcmp(rest.most, levels->most, sizeof rest.most) != 0;
    if ((higher || later) && in_range(f, f->ids[at])) write_moves(f, at, all->items + from, (later ? all->len : to) - from);
}

static void note_held(struct held *held, uint64_t address, uint64_t bytes) {
    if (!held->bytes || address < held->lowest) held->lowest = address;
    if (address + bytes > held->end) held->end = address + bytes;
    held->bytes += bytes;
}

/* What is alive when the next step begins exists after the op. */
static void write_buffers(struct from_run *f, uint16_t rank, const moves *all) {
    const struct run *run = f->run;
    VEC(uint32_t) alive = {0};
    struct idmap places = {0};
    struct levels levels = {0};
    uint32_t last = 0;
    size_t next = 0;
    for (uint32_t at = 0; at < run->steps.len; at++)
        if (run->steps.items[at].rank == rank && f->ids[at]) last = at;
    for (uint32_t at = 0; at < run->steps.len; at++) {
        if (run->steps.items[at].rank != rank || !f->ids[at]) continue;
        size_t first = next;
        uint32_t after = at + 1;
        while (after < run->steps.len && (run->steps.items[after].rank != rank || run->steps.items[after].flags & STEP_INSIDE))
            after++;
        for (; next < all->len && all->items[next].step <= after; next++) {
            uint32_t id = all->items[next].tensor;
            const uint32_t *known = idmap_find(&places, id);
            if (!is_buffer(run, &run->tensors.items[id])) continue;
            if (all->items[next].comes) {
                idmap_set(&places, id, (uint32_t)alive.len);
                vec_push(&alive, id);
            } else if (known) {
                uint32_t hole = *known;
                alive.items[hole] = vec_last(&alive);
                idmap_set(&places, alive.items[hole], hole);
                idmap_remove(&places, id);
                alive.len--;
            }
        }
        struct held held[POOL_COUNT] = {0};
        for (size_t i = 0; in_range(f, f->ids[at]) && i < alive.len; i++) {
            const struct tensor *t = &run->tensors.items[alive.items[i]];
            const struct tensor_type *type = &run->types.items[t->type];
            enum pool pool = pool_of(run, t);
            if (!f->addresses[alive.items[i]] || pool == POOL_COUNT) continue;
            visualizer_row(f->v, VIS_BUFFERS, "iiiiiii", (int64_t)f->ids[at], (int64_t)0, (int64_t)f->addresses[alive.items[i]],
                           (int64_t)tensor_per_bank_bytes(type, &run->geometry), type_numbers[pool],
                           layout_numbers[type->memory_layout], (int64_t)rank);
            note_held(&held[pool], f->addresses[alive.items[i]], tensor_per_bank_bytes(type, &run->geometry));
        }
        if (f->own && !f->wish->no_addresses) write_between(f, at, all, first, next, at == last, &levels);
        if (!f->own && !f->wish->no_addresses && in_range(f, f->ids[at])) write_unattributed(f, at, after, held);
    }
    vec_release(&alive);
    idmap_release(&places);
}

/* A rank may be on another chip than the others: then judged by the size of its DRAM banks. */
static const struct chip *chip_of_rank(const struct run *run, size_t rank, const struct chip *chip) {
    int64_t bytes = 0;
    for (size_t i = 0; i < run->blocks.len && !bytes; i++) {
        const struct block *block = &run->blocks.items[i];
        if (run->steps.items[block->step].rank == rank && block->have & 1 << POOL_DRAM)
            bytes = config_bytes(block_config(run, block, POOL_DRAM));
    }
    if (bytes <= (int64_t)chip->dram_view_bytes) return chip;
    for (const struct chip *other = chip_table; other->name; other++)
        if (other == chip_of_arch(other) && bytes <= (int64_t)other->dram_view_bytes) return other;
    return chip;
}

static void write_devices(struct from_run *f, const struct chip *chip_of_run) {
    for (size_t i = 0; i < f->run->ranks.len; i++) {
        const struct chip *chip = chip_of_rank(f->run, i, chip_of_run);
        uint64_t banks = f->run->geometry.l1_banks > 1 && chip == chip_of_run ? f->run->geometry.l1_banks : chip->l1_banks;
        uint64_t limit = chip->l1_bytes - chip->l1_unreserved_base, room = limit - small_bytes(f->run, chip), side = 8;
        visualizer_row(f->v, VIS_DEVICES, "iiiiiiiiiiiiiiiiiii", (int64_t)0, (int64_t)(banks / side), (int64_t)side,
                       (int64_t)(banks / side), (int64_t)side, (int64_t)chip->l1_bytes, (int64_t)banks, (int64_t)room,
                       (int64_t)0, (int64_t)chip->l1_unreserved_base, (int64_t)1, (int64_t)banks, (int64_t)0,
                       (int64_t)(banks * chip->l1_bytes), (int64_t)0, (int64_t)(banks * room), (int64_t)(banks * room),
                       (int64_t)limit, (int64_t)i);
    }
}

int visualizer_from_run(struct visualizer *v, const struct run *run, const char *path, const struct visualizer_wish *wish,
                        struct err *err) {
    const struct chip *chip = run->chip ? run->chip : chip_find(SLICE("wormhole_b0"));
    bool own = run->addresses.len == run->tensors.len && run->addresses.len;
    struct from_run f = {.v = v, .run = run, .wish = wish, .chip = chip, .own = own};
    moves all = {0};
    f.addresses = mem_zalloc(run->tensors.len + 1, sizeof *f.addresses);
    f.ids = mem_zalloc(run->steps.len + 1, sizeof *f.ids);
    uint32_t *counts = mem_zalloc(run->ranks.len + 1, sizeof *counts);
    uint64_t written = 0;
    for (uint32_t i = 0; i < run->records.len; i++) {
        uint32_t at = run->records.items[i];
        f.ids[at] = ++counts[run->steps.items[at].rank];
    }
    for (uint32_t i = 0; own && !wish->no_addresses && i < run->tensors.len; i++) f.addresses[i] = run->addresses.items[i];
    write_devices(&f, chip);
    for (uint16_t rank = 0; rank < run->ranks.len; rank++) {
        moves_of(run, rank, own && !wish->no_addresses, &all);
        if (!own && !wish->no_addresses) place(&f, &all, chip);
        for (uint32_t at = 0; at < run->steps.len; at++)
            if (run->steps.items[at].rank == rank && f.ids[at] && in_range(&f, f.ids[at])) write_operation(&f, at), written++;
        write_buffers(&f, rank, &all);
    }
    for (uint32_t i = 0; i < run->tensors.len; i++) write_tensor(&f, i);
    write_uses(&f);
    visualizer_metadata(v, "ttmem_addresses",
                        own && !wish->no_addresses ? SLICE("as recorded")
                        : wish->no_addresses       ? SLICE("left out")
                                                   : SLICE("simulated"));
    if (!run->l1.told) visualizer_metadata(v, "ttmem_circular_buffers", SLICE("not known"));
    if (f.has_unattributed)
        visualizer_metadata(v, "ttmem_unattributed",
                            SLICE("a buffer without a tensor: measured, and of no tensor that is known"));
    vec_release(&all);
    run_nodes_clear(&f.nodes);
    free(f.addresses);
    free(f.ids);
    free(counts);
    if (written) return 0;
    if (!wish->has_range) return err_set(err, ERR_LACKS, "%s has no op", path);
    return err_set(err, ERR_LACKS, "%s has no op from %llu to %llu: --ops takes ids, which count from 1", path,
                   (unsigned long long)wish->first, (unsigned long long)wish->last);
}
