/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions of a source, decides where to start, and runs them. */
#include "cb/interp/cb_source.h"

#include <string.h>

#include "cb/interp/cb_interp.h"
#include "cb/interp/cpp_dead.h"

enum { MAX_COUNT_NODES = 2000000 };

bool cb_source_is_candidate(struct slice text) {
    static const char *const needles[] = {"CircularBufferConfig",
                                          "CBDescriptor",
                                          "create_cb",
                                          "CreateCircularBuffer",
                                          "create_circular_buffer",
                                          "add_circular_buffer",
                                          ".cbs",
                                          "DataflowBufferSpec",
                                          "ScratchpadSpec",
                                          "cb_descriptor_from",
                                          "DataflowBufferConfig",
                                          "dataflow_buffers",
                                          "scratchpads"};
    for (size_t i = 0; i < sizeof needles / sizeof *needles; i++)
        if (slice_find(text, slice_from(needles[i])) != SLICE_NONE) return true;
    return false;
}

bool cb_source_makes_program(struct slice text) {
    static const char *const needles[] = {" Program program", "::Program program", "CreateProgram("};
    for (size_t i = 0; i < sizeof needles / sizeof *needles; i++)
        if (slice_find(text, slice_from(needles[i])) != SLICE_NONE) return true;
    /* `ProgramDescriptor name = ...`; headers declare functions that return one */
    for (size_t at; (at = slice_find(text, SLICE("ProgramDescriptor "))) != SLICE_NONE;) {
        text = slice_skip(text, at + 18);
        size_t end = 0;
        while (end < text.len && text.ptr[end] != ' ' && text.ptr[end] != '(' && text.ptr[end] != '\n') end++;
        if (slice_starts(slice_skip(text, end), SLICE(" = "))) return true;
    }
    return false;
}

static void count_parameters(struct interp *in, struct function *f) {
    if (!exists(f->params)) return;
    struct cpp_nodes list = cpp_children(in->arena, f->params);
    for (uint32_t i = 0; i < list.len; i++) {
        bool optional = is_kind(list.items[i], CPP_optional_parameter_declaration);
        f->max_args++;
        if (!optional) f->min_args++;
    }
    if (f->max_args == 1 && slice_equal(cpp_text(f->tree, list.items[0]), SLICE("void"))) f->min_args = f->max_args = 0;
}

static void add_function(struct interp *in, TSNode node, TSNode template, bool main_file) {
    TSNode declarator = cpp_field(node, CPP_FIELD_declarator);
    for (unsigned i = 0; i < 8 && exists(declarator) && !is_kind(declarator, CPP_function_declarator); i++) {
        TSNode inner = cpp_field(declarator, CPP_FIELD_declarator);
        declarator = exists(inner) ? inner : cpp_first(declarator);
    }
    if (!is_kind(declarator, CPP_function_declarator) || !exists(cpp_field(node, CPP_FIELD_body))) return;
    struct function f = {.tree = in->tree,
                         .node = node,
                         .main_file = main_file,
                         .params = cpp_field(declarator, CPP_FIELD_parameters),
                         .template = template};
    TSNode named = cpp_field(declarator, CPP_FIELD_declarator);
    f.name = interp_last_name(in->tree, named);
    if (!f.name.len) return;
    f.owner = interp_owner_of(in->tree, named);
    f.path = f.owner.len ? interp_inner_path(in, in->owner_path, f.owner) : in->owner_path;
    if (!f.owner.len) f.owner = in->owner;
    /* TEST_F(Suite, Case) {...}: the macro's arguments are its name */
    if (slice_starts(f.name, SLICE("TEST"))) f.name = interp_tidy(in, cpp_text(in->tree, declarator));
    count_parameters(in, &f);
    vec_push(&in->functions, f);
}

/* `#define NAME 32` is a constant if its text is a number. */
static void define_macro(struct interp *in, TSNode node) {
    struct slice value = slice_trim(cpp_text(in->tree, cpp_field(node, CPP_FIELD_value)));
    int64_t num = 0;
    size_t i = 0;
    for (; i < value.len && value.ptr[i] >= '0' && value.ptr[i] <= '9' && i < 12; i++) num = num * 10 + value.ptr[i] - '0';
    struct slice suffix = slice_skip(value, i);
    bool is_number = i && (suffix.len == 0 || slice_equal(suffix, SLICE("u")) || slice_equal(suffix, SLICE("U")));
    if (i > 1 && value.ptr[0] == '0') is_number = false; /* octal */
    struct slice name = cpp_text(in->tree, cpp_field(node, CPP_FIELD_name));
    if (!value.len) return; /* an include guard */
    interp_bind_name(in, name, is_number ? val_num(in->arena, num) : val_free(in->arena, name))->constant = true;
}

/* A function-like macro that makes buffers is read as a function of its text. */
static void note_macro(struct interp *in, TSNode node) {
    struct slice body = cpp_text(in->tree, cpp_field(node, CPP_FIELD_value));
    if (!in->macros || !cb_source_is_candidate(body) || in->macros->len > 65536) return;
    strbuf_addz(in->macros, "void ");
    strbuf_add(in->macros, cpp_text(in->tree, cpp_field(node, CPP_FIELD_name)));
    strbuf_addc(in->macros, '(');
    struct cpp_nodes params = cpp_children(in->arena, cpp_field(node, CPP_FIELD_parameters));
    for (uint32_t i = 0; i < params.len; i++) {
        strbuf_addz(in->macros, i ? ", auto " : "auto ");
        strbuf_add(in->macros, cpp_text(in->tree, params.items[i]));
    }
    strbuf_addz(in->macros, ") { ");
    for (size_t i = 0; i < body.len; i++)
        strbuf_addc(in->macros, body.ptr[i] == '\\' || body.ptr[i] == '\n' ? ' ' : body.ptr[i]);
    strbuf_addz(in->macros, "; }\n");
}

static bool is_name_byte(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

/* A macro with two different definitions is not a constant, because its value depends on the line. Definitions inside
 * functions count too; one there that takes arguments and makes buffers is not read. */
static void check_macros(struct interp *in, struct slice text) {
    enum { MAX_MACROS = 512 };
    struct {
        struct slice name, value;
    } known[MAX_MACROS];
    size_t n = 0;
    for (size_t at; n < MAX_MACROS && (at = slice_find(text, SLICE("define "))) != SLICE_NONE;) {
        size_t hash = at;
        while (hash && (text.ptr[hash - 1] == ' ' || text.ptr[hash - 1] == '\t')) hash--;
        bool directive = hash && text.ptr[hash - 1] == '#';
        text = slice_skip(text, at + 7);
        if (!directive) continue;
        struct slice line =
            slice_take(text, slice_find_byte(text, '\n') == SLICE_NONE ? text.len : slice_find_byte(text, '\n'));
        line = slice_trim(line);
        size_t end = 0;
        while (end < line.len && is_name_byte(line.ptr[end])) end++;
        struct slice name = slice_take(line, end), value = slice_trim(slice_skip(line, end));
        if (!name.len || (value.len && value.ptr[0] == '(' && line.ptr[end] == '(')) continue;
        for (size_t i = 0; i < n; i++)
            if (slice_equal(known[i].name, name) && !slice_equal(known[i].value, value))
                interp_bind_name(in, name, val_free(in->arena, name))->constant = true;
        known[n].name = name;
        known[n++].value = value;
    }
}

/* Does a declaration outside functions give a value? Others (extern, prototypes) say nothing. */
static bool has_value(TSNode declaration) { return is_kind(cpp_field(declaration, CPP_FIELD_declarator), CPP_init_declarator); }

void interp_define_type(struct interp *in, TSNode node) {
    struct slice name = interp_last_name(in->tree, cpp_field(node, CPP_FIELD_name));
    if (!name.len || !exists(cpp_field(node, CPP_FIELD_body))) return;
    for (const struct binding *known = in->types.bindings; known && in->frame; known = known->next)
        if (known->cell->value->lambda->node.id == node.id) return; /* of a function that runs again */
    struct val *v = arena_zalloc(in->arena, sizeof *v);
    struct val_lambda *definition = arena_zalloc(in->arena, sizeof *definition);
    *definition = (struct val_lambda){in->tree, node, &in->globals, NULL};
    *v = (struct val){.kind = VAL_LAMBDA, .depth = 1, .size = 1, .lambda = definition};
    struct binding *b = arena_zalloc(in->arena, sizeof *b);
    struct cb_cell *cell = arena_zalloc(in->arena, sizeof *cell);
    cell->value = v;
    *b = (struct binding){.next = in->types.bindings, .name = name, .cell = cell};
    in->types.bindings = b;
}

/* `static constexpr uint32_t N = 4;` in a class; a variable that can change is unknown. */
static void declare_static(struct interp *in, TSNode field, TSNode value) {
    TSNode type = cpp_field(field, CPP_FIELD_type);
    struct slice name = interp_last_name(in->tree, cpp_field(field, CPP_FIELD_declarator)),
                 before = slice_take(cpp_text(in->tree, field), ts_node_start_byte(type) - ts_node_start_byte(field));
    if (!name.len) return;
    bool constant = slice_find(before, SLICE("const")) != SLICE_NONE;
    const struct val *v = val_convert(in->arena, interp_number_type(in, in->tree, type), interp_eval(in, value));
    interp_bind_name(in, name, constant ? v : val_free(in->arena, name))->constant = constant;
}

static void collect(struct interp *in, TSNode node, bool main_file, unsigned depth);

/* Collects the contents of a namespace or class under its name; an unnamed one belongs to the scope around it. */
static void collect_inside(struct interp *in, TSNode node, bool main_file, unsigned depth) {
    struct slice outer = in->owner, path = in->owner_path,
                 name = slice_trim(cpp_text(in->tree, cpp_field(node, CPP_FIELD_name)));
    if (name.len) in->owner_path = interp_inner_path(in, path, name);
    for (size_t i = name.len; i > 1; i--)
        if (name.ptr[i - 1] == ':') {
            name = slice_skip(name, i);
            break;
        }
    if (name.len) in->owner = name;
    collect(in, node, main_file, depth + 1);
    in->owner = outer;
    in->owner_path = path;
}

static void collect(struct interp *in, TSNode node, bool main_file, unsigned depth) {
    if (depth > 60) {
        in->too_deep = true;
        return;
    }
    struct cpp_nodes children = cpp_children(in->arena, node);
    for (uint32_t i = 0; i < children.len && !in->exhausted; i++) {
        TSNode child = children.items[i];
        switch (cpp_kind(child)) {
            case CPP_function_definition:
                add_function(in, child,
                             is_kind(node, CPP_template_declaration) ? cpp_field(node, CPP_FIELD_parameters) : (TSNode){0},
                             main_file);
                break;
            case CPP_declaration:
                if (has_value(child)) interp_declare(in, child);
                else interp_note_prototype(in, child);
                break;
            case CPP_enum_specifier:
                interp_exec(in, child);
                break;
            case CPP_preproc_def:
                define_macro(in, child);
                break;
            case CPP_preproc_function_def:
                note_macro(in, child);
                break;
            case CPP_struct_specifier:
            case CPP_class_specifier:
            case CPP_union_specifier:
                interp_define_type(in, child);
                collect_inside(in, child, main_file, depth);
                break;
            case CPP_alias_declaration:
                interp_note_alias(in, cpp_text(in->tree, cpp_field(child, CPP_FIELD_name)),
                                  slice_trim(cpp_text(in->tree, cpp_field(child, CPP_FIELD_type))));
                break;
            case CPP_type_definition:
                interp_note_alias(in, interp_last_name(in->tree, cpp_field(child, CPP_FIELD_declarator)),
                                  slice_trim(cpp_text(in->tree, cpp_field(child, CPP_FIELD_type))));
                break;
            case CPP_field_declaration: {
                TSNode value = cpp_field(child, CPP_FIELD_default_value);
                TSNode type = cpp_field(child, CPP_FIELD_type);
                struct slice text = slice_take(cpp_text(in->tree, child), 64);
                if (is_kind(type, CPP_enum_specifier)) interp_exec(in, type);
                if (exists(value) && slice_find(text, SLICE("static")) != SLICE_NONE) declare_static(in, child, value);
                break;
            }
            case CPP_namespace_definition:
                collect_inside(in, child, main_file, depth);
                break;
            case CPP_declaration_list:
            case CPP_field_declaration_list:
            case CPP_template_declaration:
            case CPP_linkage_specification:
            case CPP_preproc_if:
            case CPP_preproc_ifdef:
            case CPP_preproc_else:
            case CPP_preproc_elif:
            case CPP_preproc_elifdef:
                collect(in, child, main_file, depth + 1);
                break;
            default:
                /* code that the parser did not understand can still contain whole functions */
                if (ts_node_has_error(child)) collect(in, child, main_file, depth + 1);
        }
    }
}

static void record_descriptor_kernels(struct interp *in, size_t from) {
    for (size_t i = from; i < in->kernels.len; i++) interp_record_described_kernel(in, in->kernels.items[i]->object);
    in->kernels.len = from;
}

/* Is the function an entry point in this pass? */
static bool starts_in_pass(const struct function *f, unsigned pass) {
    bool several = f->sites > 1 || f->owns;
    switch (pass) {
        case 0:
            return !f->visited && !f->calls; /* nobody calls it */
        case 1:
            return !f->visited && several && f->calls > 1; /* called from several places, with unknown arguments */
        case 2:
            return !f->visited && !f->ran; /* called recursively, or in a way that was not followed */
        default:
            return several && f->calls; /* other callers may reach what its callers here do not */
    }
}

static void run_all(struct interp *in) {
    enum { PASSES = 4 };
    interp_count_all(in);
    in->globals_until = val_clock();
    uint64_t total_steps = 0;
    bool cut_short = in->exhausted;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        in->only_new = pass == PASSES - 1;
        for (size_t i = 0; i < in->functions.len; i++) {
            struct function *f = &in->functions.items[i];
            if (!f->main_file || (!f->sites && !f->owns) || !starts_in_pass(f, pass)) continue;
            if (total_steps > INTERP_MAX_TOTAL) {
                cut_short = true;
                break;
            }
            in->steps = 0;
            in->exhausted = false;
            interp_restore_globals(in, in->globals_until);
            in->seen.len = in->known_conditions.len = in->joins.len = 0;
            interp_run_entry(in, f);
            total_steps += in->steps;
            cut_short |= in->exhausted;
            record_descriptor_kernels(in, 0);
        }
    }
    in->exhausted = cut_short;
}

static const struct val *set_to_value(struct interp *in, struct slice text) {
    int64_t num = 0;
    bool truth;
    if (cb_set_truth(text, &truth)) return val_num_of(in->arena, VAL_BOOL, truth);
    if (cb_set_number(text, &num)) return val_num_of(in->arena, VAL_ANY, num); /* of the type of the variable it is for */
    const struct data_format *format = data_format_find_loosely(text);
    return format ? val_format(in->arena, format) : val_text(in->arena, arena_copy(in->arena, text));
}

/* A size that depends on a given number still counts as adaptive; one that depends on a given format does not. */
static void give_value(struct interp *in, const struct cb_set *set, uint64_t bit) {
    const struct val *value = set_to_value(in, set->value);
    int64_t at;
    if (slice_starts(set->name, SLICE("@")) && cb_set_number(slice_skip(set->name, 1), &at)) {
        vec_push(&in->numbers, ((struct other_number){(uint32_t)at, value}));
        return;
    }
    if (value->kind == VAL_NUM && !set->fact && !val_names_format(set->name)) value = val_with_sets(in->arena, value, bit);
    struct cb_cell *cell = interp_bind_name(in, arena_copy(in->arena, set->name), value);
    cell->fixed = true;
    cell->set_bit = bit;
    vec_push(&in->given, cell);
}

static void note_partial(struct interp *in, bool parsed, bool errors, bool cut) {
    struct cb_source *out = in->out;
    if (!parsed) out->partial_reason = SLICE("too large or too tangled to parse");
    else if (in->exhausted) out->partial_reason = SLICE("too long to follow to the end");
    else if (in->too_deep) out->partial_reason = SLICE("nested too deep to follow everywhere");
    else if (cut) out->partial_reason = SLICE("the source ends in the middle");
    else if (errors) out->partial_reason = SLICE("parts of the source are not understood as C++");
    else return;
    out->partial = out->partial_everywhere = true;
}

/* A piece that the parser did not understand matters if it could declare a buffer; a macro elsewhere is not worth a warning. */
static bool errors_matter(const struct cpp_tree *tree) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree->tree));
    bool matter = false, more = true;
    for (uint32_t nodes = 0; more && !matter && nodes < MAX_COUNT_NODES; nodes++) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        bool is_error = ts_node_symbol(node) == (TSSymbol)-1;
        matter = is_error && cb_source_is_candidate(cpp_text(tree, node));
        if (ts_node_has_error(node) && !is_error && ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!ts_tree_cursor_goto_next_sibling(&cursor))
            if (!(more = ts_tree_cursor_goto_parent(&cursor))) break;
    }
    ts_tree_cursor_delete(&cursor);
    return matter;
}

/* A source that was cut off leaves functions open, which the parser does not understand; with the braces closed, the rest
 * can be read. Returns whether it was cut. */
static bool close_braces(struct slice text, size_t open, struct strbuf *out) {
    enum { MAX_OPEN = 32 };
    if (!open || open > MAX_OPEN) return false;
    strbuf_add(out, text);
    strbuf_addz(out, "\n;");
    strbuf_fill(out, '}', open);
    return true;
}

static void scan(struct cb_source *source, struct slice text, const struct cpp_tree *const *includes, size_t n_includes,
                 const struct cb_set *sets, size_t n_sets, bool python) {
    *source = (struct cb_source){.partial_reason = SLICE("")};
    struct arena values = {0}; /* holds everything computed; results are copied out */
    struct interp in = {.out = source, .arena = &values, .python = python};
    in.scope = &in.globals;
    for (size_t i = 0; i < n_sets; i++) give_value(&in, &sets[i], i < 64 ? UINT64_C(1) << i : 0);
    in.sets = sets;
    in.n_sets = n_sets;
    struct strbuf macros = {0}, closed = {0}, live = {0};
    if (cpp_blank_dead(text, &live)) text = strbuf_slice(&live);
    struct cpp_memory memory;
    cpp_memory_begin(&memory, in.arena);
    struct cpp_tree macro_tree = {0};
    in.macros = &macros;
    struct cpp_tree tree;
    in.main_tree = &tree;
    struct cpp_shape shape = cpp_measure(text);
    bool cut = close_braces(text, shape.open_braces, &closed);
    bool parsed = cpp_tree_parse_measured(&tree, cut ? strbuf_slice(&closed) : text, shape);
    for (size_t i = 0; parsed && i < n_includes; i++) {
        in.tree = includes[i];
        collect(&in, ts_tree_root_node(includes[i]->tree), false, 0);
    }
    bool errors = false;
    if (parsed) {
        in.tree = &tree;
        collect(&in, ts_tree_root_node(tree.tree), true, 0);
        check_macros(&in, tree.text);
        if (macros.len && cpp_tree_parse(&macro_tree, strbuf_slice(&macros))) {
            in.macros = NULL;
            in.tree = &macro_tree;
            collect(&in, ts_tree_root_node(macro_tree.tree), true, 0);
            in.tree = &tree;
        }
        run_all(&in);
        if (!in.exhausted && !in.too_deep) interp_check_reached(&in);
        if (python && !in.exhausted) interp_check_described(&in);
        errors = errors_matter(&tree);
        source->has_errors = ts_node_has_error(ts_tree_root_node(tree.tree));
    }
    note_partial(&in, parsed, errors, cut);
    cb_source_keep(source);
    cpp_memory_end(&memory);
    cpp_tree_release(&tree);
    cpp_tree_release(&macro_tree);
    strbuf_release(&macros);
    strbuf_release(&closed);
    strbuf_release(&live);
    vec_release(&in.functions);
    vec_release(&in.prototypes);
    vec_release(&in.given);
    vec_release(&in.numbers);
    vec_release(&in.journal);
    vec_release(&in.conditions);
    vec_release(&in.path);
    vec_release(&in.known_conditions);
    vec_release(&in.seen);
    vec_release(&in.listed);
    vec_release(&in.pushed);
    vec_release(&in.joins);
    vec_release(&in.kernels);
    vec_release(&in.counted);
    interp_release_sites(&in);
    vec_release(&in.reached);
    vec_release(&in.skipped);
    arena_release(&values);
}

void cb_source_scan(struct cb_source *source, struct slice text, const struct cpp_tree *const *includes, size_t n_includes,
                    const struct cb_set *sets, size_t n_sets) {
    scan(source, text, includes, n_includes, sets, n_sets, false);
}

void cb_source_scan_python(struct cb_source *source, struct slice text, const struct cb_set *sets, size_t n_sets) {
    scan(source, text, NULL, 0, sets, n_sets, true);
}

void cb_source_release(struct cb_source *source) {
    vec_release(&source->decls);
    vec_release(&source->kernels);
    vec_release(&source->programs);
    vec_release(&source->helpers);
    vec_release(&source->unread);
    vec_release(&source->constants);
    arena_release(&source->arena);
}
