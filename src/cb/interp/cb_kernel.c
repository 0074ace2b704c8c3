/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/cb_kernel.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "cb/interp/cb_index.h"
#include "cb/interp/cb_source.h"
#include "cb/interp/cpp_dead.h"
#include "cb/interp/cpp_tree.h"

enum {
    MAX_NODES = 1000000,
    MAX_NAMES = 4096,
    MAX_ARGS = 4096,
    MAX_PARAMS = 32, /* of a function; those of its template follow */
    PARAM = -2000000,
    MAX_DEPTH = 8,
    MAX_EMITTED = 20000,
};

const char *const kernel_cb_op_names[KERNEL_CB_OPS] = {"cb_reserve_back", "cb_push_back", "cb_wait_front", "cb_pop_front"};
static const char *const method_names[KERNEL_CB_OPS] = {"reserve_back", "push_back", "wait_front", "pop_front"};

/* Functions that look at a buffer without filling or emptying it. */
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

/* A number, KERNEL_UNKNOWN, an argument, a name, or from PARAM on a parameter of the function around it. */
struct name_value {
    struct slice name;
    int64_t value;
    uint32_t function;
};

struct kernel_op {
    int64_t value;
    enum kernel_cb_op op;
    uint32_t loops; /* around it, in its function */
};

struct kernel_call {
    struct slice name;
    int64_t args[2 * MAX_PARAMS];
    uint32_t n_args;
    uint32_t loops;
};

/* Of a function; the first one holds what is outside of all. */
struct kernel_function {
    struct slice name;
    uint32_t end; /* byte */
    uint32_t n_params;
    bool called, header;
    VEC(struct kernel_op) ops;
    VEC(struct kernel_call) calls;
};

struct kernel_reader {
    const struct cpp_tree *tree; /* that is walked */
    VEC(struct name_value) names;
    VEC(struct kernel_function) functions;
    VEC(struct strbuf) texts;
    VEC(uint32_t) loop_ends; /* of the loops around, bytes */
    struct strbuf macros;    /* function-like ones, as functions */
    uint32_t current;
    bool header;
    uint32_t emitted;
    struct kernel_facts *facts;
};

static bool one_of(struct slice name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (slice_equal(name, slice_from(list[i]))) return true;
    return false;
}

static struct slice plain_name(const struct kernel_reader *r, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        enum cpp_kind kind = cpp_kind(node);
        if (kind == CPP_identifier || kind == CPP_field_identifier || kind == CPP_type_identifier)
            return cpp_text(r->tree, node);
        if (kind == CPP_qualified_identifier || kind == CPP_template_function || kind == CPP_template_type)
            node = cpp_field(node, CPP_FIELD_name);
        else if (kind == CPP_field_expression) node = cpp_field(node, CPP_FIELD_field);
        else if (kind == CPP_reference_declarator || kind == CPP_pointer_declarator || kind == CPP_type_descriptor)
            node = cpp_first(node);
        else break;
    }
    return SLICE("");
}

/* --- values --- */

static int64_t name_value(struct kernel_reader *r, const char *prefix, struct slice name) {
    struct kernel_facts *f = r->facts;
    struct kernel_name text = {{0}};
    if (!name.len || name.len + 2 >= sizeof text.text) return KERNEL_UNKNOWN;
    snprintf(text.text, sizeof text.text, "%s%.*s", prefix, SLICE_FMT(name));
    for (size_t i = 0; i < f->names.len; i++)
        if (strcmp(f->names.items[i].text, text.text) == 0) return KERNEL_NAMED - (int64_t)i;
    if (f->names.len >= MAX_NAMES) return KERNEL_UNKNOWN;
    vec_push(&f->names, text);
    return KERNEL_NAMED - (int64_t)(f->names.len - 1);
}

static int64_t lookup(const struct kernel_reader *r, struct slice name) {
    for (size_t k = r->names.len; k-- > 0;) {
        const struct name_value *v = &r->names.items[k];
        if ((v->function == r->current || v->function == 0) && slice_equal(v->name, name)) return v->value;
    }
    int64_t value;
    return cb_index_by_name(name, &value) ? value : KERNEL_UNKNOWN;
}

static int64_t value_of(struct kernel_reader *r, TSNode node);

/* get_compile_time_arg_val(3), get_named_compile_time_arg_val("cb"), get_arg(args::cb), static_cast<...>(x) */
static int64_t value_of_call(struct kernel_reader *r, TSNode node) {
    static const char *const transparent[] = {"static_cast",    "uint32_t", "CircularBuffer",
                                              "DataflowBuffer", "uint8_t",  "to_underlying"};
    struct slice name = plain_name(r, cpp_field(node, CPP_FIELD_function));
    TSNode arg = cpp_first(cpp_field(node, CPP_FIELD_arguments));
    if (ts_node_is_null(arg)) return KERNEL_UNKNOWN;
    if (slice_equal(name, SLICE("get_compile_time_arg_val"))) {
        int64_t at = value_of(r, arg);
        return at >= 0 && at < MAX_ARGS ? KERNEL_ARG - at : KERNEL_UNKNOWN;
    }
    if (slice_equal(name, SLICE("get_named_compile_time_arg_val"))) {
        struct slice text = slice_trim(cpp_text(r->tree, arg));
        if (text.len < 3 || text.ptr[0] != '"') return KERNEL_UNKNOWN;
        return name_value(r, "@", slice_of(text.ptr + 1, text.len - 2));
    }
    if (slice_equal(name, SLICE("get_arg")) && cpp_kind(arg) == CPP_qualified_identifier)
        return name_value(r, "@", plain_name(r, arg));
    /* buf.get_id() is the buffer */
    TSNode callee = cpp_field(node, CPP_FIELD_function);
    if (cpp_kind(callee) == CPP_field_expression) return KERNEL_UNKNOWN;
    return one_of(name, transparent, sizeof transparent / sizeof *transparent) ? value_of(r, arg) : KERNEL_UNKNOWN;
}

static int64_t number_of(struct slice text) {
    int64_t n = 0;
    if (!text.len || text.ptr[0] < '0' || text.ptr[0] > '9') return KERNEL_UNKNOWN;
    for (size_t k = 0; k < text.len && text.ptr[k] >= '0' && text.ptr[k] <= '9' && k < 10; k++) n = n * 10 + text.ptr[k] - '0';
    return n;
}

static int64_t value_of(struct kernel_reader *r, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        switch (cpp_kind(node)) {
            case CPP_parenthesized_expression:
            case CPP_initializer_list:
            case CPP_argument_list:
            case CPP_type_descriptor:
                node = cpp_first(node);
                continue;
            case CPP_compound_literal_expression:
                node = cpp_field(node, CPP_FIELD_value);
                continue;
            case CPP_number_literal:
                return number_of(cpp_text(r->tree, node));
            case CPP_identifier:
            case CPP_type_identifier:
                return lookup(r, cpp_text(r->tree, node));
            case CPP_qualified_identifier: {
                struct slice scope = cpp_text(r->tree, cpp_field(node, CPP_FIELD_scope)), name = plain_name(r, node);
                if (slice_equal(scope, SLICE("dfb"))) return name_value(r, "", name);
                if (slice_equal(scope, SLICE("args"))) return name_value(r, "@", name);
                return lookup(r, name);
            }
            case CPP_call_expression: {
                TSNode callee = cpp_field(node, CPP_FIELD_function);
                if (cpp_kind(callee) != CPP_field_expression) return value_of_call(r, node);
                if (!slice_starts(plain_name(r, callee), SLICE("get_"))) return KERNEL_UNKNOWN;
                struct slice method = plain_name(r, callee);
                if (!slice_equal(method, SLICE("get_cb_id")) && !slice_equal(method, SLICE("get_id"))) return KERNEL_UNKNOWN;
                node = cpp_field(callee, CPP_FIELD_argument);
                continue;
            }
            default:
                return KERNEL_UNKNOWN;
        }
    }
    return KERNEL_UNKNOWN;
}

/* --- reading --- */

static struct kernel_function *current(struct kernel_reader *r) { return &r->functions.items[r->current]; }

static void learn(struct kernel_reader *r, struct slice name, int64_t value) {
    for (size_t i = 0; i < r->names.len && name.len; i++) {
        struct name_value *known = &r->names.items[i];
        if (known->function != r->current || known->value == value || !slice_equal(known->name, name)) continue;
        known->value = KERNEL_UNKNOWN; /* #if and #else, or two blocks: which of them holds is not known */
        return;
    }
    if (name.len && r->names.len < MAX_NAMES) vec_push(&r->names, ((struct name_value){name, value, r->current}));
}

static void learn_declarator(struct kernel_reader *r, TSNode declarator) {
    TSNode value = cpp_field(declarator, CPP_FIELD_value);
    struct slice name = plain_name(r, cpp_field(declarator, CPP_FIELD_declarator));
    if (ts_node_is_null(value)) return;
    /* `cb_in = ...` of an unknown value is not the one of the same name outside */
    learn(r, name, value_of(r, value));
}

/* `CircularBuffer cb(index)` with a plain name reads as a function. */
static void learn_vexing(struct kernel_reader *r, TSNode declaration) {
    TSNode declarator = cpp_field(declaration, CPP_FIELD_declarator);
    if (cpp_kind(declarator) != CPP_function_declarator) return;
    TSNode parameter = cpp_first(cpp_field(declarator, CPP_FIELD_parameters));
    TSNode type = cpp_field(parameter, CPP_FIELD_type);
    if (ts_node_is_null(type)) return;
    learn(r, plain_name(r, cpp_field(declarator, CPP_FIELD_declarator)), value_of(r, type));
}

static void learn_parameters(struct kernel_reader *r, TSNode list, uint32_t first) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), at = 0;
    for (uint32_t i = 0; i < n && at < MAX_PARAMS; i++) {
        TSNode p = ts_node_named_child(list, i);
        if (cpp_kind(p) == CPP_comment) continue;
        struct slice name = plain_name(r, cpp_field(p, CPP_FIELD_declarator));
        learn(r, name, PARAM - (int64_t)(first + at));
        at++;
    }
    if (!first) current(r)->n_params = at;
}

static void open_function(struct kernel_reader *r, TSNode node, TSNode parent) {
    TSNode declarator = cpp_field(node, CPP_FIELD_declarator);
    for (unsigned i = 0; i < 8 && !ts_node_is_null(declarator) && cpp_kind(declarator) != CPP_function_declarator; i++) {
        TSNode inner = cpp_field(declarator, CPP_FIELD_declarator);
        declarator = ts_node_is_null(inner) ? cpp_first(declarator) : inner;
    }
    vec_push(&r->functions, ((struct kernel_function){.name = plain_name(r, cpp_field(declarator, CPP_FIELD_declarator)),
                                                      .end = ts_node_end_byte(node),
                                                      .header = r->header}));
    r->current = (uint32_t)r->functions.len - 1;
    learn_parameters(r, cpp_field(declarator, CPP_FIELD_parameters), 0);
    if (cpp_kind(parent) == CPP_template_declaration) learn_parameters(r, cpp_field(parent, CPP_FIELD_parameters), MAX_PARAMS);
}

static void note_call(struct kernel_reader *r, TSNode call) {
    TSNode callee = cpp_field(call, CPP_FIELD_function), arguments = cpp_field(call, CPP_FIELD_arguments);
    struct slice name = plain_name(r, callee);
    bool method = cpp_kind(callee) == CPP_field_expression;
    for (unsigned op = 0; op < KERNEL_CB_OPS; op++) {
        if (!slice_equal(name, slice_from(method ? method_names[op] : kernel_cb_op_names[op]))) continue;
        TSNode which = method ? cpp_field(callee, CPP_FIELD_argument) : cpp_first(arguments);
        int64_t value = ts_node_is_null(which) ? KERNEL_UNKNOWN : value_of(r, which);
        vec_push(&current(r)->ops, ((struct kernel_op){value, (enum kernel_cb_op)op, (uint32_t)r->loop_ends.len}));
        return;
    }
    if (method || !name.len || one_of(name, harmless, sizeof harmless / sizeof *harmless)) return;
    struct kernel_call c = {.name = name, .loops = (uint32_t)r->loop_ends.len};
    for (unsigned i = 0; i < 2 * MAX_PARAMS; i++) c.args[i] = KERNEL_UNKNOWN;
    uint32_t n = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    for (uint32_t i = 0; i < n && c.n_args < MAX_PARAMS; i++) {
        TSNode arg = ts_node_named_child(arguments, i);
        if (cpp_kind(arg) != CPP_comment) c.args[c.n_args++] = value_of(r, arg);
    }
    while (cpp_kind(callee) == CPP_qualified_identifier) callee = cpp_field(callee, CPP_FIELD_name);
    if (cpp_kind(callee) == CPP_template_function) {
        TSNode list = cpp_field(callee, CPP_FIELD_arguments);
        uint32_t m = ts_node_named_child_count(list);
        for (uint32_t i = 0; i < m && i < MAX_PARAMS; i++) c.args[MAX_PARAMS + i] = value_of(r, ts_node_named_child(list, i));
    }
    vec_push(&current(r)->calls, c);
}

/* #define IN_CB 1 */
static void learn_macro(struct kernel_reader *r, TSNode node) {
    struct slice text = slice_trim(cpp_text(r->tree, cpp_field(node, CPP_FIELD_value)));
    while (text.len > 1 && text.ptr[0] == '(' && text.ptr[text.len - 1] == ')')
        text = slice_trim(slice_of(text.ptr + 1, text.len - 2));
    if (!text.len) return; /* a guard */
    for (size_t i = text.len; i > 1; i--)
        if (text.ptr[i - 1] == ':') {
            text = slice_skip(text, i);
            break;
        }
    int64_t value = number_of(text);
    uint32_t current = r->current;
    r->current = 0; /* wherever it is written */
    if (value < 0) value = lookup(r, text);
    learn(r, cpp_text(r->tree, cpp_field(node, CPP_FIELD_name)), value);
    r->current = current;
}

/* #define PUSH(cb, n) cb_push_back(cb, n): a function of its text. */
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
    uint32_t one = r->header ? 0 : 1; /* what is included is not the kernel's own */
    if (ts_node_start_byte(node) >= current(r)->end) r->current = 0;
    while (r->loop_ends.len && ts_node_start_byte(node) >= vec_last(&r->loop_ends)) r->loop_ends.len--;
    switch (cpp_kind(node)) {
        case CPP_function_definition:
            f->functions += one;
            f->complexity += one;
            open_function(r, node, parent);
            break;
        case CPP_for_statement:
        case CPP_for_range_loop:
        case CPP_while_statement:
        case CPP_do_statement:
            f->loops += one;
            f->complexity += one;
            vec_push(&r->loop_ends, ts_node_end_byte(node));
            break;
        case CPP_if_statement:
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
    r->loop_ends.len = 0;
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

static struct kernel_cb_use *use_of(struct kernel_facts *facts, int64_t index, const struct kernel_name *name) {
    for (size_t i = 0; i < facts->uses.len; i++) {
        struct kernel_cb_use *use = &facts->uses.items[i];
        if (use->index == index && strcmp(use->name.text, name ? name->text : "") == 0) return use;
    }
    vec_push(&facts->uses, ((struct kernel_cb_use){.index = index}));
    if (name) vec_last(&facts->uses).name = *name;
    return &vec_last(&facts->uses);
}

static int64_t put_in(int64_t value, const int64_t *params) { return value <= PARAM ? params[PARAM - value] : value; }

static struct kernel_function *function_called(struct kernel_reader *r, const struct kernel_call *call) {
    for (size_t i = 1; i < r->functions.len; i++) {
        struct kernel_function *f = &r->functions.items[i];
        if (slice_equal(f->name, call->name) && call->n_args <= f->n_params) return f;
    }
    return NULL;
}

/* What a function does to buffers, called with these values. */
static void emit(struct kernel_reader *r, size_t function, const int64_t *params, unsigned depth, uint32_t loops) {
    const struct kernel_function *f = &r->functions.items[function];
    for (size_t i = 0; i < f->ops.len && r->emitted++ < MAX_EMITTED; i++) {
        const struct kernel_op *op = &f->ops.items[i];
        struct kernel_cb_use *use = use_of(r->facts, put_in(op->value, params), NULL);
        use->ops[op->op]++;
        if (op->op == KERNEL_POP && op->loops + loops > use->pop_loops) use->pop_loops = op->loops + loops;
    }
    for (size_t i = 0; i < f->calls.len && r->emitted < MAX_EMITTED; i++) {
        const struct kernel_call *call = &f->calls.items[i];
        int64_t given[2 * MAX_PARAMS];
        for (unsigned k = 0; k < 2 * MAX_PARAMS; k++) given[k] = put_in(call->args[k], params);
        const struct kernel_function *g = function_called(r, call);
        if (g && depth < MAX_DEPTH) {
            emit(r, (size_t)(g - r->functions.items), given, depth + 1, loops + call->loops);
            continue;
        }
        for (unsigned k = 0; k < 2 * MAX_PARAMS; k++)
            if (given[k] != KERNEL_UNKNOWN && given[k] < 64 && given[k] > PARAM)
                use_of(r->facts, given[k], NULL)->elsewhere = true;
    }
}

static void emit_all(struct kernel_reader *r) {
    int64_t none[2 * MAX_PARAMS];
    for (unsigned k = 0; k < 2 * MAX_PARAMS; k++) none[k] = KERNEL_UNKNOWN;
    for (size_t i = 0; i < r->functions.len; i++)
        for (size_t c = 0; c < r->functions.items[i].calls.len; c++) {
            struct kernel_function *g = function_called(r, &r->functions.items[i].calls.items[c]);
            if (g && g != &r->functions.items[i]) g->called = true;
        }
    for (size_t i = 0; i < r->functions.len; i++)
        if (!r->functions.items[i].called && !r->functions.items[i].header) emit(r, i, none, 0, 0);
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
    vec_release(&r.functions);
    vec_release(&r.names);
}

static int64_t named_arg(const struct kernel_args *args, const char *name) {
    for (uint32_t i = 0; i < args->n_named; i++)
        if (slice_equal(args->named[i].name, slice_from(name))) return args->named[i].value;
    return KERNEL_UNKNOWN;
}

void kernel_facts_resolve(struct kernel_facts *out, const struct kernel_facts *facts, const struct kernel_args *args) {
    *out = *facts;
    memset(&out->uses, 0, sizeof out->uses);
    memset(&out->names, 0, sizeof out->names);
    for (size_t i = 0; i < facts->uses.len; i++) {
        const struct kernel_cb_use *from = &facts->uses.items[i];
        int64_t index = from->index;
        const struct kernel_name *name = NULL;
        if (index <= KERNEL_NAMED) {
            name = &facts->names.items[KERNEL_NAMED - index];
            index = name->text[0] == '@' ? named_arg(args, name->text + 1) : KERNEL_UNKNOWN;
            if (name->text[0] == '@') name = NULL;
        } else if (index <= KERNEL_ARG) {
            int64_t at = KERNEL_ARG - index;
            index = at < args->n && args->values[at] >= 0 ? args->values[at] : KERNEL_UNKNOWN;
        }
        bool uses = from->ops[KERNEL_RESERVE] || from->ops[KERNEL_PUSH] || from->ops[KERNEL_WAIT] || from->ops[KERNEL_POP];
        if (!uses && !name && (index == KERNEL_UNKNOWN || index >= 64)) continue; /* handed on, and no one knows what it is */
        struct kernel_cb_use *use = use_of(out, index, name);
        for (unsigned op = 0; op < KERNEL_CB_OPS; op++) use->ops[op] += from->ops[op];
        use->elsewhere |= from->elsewhere;
        if (from->pop_loops > use->pop_loops) use->pop_loops = from->pop_loops;
    }
}

void kernel_facts_release(struct kernel_facts *facts) {
    vec_release(&facts->uses);
    vec_release(&facts->names);
}
