/* SPDX-License-Identifier: Apache-2.0 */
/* base/: numbers, JSON text, UTF-8, strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/json_write.h"
#include "base/table/map.h"
#include "base/num.h"
#include "base/table/strtab.h"
#include "base/term.h"
#include "base/utf8.h"
#include "base/vec.h"

static void thousandths_read_and_write_the_same(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
        const char *back;
    } rows[] = {{"1022.169", 1022169, "1022.169"}, {"0.000", 0, "0"},      {"0.5", 500, "0.5"}, {"7", 7000, "7"},
                {"4080.10", 4080100, "4080.1"},    {"0.0625", 63, "0.063"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 99;
        assert_int_equal(num_read_thousandths(slice_from(rows[i].text), &value), strlen(rows[i].text));
        assert_int_equal(value, rows[i].value);
        char text[NUM_ROOM];
        size_t n = num_write_thousandths(text, (int64_t)value);
        assert_int_equal(n, strlen(rows[i].back));
        assert_memory_equal(text, rows[i].back, n);
    }
}

static void integers_are_written_as_printf_does(void **state) {
    (void)state;
    uint64_t power = 1;
    for (unsigned digits = 1; digits <= 20; digits++, power *= 10)
        for (int64_t off = -2; off <= 2; off++) {
            char text[NUM_ROOM], expected[NUM_ROOM];
            uint64_t n = power + (uint64_t)off;
            int len = snprintf(expected, sizeof expected, "%llu", (unsigned long long)n);
            assert_int_equal(num_write_u64(text, n), len);
            assert_memory_equal(text, expected, (size_t)len);
        }
}

/* Whatever the pieces are. */
static void a_hash_of_pieces_is_that_of_the_whole(void **state) {
    (void)state;
    static char bytes[70000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * i >> 3);
    for (size_t len = 0; len <= sizeof bytes; len = len * 3 + 1)
        for (size_t piece = 1; piece <= len + 1; piece = piece * 5 + 2) {
            struct slice all = slice_of(bytes, len);
            struct hash_stream *longer = hash_stream_new(), *shorter = hash_stream_new();
            for (size_t at = 0; at < len; at += piece) {
                hash_stream_add(longer, slice_take(slice_skip(all, at), piece));
                hash_stream_add(shorter, slice_take(slice_skip(all, at), piece));
            }
            assert_true(hash_equal(hash_stream_end(longer), hash_bytes(all)));
            assert_true(hash_stream_end64(shorter) == hash_bytes64(all));
            /* of more than 240 bytes, XXH3's 64 bits are the lower half of its 128, whichever vectors compute them */
            if (len > 240) assert_true(hash_bytes(all).low == hash_bytes64(all));
        }
}

static void numbers_that_do_not_fit_are_refused(void **state) {
    (void)state;
    uint64_t value;
    assert_int_equal(num_read_u64(SLICE("18446744073709551615"), &value), 20);
    assert_int_equal(num_read_u64(SLICE("18446744073709551616"), &value), 0);
    assert_int_equal(num_read_thousandths(SLICE("99999999999999999999.5"), &value), 0);
    assert_int_equal(num_read_u64(SLICE("x"), &value), 0);
}

static void percent_rounds_and_survives_zero(void **state) {
    (void)state;
    assert_int_equal(num_percent_milli(3109879, 4080000), 76223);
    assert_int_equal(num_percent_milli(1, 0), 0);
    assert_int_equal(num_percent_milli(-1, 2), -50000);
}

static void json_text_is_valid_whatever_comes_in(void **state) {
    (void)state;
    struct strbuf out = {0};
    json_quote(&out, slice_of("a\"\\\n\x01\xff\xc3(\xc3\xa9\x00z\x7f", 13));
    assert_string_equal(strbuf_text(&out), "\"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\xef\xbf\xbd(\xc3\xa9\\u0000z\\u007f\"");
    strbuf_release(&out);
}

static void json_nests_and_indents(void **state) {
    (void)state;
    struct strbuf out = {0};
    struct json j = {.out = &out, .pretty = true};
    json_object(&j);
    json_member_milli(&j, "a", 1500);
    json_key(&j, "b");
    json_array(&j);
    json_array_end(&j);
    json_key(&j, "c");
    json_array(&j);
    json_u64(&j, 1);
    json_null(&j);
    json_array_end(&j);
    json_object_end(&j);
    assert_string_equal(strbuf_text(&out), "{\n  \"a\": 1.5,\n  \"b\": [],\n  \"c\": [\n    1,\n    null\n  ]\n}");
    strbuf_release(&out);
}

static void utf8_refuses_overlong_surrogate_and_cut(void **state) {
    (void)state;
    assert_int_equal(utf8_char(SLICE("\xc0\x80")), 0);
    assert_int_equal(utf8_char(SLICE("\xed\xa0\x80")), 0);
    assert_int_equal(utf8_char(SLICE("\xe2\x82")), 0);
    assert_int_equal(utf8_char(SLICE("\xe2\x82\xac")), 3);
    assert_int_equal(utf8_char(SLICE("\xf4\x90\x80\x80")), 0);
}

static void terminal_text_cannot_carry_escapes(void **state) {
    (void)state;
    struct strbuf out = {0};
    struct term term = {.utf8 = false};
    term_text(&out, &term, SLICE("a\x1b[2Jb\r\xff"), 0);
    assert_string_equal(strbuf_text(&out), "a?[2Jb??");
    strbuf_release(&out);
}

/* 147,237,376 cut to 147,237,3 would be another number. */
static void a_cut_line_says_so(void **state) {
    (void)state;
    static const struct {
        bool utf8;
        const char *line, *shown;
    } rows[] = {
        {true, "short by 1,234", "short by 1,234"},
        {true, "short by 11,234", "short by 11,2…"},
        {false, "short by 11,234", "short by 11,2>"},
        {true, "\x1b[31mshort by 11,234\x1b[0m\nnext", "\x1b[31mshort by 11,2…\x1b[0m\nnext"},
        {true, "\x1b[31mshort by 1,234\x1b[0m", "\x1b[31mshort by 1,234\x1b[0m\x1b[0m"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct term term = {.utf8 = rows[i].utf8, .color = true, .columns = 14};
        struct strbuf out = {0};
        term_fit_lines(&out, &term, slice_from(rows[i].line));
        assert_string_equal(strbuf_text(&out), rows[i].shown);
        strbuf_release(&out);
    }
}

static void strings_are_stored_once(void **state) {
    (void)state;
    struct strtab table = {0};
    uint32_t first = 0;
    for (int i = 0; i < 10000; i++) {
        char text[32];
        snprintf(text, sizeof text, "name.%d", i);
        uint32_t id = strtab_id(&table, slice_from(text));
        if (i == 0) first = id;
    }
    assert_int_equal(strtab_id(&table, SLICE("name.0")), first);
    assert_int_equal(strtab_id(&table, SLICE("")), 0);
    assert_int_equal(table.strings.len, 10001);
    assert_true(slice_equal(strtab_get(&table, first), SLICE("name.0")));
    strtab_release(&table);
}

/* Large ones grow in steps of their own, also where the system does not give as much as these ask for. */
static void fill_and_look(size_t count) {
    VEC(uint64_t) numbers = {0};
    for (uint64_t i = 0; i < count; i++) vec_push(&numbers, i);
    assert_true(numbers.cap >= count);
    for (uint64_t i = 0; i < count; i++) assert_int_equal(numbers.items[i], i);
    vec_release(&numbers);
}

static void large_arrays_keep_what_they_hold(void **state) {
    enum { NUMBERS = 3 << 20, HELD = 64 << 20 };
    (void)state;
    fill_and_look(NUMBERS);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    pid_t child = fork();
    if (child == 0) {
        long pages = 0;
        FILE *statm = fopen("/proc/self/statm", "r");
        if (!statm || fscanf(statm, "%ld", &pages) != 1) _exit(2);
        rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + HELD;
        if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0) _exit(3);
        fill_and_look(NUMBERS);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousandths_read_and_write_the_same),
        cmocka_unit_test(integers_are_written_as_printf_does),
        cmocka_unit_test(a_hash_of_pieces_is_that_of_the_whole),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
        cmocka_unit_test(percent_rounds_and_survives_zero),
        cmocka_unit_test(json_text_is_valid_whatever_comes_in),
        cmocka_unit_test(json_nests_and_indents),
        cmocka_unit_test(utf8_refuses_overlong_surrogate_and_cut),
        cmocka_unit_test(terminal_text_cannot_carry_escapes),
        cmocka_unit_test(a_cut_line_says_so),
        cmocka_unit_test(strings_are_stored_once),
        cmocka_unit_test(large_arrays_keep_what_they_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
