/* SPDX-License-Identifier: Apache-2.0 */
/* analysis/: what failures mean. Expected values are arithmetic on the numbers of public messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/failure/run_failures.h"
#include "base/strbuf.h"

enum { ABSENT = -1 };

static struct arena arena;

static struct verdict judge(const char *text, const struct failure_context *context) {
    struct failure f;
    assert_true(failure_next(slice_from(text), 0, &f));
    struct verdict v;
    verdict_of(&f, context, &arena, &v);
    assert_true(v.advice_len > 0);
    return v;
}

static const char *chip_name(const struct verdict *v) { return v->chip ? v->chip->name : ""; }

static bool advises(const struct verdict *v, const char *words) {
    for (size_t i = 0; i < v->advice_len; i++)
        if (slice_find(v->advice[i], slice_from(words)) != SLICE_NONE) return true;
    return false;
}

/* Public out-of-memory reports: per bank, what was needed, the bank, free and largest free block. */
static void public_out_of_memory_reports_get_their_verdict(void **state) {
    (void)state;
    static const struct {
        const char *where;
        int banks;
        int64_t need, bank, free, largest;
        enum verdict_kind verdict;
        int64_t shortfall;
        const char *chip;
    } rows[] = {
        {"tt-xla#4130", 12, 4894720, 1071821792, 183397344, 3382944, VERDICT_FRAGMENTED, 1511776, "wormhole_b0"},
        {"tt-xla#4685", 12, 274686208, 1071821792, 286974112, 216504544, VERDICT_FRAGMENTED, 58181664, "wormhole_b0"},
        {"tt-xla#4760", 12, 13983744, 1071821792, 55185344, 8713184, VERDICT_FRAGMENTED, 5270560, "wormhole_b0"},
        {"tt-xla#5355", 12, 11796480, 1070773184, 12661504, 6266880, VERDICT_FRAGMENTED, 5529600, "wormhole_b0"},
        {"tt-xla#4728", 12, 357916672, 1071821792, 601765152, 318584608, VERDICT_FRAGMENTED, 39332064, "wormhole_b0"},
        {"tt-xla#4762", 12, 357916672, 1071821792, 544013216, 306904160, VERDICT_FRAGMENTED, 51012512, "wormhole_b0"},
        {"tt-xla#5535 ministral", 12, 89479168, 1070773184, 67144640, 67140352, VERDICT_EXHAUSTED, 22334528, "wormhole_b0"},
        {"tt-xla#5535 qwen3", 12, 103723008, 1070773184, 15924544, 15475264, VERDICT_EXHAUSTED, 87798464, "wormhole_b0"},
        {"tt-mlir#9006", 12, 98060288, 1070773184, 69167968, 69142624, VERDICT_EXHAUSTED, 28892320, "wormhole_b0"},
        {"tt-xla#4040", 8, 5561647104, 4273390016, ABSENT, ABSENT, VERDICT_EXCEEDS_BANK, 1288257088, "blackhole"},
        {"tt-xla#4653", 12, 1761607680, 1071821792, ABSENT, ABSENT, VERDICT_EXCEEDS_BANK, 689785888, "wormhole_b0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text,
                    "Out of Memory: Not enough space to allocate %lld B DRAM buffer across %d banks, where each bank needs to "
                    "store %lld "
                    "B, but bank size is %lld B",
                    (long long)(rows[i].need * rows[i].banks), rows[i].banks, (long long)rows[i].need, (long long)rows[i].bank);
        if (rows[i].free != ABSENT)
            strbuf_addf(&text, " (allocated: %lld B, free: %lld B, largest free block: %lld B)",
                        (long long)(rows[i].bank - rows[i].free), (long long)rows[i].free, (long long)rows[i].largest);
        struct verdict v = judge(strbuf_text(&text), NULL);
        assert_int_equal(v.kind, rows[i].verdict);
        assert_true(v.has_shortfall);
        assert_int_equal(v.shortfall_bytes, rows[i].shortfall);
        assert_string_equal(chip_name(&v), rows[i].chip);
        strbuf_release(&text);
    }
}

/* Public clash reports: overlap = end of the circular buffers - lowest L1 buffer. */
static void public_clashes_get_their_overlap(void **state) {
    (void)state;
    static const struct {
        const char *where, *cores;
        long long address, end, overlap;
        const char *chip;
    } rows[] = {
        {"tt-xla#5206", "[0-0 - 7-7]", 104448, 107936, 3488, ""},
        {"tt-xla#522", "[(x=0,y=0) - (x=4,y=0)]", 622592, 654368, 31776, ""},
        {"tt-metal#54621", "[0-0 - 0-0]", 1378048, 1430656, 52608, ""},
        {"tt-metal#28835", "[(x=0,y=0) - (x=7,y=7)]", 974336, 1089536, 115200, ""},
        {"tt-metal#8065", "[(x=0,y=0) - (x=11,y=7)]", 267584, 435136, 167552, ""},
        {"tt-metal#33245", "[(x=1,y=0) - (x=3,y=9)]", 567488, 754528, 187040, ""},
        {"tt-xla#4214", "[(x=0,y=0) - (x=3,y=7)]", 665600, 890144, 224544, ""},
        {"tt-metal#54876", "[0-0 - 10-9]", 1563072, 1563264, 192, "blackhole"},
        {"a grid of 13 columns", "[0-0 - 12-9]", 100000, 124320, 24320, "blackhole"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text,
                    "Statically allocated circular buffers in program 7 clash with L1 buffers on core range %s. L1 buffer "
                    "allocated at %lld "
                    "and static circular buffer region ends at %lld",
                    rows[i].cores, rows[i].address, rows[i].end);
        struct verdict v = judge(strbuf_text(&text), NULL);
        assert_int_equal(v.kind, VERDICT_CLASH);
        assert_true(v.has_overlap);
        assert_int_equal(v.overlap_bytes, rows[i].overlap);
        assert_string_equal(chip_name(&v), rows[i].chip);
        strbuf_release(&text);
    }
}

static void buffers_beyond_l1_name_the_chip_by_its_limit(void **state) {
    (void)state;
    static const struct {
        long long end, limit, over;
        const char *chip;
    } rows[] = {{1741152, 1499136, 242016, "wormhole_b0"},
                {1683968, 1572864, 111104, "blackhole"},
                {5550880, 1048576, 4502304, "grayskull"},
                {2000, 1000, 1000, ""}};
    for (size_t i = 0; i < 4; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text,
                    "Statically allocated dataflow buffers on core range [0-0 - 0-0] grow to %lld B which is beyond max L1 "
                    "size of %lld B",
                    rows[i].end, rows[i].limit);
        struct verdict v = judge(strbuf_text(&text), NULL);
        assert_int_equal(v.kind, VERDICT_EXCEEDS_L1);
        assert_int_equal(v.overlap_bytes, rows[i].over);
        assert_string_equal(chip_name(&v), rows[i].chip);
        strbuf_release(&text);
    }
}

static void without_statistics_the_verdict_is_unknown(void **state) {
    (void)state;
    static const char *const texts[] = {
        "Out of Memory: Not enough space to allocate 146575360 B DRAM buffer across 12 banks, where each bank needs to store "
        "12214976 B",
        "Out of Memory: Not enough space to allocate 117440512 B DRAM buffer across 12 banks, where each bank needs to store "
        "9787392 B, but "
        "bank size is only 1046181792 B",
        "Out of Memory: Not enough space to allocate {} B {} buffer across {} banks, where each bank needs to store {} B",
        /* the request fits the largest block */
        "Out of Memory: Not enough space to allocate 2048 B DRAM buffer across 2 banks, where each bank needs to store 1024 B, "
        "but bank size "
        "is 4096 B (allocated: 1024 B, free: 3072 B, largest free block: 2048 B)",
    };
    for (size_t i = 0; i < 4; i++) {
        struct verdict v = judge(texts[i], NULL);
        assert_int_equal(v.kind, VERDICT_UNKNOWN);
        assert_false(v.has_shortfall);
    }
}

static void dependencies_explain_what_the_statistics_do_not(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space after considering dependencies to allocate 4096 B DRAM across 2 banks (2048 B per "
        "bank), bank size "
        "is 8192 B (allocated: 3072 B, free: 5120 B, largest free block: 3072 B). After subtracting 1 dependency range(s) and "
        "0 additional "
        "occupied range(s), 2048 B remained placeable across 2 window(s), largest 1024 B",
        NULL);
    assert_int_equal(v.kind, VERDICT_FRAGMENTED);
    assert_int_equal(v.shortfall_bytes, 1024);
}

static void eight_banks_without_their_size_are_no_chip(void **state) {
    (void)state;
    struct verdict v = judge("Out of Memory: Not enough space to allocate 148897792 B DRAM buffer across 8 banks", NULL);
    assert_null(v.chip);
    v = judge("Out of Memory: Not enough space to allocate 8 B DRAM buffer across 7 banks", NULL);
    assert_string_equal(chip_name(&v), "p100");
    v = judge(
        "Out of Memory: Not enough space to allocate 1703936 B L1 buffer across 1 banks, where each bank needs to store "
        "1703936 B, but "
        "bank size is 1461376 B",
        NULL);
    assert_string_equal(chip_name(&v), "blackhole");
}

static void l1_small_gets_the_smallest_size_that_does(void **state) {
    (void)state;
    static const struct {
        const char *statistics;
        uint64_t size;
        const char *advice;
    } rows[] = {
        /* never reserved: 448 B are enough for this one */
        {"448 B, but bank size is only 0 B", 448, "at least 448 "},
        /* no statistics, larger than the region: at least itself, for certain beside all that was there */
        {"33792 B, but bank size is only 32768 B", 33792, "66560 is certain"},
        {"256 B, but bank size is only 32768 B", 33024, "33024 holds this request for certain"},
        /* 1000 free in one block: 24 more, rounded up to the alignment of 32 */
        {"1024 B, but bank size is 32768 B (allocated: 31768 B, free: 1000 B, largest free block: 1000 B)", 32800,
         "at least 32800 "},
        {"1024 B, but bank size is 32768 B (allocated: 30720 B, free: 2048 B, largest free block: 512 B)", 33280,
         "at least 33280 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text,
                    "Out of Memory: Not enough space to allocate 64 B L1_SMALL buffer across 64 banks, where each bank needs "
                    "to store %s",
                    rows[i].statistics);
        struct verdict v = judge(strbuf_text(&text), NULL);
        assert_int_equal(v.l1_small_size, rows[i].size);
        assert_true(advises(&v, rows[i].advice));
        strbuf_release(&text);
    }
}

/* Without the size of a bank, or without what each bank needs: the rest proves it, by how much is open. */
static void partial_figures_prove_what_they_can(void **state) {
    (void)state;
#define ASKS "Out of Memory: Not enough space to allocate 24000000000 B DRAM buffer across 12 banks"
    const struct failure_context small = {.dram = {.known = true, .banks = 12, .size_milli = 1000000}};
    const struct failure_context blackhole = {.chip = chip_find(SLICE("p150"))};
    const struct {
        const char *text;
        const struct failure_context *context;
        enum verdict_kind kind;
        bool has_shortfall;
    } rows[] = {
        /* 2,000,000,000 per bank: more than the banks of Wormhole, which alone has twelve, hold */
        {ASKS, NULL, VERDICT_EXCEEDS_BANK, false},
        {ASKS ", where each bank needs to store 2000000000 B", &small, VERDICT_EXCEEDS_BANK, false},
        {ASKS, &blackhole, VERDICT_UNKNOWN, false}, /* its banks hold twice as much */
        {ASKS ", where each bank needs to store 2000000000 B (allocated: 4000000000 B, free: 1000000000 B", &blackhole,
         VERDICT_EXHAUSTED, true},
        {ASKS ", (allocated: 4000000000 B, free: 1000000000 B", &blackhole, VERDICT_EXHAUSTED, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct verdict v = judge(rows[i].text, rows[i].context);
        assert_int_equal(v.kind, rows[i].kind);
        assert_int_equal(v.has_shortfall, rows[i].has_shortfall);
    }
}

static void a_trace_region_costs_whole_pages_of_every_bank(void **state) {
    (void)state;
    assert_int_equal(verdict_trace_cost_per_bank(53616640, 8), 6709248);  /* 6702080 -> 819 pages */
    assert_int_equal(verdict_trace_cost_per_bank(53616640, 12), 4472832); /* 4468054 -> 546 pages */
    assert_int_equal(verdict_trace_cost_per_bank(1, 12), 8192);
    assert_int_equal(verdict_trace_cost_per_bank(0, 12), 0);
    struct verdict v = judge(
        "Creating trace buffers of size 53616640B on MeshDevice 0, but only 50000000B is allocated for trace region.", NULL);
    assert_int_equal(v.kind, VERDICT_TRACE_REGION_SHORT);
    assert_int_equal(v.trace_region_size, 53616640);
    assert_int_equal(v.shortfall_bytes, 3616640);
    assert_true(advises(&v, "6,709,248 B"));
    assert_true(advises(&v, "4,472,832 B"));
}

static void other_shortages_are_differences(void **state) {
    (void)state;
    struct verdict v = judge("Program size (79760) too large for kernel config buffer (70656) on TENSIX", NULL);
    assert_int_equal(v.kind, VERDICT_KERNEL_CONFIG_SHORT);
    assert_int_equal(v.shortfall_bytes, 9104);
    v = judge("Out of Memory: Cannot allocate at an address below 524288. Allocation at 491520", NULL);
    assert_int_equal(v.kind, VERDICT_BELOW_LIMIT);
    assert_int_equal(v.shortfall_bytes, 32768);
    v = judge("Total circular buffer size 5000 B must be divisible by page size 2048 B", NULL);
    assert_int_equal(v.kind, VERDICT_RULE);
    assert_true(advises(&v, "not a multiple of its page size"));
}

/* What cannot be true together gives no verdict, and the figures are named. */
static void contradicting_figures_give_no_verdict(void **state) {
    (void)state;
    static const struct {
        const char *text, *named;
    } rows[] = {
        {"Out of Memory: Not enough space to allocate 12000 B DRAM buffer across 12 banks, where each bank needs to store 1000 "
         "B, "
         "but bank size is 5000 B (allocated: 4500 B, free: 500 B, largest free block: 900 B)",
         "the largest free block (900 B) is larger than all that is free (500 B)"},
        {"Out of Memory: Not enough space to allocate 12000 B DRAM buffer across 12 banks, where each bank needs to store 1000 "
         "B, "
         "but bank size is 500 B (allocated: 0 B, free: 900 B, largest free block: 900 B)",
         "more is free (900 B) than the bank holds (500 B)"},
        {"Statically allocated circular buffers in program 7 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer "
         "allocated "
         "at 754528 and static circular buffer region ends at 567488 (assert.hpp:104)",
         "the circular buffers end at 567488 and the L1 buffer begins at 754528"},
        {"Statically allocated dataflow buffers on core range [0-0 - 7-7] grow to 1499136 B which is beyond max L1 size of "
         "1499136 B",
         "the dataflow buffers grow to 1499136, which is within the L1 of 1499136"},
        {"Creating trace buffers of size 5000B on MeshDevice 0, but only 50000B is allocated for trace region.",
         "the trace buffers (5,000 B) fit into the trace region (50,000 B)"},
        {"Program size (70000) too large for kernel config buffer (70656) on TENSIX",
         "the program (70,000 B) fits into the kernel config buffer (70,656 B)"},
        {"Out of Memory: Cannot allocate at an address below 491520. Allocation at 524288.",
         "the allocation at 524288 is not below the limit of 491520"},
        {"Total circular buffer size 4096 B must be divisible by page size 2048 B", "keeps the rule it is said to break"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct verdict v = judge(rows[i].text, NULL);
        assert_int_equal(v.kind, VERDICT_UNKNOWN);
        assert_false(v.has_shortfall || v.has_overlap);
        assert_true(slice_find(v.contradiction, slice_from(rows[i].named)) != SLICE_NONE);
        assert_true(slice_find(v.advice[0], slice_from(rows[i].named)) != SLICE_NONE);
        assert_false(advises(&v, "fits the largest free block"));
    }
}

/* need, free, largest free block and bank decide; what else does not add up is named and the verdict stands. */
static void doubt_about_other_figures_leaves_the_verdict(void **state) {
    (void)state;
    static const struct {
        const char *text, *named;
    } rows[] = {
        {"Out of Memory: Not enough space to allocate 12000 B DRAM buffer across 12 banks, where each bank needs to store 1000 "
         "B, "
         "but bank size is 5000 B (allocated: 6000 B, free: 500 B, largest free block: 400 B)",
         "more is allocated (6,000 B) than the bank holds (5,000 B)"},
        {"Out of Memory: Not enough space to allocate 12000 B L1 buffer across 12 banks, where each bank needs to store 1000 "
         "B, "
         "but bank size is 5000 B (allocated: 4900 B, free: 500 B, largest free block: 400 B)",
         "allocated (4,900 B) and free (500 B) do not make up the bank (5,000 B)"},
        {"Out of Memory: Not enough space to allocate 12000 B DRAM buffer across 12 banks, where each bank needs to store 1000 "
         "B, "
         "but bank size is 5000 B (allocated: 1000 B, free: 500 B, largest free block: 400 B)",
         "allocated (1,000 B) and free (500 B) do not make up the bank (5,000 B)"},
        {"Out of Memory: Not enough space to allocate 120000 B DRAM buffer across 12 banks, where each bank needs to store "
         "1000 B, "
         "but bank size is 5000 B (allocated: 4500 B, free: 500 B, largest free block: 400 B)",
         "12 banks of 1,000 B do not hold the 120,000 B asked for"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct verdict v = judge(rows[i].text, NULL);
        assert_int_equal(v.kind, VERDICT_EXHAUSTED); /* 1000 wanted, 500 free */
        assert_int_equal(v.shortfall_bytes, 500);
        assert_true(slice_find(v.contradiction, slice_from(rows[i].named)) != SLICE_NONE);
        assert_true(advises(&v, rows[i].named));
    }
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 167772160 B DRAM buffer across 8 banks, where each bank needs to store "
        "13983744 B, but bank size is 4277895168 B (allocated: 10805248 B, free: 4267089920 B, largest free block: 8713184 B)",
        NULL);
    assert_int_equal(v.kind, VERDICT_FRAGMENTED);
    assert_int_equal(v.shortfall_bytes, 13983744 - 8713184);
    assert_true(v.contradiction.len);
}

/* tt-xla#5535: 22334528 short on each of 12 banks. The runtime's own statistics may miss the bank by what alignment takes. */
static void an_exhausted_pool_is_short_in_total_too(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks, where each bank needs to store "
        "89479168 B, but bank size is 1070773184 B (allocated: 1003630592 B, free: 67144640 B, largest free block: 67140352 B)",
        NULL);
    assert_int_equal(v.kind, VERDICT_EXHAUSTED);
    assert_int_equal(v.shortfall_bytes, 22334528);
    assert_int_equal(v.shortfall_total_bytes, 268014336);
    assert_true(advises(&v, "268,014,336 B in total"));
}

/* Numbers that go into a setting can be copied as they stand. */
static void settings_are_plain_digits(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 3072000 B TRACE buffer across 12 banks, where each bank needs to store "
        "256000 "
        "B, but bank size is 25600 B (allocated: 0 B, free: 25600 B, largest free block: 25600 B)",
        NULL);
    assert_true(advises(&v, "trace_region_size to at least 3072000 (a total"));
    v = judge(
        "Out of Memory: Not enough space to allocate 3072000 B TRACE buffer across 12 banks, where each bank needs to store "
        "256000 "
        "B, but bank size is 512000 B (allocated: 500000 B, free: 12000 B, largest free block: 12000 B)",
        NULL);
    assert_true(advises(&v, "larger by at least 2928000 (a total")); /* (256000 - 12000) * 12 */
    v = judge("Creating trace buffers of size 53616640B on MeshDevice 0, but only 50000000B is allocated for trace region.",
              NULL);
    assert_true(advises(&v, "trace_region_size to at least 53616640."));
}

static void what_is_known_about_the_operation_is_used(void **state) {
    (void)state;
    struct failure_context context = {.unpadded_bytes = 1000000, .chip = chip_find(SLICE("n300"))};
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 98304000 B DRAM buffer across 12 banks, where each bank needs to "
        "store 8192000 B, but bank size is 1071821792 B (allocated: 1071821792 B, free: 0 B, largest free block: 0 B)",
        &context);
    assert_string_equal(chip_name(&v), "n300");
    assert_true(advises(&v, "mostly padding")); /* 83,334 per bank still do not fit: not the first line */
}

/* No chip has DRAM banks of 9 GB, nor 64 cores of 1.7 MB; a Quasar has fewer cores and more L1. */
static void more_than_any_bank_holds_needs_no_figures_of_the_bank(void **state) {
    (void)state;
    assert_int_equal(
        judge("Out of Memory: Not enough space to allocate 72000000000 B DRAM buffer across 8 banks, where each bank "
              "needs to store 9000000000 B",
              NULL)
            .kind,
        VERDICT_EXCEEDS_BANK);
    assert_int_equal(judge("Out of Memory: Not enough space to allocate 108800000 B L1 buffer across 64 banks, where each bank "
                           "needs to store 1700000 B",
                           NULL)
                         .kind,
                     VERDICT_EXCEEDS_BANK);
    assert_int_equal(judge("Out of Memory: Not enough space to allocate 54400000 B L1 buffer across 32 banks, where each bank "
                           "needs to store 1700000 B",
                           NULL)
                         .kind,
                     VERDICT_UNKNOWN);
}

static void huge_numbers_do_not_wrap(void **state) {
    (void)state;
    struct verdict v = judge(
        "Out of Memory: Not enough space to allocate 18446744073709551615 B L1_SMALL buffer across 18446744073709551615 "
        "banks, where each bank needs to store 18446744073709551615 B, but bank size is 18446744073709551614 B",
        NULL);
    assert_int_equal(v.kind, VERDICT_EXCEEDS_BANK);
    assert_int_equal(v.shortfall_bytes, 1);
    assert_int_equal(v.l1_small_size, 0);
}

/* ---- real messages and logs ---- */

static const char *data_path(const char *name, char *room, size_t size) {
    const char *data = getenv("TTMEM_DATA");
    snprintf(room, size, "%s/%s", data ? data : "../shared/data", name);
    return room;
}

static bool read_text(const char *name, struct strbuf *out) {
    char room[4096];
    FILE *file = fopen(data_path(name, room, sizeof room), "r");
    if (!file) return false;
    for (size_t n; (n = fread(strbuf_room(out, 65536), 1, 65536, file)) > 0;) strbuf_took(out, n);
    fclose(file);
    return true;
}

static struct slice column(struct slice *line) {
    size_t end = slice_find_byte(*line, '\t');
    struct slice cell = slice_take(*line, end == SLICE_NONE ? line->len : end);
    *line = slice_skip(*line, end == SLICE_NONE ? line->len : end + 1);
    return cell;
}

static enum failure_kind kind_of_label(struct slice label) {
    if (slice_starts(label, SLICE("oom_"))) return FAILURE_OOM;
    if (slice_starts(label, SLICE("cb_clash"))) return FAILURE_CB_CLASH;
    if (slice_starts(label, SLICE("cb_beyond"))) return FAILURE_CB_BEYOND_L1;
    if (slice_starts(label, SLICE("trace_region"))) return FAILURE_TRACE_REGION;
    assert_true(slice_starts(label, SLICE("cb_global_exceeds_buffer")));
    return FAILURE_CB_RULE;
}

/* Numbers of the message, in order; those of a core range are left out. */
static size_t numbers_of(struct slice text, uint64_t *out, size_t max) {
    size_t count = 0;
    bool in_range = false, in_word = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '[' || c == ']') in_range = c == '[';
        bool digit = c >= '0' && c <= '9';
        if (digit && !in_range && !in_word) {
            char *end;
            assert_true(count < max);
            out[count++] = strtoull(text.ptr + i, &end, 10);
            i = (size_t)(end - text.ptr) - 1;
        }
        in_word = (c >= 'A' && c <= 'Z') || c == '_';
    }
    return count;
}

/* All numbers of a message arrive, in the order of the enumeration, which is theirs. */
static void every_public_message_keeps_its_kind_and_all_its_numbers(void **state) {
    (void)state;
    struct strbuf all = {0};
    if (!read_text("errors/messages.tsv", &all)) skip();
    struct slice rest = strbuf_slice(&all);
    size_t seen = 0;
    while (rest.len) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end == SLICE_NONE ? rest.len : end);
        rest = slice_skip(rest, line.len + 1);
        if (!line.len) continue;
        column(&line);
        column(&line);
        struct slice label = column(&line);
        column(&line);
        column(&line);
        struct strbuf text = {0};
        strbuf_add(&text, line);
        struct failure f;
        assert_true(failure_next(slice_from(strbuf_text(&text)), 0, &f));
        assert_int_equal(f.kind, kind_of_label(label));
        uint64_t expected[16];
        size_t count = numbers_of(strbuf_slice(&text), expected, 16), at = 0;
        /* a trace message has the device between its two sizes */
        if (f.kind == FAILURE_TRACE_REGION) expected[1] = expected[2], count = 2;
        if (slice_ends(label, SLICE("_unformatted")) && f.kind == FAILURE_CB_CLASH) assert_int_equal(f.known, 0);
        for (unsigned n = 0; n < FAILURE_DEVICE; n++) {
            if (!failure_knows(&f, n)) continue;
            assert_true(at < count);
            assert_int_equal(f.number[n], expected[at++]);
        }
        assert_int_equal(at, count);
        strbuf_release(&text);
        seen++;
    }
    assert_int_equal(seen, 49);
    strbuf_release(&all);
}

struct wanted {
    enum failure_kind kind;
    uint64_t line, count;
    int64_t shortfall, overlap;
};

static void log_holds(const char *name, const struct wanted *wanted, size_t count) {
    struct strbuf text = {0};
    if (!read_text(name, &text)) skip();
    struct failure_set set = {0};
    struct failure_stream *stream = calloc(1, sizeof *stream);
    stream->set = &set;
    for (struct slice rest = strbuf_slice(&text); rest.len; rest = slice_skip(rest, FAILURE_STREAM_ROOM)) {
        struct slice part = slice_take(rest, FAILURE_STREAM_ROOM);
        memcpy(failure_stream_room(stream), part.ptr, part.len);
        failure_stream_took(stream, part.len);
    }
    failure_stream_finish(stream);
    free(stream);
    struct explain explain;
    struct run run = {0}; /* of a text without operations */
    run_explain_set(&run, &set, &explain);
    assert_int_equal(explain.failures.len, count);
    for (size_t i = 0; i < count; i++) {
        const struct explanation *e = &explain.failures.items[i];
        assert_int_equal(e->entry->failure.kind, wanted[i].kind);
        assert_int_equal(e->entry->line, wanted[i].line);
        assert_int_equal(e->entry->count, wanted[i].count);
        assert_int_equal(e->verdict.has_shortfall ? (int64_t)e->verdict.shortfall_bytes : ABSENT, wanted[i].shortfall);
        assert_int_equal(e->verdict.has_overlap ? (int64_t)e->verdict.overlap_bytes : ABSENT, wanted[i].overlap);
    }
    explain_release(&explain);
    failure_set_release(&set);
    strbuf_release(&text);
}

static void a_real_fragmented_log_holds_one_failure(void **state) {
    (void)state;
    static const struct wanted wanted[] = {{FAILURE_OOM, 14, 2, 314572800 - 167335424, ABSENT}};
    log_holds("errors/xla_oom_fragmented.log", wanted, 1);
}

static void a_real_clash_of_32_devices_is_one(void **state) {
    (void)state;
    static const struct wanted wanted[] = {{FAILURE_CB_CLASH, 52, 33, ABSENT, 417952 - 413824}};
    log_holds("errors/metal_cb_clash.log", wanted, 1);
}

static void a_real_sweep_keeps_its_failures_apart(void **state) {
    (void)state;
    static const struct wanted wanted[] = {
        {FAILURE_CB_BEYOND_L1, 21, 2, ABSENT, 2270080 - 1572864}, {FAILURE_CB_CLASH, 22, 2, ABSENT, 1209216 - 933888},
        {FAILURE_OOM, 23, 2, 1703936 - 1461376, ABSENT},          {FAILURE_OOM, 24, 2, 851968 - 609408, ABSENT},
        {FAILURE_CB_BEYOND_L1, 25, 2, ABSENT, 1999744 - 1572864}, {FAILURE_OOM, 26, 2, 3407872 - 1461376, ABSENT},
        {FAILURE_OOM, 27, 2, 1703936 - 1461376, ABSENT},          {FAILURE_OOM, 28, 2, 851968 - 609408, ABSENT},
        {FAILURE_CB_BEYOND_L1, 29, 2, ABSENT, 2012032 - 1572864}, {FAILURE_CB_CLASH, 30, 2, ABSENT, 1356672 - 1048576},
        {FAILURE_CB_CLASH, 31, 2, ABSENT, 1166208 - 1097728},
    };
    log_holds("errors/metal_mixed_cb_errors.log", wanted, sizeof wanted / sizeof *wanted);
}

static void a_runtime_log_with_memory_lines_holds_its_failure(void **state) {
    (void)state;
    static const struct wanted wanted[] = {{FAILURE_OOM, 112, 1, 13983744 - 8713184, ABSENT}};
    log_holds("runtime_log/crafted_all_cases.log", wanted, 1);
}

static int release_arena(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_any_bank_holds_needs_no_figures_of_the_bank),
        cmocka_unit_test(contradicting_figures_give_no_verdict),
        cmocka_unit_test(doubt_about_other_figures_leaves_the_verdict),
        cmocka_unit_test(an_exhausted_pool_is_short_in_total_too),
        cmocka_unit_test(settings_are_plain_digits),
        cmocka_unit_test(public_out_of_memory_reports_get_their_verdict),
        cmocka_unit_test(public_clashes_get_their_overlap),
        cmocka_unit_test(buffers_beyond_l1_name_the_chip_by_its_limit),
        cmocka_unit_test(without_statistics_the_verdict_is_unknown),
        cmocka_unit_test(dependencies_explain_what_the_statistics_do_not),
        cmocka_unit_test(eight_banks_without_their_size_are_no_chip),
        cmocka_unit_test(l1_small_gets_the_smallest_size_that_does),
        cmocka_unit_test(partial_figures_prove_what_they_can),
        cmocka_unit_test(a_trace_region_costs_whole_pages_of_every_bank),
        cmocka_unit_test(other_shortages_are_differences),
        cmocka_unit_test(what_is_known_about_the_operation_is_used),
        cmocka_unit_test(huge_numbers_do_not_wrap),
        cmocka_unit_test(every_public_message_keeps_its_kind_and_all_its_numbers),
        cmocka_unit_test(a_real_fragmented_log_holds_one_failure),
        cmocka_unit_test(a_real_clash_of_32_devices_is_one),
        cmocka_unit_test(a_real_sweep_keeps_its_failures_apart),
        cmocka_unit_test(a_runtime_log_with_memory_lines_holds_its_failure),
    };
    return cmocka_run_group_tests(tests, NULL, release_arena);
}
