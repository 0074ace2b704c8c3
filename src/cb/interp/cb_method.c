/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of configurations, lists and the file's own structures. */
#include <string.h>

#include "base/num.h"
#include "cb/interp/cb_calls.h"

static const struct val *entry_of(struct interp *in, const struct val_object *config, const struct val *index,
                                  struct slice text) {
    struct val_field *field = val_object_field(config, SLICE("format_descriptors"));
    if (!field || field->value->kind != VAL_LIST) return NULL;
    struct val_list *entries = field->value->list;
    int64_t want, have;
    bool known = val_is_num(index, &want);
    for (uint32_t i = 0; i < entries->len; i++) {
        const struct val *entry = val_bare(entries->items[i]);
        const struct val_field *f = entry->kind == VAL_OBJECT ? val_object_field(entry->object, SLICE("buffer_index")) : NULL;
        if (!f) continue;
        if (known ? val_is_num(f->value, &have) && have == want
                  : slice_equal(val_bare(f->value)->kind == VAL_FREE ? val_bare(f->value)->text : f->text,
                                val_bare(index)->kind == VAL_FREE ? val_bare(index)->text : text))
            return entry;
    }
    if (entries->len == 1 && !known) return entries->items[0];
    const struct val *entry = interp_add_entry(in, NULL, index, text, NULL, SLICE(""));
    interp_append_item(in, entries, entry);
    return entry;
}

static const struct val *config_method(struct interp *in, const struct call *call, const struct val *config) {
    struct val_object *object = config->object;
    if (slice_equal(call->name, SLICE("set_page_size"))) {
        const struct val *entry = entry_of(in, object, interp_arg(in, call, 0), interp_arg_text(in, call, 0));
        if (entry && entry->kind == VAL_OBJECT)
            interp_write_field(in, entry->object, SLICE("page_size"), interp_arg(in, call, 1))->text =
                interp_arg_text(in, call, 1);
    } else if (slice_equal(call->name, SLICE("set_total_size"))) {
        interp_write_field(in, object, SLICE("total_size"), interp_arg(in, call, 0))->text = interp_arg_text(in, call, 0);
    } else if (slice_starts(call->name, SLICE("set_globally_allocated_address"))) {
        const struct val *buffer = interp_arg(in, call, 0);
        interp_write_field(in, object, SLICE("buffer"),
                           buffer->kind == VAL_NULL ? buffer : val_object_new(in->arena, SLICE("Buffer")));
        if (call->n > 1)
            interp_write_field(in, object, SLICE("total_size"), interp_arg(in, call, 1))->text = interp_arg_text(in, call, 1);
    } else if (slice_equal(call->name, SLICE("index")) || slice_equal(call->name, SLICE("remote_index"))) {
        const struct val *builder = val_object_new(in->arena, SLICE("CBBuilder"));
        const struct val *entry = entry_of(in, object, interp_arg(in, call, 0), interp_arg_text(in, call, 0));
        val_object_set(in->arena, builder->object, SLICE("config"), config);
        if (entry) val_object_set(in->arena, builder->object, SLICE("entry"), entry);
        if (entry && entry->kind == VAL_OBJECT && call->name.len > 5)
            interp_write_field(in, entry->object, SLICE("remote"), val_num(in->arena, 1));
        return builder;
    }
    return config;
}

static const struct val *builder_method(struct interp *in, const struct call *call, const struct val *builder) {
    const struct val_field *config = val_object_field(builder->object, SLICE("config")),
                           *entry = val_object_field(builder->object, SLICE("entry"));
    if (slice_equal(call->name, SLICE("set_total_size"))) {
        interp_write_field(in, config->value->object, SLICE("total_size"), interp_arg(in, call, 0))->text =
            interp_arg_text(in, call, 0);
    } else if (entry && entry->value->kind == VAL_OBJECT) {
        if (slice_equal(call->name, SLICE("set_page_size")))
            interp_write_field(in, entry->value->object, SLICE("page_size"), interp_arg(in, call, 0))->text =
                interp_arg_text(in, call, 0);
        else if (slice_equal(call->name, SLICE("set_data_format")))
            interp_write_field(in, entry->value->object, SLICE("data_format"), interp_arg(in, call, 0));
    }
    return builder;
}

static bool is_push(struct slice name) {
    return slice_equal(name, SLICE("push_back")) || slice_equal(name, SLICE("emplace_back"));
}

/* {total_size, cores, formats, ...}: other structures have lists of that name too, but no list of formats as their third
 * field. */
static bool may_be_descriptor(struct interp *in, TSNode braces) {
    struct cpp_nodes items = cpp_children(in->arena, braces);
    if (!items.len || is_kind(items.items[0], CPP_initializer_pair) || is_kind(items.items[0], CPP_initializer_list))
        return true;
    if (items.len < 3) return false;
    TSNode formats = items.items[2];
    return is_kind(formats, CPP_initializer_list) || is_kind(formats, CPP_identifier) ||
           is_kind(formats, CPP_call_expression) || is_kind(formats, CPP_compound_literal_expression);
}

/* list.push_back(x): a descriptor counts even if the list is unknown. */
static const struct val *push(struct interp *in, const struct call *call, TSNode owner, const struct val *list) {
    struct slice list_name = interp_last_name(in->tree, owner);
    bool is_cbs = slice_equal(list_name, SLICE("cbs"));
    bool is_buffers = interp_is_buffer_list(list_name) || (list->kind == VAL_LIST && list->list->placed);
    if (slice_equal(list_name, SLICE("dfb_run_overrides"))) interp_note_unfollowed(in, INTERP_OVERRIDDEN);
    const struct val *item;
    if (is_cbs && call->n == 1 && is_kind(call->args[0], CPP_initializer_list) && !may_be_descriptor(in, call->args[0]))
        return interp_unknown(in, call->node);
    if (call->n == 0) {
        item = is_cbs ? val_object_new(in->arena, SLICE("CBDescriptor")) : interp_unknown(in, call->node);
        if (is_cbs) interp_stamp(in, item->object, call->node);
    } else if (is_kind(call->args[0], CPP_initializer_list) && interp_element_type(interp_last_name(in->tree, owner)).len) {
        item = interp_construct(in, interp_element_type(interp_last_name(in->tree, owner)), call->args[0], call->args[0]);
    } else if (is_cbs && call->n > 1) { /* emplace_back(total_size, cores, formats) */
        item = interp_construct(in, SLICE("CBDescriptor"), cpp_field(call->node, CPP_FIELD_arguments), call->node);
    } else {
        item = interp_taken(in, call->args[0], interp_arg(in, call, 0));
        if (list->kind == VAL_LIST) list->list->refers |= interp_shares(in, call->args[0]);
        if (item->kind == VAL_LAMBDA) interp_escape_value(in, item);
        if (call->n > 1) item = interp_fn_tuple(in, call);
    }
    if (item->kind == VAL_OBJECT && is_cbs && !item->object->type.len) item->object->type = SLICE("CBDescriptor");
    if (is_buffers && item->kind == VAL_OBJECT && !item->object->type.len) item->object->type = interp_element_type(list_name);
    const struct val *which = val_bare(item);
    bool choice = which->kind == VAL_OP && which->op == OP_COND && interp_is_objectlike(which->b);
    if (is_buffers && item->kind != VAL_OBJECT && !choice)
        interp_note_unread(in, call->node,
                           is_cbs ? SLICE("a circular buffer's descriptor comes from elsewhere")
                                  : SLICE("a dataflow buffer's description comes from elsewhere"));
    interp_record_pushed(in, item, call->node, list->kind == VAL_LIST ? list->list : NULL, is_buffers);
    if (slice_equal(list_name, SLICE("kernels"))) interp_note_kernel(in, item);
    if (list->kind != VAL_LIST) return item;
    if (in->open_loops > list->list->loops) { /* an unknown number of items follows */
        interp_append_item(in, list->list, item);
        list->list->open = true;
    } else {
        interp_append_item(in, list->list, item);
    }
    return item;
}

/* Methods that do not change a list. */
static bool only_looks(struct slice name) {
    static const char *const names[] = {"size",     "empty",   "back",   "front",    "at",       "begin",       "end",
                                        "cbegin",   "cend",    "count",  "find",     "data",     "rbegin",      "rend",
                                        "contains", "reserve", "length", "max_size", "capacity", "get_ct_args", "get",
                                        "items",    "keys",    "index",  "copy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

/* Methods that may remove items of a list. */
static bool empties(struct slice name) {
    static const char *const names[] = {"clear", "pop_back", "erase", "resize", "assign", "swap", "pop_front", "pop", "remove"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

/* begin() and end() name the same list. */
struct placed_lists {
    const struct val_list *items[4];
    unsigned len;
};

static bool placed_before(struct placed_lists *lists, const struct val *other) {
    if (other->kind != VAL_LIST) return false;
    for (unsigned i = 0; i < lists->len; i++)
        if (lists->items[i] == other->list) return true;
    if (lists->len < 4) lists->items[lists->len++] = other->list;
    return false;
}

/* list.insert(list.end(), other.begin(), other.end()), append_range(other): the items of the other list join this one. */
static void place_arguments(struct interp *in, const struct call *call, const struct val *into) {
    struct placed_lists lists = {0};
    for (uint32_t i = 0; i < call->n; i++) {
        TSNode callee = cpp_field(call->args[i], CPP_FIELD_function);
        bool method = is_kind(callee, CPP_field_expression);
        const struct val *other = interp_peek(in, method ? cpp_field(callee, CPP_FIELD_argument) : call->args[i]);
        other = val_bare(other);
        bool same = into->kind == VAL_LIST && other->kind == VAL_LIST && into->list == other->list;
        if (same || placed_before(&lists, other)) continue;
        if (into->kind == VAL_LIST && other->kind == VAL_LIST && other->list->placed && into->list->program)
            interp_copy_buffers(in, other->list->origin, into->list, into->list->program);
        else interp_place_list(in, other, call->node);
    }
}

/* Methods whose result can be used to change the list. */
static bool hands_out(struct slice name) {
    static const char *const names[] = {"begin", "end", "data", "rbegin", "rend", "find"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

/* The values of a dictionary whose keys are all known to differ. */
static const struct val *dictionary_values(struct interp *in, const struct call *call, const struct val_list *map) {
    bool known = !map->open;
    for (uint32_t i = 0; i < map->len && known; i++) {
        const struct val *pair = val_bare(map->items[i]);
        known = pair->kind == VAL_LIST && pair->list->len == 2;
        for (uint32_t k = 0; k < i && known; k++)
            known = val_truth(val_op2(in->arena, OP_EQ, pair->list->items[0], val_bare(map->items[k])->list->items[0])) == 0;
    }
    if (!known) return interp_unknown(in, call->node);
    const struct val *values = val_list_new(in->arena);
    for (uint32_t i = 0; i < map->len; i++) val_list_add(in->arena, values->list, val_bare(map->items[i])->list->items[1]);
    return values;
}

/* list.extend(others), list.insert(at, item), dictionary.values(). NULL: another method. */
static const struct val *python_list_method(struct interp *in, const struct call *call, const struct val *v) {
    bool extend = slice_equal(call->name, SLICE("py_extend")), insert = slice_equal(call->name, SLICE("py_insert"));
    if (slice_equal(call->name, SLICE("py_values"))) return dictionary_values(in, call, v->list);
    if (!extend && !insert) return NULL;
    TSNode owner = cpp_field(cpp_field(call->node, CPP_FIELD_function), CPP_FIELD_argument);
    bool placed = v->list->placed || interp_is_buffer_list(interp_last_name(in->tree, owner));
    const struct val *more = interp_arg(in, call, insert);
    if (insert) { /* the position is not followed */
        interp_record_pushed(in, more, call->node, v->list, placed);
        interp_open_list(in, v->list);
    } else {
        interp_extend_list(in, v->list, more, call->node, placed);
    }
    return val_null(in->arena);
}

static const struct val *list_method(struct interp *in, const struct call *call, const struct val *v) {
    struct val_list *list = v->list;
    bool counted = !list->open && (!list->map || list->len < 2); /* the same key twice counts once */
    if (slice_equal(call->name, SLICE("size")) && counted) return val_num_of(in->arena, VAL_U64, list->len);
    if (slice_equal(call->name, SLICE("empty")) && !list->open) return val_num(in->arena, list->len == 0);
    if (slice_equal(call->name, SLICE("back")) && list->len && !list->open) return list->items[list->len - 1];
    if (slice_equal(call->name, SLICE("front")) && list->len) return list->items[0];
    if (slice_equal(call->name, SLICE("at")) && call->n == 1) {
        const struct val *found = interp_find_in_list(list, interp_arg(in, call, 0));
        if (found) return found;
    }
    if (empties(call->name)) interp_drop_pushed(in, list);
    const struct val *python = in->python ? python_list_method(in, call, v) : NULL;
    if (python) return python;
    if (hands_out(call->name) && !in->reading) {
        interp_forget_items(in, list); /* whoever gets it can change the items */
        return interp_unknown(in, call->node);
    }
    if (slice_equal(call->name, SLICE("insert")) || slice_equal(call->name, SLICE("emplace")) ||
        slice_equal(call->name, SLICE("try_emplace"))) {
        if (list->map && call->n == 1) interp_append_item(in, list, interp_arg(in, call, 0));
        else if (list->map && call->n == 2) interp_append_item(in, list, interp_fn_tuple(in, call));
        else interp_open_list(in, list);
        return v;
    }
    if (slice_equal(call->name, SLICE("clear"))) {
        interp_clear_list(in, list);
        return val_null(in->arena);
    }
    if (!only_looks(call->name)) interp_open_list(in, list);
    return interp_unknown(in, call->node);
}

/* Judged by their names. */
static bool reads_only(struct slice name) {
    static const char *const starts[] = {"get_", "is_", "has_", "to_", "num_", "compute_", "as_"};
    static const char *const whole[] = {"get",  "value",  "size",  "empty",  "load",   "begin", "end", "c_str",
                                        "data", "buffer", "shape", "format", "device", "dtype", "id",  "name"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (slice_starts(name, slice_from(starts[i]))) return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (slice_equal(name, slice_from(whole[i]))) return true;
    return false;
}

/* A method that is not available may change its object. */
static void forget_owner(struct interp *in, TSNode owner, const struct val *v, struct slice method) {
    if (reads_only(method) || v->kind == VAL_FREE || v->kind == VAL_TEXT || v->kind == VAL_FORMAT) return;
    if (v->kind == VAL_OBJECT && interp_is_kernel_type(v->object->type)) return; /* they add arguments that kernels get later */
    if (v->kind == VAL_OBJECT && slice_equal(method, SLICE("set_global_circular_buffer"))) {
        interp_write_field(in, v->object, SLICE("global_circular_buffer"), val_num(in->arena, 1));
    } else if (v->kind == VAL_OBJECT) {
        interp_forget_value(in, v);
    } else {
        struct cb_cell *cell = interp_place(in, owner);
        if (cell && v->kind != VAL_LAMBDA) interp_forget_cell(in, cell);
    }
}

/* The next number in a text, after blanks and brackets. */
static bool next_side(struct slice *text, uint64_t *side) {
    size_t at = 0;
    while (at < text->len && memchr(" \n\t,({[", text->ptr[at], 8)) at++;
    size_t digits = num_read_u64(slice_skip(*text, at), side);
    *text = slice_skip(*text, at + digits);
    return digits && *side && *side <= 32;
}

/* Tile({16, 32}); in Python ttnn.Tile((1, 32)), [1, 32] */
static bool tile_sides(const struct val *tile, unsigned *height, unsigned *width) {
    uint64_t sides[2];
    size_t at = tile->kind == VAL_FREE ? slice_find(tile->text, SLICE("Tile")) : SLICE_NONE;
    if (at == SLICE_NONE) return false;
    static const char *const lists[] = {"(std::make_tuple(", "(std::vector{"};
    struct slice rest = slice_skip(tile->text, at + 4);
    for (size_t i = 0; i < 2; i++)
        if (slice_starts(rest, slice_from(lists[i]))) rest = slice_skip(rest, strlen(lists[i]) - 1);
    if (!rest.len || !memchr("({", rest.ptr[0], 2) || !next_side(&rest, &sides[0]) || !next_side(&rest, &sides[1]))
        return false;
    *height = (unsigned)sides[0];
    *width = (unsigned)sides[1];
    return true;
}

/* tile.get_tile_size(format): the tile may be smaller than 32 x 32. */
static const struct val *tile_bytes_of(struct interp *in, const struct call *call, TSNode owner) {
    bool is_module = slice_equal(cpp_text(in->tree, owner), SLICE("ttnn")); /* Python */
    if (is_module || !call->n) return interp_fn_tile_size(in, call);
    const struct val *format = val_bare(interp_arg(in, call, 0));
    unsigned height, width;
    uint64_t bytes;
    if (tile_sides(val_bare(interp_eval(in, owner)), &height, &width)) {
        if (height == 32 && width == 32) return interp_fn_tile_size(in, call);
        if (format->kind == VAL_FORMAT && tile_bytes(format->format, height, width, &bytes))
            return val_num_of(in->arena, VAL_U32, (int64_t)bytes);
    }
    return val_op1(in->arena, OP_TILE_BYTES, interp_unknown(in, call->node));
}

/* Methods of std::optional, std::string and the like that change it. */
static bool changes_optional(struct slice name) {
    static const char *const names[] = {"reset", "emplace", "swap", "append", "assign", "clear", "insert", "erase", "resize"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(name, slice_from(names[i]))) return true;
    return false;
}

const struct val *interp_eval_method(struct interp *in, const struct call *call, TSNode callee, TSNode args_node) {
    TSNode owner = cpp_field(callee, CPP_FIELD_argument);
    const struct val *v = val_bare(interp_eval(in, owner));
    if (v->kind == VAL_FREE && is_kind(owner, CPP_subscript_expression) && !only_looks(call->name)) {
        /* it is unknown which element changes */
        const struct val *all = val_bare(interp_eval(in, cpp_field(owner, CPP_FIELD_argument)));
        if (all->kind == VAL_LIST) interp_forget_items(in, all->list);
    }
    if (slice_starts(call->name, SLICE("emplace")) && call->n > 1) interp_note_emplaced(in, call);
    if (is_push(call->name)) {
        if (v->kind == VAL_FREE && is_kind(owner, CPP_field_expression)) {
            /* an unset field becomes a list */
            const struct val *object = val_bare(interp_eval(in, cpp_field(owner, CPP_FIELD_argument)));
            if (object->kind == VAL_OBJECT) {
                v = val_list_new(in->arena);
                v->list->loops = in->open_loops;
                v->list->born = object->object->born; /* it has been empty since the object was made */
                val_object_set(in->arena, object->object, interp_last_name(in->tree, owner), v);
            }
        }
        return push(in, call, owner, v);
    }
    if (v->kind == VAL_OBJECT && slice_equal(v->object->type, SLICE("CircularBufferConfig"))) return config_method(in, call, v);
    if (v->kind == VAL_OBJECT && slice_equal(v->object->type, SLICE("CBBuilder"))) return builder_method(in, call, v);
    if (slice_equal(call->name, SLICE("append_to")) || slice_equal(call->name, SLICE("append"))) {
        for (uint32_t i = 0; i < call->n; i++) {
            const struct val *list = val_bare(interp_arg(in, call, i));
            if (list->kind == VAL_LIST) list->list->open = true; /* it keeps its items */
        }
        return interp_unknown(in, call->node);
    }
    if (interp_is_buffer_list(interp_last_name(in->tree, owner))) {
        if (slice_equal(call->name, SLICE("insert")) || slice_equal(call->name, SLICE("append_range")))
            place_arguments(in, call, v);
        if (v->kind != VAL_LIST && empties(call->name)) interp_drop_pushed(in, NULL);
        if (slice_equal(call->name, SLICE("resize")))
            interp_note_unread(in, call->node, SLICE("a program's list of buffers is given another length"));
    }
    if (v->kind == VAL_LIST) return list_method(in, call, v);
    if (changes_optional(call->name)) {
        struct cb_cell *cell = interp_place(in, owner);
        if (cell) interp_forget_cell(in, cell);
        else interp_set_field(in, owner, val_free(in->arena, interp_tidy(in, cpp_text(in->tree, owner))), SLICE(""));
        if (v->kind != VAL_OBJECT) return interp_unknown(in, call->node);
    }
    if (v->kind != VAL_FREE && call->n == 0) {
        static const char *const transparent[] = {"value", "get", "buffer", "to_integer"};
        for (size_t i = 0; i < sizeof transparent / sizeof *transparent; i++)
            if (slice_equal(call->name, slice_from(transparent[i]))) return v;
        const struct val *held = slice_equal(call->name, SLICE("has_value")) ? interp_has_value(in, v) : NULL;
        if (held) return held;
    }
    if (slice_equal(call->name, SLICE("value_or")) && call->n == 1) {
        if (v->kind == VAL_NULL) return interp_arg(in, call, 0);
        if (v->kind == VAL_NUM || v->kind == VAL_FORMAT) return v;
    }
    if (slice_equal(call->name, SLICE("element_size"))) return val_op1(in->arena, OP_ELEMENT_BYTES, interp_unknown(in, owner));
    if (slice_equal(call->name, SLICE("get_tile_size")) || slice_equal(call->name, SLICE("tile_size")))
        return tile_bytes_of(in, call, owner);
    if (slice_equal(call->name, SLICE("get_height")) || slice_equal(call->name, SLICE("get_width")))
        return interp_unknown(in, call->node);
    if (slice_equal(call->name, SLICE("add_circular_buffer"))) {
        const struct val *config = call->n ? val_bare(interp_arg(in, call, call->n - 1)) : v;
        if (config->kind == VAL_OBJECT) interp_record_config(in, config, interp_arg_text(in, call, 0), call->node);
        return interp_unknown(in, call->node);
    }
    const struct val *result = interp_call_member(in, call, owner, v, args_node);
    if (result) return result;
    interp_kernel_by_name(in, call);
    if (!interp_changes_nothing(in, call)) {
        interp_note_handed(in, call);
        interp_forget_arguments(in, call);
        forget_owner(in, owner, v, call->name);
    }
    return interp_unknown(in, call->node);
}
