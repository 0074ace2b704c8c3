/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and strings as the source writes them. */
#include "cb/interp/cb_interp.h"

static enum val_type literal_type(struct slice suffix, int64_t num, bool decimal) {
    bool without_sign = false, is_long = false;
    for (size_t i = 0; i < suffix.len; i++) {
        without_sign |= (suffix.ptr[i] | 32) == 'u';
        is_long |= (suffix.ptr[i] | 32) == 'l' || (suffix.ptr[i] | 32) == 'z';
    }
    if (is_long) return without_sign ? VAL_U64 : VAL_I64;
    if (without_sign) return num <= UINT32_MAX ? VAL_U32 : VAL_U64;
    if (num <= INT32_MAX) return VAL_I32;
    return !decimal && num <= UINT32_MAX ? VAL_U32 : VAL_I64;
}

/* The replacement that was given for the number at this place. */
static const struct val *replaced(const struct interp *in, TSNode node) {
    for (size_t i = 0; i < in->numbers.len && in->tree == in->main_tree; i++)
        if (in->numbers.items[i].at == ts_node_start_byte(node)) return in->numbers.items[i].value;
    return NULL;
}

const struct val *interp_number(struct interp *in, TSNode node) {
    const struct val *other = replaced(in, node);
    if (other) return other;
    struct slice text = cpp_text(in->tree, node);
    bool negative = slice_starts(text, SLICE("-")); /* the grammar makes a sign part of the literal */
    if (negative || slice_starts(text, SLICE("+"))) text = slice_skip(text, 1);
    bool hex = slice_starts(text, SLICE("0x")) || slice_starts(text, SLICE("0X"));
    bool binary = slice_starts(text, SLICE("0b")) || slice_starts(text, SLICE("0B"));
    bool octal = text.len > 1 && text.ptr[0] == '0' && text.ptr[1] >= '0' && text.ptr[1] <= '9';
    int64_t base = hex ? 16 : binary ? 2 : octal ? 8 : 10, num = 0;
    size_t i = hex || binary ? 2 : 0;
    for (; i < text.len; i++) {
        char c = text.ptr[i], lower = (char)(c | 32);
        int64_t digit;
        if (c == '\'') continue;
        if (c >= '0' && c <= '9') digit = c - '0';
        else if (hex && lower >= 'a' && lower <= 'f') digit = lower - 'a' + 10;
        else if (lower == 'u' || lower == 'l' || lower == 'z') break;
        else return val_convert(in->arena, VAL_FLOAT, interp_unknown(in, node));
        if (digit >= base || __builtin_mul_overflow(num, base, &num) || __builtin_add_overflow(num, digit, &num))
            return interp_unknown(in, node);
    }
    enum val_type type = literal_type(slice_skip(text, i), num, base == 10);
    const struct val *value = val_num_of(in->arena, type, num);
    return negative ? val_op1(in->arena, OP_NEG, value) : value;
}

const struct val *interp_string(struct interp *in, TSNode node) {
    struct strbuf text = {0};
    struct cpp_nodes parts = cpp_children(in->arena, node);
    for (uint32_t i = 0; i < parts.len && text.len < 4096; i++) {
        if (is_kind(parts.items[i], CPP_string_content)) strbuf_add(&text, cpp_text(in->tree, parts.items[i]));
        else if (is_kind(parts.items[i], CPP_string_literal)) {
            const struct val *part = interp_string(in, parts.items[i]);
            strbuf_add(&text, part->text);
        }
    }
    const struct val *v = val_text(in->arena, arena_copy(in->arena, strbuf_slice(&text)));
    strbuf_release(&text);
    return v;
}

bool cb_set_truth(struct slice text, bool *truth) {
    *truth = slice_equal(text, SLICE("true")) || slice_equal(text, SLICE("True"));
    return *truth || slice_equal(text, SLICE("false")) || slice_equal(text, SLICE("False"));
}

bool cb_set_number(struct slice text, int64_t *num) {
    bool negative = text.len && text.ptr[0] == '-';
    if (negative) text = slice_skip(text, 1);
    bool hex = text.len > 2 && text.ptr[0] == '0' && (text.ptr[1] | 32) == 'x';
    if (hex) text = slice_skip(text, 2);
    if (!text.len || text.len > (hex ? 15u : 18u)) return false;
    *num = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i], lower = (char)(c | 32);
        bool letter = hex && lower >= 'a' && lower <= 'f';
        if (!letter && (c < '0' || c > '9')) return false;
        *num = *num * (hex ? 16 : 10) + (letter ? lower - 'a' + 10 : c - '0');
    }
    if (negative) *num = -*num;
    return true;
}
