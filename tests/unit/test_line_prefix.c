/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers, containers and CI put before lines, and text that is wrapped or coded otherwise. */
#include "testing.h"

#include "parse/line_prefix.h"

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
        {"2026-11-15 07:12:15.123 (RayWorker pid=1234) ", "RayWorker pid=1234", PREFIX_TIME | PREFIX_PROCESS},
        {"2026-11-15 07:12:15.123 (Engine pid=7) (Worker_TP1 pid=8) ", "Worker_TP1 pid=8", PREFIX_TIME | PREFIX_PROCESS},
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
        {"Nov 15 14:00:00 tt-host python3[4711]: ", "tt-host python3[4711]", PREFIX_SYSLOG},
        {"2026-11-15T14:00:00+0000 host unit[1]: ", "host unit[1]", PREFIX_SYSLOG},
        {"2026-06-11T13:22:54.0210000Z ", "", PREFIX_ISO_TIME},
        {"[2026-06-11T13:22:54Z] ", "", PREFIX_ISO_TIME},
        {"2026-06-11T13:22:54.021000Z 00O ", "", PREFIX_ISO_TIME},
        {"2026-06-11T13:22:54.021000Z stdout F ", "", PREFIX_ISO_TIME},
        {"\t", "", PREFIX_TAB},
        {"node-1.example: ", "node-1.example", PREFIX_HOST},
        {"10.0.0.7: ", "10.0.0.7", PREFIX_HOST},
        {"llama-0 server ", "llama-0 server", PREFIX_LOGS},
        {"\x1b[0m", "", PREFIX_PAINT},
    };
    static const char *const texts[] = {"#dram = #ttnn.buffer_type<dram>", "  func.func @main(",
                                        "2026-06-11 13:22:54.021 (   1.315s) [        9F3C1740] x.cc:1 1| MLIR Module ttnn:"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t t = 0; t < COUNT_OF(texts); t++) {
            char line[512];
            snprintf(line, sizeof line, "%s%s", rows[i].prefix, texts[t]);
            uint32_t loose = rows[i].parts & PREFIX_LOOSE;
            struct line_prefix read = line_prefix_read(slice_from(line), PREFIX_ALL | loose);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_is_taken_off_and_its_tag_is_known),
        cmocka_unit_test(text_that_begins_like_a_prefix_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
