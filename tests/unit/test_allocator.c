/* SPDX-License-Identifier: Apache-2.0 */
/* device/: the simulated allocator and the layout of circular buffers. Expected addresses: tt-metal's own allocator tests
 * (first fit, or independent of the policy) and its circular-buffer placement tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "device/simulate.h"

#define KIB ((uint64_t)1024)
#define GIB ((uint64_t)1 << 30)

static struct allocator *fresh(uint64_t size, uint64_t start, uint64_t alignment) {
    static struct allocator a;
    allocator_release(&a);
    assert_int_equal(allocator_init(&a, start, size, alignment), ALLOCATOR_OK);
    return &a;
}

static uint64_t up(struct allocator *a, uint64_t size) {
    uint64_t address = UINT64_MAX;
    assert_int_equal(allocator_take(a, size, true, &address), ALLOCATOR_OK);
    return address;
}

static uint64_t down(struct allocator *a, uint64_t size) {
    uint64_t address = UINT64_MAX;
    assert_int_equal(allocator_take(a, size, false, &address), ALLOCATOR_OK);
    return address;
}

static void sizes_are_rounded_to_the_alignment(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    assert_int_equal(up(a, KIB), 0);
    assert_int_equal(up(a, KIB), KIB);
    a = fresh(GIB, 0, KIB);
    assert_int_equal(up(a, 64), 0);
    assert_int_equal(up(a, 64), KIB);
    assert_int_equal(allocator_stats(a).allocated, 2 * KIB);
}

static void top_down_takes_the_high_end(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    assert_int_equal(down(a, KIB), GIB - KIB);
    assert_int_equal(down(a, KIB), GIB - 2 * KIB);
    assert_int_equal(up(a, KIB), 0);
    a = fresh(GIB, 0, KIB);
    assert_int_equal(down(a, 512 * KIB), GIB - 512 * KIB);
    assert_int_equal(up(a, 2 * KIB), 0);
    assert_int_equal(up(a, 500), 2 * KIB);
}

static void free_neighbours_merge(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    uint64_t first = up(a, KIB), second = up(a, KIB);
    up(a, KIB);
    assert_true(allocator_free(a, second));
    assert_true(allocator_free(a, first));
    assert_int_equal(up(a, 2 * KIB), 0);
    assert_false(allocator_free(a, 17)); /* nothing is there */
}

static void a_full_device_refuses(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    assert_int_equal(up(a, GIB), 0);
    uint64_t address;
    assert_int_equal(allocator_take(a, KIB, true, &address), ALLOCATOR_FULL);
    struct allocator_stats stats = allocator_stats(a);
    assert_int_equal(stats.free, 0);
    assert_int_equal(stats.largest_free, 0);
}

static void the_lowest_block_that_fits_is_taken(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    assert_int_equal(up(a, KIB), 0);
    assert_int_equal(up(a, 3 * KIB), 1 * KIB);
    assert_int_equal(up(a, KIB), 4 * KIB);
    assert_int_equal(up(a, KIB), 5 * KIB);
    assert_int_equal(up(a, KIB), 6 * KIB);
    allocator_free(a, 1 * KIB);
    allocator_free(a, 5 * KIB);
    assert_int_equal(up(a, KIB), 1 * KIB); /* best fit would take 5 KiB */
}

static void a_place_can_be_asked_for(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    assert_int_equal(allocator_take_at(a, 32 * KIB, KIB), ALLOCATOR_OK);
    assert_int_equal(up(a, KIB), 0);
    assert_int_equal(down(a, KIB), GIB - KIB);
    assert_int_equal(up(a, KIB), 1 * KIB);
    assert_int_equal(allocator_take_at(a, 32 * KIB, KIB), ALLOCATOR_FULL);
    a = fresh(GIB, 2 * KIB, KIB); /* addresses start at 2 KiB and end at 1 GiB + 2 KiB */
    assert_int_equal(allocator_take_at(a, 2 * KIB, 3 * KIB), ALLOCATOR_OK);
    assert_int_equal(down(a, 2 * KIB), GIB);
}

static void the_lowest_occupied_address_follows(void **state) {
    (void)state;
    struct allocator *a = fresh(GIB, 0, KIB);
    uint64_t lowest = 99;
    assert_false(allocator_lowest(a, &lowest));
    for (int i = 0; i < 3; i++) up(a, KIB);
    assert_true(allocator_lowest(a, &lowest));
    assert_int_equal(lowest, 0);
    allocator_free(a, 0);
    assert_true(allocator_lowest(a, &lowest));
    assert_int_equal(lowest, KIB);
    allocator_free(a, KIB);
    assert_true(allocator_lowest(a, &lowest));
    assert_int_equal(lowest, 2 * KIB);
    allocator_free(a, 2 * KIB);
    assert_false(allocator_lowest(a, &lowest));
}

static void an_offset_moves_all_addresses(void **state) {
    (void)state;
    struct allocator *a = fresh(1398720, 100416, 32);
    assert_int_equal(down(a, 4096), 1495040);
    assert_int_equal(down(a, 4096), 1490944);
}

static void l1_of_a_wormhole_fills_from_the_end(void **state) {
    (void)state;
    struct sim sim;
    struct sim_map map = sim_map_of(chip_find(SLICE("n150")));
    assert_int_equal(sim_init(&sim, &map), SIM_OK);
    static const uint64_t sizes[] = {32768, 65536, 131072}, expected[] = {1466368, 1400832, 1269760};
    for (size_t i = 0; i < 3; i++) {
        struct mem_event event = {
            .kind = MEM_ALLOCATE, .has_device = true, .type = MEM_L1, .id = i + 1, .size = sizes[i], .page_size = sizes[i]};
        uint64_t address = 0;
        struct sim_failure failure;
        assert_int_equal(sim_event(&sim, &event, &address, &failure), SIM_OK);
        assert_int_equal(address, expected[i]);
    }
    sim_release(&sim);
}

static void bytes_per_bank_are_those_of_real_failures(void **state) {
    (void)state;
    struct sim_map wormhole = sim_map_of(chip_find(SLICE("n150")));
    static const struct {
        uint64_t size, page, cores, per_bank;
        enum mem_type type;
    } rows[] = {{1073741824, 2048, 0, 89479168, MEM_DRAM},
                {4294967296, 4096, 0, 357916672, MEM_DRAM},
                {2097152, 2048, 0, 176128, MEM_DRAM},
                {26624, 2048, 0, 4096, MEM_DRAM},
                {65536, 2048, 0, 2048, MEM_L1},
                {32768, 2048, 8, 4096, MEM_L1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mem_event event = {
            .type = rows[i].type, .size = rows[i].size, .page_size = rows[i].page, .num_cores = rows[i].cores};
        assert_int_equal(sim_size_per_bank(&wormhole, &event), rows[i].per_bank);
    }
}

static void a_gap_too_small_is_told_from_a_full_bank(void **state) {
    (void)state;
    struct sim sim;
    struct sim_map map = sim_map_of(chip_find(SLICE("n150")));
    sim_init(&sim, &map);
    uint64_t bank = map.dram_end - map.dram_base, third = bank / 3 / 32 * 32;
    struct mem_event event = {.kind = MEM_ALLOCATE, .type = MEM_DRAM, .size = 1};
    struct sim_failure failure;
    for (uint64_t id = 1; id <= 3; id++) {
        event.id = id;
        event.size_per_bank = third;
        assert_int_equal(sim_event(&sim, &event, NULL, &failure), SIM_OK);
    }
    event.id = 4;
    assert_int_equal(sim_event(&sim, &event, NULL, &failure), SIM_FAILED);
    assert_int_equal(failure.kind, SIM_OUT_OF_MEMORY);
    assert_int_equal(failure.size_per_bank, third);
    for (uint64_t id = 1; id <= 3; id += 2)
        sim_event(&sim, &(struct mem_event){.kind = MEM_FREE, .type = MEM_DRAM, .id = id}, NULL, NULL);
    event.size_per_bank = third + bank % 3 / 32 * 32 + 4096; /* two thirds are free, in two blocks */
    assert_int_equal(sim_event(&sim, &event, NULL, &failure), SIM_FAILED);
    assert_int_equal(failure.kind, SIM_FRAGMENTED);
    assert_true(failure.bank.free >= failure.size_per_bank && failure.bank.largest_free < failure.size_per_bank);
    sim_release(&sim);
}

/* --- circular buffers --- */

enum { BASE = 105664, PAGE = 2048 };

static uint64_t place(struct program_layout *layout, struct core_range range, uint64_t size) {
    uint64_t address;
    assert_true(program_layout_place(layout, &range, 1, size, 0, &address));
    return address;
}

static void circular_buffers_follow_each_other(void **state) {
    (void)state;
    struct program_layout layout;
    program_layout_init(&layout, BASE, 32);
    for (uint64_t i = 0; i < 8; i++) assert_int_equal(place(&layout, (struct core_range){0, 0, 7, 7}, PAGE), BASE + i * PAGE);
    program_layout_clear(&layout);
    assert_int_equal(place(&layout, (struct core_range){0, 0, 7, 7}, 2 * PAGE), BASE);
    assert_int_equal(place(&layout, (struct core_range){0, 0, 7, 7}, PAGE), BASE + 2 * PAGE);
    program_layout_release(&layout);
}

static void a_buffer_on_all_cores_starts_behind_the_fullest(void **state) {
    (void)state;
    static const struct core_range cores[] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 2, 0, 2}};
    static const int count[] = {3, 0, 5};
    struct program_layout layout;
    program_layout_init(&layout, BASE, 32);
    for (size_t c = 0; c < 3; c++)
        for (int i = 0; i < count[c]; i++) assert_int_equal(place(&layout, cores[c], PAGE), BASE + i * PAGE);
    uint64_t address;
    assert_true(program_layout_place(&layout, cores, 3, PAGE, 0, &address)); /* as three ranges */
    assert_int_equal(address, BASE + 5 * PAGE);
    program_layout_clear(&layout);
    for (size_t c = 0; c < 3; c++)
        for (int i = 0; i < count[c]; i++) place(&layout, cores[c], PAGE);
    assert_int_equal(place(&layout, (struct core_range){0, 0, 0, 2}, PAGE), BASE + 5 * PAGE); /* as one merged range */
    program_layout_release(&layout);
}

static void circular_buffers_clash_with_a_low_l1_buffer(void **state) {
    (void)state;
    struct sim sim;
    struct sim_map map = sim_map_of(chip_find(SLICE("n150")));
    sim_init(&sim, &map);
    struct sim_failure failure;
    uint64_t lowest = 0;
    struct mem_event buffer = {.kind = MEM_ALLOCATE, .type = MEM_L1, .id = 1, .size_per_bank = 1000000, .size = 64000000};
    assert_int_equal(sim_event(&sim, &buffer, &lowest, &failure), SIM_OK);
    struct core_range grid = {0, 0, 7, 7};
    struct mem_event cb = {
        .kind = MEM_CIRCULAR_BUFFER, .type = MEM_L1, .size = lowest - BASE, .ranges = &grid, .ranges_len = 1};
    assert_int_equal(sim_event(&sim, &cb, NULL, &failure), SIM_OK); /* up to the buffer, not into it */
    cb.size = 32;
    assert_int_equal(sim_event(&sim, &cb, NULL, &failure), SIM_FAILED);
    assert_int_equal(failure.kind, SIM_CLASH);
    assert_int_equal(failure.lowest_l1, lowest);
    assert_int_equal(failure.region_end, lowest + 32);
    sim_event(&sim, &(struct mem_event){.kind = MEM_RELEASE_PROGRAM}, NULL, NULL);
    cb.size = 2000000;
    assert_int_equal(sim_event(&sim, &cb, NULL, &failure), SIM_FAILED);
    assert_int_equal(failure.kind, SIM_BEYOND_L1);
    sim_release(&sim);
}

/* Dataflow buffers begin at the base as circular buffers do, in a layout of their own; scratchpads stand on top of both. */
static void dataflow_buffers_and_scratchpads_have_their_own_places(void **state) {
    (void)state;
    struct sim sim;
    struct sim_map map = sim_map_of(chip_find(SLICE("n150")));
    sim_init(&sim, &map);
    struct sim_failure failure;
    struct core_range grid = {0, 0, 7, 7}, corner = {0, 0, 0, 0};
    const struct {
        enum mem_event_kind kind;
        const struct core_range *range;
        uint64_t size, place;
    } steps[] = {
        {MEM_CIRCULAR_BUFFER, &grid, 4096, BASE},        {MEM_DATAFLOW_BUFFER, &grid, 2048, BASE},
        {MEM_DATAFLOW_BUFFER, &grid, 1024, BASE + 2048}, {MEM_SCRATCHPAD, &grid, 512, BASE + 4096},
        {MEM_SCRATCHPAD, &corner, 64, BASE + 4608},      {MEM_DATAFLOW_BUFFER, &corner, 64, BASE + 4672},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct mem_event event = {
            .kind = steps[i].kind, .type = MEM_L1, .size = steps[i].size, .ranges = steps[i].range, .ranges_len = 1};
        uint64_t place = 0;
        assert_int_equal(sim_event(&sim, &event, &place, &failure), SIM_OK);
        assert_int_equal(place, steps[i].place);
    }
    struct mem_event large = {.kind = MEM_DATAFLOW_BUFFER, .type = MEM_L1, .size = 2000000, .ranges = &grid, .ranges_len = 1};
    assert_int_equal(sim_event(&sim, &large, NULL, &failure), SIM_FAILED);
    assert_int_equal(failure.kind, SIM_BEYOND_L1);
    assert_int_equal(failure.program, MEM_DATAFLOW_BUFFER);
    sim_release(&sim);
}

/* --- many operations --- */

static uint64_t random_state = 88172645463325252u;
static uint64_t random_u64(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* The same rule on a plain array of bytes-per-unit flags. */
static void random_mixes_agree_with_a_plain_model(void **state) {
    (void)state;
    enum { UNITS = 256, STEPS = 20000 };
    static unsigned char taken[UNITS];
    static unsigned length[UNITS];
    struct allocator *a = fresh(UNITS * 32, 0, 32);
    for (int step = 0; step < STEPS; step++) {
        if (random_u64() % 5 < 3) {
            unsigned units = 1 + (unsigned)(random_u64() % 12);
            bool low = random_u64() % 2;
            int found = -1;
            for (int i = low ? 0 : UNITS - (int)units; i >= 0 && i + (int)units <= UNITS && found < 0; i += low ? 1 : -1) {
                bool fits = true;
                for (unsigned k = 0; k < units; k++) fits &= !taken[i + (int)k];
                if (fits) found = i;
            }
            uint64_t address = 0;
            enum allocator_result result = allocator_take(a, units * 32, low, &address);
            assert_int_equal(result, found < 0 ? ALLOCATOR_FULL : ALLOCATOR_OK);
            if (found < 0) continue;
            assert_int_equal(address, (uint64_t)found * 32);
            for (unsigned k = 0; k < units; k++) taken[found + (int)k] = 1;
            length[found] = units;
        } else {
            unsigned at = (unsigned)(random_u64() % UNITS);
            assert_int_equal(allocator_free(a, at * 32), length[at] != 0);
            for (unsigned k = 0; k < length[at]; k++) taken[at + k] = 0;
            length[at] = 0;
        }
        unsigned used = 0, run = 0, longest = 0;
        for (unsigned i = 0; i < UNITS; i++) {
            used += taken[i];
            run = taken[i] ? 0 : run + 1;
            if (run > longest) longest = run;
        }
        struct allocator_stats stats = allocator_stats(a);
        assert_int_equal(stats.allocated, used * 32);
        assert_int_equal(stats.largest_free, longest * 32);
    }
}

static void a_million_allocations_and_frees_leave_one_free_block(void **state) {
    (void)state;
    enum { LIVE = 20000, TOTAL = 1000000 };
    uint64_t *live = calloc(LIVE, sizeof *live);
    bool *is_live = calloc(LIVE, sizeof *is_live);
    struct allocator *a = fresh((uint64_t)1 << 40, 0, 32);
    clock_t begin = clock();
    for (int i = 0; i < TOTAL; i++) {
        size_t slot = random_u64() % LIVE;
        if (is_live[slot]) allocator_free(a, live[slot]);
        assert_int_equal(allocator_take(a, 32 + random_u64() % 100000, i % 3, &live[slot]), ALLOCATOR_OK);
        is_live[slot] = true;
    }
    for (size_t i = 0; i < LIVE; i++)
        if (is_live[i]) allocator_free(a, live[i]);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(allocator_stats(a).largest_free, (uint64_t)1 << 40);
    print_message("one million allocations and frees: %.2f s\n", seconds);
    free(live);
    free(is_live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_rounded_to_the_alignment),
        cmocka_unit_test(top_down_takes_the_high_end),
        cmocka_unit_test(free_neighbours_merge),
        cmocka_unit_test(a_full_device_refuses),
        cmocka_unit_test(the_lowest_block_that_fits_is_taken),
        cmocka_unit_test(a_place_can_be_asked_for),
        cmocka_unit_test(the_lowest_occupied_address_follows),
        cmocka_unit_test(an_offset_moves_all_addresses),
        cmocka_unit_test(l1_of_a_wormhole_fills_from_the_end),
        cmocka_unit_test(bytes_per_bank_are_those_of_real_failures),
        cmocka_unit_test(a_gap_too_small_is_told_from_a_full_bank),
        cmocka_unit_test(circular_buffers_follow_each_other),
        cmocka_unit_test(a_buffer_on_all_cores_starts_behind_the_fullest),
        cmocka_unit_test(circular_buffers_clash_with_a_low_l1_buffer),
        cmocka_unit_test(dataflow_buffers_and_scratchpads_have_their_own_places),
        cmocka_unit_test(random_mixes_agree_with_a_plain_model),
        cmocka_unit_test(a_million_allocations_and_frees_leave_one_free_block),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fresh(0, 0, 1);
    return failed;
}
