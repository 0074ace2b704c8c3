/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the function that owns a program, and whether a class that gets one adds buffers out of sight. */
#include "cb/interp/cb_calls.h"
#include "cb/interp/cb_interp.h"

const struct cb_frame *interp_naming_frame(const struct interp *in, uint32_t *line, const struct cb_frame **program) {
    const struct cb_frame *f = in->frame;
    while (f && f->up && f->single) {
        *line = f->call_line;
        f = f->up;
    }
    const struct cb_frame *p = f;
    while (p && p->up && !p->owns_program) p = p->up;
    *program = p;
    return f;
}

/* The frame that owns a program: the nearest one with a program of its own that began before this program was made. */
static const struct cb_frame *owner_of(const struct interp *in, const struct cb_cell *program) {
    const struct cb_frame *f = in->frame;
    while (f && f->up && (!f->owns_program || (program && program->born <= f->born))) f = f->up;
    return f;
}

void interp_maker_program(const struct interp *in, struct buffer_maker *maker, const struct cb_cell *program) {
    const struct cb_frame *own = owner_of(in, program), *nearest = owner_of(in, NULL);
    maker->program = program;
    maker->owner = own && own != nearest ? own->program_key : NULL;
    maker->owner_name = maker->owner ? own->name : SLICE("");
}

/* Buffers do not depend on whether the function that makes the program is called at all, or in a loop over devices. */
size_t interp_outside_program(const struct interp *in, const struct cb_cell *program) {
    const struct cb_frame *f = owner_of(in, program);
    return f && f->up && f->conditions <= in->conditions.len ? f->conditions : 0;
}

/* --- classes that keep a program --- */

enum { MAX_FIELDS = 8, MAX_DEPTH = 64 };

struct kept {
    struct interp *in;
    struct slice names[MAX_FIELDS]; /* fields that are programs */
    unsigned len;
};

static bool has_body(const struct interp *in, struct slice type, struct slice name) {
    for (size_t i = 0; i < in->functions.len; i++)
        if (slice_equal(in->functions.items[i].owner, type) && slice_equal(in->functions.items[i].name, name)) return true;
    return false;
}

static bool is_seen(const struct interp *in, struct slice name) {
    if (interp_find_builtin(name) || interp_keeps_buffers(name) || interp_leaves_buffers(name)) return true;
    for (size_t i = 0; i < in->functions.len; i++)
        if (slice_equal(in->functions.items[i].name, name)) return true;
    return false;
}

/* Is one of the fields passed to a function that is not available? */
static bool hands_on(const struct kept *kept, const struct cpp_tree *tree, TSNode node, unsigned depth) {
    struct cpp_nodes parts = cpp_children(kept->in->arena, node);
    if (depth > MAX_DEPTH) return true;
    for (uint32_t i = 0; i < parts.len; i++)
        if (hands_on(kept, tree, parts.items[i], depth + 1)) return true;
    if (!is_kind(node, CPP_call_expression)) return false;
    if (is_seen(kept->in, interp_last_name(tree, cpp_field(node, CPP_FIELD_function)))) return false;
    struct cpp_nodes args = cpp_children(kept->in->arena, cpp_field(node, CPP_FIELD_arguments));
    for (uint32_t i = 0; i < args.len; i++) {
        TSNode arg = args.items[i];
        while (is_kind(arg, CPP_pointer_expression)) arg = cpp_field(arg, CPP_FIELD_argument);
        if (!is_kind(arg, CPP_identifier) && !is_kind(arg, CPP_field_expression)) continue;
        for (unsigned k = 0; k < kept->len; k++)
            if (slice_equal(interp_last_name(tree, arg), kept->names[k])) return true;
    }
    return false;
}

/* Constructors are not followed. What the functions of the class do with its program is, as long as all of them are
 * available and pass it to none that is not. */
bool interp_class_is_seen(struct interp *in, struct slice type) {
    const struct val_lambda *definition = interp_find_type(in, type);
    struct kept kept = {.in = in};
    if (!definition || interp_has_base(in, definition->node)) return false;
    struct cpp_nodes members = cpp_children(in->arena, cpp_field(definition->node, CPP_FIELD_body));
    for (uint32_t i = 0; i < members.len; i++) {
        TSNode declarator = cpp_field(members.items[i], CPP_FIELD_declarator);
        if (!is_kind(members.items[i], CPP_field_declaration) && !is_kind(members.items[i], CPP_declaration)) continue;
        struct slice name = interp_last_name(definition->tree, declarator);
        struct slice kind = interp_last_name(definition->tree, cpp_field(members.items[i], CPP_FIELD_type));
        if (is_kind(declarator, CPP_function_declarator)) {
            if (!has_body(in, type, interp_last_name(definition->tree, cpp_field(declarator, CPP_FIELD_declarator))))
                return false;
        } else if (interp_is_program_type(kind)) {
            if (kept.len == MAX_FIELDS) return false;
            kept.names[kept.len++] = name;
        }
    }
    for (size_t i = 0; i < in->functions.len; i++) {
        const struct function *f = &in->functions.items[i];
        if (slice_equal(f->owner, type) && hands_on(&kept, f->tree, cpp_field(f->node, CPP_FIELD_body), 0)) return false;
    }
    return true;
}
