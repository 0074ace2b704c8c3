/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose definition is not available: what they may do to their arguments. */
#include "cb/interp/cb_calls.h"

void interp_kernel_by_name(struct interp *in, const struct call *call) {
    const struct val *path = NULL;
    const struct val_list *args = NULL;
    for (uint32_t i = 0; i < call->n; i++) {
        const struct val *v = val_bare(interp_arg(in, call, i));
        bool is_path = v->kind == VAL_TEXT && slice_ends(v->text, SLICE(".cpp"));
        bool is_choice =
            v->kind == VAL_OP && v->op == OP_COND && (val_bare(v->b)->kind == VAL_TEXT || val_bare(v->c)->kind == VAL_TEXT);
        if (is_path || is_choice) path = v;
        if (v->kind == VAL_LIST && !args) args = v->list;
        if (v->kind == VAL_OBJECT) {
            const struct val_field *f = val_object_field(v->object, SLICE("compile_args"));
            if (!f) f = val_object_field(v->object, SLICE("compile_time_args"));
            if (f && val_bare(f->value)->kind == VAL_LIST) args = val_bare(f->value)->list;
        }
    }
    if (path) interp_record_kernel(in, path, args, call->node);
    else if (slice_equal(call->name, SLICE("CreateKernel")) && call->n >= 3)
        interp_record_kernel(in, val_free(in->arena, interp_arg_text(in, call, 1)), args, call->node);
}

static bool contains(struct slice text, const char *part) { return slice_find(text, slice_from(part)) != SLICE_NONE; }

/* TT_FATAL(format == tt::DataFormat::Float16_b, ...): from here on the condition holds. */
static void assume(struct interp *in, const struct call *call) {
    if (!call->n || !is_kind(call->args[0], CPP_binary_expression)) return;
    TSNode left = cpp_field(call->args[0], CPP_FIELD_left), right = cpp_field(call->args[0], CPP_FIELD_right);
    if (!slice_equal(cpp_text(in->tree, cpp_field(call->args[0], CPP_FIELD_operator)), SLICE("=="))) return;
    struct cb_cell *cell = interp_place(in, left);
    const struct val *value = val_bare(interp_eval(in, right));
    if (cell && val_bare(cell->value)->kind == VAL_FREE && (value->kind == VAL_NUM || value->kind == VAL_FORMAT))
        interp_assign(in, cell, value);
}

/* Functions of tt-metal and macros that take values, or that take a program and add kernels and arguments to it. */
static const char *const harmless[] = {
    "CoreCoord",
    "CoreRange",
    "CoreRangeSet",
    "Shape",
    "Tile",
    "Size",
    "MeshCoordinate",
    "MeshCoordinateRange",
    "format",
    "string",
    "to_string",
    "CreateSemaphore",
    "SetRuntimeArgs",
    "SetCommonRuntimeArgs",
    "GetRuntimeArgs",
    "CreateBuffer",
    "EnqueueProgram",
    "num_cores_to_corerangeset",
    "split_work_to_cores",
    "grid_to_cores",
    "corerange_to_cores",
    "get_max_worker_l1_unreserved_size",
    "volume",
    "ceil",
    "floor",
    "sqrt",
    "log2",
    "pow",
    "abs",
    "gcd",
    "lcm",
    "round_to_power_of_two",
    "is_power_of_two",
    "bit_width",
    "bit_cast",
    "get_num_cores",
    "operator",
    "decltype",
    "sizeof",
    "alignof",
    "assert",
    "EXPECT_EQ",
    "EXPECT_TRUE",
    "ASSERT_EQ",
    "ASSERT_TRUE",
    "EXPECT_THROW",
    "printf",
    "holds_alternative",
    "get_if",
    "make_shared",
    "make_unique",
    "TensorAccessorArgs",
    "get_pf_type",
    "datatype_to_dataformat_converter",
    "get_cb_config",
    "packed_page_size",
    "logical_shape",
    "padded_shape",
};

/* Functions of the standard library that do not change their arguments; others may. */
static const char *const reading[] = {
    "accumulate",
    "all_of",
    "any_of",
    "none_of",
    "count",
    "count_if",
    "distance",
    "equal",
    "find",
    "find_if",
    "find_if_not",
    "max_element",
    "min_element",
    "minmax",
    "reduce",
    "inner_product",
    "is_sorted",
    "lower_bound",
    "upper_bound",
    "search",
    "binary_search",
    "includes",
    "mismatch",
    "next",
    "prev",
    "begin",
    "end",
    "cbegin",
    "cend",
    "size",
    "ssize",
    "empty",
    "get",
    "get_if",
    "make_tuple",
    "make_pair",
    "make_unique",
    "make_shared",
    "make_optional",
    "make_index_sequence",
    "string",
    "string_view",
    "to_string",
    "stoi",
    "stoul",
    "stol",
    "stoull",
    "format",
    "span",
    "move",
    "forward",
    "as_const",
    "cref",
    "hash",
    "less",
    "greater",
    "round",
    "fmod",
    "log",
    "exp",
    "cbrt",
    "isnan",
    "isinf",
    "trunc",
    "lround",
    "llround",
    "fabs",
    "popcount",
    "countr_zero",
    "countl_zero",
    "bit_ceil",
    "bit_floor",
    "has_single_bit",
    "midpoint",
    "holds_alternative",
    "filesystem",
    "path",
    "getenv",
    "runtime_error",
    "invalid_argument",
    "logic_error",
    "out_of_range",
    "numeric_limits",
    "lowest",
    "epsilon",
    "infinity",
    "setw",
    "multiplies",
    "plus",
    "minus",
    "to_underlying",
    "variant_size_v",
    "is_same_v",
    "in_place",
    "nullopt",
    "monostate",
    "chrono",
    "now",
    "duration_cast",
};

static bool one_of(struct slice name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (slice_equal(name, slice_from(list[i]))) return true;
    return false;
}

bool interp_changes_nothing(const struct interp *in, const struct call *call) {
    if (one_of(call->name, harmless, sizeof harmless / sizeof *harmless)) return true;
    if (slice_starts(call->name, SLICE("TT_")) || slice_starts(call->name, SLICE("log_"))) return true;
    struct slice text = cpp_text(in->tree, cpp_field(call->node, CPP_FIELD_function));
    if (slice_starts(text, SLICE("std::"))) return one_of(call->name, reading, sizeof reading / sizeof *reading);
    return slice_starts(text, SLICE("fmt::"));
}

/* std::ref(x), std::back_inserter(list), std::begin(list): writes through the result change the argument. */
static bool hands_on(struct slice name) {
    static const char *const names[] = {"ref",       "back_inserter", "front_inserter",    "inserter", "begin", "end",  "data",
                                        "addressof", "get",           "as_writable_bytes", "span",     "move",  "next", "prev"};
    return one_of(name, names, sizeof names / sizeof *names);
}

void interp_forget_argument(struct interp *in, TSNode argument) {
    while (is_kind(argument, CPP_parenthesized_expression)) argument = cpp_first(argument);
    bool address = is_kind(argument, CPP_pointer_expression);
    TSNode target = address ? cpp_field(argument, CPP_FIELD_argument) : argument;
    if (is_kind(target, CPP_call_expression)) {
        /* list.begin(), list.data(), std::ref(x) */
        TSNode callee = cpp_field(target, CPP_FIELD_function);
        if (is_kind(callee, CPP_field_expression)) {
            const struct val *owner = val_bare(interp_peek(in, cpp_field(callee, CPP_FIELD_argument)));
            if (owner->kind == VAL_LIST) interp_forget_items(in, owner->list);
        } else if (slice_equal(interp_last_name(in->tree, callee), SLICE("py_value"))) {
            /* Python: a list or an object may be changed, a number not */
            interp_forget_value(in, interp_peek(in, target));
        } else if (hands_on(interp_last_name(in->tree, callee))) {
            interp_forget_argument(in, cpp_first(cpp_field(target, CPP_FIELD_arguments)));
        }
        return;
    }
    if (is_kind(target, CPP_field_expression) || is_kind(target, CPP_subscript_expression)) {
        const struct val *value = val_bare(interp_peek(in, target));
        if (value->kind == VAL_OBJECT || value->kind == VAL_LIST) interp_forget_value(in, value);
        else if (value->kind != VAL_FREE)
            interp_set_field(in, target, val_free(in->arena, interp_tidy(in, cpp_text(in->tree, target))), SLICE(""));
        return;
    }
    struct cb_cell *cell = interp_place(in, target);
    if (!cell || cell->constant) return;
    if (address) interp_escape(in, cell);
    interp_forget_cell(in, cell);
}

void interp_note_prototype(struct interp *in, TSNode declaration) {
    TSNode declarator = cpp_field(declaration, CPP_FIELD_declarator);
    while (is_kind(declarator, CPP_reference_declarator) || is_kind(declarator, CPP_pointer_declarator))
        declarator = cpp_first(declarator);
    if (!is_kind(declarator, CPP_function_declarator)) return;
    struct prototype p = {.name = interp_last_name(in->tree, cpp_field(declarator, CPP_FIELD_declarator))};
    struct cpp_nodes params = cpp_children(in->arena, cpp_field(declarator, CPP_FIELD_parameters));
    for (uint32_t i = 0; i < params.len && i < 64; i++) {
        struct slice text = cpp_text(in->tree, params.items[i]);
        bool handle = slice_find_byte(text, '&') != SLICE_NONE || slice_find_byte(text, '*') != SLICE_NONE;
        bool open = slice_starts(text, SLICE("auto")) || slice_find(text, SLICE("...")) != SLICE_NONE;
        if ((handle && !slice_starts(text, SLICE("const "))) || open) p.changes |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < in->prototypes.len; i++)
        if (slice_equal(in->prototypes.items[i].name, p.name)) {
            in->prototypes.items[i].changes |= p.changes;
            return;
        }
    if (p.name.len) vec_push(&in->prototypes, p);
}

/* Which arguments the function may change according to its declaration; all if there is none. */
static uint64_t may_change(const struct interp *in, struct slice name) {
    for (size_t i = 0; i < in->prototypes.len; i++)
        if (slice_equal(in->prototypes.items[i].name, name)) return in->prototypes.items[i].changes;
    return UINT64_MAX;
}

/* Functions of tt-metal and ttnn that take a program's description and do not change its buffers. */
bool interp_keeps_buffers(struct slice name) {
    static const char *const names[] = {"MakeProgramFromSpec",
                                        "MakeMeshWorkloadFromSpec",
                                        "generic_op",
                                        "append_fabric_connection_rt_args",
                                        "append_routing_plane_connection_manager_rt_args",
                                        "setup_fabric_connection",
                                        "setup_routing_plane_connection",
                                        "get_fabric_mux_run_time_args",
                                        "find_available_semaphore_id",
                                        "apply_descriptor_runtime_args",
                                        "resolve_bindings",
                                        "enumerate",
                                        "print"};
    return one_of(name, names, sizeof names / sizeof *names);
}

static bool is_program(struct interp *in, TSNode argument) {
    const struct val *value = val_bare(interp_peek(in, argument));
    return value->kind == VAL_OBJECT && interp_is_program_type(value->object->type);
}

void interp_forget_arguments(struct interp *in, const struct call *call) {
    uint64_t changed = may_change(in, call->name);
    bool keeps = interp_keeps_buffers(call->name);
    if (slice_equal(call->name, SLICE("erase_if")) || slice_equal(call->name, SLICE("erase"))) { /* std's: only removes */
        const struct val *list = call->n ? val_bare(interp_peek(in, call->args[0])) : NULL;
        if (list && list->kind == VAL_LIST) {
            interp_note_list_lost(in, list->list, false);
            interp_open_list(in, list->list);
            return;
        }
    }
    for (uint32_t i = 0; i < call->n && !in->exhausted; i++)
        if (!(keeps && is_program(in, call->args[i])) && changed >> (i < 63 ? i : 63) & 1)
            interp_forget_argument(in, call->args[i]);
}

/* Judged by their names: they give kernels and semaphores to a program, run it, inspect it, or change addresses. */
bool interp_leaves_buffers(struct slice name) {
    static const char *const words[] = {
        "args",        "Args",          "rguments",      "emaphore",   "ernel",         "override",        "patch_",
        "alidate",     "expect_",       "assert_",       "heck",       "aunch",         "nqueue",          "ompile",
        "run_program", "track_program", "inalize",       "indings",    "BufferAddress", "BufferAddresses", "metadata",
        "Metadata",    "json",          "init_fused_op", "init_all_",  "rs_cores_",     "init_reduce_",    "init_strided_",
        "fabric_mux",  "add_program",   "AddProgram",    "DFBAddress",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains(name, words[i])) return true;
    return slice_starts(name, SLICE("get_")) || slice_starts(name, SLICE("Get"));
}

/* program, *program, &program, maker.program: recognised by type, by earlier use, or else by name. */
static bool gives_program(struct interp *in, TSNode argument) {
    for (unsigned i = 0; i < 4; i++)
        if (is_kind(argument, CPP_pointer_expression)) argument = cpp_field(argument, CPP_FIELD_argument);
        else if (is_kind(argument, CPP_parenthesized_expression)) argument = cpp_first(argument);
    bool field = is_kind(argument, CPP_field_expression), type = is_kind(argument, CPP_type_identifier);
    if (!field && !type && !is_kind(argument, CPP_identifier)) return false;
    struct slice name = type ? cpp_text(in->tree, argument) : interp_last_name(in->tree, argument);
    const struct cb_cell *cell = field ? NULL : interp_variable(in, name, NULL);
    if (cell && cell->program) return true;
    bool named = slice_equal(name, SLICE("program")) || slice_equal(name, SLICE("program_"));
    return named && (!cell || val_bare(interp_cell_value(cell))->kind == VAL_FREE);
}

static void note_given(struct interp *in, struct slice name) {
    struct strbuf reason = {0};
    strbuf_add(&reason, name);
    strbuf_addz(&reason, " is given the program and is not seen: what it adds is not known");
    interp_note_unfollowed(in, arena_copy(in->arena, strbuf_slice(&reason)));
    strbuf_release(&reason);
}

void interp_note_handed(struct interp *in, const struct call *call) {
    if (in->mute || interp_keeps_buffers(call->name) || interp_leaves_buffers(call->name) || interp_changes_nothing(in, call))
        return;
    if (slice_starts(cpp_text(in->tree, cpp_field(call->node, CPP_FIELD_function)), SLICE("std::"))) return;
    uint64_t changed = may_change(in, call->name);
    for (uint32_t i = 0; i < call->n; i++) {
        if (!(changed >> (i < 63 ? i : 63) & 1) || !gives_program(in, call->args[i])) continue;
        note_given(in, call->name);
        return;
    }
}

/* `Builder b(program, cores)` of a class that is not available. The grammar takes plain names for parameters. */
void interp_note_handed_object(struct interp *in, struct slice type, TSNode args) {
    if (in->mute || !exists(args) || interp_leaves_buffers(type) || interp_is_program_type(type)) return;
    if (interp_has_type(in, type) && (interp_is_aggregate(in, type) || interp_class_is_seen(in, type))) return;
    struct cpp_nodes list = cpp_children(in->arena, args);
    for (uint32_t i = 0; i < list.len; i++) {
        TSNode item = list.items[i];
        if (is_kind(item, CPP_initializer_pair)) item = cpp_field(item, CPP_FIELD_value);
        if (is_kind(item, CPP_parameter_declaration)) item = cpp_field(item, CPP_FIELD_type);
        if (!gives_program(in, item)) continue;
        note_given(in, type);
        return;
    }
}

void interp_note_program(struct interp *in, TSNode argument) {
    while (is_kind(argument, CPP_pointer_expression)) argument = cpp_field(argument, CPP_FIELD_argument);
    struct cb_cell *cell = is_kind(argument, CPP_identifier) ? interp_variable(in, cpp_text(in->tree, argument), NULL) : NULL;
    if (cell) cell->program = true;
}

/* A function of another file. Its arguments are still evaluated: one may be a configuration passed to something that makes
 * buffers. */
const struct val *interp_eval_foreign(struct interp *in, const struct call *call) {
    if (slice_equal(call->name, SLICE("TT_FATAL")) || slice_equal(call->name, SLICE("TT_ASSERT"))) {
        if (slice_equal(call->name, SLICE("TT_FATAL"))) assume(in, call); /* TT_ASSERT is not always compiled in */
        return interp_unknown(in, call->node);
    }
    if (contains(call->name, "ernel")) {
        interp_kernel_by_name(in, call);
        return interp_unknown(in, call->node);
    }
    bool makes = contains(call->name, "CircularBuffer") || contains(call->name, "circular_buffer") ||
                 contains(call->name, "cb") || contains(call->name, "CB");
    bool harmless_call = interp_changes_nothing(in, call);
    size_t held = in->conditions.len;
    /* EXPECT_THROW(make(...), ...): nobody knows how far the call gets */
    if (slice_ends(call->name, SLICE("_THROW")) && !contains(call->name, "_NO_")) interp_push_maybe(in);
    in->reading++; /* the changes are forgotten below */
    for (uint32_t i = 0; i < call->n && !in->exhausted; i++) {
        const struct val *v = val_bare(interp_arg(in, call, i));
        if (makes && interp_is_config(v)) interp_record_config(in, v, SLICE(""), call->node);
        /* a callback runs an unknown number of times */
        if (v->kind == VAL_LAMBDA) interp_call_repeatedly(in, v->lambda, call->node);
    }
    in->reading--;
    interp_drop_conditions(in, held);
    if (!harmless_call && !makes) interp_note_handed(in, call);
    if (!harmless_call) interp_forget_arguments(in, call);
    return interp_unknown(in, call->node);
}
