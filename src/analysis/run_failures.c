#include "analysis/run_failures.h"

uint32_t run_failure_step(const struct run *run, size_t number) {
    return number < run->failure_sites.len ? run->failure_sites.items[number].step : NONE;
}

/* The op's first result on the device, as people write it. Its unpadded size says something about the request only when the
 * request is for that tensor: ops also allocate buffers of their own. */
static void describe_result(const struct run *run, const struct op *op, const struct failure *failure,
                            struct failure_context *out) {
    for (unsigned i = op->result_count; i-- > 0;) {
        const struct tensor_type *type = &run->types.items[run->refs.items[op->first_ref + op->operand_count + i].type];
        if (!tensor_on_device(type)) continue;
        out->shape = type->shape;
        out->layout = slice_from(memory_layout_name(type->memory_layout));
        bool asked_for = failure_knows(failure, FAILURE_REQUESTED) &&
                         failure->number[FAILURE_REQUESTED] == tensor_padded_bytes(type, &run->geometry);
        if (asked_for && type->logical_known) out->unpadded_bytes = type->logical_bytes;
    }
}

static void context_of(void *who, const struct failure_entry *entry, struct failure_context *out) {
    const struct run *run = who;
    out->chip = run->chip;
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        if (run->failures.entries.items[i].line != entry->line) continue;
        uint32_t number = run_failure_step(run, i);
        if (number == NONE) return;
        const struct step *step = &run->steps.items[number];
        out->has_op = true;
        out->op = step_name(run, step);
        out->has_index = step->record != NONE;
        out->op_index = step->record;
        describe_result(run, &run->ops.items[step->op], &entry->failure, out);
        return;
    }
}

void run_explain_set(const struct run *run, const struct failure_set *set, struct explain *out) {
    explain_failures(out, set, context_of, (void *)(uintptr_t)run);
}

void run_explain(const struct run *run, struct explain *out) { run_explain_set(run, &run->failures, out); }
