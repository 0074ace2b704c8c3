/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_split.h"

static const char *skip_space(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    return p;
}

/* After the string that begins at `p`; NULL if it has no end. */
static const char *skip_string(const char *p, const char *end) {
    for (p++; p < end;) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        if (!quote) return NULL;
        size_t slashes = 0;
        while (quote - slashes > p && quote[-(ptrdiff_t)slashes - 1] == '\\') slashes++;
        if (slashes % 2 == 0) return quote + 1;
        p = quote + 1;
    }
    return NULL;
}

/* After the value that begins at `p`; NULL if it is cut. Looks only at brackets and strings. */
static const char *skip_value(const char *p, const char *end) {
    size_t depth = 0;
    while (p && p < end) {
        switch (*p) {
            case '"':
                p = skip_string(p, end);
                break;
            case '{':
            case '[':
                depth++;
                p++;
                break;
            case '}':
            case ']':
                if (!depth) return p;
                depth--;
                p++;
                break;
            case ',':
                if (!depth) return p;
                p++;
                continue;
            default:
                p++;
                continue;
        }
        if (!depth) return p;
    }
    return depth ? NULL : p;
}

char json_split_kind(struct slice text) {
    const char *p = skip_space(text.ptr, text.ptr + text.len);
    return p < text.ptr + text.len ? *p : 0;
}

bool json_split_whole(struct slice text) {
    const char *end = text.ptr + text.len, *p = skip_space(text.ptr, end);
    if (p == end || (*p != '{' && *p != '[')) return false;
    p = skip_value(p, end);
    return p && skip_space(p, end) == end;
}

bool json_split_member(struct slice text, const char *name, struct slice *value) {
    const char *end = text.ptr + text.len, *p = skip_space(text.ptr, end);
    if (p == end || *p != '{') return false;
    for (p = skip_space(p + 1, end); p < end && *p == '"'; p = skip_space(p, end)) {
        const char *key = p + 1, *stop = skip_string(p, end);
        if (!stop) return false;
        bool wanted = slice_equal(slice_between(key, stop - 1), slice_from(name));
        p = skip_space(stop, end);
        if (p == end || *p != ':') return false;
        const char *begin = skip_space(p + 1, end);
        p = skip_value(begin, end);
        if (!p) return false;
        if (wanted) {
            *value = slice_between(begin, p);
            return true;
        }
        p = skip_space(p, end);
        if (p < end && *p == ',') p = skip_space(p + 1, end);
    }
    return false;
}

struct json_items json_split_items(struct slice array) {
    const char *end = array.ptr + array.len, *p = skip_space(array.ptr, end);
    return (struct json_items){p < end && *p == '[' ? slice_between(p + 1, end) : slice_of(end, 0), false};
}

bool json_split_next(struct json_items *items, struct slice *item) {
    const char *end = items->rest.ptr + items->rest.len, *p = skip_space(items->rest.ptr, end);
    if (p < end && *p == ',') p = skip_space(p + 1, end);
    if (p == end || *p == ']') {
        items->rest = slice_of(end, 0);
        return false;
    }
    const char *past = skip_value(p, end);
    if (!past || past == p) {
        items->broken = true;
        items->rest = slice_of(end, 0);
        return false;
    }
    *item = slice_between(p, past);
    items->rest = slice_between(past, end);
    return true;
}
