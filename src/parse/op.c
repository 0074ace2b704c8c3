/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/op.h"

#include "base/num.h"
#include "parse/mlir_scan.h"

struct op_walk {
    const char *p;
    const char *end;
};

static void skip_spaces(struct op_walk *w) {
    while (w->p < w->end && *w->p == ' ') w->p++;
}

static bool at(const struct op_walk *w, struct slice text) { return slice_starts(slice_between(w->p, w->end), text); }

/* Moves over the group at w->p and returns it with its brackets; false if the text is cut inside it. */
static bool take_group(struct op_walk *w, struct slice *group) {
    const char *past = mlir_skip_group(w->p, w->end);
    *group = slice_between(w->p, past ? past : w->end);
    w->p = past ? past : w->end;
    return past != NULL;
}

/* "%5 = " or "%5:3 = " */
static void take_result(struct op_walk *w, struct op_text *op) {
    if (w->p == w->end || *w->p != '%') return;
    const char *equals = memchr(w->p, '=', (size_t)(w->end - w->p));
    if (!equals) return;
    struct slice left = slice_trim(slice_between(w->p, equals));
    size_t colon = slice_find_byte(left, ':');
    op->result = slice_take(left, colon == SLICE_NONE ? left.len : colon);
    op->result_count = 1;
    uint64_t n;
    if (colon != SLICE_NONE && num_read_u64(slice_skip(left, colon + 1), &n) && n && n < 65536) op->result_count = (unsigned)n;
    w->p = equals + 1;
    skip_spaces(w);
}

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

static bool take_name(struct op_walk *w, struct op_text *op) {
    if (w->p < w->end && *w->p == '"') {
        const char *quote = memchr(w->p + 1, '"', (size_t)(w->end - w->p - 1));
        op->name = slice_between(w->p + 1, quote ? quote : w->end);
        w->p = quote ? quote + 1 : w->end;
    } else {
        const char *start = w->p;
        while (w->p < w->end && is_name_byte(*w->p)) w->p++;
        op->name = slice_between(start, w->p);
    }
    return op->name.len > 0;
}

static void take_callee(struct op_walk *w, struct op_text *op) {
    const char *start = ++w->p;
    while (w->p < w->end && *w->p != '(' && *w->p != ',' && *w->p != ' ') w->p++;
    op->callee = slice_between(start, w->p);
}

/* Operands, including the callee and the bracketed list of load_cached; such a list has no further list inside. */
static void take_operands(struct slice list, bool bracketed, struct op_text *op) {
    struct slice item;
    while (mlir_next_item(&list, &item)) {
        if (!item.len) continue;
        if (item.ptr[0] == '@') op->callee = slice_skip(item, 1);
        else if (item.ptr[0] == '[' && !bracketed) take_operands(mlir_inside(item), true, op);
        else if (item.ptr[0] == '%') vec_push(&op->operands, ((struct op_operand){.value = item}));
    }
}

/* "(types) -> type", "(types) -> (types)", "(types) -> ()" or a single type. */
static bool take_types(struct op_walk *w, struct op_text *op) {
    skip_spaces(w);
    bool whole = true;
    if (w->p < w->end && *w->p == '(') {
        struct slice group, list, type;
        whole = take_group(w, &group);
        op->operand_types = list = whole ? mlir_inside(group) : slice_skip(group, 1);
        for (size_t i = 0; i < op->operands.len && mlir_next_item(&list, &type); i++) op->operands.items[i].type = type;
        skip_spaces(w);
        if (!at(w, SLICE("->"))) return whole;
        w->p += 2;
        skip_spaces(w);
    }
    const char *start = w->p;
    if (w->p < w->end && *w->p == '(') {
        struct slice group, list, type;
        whole = take_group(w, &group) && whole;
        op->result_type = group;
        list = mlir_inside(group);
        while (mlir_next_item(&list, &type)) vec_push(&op->result_types, type);
        return whole;
    }
    for (;;) {
        const char *space = mlir_find(w->p, w->end, " ");
        w->p = space;
        if (space == w->end || at(w, SLICE(" loc("))) break;
        w->p++;
    }
    op->result_type = slice_trim(slice_between(start, w->p));
    struct slice list = op->result_type, type;
    while (mlir_next_item(&list, &type)) vec_push(&op->result_types, type);
    return whole;
}

static void clear(struct op_text *op) {
    vec_clear(&op->operands);
    vec_clear(&op->result_types);
    struct op_text empty = {.operands = {op->operands.items, 0, op->operands.cap},
                            .result_types = {op->result_types.items, 0, op->result_types.cap}};
    memcpy(op, &empty, sizeof empty);
}

/* Everything between the name and the end: groups in any order, then types, then the location. */
static void take_rest(struct op_walk *w, struct op_text *op) {
    bool whole = true, located = false, has_operands = false;
    struct slice group;
    while (w->p < w->end) {
        skip_spaces(w);
        if (w->p == w->end) break;
        if (at(w, SLICE("loc("))) {
            w->p += 3;
            located = take_group(w, &group);
            op->location = located ? mlir_inside(group) : slice_skip(group, 1);
        } else if (at(w, SLICE(": "))) {
            w->p += 2;
            whole = take_types(w, op) && whole;
        } else if (*w->p == '@' && !has_operands) {
            take_callee(w, op);
        } else if (*w->p == '(' && !has_operands) {
            has_operands = true;
            whole = take_group(w, &group) && whole;
            take_operands(mlir_inside(group), false, op);
        } else if (*w->p == '<') {
            whole = take_group(w, &group) && whole;
            op->properties = mlir_inside(mlir_inside(group));
        } else if (*w->p == '{') {
            whole = take_group(w, &group) && whole;
            op->attributes = mlir_inside(group);
        } else if (strchr("([\"", *w->p)) {
            whole = take_group(w, &group) && whole;
        } else if (*w->p == '%' && !has_operands) {
            const char *start = w->p;
            w->p = mlir_find(w->p, w->end, " ,");
            vec_push(&op->operands, ((struct op_operand){.value = slice_between(start, w->p)}));
        } else {
            w->p++;
        }
    }
    op->truncated = !whole || !located;
}

bool op_parse(struct slice text, struct op_text *op) {
    clear(op);
    struct op_walk w = {text.ptr, text.ptr + text.len};
    skip_spaces(&w);
    take_result(&w, op);
    if (!take_name(&w, op)) {
        op->truncated = true;
        return false;
    }
    take_rest(&w, op);
    if (op->result_count < op->result_types.len && op->result.len) op->result_count = (unsigned)op->result_types.len;
    return true;
}

void op_release(struct op_text *op) {
    vec_release(&op->operands);
    vec_release(&op->result_types);
}

struct slice op_value_base(struct slice value, unsigned *index) {
    size_t hash = slice_find_byte(value, '#');
    uint64_t n = 0;
    if (hash != SLICE_NONE) num_read_u64(slice_skip(value, hash + 1), &n);
    *index = n < 65536 ? (unsigned)n : 0;
    return slice_take(value, hash == SLICE_NONE ? value.len : hash);
}
