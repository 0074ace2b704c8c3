/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/engine/op_run.h"

#include "replay/engine/op_table.h"
#include "replay/engine/replay.h"

static const struct ir_type *usable(const struct ir_type *type) {
    return type->known && type->type.physical_known && tensor_on_device(&type->type) ? type : NULL;
}

const struct ir_type *op_run_in(const struct op_run *x, uint32_t operand) {
    return operand < x->op->operand_count ? usable(ir_operand_type(x->ir, x->op, operand)) : NULL;
}

const struct ir_type *op_run_out(const struct op_run *x, uint32_t result) {
    return result < x->op->result_count ? usable(ir_result_type(x->ir, x->op, result)) : NULL;
}

/* Freed when the op ends. Beyond the room of this list a buffer stays until the program ends; no rule comes near that. */
static void hold_until_end(struct op_run *x, uint32_t buffer) {
    if (buffer != BUFFER_NO && x->held_count < OP_RUN_HELD) x->held[x->held_count++] = buffer;
}

uint32_t op_run_temporary(struct op_run *x, const struct ir_type *type) {
    struct replay *r = x->replay;
    if (r->stopped) return BUFFER_NO;
    r->memory.estimating = x->estimating;
    uint32_t buffer = replay_take(r, type, MEMORY_TEMPORARY);
    r->memory.estimating = false;
    if (buffer == BUFFER_NO) return buffer;
    x->temporaries += r->memory.buffers.items[buffer].bytes;
    hold_until_end(x, buffer);
    return buffer;
}

void op_run_let_go(struct op_run *x, uint32_t buffer) {
    for (unsigned i = 0; i < x->held_count && buffer != BUFFER_NO; i++) {
        if (x->held[i] != buffer) continue;
        x->held[i] = BUFFER_NO;
        memory_drop(&x->replay->memory, buffer);
        return;
    }
}

void op_run_results(struct op_run *x) {
    struct replay *r = x->replay;
    if (x->results_made) return;
    x->results_made = true;
    for (uint32_t i = 0; i < x->op->result_count && !r->stopped; i++) {
        const struct ir_type *type = ir_result_type(x->ir, x->op, i);
        bool bare = type->type.kind == TYPE_TENSOR && !type->type.has_layout && !type->lost;
        if (bare && slice_starts(x->op->name, SLICE("ttnn."))) replay_note_unsized(r);
        x->values[x->op->first_result + i] = replay_take(r, type, MEMORY_ACTIVATION);
    }
}

void op_run_result_is(struct op_run *x, uint32_t buffer) {
    x->results_made = true;
    if (!x->op->result_count) return;
    memory_hold(&x->replay->memory, buffer);
    x->values[x->op->first_result] = buffer;
    if (buffer == BUFFER_NO) return;
    const struct buffer *b = &x->replay->memory.buffers.items[buffer];
    if (b->class != MEMORY_TEMPORARY) return;
    x->temporaries -= b->bytes;
    memory_reclass(&x->replay->memory, buffer, MEMORY_ACTIVATION);
}

static struct hash128 hash_of(const uint64_t *words, size_t count) {
    return hash_bytes(slice_of((const char *)words, count * sizeof *words));
}

struct hash128 op_run_identity(const struct op_run *x) {
    uint64_t h = hash_mix(hash_bytes64(x->op->name), hash_bytes64(x->op->properties));
    for (uint32_t i = 0; i < x->op->operand_count; i++) h = hash_mix(h, ir_operand_type(x->ir, x->op, i)->identity);
    uint64_t results = 0;
    for (uint32_t i = 0; i < x->op->result_count; i++) results = hash_mix(results, ir_result_type(x->ir, x->op, i)->identity);
    return hash_of((uint64_t[]){h, results}, 2);
}

/* Must the program be built now? */
static bool is_first(struct op_run *x, struct hash128 identity) {
    bool added = true;
    if (!x->replay->options.no_program_cache) map_at(&x->replay->programs, identity, &added);
    if (added) x->replay->program_count++;
    return added;
}

static uint32_t take_hidden_in(struct op_run *x, enum pool pool, uint64_t bytes, enum memory_end end, enum memory_class class,
                               bool estimated) {
    struct replay *r = x->replay;
    if (r->stopped || !bytes) return BUFFER_NO;
    r->taking = NULL;
    r->memory.estimating = estimated;
    uint32_t buffer = memory_take(&r->memory, pool, bytes, end, class);
    r->memory.estimating = false;
    if (buffer == BUFFER_NO) {
        r->stopped = !r->options.keep_going;
        return buffer;
    }
    if (r->options.no_program_cache) hold_until_end(x, buffer);
    return buffer;
}

static uint32_t take_hidden(struct op_run *x, uint64_t bytes, enum memory_end end, enum memory_class class, bool estimated) {
    return take_hidden_in(x, POOL_DRAM, bytes, end, class, estimated);
}

void op_run_program(struct op_run *x, struct hash128 identity, uint64_t table, uint64_t binary) {
    if (!is_first(x, identity)) return;
    x->replay->l1_small_tables += conv_tables_in_l1_small(x);
    take_hidden_in(x, POOL_L1, pad_row_bytes(x), MEMORY_HIGH, MEMORY_TABLE, false);
    take_hidden(x, table, MEMORY_LOW, MEMORY_TABLE, true);
    take_hidden(x, binary, MEMORY_HIGH, MEMORY_BINARY, true);
}

void op_run_reshape_map(struct op_run *x, const struct ir_type *in, const struct ir_type *out) {
    struct replay *r = x->replay;
    struct shape3 from = ir_shape3(in), to = ir_shape3(out);
    struct slice element = ir_is_block_float(in) ? SLICE("bf16") : in->type.storage;
    uint64_t memory = (uint64_t)in->type.buffer << 24 | (uint64_t)in->type.memory_layout << 16 |
                      (uint64_t)out->type.buffer << 8 | (uint64_t)out->type.memory_layout;
    uint64_t identity[] = {from.c, from.h, from.w, to.c, to.h, to.w, hash_bytes64(element), memory};
    if (!is_first(x, hash_of(identity, sizeof identity / sizeof *identity))) return;
    struct reshape_map map;
    if (reshape_map_find(r->lent ? r->lent : &r->maps, from, to, &map)) {
        unsigned align = r->device.geometry.dram_align;
        uint64_t bytes = reshape_map_bank_bytes(&map, r->device.geometry.dram_banks, align);
        uint32_t buffer = take_hidden(x, bytes, MEMORY_LOW, MEMORY_RESHAPE_MAP, false);
        if (buffer != BUFFER_NO) vec_push(&r->maps_made, ((struct map_made){(uint32_t)r->memory.place, buffer, *in, *out}));
    }
    take_hidden(x, BINARY_USUAL, MEMORY_HIGH, MEMORY_BINARY, true);
}

uint64_t op_run_l1_bytes(const struct op_run *x) {
    const struct predict_pool *l1 = &x->replay->device.pools[POOL_L1];
    return l1->bytes * l1->banks;
}

unsigned op_run_dram_align(const struct op_run *x) { return x->replay->device.geometry.dram_align; }

uint64_t op_run_devices(const struct op_run *x) { return ir_mesh_chips(x->ir); }
