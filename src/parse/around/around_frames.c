/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of C++ backtraces: which op of ttnn a function belongs to. */
#include <string.h>

#include "base/num.h"
#include "parse/around/around_lines.h"

enum { PARTS_MAX = 8 };

struct path {
    struct slice parts[PARTS_MAX];
    size_t count;
};

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/* ttnn::operations::data_movement::concat(...) */
static void read_plain_path(struct slice s, struct path *out) {
    for (out->count = 0; out->count < PARTS_MAX;) {
        size_t n = 0;
        while (n < s.len && is_word(s.ptr[n])) n++;
        if (!n) return;
        out->parts[out->count++] = slice_take(s, n);
        s = slice_skip(s, n);
        if (!slice_starts(s, SLICE("::"))) return;
        s = slice_skip(s, 2);
    }
}

/* N4ttnn8subtractE...: lengths and names */
static void read_mangled_path(struct slice s, struct path *out) {
    for (out->count = 0; out->count < PARTS_MAX;) {
        uint64_t len;
        size_t digits = num_read_u64(s, &len);
        if (!digits || len > s.len - digits) return;
        out->parts[out->count++] = slice_take(slice_skip(s, digits), (size_t)len);
        s = slice_skip(s, digits + (size_t)len);
    }
}

static bool is_part(const struct path *p, size_t i, const char *name) {
    return i < p->count && slice_equal(p->parts[i], slice_from(name));
}

static bool is_any(struct slice part, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_equal(part, slice_from(names[i]))) return true;
    return false;
}

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* "ExecuteConcat", "BinaryNgDeviceOperation" -> "concat", "binary_ng" */
static struct slice strip_class_name(struct slice s) {
    static const char *const tails[] = {"DeviceOperation", "Operation", "Op"};
    if (slice_starts(s, SLICE("Execute"))) s = slice_skip(s, 7);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct slice tail = slice_from(tails[i]);
        if (s.len > tail.len && slice_ends(s, tail)) return slice_take(s, s.len - tail.len);
    }
    return s;
}

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/* Does a word begin at `i`? "MaxPool2D" and "RMSNorm" have two words. */
static bool begins_word(struct slice s, size_t i) {
    if (!i || !is_upper(s.ptr[i])) return false;
    return is_lower(s.ptr[i - 1]) || (is_upper(s.ptr[i - 1]) && i + 1 < s.len && is_lower(s.ptr[i + 1]));
}

static void add_snake(char *out, size_t room, struct slice s) {
    size_t len = strlen(out);
    for (size_t i = 0; i < s.len && len + 3 < room; i++) {
        if (begins_word(s, i)) out[len++] = '_';
        out[len++] = small(s.ptr[i]);
    }
    out[len] = 0;
}

/* Classes whose op is written as one word. */
static void join_words(char *name) {
    static const struct {
        const char *words, *name;
    } rows[] = {{"up_sample", "upsample"}, {"arg_max", "argmax"}, {"arg_min", "argmin"},
                {"top_k", "topk"},         {"cum_sum", "cumsum"}, {"cum_prod", "cumprod"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].words) == 0) strcpy(name, rows[i].name);
}

/* Functions and namespaces of ttnn that are not ops. */
static const char *const machinery[] = {"device_operation", "decorators", "detail", "core",    "distributed", "graph", "types",
                                        "events",           "Tensor",     "tensor", "reports", "operation"};
static const char *const methods[] = {"invoke",
                                      "run",
                                      "launch",
                                      "create",
                                      "create_output_tensors",
                                      "create_program",
                                      "detail",
                                      "compute_output_specs",
                                      "validate_on_program_cache_miss",
                                      "create_at"};

/* The op of a function below ttnn::operations or ttnn::prim: "halo_op" is halo, "conv2d::conv2d_L1" is conv2d. */
static void name_of_function(struct slice space, struct slice function, char *name, size_t room) {
    static const char *const places[] = {"_L1", "_DRAM"};
    struct slice tail = SLICE("_op");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct slice place = slice_from(places[i]);
        if (slice_ends(function, place) && slice_equal(slice_take(function, function.len - place.len), space)) function = space;
    }
    function = strip_class_name(function);
    if (function.len > tail.len && slice_ends(function, tail)) function.len -= tail.len;
    add_snake(name, room, function);
    join_words(name);
}

/* Functions in an op's folder that help it, or lead to it from Python: their caller is the op. */
static bool is_helper(struct slice name) {
    static const char *const verbs[] = {"bind_", "py_", "get_", "compute_", "determine_", "calculate_", "validate_", "is_"};
    static const char *const tails[] = {"Factory", "_utils", "_helper", "_helpers", "_impl"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (slice_starts(name, slice_from(verbs[i]))) return true;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (slice_ends(name, slice_from(tails[i]))) return true;
    return false;
}

/* The public name of the op of a function below ttnn::. */
static bool name_of_path(const struct path *p, struct around_line *out) {
    if (!is_part(p, 0, "ttnn") || p->count < 2) return false;
    size_t from = 1;
    out->name[0] = 0;
    bool inside = is_part(p, 1, "operations") || is_part(p, 1, "prim");
    if (inside) from = 2;
    if (inside && is_part(p, 2, "trace")) return false; /* the phase already says so */
    if (!inside && is_any(p->parts[1], machinery, sizeof machinery / sizeof *machinery)) return false;
    for (size_t i = p->count; inside && i-- > from;) { /* the innermost part that is a name */
        if (is_any(p->parts[i], methods, sizeof methods / sizeof *methods)) continue;
        name_of_function(p->parts[i - 1], p->parts[i], out->name, sizeof out->name);
        bool detail = false;
        for (size_t k = from; k < i; k++) detail |= is_part(p, k, "detail");
        out->caller = is_part(p, 1, "operations") && !detail && !is_helper(p->parts[i]);
        return true;
    }
    if (inside) return false;
    strcpy(out->name, "ttnn");
    for (size_t i = from; i < p->count; i++) {
        if (is_any(p->parts[i], methods, sizeof methods / sizeof *methods)) continue;
        if (strlen(out->name) + 2 < sizeof out->name) strcat(out->name, ".");
        add_snake(out->name, sizeof out->name, p->parts[i]);
    }
    out->outer = true;
    return true;
}

/* The runtime's own frame: run(tt::target::ttnn::ConcatOp const*, ...). */
static void name_of_runtime(struct slice line, struct around_line *out) {
    struct slice target = SLICE("tt::target::ttnn::");
    size_t at = around_find(line, target);
    if (at == SLICE_NONE) return;
    struct path p;
    read_plain_path(slice_skip(line, at + target.len), &p);
    if (p.count != 1 || !slice_ends(p.parts[0], SLICE("Op")) || p.parts[0].len >= sizeof out->name) return;
    memcpy(out->name, p.parts[0].ptr, p.parts[0].len);
    out->name[p.parts[0].len] = 0;
}

/* "#2  0x00007f in ttnn::add(...) ()" from a debugger, and "  ttnn::add(...)": a call alone on its line, indented, as people
 * copy them. */
static bool read_bare_frame(struct slice line, struct slice *call) {
    static const char *const roots[] = {"ttnn::", "tt::runtime::", "tt::tt_metal::"};
    struct slice bare = slice_trim(line);
    bool numbered = slice_starts(bare, SLICE("#")), indented = line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
    size_t in = around_find(slice_take(bare, 40), SLICE(" in "));
    if (numbered && in != SLICE_NONE) bare = slice_skip(bare, in + 4);
    else if (numbered || !indented) return false;
    struct path p;
    read_plain_path(bare, &p);
    const char *end = p.count ? p.parts[p.count - 1].ptr + p.parts[p.count - 1].len : bare.ptr;
    bool called = end < bare.ptr + bare.len && strchr("(<", *end), ended = numbered && slice_ends(bare, SLICE("()"));
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (slice_starts(bare, slice_from(roots[i])) && (called || ended)) {
            *call = bare;
            return true;
        }
    return false;
}

bool around_read_frame(struct slice line, struct around_line *out) {
    struct slice call;
    size_t dashes = around_find(slice_trim(line), SLICE("--- "));
    if (dashes != SLICE_NONE && dashes <= 60) call = slice_skip(slice_trim(line), dashes + 4);
    else if (!read_bare_frame(line, &call)) return false;
    size_t mangled = around_find(call, SLICE("(_ZN4ttnn"));
    /* ttnn::decorators::registered_operation_t<...{"ttnn::softmax"}, ...>::invoke_composite: the public name */
    size_t registered = around_find(call, SLICE("registered_operation")), quote = around_find(call, SLICE("{\"ttnn::"));
    struct path p = {.count = 0};
    if (registered != SLICE_NONE && quote != SLICE_NONE) read_plain_path(slice_skip(call, quote + 2), &p);
    else if (mangled != SLICE_NONE) read_mangled_path(slice_skip(call, mangled + 4), &p);
    else if (slice_starts(call, SLICE("ttnn::"))) read_plain_path(call, &p);
    out->kind = AROUND_FRAME;
    out->phase = around_phase_of(call);
    if (!name_of_path(&p, out)) out->name[0] = 0, out->outer = false;
    if (!p.count) name_of_runtime(call, out);
    return true;
}

bool around_read_op_name(struct slice call, struct around_line *out) {
    struct path p;
    read_plain_path(call, &p);
    if (!p.count) return false;
    if (!name_of_path(&p, out)) out->name[0] = 0, out->outer = false;
    return true;
}
