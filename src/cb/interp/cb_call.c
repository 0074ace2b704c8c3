/* Calls of the symbolic interpreter: tt-metal's API and the arithmetic helpers that size expressions use, one row per function,
 * and methods. */
#include "cb/interp/cb_interp.h"

struct call {
    TSNode node;  /* the whole call */
    TSNode *args; /* argument nodes */
    uint32_t n;
    struct slice name;
};

typedef const struct val *builtin_fn(struct interp *in, const struct call *call);

static const struct val *arg(struct interp *in, const struct call *call, uint32_t i) {
    return i < call->n ? interp_eval(in, call->args[i]) : val_free(in->arena, SLICE(""));
}

static struct slice arg_text(struct interp *in, const struct call *call, uint32_t i) {
    return i < call->n ? interp_written(in, call->args[i]) : SLICE("");
}

/* --- arithmetic --- */

static const struct val *min_max(struct interp *in, const struct call *call, enum val_op op) {
    const struct val *v = arg(in, call, 0);
    if (call->n >= 2) return val_op2(in->arena, op, v, arg(in, call, 1));
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
    const struct val *least = val_op2(in->arena, OP_MAX, arg(in, call, 0), arg(in, call, 1));
    return val_op2(in->arena, OP_MIN, least, arg(in, call, 2));
}

static const struct val *two(struct interp *in, const struct call *call, enum val_op op) {
    return call->n == 2 ? val_op2(in->arena, op, arg(in, call, 0), arg(in, call, 1)) : interp_unknown(in, call->node);
}
static const struct val *fn_round_up(struct interp *in, const struct call *call) { return two(in, call, OP_ROUND_UP); }
static const struct val *fn_round_down(struct interp *in, const struct call *call) { return two(in, call, OP_ROUND_DOWN); }
static const struct val *fn_div_up(struct interp *in, const struct call *call) { return two(in, call, OP_DIV_UP); }

static const struct val *fn_same(struct interp *in, const struct call *call) { return arg(in, call, 0); }

static const struct val *fn_tile_size(struct interp *in, const struct call *call) {
    return call->n ? val_op1(in->arena, OP_TILE_BYTES, arg(in, call, 0))
                   : val_op1(in->arena, OP_TILE_BYTES, interp_unknown(in, call->node));
}

static const struct val *fn_datum_size(struct interp *in, const struct call *call) {
    return val_op1(in->arena, OP_ELEMENT_BYTES, call->n ? arg(in, call, 0) : interp_unknown(in, call->node));
}

/* A ttnn data type and its data format are the same value here. */
static const struct val *fn_to_format(struct interp *in, const struct call *call) { return arg(in, call, 0); }

static const struct val *fn_tuple(struct interp *in, const struct call *call) {
    const struct val *v = val_list_new(in->arena);
    for (uint32_t i = 0; i < call->n; i++) val_list_add(in->arena, v->list, arg(in, call, i));
    return v;
}

static const struct val *fn_get(struct interp *in, const struct call *call) {
    const struct val *tuple = val_bare(arg(in, call, 0));
    struct slice text = cpp_text(in->tree, cpp_field(call->node, CPP_FIELD_function));
    size_t at = slice_find_byte(text, '<');
    if (tuple->kind == VAL_LIST && at != SLICE_NONE && at + 2 < text.len) {
        unsigned i = (unsigned)(text.ptr[at + 1] - '0');
        if (i < 10 && text.ptr[at + 2] == '>' && i < tuple->list->len) return tuple->list->items[i];
    }
    return interp_unknown(in, call->node);
}

static const struct val *fn_create_program(struct interp *in, const struct call *call) {
    (void)call;
    in->program_loops = in->open_loops;
    return val_object_new(in->arena, SLICE("Program"));
}

/* --- circular buffers --- */

/* A product of two arguments, as the helper would have written it. */
static struct slice product_text(struct interp *in, struct slice a, struct slice b) {
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

static bool is_config(const struct val *v) {
    return v->kind == VAL_OBJECT && slice_equal(v->object->type, SLICE("CircularBufferConfig"));
}

static const struct val *fn_create_circular_buffer(struct interp *in, const struct call *call) {
    const struct val *last = call->n ? val_bare(arg(in, call, call->n - 1)) : val_null(in->arena);
    const struct val *third = call->n == 4 ? val_bare(arg(in, call, 2)) : NULL;
    if (third && is_config(third)) { /* with a GlobalCircularBuffer behind */
        last = val_copy(in->arena, third);
        val_object_set(in->arena, last->object, SLICE("global_circular_buffer"), val_num(in->arena, 1));
    }
    if (last->kind == VAL_OBJECT) {
        interp_record_config(in, last, arg_text(in, call, 1), call->node);
    } else if (call->n >= 6) { /* 2023: program, index, cores, tiles, bytes, format [, address] */
        const struct val *total = arg(in, call, 4), *tiles = arg(in, call, 3);
        interp_record_simple(in, call->node, arg(in, call, 1), arg_text(in, call, 1), total, arg_text(in, call, 4),
                             val_op2(in->arena, OP_DIV, total, tiles), SLICE(""), arg(in, call, 5), arg_text(in, call, 5),
                             arg_text(in, call, 2), NULL);
    } else if (call->n == 3) {
        interp_note_unfollowed(in, SLICE("a circular buffer's configuration comes from elsewhere"));
    }
    return val_free(in->arena, SLICE("cb_handle"));
}

/* ttnn's cb_utils.hpp: create_cb(index or indices, program, cores, page_size, num_pages, format[, buffer]). */
static const struct val *fn_create_cb(struct interp *in, const struct call *call) {
    if (call->n < 6 || call->n > 7) return interp_unknown(in, call->node);
    const struct val *index = arg(in, call, 0), *page = arg(in, call, 3), *pages = arg(in, call, 4);
    struct slice page_text = arg_text(in, call, 3);
    interp_record_simple(in, call->node, index, arg_text(in, call, 0), val_op2(in->arena, OP_MUL, pages, page),
                         product_text(in, arg_text(in, call, 4), page_text), page, page_text, arg(in, call, 5),
                         arg_text(in, call, 5), arg_text(in, call, 2), call->n == 7 ? arg(in, call, 6) : NULL);
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
    val_object_set(in->arena, entry->object, SLICE("buffer_index"), arg(in, call, 0))->text = arg_text(in, call, 0);
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
    const struct val *page = arg(in, call, 4), *tiles = arg(in, call, 5);
    struct slice page_text = arg_text(in, call, 4);
    interp_record_simple(in, call->node, arg(in, call, 2), arg_text(in, call, 2), val_op2(in->arena, OP_MUL, tiles, page),
                         product_text(in, arg_text(in, call, 5), page_text), page, page_text, arg(in, call, 3),
                         arg_text(in, call, 3), arg_text(in, call, 1), NULL);
    return val_free(in->arena, SLICE("cb_handle"));
}

/* tt-train: create_circular_buffer_bytes(program, cores, index, format, total[, page]). */
static const struct val *fn_train_bytes(struct interp *in, const struct call *call) {
    if (call->n < 5) return interp_unknown(in, call->node);
    const struct val *total = arg(in, call, 4);
    unsigned page = call->n > 5 ? 5 : 4;
    interp_record_simple(in, call->node, arg(in, call, 2), arg_text(in, call, 2), total, arg_text(in, call, 4),
                         arg(in, call, page), arg_text(in, call, page), arg(in, call, 3), arg_text(in, call, 3),
                         arg_text(in, call, 1), NULL);
    return val_free(in->arena, SLICE("cb_handle"));
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
    {"ref", fn_same},
    {"cref", fn_same},
    {"as_const", fn_same},
    {"to_underlying", fn_same},
    {"static_cast", fn_same},
    {"reinterpret_cast", fn_same},
    {"const_cast", fn_same},
    {"narrow", fn_same},
    {"safe_narrow", fn_same},
    {"uint8_t", fn_same},
    {"uint16_t", fn_same},
    {"uint32_t", fn_same},
    {"uint64_t", fn_same},
    {"int32_t", fn_same},
    {"int64_t", fn_same},
    {"int", fn_same},
    {"size_t", fn_same},
    {"optional", fn_same},
    {"make_optional", fn_same},
    {"tile_size", fn_tile_size},
    {"TileSize", fn_tile_size},
    {"get_tile_size", fn_tile_size},
    {"GetTileSize", fn_tile_size},
    {"datum_size", fn_datum_size},
    {"datatype_to_dataformat_converter", fn_to_format},
    {"make_tuple", fn_tuple},
    {"make_pair", fn_tuple},
    {"tuple", fn_tuple},
    {"pair", fn_tuple},
    {"get", fn_get},
    {"CreateProgram", fn_create_program},
    {"CreateCircularBuffer", fn_create_circular_buffer},
    {"CreateMeshCircularBuffer", fn_create_circular_buffer},
    {"add_circular_buffer", fn_create_circular_buffer},
    {"cb_descriptor_from_sharded_tensor", fn_sharded_descriptor},
    {"create_cb", fn_create_cb},
    {"create_circular_buffer", fn_train_tiles},
    {"create_circular_buffer_bytes", fn_train_bytes},
};

static builtin_fn *find_builtin(struct slice name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (slice_equal(name, slice_from(builtins[i].name))) return builtins[i].run;
    return NULL;
}

/* --- methods --- */

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
    interp_add_entry(in, entries, index, text, NULL, SLICE(""));
    return entries->items[entries->len - 1];
}

/* Sets a field of a configuration, or of an entry of it. Where the configuration was made under fewer conditions than hold
 * here, the field has its old value otherwise. */
static void set_of_object(struct interp *in, const struct val_object *config, struct val_object *object, struct slice name,
                          const struct val *value, struct slice text) {
    const struct val_field *old = val_object_field(object, name);
    if (old && in->conditions.len > config->conditions) {
        const struct cb_condition *c = &vec_last(&in->conditions);
        const struct val *condition = val_free(in->arena, c->text);
        value = c->side ? val_cond(in->arena, condition, value, old->value) : val_cond(in->arena, condition, old->value, value);
    }
    val_object_set(in->arena, object, name, value)->text = text;
}

static void back_by(struct interp *in, struct val_object *config, const struct val *buffer) {
    if (in->conditions.len > config->conditions) {
        const struct cb_condition *c = &vec_last(&in->conditions);
        const struct val *condition = val_free(in->arena, c->text);
        if (!c->side) condition = val_op1(in->arena, OP_NOT, condition);
        if (!val_object_field(config, SLICE("buffer"))) buffer = val_cond(in->arena, condition, buffer, val_null(in->arena));
    }
    val_object_set(in->arena, config, SLICE("buffer"), buffer);
}

static const struct val *config_method(struct interp *in, const struct call *call, const struct val *config) {
    struct val_object *object = config->object;
    if (slice_equal(call->name, SLICE("set_page_size"))) {
        const struct val *entry = entry_of(in, object, arg(in, call, 0), arg_text(in, call, 0));
        if (entry && entry->kind == VAL_OBJECT)
            set_of_object(in, object, entry->object, SLICE("page_size"), arg(in, call, 1), arg_text(in, call, 1));
    } else if (slice_equal(call->name, SLICE("set_total_size"))) {
        set_of_object(in, object, object, SLICE("total_size"), arg(in, call, 0), arg_text(in, call, 0));
    } else if (slice_starts(call->name, SLICE("set_globally_allocated_address"))) {
        const struct val *buffer = arg(in, call, 0);
        back_by(in, object, buffer->kind == VAL_NULL ? buffer : val_object_new(in->arena, SLICE("Buffer")));
        if (call->n > 1) set_of_object(in, object, object, SLICE("total_size"), arg(in, call, 1), arg_text(in, call, 1));
    } else if (slice_equal(call->name, SLICE("index")) || slice_equal(call->name, SLICE("remote_index"))) {
        const struct val *builder = val_object_new(in->arena, SLICE("CBBuilder"));
        const struct val *entry = entry_of(in, object, arg(in, call, 0), arg_text(in, call, 0));
        val_object_set(in->arena, builder->object, SLICE("config"), config);
        if (entry) val_object_set(in->arena, builder->object, SLICE("entry"), entry);
        if (entry && entry->kind == VAL_OBJECT && call->name.len > 5)
            val_object_set(in->arena, entry->object, SLICE("remote"), val_num(in->arena, 1));
        return builder;
    }
    return config;
}

static const struct val *builder_method(struct interp *in, const struct call *call, const struct val *builder) {
    const struct val_field *config = val_object_field(builder->object, SLICE("config")),
                           *entry = val_object_field(builder->object, SLICE("entry"));
    if (slice_equal(call->name, SLICE("set_total_size"))) {
        set_of_object(in, config->value->object, config->value->object, SLICE("total_size"), arg(in, call, 0),
                      arg_text(in, call, 0));
    } else if (entry && entry->value->kind == VAL_OBJECT) {
        if (slice_equal(call->name, SLICE("set_page_size")))
            set_of_object(in, config->value->object, entry->value->object, SLICE("page_size"), arg(in, call, 0),
                          arg_text(in, call, 0));
        else if (slice_equal(call->name, SLICE("set_data_format")))
            val_object_set(in->arena, entry->value->object, SLICE("data_format"), arg(in, call, 0));
    }
    return builder;
}

static bool is_push(struct slice name) {
    return slice_equal(name, SLICE("push_back")) || slice_equal(name, SLICE("emplace_back"));
}

/* {total_size, cores, formats, ...}: other structures have lists of that name too, but no list of formats in third place. */
static bool may_be_descriptor(struct interp *in, TSNode braces) {
    struct cpp_nodes items = cpp_children(in->arena, braces);
    if (!items.len || is_kind(items.items[0], CPP_initializer_pair) || is_kind(items.items[0], CPP_initializer_list))
        return true;
    if (items.len < 3) return false;
    TSNode formats = items.items[2];
    return is_kind(formats, CPP_initializer_list) || is_kind(formats, CPP_identifier) ||
           is_kind(formats, CPP_call_expression) || is_kind(formats, CPP_compound_literal_expression);
}

/* list.push_back(x): also on a list that is not known, where a descriptor still counts. */
static const struct val *push(struct interp *in, const struct call *call, TSNode owner, const struct val *list) {
    bool is_cbs = slice_equal(interp_last_name(in->tree, owner), SLICE("cbs"));
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
        item = val_copy(in->arena, arg(in, call, 0));
        if (call->n > 1) item = fn_tuple(in, call);
    }
    if (item->kind == VAL_OBJECT && is_cbs && !item->object->type.len) item->object->type = SLICE("CBDescriptor");
    if (is_cbs && item->kind != VAL_OBJECT)
        interp_note_unfollowed(in, SLICE("a circular buffer's descriptor comes from elsewhere"));
    interp_record_pushed(in, item, call->node);
    if (list->kind != VAL_LIST) return item;
    if (in->open_loops > list->list->loops) list->list->open = true; /* how many follow is not known */
    else if (!list->list->open) val_list_add(in->arena, list->list, item);
    return item;
}

static const struct val *list_method(struct interp *in, const struct call *call, const struct val *v) {
    struct val_list *list = v->list;
    if (slice_equal(call->name, SLICE("size")) && !list->open) return val_num(in->arena, list->len);
    if (slice_equal(call->name, SLICE("empty")) && !list->open) return val_num(in->arena, list->len == 0);
    if (slice_equal(call->name, SLICE("back")) && list->len && !list->open) return list->items[list->len - 1];
    if (slice_equal(call->name, SLICE("front")) && list->len) return list->items[0];
    if (slice_equal(call->name, SLICE("at")) && call->n == 1) {
        const struct val *found = interp_find_in_list(list, arg(in, call, 0));
        if (found) return found;
    }
    if (slice_equal(call->name, SLICE("insert")) || slice_equal(call->name, SLICE("emplace")) ||
        slice_equal(call->name, SLICE("try_emplace"))) {
        if (list->map && call->n == 1) val_list_add(in->arena, list, arg(in, call, 0));
        else if (list->map && call->n == 2) val_list_add(in->arena, list, fn_tuple(in, call));
        else list->open = true;
        return v;
    }
    if (slice_equal(call->name, SLICE("clear"))) list->len = 0;
    if (slice_equal(call->name, SLICE("resize"))) list->open = true;
    return interp_unknown(in, call->node);
}

static struct function *find_function(struct interp *in, struct slice name, uint32_t n) {
    struct function *near = NULL, *loose = NULL;
    for (size_t i = 0; i < in->functions.len; i++) {
        struct function *f = &in->functions.items[i];
        if (n > f->max_args || !slice_equal(f->name, name)) continue;
        if (n < f->min_args) {
            loose = f; /* the defaults may stand at the declaration in a header */
            continue;
        }
        if (f->main_file) return f;
        near = f;
    }
    return near ? near : loose;
}

static void kernel_by_name(struct interp *in, const struct call *call) {
    const struct val *path = NULL;
    const struct val_list *args = NULL;
    for (uint32_t i = 0; i < call->n; i++) {
        const struct val *v = val_bare(arg(in, call, i));
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
        interp_record_kernel(in, val_free(in->arena, arg_text(in, call, 1)), args, call->node);
}

static const struct val *eval_method(struct interp *in, const struct call *call, TSNode callee, TSNode args_node) {
    TSNode owner = cpp_field(callee, CPP_FIELD_argument);
    const struct val *v = val_bare(interp_eval(in, owner));
    if (is_push(call->name)) {
        if (v->kind == VAL_FREE && is_kind(owner, CPP_field_expression)) {
            /* a field that nothing was put in yet: from here on a list */
            const struct val *object = val_bare(interp_eval(in, cpp_field(owner, CPP_FIELD_argument)));
            if (object->kind == VAL_OBJECT) {
                v = val_list_new(in->arena);
                v->list->loops = in->open_loops;
                val_object_set(in->arena, object->object, interp_last_name(in->tree, owner), v);
            }
        }
        return push(in, call, owner, v);
    }
    if (v->kind == VAL_OBJECT && slice_equal(v->object->type, SLICE("CircularBufferConfig"))) return config_method(in, call, v);
    if (v->kind == VAL_OBJECT && slice_equal(v->object->type, SLICE("CBBuilder"))) return builder_method(in, call, v);
    if (slice_equal(call->name, SLICE("append_to")) || slice_equal(call->name, SLICE("append"))) {
        for (uint32_t i = 0; i < call->n; i++) {
            const struct val *list = val_bare(arg(in, call, i));
            if (list->kind == VAL_LIST) list->list->open = true;
        }
        return interp_unknown(in, call->node);
    }
    if (v->kind == VAL_LIST) return list_method(in, call, v);
    if (v->kind != VAL_FREE && call->n == 0) {
        static const char *const transparent[] = {"value", "get", "buffer", "to_integer"};
        for (size_t i = 0; i < sizeof transparent / sizeof *transparent; i++)
            if (slice_equal(call->name, slice_from(transparent[i]))) return v;
        if (slice_equal(call->name, SLICE("has_value"))) return val_num(in->arena, v->kind != VAL_NULL);
    }
    if (slice_equal(call->name, SLICE("value_or")) && call->n == 1) {
        if (v->kind == VAL_NULL) return arg(in, call, 0);
        if (v->kind == VAL_NUM || v->kind == VAL_FORMAT) return v;
    }
    if (slice_equal(call->name, SLICE("element_size"))) return val_op1(in->arena, OP_ELEMENT_BYTES, interp_unknown(in, owner));
    if (slice_equal(call->name, SLICE("get_tile_size")) || slice_equal(call->name, SLICE("tile_size")))
        return fn_tile_size(in, call);
    if (slice_equal(call->name, SLICE("get_height")) || slice_equal(call->name, SLICE("get_width")))
        return interp_unknown(in, call->node);
    if (slice_equal(call->name, SLICE("add_circular_buffer"))) {
        const struct val *config = call->n ? val_bare(arg(in, call, call->n - 1)) : v;
        if (config->kind == VAL_OBJECT) interp_record_config(in, config, arg_text(in, call, 0), call->node);
        return interp_unknown(in, call->node);
    }
    struct function *f = find_function(in, call->name, call->n);
    if (f) return interp_call_function(in, f, call->node, args_node);
    kernel_by_name(in, call);
    return interp_unknown(in, call->node);
}

static bool contains(struct slice text, const char *part) { return slice_find(text, slice_from(part)) != SLICE_NONE; }

/* TT_FATAL(format == tt::DataFormat::Float16_b, ...): from here on it holds. */
static void assume(struct interp *in, const struct call *call) {
    if (!call->n || !is_kind(call->args[0], CPP_binary_expression)) return;
    TSNode left = cpp_field(call->args[0], CPP_FIELD_left), right = cpp_field(call->args[0], CPP_FIELD_right);
    if (!slice_equal(cpp_text(in->tree, cpp_field(call->args[0], CPP_FIELD_operator)), SLICE("=="))) return;
    struct cb_cell *cell = interp_place(in, left);
    const struct val *value = val_bare(interp_eval(in, right));
    if (cell && val_bare(cell->value)->kind == VAL_FREE && (value->kind == VAL_NUM || value->kind == VAL_FORMAT))
        interp_assign(in, cell, value);
}

/* A function of another file. What it is given is still looked at: a configuration handed to something that makes buffers. */
static const struct val *eval_foreign(struct interp *in, const struct call *call) {
    if (slice_equal(call->name, SLICE("TT_FATAL")) || slice_equal(call->name, SLICE("TT_ASSERT"))) {
        assume(in, call);
        return interp_unknown(in, call->node);
    }
    if (contains(call->name, "ernel")) {
        kernel_by_name(in, call);
        return interp_unknown(in, call->node);
    }
    bool makes = contains(call->name, "CircularBuffer") || contains(call->name, "circular_buffer") ||
                 contains(call->name, "cb") || contains(call->name, "CB");
    for (uint32_t i = 0; i < call->n && !in->exhausted; i++) {
        const struct val *v = val_bare(arg(in, call, i));
        if (makes && is_config(v)) interp_record_config(in, v, SLICE(""), call->node);
        /* what fills an empty list is not seen; what is done for each of something is done some times */
        if (v->kind == VAL_LIST && !v->list->len && interp_place(in, call->args[i])) v->list->open = true;
        if (v->kind == VAL_LAMBDA && interp_count_sites(in, v->lambda->tree, cpp_field(v->lambda->node, CPP_FIELD_body)))
            interp_call_repeatedly(in, v->lambda, call->node);
    }
    return interp_unknown(in, call->node);
}

const struct val *interp_eval_call(struct interp *in, TSNode node) {
    TSNode callee = cpp_field(node, CPP_FIELD_function), args_node = cpp_field(node, CPP_FIELD_arguments);
    if (is_kind(callee, CPP_parenthesized_expression)) callee = cpp_first(callee);
    struct call call = {.node = node, .name = interp_last_name(in->tree, callee)};
    struct cpp_nodes args = cpp_children(in->arena, args_node);
    call.args = args.items;
    call.n = args.len;
    if (interp_makes_buffer(in->tree, node)) interp_note_reached(in, node);
    if (is_kind(callee, CPP_lambda_expression)) {
        const struct val *l = interp_eval(in, callee);
        return l->kind == VAL_LAMBDA ? interp_call_lambda(in, l->lambda, node, args_node) : l;
    }
    if (is_kind(callee, CPP_field_expression)) return eval_method(in, &call, callee, args_node);
    if (is_kind(callee, CPP_identifier)) {
        const struct binding *b = interp_find_binding(in, call.name);
        if (b && val_bare(b->cell->value)->kind == VAL_LAMBDA)
            return interp_call_lambda(in, val_bare(b->cell->value)->lambda, node, args_node);
    }
    struct function *f = find_function(in, call.name, call.n);
    builtin_fn *builtin = find_builtin(call.name);
    if (f && (f->main_file || !builtin)) return interp_call_function(in, f, node, args_node);
    if (builtin) return builtin(in, &call);
    if (interp_is_constructible(in, call.name)) return interp_construct(in, call.name, args_node, node);
    return eval_foreign(in, &call);
}
