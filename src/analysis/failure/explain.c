/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/explain.h"

#include "analysis/failure/advice.h"

struct verdict explanation_advised(const struct explanation *e, struct arena *arena) {
    struct verdict advised = e->verdict;
    advice_add(&e->entry->failure, &e->context, arena, &advised);
    return advised;
}

void explain_release(struct explain *explain) {
    for (size_t i = 0; i < explain->failures.len; i++) live_release(&explain->failures.items[i].live.set);
    vec_release(&explain->failures);
    arena_release(&explain->arena);
}
