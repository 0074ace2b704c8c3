/* SPDX-License-Identifier: Apache-2.0 */
/* Number types as C++ converts them, and the range of a value. */
#include "cb/interp/cb_value.h"

static const struct {
    unsigned bits;
    bool has_sign;
} types[] = {
    [VAL_BOOL] = {1, false}, [VAL_U8] = {8, false},   [VAL_I8] = {8, true},   [VAL_U16] = {16, false}, [VAL_I16] = {16, true},
    [VAL_I32] = {32, true},  [VAL_U32] = {32, false}, [VAL_I64] = {64, true}, [VAL_U64] = {64, false}};

enum val_type val_type_by_name(struct slice name) {
    static const struct {
        const char *name;
        enum val_type type;
    } rows[] = {{"bool", VAL_BOOL},          {"uint8_t", VAL_U8},       {"int8_t", VAL_I8},
                {"uint16_t", VAL_U16},       {"int16_t", VAL_I16},      {"int", VAL_I32},
                {"int32_t", VAL_I32},        {"unsigned", VAL_U32},     {"uint32_t", VAL_U32},
                {"int64_t", VAL_I64},        {"uint64_t", VAL_U64},     {"size_t", VAL_U64},
                {"float", VAL_FLOAT},        {"double", VAL_FLOAT},     {"long", VAL_I64},
                {"short", VAL_I16},          {"unsigned int", VAL_U32}, {"unsigned long", VAL_U64},
                {"DeviceAddr", VAL_U64},     {"uintptr_t", VAL_U64},    {"unsigned char", VAL_U8},
                {"unsigned short", VAL_U16}, {"long long", VAL_I64},    {"unsigned long long", VAL_U64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_equal(name, slice_from(rows[i].name))) return rows[i].type;
    return VAL_ANY;
}

enum val_type val_type_of(const struct val *value) {
    return value->kind == VAL_NUM || value->kind == VAL_NAMED || value->kind == VAL_OP ? value->type : VAL_ANY;
}

bool val_wrap(enum val_type type, int64_t *num) {
    if (type == VAL_ANY || type == VAL_FLOAT || type == VAL_I64) return true;
    if (type == VAL_BOOL) {
        *num = *num != 0;
        return true;
    }
    if (type == VAL_U64) return *num >= 0; /* its upper half is not represented */
    uint64_t mask = (UINT64_C(1) << types[type].bits) - 1, low = (uint64_t)*num & mask;
    bool negative = types[type].has_sign && low >> (types[type].bits - 1) & 1;
    *num = negative ? (int64_t)(low | ~mask) : (int64_t)low;
    return true;
}

enum val_type val_common_type(enum val_type a, enum val_type b) {
    if (a == VAL_ANY || b == VAL_ANY) return VAL_ANY;
    if (a < VAL_I32) a = VAL_I32;
    if (b < VAL_I32) b = VAL_I32;
    return a > b ? a : b;
}

static bool same_at(const struct val *a, const struct val *b, unsigned depth) {
    /* a cast changes the number, a name does not */
    while (a->kind == VAL_NAMED && val_type_of(a->a) == a->type) a = a->a;
    while (b->kind == VAL_NAMED && val_type_of(b->a) == b->type) b = b->a;
    if (a == b) return true;
    if (a->kind != b->kind || depth > 16) return false;
    switch (a->kind) {
        case VAL_NUM:
            return a->num == b->num && a->type == b->type;
        case VAL_FORMAT:
            return a->format == b->format;
        case VAL_NULL:
            return true;
        case VAL_NAMED:
            return a->type == b->type && same_at(a->a, b->a, depth + 1);
        case VAL_OP:
            return a->op == b->op && same_at(a->a, b->a, depth + 1) && (!a->b || same_at(a->b, b->b, depth + 1)) &&
                   (!a->c || same_at(a->c, b->c, depth + 1));
        default:
            return false; /* unknowns are equal only if they are the same value */
    }
}

bool val_same(const struct val *a, const struct val *b) { return same_at(a, b, 0); }

/* --- ranges --- */

static const struct val_range whole = {INT64_MIN, INT64_MAX};

static bool has_low(struct val_range r) { return r.low != INT64_MIN; }
static bool has_high(struct val_range r) { return r.high != INT64_MAX; }

static struct val_range of_type(enum val_type type) {
    if (type == VAL_ANY || type == VAL_FLOAT || type == VAL_I64) return whole;
    if (type == VAL_U64) return (struct val_range){0, INT64_MAX};
    int64_t size = INT64_C(1) << (types[type].bits - types[type].has_sign);
    return (struct val_range){types[type].has_sign ? -size : 0, size - 1};
}

/* The range of a result in its type: a result that does not fit may have wrapped around. */
static struct val_range in_type(struct val_range r, enum val_type type) {
    if (type == VAL_ANY && r.low < 0) return whole; /* if unsigned, it wraps around */
    if (type == VAL_BOOL) return (struct val_range){r.low > 0, r.low == 0 && r.high == 0 ? 0 : 1};
    if (type == VAL_I32 && (r.low < INT32_MIN || r.high > INT32_MAX)) return whole;
    struct val_range all = of_type(type);
    return r.low >= all.low && r.high <= all.high ? r : all;
}

static int64_t plus(int64_t a, int64_t b, int64_t none) {
    int64_t sum;
    return a == none || b == none || __builtin_add_overflow(a, b, &sum) ? none : sum;
}

static struct val_range add(struct val_range a, struct val_range b) {
    return (struct val_range){plus(a.low, b.low, INT64_MIN), plus(a.high, b.high, INT64_MAX)};
}

static struct val_range negate(struct val_range a) {
    return (struct val_range){has_high(a) ? -a.high : INT64_MIN, has_low(a) ? -a.low : INT64_MAX};
}

static struct val_range multiply(struct val_range a, struct val_range b) {
    if (a.low >= 0 && b.low >= 0) {
        struct val_range r = {0, INT64_MAX};
        if (__builtin_mul_overflow(a.low, b.low, &r.low)) r.low = 0;
        if (!has_high(a) || !has_high(b) || __builtin_mul_overflow(a.high, b.high, &r.high)) r.high = INT64_MAX;
        return r;
    }
    if (!has_low(a) || !has_low(b) || !has_high(a) || !has_high(b)) return whole;
    const int64_t x[] = {a.low, a.high}, y[] = {b.low, b.high};
    struct val_range r = {INT64_MAX, INT64_MIN};
    for (unsigned i = 0; i < 4; i++) {
        int64_t product;
        if (__builtin_mul_overflow(x[i / 2], y[i % 2], &product)) return whole;
        if (product < r.low) r.low = product;
        if (product > r.high) r.high = product;
    }
    return r;
}

/* For numbers that are not below 0. */
static struct val_range divide(struct val_range a, struct val_range b, bool up) {
    if (a.low < 0 || b.low < 0 || b.high <= 0) return whole;
    int64_t least = b.low > 0 ? b.low : 1;
    struct val_range r = {has_high(b) ? a.low / b.high : 0, has_high(a) ? a.high / least : INT64_MAX};
    if (up && has_high(a) && a.high % least) r.high++;
    return r;
}

static struct val_range modulo(struct val_range a, struct val_range b) {
    if (b.low < 0 || b.high <= 0 || !has_high(b)) return a.low >= 0 && b.low >= 0 ? (struct val_range){0, a.high} : whole;
    if (a.low >= 0 && has_high(a) && b.low > 0 && a.high < b.low) return a;
    return (struct val_range){a.low < 0 ? 1 - b.high : 0, b.high - 1};
}

static struct val_range hull(struct val_range a, struct val_range b) {
    return (struct val_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct val_range range_at(const struct val *v, unsigned depth);

/* Bytes of a 32 x 32 tile: from MxInt2 to 32-bit numbers. A tile with its own size may have one face row. */
static struct val_range of_tile(const struct val *format, unsigned depth) {
    const struct val *bare = val_bare(format);
    uint64_t bytes;
    if (depth > 80) return (struct val_range){16, 4096};
    if (bare->kind == VAL_FORMAT && tile_bytes(bare->format, 32, 32, &bytes))
        return (struct val_range){(int64_t)bytes, (int64_t)bytes};
    if (bare->kind == VAL_OP && bare->op == OP_COND) return hull(of_tile(bare->b, depth + 1), of_tile(bare->c, depth + 1));
    bool own = bare->kind == VAL_FREE && slice_find(bare->text, SLICE("tile_size")) != SLICE_NONE;
    return (struct val_range){own ? 16 : 288, 4096};
}

static struct val_range of_op(const struct val *v, unsigned depth) {
    static const struct val_range truth = {0, 1};
    if (v->op == OP_COND) return hull(range_at(v->b, depth + 1), range_at(v->c, depth + 1));
    struct val_range a = range_at(v->a, depth + 1), b = v->b ? range_at(v->b, depth + 1) : whole;
    switch (v->op) {
        case OP_ADD:
            return add(a, b);
        case OP_SUB:
            return add(a, negate(b));
        case OP_MUL:
            return multiply(a, b);
        case OP_DIV:
            return val_type_of(v) == VAL_FLOAT ? whole : divide(a, b, false);
        case OP_DIV_UP:
            return divide(a, b, true);
        case OP_MOD:
            return modulo(a, b);
        case OP_SHR:
            return a.low >= 0 && b.low == b.high && b.low >= 0 && b.low < 63
                       ? (struct val_range){a.low >> b.low, has_high(a) ? a.high >> b.low : INT64_MAX}
                   : a.low >= 0 ? (struct val_range){0, a.high}
                                : whole;
        case OP_SHL:
            return b.low == b.high && b.low >= 0 && b.low < 32
                       ? multiply(a, (struct val_range){INT64_C(1) << b.low, INT64_C(1) << b.low})
                       : whole;
        case OP_BIT_AND:
            if (a.low >= 0 && b.low >= 0) return (struct val_range){0, a.high < b.high ? a.high : b.high};
            return whole;
        case OP_MIN:
            return (struct val_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
        case OP_MAX:
            return (struct val_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
        case OP_ROUND_UP:
            if (a.low < 0 || b.low <= 0) return whole;
            return (struct val_range){a.low, has_high(a) && has_high(b) ? plus(a.high, b.high - 1, INT64_MAX) : INT64_MAX};
        case OP_ROUND_DOWN:
            return a.low >= 0 && b.low > 0 ? (struct val_range){0, a.high} : whole;
        case OP_NEG:
            return negate(a);
        case OP_TILE_BYTES:
            return of_tile(v->a, depth + 1);
        case OP_ELEMENT_BYTES: /* sizeof also applies to types that are not formats */
            if (val_bare(v->a)->kind == VAL_FREE && slice_starts(val_bare(v->a)->text, SLICE("sizeof")))
                return (struct val_range){0, INT64_MAX};
            return (struct val_range){1, 8};
        case OP_LT:
        case OP_LE:
        case OP_GT:
        case OP_GE:
        case OP_EQ:
        case OP_NE:
        case OP_AND:
        case OP_OR:
        case OP_NOT:
            return truth;
        default:
            return whole;
    }
}

static struct val_range range_at(const struct val *v, unsigned depth) {
    if (depth > 80) return whole;
    switch (v->kind) {
        case VAL_NUM:
            return v->type == VAL_ANY && v->num < 0 ? whole : (struct val_range){v->num, v->num};
        case VAL_NAMED:
            return in_type(range_at(v->a, depth + 1), v->type);
        case VAL_OP:
            return in_type(of_op(v, depth), v->type);
        default:
            return whole;
    }
}

struct val_range val_range(const struct val *value) {
    return range_at(value, 0);
}
