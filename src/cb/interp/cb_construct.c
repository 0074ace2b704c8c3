/* SPDX-License-Identifier: Apache-2.0 */
/* Named constants and constructions of the symbolic interpreter: CircularBufferConfig, descriptors, lists, the file's own
 * structures. */
#include <string.h>

#include "cb/interp/cb_index.h"
#include "cb/interp/cb_interp.h"

/* --- constants --- */

const struct val *interp_find_constant(struct interp *in, struct slice text, struct slice last) {
    static const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"TILE_HEIGHT", 32}, {"TILE_WIDTH", 32}, {"TILE_HW", 1024},           {"FACE_HEIGHT", 16},
                   {"FACE_WIDTH", 16},  {"FACE_HW", 256},   {"NUM_CIRCULAR_BUFFERS", 32}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (slice_equal(last, slice_from(numbers[i].name))) return val_num(in->arena, numbers[i].value);
    int64_t index;
    if (cb_index_by_name(last, &index)) return val_num(in->arena, index);
    if (slice_equal(last, SLICE("nullopt")) || slice_equal(last, SLICE("NULL"))) return val_null(in->arena);
    if (slice_find(text, SLICE("DataFormat::")) != SLICE_NONE || slice_find(text, SLICE("DataType::")) != SLICE_NONE) {
        const struct data_format *format = data_format_find(text);
        if (format) return val_format(in->arena, format);
    }
    return NULL;
}

/* --- constructions --- */

/* A format that does not fold is shown as the program writes it; the name inside a helper would say nothing. */
static struct slice format_text(struct interp *in, TSNode node) {
    bool in_helper = in->frame && in->frame->up && in->frame->single;
    return in_helper ? SLICE("") : interp_written(in, node);
}

const struct val *interp_add_entry(struct interp *in, struct val_list *entries, const struct val *index,
                                   struct slice index_text, const struct val *format, struct slice format_written) {
    const struct val *entry = val_object_new(in->arena, SLICE("CBFormatDescriptor"));
    val_object_set(in->arena, entry->object, SLICE("buffer_index"), index)->text = index_text;
    if (format) val_object_set(in->arena, entry->object, SLICE("data_format"), format)->text = format_written;
    if (entries) val_list_add(in->arena, entries, entry);
    return entry;
}

/* {{index, format}, ...}, also with one more pair of braces. */
static void add_entries(struct interp *in, struct val_list *entries, TSNode node) {
    const struct val *map = val_bare(interp_eval(in, node));
    if (map->kind != VAL_LIST) return;
    struct cpp_nodes pairs = {0};
    if (is_kind(node, CPP_initializer_list)) pairs = cpp_children(in->arena, node);
    if (map->list->len == 1 && val_bare(map->list->items[0])->kind == VAL_LIST) {
        const struct val *inner = val_bare(map->list->items[0]);
        if (inner->list->len && val_bare(inner->list->items[0])->kind == VAL_LIST) map = inner;
    }
    for (uint32_t i = 0; i < map->list->len; i++) {
        const struct val *pair = val_bare(map->list->items[i]);
        if (pair->kind != VAL_LIST || pair->list->len != 2) continue;
        struct strbuf text = {0};
        val_write(&text, pair->list->items[0], INTERP_TEXT);
        struct slice format = SLICE("");
        if (i < pairs.len && is_kind(pairs.items[i], CPP_initializer_list) && ts_node_named_child_count(pairs.items[i]) == 2)
            format = format_text(in, ts_node_named_child(pairs.items[i], 1));
        interp_add_entry(in, entries, pair->list->items[0], arena_copy(in->arena, strbuf_slice(&text)), pair->list->items[1],
                         format);
        strbuf_release(&text);
    }
}

/* --- braces --- */

struct slice interp_element_type(struct slice list) {
    static const struct {
        const char *list, *element;
    } rows[] = {{"cbs", "CBDescriptor"},
                {"dataflow_buffers", "DataflowBufferSpec"},
                {"scratchpads", "ScratchpadSpec"},
                {"dfb_bindings", "DFBBinding"},
                {"format_descriptors", "CBFormatDescriptor"},
                {"remote_format_descriptors", "CBFormatDescriptor"},
                {"kernels", "KernelDescriptor"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_equal(list, slice_from(rows[i].list))) return slice_from(rows[i].element);
    return SLICE("");
}

/* Does the list begin with a whole element rather than the first field of one? */
static bool starts_with_element(struct interp *in, TSNode list) {
    TSNode first = cpp_first(list);
    if (is_kind(first, CPP_initializer_list) || is_kind(first, CPP_compound_literal_expression)) return true;
    if (!is_kind(first, CPP_identifier) && !is_kind(first, CPP_call_expression)) return false;
    return val_bare(interp_peek(in, first))->kind == VAL_OBJECT;
}

/* The elements of a field that does not name their type: `.cbs = {{...}, {...}}`, with one pair of braces more or less. */
static const struct val *eval_elements(struct interp *in, TSNode list, struct slice element) {
    struct cpp_nodes items = cpp_children(in->arena, list);
    const struct val *v = val_list_new(in->arena);
    for (uint32_t i = 0; i < items.len && !in->exhausted; i++) {
        TSNode item = items.items[i];
        bool braces = is_kind(item, CPP_initializer_list);
        if (braces && items.len == 1 && starts_with_element(in, item)) return eval_elements(in, item, element);
        const struct val *value = braces ? interp_construct(in, element, item, item) : interp_copy(in, interp_eval(in, item));
        val_list_add(in->arena, v->list, value);
        interp_record_pushed(in, value, item, v->list, true);
        if (interp_is_kernel_type(element)) interp_note_kernel(in, value);
    }
    return v;
}

const struct val *interp_eval_field_value(struct interp *in, struct slice field_name, TSNode value) {
    struct slice element = interp_element_type(field_name);
    TSNode first = cpp_first(value);
    bool by_item = is_kind(value, CPP_initializer_list) && !is_kind(first, CPP_initializer_pair);
    if (!element.len || !by_item) return interp_eval(in, value);
    /* {index, format, page}: a single positional element without its own braces */
    bool positional = slice_equal(element, SLICE("CBFormatDescriptor")) && ts_node_named_child_count(value) == 3 &&
                      !starts_with_element(in, value);
    if (!positional) return eval_elements(in, value, element);
    const struct val *one = val_list_new(in->arena);
    val_list_add(in->arena, one->list, interp_construct(in, element, value, value));
    return one;
}

const struct val *interp_eval_braces(struct interp *in, TSNode list, struct slice type) {
    struct cpp_nodes items = cpp_children(in->arena, list);
    bool designated = items.len && is_kind(items.items[0], CPP_initializer_pair);
    if (!designated) {
        const struct val *v = val_list_new(in->arena);
        for (uint32_t i = 0; i < items.len && !in->exhausted; i++) {
            const struct val *item = interp_taken(in, items.items[i], interp_eval(in, items.items[i]));
            if (item->kind == VAL_LAMBDA) interp_escape_value(in, item);
            v->list->refers |= interp_is_objectlike(item) && interp_shares(in, items.items[i]);
            val_list_add(in->arena, v->list, item);
            interp_record_pushed(in, item, items.items[i], v->list, false);
        }
        return v;
    }
    const struct val *v = val_object_new(in->arena, type);
    for (uint32_t i = 0; i < items.len && !in->exhausted; i++) {
        struct slice name = slice_trim(cpp_text(in->tree, cpp_field(items.items[i], CPP_FIELD_designator)));
        if (name.len && name.ptr[0] == '.') name = slice_skip(name, 1);
        TSNode value = cpp_field(items.items[i], CPP_FIELD_value);
        if (!exists(value)) continue;
        const struct val *given = interp_taken(in, value, interp_eval_field_value(in, name, value));
        if (interp_is_buffer_list(name)) {
            interp_place_list(in, given, value);
            if (!in->python && interp_is_program_type(type) && val_bare(given)->kind == VAL_FREE)
                interp_note_unread(in, value, SLICE("a program's list of buffers comes from elsewhere"));
        }
        if (slice_equal(name, SLICE("kernels")) && interp_is_program_type(type)) interp_note_kernels(in, given);
        if (slice_equal(name, SLICE("dfb_run_overrides"))) interp_note_unfollowed(in, INTERP_OVERRIDDEN);
        struct val_field *field = val_object_set(in->arena, v->object, name, given);
        field->text = interp_written(in, value);
        field->refers = interp_is_objectlike(given) && interp_shares(in, value);
    }
    if (!type.len) {
        static const struct {
            const char *field, *type;
        } typical[] = {{"format_descriptors", "CBDescriptor"}, {"buffer_index", "CBFormatDescriptor"},
                       {"entry_size", "DataflowBufferSpec"},   {"size_per_node", "ScratchpadSpec"},
                       {"dfb_spec_name", "DFBBinding"},        {"kernel_source", "KernelDescriptor"}};
        for (size_t i = 0; i < sizeof typical / sizeof *typical; i++)
            if (val_object_field(v->object, slice_from(typical[i].field))) v->object->type = slice_from(typical[i].type);
    }
    interp_stamp(in, v->object, list);
    return v;
}

/* --- by type --- */

static const struct val *make_config(struct interp *in, const struct cpp_nodes *args, TSNode whole) {
    const struct val *first = args->len ? interp_eval(in, args->items[0]) : NULL;
    if (first && val_bare(first)->kind == VAL_OBJECT) return val_clone(in->arena, first); /* from a CBDescriptor or a copy */
    const struct val *config = val_object_new(in->arena, SLICE("CircularBufferConfig"));
    interp_stamp(in, config->object, whole);
    if (first) val_object_set(in->arena, config->object, SLICE("total_size"), first)->text = interp_written(in, args->items[0]);
    const struct val *entries = val_list_new(in->arena);
    if (args->len > 1) add_entries(in, entries->list, args->items[1]);
    val_object_set(in->arena, config->object, SLICE("format_descriptors"), entries);
    if (args->len > 2) val_object_set(in->arena, config->object, SLICE("buffer"), interp_eval(in, args->items[2]));
    return config;
}

static bool is_number_type(struct slice type) {
    static const char *const types[] = {"auto", "uint32_t", "uint8_t", "uint16_t", "uint64_t", "int32_t",    "int64_t",
                                        "int",  "size_t",   "bool",    "unsigned", "CBIndex",  "DataFormat", "DataType"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_equal(type, slice_from(types[i]))) return true;
    return false;
}

static bool is_list_type(struct slice type) {
    static const char *const types[] = {
        "vector", "array", "map",   "unordered_map", "SmallVector",     "initializer_list",     "tuple",  "pair",
        "set",    "deque", "Group", "Table",         "CompileTimeArgs", "NamedCompileTimeArgs", "Defines"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_equal(type, slice_from(types[i]))) return true;
    return false;
}

static const struct val *make_list(struct interp *in, struct slice type, TSNode args, const struct cpp_nodes *items) {
    const struct val *v;
    if (exists(args) && is_kind(args, CPP_initializer_list)) {
        v = interp_eval_braces(in, args, SLICE(""));
        if (v->kind != VAL_LIST) return v;
        /* array<T, N>{{a, b}} */
        if (slice_equal(type, SLICE("array")) && v->list->len == 1 && v->list->items[0]->kind == VAL_LIST)
            return v->list->items[0];
    } else {
        v = val_list_new(in->arena);
        int64_t n = 0;
        const struct val *first = items->len ? val_bare(interp_eval(in, items->items[0])) : NULL;
        if (first && first->kind == VAL_LIST) return val_clone(in->arena, first);
        if (first && val_is_num(first, &n) && n >= 0 && n <= INTERP_MAX_LOOP) {
            const struct val *fill = items->len > 1 ? interp_eval(in, items->items[1]) : val_num(in->arena, 0);
            v->list->sized = items->len == 1;
            for (int64_t i = 0; i < n; i++) val_list_add(in->arena, v->list, fill);
        } else if (items->len) {
            v->list->open = true;
        }
    }
    v->list->map = slice_ends(type, SLICE("map"));
    return v;
}

/* `uint32_t b = a * 2` in a class: `a` is its field, not a variable at the place of construction. */
const struct val *interp_field_default(struct interp *in, const struct cpp_tree *tree, TSNode value, const struct val *object) {
    const struct cpp_tree *outside = in->tree;
    struct scope *scope = in->scope;
    struct cb_frame *frame = in->frame, inner = {0};
    if (frame) inner = *frame;
    inner.self = object;
    in->tree = tree;
    in->scope = &in->globals;
    in->frame = &inner;
    const struct val *result = interp_eval(in, value);
    in->frame = frame;
    in->scope = scope;
    in->tree = outside;
    return result;
}

static bool has_bits(struct interp *in, TSNode field) {
    struct cpp_nodes parts = cpp_children(in->arena, field);
    for (uint32_t i = 0; i < parts.len; i++)
        if (is_kind(parts.items[i], CPP_bitfield_clause)) return true;
    return false;
}

/* Fills in the default values of the file's own structures, and matches positional values to field names. */
static void fill_fields(struct interp *in, const struct val *made, const struct cpp_nodes *items) {
    struct val_object *object = made->object;
    const struct val_lambda *definition = interp_find_type(in, object->type);
    if (!definition) return;
    const struct cpp_tree *tree = in->tree;
    in->tree = definition->tree;
    struct cpp_nodes fields = cpp_children(in->arena, cpp_field(definition->node, CPP_FIELD_body));
    in->tree = tree;
    uint32_t position = 0;
    for (uint32_t i = 0; i < fields.len; i++) {
        if (!is_kind(fields.items[i], CPP_field_declaration)) continue;
        TSNode declarator = cpp_field(fields.items[i], CPP_FIELD_declarator);
        if (is_kind(declarator, CPP_function_declarator)) continue;
        struct slice name = interp_last_name(definition->tree, declarator);
        TSNode fallback = cpp_field(fields.items[i], CPP_FIELD_default_value);
        if (has_bits(in, fields.items[i])) object->escaped = true; /* a bit-field holds less than its type */
        uint32_t at = position++;
        struct val_field *field = val_object_field(object, name);
        if (items && at < items->len) {
            bool refers =
                is_kind(declarator, CPP_reference_declarator) || is_kind(declarator, CPP_pointer_declarator) ||
                interp_is_pointer_type(interp_last_name(definition->tree, cpp_field(fields.items[i], CPP_FIELD_type)));
            const struct val *given = interp_eval(in, items->items[at]);
            if (val_bare(given)->kind == VAL_LAMBDA) interp_escape_value(in, given);
            if (refers && !interp_is_objectlike(given)) interp_escape_mentioned(in, items->items[at]);
            if (refers && !interp_is_objectlike(given)) given = val_free(in->arena, name);
            field = val_object_set(in->arena, object, name, refers ? given : val_clone(in->arena, given));
            field->text = interp_written(in, items->items[at]);
            field->refers = refers;
            if (refers && val_bare(given)->kind == VAL_OBJECT) val_bare(given)->object->shared = true;
        } else if (!field) {
            field = val_object_set(
                in->arena, object, name,
                exists(fallback) ? interp_field_default(in, definition->tree, fallback, made) : val_free(in->arena, name));
        }
        if (is_kind(declarator, CPP_field_identifier))
            field->type = val_type_by_name(interp_last_name(definition->tree, cpp_field(fields.items[i], CPP_FIELD_type)));
        field->value = val_convert(in->arena, field->type, field->value);
    }
    if (is_kind(definition->node, CPP_union_specifier)) object->escaped = true;
    if (!object->escaped) return;
    for (struct val_field *f = object->fields; f; f = f->next) f->value = val_free(in->arena, f->name);
}

/* Fills tt-metal's structures from positional values. */
static bool fill_known_positions(struct interp *in, struct val_object *object, const struct cpp_nodes *items) {
    static const struct {
        const char *type, *fields[5];
    } types[] = {{"CBFormatDescriptor", {"buffer_index", "data_format", "page_size", NULL}},
                 {"CBDescriptor", {"total_size", "core_ranges", "format_descriptors", NULL}},
                 {"DataflowBufferSpec", {"unique_id", "entry_size", "num_entries", "data_format_metadata", NULL}},
                 {"DataflowBufferConfig", {"entry_size", "num_entries", NULL}},
                 {"ScratchpadSpec", {"unique_id", "size_per_node", NULL}},
                 {"DFBBinding", {"dfb_spec_name", "accessor_name", "endpoint_type", NULL}}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!slice_equal(object->type, slice_from(types[t].type))) continue;
        for (uint32_t i = 0; i < items->len && types[t].fields[i]; i++) {
            struct slice name = slice_from(types[t].fields[i]);
            val_object_set(in->arena, object, name, interp_eval_field_value(in, name, items->items[i]))->text =
                interp_written(in, items->items[i]);
        }
        return true;
    }
    return false;
}

bool interp_is_own_type(const struct interp *in, struct slice type) { return type.len && interp_find_type(in, type); }

bool interp_has_base(const struct interp *in, TSNode definition) {
    struct cpp_nodes parts = cpp_children(in->arena, definition);
    for (uint32_t i = 0; i < parts.len; i++)
        if (is_kind(parts.items[i], CPP_base_class_clause)) return true;
    return false;
}

/* An aggregate has no constructor and no base that could set its fields. */
bool interp_is_aggregate(const struct interp *in, struct slice type) {
    const struct val_lambda *definition = interp_find_type(in, type);
    if (!definition || interp_has_base(in, definition->node)) return false;
    struct cpp_nodes members = cpp_children(in->arena, cpp_field(definition->node, CPP_FIELD_body));
    for (uint32_t i = 0; i < members.len; i++) {
        TSNode declarator = cpp_field(members.items[i], CPP_FIELD_declarator);
        if (is_kind(declarator, CPP_function_declarator) &&
            slice_equal(interp_last_name(definition->tree, cpp_field(declarator, CPP_FIELD_declarator)), type))
            return false;
    }
    return true;
}

static bool is_program(const struct val *v) {
    v = val_bare(v);
    return v->kind == VAL_OBJECT && interp_is_program_type(v->object->type);
}

static bool is_object_type(struct slice type) {
    static const char *const types[] = {"CBDescriptor",
                                        "DataflowBufferSpec",
                                        "ScratchpadSpec",
                                        "DFBBinding",
                                        "KernelSpec",
                                        "ProgramSpec",
                                        "CBFormatDescriptor",
                                        "KernelDescriptor",
                                        "UnifiedKernelDescriptor",
                                        "ProgramDescriptor",
                                        "Program",
                                        "CircularBufferConfig",
                                        "DataflowBufferConfig",
                                        "ComputeConfig",
                                        "DataMovementConfig",
                                        "ReaderDataMovementConfig",
                                        "WriterDataMovementConfig",
                                        "EthernetConfig"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_equal(type, slice_from(types[i]))) return true;
    return false;
}

/* The value of an element before anything is assigned to it. */
static const struct val *first_element(struct interp *in, TSNode type) {
    TSNode named = cpp_field(type, CPP_FIELD_type);
    struct slice name = interp_last_name(in->tree, exists(named) ? named : type);
    if (val_type_by_name(name) != VAL_ANY) return val_num_of(in->arena, val_type_by_name(name), 0);
    bool plain = is_object_type(name) || (interp_is_own_type(in, name) && interp_is_aggregate(in, name));
    return plain ? interp_construct(in, name, (TSNode){0}, type) : val_free(in->arena, SLICE("..."));
}

/* std::array<T, N> has as many elements as its type says. */
static void fill_array(struct interp *in, struct val_list *list, TSNode type, TSNode element) {
    struct cpp_nodes args = cpp_children(in->arena, cpp_field(type, CPP_FIELD_arguments));
    int64_t n = -1;
    TSNode count = args.len > 1 ? args.items[1] : (TSNode){0};
    if (is_kind(count, CPP_type_descriptor)) count = cpp_first(count); /* the grammar takes a plain name for a type */
    if (!exists(count) || !val_is_num(interp_eval(in, count), &n) || n > INTERP_MAX_LOOP) {
        list->open = true;
        return;
    }
    while (list->len < n) {
        const struct val *item = first_element(in, element);
        val_list_add(in->arena, list, item);
        interp_record_pushed(in, item, element, list, false);
    }
}

void interp_type_items(struct interp *in, const struct val *value, const struct cpp_tree *tree, TSNode type) {
    const struct val *list = val_bare(value);
    while (is_kind(type, CPP_qualified_identifier)) type = cpp_field(type, CPP_FIELD_name);
    if (list->kind != VAL_LIST || (!is_kind(type, CPP_template_type) && !is_kind(type, CPP_template_function))) return;
    struct slice name = interp_last_name(tree, type);
    if (!is_list_type(name) || slice_ends(name, SLICE("map")) || slice_equal(name, SLICE("tuple")) ||
        slice_equal(name, SLICE("pair")))
        return;
    TSNode first = cpp_first(cpp_field(type, CPP_FIELD_arguments));
    struct slice text = slice_trim(cpp_text(tree, first));
    if (slice_starts(text, SLICE("std::"))) text = slice_skip(text, 5);
    list->list->type = val_type_by_name(text);
    if (slice_equal(name, SLICE("array"))) fill_array(in, list->list, type, first);
    if (list->list->sized && list->list->type == VAL_ANY)
        for (uint32_t i = 0; i < list->list->len; i++) {
            list->list->items[i] = first_element(in, first);
            interp_record_pushed(in, list->list->items[i], first, list->list, false);
        }
    for (uint32_t i = 0; i < list->list->len; i++)
        list->list->items[i] = val_convert(in->arena, list->list->type, list->list->items[i]);
}

/* A program has its lists of buffers from the start. */
static void make_lists(struct interp *in, struct val_object *program) {
    static const struct {
        const char *type, *list;
    } rows[] = {{"ProgramDescriptor", "cbs"}, {"ProgramSpec", "dataflow_buffers"}, {"ProgramSpec", "scratchpads"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice name = slice_from(rows[i].list);
        if (!slice_equal(program->type, slice_from(rows[i].type)) || val_object_field(program, name)) continue;
        const struct val *list = val_list_new(in->arena);
        list->list->loops = in->open_loops;
        val_object_set(in->arena, program, name, list);
    }
}

const struct val *interp_construct(struct interp *in, struct slice type, TSNode args, TSNode whole) {
    struct cpp_nodes items = {0};
    if (exists(args)) items = cpp_children(in->arena, args);
    if (is_kind(args, CPP_parameter_list)) /* plain names that the grammar takes for types */
        for (uint32_t i = 0; i < items.len; i++) {
            TSNode t = cpp_field(items.items[i], CPP_FIELD_type);
            if (exists(t)) items.items[i] = t;
        }
    bool designated = items.len && is_kind(items.items[0], CPP_initializer_pair);
    bool braces = is_kind(args, CPP_initializer_list);
    if (slice_equal(type, SLICE("CircularBufferConfig"))) return make_config(in, &items, whole);
    if (is_list_type(type)) {
        in->reading++;
        const struct val *list = make_list(in, type, args, &items);
        in->reading--;
        return list;
    }
    if (designated ||
        (is_object_type(type) && !(items.len == 1 && val_bare(interp_peek(in, items.items[0]))->kind == VAL_OBJECT)) ||
        (interp_is_own_type(in, type) && (braces || !exists(args)) && interp_is_aggregate(in, type))) {
        const struct val *v = designated ? interp_eval_braces(in, args, type) : val_object_new(in->arena, type);
        if (!designated) interp_stamp(in, v->object, whole);
        if (interp_is_program_type(type)) {
            in->program_loops = in->open_loops;
            if (!in->mute) in->saw_program = true;
            make_lists(in, v->object);
            interp_own_program(in, v, NULL);
        }
        bool positional = !designated && items.len && interp_is_own_type(in, type);
        fill_fields(in, v, positional ? &items : NULL);
        if (slice_equal(type, SLICE("DataflowBufferSpec")) && !val_object_field(v->object, SLICE("advanced_options")))
            val_object_set(in->arena, v->object, SLICE("advanced_options"),
                           val_object_new(in->arena, SLICE("DFBAdvancedOptions")));
        if (interp_is_kernel_type(v->object->type)) vec_push(&in->kernels, v);
        if (!designated && !positional && !fill_known_positions(in, v->object, &items))
            for (uint32_t i = 0; i < items.len; i++) {
                const struct val *item = interp_eval(in, items.items[i]);
                if (val_bare(item)->kind == VAL_LIST && !val_object_field(v->object, SLICE("compile_args")))
                    val_object_set(in->arena, v->object, SLICE("compile_args"), item);
            }
        return v;
    }
    if (slice_equal(type, SLICE("span")) && items.len) { /* writes through a span change the list it shows */
        const struct val *shown = interp_eval(in, items.items[0]);
        if (val_bare(shown)->kind == VAL_LIST && items.len == 1) return shown;
        for (uint32_t i = 0; i < items.len; i++) interp_escape_reached(in, items.items[i]);
    }
    const struct val *made = interp_run_constructor(in, type, args, whole);
    if (made) return made;
    if (interp_has_constructor(in, type)) interp_note_unrun_constructor(in, type);
    bool own = interp_has_type(in, type); /* its constructor may keep references to the arguments */
    if (items.len == 1 && (is_number_type(type) || !type.len || (braces && !own))) return interp_eval(in, items.items[0]);
    if (braces && !type.len) return interp_eval_braces(in, args, type);
    for (uint32_t i = 0; i < items.len; i++) {
        const struct val *item = interp_eval(in, items.items[i]);
        if (val_bare(item)->kind == VAL_LAMBDA) interp_escape_value(in, item);
        else if (own && !is_program(item)) interp_escape_mentioned(in, items.items[i]);
    }
    if (!items.len && is_number_type(type) && braces) return val_num(in->arena, 0);
    return interp_unknown(in, whole);
}

bool interp_is_constructible(const struct interp *in, struct slice type) {
    return is_object_type(type) || is_list_type(type) || interp_is_own_type(in, type);
}
