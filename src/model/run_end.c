/* SPDX-License-Identifier: Apache-2.0 */
/* The end of run_write.h: what only the complete run shows. Records without the void ones, the memory state after each step,
 * equal executions, their modules, the registry of arguments, the chip. */
#include <stdlib.h>
#include <string.h>

#include "model/op_types.h"
#include "model/left/left.h"
#include "model/run_write.h"
#include "parse/log.h"
#include "parse/type.h"

/* A block printed after an unmeasured op or after missing lines includes other work, so it is not the state after the op
 * before them. */
static void cut_after(struct run *run) {
    uint32_t *unmeasured = mem_alloc(sizeof *unmeasured * (run->ranks.len + 1));
    bool *lost = mem_zalloc(run->ranks.len + 1, sizeof *lost); /* between this step and the next one */
    for (size_t i = 0; i < run->ranks.len; i++) unmeasured[i] = NONE;
    for (size_t i = run->steps.len; i-- > 0;) {
        struct step *step = &run->steps.items[i];
        uint32_t *next = &unmeasured[step->rank];
        if (lost[step->rank]) *next = (uint32_t)i; /* its block may have taken values of a later one */
        lost[step->rank] = step->flags & STEP_AFTER_LOSS;
        bool is_op = step->kind == STEP_OP || step->kind == STEP_BLOCK;
        if (is_op && *next != NONE && step->after != NONE && run->blocks.items[step->after].step >= *next) step->after = NONE;
        bool is_unmeasured = step->kind == STEP_VOID || (step->kind == STEP_OP && step->block == NONE);
        if (is_unmeasured || step->flags & STEP_AFTER_LOSS) *next = (uint32_t)i;
    }
    free(lost);
    free(unmeasured);
}

/* Links every step with a block to the next printed block of the same rank; for an op that ran programs, to the first one
 * after them. */
static void link_after(struct run *run) {
    uint32_t *next = mem_alloc(sizeof *next * (run->ranks.len + 1));
    for (size_t i = 0; i < run->ranks.len; i++) next[i] = NONE;
    size_t part = run->parts.len;
    for (size_t i = run->steps.len; i-- > 0;) {
        for (; part && run->parts.items[part - 1].step > i; part--) next[run->parts.items[part - 1].rank] = NONE;
        struct step *step = &run->steps.items[i];
        /* an unmeasured op has no state after it: the next block includes the work of others */
        bool unmeasured = run->origin == RUN_LOG && step->kind == STEP_OP && step->block == NONE;
        step->after = unmeasured ? NONE : next[step->rank];
        if (step->block != NONE && !(step->flags & STEP_INSIDE)) next[step->rank] = step->block;
    }
    /* blocks are kept as printed; a late one can belong to an earlier step */
    for (size_t i = 0; i < run->ranks.len; i++) next[i] = NONE;
    part = run->parts.len;
    for (size_t i = run->blocks.len; i-- > 0;) {
        struct step *step = &run->steps.items[run->blocks.items[i].step];
        for (; part && run->parts.items[part - 1].step > run->blocks.items[i].step; part--)
            next[run->parts.items[part - 1].rank] = NONE;
        if (step->block != i) continue;
        step->after = next[step->rank];
        if (!(step->flags & STEP_INSIDE)) next[step->rank] = (uint32_t)i;
    }
    free(next);
    if (run->origin == RUN_LOG && !run->told_by_files) cut_after(run); /* frees in a report's files have no blocks */
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        if (execution->caller == NONE || execution->end_step <= execution->first_step) continue;
        uint32_t last = execution->end_step - 1;
        bool is_log = run->origin == RUN_LOG;
        while (last > execution->first_step &&
               (run->steps.items[last].rank != execution->rank || (is_log && run->steps.items[last].block == NONE)))
            last--; /* back to the last measured step: the block after it is the first after the program */
        bool unmeasured = is_log && run->steps.items[execution->caller].block == NONE;
        if (unmeasured || (execution->end_step == run->steps.len && !execution->finished))
            run->steps.items[execution->caller].after = NONE;
        else run->steps.items[execution->caller].after = run->steps.items[last].after;
    }
}

enum { OTHER_LINES = UINT32_MAX };

static bool is_ttnn(const struct module *module) { return slice_starts(module->stage, SLICE("ttnn")); }

/* Does the module's function begin with the ops of this execution? Finished executions must match completely. */
static bool fits(const struct module *module, const struct run *run, const struct execution *execution, bool with_places) {
    const struct module_text *text = &module->text;
    if (!execution->own_ops) return false;
    for (size_t i = 0; i < text->functions.len; i++) {
        const struct module_function *f = &text->functions.items[i];
        if (!slice_equal(f->name, run_string(run, execution->name))) continue;
        if (f->op_count < execution->own_ops || (execution->finished && f->op_count != execution->own_ops)) continue;
        uint32_t last = f->first_op + execution->own_ops - 1;
        if (with_places ? text->place_prefix.items[last] == execution->place_key : text->prefix.items[last] == execution->key)
            return true;
    }
    return false;
}

/* Do the types of the arguments that the execution used agree with the module's signature? This decides between modules that
 * differ only in shapes. */
static bool arguments_agree(const struct run *run, const struct module *module, uint32_t number) {
    const struct execution *execution = &run->executions.items[number];
    const struct module_function *f = module_main(&module->text);
    if (!f) return true;
    for (uint32_t i = execution->first_step; i < execution->end_step && i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->execution != number || step->op == NONE) continue;
        const struct op *op = &run->ops.items[step->op];
        for (unsigned k = 0; k < op->operand_count; k++) {
            const struct op_ref *ref = &run->refs.items[op->first_ref + k];
            uint32_t argument = (ref->value & ~(uint32_t)VALUE_ARG) - 1;
            if (!(ref->value & VALUE_ARG) || argument >= f->argument_count) continue;
            struct tensor_type type;
            type_parse(module->text.arguments.items[f->first_argument + argument].type, &type);
            const struct tensor_type *used = &run->types.items[ref->type];
            if (!slice_equal(type.shape, used->shape) || !slice_equal(type.dtype, used->dtype)) return false;
        }
    }
    return true;
}

/* The module of an execution: of the dumps that fit, the last one before it, else the first one after it. */
static uint32_t find_module(const struct run *run, uint32_t number) {
    const struct execution *execution = &run->executions.items[number];
    for (int strictness = 3; strictness >= 0; strictness--) {
        bool with_places = strictness & 1, with_arguments = strictness & 2;
        uint32_t found = NONE;
        for (size_t i = 0; i < run->modules.len; i++) {
            const struct module *module = &run->modules.items[i];
            if (!is_ttnn(module) || !fits(module, run, execution, with_places)) continue;
            if (with_arguments && !arguments_agree(run, module, number)) continue;
            if (found == NONE || module->line < execution->start_line) found = (uint32_t)i;
        }
        if (found != NONE) return found;
    }
    return NONE;
}

/* Is one execution the beginning of another? For executions that ended early. */
static bool is_beginning(const struct run *run, const struct execution *part, const struct execution *whole) {
    uint32_t a = part->first_step, b = whole->first_step, number = part->top, other = whole->top;
    for (;;) {
        while (a < part->end_step && (run->steps.items[a].execution != number || run->steps.items[a].op == NONE)) a++;
        while (b < whole->end_step && (run->steps.items[b].execution != other || run->steps.items[b].op == NONE)) b++;
        if (a >= part->end_step) return true;
        if (b >= whole->end_step) return false;
        uint32_t x = run->steps.items[a].op, y = run->steps.items[b].op;
        if (x != y && !run->ops.items[x].truncated) return false;
        a++;
        b++;
    }
}

static uint32_t find_program(const struct run *run, const struct map *by_key, const struct execution *execution,
                             struct hash128 key) {
    const uint32_t *known = map_find(by_key, key);
    if (known) return *known;
    if (execution->finished) return NONE;
    for (size_t i = 0; i < run->programs.len; i++) {
        const struct program *program = &run->programs.items[i];
        const struct execution *first = &run->executions.items[program->first_execution];
        if (program->name == execution->name && first->own_ops >= execution->own_ops && is_beginning(run, execution, first))
            return (uint32_t)i;
    }
    return NONE;
}

static void link_programs(struct run *run) {
    struct map by_key = {0};
    for (size_t i = 0; i < run->executions.len; i++) {
        struct execution *execution = &run->executions.items[i];
        if (execution->parent != NONE) continue;
        struct hash128 key = {hash_mix(execution->text_key, execution->own_ops), hash_mix(execution->key, execution->name)};
        uint32_t number = find_program(run, &by_key, execution, key);
        if (number == NONE) {
            number = (uint32_t)run->programs.len;
            vec_push(&run->programs, ((struct program){.name = execution->name,
                                                       .module = find_module(run, (uint32_t)i),
                                                       .first_execution = (uint32_t)i,
                                                       .first_record = NONE,
                                                       .last_record = NONE}));
            bool added;
            *map_at(&by_key, key, &added) = number;
        }
        execution->program = number;
        run->programs.items[number].runs++;
    }
    map_release(&by_key);
    for (size_t i = 0; i < run->records.len; i++) {
        uint32_t number = step_program(run, &run->steps.items[run->records.items[i]]);
        if (number == NONE) continue;
        struct program *program = &run->programs.items[number];
        if (program->first_record == NONE) program->first_record = (uint32_t)i;
        program->last_record = (uint32_t)i;
        program->records++;
    }
}

/* Links the ops of an execution with those of its function, in order. */
static void link_lines(struct run *run, uint32_t number, const struct module_text *text) {
    const struct execution *execution = &run->executions.items[number];
    const struct module_function *f = NULL;
    for (size_t i = 0; i < text->functions.len && !f; i++)
        if (slice_equal(text->functions.items[i].name, run_string(run, execution->name))) f = &text->functions.items[i];
    uint32_t at = 0;
    for (uint32_t i = execution->first_step; f && i < execution->end_step && i < run->steps.len && at < f->op_count; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->execution != number || step->op == NONE) continue;
        struct op *op = &run->ops.items[step->op];
        uint32_t line = text->ops.items[f->first_op + at++].line;
        op->ir_line = !op->ir_line || op->ir_line == line ? line : OTHER_LINES;
    }
}

/* Finds the module line of each op, from the first execution of each program and the programs nested in it. */
static void link_ir(struct run *run) {
    bool *done = mem_zalloc(run->programs.len + 1, sizeof *done);
    uint32_t under_way = NONE;
    for (uint32_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        if (execution->parent == NONE) {
            under_way = done[execution->program] ? NONE : execution->program;
            done[execution->program] = true;
        }
        const struct execution *top = &run->executions.items[execution->top];
        if (under_way == NONE || execution->top >= run->executions.len || top->program != under_way) continue;
        uint32_t module = run->programs.items[under_way].module;
        if (module != NONE) link_lines(run, i, &run->modules.items[module].text);
    }
    for (size_t i = 0; i < run->ops.len; i++)
        if (run->ops.items[i].ir_line == OTHER_LINES) run->ops.items[i].ir_line = 0;
    free(done);
}

/* The value of a stage's signature: TTNN is what runs; the others are substitutes. */
static int signature_rank(struct slice stage) {
    static const char *const best_first[] = {"ttnn",          "ttnn_runtime", "ttir", "shlo_frontend", "shlo_compiler_cleaned",
                                             "shlo_compiler", "shlo",         "vhlo"};
    for (int i = 0; i < 8; i++)
        if (slice_equal(stage, slice_from(best_first[i]))) return 8 - i;
    return 0;
}

static void add_entry(struct run_writer *w, uint32_t module, uint32_t program, const struct module_argument *argument) {
    struct tensor_type type, local;
    type_parse(argument->type, &type);
    type_parse(argument->local_type, &local);
    bool has_local = local.kind == TYPE_TENSOR;
    const struct tensor_type *sized = has_local ? &local : &type;
    run_write_registry(w, &(struct registry_entry){.argument = argument->number,
                                                   .module = module,
                                                   .set = w->run->modules.items[module].set,
                                                   .program = program,
                                                   .role = argument->role,
                                                   .kv_cache = argument->kv_cache || is_cache_name(argument->name),
                                                   .name = argument->name,
                                                   .shape = type.shape,
                                                   .local_shape = has_local ? local.shape : slice_of("", 0),
                                                   .dtype = type.dtype,
                                                   .bytes = sized->logical_known ? sized->logical_bytes : 0,
                                                   .bytes_known = sized->logical_known});
}

/* The argument of this number in another stage of the same compilation. */
static const struct module_argument *argument_in(const struct module_text *text, uint32_t number) {
    const struct module_function *f = module_main(text);
    for (uint32_t i = 0; f && i < f->argument_count; i++)
        if (text->arguments.items[f->first_argument + i].number == number) return &text->arguments.items[f->first_argument + i];
    return NULL;
}

/* Adds what the chosen stage does not say about an argument: an early pass writes roles and names. */
static struct module_argument completed(const struct run *run, uint32_t set, struct module_argument argument) {
    for (size_t i = 0; i < run->modules.len && argument.role == ROLE_UNKNOWN; i++) {
        const struct module *module = &run->modules.items[i];
        if (module->set != set) continue;
        const struct module_argument *other = argument_in(&module->text, argument.number);
        if (!other || other->role == ROLE_UNKNOWN) continue;
        argument.role = other->role;
        if (other->name.len) argument.name = other->name;
    }
    return argument;
}

static void link_registry(struct run_writer *w) {
    struct run *run = w->run;
    uint32_t sets = run_compilations(run);
    for (uint32_t set = 0; set < sets; set++) {
        uint32_t best = NONE, program = NONE;
        for (size_t i = 0; i < run->modules.len; i++) {
            const struct module *module = &run->modules.items[i];
            if (module->set != set || !module_main(&module->text)) continue;
            if (best == NONE || signature_rank(module->stage) > signature_rank(run->modules.items[best].stage))
                best = (uint32_t)i;
        }
        if (best == NONE) continue;
        const struct module_text *text = &run->modules.items[best].text;
        const struct module_function *f = module_main(text);
        for (size_t i = 0; i < run->programs.len; i++) {
            struct program *p = &run->programs.items[i];
            if (p->module == NONE || run->modules.items[p->module].set != set) continue;
            if (program == NONE) program = (uint32_t)i;
            p->first_entry = (uint32_t)run->registry.len;
            p->entry_count = f->argument_count;
        }
        for (uint32_t i = 0; i < f->argument_count; i++) {
            struct module_argument argument = completed(run, set, text->arguments.items[f->first_argument + i]);
            add_entry(w, best, program, &argument);
        }
    }
}

/* Programs of one model (prefill and decode) get the same weights: equal name, shape and element type on one rank mean one
 * buffer, as long as its device is not opened again. Two arguments of one program are two buffers. */
void run_link_buffers(struct run *run) {
    struct map named = {0};
    for (uint32_t i = 0; i < run->registry.len; i++) {
        struct registry_entry *entry = &run->registry.items[i];
        entry->buffer = i;
        entry->users = 1;
        if (!registry_is_weight(entry) || !entry->name.len) continue;
        uint64_t shape = hash_mix(hash_bytes64(entry->shape), hash_bytes64(entry->local_shape));
        uint64_t opening = (uint64_t)registry_part(run, entry) << 16 | registry_rank(run, entry);
        uint64_t name = hash_mix(hash_bytes64(entry->name), opening);
        bool added;
        uint32_t *first = map_at(&named, (struct hash128){name, hash_mix(shape, hash_bytes64(entry->dtype))}, &added);
        if (added) *first = i;
        else if (run->registry.items[*first].set != entry->set || run->registry.items[*first].program != entry->program) {
            entry->buffer = *first;
            run->registry.items[*first].users++;
        }
    }
    map_release(&named);
}

/* Whatever an op uses as a KV cache is one, even if its program's module does not say so. */
static void link_caches(struct run *run) {
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!tensor->kv_cache || tensor->class != TENSOR_ARGUMENT || tensor->execution == NONE) continue;
        uint32_t entry = program_argument(run, run->executions.items[tensor->execution].program, tensor->argument);
        if (entry != NONE) run->registry.items[entry].kv_cache = true;
    }
}

/* Does a chip have that many banks? A sharded buffer is in fewer, and its message names those. */
static bool is_device_banks(const struct run *run, bool dram, unsigned banks) {
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        if (run->chip && strcmp(run->chip->arch, chip->arch) != 0) continue;
        if (dram ? chip->dram_banks == banks : chip->l1_bank_counts[0] && chip_fits(chip, 0, banks)) return true;
    }
    return false;
}

/* Without memory blocks a failure message may give the number of banks. */
static void link_failure_banks(struct run *run) {
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure *f = &run->failures.entries.items[i].failure;
        bool dram = f->pool == FAILURE_DRAM, l1 = f->pool == FAILURE_L1;
        uint64_t banks = failure_knows(f, FAILURE_BANKS) ? f->number[FAILURE_BANKS] : 0;
        if (!banks || banks > UINT16_MAX || !(dram || l1) || !is_device_banks(run, dram, (unsigned)banks)) continue;
        if (dram && !run->geometry.dram_banks) run->geometry.dram_banks = (unsigned)banks;
        if (l1 && !run->geometry.l1_banks) run->geometry.l1_banks = (unsigned)banks;
        if (dram && !run->chip && failure_knows(f, FAILURE_BANK))
            run->chip = chip_guess((unsigned)banks, run->geometry.l1_banks, f->number[FAILURE_BANK]);
    }
}

/* If the banks fit several boards, or nothing else decides, the name in the log counts. */
static void link_logged_chip(struct run *run) {
    const struct chip *named = run->logged_chip;
    if (!run->mesh.len && run->logged_mesh) run->mesh = arena_copy(&run->arena, run_string(run, run->logged_mesh));
    if (!named) return;
    if (!run->chip) run->chip = named;
    else if (run->chip == chip_of_arch(named) && chip_fits(named, run->geometry.dram_banks, run->geometry.l1_banks))
        run->chip = named;
}

/* Without memory blocks, a module's system description names the chip and its banks; without that, the chip if all its
 * boards have the same banks. */
static void link_chip(struct run *run) {
    link_failure_banks(run);
    for (size_t i = 0; i < run->modules.len; i++) {
        const struct module_text *text = &run->modules.items[i].text;
        if (!run->mesh.len && text->mesh.len) run->mesh = text->mesh;
        if (!text->arch.len) continue;
        if (!run->chip) run->chip = chip_find(text->arch);
        if (!run->geometry.dram_align && text->dram_align) run->geometry.dram_align = (unsigned)text->dram_align;
        if (!run->geometry.dram_banks) run->geometry.dram_banks = (unsigned)text->dram_banks;
        if (!run->geometry.l1_banks) run->geometry.l1_banks = (unsigned)text->l1_banks;
    }
    if (run->origin == RUN_LOG) link_logged_chip(run);
    if (!run->chip) return;
    if (!run->geometry.dram_align) run->geometry.dram_align = run->chip->dram_align;
    if (!run->geometry.l1_align) run->geometry.l1_align = run->chip->l1_align;
    if (!run->geometry.dram_banks) run->geometry.dram_banks = chip_sure_dram_banks(run->chip);
    if (!run->geometry.l1_banks) run->geometry.l1_banks = chip_sure_l1_banks(run->chip);
}

/* Counts what a log should contain but does not; other inputs record states where they have them. */
static void count_omissions(struct run *run) {
    unsigned seen[POOL_COUNT] = {0};
    for (size_t i = 0; i < run->configs.len; i++)
        if (seen[run->configs.items[i].pool]++ && run->ranks.len < 2) run_warn(run, WARN_CONFIG_CHANGED, 0);
    bool any_block = false;
    for (size_t i = 0; i < run->ranks.len; i++) any_block = any_block || run->ranks.items[i].blocks;
    if (!any_block) return;
    bool per_op = false;
    for (size_t i = 0; i < run->blocks.len && !per_op; i++) per_op = block_is_of_op(run, &run->blocks.items[i]);
    for (size_t i = 0; per_op && i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->block != NONE || step->kind != STEP_OP) continue;
        if (run->file_count) run->reading = run->ranks.items[step->rank].name;
        run_warn(run, WARN_OP_WITHOUT_BLOCK, step->line);
    }
    run->reading = 0;
}

static void renumber_records(struct run *run) {
    size_t kept = 0;
    for (size_t i = 0; i < run->records.len; i++) {
        struct step *step = &run->steps.items[run->records.items[i]];
        bool is_void = step->kind == STEP_VOID;
        step->record = is_void ? NONE : (uint32_t)kept;
        if (is_void) {
            run->ranks.items[step->rank].records--;
            if (step->execution != NONE) run->executions.items[step->execution].own_records--;
        } else {
            run->records.items[kept++] = run->records.items[i];
        }
    }
    run->records.len = kept;
}

void run_write_end(struct run_writer *w) {
    struct run *run = w->run;
    if (w->has_void) renumber_records(run);
    link_programs(run);
    if (run->origin == RUN_LOG && !run->told_by_files) run_link_partial(run);
    link_after(run);
    link_ir(run);
    link_registry(w);
    link_caches(run);
    run_link_buffers(run);
    link_chip(run);
    run_link_lifetimes(w);
    run_link_left(run);
    run_link_devices(run);
    if (run->origin == RUN_LOG) count_omissions(run);
    map_release(&w->ops);
    map_release(&w->types);
}
