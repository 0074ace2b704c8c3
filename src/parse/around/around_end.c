/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "parse/around.h"

#include "base/num.h"
#include "parse/message_text.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* Like the frames of a traceback; a prefix includes the blanks after it. */
static bool is_indented(struct slice line, size_t prefix) {
    if (prefix < line.len && is_space(line.ptr[prefix])) return true;
    return prefix > 1 && is_space(line.ptr[prefix - 1]) && is_space(line.ptr[prefix - 2]);
}

/* Words that begin the lines of an ending process. */
static bool begins_ending(struct slice bare) {
    static const char *const starts[] = {"backtrace:",
                                         "---",
                                         "info:",
                                         "Traceback",
                                         "During handling of",
                                         "The above exception",
                                         "FATAL",
                                         "TT_FATAL",
                                         "TT_THROW",
                                         "what()",
                                         "Buffer ",
                                         "Hint: ",
                                         "Use corruptible",
                                         "nanobind:",
                                         "Closing ",
                                         "Exception ignored",
                                         "=",
                                         "_",
                                         "E  ",
                                         "FAILED",
                                         "ERROR",
                                         "{"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (slice_starts(bare, slice_from(starts[i]))) return true;
    return false;
}

bool around_is_indented(struct slice line) {
    size_t prefix = message_text_prefix(line);
    return slice_trim(slice_skip(line, prefix)).len && is_indented(line, prefix);
}

bool around_is_other_error(struct slice line) {
    static const char *const classes[] = {"AssertionError",
                                          "AttributeError",
                                          "BrokenPipeError",
                                          "ConnectionError",
                                          "ConnectionRefusedError",
                                          "ConnectionResetError",
                                          "EOFError",
                                          "FileExistsError",
                                          "FileNotFoundError",
                                          "HTTPError",
                                          "ImportError",
                                          "IndentationError",
                                          "IndexError",
                                          "IsADirectoryError",
                                          "JSONDecodeError",
                                          "KeyError",
                                          "KeyboardInterrupt",
                                          "LookupError",
                                          "ModuleNotFoundError",
                                          "NameError",
                                          "NotADirectoryError",
                                          "NotImplementedError",
                                          "PermissionError",
                                          "RecursionError",
                                          "StopIteration",
                                          "SyntaxError",
                                          "TimeoutError",
                                          "TypeError",
                                          "UnboundLocalError",
                                          "UnicodeDecodeError",
                                          "UnicodeEncodeError",
                                          "ValidationError",
                                          "ValueError",
                                          "ZeroDivisionError"};
    static const char *const statuses[] = {"Error code:", "StatusOr", "INTERNAL:", "RESOURCE_EXHAUSTED"}; /* from PJRT */
    struct slice bare = slice_trim(line), name = slice_take(bare, slice_find_byte(bare, ':'));
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    if (dot) name = slice_between(dot + 1, name.ptr + name.len);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (slice_find(bare, slice_from(statuses[i])) != SLICE_NONE) return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (slice_equal(name, slice_from(classes[i]))) return true;
    return false;
}

/* The next field of a line with bars, trimmed; false if no bar follows. */
static bool take_field(struct slice *line, struct slice *field) {
    size_t bar = slice_find(*line, SLICE("| "));
    if (bar == SLICE_NONE) return false;
    *field = slice_trim(slice_take(*line, bar));
    *line = slice_skip(*line, bar + 2);
    return true;
}

static bool is_one_word(struct slice s) {
    for (size_t i = 0; i < s.len; i++)
        if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') && !(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z') && s.ptr[i] != '_') return false;
    return s.len > 0;
}

/* A line of tt-metal's logger, which also writes while devices close: "time | info | Metal | text", "Metal | INFO | text".
 * Its lines about ops come from a program that continues, and so do those of other loggers with bars ("time | INFO |
 * app:main:3 - "). */
static bool is_metal_logger(struct slice line) {
    struct slice first, second, third, op = SLICE("Op");
    if (!take_field(&line, &first) || !take_field(&line, &second) || !is_one_word(second)) return false;
    if (is_one_word(first)) return !slice_equal(first, op);
    return take_field(&line, &third) && is_one_word(third) && !slice_equal(third, op);
}

/* "INFO:     10.0.0.1:4242 - ..." from a server that continues. */
static bool is_level(struct slice word) {
    static const char *const levels[] = {"INFO:", "WARNING:", "DEBUG:", "INFO", "WARNING", "DEBUG"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (slice_equal(word, slice_from(levels[i]))) return true;
    return false;
}

bool around_may_end(struct slice line) {
    static const char *const logged[] = {
        " buffer(s) not found", "(assert.hpp", "Error: ", "Exception: ", "resource_tracker", "##["};
    size_t prefix = message_text_prefix(line);
    struct slice bare = slice_trim(slice_skip(line, prefix));
    if (!bare.len || is_indented(line, prefix)) return true;
    /* an unknown prefix is a single word */
    size_t word = slice_find_byte(bare, ' ');
    if (word != SLICE_NONE && slice_starts(slice_skip(bare, word), SLICE("   ")) && !is_level(slice_take(bare, word)))
        return true; /* its blank, and the two of a frame */
    if (is_metal_logger(line)) return true;
    if (begins_ending(bare) || (word != SLICE_NONE && begins_ending(slice_trim(slice_skip(bare, word))))) return true;
    for (size_t i = 0; i < sizeof logged / sizeof *logged; i++)
        if (slice_find(line, slice_from(logged[i])) != SLICE_NONE) return true;
    return false;
}

bool around_counts(struct slice s, struct around_line *out) {
    static const char *const counted[] = {"passed",  "failed",  "errors",   "error",   "skipped", "deselected",
                                          "xfailed", "xpassed", "warnings", "warning", "rerun"};
    enum { PASSED, FAILED, ERRORS, ERROR_ONE };
    bool more = true;
    while (more) {
        uint64_t count;
        size_t n = num_read_u64(s, &count), word = 0;
        if (!n || n >= s.len || s.ptr[n] != ' ') return false;
        s = slice_skip(s, n + 1);
        while (word < sizeof counted / sizeof *counted && !slice_starts(s, slice_from(counted[word]))) word++;
        if (word == sizeof counted / sizeof *counted) return false;
        s = slice_skip(s, strlen(counted[word]));
        out->outer |= word == PASSED && count > 0;
        if (word >= FAILED && word <= ERROR_ONE) out->number += count;
        more = slice_starts(s, SLICE(", "));
        if (more) s = slice_skip(s, 2);
    }
    uint64_t time;
    return slice_starts(s, SLICE(" in ")) && num_read_u64(slice_skip(s, 4), &time);
}
