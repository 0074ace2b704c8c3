/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/weights.h"

#include <stdlib.h>

struct sized_weight {
    uint64_t bytes;
    uint32_t entry;
};

static int larger_first(const void *a, const void *b) {
    const struct sized_weight *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static bool counts(const struct run *run, uint32_t i, uint16_t rank) {
    const struct registry_entry *entry = &run->registry.items[i];
    return registry_is_weight(entry) && entry->buffer == i && registry_rank(run, entry) == rank;
}

static struct weight_sum sum_of_rank(const struct run *run, uint16_t rank) {
    struct weight_sum sum = {0};
    for (uint32_t i = 0; i < run->registry.len; i++) {
        if (!counts(run, i, rank)) continue;
        sum.count++;
        sum.bytes += run->registry.items[i].bytes;
        sum.shared += run->registry.items[i].users > 1;
    }
    return sum;
}

static uint16_t fullest_rank(const struct run *run) {
    uint16_t found = 0;
    struct weight_sum most = sum_of_rank(run, 0);
    for (uint16_t rank = 1; rank < run->ranks.len; rank++) {
        struct weight_sum sum = sum_of_rank(run, rank);
        if (sum.bytes < most.bytes || (sum.bytes == most.bytes && sum.count <= most.count)) continue;
        most = sum;
        found = rank;
    }
    return found;
}

struct weight_sum weights_total(const struct run *run) {
    return sum_of_rank(run, fullest_rank(run));
}

struct weight_sum weights_of_program(const struct run *run, uint32_t program) {
    const struct program *p = &run->programs.items[program];
    struct weight_sum sum = {0};
    for (uint32_t i = 0; i < p->entry_count; i++) {
        const struct registry_entry *entry = &run->registry.items[p->first_entry + i];
        if (!registry_is_weight(entry)) continue;
        sum.count++;
        sum.bytes += entry->bytes;
    }
    return sum;
}

void weights_list(const struct run *run, struct weights *out) {
    *out = (struct weights){0};
    VEC(struct sized_weight) sized = {0};
    uint16_t rank = fullest_rank(run);
    for (uint32_t i = 0; i < run->registry.len; i++)
        if (counts(run, i, rank)) vec_push(&sized, ((struct sized_weight){run->registry.items[i].bytes, i}));
    if (sized.len) qsort(sized.items, sized.len, sizeof *sized.items, larger_first);
    for (size_t i = 0; i < sized.len; i++) vec_push(&out->entries, sized.items[i].entry);
    vec_release(&sized);
}

void weights_release(struct weights *weights) { vec_release(&weights->entries); }
