/* SPDX-License-Identifier: Apache-2.0 */
/* Module dumps: functions with their signatures, sequences of ops, aliases, chip and mesh. */
#include "testing.h"

#include "parse/location_key.h"
#include "parse/log.h"
#include "parse/module.h"
#include "parse/type.h"

static struct module_text module_of(const char *text) {
    struct module_text module = {.lines_stay = true, .wants_ops = true};
    struct slice rest = slice_from(text);
    while (rest.len) {
        size_t end = slice_find_byte(rest, '\n');
        if (!module_line(&module, slice_take(rest, end))) break;
        rest = slice_skip(rest, end == SLICE_NONE ? rest.len : end + 1);
    }
    module_finish(&module);
    return module;
}

static const char torch_module[] =
    "#dram = #ttnn.buffer_type<dram>\n"
    "#loc = loc(unknown)\n"
    "#loc1 = loc(\"p0.1\")\n"
    "#system_desc = #ttcore.system_desc<[{role = host}], [{arch = <blackhole>, grid = 10x13, noc_dram_address_align_bytes = "
    "64, l1_size = 1572864}]>\n"
    "#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, "
    "<interleaved>>\n"
    "#ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x32x!ttcore.tile<32x32, bf16>, #dram>, "
    "<interleaved>>\n"
    "#ttnn_layout12 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, #dram>, "
    "<interleaved>>\n"
    "module @SyncTensorsGraph.20 attributes {ttcore.meshes = #ttcore.meshes<[<\"mesh\" = 1x2>]>} {\n"
    "  ttcore.device_module {\n"
    "    builtin.module @SyncTensorsGraph.20 attributes {ttcore.meshes = #ttcore.meshes<[<\"mesh\" = 1x2>]>} {\n"
    "      func.func private @main_const_eval_0(%arg0: tensor<1024x1000xbf16, #ttnn_layout> loc(unknown)) -> "
    "tensor<1024x1000xbf16, #ttnn_layout> "
    "attributes {tt.function_type = \"const_eval\"} {\n"
    "        %0 = \"ttnn.typecast\"(%arg0) : (tensor<1024x1000xbf16, #ttnn_layout>) -> tensor<1024x1000xbf16, #ttnn_layout> "
    "loc(#loc5)\n"
    "        return %0 : tensor<1024x1000xbf16, #ttnn_layout> loc(#loc)\n"
    "      } loc(#loc)\n"
    "      func.func @main(%arg0: tensor<1024x1000xbf16, #ttnn_layout> {ttcore.argument_type = "
    "#ttcore.argument_type<parameter>, "
    "ttcore.local_shape = #ttcore<local_shape local_shape = tensor<512x1000xbf16>>, ttcore.shard_status = "
    "#ttcore.shard_status<presharded>, "
    "ttir.name = \"l__self___fc, (weight)\"} loc(\"p0.1\"), %arg1: tensor<8x1024xbf16, #ttnn_layout1> {ttcore.argument_type = "
    "#ttcore.argument_type<input>, ttir.name = \"args_0\"} loc(\"p1.5\"), %arg2: tensor<64x64xf32, #ttnn_layout12> "
    "{ttcore.argument_type = "
    "#ttcore.argument_type<constant>, ttcore.kv_cache, sdy.sharding = #sdy.sharding<@mesh, [{\"batch\"}, {}]>, mhlo.sharding = "
    "\"{devices=[1,8]<=[8]}\"} "
    "loc(\"p2.9\"), %arg3: tensor<?x!quant.uniform<i8:f32:1, {1.0, 2.0}>> loc(unknown)) -> (tensor<8x1000xbf16, #ttnn_layout1> "
    "{jax.result_info = \"r\"}) {\n"
    "        %0 = ttcore.load_cached(@main_const_eval_0, [%arg0]) : (tensor<1024x1000xbf16, #ttnn_layout>) -> "
    "tensor<1024x1000xbf16, #ttnn_layout> loc(#loc)\n"
    "        %1:2 = \"ttnn.matmul\"(%arg1, %0) : () -> () loc(#loc3)\n"
    "        \"ttnn.deallocate\"(%arg1) <{force = false}> : () -> () loc(#loc3)\n"
    "        %2 = \"ttnn.generic\"(%1#0) ({\n"
    "          %9 = \"inner.op\"() : () -> () loc(#loc3)\n"
    "        }) : () -> () loc(#loc6)\n"
    "        %3 = call @helper(%2) : () -> () loc(\"written.out\")\n"
    "        return %2 : tensor<8x1000xbf16, #ttnn_layout1> loc(#loc)\n"
    "      } loc(#loc)\n"
    "      func.func private @declared(tensor<128xf32>) -> tensor<1xf32> attributes {tt.function_type = "
    "\"forward_cpu_declaration\"}\n"
    "    } loc(#loc)\n"
    "  } loc(#loc)\n"
    "} loc(#loc)\n"
    "#loc3 = loc(\"dot.12\")\n"
    "#loc4 = loc(\"maximum.15\")\n"
    "#loc5 = loc(\"dot.12_weight\"(#loc3))\n"
    "#loc6 = loc(fused[#loc3, #loc4])\n"
    "this line is after the module\n"
    "#loc7 = loc(\"not of this module\")\n";

static void functions_and_signatures_are_found(void **state) {
    (void)state;
    struct module_text m = module_of(torch_module);
    assert_slice(m.symbol, "SyncTensorsGraph.20");
    assert_slice(m.mesh, "1x2");
    assert_slice(m.arch, "blackhole");
    assert_int_equal(m.dram_align, 64);
    assert_true(m.body_closed);
    assert_int_equal(m.functions.len, 2);
    assert_slice(m.functions.items[0].name, "main_const_eval_0");
    assert_false(m.functions.items[0].has_signature); /* its arguments are operands of load_cached */
    assert_slice(m.functions.items[1].name, "main");
    assert_ptr_equal(module_main(&m), &m.functions.items[1]);
    assert_int_equal(m.functions.items[1].argument_count, 4);
    module_release(&m);
}

static void arguments_keep_name_role_and_shapes(void **state) {
    (void)state;
    struct module_text m = module_of(torch_module);
    const struct module_argument *a = &m.arguments.items[m.functions.items[1].first_argument];
    assert_slice(a[0].name, "l__self___fc, (weight)");
    assert_int_equal(a[0].role, ROLE_PARAMETER);
    assert_slice(a[0].type, "tensor<1024x1000xbf16, #ttnn_layout>");
    assert_slice(a[0].local_type, "tensor<512x1000xbf16>");
    assert_false(a[0].kv_cache);
    assert_slice(a[1].name, "args_0");
    assert_int_equal(a[1].role, ROLE_INPUT);
    assert_slice(a[1].local_type, "");
    assert_int_equal(a[2].number, 2);
    assert_int_equal(a[2].role, ROLE_CONSTANT);
    assert_true(a[2].kv_cache);
    assert_slice(a[2].name, "p2.9"); /* without ttir.name the location names it */
    assert_int_equal(a[3].number, 3);
    assert_int_equal(a[3].role, ROLE_UNKNOWN);
    assert_slice(a[3].type, "tensor<?x!quant.uniform<i8:f32:1, {1.0, 2.0}>>");
    assert_slice(a[3].name, "");
    module_release(&m);
}

static void layout_aliases_match_whole_names(void **state) {
    (void)state;
    struct module_text m = module_of(torch_module);
    struct tensor_type type;
    type_parse(module_full_type(&m, SLICE("tensor<8x1024xbf16, #ttnn_layout1>")), &type);
    assert_slice(type.memref, "1x32");
    assert_int_equal(type.buffer, BUFFER_DRAM);
    type_parse(module_full_type(&m, SLICE("tensor<64x64xf32, #ttnn_layout12>")), &type);
    assert_slice(type.memref, "2x2");
    assert_slice(module_full_type(&m, SLICE("tensor<8xf32, #ttnn_layout7>")), "tensor<8xf32, #ttnn_layout7>");
    assert_slice(module_full_type(&m, SLICE("tensor<8xf32>")), "tensor<8xf32>");
    module_release(&m);
}

static void ops_are_those_of_the_body_itself_with_their_locations(void **state) {
    (void)state;
    struct module_text m = module_of(torch_module);
    static const struct {
        const char *name, *result, *location;
    } ops[] = {
        {"ttcore.load_cached", "%0", "unknown"}, {"ttnn.matmul", "%1", "\"dot.12\""},
        {"ttnn.deallocate", "", "\"dot.12\""},   {"ttnn.generic", "%2", NULL /* on the line that closes its region */},
        {"func.call", "%3", "\"written.out\""},
    };
    const struct module_function *main = &m.functions.items[1];
    assert_int_equal(m.functions.items[0].op_count, 1);
    assert_true(m.ops.items[0].place == location_key(SLICE("\"dot.12_weight\"(\"dot.12\")"), NULL));
    assert_int_equal(main->op_count, COUNT_OF(ops));
    uint64_t running = 0;
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        const struct module_op *op = &m.ops.items[main->first_op + i];
        assert_true(op->key == op_key(slice_from(ops[i].name), slice_from(ops[i].result)));
        if (ops[i].location) assert_true(op->place == location_key(slice_from(ops[i].location), NULL));
        running = sequence_key(running, op->key);
        assert_true(m.prefix.items[main->first_op + i] == running);
    }
    module_release(&m);
}

static void what_a_function_returns_is_known(void **state) {
    (void)state;
    struct module_text m = module_of(
        "module @m {\n"
        "  func.func @one(%arg0: tensor<1xf32>) -> tensor<1xf32> {\n"
        "    %0 = \"ttnn.x\"(%arg0) : (tensor<1xf32>) -> tensor<1xf32>\n"
        "    return %0, %7#1, %arg0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32> loc(#loc)\n  }\n"
        "  func.func @none() {\n    return loc(#loc)\n  }\n}\n");
    assert_int_equal(m.functions.len, 2);
    const struct module_function *one = &m.functions.items[0];
    assert_int_equal(one->result_count, 3);
    assert_int_equal(m.results.items[one->first_result], value_code(SLICE("%0")));
    assert_int_equal(m.results.items[one->first_result + 1], value_code(SLICE("%7")));
    assert_int_equal(m.results.items[one->first_result + 2], value_code(SLICE("%arg0")));
    assert_int_equal(m.functions.items[1].result_count, 0);
    assert_int_equal(one->op_count, 1);
    module_release(&m);
}

static void jax_names_come_from_locations(void **state) {
    (void)state;
    struct module_text m = module_of(
        "module @jit_forward attributes {mhlo.num_partitions = 8 : i32} {\n"
        "  func.func public @main(%arg0: tensor<64x32xf32> {mhlo.sharding = \"{replicated}\"} "
        "loc(\"variables['params']['Dense_0']['kernel']\"), "
        "%arg1: tensor<8x64xf32> {ttcore.runtime_tensor_sharding = #ttcore<runtime_tensor_sharding shard_status = "
        "<presharded>, "
        "local_shape = tensor<4x64xf32>>} loc(\"x\"(\"inner\"))) -> (tensor<8x32xf32> {jax.result_info = \"result\"}) {\n"
        "    %0 = stablehlo.dot_general %arg1, %arg0 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> loc(#loc)\n"
        "    return %0 : tensor<8x32xf32> loc(#loc)\n"
        "  } loc(#loc)\n"
        "} loc(#loc)\n");
    assert_slice(m.symbol, "jit_forward");
    const struct module_function *main = module_main(&m);
    assert_non_null(main);
    assert_int_equal(main->argument_count, 2);
    assert_slice(m.arguments.items[0].name, "variables['params']['Dense_0']['kernel']");
    assert_slice(m.arguments.items[0].type, "tensor<64x32xf32>");
    assert_slice(m.arguments.items[1].name, "x");
    assert_slice(m.arguments.items[1].local_type, "tensor<4x64xf32>");
    assert_int_equal(main->op_count, 1);
    module_release(&m);
}

static void the_old_dialect_tells_its_chip_in_the_heading(void **state) {
    (void)state;
    struct module_text m = module_of(
        "module @g attributes {tt.system_desc = #tt.system_desc<[{role = host}], [{arch = <wormhole_b0>, grid = 8x8, "
        "noc_dram_address_align_bytes = 32, l1_size = 1}]>} {\n"
        "  func.func @main(%arg0: tensor<1xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!tt.tile<32x32, f32>, "
        "#ttnn.buffer_type<dram>>, <interleaved>>> {tt.argument_type = #tt.argument_type<input>}) -> tensor<1xf32> {\n"
        "    return %arg0 : tensor<1xf32>\n  }\n}\n");
    assert_slice(m.arch, "wormhole_b0");
    assert_int_equal(m.dram_align, 32);
    assert_int_equal(m.arguments.len, 1);
    assert_int_equal(m.arguments.items[0].role, ROLE_INPUT);
    assert_slice(m.mesh, "");
    module_release(&m);
}

static void locations_that_refer_to_each_other_end(void **state) {
    (void)state;
    struct module_text m = module_of(
        "#loc1 = loc(\"a\"(#loc2))\n#loc2 = loc(fused[#loc1, #loc2])\nmodule @m {\n  func.func @main() {\n"
        "    \"ttnn.x\"() : () -> () loc(#loc1)\n    \"ttnn.y\"() : () -> () loc(#loc99)\n  } loc(#loc)\n} loc(#loc)\n");
    assert_int_equal(m.ops.len, 2);
    assert_true(m.ops.items[1].place == 0);
    module_release(&m);
}

/* A number takes no room of its own: a table up to it would. */
static void high_numbers_of_locations_cost_nothing(void **state) {
    (void)state;
    struct module_text m = module_of(
        "#loc1073741000 = loc(\"high\")\n#loc7 = loc(\"old\")\n#loc7 = loc(\"new\")\nmodule @m {\n  func.func @main() {\n"
        "    \"ttnn.x\"() : () -> () loc(#loc1073741000)\n    \"ttnn.y\"() : () -> () loc(#loc7)\n  } loc(#loc)\n}\n");
    assert_int_equal(m.ops.len, 2);
    assert_true(m.ops.items[0].place == location_key(SLICE("\"high\""), NULL));
    assert_true(m.ops.items[1].place == location_key(SLICE("\"new\""), NULL));
    module_release(&m);
}

static void a_long_chain_of_locations_is_no_problem(void **state) {
    (void)state;
    struct strbuf text = {0};
    for (int i = 1; i < 20000; i++) strbuf_addf(&text, "#loc%d = loc(\"n\"(#loc%d))\n", i, i + 1);
    strbuf_addz(&text,
                "module @m {\n  func.func @main() {\n    \"ttnn.x\"() : () -> () loc(#loc1)\n  } loc(#loc)\n} loc(#loc)\n");
    struct module_text m = module_of(strbuf_text(&text));
    assert_int_equal(m.ops.len, 1);
    module_release(&m);
    strbuf_release(&text);
}

static void every_prefix_of_a_module_is_read(void **state) {
    (void)state;
    for (size_t len = 0; len < sizeof torch_module; len++) {
        char *text = malloc(len + 1); /* exact, so that a sanitizer sees a step too far */
        memcpy(text, torch_module, len);
        text[len] = '\0';
        struct module_text m = module_of(text);
        assert_true(m.ops.len <= 6);
        assert_true(m.arguments.len <= 4);
        module_release(&m);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_signatures_are_found),
        cmocka_unit_test(arguments_keep_name_role_and_shapes),
        cmocka_unit_test(layout_aliases_match_whole_names),
        cmocka_unit_test(ops_are_those_of_the_body_itself_with_their_locations),
        cmocka_unit_test(what_a_function_returns_is_known),
        cmocka_unit_test(jax_names_come_from_locations),
        cmocka_unit_test(the_old_dialect_tells_its_chip_in_the_heading),
        cmocka_unit_test(locations_that_refer_to_each_other_end),
        cmocka_unit_test(high_numbers_of_locations_cost_nothing),
        cmocka_unit_test(a_long_chain_of_locations_is_no_problem),
        cmocka_unit_test(every_prefix_of_a_module_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
