/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/change_kind.h"

#include "analysis/run/live.h"
#include "base/mem.h"

const char *const change_kind_keys[CHANGE_KIND_COUNT] = {"exact", "at_least", "at_most", "about"};
const char *const change_kind_words[CHANGE_KIND_COUNT] = {"", "at least", "at most", "about"};

uint8_t *change_kinds(const struct run *run, enum pool pool) {
    if (!run->inspector || !run->inspector->bounded_in[pool]) return NULL;
    uint8_t *kinds = mem_zalloc(run->steps.len + 1, sizeof *kinds);
    for (size_t i = 0; i < run->tensors.len; i++) {
        const struct tensor *tensor = &run->tensors.items[i];
        if (!tensor->bounded || !tensor_in_pool(run, tensor, pool)) continue;
        if (tensor->born < run->steps.len) kinds[tensor->born] |= CHANGE_AT_LEAST;
        if (tensor->gone < run->steps.len) kinds[tensor->gone] |= CHANGE_AT_MOST;
    }
    return kinds;
}

enum change_kind change_kind_of(const struct run *run, const uint8_t *kinds, uint32_t step) {
    const struct step *of = &run->steps.items[step];
    if (!kinds || of->after == NONE) return CHANGE_EXACT;
    unsigned kind = kinds[step];
    for (uint32_t i = step + 1; i < run->blocks.items[of->after].step; i++)
        if (run->steps.items[i].rank == of->rank) kind |= kinds[i];
    return (enum change_kind)kind;
}
