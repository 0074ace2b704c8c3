/* SPDX-License-Identifier: Apache-2.0 */
/* Records kernels: sources, compile-time arguments, bindings of dataflow buffers. */
#include <string.h>

#include "cb/interp/cb_interp.h"

/* A name with two values, such as on two processors, has no value that is true everywhere. */
static bool said_before(struct cb_kernel_ref *k, const struct cb_named_arg *arg) {
    for (uint32_t i = 0; i < k->n_named; i++) {
        if (!slice_equal(k->named[i].name, arg->name)) continue;
        if (k->named[i].value != arg->value) k->named[i].value = -1;
        return true;
    }
    return false;
}

/* {{"cb_out", 5}, ...} */
static void keep_named_args(struct interp *in, struct cb_kernel_ref *k, const struct val *list) {
    if (!list || val_bare(list)->kind != VAL_LIST) return;
    const struct val_list *items = val_bare(list)->list;
    for (uint32_t i = 0; i < items->len; i++) {
        const struct val *pair = val_bare(items->items[i]);
        if (pair->kind != VAL_LIST || pair->list->len != 2 || val_bare(pair->list->items[0])->kind != VAL_TEXT) continue;
        struct cb_named_arg arg = {arena_copy(in->arena, val_bare(pair->list->items[0])->text), -1};
        if (!val_is_num(pair->list->items[1], &arg.value)) arg.value = -1;
        if (said_before(k, &arg)) continue;
        struct cb_named_arg *all = arena_alloc(in->arena, (k->n_named + 1u) * sizeof *all);
        if (k->n_named) memcpy(all, k->named, k->n_named * sizeof *all);
        all[k->n_named++] = arg;
        k->named = all;
    }
}

/* Records which dataflow buffers a kernel fills and empties, and its names for them. */
static void keep_bindings(struct interp *in, struct cb_kernel_ref *k, const struct val *list) {
    if (!list || val_bare(list)->kind != VAL_LIST) {
        k->bindings_open |= list != NULL;
        return;
    }
    const struct val_list *items = val_bare(list)->list;
    k->bindings_open |= items->open;
    k->bindings = arena_zalloc(in->arena, (items->len + 1u) * sizeof *k->bindings);
    for (uint32_t i = 0; i < items->len; i++) {
        const struct val *item = val_bare(items->items[i]);
        if (item->kind != VAL_OBJECT) {
            k->bindings_open = true;
            continue;
        }
        struct cb_binding *b = &k->bindings[k->n_bindings++];
        const struct val *accessor = interp_field_value(item->object, "accessor_name"),
                         *end = interp_field_value(item->object, "endpoint_type");
        b->buffer = interp_name_of(in, interp_field_value(item->object, "dfb_spec_name"),
                                   interp_field_text(item->object, "dfb_spec_name"));
        b->buffer = arena_copy(in->arena, b->buffer);
        b->accessor =
            accessor && val_bare(accessor)->kind == VAL_TEXT ? arena_copy(in->arena, val_bare(accessor)->text) : SLICE("");
        struct slice which = end ? interp_text_of(in, end) : SLICE("");
        b->end = slice_ends(which, SLICE("PRODUCER"))   ? CB_END_PRODUCER
                 : slice_ends(which, SLICE("CONSUMER")) ? CB_END_CONSUMER
                                                        : CB_END_UNKNOWN;
        if (b->end == CB_END_UNKNOWN || !b->buffer.len) k->bindings_open = true;
    }
}

static void keep_kernel(struct interp *in, const struct val *path, const struct val_list *args, uint32_t line,
                        uint32_t program) {
    const struct val *bare = val_bare(path);
    if (bare->kind == VAL_OP && bare->op == OP_COND) {
        keep_kernel(in, bare->b, args, line, program);
        keep_kernel(in, bare->c, args, line, program);
        return;
    }
    if (in->out->kernels.len >= INTERP_MAX_DECLS) return;
    struct cb_kernel_ref k = {.path = bare->kind == VAL_TEXT ? bare->text : SLICE(""), .line = line, .program = program};
    for (size_t i = 0; i < in->out->kernels.len; i++) {
        struct cb_kernel_ref *known = &in->out->kernels.items[i];
        if (known->line != k.line || !slice_equal(known->path, k.path)) continue;
        /* the function is called again: arguments that differ are unknown */
        for (uint32_t a = 0; a < known->n_args; a++) {
            int64_t value = -1;
            if (!args || a >= args->len || !val_is_num(args->items[a], &value) || value != known->args[a]) known->args[a] = -1;
        }
        return;
    }
    if (args && args->len) {
        k.args = arena_alloc(in->arena, args->len * sizeof *k.args);
        for (uint32_t i = 0; i < args->len; i++)
            if (!val_is_num(args->items[i], &k.args[i])) k.args[i] = -1;
        k.n_args = args->len;
    }
    vec_push(&in->out->kernels, k);
}

void interp_record_kernel(struct interp *in, const struct val *path, const struct val_list *args, TSNode call) {
    if (in->mute) return;
    const struct cb_frame *program = NULL;
    uint32_t line = cpp_line(call);
    interp_naming_frame(in, &line, &program);
    keep_kernel(in, path, args, line,
                interp_program_id(in, program ? program->program_key : NULL, program ? program->name : SLICE(""),
                                  interp_program_of(in, call)));
}

void interp_note_kernel(struct interp *in, const struct val *kernel) {
    const struct val *bare = val_bare(kernel);
    if (in->mute) return;
    bool described = bare->kind == VAL_OBJECT &&
                     (interp_is_kernel_type(bare->object->type) || val_object_field(bare->object, SLICE("kernel_source")));
    if (described) interp_record_described_kernel(in, bare->object);
    else in->out->kernels_open = true;
}

void interp_note_kernels(struct interp *in, const struct val *list) {
    const struct val *bare = val_bare(list);
    bool seen = bare->kind == VAL_LIST && !bare->list->open;
    for (uint32_t i = 0; seen && i < bare->list->len; i++) seen = val_bare(bare->list->items[i])->kind == VAL_OBJECT;
    if (!seen && !in->mute) in->out->kernels_open = true;
}

void interp_record_described_kernel(struct interp *in, const struct val_object *object) {
    const struct val_field *path = val_object_field(object, SLICE("kernel_source")),
                           *args = val_object_field(object, SLICE("compile_time_args"));
    if (!path) path = val_object_field(object, SLICE("source"));
    if (!path) return;
    size_t before = in->out->kernels.len;
    keep_kernel(in, path->value, args && val_bare(args->value)->kind == VAL_LIST ? val_bare(args->value)->list : NULL,
                object->line, interp_program_id(in, object->program, object->function, NULL));
    for (size_t i = before; i < in->out->kernels.len; i++) {
        struct cb_kernel_ref *k = &in->out->kernels.items[i];
        for (const struct val_field *f = object->fields; f; f = f->next) /* there can be one per processor */
            if (slice_ends(f->name, SLICE("named_compile_time_args"))) keep_named_args(in, k, f->value);
        keep_named_args(in, k, args ? args->value : NULL);
        keep_bindings(in, k, interp_field_value(object, "dfb_bindings"));
    }
}
