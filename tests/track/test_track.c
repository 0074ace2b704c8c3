/* SPDX-License-Identifier: Apache-2.0 */
/* libttmem from C. Expected numbers: tt-train's own tests of its tracker (memory_utils_test.cpp), tt-metal's of its
 * extractors, and arithmetic. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "ttmem/ttmem.h"

static ttmem_tracker *tracker;

static int fresh_tracker(void **state) {
    (void)state;
    return ttmem_tracker_new(&tracker) != TTMEM_OK;
}

static int end_tracker(void **state) {
    (void)state;
    ttmem_tracker_free(tracker);
    return 0;
}

static void begin(void) { assert_int_equal(ttmem_begin_capture(tracker, TTMEM_NORMAL), TTMEM_OK); }

static uint64_t next_id = 1;

static uint64_t dram(uint64_t size) {
    ttmem_buffer buffer = {.type = TTMEM_DRAM, .id = next_id++, .size = size, .page_size = 2048};
    assert_int_equal(ttmem_buffer_allocate(tracker, &buffer, NULL), TTMEM_OK);
    return buffer.id;
}

static void free_dram(uint64_t id) {
    ttmem_buffer buffer = {.type = TTMEM_DRAM, .id = id};
    assert_int_equal(ttmem_buffer_deallocate(tracker, &buffer), TTMEM_OK);
}

static uint64_t l1(uint64_t size, uint64_t cores, uint64_t per_bank) {
    ttmem_buffer buffer = {
        .type = TTMEM_L1, .id = next_id++, .size = size, .page_size = 2048, .num_cores = cores, .size_per_bank = per_bank};
    assert_int_equal(ttmem_buffer_allocate(tracker, &buffer, NULL), TTMEM_OK);
    return buffer.id;
}

static const ttmem_core_range grid = {0, 0, 7, 7};

static void circular_buffers(int count, uint64_t size, int borrowed) {
    ttmem_program_memory memory = {.size = size, .ranges = &grid, .ranges_len = 1, .borrowed = borrowed};
    for (int i = 0; i < count; i++) assert_int_equal(ttmem_circular_buffer_allocate(tracker, &memory), TTMEM_OK);
}

static ttmem_dram_usage dram_of(const char *name) {
    ttmem_dram_usage usage = {0};
    assert_int_equal(ttmem_get_dram_usage(tracker, name, &usage), TTMEM_OK);
    return usage;
}

static ttmem_l1_usage l1_of(const char *name) {
    ttmem_l1_usage usage = {0};
    assert_int_equal(ttmem_get_l1_usage(tracker, name, &usage), TTMEM_OK);
    return usage;
}

/* --- tt-train's numbers --- */

static void matmul_in_scope(void **state) {
    (void)state;
    begin();
    uint64_t a = dram(16384), b = dram(16384), result = dram(8192);
    dram(16384); /* program binary, stays in the program cache */
    free_dram(a), free_dram(b), free_dram(result);
    ttmem_snapshot(tracker, "cache on");
    a = dram(16384), b = dram(16384), result = dram(8192);
    uint64_t binary = dram(16384);
    free_dram(binary), free_dram(a), free_dram(b), free_dram(result);
    ttmem_snapshot(tracker, "cache off");
    ttmem_dram_usage on = dram_of("cache on"), off = dram_of("cache off");
    assert_int_equal(on.peak, 57344);
    assert_int_equal(on.allocations - on.deallocations, 16384);
    assert_int_equal(off.peak, 57344);
    assert_int_equal(off.allocations - off.deallocations, 0);
}

static void several_operations_add_up(void **state) {
    (void)state;
    begin();
    dram(18432), dram(18432), dram(51200), dram(436224);
    ttmem_end_capture(tracker, "ops");
    ttmem_dram_usage usage = dram_of("ops");
    assert_int_equal(usage.peak, 524288);
    assert_int_equal(usage.allocations - usage.deallocations, 524288);
    assert_int_equal(l1_of("ops").peak_buffer, 0);
}

static void interleaved_l1_by_the_old_and_the_new_rule(void **state) {
    (void)state;
    begin(); /* 256x256 bf16 add: the result is 131072 bytes in pages of 2048 */
    dram(10240);
    l1(131072, 0, 0);
    circular_buffers(3, 4096, 0);
    ttmem_snapshot(tracker, "old");
    ttmem_clear(tracker);
    begin();
    ttmem_set_interleaved_cores(tracker, 1);
    dram(10240);
    l1(131072, 0, 0);
    circular_buffers(3, 4096, 0);
    ttmem_snapshot(tracker, "old");
    assert_int_equal(dram_of("old").allocations, 10240);
    assert_int_equal(l1_of("old").peak_cb, 12288);
    assert_int_equal(l1_of("old").peak_buffer, 131072);
    assert_int_equal(l1_of("old").peak_total, 143360);
    ttmem_set_rules(tracker, TTMEM_RULES_UPSTREAM);
    assert_int_equal(l1_of("old").peak_buffer, 131072);
    assert_int_equal(l1_of("old").peak_total, 143360);
    static const struct {
        unsigned banks;
        uint64_t per_core;
    } rows[] = {{64, 2048}, {56, 4096}};
    for (size_t i = 0; i < 2; i++)
        for (ttmem_rules rules = TTMEM_RULES_OWN; rules <= TTMEM_RULES_UPSTREAM; rules++) {
            ttmem_clear(tracker);
            ttmem_set_rules(tracker, rules);
            ttmem_set_interleaved_cores(tracker, rows[i].banks);
            begin();
            l1(131072, 0, i ? rows[i].per_core : 0); /* computed, and given as bytes per bank */
            ttmem_end_capture(tracker, "new");
            assert_int_equal(l1_of("new").peak_buffer, rows[i].per_core);
        }
}

static void sharded_l1_with_circular_buffers_inside_it(void **state) {
    (void)state;
    begin(); /* 128x128 bf16, width-sharded on 4 cores */
    dram(10240);
    l1(32768, 4, 0);
    circular_buffers(3, 8192, 1);
    ttmem_end_capture(tracker, NULL);
    ttmem_l1_usage usage = l1_of("END_TRACE");
    assert_int_equal(usage.peak_cb, 0);
    assert_int_equal(usage.peak_buffer, 8192);
    assert_int_equal(usage.peak_total, 8192);
}

static void snapshots_of_three_operations(void **state) {
    (void)state;
    begin();
    uint64_t a = dram(8192), b = dram(8192), c = dram(8192), binary = dram(10240);
    free_dram(binary);
    ttmem_snapshot(tracker, "add");
    uint64_t d = dram(32768), e = dram(16384), f = dram(16384);
    binary = dram(18432);
    free_dram(binary);
    ttmem_snapshot(tracker, "matmul");
    dram(131072), dram(131072);
    for (int i = 0; i < 2; i++) free_dram(dram(4096));
    free_dram(dram(10240));
    for (int i = 0; i < 3; i++) l1(131072, 0, 0);
    ttmem_end_capture(tracker, "multiply_l1");
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    static const struct {
        const char *name;
        int64_t peak, allocated, freed;
    } rows[] = {{"add", 34816, 34816, 10240}, {"matmul", 83968, 83968, 18432}, {"multiply_l1", 272384, 280576, 18432}};
    for (size_t i = 0; i < 3; i++) {
        ttmem_dram_usage usage = dram_of(rows[i].name);
        assert_int_equal(usage.peak, rows[i].peak);
        assert_int_equal(usage.allocations, rows[i].allocated);
        assert_int_equal(usage.deallocations, rows[i].freed);
    }
    assert_int_equal(l1_of("multiply_l1").peak_buffer, 393216);
}

/* --- names and errors --- */

static void repeated_names_are_kept_and_refused_by_name(void **state) {
    (void)state;
    begin();
    dram(8192);
    ttmem_snapshot(tracker, "repeated");
    dram(524288);
    ttmem_snapshot(tracker, "repeated");
    ttmem_end_capture(tracker, "unique");
    assert_int_equal(ttmem_segment_count(tracker), 3);
    ttmem_dram_usage first, second;
    assert_int_equal(ttmem_get_dram_usage_at(tracker, 0, &first), TTMEM_OK);
    assert_int_equal(ttmem_get_dram_usage_at(tracker, 1, &second), TTMEM_OK);
    assert_int_equal(first.allocations, 8192);
    assert_int_equal(second.allocations, 524288);
    assert_int_equal(ttmem_get_dram_usage(tracker, "repeated", &first), TTMEM_AMBIGUOUS);
    assert_string_equal(ttmem_last_error(),
                        "MemoryUsageTracker: Trace 'repeated' is ambiguous (2 segments share this name); "
                        "use get_dram_usage_all()/get_l1_usage_all() instead");
    assert_int_equal(ttmem_get_dram_usage(tracker, "x", &first), TTMEM_NOT_FOUND);
    assert_string_equal(ttmem_last_error(), "MemoryUsageTracker: Trace 'x' not found");
    char name[8];
    size_t needed;
    assert_int_equal(ttmem_segment_name(tracker, 0, name, sizeof name, &needed), TTMEM_NO_ROOM);
    assert_int_equal(needed, sizeof "repeated");
    assert_int_equal(ttmem_segment_name(tracker, 2, name, sizeof name, NULL), TTMEM_OK);
    assert_string_equal(name, "unique");
}

static void a_capture_is_active_once(void **state) {
    (void)state;
    assert_int_equal(ttmem_snapshot(tracker, "x"), TTMEM_NOT_ACTIVE);
    assert_string_equal(ttmem_last_error(), "MemoryUsageTracker: Cannot snapshot - capture is not active");
    ttmem_buffer buffer = {.size = 1, .address = 1};
    assert_int_equal(ttmem_buffer_allocate(tracker, &buffer, NULL), TTMEM_NOT_ACTIVE);
    begin();
    assert_int_equal(ttmem_begin_capture(tracker, TTMEM_NORMAL), TTMEM_ACTIVE);
    assert_string_equal(ttmem_last_error(), "MemoryUsageTracker: Capture already active");
    assert_int_equal(ttmem_end_capture(tracker, NULL), TTMEM_OK);
    assert_int_equal(ttmem_end_capture(tracker, NULL), TTMEM_OK); /* does nothing */
    assert_int_equal(ttmem_segment_count(tracker), 1);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    assert_int_equal(ttmem_snapshot(NULL, "x"), TTMEM_BAD_ARGUMENT);
    assert_int_equal(ttmem_snapshot(tracker, NULL), TTMEM_BAD_ARGUMENT);
    assert_int_equal(ttmem_tracker_new(NULL), TTMEM_BAD_ARGUMENT);
    assert_int_equal(ttmem_set_chip(tracker, "abacus"), TTMEM_BAD_ARGUMENT);
    assert_null(ttmem_summary(NULL));
    assert_int_equal(ttmem_segment_count(NULL), 0);
    begin();
    ttmem_buffer odd = {.type = (ttmem_buffer_type)9, .size = 1}, huge = {.size = UINT64_MAX};
    assert_int_equal(ttmem_buffer_allocate(tracker, &odd, NULL), TTMEM_BAD_ARGUMENT);
    assert_int_equal(ttmem_buffer_allocate(tracker, &huge, NULL), TTMEM_BAD_ARGUMENT);
    ttmem_core_range backwards = {3, 3, 1, 1};
    ttmem_program_memory memory = {.size = 1, .ranges = &backwards, .ranges_len = 1};
    assert_int_equal(ttmem_circular_buffer_allocate(tracker, &memory), TTMEM_BAD_ARGUMENT);
    assert_int_equal(ttmem_function_end(tracker), TTMEM_BAD_ARGUMENT);
    ttmem_tracker_free(NULL);
    ttmem_tracker_free(ttmem_default()); /* stays */
    assert_non_null(ttmem_default());
}

/* --- the rules --- */

static void what_was_allocated_before_the_capture_does_not_wrap(void **state) {
    (void)state;
    begin();
    ttmem_buffer old_dram = {.type = TTMEM_DRAM, .address = 4096, .size = 100000};
    ttmem_buffer old_l1 = {.type = TTMEM_L1, .address = 1400000, .size = 65536, .size_per_bank = 4096};
    ttmem_buffer_deallocate(tracker, &old_dram);
    ttmem_buffer_deallocate(tracker, &old_l1);
    dram(30000);
    l1(32768, 0, 2048);
    ttmem_end_capture(tracker, NULL);
    ttmem_dram_usage usage = dram_of("END_TRACE");
    assert_int_equal(usage.peak, 0); /* never above the start */
    assert_int_equal(usage.deallocations, 100000);
    assert_int_equal(usage.deallocated_earlier, 100000);
    assert_int_equal(l1_of("END_TRACE").peak_buffer, 2048);
    ttmem_set_rules(tracker, TTMEM_RULES_UPSTREAM); /* 0 - 4096 wraps; adding 2048 is below that */
    assert_true(l1_of("END_TRACE").peak_buffer == (uint64_t)0 - 2048);
}

static void equal_addresses_on_two_chips_are_two_buffers(void **state) {
    (void)state;
    begin();
    for (uint64_t device = 0; device < 2; device++) {
        ttmem_buffer buffer = {.device = device, .type = TTMEM_DRAM, .address = 4096, .size = 1000};
        ttmem_buffer_allocate(tracker, &buffer, NULL);
        ttmem_program_memory cb = {.device = device, .size = 4096, .ranges = &grid, .ranges_len = 1};
        ttmem_circular_buffer_allocate(tracker, &cb);
    }
    ttmem_end_capture(tracker, NULL);
    assert_int_equal(dram_of("END_TRACE").peak, 1000); /* of one chip */
    assert_int_equal(l1_of("END_TRACE").peak_cb, 4096);
    ttmem_set_rules(tracker, TTMEM_RULES_UPSTREAM);
    assert_int_equal(dram_of("END_TRACE").peak, 2000);
    assert_int_equal(l1_of("END_TRACE").peak_cb, 8192);
}

static void disjoint_cores_do_not_add_up(void **state) {
    (void)state;
    static const ttmem_core_range left = {0, 0, 3, 7}, right = {4, 0, 7, 7}, middle = {3, 0, 4, 7};
    static const struct {
        const ttmem_core_range *range;
        uint64_t size, most;
    } rows[] = {{&left, 1000, 1000}, {&right, 3000, 3000}, {&left, 1500, 3000}, {&middle, 500, 3500}, {&grid, 100, 3600}};
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ttmem_program_memory cb = {.size = rows[i].size, .ranges = rows[i].range, .ranges_len = 1};
        ttmem_circular_buffer_allocate(tracker, &cb);
    }
    ttmem_snapshot(tracker, "last");
    assert_int_equal(l1_of("last").peak_cb, 3600);
    for (size_t n = 1; n <= sizeof rows / sizeof *rows; n++) {
        ttmem_clear(tracker);
        begin();
        for (size_t i = 0; i < n; i++) {
            ttmem_program_memory cb = {.size = rows[i].size, .ranges = rows[i].range, .ranges_len = 1};
            ttmem_circular_buffer_allocate(tracker, &cb);
        }
        ttmem_snapshot(tracker, "first n");
        assert_int_equal(l1_of("first n").peak_cb, rows[n - 1].most);
    }
}

static void trace_and_l1_small_are_counted_apart(void **state) {
    (void)state;
    begin();
    ttmem_buffer trace = {.type = TTMEM_TRACE, .address = 64, .size = 1000};
    ttmem_buffer small = {.type = TTMEM_L1_SMALL, .address = 64, .size = 500, .size_per_bank = 500};
    ttmem_buffer_allocate(tracker, &trace, NULL);
    ttmem_buffer_allocate(tracker, &small, NULL);
    ttmem_end_capture(tracker, NULL);
    assert_int_equal(dram_of("END_TRACE").peak, 0);
    assert_int_equal(l1_of("END_TRACE").peak_buffer, 0);
    ttmem_set_rules(tracker, TTMEM_RULES_UPSTREAM);
    assert_int_equal(dram_of("END_TRACE").peak, 1000);
    assert_int_equal(l1_of("END_TRACE").peak_buffer, 500);
}

static void l1_stays_alive_across_a_snapshot(void **state) {
    (void)state;
    begin();
    uint64_t kept = l1(65536, 0, 1024);
    ttmem_snapshot(tracker, "one");
    l1(65536, 0, 512);
    ttmem_snapshot(tracker, "two");
    ttmem_buffer buffer = {.type = TTMEM_L1, .id = kept};
    ttmem_buffer_deallocate(tracker, &buffer);
    ttmem_end_capture(tracker, "three");
    assert_int_equal(l1_of("two").peak_buffer, 1536);
    assert_int_equal(l1_of("three").peak_buffer, 1536);
}

static void an_address_given_out_again_ends_the_buffer_before(void **state) {
    (void)state;
    begin();
    ttmem_buffer buffer = {.type = TTMEM_DRAM, .address = 4096, .size = 1000};
    ttmem_buffer_allocate(tracker, &buffer, NULL);
    buffer.size = 3000;
    ttmem_buffer_allocate(tracker, &buffer, NULL);
    ttmem_end_capture(tracker, NULL);
    assert_int_equal(dram_of("END_TRACE").peak, 3000);
}

/* --- text --- */

static void the_summary_is_that_of_tt_train(void **state) {
    (void)state;
    char *text = ttmem_summary(tracker);
    assert_string_equal(text, "WARNING: No traces captured\n");
    ttmem_free(text);
    begin();
    dram(1953759232); /* 1863.25 MB */
    ttmem_snapshot(tracker, "MODEL_CREATION");
    uint64_t temporary = dram(1044750172); /* 996.3514.. */
    free_dram(temporary);
    ttmem_buffer model = {.type = TTMEM_DRAM, .address = 12345, .size = 104857600};
    ttmem_buffer_deallocate(tracker, &model);
    l1(1 << 20, 0, 65536);
    circular_buffers(1, 983040, 0);
    ttmem_end_capture(tracker, "FORWARD_PASS");
    text = ttmem_summary(tracker);
    assert_string_equal(
        text,
        "=== Memory Usage Summary ===\n"
        "\n"
        "--- MODEL_CREATION ---\n"
        "  DRAM: Segment Peak 1863.25 MB, Allocations 1863.25 MB, Deallocations 0.00 MB, Segment Change +1863.25 MB\n"
        "  DRAM: Cumulative Peak 1863.25 MB, Cumulative Current 1863.25 MB\n"
        "  L1: Peak CB 0.00 MB, Peak Buffer 0.00 MB, Peak Total 0.00 MB\n"
        "--- FORWARD_PASS ---\n"
        "  DRAM: Segment Peak 996.35 MB, Allocations 996.35 MB, Deallocations 1096.35 MB, Segment Change -100.00 MB\n"
        "  DRAM: Cumulative Peak 2859.60 MB, Cumulative Current 1763.25 MB\n"
        "  L1: Peak CB 0.94 MB, Peak Buffer 0.06 MB, Peak Total 1.00 MB\n"
        "\n"
        "=== Final Totals ===\n"
        "Overall DRAM Peak: 2859.60 MB, Final DRAM Usage: 1763.25 MB\n"
        "\n");
    ttmem_free(text);
}

static void megabytes_round_like_printf(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0,       1,       5242,    5243,    5244,      15728,       26214,
                                     1048576, 1310720, 1 << 18, 3 << 17, 123456789, 12582912001u};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ttmem_clear(tracker);
        begin();
        dram(sizes[i]);
        ttmem_end_capture(tracker, NULL);
        char *text = ttmem_summary(tracker), expected[64];
        snprintf(expected, sizeof expected, "Overall DRAM Peak: %.2f MB", (double)sizes[i] / 1048576.0);
        assert_non_null(strstr(text, expected));
        ttmem_free(text);
    }
}

static void json_names_what_ran_at_the_peak(void **state) {
    (void)state;
    begin();
    ttmem_function_start(tracker, "outer");
    ttmem_function_start(tracker, "quote\" and \x01");
    dram(4096);
    ttmem_function_end(tracker);
    ttmem_function_end(tracker);
    ttmem_end_capture(tracker, "a\nb");
    char *text = ttmem_json(tracker);
    assert_non_null(strstr(text, "\"name\":\"a\\nb\""));
    assert_non_null(strstr(text, "\"peak_function\":\"quote\\\" and \\u0001\""));
    assert_non_null(strstr(text, "\"dram\":{\"peak_bytes\":4096,"));
    ttmem_free(text);
}

/* --- simulation --- */

static void no_dispatch_gives_addresses_of_the_simulated_chip(void **state) {
    (void)state;
    assert_int_equal(ttmem_set_chip(tracker, "n150"), TTMEM_OK);
    assert_int_equal(ttmem_begin_capture(tracker, TTMEM_NO_DISPATCH), TTMEM_OK);
    static const uint64_t sizes[] = {32768, 65536, 131072}, expected[] = {1466368, 1400832, 1269760};
    uint64_t address;
    for (size_t i = 0; i < 3; i++) {
        ttmem_buffer buffer = {.type = TTMEM_L1, .size = sizes[i], .page_size = sizes[i]};
        assert_int_equal(ttmem_buffer_allocate(tracker, &buffer, &address), TTMEM_OK);
        assert_int_equal(address, expected[i]);
    }
    ttmem_buffer freed = {.type = TTMEM_L1, .address = 1400832};
    assert_int_equal(ttmem_buffer_deallocate(tracker, &freed), TTMEM_OK);
    ttmem_buffer again = {.type = TTMEM_L1, .size = 32768, .page_size = 32768};
    ttmem_buffer_allocate(tracker, &again, &address);
    assert_int_equal(address, 1466368 - 32768); /* the highest gap that fits, its high end */
    ttmem_bank_state bank;
    assert_int_equal(ttmem_simulated_bank(tracker, 0, TTMEM_L1, &bank), TTMEM_OK);
    assert_int_equal(bank.total, 1393472);
    assert_int_equal(bank.allocated, 32768 + 131072 + 32768);
    assert_int_equal(bank.high_water, 32768 + 65536 + 131072);
}

static void no_dispatch_tells_what_does_not_fit(void **state) {
    (void)state;
    ttmem_begin_capture(tracker, TTMEM_NO_DISPATCH);
    ttmem_function_start(tracker, "ttnn::matmul");
    for (int i = 0; i < 13; i++) dram((uint64_t)1 << 30); /* 12 banks of just below 1 GiB */
    ttmem_function_end(tracker);
    ttmem_end_capture(tracker, NULL);
    ttmem_fit_result fit;
    assert_int_equal(ttmem_fit(tracker, &fit), TTMEM_OK);
    assert_int_equal(fit.events, 13);
    assert_int_equal(fit.failures, 2); /* 11 x 89479168 bytes per bank fit into 1072693184 */
    assert_int_equal(fit.fragmented, 0);
    assert_int_equal(fit.type, TTMEM_DRAM);
    assert_int_equal(fit.size_per_bank, 89479168);
    assert_int_equal(fit.bank_size, 1072693184);
    assert_int_equal(fit.free_per_bank, 1072693184 - 11 * (uint64_t)89479168);
    assert_string_equal(fit.function, "ttnn::matmul");
    assert_int_equal(dram_of("END_TRACE").peak, 13 * ((int64_t)1 << 30)); /* counted all the same */
}

/* --- captures as text --- */

static void a_capture_text_is_a_segment(void **state) {
    (void)state;
    static const char text[] =
        "[{\"counter\":0,\"node_type\":\"capture_start\",\"params\":null,\"connections\":[]},"
        "{\"counter\":1,\"node_type\":\"buffer\",\"params\":{\"size\":4096,\"type\":\"DRAM\",\"device_id\":0},\"connections\":["
        "]},"
        "{\"counter\":2,\"node_type\":\"buffer_allocate\",\"params\":{\"size\":\"4096\",\"type\":\"DRAM\",\"address\":\"64\","
        "\"device_id\":\"0\"},\"connections\":[1]},"
        "{\"counter\":3,\"node_type\":\"capture_end\",\"params\":{}}]";
    assert_int_equal(ttmem_add_segment_json(tracker, "whole", text, sizeof text - 1), TTMEM_OK);
    assert_int_equal(dram_of("whole").peak, 4096);
    assert_int_equal(ttmem_add_segment_json(tracker, "cut", text, sizeof text - 30), TTMEM_BAD_CAPTURE);
    assert_int_equal(dram_of("cut").allocations, 4096);
    assert_int_equal(ttmem_capture_json(tracker, text, sizeof text - 1), TTMEM_NOT_ACTIVE);
    begin();
    assert_int_equal(ttmem_add_segment_json(tracker, "x", text, sizeof text - 1), TTMEM_ACTIVE);
    assert_int_equal(ttmem_capture_json(tracker, text, sizeof text - 1), TTMEM_OK);
    assert_int_equal(ttmem_capture_json(tracker, "hello", 5), TTMEM_BAD_CAPTURE);
}

/* --- threads and time --- */

enum { THREADS = 4, PER_THREAD = 20000 };

static void *allocate_and_free(void *argument) {
    uint64_t base = (uint64_t)(uintptr_t)argument << 40;
    for (uint64_t i = 1; i <= PER_THREAD; i++) {
        ttmem_buffer buffer = {.type = TTMEM_DRAM, .address = base + i * 64, .size = 64};
        ttmem_function_start(tracker, i % 2 ? "odd" : "even");
        ttmem_buffer_allocate(tracker, &buffer, NULL);
        if (i % 4) ttmem_buffer_deallocate(tracker, &buffer);
        ttmem_function_end(tracker);
        if (i % 5000 == 0) ttmem_free(ttmem_json(tracker));
    }
    return NULL;
}

static void threads_share_a_tracker(void **state) {
    (void)state;
    begin();
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, allocate_and_free, (void *)(i + 1));
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    ttmem_end_capture(tracker, NULL);
    ttmem_dram_usage usage = dram_of("END_TRACE");
    assert_int_equal(usage.allocations, THREADS * PER_THREAD * 64);
    assert_int_equal(usage.allocations - usage.deallocations, THREADS * PER_THREAD / 4 * 64);
}

static atomic_bool forked_enough;

/* Holds the lock most of the time. */
static void *summarise(void *unused) {
    (void)unused;
    while (!atomic_load(&forked_enough)) ttmem_free(ttmem_json(tracker));
    return NULL;
}

/* The child has only the thread that forked: whoever held the lock is not there to open it. */
static void a_child_can_use_the_tracker(void **state) {
    (void)state;
    enum { FORKS = 200, SEGMENTS = 300 };
    begin();
    for (int i = 0; i < SEGMENTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "step %d", i);
        dram(2048);
        assert_int_equal(ttmem_snapshot(tracker, name), TTMEM_OK);
    }
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, summarise, NULL);
    int stuck = 0;
    for (int i = 0; i < FORKS && !stuck; i++) {
        pid_t child = fork();
        if (!child) {
            alarm(20); /* ends a child that waits for ever */
            ttmem_tracker *own = NULL;
            bool good = ttmem_snapshot(tracker, "in the child") == TTMEM_OK && ttmem_tracker_new(&own) == TTMEM_OK;
            _exit(good ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        stuck = status;
    }
    atomic_store(&forked_enough, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert_int_equal(stuck, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fresh_tracker, end_tracker)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(matmul_in_scope),
        TEST(several_operations_add_up),
        TEST(interleaved_l1_by_the_old_and_the_new_rule),
        TEST(sharded_l1_with_circular_buffers_inside_it),
        TEST(snapshots_of_three_operations),
        TEST(repeated_names_are_kept_and_refused_by_name),
        TEST(a_capture_is_active_once),
        TEST(wrong_arguments_are_refused),
        TEST(what_was_allocated_before_the_capture_does_not_wrap),
        TEST(equal_addresses_on_two_chips_are_two_buffers),
        TEST(disjoint_cores_do_not_add_up),
        TEST(trace_and_l1_small_are_counted_apart),
        TEST(l1_stays_alive_across_a_snapshot),
        TEST(an_address_given_out_again_ends_the_buffer_before),
        TEST(the_summary_is_that_of_tt_train),
        TEST(megabytes_round_like_printf),
        TEST(json_names_what_ran_at_the_peak),
        TEST(no_dispatch_gives_addresses_of_the_simulated_chip),
        TEST(no_dispatch_tells_what_does_not_fit),
        TEST(a_capture_text_is_a_segment),
        TEST(threads_share_a_tracker),
        TEST(a_child_can_use_the_tracker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
