/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are taken for text many at once: only those that, read one by one, are text without a writer, and all of them
 * wherever they begin in a block of bytes. */
#include "testing.h"

#include "parse/logline.h"
#include "parse/plain_lines.h"

enum { PADDING = 128, LONGEST = 400, TEXTS = 20000 };

static uint32_t seed = 20261119;

static uint32_t any(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* Is a line plain by the words of the header? */
static bool is_plain(struct slice line) {
    const char ends[] = ":- \t";
    if (slice_find_byte(line, '|') != SLICE_NONE || slice_find_byte(line, '\r') != SLICE_NONE) return false;
    if (!line.len) return true;
    char first = line.ptr[0], last = line.ptr[line.len - 1];
    bool prefix = !first || first == '[' || first == '(' || first == '\x1b' || (first >= '0' && first <= '9');
    return !prefix && !memchr(ends, last, sizeof ends - 1);
}

static void lines_are_taken_up_to_the_first_that_is_not_plain(void **state) {
    (void)state;
    static const char bytes[] = "aaaaaaaabcxyz%#\"})_.,=\xe2/@~\n\n\n\n";
    static const char rare[] =
        "|\r[(\x1b"
        "059:- \t\0;Z";
    for (unsigned round = 0; round < TEXTS; round++) {
        size_t len = any(LONGEST), expected = 0;
        uint32_t expected_lines = 0, lines = 7, rarity = 2 + any(60);
        char *text = malloc(len + PADDING);
        assert_non_null(text);
        for (size_t i = 0; i < len; i++) text[i] = any(rarity) ? bytes[any(sizeof bytes - 1)] : rare[any(sizeof rare - 1)];
        memset(text + len, '\n', PADDING); /* plain too: no line of the text is among the last bytes */
        for (;;) {
            struct slice rest = slice_of(text + expected, len + PADDING - expected);
            size_t end = slice_find_byte(rest, '\n');
            if (end == SLICE_NONE || !is_plain(slice_take(rest, end))) break;
            struct log_line read;
            logline_read(slice_take(rest, end), &read);
            assert_int_equal(read.kind, LINE_TEXT);
            assert_int_equal(read.writer.tag.len, 0);
            assert_int_equal(read.text.len, end);
            expected += end + 1;
            expected_lines++;
        }
        const char *end = plain_lines_end(text, text + len + PADDING, &lines);
        if (expected == len + PADDING) { /* the last ones may be left out */
            assert_in_range(end - text, len, expected);
            expected_lines -= (uint32_t)(text + expected - end);
            expected = (size_t)(end - text);
        }
        assert_int_equal(end - text, expected);
        assert_int_equal(lines, 7 + expected_lines);
        free(text);
    }
}

static void nothing_is_read_behind_the_end(void **state) {
    (void)state;
    for (size_t len = 0; len < 3 * PADDING; len++) {
        char *text = malloc(len + 1); /* reading beyond its end shows */
        uint32_t lines = 0;
        assert_non_null(text);
        memset(text, 'x', len);
        assert_ptr_equal(plain_lines_end(text, text + len, &lines), text);
        assert_int_equal(lines, 0);
        if (len) text[len - 1] = '\n';
        const char *end = plain_lines_end(text, text + len, &lines);
        assert_true(end == text || end == text + len);
        assert_int_equal(lines, end > text);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_taken_up_to_the_first_that_is_not_plain),
        cmocka_unit_test(nothing_is_read_behind_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
