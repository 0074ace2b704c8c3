/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the symbolic interpreter: variables, references and pointers to others, enumerators. */
#include <string.h>

#include "cb/interp/cb_interp.h"

TSNode interp_unwrap_declarator(TSNode d) {
    for (unsigned i = 0; i < 8; i++) {
        if (!is_kind(d, CPP_reference_declarator) && !is_kind(d, CPP_pointer_declarator) &&
            !is_kind(d, CPP_parenthesized_declarator))
            return d;
        TSNode inner = cpp_field(d, CPP_FIELD_declarator);
        d = exists(inner) ? inner : cpp_first(d);
    }
    return d;
}

/* The i-th part of a list or an object as a variable; NULL if there is none. */
static struct cb_cell *part_of(struct interp *in, const struct val *whole, const struct val_field *field, uint32_t i,
                               struct slice name) {
    if (!field && (whole->kind != VAL_LIST || i >= whole->list->len)) return NULL;
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    *cell = (struct cb_cell){.name = name, .value = val_free(in->arena, name), .born = val_tick()};
    if (field) {
        cell->object = whole->object;
        cell->field = field->name;
    } else {
        cell->list = whole->list;
        cell->item = i;
    }
    return cell;
}

struct cb_cell *interp_bind_declarator(struct interp *in, TSNode declarator, const struct val *value) {
    bool reference = is_kind(declarator, CPP_reference_declarator);
    declarator = interp_unwrap_declarator(declarator);
    if (!is_kind(declarator, CPP_structured_binding_declarator)) {
        struct slice name = interp_last_name(in->tree, declarator);
        return name.len ? interp_bind_name(in, name, value) : NULL;
    }
    struct cpp_nodes names = cpp_children(in->arena, declarator);
    const struct val *bare = val_bare(value);
    const struct val_field *field = bare->kind == VAL_OBJECT ? bare->object->fields : NULL;
    for (uint32_t i = 0; i < names.len; i++) {
        struct slice name = cpp_text(in->tree, names.items[i]);
        const struct val *part = NULL;
        struct cb_cell *same = reference ? part_of(in, bare, field, i, name) : NULL;
        if (same) {
            interp_bind_cell(in, name, same);
            field = field ? field->next : NULL;
            continue;
        }
        if (bare->kind == VAL_LIST && i < bare->list->len) part = bare->list->items[i];
        if (field) {
            part = field->value;
            field = field->next;
        }
        if (bare->kind == VAL_OP && bare->op == OP_COND && val_bare(bare->b)->kind == VAL_LIST &&
            val_bare(bare->c)->kind == VAL_LIST && i < val_bare(bare->b)->list->len && i < val_bare(bare->c)->list->len)
            part = val_cond(in->arena, bare->a, val_bare(bare->b)->list->items[i], val_bare(bare->c)->list->items[i]);
        bool given = bare->kind == VAL_FREE && bare->given;
        if (!part) part = given ? val_given(in->arena, name) : val_free(in->arena, name);
        interp_bind_name(in, name, part);
    }
    return NULL;
}

/* --- declarations --- */

static bool is_map_type(struct slice type) { return slice_ends(type, SLICE("map")); }

/* `Type name(a, b)` with plain names parses as a function declaration: its parameters are the arguments. */
static const struct val *construct_vexing(struct interp *in, struct slice type, TSNode declarator) {
    return interp_construct(in, type, cpp_field(declarator, CPP_FIELD_parameters), declarator);
}

/* list.back(), list.front(), list.at(1) */
static bool item_method(struct interp *in, TSNode call, struct cb_cell *part) {
    TSNode callee = cpp_field(call, CPP_FIELD_function);
    if (!is_kind(call, CPP_call_expression) || !is_kind(callee, CPP_field_expression)) return false;
    struct slice name = interp_last_name(in->tree, callee);
    const struct val *owner = val_bare(interp_eval(in, cpp_field(callee, CPP_FIELD_argument)));
    if (owner->kind != VAL_LIST || owner->list->map || !owner->list->len) return false;
    TSNode key = cpp_first(cpp_field(call, CPP_FIELD_arguments));
    int64_t at = 0;
    if (slice_equal(name, SLICE("back")) && !owner->list->open) at = owner->list->len - 1;
    else if (slice_equal(name, SLICE("at")) && exists(key) && !val_is_num(interp_eval(in, key), &at)) return false;
    else if (!slice_equal(name, SLICE("at")) && !slice_equal(name, SLICE("front"))) return false;
    if (at < 0 || at >= owner->list->len) return false;
    part->list = owner->list;
    part->item = (uint32_t)at;
    return true;
}

/* A reference to a field or an item is that field or item. */
struct cb_cell *interp_part_cell(struct interp *in, TSNode node, struct slice name) {
    struct cb_cell part = {.name = name, .born = val_clock()};
    if (is_kind(node, CPP_field_expression)) {
        const struct val *owner = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_argument)));
        if (owner->kind != VAL_OBJECT) return NULL;
        part.object = owner->object;
        part.field = interp_last_name(in->tree, cpp_field(node, CPP_FIELD_field));
        if (!val_object_field(part.object, part.field)) return NULL;
    } else if (is_kind(node, CPP_subscript_expression)) {
        const struct val *owner = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_argument)));
        TSNode key = cpp_first(cpp_field(node, CPP_FIELD_indices));
        int64_t at;
        if (owner->kind != VAL_LIST || owner->list->map || !exists(key) || !val_is_num(interp_eval(in, key), &at)) return NULL;
        if (at < 0 || at >= owner->list->len) return NULL;
        part.list = owner->list;
        part.item = (uint32_t)at;
    } else if (!item_method(in, node, &part)) {
        return NULL;
    }
    struct cb_cell *cell = arena_alloc(in->arena, sizeof *cell);
    *cell = part;
    cell->value = val_free(in->arena, name);
    return cell;
}

struct declared {
    struct slice type;
    TSNode type_node;
    enum val_type number;
    bool constant, is_static;
};

/* x of std::ref(x) */
static TSNode referred_to(struct interp *in, TSNode value) {
    if (!is_kind(value, CPP_call_expression)) return (TSNode){0};
    struct slice name = interp_last_name(in->tree, cpp_field(value, CPP_FIELD_function));
    bool refers = slice_equal(name, SLICE("ref")) || slice_equal(name, SLICE("cref"));
    return refers ? cpp_first(cpp_field(value, CPP_FIELD_arguments)) : (TSNode){0};
}

static struct cb_cell *alias_of(struct interp *in, TSNode declarator, TSNode value, struct slice name) {
    bool pointer = is_kind(declarator, CPP_pointer_declarator);
    TSNode wrapped = is_kind(declarator, CPP_identifier) ? referred_to(in, value) : (TSNode){0};
    if (exists(wrapped)) return interp_place(in, wrapped);
    if (!exists(value) || (!pointer && !is_kind(declarator, CPP_reference_declarator))) return NULL;
    if (pointer && !is_kind(value, CPP_pointer_expression)) return NULL;
    struct cb_cell *cell = interp_place(in, value);
    return cell || pointer ? cell : interp_part_cell(in, value, name);
}

static void note_constant(struct interp *in, struct slice name, const struct val *value, TSNode node) {
    enum { MAX_CONSTANTS = 512 };
    const struct val *bare = val_bare(value);
    if (bare->kind != VAL_NUM && bare->kind != VAL_FORMAT) return;
    struct cb_constant c = {.name = name, .line = cpp_line(node)};
    if (bare->kind == VAL_NUM) c.value = bare->num;
    else c.format = bare->format;
    for (size_t i = 0; i < in->out->constants.len; i++) {
        struct cb_constant *known = &in->out->constants.items[i];
        if (!slice_equal(known->name, name) || known->place.len) continue;
        known->ambiguous |= known->value != c.value || known->format != c.format;
        return;
    }
    if (in->out->constants.len >= MAX_CONSTANTS) return;
    c.name = arena_copy(in->arena, name);
    vec_push(&in->out->constants, c);
}

void interp_note_double(struct interp *in, TSNode number, TSNode whole) {
    enum { MAX_CONSTANTS = 512 };
    if (in->mute || in->tree != in->main_tree || !is_kind(number, CPP_number_literal)) return;
    struct slice text = cpp_text(in->tree, number);
    if (!slice_equal(text, SLICE("2")) && !slice_equal(text, SLICE("2u")) && !slice_equal(text, SLICE("2U"))) return;
    if (in->out->constants.len >= MAX_CONSTANTS) return;
    struct strbuf place = {0};
    strbuf_addf(&place, "@%u", ts_node_start_byte(number));
    bool known = false;
    for (size_t i = 0; i < in->out->constants.len && !known; i++)
        known = slice_equal(in->out->constants.items[i].place, strbuf_slice(&place));
    if (!known)
        vec_push(&in->out->constants, ((struct cb_constant){.name = interp_tidy(in, cpp_text(in->tree, whole)),
                                                            .value = 2,
                                                            .line = cpp_line(number),
                                                            .place = arena_copy(in->arena, strbuf_slice(&place))}));
    strbuf_release(&place);
}

/* Does `condition ? a : b` name variables that can change later? */
static bool names_variable(struct interp *in, TSNode choice) {
    const TSNode sides[] = {cpp_field(choice, CPP_FIELD_consequence), cpp_field(choice, CPP_FIELD_alternative)};
    for (unsigned i = 0; i < 2; i++) {
        const struct cb_cell *cell = is_kind(sides[i], CPP_identifier) ? interp_place(in, sides[i]) : NULL;
        if (!cell || cell->constant || cell->fixed) continue;
        const struct val *value = val_bare(interp_cell_value(cell));
        if (!(value->kind == VAL_FREE && value->given)) return true;
    }
    return false;
}

/* For a reference or pointer to something that is not followed: everything that it can reach becomes unknown. */
static bool note_target(struct interp *in, const struct declared *declared, TSNode target, const struct val *value) {
    const struct val *bare = val_bare(value);
    if (!exists(target) || interp_is_objectlike(bare)) return false; /* shared, so writes are seen */
    bool choice = is_kind(target, CPP_conditional_expression);
    bool objects =
        choice && bare->kind == VAL_OP && bare->op == OP_COND && interp_is_objectlike(bare->b) && interp_is_objectlike(bare->c);
    if (objects || (declared->constant && !(choice && names_variable(in, target)))) return false;
    interp_escape_reached(in, target);
    return true;
}

static bool is_literal(TSNode node) { return is_kind(node, CPP_number_literal) || is_kind(node, CPP_qualified_identifier); }

/* Only an object can be one thing under two names; it takes time to tell this of a field or an item. */
static bool gives_pointer(struct interp *in, TSNode node, const struct val *value) {
    bool part = is_kind(node, CPP_field_expression) || is_kind(node, CPP_subscript_expression);
    return exists(node) && (!part || interp_is_objectlike(value)) && interp_shares(in, node);
}

/* {.field = value, ...}: nothing else refers to it. */
static bool is_new(TSNode value) {
    return is_kind(value, CPP_initializer_list) && is_kind(cpp_first(value), CPP_initializer_pair);
}

static bool makes_program(struct interp *in, TSNode value) {
    return is_kind(value, CPP_call_expression) &&
           slice_equal(interp_last_name(in->tree, cpp_field(value, CPP_FIELD_function)), SLICE("CreateProgram"));
}

/* `ProgramDescriptor d = build(...)` where the function is not available. */
static void note_origin(struct interp *in, TSNode value_node, const struct val *value) {
    if (!is_kind(value_node, CPP_call_expression) || val_bare(value)->kind != VAL_FREE) return;
    struct slice name = interp_last_name(in->tree, cpp_field(value_node, CPP_FIELD_function));
    if (makes_program(in, value_node) || interp_keeps_buffers(name)) return;
    struct strbuf reason = {0};
    strbuf_addz(&reason, "a program comes from ");
    strbuf_add(&reason, name);
    strbuf_addz(&reason, ", which is not seen");
    interp_note_unfollowed(in, arena_copy(in->arena, strbuf_slice(&reason)));
    strbuf_release(&reason);
}

static void declare_one(struct interp *in, const struct declared *declared, TSNode declarator) {
    struct slice type = declared->type;
    TSNode value_node = {0};
    if (is_kind(declarator, CPP_init_declarator)) {
        value_node = cpp_field(declarator, CPP_FIELD_value);
        declarator = cpp_field(declarator, CPP_FIELD_declarator);
    }
    TSNode inner = interp_unwrap_declarator(declarator);
    bool is_reference = is_kind(declarator, CPP_reference_declarator), is_pointer = is_kind(declarator, CPP_pointer_declarator);
    const struct val *value;
    if (is_kind(inner, CPP_function_declarator)) {
        struct slice name = interp_last_name(in->tree, cpp_field(inner, CPP_FIELD_declarator));
        interp_note_handed_object(in, type, cpp_field(inner, CPP_FIELD_parameters));
        if (name.len) interp_bind_name(in, name, construct_vexing(in, type, inner));
        return;
    }
    bool is_array = is_kind(inner, CPP_array_declarator);
    struct slice name = interp_last_name(in->tree, inner);
    struct cb_cell *alias = alias_of(in, declarator, value_node, name);
    if (alias && !is_kind(inner, CPP_structured_binding_declarator)) {
        interp_bind_cell(in, name, alias)->points = is_pointer;
        return;
    }
    if (!exists(value_node)) value = interp_construct(in, type, (TSNode){0}, inner);
    else if (is_kind(value_node, CPP_argument_list) || (is_kind(value_node, CPP_initializer_list) && !is_array)) {
        interp_note_handed_object(in, type, value_node);
        value = interp_construct(in, type, value_node, inner);
    } else value = interp_eval(in, value_node);
    if (!is_reference && !is_pointer && interp_is_program_type(type)) note_origin(in, value_node, value);
    bool loose = (is_reference || is_pointer) && note_target(in, declared, value_node, value);
    if (loose && val_bare(value)->kind != VAL_FREE) value = val_free(in->arena, name);
    bool decays = val_bare(value)->kind == VAL_LIST && val_bare(value)->list->decays;
    bool shared = is_pointer || interp_is_pointer_type(type) || gives_pointer(in, value_node, value);
    bool copied = !is_reference && !shared && !decays && !is_new(value_node) && !interp_is_fresh(in, value_node);
    if (copied) value = interp_copy(in, value);
    if (shared && val_bare(value)->kind == VAL_OBJECT) val_bare(value)->object->shared = true;
    if (is_array && val_bare(value)->kind == VAL_LIST) val_bare(value)->list->decays = true;
    if (!is_reference) interp_type_items(in, value, in->tree, declared->type_node);
    if (!is_reference && val_bare(value)->kind == VAL_OBJECT && interp_is_kernel_type(val_bare(value)->object->type))
        vec_push(&in->kernels, val_bare(value));
    if (val_bare(value)->kind == VAL_LIST && is_map_type(type)) val_bare(value)->list->map = true;
    if (val_bare(value)->kind == VAL_LIST && !is_reference) val_bare(value)->list->loops = in->open_loops;
    /* other functions may have changed it before */
    bool kept = (declared->is_static || in->scope == &in->globals) && !declared->constant;
    if (kept && val_bare(value)->kind != VAL_LAMBDA) value = val_free(in->arena, name);
    enum val_type number = is_reference || is_pointer || is_array ? VAL_ANY : declared->number;
    struct cb_cell *cell = interp_bind_declarator(in, declarator, val_convert(in->arena, number, value));
    if (!cell) return;
    cell->pointer = shared;
    cell->program = interp_is_program_type(type) || makes_program(in, value_node);
    if (!is_reference && !shared && val_bare(value)->kind == VAL_OBJECT &&
        interp_is_program_type(val_bare(value)->object->type)) {
        if (copied) interp_copy_program(in, value, cell);
        interp_own_program(in, value, cell);
    }
    if (is_literal(value_node) && !in->mute) note_constant(in, name, value, value_node);
    cell->type = number;
    /* nobody sees who else changes it, or what a goto repeats or skips */
    bool jumped = in->frame && in->frame->jumps && !declared->constant && !is_reference && !interp_is_objectlike(value) &&
                  val_bare(value)->kind != VAL_LAMBDA;
    if (jumped && !cell->fixed) cell->value = val_free(in->arena, name);
    cell->escaped |= loose || kept || jumped;
    cell->optional = slice_equal(type, SLICE("optional"));
    if (cell->fixed) cell->value = val_convert(in->arena, number, cell->value);
    cell->constant = declared->constant && !is_reference && !is_pointer;
}

static bool has_word(struct slice text, struct slice word) {
    size_t at = slice_find(text, word);
    return at != SLICE_NONE && (at + word.len == text.len || text.ptr[at + word.len] == ' ' || text.ptr[at + word.len] == '\n');
}

void interp_declare(struct interp *in, TSNode declaration) {
    TSNode type_node = cpp_field(declaration, CPP_FIELD_type);
    struct slice text = cpp_text(in->tree, declaration), before = slice_take(text, 0);
    if (exists(type_node)) before = slice_take(text, ts_node_start_byte(type_node) - ts_node_start_byte(declaration));
    bool east = false; /* `uint32_t const n` */
    struct declared declared = {.type = interp_last_name(in->tree, type_node),
                                .type_node = type_node,
                                .number = interp_number_type(in, in->tree, type_node),
                                .is_static = has_word(before, SLICE("static"))};
    if (exists(cpp_field(type_node, CPP_FIELD_body))) interp_exec(in, type_node); /* a type defined in the declaration */
    TSTreeCursor cursor = ts_tree_cursor_new(declaration);
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        const char *field = ts_tree_cursor_current_field_name(&cursor);
        if (strcmp(ts_node_type(child), "type_qualifier") == 0) east |= slice_starts(cpp_text(in->tree, child), SLICE("const"));
        declared.constant = east || has_word(before, SLICE("const")) || has_word(before, SLICE("constexpr"));
        if (field && strcmp(field, "declarator") == 0) declare_one(in, &declared, child);
    }
    ts_tree_cursor_delete(&cursor);
}

void interp_declare_enum(struct interp *in, TSNode node) {
    struct cpp_nodes items = cpp_children(in->arena, cpp_field(node, CPP_FIELD_body));
    const struct val *next = val_num(in->arena, 0);
    struct slice outer = in->owner, name = interp_last_name(in->tree, cpp_field(node, CPP_FIELD_name));
    struct slice path = in->owner_path, text = cpp_text(in->tree, node);
    bool scoped = slice_starts(text, SLICE("enum class")) || slice_starts(text, SLICE("enum struct"));
    if (name.len) in->owner = name;
    if (name.len && scoped) in->owner_path = interp_inner_path(in, path, name);
    for (uint32_t i = 0; i < items.len; i++) {
        if (!is_kind(items.items[i], CPP_enumerator)) continue;
        TSNode value = cpp_field(items.items[i], CPP_FIELD_value);
        const struct val *v = exists(value) ? interp_eval(in, value) : next;
        interp_bind_name(in, cpp_text(in->tree, cpp_field(items.items[i], CPP_FIELD_name)), v)->constant = true;
        next = val_op2(in->arena, OP_ADD, v, val_num(in->arena, 1));
    }
    in->owner = outer;
    in->owner_path = path;
}
