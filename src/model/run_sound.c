/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every id in a run names an existing row. For runs that come from a file. */
#include <stddef.h>

#include "model/run.h"
#include "parse/around.h"

/* A column of ids: rows of `vec`, the id at `field` (4 or 2 bytes), which must be below the number of rows of `target`. */
struct id_column {
    size_t vec, row, field;
    unsigned width;
    size_t target;
    bool may_be_none;
    bool may_be_end; /* may equal the number of rows: the end of a range */
};

#define VEC_OF(member) offsetof(struct run, member)
#define ID(vec, type, field, target) \
    { VEC_OF(vec), sizeof(type), offsetof(type, field), sizeof(((type *)0)->field), VEC_OF(target), false, false }
#define ID_OR_NONE(vec, type, field, target) \
    { VEC_OF(vec), sizeof(type), offsetof(type, field), sizeof(((type *)0)->field), VEC_OF(target), true, false }
#define END(vec, type, field, target) \
    { VEC_OF(vec), sizeof(type), offsetof(type, field), sizeof(((type *)0)->field), VEC_OF(target), true, true }

/* Ids of strings of a failure's site. */
#define SITE_NAMES(vec)                                                                                                  \
    ID(vec, struct failure_site, text, strings.strings), ID(vec, struct failure_site, op, strings.strings),              \
        ID(vec, struct failure_site, inner, strings.strings), ID(vec, struct failure_site, runtime_op, strings.strings), \
        ID(vec, struct failure_site, op_log, strings.strings), ID(vec, struct failure_site, test, strings.strings),      \
        ID(vec, struct failure_site, python, strings.strings), ID(vec, struct failure_site, tag, strings.strings),       \
        ID(vec, struct failure_site, call, strings.strings), ID(vec, struct failure_site, caller, strings.strings)

static const struct id_column columns[] = {
    ID(ops, struct op, text, strings.strings),
    ID(ops, struct op, name, strings.strings),
    ID(ops, struct op, callee, strings.strings),
    ID(ops, struct op, op_type, strings.strings),
    ID(ops, struct op, display, strings.strings),
    ID(refs, struct op_ref, type, types),
    ID_OR_NONE(steps, struct step, op, ops),
    ID(steps, struct step, op_type, strings.strings),
    ID_OR_NONE(steps, struct step, block, blocks),
    ID_OR_NONE(steps, struct step, after, blocks),
    ID_OR_NONE(steps, struct step, execution, executions),
    ID_OR_NONE(steps, struct step, record, records),
    ID(steps, struct step, rank, ranks),
    ID(blocks, struct block, step, steps),
    ID(executions, struct execution, name, strings.strings),
    ID_OR_NONE(executions, struct execution, parent, executions),
    ID(executions, struct execution, top, executions),
    ID_OR_NONE(executions, struct execution, caller, steps),
    END(executions, struct execution, first_step, steps),
    END(executions, struct execution, end_step, steps),
    ID_OR_NONE(executions, struct execution, program, programs),
    ID(executions, struct execution, rank, ranks),
    ID(programs, struct program, name, strings.strings),
    ID_OR_NONE(programs, struct program, module, modules),
    ID(programs, struct program, first_execution, executions),
    ID_OR_NONE(programs, struct program, first_record, records),
    ID_OR_NONE(programs, struct program, last_record, records),
    ID(tensors, struct tensor, type, types),
    END(tensors, struct tensor, born, steps),
    END(tensors, struct tensor, gone, steps),
    ID_OR_NONE(tensors, struct tensor, producer, steps),
    ID_OR_NONE(tensors, struct tensor, last_use, steps),
    ID_OR_NONE(tensors, struct tensor, execution, executions),
    ID(tensors, struct tensor, name, strings.strings),
    ID(tensors, struct tensor, rank, ranks),
    ID(regions, struct region, rank, ranks),
    ID(l1_areas, struct l1_area, step, steps),
    ID_OR_NONE(registry, struct registry_entry, module, modules),
    ID_OR_NONE(registry, struct registry_entry, program, programs),
    ID(registry, struct registry_entry, buffer, registry),
    END(parts, struct run_part, step, steps),
    ID(parts, struct run_part, rank, ranks),
    ID_OR_NONE(failure_sites, struct failure_site, step, steps),
    ID(failure_sites, struct failure_site, rank, ranks),
    SITE_NAMES(failure_sites),
    ID_OR_NONE(note_sites, struct failure_site, step, steps),
    ID(note_sites, struct failure_site, rank, ranks),
    SITE_NAMES(note_sites),
    ID(failure_places, struct failure_place, tag, strings.strings),
    ID_OR_NONE(failure_places, struct failure_place, step, steps),
    ID(failure_places, struct failure_place, rank, ranks),
    ID(alive_buffers, struct alive_buffer, failure, failures.entries),
    ID(alive_buffers, struct alive_buffer, op, strings.strings),
    ID(alive_buffers, struct alive_buffer, python, strings.strings),
    ID(alive_buffers, struct alive_buffer, holders, strings.strings),
    ID(ranks, struct rank, name, strings.strings),
    ID(ranks, struct rank, host, strings.strings),
    ID(ranks, struct rank, devices, strings.strings),
    {VEC_OF(records), sizeof(uint32_t), 0, 4, VEC_OF(steps), false, false},
};

static const struct any_vec *vec_at(const struct run *run, size_t offset) {
    return (const struct any_vec *)((uintptr_t)run + offset);
}

static bool column_is_sound(const struct run *run, const struct id_column *c) {
    const struct any_vec *rows = vec_at(run, c->vec);
    uint32_t limit = (uint32_t)vec_at(run, c->target)->len;
    for (size_t i = 0; i < rows->len; i++) {
        const char *at = rows->items + i * c->row + c->field;
        uint32_t id;
        uint16_t narrow;
        if (c->width == sizeof narrow) {
            memcpy(&narrow, at, sizeof narrow);
            id = narrow;
        } else {
            memcpy(&id, at, sizeof id);
        }
        if (id < limit || (c->may_be_none && id == NONE) || (c->may_be_end && id == limit)) continue;
        return false;
    }
    return true;
}

static bool in_range(uint64_t first, uint64_t count, size_t len) { return first + count <= len; }

static bool ops_are_sound(const struct run *run) {
    for (size_t i = 0; i < run->ops.len; i++) {
        const struct op *op = &run->ops.items[i];
        if (!in_range(op->first_ref, (uint64_t)op->operand_count + op->result_count, run->refs.len) || op->kind > OP_TRACE)
            return false;
    }
    for (size_t i = 0; i < run->types.len; i++) {
        const struct tensor_type *type = &run->types.items[i];
        if ((unsigned)type->buffer >= BUFFER_TYPE_COUNT || (unsigned)type->memory_layout > LAYOUT_ND_SHARDED) return false;
    }
    return true;
}

static bool blocks_are_sound(const struct run *run) {
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool >= POOL_COUNT) return false;
    for (size_t i = 0; i < run->blocks.len; i++)
        for (unsigned pool = 0; pool < POOL_COUNT; pool++)
            if ((run->blocks.items[i].have >> pool & 1) && run->blocks.items[i].config[pool] >= run->configs.len) return false;
    for (size_t i = 0; i < run->steps.len; i++)
        if (run->steps.items[i].kind > STEP_VOID ||
            ((run->steps.items[i].flags & ~(STEP_INSIDE | STEP_AFTER_LOSS)) && run->steps.items[i].op == NONE))
            return false;
    for (size_t i = 0; i < run->regions.len; i++)
        if (run->regions.items[i].pool >= POOL_COUNT) return false;
    for (size_t i = 0; i < run->l1_areas.len; i++) {
        const struct l1_area *area = &run->l1_areas.items[i];
        if (area->cores.x0 > area->cores.x1 || area->cores.y0 > area->cores.y1) return false;
        if (i && area->step < run->l1_areas.items[i - 1].step) return false;
    }
    return true;
}

/* Parents come before their children, so that following them cannot loop. */
static bool programs_are_sound(const struct run *run) {
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *e = &run->executions.items[i];
        if ((e->parent != NONE && e->parent >= i) || e->top > i || (e->end_step != NONE && e->end_step < e->first_step))
            return false;
    }
    for (size_t i = 0; i < run->programs.len; i++)
        if (!in_range(run->programs.items[i].first_entry, run->programs.items[i].entry_count, run->registry.len)) return false;
    for (size_t i = 0; i < run->registry.len; i++)
        if ((unsigned)run->registry.items[i].role > ROLE_CONSTANT) return false;
    return true;
}

static bool tensors_are_sound(const struct run *run) {
    for (size_t i = 0; i < run->argsets.sets.len; i++)
        if (!in_range(run->argsets.sets.items[i].first, run->argsets.sets.items[i].count, run->argsets.members.len))
            return false;
    for (size_t i = 0; i < run->tensors.len; i++)
        if (run->tensors.items[i].class >= TENSOR_CLASS_COUNT) return false;
    for (size_t i = 0; i < run->moves.len; i++)
        if (run->moves.items[i] / 2 >= run->tensors.len) return false;
    for (size_t i = 0; i < run->ends.len; i++)
        if (run->ends.items[i] <= i || run->ends.items[i] > run->steps.len) return false;
    return (!run->addresses.len || run->addresses.len == run->tensors.len) &&
           (!run->times.len || run->times.len == run->steps.len) && (!run->ends.len || run->ends.len == run->steps.len) &&
           (!run->rests.len || run->rests.len == run->blocks.len) && run->failure_sites.len == run->failures.entries.len &&
           run->note_sites.len == run->notes.entries.len;
}

static bool host_is_sound(const struct run *run) {
    const struct host_record *host = run->host;
    unsigned char tied = 0;
    if (host) memcpy(&tied, &host->tied, 1);
    if (tied > 1) return false;
    for (size_t i = 0; host && i < host->samples.len; i++) {
        const struct host_record_sample *sample = &host->samples.items[i];
        unsigned char gone;
        memcpy(&gone, &sample->gone, 1);
        if (gone > 1 || sample->process >= host->processes.len || (sample->step != NONE && sample->step >= run->steps.len))
            return false;
    }
    for (size_t i = 0; host && i < host->machine.len; i++)
        if (host->machine.items[i].step != NONE && host->machine.items[i].step >= run->steps.len) return false;
    for (size_t i = 0; run->kv && i < run->kv->samples.len; i++) {
        const struct kv_sample *sample = &run->kv->samples.items[i];
        if (sample->used > KV_FULL || (sample->step != NONE && sample->step >= run->steps.len)) return false;
    }
    return true;
}

static bool counts_are_sound(const struct run *run) {
    for (size_t i = 0; i < run->failure_sites.len; i++)
        if (run->failure_sites.items[i].phase >= PHASES) return false;
    for (size_t i = 0; i < run->note_sites.len; i++)
        if (run->note_sites.items[i].phase >= PHASES) return false;
    for (size_t i = 0; i < run->failure_places.len; i++) {
        uint32_t number = run->failure_places.items[i].failure;
        const struct failure_set *set = number & SITE_NOTE ? &run->notes : &run->failures;
        if ((number & ~(uint32_t)SITE_NOTE) >= set->entries.len) return false;
    }
    unsigned char assumed, open, told;
    memcpy(&assumed, &run->device_assumed, 1);
    memcpy(&open, &run->tests_open, 1);
    memcpy(&told, &run->l1.told, 1);
    if (told > 1 || (run->l1.most_bytes && run->l1.step >= run->steps.len)) return false;
    if (run->inspector && run->inspector->op_programs.len && run->inspector->op_programs.len != run->records.len) return false;
    for (size_t i = 0; run->inspector && i < run->inspector->slacks.len; i++)
        if (run->inspector->slacks.items[i] >> 56) return false; /* no address is beyond it */
    for (unsigned i = 0; i < WARN_COUNT; i++)
        if (run->first_warning_file[i] && run->first_warning_file[i] >= run->strings.strings.len) return false;
    enum { ALL_POOLS = (1 << POOL_COUNT) - 1 };
    if ((run->unread_pools | run->unspread_pools | run->one_thread_pools) & ~ALL_POOLS) return false;
    return assumed <= 1 && open <= 1 && (unsigned)run->origin < RUN_ORIGINS &&
           run->created < run->strings.strings.len + !run->created;
}

bool run_is_sound(const struct run *run) {
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!column_is_sound(run, &columns[i])) return false;
    return counts_are_sound(run) && ops_are_sound(run) && blocks_are_sound(run) && programs_are_sound(run) &&
           tensors_are_sound(run) && host_is_sound(run);
}
