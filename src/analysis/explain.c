#include "analysis/explain.h"

void explain_failures(struct explain *out, const struct failure_set *set, explain_context_fn *context_of, void *who) {
    *out = (struct explain){.left_out = set->left_out};
    for (size_t i = 0; i < set->entries.len; i++) {
        struct explanation *e = vec_add(&out->failures);
        *e = (struct explanation){.entry = &set->entries.items[i]};
        if (context_of) context_of(who, e->entry, &e->context);
        verdict_of(&e->entry->failure, &e->context, &out->arena, &e->verdict);
    }
}

void explain_release(struct explain *explain) {
    vec_release(&explain->failures);
    arena_release(&explain->arena);
}
