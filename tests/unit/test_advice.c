/* SPDX-License-Identifier: Apache-2.0 */
/* analysis/: which advice is given, in whose words, and which of it is enough. Expected values are arithmetic on the figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/failure/advice_rows.h"
#include "analysis/failure/run_failures.h"

/* need 40,000,000 per bank, 10,000,000 free in one piece: 30,000,000 are missing */
#define DRAM_WHOLE                                                                                                    \
    "Out of Memory: Not enough space to allocate 480000000 B DRAM buffer across 12 banks, where each bank needs to "  \
    "store 40000000 B, but bank size is 1000000000 B (allocated: 990000000 B, free: 10000000 B, largest free block: " \
    "10000000 B)"
/* the same with 30,000,000 free in pieces */
#define DRAM_PIECES                                                                                                   \
    "Out of Memory: Not enough space to allocate 480000000 B DRAM buffer across 12 banks, where each bank needs to "  \
    "store 40000000 B, but bank size is 1000000000 B (allocated: 970000000 B, free: 30000000 B, largest free block: " \
    "10000000 B)"
#define L1(requested, banks, need)                                                          \
    "Out of Memory: Not enough space to allocate " #requested " B L1 buffer across " #banks \
    " banks, where each bank needs to store " #need                                         \
    " B, but bank size is 1000000 B (allocated: 800000 B, free: "                           \
    "200000 B, largest free block: 200000 B)"

static struct arena arena;

static struct verdict judge(const char *text, const struct failure_context *context) {
    struct failure f;
    struct verdict v;
    assert_true(failure_next(slice_from(text), 0, &f));
    verdict_of(&f, context, &arena, &v);
    return v;
}

/* Number of the line that holds the words; advice_len when none does. */
static size_t line_with(const struct verdict *v, const char *words) {
    size_t i = 0;
    while (i < v->advice_len && slice_find(v->advice[i], slice_from(words)) == SLICE_NONE) i++;
    return i;
}

static bool advises(const struct verdict *v, const char *words) { return line_with(v, words) < v->advice_len; }

static struct pool_use pool_of(uint32_t banks, uint64_t size_milli, uint64_t used_milli) {
    return (struct pool_use){.known = true, .banks = banks, .size_milli = size_milli, .used_milli = used_milli};
}

/* 40 - 3.2 MB: 36.8 MB = 38,587,596 B */
static void a_line_that_gives_enough_is_marked(void **state) {
    (void)state;
    struct failure_context context = {.trace = pool_of(12, 40000, 3200)};
    struct verdict v = judge(DRAM_WHOLE, &context);
    assert_int_equal(v.sufficient, line_with(&v, "Lower trace_region_size from 480.0 MB to 38.5 MB"));
    assert_true(v.sufficient < v.advice_len);
    assert_true(advises(&v, "36.8 MB in every bank, 1.2 x what is missing"));
    assert_int_equal(v.together, 0);
}

/* What becomes free elsewhere has to hold the request alone where the free memory is in pieces. */
static void space_joins_only_memory_that_is_in_one_piece(void **state) {
    (void)state;
    struct failure_context context = {.trace = pool_of(12, 35000, 0)}; /* 36.7 million bytes: more than 30, less than 40 */
    struct verdict whole = judge(DRAM_WHOLE, &context), pieces = judge(DRAM_PIECES, &context);
    assert_int_equal(whole.sufficient, line_with(&whole, "trace_region_size"));
    size_t trace = line_with(&pieces, "trace_region_size");
    assert_true(trace < pieces.advice_len);
    assert_true(pieces.sufficient != trace);
}

/* 38,587,596 of the trace region are one piece, 200,000,000 of weights are not known to be. */
static void pieces_are_not_added_up(void **state) {
    (void)state;
    struct failure_context context = {
        .trace = pool_of(12, 40000, 3200),
        .alive = {.known = true, .tensors = 9, .bytes = 500000000, .weight_bytes = 400000000, .weight_saved_bytes = 200000000}};
    struct verdict v = judge(DRAM_PIECES, &context); /* 40,000,000 in one piece, 10,000,000 in sum */
    assert_int_equal(v.worth[line_with(&v, "Hold the weights")], ADVICE_NOT_KNOWN);
    assert_int_equal(v.worth[line_with(&v, "Lower trace_region_size from")], ADVICE_NOT_KNOWN);
    assert_int_equal(v.together, 0);
    assert_true(advises(&v, "20.0 x what is missing in sum"));
    assert_true(advises(&v, "1.2 x what the largest free block lacks"));
    context.trace = pool_of(12, 50000, 3200); /* 49,072,000 hold it wherever they lie */
    v = judge(DRAM_PIECES, &context);
    assert_int_equal(v.sufficient, line_with(&v, "Lower trace_region_size from"));
    assert_int_equal(v.worth[v.sufficient], ADVICE_ENOUGH);
}

/* Whatever lies where, 9,000,000 more do not make 40,000,000 of 30,000,000. */
static void less_than_the_sum_is_not_enough_for_certain(void **state) {
    (void)state;
    struct failure_context context = {
        .alive = {.known = true, .tensors = 9, .bytes = 50000000, .weight_bytes = 20000000, .weight_saved_bytes = 9000000}};
    struct verdict v = judge(DRAM_PIECES, &context);
    assert_int_equal(v.worth[line_with(&v, "Hold the weights")], ADVICE_SHORT);
    assert_int_equal(v.missing_in_sum, 10000000);
    context.alive.weight_saved_bytes = 10000000;
    v = judge(DRAM_PIECES, &context);
    assert_int_equal(v.worth[line_with(&v, "Hold the weights")], ADVICE_NOT_KNOWN);
}

/* Whatever is said to be enough comes before what is not, and the first of it is the one that is named. */
static void what_is_enough_comes_first(void **state) {
    (void)state;
    struct failure_context context = {
        .trace = pool_of(12, 3000, 0),
        .alive = {.known = true, .tensors = 1, .bytes = 9, .weight_bytes = 4000000, .weight_saved_bytes = 2000000}};
    static const char *const texts[] = {DRAM_WHOLE, DRAM_PIECES};
    for (size_t i = 0; i < 2; i++) {
        struct verdict v = judge(texts[i], &context);
        assert_int_equal(v.sufficient, 0);
        for (size_t k = 1; k < v.advice_len; k++)
            if (v.worth[k] == ADVICE_ENOUGH || v.worth[k] == ADVICE_GOAL)
                assert_true(v.worth[k - 1] == ADVICE_ENOUGH || v.worth[k - 1] == ADVICE_GOAL);
    }
}

/* 15 MB = 15,727,591 of the trace region and 16,000,000 of weights: none is 30,000,000, both are. */
static void the_smallest_set_that_is_enough_is_marked(void **state) {
    (void)state;
    struct failure_context context = {
        .trace = pool_of(12, 15000, 0),
        .alive = {.known = true, .tensors = 3, .bytes = 50000000, .weight_bytes = 34133333, .weight_saved_bytes = 16000000}};
    struct verdict v = judge(DRAM_WHOLE, &context);
    assert_int_equal(v.worth[v.sufficient], ADVICE_GOAL); /* which names the figure to reach, not the way */
    unsigned trace = 1u << line_with(&v, "Lower trace_region_size"), weights = 1u << line_with(&v, "Hold the weights");
    assert_int_equal(v.together, trace | weights);
    assert_int_equal(v.missing, 30000000);
    assert_int_equal(v.gained, 16000000 + (15000 - 1) * UINT64_C(1048576) / 1000);
}

static void a_set_has_no_line_that_it_does_not_need(void **state) {
    (void)state;
    struct failure_context context = {
        .trace = pool_of(12, 3000, 0), /* 3.1 million: one third of what the other two lack */
        .alive = {.known = true, .tensors = 1, .bytes = 9, .weight_bytes = 40000000, .weight_saved_bytes = 14000000},
        .bfp8_per_bank = 21250000}; /* 18,750,000 less: with the weights 32,750,000 */
    struct verdict v = judge(DRAM_WHOLE, &context);
    unsigned request = 1u << line_with(&v, "In bfloat8_b this tensor"), weights = 1u << line_with(&v, "Hold the weights");
    assert_int_equal(v.together, request | weights);
}

/* Without padding 20,000,000, in bfloat8_b 21,250,000: a tensor shrinks once. */
static void a_request_shrinks_once(void **state) {
    (void)state;
    struct failure_context context = {.unpadded_bytes = 12 * UINT64_C(20000000), .bfp8_per_bank = 21250000};
    struct verdict v = judge(DRAM_WHOLE, &context);
    assert_true(advises(&v, "mostly padding") && advises(&v, "In bfloat8_b this tensor"));
    assert_int_equal(v.worth[v.sufficient], ADVICE_GOAL);
    assert_int_equal(v.worth[line_with(&v, "mostly padding")], ADVICE_SHORT);
    assert_int_equal(v.together, 0);
}

static void lines_that_do_not_suffice_together_are_no_set(void **state) {
    (void)state;
    struct failure_context context = {.trace = pool_of(12, 15000, 0)};
    struct verdict v = judge(DRAM_WHOLE, &context);
    assert_int_equal(v.worth[v.sufficient], ADVICE_GOAL); /* only what names the figure to reach */
    assert_int_equal(v.together, 0);
    assert_true(v.gained < v.missing);
}

/* Free L1 in pieces: to free the sum alone can fail again. */
static void l1_in_pieces_needs_more_than_the_sum(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 9000000 B L1 buffer across 64 banks, where each bank needs to store "
        "140625 "
        "B, but bank size is 1300000 B (allocated: 1200000 B, free: 100000 B, largest free block: 60000 B)",
        NULL);
    assert_true(advises(&v, "at least 80,625 B per bank of the L1 tensors"));
    assert_false(advises(&v, "at least 40,625 B per bank of the L1 tensors"));
}

static void there_is_no_advice_about_a_trace_region_that_is_not_there(void **state) {
    (void)state;
    struct failure_context none = {.trace = pool_of(12, 0, 0)}, full = {.trace = pool_of(12, 5000, 5000)};
    struct verdict v = judge(DRAM_WHOLE, &none);
    assert_false(advises(&v, "trace_region_size"));
    v = judge(DRAM_WHOLE, &full);
    assert_false(advises(&v, "trace_region_size"));
    /* a Wormhole bank of 1,073,741,824 that lacks 1.9 MB has no region of 314 MB */
    v = judge(
        "Out of Memory: Not enough space to allocate 3774873600 B DRAM buffer across 12 banks, where each bank needs to "
        "store 314572800 B, but bank size is 1071821792 B (allocated: 672602816 B, free: 399218976 B, largest free block: "
        "167335424 B)",
        NULL);
    assert_false(advises(&v, "trace_region_size"));
    /* one that lacks 73 MB may have one of 40 */
    v = judge(DRAM_WHOLE, NULL);
    assert_true(advises(&v, "Lower trace_region_size"));
}

/* 20,200,000 over 200,000 free are 101 cores. */
static void more_cores_than_the_chip_has_are_no_advice(void **state) {
    (void)state;
    struct failure_context wormhole = {.chip = chip_find(SLICE("n150"))}, blackhole = {.chip = chip_find(SLICE("p150"))};
    struct verdict v = judge(L1(20200000, 64, 315625), &wormhole);
    assert_false(advises(&v, "101 cores"));
    v = judge(L1(20200000, 64, 315625), &blackhole);
    assert_true(advises(&v, "at least 101 cores"));
    assert_int_equal(v.sufficient, line_with(&v, "at least 101 cores"));
    blackhole.l1_banks = 100; /* by the log itself */
    v = judge(L1(20200000, 64, 315625), &blackhole);
    assert_false(advises(&v, "101 cores"));
}

/* 1,000,000 per bank of which 800,000 are in use: 8,000,000 take 40 cores of 200,000, not 8 of an empty L1. */
static void cores_are_counted_by_what_is_free(void **state) {
    (void)state;
    struct failure_context n150 = {.chip = chip_find(SLICE("n150"))};
    struct verdict v = judge(L1(8000000, 4, 2000000), &n150);
    assert_int_equal(v.kind, VERDICT_EXCEEDS_BANK);
    assert_int_equal(v.sufficient, line_with(&v, "at least 40 cores (it was asked for on 4)"));
    v = judge(L1(16000000, 8, 2000000), &n150); /* 80 cores: more than it has; 16 if they were empty */
    assert_int_equal(v.sufficient, v.advice_len);
    size_t line = line_with(&v, "at least 16 cores (it was asked for on 8), and free what lies in their L1: 800,000 B");
    assert_int_equal(v.worth[line], ADVICE_NOT_KNOWN);
}

/* 16,000,000 over 200,000 are 80 cores: some boards of Wormhole have them. */
static void cores_that_a_board_may_have_are_not_sure(void **state) {
    (void)state;
    struct failure_context wormhole = {.chip = chip_find(SLICE("wormhole_b0"))};
    struct verdict v = judge(L1(16000000, 8, 2000000), &wormhole);
    assert_int_equal(v.worth[line_with(&v, "at least 80 cores (it was asked for on 8), where the board")], ADVICE_NOT_KNOWN);
    wormhole.l1_banks = 80;
    v = judge(L1(16000000, 8, 2000000), &wormhole);
    assert_int_equal(v.sufficient, line_with(&v, "at least 80 cores"));
}

/* 8 x 8 are all cores of some boards of Wormhole, 7 x 7 of none. */
static void a_grid_that_may_be_full_gets_no_more_cores(void **state) {
    (void)state;
    struct failure_context wormhole = {.chip = chip_find(SLICE("wormhole_b0"))};
    struct verdict v = judge(
        "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1634304 B which is beyond max L1 "
        "size of 1499136 B",
        &wormhole);
    assert_false(advises(&v, "more cores") || advises(&v, "all cores"));
    v = judge(
        "Statically allocated circular buffers on core range [(x=0,y=0) - (x=6,y=6)] grow to 1634304 B which is beyond max L1 "
        "size of 1499136 B",
        &wormhole);
    assert_true(advises(&v, "over more cores"));
}

/* 3,000,000 for this trace and 1,000,000 for those that are there, on each of 8 banks. */
static void a_trace_region_holds_the_other_traces_too(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 24000000 B TRACE buffer across 8 banks, where each bank needs to store "
        "3000000 B, but bank size is 2000000 B (allocated: 1000000 B, free: 1000000 B, largest free block: 1000000 B)",
        NULL);
    assert_int_equal(v.sufficient, line_with(&v, "trace_region_size to at least 32000000 (a total"));
    assert_true(advises(&v, "4,000,000 B (3.8 MB) on each of 8 banks, 1,000,000 B of it for traces"));
    v = judge(
        "Out of Memory: Not enough space to allocate 24000000 B TRACE buffer across 8 banks, where each bank needs to store "
        "3000000 B, but bank size is 2000000 B (allocated: 1000000 B, free: 1000000 B, largest free block: 900000 B)",
        NULL);
    assert_true(advises(&v, "40000000 (a total")); /* 2,000,000 + 3,000,000: wherever the free block lies */
    v = judge(
        "Out of Memory: Not enough space to allocate 24000000 B TRACE buffer across 8 banks, where each bank needs to store "
        "3000000 B, but bank size is 2000000 B",
        NULL);
    assert_int_equal(v.sufficient, v.advice_len);
}

static void sizes_that_no_chip_has_are_no_advice(void **state) {
    (void)state;
    struct verdict v = judge(
        "Creating trace buffers of size 40000000000B on MeshDevice 0, but only 1000B is allocated for trace region.", NULL);
    assert_false(advises(&v, "Set trace_region_size"));
    assert_true(advises(&v, "Capture less in one trace"));
    v = judge(
        "Out of Memory: Not enough space to allocate 120000000 B L1_SMALL buffer across 64 banks, where each bank needs to "
        "store 1875000 B, but bank size is 32768 B (allocated: 0 B, free: 32768 B, largest free block: 32768 B)",
        NULL);
    assert_false(advises(&v, "Open the device"));
    assert_int_equal(v.l1_small_size, 0);
}

/* A region of no size is what a tt-metal complains about that does not take traces out of free DRAM. */
static void a_trace_region_of_no_size_is_not_set_to_none(void **state) {
    (void)state;
    static const char words[] = "takes traces out of free DRAM";
    struct verdict v =
        judge("Creating trace buffers of size 4000B on MeshDevice 0, but only 0B is allocated for trace region.", NULL);
    assert_false(advises(&v, words));
    v = judge("Creating trace buffers of size 4000B on MeshDevice 0, but only 8B is allocated for trace region.", NULL);
    assert_true(advises(&v, words));
}

static void plain_pages_are_not_helped_by_huge_ones(void **state) {
    (void)state;
    struct verdict v = judge("TT_THROW: Failed to pin pages for DMA: Cannot allocate memory", NULL);
    assert_true(advises(&v, "more huge pages do not help"));
    assert_false(advises(&v, "Give the host more huge pages"));
    assert_false(advises(&v, "check that the machine has it on"));
    v = judge("TT_THROW: Failed to pin pages for hugepage at virtual address 0x7f with size 0x40000000: Cannot allocate memory",
              NULL);
    assert_true(advises(&v, "Give the host more huge pages"));
    assert_false(advises(&v, "plain buffer"));
}

static void a_request_that_fits_needs_nothing_freed(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 10485760 B DRAM buffer across 12 banks, where each bank needs to store "
        "874496 B, but bank size is 1071821792 B (allocated: 1000000 B, free: 1070821792 B, largest free block: "
        "1070000000 B)",
        NULL);
    assert_int_equal(v.kind, VERDICT_UNKNOWN);
    assert_int_equal(v.advice_len, 1);
    assert_true(advises(&v, "something else refused it"));
}

static void what_an_arena_holds_is_not_known(void **state) {
    (void)state;
    struct verdict v =
        judge("DRISC L1 GCB zone full: requested 98305 B (aligned 98560 B); zone is 98304 B starting at 0x10000", NULL);
    assert_int_equal(v.sufficient, v.advice_len);
}

static void another_trace_is_released(void **state) {
    (void)state;
    struct verdict v = judge(
        "Trace buffer at address 700 overlaps with DRAM activity captured by another live trace (allocation high water mark: "
        "1000)",
        NULL);
    assert_true(advises(&v, "Release the other trace"));
    assert_true(advises(&v, "300 B of every DRAM bank"));
    assert_false(advises(&v, "above the highest address used during the capture"));
}

/* 0.01 GiB are 10,737,418 B: each figure may be off by half of that. */
static void rounded_figures_give_a_bound(void **state) {
    (void)state;
    struct verdict v = judge(
        "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger "
        "than the available KV cache memory (12.00 GiB).",
        NULL);
    assert_int_equal(v.shortfall_bytes, UINT64_C(4) << 30);
    assert_true(advises(&v, "Give the KV cache 4,305,704,714 B")); /* 4 GiB and twice 5,368,709 */
}

static void buffers_on_all_cores_are_not_spread_over_more(void **state) {
    (void)state;
    struct failure_context n150 = {.chip = chip_find(SLICE("n150")), .l1_banks = 64};
    struct verdict v = judge(
        "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1634304 B which "
        "is beyond max L1 size of 1499136 B",
        &n150);
    assert_false(advises(&v, "over more cores"));
    assert_true(advises(&v, "all cores are used already"));
    v = judge(
        "Statically allocated circular buffers on core range [(x=0,y=0) - (x=3,y=7)] grow to 1634304 B which is beyond max "
        "L1 size of 1499136 B",
        &n150);
    assert_true(advises(&v, "over more cores"));
}

static void l1_tensors_are_moved_where_there_are_some(void **state) {
    (void)state;
    struct failure_context none = {.alive = {.known = true}}, some = {.alive = {.known = true, .tensors = 2, .bytes = 300000}};
    struct verdict v = judge(L1(32000000, 64, 500000), &none);
    assert_false(advises(&v, "move to DRAM at least"));
    v = judge(L1(32000000, 64, 500000), &some); /* 500,000 - 200,000 = 300,000 are missing */
    assert_int_equal(v.sufficient, line_with(&v, "move to DRAM at least 300,000 B per bank"));
    assert_true(advises(&v, "300,000 B per bank in 2 tensors"));
    some.alive.bytes = 299999;
    v = judge(L1(32000000, 64, 500000), &some);
    assert_int_equal(v.sufficient, v.advice_len);
}

/* 1,200,000 B over 12 banks are 100,000 B; a block of 0.2 MB holds it, one of 0.05 MB does not. */
static void dram_takes_an_l1_tensor_where_it_has_room(void **state) {
    (void)state;
    struct failure_context roomy = {.dram = {.known = true, .banks = 12, .has_largest = true, .largest_milli = 200}};
    struct verdict v = judge(L1(1200000, 2, 600000), &roomy);
    assert_true(advises(&v, "the tensor takes 100,000 B of the 0.2 MB per bank"));
    roomy.dram.largest_milli = 50;
    v = judge(L1(1200000, 2, 600000), &roomy);
    assert_false(advises(&v, "DRAM memory config"));
}

static void each_product_has_its_own_settings(void **state) {
    (void)state;
    static const char trace[] =
        "Creating trace buffers of size 84877312B on MeshDevice 0, but only 50331648B is allocated for "
        "trace region.";
    static const char small[] =
        "Out of Memory: Not enough space to allocate 4096 B L1_SMALL buffer across 2 banks, where each bank "
        "needs to store 2048 B, but bank size is 0 B (allocated: 0 B, free: 0 B, largest free block: 0 B)";
    static const char config[] = "Program size (83968) too large for kernel config buffer (70656) on TENSIX";
    static const struct {
        enum product product;
        const char *text, *says, *not ;
    } rows[] = {
        {PRODUCT_METAL, trace, "Set trace_region_size to at least 84877312", "TT_RUNTIME"},
        {PRODUCT_XLA, trace, "Set TT_RUNTIME_TRACE_REGION_SIZE to at least 84877312", "Set trace_region_size"},
        {PRODUCT_VLLM, trace, "--additional-config '{\"tt\": {\"trace_region_size\"", "TT_RUNTIME"},
        {PRODUCT_VLLM_XLA, trace, "Set TT_RUNTIME_TRACE_REGION_SIZE", "Set trace_region_size"},
        {PRODUCT_XLA, trace, "\"enable_trace\": \"false\"", "trace_mode"},
        {PRODUCT_METAL, small, "l1_small_size of at least 2048", "tt-mlir"},
        {PRODUCT_XLA, small, "a build with at least 2048 holds this", "l1_small_size"},
        {PRODUCT_METAL, config, "worker_l1_size smaller by at least 13,312 B", "ETH"},
        {PRODUCT_XLA, config, "Make the program smaller", "worker_l1_size"},
        {PRODUCT_METAL, DRAM_WHOLE, "reduce batch or sequence length", "--max"},
        {PRODUCT_XLA, DRAM_WHOLE, "experimental_weight_dtype", "dtype=ttnn"},
        {PRODUCT_VLLM, DRAM_WHOLE, "--max-model-len or --max-num-seqs", "experimental_weight_dtype"},
        {PRODUCT_VLLM_XLA, DRAM_WHOLE, "in --additional-config", "batch or"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure_context context = {.product = rows[i].product, .has_product = true};
        struct verdict v = judge(rows[i].text, &context);
        assert_true(advises(&v, rows[i].says));
        assert_false(advises(&v, rows[i].not ));
    }
}

static void every_setting_says_where_it_is_written_down(void **state) {
    (void)state;
    for (unsigned product = 0; product < PRODUCTS; product++) {
        for (unsigned setting = 0; setting < SETTINGS; setting++) {
            struct setting_words words = setting_of((enum product)product, (enum setting)setting);
            assert_int_equal(words.words != NULL, words.source != NULL);
        }
    }
}

static void ethernet_cores_have_advice_of_their_own(void **state) {
    (void)state;
    struct verdict v = judge("Program size (29696) too large for kernel config buffer (25600) on ACTIVE_ETH", NULL);
    assert_true(advises(&v, "TT_METAL_WATCHER_DISABLE_ETH=1"));
    assert_true(advises(&v, "smaller by 4,096 B"));
    assert_false(advises(&v, "worker_l1_size"));
    struct failure f;
    assert_true(failure_next(SLICE("Program size (29696) too large for kernel config buffer (25600) on ACTIVE_ETH"), 0, &f));
    assert_string_equal(f.core_type, "ACTIVE_ETH");
    assert_true(failure_next(SLICE("Program size (29696) too large for kernel config buffer (25600) on other"), 0, &f));
    assert_string_equal(f.core_type, "");
}

/* Words of rows that would be passed over without a word. */
static void every_figure_of_a_row_exists(void **state) {
    (void)state;
    for (const struct advice_row *const *table = advice_tables; *table; table++)
        for (const struct advice_row *row = *table; row->text; row++)
            for (const char *at = row->text; (at = strchr(at, '$')); at++) {
                size_t len = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
                if (!advice_has_figure(slice_of(at + 1, len))) fail_msg("%s", at);
            }
}

static const char *const messages[] = {
    DRAM_WHOLE,
    DRAM_PIECES,
    L1(1703936, 2, 851968),
    "Out of Memory: Not enough space to allocate 98304 B L1_SMALL buffer across 64 banks, where each bank needs to store 1536 "
    "B, "
    "but bank size is 65536 B (allocated: 65000 B, free: 536 B, largest free block: 536 B)",
    "Out of Memory: Not enough space to allocate 8 B L1 buffer across 2 banks, where each bank needs to store 4 B",
    "Out of Memory: Cannot allocate at an address below 524288. Allocation at 491520",
    "Statically allocated circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0) - (x=7,y=6)]. L1 buffer "
    "allocated at 800000 and static circular buffer region ends at 900000",
    "Statically allocated circular buffers on core range [0-0 - 7-7] grow to 1741152 B which is beyond max L1 size of 1499136 "
    "B",
    "Creating trace buffers of size 84877312B on MeshDevice 0, but only 50331648B is allocated for trace region.",
    "Out of Memory: Not enough space to allocate 3072000 B TRACE buffer across 12 banks, where each bank needs to store 256000 "
    "B, "
    "but bank size is 1000000 B (allocated: 900000 B, free: 100000 B, largest free block: 100000 B)",
    "Program size (79760) too large for kernel config buffer (70656) on TENSIX",
    "ttnn.concat: required CB page size (7974912 B) exceeds per-core L1 capacity (1393472 B)",
    "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than "
    "the "
    "available KV cache memory (12.00 GiB). Based on the available memory, the estimated maximum model length is 98304.",
    "Trace buffer at address 700 overlaps with buffers allocated during trace capture (allocation high water mark: 1000)",
    "RuntimeError: Found 3 device buffer(s) still alive before trace replay.",
    "Expected number of shards 80 to be less than or equal to total number of L1 banks 64 in compute cores",
    "Kernel binary size exceeds prefetcher cache size (720896, 524288)",
    "'func.func' op required L1 memory usage 1894400 exceeds memory capacity 1395424 (usable space is [103712, 1499136))",
    "Total channel size of 262144 B exceeds available space of 196608 B",
    "Hugepage auxiliary region exhausted: requested 4096 bytes (4096 aligned), 65536 of 65536 used",
    "Cannot add semaphore on core range. Max number of semaphores (16) reached!",
    "400 unique+common runtime args targeting kernel reader on (x=0,y=0) are too large. Max allowable is 341",
    "Total circular buffer size 5000 B must be divisible by page size 2048 B",
};
enum { MESSAGES = sizeof messages / sizeof *messages };

/* Every line of advice says what it is worth; where the message has figures, a line that is enough is marked. */
static void every_message_with_figures_has_a_line_that_is_enough(void **state) {
    (void)state;
    for (unsigned product = 0; product < PRODUCTS; product++)
        for (size_t i = 0; i < MESSAGES; i++) {
            struct failure_context context = {.product = (enum product)product, .has_product = true};
            struct verdict v = judge(messages[i], &context);
            assert_true(v.advice_len > 0);
            for (size_t k = 0; k + 1 < v.advice_len; k++) /* remarks come last, what is enough first */
                assert_false(v.worth[k] == ADVICE_REMARK && v.worth[k + 1] != ADVICE_REMARK);
            bool open_question = v.kind == VERDICT_UNKNOWN; /* no statistics */
            bool chosen_by_compiler = product == PRODUCT_XLA || product == PRODUCT_VLLM_XLA;
            if (open_question || chosen_by_compiler) continue;
            if (v.sufficient == v.advice_len) fail_msg("nothing is marked: %s", messages[i]);
        }
}

static void logs_of_tt_xla_get_no_settings_of_tt_metal(void **state) {
    (void)state;
    static const char *const words[] = {"in0_block_w", "ProgramConfig", "Conv2dConfig",     "Open the device", "l1_small_size",
                                        "worker_l1",   "reallocate",    "memory config",    "release_trace",   "as_tensor",
                                        "per_core_M",  "q_chunk_size",  "trace_region_size"};
    static const char *const ops[] = {"ttnn.matmul", "ttnn.conv2d", "ttnn.scaled_dot_product_attention", "ttnn.layer_norm"};
    for (size_t i = 0; i < MESSAGES; i++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (unsigned phase = 0; phase < PHASES; phase++) {
                struct failure_context context = {
                    .product = PRODUCT_XLA, .has_product = true, .op = slice_from(ops[o]), .phase = (enum around_phase)phase};
                struct verdict v = judge(messages[i], &context);
                for (size_t w = 0; w < sizeof words / sizeof *words; w++)
                    if (advises(&v, words[w])) fail_msg("%s for: %s", words[w], messages[i]);
            }
}

/* What stands in for an operation has lines of its own. */
static void every_phase_has_advice_of_its_own(void **state) {
    (void)state;
    static const struct {
        enum around_phase phase;
        enum product product;
        const char *words;
    } rows[] = {
        {PHASE_INPUT_UPLOAD, PRODUCT_METAL, "Upload inputs in tiled layout"},
        {PHASE_INPUT_UPLOAD, PRODUCT_XLA, "tilized on the device"},
        {PHASE_WEIGHTS, PRODUCT_METAL, "Tilize and convert weights on the host"},
        {PHASE_WEIGHTS, PRODUCT_XLA, "\"enable_const_eval\": \"false\" in the compile options"},
        {PHASE_WEIGHTS, PRODUCT_VLLM_XLA, "\"enable_const_eval\": false in --additional-config"},
        {PHASE_TRACE_CAPTURE, PRODUCT_METAL, "Run the model once before the capture"},
        {PHASE_TRACE_CAPTURE, PRODUCT_XLA, "\"enable_trace\": \"false\""},
        {PHASE_KV_CACHE, PRODUCT_METAL, "this is the KV cache itself"},
        {PHASE_KV_CACHE, PRODUCT_VLLM_XLA, "\"experimental_kv_cache_dtype\": \"bfp_bf8\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure_context context = {.product = rows[i].product, .phase = rows[i].phase},
                               plain = {.product = rows[i].product};
        struct verdict with = judge(DRAM_WHOLE, &context), without = judge(DRAM_WHOLE, &plain);
        assert_true(advises(&with, rows[i].words));
        assert_false(advises(&without, rows[i].words));
    }
    struct failure_context compiling = {.phase = PHASE_PROGRAM_COMPILE};
    struct verdict v = judge(messages[6], &compiling);
    assert_true(advises(&v, "refused before it ran"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_not_added_up),
        cmocka_unit_test(less_than_the_sum_is_not_enough_for_certain),
        cmocka_unit_test(what_is_enough_comes_first),
        cmocka_unit_test(cores_are_counted_by_what_is_free),
        cmocka_unit_test(cores_that_a_board_may_have_are_not_sure),
        cmocka_unit_test(a_grid_that_may_be_full_gets_no_more_cores),
        cmocka_unit_test(a_trace_region_holds_the_other_traces_too),
        cmocka_unit_test(sizes_that_no_chip_has_are_no_advice),
        cmocka_unit_test(a_trace_region_of_no_size_is_not_set_to_none),
        cmocka_unit_test(plain_pages_are_not_helped_by_huge_ones),
        cmocka_unit_test(a_request_that_fits_needs_nothing_freed),
        cmocka_unit_test(what_an_arena_holds_is_not_known),
        cmocka_unit_test(another_trace_is_released),
        cmocka_unit_test(rounded_figures_give_a_bound),
        cmocka_unit_test(every_figure_of_a_row_exists),
        cmocka_unit_test(every_message_with_figures_has_a_line_that_is_enough),
        cmocka_unit_test(logs_of_tt_xla_get_no_settings_of_tt_metal),
        cmocka_unit_test(every_phase_has_advice_of_its_own),
        cmocka_unit_test(a_line_that_gives_enough_is_marked),
        cmocka_unit_test(space_joins_only_memory_that_is_in_one_piece),
        cmocka_unit_test(the_smallest_set_that_is_enough_is_marked),
        cmocka_unit_test(a_set_has_no_line_that_it_does_not_need),
        cmocka_unit_test(a_request_shrinks_once),
        cmocka_unit_test(lines_that_do_not_suffice_together_are_no_set),
        cmocka_unit_test(l1_in_pieces_needs_more_than_the_sum),
        cmocka_unit_test(there_is_no_advice_about_a_trace_region_that_is_not_there),
        cmocka_unit_test(more_cores_than_the_chip_has_are_no_advice),
        cmocka_unit_test(buffers_on_all_cores_are_not_spread_over_more),
        cmocka_unit_test(l1_tensors_are_moved_where_there_are_some),
        cmocka_unit_test(dram_takes_an_l1_tensor_where_it_has_room),
        cmocka_unit_test(each_product_has_its_own_settings),
        cmocka_unit_test(every_setting_says_where_it_is_written_down),
        cmocka_unit_test(ethernet_cores_have_advice_of_their_own),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    return rc;
}
