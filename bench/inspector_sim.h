/* SPDX-License-Identifier: Apache-2.0 */
/* Inspector files of a run that never happened, from the allocator simulator: what was allocated where is known. Events are
 * printed as tt-metal prints them: a tensor is made and moved twice, views print too, ids are used again at once, a program's
 * binary goes to the top of DRAM and is seen through a view. Used by geninspector and by the unit tests. */
#ifndef TTMEM_BENCH_INSPECTOR_SIM_H
#define TTMEM_BENCH_INSPECTOR_SIM_H

#include <stdint.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "device/allocator.h"
#include "device/chip.h"
#include "device/simulate.h"

enum { SIM_DRAM, SIM_L1, SIM_POOLS };

struct insim_buffer {
    uint64_t address, bank_bytes, device_bytes, id;
    uint32_t op; /* that made it */
    bool kept;   /* for good */
    uint8_t pool;
};

struct insim_view {
    uint64_t address, device_bytes, id;
    uint8_t pool;
};

/* The state before an op. */
struct insim_state {
    uint64_t allocated[SIM_POOLS], largest[SIM_POOLS];
    uint64_t live[SIM_POOLS];
    uint64_t places; /* sum of a hash of every live address and size */
};

struct insim {
    uint64_t random, time_ns, next_id;
    const struct chip *chip;
    struct allocator pools[SIM_POOLS];
    struct strbuf buffers, workloads, programs, devices, startup;
    VEC(struct insim_buffer) live;
    VEC(struct insim_view) views;
    VEC(uint64_t) unused_ids;
    VEC(struct insim_state) states; /* before each op */
    uint64_t peak[SIM_POOLS], sum[SIM_POOLS];
    uint64_t allocations, entries;
    uint32_t ops;
    size_t most_live, kept;
    uint64_t stack;      /* where moved buffers are for a moment */
    int only;            /* pool of all tensors, -1: any */
    bool odd_sizes;      /* pages that do not fill all banks */
    unsigned leak_every; /* ops of a pass of which every so many keep their result; 0: none */
};

static uint64_t insim_random(struct insim *s, uint64_t below) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random % below;
}

static void insim_wait(struct insim *s, uint64_t ns) { s->time_ns += ns; }

static uint64_t insim_id(struct insim *s) {
    if (s->unused_ids.len && insim_random(s, 4)) return s->unused_ids.items[--s->unused_ids.len];
    return s->next_id += 64;
}

static const char *const insim_types[SIM_POOLS] = {"DRAM", "L1"};

static void insim_allocated(struct insim *s, uint64_t id, uint64_t address, uint64_t bytes, unsigned pool) {
    strbuf_addf(&s->buffers,
                "- mesh_buffer_allocated:\n    id: %llu\n    address: %llu\n    size: %llu\n    device_local_size: %llu\n"
                "    buffer_type: %s\n    timestamp_ns: %llu\n",
                (unsigned long long)id, (unsigned long long)address, (unsigned long long)bytes, (unsigned long long)bytes,
                insim_types[pool], (unsigned long long)s->time_ns);
    s->entries++;
}

static void insim_deallocated(struct insim *s, uint64_t id, uint64_t address) {
    strbuf_addf(&s->buffers, "- mesh_buffer_deallocated:\n    id: %llu\n    address: %llu\n    timestamp_ns: %llu\n",
                (unsigned long long)id, (unsigned long long)address, (unsigned long long)s->time_ns);
    s->entries++;
}

static uint64_t insim_place_hash(const struct insim_buffer *b) {
    uint64_t h = b->address * 0x9e3779b97f4a7c15u ^ b->bank_bytes * 0xc2b2ae3d27d4eb4fu ^ b->pool;
    return h ^ h >> 29;
}

static bool insim_take(struct insim *s, unsigned pool, uint64_t device_bytes, uint64_t bank_bytes, bool up,
                       struct insim_buffer *out) {
    uint64_t address;
    if (allocator_take(&s->pools[pool], bank_bytes, up, &address) != ALLOCATOR_OK) return false;
    *out = (struct insim_buffer){
        .address = address, .bank_bytes = bank_bytes, .device_bytes = device_bytes, .op = s->ops, .pool = (uint8_t)pool};
    s->sum[pool] += bank_bytes;
    if (s->sum[pool] > s->peak[pool]) s->peak[pool] = s->sum[pool];
    s->allocations++;
    return true;
}

/* A tensor: p0, moved to p1 on the stack, moved to p2. */
static void insim_tensor(struct insim *s, unsigned pool) {
    static const uint64_t page_sizes[] = {2048, 4096, 1088, 1024};
    const unsigned banks = pool == SIM_DRAM ? s->chip->dram_banks : s->chip->l1_banks;
    uint64_t page = s->odd_sizes ? page_sizes[insim_random(s, 4)] : 2048;
    uint64_t count = (1 + insim_random(s, pool == SIM_DRAM ? 40 : 2)) * banks;
    if (s->odd_sizes) count = 1 + insim_random(s, count);
    uint64_t bank = (count + banks - 1) / banks * page;
    struct insim_buffer b;
    if (!insim_take(s, pool, count * page, bank, pool == SIM_DRAM, &b)) return;
    uint64_t first = insim_id(s), stack = s->stack + insim_random(s, 3) * 512;
    insim_allocated(s, first, b.address, b.device_bytes, pool);
    insim_wait(s, 300);
    insim_deallocated(s, first, b.address);
    insim_wait(s, 200);
    insim_allocated(s, stack, b.address, b.device_bytes, pool);
    insim_wait(s, 200);
    insim_deallocated(s, stack, b.address);
    vec_push(&s->unused_ids, first);
    insim_wait(s, 200);
    b.id = insim_id(s);
    insim_allocated(s, b.id, b.address, b.device_bytes, pool);
    vec_push(&s->live, b);
    insim_wait(s, 40000);
}

static void insim_free(struct insim *s, size_t i) {
    struct insim_buffer b = s->live.items[i];
    insim_deallocated(s, b.id, b.address);
    vec_push(&s->unused_ids, b.id);
    allocator_free(&s->pools[b.pool], b.address);
    s->sum[b.pool] -= b.bank_bytes;
    s->live.items[i] = s->live.items[--s->live.len];
    insim_wait(s, 40000);
}

static void insim_view(struct insim *s) {
    if (!s->live.len) return;
    const struct insim_buffer *b = &s->live.items[insim_random(s, s->live.len)];
    uint64_t inside = insim_random(s, 3) ? 0 : b->bank_bytes / 64 * 32;
    struct insim_view view = {b->address + inside, inside ? 64 : b->device_bytes, insim_id(s), b->pool};
    insim_allocated(s, view.id, view.address, view.device_bytes, view.pool);
    vec_push(&s->views, view);
    insim_wait(s, 40000);
}

/* Also when what it is a view of has gone. */
static void insim_view_ends(struct insim *s) {
    if (!s->views.len) return;
    size_t i = insim_random(s, s->views.len);
    insim_deallocated(s, s->views.items[i].id, s->views.items[i].address);
    vec_push(&s->unused_ids, s->views.items[i].id);
    s->views.items[i] = s->views.items[--s->views.len];
    insim_wait(s, 40000);
}

static void insim_binary(struct insim *s, uint64_t workload) {
    struct insim_buffer b;
    uint64_t bank = 2048 * (1 + insim_random(s, 4));
    if (!insim_take(s, SIM_DRAM, bank * s->chip->dram_banks, bank, false, &b)) return;
    b.id = insim_id(s);
    insim_allocated(s, b.id, b.address, b.device_bytes, SIM_DRAM);
    insim_wait(s, 1000);
    uint64_t seen = insim_id(s);
    insim_allocated(s, seen, b.address, b.device_bytes, SIM_DRAM);
    insim_wait(s, 500);
    insim_deallocated(s, seen, b.address);
    vec_push(&s->unused_ids, seen);
    vec_push(&s->live, b);
    insim_wait(s, 500);
    strbuf_addf(&s->workloads,
                "- mesh_workload_set_program_binary_status:\n    mesh_workload_id: %llu\n    mesh_id: 1\n    status: InFlight\n"
                "    timestamp_ns: %llu\n",
                (unsigned long long)workload, (unsigned long long)s->time_ns);
    insim_wait(s, 30000);
}

static void insim_note_state(struct insim *s) {
    struct insim_state state = {0};
    for (unsigned pool = 0; pool < SIM_POOLS; pool++) {
        state.allocated[pool] = s->sum[pool];
        state.largest[pool] = allocator_stats(&s->pools[pool]).largest_free;
    }
    for (size_t i = 0; i < s->live.len; i++) {
        state.live[s->live.items[i].pool]++;
        state.places += insim_place_hash(&s->live.items[i]);
    }
    vec_push(&s->states, state);
}

/* Order of one op: outputs, (first time) workload, entry, (first time) binary; then views and frees. `keep_state`: note the
 * state before it. */
static void insim_op(struct insim *s, uint64_t workload, bool first, bool keep_state, bool keeps_result) {
    static const char *const names[] = {"MatmulDeviceOperation", "BinaryNgDeviceOperation", "ReshapeViewDeviceOperation",
                                        "SoftmaxDeviceOperation", "EltwiseOp<float, 2>"};
    if (keep_state) insim_note_state(s);
    unsigned outputs = 1 + (unsigned)insim_random(s, 3);
    for (unsigned i = 0; i < outputs; i++)
        insim_tensor(s, s->only >= 0 ? (unsigned)s->only : insim_random(s, 4) ? SIM_DRAM : SIM_L1);
    if (first) {
        strbuf_addf(
            &s->workloads,
            "- mesh_workload_created:\n    mesh_workload_id: %llu\n    timestamp_ns: %llu\n- mesh_workload_add_program:\n"
            "    mesh_workload_id: %llu\n    program_id: %llu\n    timestamp_ns: %llu\n    coordinates:\n      - [0, 0]\n",
            (unsigned long long)workload, (unsigned long long)s->time_ns, (unsigned long long)workload,
            (unsigned long long)workload + 1, (unsigned long long)s->time_ns);
        strbuf_addf(
            &s->programs,
            "- program_created:\n    id: %llu\n    timestamp_ns: %llu\n- program_kernel_compile_finished:\n    id: %llu\n"
            "    timestamp_ns: %llu\n    duration_ns: 5\n    watcher_kernel_id: 3\n    name: k\n    path: p\n    source: "
            "void f() {\n- not an entry\n- mesh_buffer_allocated: {\n}\n",
            (unsigned long long)workload + 1, (unsigned long long)s->time_ns, (unsigned long long)workload + 1,
            (unsigned long long)s->time_ns);
    }
    strbuf_addf(
        &s->workloads,
        "- runtime_entry:\n    mesh_workload_id: %llu\n    runtime_id: %u\n    name: %s\n    parameters: 'Not captured'\n"
        "    trace_id: 4294967295\n    timestamp_ns: %llu\n",
        (unsigned long long)workload, s->ops, names[workload % 5], (unsigned long long)s->time_ns);
    s->entries++;
    insim_wait(s, 30000);
    if (first) insim_binary(s, workload);
    if (!insim_random(s, 3)) insim_view(s);
    if (!insim_random(s, 3)) insim_view_ends(s);
    for (size_t i = 0; keeps_result && i < s->live.len; i++)
        if (s->live.items[i].op == s->ops && !s->live.items[i].kept) {
            s->live.items[i].kept = true;
            s->kept++;
        }
    /* views of what goes would be views of what comes there next, for a reader that has no order of their frees */
    while (s->live.len > s->most_live + s->kept) {
        size_t i = insim_random(s, s->live.len);
        if (s->live.items[i].kept) continue;
        insim_free(s, i);
    }
    s->ops++;
}

static void insim_init(struct insim *s, uint64_t seed, const char *chip) {
    *s = (struct insim){.random = seed * 2654435761u + 88172645463325252u,
                        .time_ns = 1787415567123456789u,
                        .next_id = 94127398400960u,
                        .most_live = 200,
                        .stack = 140721000000000,
                        .only = -1};
    s->chip = chip_find(slice_from(chip));
    struct sim_map map = sim_map_of(s->chip);
    allocator_init(&s->pools[SIM_DRAM], map.dram_base, map.dram_end - map.dram_base, map.dram_align);
    allocator_init(&s->pools[SIM_L1], map.l1_base, map.l1_end - map.l1_base, map.l1_align);
    strbuf_addf(&s->startup,
                "startup_time:\n  system_clock_iso: '2026-08-22T16:19:27Z'\n  system_clock_ns: %llu\n"
                "  high_resolution_clock_ns: %llu\n",
                (unsigned long long)s->time_ns, (unsigned long long)s->time_ns + 211);
    strbuf_addf(&s->devices,
                "- mesh_device_created:\n    mesh_id: 1\n    timestamp_ns: %llu\n    devices: [0]\n    shape: [1, 1]\n",
                (unsigned long long)s->time_ns);
}

static void insim_release(struct insim *s) {
    for (unsigned pool = 0; pool < SIM_POOLS; pool++) allocator_release(&s->pools[pool]);
    strbuf_release(&s->buffers);
    strbuf_release(&s->workloads);
    strbuf_release(&s->programs);
    strbuf_release(&s->devices);
    strbuf_release(&s->startup);
    vec_release(&s->live);
    vec_release(&s->views);
    vec_release(&s->unused_ids);
    vec_release(&s->states);
}

#endif
