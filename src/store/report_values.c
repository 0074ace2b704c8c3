#include <stdlib.h>

#include "parse/type.h"
#include "store/report_reading.h"

/* What a template is made of, and the text that tells two apart. */
struct draft {
    VEC(uint32_t) in_names, in_types, out_names, out_types, weights;
    uint32_t name, loc, loc_full, attrs;
};

static uint32_t type_of_text(struct reading *r, struct slice text) {
    if (!slice_starts(text, SLICE("tensor<"))) return NONE;
    bool added;
    uint32_t *id = map_at(&r->types, hash_bytes(text), &added);
    if (!added) return *id;
    struct tensor_type type;
    type_parse(text, &type);
    *id = type.kind == TYPE_TENSOR ? page_type(r->page, &type, &r->geometry) : NONE;
    return *id;
}

/* Item `n` of a list of texts; empty when there is none. */
static struct slice item_text(struct json_value object, const char *name, size_t n) {
    struct json_value list, item;
    struct slice text = slice_of("", 0);
    if (!json_member(object, name, &list)) return text;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);)
        if (n-- == 0) {
            json_string_of(item, &text);
            return text;
        }
    return text;
}

/* A type by its text, or by shape and element where the report has no more. */
static uint32_t type_of(struct reading *r, struct slice text, struct slice shape, struct slice dtype) {
    uint32_t type = type_of_text(r, text);
    if (type != NONE || !dtype.len) return type;
    struct strbuf made = {0};
    strbuf_addf(&made, "tensor<%.*s%s%.*s>", SLICE_FMT(shape), shape.len ? "x" : "", SLICE_FMT(dtype));
    type = type_of_text(r, strbuf_slice(&made));
    strbuf_release(&made);
    return type;
}

static void draft_operands(struct reading *r, struct json_value op, struct draft *d) {
    struct json_value list, item;
    struct slice value;
    if (!json_member(op, "inputs", &list)) return;
    size_t n = 0;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item); n++) {
        if (!json_string_of(item, &value)) value = slice_of("", 0);
        vec_push(&d->in_names, page_str(r->page, value));
        vec_push(&d->in_types, type_of(r, item_text(op, "input_types", n), item_text(op, "input_shapes", n),
                                       item_text(op, "input_dtypes", n)));
    }
}

/* The type of a further result as the compiler would have written it, from its layout object. */
static void layout_type(struct strbuf *out, struct json_value item) {
    struct json_value layout;
    if (!json_member(item, "layout", &layout) || json_kind_of(layout) != JSON_OBJECT) return;
    struct slice shape = member_text(item, "shape"), memref = member_text(layout, "memref_shape"),
                 tile = member_text(layout, "tile_size"), storage = member_text(layout, "storage_dtype"),
                 grid = member_text(layout, "grid"), spread = member_text(layout, "memory_layout");
    strbuf_addf(out, "tensor<%.*s%s%.*s, #ttnn.ttnn_layout<(d0) -> (d0), <%.*s>, memref<%.*sx", SLICE_FMT(shape),
                shape.len ? "x" : "", SLICE_FMT(member_text(item, "dtype")), SLICE_FMT(grid), SLICE_FMT(memref));
    if (tile.len) strbuf_addf(out, "!ttcore.tile<%.*s, %.*s>", SLICE_FMT(tile), SLICE_FMT(storage));
    else strbuf_add(out, storage);
    strbuf_addf(out, ", #ttnn.buffer_type<%.*s>>", SLICE_FMT(member_text(layout, "buffer_type")));
    if (spread.len) strbuf_addf(out, ", <%.*s>", SLICE_FMT(spread));
    strbuf_addz(out, ">>");
}

static void draft_results(struct reading *r, struct json_value op, struct draft *d) {
    struct json_value list, item;
    if (json_member(op, "results", &list) && json_kind_of(list) == JSON_ARRAY) {
        struct strbuf made = {0};
        size_t n = 0;
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item); n++) {
            struct slice type = n ? member_text(item, "type") : member_text(op, "output_type");
            strbuf_clear(&made);
            if (!type.len) layout_type(&made, item);
            vec_push(&d->out_names, page_str(r->page, member_text(item, "value")));
            vec_push(&d->out_types,
                     type_of(r, type.len ? type : strbuf_slice(&made), member_text(item, "shape"), member_text(item, "dtype")));
        }
        strbuf_release(&made);
        return;
    }
    struct slice result = member_text(op, "result");
    if (!result.len) return;
    vec_push(&d->out_names, page_str(r->page, result));
    vec_push(&d->out_types,
             type_of(r, member_text(op, "output_type"), item_text(op, "output_shapes", 0), item_text(op, "output_dtypes", 0)));
}

static void draft_weights(struct reading *r, struct json_value op, struct draft *d) {
    struct json_value list, item;
    if (!json_member(op, "weights", &list)) return;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);) {
        uint32_t entry = read_weight(r, item);
        if (entry != NONE) vec_push(&d->weights, entry);
    }
}

static struct hash128 draft_key(const struct draft *d) {
    struct strbuf key = {0};
    const struct {
        const uint32_t *items;
        size_t len;
    } lists[] = {{d->in_names.items, d->in_names.len},
                 {d->in_types.items, d->in_types.len},
                 {d->out_names.items, d->out_names.len},
                 {d->out_types.items, d->out_types.len},
                 {d->weights.items, d->weights.len}};
    uint32_t head[] = {d->name, d->loc, d->loc_full, d->attrs};
    strbuf_add(&key, slice_of((const char *)head, sizeof head));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint64_t len = lists[i].len;
        strbuf_add(&key, slice_of((const char *)&len, sizeof len));
        if (len) strbuf_add(&key, slice_of((const char *)lists[i].items, lists[i].len * sizeof(uint32_t)));
    }
    struct hash128 hash = hash_bytes(strbuf_slice(&key));
    strbuf_release(&key);
    return hash;
}

static void draft_end(struct page_data *page, const struct draft *d) {
    struct page_columns *c = &page->columns;
    for (size_t i = 0; i < d->in_names.len; i++) {
        page_push(c, COL_IN_NAME, d->in_names.items[i]);
        page_push(c, COL_IN_TYPE, d->in_types.items[i]);
    }
    for (size_t i = 0; i < d->out_names.len; i++) {
        page_push(c, COL_OUT_NAME, d->out_names.items[i]);
        page_push(c, COL_OUT_TYPE, d->out_types.items[i]);
    }
    for (size_t i = 0; i < d->weights.len; i++) page_push(c, COL_WEIGHT, d->weights.items[i]);
    page_template_end(page, d->name, d->loc, d->loc_full, d->attrs);
}

uint32_t read_template(struct reading *r, const struct json_value *op, struct json_value memory) {
    struct draft d = {0};
    struct slice name = member_text(memory, "mlir_op");
    d.name = page_str(r->page, name.len ? name : member_text(memory, "op_type"));
    struct slice loc = member_text(memory, "loc");
    d.loc = page_str(r->page, loc);
    if (op) {
        d.loc_full = page_location(r->page, member_text(*op, "loc_full"), loc);
        d.attrs = page_text(r->page, member_text(*op, "attributes"));
        draft_operands(r, *op, &d);
        draft_results(r, *op, &d);
        draft_weights(r, *op, &d);
    }
    bool added;
    uint32_t *id = map_at(&r->templates, draft_key(&d), &added);
    if (added) {
        draft_end(r->page, &d);
        *id = (uint32_t)page_len(&r->page->columns, COL_TPL_NAME) - 1;
    }
    uint32_t found = *id;
    vec_release(&d.in_names);
    vec_release(&d.in_types);
    vec_release(&d.out_names);
    vec_release(&d.out_types);
    vec_release(&d.weights);
    return found;
}

static struct hash128 value_key(uint32_t execution, uint8_t rank, uint32_t name) {
    return (struct hash128){hash_mix(name, rank), (uint64_t)execution << 32 | name};
}

bool read_defined(const struct reading *r, uint32_t template, uint32_t execution, uint8_t rank) {
    const struct page_columns *c = &r->page->columns;
    for (uint32_t i = page_value(c, COL_TPL_OUT, template); i < page_value(c, COL_TPL_OUT, template + 1); i++)
        if (map_find(&r->values, value_key(execution, rank, page_value(c, COL_OUT_NAME, i)))) return true;
    return false;
}

static bool on_device(const struct reading *r, uint32_t type) {
    return type != NONE && page_value(&r->page->columns, COL_TYPE_POOL, type) != PAGE_NO_POOL;
}

static uint32_t *value_place(struct reading *r, uint32_t execution, uint8_t rank, uint32_t name, bool *added) {
    return map_at(&r->values, value_key(execution, rank, name), added);
}

static struct slice str_of(const struct reading *r, uint32_t id) {
    const struct page_columns *c = &r->page->columns;
    uint32_t begin = page_value(c, COL_STR_OFFSET, id), end = page_value(c, COL_STR_OFFSET, id + 1);
    return slice_of((const char *)c->of[COL_STR].items + begin, end - begin);
}

/* An argument is there from the start of its program; the registry tells what it is. */
static void seed_argument(struct reading *r, uint32_t *place, struct read_tensor tensor, struct slice name) {
    const struct read_execution *e = &r->executions.items[tensor.execution];
    tensor.birth = e->first - 1;
    tensor.producer = NONE;
    tensor.class = PAGE_CLASS_INPUT;
    for (size_t i = 0; i < r->roles.len; i++) {
        if (!slice_equal(r->argument_names.items[2 * i], name)) continue;
        if (r->roles.items[i] == ROLE_PARAMETER || r->roles.items[i] == ROLE_CONSTANT) tensor.class = PAGE_CLASS_WEIGHT;
        if (r->argument_names.items[2 * i + 1].len) tensor.name = page_str(r->page, r->argument_names.items[2 * i + 1]);
        break;
    }
    vec_push(&r->tensors, tensor);
    *place = (uint32_t)r->tensors.len;
}

static void use_operands(struct reading *r, uint32_t step, uint32_t template, uint32_t execution, uint8_t rank) {
    const struct page_columns *c = &r->page->columns;
    for (uint32_t i = page_value(c, COL_TPL_IN, template); i < page_value(c, COL_TPL_IN, template + 1); i++) {
        uint32_t name = page_value(c, COL_IN_NAME, i), type = page_value(c, COL_IN_TYPE, i);
        bool added;
        uint32_t *place = value_place(r, execution, rank, name, &added);
        if (!added && *place) r->tensors.items[*place - 1].death = step;
        struct slice text = str_of(r, name);
        bool top = execution != NONE && r->executions.items[execution].parent == NONE;
        if (added && top && on_device(r, type) && slice_starts(text, SLICE("%arg")))
            seed_argument(r, place,
                          (struct read_tensor){.death = NONE, .type = type, .name = name, .execution = execution, .rank = rank},
                          text);
    }
}

/* A reshape that took no memory is another view of its operand. */
static bool is_view(const struct reading *r, uint32_t template, uint32_t out, const int64_t *change) {
    const struct page_columns *c = &r->page->columns;
    uint32_t pool = page_value(c, COL_TYPE_POOL, page_value(c, COL_OUT_TYPE, out));
    return change && pool < PAGE_POOLS && change[pool] <= 0 &&
           slice_ends(str_of(r, page_value(c, COL_TPL_NAME, template)), SLICE(".reshape")) &&
           page_value(c, COL_TPL_IN, template) < page_value(c, COL_TPL_IN, template + 1);
}

void read_values(struct reading *r, uint32_t step, uint32_t execution, uint8_t rank, const int64_t *change) {
    const struct page_columns *c = &r->page->columns;
    uint32_t template = page_value(c, COL_STEP_TEMPLATE, step);
    use_operands(r, step, template, execution, rank);
    bool cached = slice_ends(str_of(r, page_value(c, COL_TPL_NAME, template)), SLICE("load_cached"));
    bool in_graph = execution != NONE && r->executions.items[execution].parent != NONE;
    for (uint32_t i = page_value(c, COL_TPL_OUT, template); i < page_value(c, COL_TPL_OUT, template + 1); i++) {
        uint32_t type = page_value(c, COL_OUT_TYPE, i), name = page_value(c, COL_OUT_NAME, i);
        bool added;
        if (!name) continue;
        if (!on_device(r, type)) {
            value_place(r, execution, rank, name, &added);
            continue;
        }
        if (is_view(r, template, i, change)) {
            uint32_t *source =
                value_place(r, execution, rank, page_value(c, COL_IN_NAME, page_value(c, COL_TPL_IN, template)), &added);
            uint32_t same = added ? 0 : *source;
            if (same) {
                *value_place(r, execution, rank, name, &added) = same;
                continue;
            }
        }
        vec_push(&r->tensors, ((struct read_tensor){.birth = step,
                                                    .death = NONE,
                                                    .type = type,
                                                    .name = name,
                                                    .producer = step,
                                                    .execution = execution,
                                                    .class = cached || in_graph ? PAGE_CLASS_CONST_EVAL : PAGE_CLASS_ACTIVATION,
                                                    .rank = rank}));
        *value_place(r, execution, rank, name, &added) = (uint32_t)r->tensors.len;
    }
}

static int earlier_birth(const void *a, const void *b) {
    const struct read_tensor *x = a, *y = b;
    uint32_t first = x->birth + 1, second = y->birth + 1;
    if (first != second) return first < second ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Arguments, cached results and what the last op made stay until their program ends. Another value that nobody used is freed at
 * once: too little known memory is better than too much. */
static uint32_t death_of(const struct reading *r, const struct read_tensor *t) {
    if (t->execution == NONE) return t->death;
    const struct read_execution *e = &r->executions.items[t->execution];
    bool stays = t->producer == NONE || t->producer == e->last || (t->class == PAGE_CLASS_CONST_EVAL && e->parent == NONE);
    if (!stays) {
        uint32_t last = t->death == NONE ? t->birth : t->death;
        /* the deallocates that follow its last use are a step of their own where they changed something */
        bool freed_later = last + 1 < page_len(&r->page->columns, COL_STEP_FLAGS) &&
                           page_value(&r->page->columns, COL_STEP_FLAGS, last + 1) & PAGE_FREE;
        return freed_later || t->death == NONE ? last + 1 : last;
    }
    return e->last + 1 < page_len(&r->page->columns, COL_STEP_FLAGS) ? e->last : NONE;
}

void read_tensors_finish(struct reading *r) {
    struct page_columns *c = &r->page->columns;
    if (r->tensors.len) qsort(r->tensors.items, r->tensors.len, sizeof *r->tensors.items, earlier_birth);
    for (size_t i = 0; i < r->tensors.len; i++) {
        const struct read_tensor *t = &r->tensors.items[i];
        uint32_t death = death_of(r, t);
        /* what a const-eval graph returns is the result of the op that runs it */
        bool returned = t->execution != NONE && r->executions.items[t->execution].parent != NONE && t->death == NONE;
        if (returned) continue;
        page_push(c, COL_TEN_BIRTH, t->birth);
        page_push(c, COL_TEN_LIFE, death == NONE ? NONE : death - t->birth);
        page_push(c, COL_TEN_TYPE, t->type);
        page_push(c, COL_TEN_CLASS, t->class);
        page_push(c, COL_TEN_BACK, t->producer == NONE ? NONE : 0);
        page_push(c, COL_TEN_NAME, t->name);
        page_push(c, COL_TEN_RANK, t->rank);
    }
}
