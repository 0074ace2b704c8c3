/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/mlir_scan.h"

enum class { PLAIN, OPEN, CLOSE, QUOTE };

static const unsigned char classes[256] = {
    ['('] = OPEN,  ['['] = OPEN,  ['{'] = OPEN,  ['<'] = OPEN,  [')'] = CLOSE,
    [']'] = CLOSE, ['}'] = CLOSE, ['>'] = CLOSE, ['"'] = QUOTE,
};

static enum class class_at(const char *p) { return (enum class)classes[(unsigned char)*p]; }

/* After the closing quote of the string that starts at `p`, or NULL. */
static const char *skip_string(const char *p, const char *end) {
    for (p++; p < end; p++) {
        if (*p == '\\') p++;
        else if (*p == '"') return p + 1;
    }
    return NULL;
}

/* The '>' of "->" closes nothing. Only called for p > start of text. */
static bool is_arrow(const char *p) { return *p == '>' && p[-1] == '-'; }

const char *mlir_skip_group(const char *p, const char *end) {
    if (*p == '"') return skip_string(p, end);
    size_t depth = 0;
    while (p < end) {
        switch (class_at(p)) {
            case PLAIN:
                break;
            case OPEN:
                depth++;
                break;
            case CLOSE:
                if (!is_arrow(p) && --depth == 0) return p + 1;
                break;
            case QUOTE:
                p = skip_string(p, end);
                if (!p) return NULL;
                continue;
        }
        p++;
    }
    return NULL;
}

const char *mlir_find(const char *p, const char *end, const char *stops) {
    const char *start = p;
    while (p < end) {
        if (strchr(stops, *p) && *p) return p;
        enum class c = class_at(p);
        if (c == OPEN || c == QUOTE) {
            p = mlir_skip_group(p, end);
            if (!p) return end;
        } else if (c == CLOSE && !(p > start && is_arrow(p))) {
            return end; /* ran out of the brackets that we were called in */
        } else {
            p++;
        }
    }
    return end;
}

bool mlir_next_item(struct slice *list, struct slice *item) {
    *list = slice_trim(*list);
    if (!list->len) return false;
    const char *end = list->ptr + list->len;
    const char *comma = mlir_find(list->ptr, end, ",");
    *item = slice_trim(slice_between(list->ptr, comma));
    *list = slice_skip(*list, (size_t)(comma - list->ptr) + 1);
    return true;
}

struct slice mlir_inside(struct slice s) {
    if (s.len < 2 || class_at(s.ptr) != OPEN || class_at(s.ptr + s.len - 1) != CLOSE) return s;
    return slice_of(s.ptr + 1, s.len - 2);
}
