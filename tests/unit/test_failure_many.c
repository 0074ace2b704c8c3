/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around failures: of more of them than are told apart, and however the text comes in pieces. */
#include "run_testing.h"

#include "analysis/failure/run_failures.h"
#include "base/strbuf.h"
#include "parse/failure/alike.h"

#define OOM                                                                                                                \
    "Out of Memory: Not enough space to allocate 943718400 B DRAM buffer across 12 banks, where each bank needs to store " \
    "78643200 B, but bank size is 1071821792 B (allocated: 1038424448 B, free: 33397344 B, largest free block: 3382944 B)"

/* 5,000 failures of one kind, then the one of another kind that ended the run. */
static void what_ends_the_run_is_kept(void **state) {
    (void)state;
    enum { MANY = 5000 };
    struct strbuf text = {0};
    for (unsigned i = 0; i < MANY; i++) strbuf_addf(&text, "TT_FATAL: Creating trace buffers of size %uB\n", 1000 + i);
    strbuf_addz(&text, "TT_FATAL: Program size (83968) too large for kernel config buffer (70656) on TENSIX\nexit code: 1\n");
    static const size_t pieces[] = {1u << 20, 97};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        struct run run;
        struct explain explain;
        read_pieces(&run, strbuf_slice(&text), pieces[p]);
        run_explain(&run, &explain);
        assert_int_equal(explain.failures.len, FAILURE_SET_MAX + 2);
        assert_int_equal(explain.left_out, MANY - FAILURE_SET_MAX - 1);
        for (size_t i = 0; i + 1 < explain.failures.len; i++) {
            assert_true(explain.failures.items[i].line < explain.failures.items[i + 1].line);
            assert_int_equal(explain.failures.items[i].outcome.kind, OUTCOME_CAUGHT);
        }
        const struct explanation *latest = &explain.failures.items[FAILURE_SET_MAX], *last = latest + 1;
        assert_int_equal(latest->line, MANY);
        assert_int_equal(latest->entry->failure.number[FAILURE_REQUESTED], 1000 + MANY - 1);
        assert_int_equal(last->entry->failure.kind, FAILURE_KERNEL_CONFIG);
        assert_int_equal(last->outcome.kind, OUTCOME_ENDED);
        assert_int_equal(explain.decisive, explain.failures.len - 1);
        assert_int_equal(run.failure_sites.len, run.failures.entries.len);
        struct slice line = run_string(&run, run.failure_sites.items[FAILURE_SET_MAX].text);
        assert_true(slice_equal(line, SLICE("TT_FATAL: Creating trace buffers of size 5999B")));
        explain_release(&explain);
        run_release(&run);
    }
    strbuf_release(&text);
}

static const char *const texts[] = {
    /* a traceback: the line of code stands below the frame */
    "Traceback (most recent call last):\n"
    "  File \"/home/u/demo.py\", line 31, in main\n"
    "    x = ttnn.experimental.all_gather_async(x, dim=3)\n"
    "  File \"/home/u/.venv/lib/python3.10/site-packages/ttnn/decorators.py\", line 333, in __call__\n"
    "    return self.function(*function_args, **function_kwargs)\n"
    "RuntimeError: TT_FATAL @ /w/bank_manager.cpp:462: false\ninfo:\n" OOM
    "\nbacktrace:\n --- tt::tt_metal::BankManager::allocate_buffer(unsigned long)\n",
    "Traceback (most recent call last):\n"
    "  File \"/home/u/demo.py\", line 12, in main\n"
    "    tid = ttnn.begin_trace_capture(device, cq_id=0)\n"
    "RuntimeError: TT_FATAL: " OOM "\n",
    /* pytest --tb=short, and the mark between two frames */
    "=================================== FAILURES ===================================\n"
    "___________________________________ test_one ___________________________________\n"
    "tests/test_a.py:12: in test_one\n"
    "    y = ttnn.matmul(a, b)\n"
    "E   RuntimeError: TT_FATAL @ /w/bank_manager.cpp:462: false\nE   info:\nE   " OOM
    "\n"
    "=========================== short test summary info ============================\n"
    "FAILED tests/test_a.py::test_one - RuntimeError: TT_FATAL @ /w/ba...\n"
    "============================== 1 failed in 3.21s ===============================\n",
    ">       y = model(a, b)\n\ntests/test_b.py:7: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n"
    "models/net.py:40: in forward\n    return ttnn.linear(a, w)\nE   RuntimeError: TT_FATAL: " OOM "\n",
    /* unittest: how it went stands two lines below the count */
    "test_x (tests.T) ... TT_FATAL: " OOM
    "\nok\n\n"
    "----------------------------------------------------------------------\nRan 1 test in 0.1s\n\nOK\n",
    "step 1\nTT_FATAL: " OOM "\nmake: *** [Makefile:3: run] Error 1\n",
    "step 1\nTT_FATAL: " OOM "\nexit code: 137\n",
};

static void what_stands_around_does_not_depend_on_pieces(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct slice text = slice_from(texts[t]);
        struct run whole;
        read_pieces(&whole, text, text.len);
        assert_true(whole.failure_sites.len >= 1);
        for (size_t piece = 1; piece < text.len; piece++) {
            struct run run;
            read_pieces(&run, text, piece);
            assert_int_equal(run.failure_sites.len, whole.failure_sites.len);
            const struct failure_site *a = &run.failure_sites.items[0], *b = &whole.failure_sites.items[0];
            if (a->after != b->after || a->phase != b->phase) fail_msg("text %zu in pieces of %zu: after or phase", t, piece);
            const uint32_t ids[] = {a->op, a->call, a->python, a->test, b->op, b->call, b->python, b->test};
            for (size_t i = 0; i < 4; i++)
                if (!slice_equal(run_string(&run, ids[i]), run_string(&whole, ids[i + 4])))
                    fail_msg("text %zu in pieces of %zu: name %zu", t, piece, i);
            run_release(&run);
        }
        run_release(&whole);
    }
}

static void the_line_below_a_frame_names_the_op(void **state) {
    (void)state;
    static const struct {
        size_t text;
        const char *call;
        unsigned phase;
    } rows[] = {{0, "ttnn.experimental.all_gather_async", PHASE_NONE},
                {1, "", PHASE_TRACE_CAPTURE},
                {2, "ttnn.matmul", PHASE_NONE},
                {3, "ttnn.linear", PHASE_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run;
        read_pieces(&run, slice_from(texts[rows[i].text]), 1);
        const struct failure_site *site = &run.failure_sites.items[0];
        if (!slice_equal(run_string(&run, site->call), slice_from(rows[i].call))) fail_msg("op of text %zu", i);
        assert_int_equal(site->phase, rows[i].phase);
        run_release(&run);
    }
}

/* A process that is killed neither caught the failure before that nor was ended by it. */
static void how_it_ended(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum failure_outcome kind;
    } rows[] = {
        {"TT_FATAL: " OOM "\nexit code: 137\n", OUTCOME_UNKNOWN},
        {"TT_FATAL: " OOM "\n##[error]Process completed with exit code 137.\n", OUTCOME_UNKNOWN},
        {"TT_FATAL: " OOM "\n[12.3] Out of memory: Killed process 4242 (python) total-vm:12kB, anon-rss:9kB\n",
         OUTCOME_UNKNOWN},
        {"TT_FATAL: " OOM "\nexit code: 1\n", OUTCOME_ENDED},
        {"TT_FATAL: " OOM "\nmake: *** [Makefile:3: run] Error 1\n", OUTCOME_ENDED},
        {"TT_FATAL: " OOM "\nmake: *** [Makefile:3: run] Error 1 (ignored)\n", OUTCOME_UNKNOWN},
        {"TT_FATAL: " OOM "\nexit code: 0\n", OUTCOME_CAUGHT},
        {"TT_FATAL: " OOM "\nTT_FATAL: Program size (83968) too large for kernel config buffer (70656) on TENSIX\n"
         "exit code: 137\n",
         OUTCOME_CAUGHT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run;
        struct explain explain;
        read_pieces(&run, slice_from(rows[i].text), 4096);
        run_explain(&run, &explain);
        if (explain.failures.items[0].outcome.kind != rows[i].kind)
            fail_msg("row %zu: %d", i, (int)explain.failures.items[0].outcome.kind);
        explain_release(&explain);
        run_release(&run);
    }
}

/* The line below a failure, by a look at what differs and by reading it: the same wherever the look is enough. */
static void a_line_that_is_alike_says_what_it_says(void **state) {
    (void)state;
#define FULL(asked, free, largest)                                        \
    "Out of Memory: Not enough space to allocate " asked                  \
    " B DRAM buffer across 12 banks, where each bank needs to store 100 " \
    "B, but bank size is 5000 B (allocated: 4950 B, free: " free " B, largest free block: " largest " B)\n"
#define PLACED(asked, place)                                                                                             \
    "Out of Memory: Not enough space to allocate " asked                                                                 \
    " B DRAM buffer across 12 banks, where each bank needs to store 100 B, but bank size is 5000 B (allocated: 4950 B, " \
    "free: 50 B, largest free block: 40 B) " place "\n"
    static const struct {
        const char *text;
        bool alike;
    } rows[] = {
        {"TT_FATAL: " FULL("1200", "50", "50") "TT_FATAL: " FULL("99999", "50", "50") "TT_FATAL: Out of Memory: x\n", true},
        {"TT_FATAL: " FULL("1200", "50", "50") "TT_FATAL: " FULL("1200", "70", "70") "TT_FATAL: Out of Memory: x\n", true},
        /* which of the equal numbers became which cannot be told without reading */
        {"TT_FATAL: " FULL("1200", "50", "50") "TT_FATAL: " FULL("1200", "70", "60") "TT_FATAL: Out of Memory: x\n", false},
        {"10:00:01 TT_FATAL: " FULL("1200", "50", "40") "10:00:02 TT_FATAL: " FULL("1300", "51",
                                                                                   "40") "10:00:03 TT_FATAL: Out of "
                                                                                         "Memory: x\n",
         true},
        /* a number that an escape divides, beside an equal one */
        {"TT_FATAL: " FULL("1200", "5000", "5\\n000") "TT_FATAL: " FULL("1200", "6000",
                                                                        "5\\n000") "TT_FATAL: Out of Memory: x\n",
         false},
        /* a message may go on after the lines of another writer */
        {"[0] TT_FATAL: " FULL("1200", "50", "40") "[0] TT_FATAL: " FULL("1300", "51", "40") "[3] TT_FATAL: Out of Memory: x\n",
         false},
        /* the last one may go on below */
        {"TT_FATAL: " FULL("1200", "50", "50") "TT_FATAL: " FULL("1201", "50", "50") "another line\n", false},
        {"TT_FATAL: " FULL("1200", "50", "50") "TT_THROW: " FULL("1201", "50", "50") "TT_THROW: Out of Memory: x\n", false},
        {"TT_THROW: 400 unique+common runtime args targeting kernel reader on (x=0,y=0) are too large. Max allowable is 341\n"
         "TT_THROW: 500 unique+common runtime args targeting kernel reader on (x=0,y=0) are too large. Max allowable is 341\n"
         "TT_THROW: 600 unique\n",
         false},
        {"Program size (100) too large for kernel config buffer (50)\nProgram size (101) too large for kernel config buffer "
         "(50)\nProgram size of the next\n",
         false},
        /* the logger's place says nothing, whatever else stands there may */
        {"TT_FATAL: " PLACED("1200", "(assert.hpp:104)") "TT_FATAL: " PLACED("1201",
                                                                             "(assert.hpp:104)") "TT_FATAL: Out of Memory: x\n",
         true},
        {"TT_FATAL: " PLACED("1200", "(assert.hpp:x)") "TT_FATAL: " PLACED("1201",
                                                                           "(assert.hpp:x)") "TT_FATAL: Out of Memory: x\n",
         false},
        {"TT_FATAL: " PLACED("1200", "MemoryError") "TT_FATAL: " PLACED("1201", "MemoryError") "TT_FATAL: Out of Memory: x\n",
         false},
        /* words after the last number may be of another message */
        {"Creating trace buffers of size 100B on MeshDevice 0, but only 50B is allocated for trace region.\n"
         "Creating trace buffers of size 101B on MeshDevice 1, but only 50B is allocated for trace region.\n"
         "Creating trace buffers\n",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice text = slice_from(rows[i].text);
        struct failure first, read;
        assert_true(failure_next(text, 0, &first));
        assert_true(failure_next(text, first.at + first.length, &read));
        struct failure_alike lines = {0};
        first = *failure_alike_search(&lines, text, 0, 0, text.len);
        const uint32_t chain = lines.chain;
        first = *failure_alike_search(&lines, text, 0, first.at + first.length, text.len);
        const bool alike = lines.on && lines.chain == chain;
        if (alike != rows[i].alike) fail_msg("row %zu", i);
        if (!alike) continue;
        assert_int_equal(first.at, read.at);
        assert_int_equal(first.length, read.length);
        assert_int_equal(first.known, read.known);
        assert_memory_equal(first.number, read.number, sizeof read.number);
    }
}

/* Whatever a search takes over from what it found before, each failure is what reading it in full gives; also with a limit. */
static void assert_as_read_in_full(struct slice text) {
    struct failure_alike lines = {0};
    struct failure read;
    size_t from = 0;
    for (size_t limit = text.len / 2; limit <= text.len; limit += text.len - text.len / 2) {
        while (failure_next_before(text, from, limit, &read)) {
            const struct failure *taken = failure_alike_search(&lines, text, 0, from, limit);
            assert_non_null(taken);
            assert_int_equal(taken->at, read.at);
            assert_int_equal(taken->length, read.length);
            assert_int_equal(taken->kind, read.kind);
            assert_int_equal(taken->known, read.known);
            assert_int_equal(taken->open_ended, read.open_ended);
            assert_string_equal(taken->core_range, read.core_range);
            for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
                if (failure_knows(&read, n)) assert_int_equal(taken->number[n], read.number[n]);
            from = read.at + read.length;
        }
        assert_null(failure_alike_search(&lines, text, 0, from, limit));
    }
}

/* Messages of several kinds and writers in any order, some cut, some going on below: whatever is taken over from the lines
 * above, each is what reading it in full gives. */
static void mixed_lines_say_what_reading_says(void **state) {
    (void)state;
    static const char *const messages[] = {
        "TT_FATAL: Out of Memory: Not enough space to allocate %u B DRAM buffer across 12 banks, where each bank needs to "
        "store "
        "100 B, but bank size is 5000 B (allocated: 4950 B, free: 50 B, largest free block: 50 B)\n",
        "TT_THROW: Statically allocated circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0) - "
        "(x=7,y=7)]. L1 buffer allocated at %u and static circular buffer region ends at 900000\n",
        "TT_THROW: Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=0)] grow to %u B which is beyond "
        "max L1 size of 1499136 B\n",
        "TT_THROW: Statically allocated circular buffers on core range [(x=%u,y=0) - (x=7,y=0)] grow to 7 B which is beyond "
        "max L1 size of 1499136 B\n",
        "TT_FATAL: Out of Memory: Not enough space to allocate %u B DRAM buffer across 12 banks, where each bank needs to\n",
        "store 100 B, but bank size is 5000 B (allocated: 4950 B, free: 50 B, largest free block: %u B)\n",
        "%u\n",
        "step %u\n",
    };
    static const char *const writers[] = {
        "",        "[1,0]<stderr>: ", "[1,1]<stderr>: ", "[1,12]<stderr>: ",        "10:00:01 ",
        "node1: ", "node2: ",         "server-1  | ",    "(EngineCore_DP0 pid=77) "};
    uint32_t random = 1;
    for (unsigned round = 0; round < 1000; round++) {
        struct strbuf log = {0};
        unsigned kinds = 1 + round % COUNT_OF(messages), tags = 1 + round / 8 % COUNT_OF(writers);
        for (unsigned i = 0; i < 60; i++) {
            random = random * 1664525 + 1013904223;
            unsigned kind = (random >> 24) % 16 ? (random >> 16) % kinds : (random >> 20) % COUNT_OF(messages);
            strbuf_addz(&log, writers[(random >> 12) % tags]);
            strbuf_addf(&log, messages[kind], (random >> 8) % (kind == 3 ? 8 : 1000000));
        }
        assert_as_read_in_full(strbuf_slice(&log));
        strbuf_release(&log);
    }
}

/* A few short lines again and again, here and there with a byte that differs: enough of them that what was found in one round
 * is taken over in the next. */
static void repeated_lines_say_what_reading_says(void **state) {
    (void)state;
    static const char *const lines[] = {"MemoryError\n",
                                        "std::bad_alloc\n",
                                        "Out of Memory: Not enough\n",
                                        "space to allocate 123\n",
                                        "E   MemoryError\n",
                                        "info:\n",
                                        "Killed\n",
                                        "\n",
                                        "terminate called after throwing an instance of 'std::bad_alloc'\n",
                                        "[1,3]<stderr>: MemoryError\n"};
    uint32_t random = 7;
    for (unsigned round = 0; round < 300; round++) {
        struct strbuf log = {0};
        unsigned kinds[6], count = 1 + round % COUNT_OF(kinds);
        for (unsigned i = 0; i < count; i++) kinds[i] = (random = random * 1664525 + 1013904223) >> 16;
        for (unsigned i = 0; log.len < 30000; i++) strbuf_addz(&log, lines[kinds[i % count] % COUNT_OF(lines)]);
        for (unsigned i = 0; i < round % 4; i++) {
            random = random * 1664525 + 1013904223;
            log.data[(random >> 8) % log.len] = "x\n 7"[random >> 30];
        }
        assert_as_read_in_full(strbuf_slice(&log));
        strbuf_release(&log);
    }
}

/* Lines of a logger come to a run one by one: what it takes from the line above must be what is found in each alone. */
static void a_run_finds_what_the_search_finds(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (unsigned i = 0; i < 3000; i++) {
        unsigned kind = i % 97;
        strbuf_addf(&text, "2026-01-01 10:%02u:%02u.000 | critical | Always | TT_FATAL: ", i / 60 % 60, i % 60);
        if (kind == 5)
            strbuf_addz(&text,
                        "Creating trace buffers of size 84877312B on MeshDevice 0, but only 50331648B is "
                        "allocated for trace region. (assert.hpp:104)\n");
        else
            strbuf_addf(&text,
                        "Out of Memory: Not enough space to allocate %u B DRAM buffer across 12 banks, where each bank "
                        "needs to store %u B, but bank size is 1071821792 B (allocated: 1071821000 B, free: %u B, "
                        "largest free block: %u B)%s\n",
                        i * 12288, i * 1024, 792 + i % 7, 400 + i % 5, kind == 50 ? " MemoryError" : " (assert.hpp:104)");
        if (kind == 20) strbuf_addz(&text, "a line of something else\n");
        if (kind == 30) strbuf_addz(&text, "2026-01-01 10:00:00.000 | info | Always | opened 1 device (device.cpp:3)\n");
    }
    struct run run = {0};
    struct run_feed *feed = run_feed_new(&run);
    run_feed_bytes(feed, strbuf_slice(&text));
    run_feed_finish(feed);
    struct failure f;
    size_t number = 0;
    for (size_t from = 0; failure_next(strbuf_slice(&text), from, &f); from = f.at + f.length) {
        if (!failure_is_memory(&f)) continue;
        const struct failure_entry *e = NULL;
        for (size_t i = 0; i < run.failures.entries.len && !e; i++) {
            const struct failure *other = &run.failures.entries.items[i].failure;
            if (other->kind == f.kind && other->known == f.known && memcmp(other->number, f.number, sizeof f.number) == 0)
                e = &run.failures.entries.items[i];
        }
        if (!e) fail_msg("failure %zu at %zu", number, f.at);
        number++;
    }
    size_t printed = 0;
    for (size_t i = 0; i < run.failures.entries.len; i++) printed += run.failures.entries.items[i].count;
    assert_int_equal(printed, number);
    assert_true(number >= 3000);
    run_release(&run);
    strbuf_release(&text);
}

/* Placeholders, and then a number of the kind that they stood for. */
static void placeholders_before_any_kind_of_number(void **state) {
    (void)state;
    static const char *const lines[] = {
        "RuntimeError: Failed to allocate sysmem buffer of size {}0x1000 bytes with mmap.",
        "RuntimeError: Failed to allocate sysmem buffer of size {} bytes with mmap.\n0x1000\n",
        "Out of memory: Killed process {} ({}) total-vm:{}kB, anon-rss:{}4096kB",
        "memory: usage {}4096kB, limit {}4096kB",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct failure f;
        size_t from = 0;
        while (failure_next(slice_from(lines[i]), from, &f)) from = f.at + f.length;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ends_the_run_is_kept),
        cmocka_unit_test(what_stands_around_does_not_depend_on_pieces),
        cmocka_unit_test(the_line_below_a_frame_names_the_op),
        cmocka_unit_test(how_it_ended),
        cmocka_unit_test(a_line_that_is_alike_says_what_it_says),
        cmocka_unit_test(mixed_lines_say_what_reading_says),
        cmocka_unit_test(repeated_lines_say_what_reading_says),
        cmocka_unit_test(a_run_finds_what_the_search_finds),
        cmocka_unit_test(placeholders_before_any_kind_of_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
