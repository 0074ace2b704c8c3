/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the results of a scan out of the text and the arena that they were computed in. */
#include <string.h>

#include "cb/interp/cb_interp.h"

static void *copied(struct arena *arena, const void *items, size_t n, size_t size) {
    if (!n) return NULL;
    void *copy = arena_alloc(arena, n * size);
    memcpy(copy, items, n * size);
    return copy;
}

static void keep_decl(struct arena *arena, struct cb_decl *d) {
    struct slice *texts[] = {&d->name,      &d->total_expr,  &d->total_folded, &d->alias,
                             &d->core_expr, &d->backed_when, &d->unknown,      &d->unknown_root};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = arena_copy(arena, *texts[i]);
    d->indices = copied(arena, d->indices, d->n_indices, sizeof *d->indices);
    for (uint32_t k = 0; k < d->n_indices; k++) {
        d->indices[k].index_expr = arena_copy(arena, d->indices[k].index_expr);
        d->indices[k].page_expr = arena_copy(arena, d->indices[k].page_expr);
        d->indices[k].format = arena_copy(arena, d->indices[k].format);
    }
    d->conditions = copied(arena, d->conditions, d->n_conditions, sizeof *d->conditions);
    for (uint32_t k = 0; k < d->n_conditions; k++) d->conditions[k].text = arena_copy(arena, d->conditions[k].text);
    d->adapts_to = copied(arena, d->adapts_to, d->n_adapts_to, sizeof *d->adapts_to);
    for (uint32_t k = 0; k < d->n_adapts_to; k++) d->adapts_to[k] = arena_copy(arena, d->adapts_to[k]);
}

static void keep_kernel(struct arena *arena, struct cb_kernel_ref *k) {
    k->path = arena_copy(arena, k->path);
    k->args = copied(arena, k->args, k->n_args, sizeof *k->args);
    k->named = copied(arena, k->named, k->n_named, sizeof *k->named);
    for (uint32_t i = 0; i < k->n_named; i++) k->named[i].name = arena_copy(arena, k->named[i].name);
    k->bindings = copied(arena, k->bindings, k->n_bindings, sizeof *k->bindings);
    for (uint32_t i = 0; i < k->n_bindings; i++) {
        k->bindings[i].buffer = arena_copy(arena, k->bindings[i].buffer);
        k->bindings[i].accessor = arena_copy(arena, k->bindings[i].accessor);
    }
}

void cb_source_keep(struct cb_source *source) {
    struct arena *arena = &source->arena;
    for (size_t i = 0; i < source->decls.len; i++) keep_decl(arena, &source->decls.items[i]);
    for (size_t i = 0; i < source->kernels.len; i++) keep_kernel(arena, &source->kernels.items[i]);
    for (size_t i = 0; i < source->programs.len; i++) {
        source->programs.items[i].function = arena_copy(arena, source->programs.items[i].function);
        source->programs.items[i].variable = arena_copy(arena, source->programs.items[i].variable);
    }
    for (size_t i = 0; i < source->helpers.len; i++) {
        source->helpers.items[i].name = arena_copy(arena, source->helpers.items[i].name);
        source->helpers.items[i].total = arena_copy(arena, source->helpers.items[i].total);
    }
    for (size_t i = 0; i < source->constants.len; i++) {
        source->constants.items[i].name = arena_copy(arena, source->constants.items[i].name);
        source->constants.items[i].place = arena_copy(arena, source->constants.items[i].place);
    }
    for (size_t i = 0; i < source->unread.len; i++)
        source->unread.items[i].reason = arena_copy(arena, source->unread.items[i].reason);
    source->partial_reason = arena_copy(arena, source->partial_reason);
}
