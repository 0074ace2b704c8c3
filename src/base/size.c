/* SPDX-License-Identifier: Apache-2.0 */
#include "base/size.h"

enum { MAX_DECIMALS = 30 };

/* value = digits / 10^decimals, both kept small enough to check the product of two factors. */
struct decimal {
    unsigned __int128 digits;
    int decimals;
};

static bool is_digit(struct slice s, size_t i) { return i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; }

static bool multiply(unsigned __int128 *value, unsigned __int128 by) { return !__builtin_mul_overflow(*value, by, value); }

/* Digits with grouping commas and a decimal point, then an exponent. Returns bytes read, 0 on failure. */
static size_t read_decimal(struct slice s, struct decimal *out) {
    *out = (struct decimal){0};
    size_t i = 0, seen = 0;
    bool point = false;
    for (; i < s.len; i++) {
        if (s.ptr[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (s.ptr[i] == ',' && !point && seen && is_digit(s, i + 1)) continue;
        if (!is_digit(s, i)) break;
        if (!multiply(&out->digits, 10) || out->digits > (unsigned __int128)UINT64_MAX * 1000000) return 0;
        out->digits += (unsigned)(s.ptr[i] - '0');
        out->decimals += point;
        seen++;
    }
    if (!seen) return 0;
    if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
        size_t j = i + 1;
        bool negative = j < s.len && s.ptr[j] == '-';
        if (j < s.len && (s.ptr[j] == '-' || s.ptr[j] == '+')) j++;
        if (is_digit(s, j)) {
            int exponent = 0;
            for (; is_digit(s, j); j++)
                if (exponent < 1000) exponent = exponent * 10 + (s.ptr[j] - '0');
            out->decimals += negative ? exponent : -exponent;
            i = j;
        }
    }
    return i;
}

static size_t read_unit(struct slice s, uint64_t *unit) {
    static const char letters[] = "KMGT";
    *unit = 1;
    if (!s.len) return 0;
    char c = (char)(s.ptr[0] & ~0x20);
    if (c == 'B') return 1;
    const char *at = c ? strchr(letters, c) : NULL;
    if (!at) return 0;
    for (const char *l = letters; l <= at; l++) *unit *= 1024;
    size_t n = 1;
    if (n < s.len && s.ptr[n] == 'i') n++;
    if (n < s.len && (s.ptr[n] & ~0x20) == 'B') n++;
    return n;
}

static struct slice skip_spaces(struct slice s) {
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) s = slice_skip(s, 1);
    return s;
}

static bool to_bytes(struct decimal value, uint64_t *bytes) {
    for (; value.decimals < 0 && value.digits; value.decimals++)
        if (!multiply(&value.digits, 10)) return false;
    if (value.decimals > MAX_DECIMALS) return false;
    unsigned __int128 divisor = 1;
    for (int i = 0; i < value.decimals; i++) divisor *= 10;
    unsigned __int128 rounded = value.digits / divisor + (value.digits % divisor >= divisor - divisor / 2 && divisor > 1);
    if (rounded > UINT64_MAX) return false;
    *bytes = (uint64_t)rounded;
    return true;
}

bool size_read(struct slice text, uint64_t *bytes) {
    struct decimal product = {.digits = 1};
    for (struct slice rest = skip_spaces(text);;) {
        struct decimal factor;
        size_t n = read_decimal(rest, &factor);
        if (!n) return false;
        rest = skip_spaces(slice_skip(rest, n));
        uint64_t unit;
        rest = skip_spaces(slice_skip(rest, read_unit(rest, &unit)));
        if (!multiply(&product.digits, factor.digits) || !multiply(&product.digits, unit)) return false;
        product.decimals += factor.decimals;
        if (product.decimals > MAX_DECIMALS || product.decimals < -MAX_DECIMALS) return false;
        if (!rest.len) return to_bytes(product, bytes);
        if (rest.ptr[0] != '*') return false;
        rest = skip_spaces(slice_skip(rest, 1));
    }
}
