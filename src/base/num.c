/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"

size_t num_read_u64(struct slice s, uint64_t *out) {
    enum { NO_OVERFLOW = 19 }; /* digits */
    uint64_t value = 0;
    size_t i = 0, safe = s.len < NO_OVERFLOW ? s.len : NO_OVERFLOW;
    for (; i < safe && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++) value = value * 10 + (uint64_t)(s.ptr[i] - '0');
    for (; i >= NO_OVERFLOW && i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(s.ptr[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return 0;
        value = value * 10 + digit;
    }
    *out = value;
    return i;
}

size_t num_at_end(struct slice s, uint64_t *out) {
    size_t at = s.len;
    while (at && s.ptr[at - 1] >= '0' && s.ptr[at - 1] <= '9') at--;
    return num_read_u64(slice_skip(s, at), out);
}

size_t num_read_thousandths(struct slice s, uint64_t *out) {
    uint64_t whole;
    size_t i = num_read_u64(s, &whole);
    if (!i || whole > UINT64_MAX / 2000) return 0;
    uint64_t value = whole * 1000;
    if (i + 1 < s.len && s.ptr[i] == '.' && s.ptr[i + 1] >= '0' && s.ptr[i + 1] <= '9') {
        i++;
        uint64_t scale = 100;
        for (; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++) {
            uint64_t digit = (uint64_t)(s.ptr[i] - '0');
            if (scale) {
                value += digit * scale;
                scale /= 10;
                if (!scale && i + 1 < s.len && s.ptr[i + 1] >= '5' && s.ptr[i + 1] <= '9') value++;
            }
        }
    }
    *out = value;
    return i;
}

/* Two digits at a time, from the end. */
size_t num_write_u64(char *out, uint64_t n) {
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
        "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
        "9899";
    if (n < 10) {
        *out = (char)('0' + n);
        return 1;
    }
    char digits[20], *at = digits + sizeof digits;
    for (; n >= 10; n /= 100) memcpy(at -= 2, pairs + n % 100 * 2, 2);
    if (n) *--at = (char)('0' + n);
    size_t len = (size_t)(digits + sizeof digits - at);
    memcpy(out, at, len);
    return len;
}

size_t num_write_i64(char *out, int64_t n) {
    if (n >= 0) return num_write_u64(out, (uint64_t)n);
    *out = '-';
    return 1 + num_write_u64(out + 1, 0 - (uint64_t)n);
}

size_t num_write_thousandths(char *out, int64_t n) {
    size_t len = 0;
    uint64_t magnitude = (uint64_t)n;
    if (n < 0) {
        out[len++] = '-';
        magnitude = 0 - (uint64_t)n;
    }
    len += num_write_u64(out + len, magnitude / 1000);
    unsigned rest = (unsigned)(magnitude % 1000);
    if (rest) {
        out[len++] = '.';
        out[len++] = (char)('0' + rest / 100);
        if (rest % 100) out[len++] = (char)('0' + rest / 10 % 10);
        if (rest % 10) out[len++] = (char)('0' + rest % 10);
    }
    return len;
}

size_t num_write_grouped(char *out, uint64_t n) {
    char plain[NUM_ROOM];
    size_t len = num_write_u64(plain, n), used = 0;
    for (size_t i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) out[used++] = ',';
        out[used++] = plain[i];
    }
    return used;
}

bool num_mul(uint64_t a, uint64_t b, uint64_t *out) { return !__builtin_mul_overflow(a, b, out); }

bool num_add(uint64_t a, uint64_t b, uint64_t *out) { return !__builtin_add_overflow(a, b, out); }

int64_t num_percent_milli(int64_t a, int64_t b) {
    if (!b) return 0;
    __int128 scaled = (__int128)a * 100000;
    __int128 half = (b < 0 ? -(__int128)b : b) / 2;
    scaled += (scaled < 0) == (b < 0) ? half : -half;
    return (int64_t)(scaled / b);
}
