#include "analysis/explain.h"

void explain_failures(struct explain *out, const struct failure_set *set) {
    *out = (struct explain){.left_out = set->left_out};
    for (size_t i = 0; i < set->entries.len; i++) {
        struct explanation *e = vec_add(&out->failures);
        *e = (struct explanation){.entry = &set->entries.items[i]};
        verdict_of(&e->entry->failure, &e->context, &out->arena, &e->verdict);
    }
}

void explain_release(struct explain *explain) {
    for (size_t i = 0; i < explain->failures.len; i++) live_release(&explain->failures.items[i].live.set);
    vec_release(&explain->failures);
    arena_release(&explain->arena);
}
