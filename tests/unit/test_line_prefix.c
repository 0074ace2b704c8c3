/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers, containers and CI put before lines, and text that is wrapped or coded otherwise. */
#include "testing.h"

#include "parse/line_prefix.h"
#include "source/recoder.h"

static void every_prefix_is_taken_off_and_its_tag_is_known(void **state) {
    (void)state;
    static const struct {
        const char *prefix, *tag;
        uint32_t parts;
    } rows[] = {
        {"[1,0]<stdout>:", "1,0", PREFIX_MPI},
        {"[prterun-host-4711@1,12]<stderr>: ", "1,12", PREFIX_MPI},
        {"Mon Nov 15 14:00:00 2026[1,0]<stdout>:", "1,0", PREFIX_TIME | PREFIX_MPI},
        {"0: ", "0", PREFIX_TASK},
        {"007: ", "007", PREFIX_TASK},
        {"[rank3]: ", "rank3", PREFIX_RANK},
        {"[default3]:", "default3", PREFIX_RANK},
        {"[3] ", "3", PREFIX_RANK},
        {"(EngineCore_DP0 pid=77) ", "EngineCore_DP0 pid=77", PREFIX_PROCESS},
        {"\x1b[36m(RayWorker pid=7, ip=10.0.0.1)\x1b[0m ", "RayWorker pid=7, ip=10.0.0.1", PREFIX_PAINT | PREFIX_PROCESS},
        {"server-1  | ", "server-1", PREFIX_CONTAINER},
        {"[pod/llama-0/server] ", "llama-0/server", PREFIX_POD},
        {"Nov 15 14:00:00 ", "", PREFIX_TIME},
        {"Nov  5 14:00:00.123456 ", "", PREFIX_TIME},
        {"[2026-11-15 14:00:00] ", "", PREFIX_TIME},
        {"14:00:00.5 ", "", PREFIX_TIME},
        {"2026-11-15T14:00:00 ", "", PREFIX_TIME},
        {"1794800261.123456 ", "", PREFIX_TIME},
        {"1794800261 ", "", PREFIX_EPOCH},
        {"[   12.345678] ", "", PREFIX_TIME},
        {"build (n150)\tRun tests\t2026-11-15T14:00:00.1234567Z ", "", PREFIX_JOB},
        {"2x4\tUNKNOWN STEP\t2026-11-15T14:00:00.1234567Z 3: ", "3", PREFIX_JOB | PREFIX_TASK},
        {"Nov 15 14:00:00 tt-host python3[4711]: ", "", PREFIX_SYSLOG},
        {"2026-11-15T14:00:00+0000 host unit[1]: ", "", PREFIX_SYSLOG},
        {"2026-06-11T13:22:54.0210000Z ", "", PREFIX_ISO_TIME},
        {"[2026-06-11T13:22:54Z] ", "", PREFIX_ISO_TIME},
        {"2026-06-11T13:22:54.021000Z 00O ", "", PREFIX_ISO_TIME},
        {"2026-06-11T13:22:54.021000Z stdout F ", "", PREFIX_ISO_TIME},
        {"\t", "", PREFIX_TAB},
        {"\x1b[0m", "", PREFIX_PAINT},
    };
    static const char *const texts[] = {"#dram = #ttnn.buffer_type<dram>", "  func.func @main(",
                                        "2026-06-11 13:22:54.021 (   1.315s) [        9F3C1740] x.cc:1 1| MLIR Module ttnn:"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t t = 0; t < COUNT_OF(texts); t++) {
            char line[512];
            snprintf(line, sizeof line, "%s%s", rows[i].prefix, texts[t]);
            struct line_prefix read = line_prefix_read(slice_from(line), PREFIX_ALL);
            assert_int_equal(read.len, strlen(rows[i].prefix));
            assert_int_equal(read.parts, rows[i].parts);
            assert_slice(read.tag, rows[i].tag);
        }
    }
}

static void text_that_begins_like_a_prefix_is_none(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        "%0 = \"ttnn.add\"(%1)",
                                        "2026-06-11 13:22:54.021 | info     | Metal | x",
                                        "[0.1, 0.2]",
                                        "12:34",
                                        "(a) b",
                                        "12x3: y",
                                        "[layer0 ]",
                                        "Nov 15",
                                        "[1,0]",
                                        "1071821792",
                                        "1071821792.",
                                        "module @x {",
                                        "0:1"};
    for (size_t i = 0; i < COUNT_OF(lines); i++) assert_int_equal(line_prefix_read(slice_from(lines[i]), PREFIX_ALL).len, 0);
    /* what could be anything is only taken where it is asked for */
    assert_int_equal(line_prefix_read(slice_from("0: %1 = x"), PREFIX_CERTAIN).len, 0);
}

static void recoded(const char *bytes, size_t len, const char *expected) {
    for (size_t step = 1; step <= len; step += 3) {
        struct recoder *r = recoder_for(slice_of(bytes, len));
        assert_non_null(r);
        char out[256];
        size_t n = 0;
        for (size_t i = 0; i < len; i += step) {
            struct slice in = slice_of(bytes + i, len - i < step ? len - i : step);
            while (in.len) n += recoder_step(r, &in, out + n, sizeof out - n);
        }
        assert_slice(slice_of(out, n), expected);
        recoder_free(r);
    }
}

static void wrapped_and_coded_text_becomes_plain_lines(void **state) {
    (void)state;
#define RECODED(bytes, expected) recoded(bytes, sizeof bytes - 1, expected)
    RECODED("{\"log\":\"a \\u003cb\\u003e \\\"c\\\"\\n\",\"stream\":\"stdout\"}\n{\"log\":\"d\"}\n{\"log\":\"e\\n\"}\n",
            "a <b> \"c\"\nde\n");
    RECODED("{\"log\":\"\\ud83d\\ude00\\u001b[0m\\n\"}\nnot json\n{\"lo\n", "\xf0\x9f\x98\x80\x1b[0m\nnot json\n{\"lo\n");
    RECODED("{\"log\": \"a\\n\", \"stream\": \"stdout\"}\n{ \"log\" : \"b\\n\"}\n{ \"lo g\": 1\n{\"log\":         \"c\"}\n",
            "a\nb\n{ \"lo g\": 1\n{\"log\":         \"c\"}\n");
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
    assert_string_equal(recoder_refused(SLICE("\x7f"
                                              "ELF\x02")),
                        "an executable");
    assert_null(recoder_refused(SLICE("MZ is a log too")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_is_taken_off_and_its_tag_is_known),
        cmocka_unit_test(text_that_begins_like_a_prefix_is_none),
        cmocka_unit_test(wrapped_and_coded_text_becomes_plain_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
