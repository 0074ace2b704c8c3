/* SPDX-License-Identifier: Apache-2.0 */
#include "device/simulate.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/try.h"

struct sim_map sim_map_of(const struct chip *chip) {
    return (struct sim_map){
        .dram_banks = chip->dram_banks,
        .l1_banks = chip->l1_banks,
        .dram_align = chip->dram_align,
        .l1_align = chip->l1_align,
        .dram_base = chip->dram_unreserved_base,
        .dram_end = chip->dram_view_bytes,
        .l1_base = chip->l1_unreserved_base,
        .l1_end = chip->l1_bytes,
    };
}

static const bool is_dram[MEM_TYPES] = {[MEM_DRAM] = true, [MEM_TRACE] = true};

static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

enum sim_result sim_init(struct sim *sim, const struct sim_map *map) {
    *sim = (struct sim){.map = *map};
    uint64_t trace_start = minus(map->dram_end, map->trace_bytes), small_start = minus(map->l1_end, map->l1_small_bytes);
    const struct {
        enum mem_type type;
        uint64_t start, end;
    } regions[] = {{MEM_DRAM, map->dram_base, trace_start},
                   {MEM_TRACE, trace_start, map->dram_end},
                   {MEM_L1, map->l1_base, small_start},
                   {MEM_L1_SMALL, small_start, map->l1_end}};
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        struct allocator *allocator = &sim->pools[regions[i].type].allocator;
        /* All kinds, L1 too, are rounded to the DRAM alignment. */
        if (allocator_init(allocator, regions[i].start, minus(regions[i].end, regions[i].start), map->dram_align) !=
            ALLOCATOR_OK) {
            sim_release(sim);
            return SIM_NO_MEMORY;
        }
    }
    program_layout_init(&sim->circular, map->l1_base, map->dram_align);
    program_layout_init(&sim->dataflow, map->l1_base, map->dram_align);
    return SIM_OK;
}

void sim_release(struct sim *sim) {
    for (size_t i = 0; i < MEM_TYPES; i++) {
        struct sim_pool *pool = &sim->pools[i];
        allocator_release(&pool->allocator);
        idmap_release(&pool->by_id);
        idmap_release(&pool->by_address);
        free(pool->owners);
        pool->owners = NULL;
        pool->owners_cap = 0;
    }
    program_layout_release(&sim->circular);
    program_layout_release(&sim->dataflow);
}

static uint64_t round_up(uint64_t n, uint64_t alignment) { return alignment ? num_ceil_div(n, alignment) * alignment : n; }

/* Pages go round the banks; each takes its aligned size. */
uint64_t sim_size_per_bank(const struct sim_map *map, const struct mem_event *event) {
    bool dram = is_dram[event->type];
    uint64_t banks = event->num_cores ? event->num_cores : dram ? map->dram_banks : map->l1_banks;
    if (event->size_per_bank) return event->size_per_bank;
    uint64_t page = event->page_size;
    if (!page || page > event->size) return num_ceil_div(event->size, banks ? banks : 1);
    uint64_t pages = num_ceil_div(event->size, page), per_bank;
    if (!num_mul(num_ceil_div(pages, banks ? banks : 1), round_up(page, dram ? map->dram_align : map->l1_align), &per_bank))
        return MEM_SIZE_MAX;
    return per_bank;
}

/* Remembers where a buffer went: under its id, and under its address in the capture or, without one, its new address. */
static bool remember(struct sim_pool *pool, const struct mem_event *event, uint64_t place) {
    uint32_t slot = *idmap_find(&pool->allocator.by_address, place);
    if (!(pool->owners_cap > slot || try_reserve_in((void **)&pool->owners, &pool->owners_cap, slot + 1, sizeof *pool->owners)))
        return false;
    struct sim_owner *owner = &pool->owners[slot];
    *owner = (struct sim_owner){event->id, event->address ? event->address : event->id ? 0 : place};
    if (owner->id && !idmap_set(&pool->by_id, owner->id, slot)) return false;
    return !owner->address || idmap_set(&pool->by_address, owner->address, slot);
}

/* Frees what the event names, if anything. */
static void forget(struct sim_pool *pool, const struct mem_event *event) {
    const uint32_t *found = event->address ? idmap_find(&pool->by_address, event->address) : NULL;
    if (!found && event->id) found = idmap_find(&pool->by_id, event->id);
    if (!found) return;
    uint32_t slot = *found;
    struct sim_owner owner = pool->owners[slot];
    if (owner.address) idmap_remove(&pool->by_address, owner.address);
    if (owner.id) idmap_remove(&pool->by_id, owner.id);
    allocator_free(&pool->allocator, pool->allocator.taken[slot].address);
}

/* Without a trace region traces take the end of DRAM, where the region would be. */
static struct sim_pool *pool_of(struct sim *sim, enum mem_type type) {
    return &sim->pools[type == MEM_TRACE && !sim->map.trace_bytes ? MEM_DRAM : type];
}

static bool grows_up(const struct sim *sim, const struct mem_event *event) {
    return (event->type == MEM_DRAM && !event->top_down) || (event->type == MEM_TRACE && sim->map.trace_bytes);
}

static enum sim_result allocate(struct sim *sim, const struct mem_event *event, uint64_t *address,
                                struct sim_failure *failure) {
    struct sim_pool *pool = pool_of(sim, event->type);
    uint64_t per_bank = sim_size_per_bank(&sim->map, event), place = 0;
    if (!event->size && !per_bank) return SIM_OK;
    forget(pool, event); /* still known under this name: its release was not seen */
    switch (allocator_take(&pool->allocator, per_bank, grows_up(sim, event), &place)) {
        case ALLOCATOR_NO_MEMORY:
            return SIM_NO_MEMORY;
        case ALLOCATOR_FULL: {
            struct allocator_stats bank = allocator_stats(&pool->allocator);
            uint64_t wanted = allocator_round(&pool->allocator, per_bank);
            *failure = (struct sim_failure){.kind = bank.free >= wanted ? SIM_FRAGMENTED : SIM_OUT_OF_MEMORY,
                                            .type = event->type,
                                            .device = event->device,
                                            .size = event->size,
                                            .size_per_bank = wanted,
                                            .bank = bank};
            return SIM_FAILED;
        }
        case ALLOCATOR_OK:
            break;
    }
    if (address) *address = place;
    return remember(pool, event, place) ? SIM_OK : SIM_NO_MEMORY;
}

/* Circular and dataflow buffers each start at the base, in separate layouts; a scratchpad is above both. */
static bool place_kind(struct sim *sim, enum mem_event_kind kind, const struct core_range *ranges, size_t len, uint64_t size,
                       uint64_t *place) {
    if (kind == MEM_CIRCULAR_BUFFER) return program_layout_place(&sim->circular, ranges, len, size, 0, place);
    if (kind == MEM_DATAFLOW_BUFFER) return program_layout_place(&sim->dataflow, ranges, len, size, 0, place);
    uint64_t least = program_layout_end(&sim->dataflow, ranges, len);
    return program_layout_place(&sim->circular, ranges, len, size, least, place) &&
           program_layout_place(&sim->dataflow, ranges, len, size, *place, place);
}

static enum sim_result place_program(struct sim *sim, const struct mem_event *event, uint64_t *address,
                                     struct sim_failure *failure) {
    if (event->borrowed) return SIM_OK;
    static const struct core_range everywhere = {0, 0, UINT16_MAX, UINT16_MAX};
    const struct core_range *ranges = event->ranges_len ? event->ranges : &everywhere;
    size_t len = event->ranges_len ? event->ranges_len : 1;
    uint64_t place;
    if (!place_kind(sim, event->kind, ranges, len, event->size, &place)) return SIM_NO_MEMORY;
    if (address) *address = place;
    uint64_t end = place + event->size, lowest = 0;
    bool beyond = end > sim->map.l1_end;
    bool clash = allocator_lowest(&sim->pools[MEM_L1].allocator, &lowest) && lowest < end;
    if (!beyond && !clash) return SIM_OK;
    *failure = (struct sim_failure){.kind = beyond ? SIM_BEYOND_L1 : SIM_CLASH,
                                    .type = MEM_L1,
                                    .device = event->device,
                                    .size = event->size,
                                    .bank = allocator_stats(&sim->pools[MEM_L1].allocator),
                                    .program = event->kind,
                                    .region_end = end,
                                    .lowest_l1 = lowest,
                                    .range = ranges[0]};
    return SIM_FAILED;
}

enum sim_result sim_event(struct sim *sim, const struct mem_event *event, uint64_t *address, struct sim_failure *failure) {
    if (address) *address = 0;
    switch (event->kind) {
        case MEM_ALLOCATE:
            if (event->type == MEM_SYSTEM_MEMORY) return SIM_OK;
            return allocate(sim, event, address, failure);
        case MEM_FREE:
            if (event->type != MEM_SYSTEM_MEMORY) forget(pool_of(sim, event->type), event);
            return SIM_OK;
        case MEM_CIRCULAR_BUFFER:
        case MEM_DATAFLOW_BUFFER:
        case MEM_SCRATCHPAD:
            return place_program(sim, event, address, failure);
        case MEM_RELEASE_PROGRAM:
            program_layout_clear(&sim->circular);
            program_layout_clear(&sim->dataflow);
            return SIM_OK;
        case MEM_NONE:
            break;
    }
    return SIM_OK;
}
