/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run_write.h"

void run_write_begin(struct run_writer *w, struct run *run, enum run_origin origin) {
    *w = (struct run_writer){.run = run};
    run->origin = origin;
    strtab_id(&run->strings, slice_of("", 0));
}

uint16_t run_write_rank(struct run_writer *w, struct slice name, bool *added) {
    struct run *run = w->run;
    uint32_t id = strtab_id(&run->strings, name);
    *added = false;
    for (size_t i = 0; i < run->ranks.len; i++)
        if (run->ranks.items[i].name == id) return (uint16_t)i;
    if (run->ranks.len == UINT16_MAX) return UINT16_MAX - 1;
    *added = true;
    vec_push(&run->ranks, ((struct rank){.name = id}));
    return (uint16_t)(run->ranks.len - 1);
}

uint32_t run_write_type(struct run_writer *w, const struct tensor_type *type) {
    struct run *run = w->run;
    bool added;
    uint32_t *id = map_at(&w->types, hash_bytes(type->text), &added);
    if (!added) return *id;
    struct tensor_type kept = *type;
    kept.text = arena_copy(&run->arena, type->text);
    struct slice *const parts[] = {&kept.shape, &kept.dtype, &kept.grid, &kept.memref, &kept.storage};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *at = parts[i]->ptr;
        bool inside = parts[i]->len && at >= type->text.ptr && at < type->text.ptr + type->text.len;
        if (!parts[i]->len) parts[i]->ptr = "";
        else if (inside) parts[i]->ptr = kept.text.ptr + (at - type->text.ptr);
        else *parts[i] = arena_copy(&run->arena, *parts[i]);
    }
    vec_push(&run->types, kept);
    return *id = (uint32_t)run->types.len - 1;
}

uint32_t run_write_known_op(const struct run_writer *w, struct hash128 hash) {
    const uint32_t *id = map_find(&w->ops, hash);
    return id ? *id : NONE;
}

uint32_t run_write_op(struct run_writer *w, const struct op *op, const struct op_ref *refs) {
    struct run *run = w->run;
    bool added;
    uint32_t *id = map_at(&w->ops, op->hash, &added);
    if (!added) return *id;
    *id = (uint32_t)run->ops.len;
    vec_push(&run->ops, *op);
    vec_last(&run->ops).first_ref = (uint32_t)run->refs.len;
    for (unsigned i = 0; i < (unsigned)op->operand_count + op->result_count; i++) vec_push(&run->refs, refs[i]);
    return *id;
}

struct step *run_write_step(struct run_writer *w, uint16_t rank, enum step_kind kind, uint64_t line) {
    vec_push(&w->run->steps, ((struct step){.line = line,
                                            .op = NONE,
                                            .block = NONE,
                                            .after = NONE,
                                            .execution = NONE,
                                            .record = NONE,
                                            .rank = rank,
                                            .kind = (uint8_t)kind}));
    return &vec_last(&w->run->steps);
}

void run_write_record(struct run_writer *w, struct step *step) {
    struct run *run = w->run;
    step->record = (uint32_t)run->records.len;
    run->ranks.items[step->rank].records++;
    if (step->execution != NONE) run->executions.items[step->execution].own_records++;
    vec_push(&run->records, (uint32_t)(step - run->steps.items));
}

void run_write_void(struct run_writer *w, struct step *step) {
    step->kind = STEP_VOID;
    w->has_void = true;
}

uint16_t run_write_other_config(struct run_writer *w, enum pool pool, uint32_t banks, uint32_t total, int16_t rest) {
    struct run *run = w->run;
    for (size_t i = run->configs.len; i-- > 0;)
        if (run_write_is_config(&run->configs.items[i], pool, banks, total, rest)) return w->last_config[pool] = (uint16_t)i;
    if (run->configs.len == UINT16_MAX) return UINT16_MAX - 1;
    vec_push(&run->configs, ((struct pool_config){.pool = (uint8_t)pool, .rest = rest, .banks = banks, .total = total}));
    return w->last_config[pool] = (uint16_t)(run->configs.len - 1);
}

struct block *run_write_block(struct run_writer *w, struct step *step, uint64_t line) {
    struct run *run = w->run;
    step->block = (uint32_t)run->blocks.len;
    vec_push(&run->blocks, ((struct block){.line = line, .step = (uint32_t)(step - run->steps.items)}));
    return &vec_last(&run->blocks);
}

const struct chip *block_device(const struct run *run, const struct block *block, struct memory_geometry *out) {
    const struct pool_config *dram = block_config(run, block, POOL_DRAM);
    *out = (struct memory_geometry){.dram_banks = dram->banks};
    if (block->have & 1u << POOL_L1) out->l1_banks = block_config(run, block, POOL_L1)->banks;
    const struct chip *chip = chip_guess(dram->banks, out->l1_banks, (uint64_t)dram->total * 1048576 / 1000);
    if (!chip) return NULL;
    out->dram_align = chip->dram_align;
    out->l1_align = chip->l1_align;
    return chip;
}

/* The first complete block identifies the device. */
static void learn_geometry(struct run *run, const struct block *block) {
    if (run->geometry.dram_banks || !(block->have & 1u << POOL_DRAM)) return;
    run->chip = block_device(run, block, &run->geometry);
}

void run_write_block_done(struct run_writer *w, uint32_t number) {
    struct run *run = w->run;
    const struct block *block = &run->blocks.items[number];
    learn_geometry(run, block);
    run->block_count++;
    run->ranks.items[run->steps.items[block->step].rank].blocks++;
}

uint32_t run_write_execution(struct run_writer *w, const struct execution *execution) {
    struct run *run = w->run;
    uint32_t number = (uint32_t)run->executions.len;
    vec_push(&run->executions, *execution);
    struct execution *made = &vec_last(&run->executions);
    made->top = made->parent == NONE ? number : run->executions.items[made->parent].top;
    made->first_step = (uint32_t)run->steps.len;
    made->end_step = made->program = NONE;
    return number;
}

void run_write_execution_end(struct run_writer *w, uint32_t number, bool finished, uint64_t line) {
    struct execution *execution = &w->run->executions.items[number];
    execution->end_step = (uint32_t)w->run->steps.len;
    execution->finished = finished;
    if (!finished) run_warn(w->run, WARN_UNFINISHED_PROGRAM, line);
}

uint32_t run_write_tensor(struct run_writer *w, const struct tensor *tensor) {
    vec_push(&w->run->tensors, *tensor);
    return (uint32_t)w->run->tensors.len - 1;
}

uint32_t run_write_tensor_at(struct run_writer *w, const struct tensor *tensor, uint64_t address) {
    vec_push(&w->run->addresses, address);
    return run_write_tensor(w, tensor);
}

uint32_t run_write_module(struct run_writer *w, const struct module *module) {
    vec_push(&w->run->modules, *module);
    return (uint32_t)w->run->modules.len - 1;
}

void run_write_registry(struct run_writer *w, const struct registry_entry *entry) { vec_push(&w->run->registry, *entry); }

/* Beyond the number of failures that are kept apart, the latest replaces the previous one, which is already in the lists of
 * its test and its process. */
static void replace_site(struct failure_site *place, struct failure_site site) {
    site.round = place->round;
    site.process = place->process;
    *place = site;
}

uint32_t run_write_failure(struct run_writer *w, const struct failure *failure, uint64_t line, struct failure_site site,
                           bool *is_new) {
    struct run *run = w->run;
    bool note = !failure_is_memory(failure);
    struct failure_set *set = note ? &run->notes : &run->failures;
    size_t number = failure_set_add(set, failure, line);
    *is_new = number != SLICE_NONE && set->entries.items[number].count == 1;
    if (number == SLICE_NONE) return NONE;
    uint32_t site_number = (uint32_t)number | (note ? SITE_NOTE : 0);
    if (!*is_new) return site_number;
    if (note && number == run->note_sites.len) vec_push(&run->note_sites, site);
    else if (!note && number == run->failure_sites.len) vec_push(&run->failure_sites, site);
    else replace_site(note ? &run->note_sites.items[number] : &run->failure_sites.items[number], site);
    return site_number;
}
