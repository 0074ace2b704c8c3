/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/graph/graph_simulate.h"

#include <string.h>

#include "base/num.h"

/* The first of the board's possible numbers of banks that bytes per bank allow. */
static unsigned banks_of(const struct graph_session *session, const struct chip *chip) {
    const struct graph_bank_bounds *bounds = &session->bank_bounds;
    unsigned told = session->usage.interleaved_cores;
    for (size_t i = 0; i < CHIP_L1_BANK_COUNTS && chip->l1_bank_counts[i]; i++) {
        unsigned count = chip->l1_bank_counts[i];
        if (bounds->least ? count >= bounds->least && count <= bounds->most : count == told) return count;
    }
    return chip->l1_banks;
}

struct sim_map graph_sim_map(const struct graph_session *session, const struct chip *chip) {
    struct sim_map map = sim_map_of(chip);
    map.l1_banks = banks_of(session, chip);
    for (size_t i = 0; i < session->devices.len; i++) {
        const struct graph_device *d = &session->devices.items[i];
        const struct chip *own = chip_find(d->arch);
        if (!own || strcmp(own->arch, chip->arch) != 0) continue;
        if (d->l1_banks && d->l1_banks < UINT16_MAX) map.l1_banks = (unsigned)d->l1_banks;
        if (d->l1_base && d->worker_l1_bytes > d->l1_base) {
            map.l1_base = d->l1_base;
            map.l1_end = d->worker_l1_bytes;
            if (d->l1_bank_bytes && d->l1_base + d->l1_bank_bytes < d->worker_l1_bytes)
                map.l1_small_bytes = d->worker_l1_bytes - d->l1_base - d->l1_bank_bytes;
        }
        break;
    }
    return map;
}

static struct sim *simulated_device(struct graph_session *session, uint64_t id) {
    for (size_t i = 0; i < session->simulated.len; i++)
        if (session->simulated.items[i].device == id) return &session->simulated.items[i].sim;
    struct graph_simulated *added = vec_add(&session->simulated);
    struct sim_map map = graph_sim_map(session, session->simulate);
    added->device = id;
    if (sim_init(&added->sim, &map) != SIM_OK) session->failed = true;
    return &added->sim;
}

/* `pages` spread so that the fullest bank gets `of_bank` of them. */
static void learn_banks(struct graph_session *session, const struct mem_event *event) {
    struct graph_bank_bounds *bounds = &session->bank_bounds;
    if (event->kind != MEM_ALLOCATE || event->type != MEM_L1 || event->sharded || event->num_cores) return;
    if (!event->page_size || !event->size_per_bank || event->size_per_bank >= event->size) return;
    uint64_t aligned = num_ceil_div(event->page_size, session->simulate->l1_align) * session->simulate->l1_align;
    uint64_t pages = num_ceil_div(event->size, event->page_size), of_bank = event->size_per_bank / aligned;
    if (!of_bank || event->size_per_bank % aligned) return;
    uint64_t least = num_ceil_div(pages, of_bank), most = of_bank > 1 ? num_ceil_div(pages, of_bank - 1) - 1 : UINT64_MAX;
    if (!bounds->least) bounds->most = UINT64_MAX;
    if (least > bounds->least) bounds->least = least;
    if (most < bounds->most) bounds->most = most;
    for (size_t i = 0; i < session->simulated.len; i++)
        session->simulated.items[i].sim.map.l1_banks = graph_sim_map(session, session->simulate).l1_banks;
}

/* tt-metal puts a program's binary at the top of DRAM. A capture does not say so, but an address in the upper half of a
 * nearly empty bank shows it. */
static bool is_top_down(const struct graph_session *session, const struct mem_event *event, const struct sim *sim) {
    const struct allocator *dram = &sim->pools[MEM_DRAM].allocator;
    uint64_t end = session->simulate->dram_view_bytes;
    return event->kind == MEM_ALLOCATE && event->type == MEM_DRAM && event->address > end / 2 && event->address < end &&
           dram->allocated < dram->size / 2;
}

enum { FAILURES_KEPT = 100 };

static void release_program(struct graph_session *session, const struct mem_event *event) {
    struct sim_failure failure;
    for (size_t i = 0; i < session->simulated.len; i++) {
        uint64_t id = session->simulated.items[i].device;
        if (!event->has_device || id == event->device || id == usage_owner(&session->usage, event))
            sim_event(&session->simulated.items[i].sim, event, NULL, &failure);
    }
}

void graph_simulate(struct graph_session *session, const struct graph_node *node, const struct mem_event *event) {
    if (!session->simulate) return;
    struct graph_segment *segment = &vec_last(&session->details);
    const struct graph_trace_place place = {usage_owner(&session->usage, event), node->counter,
                                            (uint32_t)(session->details.len - 1), session->usage.tag};
    struct sim_failure failure;
    struct mem_event local = *event;
    if (event->kind == MEM_RELEASE_PROGRAM) {
        release_program(session, event);
        graph_trace_add(&session->trace, event, &place);
        return;
    }
    learn_banks(session, event);
    struct sim *sim = simulated_device(session, place.device);
    if (local.kind == MEM_ALLOCATE || local.kind == MEM_FREE) local.size_per_bank = 0; /* another chip, other banks */
    if (local.sharded || local.num_cores) local.size_per_bank = event->size_per_bank;
    local.top_down = is_top_down(session, event, sim);
    uint64_t address = 0;
    graph_trace_add(&session->trace, &local, &place);
    enum sim_result result = sim_event(sim, &local, &address, &failure);
    if (event->kind == MEM_ALLOCATE && event->address) {
        segment->placed++;
        segment->placed_alike += result == SIM_OK && address == event->address;
    }
    if (result == SIM_NO_MEMORY) session->failed = true;
    if (result != SIM_FAILED) return;
    failure.device = event->has_device ? event->device : USAGE_NO_DEVICE;
    if (segment->failure_count++ < FAILURES_KEPT)
        vec_push(&segment->failures, ((struct graph_sim_failure){failure, session->usage.tag, node->counter}));
}
