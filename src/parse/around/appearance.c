/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/around/appearance.h"

#include <strings.h>

#include "parse/around.h"
#include "parse/line_prefix.h"

static bool holds_any(struct slice s, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_find(s, slice_from(words[i])) != SLICE_NONE) return true;
    return false;
}

static bool is_level(struct slice word) {
    static const char *const levels[] = {"critical", "fatal", "error", "warning", "warn", "info", "debug", "trace"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (word.len == strlen(levels[i]) && strncasecmp(word.ptr, levels[i], word.len) == 0) return true;
    return false;
}

/* Without the launcher's tags and "server-0  | ", the name of a container: a logger has more before its bars. */
static struct slice past_tags(struct slice before) {
    before = slice_skip(before, line_prefix_read(before, PREFIX_ALL & ~(uint32_t)PREFIX_CONTAINER).len);
    size_t bar = slice_find_byte(before, '|');
    struct slice name = slice_trim(slice_take(before, bar));
    bool is_name = bar != SLICE_NONE && name.len && slice_find_byte(name, ' ') == SLICE_NONE && !is_level(name);
    if (is_name) before = slice_skip(before, bar + 1);
    return is_name && slice_starts(before, SLICE(" ")) ? slice_skip(before, 1) : before;
}

enum message_appearance message_appearance(struct slice before) {
    static const char *const errors[] = {"Error",      "ERROR", "xception", "what()", "critical",
                                         "FATAL    |", "raise", "E   ",     "{"};
    before = past_tags(before);
    struct slice bare = slice_trim(before);
    if (slice_starts(bare, SLICE("FAILED ")) || slice_starts(bare, SLICE("ERROR tests")) || slice_starts(before, SLICE("E   ")))
        return MESSAGE_REPORTED;
    size_t at = slice_find(before, SLICE(" @ "));
    if (at == SLICE_NONE || at < 8) return MESSAGE_THROWN;
    struct slice own = slice_trim(slice_take(before, at - 8)); /* before TT_FATAL */
    return own.len && !holds_any(own, errors, sizeof errors / sizeof *errors) ? MESSAGE_PRINTED : MESSAGE_THROWN;
}

bool message_ends_process(struct slice before) {
    static const char *const ends[] = {"what():", "uncaught exception"};
    return holds_any(before, ends, sizeof ends / sizeof *ends);
}

uint8_t message_shape(struct slice before) {
    static const char *const thrown[] = {"Error", "xception", "what()"};
    enum { BARE, SUMMARY, REPORT, EXCEPTION, LOGGED };
    before = past_tags(before);
    struct slice bare = slice_trim(before);
    if (slice_starts(bare, SLICE("FAILED ")) || slice_starts(bare, SLICE("ERROR tests"))) return SUMMARY;
    if (slice_starts(bare, SLICE("E  "))) return REPORT;
    if (holds_any(before, thrown, sizeof thrown / sizeof *thrown)) return EXCEPTION;
    return slice_find(before, SLICE("TT_")) != SLICE_NONE || slice_find(before, SLICE(" | ")) != SLICE_NONE ? LOGGED : BARE;
}

bool message_is_logged(struct slice before) {
    static const char *const words[] = {"TT_FATAL:", "TT_THROW:"}, *const thrown[] = {"Error: TT_", "xception: TT_", "what():"};
    return holds_any(before, words, sizeof words / sizeof *words) && !holds_any(before, thrown, sizeof thrown / sizeof *thrown);
}

void message_lead_read(struct message_lead *lead, struct slice before) {
    struct around_line s;
    size_t at = 0;
    *lead = (struct message_lead){.appears = message_appearance(before),
                                  .ends_process = message_ends_process(before),
                                  .logged = message_is_logged(before),
                                  .names_test = around_next(before, &at, true, &s),
                                  .escaped = slice_find(before, SLICE("\\n")) != SLICE_NONE,
                                  .shape = message_shape(before)};
}
