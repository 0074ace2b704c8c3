/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "testing.h"

#include "source/recoder.h"
#include "source/source.h"

static void recoded(const char *bytes, size_t len, const char *expected) {
    for (size_t step = 1; step <= len; step += 3) {
        struct recoder *r = recoder_for(slice_of(bytes, len));
        struct strbuf out = {0};
        assert_non_null(r);
        for (size_t i = 0; i < len; i += step)
            recoder_take(r, slice_of(bytes + i, len - i < step ? len - i : step), false, &out);
        recoder_take(r, slice_of("", 0), true, &out);
        assert_slice(strbuf_slice(&out), expected);
        strbuf_release(&out);
        recoder_free(r);
    }
}
#define RECODED(bytes, expected) recoded(bytes, sizeof bytes - 1, expected)

static void wrapped_and_coded_text_becomes_plain_lines(void **state) {
    (void)state;
    RECODED("{\"log\":\"a \\u003cb\\u003e \\\"c\\\"\\n\",\"stream\":\"stdout\"}\n{\"log\":\"e\\n\"}\n", "a <b> \"c\"\ne\n");
    RECODED("{\"log\":\"\\ud83d\\ude00\\u001b[0m\\n\"}\nnot json\n{\"lo\n", "\xf0\x9f\x98\x80\x1b[0m\nnot json\n{\"lo\n");
    RECODED("{\"log\":\"\\ud83d \\udc00 \\ud83d\\u0041 \\uzz\\n\"}\n",
            "\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd"
            "A \xef\xbf\xbdzz\n");
    RECODED("{\"log\": \"a\\n\", \"stream\": \"stdout\"}\n{ \"log\" : \"b\\n\"}\n{ \"lo g\": 1\n{\"log\":         \"c\"}\n",
            "a\nb\n{ \"lo g\": 1\nc\n");
    RECODED("{\"log\":\"a\\n\"}\n{\"log\":\"cut \\\"her", "a\ncut \"her\n");
    RECODED(
        "\xff\xfe"
        "a\0\xe9\0\n\0\x3d\xd8\0\xde",
        "a\xc3\xa9\n\xf0\x9f\x98\x80");
    RECODED("\xfe\xff\0a\xdc\0\0b",
            "a\xef\xbf\xbd"
            "b");
    RECODED("a\0b\0c\0d\0e\0f\0\n\0", "abcdef\n");
    RECODED("\0a\0b\0c\0d\0e\0f\0\n", "abcdef\n");
    assert_null(
        recoder_for(slice_of("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16))); /* a log that was emptied while it was written */
    assert_null(recoder_for(SLICE("{\"logs\":")));
    assert_null(recoder_for(SLICE("{\"message\":\"of anybody\",\"level\":3}")));
    assert_string_equal(recoder_refused(SLICE("\x7f"
                                              "ELF\x02")),
                        "an executable");
    assert_null(recoder_refused(SLICE("MZ is a log too")));
}

static void the_text_may_stand_anywhere_in_an_entry(void **state) {
    (void)state;
    RECODED(
        "{\"stream\":\"stdout\",\"log\":\"a\\n\",\"time\":\"1\"}\n{\"k\":{\"log\":\"no\",\"x\":[1,\"}\"]},\"log\":\"b\\n\"}\n",
        "a\nb\n");
    RECODED("{\"date\": 1763.5, \"stream\": \"stderr\", \"logtag\": \"F\", \"log\": \"a\"}\n{\"log\": \"b\"}\n", "a\nb\n");
    RECODED("{\"@timestamp\":\"2026-11-15T14:00:00Z\",\"message\":\"a\"}\n{\"message\":\"b\",\"timestamp\":1.5}\n", "a\nb\n");
    RECODED("{\"__REALTIME_TIMESTAMP\":\"1\",\"_PID\":\"7\",\"MESSAGE\":\"a\"}\n", "a\n");
    RECODED("{\"__CURSOR\":\"s=1\",\"MESSAGE\":\"[a]\"}\n{\"MESSAGE\":[27, 91,51,300, 109,98],\"__CURSOR\":\"s=2\"}\n",
            "[a]\n\x1b[3mb\n");
}

/* The end of a line that an entry lacks is missing by design: it is a line all the same. */
static void an_entry_without_the_end_of_its_line_is_a_line(void **state) {
    (void)state;
    RECODED("{\"log\":\"a\"}\n{\"log\":\"b\"}\n{\"log\":\"c\",\"time\":\"1\"}\n{\"log\":\"d\",\"time\":\"1\"}\n",
            "a\nb\nc\nd\n");
    /* the last words of a process, and the first ones of its next start */
    RECODED("{\"log\":\"a\\n\",\"time\":\"1\"}\n{\"log\":\"last\",\"time\":\"2\"}\n{\"log\":\"first\\n\",\"time\":\"3\"}\n",
            "a\nlast\nfirst\n");
}

/* One line for each line of the file: numbers stay those of grep -n. */
static void parts_of_a_line_are_joined_at_the_place_of_the_first(void **state) {
    (void)state;
    RECODED(
        "{\"log\":\"a\\n\",\"time\":\"0\"}\n{\"log\":\"b\",\"time\":\"1\"}\n{\"log\":\"c\",\"time\":\"1\"}\n"
        "{\"log\":\"d\\n\",\"time\":\"1\"}\n{\"log\":\"e\\n\",\"time\":\"2\"}\n",
        "a\nbcd\n\n\ne\n");
    RECODED(
        "{\"log\":\"a\\n\",\"stream\":\"o\",\"time\":\"0\"}\n{\"log\":\"b\",\"stream\":\"o\",\"time\":\"1\"}\n"
        "{\"log\":\"X\\n\",\"stream\":\"e\",\"time\":\"1\"}\nplain\n{\"log\":\"c\\n\",\"stream\":\"o\",\"time\":\"1\"}\n",
        "a\nbc\nX\nplain\n\n");
    RECODED("{\"logtag\":\"P\",\"log\":\"a\"}\n{\"logtag\":\"F\",\"log\":\"b\"}\n{\"logtag\":\"F\",\"log\":\"c\"}\n",
            "ab\n\nc\n");
    RECODED(
        "2026-11-15T14:00:00Z stdout P a\n2026-11-15T14:00:01Z stderr F X\n2026-11-15T14:00:02Z stdout P b\n"
        "2026-11-15T14:00:03Z stdout F c\n2026-11-15T14:00:04Z stdout F d\nplain\n",
        "2026-11-15T14:00:00Z stdout F abc\n2026-11-15T14:00:01Z stderr F X\n\n\n2026-11-15T14:00:04Z stdout F d\nplain\n");
    RECODED("2026-11-15T14:00:00Z stdout P a\n2026-11-15T14:00:01Z stdout F\n2026-11-15T14:00:02Z stdout P end\n",
            "2026-11-15T14:00:00Z stdout F a\n\n2026-11-15T14:00:02Z stdout F end\n");
}

/* Docker begins another entry after 16 KiB; the time of the parts of older versions differs. */
static void an_entry_of_16_kib_goes_on(void **state) {
    (void)state;
    struct strbuf in = {0}, out = {0};
    strbuf_addz(&in, "{\"log\":\"");
    strbuf_fill(&in, 'x', 16384);
    strbuf_addz(&in, "\",\"time\":\"1\"}\n{\"log\":\"y\\n\",\"time\":\"2\"}\n");
    struct recoder *r = recoder_for(slice_take(strbuf_slice(&in), RECODER_HEAD));
    recoder_take(r, strbuf_slice(&in), true, &out);
    assert_int_equal(out.len, 16384 + 3);
    assert_slice(slice_skip(strbuf_slice(&out), 16380), "xxxxy\n\n");
    recoder_free(r);
    strbuf_release(&in);
    strbuf_release(&out);
}

/* Text of `bytes` bytes per line, until the file is longer than what is looked at to recognise it. */
static void write_coded(FILE *file, bool utf16, size_t bytes) {
    for (size_t done = 0; done < SOURCE_PEEK + 2 * bytes; done += bytes) {
        if (!utf16) fputs("{\"log\":\"", file);
        for (size_t i = 0; i + 1 < bytes; i++) fwrite("x\0", 1, utf16 ? 2 : 1, file);
        if (utf16) fwrite("\n\0", 1, 2, file);
        else fputs("\\n\"}\n", file);
    }
}

/* What is left of a room when a line does not fit may be a byte. */
static void reading_ends_whatever_room_is_left(void **state) {
    (void)state;
    static const size_t lines[] = {100, 70001, 300007};
    for (size_t i = 0; i < 2 * sizeof lines / sizeof *lines; i++) {
        char path[] = "/tmp/ttmem-recoder-XXXXXX", room[77];
        int fd = mkstemp(path);
        FILE *file = fdopen(fd, "wb");
        write_coded(file, i % 2, lines[i / 2]);
        fclose(file);
        struct source source;
        struct err err = {0};
        struct slice head;
        assert_int_equal(source_open(&source, path, &err), 0);
        assert_int_equal(source_peek(&source, &head, &err), 0);
        assert_int_equal(head.len, SOURCE_PEEK);
        uint64_t total = 0, ends = 0;
        for (int64_t n; (n = source_read(&source, room, sizeof room, &err)) > 0; total += (uint64_t)n)
            for (int64_t k = 0; k < n; k++) ends += room[k] == '\n';
        assert_int_equal(total, ends * lines[i / 2]);
        assert_true(total >= SOURCE_PEEK);
        source_release(&source);
        unlink(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapped_and_coded_text_becomes_plain_lines),
        cmocka_unit_test(the_text_may_stand_anywhere_in_an_entry),
        cmocka_unit_test(an_entry_without_the_end_of_its_line_is_a_line),
        cmocka_unit_test(parts_of_a_line_are_joined_at_the_place_of_the_first),
        cmocka_unit_test(an_entry_of_16_kib_goes_on),
        cmocka_unit_test(reading_ends_whatever_room_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
