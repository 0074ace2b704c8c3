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
