#include "cb/interp/cb_kernel.h"

#include "cb/interp/cb_index.h"
#include "cb/interp/cpp_dead.h"
#include "cb/interp/cpp_tree.h"

enum { MAX_NODES = 1000000, MAX_NAMES = 512, MAX_ARGS = 4096 };

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

struct name_value {
    struct slice name;
    int64_t value; /* a number, KERNEL_UNKNOWN, or an argument as arg_value() writes it */
};

/* Numbers from 0, the n-th argument as KERNEL_ARG - n. */
static int64_t arg_value(int64_t n) { return KERNEL_ARG - n; }

struct reader {
    struct cpp_tree tree;
    struct name_value names[MAX_NAMES];
    uint32_t n_names;
    struct kernel_facts *facts;
};

static bool one_of(struct slice name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (slice_equal(name, slice_from(list[i]))) return true;
    return false;
}

static struct slice plain_name(const struct reader *r, TSNode node) {
    for (unsigned i = 0; i < 16; i++) {
        enum cpp_kind kind = cpp_kind(node);
        if (kind == CPP_identifier || kind == CPP_field_identifier || kind == CPP_type_identifier)
            return cpp_text(&r->tree, node);
        if (kind == CPP_qualified_identifier || kind == CPP_template_function) node = cpp_field(node, CPP_FIELD_name);
        else if (kind == CPP_field_expression) node = cpp_field(node, CPP_FIELD_field);
        else break;
    }
    return SLICE("");
}

static bool value_of(const struct reader *r, TSNode node, int64_t *value) {
    for (unsigned i = 0; i < 16; i++) {
        switch (cpp_kind(node)) {
            case CPP_parenthesized_expression:
                node = cpp_first(node);
                continue;
            case CPP_initializer_list:
                node = cpp_first(node);
                continue;
            case CPP_number_literal: {
                struct slice text = cpp_text(&r->tree, node);
                int64_t n = 0;
                for (size_t k = 0; k < text.len && text.ptr[k] >= '0' && text.ptr[k] <= '9' && k < 10; k++)
                    n = n * 10 + text.ptr[k] - '0';
                return *value = n, text.len && text.ptr[0] >= '0' && text.ptr[0] <= '9';
            }
            case CPP_identifier:
            case CPP_qualified_identifier: {
                struct slice name = plain_name(r, node);
                for (uint32_t k = r->n_names; k-- > 0;)
                    if (slice_equal(r->names[k].name, name)) return *value = r->names[k].value, *value != KERNEL_UNKNOWN;
                return cb_index_by_name(name, value);
            }
            case CPP_call_expression: {
                struct slice name = plain_name(r, cpp_field(node, CPP_FIELD_function));
                TSNode arg = cpp_first(cpp_field(node, CPP_FIELD_arguments));
                if (slice_equal(name, SLICE("get_compile_time_arg_val"))) {
                    int64_t at;
                    if (ts_node_is_null(arg) || !value_of(r, arg, &at) || at < 0 || at >= MAX_ARGS) return false;
                    return *value = arg_value(at), true;
                }
                if (!slice_equal(name, SLICE("static_cast")) || ts_node_is_null(arg)) return false;
                node = arg;
                continue;
            }
            default:
                return false;
        }
    }
    return false;
}

static struct kernel_cb_use *use_of(struct kernel_facts *facts, int64_t index) {
    for (size_t i = 0; i < facts->uses.len; i++)
        if (facts->uses.items[i].index == index) return &facts->uses.items[i];
    vec_push(&facts->uses, ((struct kernel_cb_use){.index = index}));
    return &vec_last(&facts->uses);
}

static void learn_name(struct reader *r, TSNode declarator) {
    struct slice name = plain_name(r, cpp_field(declarator, CPP_FIELD_declarator));
    TSNode value_node = cpp_field(declarator, CPP_FIELD_value);
    if (!name.len || ts_node_is_null(value_node) || r->n_names >= MAX_NAMES) return;
    if (cpp_kind(value_node) == CPP_argument_list) value_node = cpp_first(value_node); /* CircularBuffer cb(index) */
    int64_t value;
    bool known = !ts_node_is_null(value_node) && value_of(r, value_node, &value);
    r->names[r->n_names++] = (struct name_value){name, known ? value : KERNEL_UNKNOWN};
}

static void count_call(struct reader *r, TSNode call) {
    TSNode callee = cpp_field(call, CPP_FIELD_function);
    struct slice name = plain_name(r, callee);
    bool method = cpp_kind(callee) == CPP_field_expression;
    TSNode arguments = cpp_field(call, CPP_FIELD_arguments);
    for (unsigned op = 0; op < KERNEL_CB_OPS; op++) {
        if (!slice_equal(name, slice_from(method ? method_names[op] : kernel_cb_op_names[op]))) continue;
        TSNode which = method ? cpp_field(callee, CPP_FIELD_argument) : cpp_first(arguments);
        int64_t index;
        if (ts_node_is_null(which) || !value_of(r, which, &index)) index = KERNEL_UNKNOWN;
        use_of(r->facts, index)->ops[op]++;
        return;
    }
    if (method || one_of(name, harmless, sizeof harmless / sizeof *harmless)) return;
    uint32_t n = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    for (uint32_t i = 0; i < n && i < 16; i++) {
        TSNode arg = ts_node_named_child(arguments, i);
        int64_t index;
        if (cpp_kind(arg) == CPP_identifier && value_of(r, arg, &index) && index < 64)
            use_of(r->facts, index)->elsewhere = true;
    }
}

static void visit(struct reader *r, TSNode node) {
    struct kernel_facts *f = r->facts;
    switch (cpp_kind(node)) {
        case CPP_function_definition:
            f->functions++;
            f->complexity++;
            break;
        case CPP_for_statement:
        case CPP_for_range_loop:
        case CPP_while_statement:
        case CPP_do_statement:
            f->loops++;
            f->complexity++;
            break;
        case CPP_if_statement:
        case CPP_case_statement:
        case CPP_conditional_expression:
            f->complexity++;
            break;
        case CPP_binary_expression: {
            struct slice op = cpp_text(&r->tree, cpp_field(node, CPP_FIELD_operator));
            f->complexity += slice_equal(op, SLICE("&&")) || slice_equal(op, SLICE("||"));
            break;
        }
        case CPP_init_declarator:
            learn_name(r, node);
            break;
        case CPP_template_argument_list: { /* helper<cb_in, cb_out>(...) may do anything to them */
            uint32_t n = ts_node_named_child_count(node);
            for (uint32_t i = 0; i < n && i < 16; i++) {
                TSNode arg = ts_node_named_child(node, i);
                int64_t index;
                struct slice text = cpp_text(&r->tree, arg);
                for (uint32_t k = 0; k < r->n_names; k++)
                    if (slice_equal(r->names[k].name, text) && (index = r->names[k].value) != KERNEL_UNKNOWN && index < 64)
                        use_of(f, index)->elsewhere = true;
            }
            break;
        }
        case CPP_call_expression:
            count_call(r, node);
            break;
        default:
            break;
    }
}

void kernel_facts_read(struct kernel_facts *facts, struct slice text) {
    *facts = (struct kernel_facts){.bytes = text.len};
    for (const char *p = text.ptr, *end = text.ptr + text.len; p < end; p++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        facts->lines++;
        if (!newline) break;
        p = newline;
    }
    facts->low_level = slice_find(text, SLICE("llk_")) != SLICE_NONE;
    struct strbuf live = {0};
    if (cpp_blank_dead(text, &live)) text = strbuf_slice(&live);
    struct reader *r = mem_zalloc(1, sizeof *r);
    r->facts = facts;
    if (cpp_tree_parse(&r->tree, text)) {
        facts->understood = true;
        TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(r->tree.tree));
        uint32_t nodes = 0;
        do visit(r, ts_tree_cursor_current_node(&cursor));
        while (++nodes < MAX_NODES && cpp_next(&cursor));
        ts_tree_cursor_delete(&cursor);
    }
    cpp_tree_release(&r->tree);
    strbuf_release(&live);
    free(r);
}

void kernel_facts_resolve(struct kernel_facts *out, const struct kernel_facts *facts, const int64_t *args, uint32_t n_args) {
    *out = *facts;
    memset(&out->uses, 0, sizeof out->uses);
    for (size_t i = 0; i < facts->uses.len; i++) {
        const struct kernel_cb_use *from = &facts->uses.items[i];
        int64_t index = from->index, at = arg_value(index);
        if (index <= KERNEL_ARG) index = at < n_args && args[at] >= 0 ? args[at] : KERNEL_UNKNOWN;
        bool uses = from->ops[KERNEL_RESERVE] || from->ops[KERNEL_PUSH] || from->ops[KERNEL_WAIT] || from->ops[KERNEL_POP];
        if (!uses && (index == KERNEL_UNKNOWN || index >= 64)) continue; /* handed on, and no one knows what it is */
        struct kernel_cb_use *use = use_of(out, index);
        for (unsigned op = 0; op < KERNEL_CB_OPS; op++) use->ops[op] += from->ops[op];
        use->elsewhere |= from->elsewhere;
    }
}

void kernel_facts_release(struct kernel_facts *facts) { vec_release(&facts->uses); }
