/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/explain.h"

void explain_release(struct explain *explain) {
    for (size_t i = 0; i < explain->failures.len; i++) live_release(&explain->failures.items[i].live.set);
    vec_release(&explain->failures);
    arena_release(&explain->arena);
}
