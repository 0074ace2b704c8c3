/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/run/module_path.h"

#include "base/num.h"

static const struct slice unknown = {"unknown", 7};

/* Takes off and returns the part after the last `mark`; all of it if there is none. */
static struct slice take_last(struct slice *rest, char mark) {
    const char *at = memrchr(rest->ptr, mark, rest->len);
    struct slice last = *rest;
    if (!at) {
        rest->len = 0;
        return last;
    }
    last = slice_between(at + 1, rest->ptr + rest->len);
    rest->len = (size_t)(at - rest->ptr);
    return last;
}

static bool is_number(struct slice s) {
    uint64_t n;
    if (s.len && s.ptr[0] == '-') s = slice_skip(s, 1);
    return s.len && num_read_u64(s, &n) == s.len;
}

static void add_part(struct module_path *path, struct slice part) {
    if (part.len && !slice_equal(part, unknown) && path->count < MODULE_PATH_PARTS) path->parts[path->count++] = part;
}

static void split_parts(struct module_path *path, struct slice rest, char mark) {
    while (rest.len) {
        size_t end = slice_find_byte(rest, mark);
        add_part(path, slice_take(rest, end));
        rest = end == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, end + 1);
    }
}

static size_t count_bytes(struct slice s, char c) {
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += s.ptr[i] == c;
    return n;
}

/* <index>|<Class[module]>|...|<file>:<line of def>|<function>|<line>|<op> */
static void read_torch(struct module_path *path, struct slice rest) {
    path->leaf = take_last(&rest, '|');
    struct slice line = take_last(&rest, '|');
    path->function = take_last(&rest, '|');
    struct slice file = take_last(&rest, '|');
    if (is_number(line)) num_read_u64(line, &path->line);
    if (slice_equal(path->function, unknown)) path->function.len = 0;
    struct slice name = file;
    if (is_number(take_last(&name, ':')) && name.len) file = name;
    if (!slice_equal(file, unknown)) path->file = file;
    size_t end = slice_find_byte(rest, '|');
    if (is_number(slice_take(rest, end))) rest = end == SLICE_NONE ? slice_of("", 0) : slice_skip(rest, end + 1);
    split_parts(path, rest, '|');
}

void module_path_of(struct slice display, struct module_path *path) {
    *path = (struct module_path){.leaf = display};
    if (count_bytes(display, '|') >= 4) {
        read_torch(path, display);
        return;
    }
    struct slice rest = display;
    struct slice column = take_last(&rest, ':'), line = rest.len ? take_last(&rest, ':') : column;
    if (rest.len && is_number(column) && is_number(line)) {
        path->file = rest;
        num_read_u64(line, &path->line);
        path->leaf = slice_of("", 0);
    } else if (slice_find_byte(display, '/') != SLICE_NONE && slice_find_byte(display, ' ') == SLICE_NONE) {
        rest = display;
        path->leaf = take_last(&rest, '/');
        split_parts(path, rest, '/');
    }
}
