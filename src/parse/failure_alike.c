/* SPDX-License-Identifier: Apache-2.0 */
/* The failure on the line below another one that says the same but for its numbers: logs full of failures repeat one message
 * thousands of times. Whatever leaves a doubt is read in full, by failure_next_before. */
#include <string.h>

#include "base/num.h"
#include "parse/failure.h"
#include "parse/failure_index.h"
#include "parse/message_text.h"

enum { MOST_RUNS = 32, LONGEST_LINE = 1024, LOOK_BELOW = 8, TAIL_MOST = 8 /* " B)" */ };

/* Digits of the line above, and those in their place. */
struct run_of_digits {
    uint64_t was, is;
};

struct likeness {
    struct run_of_digits runs[MOST_RUNS];
    size_t count;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads two texts that are alike but for their digits; false when they are not, or too long. *taken: bytes of `b`. */
static bool read_alike(struct slice a, struct slice b, struct likeness *like, size_t *taken) {
    size_t i = 0, k = 0;
    while (i < a.len) {
        if (k >= b.len) return false;
        if (!is_digit(a.ptr[i])) {
            if (a.ptr[i++] != b.ptr[k++]) return false;
            continue;
        }
        if (like->count == MOST_RUNS) return false;
        struct run_of_digits *run = &like->runs[like->count++];
        size_t n = num_read_u64(slice_skip(a, i), &run->was), m = num_read_u64(slice_skip(b, k), &run->is);
        if (!n || !m || (i + n < a.len && is_digit(a.ptr[i + n])) || (k + m < b.len && is_digit(b.ptr[k + m]))) return false;
        if ((n > 1 && a.ptr[i] == '0') || (m > 1 && b.ptr[k] == '0')) { /* a time, part of a number */
            if (n != m) return false;
        }
        i += n, k += m;
    }
    *taken = k;
    return true;
}

static bool is_number_of(const struct failure *f, uint64_t value) {
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
        if (failure_knows(f, n) && f->number[n] == value) return true;
    return false;
}

/* What stood for a number of the message: NULL when nothing did. */
static const struct run_of_digits *run_of(const struct likeness *like, uint64_t value) {
    for (size_t i = 0; i < like->count; i++)
        if (like->runs[i].was == value) return &like->runs[i];
    return NULL;
}

/* A number that a line break or an escape divides is no run of digits: others of its value must not stand for it. */
static bool all_have_runs(const struct likeness *like, const struct failure *f) {
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++) {
        size_t numbers = 0, runs = 0;
        for (unsigned i = 0; failure_knows(f, n) && i < FAILURE_NUMBERS; i++)
            numbers += failure_knows(f, i) && f->number[i] == f->number[n];
        for (size_t i = 0; numbers && i < like->count; i++) runs += like->runs[i].was == f->number[n];
        if (runs < numbers) return false;
    }
    return true;
}

/* Equal numbers of the message above may stand for different things: they must be equal here, too. Digits that are no number
 * of its stay as they are. */
static bool is_certain(const struct likeness *like, const struct failure *f) {
    for (size_t i = 0; i < like->count; i++) {
        const struct run_of_digits *run = &like->runs[i];
        if (run->is == run->was && run_of(like, run->was)->is == run->is) continue;
        if (!is_number_of(f, run->was) || run_of(like, run->was)->is != run->is) return false;
    }
    return true;
}

/* Digits before a message are those of times and writers; where one is of the message itself it stays. */
static bool is_same_before(const struct likeness *like, const struct failure *f) {
    for (size_t i = 0; i < like->count; i++)
        if (like->runs[i].is != like->runs[i].was && is_number_of(f, like->runs[i].was)) return false;
    return true;
}

static bool has_texts(const struct failure *f) {
    return f->core_range[0] || f->core_type[0] || f->op[0] || f->subject[0] || f->cgroup[0] || f->words[0];
}

static struct slice line_at(struct slice text, size_t at) {
    struct slice rest = slice_take(slice_skip(text, at), LONGEST_LINE);
    size_t end = slice_find_byte(rest, '\n');
    return end == SLICE_NONE ? slice_of("", 0) : slice_take(rest, end);
}

/* Whether a line begins with words that no message goes on with. */
static bool ends_message(struct slice line) {
    struct slice bare = slice_skip(line, message_text_prefix(line));
    for (const char *const *ender = failure_enders; *ender; ender++)
        if (slice_starts(bare, slice_from(*ender))) return true;
    return false;
}

static bool is_same_writer(struct slice a, struct slice b, size_t lead) {
    if (slice_equal(slice_take(a, lead), slice_take(b, lead))) return true;
    return slice_equal(message_text_tag(a), message_text_tag(b));
}

/* What may stand on the line after a message without being looked at: a few signs, the logger's place. */
static bool is_plain_tail(struct slice tail) {
    struct slice place = SLICE("(assert.hpp:");
    if (tail.len <= TAIL_MOST) return true;
    size_t at = slice_find(slice_take(tail, TAIL_MOST + place.len), place), digits = 0;
    if (at == SLICE_NONE) return false;
    tail = slice_skip(tail, at + place.len);
    while (digits < tail.len && is_digit(tail.ptr[digits])) digits++;
    return digits && slice_equal(slice_skip(tail, digits), SLICE(")"));
}

bool failure_none_in(struct slice rest) {
    if (rest.len && rest.ptr[rest.len - 1] == '\n') rest.len--;
    for (size_t i = 0; i < rest.len && i <= TAIL_MOST; i++) {
        if (rest.ptr[i] == '(') return is_plain_tail(slice_skip(rest, i)) && rest.len - i > TAIL_MOST;
        if (!strchr(" B).\r\"'", rest.ptr[i]) || !rest.ptr[i]) return false;
    }
    return rest.len <= TAIL_MOST;
}

bool failure_next_alike(struct slice text, size_t from, size_t limit, struct failure *f) {
    if (!f->known || f->open_ended || f->rounding || f->unformatted || f->kind == FAILURE_HOST_KILLED || has_texts(f))
        return false;
    size_t start = f->at, end = f->at + f->length;
    while (start > from && f->at - start < LONGEST_LINE && text.ptr[start - 1] != '\n') start--;
    if (start && text.ptr[start - 1] != '\n') return false; /* another one stands on its line */
    struct slice above = line_at(text, start), message = slice_of(text.ptr + f->at, f->length);
    if (!above.len || end > start + above.len || !is_plain_tail(slice_skip(above, end - start))) return false;
    size_t below = start + above.len + 1;
    struct slice line = line_at(text, below), next = line_at(text, below + line.len + 1);
    struct likeness before = {.count = 0}, inside = {.count = 0}, after = {.count = 0};
    size_t lead, length, head;
    if (!line.len || below >= limit || !read_alike(slice_of(above.ptr, f->at - start), line, &before, &lead)) return false;
    if (below + lead >= limit || !read_alike(message, slice_skip(line, lead), &inside, &length)) return false;
    struct slice tail = slice_skip(line, lead + length), old_tail = slice_skip(above, end - start);
    if (!slice_equal(tail, old_tail) || !is_same_before(&before, f) || !all_have_runs(&inside, f) || !is_certain(&inside, f))
        return false;
    /* what follows must not be a part of it: the same message again */
    struct slice again = slice_take(line, lead + LOOK_BELOW);
    if (!next.len || !read_alike(again, next, &after, &head) || !ends_message(next)) return false;
    /* and of the same writer: lines of others are none of a message's, whatever they say */
    if (!is_same_writer(above, line, lead) || !is_same_writer(line, next, lead)) return false;
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++) {
        const struct run_of_digits *run = failure_knows(f, n) ? run_of(&inside, f->number[n]) : NULL;
        if (run) f->number[n] = run->is;
    }
    f->at = below + lead;
    f->length = length;
    return true;
}
