/* SPDX-License-Identifier: Apache-2.0 */
/* What a line of a log is: the runtime logger's prefix, colours, tags and names before it, foreign loggers, module
 * headings. */
#include "testing.h"

#include "parse/logline.h"

static struct log_line line_of(const char *text) {
    struct log_line line;
    logline_read(slice_from(text), &line);
    return line;
}

#define ALWAYS "                 Always |     INFO | "
#define TTNN "            RuntimeTTNN |    DEBUG | "
#define PAINTED_ALWAYS "\x1b[32m                 Always\x1b[0m | \x1b[1m\x1b[38;5;69m    INFO\x1b[0m | "
#define PAINTED_TTNN "\x1b[32m            RuntimeTTNN\x1b[0m | \x1b[1m\x1b[38;5;240m   DEBUG\x1b[0m | "

static void every_message_has_its_kind(void **state) {
    (void)state;
    static const struct {
        const char *message;
        enum line_kind kind;
        const char *text;
    } rows[] = {
        {"Executing operation: %0 = \"ttnn.add\"(%1)", LINE_OP, "%0 = \"ttnn.add\"(%1)"},
        {"Starting execution of program: main", LINE_START, "main"},
        {"Finished execution of program: main_const_eval_0", LINE_FINISH, "main_const_eval_0"},
        {"Device memory state before operation MatmulOp", LINE_BLOCK_OP, "MatmulOp"},
        {"Device memory state before submit", LINE_BLOCK_BEFORE_SUBMIT, ""},
        {"Device memory state after submit", LINE_BLOCK_AFTER_SUBMIT, ""},
        {"Device DRAM memory state: MemoryView{}", LINE_POOL, "MemoryView{}"},
        {"Running LoadCachedOp for function f with hash: 9b1c", LINE_CACHE_RUN, "f with hash: 9b1c"},
        {"Cache hit for function: f", LINE_CACHE_HIT, "f"},
        {"Cache miss or invalid cache for function: f", LINE_CACHE_MISS, "f"},
        {"executed sub-func: f", LINE_SUBFUNC, "f"},
        {"Trace cache hit, executing trace directly", LINE_TRACE_HIT, ", executing trace directly"},
        {"Trace cache miss, allocating slots and capturing trace", LINE_TRACE_MISS, ", allocating slots and capturing trace"},
        {"Trace cache miss, running program and capturing trace", LINE_TRACE_MISS, ", running program and capturing trace"},
        {"Trace is stale (captured at gen 1, current gen 2), recapturing into the existing slots", LINE_TRACE_STALE,
         " (captured at gen 1, current gen 2), recapturing into the existing slots"},
        {"Tensor is retained thus not deallocating. To deallocate, set retain to false first", LINE_RETAINED,
         ". To deallocate, set retain to false first"},
        {"Opening user mode device driver", LINE_DEVICE, "Opening user mode device driver"},
        {"Closing device 0", LINE_DEVICE, "Closing device 0"},
        {"Device grid size = { 8, 8 }", LINE_RUNTIME_OTHER, "Device grid size = { 8, 8 }"},
        {"a message of debug.print", LINE_RUNTIME_OTHER, "a message of debug.print"},
        {"", LINE_RUNTIME_OTHER, ""},
        {"x", LINE_RUNTIME_OTHER, "x"},
    };
    static const char *const prefixes[] = {
        ALWAYS, TTNN, PAINTED_ALWAYS, PAINTED_TTNN, "Always | INFO | ", "RuntimeTTMetalCircularBufferCreation |    TRACE | "};
    for (size_t p = 0; p < COUNT_OF(prefixes); p++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            char text[512];
            snprintf(text, sizeof text, "%s%s", prefixes[p], rows[i].message);
            struct log_line line = line_of(text);
            assert_int_equal(line.kind, rows[i].kind);
            assert_slice(line.text, rows[i].text);
            assert_int_equal(line.writer.tag.len, 0);
            assert_int_equal(line.ahead.len, 0);
        }
    }
}

static void pools_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum pool pool;
    } rows[] = {
        {"DRAM", POOL_DRAM}, {"L1", POOL_L1}, {"L1_SMALL", POOL_L1_SMALL}, {"L1 SMALL", POOL_L1_SMALL}, {"TRACE", POOL_TRACE}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[200];
        snprintf(text, sizeof text, PAINTED_ALWAYS "Device %s memory state: MemoryView{numBanks: 12", rows[i].name);
        struct log_line line = line_of(text);
        assert_int_equal(line.kind, LINE_POOL);
        assert_int_equal(line.pool, rows[i].pool);
        assert_slice(line.text, "MemoryView{numBanks: 12");
    }
}

static void all_levels_and_level_colours_are_seen_through(void **state) {
    (void)state;
    static const char *const levels[] = {"\x1b[38;5;240m   TRACE", "\x1b[38;5;240m   DEBUG", "\x1b[38;5;69m    INFO",
                                         "\x1b[38;5;208m WARNING", "\x1b[31m   ERROR",       "\x1b[31m   FATAL"};
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        char text[200];
        snprintf(text, sizeof text, "\x1b[32m                 Always\x1b[0m | \x1b[1m%s\x1b[0m | Cache hit for function: f",
                 levels[i]);
        struct log_line line = line_of(text);
        assert_int_equal(line.kind, LINE_CACHE_HIT);
        assert_slice(line.text, "f");
    }
}

static void mpi_tags_give_the_rank(void **state) {
    (void)state;
    static const struct {
        const char *tag;
        const char *rank;
    } rows[] = {
        {"[1,0]<stdout>:", "1,0"},
        {"[1,13]<stderr>:", "1,13"},
        {"[1,0]<stddiag>:", "1,0"},
        {"[1,2]<stdout>: ", "1,2"},
        {"[prterun-host-7,3]<stdout>:", "7,3"},
        {"[1,4][host:4]<stdout>:", "1,4"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[300];
        snprintf(text, sizeof text, "%s" PAINTED_ALWAYS "Device memory state before operation MatmulOp", rows[i].tag);
        struct log_line line = line_of(text);
        assert_int_equal(line.kind, LINE_BLOCK_OP);
        assert_slice(line.writer.tag, rows[i].rank);
        assert_slice(line.text, "MatmulOp");
        snprintf(text, sizeof text, "%ssome words", rows[i].tag);
        line = line_of(text);
        assert_int_equal(line.kind, LINE_TEXT);
        assert_slice(line.writer.tag, rows[i].rank);
        assert_slice(line.text, "some words");
    }
}

static void what_is_no_mpi_tag_gives_no_rank(void **state) {
    (void)state;
    static const char *const lines[] = {
        "[1,0] text", "[1]<stdout>:x", "[a,b]<stdout>:x", "[1,]<stdout>:x", "[,1]<stdout>:x", "[1,0]<stdin>:x", "[1,0]<stdout>",
        "[",          "[1,0"};
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct log_line line = line_of(lines[i]);
        assert_int_equal(line.writer.tag.len, 0);
        assert_int_equal(line.kind, LINE_TEXT);
    }
}

static void ci_docker_and_vllm_prefixes_are_seen_through(void **state) {
    (void)state;
    static const char *const prefixes[] = {
        "2026-06-11T13:22:54.0212345Z ",
        "[2026-06-11T13:22:54.021Z] ",
        "worker-1  | ",
        "tt_inference.1  | ",
        "(EngineCore_0 pid=1234) ",
        "(EngineCore_DP0 pid=98) ",
        "2026-06-11T13:22:54.0212345Z worker-1  | ",
        "100%|##########| 5/5 [00:01<00:00,  3.2it/s]",
    };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        for (int painted = 0; painted < 2; painted++) {
            char text[300];
            snprintf(text, sizeof text, "%s%sFinished execution of program: main", prefixes[i], painted ? PAINTED_TTNN : TTNN);
            struct log_line line = line_of(text);
            assert_int_equal(line.kind, LINE_FINISH);
            assert_slice(line.text, "main");
            assert_int_equal(line.ahead.len, 0);
        }
    }
}

static void a_rank_is_found_behind_a_ci_prefix(void **state) {
    (void)state;
    struct log_line line = line_of("2026-06-11T13:22:54.0212345Z [1,5]<stdout>:" PAINTED_ALWAYS "Cache hit for function: f");
    assert_int_equal(line.kind, LINE_CACHE_HIT);
    assert_slice(line.writer.tag, "1,5");
}

static void nuls_in_front_are_dropped(void **state) {
    (void)state;
    static const char text[] = "\0\0\0" TTNN "Starting execution of program: main";
    struct log_line line;
    logline_read(slice_of(text, sizeof text - 1), &line);
    assert_int_equal(line.kind, LINE_START);
    assert_slice(line.text, "main");
}

static void bars_inside_a_message_do_not_end_it(void **state) {
    (void)state;
    struct log_line line =
        line_of(TTNN "Executing operation: %0 = \"ttnn.add\"() : () -> () loc(\"3|Mlp[m]|INFO | x.py:1|f|2|add\")");
    assert_int_equal(line.kind, LINE_OP);
    assert_slice(line.text, "%0 = \"ttnn.add\"() : () -> () loc(\"3|Mlp[m]|INFO | x.py:1|f|2|add\")");
}

static void a_runtime_line_inside_a_module_line_leaves_the_text_ahead(void **state) {
    (void)state;
    struct log_line line =
        line_of("        %0 = \"ttnn.typecast\"(%arg0) <{dtype" PAINTED_ALWAYS "Device memory state before submit");
    assert_int_equal(line.kind, LINE_BLOCK_BEFORE_SUBMIT);
    assert_slice(line.ahead, "        %0 = \"ttnn.typecast\"(%arg0) <{dtype");
}

static void foreign_loggers_are_recognised(void **state) {
    (void)state;
    static const char *const lines[] = {
        "2026-06-11 13:22:53.118 (   0.412s) [        9F3C1740]     client_instance.cc:695      1| PJRT_Client_Create",
        "2026-06-11 13:22:54.379 | info     |           Metal | Enabling program cache on MeshDevice 1 (mesh_device.cpp:1140)",
        "2026-06-11 13:22:58.447 | critical |          Always | TT_FATAL: Out of Memory: Not enough space (assert.hpp:104)",
        "\x1b[32m2026-06-11 13:22:54.379 | info     |           Metal | coloured",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) assert_int_equal(line_of(lines[i]).kind, LINE_FOREIGN);
    assert_int_equal(line_of("2026-06-11 13:22:54").kind, LINE_TEXT);
    assert_int_equal(line_of("2026-06-11 13:22:54.379 some program").kind, LINE_TEXT);
}

static void module_headings_of_all_generations_open_a_dump(void **state) {
    (void)state;
#define LOGURU "2026-06-11 13:22:54.021 (   1.315s) [        9F3C1740]      module_builder.cc:1278     1| "
    static const struct {
        const char *text;
        const char *stage;
    } rows[] = {
        {LOGURU "MLIR Module vhlo:", "vhlo"},
        {LOGURU "MLIR Module shlo:", "shlo"},
        {LOGURU "MLIR Module shlo_frontend:", "shlo_frontend"},
        {LOGURU "MLIR Module shlo_compiler:", "shlo_compiler"},
        {LOGURU "MLIR Module shlo_set_mesh_attr:", "shlo_set_mesh_attr"},
        {LOGURU "MLIR Module shlo_compiler_cleaned:", "shlo_compiler_cleaned"},
        {LOGURU "MLIR Module ttir:", "ttir"},
        {LOGURU "MLIR Module ttnn:", "ttnn"},
        {LOGURU "MLIR Module ttnn_runtime:", "ttnn_runtime"},
        {LOGURU "MLIR Module ttnn: ", "ttnn"},
        {"MLIR Module ttnn:", "ttnn"},
        {LOGURU "VHLO Module:", "vhlo"},
        {LOGURU "SHLO Module:", "shlo"},
        {LOGURU "SHLO Module after frontend StableHLO pipeline:", "shlo_frontend"},
        {LOGURU "SHLO Module after compiler StableHLO pipeline:", "shlo_compiler"},
        {LOGURU "TTIR Module:", "ttir"},
        {LOGURU "TTNN Module:", "ttnn"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct log_line line = line_of(rows[i].text);
        assert_int_equal(line.kind, LINE_MODULE_BEGIN);
        assert_slice(line.text, rows[i].stage);
    }
    static const char *const others[] = {LOGURU "MLIR Module ttnn",
                                         "MLIR Module :", "MLIR Module Of Mine:", "MyTTNN Module:", ":"};
    for (size_t i = 0; i < COUNT_OF(others); i++) assert_int_not_equal(line_of(others[i]).kind, LINE_MODULE_BEGIN);
}

static void the_end_line_closes_a_dump(void **state) {
    (void)state;
    assert_int_equal(line_of("------------------ END OF MLIR MODULE ------------------").kind, LINE_MODULE_END);
    assert_int_equal(line_of("(EngineCore_0 pid=7) ------------------ END OF MLIR MODULE ------------------").kind,
                     LINE_MODULE_END);
    assert_int_equal(line_of("we reached END OF MLIR MODULE here").kind, LINE_TEXT);
}

static void anything_else_is_text(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        " ",
                                        "|",
                                        "||||",
                                        "| INFO |",
                                        " | INFO | x",
                                        "module @m {",
                                        "\x1b[",
                                        "\x1b[32m",
                                        "INFO |",
                                        "%0 = \"ttnn.add\"(%1) : () -> () loc(#loc)",
                                        "\xff\xfe\x80",
                                        "tqdm: 50%|#####     | 1/2"};
    for (size_t i = 0; i < COUNT_OF(lines); i++) assert_int_equal(line_of(lines[i]).kind, LINE_TEXT);
}

static void cleaning_removes_colours_and_nuls_only(void **state) {
    (void)state;
    char room[64];
    static const char painted[] = "\x1b[32ma\x1b[0m\0b\x1b[38;5;240mc\x1b[Kd";
    assert_slice(logline_clean(slice_of(painted, sizeof painted - 1), room), "abc\x1b[Kd");
    struct slice plain = SLICE("plain text");
    assert_ptr_equal(logline_clean(plain, room).ptr, plain.ptr);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_has_its_kind),
        cmocka_unit_test(pools_are_told_apart),
        cmocka_unit_test(all_levels_and_level_colours_are_seen_through),
        cmocka_unit_test(mpi_tags_give_the_rank),
        cmocka_unit_test(what_is_no_mpi_tag_gives_no_rank),
        cmocka_unit_test(ci_docker_and_vllm_prefixes_are_seen_through),
        cmocka_unit_test(a_rank_is_found_behind_a_ci_prefix),
        cmocka_unit_test(nuls_in_front_are_dropped),
        cmocka_unit_test(bars_inside_a_message_do_not_end_it),
        cmocka_unit_test(a_runtime_line_inside_a_module_line_leaves_the_text_ahead),
        cmocka_unit_test(foreign_loggers_are_recognised),
        cmocka_unit_test(module_headings_of_all_generations_open_a_dump),
        cmocka_unit_test(the_end_line_closes_a_dump),
        cmocka_unit_test(anything_else_is_text),
        cmocka_unit_test(cleaning_removes_colours_and_nuls_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
