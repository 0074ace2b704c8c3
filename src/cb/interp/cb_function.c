/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and lambdas of the symbolic interpreter: parameters, frames, results. */
#include "cb/interp/cb_interp.h"

struct argument {
    struct cb_cell *cell; /* for a plain variable: a reference parameter is the same variable */
    const struct val *value;
    struct slice text;
    TSNode node;
    bool is_address;
    bool shares; /* a pointer */
    bool loose;  /* the parameter may change it in a way that is not followed */
};

static bool takes_reference(TSNode parameter, const struct cpp_tree *tree) {
    TSNode declarator = cpp_field(parameter, CPP_FIELD_declarator);
    struct slice text = cpp_text(tree, declarator);
    return (text.len && (text.ptr[0] == '&' || text.ptr[0] == '*')) || is_kind(declarator, CPP_array_declarator);
}

static bool is_constant(TSNode parameter, const struct cpp_tree *tree) {
    return slice_starts(cpp_text(tree, parameter), SLICE("const "));
}

static enum val_type number_type(const struct interp *in, TSNode declaration, const struct cpp_tree *tree) {
    return interp_number_type(in, tree, cpp_field(declaration, CPP_FIELD_type));
}

/* A part of something, or one of several things: changes through a reference to it are not followed. */
static bool is_part(struct interp *in, TSNode argument) {
    switch (cpp_kind(argument)) {
        case CPP_subscript_expression:
        case CPP_field_expression:
        case CPP_conditional_expression:
        case CPP_pointer_expression:
            return true;
        case CPP_call_expression: /* it may return a reference; in Python it never does */
            return !slice_equal(interp_last_name(in->tree, cpp_field(argument, CPP_FIELD_function)), SLICE("py_value"));
        default:
            return false;
    }
}

static void bind_parameters(struct interp *in, const struct cpp_tree *tree, TSNode params, struct argument *args,
                            uint32_t n_args) {
    if (!exists(params)) return;
    struct cpp_nodes list = cpp_children(in->arena, params);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list.len; i++) {
        TSNode p = list.items[i];
        if (!is_kind(p, CPP_parameter_declaration) && !is_kind(p, CPP_optional_parameter_declaration)) continue;
        struct slice name = interp_last_name(tree, cpp_field(p, CPP_FIELD_declarator));
        uint32_t at = n++;
        if (!name.len) continue;
        struct slice text = at < n_args ? args[at].text : SLICE("");
        enum val_type type = takes_reference(p, tree) ? VAL_ANY : number_type(in, p, tree);
        struct cb_cell *cell = NULL;
        if (at < n_args && args[at].cell && (takes_reference(p, tree) || args[at].is_address)) {
            cell = args[at].cell;
            interp_bind_cell(in, name, cell)->points = args[at].is_address;
        } else if (at < n_args) {
            const struct val *bare = val_bare(args[at].value);
            bool shared = takes_reference(p, tree) || (bare->kind == VAL_LIST && bare->list->decays);
            bool pointer = !shared && interp_is_objectlike(bare) && args[at].shares;
            const struct val *value = shared || pointer ? args[at].value : interp_copy(in, args[at].value);
            args[at].loose =
                takes_reference(p, tree) && !is_constant(p, tree) && !interp_is_objectlike(bare) && is_part(in, args[at].node);
            cell = interp_bind_name(in, name, val_convert(in->arena, type, value));
            if (args[at].value->kind == VAL_FREE && !cell->fixed) /* the caller's name says more */
                cell->value = val_convert(in->arena, type, args[at].value);
        } else {
            TSNode fallback = cpp_field(p, CPP_FIELD_default_value);
            const struct val *value = exists(fallback) && args ? interp_eval(in, fallback) : val_given(in->arena, name);
            if (in->python && interp_is_objectlike(value)) value = val_free(in->arena, name); /* shared by all calls */
            cell = interp_bind_name(in, name, val_convert(in->arena, type, value));
            if (exists(fallback) && args) text = interp_tidy(in, cpp_text(tree, fallback));
        }
        cell->program |= interp_is_program_type(interp_last_name(tree, cpp_field(p, CPP_FIELD_type))) && !is_constant(p, tree);
        in->scope->bindings->is_param = true;
        in->scope->bindings->written = text;
        if (cell != (at < n_args ? args[at].cell : NULL)) {
            cell->type = type;
            if (cell->fixed) cell->value = val_convert(in->arena, type, cell->value);
            cell->constant = is_constant(p, tree);
        }
    }
}

/* make<4>(program): binds values of template <uint32_t n, ...>; types are ignored. */
static void bind_template(struct interp *in, const struct function *f, const struct cpp_tree *caller, struct scope *outside,
                          TSNode call) {
    if (!exists(f->template)) return;
    TSNode callee = cpp_field(call, CPP_FIELD_function);
    while (is_kind(callee, CPP_qualified_identifier)) callee = cpp_field(callee, CPP_FIELD_name);
    struct cpp_nodes params = cpp_children(in->arena, f->template), args = {0};
    if (is_kind(callee, CPP_template_function)) args = cpp_children(in->arena, cpp_field(callee, CPP_FIELD_arguments));
    for (uint32_t i = 0; i < params.len; i++) {
        TSNode p = params.items[i], fallback = cpp_field(p, CPP_FIELD_default_value);
        if (!is_kind(p, CPP_parameter_declaration) && !is_kind(p, CPP_optional_parameter_declaration)) continue;
        struct slice name = interp_last_name(f->tree, cpp_field(p, CPP_FIELD_declarator));
        const struct val *value = val_free(in->arena, name);
        if (i < args.len) {
            struct scope *scope = in->scope;
            in->tree = caller;
            in->scope = outside;
            /* the grammar takes a plain name for a type here */
            value = interp_eval(in, is_kind(args.items[i], CPP_type_descriptor) ? cpp_first(args.items[i]) : args.items[i]);
            in->tree = f->tree;
            in->scope = scope;
        } else if (exists(fallback)) {
            value = interp_eval(in, fallback);
        }
        if (name.len) interp_bind_name(in, name, value);
    }
}

static const struct val *finish_result(struct interp *in, struct cb_frame *frame, TSNode call) {
    if (frame->jumps) return interp_unknown(in, call);
    const struct val *result = frame->result;
    for (size_t i = frame->early.len; i-- > 0;) {
        const struct early_return *e = &frame->early.items[i];
        if (!e->value) continue;
        result = result ? val_merge(in->arena, e->condition, e->value, result) : e->value;
    }
    return result ? result : interp_unknown(in, call);
}

struct callee {
    const struct cpp_tree *tree;
    TSNode params, body;
    struct scope *outer;
    struct cb_frame *frame;
    bool constructs; /* of the frame's object */
};

static const struct val *run_body(struct interp *in, const struct callee *callee, struct argument *args, uint32_t n_args,
                                  TSNode call) {
    const struct cpp_tree *tree = in->tree;
    struct scope *scope = in->scope, *inner = arena_alloc(in->arena, sizeof *inner);
    struct cb_frame *frame = callee->frame;
    size_t pushed = in->pushed.len, held = in->conditions.len;
    uint32_t loose = in->loose_leaves;
    frame->up = in->frame;
    frame->caller_scope = scope;
    frame->born = val_clock();
    frame->conditions = held;
    frame->decided_outside = in->decided_by;
    frame->mark = in->journal.len;
    in->tree = callee->tree;
    in->scope = callee->outer;
    interp_open_scope(in, inner);
    in->frame = frame;
    in->calls++;
    if (frame->function) bind_template(in, frame->function, tree, scope, call);
    bind_parameters(in, callee->tree, callee->params, args, n_args);
    if (frame->jumps) interp_push_maybe(in);
    if (callee->constructs) interp_init_fields(in, frame->function, val_bare(frame->self)->object);
    interp_exec(in, callee->body);
    interp_drop_conditions(in, held);
    in->loose_leaves = loose;
    if (!frame->up) interp_finish_pushed(in, pushed, frame->owns_program || in->saw_program);
    in->calls--;
    in->frame = frame->up;
    in->scope = scope;
    in->tree = tree;
    const struct val *result = exists(call) ? finish_result(in, frame, call) : val_null(in->arena);
    vec_release(&frame->early);
    for (uint32_t i = 0; i < n_args; i++)
        if (args[i].loose) interp_forget_mentioned(in, args[i].node);
    return result;
}

static uint32_t eval_arguments(struct interp *in, TSNode args, struct argument **out) {
    if (!exists(args)) return 0;
    struct cpp_nodes list = cpp_children(in->arena, args);
    *out = arena_zalloc(in->arena, (list.len + 1) * sizeof **out);
    for (uint32_t i = 0; i < list.len; i++) {
        if (is_kind(list.items[i], CPP_parameter_declaration) && exists(cpp_field(list.items[i], CPP_FIELD_type)))
            list.items[i] = cpp_field(list.items[i], CPP_FIELD_type); /* T name(a, b) parses as a function */
        struct slice text = cpp_text(in->tree, list.items[i]);
        (*out)[i].node = list.items[i];
        (*out)[i].is_address = is_kind(list.items[i], CPP_pointer_expression) && text.len && text.ptr[0] == '&';
        (*out)[i].cell = interp_place(in, list.items[i]);
        if (!(*out)[i].cell) (*out)[i].cell = interp_part_cell(in, list.items[i], SLICE(""));
        bool address = (*out)[i].is_address && (*out)[i].cell;
        (*out)[i].value = address ? interp_cell_value((*out)[i].cell) : interp_eval(in, list.items[i]);
        (*out)[i].text = interp_written(in, list.items[i]);
        (*out)[i].shares = interp_is_objectlike((*out)[i].value) && interp_shares(in, list.items[i]);
    }
    return list.len;
}

const struct val *interp_call_lambda(struct interp *in, const struct val_lambda *lambda, TSNode call, TSNode args) {
    struct argument *values = NULL;
    uint32_t n = eval_arguments(in, args, &values);
    if (in->calls >= INTERP_MAX_CALLS) return interp_unknown(in, call);
    TSNode body = cpp_field(lambda->node, CPP_FIELD_body);
    struct cb_frame frame = {.call_line = cpp_line(call),
                             .site = interp_site_of(in, call),
                             .single = interp_count_sites(in, lambda->tree, body) <= 1,
                             .name = in->frame ? in->frame->name : SLICE("")};
    frame.self = lambda->self;
    struct callee callee = {lambda->tree, cpp_field(cpp_field(lambda->node, CPP_FIELD_declarator), CPP_FIELD_parameters),
                            body,         lambda->scope,
                            &frame,       false};
    return run_body(in, &callee, values, n, call);
}

static bool is_running(const struct interp *in, const struct function *f) {
    for (const struct cb_frame *frame = in->frame; frame; frame = frame->up)
        if (frame->function == f) return true;
    return false;
}

bool interp_returns_reference(const struct function *f) {
    TSNode declarator = cpp_field(f->node, CPP_FIELD_declarator);
    return is_kind(declarator, CPP_reference_declarator) || is_kind(declarator, CPP_pointer_declarator);
}

static bool jumps(struct function *f) {
    if (!f->jumping) f->jumping = slice_find(cpp_text(f->tree, f->node), SLICE("goto ")) == SLICE_NONE ? 1 : 2;
    return f->jumping == 2;
}

static const struct val *call_function(struct interp *in, struct function *f, TSNode call, TSNode args, const struct val *self,
                                       bool constructs) {
    struct argument *values = NULL;
    uint32_t n = eval_arguments(in, args, &values);
    if (in->calls >= INTERP_MAX_CALLS || is_running(in, f)) {
        if (f->sites) interp_note_unfollowed(in, SLICE("a function that makes circular buffers calls itself"));
        for (uint32_t i = 0; i < n; i++) interp_forget_argument(in, ts_node_named_child(args, i));
        return interp_unknown(in, call);
    }
    bool was_mute = in->mute;
    /* a function that makes its own program is listed once, however often it is called */
    if (f->owns && (f->visited || f->calls > 1)) {
        enum val_type number = number_type(in, f->node, f->tree);
        if (number == VAL_ANY || number == VAL_BOOL) { /* its result cannot be part of a size */
            for (uint32_t i = 0; i < n; i++) interp_forget_argument(in, ts_node_named_child(args, i));
            return interp_unknown(in, call);
        }
        in->mute = true;
    }
    if ((f->sites > 1 || f->owns) && !in->mute) f->visited = true;
    if (!in->mute) f->ran = true;
    if (!in->mute) in->saw_program |= f->owns;
    struct cb_frame frame = {.function = f,
                             .name = f->name,
                             .call_line = cpp_line(call),
                             .site = interp_site_of(in, call),
                             .single = f->sites <= 1 && !f->owns,
                             .owns_program = f->owns,
                             .program_key = f,
                             .by_reference = interp_returns_reference(f),
                             .jumps = jumps(f),
                             .self = self};
    struct callee callee = {f->tree, f->params, cpp_field(f->node, CPP_FIELD_body), &in->globals, &frame, constructs};
    const struct val *result = run_body(in, &callee, values, n, call);
    in->mute = was_mute;
    return frame.by_reference ? result : val_convert(in->arena, number_type(in, f->node, f->tree), result);
}

const struct val *interp_call_function(struct interp *in, struct function *f, TSNode call, TSNode args,
                                       const struct val *self) {
    return call_function(in, f, call, args, self, false);
}

void interp_call_constructor(struct interp *in, struct function *f, TSNode call, TSNode args, const struct val *object) {
    call_function(in, f, call, args, object, true);
}

void interp_run_entry(struct interp *in, struct function *f) {
    f->visited = f->ran = true;
    in->saw_program = false;
    struct cb_frame frame = {.function = f,
                             .name = f->name,
                             .site = ts_node_start_byte(f->node) + 1,
                             .owns_program = f->owns,
                             .program_key = f,
                             .jumps = jumps(f)};
    struct callee callee = {f->tree, f->params, cpp_field(f->node, CPP_FIELD_body), &in->globals, &frame, false};
    run_body(in, &callee, NULL, 0, (TSNode){0});
}
