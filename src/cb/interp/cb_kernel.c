/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/cb_kernel.h"

#include <string.h>

#include "cb/interp/cb_kernel_read.h"
#include "cb/interp/cb_source.h"
#include "cb/interp/cpp_dead.h"

enum { MAX_NODES = 1000000, MAX_DEPTH = 8, MAX_EMITTED = 100000 };

const char *const kernel_cb_op_names[KERNEL_CB_OPS] = {"cb_reserve_back", "cb_push_back", "cb_wait_front", "cb_pop_front"};
static const char *const method_names[KERNEL_CB_OPS] = {"reserve_back", "push_back", "wait_front", "pop_front"};

/* Functions that read a buffer's state without filling or emptying it. */
static const char *const harmless[] = {
    "get_write_ptr",
    "get_read_ptr",
    "get_tile_size",
    "get_dataformat",
    "get_local_cb_interface",
    "cb_pages_available_at_front",
    "cb_pages_reservable_at_back",
    "pack_tile",
    "pack_tile_block",
    "copy_tile",
    "copy_tile_init",
    "copy_tile_to_dst_init_short",
    "unary_op_init_common",
    "binary_op_init_common",
    "init_sfpu",
    "mm_init",
    "mm_init_short",
    "mm_block_init",
    "matmul_tiles",
    "matmul_block",
    "add_tiles",
    "add_tiles_init",
    "sub_tiles",
    "mul_tiles",
    "mul_tiles_init",
    "sub_tiles_init",
    "pack_reconfig_data_format",
    "reconfig_data_format",
    "reconfig_data_format_srca",
    "reconfig_data_format_srcb",
    "reduce_tile",
    "reduce_init",
    "transpose_wh_tile",
    "transpose_wh_init",
    "compute_kernel_hw_startup",
    "get_arg_val",
    "get_compile_time_arg_val",
    "DPRINT",
};

static bool is_harmless(struct slice name) {
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (slice_equal(name, slice_from(harmless[i]))) return true;
    return false;
}

/* --- reading --- */

static struct kernel_function *current(struct kernel_reader *r) { return &r->functions.items[r->current]; }

static int64_t guard_here(struct kernel_reader *r) {
    int64_t all = 1;
    for (size_t i = 0; i < r->guards.len; i++)
        if (r->at >= r->guards.items[i].from && r->at < r->guards.items[i].end)
            all = kernel_and(r->facts, all, r->guards.items[i].value);
    return all;
}

static uint32_t loops_here(struct kernel_reader *r) { return (uint32_t)r->loop_ends.len - current(r)->loops; }

static void learn_declarator(struct kernel_reader *r, TSNode declarator) {
    TSNode value = cpp_field(declarator, CPP_FIELD_value), names = cpp_field(declarator, CPP_FIELD_declarator);
    struct slice name = kernel_plain_name(r, names);
    if (ts_node_is_null(value)) return;
    if (cpp_kind(names) == CPP_structured_binding_declarator)
        for (uint32_t i = 0; i < ts_node_named_child_count(names); i++)
            kernel_learn(r, cpp_text(r->tree, ts_node_named_child(names, i)), KERNEL_UNKNOWN);
    if (cpp_kind(value) == CPP_lambda_expression) r->lambda_name = name;
    /* a new `cb_in = ...` hides an outer variable of that name even if its value is unknown */
    kernel_learn(r, name, kernel_value_of(r, value));
}

/* `CircularBuffer cb(index)` with a plain name parses as a function. */
static void learn_vexing(struct kernel_reader *r, TSNode declaration) {
    TSNode declarator = cpp_field(declaration, CPP_FIELD_declarator);
    if (cpp_kind(declarator) == CPP_identifier) kernel_learn(r, cpp_text(r->tree, declarator), KERNEL_UNKNOWN);
    if (cpp_kind(declarator) != CPP_function_declarator) return;
    TSNode parameter = cpp_first(cpp_field(declarator, CPP_FIELD_parameters));
    TSNode type = cpp_field(parameter, CPP_FIELD_type);
    if (ts_node_is_null(type)) return;
    kernel_learn(r, kernel_plain_name(r, cpp_field(declarator, CPP_FIELD_declarator)), kernel_value_of(r, type));
}

static void learn_parameters(struct kernel_reader *r, TSNode list, uint32_t first) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), at = 0;
    for (uint32_t i = 0; i < n && at < KERNEL_MAX_PARAMS; i++) {
        TSNode p = ts_node_named_child(list, i), declarator = cpp_field(p, CPP_FIELD_declarator);
        if (cpp_kind(p) == CPP_comment) continue;
        kernel_learn(r, kernel_plain_name(r, declarator), KERNEL_PARAM - (int64_t)(first + at));
        TSNode value = cpp_field(p, CPP_FIELD_default_value);
        if (!ts_node_is_null(value)) current(r)->defaults[first + at] = kernel_value_of(r, value);
        bool number = cpp_kind(cpp_field(p, CPP_FIELD_type)) == CPP_primitive_type;
        bool refers = cpp_kind(declarator) == CPP_reference_declarator || cpp_kind(declarator) == CPP_pointer_declarator;
        if (number && refers && !first && !slice_starts(slice_trim(cpp_text(r->tree, p)), SLICE("const ")))
            current(r)->changes |= 1u << at;
        at++;
    }
    if (!first) current(r)->n_params = at;
}

static void open_function(struct kernel_reader *r, TSNode node, TSNode parent, struct slice lambda) {
    TSNode declarator = cpp_field(node, CPP_FIELD_declarator);
    for (unsigned i = 0;
         i < 8 && !lambda.len && !ts_node_is_null(declarator) && cpp_kind(declarator) != CPP_function_declarator; i++) {
        TSNode inner = cpp_field(declarator, CPP_FIELD_declarator);
        declarator = ts_node_is_null(inner) ? cpp_first(declarator) : inner;
    }
    struct kernel_function f = {
        .name = lambda.len ? lambda : kernel_plain_name(r, cpp_field(declarator, CPP_FIELD_declarator)),
        .end = ts_node_end_byte(node),
        .header = r->header,
        .lambda = lambda.len > 0,
        .outer = lambda.len ? r->current : 0,
        .loops = (uint32_t)r->loop_ends.len,
    };
    for (unsigned i = 0; i < 2 * KERNEL_MAX_PARAMS; i++) f.defaults[i] = KERNEL_UNKNOWN;
    vec_push(&r->functions, f);
    vec_push(&r->block_ends, f.end);
    r->current = (uint32_t)r->functions.len - 1;
    if (cpp_kind(parent) == CPP_template_declaration)
        learn_parameters(r, cpp_field(parent, CPP_FIELD_parameters), KERNEL_MAX_PARAMS);
    learn_parameters(r, cpp_field(declarator, CPP_FIELD_parameters), 0);
}

/* A lambda in a variable is a function of its own; any other is part of the surrounding code. */
static void open_lambda(struct kernel_reader *r, TSNode node) {
    struct slice name = r->lambda_name;
    r->lambda_name = SLICE("");
    if (name.len) {
        open_function(r, node, (TSNode){0}, name);
        return;
    }
    vec_push(&r->block_ends, ts_node_end_byte(node));
    TSNode list = cpp_field(cpp_field(node, CPP_FIELD_declarator), CPP_FIELD_parameters);
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++)
        kernel_learn(r, kernel_plain_name(r, cpp_field(ts_node_named_child(list, i), CPP_FIELD_declarator)), KERNEL_UNKNOWN);
}

/* `a = b`, `a += 1`, `a++` */
static void note_change(struct kernel_reader *r, TSNode node) {
    TSNode left = cpp_field(node, cpp_kind(node) == CPP_update_expression ? CPP_FIELD_argument : CPP_FIELD_left);
    if (cpp_kind(left) != CPP_identifier) return;
    bool plain = slice_equal(cpp_text(r->tree, cpp_field(node, CPP_FIELD_operator)), SLICE("="));
    kernel_change(r, cpp_text(r->tree, left), plain ? kernel_value_of(r, cpp_field(node, CPP_FIELD_right)) : KERNEL_UNKNOWN);
}

/* Code under `if constexpr` may not exist. */
static void open_guards(struct kernel_reader *r, TSNode node) {
    if (!slice_starts(slice_trim(slice_skip(cpp_text(r->tree, node), 2)), SLICE("constexpr"))) return;
    int64_t value = kernel_value_of(r, cpp_field(node, CPP_FIELD_condition));
    TSNode yes = cpp_field(node, CPP_FIELD_consequence), no = cpp_field(node, CPP_FIELD_alternative);
    if (value == KERNEL_UNKNOWN || ts_node_is_null(yes)) return;
    if (!ts_node_is_null(no))
        vec_push(&r->guards,
                 ((struct kernel_guard){ts_node_start_byte(no), ts_node_end_byte(no), kernel_not(r->facts, value)}));
    vec_push(&r->guards, ((struct kernel_guard){ts_node_start_byte(yes), ts_node_end_byte(yes), value}));
}

static void note_call(struct kernel_reader *r, TSNode call) {
    TSNode callee = cpp_field(call, CPP_FIELD_function), arguments = cpp_field(call, CPP_FIELD_arguments);
    struct slice name = kernel_plain_name(r, callee);
    bool method = cpp_kind(callee) == CPP_field_expression;
    for (unsigned op = 0; op < KERNEL_CB_OPS; op++) {
        if (!slice_equal(name, slice_from(method ? method_names[op] : kernel_cb_op_names[op]))) continue;
        TSNode which = method ? cpp_field(callee, CPP_FIELD_argument) : cpp_first(arguments);
        int64_t value = ts_node_is_null(which) ? KERNEL_UNKNOWN : kernel_value_of(r, which);
        vec_push(&current(r)->ops, ((struct kernel_op){value, guard_here(r), (enum kernel_cb_op)op, loops_here(r)}));
        return;
    }
    bool swaps = slice_equal(name, SLICE("swap")) || slice_equal(name, SLICE("exchange"));
    struct kernel_call c = {.name = name, .loops = loops_here(r), .guard = guard_here(r)};
    for (unsigned i = 0; i < 2 * KERNEL_MAX_PARAMS; i++) c.args[i] = KERNEL_UNKNOWN;
    uint32_t n = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    for (uint32_t i = 0; i < n && c.n_args < KERNEL_MAX_PARAMS; i++) {
        TSNode arg = ts_node_named_child(arguments, i);
        if (cpp_kind(arg) == CPP_comment) continue;
        bool address = cpp_kind(arg) == CPP_pointer_expression;
        if (address || swaps)
            kernel_change(r, kernel_plain_name(r, address ? cpp_field(arg, CPP_FIELD_argument) : arg), KERNEL_UNKNOWN);
        c.args[c.n_args++] = kernel_value_of(r, arg);
    }
    if (method || !name.len || is_harmless(name)) return;
    while (cpp_kind(callee) == CPP_qualified_identifier) callee = cpp_field(callee, CPP_FIELD_name);
    if (cpp_kind(callee) == CPP_template_function) {
        TSNode list = cpp_field(callee, CPP_FIELD_arguments);
        uint32_t m = ts_node_named_child_count(list);
        for (uint32_t i = 0; i < m && c.n_template_args < KERNEL_MAX_PARAMS; i++) {
            TSNode arg = ts_node_named_child(list, i);
            if (cpp_kind(arg) != CPP_comment) c.args[KERNEL_MAX_PARAMS + c.n_template_args++] = kernel_value_of(r, arg);
        }
    }
    vec_push(&current(r)->calls, c);
}

/* #define IN_CB 1 */
static void learn_macro(struct kernel_reader *r, TSNode node) {
    struct slice text = slice_trim(cpp_text(r->tree, cpp_field(node, CPP_FIELD_value)));
    while (text.len > 1 && text.ptr[0] == '(' && text.ptr[text.len - 1] == ')')
        text = slice_trim(slice_of(text.ptr + 1, text.len - 2));
    if (!text.len) return; /* an include guard */
    for (size_t i = text.len; i > 1; i--)
        if (text.ptr[i - 1] == ':') {
            text = slice_skip(text, i);
            break;
        }
    int64_t value = kernel_number(text);
    uint32_t current = r->current;
    r->current = 0; /* a macro holds in every function */
    if (value < 0) value = kernel_lookup(r, text);
    kernel_learn(r, cpp_text(r->tree, cpp_field(node, CPP_FIELD_name)), value);
    r->current = current;
}

/* #define PUSH(cb, n) cb_push_back(cb, n): its text is read as a function. */
static void note_macro(struct kernel_reader *r, TSNode node) {
    enum { MAX_MACROS = 65536 };
    struct slice body = cpp_text(r->tree, cpp_field(node, CPP_FIELD_value));
    bool operates = false;
    for (unsigned op = 0; op < KERNEL_CB_OPS; op++) operates |= slice_find(body, slice_from(method_names[op])) != SLICE_NONE;
    if (!operates || r->macros.len > MAX_MACROS) return;
    strbuf_addz(&r->macros, "void ");
    strbuf_add(&r->macros, cpp_text(r->tree, cpp_field(node, CPP_FIELD_name)));
    TSNode params = cpp_field(node, CPP_FIELD_parameters);
    uint32_t n = ts_node_is_null(params) ? 0 : ts_node_named_child_count(params);
    for (uint32_t i = 0; i < n; i++) {
        strbuf_addz(&r->macros, i ? ", auto " : "(auto ");
        strbuf_add(&r->macros, cpp_text(r->tree, ts_node_named_child(params, i)));
    }
    strbuf_addz(&r->macros, n ? ") { " : "() { ");
    for (size_t i = 0; i < body.len; i++)
        strbuf_addc(&r->macros, body.ptr[i] == '\\' || body.ptr[i] == '\n' ? ' ' : body.ptr[i]);
    strbuf_addz(&r->macros, "; }\n");
}

static void visit(struct kernel_reader *r, TSNode node, TSNode parent) {
    struct kernel_facts *f = r->facts;
    uint32_t one = r->header ? 0 : 1; /* included code does not count as the kernel's own */
    r->at = ts_node_start_byte(node);
    while (r->at >= current(r)->end) r->current = current(r)->outer;
    while (r->loop_ends.len && r->at >= vec_last(&r->loop_ends)) r->loop_ends.len--;
    while (r->block_ends.len && r->at >= vec_last(&r->block_ends)) r->block_ends.len--;
    while (r->guards.len && r->at >= vec_last(&r->guards).end) r->guards.len--;
    switch (cpp_kind(node)) {
        case CPP_function_definition:
            f->functions += one;
            f->complexity += one;
            open_function(r, node, parent, SLICE(""));
            break;
        case CPP_lambda_expression:
            open_lambda(r, node);
            break;
        case CPP_compound_statement:
            vec_push(&r->block_ends, ts_node_end_byte(node));
            break;
        case CPP_assignment_expression:
        case CPP_update_expression:
            note_change(r, node);
            break;
        case CPP_for_statement:
        case CPP_for_range_loop:
        case CPP_while_statement:
        case CPP_do_statement:
            f->loops += one;
            f->complexity += one;
            vec_push(&r->loop_ends, ts_node_end_byte(node));
            vec_push(&r->block_ends, ts_node_end_byte(node));
            if (cpp_kind(node) == CPP_for_range_loop)
                kernel_learn(r, kernel_plain_name(r, cpp_field(node, CPP_FIELD_declarator)), KERNEL_UNKNOWN);
            break;
        case CPP_if_statement:
            f->complexity += one;
            open_guards(r, node);
            break;
        case CPP_case_statement:
        case CPP_conditional_expression:
            f->complexity += one;
            break;
        case CPP_binary_expression: {
            struct slice op = cpp_text(r->tree, cpp_field(node, CPP_FIELD_operator));
            if (slice_equal(op, SLICE("&&")) || slice_equal(op, SLICE("||"))) f->complexity += one;
            break;
        }
        case CPP_init_declarator:
            learn_declarator(r, node);
            break;
        case CPP_declaration:
            learn_vexing(r, node);
            break;
        case CPP_call_expression:
            note_call(r, node);
            break;
        case CPP_preproc_def:
            learn_macro(r, node);
            break;
        case CPP_preproc_function_def:
            note_macro(r, node);
            break;
        default:
            break;
    }
}

static void walk_tree(struct kernel_reader *r, const struct cpp_tree *tree) {
    r->tree = tree;
    r->current = 0;
    r->loop_ends.len = r->block_ends.len = r->guards.len = 0;
    r->lambda_name = SLICE("");
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree->tree));
    uint32_t nodes = 0;
    TSNode template = {0};
    do {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        bool is_template = cpp_kind(node) == CPP_template_declaration;
        if (is_template) template = node;
        bool inside = !ts_node_is_null(template) && ts_node_end_byte(node) == ts_node_end_byte(template);
        visit(r, node, inside ? template : (TSNode){0});
    } while (++nodes < MAX_NODES && cpp_next(&cursor));
    ts_tree_cursor_delete(&cursor);
}

static bool walk(struct kernel_reader *r, struct slice text) {
    struct cpp_tree tree;
    struct strbuf live = {0};
    if (cpp_blank_dead(text, &live)) text = strbuf_slice(&live);
    bool parsed = cpp_tree_parse(&tree, text);
    if (parsed) walk_tree(r, &tree);
    cpp_tree_release(&tree);
    vec_push(&r->texts, live); /* names point into it */
    return parsed;
}

/* --- resolving calls --- */

static struct kernel_cb_use *use_of(struct kernel_facts *facts, int64_t index, int64_t guard, const struct kernel_name *name) {
    if (guard >= 0 || guard == KERNEL_UNKNOWN) guard = 1;
    for (size_t i = 0; i < facts->uses.len; i++) {
        struct kernel_cb_use *use = &facts->uses.items[i];
        if (use->index == index && use->guard == guard && strcmp(use->name.text, name ? name->text : "") == 0) return use;
    }
    vec_push(&facts->uses, ((struct kernel_cb_use){.index = index, .guard = guard}));
    if (name) vec_last(&facts->uses).name = *name;
    return &vec_last(&facts->uses);
}

/* The lambda of that name that is visible there, or the function that takes as many arguments. */
static struct kernel_function *function_called(struct kernel_reader *r, uint32_t from, const struct kernel_call *call) {
    if (call->lambda) return &r->functions.items[call->lambda];
    struct kernel_function *found = NULL;
    for (; from; from = r->functions.items[from].outer)
        for (size_t i = 1; i < r->functions.len; i++) {
            struct kernel_function *f = &r->functions.items[i];
            if (f->lambda && f->outer == from && slice_equal(f->name, call->name)) return f;
        }
    for (size_t i = 1; i < r->functions.len; i++) {
        struct kernel_function *f = &r->functions.items[i];
        if (f->lambda || !slice_equal(f->name, call->name) || call->n_args > f->n_params) continue;
        if (!found || (found->n_params != call->n_args && f->n_params == call->n_args)) found = f;
    }
    return found;
}

/* What a function does to buffers if it is called with these values. */
static void emit(struct kernel_reader *r, uint32_t function, const int64_t *params, int64_t guard, unsigned depth,
                 uint32_t loops) {
    const struct kernel_function *f = &r->functions.items[function];
    r->emitting = function;
    for (size_t i = 0; i < f->ops.len && r->emitted++ < MAX_EMITTED; i++) {
        const struct kernel_op *op = &f->ops.items[i];
        int64_t there = kernel_and(r->facts, guard, kernel_put_in(r, op->guard, params));
        if (!there) continue;
        struct kernel_cb_use *use = use_of(r->facts, kernel_put_in(r, op->value, params), there, NULL);
        use->ops[op->op]++;
        if (op->op == KERNEL_POP && op->loops + loops > use->pop_loops) use->pop_loops = op->loops + loops;
    }
    for (size_t i = 0; i < f->calls.len && r->emitted++ < MAX_EMITTED; i++) {
        const struct kernel_call *call = &f->calls.items[i];
        r->emitting = function;
        int64_t given[2 * KERNEL_MAX_PARAMS], there = kernel_and(r->facts, guard, kernel_put_in(r, call->guard, params));
        if (!there) continue;
        for (unsigned k = 0; k < 2 * KERNEL_MAX_PARAMS; k++) given[k] = kernel_put_in(r, call->args[k], params);
        const struct kernel_function *g = function_called(r, function, call);
        if (g && depth < MAX_DEPTH) {
            r->emitting = (uint32_t)(g - r->functions.items);
            for (unsigned k = call->n_template_args; k < KERNEL_MAX_PARAMS; k++)
                given[KERNEL_MAX_PARAMS + k] = kernel_put_in(r, g->defaults[KERNEL_MAX_PARAMS + k], given);
            for (unsigned k = call->n_args; k < KERNEL_MAX_PARAMS; k++) given[k] = kernel_put_in(r, g->defaults[k], given);
            emit(r, r->emitting, given, there, depth + 1, loops + call->loops);
            continue;
        }
        for (unsigned k = 0; k < 2 * KERNEL_MAX_PARAMS; k++)
            if (given[k] != KERNEL_UNKNOWN && given[k] < 64) use_of(r->facts, given[k], there, NULL)->elsewhere = true;
    }
}

/* Finds who calls whom, and which variables change because they are passed by reference. */
static void link_calls(struct kernel_reader *r) {
    for (uint32_t i = 0; i < r->functions.len; i++)
        for (size_t c = 0; c < r->functions.items[i].calls.len; c++) {
            const struct kernel_call *call = &r->functions.items[i].calls.items[c];
            struct kernel_function *g = function_called(r, i, call);
            if (!g || g == &r->functions.items[i]) continue;
            g->called = true;
            for (unsigned k = 0; k < call->n_args; k++)
                if ((g->changes >> k & 1) && call->args[k] <= KERNEL_VAR && call->args[k] > KERNEL_EXPR)
                    r->vars.items[KERNEL_VAR - call->args[k]].value = KERNEL_UNKNOWN;
        }
    for (uint32_t i = 1; i < r->functions.len;
         i++) { /* a lambda passed to another function runs there, with unknown arguments */
        struct kernel_function *f = &r->functions.items[i];
        if (!f->lambda || f->called) continue;
        struct kernel_call c = {.name = f->name, .guard = 1, .lambda = i, .loops = f->loops};
        for (unsigned k = 0; k < 2 * KERNEL_MAX_PARAMS; k++) c.args[k] = KERNEL_UNKNOWN;
        f->called = true;
        vec_push(&r->functions.items[f->outer].calls, c);
    }
}

static void emit_all(struct kernel_reader *r) {
    int64_t none[2 * KERNEL_MAX_PARAMS];
    for (unsigned k = 0; k < 2 * KERNEL_MAX_PARAMS; k++) none[k] = KERNEL_UNKNOWN;
    link_calls(r);
    for (uint32_t i = 0; i < r->functions.len; i++)
        if (!r->functions.items[i].called && !r->functions.items[i].header) emit(r, i, none, 1, 0, 0);
    /* functions that call each other several times over are more than anyone wrote */
    if (r->emitted > MAX_EMITTED) r->facts->understood = false;
}

void kernel_facts_read(struct kernel_facts *facts, struct slice text, const struct cpp_tree *const *headers, size_t n_headers) {
    *facts = (struct kernel_facts){.bytes = text.len};
    for (const char *p = text.ptr, *end = text.ptr + text.len; p < end; p++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        facts->lines++;
        if (!newline) break;
        p = newline;
    }
    facts->low_level = slice_find(text, SLICE("llk_")) != SLICE_NONE;
    struct kernel_reader r = {.facts = facts};
    vec_push(&r.functions, ((struct kernel_function){.end = UINT32_MAX}));
    r.header = true;
    for (size_t i = 0; i < n_headers; i++) walk_tree(&r, headers[i]);
    r.header = false;
    facts->understood = walk(&r, text);
    r.header = true;
    struct strbuf macros = r.macros;
    r.macros = (struct strbuf){0};
    if (macros.len) walk(&r, strbuf_slice(&macros));
    emit_all(&r);
    strbuf_release(&macros);
    strbuf_release(&r.macros);
    for (size_t i = 0; i < r.functions.len; i++) {
        vec_release(&r.functions.items[i].ops);
        vec_release(&r.functions.items[i].calls);
    }
    for (size_t i = 0; i < r.texts.len; i++) strbuf_release(&r.texts.items[i]);
    vec_release(&r.texts);
    vec_release(&r.loop_ends);
    vec_release(&r.block_ends);
    vec_release(&r.guards);
    vec_release(&r.functions);
    vec_release(&r.vars);
}

void kernel_facts_resolve(struct kernel_facts *out, const struct kernel_facts *facts, const struct kernel_args *args) {
    *out = *facts;
    memset(&out->uses, 0, sizeof out->uses);
    memset(&out->names, 0, sizeof out->names);
    memset(&out->expressions, 0, sizeof out->expressions);
    for (size_t i = 0; i < facts->uses.len; i++) {
        const struct kernel_cb_use *from = &facts->uses.items[i];
        const struct kernel_name *name, *none;
        int64_t index = kernel_settle(facts, from->index, args, &name);
        if (kernel_settle(facts, from->guard, args, &none) == 0) continue;
        bool uses = from->ops[KERNEL_RESERVE] || from->ops[KERNEL_PUSH] || from->ops[KERNEL_WAIT] || from->ops[KERNEL_POP];
        if (!uses && !name && (index == KERNEL_UNKNOWN || index >= 64)) continue; /* passed on, and its index is unknown */
        struct kernel_cb_use *use = use_of(out, index, 1, name);
        for (unsigned op = 0; op < KERNEL_CB_OPS; op++) use->ops[op] += from->ops[op];
        use->elsewhere |= from->elsewhere;
        if (from->pop_loops > use->pop_loops) use->pop_loops = from->pop_loops;
    }
}

void kernel_facts_release(struct kernel_facts *facts) {
    vec_release(&facts->uses);
    vec_release(&facts->names);
    vec_release(&facts->expressions);
}
