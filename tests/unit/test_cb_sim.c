/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation of circular buffers, and what logs say about them. Expected values follow from the formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cb/study/cb_report.h"
#include "cb/study/cb_runtime.h"
#include "base/strbuf.h"
#include "device/chip.h"

static struct cb_study study_of(uint64_t a, uint64_t b, const char *arch) {
    struct cb_workload w = {
        .a_tiles = a, .b_tiles = b, .tile_bytes = 4096, .passes = 4, .fetch_cost = 2, .compute_cost = 4, .write_cost = 2};
    struct cb_study study;
    assert_int_equal(cb_study(&study, &w, chip_find(slice_from(arch)), NULL, NULL, true), 0);
    return study;
}

static void fixed_buffers_at_16_tiles_miss_three_quarters(void **state) {
    (void)state;
    struct cb_study s = study_of(16, 16, "wormhole_b0");
    const struct cb_pressure *p = &s.cases[0].pressure;
    assert_int_equal(p->cb_bytes, 64 * 1024);
    assert_int_equal(p->miss_milli, 75000);
    assert_int_equal(p->coverage_milli, 25000);
    /* 0.6 x 75 + 0.25 x 75 + 0.15 x 100 x 65536 / 1393472 */
    assert_int_equal(p->used_milli, 4703);
    assert_int_equal(p->score_milli, 45000 + 18750 + 705);
    assert_int_equal(p->thrashing, CB_MEDIUM);
    assert_int_equal(p->pressure, CB_MEDIUM);
    assert_int_equal(p->verdict, CB_MEDIUM);
    assert_int_equal(p->coverage, CB_HIGH);
    assert_string_equal(s.class->name, "medium");
    /* 12 of 16 tiles in each of the three passes after the first */
    assert_int_equal(p->fetched_again, 3 * 12);
}

static void the_adaptive_strategy_is_the_guide_s_snippet(void **state) {
    (void)state;
    static const struct {
        uint64_t a, b, cb0, cb1;
    } cases[] = {{16, 16, 6, 6}, {3, 4, 5, 4}, {4, 8, 6, 6}, {17, 4, 2, 2}, {4, 17, 2, 2}, {1, 1, 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cb_study s = study_of(cases[i].a, cases[i].b, "wormhole_b0");
        assert_int_equal(s.cases[1].sizes.buffers[0].tiles, cases[i].cb0);
        assert_int_equal(s.cases[1].sizes.buffers[1].tiles, cases[i].cb1);
        assert_int_equal(s.cases[1].sizes.buffers[2].tiles, 2);
        assert_int_equal(s.cases[1].sizes.buffers[3].tiles, 2);
    }
}

static void classes_change_at_8_16_and_32_tiles(void **state) {
    (void)state;
    static const struct {
        uint64_t tiles;
        const char *name;
    } cases[] = {{1, "small"},  {8, "small"},  {9, "medium"},      {16, "medium"},
                 {17, "large"}, {32, "large"}, {33, "very large"}, {1000, "very large"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cb_workload w = {.a_tiles = 1, .b_tiles = cases[i].tiles};
        assert_string_equal(cb_workload_class(&w)->name, cases[i].name);
    }
}

/* CB1 of `held` tiles for 100: the miss rate is 100 - held. */
static struct cb_pressure held(uint64_t tiles) {
    struct cb_workload w = {.a_tiles = 100, .b_tiles = 100, .tile_bytes = 1, .passes = 1};
    struct cb_strategy_sizes sizes = {
        .n_buffers = 2,
        .buffers = {{.index = 0, .tiles = 100, .tile_bytes = 1}, {.index = 1, .tiles = tiles, .tile_bytes = 1}}};
    struct cb_pressure p;
    cb_simulate(&p, &sizes, &w, chip_find(SLICE("blackhole")));
    return p;
}

static void thresholds_are_those_of_the_guide(void **state) {
    (void)state;
    assert_int_equal(held(76).thrashing, CB_LOW);    /* 24 % */
    assert_int_equal(held(75).thrashing, CB_MEDIUM); /* 25 % */
    assert_int_equal(held(25).thrashing, CB_MEDIUM); /* 75 % */
    assert_int_equal(held(24).thrashing, CB_HIGH);   /* 76 % */
    assert_int_equal(held(80).coverage, CB_LOW);     /* 90 % covered */
    assert_int_equal(held(60).coverage, CB_MEDIUM);  /* 80 % */
}

static void one_tile_at_a_time_takes_its_turn(void **state) {
    (void)state;
    /* one pass of 3 + 3 tiles with room for all of them: fetch A, fetch B (2 + 2), compute 4, write 2 */
    struct cb_workload w = {
        .a_tiles = 3, .b_tiles = 3, .tile_bytes = 4096, .passes = 1, .fetch_cost = 2, .compute_cost = 4, .write_cost = 2};
    struct cb_strategy_sizes sizes = {.n_buffers = 3,
                                      .buffers = {{.index = 0, .tiles = 3, .tile_bytes = 4096},
                                                  {.index = 1, .tiles = 3, .tile_bytes = 4096},
                                                  {.index = 16, .tiles = 2, .tile_bytes = 4096}}};
    struct cb_pressure p;
    cb_simulate(&p, &sizes, &w, chip_find(SLICE("wormhole_b0")));
    /* tiles are ready at 4, 8, 12; computed at 8, 12, 16; written at 10, 14, 18 */
    assert_int_equal(p.total_time, 18);
    assert_int_equal(p.fetched, 3);
    assert_int_equal(p.fetched_again, 0);
    assert_int_equal(p.uses[0].producer_stall, 0);
    assert_int_equal(p.uses[0].consumer_wait + p.uses[1].consumer_wait, 4); /* for the first pair only */
    assert_false(p.uses[1].single);
    /* one tile of room in CB0: the reader waits until the tile before is computed (8, 16), so all take 8 units each */
    sizes.buffers[0].tiles = 1;
    cb_simulate(&p, &sizes, &w, chip_find(SLICE("wormhole_b0")));
    assert_int_equal(p.uses[0].producer_stall, 4 + 4);
    assert_int_equal(p.total_time, 8 + 8 + 8 + 2);
    assert_int_equal(p.uses[0].high_water, 1);
    assert_true(p.uses[0].single);
}

static void advice_reaches_what_it_says(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 4, 16, 64, 300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cb_study s = study_of(sizes[i], sizes[i], "wormhole_b0");
        assert_true(s.best.pressure.fits);
        if (!s.low_exists) continue;
        assert_int_equal(s.low.pressure.verdict, CB_LOW);
        /* one tile less in CB1 is not LOW any more, or CB1 has one tile only */
        struct cb_strategy_sizes less = s.low.sizes;
        if (less.buffers[1].tiles < 2) continue;
        less.buffers[1].tiles--;
        struct cb_pressure p;
        cb_simulate(&p, &less, &s.workload, s.chip);
        assert_int_not_equal(p.verdict, CB_LOW);
    }
    /* 400 tiles of 4 KB do not fit 1,393,472 B: 340 do */
    struct cb_study s = study_of(400, 400, "wormhole_b0");
    assert_true(s.best.pressure.fits);
    assert_int_equal(s.best.sizes.buffers[1].tiles, 334);
}

/* All sizes that there are, tried one by one. */
struct tried {
    bool low, any;
    uint64_t least_tiles;
    enum cb_level verdict;
    int64_t score;
};

static struct tried try_all(const struct cb_workload *w, const struct chip *chip) {
    struct tried t = {.least_tiles = UINT64_MAX, .verdict = CB_HIGH, .score = INT64_MAX};
    for (uint64_t around = 1; around <= 2; around++)
        for (uint64_t a = 1; a <= w->a_tiles; a++)
            for (uint64_t b = 1; b <= w->b_tiles; b++) {
                struct cb_workload one = *w;
                one.passes = 1;
                struct cb_strategy_sizes sizes = {.n_buffers = 4};
                const uint64_t tiles[] = {a, b, around, around};
                const int64_t indices[] = {0, 1, 2, 16};
                for (unsigned i = 0; i < 4; i++)
                    sizes.buffers[i] =
                        (struct cb_sim_buffer){.index = indices[i], .tiles = tiles[i], .tile_bytes = w->tile_bytes};
                struct cb_pressure p;
                cb_simulate(&p, &sizes, &one, chip);
                if (!p.fits) continue;
                if (p.verdict == CB_LOW && around == 2 && a >= (w->a_tiles < 2 ? 1u : 2u)) {
                    t.low = true;
                    if (a + b < t.least_tiles) t.least_tiles = a + b;
                }
                t.any = true;
                /* double buffering of CB0, CB2 and CB16 is not given up for a lower score where there is room */
                bool kept = around == 2 && a >= (w->a_tiles < 2 ? 1u : 2u);
                if (kept && (p.verdict < t.verdict || (p.verdict == t.verdict && p.score_milli < t.score))) {
                    t.verdict = p.verdict;
                    t.score = p.score_milli;
                }
            }
    return t;
}

static void advice_is_the_best_of_all_sizes(void **state) {
    (void)state;
    static const struct {
        uint64_t a, b, tile_bytes, l1_buffers;
    } cases[] = {
        {16, 16, 4096, 0},
        {1, 1, 4096, 0},
        {30, 12, 65536, 0},
        {12, 30, 65536, 0},
        {25, 25, 60000, 0},
        {30, 30, 50000, 0},
        {22, 22, 64000, 0},
        {40, 3, 40000, 0},
        {8, 8, 4096, 1390000},
        {8, 8, 4096, 1393472},
        {8, 8, 4096, 1393472 - 4 * 4096},
        {8, 8, 4096, 1393472 - 6 * 4096},
        {8, 8, 4096, 1393472 - 7 * 4096},
        {8, 8, 4096, 1393472 - 9 * 4096},
        {60, 9, 100000, 0},
        {9, 60, 30000, 500000},
    };
    const struct chip *chip = chip_find(SLICE("wormhole_b0"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cb_workload w = {.a_tiles = cases[i].a,
                                .b_tiles = cases[i].b,
                                .tile_bytes = cases[i].tile_bytes,
                                .passes = 1,
                                .l1_buffer_bytes = cases[i].l1_buffers};
        struct cb_study s;
        assert_int_equal(cb_study(&s, &w, chip, NULL, NULL, true), 0);
        struct tried t = try_all(&w, chip);
        assert_int_equal(s.low_exists, t.low);
        if (t.low) assert_int_equal(s.low.sizes.buffers[0].tiles + s.low.sizes.buffers[1].tiles, t.least_tiles);
        assert_int_equal(s.best_exists, t.any);
        if (!t.any) continue;
        assert_true(s.best.pressure.fits);
        if (t.score == INT64_MAX) continue; /* too little room for double buffering */
        assert_int_equal(s.best.pressure.verdict, t.verdict);
        assert_int_equal(s.best.pressure.score_milli, t.score);
    }
}

static void from_250_to_340_tiles_low_is_reached_where_it_fits(void **state) {
    (void)state;
    /* 340 tiles of 4 KB fit. At 300 + 300: CB1 300, CB0 36: coverage 336 / 600, 0.25 x 44 + 0.15 x 98.8 = 25.8 */
    for (uint64_t tiles = 240; tiles <= 334; tiles++) assert_true(study_of(tiles, tiles, "wormhole_b0").low_exists);
    struct cb_study s = study_of(300, 300, "wormhole_b0");
    assert_int_equal(s.low.pressure.verdict, CB_LOW);
    assert_int_equal(s.low.sizes.buffers[0].tiles, 2);
    assert_true(s.best.pressure.score_milli <= s.low.pressure.score_milli);
}

static void kernels_that_are_too_large_decide_the_verdict(void **state) {
    (void)state;
    struct cb_workload w = {.a_tiles = 4, .b_tiles = 4, .tile_bytes = 4096, .passes = 1, .kernel_bytes = 70657};
    struct cb_study s;
    cb_study(&s, &w, chip_find(SLICE("wormhole_b0")), NULL, NULL, true);
    assert_int_equal(s.cases[0].pressure.verdict, CB_HIGH); /* the ring has 105664 - 35008 = 70656 */
    assert_false(s.cases[0].pressure.kernels_fit);
    assert_true(s.cases[0].pressure.fits);
    assert_int_equal(s.low.pressure.verdict, CB_LOW); /* of the circular buffers alone */
    w.kernel_bytes--;
    cb_study(&s, &w, chip_find(SLICE("wormhole_b0")), NULL, NULL, true);
    assert_int_equal(s.cases[0].pressure.verdict, CB_LOW);
}

static struct cb_log read_log(const char *text) {
    struct cb_log log;
    cb_log_read(&log, slice_from(text));
    return log;
}

static void clashes_tell_how_many_bytes_are_too_many(void **state) {
    (void)state;
    struct cb_log log = read_log(
        "2026-03-04 01:46:22.615 | critical |          Always | TT_THROW: Statically allocated circular buffers in program 453 "
        "clash with L1 buffers on core range "
        "[(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at 622592 and static circular buffer region ends at 654368 "
        "(assert.hpp:104)\n"
        "                 Always | FATAL    | Statically allocated circular buffers on core range [0-0 - 0-0] grow to 1573000 "
        "B which is beyond max L1 size of 1572864 B\n"
        "TT_THROW: Program size (80000) too large for kernel config buffer (70656) on TENSIX\n");
    assert_int_equal(log.clashes.len, 3);
    assert_int_equal(log.clashes.items[0].overlap, 31776);
    assert_int_equal(log.clashes.items[0].program, 453);
    assert_int_equal(log.clashes.items[1].overlap, 136);
    assert_int_equal(log.clashes.items[2].overlap, 9344);
    cb_log_release(&log);
}

static void levels_follow_pushes_and_pops(void **state) {
    (void)state;
    struct cb_log log = read_log(
        "0:(x=1,y=1):BR: ttmem-cb cb_reserve_back 0 2 10 10\n"
        "0:(x=1,y=1):BR: ttmem-cb cb_push_back 0 2 20 20\n"
        "0:(x=1,y=1):TR0: ttmem-cb cb_wait_front 0 1 5 25\n"
        "0:(x=1,y=1):TR0: ttmem-cb cb_pop_front 0 1 30 30\n"
        "0:(x=1,y=1):BR: ttmem-cb cb_reserve_back 0 2 21 31\n"
        "0:(x=1,y=1):BR: ttmem-cb cb_push_back 0 2 40 40\n"
        "0:(x=2,y=1):BR: ttmem-cb cb_push_back 0 1 40 40\n"
        "0:(x=1,y=1):BR: ttmem-cb cb_nonsense 0 2 40 40\n");
    struct cb_runtime r;
    cb_runtime_make(&r, &log);
    assert_int_equal(log.malformed, 1);
    assert_int_equal(r.n_cores, 2);
    assert_int_equal(r.buffers.len, 1);
    assert_int_equal(r.buffers.items[0].counts[CB_EVENT_PUSH], 3);
    assert_int_equal(r.buffers.items[0].peak_tiles, 3);
    assert_int_equal(r.buffers.items[0].front_wait, 20);
    assert_int_equal(r.buffers.items[0].reserve_wait, 10);
    assert_true(r.buffers.items[0].unbalanced); /* three tiles remain */
    assert_int_equal(r.buffers.items[0].levels.len, 3);
    assert_int_equal(r.buffers.items[0].levels.items[1].tiles, 1);
    cb_runtime_release(&r);
    cb_log_release(&log);
}

static void every_wording_of_a_clash_or_broken_rule_is_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum cb_clash_kind kind;
        uint64_t overlap;
    } cases[] = {
        {"Statically allocated circular buffers on core range [0-0 - 7-7] grow to 1600000 B which is beyond max L1 size of "
         "1499136 B",
         CB_CLASH_L1_END, 100864},
        {"Statically allocated dataflow buffers on core range [0-0 - 7-7] grow to 1600000 B which is beyond max L1 size of "
         "1499136 B",
         CB_CLASH_L1_END, 100864},
        {"Statically allocated circular buffers in program 350188 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer "
         "allocated at 104448 and static circular buffer region ends at 107936",
         CB_CLASH_BUFFER, 3488},
        {"Statically allocated dataflow buffers in program 4 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer "
         "allocated at 622592 and static dataflow buffer region ends at 654368",
         CB_CLASH_BUFFER, 31776},
        {"Circular buffers on service-core range [0-0 - 0-0] in program 7 clash with ServiceCoreManager-allocated L1 (lowest "
         "service allocation at 600000, CB region ends at 600100)",
         CB_CLASH_BUFFER, 100},
        {"Circular buffer core range [0-0 - 9-9] in program 8 exceeds device compute grid (8x8) and is not entirely on cores "
         "claimed via ServiceCoreManager",
         CB_CLASH_RULE, 0},
        {"Program size (80000) too large for kernel config buffer (70656) on TENSIX", CB_CLASH_PROGRAM_SIZE, 9344},
        {"Buffer index (70) exceeds max number of circular buffers per core (32)", CB_CLASH_RULE, 0},
        {"Total circular buffer size 1000 B must be divisible by page size 300 B", CB_CLASH_RULE, 0},
        {"Cannot set circular buffer size to 9000. This is larger than the associated dynamically allocated L1 buffer bank "
         "size of 8192 B",
         CB_CLASH_RULE, 0},
        {"Out of Memory: Not enough space to allocate 58720256 B L1 buffer across 12 banks, where each bank needs to store "
         "4894720 B, but bank size is 1393472 B (allocated: 1000 B, free: 1392472 B, largest free block: 1392000 B)",
         CB_CLASH_NO_ROOM, 3502720},
        {"Out of Memory: Not enough space to allocate 58720256 B L1 buffer across 12 banks, where each bank needs to store "
         "4894720 B",
         CB_CLASH_NO_ROOM, 0},
        {"Out of Memory: Cannot allocate at an address below 105664. Allocation at 104000", CB_CLASH_TOO_LOW, 1664},
    };
    struct strbuf all = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text, "2026-03-04 01:46:22.615 | critical |          Always | TT_FATAL: %s (assert.hpp:104)\n",
                    cases[i].text);
        struct cb_log log = read_log(strbuf_text(&text));
        assert_int_equal(log.clashes.len, 1);
        assert_int_equal(log.clashes.items[0].kind, cases[i].kind);
        assert_int_equal(log.clashes.items[0].overlap, cases[i].overlap);
        if (cases[i].kind == CB_CLASH_RULE) assert_true(slice_equal(log.clashes.items[0].text, slice_from(cases[i].text)));
        cb_log_release(&log);
        strbuf_add(&all, strbuf_slice(&text));
        strbuf_release(&text);
    }
    struct cb_log log = read_log(strbuf_text(&all));
    assert_int_equal(log.clashes.len, sizeof cases / sizeof *cases);
    cb_log_release(&log);
    strbuf_release(&all);
    /* DRAM has nothing to do with circular buffers */
    log = read_log(
        "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks, where each bank needs "
        "to store 89479168 B\n");
    assert_int_equal(log.clashes.len, 0);
    cb_log_release(&log);
}

/* The wall clock of a core is printed with 32 bits: at 1 GHz it begins again every 4.3 s. */
static void clocks_that_wrap_are_carried_over(void **state) {
    (void)state;
    struct cb_log log = read_log(
        "0:(x=1,y=1):BR: ttmem-cb cb_push_back 0 2 4294967200 4294967210\n"
        "0:(x=1,y=1):TR0: ttmem-cb cb_wait_front 0 1 4294967290 6\n" /* 6 + 6 cycles */
        "0:(x=1,y=1):TR0: ttmem-cb cb_pop_front 0 1 20 20\n"
        "0:(x=1,y=1):BR: ttmem-cb cb_push_back 0 1 4294967280 4294967286\n" /* printed late */
        "0:(x=1,y=1):TR0: ttmem-cb cb_pop_front 0 2 100 100\n"
        "0:(x=2,y=2):BR: ttmem-cb cb_push_back 1 1 5 5\n"
        "0:(x=2,y=2):TR0: ttmem-cb cb_wait_front 1 1 4294967295 7\n"
        "0:(x=3,y=3):BR: ttmem-cb cb_reserve_back 2 1 4294967290 4294967300\n" /* a clock of 64 bits */
        "0:(x=3,y=3):BR: ttmem-cb cb_reserve_back 2 1 4294967310 4294967299\n");
    struct cb_runtime r;
    cb_runtime_make(&r, &log);
    assert_int_equal(log.malformed, 1); /* 64 bits do not wrap */
    assert_int_equal(r.buffers.items[0].front_wait, 12);
    assert_int_equal(r.buffers.items[0].peak_tiles, 3);
    assert_false(r.buffers.items[0].unbalanced);
    /* pushes at 4294967210 and ...286, pops at 20 and 100 of the next round: 96 = 2^32 - 4294967200 */
    assert_int_equal(r.span, 4294967296 + 100 - 4294967210);
    assert_int_equal(r.buffers.items[0].levels.items[1].tiles, 3);
    assert_int_equal(r.buffers.items[1].front_wait, 8);
    assert_int_equal(r.buffers.items[2].reserve_wait, 10);
    cb_runtime_release(&r);
    cb_log_release(&log);
}

static void shm_records_add_up_per_type(void **state) {
    (void)state;
    struct cb_log log = read_log(
        "| info | Metal | SHM record_allocation: pid=1, type=L1, size=100 B (0 KB), chip_id=0, device_id=0, asic_id=0x0\n"
        "| info | Metal | SHM record_allocation: pid=1, type=L1, size=50 B (0 KB), chip_id=0, device_id=0, asic_id=0x0\n"
        "| info | Metal | SHM record_deallocation: pid=1, type=L1, size=100 B (0 KB), chip_id=0, device_id=0, asic_id=0x0\n"
        "| debug | Metal | Configured partition params: worker_l1_size:0x16E000, l1_unreserved_base:0x19CC0, "
        "l1_small_size:0x8000, disable\n"
        "| debug | Loader | RISC=2, name=add, size=2608 (bytes)\n");
    assert_int_equal(log.pools.items[0].peak_bytes, 150);
    assert_int_equal(log.pools.items[0].live_bytes, 50);
    assert_int_equal(log.partition.worker_l1_bytes, 1499136);
    assert_int_equal(log.partition.base, 105664);
    assert_int_equal(log.partition.l1_small_bytes, 32768);
    assert_int_equal(log.kernels.items[0].bytes, 2608);
    cb_log_release(&log);
}

/* tt-metal's list of names lacks SYSTEM_MEMORY, which is number 2 of its types. */
static void shm_records_get_the_type_that_is_meant(void **state) {
    (void)state;
    static const char *const types[][2] = {{"DRAM", "DRAM"},      {"L1", "L1"},    {"L1_SMALL", "SYSTEM_MEMORY"},
                                           {"TRACE", "L1_SMALL"}, {"CB", "TRACE"}, {"UNKNOWN", "UNKNOWN"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char line[200];
        snprintf(
            line, sizeof line,
            "| info | Metal | SHM record_allocation: pid=1, type=%s, size=100 B (0 KB), chip_id=0, device_id=0, asic_id=0x0\n",
            types[i][0]);
        struct cb_log log = read_log(line);
        assert_true(slice_equal(log.pools.items[0].type, slice_from(types[i][1])));
        cb_log_release(&log);
    }
}

static void captures_give_circular_buffers_per_operation(void **state) {
    (void)state;
    struct cb_log log = read_log(
        "[{\"node_type\": \"function_start\", \"params\": {\"inputs\": \"1\", \"name\": \"Tilize\"}},\n"
        " {\"node_type\": \"circular_buffer_allocate\", \"params\": {\"address\": \"105664\", \"core_range_set\": \"{[0-0 - "
        "7-7]}\", "
        "\"device_id\": 0, \"globally_allocated\": \"0\", \"size\": \"4096\"}},\n"
        " {\"node_type\": \"circular_buffer_allocate\", \"params\": {\"address\": 0, \"core_range_set\": \"{[0-0 - 7-7]}\", "
        "\"globally_allocated\": \"1\", \"size\": 8192}},\n"
        " {\"node_type\": \"function_end\", \"params\": {\"name\": \"Tilize\"}}]");
    cb_capture_ops ops = {0};
    cb_capture_by_op(&ops, &log);
    assert_int_equal(ops.len, 1);
    assert_int_equal(ops.items[0].buffers, 2);
    assert_int_equal(ops.items[0].bytes, 4096); /* a tensor-backed one costs nothing */
    assert_true(slice_equal(ops.items[0].op, SLICE("Tilize")));
    assert_true(slice_equal(log.captured.items[0].cores, SLICE("{[0-0 - 7-7]}")));
    vec_release(&ops);
    cb_log_release(&log);
}

#define CAPTURED_CB(cores, device, bytes)                                                                     \
    "{\"node_type\": \"circular_buffer_allocate\", \"params\": {\"address\": 0, \"core_range_set\": \"" cores \
    "\", \"device_id\": " device ", \"globally_allocated\": \"0\", \"size\": " bytes "}},\n"

/* What is on other cores, on other chips or in another program does not add up. */
static void captures_count_the_fullest_core_of_a_program(void **state) {
    (void)state;
    struct cb_log log = read_log(
        "[{\"node_type\": \"function_start\", \"params\": {\"inputs\": \"1\", \"name\": \"Tilize\"}},\n"
        CAPTURED_CB("{[0-0 - 3-3]}", "0", "4096") CAPTURED_CB("{[4-4 - 7-7]}", "0", "1024")
        CAPTURED_CB("{[0-0 - 0-0]}", "0", "512") CAPTURED_CB("{[0-0 - 3-3]}", "1", "4096")
        "{\"node_type\": \"function_end\", \"params\": {\"name\": \"Tilize\"}},\n"
        "{\"node_type\": \"circular_buffer_deallocate_all\", \"params\": {\"device_id\": 0}},\n"
        "{\"node_type\": \"function_start\", \"params\": {\"inputs\": \"1\", \"name\": \"Tilize\"}},\n"
        CAPTURED_CB("{[0-0 - 3-3]}", "0", "8192")
        "{\"node_type\": \"function_end\", \"params\": {\"name\": \"Tilize\"}}]");
    cb_capture_ops ops = {0};
    cb_capture_by_op(&ops, &log);
    assert_int_equal(ops.len, 1);
    assert_int_equal(ops.items[0].programs, 3); /* two chips, then again */
    assert_int_equal(ops.items[0].bytes, 8192);
    assert_int_equal(ops.items[0].buffers, 1);
    vec_release(&ops);
    log.captured.len = 3; /* the first alone */
    cb_capture_by_op(&ops, &log);
    assert_int_equal(ops.items[0].bytes, 4096 + 512);
    vec_release(&ops);
    cb_log_release(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_buffers_at_16_tiles_miss_three_quarters),
        cmocka_unit_test(the_adaptive_strategy_is_the_guide_s_snippet),
        cmocka_unit_test(classes_change_at_8_16_and_32_tiles),
        cmocka_unit_test(thresholds_are_those_of_the_guide),
        cmocka_unit_test(one_tile_at_a_time_takes_its_turn),
        cmocka_unit_test(advice_reaches_what_it_says),
        cmocka_unit_test(advice_is_the_best_of_all_sizes),
        cmocka_unit_test(from_250_to_340_tiles_low_is_reached_where_it_fits),
        cmocka_unit_test(kernels_that_are_too_large_decide_the_verdict),
        cmocka_unit_test(clashes_tell_how_many_bytes_are_too_many),
        cmocka_unit_test(levels_follow_pushes_and_pops),
        cmocka_unit_test(every_wording_of_a_clash_or_broken_rule_is_read),
        cmocka_unit_test(clocks_that_wrap_are_carried_over),
        cmocka_unit_test(captures_count_the_fullest_core_of_a_program),
        cmocka_unit_test(shm_records_add_up_per_type),
        cmocka_unit_test(shm_records_get_the_type_that_is_meant),
        cmocka_unit_test(captures_give_circular_buffers_per_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
