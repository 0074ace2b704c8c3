/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/mlir_scan.h"

#include "scan/group.h"

const char *mlir_skip_group(const char *p, const char *end) { return group_skip(p, end); }

const char *mlir_find(const char *p, const char *end, const char *stops) {
    const char *start = p;
    while (p < end) {
        for (const char *stop = stops; *stop; stop++)
            if (*p == *stop) return p;
        enum group_class c = group_class_at(p);
        if (c == GROUP_OPEN || c == GROUP_QUOTE) {
            p = group_skip(p, end);
            if (!p) return end;
        } else if (c == GROUP_CLOSE && !(p > start && *p == '>' && p[-1] == '-')) {
            return end; /* left the brackets around the starting point */
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
    if (s.len < 2 || group_class_at(s.ptr) != GROUP_OPEN || group_class_at(s.ptr + s.len - 1) != GROUP_CLOSE) return s;
    return slice_of(s.ptr + 1, s.len - 2);
}
