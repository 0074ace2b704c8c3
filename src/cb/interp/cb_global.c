/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the file and its headers: constants, enumerators, macros, types. C++ scopes are kept by their innermost name
 * only, so a name can have several meanings; the interpreter then uses only what is true of all of them. */
#include "cb/interp/cb_interp.h"

static size_t chain_of(struct slice name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < name.len; i++) hash = (hash ^ (unsigned char)name.ptr[i]) * 0x100000001b3u;
    return (hash ^ hash >> 32) & (GLOBAL_CHAINS - 1);
}

void interp_add_global(struct interp *in, struct binding *binding) {
    struct binding **chain = &in->global_chains[chain_of(binding->name)];
    binding->owner = in->owner;
    binding->path = in->owner_path;
    binding->chain = *chain;
    *chain = binding;
}

/* One cell for the same name in several scopes: a constant is one of their values, a variable is unknown. */
static struct cb_cell *one_for_all(struct interp *in, const struct cb_cell *a, const struct cb_cell *b) {
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    *cell = (struct cb_cell){.name = a->name, .constant = a->constant && b->constant, .born = a->born};
    cell->escaped = !cell->constant;
    cell->value = cell->escaped ? val_free(in->arena, a->name)
                                : val_merge(in->arena, val_free(in->arena, SLICE("...")), a->value, b->value);
    return cell;
}

static struct cb_cell *find_in(struct interp *in, struct slice name, const struct slice *owner, const struct slice *path) {
    struct cb_cell *found = NULL;
    for (struct binding *b = in->global_chains[chain_of(name)]; b; b = b->chain) {
        if (!slice_equal(b->name, name) || (owner && !slice_equal(b->owner, *owner))) continue;
        if (path && !b->cell->fixed && !slice_equal(b->path, *path)) continue;
        if (b->cell->fixed) return b->cell;
        if (!found) found = b->cell;
        else if (found != b->cell && !(found->constant && b->cell->constant && val_same(found->value, b->cell->value)))
            found = one_for_all(in, found, b->cell);
    }
    return found;
}

struct cb_cell *interp_global(struct interp *in, struct slice name, struct slice owner) {
    struct cb_cell *found = owner.len ? find_in(in, name, &owner, NULL) : NULL;
    if (!owner.len && in->global_chains[chain_of(name)]) {
        struct slice path = interp_scope_path(in);
        while (!(found = find_in(in, name, NULL, &path)) && path.len) path = interp_outer_path(path);
    }
    return found ? found : find_in(in, name, NULL, NULL);
}

struct slice interp_scope_path(const struct interp *in) {
    const struct cb_frame *frame = in->frame;
    while (frame && !frame->function) frame = frame->up;
    return frame ? frame->function->path : in->owner_path;
}

struct slice interp_outer_path(struct slice path) {
    for (size_t i = path.len; i > 1; i--)
        if (path.ptr[i - 1] == ':') return slice_take(path, i - 2);
    return SLICE("");
}

struct slice interp_inner_path(struct interp *in, struct slice path, struct slice name) {
    if (!path.len) return name;
    struct strbuf text = {0};
    strbuf_add(&text, slice_take(path, 1024));
    strbuf_addz(&text, "::");
    strbuf_add(&text, slice_take(name, 256));
    struct slice kept = arena_copy(in->arena, strbuf_slice(&text));
    strbuf_release(&text);
    return kept;
}

struct slice interp_owner_of(const struct cpp_tree *tree, TSNode qualified) {
    TSNode scope = {0};
    while (is_kind(qualified, CPP_qualified_identifier)) {
        scope = cpp_field(qualified, CPP_FIELD_scope);
        qualified = cpp_field(qualified, CPP_FIELD_name);
    }
    return exists(scope) ? interp_last_name(tree, scope) : SLICE("");
}

/* --- types --- */

void interp_note_alias(struct interp *in, struct slice name, struct slice type) {
    if (!name.len || slice_equal(name, type)) return;
    struct binding *b = arena_zalloc(in->arena, sizeof *b);
    *b = (struct binding){.next = in->aliases.bindings, .name = name, .written = type};
    in->aliases.bindings = b;
}

enum val_type interp_number_type(const struct interp *in, const struct cpp_tree *tree, TSNode type) {
    struct slice text = slice_trim(cpp_text(tree, type)), last = interp_last_name(tree, type);
    for (unsigned i = 0; i < 4; i++) {
        enum val_type number = val_type_by_name(text);
        if (number == VAL_ANY) number = val_type_by_name(last);
        if (number != VAL_ANY || !last.len) return number;
        const struct binding *alias = in->aliases.bindings;
        while (alias && !slice_equal(alias->name, last)) alias = alias->next;
        if (!alias) return VAL_ANY;
        text = last = alias->written;
        if (slice_starts(text, SLICE("std::"))) text = last = slice_skip(text, 5);
    }
    return VAL_ANY;
}

const struct val_lambda *interp_find_type(const struct interp *in, struct slice name) {
    const struct val_lambda *found = NULL;
    for (const struct binding *b = in->types.bindings; b; b = b->next) {
        if (!slice_equal(b->name, name)) continue;
        const struct val_lambda *definition = b->cell->value->lambda;
        if (found && !slice_equal(cpp_text(found->tree, found->node), cpp_text(definition->tree, definition->node)))
            return NULL;
        found = definition;
    }
    return found;
}

bool interp_has_type(const struct interp *in, struct slice name) {
    for (const struct binding *b = in->types.bindings; b; b = b->next)
        if (slice_equal(b->name, name)) return true;
    return false;
}
