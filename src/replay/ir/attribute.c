/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/ir/attribute.h"

#include "base/num.h"
#include "parse/mlir_scan.h"

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

struct slice attribute_text(struct slice properties, const char *key) {
    struct slice word = slice_from(key), rest = properties;
    for (;;) {
        size_t at = slice_find(rest, word);
        if (at == SLICE_NONE) return slice_of("", 0);
        struct slice after = slice_skip(rest, at + word.len);
        const char *start = rest.ptr + at;
        bool whole = start == properties.ptr || !is_word(start[-1]);
        if (whole && slice_starts(after, SLICE(" = "))) {
            after = slice_skip(after, 3);
            return slice_between(after.ptr, mlir_find(after.ptr, after.ptr + after.len, ",>}"));
        }
        rest = after;
    }
}

unsigned attribute_numbers(struct slice properties, const char *key, int64_t *out, unsigned room) {
    struct slice text = attribute_text(properties, key);
    unsigned count = 0;
    for (size_t i = 0; i < text.len && count < room;) {
        char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            uint64_t n = 0;
            size_t used = num_read_u64(slice_skip(text, i), &n);
            if (!used || n > INT64_MAX) return count;
            out[count++] = i && text.ptr[i - 1] == '-' ? -(int64_t)n : (int64_t)n;
            i += used;
            if (i < text.len && text.ptr[i] == 'x') i++; /* 4x1x60 */
        } else if (is_word(c)) {
            while (i < text.len && is_word(text.ptr[i])) i++;
        } else {
            i++;
        }
    }
    return count;
}

int64_t attribute_number(struct slice properties, const char *key, int64_t fallback) {
    int64_t n;
    return attribute_numbers(properties, key, &n, 1) ? n : fallback;
}

bool attribute_is(struct slice properties, const char *key, const char *word) {
    return slice_starts(attribute_text(properties, key), slice_from(word));
}
