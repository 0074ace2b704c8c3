/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run.h"

#include "base/num.h"

const char *const warning_names[WARN_COUNT] = {
    [WARN_TRUNCATED_OP] = "truncated_ops",
    [WARN_JOINED_OP] = "joined_ops",
    [WARN_PARTIAL_BLOCK] = "partial_blocks",
    [WARN_EMPTY_BLOCK] = "empty_blocks",
    [WARN_BLOCK_WITHOUT_HEADING] = "blocks_without_heading",
    [WARN_MALFORMED_POOL] = "malformed_pool_lines",
    [WARN_OP_WITHOUT_BLOCK] = "ops_without_block",
    [WARN_UNFINISHED_PROGRAM] = "unfinished_programs",
    [WARN_FINISH_WITHOUT_START] = "finishes_without_start",
    [WARN_UNCLOSED_MODULE] = "unclosed_modules",
    [WARN_CONFIG_CHANGED] = "memory_config_changes",
    [WARN_CUT_INPUT] = "cut_input",
    [WARN_LOST_LINES] = "lost_lines",
    [WARN_DROPPED] = "dropped_messages",
    [WARN_PARTS_UNREAD] = "parts_unread",
    [WARN_NEWER_SCHEMA] = "newer_schema",
    [WARN_PER_CORE_L1] = "per_core_l1",
    [WARN_RANK_UNREAD] = "ranks_unread",
};

void run_warn(struct run *run, enum warning kind, uint64_t line) {
    if (run->warnings[kind]++) return;
    run->first_warning_line[kind] = line;
    run->first_warning_file[kind] = line ? run->reading : 0;
}

struct slice run_site_op(const struct run *run, const struct failure_site *site) {
    const uint32_t ids[] = {site->op, site->call, site->runtime_op, site->caller, site->inner, site->op_log};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i]) return run_string(run, ids[i]);
    return slice_of("", 0);
}

void run_release(struct run *run) {
    for (size_t i = 0; i < run->modules.len; i++) {
        module_release(&run->modules.items[i].text);
        vec_release(&run->modules.items[i].runs);
    }
    strtab_release(&run->strings);
    arena_release(&run->arena);
    vec_release(&run->types);
    vec_release(&run->ops);
    vec_release(&run->refs);
    vec_release(&run->steps);
    vec_release(&run->times);
    vec_release(&run->ends);
    vec_release(&run->blocks);
    vec_release(&run->rests);
    vec_release(&run->configs);
    vec_release(&run->executions);
    vec_release(&run->programs);
    vec_release(&run->tensors);
    vec_release(&run->addresses);
    vec_release(&run->moves);
    vec_release(&run->regions);
    vec_release(&run->l1_areas);
    vec_release(&run->modules);
    vec_release(&run->registry);
    failure_set_release(&run->failures);
    vec_release(&run->failure_sites);
    vec_release(&run->failure_places);
    vec_release(&run->alive_buffers);
    failure_set_release(&run->notes);
    vec_release(&run->note_sites);
    vec_release(&run->ranks);
    vec_release(&run->parts);
    vec_release(&run->records);
    argsets_release(&run->argsets);
    if (run->host) host_record_release(run->host);
    free(run->host);
    if (run->kv) kv_cache_release(run->kv);
    free(run->kv);
    if (run->inspector) {
        vec_release(&run->inspector->pass_programs);
        vec_release(&run->inspector->op_programs);
        vec_release(&run->inspector->slacks);
    }
    free(run->inspector);
}

struct hash128 run_content(const struct run *run) {
    return run->content.low || run->content.high ? run->content : hash_bytes(run->text);
}

struct slice run_op_text(const struct run *run, const struct op *op) {
    if (op->text) return run_string(run, op->text);
    if (op->offset > run->text.len || op->length > run->text.len - op->offset) return slice_of("", 0);
    return slice_of(run->text.ptr + op->offset, op->length);
}

struct slice step_name(const struct run *run, const struct step *step) {
    return run_string(run, step->op != NONE ? run->ops.items[step->op].name : step->op_type);
}

uint32_t step_top(const struct run *run, const struct step *step) {
    return step->execution == NONE ? NONE : run->executions.items[step->execution].top;
}

struct slice step_const_eval(const struct run *run, const struct step *step, bool *miss) {
    for (uint32_t i = step->execution; i != NONE; i = run->executions.items[i].parent) {
        const struct execution *execution = &run->executions.items[i];
        if (!execution->const_eval) continue;
        *miss = execution->cache_miss;
        return run_string(run, execution->name);
    }
    *miss = false;
    return slice_of("", 0);
}

bool run_tells_ops(const struct run *run) { return run->origin != RUN_LOG || run->op_lines || run->executions.len; }

uint32_t step_program(const struct run *run, const struct step *step) {
    uint32_t top = step_top(run, step);
    return top == NONE ? NONE : run->executions.items[top].program;
}

uint32_t program_argument(const struct run *run, uint32_t program, uint32_t argument) {
    if (program == NONE) return NONE;
    const struct program *p = &run->programs.items[program];
    /* arguments are listed in order, so the position is the number unless the signature is unusual */
    if (argument < p->entry_count && run->registry.items[p->first_entry + argument].argument == argument)
        return p->first_entry + argument;
    for (uint32_t i = 0; i < p->entry_count; i++)
        if (run->registry.items[p->first_entry + i].argument == argument) return p->first_entry + i;
    return NONE;
}

size_t step_weights(const struct run *run, const struct step *step, uint32_t *out, size_t room) {
    uint32_t program = step_program(run, step), count;
    const uint32_t *arguments = argset_members(&run->argsets, step->arguments, &count);
    size_t used = 0;
    if (program == NONE) return 0;
    for (uint32_t i = 0; i < count && used < room; i++) {
        uint32_t entry = program_argument(run, program, arguments[i]);
        if (entry == NONE) continue;
        enum argument_role role = run->registry.items[entry].role;
        if (role == ROLE_PARAMETER || role == ROLE_CONSTANT) out[used++] = entry;
    }
    return used;
}

bool step_is_weight_op(const struct run *run, const struct step *step) {
    bool miss;
    uint32_t one;
    return step_const_eval(run, step, &miss).len > 0 || step_weights(run, step, &one, 1) > 0;
}

uint32_t run_compilations(const struct run *run) {
    uint32_t sets = 0;
    for (size_t i = 0; i < run->modules.len; i++)
        if (run->modules.items[i].set >= sets) sets = run->modules.items[i].set + 1;
    return sets;
}

uint32_t run_part_end(const struct run *run, uint16_t rank, uint32_t step) {
    for (size_t i = 0; i < run->parts.len; i++)
        if (run->parts.items[i].rank == rank && run->parts.items[i].step > step) return run->parts.items[i].step;
    return NONE;
}

uint32_t registry_part(const struct run *run, const struct registry_entry *entry) {
    uint16_t rank = registry_rank(run, entry);
    bool ran = entry->program != NONE && entry->program < run->programs.len;
    uint32_t first = ran ? run->programs.items[entry->program].first_execution : NONE;
    if (first >= run->executions.len) first = NONE;
    uint32_t part = 0;
    for (size_t i = 0; i < run->parts.len; i++) {
        const struct run_part *begun = &run->parts.items[i];
        if (begun->rank != rank) continue;
        bool before_run = first != NONE && begun->step <= run->executions.items[first].first_step;
        part += before_run || (entry->module != NONE && begun->line <= run->modules.items[entry->module].line);
    }
    return part;
}

uint32_t run_rank_index(const struct run *run, uint16_t rank) {
    uint32_t before = 0;
    for (size_t i = 0; i < rank; i++) before += run->ranks.items[i].name != 0;
    return run->ranks.items[rank].name ? before : NONE;
}

bool run_has_ranks(const struct run *run) {
    size_t count = 0;
    for (size_t i = 0; i < run->ranks.len && count < 2; i++) count += run->ranks.items[i].records || run->ranks.items[i].blocks;
    return count > 1;
}

uint64_t run_mesh_chips(const struct run *run) {
    uint64_t chips = run->mesh.len > 0, n;
    for (struct slice rest = run->mesh; rest.len;) {
        size_t used = num_read_u64(rest, &n);
        if (!used || !num_mul(chips, n, &chips)) return 0;
        rest = slice_skip(rest, used + 1);
    }
    return chips;
}
