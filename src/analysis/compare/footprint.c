/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/footprint.h"

#include <stdlib.h>

#include "model/left/leak_pick.h"

void footprint_release(struct footprint *f) {
    strtab_release(&f->strings);
    vec_release(&f->types);
    vec_release(&f->kinds);
    vec_release(&f->ops);
    vec_release(&f->tensors);
    vec_release(&f->programs);
    vec_release(&f->leaks);
    vec_release(&f->failures);
    vec_release(&f->ranks);
    vec_release(&f->rank_peaks);
    vec_release(&f->rank_tensors);
    *f = (struct footprint){0};
}

size_t footprint_failures(const struct footprint *f, const struct footprint_failure **first) {
    size_t count = 0;
    for (size_t i = 0; i < f->failures.len; i++) {
        if (f->failures.items[i].outcome == OUTCOME_CAUGHT) continue;
        if (!count++) *first = &f->failures.items[i];
    }
    return count;
}

struct slice footprint_op_name(const struct footprint *f, uint32_t op) {
    if (op >= f->ops.len) return SLICE("");
    return footprint_text(f, f->kinds.items[f->ops.items[op].kind].name);
}

struct slice footprint_op_location(const struct footprint *f, uint32_t op) {
    if (op >= f->ops.len) return SLICE("");
    return footprint_text(f, f->kinds.items[f->ops.items[op].kind].location);
}

bool footprint_growth(const struct footprint_program *program, int64_t *growth) {
    struct pass_series series = {.passes = program->passes,
                                 .first = program->first,
                                 .second = program->second,
                                 .last = program->last,
                                 .slope = program->slope};
    return pass_series_growth(&series, growth);
}

bool footprint_growth_bytes(const struct footprint_program *program, int64_t *growth) {
    if (!footprint_growth(program, growth)) return false;
    *growth = !program->slope.known ? num_milli_mb_to_bytes(*growth) : program->slope.rises ? program->slope.per_step : 0;
    return true;
}

uint32_t footprint_kind(struct footprint *f, struct map *known, const struct footprint_kind *kind) {
    bool added;
    uint64_t low = (uint64_t)kind->name << 32 | kind->location, high = (uint64_t)kind->program << 32 | kind->type;
    uint32_t *id = map_at(known, (struct hash128){hash_mix(hash_mix(0, low), high), hash_mix(hash_mix(1, high), low)}, &added);
    if (!added) return *id;
    *id = (uint32_t)f->kinds.len;
    uint32_t made = *id;
    vec_push(&f->kinds, *kind);
    return made;
}

void footprint_leak(struct footprint *f, struct map *known, uint32_t kind, uint32_t rank, uint64_t per_bank_bytes) {
    bool added;
    uint64_t key = (uint64_t)rank << 32 | kind;
    uint32_t *row = map_at(known, (struct hash128){hash_mix(0, key), key}, &added);
    if (added) {
        *row = (uint32_t)f->leaks.len;
        vec_push(&f->leaks, ((struct footprint_leak){.kind = kind, .rank = rank}));
    }
    f->leaks.items[*row].tensors++;
    f->leaks.items[*row].per_bank_bytes += per_bank_bytes;
}

static int larger_first(const void *a, const void *b) {
    const struct footprint_leak *x = a, *y = b;
    if (x->per_bank_bytes != y->per_bank_bytes) return x->per_bank_bytes < y->per_bank_bytes ? 1 : -1;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : x->rank < y->rank ? -1 : x->rank > y->rank;
}

void footprint_sort_leaks(struct footprint *f) {
    size_t kept = 0;
    if (!f->leaks.len) return;
    qsort(f->leaks.items, f->leaks.len, sizeof *f->leaks.items, larger_first);
    bool *seen = mem_zalloc(f->kinds.len + 1, sizeof *seen);
    for (size_t i = 0; i < f->leaks.len; i++) {
        struct footprint_leak leak = f->leaks.items[i];
        if (!seen[leak.kind]) f->leaks.items[kept++] = leak;
        seen[leak.kind] = true;
    }
    f->leaks.len = kept;
    free(seen);
}
