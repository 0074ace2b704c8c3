/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetimes that only the complete log shows. Results stay until their program runs again, or until they become arguments of
 * another one (run_handed.c). Device arguments that only the signature shows are added, and the same tensor passed to
 * several programs (equal name, shape and element type) is counted once. */
#include <stdlib.h>

#include "model/run_write.h"
#include "parse/type.h"

/* Arguments with a tensor, keyed by program, rank, number and part of the run. */
static struct hash128 argument_key(uint32_t program, uint16_t rank, uint32_t argument, uint32_t part_end) {
    return (struct hash128){hash_mix(program, (uint64_t)rank << 32 | argument),
                            hash_mix(argument, (uint64_t)part_end << 16 | rank)};
}

static void find_arguments(const struct run *run, struct map *out) {
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (tensor->class != TENSOR_ARGUMENT || tensor->execution == NONE) continue;
        bool added;
        uint32_t part_end = run_part_end(run, tensor->rank, tensor->born);
        map_at(out, argument_key(run->executions.items[tensor->execution].program, tensor->rank, tensor->argument, part_end),
               &added);
    }
}

static void add_unused(struct run_writer *w, const struct map *known, uint32_t number, uint16_t rank, uint32_t first_step,
                       uint32_t execution) {
    struct run *run = w->run;
    const struct program *program = &run->programs.items[number];
    struct module_text *text = &run->modules.items[program->module].text;
    const struct module_function *f = module_main(text);
    uint32_t part_end = run_part_end(run, rank, first_step);
    for (uint32_t i = 0; f && i < f->argument_count; i++) {
        const struct module_argument *argument = &text->arguments.items[f->first_argument + i];
        if (program_argument(run, number, argument->number) == NONE ||
            map_find(known, argument_key(number, rank, argument->number, part_end)))
            continue;
        struct tensor_type type;
        type_parse(module_full_type(text, argument->type), &type);
        if (!tensor_on_device(&type)) continue;
        uint32_t set = argset_one(&run->argsets, argument->number);
        struct tensor tensor = {.type = run_write_type(w, &type),
                                .born = first_step,
                                .gone = part_end,
                                .producer = NONE,
                                .last_use = NONE,
                                .execution = execution,
                                .argument = argument->number,
                                .arguments = set,
                                .references = 1,
                                .rank = rank,
                                .class = TENSOR_ARGUMENT};
        run_write_tensor(w, &tensor);
    }
}

/* Adds them at the first run of every program on every rank, in every part of the run. */
static void add_all_unused(struct run_writer *w) {
    struct run *run = w->run;
    size_t pairs = run->programs.len * run->ranks.len;
    if (!pairs || pairs > 1 << 20) return;
    struct map known = {0};
    find_arguments(run, &known);
    uint32_t *seen = mem_zalloc(pairs, sizeof *seen); /* end of the part that was handled last */
    for (size_t i = 0; i < run->executions.len; i++) {
        const struct execution *execution = &run->executions.items[i];
        if (execution->parent != NONE) continue;
        size_t pair = execution->program * run->ranks.len + execution->rank;
        uint32_t part_end = run_part_end(run, execution->rank, execution->first_step);
        if (seen[pair] == part_end) continue;
        seen[pair] = part_end;
        if (run->programs.items[execution->program].module != NONE)
            add_unused(w, &known, execution->program, execution->rank, execution->first_step, (uint32_t)i);
    }
    map_release(&known);
    free(seen);
}

/* Distinguishes buffers of one name and shape. The text of a type does not, because signatures and op lines spell layouts
 * differently. */
static uint64_t kind_of_buffer(const struct tensor_type *type) {
    uint64_t form = (uint64_t)type->buffer << 16 | (uint64_t)type->memory_layout << 8 | type->tiled;
    return hash_mix(hash_mix(hash_bytes64(type->storage), form), hash_mix(type->page_bytes, type->shards * type->shard_pages));
}

/* Of tensors that are the same buffer, the earliest stays and lives as long as the longest. */
static void unify_named(struct run *run) {
    struct map named = {0};
    for (size_t i = 0; i < run->tensors.len; i++) {
        struct tensor *tensor = &run->tensors.items[i];
        bool is_one_already = tensor->born == tensor->gone;
        if (tensor->class != TENSOR_ARGUMENT || tensor->execution == NONE || is_one_already) continue;
        uint32_t number = program_argument(run, run->executions.items[tensor->execution].program, tensor->argument);
        if (number == NONE || !run->registry.items[number].name.len) continue;
        const struct registry_entry *entry = &run->registry.items[number];
        uint64_t name = hash_bytes64(entry->name), shape = hash_mix(hash_bytes64(entry->shape), hash_bytes64(entry->dtype));
        bool added;
        struct hash128 key = {hash_mix(name, tensor->rank), hash_mix(shape, kind_of_buffer(&run->types.items[tensor->type]))};
        uint32_t *first = map_at(&named, key, &added);
        if (added) {
            *first = (uint32_t)i;
            continue;
        }
        struct tensor *kept = &run->tensors.items[*first];
        if (kept->gone <= tensor->born) {
            *first = (uint32_t)i; /* it was freed in between, so this is another buffer */
            continue;
        }
        if (tensor->born < kept->born) kept->born = tensor->born;
        if (tensor->gone > kept->gone) kept->gone = tensor->gone;
        kept->kv_cache |= tensor->kv_cache;
        if (tensor->last_use != NONE && (kept->last_use == NONE || tensor->last_use > kept->last_use))
            kept->last_use = tensor->last_use;
        tensor->born = tensor->gone = 0;
    }
    map_release(&named);
}

static const struct module_function *function_of(const struct run *run, const struct program *program) {
    const struct module_text *text = program->module == NONE ? NULL : &run->modules.items[program->module].text;
    for (size_t i = 0; text && i < text->functions.len; i++)
        if (slice_equal(text->functions.items[i].name, run_string(run, program->name))) return &text->functions.items[i];
    return NULL;
}

static bool is_result(const struct run *run, const struct program *program, const struct module_function *f, uint32_t value) {
    const uint32_t *results = run->modules.items[program->module].text.results.items;
    for (uint32_t i = 0; i < f->result_count; i++)
        if (results[f->first_result + i] == value) return true;
    return false;
}

/* If the module of a program lists what it returns, everything else goes with the program. */
static void end_unreturned(struct run *run) {
    for (size_t i = 0; i < run->tensors.len; i++) {
        struct tensor *tensor = &run->tensors.items[i];
        if (!tensor->returned || !tensor->held_as || tensor->gone != NONE || tensor->execution == NONE) continue;
        const struct execution *execution = &run->executions.items[tensor->execution];
        const struct program *program = &run->programs.items[execution->program];
        const struct module_function *f = function_of(run, program);
        if (!f || !f->result_count || is_result(run, program, f, tensor->held_as)) continue;
        tensor->returned = false;
        tensor->gone = execution->end_step;
    }
}

/* The host releases a program's results when it runs the program again. */
static void end_results(struct run *run) {
    size_t pairs = run->programs.len * run->ranks.len;
    if (!pairs || pairs > 1 << 24) return;
    uint32_t *latest = mem_alloc(pairs * sizeof *latest), *next = mem_alloc((run->executions.len + 1) * sizeof *next);
    for (size_t i = 0; i < pairs; i++) latest[i] = NONE;
    for (size_t i = run->executions.len; i-- > 0;) {
        const struct execution *execution = &run->executions.items[i];
        if (execution->parent != NONE) continue;
        size_t pair = execution->program * run->ranks.len + execution->rank;
        next[i] = latest[pair];
        latest[pair] = execution->first_step;
    }
    for (size_t i = 0; i < run->tensors.len; i++) {
        struct tensor *tensor = &run->tensors.items[i];
        if (tensor->returned && tensor->gone == NONE && tensor->execution != NONE) tensor->gone = next[tensor->execution];
    }
    free(latest);
    free(next);
}

void run_link_arguments(struct run_writer *w) {
    add_all_unused(w);
    unify_named(w->run);
}

void run_link_lifetimes(struct run_writer *w) {
    end_unreturned(w->run);
    end_results(w->run);
    run_link_arguments(w);
    run_link_handed(w->run);
}
