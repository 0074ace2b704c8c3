/* SPDX-License-Identifier: Apache-2.0 */
/* What the real logs and modules of test_run_real.c teach, in crafted texts that every clone has. */
#include "run_testing.h"

#define STAMP "2026-01-12 10:22:09.583 (   1.568s) [        17B1B000]      module_builder.cc:1006     1| "
#define RUNTIME "            RuntimeTTNN |    DEBUG | "
#define ALWAYS "                 Always |     INFO | "
#define LAYOUT                                                                                                        \
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, " \
    "<interleaved>>"
#define TENSOR "tensor<32x32xbf16, " LAYOUT ">"

/* Thousandths of a MB as logs print them. */
static void add_pool(struct strbuf *out, const char *name, unsigned banks, unsigned total, unsigned allocated) {
    unsigned left = total - allocated;
    strbuf_addf(out,
                ALWAYS
                "Device %s memory state: MemoryView{numBanks: %u, totalBytesPerBank: %u.%03u MB, "
                "totalBytesAllocatedPerBank: %u.%03u MB, totalBytesFreePerBank: %u.%03u MB, "
                "largestContiguousBytesFreePerBank: %u.%03u MB}\n",
                name, banks, total / 1000, total % 1000, allocated / 1000, allocated % 1000, left / 1000, left % 1000,
                left / 1000, left % 1000);
}

static void add_block(struct strbuf *out, const char *heading, unsigned dram) {
    strbuf_addf(out, ALWAYS "Device memory state %s\n", heading);
    add_pool(out, "DRAM", 12, 1024000, dram);
    add_pool(out, "L1", 64, 1269, 0);
    add_pool(out, "L1_SMALL", 64, 62, 0);
    add_pool(out, "TRACE", 12, 0, 0);
}

static void add_ops(struct strbuf *out, const char *start, const char *dialect, const char *name, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        strbuf_addf(out, "%s%%%u = \"%s.%s\"(%%arg0) : (" TENSOR ") -> " TENSOR " loc(\"%s.%u\")\n", start, i, dialect, name,
                    name, i);
}

/* A graph as TT-XLA logs it: two modules, then a run of main whose ops differ from those of the other graphs. */
static void add_graph(struct strbuf *out, const char *op, unsigned ops, unsigned before, unsigned after) {
    static const char *const stages[] = {"ttir", "ttnn"};
    for (size_t i = 0; i < COUNT_OF(stages); i++) {
        strbuf_addf(out,
                    STAMP
                    "MLIR Module %s:\nmodule @Graph.%s attributes {ttcore.meshes = #ttcore.meshes<[<\"mesh\" = 1x1>]>} {\n"
                    "  func.func @main(%%arg0: " TENSOR ") -> " TENSOR " {\n",
                    stages[i], op);
        add_ops(out, "    ", stages[i], op, ops);
        strbuf_addz(out, "    return %0 : " TENSOR "\n  }\n}\n------------------ END OF MLIR MODULE ------------------\n");
    }
    add_block(out, "before submit", before);
    strbuf_addz(out, RUNTIME "Starting execution of program: main\n");
    add_ops(out, RUNTIME "Executing operation: ", "ttnn", op, ops);
    strbuf_addz(out, RUNTIME "Finished execution of program: main\n");
    add_block(out, "after submit", after);
}

static const struct {
    const char *op;
    unsigned ops, before, after;
} graphs[] = {{"add", 5, 3281, 29018}, {"permute", 3, 28301, 32303}, {"reshape", 2, 32303, 36303}};

static struct strbuf three_graphs(void) {
    struct strbuf log = {0};
    for (size_t i = 0; i < COUNT_OF(graphs); i++)
        add_graph(&log, graphs[i].op, graphs[i].ops, graphs[i].before, graphs[i].after);
    return log;
}

static void blocks_around_submits_show_what_stays(void **state) {
    (void)state;
    struct strbuf log = three_graphs();
    struct run run;
    read_pieces(&run, strbuf_slice(&log), log.len);
    assert_int_equal(run.op_lines, 5 + 3 + 2);
    assert_int_equal(run.blocks.len, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct block *block = &run.blocks.items[i];
        assert_int_equal(run.steps.items[block->step].kind, i % 2 ? STEP_AFTER_SUBMIT : STEP_BEFORE_SUBMIT);
        assert_int_equal(block->allocated[POOL_DRAM], i % 2 ? graphs[i / 2].after : graphs[i / 2].before);
    }
    run_release(&run);
    strbuf_release(&log);
}

static void three_graphs_of_one_name_have_their_own_modules(void **state) {
    (void)state;
    struct strbuf log = three_graphs();
    struct run run;
    read_pieces(&run, strbuf_slice(&log), log.len);
    assert_int_equal(run.programs.len, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct program *program = &run.programs.items[i];
        assert_slice(run_string(&run, program->name), "main");
        assert_int_equal(program->module, 2 * i + 1); /* the ttnn one of its two */
        assert_true(run.modules.items[program->module].line < run.executions.items[program->first_execution].start_line);
    }
    assert_int_equal(run.warnings[WARN_UNCLOSED_MODULE], 0);
    assert_int_equal(run.warnings[WARN_UNFINISHED_PROGRAM], 0);
    run_release(&run);
    strbuf_release(&log);
}

/* Memory is logged before every op, ops are not, and the log ends within a line of the last block. */
static void blocks_without_ops_are_records_of_their_own(void **state) {
    (void)state;
    static const char *const ops[] = {"GetDeviceOp", "FullOp", "ToLayoutOp", "AddOp", "AddOp"};
    struct strbuf log = {0};
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "before operation %s", ops[i]);
        add_block(&log, heading, 1000 * (unsigned)(i + 1));
    }
    size_t whole = log.len;
    strbuf_addz(&log, "2026-06-19 09:39:51.258 ( 272.353s) [        D5019140]      module_builder.cc:870   WARN| Num repl");
    struct run run;
    struct overview overview;
    read_pieces(&run, strbuf_slice(&log), whole / 3);
    overview_make(&run, &overview);
    assert_int_equal(run.block_count, 5);
    assert_int_equal(run.records.len, 4); /* opening the device is not an operation */
    assert_int_equal(run.op_lines, 0);
    assert_string_equal(overview.shape, "memory");
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(run.blocks.items[i].have, 15); /* all four pools */
        assert_int_equal(run.blocks.items[i].allocated[POOL_DRAM], 1000 * (i + 1));
    }
    overview_release(&overview);
    run_release(&run);
    strbuf_release(&log);
}

/* Before the dialect was called ttcore: headings without END lines, !tt.tile, tt.device. */
#define OLD_STAMP "2025-05-14 20:59:06.774 (   3.450s) [        79D1C480]      module_builder.cc:522      1| "
#define OLD_TENSOR                                                                                       \
    "tensor<64x32xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!tt.tile<32x32, f32>, " \
    "#ttnn.buffer_type<dram>>, <interleaved>>>"
#define OLD_RUNTIME "\033[32m            RuntimeTTNN\033[0m | \033[1m\033[38;5;240m   DEBUG\033[0m | "

static void the_dialect_before_ttcore_is_understood(void **state) {
    (void)state;
    static const char log[] = OLD_STAMP
        "VHLO Module:\nmodule @Graph.13 {\n}\n" OLD_STAMP "SHLO Module:\nmodule @Graph.13 {\n}\n" OLD_STAMP
        "TTIR Module:\nmodule @Graph.13 {\n}\n" OLD_STAMP "Mesh shape: { 2, 4, }\n" OLD_STAMP
        "TTNN Module:\nmodule @Graph.13 {\n  tt.device_module {\n"
        "    builtin.module @Graph.13 attributes {tt.system_desc = #tt.system_desc<[{role = host, target_triple = "
        "\"x86_64-pc-linux\"}], [{arch = <wormhole_b0>, grid = 8x8, l1_size = 1499136, num_dram_channels = 12, "
        "dram_channel_size = 1073741824}], [0], [1 : i32], [ 0x0x0x0]>} {\n"
        "      tt.device @default_device = <workerGrid = #tt.grid<16x32, (d0, d1) -> (0, d0, d1)>, meshShape = 2x4, "
        "chipIds = [0, 1, 2, 3, 4, 5, 6, 7]>\n"
        "      func.func @main(%arg0: " OLD_TENSOR ") -> " OLD_TENSOR
        " {\n"
        "        %0 = \"ttnn.get_device\"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 2x4>}> "
        ": () -> !ttnn.device\n"
        "        %1 = \"ttnn.relu\"(%arg0) : (" OLD_TENSOR ") -> " OLD_TENSOR
        "\n"
        "        \"ttnn.deallocate\"(%arg0) <{force = false}> : (" OLD_TENSOR
        ") -> ()\n"
        "        return %1 : " OLD_TENSOR "\n      }\n    }\n  }\n}\n" OLD_RUNTIME
        "Starting execution of program: main\n" OLD_RUNTIME
        "Executing operation: %0 = \"ttnn.get_device\"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape "
        "2x4>}> : () -> !ttnn.device loc(\"relu.4\")\n" OLD_RUNTIME
        "Executing operation: %1 = \"ttnn.relu\"(%arg0) : (" OLD_TENSOR ") -> " OLD_TENSOR " loc(\"relu.4\")\n" OLD_RUNTIME
        "Executing operation: \"ttnn.deallocate\"(%arg0) <{force = false}> : (" OLD_TENSOR
        ") -> () loc(\"relu.4\")\n" OLD_RUNTIME "Finished execution of program: main\n";
    struct run run;
    struct overview overview;
    read_pieces(&run, slice_from(log), sizeof log);
    overview_make(&run, &overview);
    assert_int_equal(run.op_lines, 3);
    assert_int_equal(run.block_count, 0);
    assert_string_equal(overview.shape, "ops");
    assert_slice(run.mesh, "2x4");
    assert_non_null(run.chip);
    assert_string_equal(run.chip->arch, "wormhole_b0");
    assert_int_equal(run.modules.len, 4);
    assert_slice(run.modules.items[3].stage, "ttnn");
    assert_int_equal(run.programs.len, 1);
    assert_int_equal(run.programs.items[0].module, 3);
    assert_int_equal(run.warnings[WARN_UNCLOSED_MODULE], 0);
    size_t tensors = 0;
    for (size_t i = 0; i < run.types.len; i++) {
        if (run.types.items[i].kind != TYPE_TENSOR) continue;
        tensors++;
        assert_true(run.types.items[i].logical_known);
        assert_true(run.types.items[i].physical_known);
        assert_int_equal(run.types.items[i].page_bytes, 4096); /* !tt.tile is a tile, of f32 */
        assert_int_equal(run.types.items[i].shard_pages, 2);
    }
    assert_int_equal(tensors, 1);
    overview_release(&overview);
    run_release(&run);
}

/* No line of a log goes missing: what a search finds is what the run holds. */
static void every_marked_line_of_the_example_counts(void **state) {
    (void)state;
    struct strbuf text = file_text("examples/transformer_profile.log");
    struct run run;
    assert_true(text.len > 0);
    read_pieces(&run, strbuf_slice(&text), 65536);
    assert_int_equal(run.op_lines, lines_with(strbuf_slice(&text), "Executing operation: "));
    assert_int_equal(run.executions.len, lines_with(strbuf_slice(&text), "Starting execution of program: "));
    assert_int_equal(run.block_count, lines_with(strbuf_slice(&text), "Device DRAM memory state: "));
    assert_true(run.op_lines && run.executions.len && run.block_count);
    assert_int_equal(run.warnings[WARN_TRUNCATED_OP], 0);
    run_release(&run);
    strbuf_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_around_submits_show_what_stays),
        cmocka_unit_test(three_graphs_of_one_name_have_their_own_modules),
        cmocka_unit_test(blocks_without_ops_are_records_of_their_own),
        cmocka_unit_test(the_dialect_before_ttcore_is_understood),
        cmocka_unit_test(every_marked_line_of_the_example_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
