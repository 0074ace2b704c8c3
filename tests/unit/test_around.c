/* SPDX-License-Identifier: Apache-2.0 */
/* parse/: lines that tell what was going on around a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "parse/around.h"
#include "parse/around/appearance.h"

static const struct {
    const char *line;
    enum around_kind kind;
    const char *name, *text;
    uint64_t number;
    bool outer;
    enum around_phase phase;
} rows[] = {
    {" --- ttnn::concat(std::vector<tt::tt_metal::Tensor> const&, int)", AROUND_FRAME, "ttnn.concat", "", 0, true, 0},
    {" --- ttnn::experimental::rotary_embedding(tt::tt_metal::Tensor const&)", AROUND_FRAME,
     "ttnn.experimental.rotary_embedding", "", 0, true, 0},
    {" --- /x/_ttnncpp.so(_ZN4ttnn8subtractERKN2tt8tt_metal6TensorES4_+0x56) [0x7f]", AROUND_FRAME, "ttnn.subtract", "", 0,
     true, 0},
    {" --- /x/_ttnncpp.so(_ZN4ttnn4prim9binary_ngERKN2tt8tt_metal6TensorE+0xb93) [0x7f]", AROUND_FRAME, "binary_ng", "", 0,
     false, 0},
    {" --- ttnn::operations::binary_ng::BinaryNgDeviceOperation::create_output_tensors(x const&)", AROUND_FRAME, "binary_ng",
     "", 0, false, 0},
    {" --- ttnn::operations::data_movement::ExecuteTilizeWithValPadding::invoke(x const&)", AROUND_FRAME,
     "tilize_with_val_padding", "", 0, false, 0},
    {" --- ttnn::operations::pool::MaxPool2DOp::invoke(x)", AROUND_FRAME, "max_pool2d", "", 0, false, 0},
    {" --- ttnn::operations::experimental::transformer::NLPCreateHeadsDeviceOperation::create_output_tensors(x)", AROUND_FRAME,
     "nlp_create_heads", "", 0, false, 0},
    {" --- ttnn::operations::conv::conv2d::conv2d_DRAM(x)", AROUND_FRAME, "conv2d", "", 0, false, 0},
    {" --- auto ttnn::decorators::registered_operation_t<f{\"ttnn::transformer::sdpa\"}, x>::operator()<y>(z)", AROUND_FRAME,
     "ttnn.transformer.sdpa", "", 0, true, 0},
    {" --- /x/_ttnncpp.so(_ZN4ttnn16device_operation6detail6launchEv+0x15d) [0x7f]", AROUND_FRAME, "", "", 0, false, 0},
    {" --- tt::runtime::ttnn::operations::data_movement::run(tt::target::ttnn::ConcatOp const*, "
     "tt::runtime::ttnn::ProgramContext&)",
     AROUND_FRAME, "ConcatOp", "", 0, false, 0},
    {" --- tt::runtime::ttnn::ProgramExecutor::runOperation(tt::target::ttnn::Operation const*)", AROUND_FRAME, "", "", 0,
     false, 0},
    {" --- tt::pjrt::LoadedExecutableInstance::prepareInputTensor(x)", AROUND_FRAME, "", "", 0, false, PHASE_INPUT_UPLOAD},
    {" --- tt::runtime::ttnn::operations::cache::run(tt::target::ttnn::LoadCachedOp const*, x)", AROUND_FRAME, "LoadCachedOp",
     "", 0, false, PHASE_WEIGHTS},
    {" --- tt::tt_metal::distributed::MeshTrace::populate_mesh_buffer(x)", AROUND_FRAME, "", "", 0, false, PHASE_TRACE_CAPTURE},
    {" --- tt::tt_metal::detail::ProgramImpl::validate_circular_buffer_region(x)", AROUND_FRAME, "", "", 0, false,
     PHASE_PROGRAM_COMPILE},
    {"  File \"/src/models/net.py\", line 123, in forward", AROUND_PYTHON, "", "/src/models/net.py", 123, true, 0},
    {"  File \"/v/lib/python3.12/site-packages/torch/nn.py\", line 5, in f", AROUND_PYTHON, "", "", 0, true, 0},
    {"  File \"/src/engine.py\", line 9, in initialize_kv_cache", AROUND_PYTHON, "", "/src/engine.py", 9, true, PHASE_KV_CACHE},
    {"2026-03-04 01:46:20.982 | info     |              Op | fusion: a=1 (llama_mm.cpp:165)", AROUND_OP_LOG, "llama_mm", "", 0,
     false, 0},
    {"tests/a/test_x.py::test_y[1-2] ", AROUND_TEST, "", "tests/a/test_x.py::test_y[1-2]", 0, false, 0},
    {"tests/a/test_x.py::test_y PASSED                    [ 50%]", AROUND_TEST_PASSED, "", "tests/a/test_x.py::test_y", 0,
     false, 0},
    {"[gw1] [ 10%] FAILED tests/a/test_x.py::test_z ", AROUND_TEST_FAILED, "", "tests/a/test_x.py::test_z", 0, false, 0},
    {"2026-01-01T10:00:00.1Z tests/a/test_x.py::test_y PASSED [ 50%]", AROUND_TEST_PASSED, "", "tests/a/test_x.py::test_y", 0,
     false, 0},
    {"0: tests/a/test_x.py::test_y", AROUND_TEST, "", "tests/a/test_x.py::test_y", 0, false, 0},
    {"{\"ts\": 1, \"msg\": \"tests/a/test_x.py::test_y FAILED\"}", AROUND_TEST_FAILED, "", "tests/a/test_x.py::test_y", 0,
     false, 0},
    {"tests/a/test_x.py::test_y[[1, 32]-a b] SKIPPED (no device)", AROUND_TEST_PASSED, "",
     "tests/a/test_x.py::test_y[[1, 32]-a b]", AROUND_SKIPPED, false, 0},
    {"tests/a/test_x.py::test_z XFAIL [ 3%]", AROUND_TEST_PASSED, "", "tests/a/test_x.py::test_z", AROUND_XFAILED, false, 0},
    {"tests/a/test_x.py::test_z XPASS [ 3%]", AROUND_TEST_PASSED, "", "tests/a/test_x.py::test_z", 0, false, 0},
    {"tests/a/test_x.py::test_y 2026-01-01 00:00:00.000 | ERROR | words", AROUND_TEST, "", "tests/a/test_x.py::test_y", 0,
     false, 0},
    {"__________________ test_y[1-2] __________________", AROUND_TEST_REPORT, "", "test_y[1-2]", 0, false, 0},
    {"_ TestX.test_a_very_long_name[a] _", AROUND_TEST_REPORT, "", "TestX.test_a_very_long_name[a]", 0, false, 0},
    {"2: ______ ERROR at setup of test_y ______", AROUND_TEST_REPORT, "", "test_y", 0, false, 0},
    {"============ test session starts ============", AROUND_SESSION, "", "", 0, false, 0},
    {"====== 2 failed, 1 passed in 75.34s (0:01:15) ======", AROUND_SESSION_END, "", "", 2, true, 0},
    {"3 passed, 1 skipped in 75.34s (0:01:15)", AROUND_SESSION_END, "", "", 0, true, 0},
    {"============ no tests ran in 0.01s ============", AROUND_SESSION_END, "", "", 0, false, 0},
    {"models/net.py:12: in forward", AROUND_PYTHON, "", "models/net.py", 12, true, 0},
    {"models/net.py:12: RuntimeError", AROUND_PYTHON, "", "models/net.py", 12, false, 0},
    {"models/net.py:12: \n_ _ _ _ _ _ _ _", AROUND_PYTHON, "", "models/net.py", 12, false, 0},
    {"/v/lib/python3.10/site-packages/ttnn/decorators.py:3: RuntimeError", AROUND_PYTHON, "", "", 0, false, 0},
    {"Allocating TT kv caches for each layer (submesh 1):   9%|# | 3/32 [00:00<00:06]", AROUND_PHASE, "", "", 0, false,
     PHASE_KV_CACHE},
    {"  File \"/src/tt/generator_vllm.py\", line 36, in allocate_vllm_kv_cache", AROUND_PYTHON, "", "/src/tt/generator_vllm.py",
     36, true, PHASE_KV_CACHE},
    {" --- ttnn::operations::trace::end_trace_capture(tt::tt_metal::distributed::MeshDevice*)", AROUND_FRAME, "", "", 0, false,
     PHASE_TRACE_CAPTURE},
    {"FAILED tests/test_tilize.py::test_mla[device_params={'trace_region_size': 1671168, 'axis': Axis.COL}-n=100] - "
     "RuntimeError",
     AROUND_TEST_FAILED, "",
     "tests/test_tilize.py::test_mla[device_params={'trace_region_size': 1671168, 'axis': Axis.COL}-n=100]", 0, true, 0},
    {"PASSED", AROUND_TEST_PASSED, "", "", 0, false, 0},
    {"FAILED [ 7%]", AROUND_TEST_FAILED, "", "", 0, false, 0},
    {"[ RUN      ] Suite.Name", AROUND_TEST, "", "Suite.Name", 0, false, 0},
    {"[       OK ] Suite.Name (5 ms)", AROUND_TEST_PASSED, "", "Suite.Name", 0, false, 0},
    {"[  FAILED  ] Suite.Name (5 ms)", AROUND_TEST_FAILED, "", "Suite.Name", 0, false, 0},
    {"##[error]Process completed with exit code 1.", AROUND_EXIT, "", "", 1, false, 0},
    {"exit code: 0", AROUND_EXIT, "", "", 0, false, 0},
    {"Traceback (most recent call last):", AROUND_TRACEBACK, "", "", 0, false, 0},
    {"<<7>> Traceback (most recent call last):", AROUND_TRACEBACK, "", "<<7>> ", 0, false, 0},
    {"x | UMD | Creating TopologyDiscovery for architecture: blackhole (t.cpp:96)", AROUND_ARCH, "", "blackhole", 0, false, 0},
    {"x | UMD | Opening local chip ids/PCIe ids: {0, 1, 2, 3}/[4, 5, 6, 7] and remote chip ids {10, 11} (c.cpp:1)",
     AROUND_CHIPS_OPENED, "", "", 6, false, 0},
    {"x | INFO | SiliconDriver   - Using local chip ids: {0} and remote chip ids {}", AROUND_CHIPS_OPENED, "", "", 1, false, 0},
    {"INFO:vllm_tt.vllm_utils:Using predefined mesh shape for 8 devices: (2, 4)", AROUND_MESH, "2x4", "", 0, false, 0},
    {"INFO 01-02 [tt_worker.py:1] multidevice with 32 devices and grid (8, 4) is created", AROUND_MESH, "8x4", "", 0, false, 0},
    {"                \"board_type\": \"n300 L\",", AROUND_BOARD, "", "n300", 0, false, 0},
    {"2026 - INFO - Set MESH_DEVICE to T3K", AROUND_BOARD, "", "T3K", 0, false, 0},
    {"                     Op | DEBUG    | Started   C++ ttnn operation: ttnn::to_layout", AROUND_OP_BEGIN, "ttnn.to_layout",
     "", 0, true, 0},
    {"                     Op | DEBUG    | Finished  C++ ttnn operation: ttnn::to_layout", AROUND_OP_END, "", "", 0, false, 0},
    {"Aborted (core dumped)", AROUND_THROWN, "", "", 0, false, 0},
    {"  File \"/src/net.py\", line 7, in f\n    y = ttnn.softmax(x, dim=ttnn.get(3))", AROUND_PYTHON, "", "/src/net.py", 7,
     true, 0},
    {"  File \"/src/net.py\", line 7, in f\n    y = ttnn.softmax(x, memory_config=ttnn.L1)", AROUND_PYTHON, "ttnn.softmax",
     "/src/net.py", 7, true, 0},
    {"net.py:7: in f\n    y = ttnn.experimental.rope(x, ttnn.Shape([1]))", AROUND_PYTHON, "ttnn.experimental.rope", "net.py", 7,
     true, 0},
    {">       y = ttnn.topk(x, 5)", AROUND_CALL, "ttnn.topk", "", 0, false, 0},
    {">       y = ttnn.add(ttnn.mul(a, b), c)", AROUND_CALL, "", "", 0, false, 0},
    {">       ttnn.execute_trace(device, tid)", AROUND_CALL, "", "", 0, false, 0},
    {"E   >       y = model(x)", AROUND_CALL, "", "", 0, false, 0},
    {"self = FastOperation(python_fully_qualified_name='ttnn.pad', function=<x>)", AROUND_CALL, "ttnn.pad", "", 0, false, 0},
    {" #4  0x00007fdeadbeef in ttnn::add(tt::tt_metal::Tensor const&) ()", AROUND_FRAME, "ttnn.add", "", 0, true, 0},
    {" #5  0x00007fdeadbeef in ttnn::operations::pool::MaxPoolDeviceOperation::create_output_tensors ()", AROUND_FRAME,
     "max_pool", "", 0, false, 0},
    {"  ttnn::prim::PadDeviceOperation::create_output_tensors(...)", AROUND_FRAME, "pad", "", 0, false, 0},
    {"  ttnn::pad(...)", AROUND_FRAME, "ttnn.pad", "", 0, true, 0},
    {"2026 | info | Op | Slices: 4 for Conv2D (op_slicing.cpp:241)", AROUND_OP_LOG, "conv2d", "", 0, false, 0},
    {"Buffer 81 [op: ttnn.add]", AROUND_BUFFER, "ttnn.add", "", 81, false, 0},
    {"E       Buffer 82", AROUND_BUFFER, "", "", 82, false, 0},
    {"Buffer 81: found in 3 Python reference(s)", AROUND_BUFFER_HELD, "", "", 81, false, 0},
    {"  'self.kv[2]', shape=Shape([1, 8])", AROUND_HOLDER, "", "self.kv[2]", 0, false, 0},
    {"[  SKIPPED ] A.b (3 ms)", AROUND_TEST_PASSED, "", "A.b", AROUND_SKIPPED, false, 0},
    {" 1/12 Test  #1: unit_a ......   Passed    0.01 sec", AROUND_TEST_PASSED, "", "unit_a", 0, false, 0},
    {"12/12 Test #12: unit_b ......***Failed    0.01 sec", AROUND_TEST_FAILED, "", "unit_b", 0, false, 0},
    {"2/3 Test #2: c ...Subprocess aborted***Exception:   0.1 sec", AROUND_TEST_FAILED, "", "c", 0, false, 0},
    {"67% tests passed, 1 tests failed out of 3", AROUND_SESSION_END, "", "", 1, true, 0},
    {"test_a (m.T) ... ok", AROUND_TEST_PASSED, "", "test_a (m.T)", 0, false, 0},
    {"test_a (m.T) ... FAIL", AROUND_TEST_FAILED, "", "test_a (m.T)", 0, false, 0},
    {"test_a (m.T) ... skipped 'no device'", AROUND_TEST_PASSED, "", "test_a (m.T)", AROUND_SKIPPED, false, 0},
    {"test_a (m.T) ... something it prints", AROUND_TEST, "", "test_a (m.T)", 0, false, 0},
    {"\nok\n", AROUND_TEST_PASSED, "", "", AROUND_OF_RUNNING, false, 0},
    {"\nRan 3 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n", AROUND_SESSION_END, "", "", 2, true, 0},
    {"\nRan 3 tests in 0.1s\n\nOK\n", AROUND_SESSION_END, "", "", 0, true, 0},
    {"x systemd-journald[3]: Suppressed 12 messages from a.service", AROUND_DROPPED, "", "", 12, false, 0},
    {"x python[3]: [1.2K blob data]", AROUND_DROPPED, "", "", 1, false, 0},
    {"imjournal: 7 messages lost due to rate-limiting (20000 allowed)", AROUND_DROPPED, "", "", 7, false, 0},
    {"[...truncated 12.34 MB...]", AROUND_DROPPED, "", "", 1, false, 0},
};

static void every_line_is_told(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct around_line line;
        size_t at = 0;
        if (!around_next(slice_from(rows[i].line), &at, true, &line)) fail_msg("nothing in: %s", rows[i].line);
        assert_int_equal(line.kind, rows[i].kind);
        assert_string_equal(line.name, rows[i].name);
        assert_true(slice_equal(line.text, slice_from(rows[i].text)));
        assert_int_equal(line.number, rows[i].number);
        assert_int_equal(line.outer, rows[i].outer);
        assert_int_equal(line.phase, rows[i].phase);
        assert_false(around_next(slice_from(rows[i].line), &at, true, &line));
    }
}

static void other_lines_tell_nothing(void **state) {
    (void)state;
    static const char *const lines[] = {"FAILED to open the file",
                                        "the exit code is not known",
                                        "exit code 0x5",
                                        "PASSEDs",
                                        "---",
                                        "2026 | info | Op | halves it (op_utils.cpp:3)",
                                        "a text about ttnn::add is no frame",
                                        "  ttnn::add is none either",
                                        "an Op | without a file",
                                        "____ a rule ____",
                                        "x ____ test ____ y",
                                        "s == 1",
                                        "_ _ _ _ _",
                                        "run.py:5: in",
                                        "INFO multidevice with 8 devices and grid (2, 2) is created",
                                        "remote chip ids {}",
                                        "no devices: (none)",
                                        "Test #1: a is slow   Passed  on",
                                        "it (or so) ... ok",
                                        "Ran 3 tests in 0.1s",
                                        "Suppressed many messages from a.service",
                                        "a[0] messages from b",
                                        "[some lines truncated]",
                                        "[ blob data]"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct around_line line;
        size_t at = 0;
        if (around_next(slice_from(lines[i]), &at, true, &line)) fail_msg("kind %u in: %s", (unsigned)line.kind, lines[i]);
    }
}

/* A read past the end would be noticed by the sanitizers. */
static void every_cut_is_survived(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t len = 0; len <= strlen(rows[i].line); len++) {
            struct around_line line;
            size_t at = 0;
            while (around_next(slice_of(rows[i].line, len), &at, true, &line)) assert_true(at <= len);
        }
}

/* What a launcher puts in front of a line says nothing of how the message was printed. */
static void tags_change_no_appearance(void **state) {
    (void)state;
    static const char *const tags[] = {"server-0  | ", "vllm  | ", "[1,0]<stderr>:", "[rank1]: ", "2026-06-11T13:22:54.02Z "};
    static const char *const fronts[] = {"",
                                         "E       ",
                                         "RuntimeError: ",
                                         "FAILED tests/a.py::test_y - RuntimeError: ",
                                         "RuntimeError: TT_FATAL @ /a/b.cpp:462: false\\ninfo:\\n",
                                         "caught this: TT_FATAL @ /a/b.cpp:462: ",
                                         "TT_THROW @ /a/b.cpp:462: ",
                                         "                 Always |    FATAL | ",
                                         "critical | ",
                                         "2026-06-11 00:16:40.004 | critical |          Always | "};
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++)
        for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
            char line[200];
            snprintf(line, sizeof line, "%s%s", tags[t], fronts[i]);
            if (message_shape(slice_from(line)) != message_shape(slice_from(fronts[i]))) fail_msg("shape: %s", line);
            if (message_appearance(slice_from(line)) != message_appearance(slice_from(fronts[i]))) fail_msg("%s", line);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_told),
        cmocka_unit_test(other_lines_tell_nothing),
        cmocka_unit_test(every_cut_is_survived),
        cmocka_unit_test(tags_change_no_appearance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
