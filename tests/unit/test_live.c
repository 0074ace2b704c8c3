/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of capture, watching and the interactive program that are pure functions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/shell.h"
#include "base/utf8.h"
#include "model/read.h"
#include "model/watch.h"
#include "render/answer/status_line.h"
#include "tui/complete.h"

static void words_are_quoted_only_where_a_shell_would_read_them_otherwise(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"logs/a_1.log", "logs/a_1.log"},
                                          {"", "''"},
                                          {"a b", "'a b'"},
                                          {"it's", "'it'\\''s'"},
                                          {"$x", "'$x'"},
                                          {"*", "'*'"},
                                          {"ü", "'ü'"},
                                          {"a`b|c", "'a`b|c'"},
                                          {"a\nit's", "$'a\\x0ait\\'s'"},
                                          {"a\xff\\", "$'a\\xff\\\\'"},
                                          {"\xe2\x80\xae", "$'\\xe2\\x80\\xae'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf out = {0};
        shell_word(&out, slice_from(rows[i][0]));
        assert_string_equal(strbuf_text(&out), rows[i][1]);
        strbuf_release(&out);
    }
}

static void check_split(const char *text, const char *const *words, size_t expected) {
    struct strbuf out = {0};
    size_t count;
    assert_true(shell_split(&out, text, &count));
    assert_int_equal(count, expected);
    const char *p = strbuf_text(&out);
    for (size_t i = 0; i < count; i++, p += strlen(p) + 1) assert_string_equal(p, words[i]);
    strbuf_release(&out);
}

static void arguments_are_split_as_a_shell_does(void **state) {
    (void)state;
    check_split("", NULL, 0);
    check_split("  \t ", NULL, 0);
    check_split("a  b", (const char *[]){"a", "b"}, 2);
    check_split("'a b' \"c d\" e\\ f", (const char *[]){"a b", "c d", "e f"}, 3);
    check_split("''", (const char *[]){""}, 1);
    check_split("--x='1 2' \"it's\" '\\n'", (const char *[]){"--x=1 2", "it's", "\\n"}, 3);
    struct strbuf out = {0};
    size_t count;
    assert_false(shell_split(&out, "'open", &count));
    strbuf_release(&out);
}

static void characters_are_encoded(void **state) {
    (void)state;
    static const struct {
        uint32_t ch;
        const char *text;
    } rows[] = {{'a', "a"}, {0xfc, "ü"}, {0x20ac, "€"}, {0x1f600, "😀"}, {0xd800, "?"}, {0x110000, "?"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[5] = {0};
        assert_int_equal(utf8_encode(rows[i].ch, out), strlen(rows[i].text));
        assert_string_equal(out, rows[i].text);
    }
}

static void completions_share_their_beginning(void **state) {
    (void)state;
    struct path_names names = {0};
    assert_int_equal(names_prefix(&names).len, 0);
    names_add(&names, SLICE("logs/ü1"));
    names_add(&names, SLICE("logs/ü2"));
    assert_true(slice_equal(names_prefix(&names), SLICE("logs/ü")));
    names_add(&names, SLICE("logs/ö")); /* the same first byte: no half characters */
    assert_true(slice_equal(names_prefix(&names), SLICE("logs/")));
    names_release(&names);
}

#define RUNTIME(kind, text) "            " kind " |    DEBUG | " text "\n"
#define POOL(name, total, used)                                                                          \
    RUNTIME("Always", "Device " name " memory state: MemoryView{numBanks: 12, totalBytesPerBank: " total \
                      " MB, totalBytesAllocatedPerBank: " used                                           \
                      " MB, totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: 1.000 MB}")
#define BLOCK(op, used) \
    RUNTIME("Always", "Device memory state before operation " op) POOL("DRAM", "1022.169", used) POOL("L1", "1.270", "0.008")

static const char growing[] = RUNTIME("RuntimeTTNN", "Starting execution of program: main")
    RUNTIME("RuntimeTTNN", "Executing operation: %0 = \"ttnn.get_device\"() : () -> !ttnn.device loc(unknown)")
        BLOCK("GetDeviceOp", "10.500") RUNTIME("RuntimeTTNN",
                                               "Executing operation: %1 = \"ttnn.add\"(%arg0, %arg0) : (tensor<2x2xf32>, "
                                               "tensor<2x2xf32>) -> tensor<2x2xf32> loc(unknown)")
            BLOCK("EltwiseBinaryOp", "99.125")
                RUNTIME("RuntimeTTNN", "Executing operation: \"ttnn.deallocate\"(%1) : (tensor<2x2xf32>) -> () loc(unknown)")
                    BLOCK("DeallocateOp", "42.000");
static const char finished[] = RUNTIME("RuntimeTTNN", "Finished execution of program: main");

static void watch_bytes(struct watch *watch, struct slice bytes) {
    memcpy(watch_room(watch, bytes.len), bytes.ptr, bytes.len);
    watch_took(watch, bytes.len);
}

/* However the bytes are cut, the state is the same. */
static void the_state_of_a_growing_log(void **state) {
    (void)state;
    for (size_t piece = 1; piece < 400; piece = piece * 3 + 1) {
        struct watch *watch = watch_new();
        for (size_t at = 0; at < sizeof growing - 1; at += piece)
            watch_bytes(watch, slice_take(slice_of(growing + at, sizeof growing - 1 - at), piece));
        const struct watch_status *s = watch_status(watch);
        assert_int_equal(s->op_lines, 3);
        assert_int_equal(s->ops, 1);
        assert_int_equal(s->blocks, 3);
        assert_int_equal(s->peak[POOL_DRAM], 99125);
        assert_int_equal(s->now[POOL_DRAM].allocated, 42000);
        assert_int_equal(s->now[POOL_DRAM].total, 1022169);
        assert_int_equal(s->peak[POOL_L1], 8);
        assert_string_equal(s->program, "main");
        assert_int_equal(s->programs_finished, 0);
        watch_bytes(watch, slice_from(finished));
        assert_string_equal(s->program, "");
        assert_int_equal(s->programs_finished, 1);
        watch_free(watch);
    }
}

static void the_status_line_says_what_it_shows(void **state) {
    (void)state;
    struct watch *watch = watch_new();
    watch_bytes(watch, slice_from(growing));
    struct term term = {.utf8 = false};
    struct strbuf line = {0};
    status_line(&line, &term, watch_status(watch), (int64_t)3725 * 1000000000);
    assert_non_null(strstr(strbuf_text(&line), "1:02:05"));
    assert_non_null(strstr(strbuf_text(&line), "1 op "));
    assert_non_null(strstr(strbuf_text(&line), "42.0 now, 99.1 peak of 1022.2 MB/bank"));
    assert_non_null(strstr(strbuf_text(&line), "L1 peak 0.008 of 1.270"));
    assert_non_null(strstr(strbuf_text(&line), "main"));
    for (term.columns = 79; term.columns <= 140; term.columns++) { /* nothing of it is cut off from 80 columns on */
        strbuf_clear(&line);
        status_line(&line, &term, watch_status(watch), (int64_t)3725 * 1000000000);
        assert_true(utf8_width(strbuf_slice(&line)) <= term.columns);
        assert_non_null(strstr(strbuf_text(&line), "DRAM "));
        assert_non_null(strstr(strbuf_text(&line), "42.0 "));
        assert_non_null(strstr(strbuf_text(&line), "99.1"));
        assert_non_null(strstr(strbuf_text(&line), "1022.2 MB"));
        assert_non_null(strstr(strbuf_text(&line), "0.008"));
        assert_non_null(strstr(strbuf_text(&line), "  main"));
    }
    term.columns = 20;
    strbuf_clear(&line);
    status_line(&line, &term, watch_status(watch), 0);
    assert_true(utf8_width(strbuf_slice(&line)) <= 20);
    strbuf_release(&line);
    watch_free(watch);
}

static void check_pass(const char *log, const char *marker, size_t begin, size_t end) {
    struct run run = {0};
    struct run_feed *feed = run_feed_new(&run);
    run_feed_bytes(feed, slice_from(log));
    run_feed_finish(feed);
    struct last_run last;
    struct err err = {0};
    assert_int_equal(last_run_find(&last, &run, slice_from(log), marker, &err), 0);
    const struct log_part *pass = last.parts.items;
    while (pass->first_line != last.first_line) pass++;
    assert_int_equal(pass->begin, begin);
    assert_int_equal(pass->end, end);
    last_run_release(&last);
    run_release(&run);
}

#define OP(result)                          \
    RUNTIME("RuntimeTTNN",                  \
            "Executing operation: %" result \
            " = \"ttnn.add\"(%arg0, %arg0) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(unknown)")
#define START RUNTIME("RuntimeTTNN", "Starting execution of program: main")
#define FINISH RUNTIME("RuntimeTTNN", "Finished execution of program: main")
#define A START OP("1") FINISH
#define B START OP("2") FINISH
#define CUT START OP("1")
#define LEN(text) (sizeof(text) - 1)

static void the_last_complete_pass(void **state) {
    (void)state;
    check_pass(A, NULL, 0, LEN(A));                            /* one program: all */
    check_pass(A A A, NULL, LEN(A A), LEN(A A A));             /* warm-up passes */
    check_pass(A B A B, NULL, LEN(A B), LEN(A B A B));         /* two programs a pass */
    check_pass(B A A, NULL, LEN(B A), LEN(B A A));             /* a program that only prepares */
    check_pass(A A CUT, NULL, LEN(A), LEN(A A));               /* ended in mid-program */
    check_pass(A B A B A, NULL, LEN(A B), LEN(A B A B));       /* ended between programs */
    check_pass(A B A A A, NULL, LEN(A B A A), LEN(A B A A A)); /* the first pass did more */
    check_pass("x\n" A "end\n" A "end\n" A, "end", LEN("x\n" A "end\n"), LEN("x\n" A "end\n" A "end\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_quoted_only_where_a_shell_would_read_them_otherwise),
        cmocka_unit_test(arguments_are_split_as_a_shell_does),
        cmocka_unit_test(characters_are_encoded),
        cmocka_unit_test(completions_share_their_beginning),
        cmocka_unit_test(the_state_of_a_growing_log),
        cmocka_unit_test(the_status_line_says_what_it_shows),
        cmocka_unit_test(the_last_complete_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
