/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, lifetimes and torn lines in small logs: what each line means for the run. */
#include "run_testing.h"

#define ALWAYS "                 Always |     INFO | "
#define TTNN "            RuntimeTTNN |    DEBUG | "
#define START(name) TTNN "Starting execution of program: " name "\n"
#define FINISH(name) TTNN "Finished execution of program: " name "\n"
#define OP(text) TTNN "Executing operation: " text "\n"
#define LAYOUT(memref, buffer, layout)                                                                                      \
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<" memref "x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<" buffer \
    ">>, <" layout ">>"
#define TILE "tensor<32x32xbf16, " LAYOUT("1x1", "dram", "interleaved") ">"
#define ROW "tensor<1x1x32x32xbf16, " LAYOUT("1x1", "dram", "interleaved") ">"
#define L1_TILE "tensor<32x32xbf16, " LAYOUT("1x1", "l1", "height_sharded") ">"

static struct run run;

static int release(void **state) {
    (void)state;
    run_release(&run);
    return 0;
}

static void read_log(const char *text) { read_pieces(&run, slice_from(text), SIZE_MAX); }

static void dumps_behind_the_execution_are_tied_too(void **state) {
    (void)state;
    /* pytest prints captured stdout before captured stderr */
    struct strbuf text = file_text("tests/data/crafted_all_cases.log"), turned = {0};
    const char *first = strstr(strbuf_text(&text), "\x1b[32m            RuntimeTTNN");
    const char *second = strstr(strstr(first, "Finished execution of program: main\n"), "\n") + 1;
    strbuf_add(&turned, slice_between(first, second));
    strbuf_add(&turned, slice_between(text.data, first));
    read_pieces(&run, strbuf_slice(&turned), SIZE_MAX);
    assert_int_equal(run.programs.len, 1);
    assert_int_not_equal(run.programs.items[0].module, NONE);
    assert_int_equal(run.registry.len, 2);
    assert_int_equal(run.registry.items[0].program, 0);
    uint32_t entry;
    assert_int_equal(step_weights(&run, &run.steps.items[run.records.items[1]], &entry, 1), 1);
    strbuf_release(&text);
    strbuf_release(&turned);
}

static void a_program_that_throws_is_unwound_by_the_next(void **state) {
    (void)state;
    read_log(START("main") OP("%0 = ttcore.load_cached(@main_const_eval_0, [%arg0]) : (" TILE ") -> " TILE " loc(unknown)")
                 START("main_const_eval_0") OP("%0 = \"ttnn.abs\"(%arg0) : (" TILE ") -> " TILE " loc(unknown)") START("main")
                     OP("%0 = \"ttnn.neg\"(%arg0) : (" TILE ") -> " TILE " loc(unknown)") FINISH("main"));
    assert_int_equal(run.executions.len, 3);
    assert_int_equal(run.executions.items[1].parent, 0);
    assert_true(run.executions.items[1].const_eval);
    assert_int_equal(run.executions.items[2].parent, NONE); /* abs starts no program */
    assert_false(run.executions.items[0].finished);
    assert_true(run.executions.items[2].finished);
    assert_int_equal(run.warnings[WARN_UNFINISHED_PROGRAM], 2);
    bool miss;
    assert_slice(step_const_eval(&run, &run.steps.items[2], &miss), "");
}

static void the_same_name_in_another_function_is_another_tensor(void **state) {
    (void)state;
    read_log(START("main") OP("%0 = \"ttnn.abs\"(%arg0) : (" TILE ") -> " TILE " loc(\"a\")")
                 OP("%1 = ttcore.load_cached(@main_const_eval_0, [%arg1]) : (" TILE ") -> " TILE " loc(unknown)") ALWAYS
             "Cache miss or invalid cache for function: main_const_eval_0\n" START("main_const_eval_0")
                 OP("%0 = \"ttnn.neg\"(%arg0) : (" TILE ") -> " TILE " loc(\"b\")")
                     OP("\"ttnn.deallocate\"(%0) : (" TILE ") -> () loc(\"b\")") FINISH("main_const_eval_0")
                         OP("%2 = \"ttnn.add\"(%0, %1) : (" TILE ", " TILE ") -> " TILE " loc(\"c\")"));
    struct live_set set;
    live_at(&run, (uint32_t)run.steps.len - 1, POOL_DRAM, &set);
    /* before the add: two arguments, main's %0, the cached result */
    assert_int_equal(set.tensors.len, 4);
    assert_int_equal(set.by_class[LIVE_CONST_EVAL].tensors, 1);
    live_release(&set);
}

static void a_view_lives_as_long_as_any_handle(void **state) {
    (void)state;
    read_log(START("main") OP("%0 = \"ttnn.abs\"(%arg0) : (" TILE ") -> " TILE " loc(\"a\")")
                 OP("%1 = \"ttnn.reshape\"(%0) : (" TILE ") -> " ROW " loc(\"a\")")
                     OP("\"ttnn.deallocate\"(%0) : (" TILE ") -> () loc(\"a\")")
                         OP("%2 = \"ttnn.neg\"(%1) : (" ROW ") -> " ROW " loc(\"b\")")
                             OP("\"ttnn.deallocate\"(%1) : (" ROW ") -> () loc(\"b\")"));
    assert_int_equal(run.tensors.len, 3); /* the argument, abs, neg: the reshape made none */
    const struct tensor *abs_result = NULL;
    for (size_t i = 0; i < run.tensors.len; i++)
        if (run.tensors.items[i].producer == 0) abs_result = &run.tensors.items[i];
    assert_non_null(abs_result);
    assert_int_equal(abs_result->gone, 5); /* after the second deallocate, step 4 */
}

static void a_convolution_may_free_its_input_in_l1(void **state) {
    (void)state;
    read_log(START("main") OP("%0 = \"ttnn.to_memory_config\"(%arg0) : (" TILE ") -> " L1_TILE " loc(\"a\")") OP(
        "%1 = \"ttnn.conv2d\"(%0, %arg1) <{conv2d_config = #ttnn.conv2d_config<deallocate_activation = true>}> : (" L1_TILE
        ", " TILE ") -> " TILE " loc(\"c\")") OP("%2 = \"ttnn.abs\"(%1) : (" TILE ") -> " TILE " loc(\"d\")"));
    struct live_set set;
    live_at(&run, 1, POOL_L1, &set);
    assert_int_equal(set.tensors.len, 1);
    live_release(&set);
    live_at(&run, 2, POOL_L1, &set);
    assert_int_equal(set.tensors.len, 0);
    live_release(&set);
}

static void a_retained_tensor_survives_its_deallocate(void **state) {
    (void)state;
    read_log(START("main") OP("%0 = \"ttnn.abs\"(%arg0) : (" TILE ") -> " TILE " loc(\"a\")")
                 OP("\"ttnn.deallocate\"(%0) : (" TILE ") -> () loc(\"a\")") ALWAYS
             "Tensor is retained thus not deallocating. To deallocate, set retain to false first\n" OP(
                 "%1 = \"ttnn.neg\"(%arg0) : (" TILE ") -> " TILE " loc(\"b\")"));
    struct live_set set;
    live_at(&run, 2, POOL_DRAM, &set);
    assert_int_equal(set.tensors.len, 2);
    live_release(&set);
}

static void an_op_line_torn_by_another_writer_is_whole_again(void **state) {
    (void)state;
    read_log(START("main") TTNN
             "Executing operation: %0 = \"ttnn.abs\"(%arg0) : (tensor<32x32xbf16>) -> ten2026-06-11 13:22:54.955 (   2.249s) [ "
             "       "
             "A8FFD6C0]     buffer_instance.cc:733      1| BufferInstance::x\n"
             "sor<32x32xbf16> loc(\"a\")\n" FINISH("main"));
    assert_int_equal(run.warnings[WARN_TRUNCATED_OP], 0);
    assert_int_equal(run.warnings[WARN_JOINED_OP], 1);
    const struct op *op = &run.ops.items[run.steps.items[0].op];
    assert_false(op->truncated);
    assert_int_equal(op->result_count, 1);
    assert_slice(run_string(&run, op->display), "a");
}

static void a_tag_inside_a_long_line_is_taken_out(void **state) {
    (void)state;
    read_log("[1,2]<stdout>:" TTNN
             "Executing operation: %0 = \"ttnn.abs\"(%arg0) : (tensor<32x32x[1,2]<stdout>:bf16>) -> tensor<32x32xbf16> "
             "loc(\"a\")\n");
    const struct op *op = &run.ops.items[run.steps.items[0].op];
    assert_false(op->truncated);
    assert_slice(run.types.items[run.refs.items[op->first_ref].type].text, "tensor<32x32xbf16>");
    assert_slice(run_string(&run, run.ranks.items[run.steps.items[0].rank].name), "1,2");
}

static void a_block_of_another_op_type_is_a_step_of_its_own(void **state) {
    (void)state;
    read_log(OP("%0 = \"ttnn.matmul\"(%arg0, %arg1) : (" TILE ", " TILE ") -> " TILE " loc(\"a\")") ALWAYS
             "Device memory state before operation DeallocateOp\n" ALWAYS
             "Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: "
             "5.000 MB, "
             "totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: 1.000 MB}\n");
    assert_int_equal(run.records.len, 1); /* a free is no operation */
    assert_int_equal(run.steps.items[0].block, NONE);
    assert_int_equal(run.steps.items[1].kind, STEP_BLOCK);
    assert_slice(step_name(&run, &run.steps.items[1]), "DeallocateOp");
}

static void op_types_stand_for_many_ops(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"ttnn.add", "EltwiseBinaryOp"},
                                           {"ttnn.maximum", "EltwiseBinaryCompositeOp"},
                                           {"ttnn.gelu", "EltwiseUnaryOp"},
                                           {"ttnn.clamp", "EltwiseUnaryCompositeOp"},
                                           {"ttnn.quantize", "EltwiseQuantizationOp"},
                                           {"ttnn.mean", "ReductionOp"},
                                           {"ttnn.zeros", "NamedFullOp"},
                                           {"ttnn.max_pool2d", "Pool2dOp"},
                                           {"ttnn.to_layout", "ToLayoutOp"},
                                           {"ttnn.conv2d", "Conv2dOp"},
                                           {"ttnn.get_device", "GetDeviceOp"},
                                           {"ttnn.new_thing", "UnknownOfTomorrowOp"}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 OP("%%0 = \"%s\"(%%arg0) : (tensor<1xf32>) -> tensor<1xf32> loc(\"a\")") ALWAYS
                 "Device memory state before operation %s\n" ALWAYS
                 "Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, "
                 "totalBytesAllocatedPerBank: 5.000 MB, "
                 "totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: 1.000 MB}\n",
                 pairs[i][0], pairs[i][1]);
        read_log(text);
        assert_int_equal(run.steps.len, 1);
        assert_int_equal(run.steps.items[0].block, 0);
        if (i + 1 < COUNT_OF(pairs)) run_release(&run);
    }
}

/* More of them than a parser keeps (kept_names.h), each twice. */
static void every_op_type_is_read_however_many_there_are(void **state) {
    (void)state;
    enum { TYPES = 1000 };
    struct strbuf text = {0};
    for (unsigned i = 0; i < 2 * TYPES; i++)
        strbuf_addf(&text,
                    ALWAYS "Device memory state before operation Kind%uOp\n" ALWAYS
                           "Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, "
                           "totalBytesAllocatedPerBank: 5.000 MB, "
                           "totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: 1.000 MB}\n",
                    i % TYPES);
    read_log(strbuf_text(&text));
    assert_int_equal(run.steps.len, 2 * TYPES);
    for (unsigned i = 0; i < 2 * TYPES; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "Kind%uOp", i % TYPES);
        assert_slice(step_name(&run, &run.steps.items[i]), expected);
    }
    strbuf_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(dumps_behind_the_execution_are_tied_too, release),
        cmocka_unit_test_teardown(a_program_that_throws_is_unwound_by_the_next, release),
        cmocka_unit_test_teardown(the_same_name_in_another_function_is_another_tensor, release),
        cmocka_unit_test_teardown(a_view_lives_as_long_as_any_handle, release),
        cmocka_unit_test_teardown(a_convolution_may_free_its_input_in_l1, release),
        cmocka_unit_test_teardown(a_retained_tensor_survives_its_deallocate, release),
        cmocka_unit_test_teardown(an_op_line_torn_by_another_writer_is_whole_again, release),
        cmocka_unit_test_teardown(a_tag_inside_a_long_line_is_taken_out, release),
        cmocka_unit_test_teardown(a_block_of_another_op_type_is_a_step_of_its_own, release),
        cmocka_unit_test_teardown(op_types_stand_for_many_ops, release),
        cmocka_unit_test_teardown(every_op_type_is_read_however_many_there_are, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
