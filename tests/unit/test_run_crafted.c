/* SPDX-License-Identifier: Apache-2.0 */
/* The crafted log with every line kind: 120 lines, colours, const-eval, a trace, ranks, an out-of-memory, a cut end. */
#include "run_testing.h"

static struct run run;
static struct source source;
static struct overview overview;

static int read_log(void **state) {
    (void)state;
    read_file(&run, &source, "tests/data/crafted_all_cases.log");
    overview_make(&run, &overview);
    return 0;
}

static int release_log(void **state) {
    (void)state;
    overview_release(&overview);
    run_release(&run);
    source_release(&source);
    return 0;
}

static const struct execution *execution_at(uint64_t line) {
    for (size_t i = 0; i < run.executions.len; i++)
        if (run.executions.items[i].start_line == line) return &run.executions.items[i];
    return NULL;
}

static const struct block *block_before(uint64_t op_line) {
    const struct step *step = step_at(&run, op_line);
    assert_non_null(step);
    return step->block == NONE ? NULL : &run.blocks.items[step->block];
}

static uint16_t rank_named(const char *name) {
    for (size_t i = 0; i < run.ranks.len; i++)
        if (slice_equal(run_string(&run, run.ranks.items[i].name), slice_from(name))) return (uint16_t)i;
    fail();
    return 0;
}

static void counts_are_those_of_the_text(void **state) {
    (void)state;
    assert_int_equal(run.lines, 120);
    assert_int_equal(run.op_lines, 15);
    assert_int_equal(run.deallocates, 2);
    assert_int_equal(run.get_devices, 2);
    assert_int_equal(run.warnings[WARN_TRUNCATED_OP], 1);
    assert_int_equal(run.records.len, 12);
    assert_int_equal(run.block_count, 8);
    assert_int_equal(run.warnings[WARN_EMPTY_BLOCK], 1); /* rank 1,1 has a heading and nothing else */
    assert_string_equal(overview.shape, "ops+memory");
}

static void programs_nest_and_end(void **state) {
    (void)state;
    assert_int_equal(run.executions.len, 4);
    const struct execution *first = execution_at(48), *eval = execution_at(57), *second = execution_at(98),
                           *trace = execution_at(105);
    assert_non_null(first);
    assert_int_equal(first->own_ops, 5);
    assert_true(first->finished);
    assert_int_equal(first->parent, NONE);
    assert_slice(run_string(&run, eval->name), "main_const_eval_0");
    assert_int_equal(eval->own_ops, 1);
    assert_true(eval->const_eval);
    assert_true(eval->cache_miss);
    assert_ptr_equal(&run.executions.items[eval->parent], first);
    assert_int_equal(second->own_ops, 6);
    assert_false(second->finished);
    assert_slice(run_string(&run, trace->name), "execute_trace_0_main");
    assert_int_equal(trace->own_ops, 2);
    assert_ptr_equal(&run.executions.items[trace->parent], second);
}

static void the_cache_was_missed_then_hit(void **state) {
    (void)state;
    assert_int_equal(overview.const_eval.len, 1);
    const struct named_count *row = &overview.const_eval.items[0];
    assert_int_equal(row->runs, 1);
    assert_int_equal(row->misses, 1);
    assert_int_equal(row->hits, 1);
    assert_int_equal(row->records, 1);
    assert_true(step_at(&run, 49)->flags & STEP_CACHE_MISS);
    assert_true(step_at(&run, 100)->flags & STEP_CACHE_HIT);
    assert_true(step_at(&run, 103)->flags & STEP_TRACE_HIT);
}

static void blocks_are_bound_to_their_ops(void **state) {
    (void)state;
    static const struct {
        uint64_t op, block;
        uint32_t dram, l1;
    } rows[] = {{49, 50, 174, 0}, {58, 60, 174, 0}, {67, 68, 263, 0}, {73, 74, 263, 8}, {80, 81, 263, 8}, {86, 87, 269, 8}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct block *block = block_before(rows[i].op);
        assert_non_null(block);
        assert_int_equal(block->line, rows[i].block);
        assert_int_equal(block->have, 15);
        assert_int_equal(block->allocated[POOL_DRAM], rows[i].dram);
        assert_int_equal(block->allocated[POOL_L1], rows[i].l1);
    }
    static const uint64_t without[] = {99, 100, 103, 106, 107, 109, 110, 111, 120};
    for (size_t i = 0; i < COUNT_OF(without); i++) assert_null(block_before(without[i]));
    assert_int_equal(step_at(&run, 93)->kind, STEP_BEFORE_SUBMIT);
    assert_int_equal(run.blocks.items[step_at(&run, 93)->block].allocated[POOL_L1], 0);
    assert_int_equal(step_at(&run, 114)->kind, STEP_BLOCK);
    assert_int_equal(run.blocks.items[step_at(&run, 114)->block].have, 15);
}

static int64_t delta(uint64_t op_line, enum pool pool) {
    const struct step *step = step_at(&run, op_line);
    assert_int_not_equal(step->after, NONE);
    return (int64_t)run.blocks.items[step->after].allocated[pool] - run.blocks.items[step->block].allocated[pool];
}

static void growth_is_charged_to_the_op_in_front(void **state) {
    (void)state;
    assert_int_equal(delta(58, POOL_DRAM), 89); /* typecast: the bfp8 weight */
    assert_int_equal(delta(67, POOL_L1), 8);    /* matmul */
    assert_int_equal(delta(67, POOL_DRAM), 0);
    assert_int_equal(delta(73, POOL_DRAM), 0);  /* deallocate of a retained tensor */
    assert_int_equal(delta(80, POOL_DRAM), 6);  /* relu */
    assert_int_equal(delta(49, POOL_DRAM), 89); /* load_cached: after the program that it ran */
    assert_true(step_at(&run, 73)->flags & STEP_RETAINED);
    assert_int_equal(overview.growth.items[0].delta, 89);
}

static void peaks_are_the_maximum_over_ranks(void **state) {
    (void)state;
    uint16_t plain = rank_named(""), tagged = rank_named("1,0");
    const struct peak *own = &overview.by_rank[plain].pools[POOL_DRAM];
    /* the blocks measured 0.269 MB at most, and the failure states more */
    assert_int_equal(own->source, PEAK_FAILURE);
    assert_true(own->at_least);
    assert_int_equal(own->allocated, 969540); /* 1016636448 B */
    assert_int_equal(own->line, 112);
    assert_int_equal(own->block, NONE);
    const struct peak *l1 = &overview.by_rank[plain].pools[POOL_L1];
    assert_int_equal(l1->source, PEAK_MEASURED);
    assert_true(l1->at_least);      /* the second main has no blocks before its ops */
    assert_int_equal(l1->line, 74); /* heading of the block */
    assert_int_equal(overview.by_rank[plain].pools[POOL_L1].allocated, 8);
    assert_int_equal(overview.by_rank[tagged].pools[POOL_DRAM].allocated, 2041500);
    assert_int_equal(overview.peaks.pools[POOL_DRAM].allocated, 2041500);
    assert_int_equal(overview.peaks.pools[POOL_DRAM].rank, tagged);
    assert_int_equal(overview.peaks.pools[POOL_DRAM].total, 4078279);
    assert_int_equal(run.ranks.items[tagged].records, 1);
    assert_int_equal(run.ranks.items[plain].records, 11);
    assert_int_equal(run.ranks.items[rank_named("1,1")].blocks, 0);
}

static void fragmentation_is_kept(void **state) {
    (void)state;
    const struct block *block = block_before(86);
    assert_int_equal(block->free[POOL_DRAM], 1021900);
    assert_int_equal(block->largest[POOL_DRAM], 1021894);
}

static const struct tensor_type *result_type(uint64_t op_line, unsigned number) {
    const struct op *op = &run.ops.items[step_at(&run, op_line)->op];
    return &run.types.items[run.refs.items[op->first_ref + op->operand_count + number].type];
}

static void sizes_are_physical(void **state) {
    (void)state;
    const struct op *typecast = &run.ops.items[step_at(&run, 58)->op];
    const struct tensor_type *weight = &run.types.items[run.refs.items[typecast->first_ref].type];
    assert_int_equal(weight->logical_bytes, 2048000);
    assert_int_equal(tensor_padded_bytes(weight, &run.geometry), 2097152);
    assert_int_equal(tensor_padded_bytes(result_type(58, 0), &run.geometry), 1114112);
    const struct tensor_type *product = result_type(67, 0);
    assert_int_equal(product->logical_bytes, 16000);
    assert_int_equal(tensor_padded_bytes(product, &run.geometry), 65536);
    assert_int_equal(tensor_per_bank_bytes(product, &run.geometry), 8192);
    assert_int_equal(tensor_padded_bytes(result_type(109, 0), &run.geometry), 131072);
    assert_slice(result_type(109, 0)->storage, "si32");
    assert_int_equal(run.ops.items[step_at(&run, 111)->op].result_count, 3);
}

static void the_registry_names_input_and_weight(void **state) {
    (void)state;
    assert_int_equal(run.registry.len, 2);
    const struct registry_entry *weight = &run.registry.items[0], *input = &run.registry.items[1];
    assert_slice(weight->name, "l__self___fc_weight");
    assert_int_equal(weight->role, ROLE_PARAMETER);
    assert_slice(weight->shape, "1024x1000");
    assert_int_equal(weight->bytes, 2048000);
    assert_slice(input->name, "args_0");
    assert_int_equal(input->role, ROLE_INPUT);
    assert_int_equal(overview.weight_count, 1);
    assert_int_equal(overview.weight_bytes, 2048000);
}

static void only_the_weight_feeds_const_eval(void **state) {
    (void)state;
    uint32_t entries[8];
    const struct step *typecast = step_at(&run, 58), *relu = step_at(&run, 80);
    assert_int_equal(step_weights(&run, typecast, entries, 8), 1);
    assert_slice(run.registry.items[entries[0]].name, "l__self___fc_weight");
    assert_int_equal(step_weights(&run, step_at(&run, 67), entries, 8), 1); /* matmul takes the cached weight */
    assert_int_equal(step_weights(&run, relu, entries, 8), 0);
    assert_false(step_is_weight_op(&run, relu));
    assert_true(step_is_weight_op(&run, typecast));
    bool miss;
    assert_slice(step_const_eval(&run, typecast, &miss), "main_const_eval_0");
    assert_true(miss);
    assert_slice(step_const_eval(&run, relu, &miss), "");
}

static void the_first_run_is_tied_to_its_module(void **state) {
    (void)state;
    assert_int_equal(run.modules.len, 2);
    const struct program *program = &run.programs.items[execution_at(48)->program];
    assert_int_not_equal(program->module, NONE);
    assert_slice(run.modules.items[program->module].stage, "ttnn");
    assert_int_equal(run.modules.items[program->module].line, 14);
    assert_true(run.modules.items[0].closed);
    assert_true(run.modules.items[1].closed);
}

static void the_failure_is_fragmentation_of_the_last_op(void **state) {
    (void)state;
    assert_int_equal(run.failures.entries.len, 1);
    const struct failure *f = &run.failures.entries.items[0].failure;
    assert_int_equal(f->kind, FAILURE_OOM);
    assert_int_equal(f->number[FAILURE_REQUESTED], 167772160);
    assert_int_equal(f->number[FAILURE_BANKS], 12);
    assert_int_equal(f->number[FAILURE_PER_BANK], 13983744);
    assert_int_equal(f->number[FAILURE_FREE], 55185344);
    assert_int_equal(f->number[FAILURE_LARGEST], 8713184);
    assert_int_equal(run.steps.items[run.failure_sites.items[0].step].line, 111);
}

static void the_cut_line_belongs_to_no_program(void **state) {
    (void)state;
    const struct step *last = step_at(&run, 120);
    assert_int_equal(last->execution, NONE);
    assert_true(run.ops.items[last->op].truncated);
    assert_slice(step_name(&run, last), "ttnn.concat");
    assert_int_equal(last->record, 11);
}

static void the_live_set_at_the_peak_is_known(void **state) {
    (void)state;
    /* before line 86: weight, input, bfp8 weight and relu's result in DRAM, matmul's result in L1 */
    struct live_set set;
    live_at(&run, (uint32_t)(step_at(&run, 86) - run.steps.items), POOL_DRAM, &set);
    assert_int_equal(set.tensors.len, 4);
    assert_int_equal(set.sum.per_bank_bytes, 86 * 2048 + 3 * 2048 + 86 * 1088 + 3 * 2048); /* = 281984 B: printed 0.269 */
    live_release(&set);
    live_at(&run, (uint32_t)(step_at(&run, 86) - run.steps.items), POOL_L1, &set);
    assert_int_equal(set.tensors.len, 1);
    assert_int_equal(set.sum.per_bank_bytes, 8192);
    live_release(&set);
    live_at(&run, (uint32_t)(step_at(&run, 93) - run.steps.items), POOL_L1, &set);
    assert_int_equal(set.tensors.len, 0);
    live_release(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_text),
        cmocka_unit_test(programs_nest_and_end),
        cmocka_unit_test(the_cache_was_missed_then_hit),
        cmocka_unit_test(blocks_are_bound_to_their_ops),
        cmocka_unit_test(growth_is_charged_to_the_op_in_front),
        cmocka_unit_test(peaks_are_the_maximum_over_ranks),
        cmocka_unit_test(fragmentation_is_kept),
        cmocka_unit_test(sizes_are_physical),
        cmocka_unit_test(the_registry_names_input_and_weight),
        cmocka_unit_test(only_the_weight_feeds_const_eval),
        cmocka_unit_test(the_first_run_is_tied_to_its_module),
        cmocka_unit_test(the_failure_is_fragmentation_of_the_last_op),
        cmocka_unit_test(the_cut_line_belongs_to_no_program),
        cmocka_unit_test(the_live_set_at_the_peak_is_known),
    };
    return cmocka_run_group_tests(tests, read_log, release_log);
}
