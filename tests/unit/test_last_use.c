/* SPDX-License-Identifier: Apache-2.0 */
/* When a tensor was used last, and in which order tensors came and went. */
#include "run_testing.h"

#include "predict/predicted_run.h"

#define LAYOUT                                                                                                        \
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, " \
    "<interleaved>>"
#define T "tensor<64x64xbf16, " LAYOUT ">"
#define LINE(text) "2026-06-08 10:00:00.000 |    DEBUG | " text "\n"
#define RUN(op) LINE("Executing operation: " op " loc(unknown)")

static const char log_text[] = LINE("Starting execution of program: main") RUN("%0 = \"ttnn.relu\"(%arg0) : (" T ") -> " T)
    RUN("%1 = \"ttnn.neg\"(%0) : (" T ") -> " T) RUN("%2 = \"ttnn.abs\"(%1) : (" T ") -> " T)
        RUN("\"ttnn.deallocate\"(%0) <{force = false}> : (" T ") -> ()") RUN("%3 = \"ttnn.add\"(%1, %2) : (" T ", " T ") -> " T)
            RUN("\"ttnn.deallocate\"(%1) <{force = false}> : (" T ") -> ()") LINE("Finished execution of program: main");

/* The tensor that the op of that step made. */
static const struct tensor *made_by(const struct run *run, uint32_t step) {
    for (size_t i = 0; i < run->tensors.len; i++)
        if (run->tensors.items[i].producer == step) return &run->tensors.items[i];
    return NULL;
}

static void a_log_tells_who_used_a_tensor_last(void **state) {
    (void)state;
    struct run run;
    read_pieces(&run, slice_from(log_text), 1 << 20);
    assert_int_equal(run.steps.len, 6);
    assert_int_equal(made_by(&run, 0)->last_use, 1); /* neg; the deallocate is two steps later and is not a use */
    assert_int_equal(made_by(&run, 0)->gone, 4);
    assert_int_equal(made_by(&run, 1)->last_use, 4);
    assert_int_equal(made_by(&run, 2)->last_use, 4);
    assert_int_equal(made_by(&run, 4)->last_use, NONE); /* returned */
    assert_int_equal(run.moves.len, 0);
    run_release(&run);
}

static const char module_text[] =
    "#dram = #ttnn.buffer_type<dram>\n"
    "#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>\n"
    "module {\n"
    "  func.func @main(%arg0: tensor<64x64xbf16, #t>) -> tensor<64x64xbf16, #t> {\n"
    "    %0 = \"ttnn.relu\"(%arg0) : (tensor<64x64xbf16, #t>) -> tensor<64x64xbf16, #t>\n"
    "    %1 = \"ttnn.neg\"(%0) : (tensor<64x64xbf16, #t>) -> tensor<64x64xbf16, #t>\n"
    "    %2 = \"ttnn.abs\"(%1) : (tensor<64x64xbf16, #t>) -> tensor<64x64xbf16, #t>\n"
    "    \"ttnn.deallocate\"(%0) <{force = false}> : (tensor<64x64xbf16, #t>) -> ()\n"
    "    return %2 : tensor<64x64xbf16, #t>\n"
    "  }\n"
    "}\n";

static void a_prediction_tells_the_order_as_well(void **state) {
    (void)state;
    struct run run = {0};
    struct err err = {0};
    assert_int_equal(predicted_run_read(&run, slice_from(module_text), "test", &err), 0);
    const struct tensor *relu = NULL;
    size_t taken = 0, freed = 0;
    for (size_t i = 0; i < run.tensors.len && !relu; i++)
        if (run.tensors.items[i].producer == 0 && run.tensors.items[i].class == TENSOR_ACTIVATION) relu = &run.tensors.items[i];
    assert_non_null(relu);
    assert_int_equal(relu->last_use, 1);
    assert_true(relu->gone > 2);
    bool *there = mem_zalloc(run.tensors.len + 1, sizeof *there);
    for (size_t i = 0; i < run.moves.len; i++) {
        bool free = run.moves.items[i] & 1;
        uint32_t tensor = run.moves.items[i] / 2;
        assert_int_equal(there[tensor], free); /* each comes once, and goes after that */
        there[tensor] = !free;
        taken += !free;
        freed += free;
    }
    assert_int_equal(taken, run.tensors.len);
    assert_true(freed > 0 && freed < taken);
    free(there);
    run_release(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_tells_who_used_a_tensor_last),
        cmocka_unit_test(a_prediction_tells_the_order_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
