/* SPDX-License-Identifier: Apache-2.0 */
/* A run can have several kinds of devices: a process restarted on another board, ranks on different hosts. Ops and types are
 * kept once per text; those on a device with other banks than the first get copies for it, so that every size per bank is
 * that of the device that held the tensor. */
#include <stdlib.h>
#include <string.h>

#include "model/run_write.h"

/* What a rank ran on from one opening of its device to the next. */
struct stay {
    uint16_t rank;
    uint32_t from;                 /* step */
    struct memory_geometry device; /* without banks: no block shows them */
    bool elsewhere;                /* not on the device of the run */
};

struct stays {
    VEC(struct stay) items;
    uint32_t *first; /* per rank: its first stay; they end where those of the next rank begin */
    struct map ops, types;
};

static bool several_kinds(const struct run *run) {
    for (size_t i = 0; i < run->configs.len; i++)
        for (size_t k = 0; k < i; k++)
            if (run->configs.items[i].pool == run->configs.items[k].pool &&
                run->configs.items[i].banks != run->configs.items[k].banks)
                return true;
    return false;
}

static void list_stays(const struct run *run, struct stays *s) {
    s->first = mem_alloc(sizeof *s->first * (run->ranks.len + 1));
    for (size_t rank = 0; rank < run->ranks.len; rank++) {
        s->first[rank] = (uint32_t)s->items.len;
        vec_push(&s->items, ((struct stay){.rank = (uint16_t)rank}));
        for (size_t i = 0; i < run->parts.len; i++)
            if (run->parts.items[i].rank == rank)
                vec_push(&s->items, ((struct stay){.rank = (uint16_t)rank, .from = run->parts.items[i].step}));
    }
    s->first[run->ranks.len] = (uint32_t)s->items.len;
}

static struct stay *stay_at(struct stays *s, uint16_t rank, uint32_t step) {
    uint32_t low = s->first[rank], high = s->first[rank + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->items.items[middle].from <= step) low = middle;
        else high = middle;
    }
    return &s->items.items[low];
}

static void learn_stays(const struct run *run, struct stays *s) {
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        const struct step *step = &run->steps.items[block->step];
        struct stay *stay = stay_at(s, step->rank, block->step);
        if (!(block->have & 1u << POOL_DRAM) || stay->device.dram_banks) continue;
        block_device(run, block, &stay->device);
        stay->elsewhere = memcmp(&stay->device, &run->geometry, sizeof run->geometry) != 0;
    }
}

/* One copy of an item for each kind of device. */
static uint32_t *copy_of(struct map *copies, uint32_t id, const struct memory_geometry *device, bool *added) {
    uint64_t kind = hash_bytes64(slice_of((const char *)device, sizeof *device));
    return map_at(copies, (struct hash128){hash_mix(id, kind), hash_mix(kind, id)}, added);
}

static uint32_t type_on(struct run *run, struct stays *s, uint32_t type, const struct memory_geometry *device) {
    bool added;
    if (!tensor_on_device(&run->types.items[type])) return type;
    uint32_t *copy = copy_of(&s->types, type, device, &added);
    if (!added) return *copy;
    struct tensor_type made = run->types.items[type];
    made.device = *device;
    vec_push(&run->types, made);
    return *copy = (uint32_t)run->types.len - 1;
}

static uint32_t op_on(struct run *run, struct stays *s, uint32_t op, const struct memory_geometry *device) {
    bool added;
    uint32_t *copy = copy_of(&s->ops, op, device, &added);
    if (!added) return *copy;
    *copy = (uint32_t)run->ops.len;
    struct op made = run->ops.items[op];
    uint32_t first = (uint32_t)run->refs.len;
    for (uint32_t i = 0; i < (uint32_t)made.operand_count + made.result_count; i++) {
        struct op_ref ref = run->refs.items[made.first_ref + i];
        if (ref.type != NONE) ref.type = type_on(run, s, ref.type, device);
        vec_push(&run->refs, ref);
    }
    made.first_ref = first;
    vec_push(&run->ops, made);
    return (uint32_t)run->ops.len - 1;
}

void run_link_devices(struct run *run) {
    if (run->origin != RUN_LOG || !several_kinds(run)) return;
    struct stays s = {0};
    list_stays(run, &s);
    learn_stays(run, &s);
    for (uint32_t i = 0; i < run->steps.len; i++) {
        struct step *step = &run->steps.items[i];
        const struct stay *stay = stay_at(&s, step->rank, i);
        if (stay->elsewhere && step->op != NONE) step->op = op_on(run, &s, step->op, &stay->device);
    }
    for (size_t i = 0; i < run->tensors.len; i++) {
        struct tensor *tensor = &run->tensors.items[i];
        const struct stay *stay = stay_at(&s, tensor->rank, tensor->born);
        if (stay->elsewhere) tensor->type = type_on(run, &s, tensor->type, &stay->device);
    }
    map_release(&s.ops);
    map_release(&s.types);
    vec_release(&s.items);
    free(s.first);
}
