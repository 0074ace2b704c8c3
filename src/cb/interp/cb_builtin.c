/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the interpreter knows: tt-metal's API and the arithmetic helpers that size expressions use, one row each. */
#include "cb/interp/cb_calls.h"

const struct val *interp_arg(struct interp *in, const struct call *call, uint32_t i) {
    return i < call->n ? interp_eval(in, call->args[i]) : val_free(in->arena, SLICE(""));
}

struct slice interp_arg_text(struct interp *in, const struct call *call, uint32_t i) {
    return i < call->n ? interp_written(in, call->args[i]) : SLICE("");
}

/* --- arithmetic --- */

/* The type in the angle brackets of a call: static_cast<uint32_t>(...), std::min<uint32_t>(...). */
static enum val_type template_type(struct interp *in, const struct call *call) {
    struct slice text = cpp_text(in->tree, cpp_field(call->node, CPP_FIELD_function));
    size_t from = slice_find_byte(text, '<');
    if (from == SLICE_NONE || text.ptr[text.len - 1] != '>') return VAL_ANY;
    struct slice name = slice_trim(slice_take(slice_skip(text, from + 1), text.len - from - 2));
    if (slice_starts(name, SLICE("std::"))) name = slice_skip(name, 5);
    return val_type_by_name(name);
}

static const struct val *min_max(struct interp *in, const struct call *call, enum val_op op) {
    enum val_type type = template_type(in, call);
    const struct val *v = val_convert(in->arena, type, interp_arg(in, call, 0));
    if (call->n == 2) return val_op2(in->arena, op, v, val_convert(in->arena, type, interp_arg(in, call, 1)));
    if (call->n > 2) return interp_unknown(in, call->node); /* a comparison function was passed */
    const struct val *list = val_bare(v);
    if (list->kind != VAL_LIST || !list->list->len || list->list->open) return interp_unknown(in, call->node);
    v = list->list->items[0];
    for (uint32_t i = 1; i < list->list->len; i++) v = val_op2(in->arena, op, v, list->list->items[i]);
    return v;
}

static const struct val *fn_min(struct interp *in, const struct call *call) { return min_max(in, call, OP_MIN); }
static const struct val *fn_max(struct interp *in, const struct call *call) { return min_max(in, call, OP_MAX); }

static const struct val *fn_clamp(struct interp *in, const struct call *call) {
    if (call->n < 3) return interp_unknown(in, call->node);
    const struct val *least = val_op2(in->arena, OP_MAX, interp_arg(in, call, 0), interp_arg(in, call, 1));
    return val_op2(in->arena, OP_MIN, least, interp_arg(in, call, 2));
}

static const struct val *two(struct interp *in, const struct call *call, enum val_op op) {
    return call->n == 2 ? val_op2(in->arena, op, interp_arg(in, call, 0), interp_arg(in, call, 1))
                        : interp_unknown(in, call->node);
}
static const struct val *fn_round_up(struct interp *in, const struct call *call) { return two(in, call, OP_ROUND_UP); }
static const struct val *fn_round_down(struct interp *in, const struct call *call) { return two(in, call, OP_ROUND_DOWN); }
static const struct val *fn_div_up(struct interp *in, const struct call *call) { return two(in, call, OP_DIV_UP); }

static const struct val *fn_same(struct interp *in, const struct call *call) { return interp_arg(in, call, 0); }

/* uint32_t(x), static_cast<uint32_t>(x) */
static const struct val *fn_cast(struct interp *in, const struct call *call) {
    enum val_type type = val_type_by_name(call->name);
    if (type == VAL_ANY) type = template_type(in, call);
    return call->n ? val_convert(in->arena, type, interp_arg(in, call, 0)) : val_num_of(in->arena, type, 0);
}

static const struct val *fn_swap(struct interp *in, const struct call *call) {
    if (call->n != 2) return interp_unknown(in, call->node);
    for (unsigned i = 0; i < 2; i++) { /* pointers: both point elsewhere from here on */
        struct binding *pointer = NULL;
        if (is_kind(call->args[i], CPP_identifier)) interp_variable(in, cpp_text(in->tree, call->args[i]), &pointer);
        if (!pointer || !pointer->points) continue;
        for (unsigned k = 0; k < 2; k++) {
            if (is_kind(call->args[k], CPP_identifier)) interp_variable(in, cpp_text(in->tree, call->args[k]), &pointer);
            if (pointer && pointer->points) interp_point_elsewhere(in, pointer);
        }
        return val_null(in->arena);
    }
    struct cb_cell *cells[2];
    for (unsigned i = 0; i < 2; i++) {
        cells[i] = interp_place(in, call->args[i]);
        if (!cells[i]) cells[i] = interp_part_cell(in, call->args[i], SLICE(""));
    }
    const struct val *values[2] = {interp_eval(in, call->args[0]), interp_eval(in, call->args[1])};
    for (unsigned i = 0; i < 2; i++) {
        if (cells[i]) interp_assign(in, cells[i], val_clone(in->arena, values[1 - i]));
        else interp_set_field(in, call->args[i], val_clone(in->arena, values[1 - i]), SLICE(""));
    }
    return val_null(in->arena);
}

/* Gives a variable another value and returns the old one. */
static const struct val *fn_exchange(struct interp *in, const struct call *call) {
    const struct val *old = interp_arg(in, call, 0), *value = interp_arg(in, call, 1);
    struct cb_cell *cell = call->n == 2 ? interp_place(in, call->args[0]) : NULL;
    if (cell) interp_assign(in, cell, val_clone(in->arena, value));
    else if (call->n == 2) interp_set_field(in, call->args[0], value, SLICE(""));
    return old;
}

const struct val *interp_fn_tile_size(struct interp *in, const struct call *call) {
    return call->n ? val_op1(in->arena, OP_TILE_BYTES, interp_arg(in, call, 0))
                   : val_op1(in->arena, OP_TILE_BYTES, interp_unknown(in, call->node));
}

static const struct val *fn_datum_size(struct interp *in, const struct call *call) {
    return val_op1(in->arena, OP_ELEMENT_BYTES, call->n ? interp_arg(in, call, 0) : interp_unknown(in, call->node));
}

/* hal::get_l1_alignment() is 16 on every chip; the alignment of DRAM depends on the chip and is set with it. */
static const struct val *fn_l1_alignment(struct interp *in, const struct call *call) {
    (void)call;
    return val_num_of(in->arena, VAL_U32, 16);
}

static const struct val *fn_dram_alignment(struct interp *in, const struct call *call) {
    const struct cb_cell *given = interp_global(in, SLICE("get_dram_alignment"), SLICE(""));
    return given && given->fixed ? val_convert(in->arena, VAL_U32, given->value) : interp_unknown(in, call->node);
}

/* A ttnn data type and its data format are represented by the same value. */
static const struct val *fn_to_format(struct interp *in, const struct call *call) { return interp_arg(in, call, 0); }

const struct val *interp_fn_tuple(struct interp *in, const struct call *call) {
    const struct val *v = val_list_new(in->arena);
    for (uint32_t i = 0; i < call->n; i++) val_list_add(in->arena, v->list, interp_arg(in, call, i));
    return v;
}

static const struct val *fn_get(struct interp *in, const struct call *call) {
    const struct val *tuple = val_bare(interp_arg(in, call, 0));
    struct slice text = cpp_text(in->tree, cpp_field(call->node, CPP_FIELD_function));
    size_t at = slice_find_byte(text, '<');
    if (tuple->kind == VAL_LIST && at != SLICE_NONE && at + 2 < text.len) {
        unsigned i = (unsigned)(text.ptr[at + 1] - '0');
        if (i < 10 && text.ptr[at + 2] == '>' && i < tuple->list->len) return tuple->list->items[i];
    }
    return interp_unknown(in, call->node);
}

/* Python: list(x), tuple(x). */
static const struct val *fn_py_list(struct interp *in, const struct call *call) {
    const struct val *from = call->n ? val_bare(interp_arg(in, call, 0)) : NULL, *made = val_list_new(in->arena);
    if (from && from->kind != VAL_LIST) return interp_unknown(in, call->node);
    if (from) interp_extend_list(in, made->list, from, call->node, false);
    return made;
}

/* Python that describes buffers in a form that is not followed. */
static const struct val *fn_py_unread(struct interp *in, const struct call *call) {
    interp_note_unread(in, call->node, SLICE("a circular buffer's descriptor is written in a form that is not followed"));
    interp_forget_arguments(in, call);
    return interp_unknown(in, call->node);
}

/* std::make_shared<T>(...): an object that nothing else refers to. */
static const struct val *fn_make_pointer(struct interp *in, const struct call *call) {
    TSNode callee = cpp_field(call->node, CPP_FIELD_function);
    while (is_kind(callee, CPP_qualified_identifier)) callee = cpp_field(callee, CPP_FIELD_name);
    TSNode first = cpp_first(cpp_field(callee, CPP_FIELD_arguments)), type = cpp_field(first, CPP_FIELD_type);
    struct slice name = interp_last_name(in->tree, exists(type) ? type : first);
    if (!name.len || val_type_by_name(name) != VAL_ANY) return interp_eval_foreign(in, call);
    interp_note_handed_object(in, name, cpp_field(call->node, CPP_FIELD_arguments));
    const struct val *made = interp_construct(in, name, cpp_field(call->node, CPP_FIELD_arguments), call->node);
    if (made->kind == VAL_OBJECT && made->object->born > 0 && !made->object->shared) {
        made = val_clone(in->arena, made);
        made->object->shared = true;
        return made;
    }
    if (made->kind != VAL_FREE) return val_free(in->arena, interp_tidy(in, cpp_text(in->tree, call->node)));
    made = val_object_new(in->arena, name);
    interp_stamp(in, made->object, call->node);
    made->object->shared = true;
    return made;
}

/* std::ref(x): the reference may be kept anywhere, so x may change at any time. */
static const struct val *fn_ref(struct interp *in, const struct call *call) {
    struct cb_cell *cell = call->n == 1 ? interp_place(in, call->args[0]) : NULL;
    if (cell && !in->reading) interp_escape(in, cell);
    return interp_arg(in, call, 0);
}

static const struct val *fn_create_program(struct interp *in, const struct call *call) {
    (void)call;
    in->program_loops = in->open_loops;
    return val_object_new(in->arena, SLICE("Program"));
}

/* --- circular buffers --- */

/* The product of two arguments, as the helper would have written it. */
struct slice interp_product_text(struct interp *in, struct slice a, struct slice b) {
    struct strbuf text = {0};
    const struct slice parts[] = {a, b};
    for (unsigned i = 0; i < 2; i++) {
        bool compound =
            slice_find_byte(parts[i], ' ') != SLICE_NONE && (!parts[i].len || parts[i].ptr[parts[i].len - 1] != ')');
        if (i) strbuf_addz(&text, " * ");
        if (compound) strbuf_addc(&text, '(');
        strbuf_add(&text, parts[i]);
        if (compound) strbuf_addc(&text, ')');
    }
    struct slice kept = interp_tidy(in, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return kept;
}

bool interp_is_config(const struct val *v) {
    return v->kind == VAL_OBJECT && slice_equal(v->object->type, SLICE("CircularBufferConfig"));
}

static const struct val *fn_create_circular_buffer(struct interp *in, const struct call *call) {
    const struct val *last = call->n ? val_bare(interp_arg(in, call, call->n - 1)) : val_null(in->arena);
    size_t before = in->out->decls.len;
    if (call->n) interp_note_program(in, call->args[0]);
    const struct val *third = call->n == 4 ? val_bare(interp_arg(in, call, 2)) : NULL;
    if (third && interp_is_config(third)) { /* a GlobalCircularBuffer follows it */
        last = val_clone(in->arena, third);
        val_object_set(in->arena, last->object, SLICE("global_circular_buffer"), val_num(in->arena, 1));
    }
    if (last->kind == VAL_OBJECT) {
        interp_record_config(in, last, interp_arg_text(in, call, 1), call->node);
    } else if (call->n >= 6) { /* API of 2023: program, index, cores, tiles, bytes, format [, address] */
        const struct val *total = interp_arg(in, call, 4), *tiles = interp_arg(in, call, 3);
        interp_record_simple(in, call->node, interp_arg(in, call, 1), interp_arg_text(in, call, 1), total,
                             interp_arg_text(in, call, 4), val_op2(in->arena, OP_DIV, total, tiles), SLICE(""),
                             interp_arg(in, call, 5), interp_arg_text(in, call, 5), interp_arg_text(in, call, 2), NULL);
    } else if (call->n == 3) {
        interp_note_unread(in, call->node, SLICE("a circular buffer's configuration comes from elsewhere"));
    }
    return interp_handle(in, before);
}

/* UpdateCircularBufferTotalSize(program, handle, bytes) */
static const struct val *fn_update_total(struct interp *in, const struct call *call) {
    if (call->n == 3) interp_change_total(in, interp_arg(in, call, 1), interp_arg(in, call, 2), interp_arg_text(in, call, 2));
    return val_null(in->arena);
}

/* ttnn's cb_utils.hpp: create_cb(index or indices, program, cores, page_size, num_pages, format[, buffer]). */
static const struct val *fn_create_cb(struct interp *in, const struct call *call) {
    if (call->n < 6 || call->n > 7) return interp_unknown(in, call->node);
    const struct val *index = interp_arg(in, call, 0), *page = interp_arg(in, call, 3), *pages = interp_arg(in, call, 4);
    struct slice page_text = interp_arg_text(in, call, 3);
    interp_record_simple(in, call->node, index, interp_arg_text(in, call, 0), val_op2(in->arena, OP_MUL, pages, page),
                         interp_product_text(in, interp_arg_text(in, call, 4), page_text), page, page_text,
                         interp_arg(in, call, 5), interp_arg_text(in, call, 5), interp_arg_text(in, call, 2),
                         call->n == 7 ? interp_arg(in, call, 6) : NULL);
    const struct val *result = val_list_new(in->arena);
    val_list_add(in->arena, result->list, index);
    val_list_add(in->arena, result->list, val_free(in->arena, SLICE("cb_handle")));
    return result;
}

/* ttnn: cb_descriptor_from_sharded_tensor(index, tensor, ...): the tensor's shard is the buffer. */
static const struct val *fn_sharded_descriptor(struct interp *in, const struct call *call) {
    const struct val *descriptor = val_object_new(in->arena, SLICE("CBDescriptor")),
                     *entry = val_object_new(in->arena, SLICE("CBFormatDescriptor"));
    interp_stamp(in, descriptor->object, call->node);
    val_object_set(in->arena, entry->object, SLICE("buffer_index"), interp_arg(in, call, 0))->text =
        interp_arg_text(in, call, 0);
    const struct val *entries = val_list_new(in->arena);
    val_list_add(in->arena, entries->list, entry);
    val_object_set(in->arena, descriptor->object, SLICE("format_descriptors"), entries);
    val_object_set(in->arena, descriptor->object, SLICE("buffer"), val_object_new(in->arena, SLICE("Buffer")));
    val_object_set(in->arena, descriptor->object, SLICE("total_size"), interp_unknown(in, call->node))->text =
        interp_tidy(in, cpp_text(in->tree, call->node));
    return descriptor;
}

/* tt-train: create_circular_buffer(program, cores, index, format, tile_bytes, tiles). */
static const struct val *fn_train_tiles(struct interp *in, const struct call *call) {
    if (call->n != 6) return interp_unknown(in, call->node);
    const struct val *page = interp_arg(in, call, 4), *tiles = interp_arg(in, call, 5);
    struct slice page_text = interp_arg_text(in, call, 4);
    interp_record_simple(in, call->node, interp_arg(in, call, 2), interp_arg_text(in, call, 2),
                         val_op2(in->arena, OP_MUL, tiles, page),
                         interp_product_text(in, interp_arg_text(in, call, 5), page_text), page, page_text,
                         interp_arg(in, call, 3), interp_arg_text(in, call, 3), interp_arg_text(in, call, 1), NULL);
    return val_free(in->arena, SLICE("cb_handle"));
}

/* tt-train: create_circular_buffer_bytes(program, cores, index, format, total[, page]). */
static const struct val *fn_train_bytes(struct interp *in, const struct call *call) {
    if (call->n < 5) return interp_unknown(in, call->node);
    const struct val *total = interp_arg(in, call, 4);
    unsigned page = call->n > 5 ? 5 : 4;
    interp_record_simple(in, call->node, interp_arg(in, call, 2), interp_arg_text(in, call, 2), total,
                         interp_arg_text(in, call, 4), interp_arg(in, call, page), interp_arg_text(in, call, page),
                         interp_arg(in, call, 3), interp_arg_text(in, call, 3), interp_arg_text(in, call, 1), NULL);
    return val_free(in->arena, SLICE("cb_handle"));
}

/* Metal 2.0: ProducerOf(dfb, accessor), ConsumerOf(...). */
static const struct val *binding(struct interp *in, const struct call *call, const char *end) {
    const struct val *b = val_object_new(in->arena, SLICE("DFBBinding"));
    static const char *const fields[] = {"dfb_spec_name", "accessor_name"};
    for (uint32_t i = 0; i < 2 && i < call->n; i++)
        val_object_set(in->arena, b->object, slice_from(fields[i]), interp_arg(in, call, i))->text =
            interp_arg_text(in, call, i);
    val_object_set(in->arena, b->object, SLICE("endpoint_type"), val_free(in->arena, slice_from(end)));
    return b;
}
static const struct val *fn_producer(struct interp *in, const struct call *call) { return binding(in, call, "PRODUCER"); }
static const struct val *fn_consumer(struct interp *in, const struct call *call) { return binding(in, call, "CONSUMER"); }

/* std::addressof(x): the same as &x. */
static const struct val *fn_addressof(struct interp *in, const struct call *call) {
    const struct val *value = fn_ref(in, call);
    if (val_bare(value)->kind != VAL_FREE || call->n != 1) return value;
    struct strbuf text = {0};
    strbuf_addf(&text, "&%.*s", SLICE_FMT(interp_arg_text(in, call, 0)));
    value = val_free(in->arena, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return value;
}

static const struct {
    const char *name;
    builtin_fn *run;
} builtins[] = {
    {"min", fn_min},
    {"max", fn_max},
    {"clamp", fn_clamp},
    {"round_up", fn_round_up},
    {"align", fn_round_up},
    {"align_up", fn_round_up},
    {"roundup", fn_round_up},
    {"round_down", fn_round_down},
    {"div_up", fn_div_up},
    {"ceil_div", fn_div_up},
    {"div_ceil", fn_div_up},
    {"move", fn_same},
    {"forward", fn_same},
    {"ref", fn_ref},
    {"cref", fn_ref},
    {"addressof", fn_addressof},
    {"make_shared", fn_make_pointer},
    {"make_unique", fn_make_pointer},
    {"py_list", fn_py_list},
    {"py_unread", fn_py_unread},
    {"as_const", fn_same},
    {"to_underlying", fn_same},
    {"static_cast", fn_cast},
    {"reinterpret_cast", fn_same},
    {"const_cast", fn_same},
    {"bool", fn_cast},
    {"float", fn_cast},
    {"double", fn_cast},
    {"unsigned", fn_cast},
    {"get_l1_alignment", fn_l1_alignment},
    {"get_dram_alignment", fn_dram_alignment},
    {"py_value", fn_same},
    {"swap", fn_swap},
    {"exchange", fn_exchange},
    {"narrow", fn_same},
    {"safe_narrow", fn_same},
    {"uint8_t", fn_cast},
    {"uint16_t", fn_cast},
    {"uint32_t", fn_cast},
    {"uint64_t", fn_cast},
    {"int32_t", fn_cast},
    {"int64_t", fn_cast},
    {"int", fn_cast},
    {"size_t", fn_cast},
    {"optional", fn_same},
    {"make_optional", fn_same},
    {"tile_size", interp_fn_tile_size},
    {"TileSize", interp_fn_tile_size},
    {"get_tile_size", interp_fn_tile_size},
    {"GetTileSize", interp_fn_tile_size},
    {"datum_size", fn_datum_size},
    {"datatype_to_dataformat_converter", fn_to_format},
    {"make_tuple", interp_fn_tuple},
    {"make_pair", interp_fn_tuple},
    {"tuple", interp_fn_tuple},
    {"pair", interp_fn_tuple},
    {"get", fn_get},
    {"CreateProgram", fn_create_program},
    {"CreateDataflowBuffer", fn_create_circular_buffer},
    {"CreateCircularBuffer", fn_create_circular_buffer},
    {"CreateMeshCircularBuffer", fn_create_circular_buffer},
    {"add_circular_buffer", fn_create_circular_buffer},
    {"UpdateCircularBufferTotalSize", fn_update_total},
    {"cb_descriptor_from_sharded_tensor", fn_sharded_descriptor},
    {"ProducerOf", fn_producer},
    {"ConsumerOf", fn_consumer},
    {"StridedConsumerOf", fn_consumer},
    {"AllConsumerOf", fn_consumer},
    {"DFBSpecName", fn_same},
    {"ScratchpadSpecName", fn_same},
    {"TensorParamName", fn_same},
    {"KernelSpecName", fn_same},
    {"path", fn_same},
    {"create_cb", fn_create_cb},
    {"create_circular_buffer", fn_train_tiles},
    {"create_circular_buffer_bytes", fn_train_bytes},
};

builtin_fn *interp_find_builtin(struct slice name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (slice_equal(name, slice_from(builtins[i].name))) return builtins[i].run;
    return NULL;
}
