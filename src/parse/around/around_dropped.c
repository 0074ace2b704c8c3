/* SPDX-License-Identifier: Apache-2.0 */
/* What loggers and CI systems print about messages that they did not keep. To support another wording, add a row and, if it
 * contains none of the needles, a needle. */
#include <pthread.h>
#include <string.h>

#include "base/num.h"
#include "parse/around/around_lines.h"
#include "scan/find_any.h"

/* A number is between the two texts; an empty `after` accepts anything. */
static const struct {
    const char *before, *after;
    bool of_messages; /* the number counts messages; else one message is missing, of whatever length */
} rows[] = {
    {"Suppressed ", " messages from ", true},          /* systemd-journald */
    {"", " messages lost due to rate-limiting", true}, /* rsyslog, imjournal and omprog */
    {" lost ", " messages from pid ", true},           /* rsyslog, imuxsock */
    {"[", "B blob data]", false},                      /* journalctl, for a message with bytes that it does not show */
    {"[", "K blob data]", false},                      /* the same, longer */
    {"[", "M blob data]", false},
    {"[", " lines truncated]", true}, /* viewers of CI logs */
    {"[", " lines omitted]", true},
    {"[", " lines skipped]", true},
    {"[...truncated ", " lines...]", true},              /* Jenkins */
    {"[...truncated ", "B...]", false},                  /* the same: "12.34 MB" */
    {"[output clipped, log limit ", " reached]", false}, /* BuildKit */
    {"log exceeded limit of ", " bytes", false},         /* GitLab Runner */
};

/* Where the last `words` end, or SLICE_NONE. */
static size_t last_end(struct slice s, struct slice words) {
    for (; s.len >= words.len; s.len--)
        if (slice_ends(s, words)) return s.len;
    return SLICE_NONE;
}

/* Where the number that ends at `end` begins, including a fraction ("1.2K") and a unit ("12 MB"). */
static size_t number_before(struct slice line, size_t end) {
    while (end && ((line.ptr[end - 1] >= '0' && line.ptr[end - 1] <= '9') || line.ptr[end - 1] == '.')) end--;
    return end;
}

/* "2MiB/s", "12.34 M" */
static bool is_amount(struct slice s) {
    if (!s.len || s.ptr[0] < '0' || s.ptr[0] > '9') return false;
    for (size_t i = 0; i < s.len; i++)
        if (!s.ptr[i] || !strchr("0123456789. kKMGiB/s", s.ptr[i])) return false;
    return true;
}

/* Most lines in question are of other kinds. */
static bool is_likely(struct slice line) {
    return memchr(line.ptr, ']', line.len) || around_find(line, SLICE(" messages ")) != SLICE_NONE ||
           around_find(line, SLICE("exceeded limit")) != SLICE_NONE;
}

bool around_read_dropped(struct slice line, struct around_line *out) {
    if (!is_likely(line)) return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice before = slice_from(rows[i].before), after = slice_from(rows[i].after);
        size_t end = around_find(line, after);
        if (end == SLICE_NONE) continue;
        size_t from = before.len ? last_end(slice_take(line, end), before) : number_before(line, end);
        if (from == SLICE_NONE || from >= end) continue;
        struct slice amount = slice_between(line.ptr + from, line.ptr + end);
        uint64_t number;
        bool counted = num_read_u64(amount, &number) == amount.len;
        if (rows[i].of_messages ? !counted : !is_amount(amount)) continue;
        *out = (struct around_line){.kind = AROUND_DROPPED, .number = rows[i].of_messages ? number : 1};
        return out->number > 0;
    }
    return false;
}

static const struct needle needles[] = {AROUND_DROPPED_NEEDLES};
static struct finder finder;

static void make_finder(void) { finder_init(&finder, needles, sizeof needles / sizeof *needles); }

bool around_dropped_next(struct slice text, size_t *at, uint64_t *messages) {
    enum { LONGEST = 400 };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_finder);
    for (size_t hit; (hit = find_any(&finder, text, *at)) != SLICE_NONE;) {
        size_t from = hit;
        while (from > *at && hit - from < LONGEST && text.ptr[from - 1] != '\n') from--;
        struct slice rest = slice_take(slice_skip(text, from), hit - from + LONGEST);
        struct slice line = slice_take(rest, slice_find_byte(rest, '\n'));
        struct around_line read;
        *at = from + line.len > hit ? from + line.len : hit + 1;
        if (!around_read_dropped(line, &read)) continue;
        *messages = read.number;
        return true;
    }
    return false;
}
