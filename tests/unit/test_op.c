/* SPDX-License-Identifier: Apache-2.0 */
/* Operation lines: the generic form, the custom forms, everything that may stand in between, cut lines. */
#include "testing.h"

#include "parse/op.h"

static struct op_text op; /* its lists are reused, as in a worker */

static const struct op_text *read_op(const char *text) {
    op_parse(slice_from(text), &op);
    return &op;
}

static int release(void **state) {
    (void)state;
    op_release(&op);
    op = (struct op_text){0};
    return 0;
}

#define DRAM_TYPE                                                                                                \
    "tensor<8x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, " \
    "#ttnn.buffer_type<dram>>, <interleaved>>>"

static void the_generic_form_is_taken_apart(void **state) {
    (void)state;
    read_op("%1 = \"ttnn.matmul\"(%arg1, %0) <{transpose_a = false, transpose_b = false}> : (" DRAM_TYPE
            ", tensor<4xf32>) -> " DRAM_TYPE " loc(\"dot.12\")");
    assert_slice(op.result, "%1");
    assert_int_equal(op.result_count, 1);
    assert_slice(op.name, "ttnn.matmul");
    assert_slice(op.properties, "transpose_a = false, transpose_b = false");
    assert_slice(op.attributes, "");
    assert_slice(op.callee, "");
    assert_int_equal(op.operands.len, 2);
    assert_slice(op.operands.items[0].value, "%arg1");
    assert_slice(op.operands.items[0].type, DRAM_TYPE);
    assert_slice(op.operands.items[1].value, "%0");
    assert_slice(op.operands.items[1].type, "tensor<4xf32>");
    assert_int_equal(op.result_types.len, 1);
    assert_slice(op.result_types.items[0], DRAM_TYPE);
    assert_slice(op.result_type, DRAM_TYPE);
    assert_slice(op.location, "\"dot.12\"");
    assert_false(op.truncated);
}

static void an_op_may_have_no_result_and_no_operand(void **state) {
    (void)state;
    read_op("\"ttnn.deallocate\"(%arg1) <{force = false}> : (" DRAM_TYPE ") -> () loc(\"dot.12\")");
    assert_slice(op.result, "");
    assert_int_equal(op.result_count, 0);
    assert_slice(op.name, "ttnn.deallocate");
    assert_int_equal(op.operands.len, 1);
    assert_int_equal(op.result_types.len, 0);
    assert_false(op.truncated);
    read_op(
        "%0 = \"ttnn.get_device\"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> "
        "!ttnn.device loc(unknown)");
    assert_slice(op.result, "%0");
    assert_int_equal(op.operands.len, 0);
    assert_int_equal(op.result_types.len, 1);
    assert_slice(op.result_types.items[0], "!ttnn.device");
    assert_slice(op.properties, "mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>");
    assert_slice(op.location, "unknown");
    assert_false(op.truncated);
}

static void several_results_are_counted_and_typed(void **state) {
    (void)state;
    read_op(
        "%5:3 = \"ttnn.split\"(%4#1, %arg4) : (tensor<1xf32>, !ttnn.device) -> (tensor<1x8x32x64xbf16>, tensor<2xi1>, "
        "tensor<f32>) loc(\"x\")");
    assert_slice(op.result, "%5");
    assert_int_equal(op.result_count, 3);
    assert_int_equal(op.result_types.len, 3);
    assert_slice(op.result_types.items[0], "tensor<1x8x32x64xbf16>");
    assert_slice(op.result_types.items[2], "tensor<f32>");
    unsigned index;
    assert_slice(op_value_base(op.operands.items[0].value, &index), "%4");
    assert_int_equal(index, 1);
    assert_slice(op_value_base(op.operands.items[1].value, &index), "%arg4");
    assert_int_equal(index, 0);
    assert_slice(op.operands.items[1].type, "!ttnn.device");
}

static void load_cached_has_a_callee_and_a_list(void **state) {
    (void)state;
    read_op(
        "%0 = ttcore.load_cached(@main_const_eval_0, [%arg1, %arg0]) : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32> "
        "loc(unknown)");
    assert_slice(op.name, "ttcore.load_cached");
    assert_slice(op.callee, "main_const_eval_0");
    assert_int_equal(op.operands.len, 2);
    assert_slice(op.operands.items[0].value, "%arg1");
    assert_slice(op.operands.items[1].value, "%arg0");
    assert_slice(op.operands.items[1].type, "tensor<2xf32>");
    assert_false(op.truncated);
    read_op("%0:2 = tt.load_cached(@f, []) : () -> (tensor<1xf32>, tensor<2xf32>) loc(unknown)");
    assert_slice(op.name, "tt.load_cached");
    assert_slice(op.callee, "f");
    assert_int_equal(op.operands.len, 0);
    assert_int_equal(op.result_types.len, 2);
    assert_false(op.truncated);
}

static void a_call_is_called_call(void **state) {
    (void)state;
    read_op(
        "%4 = func.call @cpu_hoisted_ttir_cos_3f2a(%arg1) {ttir.cpu_hoisted_call} : (tensor<8xf32>) -> tensor<8xf32> "
        "loc(unknown)");
    assert_slice(op.name, "func.call");
    assert_slice(op.callee, "cpu_hoisted_ttir_cos_3f2a");
    assert_slice(op.attributes, "ttir.cpu_hoisted_call");
    assert_int_equal(op.operands.len, 1);
    assert_slice(op.operands.items[0].value, "%arg1");
    assert_slice(op.operands.items[0].type, "tensor<8xf32>");
    assert_false(op.truncated);
}

static void discardable_attributes_do_not_hide_the_types(void **state) {
    (void)state;
    read_op(
        "%0 = \"ttnn.typecast\"(%arg0) <{dtype = #ttcore.supportedDataTypes<bfp_bf8>}> {ttcore.weight_dtype = \"bfp_bf8\"} : "
        "(tensor<1024x1000xbf16>) -> tensor<1024x1000x!ttcore.tile<32x32, bfp_bf8>> loc(\"dot.12_weight\"(\"dot.12\"))");
    assert_slice(op.properties, "dtype = #ttcore.supportedDataTypes<bfp_bf8>");
    assert_slice(op.attributes, "ttcore.weight_dtype = \"bfp_bf8\"");
    assert_slice(op.operands.items[0].type, "tensor<1024x1000xbf16>");
    assert_slice(op.result_type, "tensor<1024x1000x!ttcore.tile<32x32, bfp_bf8>>");
    assert_slice(op.location, "\"dot.12_weight\"(\"dot.12\")");
    assert_false(op.truncated);
}

static void properties_may_hold_anything_that_balances(void **state) {
    (void)state;
    read_op(
        "%9 = \"ttnn.generic\"(%1) <{a = {b = {c = \"} : (x) -> y loc(z)\"}}, map = affine_map<(d0) -> (d0)>, "
        "mc = #ttnn.memory_config<<dram>, <interleaved>>, p = array<i32: 1, 1>, v = dense<[[1, 2]]> : tensor<1x2xsi32>, q = "
        "\"\\22\"}> "
        "({...}) {d = dense_resource<__elided__> : tensor<64xf32>} : (tensor<1xf32>) -> tensor<2xf32> loc(fused<\"m\">[\"a\", "
        "\"b\"])");
    assert_slice(op.name, "ttnn.generic");
    assert_slice(op.attributes, "d = dense_resource<__elided__> : tensor<64xf32>");
    assert_int_equal(op.operands.len, 1);
    assert_slice(op.operands.items[0].type, "tensor<1xf32>");
    assert_slice(op.result_type, "tensor<2xf32>");
    assert_slice(op.location, "fused<\"m\">[\"a\", \"b\"]");
    assert_false(op.truncated);
}

static void one_type_per_operand_whatever_its_kind(void **state) {
    (void)state;
    read_op(
        "%3 = \"ttnn.conv2d\"(%0, %arg0, %1) : (tensor<?x32x!quant.uniform<i8:f32:1, {1.0e-01, 2.0e-01:3}>>, !ttnn.device, "
        "tensor<f32>) -> tensor<1xf32> loc(unknown)");
    assert_int_equal(op.operands.len, 3);
    assert_slice(op.operands.items[0].type, "tensor<?x32x!quant.uniform<i8:f32:1, {1.0e-01, 2.0e-01:3}>>");
    assert_slice(op.operands.items[1].type, "!ttnn.device");
    assert_slice(op.operands.items[2].type, "tensor<f32>");
}

static void every_location_closes_the_line(void **state) {
    (void)state;
    static const char *const locations[] = {"unknown",
                                            "\"dot.12\"",
                                            "\"a\"(\"b\")",
                                            "\"/p/m.py\":47:11",
                                            "\"f\":1:2 to :9",
                                            "\"f\":1:2 to 3:4",
                                            "fused[\"a\", \"b\"]",
                                            "fused<m>[\"a\"]",
                                            "callsite(\"a\" at \"b\")",
                                            "\"with ) and loc( inside\"",
                                            "\"3|Mlp[m]|x.py:1|f|2|add\""};
    for (size_t i = 0; i < COUNT_OF(locations); i++) {
        char text[300];
        snprintf(text, sizeof text, "%%1 = \"ttnn.relu\"(%%0) : (tensor<1xf32>) -> tensor<1xf32> loc(%s)", locations[i]);
        read_op(text);
        assert_slice(op.location, locations[i]);
        assert_slice(op.result_type, "tensor<1xf32>");
        assert_false(op.truncated);
    }
}

static void every_cut_of_a_line_is_marked(void **state) {
    (void)state;
    static const char text[] =
        "%5:2 = \"ttnn.concat\"(%12, %18) <{dim = 2 : si32}> {a = \"b\"} : (tensor<1x8xbf16>, tensor<1xf32>) -> "
        "(tensor<2xf32>, tensor<f32>) loc(\"a\"(\"b\"))";
    for (size_t len = 0; len + 1 < sizeof text; len++) {
        op_parse(slice_of(text, len), &op);
        assert_true(op.truncated);
        assert_true(op.operands.len <= 2);
    }
    read_op(text);
    assert_false(op.truncated);
}

static void a_cut_line_keeps_what_stands_there(void **state) {
    (void)state;
    read_op(
        "%41 = \"ttnn.concat\"(%12, %18, %24) <{dim = 2 : si32}> : (tensor<1x8x128x64xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) "
        "-> (d0 * 1024 + d1 * 128 + d2, d3), <1x1>, memr");
    assert_slice(op.result, "%41");
    assert_slice(op.name, "ttnn.concat");
    assert_int_equal(op.operands.len, 3);
    assert_slice(op.operands.items[2].value, "%24");
    assert_slice(op.properties, "dim = 2 : si32");
    assert_true(op.truncated);
}

static void text_without_an_op_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"", " ", "%0 = ", "%0", "(((", "=", "%", "\"\""};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_false(op_parse(slice_from(texts[i]), &op));
        assert_true(op.truncated);
    }
}

static void a_long_line_is_no_problem(void **state) {
    (void)state;
    struct strbuf text = {0};
    strbuf_addz(&text, "%1 = \"ttnn.concat\"(%0");
    for (int i = 1; i < 5000; i++) strbuf_addf(&text, ", %%%d", i);
    strbuf_addz(&text, ") : (" DRAM_TYPE);
    for (int i = 1; i < 5000; i++) strbuf_addz(&text, ", " DRAM_TYPE);
    strbuf_addz(&text, ") -> " DRAM_TYPE " loc(unknown)");
    op_parse(strbuf_slice(&text), &op);
    assert_int_equal(op.operands.len, 5000);
    assert_slice(op.operands.items[4999].value, "%4999");
    assert_slice(op.operands.items[4999].type, DRAM_TYPE);
    assert_false(op.truncated);
    strbuf_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_generic_form_is_taken_apart, release),
        cmocka_unit_test_teardown(an_op_may_have_no_result_and_no_operand, release),
        cmocka_unit_test_teardown(several_results_are_counted_and_typed, release),
        cmocka_unit_test_teardown(load_cached_has_a_callee_and_a_list, release),
        cmocka_unit_test_teardown(a_call_is_called_call, release),
        cmocka_unit_test_teardown(discardable_attributes_do_not_hide_the_types, release),
        cmocka_unit_test_teardown(properties_may_hold_anything_that_balances, release),
        cmocka_unit_test_teardown(one_type_per_operand_whatever_its_kind, release),
        cmocka_unit_test_teardown(every_location_closes_the_line, release),
        cmocka_unit_test_teardown(every_cut_of_a_line_is_marked, release),
        cmocka_unit_test_teardown(a_cut_line_keeps_what_stands_there, release),
        cmocka_unit_test_teardown(text_without_an_op_is_refused, release),
        cmocka_unit_test_teardown(a_long_line_is_no_problem, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
