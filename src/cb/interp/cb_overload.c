/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the function of the file that a call means. If names and the number of arguments leave several, any of them may run. */
#include "cb/interp/cb_calls.h"

enum { MAX_MEANT = 8 };

struct meant {
    struct function *items[MAX_MEANT];
    uint32_t len;
    bool more; /* more functions fit than are kept */
};

/* Virtual functions: which one runs depends on the object. */
static bool is_virtual(const struct function *f) {
    uint32_t head = ts_node_start_byte(cpp_field(f->node, CPP_FIELD_body)) - ts_node_start_byte(f->node);
    struct slice text = slice_take(cpp_text(f->tree, f->node), head);
    return slice_starts(text, SLICE("virtual")) || slice_find(text, SLICE(" override")) != SLICE_NONE;
}

static void find_named(struct interp *in, struct slice name, uint32_t n, struct meant *out) {
    struct function *loose = NULL;
    for (size_t i = 0; i < in->functions.len; i++) {
        struct function *f = &in->functions.items[i];
        if (n > f->max_args || !slice_equal(f->name, name)) continue;
        if (n < f->min_args) loose = f; /* the defaults may be in a declaration in a header */
        else if (out->len < MAX_MEANT) out->items[out->len++] = f;
        else out->more = true;
    }
    if (!out->len && loose) out->items[out->len++] = loose;
}

typedef bool keep_fn(const struct interp *in, const struct function *f, struct slice owner);

/* Keeps the functions that `keep` accepts, if there are any. */
static bool narrow(const struct interp *in, struct meant *meant, keep_fn *keep, struct slice owner) {
    struct meant kept = {.more = meant->more};
    bool open = false;
    for (uint32_t i = 0; i < meant->len; i++) {
        if (!keep(in, meant->items[i], owner)) continue;
        kept.items[kept.len++] = meant->items[i];
        open |= is_virtual(meant->items[i]);
    }
    if (kept.len && !open) *meant = kept;
    return kept.len > 0;
}

static bool has_owner(const struct interp *in, const struct function *f, struct slice owner) {
    (void)in;
    return slice_equal(f->owner, owner);
}

static bool has_path(const struct interp *in, const struct function *f, struct slice path) {
    (void)in;
    return slice_equal(f->path, path);
}

static bool is_no_member(const struct interp *in, const struct function *f, struct slice owner) {
    (void)owner;
    return !f->owner.len || !interp_has_type(in, f->owner);
}

/* Is a list or an object given for a number, or the other way round? */
static bool cannot_take(struct interp *in, const struct function *f, const struct call *call) {
    struct cpp_nodes params = cpp_children(in->arena, f->params);
    for (uint32_t i = 0; i < call->n && i < params.len; i++) {
        TSNode type = cpp_field(params.items[i], CPP_FIELD_type);
        const struct val *value = val_bare(interp_peek(in, call->args[i]));
        enum val_type number = interp_number_type(in, f->tree, type);
        bool object = value->kind == VAL_OBJECT && interp_is_constructible(in, value->object->type);
        struct slice name = interp_last_name(f->tree, type);
        if (number != VAL_ANY && (object || value->kind == VAL_LIST)) return true;
        if (object && interp_is_constructible(in, name) && !slice_equal(name, value->object->type)) return true;
        bool wants_object = interp_is_program_type(name) || interp_is_buffer_type(name);
        if (wants_object && value->kind == VAL_NUM) return true;
    }
    return false;
}

static void narrow_by_arguments(struct interp *in, struct meant *meant, const struct call *call) {
    if (in->narrowing) return; /* otherwise nested calls would be evaluated again and again */
    in->narrowing = true;
    struct meant kept = {.more = meant->more};
    for (uint32_t i = 0; i < meant->len; i++)
        if (!cannot_take(in, meant->items[i], call)) kept.items[kept.len++] = meant->items[i];
    in->narrowing = false;
    if (kept.len) *meant = kept;
}

/* One of several functions runs: whatever any of them changes is unknown afterwards. */
static const struct val *call_any(struct interp *in, const struct meant *meant, const struct call *call, TSNode args,
                                  const struct val *self) {
    const struct val *result = NULL;
    changes changed = {0};
    uint32_t id = in->next_condition++;
    for (uint32_t i = 0; i < meant->len && !in->exhausted; i++) {
        size_t mark = in->journal.len, held = in->conditions.len;
        uint64_t since = val_clock();
        const struct val *holds = val_free(in->arena, SLICE("..."));
        interp_push_choice(in, id, meant->len - i - 1, meant->len, SLICE(""), holds);
        const struct val *value = interp_call_function(in, meant->items[i], call->node, args, self);
        interp_drop_conditions(in, held);
        interp_take_back(in, mark, since, &changed);
        result = result ? val_merge(in->arena, holds, value, result) : value;
    }
    interp_forget(in, &changed);
    vec_release(&changed);
    return result ? result : interp_unknown(in, call->node);
}

static const struct val *call_meant(struct interp *in, struct meant *meant, const struct call *call, TSNode args,
                                    const struct val *self) {
    if (meant->len > 1) narrow_by_arguments(in, meant, call);
    if (meant->len == 1 && !meant->more) return interp_call_function(in, meant->items[0], call->node, args, self);
    if (!meant->more) return call_any(in, meant, call, args, self);
    for (uint32_t i = 0; i < meant->len; i++)
        if (meant->items[i]->sites)
            interp_note_unfollowed(in, SLICE("which of many functions of the same name makes circular buffers is not known"));
    for (uint32_t i = 0; i < call->n; i++) interp_forget_argument(in, call->args[i]);
    return interp_unknown(in, call->node);
}

const struct val *interp_call_named(struct interp *in, const struct call *call, TSNode callee, TSNode args, bool headers) {
    struct meant meant = {0};
    find_named(in, call->name, call->n, &meant);
    if (!meant.len) return NULL;
    struct slice owner = interp_owner_of(in->tree, callee);
    struct slice path = interp_scope_path(in);
    bool found = owner.len && narrow(in, &meant, has_owner, owner);
    while (!owner.len && !(found = narrow(in, &meant, has_path, path)) && path.len) path = interp_outer_path(path);
    if (!found) narrow(in, &meant, is_no_member, owner);
    bool ours = false;
    for (uint32_t i = 0; i < meant.len; i++) ours |= meant.items[i]->main_file;
    if (!ours && !headers) return NULL;
    return call_meant(in, &meant, call, args, in->frame ? in->frame->self : NULL);
}

/* A base of the object's class may define it. */
static bool has_base(struct interp *in, struct slice type) {
    const struct val_lambda *definition = interp_find_type(in, type);
    return !definition || interp_has_base(in, definition->node);
}

const struct val *interp_call_member(struct interp *in, const struct call *call, TSNode owner, const struct val *object,
                                     TSNode args) {
    struct meant meant = {0};
    find_named(in, call->name, call->n, &meant);
    if (!meant.len) return NULL;
    if (is_kind(owner, CPP_this)) return interp_call_named(in, call, (TSNode){0}, args, true);
    struct slice type = object->kind == VAL_OBJECT ? object->object->type : SLICE("");
    const struct val *self = object->kind == VAL_OBJECT ? object : NULL;
    if (narrow(in, &meant, has_owner, type.len ? type : interp_last_name(in->tree, owner)))
        return call_meant(in, &meant, call, args, self);
    if (type.len && interp_has_type(in, type) && has_base(in, type)) return call_meant(in, &meant, call, args, self);
    /* the object is unknown: a function that makes buffers is probably meant, but results of others are unknown */
    bool makes = false;
    for (uint32_t i = 0; i < meant.len; i++) makes |= meant.items[i]->sites > 0;
    return makes ? call_meant(in, &meant, call, args, self) : NULL;
}

/* Calls a function object that is one of several. */
const struct val *interp_call_choice(struct interp *in, const struct val *choice, TSNode call, TSNode args, unsigned depth) {
    const struct val *bare = val_bare(choice);
    if (bare->kind == VAL_LAMBDA) return interp_call_lambda(in, bare->lambda, call, args);
    if (depth > 6 || bare->kind != VAL_OP || bare->op != OP_COND) return NULL;
    const struct val *result = NULL, *sides[2] = {bare->b, bare->c};
    changes changed = {0};
    bool all = true;
    for (unsigned i = 0; i < 2; i++) {
        size_t mark = in->journal.len, held = in->conditions.len;
        uint64_t since = val_clock();
        interp_push_side(in, bare->a, i == 0);
        const struct val *value = interp_call_choice(in, sides[i], call, args, depth + 1);
        interp_drop_conditions(in, held);
        interp_take_back(in, mark, since, &changed);
        all &= value != NULL;
        if (value) result = result ? val_merge(in->arena, bare->a, result, value) : value;
    }
    interp_forget(in, &changed);
    vec_release(&changed);
    return all ? result : NULL;
}

void interp_note_function_value(struct interp *in, struct slice name) {
    for (size_t i = 0; i < in->functions.len; i++) {
        const struct function *f = &in->functions.items[i];
        if (f->sites && f->main_file && slice_equal(f->name, name))
            interp_note_unfollowed(in, SLICE("a function that makes circular buffers is kept where it is not followed"));
    }
}

bool interp_is_fresh(struct interp *in, TSNode node) {
    if (is_kind(node, CPP_compound_literal_expression))
        return is_kind(cpp_first(cpp_field(node, CPP_FIELD_value)), CPP_initializer_pair);
    if (is_kind(node, CPP_initializer_list)) return true; /* the value of a field */
    if (!is_kind(node, CPP_call_expression)) return false;
    TSNode callee = cpp_field(node, CPP_FIELD_function);
    if (!is_kind(callee, CPP_identifier) && !is_kind(callee, CPP_qualified_identifier)) return false;
    struct slice name = interp_last_name(in->tree, callee);
    if (slice_equal(name, SLICE("move"))) return true;
    bool found = false;
    for (size_t i = 0; i < in->functions.len; i++) {
        const struct function *f = &in->functions.items[i];
        if (!slice_equal(f->name, name)) continue;
        if (interp_returns_reference(f)) return false;
        found = true;
    }
    return found;
}
