/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/interp/cb_value.h"

#include <string.h>

#include "base/num.h"

enum { MAX_DEPTH = 64, MAX_SIZE = 512, MAX_ITEMS = 4096 };

static struct val *make(struct arena *arena, enum val_kind kind) {
    struct val *v = arena_zalloc(arena, sizeof *v);
    v->kind = kind;
    v->depth = 1;
    v->size = 1;
    return v;
}

static _Thread_local uint64_t ticks;

uint64_t val_clock(void) { return ticks; }
uint64_t val_tick(void) { return ++ticks; }

const struct val *val_num_of(struct arena *arena, enum val_type type, int64_t num) {
    struct val *v = make(arena, VAL_NUM);
    v->num = num;
    v->type = type;
    return v;
}

const struct val *val_num(struct arena *arena, int64_t num) { return val_num_of(arena, VAL_I32, num); }

const struct val *val_format(struct arena *arena, const struct data_format *format) {
    struct val *v = make(arena, VAL_FORMAT);
    v->format = format;
    return v;
}

static const struct val *with_text(struct arena *arena, enum val_kind kind, struct slice text) {
    struct val *v = make(arena, kind);
    v->text = text;
    return v;
}

const struct val *val_text(struct arena *arena, struct slice text) { return with_text(arena, VAL_TEXT, text); }
const struct val *val_free(struct arena *arena, struct slice text) { return with_text(arena, VAL_FREE, text); }
const struct val *val_given(struct arena *arena, struct slice text) {
    struct val *v = make(arena, VAL_FREE);
    v->text = text;
    v->given = true;
    return v;
}
const struct val *val_null(struct arena *arena) { return make(arena, VAL_NULL); }

const struct val *val_named(struct arena *arena, struct slice name, const struct val *value) {
    bool cast = value->kind == VAL_NAMED && !value->text.len;
    if ((value->kind != VAL_FREE && value->kind != VAL_OP && !cast) || value->depth >= MAX_DEPTH) return value;
    struct val *v = make(arena, VAL_NAMED);
    v->text = name;
    v->a = value;
    v->type = val_type_of(value);
    v->sets = value->sets;
    v->depth = (uint16_t)(value->depth + 1);
    v->size = value->size + 1;
    return v;
}

const struct val *val_convert(struct arena *arena, enum val_type type, const struct val *value) {
    if (type == VAL_ANY || val_type_of(value) == type) return value;
    if (value->kind == VAL_NUM) {
        int64_t num = value->num;
        if (!val_wrap(type, &num)) return val_free(arena, SLICE("..."));
        return val_with_sets(arena, val_num_of(arena, type, num), value->sets);
    }
    if (value->kind != VAL_FREE && value->kind != VAL_OP && value->kind != VAL_NAMED) return value;
    if (value->depth >= MAX_DEPTH) return val_free(arena, SLICE("..."));
    struct val *v = make(arena, VAL_NAMED);
    v->text = value->kind == VAL_NAMED ? value->text : SLICE("");
    v->a = value;
    v->type = type;
    v->sets = value->sets;
    v->depth = (uint16_t)(value->depth + 1);
    v->size = value->size + 1;
    return v;
}

const struct val *val_with_sets(struct arena *arena, const struct val *value, uint64_t sets) {
    if ((value->sets | sets) == value->sets) return value;
    struct val *v = arena_alloc(arena, sizeof *v);
    *v = *value;
    v->sets |= sets;
    return v;
}

const struct val *val_bare(const struct val *value) {
    while (value->kind == VAL_NAMED) value = value->a;
    return value;
}

bool val_is_num(const struct val *value, int64_t *num) {
    value = val_bare(value);
    if (value->kind != VAL_NUM) return false;
    *num = value->num;
    return true;
}

int val_truth(const struct val *value) {
    value = val_bare(value);
    switch (value->kind) {
        case VAL_NUM:
            return value->num != 0;
        case VAL_NULL:
            return 0;
        case VAL_OBJECT:
        case VAL_LAMBDA:
            return 1;
        case VAL_FREE:
            /* a tensor on a device has a buffer; anything with an address exists */
            return slice_ends(value->text, SLICE("buffer()")) || slice_starts(value->text, SLICE("&")) ? 1 : -1;
        default:
            return -1;
    }
}

const struct val *val_as_condition(struct arena *arena, const struct val *value) {
    const struct val *bare = val_bare(value);
    if (bare->kind != VAL_OP || bare->op != OP_COND) return value;
    int yes = val_truth(bare->b), no = val_truth(bare->c);
    if (yes == 1 && no == 0) return val_as_condition(arena, bare->a);
    if (yes == 0 && no == 1) return val_op1(arena, OP_NOT, val_as_condition(arena, bare->a));
    return value;
}

static bool fold_num(enum val_op op, int64_t a, int64_t b, int64_t *out) {
    switch (op) {
        case OP_ADD:
            return !__builtin_add_overflow(a, b, out);
        case OP_SUB:
            return !__builtin_sub_overflow(a, b, out);
        case OP_MUL:
            return !__builtin_mul_overflow(a, b, out);
        case OP_DIV:
            return b != 0 && !(a == INT64_MIN && b == -1) && ((*out = a / b), true);
        case OP_MOD:
            return b != 0 && !(a == INT64_MIN && b == -1) && ((*out = a % b), true);
        case OP_SHL:
            return a >= 0 && b >= 0 && b < 63 && a <= (INT64_MAX >> b) && ((*out = a << b), true);
        case OP_SHR:
            return a >= 0 && b >= 0 && b < 63 && ((*out = a >> b), true);
        case OP_BIT_AND:
            *out = a & b;
            return true;
        case OP_BIT_OR:
            *out = a | b;
            return true;
        case OP_XOR:
            *out = a ^ b;
            return true;
        case OP_LT:
            *out = a < b;
            return true;
        case OP_LE:
            *out = a <= b;
            return true;
        case OP_GT:
            *out = a > b;
            return true;
        case OP_GE:
            *out = a >= b;
            return true;
        case OP_EQ:
            *out = a == b;
            return true;
        case OP_NE:
            *out = a != b;
            return true;
        case OP_AND:
            *out = a && b;
            return true;
        case OP_OR:
            *out = a || b;
            return true;
        case OP_MIN:
            *out = a < b ? a : b;
            return true;
        case OP_MAX:
            *out = a > b ? a : b;
            return true;
        case OP_DIV_UP:
            return a >= 0 && b > 0 && ((*out = a / b + (a % b != 0)), true);
        case OP_ROUND_DOWN:
            return a >= 0 && b > 0 && ((*out = a / b * b), true);
        case OP_ROUND_UP:
            return a >= 0 && b > 0 && !__builtin_mul_overflow(a / b + (a % b != 0), b, out);
        default:
            return false;
    }
}

static enum val_type type_of_op(const struct val *v) {
    switch (v->op) {
        case OP_NOT:
        case OP_LT:
        case OP_LE:
        case OP_GT:
        case OP_GE:
        case OP_EQ:
        case OP_NE:
        case OP_AND:
        case OP_OR:
            return VAL_BOOL;
        case OP_TILE_BYTES:
        case OP_ELEMENT_BYTES:
            return VAL_U32;
        case OP_SHL:
        case OP_SHR:
        case OP_NEG:
            return val_common_type(val_type_of(v->a), VAL_BOOL);
        case OP_COND:
            if (val_type_of(v->b) == val_type_of(v->c)) return val_type_of(v->b);
            return val_common_type(val_type_of(v->b), val_type_of(v->c));
        default:
            return val_common_type(val_type_of(v->a), val_type_of(v->b));
    }
}

/* An operation that does not fold. One that grows too large becomes a single unknown. */
static const struct val *unfolded(struct arena *arena, enum val_op op, const struct val *a, const struct val *b,
                                  const struct val *c) {
    const struct val *parts[] = {a, b, c};
    unsigned depth = 0;
    uint64_t size = 1, sets = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!parts[i]) continue;
        sets |= parts[i]->sets;
        if (parts[i]->depth > depth) depth = parts[i]->depth;
        size += parts[i]->size;
    }
    if (depth >= MAX_DEPTH || size > MAX_SIZE) return val_free(arena, SLICE("..."));
    struct val *v = make(arena, VAL_OP);
    v->op = op;
    v->a = a;
    v->b = b;
    v->c = c;
    v->depth = (uint16_t)(depth + 1);
    v->size = (uint32_t)size;
    v->sets = sets;
    v->type = type_of_op(v);
    return v;
}

static const struct val *fold1(struct arena *arena, enum val_op op, const struct val *a) {
    const struct val *bare = val_bare(a);
    uint64_t bytes;
    if (op == OP_NOT) {
        int truth = val_truth(a);
        if (truth >= 0) return val_num_of(arena, VAL_BOOL, !truth);
    } else if (op == OP_NEG && bare->kind == VAL_NUM && bare->num != INT64_MIN) {
        enum val_type type = val_common_type(bare->type, VAL_BOOL);
        int64_t num = -bare->num;
        if (val_wrap(type, &num)) return val_num_of(arena, type, num);
    } else if (op == OP_TILE_BYTES && bare->kind == VAL_FORMAT && tile_bytes(bare->format, 32, 32, &bytes)) {
        return val_num_of(arena, VAL_U32, (int64_t)bytes);
    } else if (op == OP_ELEMENT_BYTES && bare->kind == VAL_FORMAT) {
        return val_num_of(arena, VAL_U32, bare->format->element_bits / 8);
    }
    return unfolded(arena, op, a, NULL, NULL);
}

const struct val *val_op1(struct arena *arena, enum val_op op, const struct val *a) {
    return val_with_sets(arena, fold1(arena, op, a), a->sets);
}

static bool is_same_constant(const struct val *a, const struct val *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == VAL_NUM) return a->num == b->num && a->type == b->type;
    if (a->kind == VAL_FORMAT) return a->format == b->format;
    if (a->kind == VAL_TEXT) return slice_equal(a->text, b->text);
    return a->kind == VAL_NULL;
}

/* Compares values that are not numbers: formats, nullptr with an object. -1: unknown. */
static int equal_others(const struct val *a, const struct val *b) {
    if (a->kind == VAL_FORMAT && b->kind == VAL_FORMAT) return a->format == b->format;
    if (a->kind == VAL_NULL && b->kind == VAL_NULL) return 1;
    if (a->kind == VAL_NULL && val_truth(b) == 1) return 0;
    if (b->kind == VAL_NULL && val_truth(a) == 1) return 0;
    if (a->kind == VAL_TEXT && b->kind == VAL_TEXT) return slice_equal(a->text, b->text);
    return -1;
}

static bool is_comparison(enum val_op op) { return op >= OP_LT && op <= OP_OR; }

/* Folds two numbers, converted to their common type first, as in C++. NULL: unknown. */
static const struct val *fold_typed(struct arena *arena, enum val_op op, const struct val *x, const struct val *y) {
    int64_t a = x->num, b = y->num, folded;
    bool logical = op == OP_AND || op == OP_OR, shift = op == OP_SHL || op == OP_SHR;
    enum val_type type = shift ? val_common_type(x->type, VAL_BOOL) : val_common_type(x->type, y->type);
    if (!logical && type != VAL_ANY && (!val_wrap(type, &a) || (!shift && !val_wrap(type, &b)))) return NULL;
    /* below 0 it matters whether the type is signed */
    bool plain = op == OP_ADD || op == OP_SUB || op == OP_MUL || logical || op == OP_EQ || op == OP_NE;
    if (type == VAL_ANY && (a < 0 || b < 0) && !plain) return NULL;
    if (type == VAL_FLOAT && op == OP_DIV && (b == 0 || a % b != 0)) return NULL;
    if (!fold_num(op, a, b, &folded)) return NULL;
    if (is_comparison(op)) return val_num_of(arena, VAL_BOOL, folded);
    /* C++ does not define signed overflow */
    int64_t wrapped = folded;
    if (type == VAL_I32 && (!val_wrap(type, &wrapped) || wrapped != folded)) return NULL;
    return type == VAL_ANY || val_wrap(type, &folded) ? val_num_of(arena, type, folded) : NULL;
}

/* Does an operation with the other value keep the type? */
static bool keeps_type(const struct val *value, const struct val *other) {
    enum val_type type = val_type_of(value);
    return type == VAL_ANY || val_common_type(type, val_type_of(other)) == type;
}

static const struct val *fold2(struct arena *arena, enum val_op op, const struct val *a, const struct val *b) {
    const struct val *x = val_bare(a), *y = val_bare(b);
    if (x->kind == VAL_NUM && y->kind == VAL_NUM) {
        const struct val *folded = fold_typed(arena, op, x, y);
        if (folded) return folded;
    }
    if (op == OP_EQ || op == OP_NE) {
        int equal = equal_others(x, y);
        if (equal >= 0) return val_num(arena, op == OP_EQ ? equal : !equal);
        if (x->kind == VAL_OP && x->op == OP_COND && y->kind == VAL_NULL)
            return val_as_condition(arena, val_cond(arena, x->a, val_op2(arena, op, x->b, b), val_op2(arena, op, x->c, b)));
    }
    if (op == OP_AND || op == OP_OR) {
        int deciding = op == OP_OR;
        if (val_truth(a) == deciding || val_truth(b) == deciding) return val_num(arena, deciding);
        if (val_truth(a) == !deciding) return val_convert(arena, VAL_BOOL, b);
        if (val_truth(b) == !deciding) return val_convert(arena, VAL_BOOL, a);
    }
    bool x_zero = x->kind == VAL_NUM && x->num == 0, y_zero = y->kind == VAL_NUM && y->num == 0;
    bool x_one = x->kind == VAL_NUM && x->num == 1, y_one = y->kind == VAL_NUM && y->num == 1;
    if (op == OP_MUL) {
        if (x_zero || y_zero) return val_num(arena, 0);
        if (x_one && keeps_type(b, a)) return b;
        if (y_one && keeps_type(a, b)) return a;
    }
    if (op == OP_ADD && x_zero && keeps_type(b, a)) return b;
    if ((op == OP_ADD || op == OP_SUB) && y_zero && keeps_type(a, b)) return a;
    if ((op == OP_DIV || op == OP_DIV_UP) && y_one && keeps_type(a, b)) return a;
    return unfolded(arena, op, a, b, NULL);
}

const struct val *val_op2(struct arena *arena, enum val_op op, const struct val *a, const struct val *b) {
    return val_with_sets(arena, fold2(arena, op, a, b), a->sets | b->sets);
}

/* The value without names that do not convert it. */
static const struct val *unnamed(const struct val *v) {
    while (v->kind == VAL_NAMED && val_type_of(v->a) == v->type) v = v->a;
    return v;
}

const struct val *val_cond(struct arena *arena, const struct val *condition, const struct val *yes, const struct val *no) {
    int truth = val_truth(condition);
    if (truth >= 0) return val_with_sets(arena, truth ? yes : no, condition->sets);
    /* parts that the same condition has already decided */
    const struct val *x = unnamed(yes), *y = unnamed(no);
    if (x->kind == VAL_OP && x->op == OP_COND && val_type_of(x->b) == x->type && val_same(x->a, condition)) yes = x->b;
    if (y->kind == VAL_OP && y->op == OP_COND && val_type_of(y->c) == y->type && val_same(y->a, condition)) no = y->c;
    if (is_same_constant(val_bare(yes), val_bare(no)) || val_same(yes, no)) return yes;
    return unfolded(arena, OP_COND, condition, yes, no);
}

const struct val *val_list_new(struct arena *arena) {
    struct val *v = make(arena, VAL_LIST);
    v->list = arena_zalloc(arena, sizeof *v->list);
    v->list->born = val_tick();
    v->list->origin = v->list;
    return v;
}

void val_list_add(struct arena *arena, struct val_list *list, const struct val *item) {
    if (list->len >= MAX_ITEMS) {
        list->open = true;
        return;
    }
    if (list->len == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 4;
        const struct val **items = arena_alloc(arena, cap * sizeof *items);
        if (list->len) memcpy(items, list->items, list->len * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    list->items[list->len++] = item;
}

const struct val *val_object_new(struct arena *arena, struct slice type) {
    struct val *v = make(arena, VAL_OBJECT);
    v->object = arena_zalloc(arena, sizeof *v->object);
    v->object->type = type;
    v->object->born = val_tick();
    return v;
}

struct val_field *val_object_field(const struct val_object *object, struct slice name) {
    for (struct val_field *f = object->fields; f; f = f->next)
        if (slice_equal(f->name, name)) return f;
    return NULL;
}

struct val_field *val_object_set(struct arena *arena, struct val_object *object, struct slice name, const struct val *value) {
    struct val_field *field = val_object_field(object, name);
    if (!field) {
        field = arena_zalloc(arena, sizeof *field);
        field->name = name;
        struct val_field **end = &object->fields;
        while (*end) end = &(*end)->next;
        *end = field;
    }
    field->value = value;
    return field;
}

struct val_field *val_object_like(struct arena *arena, struct val_object *object, const struct val_field *like,
                                  const struct val *value) {
    struct val_field *field = val_object_set(arena, object, like->name, value);
    field->text = like->text;
    field->type = like->type;
    field->refers = like->refers;
    return field;
}

static const struct val *copy_at(struct arena *arena, const struct val *value, bool whole, unsigned depth) {
    const struct val *bare = val_bare(value);
    if (depth > 4) return value;
    if (bare->kind == VAL_LIST) {
        const struct val *copy = val_list_new(arena);
        for (uint32_t i = 0; i < bare->list->len; i++) {
            const struct val *item = bare->list->items[i];
            bool own = whole && !bare->list->refers;
            val_list_add(arena, copy->list, own ? copy_at(arena, item, true, depth + 1) : item);
        }
        copy->list->refers = bare->list->refers;
        copy->list->unseen = bare->list->unseen;
        copy->list->type = bare->list->type;
        copy->list->sized = bare->list->sized;
        copy->list->origin = bare->list->origin;
        copy->list->open = bare->list->open;
        copy->list->map = bare->list->map;
        return copy;
    }
    if (bare->kind == VAL_OBJECT) {
        const struct val *copy = val_object_new(arena, bare->object->type);
        *copy->object = *bare->object;
        copy->object->born = val_tick();
        copy->object->fields = NULL;
        copy->object->shared = false;
        whole |= slice_equal(copy->object->type, SLICE("CBDescriptor")) ||
                 slice_equal(copy->object->type, SLICE("CircularBufferConfig"));
        for (const struct val_field *f = bare->object->fields; f; f = f->next)
            val_object_like(arena, copy->object, f, whole && !f->refers ? copy_at(arena, f->value, true, depth + 1) : f->value);
        return copy;
    }
    if (bare->kind == VAL_OP && bare->op == OP_COND) {
        const struct val *yes = copy_at(arena, bare->b, whole, depth + 1), *no = copy_at(arena, bare->c, whole, depth + 1);
        if (yes != bare->b || no != bare->c) return val_cond(arena, bare->a, yes, no);
    }
    return value;
}

const struct val *val_clone(struct arena *arena, const struct val *value) { return copy_at(arena, value, true, 0); }

static const struct val *merge_at(struct arena *arena, const struct val *condition, const struct val *yes, const struct val *no,
                                  unsigned depth);

/* A field that was not set: its default in tt-metal's structures, if it has one. */
static const struct val *unset_field(struct arena *arena, struct slice name) {
    if (slice_equal(name, SLICE("buffer")) || slice_equal(name, SLICE("tensor")) ||
        slice_equal(name, SLICE("global_circular_buffer")))
        return val_null(arena);
    if (slice_equal(name, SLICE("total_size"))) return val_num_of(arena, VAL_U32, 0);
    return val_free(arena, name);
}

struct val_field *val_merge_fields(struct arena *arena, const struct val *condition, const struct val_field *yes,
                                   const struct val_field *no, unsigned depth) {
    struct val_object merged = {0};
    const struct val_object other = {.fields = (struct val_field *)(uintptr_t)no},
                            first = {.fields = (struct val_field *)(uintptr_t)yes};
    for (const struct val_field *f = yes; f; f = f->next) {
        const struct val_field *g = val_object_field(&other, f->name);
        const struct val *value = merge_at(arena, condition, f->value, g ? g->value : unset_field(arena, f->name), depth + 1);
        val_object_like(arena, &merged, f, value);
    }
    for (const struct val_field *f = no; f; f = f->next) {
        if (val_object_field(&first, f->name)) continue;
        const struct val *value = merge_at(arena, condition, unset_field(arena, f->name), f->value, depth + 1);
        val_object_like(arena, &merged, f, value);
    }
    return merged.fields;
}

static const struct val *merge_objects(struct arena *arena, const struct val *condition, const struct val *yes,
                                       const struct val *no, unsigned depth) {
    const struct val *merged = val_object_new(arena, yes->object->type);
    uint64_t born = merged->object->born;
    *merged->object = *yes->object;
    merged->object->born = born;
    merged->object->fields = val_merge_fields(arena, condition, yes->object->fields, no->object->fields, depth);
    return merged;
}

void val_merge_items(struct arena *arena, const struct val *condition, struct val_list *into, const struct val_list *yes,
                     const struct val_list *no, unsigned depth) {
    uint32_t n = yes->len < no->len ? yes->len : no->len;
    bool open = yes->open || no->open || yes->len != no->len;
    const struct val **items = arena_alloc(arena, (n + 1u) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) items[i] = merge_at(arena, condition, yes->items[i], no->items[i], depth + 1);
    into->items = items;
    into->len = into->cap = n;
    into->open = open;
}

static const struct val *merge_lists(struct arena *arena, const struct val *condition, const struct val *yes,
                                     const struct val *no, unsigned depth) {
    const struct val *merged = val_list_new(arena);
    uint64_t born = merged->list->born;
    *merged->list = *yes->list;
    merged->list->born = born;
    val_merge_items(arena, condition, merged->list, yes->list, no->list, depth);
    return merged;
}

static const struct val *merge_at(struct arena *arena, const struct val *condition, const struct val *yes, const struct val *no,
                                  unsigned depth) {
    const struct val *a = val_bare(yes), *b = val_bare(no);
    if (a == b) return yes;
    if (depth > 8) return val_free(arena, SLICE("..."));
    if (a->kind == VAL_OBJECT && b->kind == VAL_OBJECT && a->object == b->object) return yes;
    if (a->kind == VAL_LIST && b->kind == VAL_LIST && a->list == b->list) return yes;
    if (a->kind == VAL_OBJECT && b->kind == VAL_OBJECT) return merge_objects(arena, condition, a, b, depth);
    if (a->kind == VAL_LIST && b->kind == VAL_LIST) return merge_lists(arena, condition, a, b, depth);
    return val_cond(arena, condition, yes, no);
}

const struct val *val_merge(struct arena *arena, const struct val *condition, const struct val *yes, const struct val *no) {
    int truth = val_truth(condition);
    if (truth >= 0) return val_with_sets(arena, truth ? yes : no, condition->sets);
    return merge_at(arena, condition, yes, no, 0);
}
