/* SPDX-License-Identifier: Apache-2.0 */
/* Real logs and modules of the folder with shared data. */
#include "run_testing.h"

#include "parse/location_key.h"

static bool have(const char *name) {
    FILE *file = fopen(shared_path(name), "rb");
    if (file) fclose(file);
    return file != NULL;
}

static void submits_of_mochi_show_what_stays(void **state) {
    (void)state;
    if (!have("runtime_log/mochi_norm2_ops_and_submits.log")) skip();
    struct run run;
    struct source source;
    read_file(&run, &source, shared_path("runtime_log/mochi_norm2_ops_and_submits.log"));
    static const struct {
        enum step_kind kind;
        uint32_t dram;
    } submits[] = {{STEP_BEFORE_SUBMIT, 3281}, {STEP_AFTER_SUBMIT, 29018},  {STEP_BEFORE_SUBMIT, 28301},
                   {STEP_AFTER_SUBMIT, 32303}, {STEP_BEFORE_SUBMIT, 32303}, {STEP_AFTER_SUBMIT, 36303}};
    assert_int_equal(run.blocks.len, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(run.steps.items[run.blocks.items[i].step].kind, submits[i].kind);
        assert_int_equal(run.blocks.items[i].allocated[POOL_DRAM], submits[i].dram);
    }
    assert_int_equal(run.op_lines, 68);
    run_release(&run);
    source_release(&source);
}

static void the_three_graphs_of_mochi_have_their_own_modules(void **state) {
    (void)state;
    if (!have("runtime_log/mochi_norm2_ops_and_submits.log")) skip();
    struct run run;
    struct source source;
    read_file(&run, &source, shared_path("runtime_log/mochi_norm2_ops_and_submits.log"));
    assert_int_equal(run.programs.len, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct program *program = &run.programs.items[i];
        assert_slice(run_string(&run, program->name), "main");
        assert_int_not_equal(program->module, NONE);
        const struct module *module = &run.modules.items[program->module];
        assert_true(module->line < run.executions.items[program->first_execution].start_line);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(module->set, run.modules.items[run.programs.items[k].module].set);
    }
    assert_int_equal(run.warnings[WARN_UNCLOSED_MODULE], 0);
    assert_int_equal(run.warnings[WARN_UNFINISHED_PROGRAM], 0);
    run_release(&run);
    source_release(&source);
}

static void qwen_has_memory_without_ops(void **state) {
    (void)state;
    if (!have("runtime_log/qwen_memory_only_cut_off.log")) skip();
    struct run run;
    struct source source;
    struct overview overview;
    read_file(&run, &source, shared_path("runtime_log/qwen_memory_only_cut_off.log"));
    overview_make(&run, &overview);
    assert_int_equal(run.block_count, 14);
    assert_int_equal(run.records.len, 9); /* four DeallocateOp and a GetDeviceOp are no operations */
    assert_int_equal(run.op_lines, 0);
    assert_string_equal(overview.shape, "memory");
    for (size_t i = 0; i < 14; i++) assert_int_equal(run.blocks.items[i].have, 15);
    overview_release(&overview);
    run_release(&run);
    source_release(&source);
}

static void the_old_dialect_is_understood(void **state) {
    (void)state;
    if (!have("runtime_log/all_gather_2025_old_dialect.log")) skip();
    struct run run;
    struct source source;
    struct overview overview;
    read_file(&run, &source, shared_path("runtime_log/all_gather_2025_old_dialect.log"));
    overview_make(&run, &overview);
    assert_int_equal(run.op_lines, 11);
    assert_int_equal(run.block_count, 0);
    assert_string_equal(overview.shape, "ops");
    assert_slice(run.mesh, "2x4");
    assert_non_null(run.chip);
    assert_string_equal(run.chip->arch, "wormhole_b0");
    assert_int_equal(run.modules.len, 4); /* old headings, no END line */
    assert_slice(run.modules.items[3].stage, "ttnn");
    assert_int_equal(run.programs.len, 1);
    assert_int_equal(run.programs.items[0].module, 3);
    assert_int_equal(run.warnings[WARN_UNCLOSED_MODULE], 0);
    for (size_t i = 0; i < run.types.len; i++) {
        if (run.types.items[i].kind != TYPE_TENSOR) continue;
        assert_true(run.types.items[i].logical_known); /* !tt.tile is a tile */
        assert_true(run.types.items[i].physical_known);
    }
    overview_release(&overview);
    run_release(&run);
    source_release(&source);
}

/* What a search for words finds in the module must be what the reader finds. */
static void check_module(const char *name, const char *mesh, const char *arch) {
    char path[128];
    snprintf(path, sizeof path, "mlir/%s_ttnn.mlir", name);
    struct strbuf text = file_text(shared_path(path));
    assert_true(text.len > 0);
    struct module_text m = {.lines_stay = true, .wants_ops = true};
    struct slice rest = strbuf_slice(&text);
    size_t ops = 0, functions = 0, indent = 0;
    bool in_body = false;
    while (rest.len) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end), words = slice_trim(line);
        size_t spaces = (size_t)(words.ptr - line.ptr);
        if (slice_starts(words, SLICE("func.func"))) {
            in_body = slice_ends(words, SLICE("{"));
            functions += in_body;
            indent = spaces;
        } else if (in_body && spaces == indent) {
            in_body = false; /* its closing brace */
        } else if (in_body && spaces == indent + 2 && words.len && !slice_starts(words, SLICE("return")) &&
                   words.ptr[0] != '}') {
            ops++;
        }
        module_line(&m, line);
        rest = slice_skip(rest, end == SLICE_NONE ? rest.len : end + 1);
    }
    module_finish(&m);
    assert_int_equal(m.functions.len, functions);
    assert_int_equal(m.ops.len, ops);
    assert_slice(m.mesh, mesh);
    assert_slice(m.arch, arch);
    const struct module_function *main = module_main(&m);
    assert_non_null(main);
    assert_slice(main->name, "main");
    size_t roles[4] = {0};
    for (uint32_t i = 0; i < main->argument_count; i++) {
        const struct module_argument *argument = &m.arguments.items[main->first_argument + i];
        roles[argument->role]++;
        assert_int_equal(argument->number, i);
        assert_true(argument->name.len > 0);
        assert_true(slice_starts(argument->type, SLICE("tensor<")));
    }
    for (size_t role = ROLE_INPUT; role <= ROLE_CONSTANT; role++) {
        size_t expected = 0;
        char words[64];
        snprintf(words, sizeof words, "argument_type<%s>", role_names[role]);
        for (struct slice s = strbuf_slice(&text); slice_find(s, slice_from(words)) != SLICE_NONE; expected++)
            s = slice_skip(s, slice_find(s, slice_from(words)) + 1);
        assert_int_equal(roles[role], expected);
    }
    module_release(&m);
    strbuf_release(&text);
}

static void real_modules_are_read_completely(void **state) {
    (void)state;
    if (!have("mlir/llama_prefill_step_ttnn.mlir")) skip();
    static const struct {
        const char *name, *mesh, *arch;
    } rows[] = {{"llama_prefill_step", "1x2", "wormhole_b0"}, {"resnet50_bs8", "1x1", "wormhole_b0"},
                {"clipvision_opt2_b2", "1x1", "wormhole_b0"}, {"falcon3_7b_bf16_1layer_decode", "1x1", "blackhole"},
                {"zimage_norm2_alone", "1x1", "wormhole_b0"}, {"cumsum_sanity", "1x1", "wormhole_b0"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) check_module(rows[i].name, rows[i].mesh, rows[i].arch);
}

/* No line of a real log goes missing: what a search finds is what the run holds. */
static void every_marked_line_of_a_real_log_counts(void **state) {
    (void)state;
    static const char *const logs[] = {"mochi_norm2_ops_and_submits", "qwen_memory_only_cut_off",
                                       "all_gather_2025_old_dialect"};
    for (size_t i = 0; i < COUNT_OF(logs); i++) {
        char path[128];
        snprintf(path, sizeof path, "runtime_log/%s.log", logs[i]);
        if (!have(path)) skip();
        struct strbuf text = file_text(shared_path(path));
        struct run run;
        struct source source;
        read_file(&run, &source, shared_path(path));
        assert_int_equal(run.op_lines, lines_with(strbuf_slice(&text), "Executing operation: "));
        assert_int_equal(run.executions.len, lines_with(strbuf_slice(&text), "Starting execution of program: "));
        assert_int_equal(run.block_count, lines_with(strbuf_slice(&text), "Device DRAM memory state: "));
        assert_int_equal(run.warnings[WARN_TRUNCATED_OP], 0);
        run_release(&run);
        source_release(&source);
        strbuf_release(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submits_of_mochi_show_what_stays), cmocka_unit_test(the_three_graphs_of_mochi_have_their_own_modules),
        cmocka_unit_test(qwen_has_memory_without_ops),      cmocka_unit_test(the_old_dialect_is_understood),
        cmocka_unit_test(real_modules_are_read_completely), cmocka_unit_test(every_marked_line_of_a_real_log_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
