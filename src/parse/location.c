/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/location.h"

#include "parse/mlir_scan.h"

enum { MAX_DEPTH = 64 };

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* MLIR writes a quote as \22, a newline as \0A, a backslash as \\; it also reads \n and \t. */
static void add_unescaped(struct strbuf *out, struct slice s) {
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '\\' && i + 2 < s.len && hex_digit(s.ptr[i + 1]) >= 0 && hex_digit(s.ptr[i + 2]) >= 0) {
            strbuf_addc(out, (char)(hex_digit(s.ptr[i + 1]) * 16 + hex_digit(s.ptr[i + 2])));
            i += 2;
        } else if (s.ptr[i] == '\\' && i + 1 < s.len) {
            char c = s.ptr[++i];
            strbuf_addc(out, c == 'n' ? '\n' : c == 't' ? '\t' : c);
        } else {
            strbuf_addc(out, s.ptr[i]);
        }
    }
}

/* A quoted name and the text after it; false if `s` does not start with a complete string. */
static bool take_string(struct slice s, struct slice *name, struct slice *rest) {
    if (!s.len || s.ptr[0] != '"') return false;
    const char *end = s.ptr + s.len, *past = mlir_skip_group(s.ptr, end);
    if (!past) return false;
    *name = slice_of(s.ptr + 1, (size_t)(past - s.ptr) - 2);
    *rest = slice_between(past, end);
    return true;
}

static bool take_fused(struct slice s, struct slice *list) {
    if (!slice_starts(s, SLICE("fused"))) return false;
    const char *end = s.ptr + s.len, *p = s.ptr + 5;
    if (p < end && *p == '<') p = mlir_skip_group(p, end);
    if (!p || p == end || *p != '[') return false;
    *list = mlir_inside(slice_between(p, end));
    return true;
}

static bool take_callsite(struct slice s, struct slice *callee) {
    struct slice head = SLICE("callsite(");
    if (!slice_starts(s, head) || !slice_ends(s, SLICE(")"))) return false;
    struct slice inside = slice_of(s.ptr + head.len, s.len - head.len - 1);
    const char *end = inside.ptr + inside.len;
    for (const char *p = inside.ptr; p < end;) {
        const char *space = mlir_find(p, end, " ");
        if (space == end) break;
        if (slice_starts(slice_between(space, end), SLICE(" at "))) {
            *callee = slice_between(inside.ptr, space);
            return true;
        }
        p = space + 1;
    }
    *callee = inside;
    return true;
}

static void display(struct strbuf *out, struct slice s, const struct location_names *names, int depth) {
    struct slice name, rest, list, item;
    s = slice_trim(s);
    if (depth > MAX_DEPTH) return;
    if (take_string(s, &name, &rest)) {
        add_unescaped(out, name);
        if (rest.len && rest.ptr[0] == ':') {
            /* file position; a range shows its start */
            size_t space = slice_find_byte(rest, ' ');
            strbuf_add(out, slice_take(rest, space == SLICE_NONE ? rest.len : space));
        }
    } else if (take_fused(s, &list)) {
        bool first = true;
        while (mlir_next_item(&list, &item)) {
            size_t before = out->len;
            if (!first) strbuf_addz(out, ", ");
            size_t named = out->len;
            display(out, item, names, depth + 1);
            if (out->len == named) out->len = before;
            else first = false;
        }
    } else if (take_callsite(s, &item)) {
        display(out, item, names, depth + 1);
    } else if (s.len && s.ptr[0] == '#' && names) {
        display(out, names->find(names->context, s), names, depth + 1);
    }
}

void location_display(struct strbuf *out, struct slice location) { display(out, location, NULL, 0); }

void location_display_with(struct strbuf *out, struct slice location, const struct location_names *names) {
    display(out, location, names, 0);
}
