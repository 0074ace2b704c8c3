/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of the symbolic interpreter. */
#include <string.h>

#include "cb/interp/cb_interp.h"

struct slice interp_tidy(struct interp *in, struct slice text) {
    bool clean = text.len <= INTERP_TEXT;
    for (size_t i = 0; clean && i < text.len; i++)
        if (text.ptr[i] == '\n' || text.ptr[i] == '\t' || text.ptr[i] == '\r') clean = false;
    if (clean) return text;
    char *out = arena_alloc(in->arena, INTERP_TEXT + 4);
    size_t n = 0;
    for (size_t i = 0; i < text.len && n < INTERP_TEXT; i++) {
        bool space = text.ptr[i] == ' ' || text.ptr[i] == '\n' || text.ptr[i] == '\t' || text.ptr[i] == '\r';
        if (space && (n == 0 || out[n - 1] == ' ' || out[n - 1] == '(')) continue;
        out[n++] = space ? ' ' : text.ptr[i];
    }
    if (n == INTERP_TEXT) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    return slice_of(out, n);
}

struct slice interp_last_name(const struct cpp_tree *tree, TSNode node) {
    for (unsigned i = 0; i < 64; i++) {
        switch (cpp_kind(node)) {
            case CPP_qualified_identifier:
            case CPP_template_function:
            case CPP_template_method:
            case CPP_template_type:
                node = cpp_field(node, CPP_FIELD_name);
                break;
            case CPP_field_expression:
                node = cpp_field(node, CPP_FIELD_field);
                break;
            case CPP_identifier:
            case CPP_field_identifier:
            case CPP_type_identifier:
            case CPP_namespace_identifier:
            case CPP_primitive_type:
                return cpp_text(tree, node);
            case CPP_parenthesized_declarator:
            case CPP_reference_declarator:
            case CPP_pointer_declarator:
            case CPP_array_declarator: {
                TSNode inner = cpp_field(node, CPP_FIELD_declarator);
                node = exists(inner) ? inner : cpp_first(node);
                break;
            }
            default:
                if (!exists(node) || ts_node_named_child_count(node) != 1) return SLICE("");
                node = cpp_first(node); /* dependent_name and similar */
        }
        if (!exists(node)) return SLICE("");
    }
    return SLICE("");
}

struct slice interp_written(struct interp *in, TSNode node) {
    struct slice text = cpp_text(in->tree, node);
    if (is_kind(node, CPP_identifier)) {
        const struct binding *b = interp_find_binding(in, text);
        if (b && b->is_param && b->written.len) return b->written;
    }
    return interp_tidy(in, text);
}

/* The --set value for an unknown, matched by its whole text or by its last name. */
static const struct val *set_value(struct interp *in, struct slice text) {
    size_t start = text.len;
    while (start && (text.ptr[start - 1] == '_' || (text.ptr[start - 1] >= '0' && text.ptr[start - 1] <= '9') ||
                     ((text.ptr[start - 1] | 32) >= 'a' && (text.ptr[start - 1] | 32) <= 'z')))
        start--;
    const struct cb_cell *cell = NULL;
    for (size_t i = in->given.len; i-- > 0;) {
        struct slice name = in->given.items[i]->name;
        if (slice_equal(name, text) || (start < text.len && slice_equal(name, slice_skip(text, start))))
            cell = in->given.items[i];
    }
    if (cell) in->out->sets_used |= cell->set_bit;
    return cell ? cell->value : NULL;
}

/* Functions of ttnn that return a property of the device or of a configuration they get. */
bool cb_tells_property(struct slice name) {
    static const char *const names[] = {"get_compute_kernel_config_args",
                                        "get_fp32_dest_acc_en",
                                        "enable_32_bit_dest",
                                        "get_dst_full_sync_en",
                                        "get_packer_l1_acc",
                                        "get_math_fidelity",
                                        "get_dest_reg_count",
                                        "get_tt_fabric_channel_buffer_size_bytes",
                                        "get_tt_fabric_packet_header_size_bytes",
                                        "get_max_worker_l1_unreserved_size",
                                        "get_dram_alignment",
                                        "compute_output_specs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

/* a.b(), a->b[1].c(): a property of the object behind a name. */
static bool is_property(struct interp *in, TSNode node) {
    for (unsigned i = 0; i < 24; i++) {
        switch (cpp_kind(node)) {
            case CPP_identifier: {
                const struct cb_cell *cell = interp_variable(in, cpp_text(in->tree, node), NULL);
                const struct val *value = cell ? val_bare(interp_cell_value(cell)) : NULL;
                return value && value->kind == VAL_FREE && value->given;
            }
            case CPP_this:
                return true;
            case CPP_call_expression:
                if (!is_kind(cpp_field(node, CPP_FIELD_function), CPP_field_expression))
                    return cb_tells_property(interp_last_name(in->tree, cpp_field(node, CPP_FIELD_function)));
                node = cpp_field(node, CPP_FIELD_function);
                break;
            case CPP_field_expression:
            case CPP_subscript_expression:
            case CPP_pointer_expression:
                node = cpp_field(node, CPP_FIELD_argument);
                break;
            case CPP_parenthesized_expression:
                node = cpp_first(node);
                break;
            default:
                return false;
        }
    }
    return false;
}

const struct val *interp_unknown(struct interp *in, TSNode node) {
    struct slice text = interp_tidy(in, cpp_text(in->tree, node));
    const struct val *given = set_value(in, text);
    if (given) return given;
    return is_property(in, node) ? val_given(in->arena, text) : val_free(in->arena, text);
}

/* A field of the object whose member function is running, as a variable. */
static struct cb_cell *own_field(struct interp *in, struct slice name) {
    const struct val *self = in->frame && in->frame->self ? val_bare(in->frame->self) : NULL;
    if (!self || self->kind != VAL_OBJECT || !val_object_field(self->object, name)) return NULL;
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    *cell = (struct cb_cell){.name = name, .object = self->object, .field = name, .born = self->object->born};
    cell->value = val_free(in->arena, name);
    return cell;
}

/* Finds the variable of a name: in the function, in the object around it, in the file. */
struct cb_cell *interp_variable(struct interp *in, struct slice name, struct binding **binding) {
    struct binding *b = NULL;
    for (struct scope *s = in->scope; s && s != &in->globals && !b; s = s->up)
        for (struct binding *c = s->bindings; c && !b; c = c->next)
            if (slice_equal(c->name, name)) b = c;
    if (binding) *binding = b;
    if (b) return b->cell;
    struct cb_cell *own = own_field(in, name);
    return own ? own : interp_global(in, name, SLICE(""));
}

struct cb_cell *interp_place(struct interp *in, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        switch (cpp_kind(node)) {
            case CPP_identifier:
            case CPP_type_identifier: /* in `T name(argument)`, which parses as a function */
                return interp_variable(in, cpp_text(in->tree, node), NULL);
            case CPP_parenthesized_expression:
                node = cpp_first(node);
                break;
            case CPP_pointer_expression:
                node = cpp_field(node, CPP_FIELD_argument);
                break;
            default:
                return NULL;
        }
    }
    return NULL;
}

void interp_escape(struct interp *in, struct cb_cell *cell) {
    const struct val *value = val_bare(interp_cell_value(cell));
    if (value->kind == VAL_OBJECT || value->kind == VAL_LIST || value->kind == VAL_LAMBDA || cell->constant) return;
    interp_forget_cell(in, cell);
    cell->escaped = true;
}

/* &x: the pointer may go anywhere. */
static const struct val *pointer(struct interp *in, TSNode node) {
    TSNode target = cpp_field(node, CPP_FIELD_argument);
    struct slice op = cpp_text(in->tree, cpp_field(node, CPP_FIELD_operator));
    struct cb_cell *cell = slice_equal(op, SLICE("&")) ? interp_place(in, target) : NULL;
    if (cell) interp_escape(in, cell);
    bool read = slice_equal(op, SLICE("*")); /* *std::find(...) */
    in->reading += read;
    const struct val *value = interp_eval(in, target); /* a pointer stands for what it points to */
    in->reading -= read;
    bool address = slice_equal(op, SLICE("&")) && val_bare(value)->kind == VAL_FREE;
    return address ? val_free(in->arena, interp_tidy(in, cpp_text(in->tree, node))) : value;
}

bool interp_is_objectlike(const struct val *v) {
    v = val_bare(v);
    return v->kind == VAL_LIST || v->kind == VAL_OBJECT || v->kind == VAL_LAMBDA;
}

/* The pointer's new target is unknown, and its old target may change at any time. */
void interp_point_elsewhere(struct interp *in, struct binding *pointer) {
    interp_escape(in, pointer->cell);
    interp_escape_value(in, interp_cell_value(pointer->cell));
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    *cell = (struct cb_cell){.name = pointer->name, .value = val_free(in->arena, pointer->name), .escaped = true};
    cell->born = val_tick();
    pointer->cell = cell;
}

/* x++, --x: returns the value before or after. */
static const struct val *update(struct interp *in, TSNode node) {
    TSNode target = cpp_field(node, CPP_FIELD_argument);
    const struct val *old = interp_eval(in, target);
    struct binding *pointer = NULL;
    if (is_kind(target, CPP_identifier)) interp_variable(in, cpp_text(in->tree, target), &pointer);
    if (pointer && pointer->points) {
        interp_point_elsewhere(in, pointer);
        return interp_unknown(in, node);
    }
    if (interp_is_objectlike(old)) { /* a user-defined operator */
        interp_forget_value(in, old);
        return interp_unknown(in, node);
    }
    struct slice text = cpp_text(in->tree, node);
    bool up = slice_ends(text, SLICE("++")) || slice_starts(text, SLICE("++"));
    const struct val *next = val_op2(in->arena, up ? OP_ADD : OP_SUB, old, val_num(in->arena, 1));
    struct cb_cell *cell = interp_place(in, target);
    if (cell) interp_assign(in, cell, next);
    else interp_set_field(in, target, next, cpp_text(in->tree, node));
    return text.len && (text.ptr[0] == '+' || text.ptr[0] == '-') ? (cell ? interp_cell_value(cell) : interp_eval(in, target))
                                                                  : old;
}

/* The value of the field `a.b`. If the object has no such field and `make` is set, creates a list there. */
const struct val *interp_field_of(struct interp *in, TSNode node, bool make) {
    const struct val *object = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_argument)));
    struct slice name = interp_last_name(in->tree, cpp_field(node, CPP_FIELD_field));
    if (object->kind == VAL_LIST && object->list->len == 2 && !object->list->map) {
        if (slice_equal(name, SLICE("first"))) return object->list->items[0];
        if (slice_equal(name, SLICE("second"))) return object->list->items[1];
    }
    if (object->kind != VAL_OBJECT) return NULL;
    struct val_field *field = val_object_field(object->object, name);
    if (field) return field->value;
    if (!make) return NULL;
    const struct val *list = val_list_new(in->arena);
    list->list->loops = in->open_loops;
    list->list->born = object->object->born; /* it has been empty since the object was made */
    val_object_set(in->arena, object->object, name, list);
    return list;
}

static const struct val *field(struct interp *in, TSNode node) {
    const struct val *found = interp_field_of(in, node, false);
    if (found) return found;
    struct slice text = interp_tidy(in, cpp_text(in->tree, node));
    const struct val *constant = interp_find_constant(in, text, interp_last_name(in->tree, node));
    return constant ? constant : interp_unknown(in, node);
}

const struct val *interp_find_in_list(const struct val_list *list, const struct val *key) {
    int64_t index, have;
    if (!val_is_num(key, &index)) return NULL;
    if (list->map) {
        for (uint32_t i = list->len; i-- > 0;) {
            const struct val *pair = val_bare(list->items[i]);
            if (pair->kind != VAL_LIST || pair->list->len != 2 || !val_is_num(pair->list->items[0], &have)) return NULL;
            if (pair->kind == VAL_LIST && pair->list->len == 2 && val_is_num(pair->list->items[0], &have) && have == index)
                return pair->list->items[1];
        }
        return NULL;
    }
    return index >= 0 && index < list->len ? list->items[index] : NULL;
}

static const struct val *subscript(struct interp *in, TSNode node) {
    const struct val *object = val_bare(interp_eval(in, cpp_field(node, CPP_FIELD_argument)));
    TSNode key_node = cpp_first(cpp_field(node, CPP_FIELD_indices));
    const struct val *key = exists(key_node) ? interp_eval(in, key_node) : interp_unknown(in, node);
    const struct val *found = object->kind == VAL_LIST ? interp_find_in_list(object->list, key) : NULL;
    if (!found && object->kind == VAL_LIST && object->list->map) interp_open_list(in, object->list); /* [] creates it */
    return found ? found : interp_unknown(in, node);
}

static const struct val *sizeof_value(struct interp *in, TSNode node) {
    static const struct {
        const char *type;
        int64_t bytes;
    } types[] = {{"uint8_t", 1},  {"int8_t", 1},   {"char", 1},    {"bool", 1},   {"uint16_t", 2}, {"int16_t", 2},
                 {"bfloat16", 2}, {"uint32_t", 4}, {"int32_t", 4}, {"int", 4},    {"unsigned", 4}, {"unsigned int", 4},
                 {"float", 4},    {"uint64_t", 8}, {"int64_t", 8}, {"double", 8}, {"size_t", 8}};
    struct slice text = cpp_text(in->tree, node);
    size_t from = slice_find_byte(text, '(');
    if (from == SLICE_NONE || text.ptr[text.len - 1] != ')') return interp_unknown(in, node);
    text = slice_trim(slice_of(text.ptr + from + 1, text.len - from - 2));
    for (size_t i = text.len; i > 1; i--)
        if (text.ptr[i - 1] == ':') {
            text = slice_skip(text, i);
            break;
        }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_equal(text, slice_from(types[i].type))) return val_num_of(in->arena, VAL_U64, types[i].bytes);
    return val_op1(in->arena, OP_ELEMENT_BYTES, interp_unknown(in, node));
}

static const struct val *identifier(struct interp *in, TSNode node) {
    struct slice text = cpp_text(in->tree, node);
    const struct cb_cell *cell = interp_variable(in, text, NULL);
    if (cell) {
        in->out->sets_used |= cell->set_bit;
        return interp_cell_value(cell);
    }
    const struct val *constant = interp_find_constant(in, text, interp_last_name(in->tree, node));
    if (constant) return constant;
    if (is_kind(node, CPP_qualified_identifier)) { /* Enum::NAME, Class::kConstant, namespace::name */
        const struct cb_cell *global = interp_global(in, interp_last_name(in->tree, node), interp_owner_of(in->tree, node));
        if (global) return interp_cell_value(global);
    }
    interp_note_function_value(in, interp_last_name(in->tree, node));
    return interp_unknown(in, node);
}

static const struct val *lambda(struct interp *in, TSNode node) {
    struct val *v = arena_zalloc(in->arena, sizeof *v);
    struct val_lambda *l = arena_zalloc(in->arena, sizeof *l);
    *l = (struct val_lambda){in->tree, node, interp_capture(in, node), in->frame ? in->frame->self : NULL};
    *v = (struct val){.kind = VAL_LAMBDA, .depth = 1, .size = 1, .lambda = l};
    return v;
}

const struct val *interp_peek(struct interp *in, TSNode node) {
    size_t mark = in->journal.len;
    uint64_t since = val_clock();
    bool was_mute = in->mute;
    in->mute = true;
    const struct val *value = interp_eval(in, node);
    in->mute = was_mute;
    changes changed = {0};
    interp_take_back(in, mark, since, &changed);
    vec_release(&changed);
    return value;
}

static const struct val *typed_list(struct interp *in, const struct val *value, TSNode type) {
    interp_type_items(in, value, in->tree, type);
    return value;
}

/* An unknown form: what it names may change, and buffers it makes are missed. */
static const struct val *not_followed(struct interp *in, TSNode node) {
    if (interp_count_sites(in, in->tree, node))
        interp_note_unread(in, node, SLICE("a form that is not followed makes circular buffers"));
    if (cpp_kind(node) == CPP_other && ts_node_named_child_count(node)) interp_forget_mentioned(in, node);
    return interp_unknown(in, node);
}

static const struct val *eval_kind(struct interp *in, TSNode node) {
    switch (cpp_kind(node)) {
        case CPP_number_literal:
            return interp_number(in, node);
        case CPP_true:
            return val_num(in->arena, 1);
        case CPP_false:
            return val_num(in->arena, 0);
        case CPP_null:
            return val_null(in->arena);
        case CPP_string_literal:
        case CPP_concatenated_string:
            return interp_string(in, node);
        case CPP_identifier:
        case CPP_qualified_identifier:
        case CPP_type_identifier:
        case CPP_field_identifier:
            return identifier(in, node);
        case CPP_parenthesized_expression:
        case CPP_init_statement:
        case CPP_condition_clause: {
            TSNode inner = cpp_field(node, CPP_FIELD_value);
            if (!exists(inner)) inner = cpp_first(node);
            return exists(inner) ? interp_eval(in, inner) : interp_unknown(in, node);
        }
        case CPP_binary_expression:
            return interp_binary(in, node);
        case CPP_unary_expression:
            return interp_unary(in, node);
        case CPP_update_expression:
            return update(in, node);
        case CPP_pointer_expression:
            return pointer(in, node);
        case CPP_new_expression: {
            struct slice type = interp_last_name(in->tree, cpp_field(node, CPP_FIELD_type));
            TSNode args = cpp_field(node, CPP_FIELD_arguments);
            if (!interp_has_constructor(in, type) || exists(cpp_field(node, CPP_FIELD_declarator)))
                return interp_unknown(in, node);
            interp_note_handed_object(in, type, args);
            return interp_construct(in, type, args, node);
        }
        case CPP_cast_expression: {
            enum val_type type = interp_number_type(in, in->tree, cpp_field(node, CPP_FIELD_type));
            return val_convert(in->arena, type, interp_eval(in, cpp_field(node, CPP_FIELD_value)));
        }
        case CPP_this:
            return in->frame && in->frame->self ? in->frame->self : interp_unknown(in, node);
        case CPP_conditional_expression:
            return interp_conditional(in, node);
        case CPP_assignment_expression:
            return interp_assignment(in, node);
        case CPP_call_expression:
            return interp_eval_call(in, node);
        case CPP_field_expression:
            return field(in, node);
        case CPP_subscript_expression:
            return subscript(in, node);
        case CPP_initializer_list:
            return interp_eval_braces(in, node, SLICE(""));
        case CPP_compound_literal_expression:
            return typed_list(in,
                              interp_construct(in, interp_last_name(in->tree, cpp_field(node, CPP_FIELD_type)),
                                               cpp_field(node, CPP_FIELD_value), node),
                              cpp_field(node, CPP_FIELD_type));
        case CPP_lambda_expression:
            return lambda(in, node);
        case CPP_sizeof_expression:
            return sizeof_value(in, node);
        case CPP_comma_expression:
            interp_eval(in, cpp_field(node, CPP_FIELD_left));
            return interp_eval(in, cpp_field(node, CPP_FIELD_right));
        case CPP_declaration:
            interp_declare(in, node);
            return interp_unknown(in, node);
        case CPP_template_function:
        case CPP_string_content:
        case CPP_char_literal:
        case CPP_type_descriptor:
            return interp_unknown(in, node);
        default:
            return not_followed(in, node);
    }
}

/* Did the parser fail to understand part of the expression? */
static bool is_broken(TSNode node) {
    if (is_kind(node, CPP_lambda_expression)) return false;
    uint32_t n = ts_node_child_count(node);
    for (uint32_t i = 0; i < n && i < 64; i++)
        if (ts_node_symbol(ts_node_child(node, i)) == (TSSymbol)-1 || ts_node_is_missing(ts_node_child(node, i))) return true;
    return false;
}

const struct val *interp_eval(struct interp *in, TSNode node) {
    if (!exists(node)) return val_free(in->arena, SLICE(""));
    if (++in->steps > INTERP_MAX_STEPS || in->arena->total > INTERP_MAX_MEMORY) in->exhausted = true;
    if (in->depth >= INTERP_MAX_DEPTH) in->too_deep = true;
    if (in->exhausted || in->depth >= INTERP_MAX_DEPTH)
        return val_free(in->arena, interp_tidy(in, slice_take(cpp_text(in->tree, node), INTERP_TEXT)));
    in->depth++;
    if (!is_kind(node, CPP_binary_expression) && !is_kind(node, CPP_parenthesized_expression) &&
        !is_kind(node, CPP_condition_clause))
        in->wants_truth = false;
    const struct val *v = eval_kind(in, node);
    if (ts_node_has_error(node) && is_broken(node)) {
        interp_forget_mentioned(in, node);
        v = interp_unknown(in, node);
    }
    in->depth--;
    return v;
}
