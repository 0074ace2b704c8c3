/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ttnn/graph_map.h"

#include "parse/ttnn_words.h"

void graph_map_init(struct graph_map *m) { *m = (struct graph_map){.reported.id = UINT64_MAX}; }

static bool is_nowhere(const struct chip *known, const struct mem_event *event) {
    uint64_t dram = known ? known->dram_view_bytes : 0, l1 = known ? known->l1_bytes : 0;
    for (const struct chip *chip = chip_table; !known && chip->name; chip++) {
        if (chip->dram_view_bytes > dram) dram = chip->dram_view_bytes;
        if (chip->l1_bytes > l1) l1 = chip->l1_bytes;
    }
    return event->address >= (event->type == MEM_DRAM || event->type == MEM_TRACE ? dram : l1);
}

bool graph_map_is_nowhere(const struct graph_map *m, const struct mem_event *event) { return is_nowhere(m->chip, event); }

uint64_t graph_map_name(const struct mem_event *event) { return event->id ^ (uint64_t)event->type << 60; }

void graph_map_event(struct graph_map *m, const struct mem_event *event) {
    enum pool pool;
    if (event->kind == MEM_CIRCULAR_BUFFER && !event->borrowed && event->address &&
        (!m->lowest_program || event->address < m->lowest_program))
        m->lowest_program = event->address;
    if (event->kind != MEM_ALLOCATE && event->kind != MEM_FREE) return;
    if (event->kind == MEM_FREE && !event->address) m->frees_by_id = true;
    graph_banks_event(&m->banks, event);
    if (is_nowhere(NULL, event)) return;
    uint64_t end = event->address + event->size_per_bank;
    if (ttnn_pool((int64_t)event->type, &pool) && end > m->highest[pool]) m->highest[pool] = end;
}

void graph_map_device(struct graph_map *m, const struct graph_device *device) {
    if (m->reported.id != UINT64_MAX) return;
    m->reported = *device;
    m->chip = chip_find(device->arch);
    m->reported.arch = slice_of("", 0);
}

/* The device of a capture that does not name it: the first architecture whose memory covers all addresses; else the one with
 * most L1. */
static const struct chip *chip_by_addresses(const struct graph_map *m) {
    const struct chip *most = NULL;
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        if (chip != chip_of_arch(chip)) continue; /* skip boards */
        if (m->highest[POOL_DRAM] <= chip->dram_view_bytes && m->highest[POOL_L1] <= chip->l1_bytes) return chip;
        if (!most || chip->l1_bytes > most->l1_bytes) most = chip;
    }
    return most;
}

bool graph_map_choose(struct graph_map *m) {
    bool told = m->chip != NULL;
    if (!told) m->chip = chip_by_addresses(m);
    return told;
}

struct sim_map graph_map_memory(const struct graph_map *m) {
    struct sim_map map = sim_map_of(m->chip);
    const struct graph_device *d = &m->reported;
    uint64_t page;
    unsigned banks = m->banks.told ? 0 : graph_banks_found(&m->banks, &page);
    if (banks) map.l1_banks = banks;
    if (m->lowest_program && m->lowest_program < map.l1_end) map.l1_base = m->lowest_program;
    if (d->id == UINT64_MAX) return map;
    if (d->l1_banks && d->l1_banks < UINT16_MAX) map.l1_banks = (unsigned)d->l1_banks;
    if (d->l1_base && d->l1_base + d->l1_bank_bytes > d->l1_base) {
        map.l1_base = d->l1_base;
        map.l1_end = d->l1_base + d->l1_bank_bytes;
    }
    if (d->dram_channels && d->dram_channels < UINT16_MAX && d->dram_channel_bytes > map.dram_base) {
        map.dram_banks = (unsigned)d->dram_channels;
        map.dram_end = d->dram_channel_bytes;
    }
    return map;
}

bool graph_map_spreads(const struct graph_map *m) {
    uint64_t page;
    return (m->reported.id != UINT64_MAX && m->reported.l1_banks) || (!m->banks.told && graph_banks_found(&m->banks, &page));
}

struct mem_event graph_map_paged(const struct graph_map *m, const struct mem_event *event) {
    struct mem_event paged = *event;
    uint64_t page = 0;
    if (!event->page_size && !event->sharded && event->type == MEM_L1 && graph_banks_found(&m->banks, &page))
        paged.page_size = page;
    return paged;
}

void graph_map_release(struct graph_map *m) { graph_banks_release(&m->banks); }
