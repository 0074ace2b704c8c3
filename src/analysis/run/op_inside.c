/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/op_inside.h"

#include "analysis/run/live.h"

/* The highest state of the rank after the op and before the next one: *end is that of the next. */
static uint32_t highest_state(const struct run *run, uint32_t first, uint32_t *end) {
    uint16_t rank = run->steps.items[first].rank;
    uint32_t highest = NONE, most = 0;
    *end = (uint32_t)run->steps.len;
    for (uint32_t i = first + 1; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank) continue;
        if (step->record != NONE) {
            *end = i;
            break;
        }
        if (step->block == NONE || !(run->blocks.items[step->block].have & 1u << POOL_L1)) continue;
        uint32_t allocated = run->blocks.items[step->block].allocated[POOL_L1];
        if (highest != NONE && allocated <= most) continue;
        highest = i;
        most = allocated;
    }
    return highest;
}

void op_inside_find(const struct run *run, uint32_t record, struct op_inside *out) {
    uint32_t first = run->records.items[record], end;
    *out = (struct op_inside){.step = NONE};
    if (!run->l1.told) return;
    out->step = highest_state(run, first, &end);
    if (out->step == NONE) return;
    out->known = true;
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!tensor_alive(tensor, out->step, run->steps.items[first].rank) || !tensor_in_pool(run, tensor, POOL_L1)) continue;
        uint64_t bytes = tensor_sum(run, tensor).per_bank_bytes;
        if (tensor->class == TENSOR_CIRCULAR_BUFFER) out->program_bytes += bytes;
        else if (tensor->born > first && tensor->gone <= end) out->inside_bytes += bytes;
        else out->other_bytes += bytes;
        out->total_bytes += bytes;
    }
}
