/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/raw_member.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static size_t skip_space(struct slice text, size_t at) {
    while (at < text.len && is_space(text.ptr[at])) at++;
    return at;
}

/* From the opening quote to after the closing one. */
static size_t skip_string(struct slice text, size_t at) {
    for (at++; at < text.len && text.ptr[at] != '"'; at++)
        if (text.ptr[at] == '\\') at++;
    return at < text.len ? at + 1 : text.len;
}

static size_t skip_value(struct slice text, size_t at) {
    size_t depth = 0;
    while (at < text.len) {
        char c = text.ptr[at];
        if (c == '"') {
            at = skip_string(text, at);
            if (!depth) return at;
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            if (!depth) return at;
            at++;
            if (--depth == 0) return at;
        } else if (!depth && (c == ',' || is_space(c))) {
            return at;
        } else {
            at++;
        }
    }
    return at;
}

/* The member's value in the object at the start of the text. */
static struct slice member_of(struct slice text, const char *name) {
    size_t at = skip_space(text, 0);
    if (at >= text.len || text.ptr[at] != '{') return slice_of("", 0);
    for (at = skip_space(text, at + 1); at < text.len && text.ptr[at] == '"'; at = skip_space(text, at + 1)) {
        size_t key = at + 1, end = skip_string(text, at);
        at = skip_space(text, end);
        if (end < key + 1 || at >= text.len || text.ptr[at] != ':') break;
        size_t value = skip_space(text, at + 1), after = skip_value(text, value);
        if (slice_equal(slice_of(text.ptr + key, end - 1 - key), slice_from(name)))
            return slice_of(text.ptr + value, after - value);
        at = skip_space(text, after);
        if (at >= text.len || text.ptr[at] != ',') break;
    }
    return slice_of("", 0);
}

struct slice raw_member(struct slice text, const char *const *path, size_t depth) {
    for (size_t i = 0; i < depth && text.len; i++) text = member_of(text, path[i]);
    return text;
}

bool raw_is_integer(struct slice value) {
    size_t at = value.len && value.ptr[0] == '-';
    if (at == value.len) return false;
    for (; at < value.len; at++)
        if (value.ptr[at] < '0' || value.ptr[at] > '9') return false;
    return true;
}
