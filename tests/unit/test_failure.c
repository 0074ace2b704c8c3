/* SPDX-License-Identifier: Apache-2.0 */
/* parse/: failure messages in every wording and in the shapes in which they are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "parse/failure/failure.h"
#include "parse/failure/index.h"
#include "parse/failure/set.h"
#include "scan/count.h"
#include "scan/find_any.h"

#define OOM_STATS                                                                                                     \
    "Out of Memory: Not enough space to allocate 98304000 B DRAM buffer across 12 banks, where each bank needs to "   \
    "store 8192000 B, but bank size is 1071821792 B (allocated: 1000000000 B, free: 71821792 B, largest free block: " \
    "8000000 B)"
#define CLASH                                                                                                            \
    "Statically allocated circular buffers in program 702 clash with L1 buffers on core range [(x=1,y=0) - (x=3,y=9)]. " \
    "L1 buffer allocated at 567488 and static circular buffer region ends at 754528"
#define BEYOND                                                                                                           \
    "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1741152 B which is beyond max " \
    "L1 size of 1499136 B"

enum { NONE = -1 };

static struct failure only(const char *text) {
    struct failure f, more;
    assert_true(failure_maybe(slice_from(text)));
    assert_true(failure_next(slice_from(text), 0, &f));
    assert_false(failure_next(slice_from(text), f.at + f.length, &more));
    return f;
}

static void has(const struct failure *f, enum failure_number n, int64_t value) {
    assert_int_equal(failure_knows(f, n), value != NONE);
    if (value != NONE) assert_int_equal(f->number[n], value);
}

static void is_oom_stats(const struct failure *f) {
    assert_int_equal(f->kind, FAILURE_OOM);
    assert_int_equal(f->pool, FAILURE_DRAM);
    has(f, FAILURE_REQUESTED, 98304000);
    has(f, FAILURE_BANKS, 12);
    has(f, FAILURE_PER_BANK, 8192000);
    has(f, FAILURE_BANK, 1071821792);
    has(f, FAILURE_ALLOCATED, 1000000000);
    has(f, FAILURE_FREE, 71821792);
    has(f, FAILURE_LARGEST, 8000000);
}

static void is_clash(const struct failure *f) {
    assert_int_equal(f->kind, FAILURE_CB_CLASH);
    assert_string_equal(f->core_range, "[(x=1,y=0) - (x=3,y=9)]");
    has(f, FAILURE_PROGRAM, 702);
    has(f, FAILURE_L1_ADDRESS, 567488);
    has(f, FAILURE_REGION_END, 754528);
}

static void every_generation_of_out_of_memory_is_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum failure_pool pool;
        int64_t requested, banks, per_bank, bank, allocated, free, largest;
    } rows[] = {
        {"Out of Memory: Not enough space to allocate 204800 B L1_SMALL buffer across 64 banks, where each bank needs to store "
         "3200 B",
         FAILURE_L1_SMALL, 204800, 64, 3200, NONE, NONE, NONE, NONE},
        {"Out of Memory: Not enough space to allocate 86450176 B L1 buffer across 64 banks, where each bank needs to store "
         "1350784 B, "
         "but bank size is only 1330944 B",
         FAILURE_L1, 86450176, 64, 1350784, 1330944, NONE, NONE, NONE},
        {"Out of Memory: Not enough space to allocate 2048 B TRACE buffer across 12 banks, where each bank needs to store 1024 "
         "B, but "
         "bank size is 256 B (allocated: 0 B, free: 256 B, largest free block: 256 B)",
         FAILURE_TRACE, 2048, 12, 1024, 256, 0, 256, 256},
        {"Out of Memory: Not enough space after considering dependencies to allocate 4096 B DRAM across 2 banks (2048 B per "
         "bank)",
         FAILURE_DRAM, 4096, 2, 2048, NONE, NONE, NONE, NONE},
        {"Out of Memory: Not enough space after considering dependencies to allocate 4096 B DRAM across 2 banks (2048 B per "
         "bank), "
         "bank size is 8192 B (allocated: 3072 B, free: 5120 B, largest free block: 3072 B)",
         FAILURE_DRAM, 4096, 2, 2048, 8192, 3072, 5120, 3072},
        {"Out of Memory: Not enough space to allocate 8192 B L1_SMALL buffer across 64 banks", FAILURE_L1_SMALL, 8192, 64, NONE,
         NONE, NONE, NONE, NONE},
        /* as people quote it */
        {"\"Not enough space to allocate 1027604480 B DRAM buffer across 12 banks, where each bank needs to store 85635072 B\"",
         FAILURE_DRAM, 1027604480, 12, 85635072, NONE, NONE, NONE, NONE},
        {"Out of Memory: Not enough space to allocate 17179869184 B\n  DRAM buffer across 8 banks ... (allocated: ..., free: "
         "..., "
         "largest free block: 1107296256 B)",
         FAILURE_DRAM, 17179869184, 8, NONE, NONE, NONE, NONE, 1107296256},
        {"Out of Memory: Not enough space to allocate 1040 B L1_SMALL buffer across 65 banks ... bank size is 0 B",
         FAILURE_L1_SMALL, 1040, 65, NONE, 0, NONE, NONE, NONE},
        {"TT_FATAL: Out of Memory: Not enough space to allocate 3,019,898,880 B DRAM buffer across 8 banks", FAILURE_DRAM,
         3019898880, 8, NONE, NONE, NONE, NONE, NONE},
        /* the unit is missing: the text is cut, perhaps inside the number */
        {"Out of Memory: Not enough space to allocate 170393", FAILURE_POOL_UNKNOWN, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure f = only(rows[i].text);
        assert_int_equal(f.kind, FAILURE_OOM);
        assert_int_equal(f.pool, rows[i].pool);
        has(&f, FAILURE_REQUESTED, rows[i].requested);
        has(&f, FAILURE_BANKS, rows[i].banks);
        has(&f, FAILURE_PER_BANK, rows[i].per_bank);
        has(&f, FAILURE_BANK, rows[i].bank);
        has(&f, FAILURE_ALLOCATED, rows[i].allocated);
        has(&f, FAILURE_FREE, rows[i].free);
        has(&f, FAILURE_LARGEST, rows[i].largest);
    }
}

static void what_dependencies_leave_is_read(void **state) {
    (void)state;
    struct failure f = only(
        "Out of Memory: Not enough space after considering dependencies to allocate 4096 B DRAM across 2 banks (2048 B per "
        "bank), bank "
        "size is 8192 B (allocated: 3072 B, free: 5120 B, largest free block: 3072 B). After subtracting 1 dependency range(s) "
        "and 0 "
        "additional occupied range(s), 2048 B remained placeable across 2 window(s), largest 1024 B");
    has(&f, FAILURE_PLACEABLE, 2048);
    has(&f, FAILURE_PLACEABLE_LARGEST, 1024);
}

static void every_kind_is_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum failure_kind kind;
        const char *cores;
        int64_t requested, address, end, limit;
    } rows[] = {
        {CLASH, FAILURE_CB_CLASH, "[(x=1,y=0) - (x=3,y=9)]", NONE, 567488, 754528, NONE},
        {BEYOND, FAILURE_CB_BEYOND_L1, "[(x=0,y=0) - (x=7,y=7)]", NONE, NONE, 1741152, 1499136},
        {"Statically allocated circular buffers in program 2282 clash with L1 buffers on core range [0-0 - 10-9]. L1 buffer "
         "allocated at "
         "1563072 and static circular buffer region ends at 1563264",
         FAILURE_CB_CLASH, "[0-0 - 10-9]", NONE, 1563072, 1563264, NONE},
        {"Statically allocated dataflow buffers on core range [0-0 - 10-9] grow to 2208704 B which is beyond max L1 size of "
         "1572864 B",
         FAILURE_DFB_BEYOND_L1, "[0-0 - 10-9]", NONE, NONE, 2208704, 1572864},
        {"Statically allocated dataflow buffers in program 9 clash with L1 buffers on core range [0-0 - 1-0]. L1 buffer "
         "allocated at 933888 "
         "and static dataflow buffer region ends at 1209216",
         FAILURE_DFB_CLASH, "[0-0 - 1-0]", NONE, 933888, 1209216, NONE},
        {"Circular buffers on service-core range [0-0 - 1-0] in program 4 clash with ServiceCoreManager-allocated L1 (lowest "
         "service "
         "allocation at 300000, CB region ends at 300064)",
         FAILURE_CB_CLASH, "[0-0 - 1-0]", NONE, 300000, 300064, NONE},
        {"Creating trace buffers of size 53616640B on MeshDevice 0, but only 50000000B is allocated for trace region.",
         FAILURE_TRACE_REGION, "", 53616640, NONE, NONE, 50000000},
        {"Creating trace buffers of size 751616B on device 0, but only 0B is allocated for trace region.", FAILURE_TRACE_REGION,
         "", 751616, NONE, NONE, 0},
        {"TT_FATAL: Program size (79760) too large for kernel config buffer (70656) on TENSIX (assert.hpp:104)",
         FAILURE_KERNEL_CONFIG, "", 79760, NONE, NONE, 70656},
        {"Program size (26000) too large for kernel config buffer (25600) on ACTIVE_ETH", FAILURE_KERNEL_CONFIG, "", 26000,
         NONE, NONE, 25600},
        {"Out of Memory: Cannot allocate at an address below 524288. Allocation at 491520", FAILURE_OOM_ADDRESS, "", NONE,
         491520, NONE, 524288},
        {"Out of Memory: Cannot allocate at an address below 524288. Tried to allocate at 491520", FAILURE_OOM_ADDRESS, "",
         NONE, 491520, NONE, 524288},
        {"Cannot set to globally allocated buffer. Circular buffer size 28672 B exceeds allocated L1 buffer size of 4096 B",
         FAILURE_CB_RULE, "", 28672, NONE, NONE, 4096},
        {"Cannot set to globally allocated buffer. Circular buffer size 98304 B exceeds allocated L1 buffer bank size of 81920 "
         "B",
         FAILURE_CB_RULE, "", 98304, NONE, NONE, 81920},
        {"Cannot set circular buffer size to 65536. This is larger than the associated dynamically allocated L1 buffer bank "
         "size of 34816 B",
         FAILURE_CB_RULE, "", 65536, NONE, NONE, 34816},
        {"Cannot grow circular buffer to 65536 B. This is larger than associated dynamically allocated L1 buffer of 34816 B",
         FAILURE_CB_RULE, "", 65536, NONE, NONE, 34816},
        {"Failed allocation attempt on buffer index 3. Total circular buffer size 5000 B must be divisible by page size 2048 B",
         FAILURE_CB_RULE, "", 5000, NONE, NONE, 2048},
        {"Buffer index (64) exceeds max number of circular buffers per core (32)", FAILURE_CB_RULE, "", NONE, NONE, NONE, NONE},
        {"Circular Buffer Config Error: Circular buffer size cannot be 0 B", FAILURE_CB_RULE, "", NONE, NONE, NONE, NONE},
        {"Circular buffer core range [0-0 - 12-0] in program 3 exceeds device compute grid (11x10) and is not entirely on "
         "cores claimed",
         FAILURE_CB_RULE, "[0-0 - 12-0]", NONE, NONE, NONE, NONE},
        {"overflow: \"circular buffers ... grow to 1683136 B which is beyond max L1 size of 1499136 B\"", FAILURE_CB_BEYOND_L1,
         "", NONE, NONE, 1683136, 1499136},
        {"Statically allocated circular buffers in program 8 clash with L1 buffers on core range {[(x=0,y=0) - (x=7,y=6)], "
         "[(x=0,y=7) - "
         "(x=3,y=7)]}. L1 buffer allocated at 100 and static circular buffer region ends at 200",
         FAILURE_CB_CLASH, "{[(x=0,y=0) - (x=7,y=6)], [(x=0,y=7) - (x=3,y=7)]}", NONE, 100, 200, NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure f = only(rows[i].text);
        assert_int_equal(f.kind, rows[i].kind);
        assert_string_equal(f.core_range, rows[i].cores);
        has(&f, FAILURE_REQUESTED, rows[i].requested);
        has(&f, FAILURE_L1_ADDRESS, rows[i].address);
        has(&f, FAILURE_REGION_END, rows[i].end);
        has(&f, FAILURE_LIMIT, rows[i].limit);
        assert_int_equal(f.rule != NULL, rows[i].kind == FAILURE_CB_RULE);
    }
}

static void placeholders_keep_the_kind_and_take_the_values_below(void **state) {
    (void)state;
    struct failure f = only(
        "Statically allocated circular buffers in program {} clash with L1 buffers on core range {}. L1 buffer "
        "allocated at {} and static circular buffer region ends at {}");
    assert_int_equal(f.kind, FAILURE_CB_CLASH);
    assert_true(f.unformatted);
    assert_int_equal(f.known, 0);
    assert_string_equal(f.core_range, "");
    /* the last: somebody filled the lines anew */
    static const char *const breaks[] = {"\n", "\\n", "\nE   ", "\r\n", " "};
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct strbuf text = {0};
        strbuf_addf(
            &text,
            "Out of Memory: Not enough space to allocate {} B {} buffer across {} banks, where each bank needs to store {} "
            "B%s148897792%sDRAM%s8%s18612224%sbacktrace:",
            breaks[i], breaks[i], breaks[i], breaks[i], breaks[i]);
        f = only(strbuf_text(&text));
        assert_int_equal(f.pool, FAILURE_DRAM);
        has(&f, FAILURE_REQUESTED, 148897792);
        has(&f, FAILURE_BANKS, 8);
        has(&f, FAILURE_PER_BANK, 18612224);
        has(&f, FAILURE_BANK, NONE);
        strbuf_release(&text);
        strbuf_addf(&text,
                    "Statically allocated circular buffers on core range {} grow to {} B which is beyond max L1 size of {} "
                    "B%s[(x=0,y=0) - (x=1,y=0)]%s1741152%s1499136%sbacktrace:",
                    breaks[i], breaks[i], breaks[i], breaks[i]);
        f = only(strbuf_text(&text));
        assert_string_equal(f.core_range, "[(x=0,y=0) - (x=1,y=0)]");
        has(&f, FAILURE_REGION_END, 1741152);
        has(&f, FAILURE_LIMIT, 1499136);
        strbuf_release(&text);
    }
}

static void every_wording_of_the_table_is_found_by_its_words_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < failure_index()->row_count; i++) {
        const struct failure_form *form = failure_index()->rows[i];
        if (form->wants_shell || form->wants_exception) continue; /* not by their words alone */
        struct strbuf text = {0};
        strbuf_addf(&text, "TT_FATAL: %s 5 %s", form->start, form->needs ? form->needs : "and some after");
        struct failure f = only(strbuf_text(&text));
        assert_int_equal(f.kind, form->kind);
        assert_ptr_equal(f.rule, form->rule);
        strbuf_release(&text);
    }
}

static void buffers_that_may_be_written_beyond_are_warnings(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t size, limit;
    } rows[] = {
        {"Always | WARNING  | Circular buffer size 104448 B exceeds allocated L1 buffer bank size of 90304 B. This may allow "
         "this circular buffer to write outside the allocated buffer space.",
         104448, 90304},
        {"Cannot set circular buffer size to 65536. This is larger than the associated dynamically allocated L1 buffer bank "
         "size of 34816 B and may allow this circular buffer to write outside the allocated buffer space.",
         65536, 34816},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure f = only(rows[i].text);
        assert_int_equal(f.kind, FAILURE_CB_RULE);
        assert_true(f.warning);
        assert_int_equal(f.number[FAILURE_REQUESTED], rows[i].size);
        assert_int_equal(f.number[FAILURE_LIMIT], rows[i].limit);
    }
}

static void other_texts_are_no_failures(void **state) {
    (void)state;
    static const char *const texts[] = {
        "Circular buffer indices are not contiguous starting at 0.",
        "Not enough space to allocate the file on disk",
        "kernel config buffer of 70656 bytes, trace region of 0 bytes",
        "statically linked",
        "",
        /* tests that expect a failure */
        "        with pytest.raises(RuntimeError, match=\"Out of Memory: Not enough space to allocate\"):",
        "with pytest.raises(RuntimeError, match=re.escape('Out of Memory: Not enough space to allocate 1024 B DRAM buffer')):",
        "    with pytest.raises(Exception, match=r\"Statically allocated circular buffers on core range\"):",
        "    assert \"Statically allocated circular buffers in program\" in str(error.value)",
        /* source code */
        "            TT_THROW(\n                \"Statically allocated circular buffers in program {} clash with L1 buffers on "
        "core "
        "range {}. L1 buffer allocated at {} \"\n                \"and static circular buffer region ends at {}\",",
        "TT_FATAL(total_size > 0, \"Total size for circular buffer must be non-zero!\");",
        /* prose */
        "When the allocator says Out of Memory: Not enough space to allocate, look at the largest free block.",
        "There is not enough space to allocate 3 buffers across 12 banks of the old kind.",
        "Statically allocated circular buffers on core range boundaries are checked when a program is compiled.",
        "Circular buffers clash with L1 buffers in 106 of 529 messages, and 423 grow beyond max L1.",
        "- `Statically allocated circular buffers on core range {} grow to {} B which is beyond max L1 size of {} B`",
        "Creating trace buffers of size 5 MB takes a while",
        "Also `Out of Memory: Cannot allocate at an address below {}. Allocation at {}`.",
    };
    struct failure f;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_false(failure_next(slice_from(texts[i]), 0, &f));
}

/* Puts `prefix` before every line and breaks lines at `width` columns, inside words or between them. */
static void wrap(struct strbuf *out, const char *text, size_t width, bool inside_words, const char *prefix,
                 const char *line_end) {
    struct slice rest = slice_from(text);
    while (rest.len) {
        size_t n = rest.len < width ? rest.len : width;
        if (!inside_words && n < rest.len) {
            while (n && rest.ptr[n] != ' ') n--;
            assert_true(n > 0);
        }
        strbuf_addz(out, prefix);
        strbuf_add(out, slice_take(rest, n));
        strbuf_addz(out, line_end);
        rest = slice_skip(rest, n);
        if (!inside_words && rest.len) rest = slice_skip(rest, 1);
    }
}

static const char *const prefixes[] = {
    "",
    "E   ",
    "E           ",
    "    ",
    "> ",
    "# ",
    "#:     ",
    "// ",
    "| ",
    "2026-03-04T01:46:22.6151234Z ",
    "2026-03-04T01:46:22.6151234Z E       ",
    "2026-03-04 01:46:22.615 | critical |          Always | ",
    "                 Always | FATAL    | ",
    "\x1b[32m                 Always\x1b[0m | \x1b[1m\x1b[38;5;69m   FATAL\x1b[0m | ",
    "\\u001b[31m",
    "(EngineCore_DP0 pid=292) ",
    "ERROR 10-23 04:15:50 [engine.py:187] ",
    "(EngineCore_DP0 pid=292) ERROR 06-05 19:19:37 core.py:1035] ",
    "[server-52e5d497] (EngineCore pid=7, ip=10.0.0.3) ERROR 06-05 19:19:37 [core.py:1035] ",
    "[1,0]<stdout>:",
    "[1,13]<stderr>: ",
    "server-1  | ",
};

static void wrapped_messages_are_read_whatever_stands_in_front_of_their_lines(void **state) {
    (void)state;
    static const size_t widths[] = {40, 61, 72, 80, 100, 120};
    static const char *const line_ends[] = {"\n", "\r\n", "\\n", " \n", "\"\n", "   \n"};
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            for (size_t e = 0; e < sizeof line_ends / sizeof *line_ends; e++) {
                struct strbuf text = {0};
                wrap(&text, OOM_STATS, widths[w], false, prefixes[p], line_ends[e]);
                struct failure f = only(strbuf_text(&text));
                is_oom_stats(&f);
                strbuf_clear(&text);
                wrap(&text, CLASH, widths[w], false, prefixes[p], line_ends[e]);
                f = only(strbuf_text(&text));
                is_clash(&f);
                strbuf_release(&text);
            }
        }
    }
}

/* A terminal or a fixed-width file breaks numbers and words too, wherever the message began on its line. */
static void a_break_at_any_column_leaves_the_numbers_whole(void **state) {
    (void)state;
    for (size_t width = 60; width <= 132; width++) {
        struct strbuf text = {0};
        wrap(&text, OOM_STATS, width, true, "", "\n");
        struct failure f = only(strbuf_text(&text));
        is_oom_stats(&f);
        strbuf_clear(&text);
        wrap(&text, CLASH, width, true, "E   ", "\n");
        strbuf_addz(&text, "192 bytes over");
        f = only(strbuf_text(&text));
        is_clash(&f);
        strbuf_release(&text);
    }
}

static void the_line_behind_a_message_is_not_part_of_it(void **state) {
    (void)state;
    struct failure f = only(CLASH "\n192 bytes over, on the first chunk\n");
    is_clash(&f);
    f = only(
        "Out of Memory: Not enough space to allocate 1024 B L1 buffer across 64 banks, where each bank needs to store 32 B\n"
        "2026-01-01 00:00:00.000 | info | Metal | pool (allocated: 5 B, free: 6 B)\n");
    has(&f, FAILURE_PER_BANK, 32);
    has(&f, FAILURE_ALLOCATED, NONE);
    f = only("info:\n" OOM_STATS "\nbacktrace:\n --- bank size is 12 B\n");
    is_oom_stats(&f);
}

/* Its "info:" is on the line of the next message, and so are the words after it. */
static void the_words_of_a_message_end_before_the_next_one(void **state) {
    (void)state;
    struct failure f;
    assert_true(failure_next(SLICE("TT_FATAL: Memory map of it\ninfo: TT_FATAL: more\n"), 0, &f));
    assert_int_equal(f.kind, FAILURE_NOT_MEMORY);
    assert_string_equal(f.words, "Memory map of it");
}

static void messages_are_found_inside_exceptions_and_strings(void **state) {
    (void)state;
    static const char *const texts[] = {
        "RuntimeError('TT_FATAL @ /w/bank_manager.cpp:433: false\\ninfo:\\n" OOM_STATS "\\nbacktrace:\\n --- a')",
        "{\"message\": \"TT_FATAL\\\\ninfo:\\\\n" OOM_STATS "\\\\nbacktrace\"}",
        "{TT_FATAL @ a.cpp:462: false\ninfo:\n" OOM_STATS "\n}",
        "fails with `" OOM_STATS "`.",
        "| model | `" OOM_STATS "` | x |",
        "tt::exception E info: E " OOM_STATS,
        "\x1b[31m\x1b[1mE   " OOM_STATS "\x1b[0m",
        "reason=\"" OOM_STATS "\",",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct failure f = only(texts[i]);
        is_oom_stats(&f);
    }
}

static void messages_torn_into_one_line_are_two(void **state) {
    (void)state;
    const char text[] = "Always | FATAL    | " OOM_STATS "                 Always | FATAL    | " CLASH "\n";
    struct failure f;
    assert_true(failure_next(slice_from(text), 0, &f));
    is_oom_stats(&f);
    assert_true(failure_next(slice_from(text), f.at + f.length, &f));
    is_clash(&f);
}

static void every_cut_of_a_message_is_survived(void **state) {
    (void)state;
    static const char *const messages[] = {OOM_STATS, CLASH, BEYOND};
    for (size_t m = 0; m < 3; m++) {
        for (size_t len = 0; len <= strlen(messages[m]); len++) {
            char *cut = malloc(len + 1); /* so that a read past the end is noticed */
            memcpy(cut, messages[m], len);
            struct failure f;
            if (failure_next(slice_of(cut, len), 0, &f)) assert_true(f.at + f.length <= len);
            free(cut);
        }
    }
}

static void numbers_that_do_not_fit_are_unknown(void **state) {
    (void)state;
    struct failure f =
        only("Out of Memory: Not enough space to allocate 99999999999999999999999 B DRAM buffer across 12 banks");
    has(&f, FAILURE_REQUESTED, NONE);
    has(&f, FAILURE_BANKS, 12);
}

static void a_message_cut_before_its_first_figure_is_known_by_who_threw_it(void **state) {
    (void)state;
    static const char *const texts[] = {
        "FAILED tests/test_conv.py::test_a - RuntimeError: Statically allocated circular buffers on core r...",
        "2026-08-12 10:54:03.802 | critical |          Always | TT_FATAL: Out of Memory: Not enough space to allocate",
        "E   info:\nE   Out of Memory: Not enough space to allocate",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_int_equal(only(texts[i]).known, 0);
}

/* Where the text ends inside a number, the number is not known; with the unit after it, it is. */
static void a_number_that_the_end_of_the_text_may_have_cut_is_not_known(void **state) {
    (void)state;
    static const char *const ends[] = {"", "\n", "\nNORMCHK rows= 128\n", "'", "\")"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text,
                    "Out of Memory: Not enough space to allocate 98304000 B DRAM buffer across 12 banks, where each bank "
                    "needs to store 8192%s",
                    ends[i]);
        struct failure f = only(strbuf_text(&text));
        has(&f, FAILURE_BANKS, 12);
        has(&f, FAILURE_PER_BANK, NONE);
        strbuf_clear(&text);
        strbuf_addf(&text, "Out of Memory: Not enough space to allocate 98304000 B DRAM buffer across 1%s", ends[i]);
        f = only(strbuf_text(&text));
        has(&f, FAILURE_REQUESTED, 98304000);
        has(&f, FAILURE_BANKS, NONE);
        strbuf_clear(&text);
        strbuf_addf(&text, "Out of Memory: Not enough space to allocate 8192 B L1%s", ends[i]);
        f = only(strbuf_text(&text)); /* or L1_SMALL */
        assert_int_equal(f.pool, FAILURE_POOL_UNKNOWN);
        strbuf_clear(&text);
        strbuf_addf(&text,
                    "Statically allocated circular buffers in program 7 clash with L1 buffers on core range [0-0 - 7-7]. "
                    "L1 buffer allocated at 567488 and static circular buffer region ends at 7545%s",
                    ends[i]);
        f = only(strbuf_text(&text)); /* an end below the buffer is no clash */
        has(&f, FAILURE_L1_ADDRESS, 567488);
        has(&f, FAILURE_REGION_END, NONE);
        strbuf_release(&text);
    }
    /* somebody who leaves out units leaves out all */
    struct failure f = only("circular buffers grow to 1683136 which is beyond max L1 size of 1499136");
    has(&f, FAILURE_REGION_END, 1683136);
    has(&f, FAILURE_LIMIT, 1499136);
}

static void spaces_of_any_kind_and_number_are_spaces(void **state) {
    (void)state;
    static const char *const gaps[] = {"  ", "\t", " \t ", "\xc2\xa0", "\xc2\xa0 ", "\xe2\x80\xaf"};
    static const char *const messages[] = {
        OOM_STATS,
        CLASH,
        BEYOND,
        "Creating trace buffers of size 53616640B on MeshDevice 0, but only 50000000B is allocated for trace region.",
        "Program size (79760) too large for kernel config buffer (70656) on TENSIX",
        "Out of Memory: Cannot allocate at an address below 524288. Allocation at 491520",
        "Cannot set to globally allocated buffer. Circular buffer size 28672 B exceeds allocated L1 buffer size of 4096 B",
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct failure plain = only(messages[i]);
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
            struct strbuf text = {0};
            for (const char *p = messages[i]; *p; p++)
                if (*p == ' ') strbuf_addz(&text, gaps[g]);
                else strbuf_addc(&text, *p);
            struct failure f = only(strbuf_text(&text));
            assert_int_equal(f.kind, plain.kind);
            assert_int_equal(f.pool, plain.pool);
            assert_int_equal(f.known, plain.known);
            for (unsigned n = 0; n < FAILURE_NUMBERS; n++) assert_int_equal(f.number[n], plain.number[n]);
            assert_string_equal(f.core_range, plain.core_range);
            strbuf_release(&text);
        }
    }
}

static void capitals_do_not_matter(void **state) {
    (void)state;
    struct failure f = only(
        "RuntimeError: out of memory: not enough space to allocate 98304000 B DRAM buffer across 12 banks, where each bank "
        "needs "
        "to store 8192000 B, but bank size is 1071821792 B (allocated: 1000000000 B, free: 71821792 B, largest free block: "
        "8000000 B)");
    is_oom_stats(&f);
}

static void pools_that_a_message_does_not_name_follow_from_its_kind(void **state) {
    (void)state;
    assert_int_equal(only("Creating trace buffers of size 5B on device 0, but only 0B is allocated for trace region.").pool,
                     FAILURE_TRACE);
    assert_int_equal(only("Out of Memory: Cannot allocate at an address below 524288. Allocation at 491520").pool, FAILURE_L1);
}

/* Two writers, each with a message over four lines; the lines alternate, or come two by two. */
static void messages_of_two_writers_in_one_log_stay_apart(void **state) {
    (void)state;
    static const char *const first[] = {"TT_FATAL: Out of Memory: Not enough space to allocate 98304000 B DRAM buffer",
                                        "across 12 banks, where each bank needs to store 8192000 B,",
                                        "but bank size is 1071821792 B (allocated: 1000000000 B,",
                                        "free: 71821792 B, largest free block: 8000000 B)"};
    static const char *const second[] = {"TT_FATAL: Out of Memory: Not enough space to allocate 86450176 B L1 buffer",
                                         "across 64 banks, where each bank needs to store 1350784 B,",
                                         "but bank size is 1330944 B (allocated: 30944 B,",
                                         "free: 1300000 B, largest free block: 1200000 B)"};
    static const char *const tags[][2] = {
        {"[1,0]<stdout>:", "[1,1]<stdout>:"},
        {"(EngineCore_DP0 pid=292) ", "(EngineCore_DP1 pid=293) "},
        {"(Worker pid=1) ERROR 06-05 19:19:37 [core.py:1035] ", "(Worker pid=2) ERROR 06-05 19:19:37 [core.py:1035] "},
        {"[rank0]: ", "[rank1]: "},
        {"2026-03-04T01:46:22.6151234Z [rank0]: ", "2026-03-04T01:46:22.6151234Z [rank1]: "},
        {"server-1  | ", "server-2  | "},
    };
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
        for (size_t together = 1; together <= 2; together++) {
            struct strbuf text = {0};
            strbuf_addf(&text, "%sall is well\n", tags[t][1]);
            for (size_t i = 0; i < 4; i += together) {
                for (size_t k = i; k < i + together; k++) strbuf_addf(&text, "%s%s\n", tags[t][0], first[k]);
                for (size_t k = i; k < i + together; k++) strbuf_addf(&text, "%s%s\n", tags[t][1], second[k]);
            }
            struct failure a, b, more;
            struct slice all = strbuf_slice(&text);
            assert_true(failure_next(all, 0, &a));
            is_oom_stats(&a);
            assert_true(failure_next(all, a.at + a.length, &b));
            assert_int_equal(b.pool, FAILURE_L1);
            has(&b, FAILURE_REQUESTED, 86450176);
            has(&b, FAILURE_BANKS, 64);
            has(&b, FAILURE_PER_BANK, 1350784);
            has(&b, FAILURE_BANK, 1330944);
            has(&b, FAILURE_FREE, 1300000);
            has(&b, FAILURE_LARGEST, 1200000);
            assert_false(failure_next(all, b.at + b.length, &more));
            strbuf_release(&text);
        }
    }
}

static void a_growing_text_is_settled_up_to_a_message_that_may_go_on(void **state) {
    (void)state;
    const char quiet[] = "a line\nanother line\n";
    assert_int_equal(failure_settled(slice_from(quiet)), strlen(quiet));
    struct strbuf text = {0};
    for (unsigned i = 0; i < 50; i++) strbuf_addf(&text, "line %u\n", i);
    size_t before = text.len;
    strbuf_addz(&text, "E   Out of Memory: Not enough space to allocate 98304000 B\n");
    size_t settled = failure_settled(strbuf_slice(&text));
    assert_true(settled <= before && settled > 0);
    assert_int_equal(text.data[settled - 1], '\n');
    for (unsigned i = 0; i < 1000; i++) strbuf_addf(&text, "line %u\n", i);
    assert_int_equal(failure_settled(strbuf_slice(&text)), text.len);
    strbuf_release(&text);
}

/* ---- the set ---- */

static void add_all(struct failure_set *set, const char *text, size_t piece) {
    struct failure_stream *stream = calloc(1, sizeof *stream);
    stream->set = set;
    struct slice rest = slice_from(text);
    while (rest.len) {
        struct slice part = slice_take(rest, piece);
        memcpy(failure_stream_room(stream), part.ptr, part.len);
        failure_stream_took(stream, part.len);
        rest = slice_skip(rest, part.len);
    }
    failure_stream_finish(stream);
    free(stream);
}

static void the_same_failure_counts_once(void **state) {
    (void)state;
    struct failure_set set = {0};
    add_all(&set,
            "first line\n"
            "2026-06-02 19:47:28.612 | critical |          Always | TT_FATAL: " OOM_STATS
            " (assert.hpp:104)\n"
            "info:\n" OOM_STATS
            "\nbacktrace:\n"
            "RuntimeError('" OOM_STATS
            "')\n"
            "FAILED test_x - Out of Memory: Not enough space to allocate 98304000 B DRAM buffer across 12 banks, whe\n",
            1000);
    assert_int_equal(set.entries.len, 1);
    assert_int_equal(set.entries.items[0].count, 4);
    assert_int_equal(set.entries.items[0].line, 2);
    is_oom_stats(&set.entries.items[0].failure);
    failure_set_release(&set);
}

static void a_cut_message_first_is_filled_by_the_whole_one(void **state) {
    (void)state;
    struct failure_set set = {0};
    add_all(&set, "Statically allocated circular buffers in program 702 clash with L1 buffers on co\n\n" CLASH "\n", 1000);
    assert_int_equal(set.entries.len, 1);
    assert_int_equal(set.entries.items[0].count, 2);
    assert_int_equal(set.entries.items[0].line, 1);
    is_clash(&set.entries.items[0].failure);
    failure_set_release(&set);
}

static void the_same_failure_cut_inside_a_number_counts_once(void **state) {
    (void)state;
    static const char *const whole[] = {
        OOM_STATS,
        CLASH,
        BEYOND,
        "Out of Memory: Cannot allocate at an address below 524288. Allocation at 491520",
        "Creating trace buffers of size 53616640B on MeshDevice 0, but only 50000000B is allocated for trace region.",
        "Program size (79760) too large for kernel config buffer (70656) on TENSIX",
    };
    for (size_t w = 0; w < sizeof whole / sizeof *whole; w++) {
        struct failure expected = only(whole[w]);
        for (size_t len = 40; len < strlen(whole[w]); len++) {
            for (int cut_first = 0; cut_first < 2; cut_first++) {
                struct strbuf text = {0};
                const char *message = whole[w];
                if (cut_first) strbuf_addf(&text, "FAILED test_x - RuntimeError: %.*s\n%s\n", (int)len, message, message);
                else strbuf_addf(&text, "%s\nFAILED test_x - RuntimeError: %.*s\n", message, (int)len, message);
                struct failure_set set = {0};
                add_all(&set, strbuf_text(&text), 100000);
                assert_int_equal(set.entries.len, 1);
                assert_int_equal(set.entries.items[0].failure.known, expected.known);
                for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
                    assert_int_equal(set.entries.items[0].failure.number[n], expected.number[n]);
                failure_set_release(&set);
                strbuf_release(&text);
            }
        }
    }
}

static void devices_of_a_mesh_fail_together(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (unsigned program = 9028; program < 9036; program++)
        strbuf_addf(&text,
                    "Statically allocated circular buffers in program %u clash with L1 buffers on core range [(x=1,y=0) - "
                    "(x=2,y=0)]. L1 "
                    "buffer allocated at 413824 and static circular buffer region ends at 417952\n",
                    program);
    strbuf_addz(&text, "Statically allocated circular buffers in program 9030 clash with L1 buffers on core ran\n");
    struct failure_set set = {0};
    add_all(&set, strbuf_text(&text), 777);
    assert_int_equal(set.entries.len, 1);
    assert_int_equal(set.entries.items[0].count, 9);
    assert_int_equal(set.entries.items[0].programs.len, 8);
    failure_set_release(&set);
    strbuf_release(&text);
}

static void different_failures_stay_apart(void **state) {
    (void)state;
    struct failure_set set = {0};
    add_all(&set,
            OOM_STATS "\n" CLASH "\n" BEYOND
                      "\n"
                      "Out of Memory: Not enough space to allocate 98304001 B DRAM buffer across 12 banks, where\n"
                      "Statically allocated circular buffers in program 8 clash with L1 buffers on co\n"
                      "Statically allocated circular buffers in program {} clash with L1 buffers on core range {}. L1 buffer "
                      "allocated at {}\n",
            100000);
    assert_int_equal(set.entries.len, 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(set.entries.items[i].count, 1);
    failure_set_release(&set);
}

static void pieces_of_any_size_give_the_same(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (unsigned i = 0; i < 60; i++) {
        for (unsigned k = 0; k < 17; k++) strbuf_addf(&text, "line %u of noise, %u times some more of it\n", k, i);
        strbuf_addf(&text,
                    "Creating trace buffers of size %uB on MeshDevice 0,\n   but only 50B is allocated for trace region.\n",
                    100 + i);
    }
    static const size_t pieces[] = {1, 7, 4096, 4097, 262144};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        struct failure_set set = {0};
        add_all(&set, strbuf_text(&text), pieces[p]);
        assert_int_equal(set.entries.len, 60);
        for (unsigned i = 0; i < 60; i++) {
            assert_int_equal(set.entries.items[i].line, 18 + 19 * i);
            assert_int_equal(set.entries.items[i].count, 1);
            assert_int_equal(set.entries.items[i].failure.number[FAILURE_REQUESTED], 100 + i);
        }
        failure_set_release(&set);
    }
    strbuf_release(&text);
}

/* But for the latest of each wording: what ended a run comes last. */
static void too_many_failures_are_counted_not_kept(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (unsigned i = 0; i < FAILURE_SET_MAX + 10; i++) strbuf_addf(&text, "Creating trace buffers of size %uB\n", i);
    struct failure_set set = {0};
    add_all(&set, strbuf_text(&text), 100000);
    assert_int_equal(set.entries.len, FAILURE_SET_MAX + 1);
    assert_int_equal(set.left_out, 9);
    assert_int_equal(vec_last(&set.entries).line, FAILURE_SET_MAX + 10);
    assert_int_equal(vec_last(&set.entries).failure.number[FAILURE_REQUESTED], FAILURE_SET_MAX + 9);
    add_all(&set, OOM_STATS "\n" OOM_STATS "\n", 100000);
    assert_int_equal(set.entries.len, FAILURE_SET_MAX + 2);
    assert_int_equal(vec_last(&set.entries).count, 2);
    assert_int_equal(set.left_out, 9);
    failure_set_release(&set);
    strbuf_release(&text);
}

/* ---- search ---- */

static void any_needle_is_found_at_any_place(void **state) {
    (void)state;
    static const struct needle needles[] = {
        NEEDLE("abcdef", 1), NEEDLE("xyzz", 0), NEEDLE("longer needle", 7), NEEDLE("qqqq1", 1), NEEDLE("qqqq2", 1),
        NEEDLE("r_st", 0),   NEEDLE("uvwx", 0), NEEDLE("00000", 1),         NEEDLE("ninth", 1), NEEDLE("tenth", 1)};
    enum { COUNT = sizeof needles / sizeof *needles, LEN = 150 };
    struct finder finder;
    finder_init(&finder, needles, COUNT);
    for (size_t n = 0; n < COUNT; n++) {
        for (size_t at = 0; at + needles[n].len <= LEN; at++) {
            char *text = malloc(LEN);
            memset(text, '.', LEN);
            memcpy(text + at, needles[n].text, needles[n].len);
            assert_int_equal(find_any(&finder, slice_of(text, LEN), 0), at);
            assert_int_equal(find_any(&finder, slice_of(text, LEN), at), at);
            assert_true(find_any(&finder, slice_of(text, LEN), at + 1) == SLICE_NONE);
            assert_true(find_any(&finder, slice_of(text, at + needles[n].len - 1), 0) == SLICE_NONE);
            free(text);
        }
    }
}

static void bytes_are_counted(void **state) {
    (void)state;
    char text[9000];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof text; i += 3) text[i] = '\n';
    for (size_t len = 0; len < 100; len++) assert_int_equal(count_byte(slice_of(text, len), '\n'), (len + 2) / 3);
    assert_int_equal(count_byte(slice_of(text, sizeof text), '\n'), 3000);
    memset(text, '\n', sizeof text);
    assert_int_equal(count_byte(slice_of(text, sizeof text), '\n'), 9000);
}

static void a_number_cut_by_an_ellipsis_is_not_known(void **state) {
    (void)state;
    struct failure f = only(
        "E Out of Memory: Not enough space to allocate 58720256 B DRAM buffer across 12 banks, where each bank needs to "
        "store 4894720 B, but bank size is 10718...");
    has(&f, FAILURE_PER_BANK, 4894720);
    has(&f, FAILURE_BANK, NONE);
    f = only(
        "Statically allocated circular buffers on core range [0-0 - 7-7] grow to 1741152 B which is beyond max L1 size of "
        "149\xe2\x80\xa6");
    has(&f, FAILURE_REGION_END, 1741152);
    has(&f, FAILURE_LIMIT, NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_cut_by_an_ellipsis_is_not_known),
        cmocka_unit_test(every_generation_of_out_of_memory_is_read),
        cmocka_unit_test(a_message_cut_before_its_first_figure_is_known_by_who_threw_it),
        cmocka_unit_test(a_number_that_the_end_of_the_text_may_have_cut_is_not_known),
        cmocka_unit_test(spaces_of_any_kind_and_number_are_spaces),
        cmocka_unit_test(capitals_do_not_matter),
        cmocka_unit_test(pools_that_a_message_does_not_name_follow_from_its_kind),
        cmocka_unit_test(messages_of_two_writers_in_one_log_stay_apart),
        cmocka_unit_test(a_growing_text_is_settled_up_to_a_message_that_may_go_on),
        cmocka_unit_test(the_same_failure_cut_inside_a_number_counts_once),
        cmocka_unit_test(what_dependencies_leave_is_read),
        cmocka_unit_test(every_kind_is_told_apart),
        cmocka_unit_test(placeholders_keep_the_kind_and_take_the_values_below),
        cmocka_unit_test(every_wording_of_the_table_is_found_by_its_words_alone),
        cmocka_unit_test(buffers_that_may_be_written_beyond_are_warnings),
        cmocka_unit_test(other_texts_are_no_failures),
        cmocka_unit_test(wrapped_messages_are_read_whatever_stands_in_front_of_their_lines),
        cmocka_unit_test(a_break_at_any_column_leaves_the_numbers_whole),
        cmocka_unit_test(the_line_behind_a_message_is_not_part_of_it),
        cmocka_unit_test(the_words_of_a_message_end_before_the_next_one),
        cmocka_unit_test(messages_are_found_inside_exceptions_and_strings),
        cmocka_unit_test(messages_torn_into_one_line_are_two),
        cmocka_unit_test(every_cut_of_a_message_is_survived),
        cmocka_unit_test(numbers_that_do_not_fit_are_unknown),
        cmocka_unit_test(the_same_failure_counts_once),
        cmocka_unit_test(a_cut_message_first_is_filled_by_the_whole_one),
        cmocka_unit_test(devices_of_a_mesh_fail_together),
        cmocka_unit_test(different_failures_stay_apart),
        cmocka_unit_test(pieces_of_any_size_give_the_same),
        cmocka_unit_test(too_many_failures_are_counted_not_kept),
        cmocka_unit_test(any_needle_is_found_at_any_place),
        cmocka_unit_test(bytes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
