/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/search/duplicates.h"

#include <stdlib.h>

#include "base/table/map.h"

const char *const duplicate_names[DUPLICATE_KINDS] = {"prepared_twice", "kept_by_several_programs", "f32_copy"};

/* Kept results that are equal: from equal graphs, from the same parameters, of one type and rank. */
struct family {
    uint32_t first, count;      /* tensors */
    uint32_t program, programs; /* of the last one; their number */
};

/* Identifies a parameter across the programs that use it: by its buffer if a module names it. */
static uint64_t source_key(const struct run *run, uint32_t program, uint32_t argument) {
    uint32_t entry = program_argument(run, program, argument);
    if (entry != NONE) return hash_mix(1, run->registry.items[entry].buffer);
    return hash_mix(2, (uint64_t)program << 32 | argument);
}

/* A typecast to its operand's own type: some programs have one and others do not. */
static bool changes_nothing(const struct run *run, const struct op *op) {
    if (op->operand_count != 1 || op->result_count != 1 || !slice_ends(run_string(run, op->name), SLICE("typecast")))
        return false;
    const struct tensor_type *from = &run->types.items[run->refs.items[op->first_ref].type],
                             *to = &run->types.items[run->refs.items[op->first_ref + 1].type];
    return from->kind == TYPE_TENSOR && to->kind == TYPE_TENSOR && slice_equal(from->dtype, to->dtype) &&
           slice_equal(from->shape, to->shape) && from->tiled == to->tiled && from->buffer == to->buffer;
}

/* The graph that a load_cached ran, by its ops that change something; 0 if it did not run. */
static uint64_t *bodies(const struct run *run) {
    uint64_t *body = mem_zalloc(run->steps.len + 1, sizeof *body);
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        const struct execution *e = step->execution == NONE ? NULL : &run->executions.items[step->execution];
        if (!e || !e->const_eval || e->caller == NONE || !e->finished) continue;
        const struct op *op = step->op == NONE ? NULL : &run->ops.items[step->op];
        if (op && op->kind != OP_DEALLOCATE && !changes_nothing(run, op)) body[e->caller] = hash_mix(body[e->caller], op->key);
        body[e->caller] |= 1;
    }
    return body;
}

static bool is_kept(const struct run *run, const struct tensor *tensor) {
    return tensor->class == TENSOR_CONST_EVAL && tensor->retained && tensor->gone == NONE && tensor->producer != NONE &&
           tensor->arguments && tensor->execution != NONE && tensor_in_pool(run, tensor, POOL_DRAM);
}

static struct hash128 family_key(const struct run *run, const struct tensor *tensor, uint64_t body) {
    uint32_t count, program = run->executions.items[tensor->execution].program;
    const uint32_t *members = argset_members(&run->argsets, tensor->arguments, &count);
    uint64_t sources = 0; /* order does not count, because each program numbers its arguments differently */
    for (uint32_t i = 0; i < count; i++) sources += source_key(run, program, members[i]);
    uint64_t form = hash_mix((uint64_t)tensor->type << 32 | tensor->argument, (uint64_t)tensor->rank << 32 | count);
    return (struct hash128){hash_mix(sources, form), hash_mix(body, hash_mix(form, sources))};
}

static uint32_t first_source(const struct run *run, const struct tensor *tensor) {
    uint32_t count;
    const uint32_t *members = argset_members(&run->argsets, tensor->arguments, &count);
    return count ? program_argument(run, run->executions.items[tensor->execution].program, members[0]) : NONE;
}

static uint64_t extra_of(const struct run *run, const struct tensor *tensor, uint32_t copies, const struct duplicates *out) {
    struct live_sum sum = tensor_sum(run, tensor);
    return copies * (out->bank_unknown ? sum.padded_bytes : sum.per_bank_bytes);
}

static void add_row(struct duplicates *out, struct duplicate row) {
    vec_push(&out->rows, row);
    out->extra += row.extra;
}

/* A single bf16 weight becomes an f32 tensor with the same number of elements. */
static void check_f32(const struct run *run, uint32_t id, uint32_t copies, struct duplicates *out) {
    const struct tensor *tensor = &run->tensors.items[id];
    const struct tensor_type *type = &run->types.items[tensor->type];
    uint32_t count, source = first_source(run, tensor);
    argset_members(&run->argsets, tensor->arguments, &count);
    if (count != 1 || source == NONE || !slice_equal(type->dtype, SLICE("f32")) || !type->logical_known) return;
    const struct registry_entry *entry = &run->registry.items[source];
    if (!registry_is_weight(entry) || !slice_equal(entry->dtype, SLICE("bf16"))) return;
    if (!entry->bytes_known || entry->bytes * 2 != type->logical_bytes) return;
    add_row(out, (struct duplicate){DUPLICATE_F32, id, source, copies, 1, extra_of(run, tensor, copies, out)});
}

static int more_first(const void *a, const void *b) {
    const struct duplicate *x = a, *y = b;
    if (x->extra != y->extra) return x->extra < y->extra ? 1 : -1;
    if (x->tensor != y->tensor) return x->tensor < y->tensor ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

void duplicates_find(const struct run *run, struct duplicates *out) {
    *out = (struct duplicates){0};
    struct map known = {0};
    VEC(struct family) families = {0};
    uint64_t *body = bodies(run);
    for (uint32_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!is_kept(run, tensor) || !body[tensor->producer]) continue;
        uint32_t program = run->executions.items[tensor->execution].program;
        bool added;
        uint32_t *at = map_at(&known, family_key(run, tensor, body[tensor->producer]), &added);
        if (added) {
            *at = (uint32_t)families.len;
            vec_push(&families, ((struct family){.first = i, .program = NONE}));
        }
        struct family *family = &families.items[*at];
        family->count++;
        family->programs += family->program != program;
        family->program = program;
        out->known = true;
        out->bank_unknown |= tensor_sum(run, tensor).bank_unknown > 0;
    }
    for (size_t i = 0; i < families.len; i++) {
        const struct family *family = &families.items[i];
        const struct tensor *tensor = &run->tensors.items[family->first];
        check_f32(run, family->first, 1, out);
        if (family->count < 2) continue;
        uint32_t copies = family->count - 1;
        add_row(out,
                (struct duplicate){family->programs > 1 ? DUPLICATE_PROGRAMS : DUPLICATE_PREPARED, family->first,
                                   first_source(run, tensor), copies, family->programs, extra_of(run, tensor, copies, out)});
    }
    if (out->rows.len) qsort(out->rows.items, out->rows.len, sizeof *out->rows.items, more_first);
    free(body);
    map_release(&known);
    vec_release(&families);
}

void duplicates_release(struct duplicates *duplicates) { vec_release(&duplicates->rows); }
