/* SPDX-License-Identifier: Apache-2.0 */
#include "base/slice.h"

struct slice slice_trim(struct slice s) {
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
        s.ptr++;
        s.len--;
    }
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t')) s.len--;
    return s;
}

size_t slice_find(struct slice s, struct slice needle) {
    const char *hit = s.len ? memmem(s.ptr, s.len, needle.ptr, needle.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : SLICE_NONE;
}

size_t slice_find_byte(struct slice s, char c) {
    const char *hit = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return hit ? (size_t)(hit - s.ptr) : SLICE_NONE;
}

static size_t digits_at(struct slice s, size_t at) {
    size_t n = 0;
    while (at + n < s.len && s.ptr[at + n] >= '0' && s.ptr[at + n] <= '9') n++;
    return n;
}

/* Numbers of any length: without leading zeros the longer one is larger. */
static int compare_digits(struct slice a, struct slice b) {
    while (a.len > 1 && a.ptr[0] == '0') a = slice_skip(a, 1);
    while (b.len > 1 && b.ptr[0] == '0') b = slice_skip(b, 1);
    if (a.len != b.len) return a.len < b.len ? -1 : 1;
    return memcmp(a.ptr, b.ptr, a.len);
}

int slice_natural(struct slice a, struct slice b) {
    size_t i = 0, k = 0;
    while (i < a.len && k < b.len) {
        size_t m = digits_at(a, i), n = digits_at(b, k);
        int order = m && n ? compare_digits(slice_of(a.ptr + i, m), slice_of(b.ptr + k, n))
                           : (int)(unsigned char)a.ptr[i] - (int)(unsigned char)b.ptr[k];
        if (order) return order;
        i += m && n ? m : 1;
        k += m && n ? n : 1;
    }
    if (i < a.len || k < b.len) return i < a.len ? 1 : -1;
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1; /* "07" after "7" */
}
