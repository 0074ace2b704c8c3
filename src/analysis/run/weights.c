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

/* What to consider: the weights of a rank in a part of the run, which exist together. */
struct weights_at {
    uint16_t rank;
    uint32_t part; /* number of times the rank's device was opened before it */
};

/* Iterates over the buffers that exist together; false at the end. `seen`: as many as entries, zeroed before the first. */
static bool next_weight(const struct run *run, struct weights_at at, bool *seen, uint32_t *entry) {
    for (; *entry < run->registry.len; ++*entry) {
        const struct registry_entry *e = &run->registry.items[*entry];
        if (!registry_is_weight(e) || registry_rank(run, e) != at.rank || seen[e->buffer]) continue;
        if (run->parts.len && registry_part(run, e) != at.part) continue;
        seen[e->buffer] = true;
        return true;
    }
    return false;
}

static struct weight_sum sum_of(const struct run *run, struct weights_at at) {
    struct weight_sum sum = {0};
    bool *seen = mem_zalloc(run->registry.len + 1, sizeof *seen);
    for (uint32_t i = 0; next_weight(run, at, seen, &i); i++) {
        sum.count++;
        sum.bytes += run->registry.items[i].bytes;
        sum.shared += run->registry.items[run->registry.items[i].buffer].users > 1;
    }
    free(seen);
    return sum;
}

static uint32_t parts_of_rank(const struct run *run, uint16_t rank) {
    uint32_t parts = 1;
    for (size_t i = 0; i < run->parts.len; i++) parts += run->parts.items[i].rank == rank;
    return parts;
}

static uint64_t line_of(const struct run *run, struct weights_at at) {
    for (size_t i = 0; at.part && i < run->parts.len; i++)
        if (run->parts.items[i].rank == at.rank && !--at.part) return run->parts.items[i].line;
    return 0;
}

static struct weights_at fullest(const struct run *run, struct weight_sum *most) {
    enum { MOST_PARTS = 256 }; /* each is a walk over all entries */
    struct weights_at found = {0};
    *most = sum_of(run, found);
    for (uint16_t rank = 0; rank < run->ranks.len; rank++) {
        uint32_t parts = parts_of_rank(run, rank), with_weights = 0;
        for (uint32_t part = 0; part < parts && part < MOST_PARTS; part++) {
            struct weight_sum sum = sum_of(run, (struct weights_at){rank, part});
            with_weights += sum.count > 0;
            if (sum.bytes < most->bytes || (sum.bytes == most->bytes && sum.count <= most->count)) continue;
            *most = sum;
            found = (struct weights_at){rank, part};
        }
        if (found.rank == rank) most->of_part = with_weights > 1;
    }
    most->line = line_of(run, found);
    most->rank = found.rank;
    return found;
}

struct weight_sum weights_total(const struct run *run) {
    struct weight_sum sum;
    fullest(run, &sum);
    return sum;
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
    struct weight_sum sum;
    struct weights_at at = fullest(run, &sum);
    bool *seen = mem_zalloc(run->registry.len + 1, sizeof *seen);
    for (uint32_t i = 0; next_weight(run, at, seen, &i); i++)
        vec_push(&sized, ((struct sized_weight){run->registry.items[i].bytes, i}));
    free(seen);
    if (sized.len) qsort(sized.items, sized.len, sizeof *sized.items, larger_first);
    for (size_t i = 0; i < sized.len; i++) vec_push(&out->entries, sized.items[i].entry);
    vec_release(&sized);
}

void weights_release(struct weights *weights) { vec_release(&weights->entries); }
