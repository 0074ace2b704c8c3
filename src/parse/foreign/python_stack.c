/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/python_stack.h"

static bool is_own(struct slice path) {
    return slice_find(path, SLICE("/ttnn/ttnn/")) != SLICE_NONE || slice_find(path, SLICE("-packages/ttnn/")) != SLICE_NONE;
}

bool python_stack_frame(struct slice text, struct python_frame *out) {
    static const struct slice head = {"File \"", 6}, between = {"\", line ", 8};
    for (size_t at; (at = slice_find(text, head)) != SLICE_NONE;) {
        text = slice_skip(text, at + head.len);
        size_t end = slice_find_byte(text, '"'), digits = 0;
        if (end == SLICE_NONE) return false;
        struct slice path = slice_take(text, end);
        text = slice_skip(text, end);
        if (!slice_starts(text, between)) continue;
        struct slice line = slice_skip(text, between.len);
        while (digits < line.len && line.ptr[digits] >= '0' && line.ptr[digits] <= '9') digits++;
        if (!digits || is_own(path)) continue;
        *out = (struct python_frame){path, slice_take(line, digits)};
        return true;
    }
    return false;
}

void python_frame_place(struct strbuf *out, const struct python_frame *frame) {
    size_t name = frame->path.len;
    while (name && frame->path.ptr[name - 1] != '/') name--;
    strbuf_add(out, slice_skip(frame->path, name));
    strbuf_addc(out, ':');
    strbuf_add(out, frame->line);
}
