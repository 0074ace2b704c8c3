/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Python: frames of tracebacks, the op that a line of code calls, ttnn's list of buffers that are alive when a
 * trace is replayed (ttnn/ttnn/unsafe_allocation_tracker.py). */
#include <string.h>

#include "base/num.h"
#include "parse/around/around_lines.h"

static bool is_any_of(struct slice word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_equal(word, slice_from(words[i]))) return true;
    return false;
}

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

static bool is_library(struct slice line) {
    static const char *const libraries[] = {"site-packages", "dist-packages", "/usr/lib/python", "<frozen",
                                            "/ttnn/ttnn/",   "<string>",      "/lib/python3",    "ttnn/ttnn/"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (around_has(line, libraries[i])) return true;
    return false;
}

/* "models/net.py:12: in forward", "models/net.py:12: RuntimeError", "models/net.py:12: " from pytest's own tracebacks. */
bool around_read_pytest_frame(struct slice line, struct around_line *out) {
    struct slice bare = around_without_prefix(line);
    size_t dot = around_find(bare, SLICE(".py:"));
    if (dot == SLICE_NONE || slice_find_byte(slice_take(bare, dot), ' ') != SLICE_NONE) return false;
    uint64_t number;
    struct slice rest = slice_skip(bare, dot + 4);
    size_t digits = num_read_u64(rest, &number);
    rest = slice_skip(rest, digits);
    if (!digits || !slice_starts(rest, SLICE(":")) || (rest.len > 1 && rest.ptr[1] != ' ')) return false;
    out->kind = AROUND_PYTHON;
    out->phase = around_phase_of(rest);
    out->outer = slice_starts(rest, SLICE(": in "));
    if (is_library(bare)) return true;
    out->number = number;
    out->text = slice_take(bare, dot + 3);
    return true;
}

/* File "/src/model.py", line 12, in forward */
bool around_read_python(struct slice line, struct around_line *out) {
    size_t file = around_find(line, SLICE("File \"")), end = around_find(line, SLICE("\", line "));
    if (file == SLICE_NONE || end == SLICE_NONE || end < file + 6) return false;
    out->kind = AROUND_PYTHON;
    out->phase = around_phase_of(line);
    out->outer = true;
    if (is_library(line)) return true;
    if (num_read_u64(slice_skip(line, end + 8), &out->number)) out->text = slice_between(line.ptr + file + 6, line.ptr + end);
    return true;
}

/* ---- the op that a line calls ---- */

/* Functions of ttnn that are not ops: devices, traces, configurations. */
static bool is_op_name(struct slice name) {
    static const char *const others[] = {"open_device",
                                         "open_mesh_device",
                                         "close_device",
                                         "close_mesh_device",
                                         "manage_device",
                                         "synchronize_device",
                                         "begin_trace_capture",
                                         "end_trace_capture",
                                         "execute_trace",
                                         "release_trace",
                                         "core",
                                         "deallocate",
                                         "device",
                                         "get_device_ids",
                                         "set_printoptions",
                                         "GetDefaultDevice",
                                         "record_event",
                                         "wait_for_event",
                                         "init_device_compute_kernel_config"};
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    struct slice last = dot ? slice_between(dot + 1, name.ptr + name.len) : name;
    if (!last.len || last.ptr[0] < 'a' || last.ptr[0] > 'z' || slice_ends(last, SLICE("_config"))) return false;
    return !is_any_of(last, others, sizeof others / sizeof *others);
}

/* "out = ttnn.matmul(a, b)": only if the line calls a single op. With several, it does not tell which one failed. */
static bool op_called(struct slice code, char *name, size_t room) {
    struct slice found = slice_of("", 0), lead = SLICE("ttnn.");
    for (size_t at; (at = around_find(code, lead)) != SLICE_NONE;) {
        bool inside = at && (is_word(code.ptr[at - 1]) || code.ptr[at - 1] == '.');
        struct slice call = slice_skip(code, at);
        size_t n = 0;
        while (n < call.len && (is_word(call.ptr[n]) || call.ptr[n] == '.')) n++;
        code = slice_skip(call, n);
        bool op = !inside && code.len && code.ptr[0] == '(' && is_op_name(slice_take(call, n));
        if (op && found.len && !slice_equal(found, slice_take(call, n))) return false;
        if (op) found = slice_take(call, n);
    }
    if (!found.len || found.len >= room) return false;
    memcpy(name, found.ptr, found.len);
    name[found.len] = 0;
    return true;
}

void around_call_below(struct slice text, struct around_line *frame) {
    enum { LONGEST = 512 };
    struct slice line = slice_take(slice_take(text, LONGEST), slice_find_byte(slice_take(text, LONGEST), '\n'));
    if (around_has(line, "\", line ")) return;
    op_called(line, frame->name, sizeof frame->name);
    if (!frame->phase && around_has(line, "_trace_capture(")) frame->phase = around_phase_of(line);
}

/* ">       out = ttnn.matmul(a, b)" from pytest, and the op as ttnn's decorators name it: "self =
 * FastOperation(python_fully_qualified_name='ttnn.matmul', ..." */
bool around_read_call(struct slice line, struct around_line *out) {
    struct slice words = SLICE("python_fully_qualified_name='");
    size_t at = around_find(line, words), mark = around_find(line, SLICE(">       "));
    out->kind = AROUND_CALL;
    if (at != SLICE_NONE && around_has(slice_take(line, at), "Operation(")) {
        struct slice name = slice_skip(line, at + words.len);
        size_t end = slice_find_byte(name, '\'');
        if (end == SLICE_NONE || !end || end >= sizeof out->name) return false;
        memcpy(out->name, name.ptr, end);
        out->name[end] = 0;
        return true;
    }
    if (mark == SLICE_NONE || slice_trim(around_without_prefix(slice_take(line, mark))).len) return false;
    if (around_has(line, "self.function(") || around_has(line, "self.decorated_function("))
        return false; /* code of ttnn itself */
    op_called(slice_skip(line, mark), out->name, sizeof out->name);
    return true;
}

/* ---- buffers that are alive when a trace is replayed ---- */

/* "'self.cache[0]', shape=Shape([1, 32])": the path of a tensor */
static bool read_holder(struct slice line, struct around_line *out) {
    size_t end = around_find(line, SLICE("', shape="));
    if (end == SLICE_NONE) return false;
    const char *from = end ? memchr(line.ptr, '\'', end) : NULL;
    if (!from || from + 1 == line.ptr + end) return false;
    out->kind = AROUND_HOLDER;
    out->text = slice_between(from + 1, line.ptr + end);
    return true;
}

/* "Buffer 4711 [op: ttnn.add]", "Buffer 4712", "Buffer 4711: found in 2 Python reference(s)" */
bool around_read_buffer(struct slice line, struct around_line *out) {
    struct slice bare = slice_trim(around_without_prefix(line)), word = SLICE("Buffer "), op = SLICE(" [op: ");
    if (!slice_starts(bare, word)) return read_holder(line, out);
    struct slice rest = slice_skip(bare, word.len);
    size_t digits = num_read_u64(rest, &out->number);
    rest = slice_skip(rest, digits);
    if (!digits) return false;
    out->kind = AROUND_BUFFER;
    if (slice_starts(rest, SLICE(": found in "))) out->kind = AROUND_BUFFER_HELD;
    else if (slice_starts(rest, op) && slice_ends(rest, SLICE("]"))) {
        struct slice name = slice_take(slice_skip(rest, op.len), rest.len - op.len - 1);
        name = slice_take(name, sizeof out->name - 1);
        memcpy(out->name, name.ptr, name.len);
        out->name[name.len] = 0;
    } else if (rest.len) return false;
    return true;
}
