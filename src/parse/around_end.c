/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "parse/around.h"
#include "parse/message_text.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* As the frames of a traceback are; a prefix takes blanks with it. */
static bool is_indented(struct slice line, size_t prefix) {
    if (prefix < line.len && is_space(line.ptr[prefix])) return true;
    return prefix > 1 && is_space(line.ptr[prefix - 1]) && is_space(line.ptr[prefix - 2]);
}

bool around_may_end(struct slice line) {
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
                                         "nanobind:",
                                         "Closing ",
                                         "Exception ignored",
                                         "=",
                                         "_",
                                         "E  ",
                                         "FAILED",
                                         "ERROR",
                                         "{"};
    static const char *const logged[] = {" | ", "(assert.hpp", "Error: ", "Exception: ", "resource_tracker", "##["};
    size_t prefix = message_text_prefix(line);
    struct slice bare = slice_trim(slice_skip(line, prefix));
    if (!bare.len || is_indented(line, prefix)) return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (slice_starts(bare, slice_from(starts[i]))) return true;
    for (size_t i = 0; i < sizeof logged / sizeof *logged; i++)
        if (slice_find(line, slice_from(logged[i])) != SLICE_NONE) return true;
    return false;
}
