/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure_alike.h"

#include <string.h>

#include "base/num.h"
#include "parse/failure_index.h"
#include "parse/message_text.h"

enum { LOOK_BELOW = 8, TAIL_MOST = 8 /* " B)" */ };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A line with its end, empty when that is too far away. */
static struct slice line_at(struct slice text, size_t at) {
    struct slice rest = slice_take(slice_skip(text, at), ALIKE_LINE);
    size_t end = slice_find_byte(rest, '\n');
    return end == SLICE_NONE ? slice_of("", 0) : slice_take(rest, end);
}

/* ---- the line to compare with ---- */

static bool has_texts(const struct failure *f) {
    return f->core_range[0] || f->core_type[0] || f->op[0] || f->subject[0] || f->cgroup[0] || f->words[0];
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

static bool is_number_of(const struct failure *f, uint64_t value) {
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
        if (failure_knows(f, n) && f->number[n] == value) return true;
    return false;
}

/* Digits of the line up to the end of the message: false when there are too many, or too long ones. */
static bool find_runs(struct failure_alike *a) {
    a->count = a->inside = 0;
    for (size_t i = 0; i < a->end;) {
        if (!is_digit(a->line[i])) {
            i++;
            continue;
        }
        if (a->count == ALIKE_RUNS) return false;
        struct alike_run *run = &a->runs[a->count];
        size_t n = num_read_u64(slice_of(a->line + i, a->len - i), &run->value);
        if (!n || (i + n < a->len && is_digit(a->line[i + n])) || i + n > a->end || (i < a->at && i + n > a->at)) return false;
        run->at = (uint16_t)i, run->len = (uint16_t)n;
        if (i < a->at) a->inside++;
        a->count++;
        i += n;
    }
    return true;
}

/* Which digits are numbers of the message. Equal ones may stand for different things: they stay equal. Others stay as they are,
 * but for those of times before the message. A number that a line break or an escape divides is not a run of digits: others of
 * its value must not stand for it. */
static bool place_numbers(struct failure_alike *a) {
    const struct failure *f = &a->failure;
    for (unsigned i = 0; i < a->count; i++) {
        struct alike_run *run = &a->runs[i];
        run->first = (uint16_t)i;
        for (unsigned k = a->inside; k < i && i >= a->inside && run->first == i; k++)
            if (a->runs[k].value == run->value) run->first = (uint16_t)k;
        run->fixed = is_number_of(f, run->value) ? i < a->inside : i >= a->inside;
    }
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++) {
        if (!failure_knows(f, n)) continue;
        size_t numbers = 0, runs = 0;
        for (unsigned i = 0; i < FAILURE_NUMBERS; i++) numbers += failure_knows(f, i) && f->number[i] == f->number[n];
        for (unsigned i = a->count; i-- > a->inside;)
            if (a->runs[i].value == f->number[n]) runs++, a->run_of[n] = (uint8_t)i;
        if (runs < numbers) return false;
    }
    return true;
}

/* How much of the next line shows that no message goes on there: it begins with words that end one. 0: it does not. */
static size_t head_of(const struct failure_alike *a, struct slice line) {
    size_t bare = message_text_prefix(line);
    for (const char *const *ender = failure_enders; *ender; ender++)
        if (slice_starts(slice_skip(line, bare), slice_from(*ender))) {
            size_t end = bare + strlen(*ender), least = (size_t)a->at + LOOK_BELOW;
            return end > least ? end : least;
        }
    return 0;
}

/* Lines are of one writer: whatever digits its tag has stay. */
static void fix_tag(struct failure_alike *a, struct slice line) {
    struct slice tag = message_text_tag(line);
    size_t from = tag.len ? (size_t)(tag.ptr - line.ptr) : 0;
    for (unsigned i = 0; i < a->inside; i++)
        if (tag.len && a->runs[i].at < from + tag.len && a->runs[i].at + a->runs[i].len > from) a->runs[i].fixed = true;
}

void failure_alike_begin(struct failure_alike *a, struct slice text, size_t from, const struct failure *f, size_t *below) {
    a->on = false;
    if (!f->known || f->open_ended || f->rounding || f->unformatted || f->kind == FAILURE_HOST_KILLED || has_texts(f)) return;
    size_t start = f->at, end = f->at + f->length;
    while (start > from && f->at - start < ALIKE_LINE && text.ptr[start - 1] != '\n') start--;
    if (start && text.ptr[start - 1] != '\n') return; /* another one stands on its line */
    struct slice line = line_at(text, start);
    if (!line.len || end > start + line.len || !is_plain_tail(slice_skip(line, end - start))) return;
    memcpy(a->line, line.ptr, line.len);
    a->len = (uint16_t)line.len;
    a->at = (uint16_t)(f->at - start), a->end = (uint16_t)(end - start);
    a->failure = *f;
    if (!find_runs(a) || !place_numbers(a)) return;
    size_t head = head_of(a, line);
    if (!head || a->inside == a->count || head > a->runs[a->inside].at) return;
    a->head = (uint16_t)head;
    fix_tag(a, line);
    a->on = true;
    *below = start + line.len + 1;
}

/* ---- the others ---- */

/* Whether `line` begins like the first `len` bytes of the one to compare with, numbers aside; up to the message only. */
static bool begins_alike(const struct failure_alike *a, struct slice line, size_t len) {
    size_t done = 0;
    if (line.len < len) return false;
    for (unsigned i = 0; i < a->inside; i++) {
        const struct alike_run *run = &a->runs[i];
        if (memcmp(a->line + done, line.ptr + done, run->at - done) != 0) return false;
        done = (size_t)run->at + run->len;
        if (run->fixed && memcmp(a->line + run->at, line.ptr + run->at, run->len) != 0) return false;
        for (size_t k = run->at; k < done; k++)
            if (!is_digit(line.ptr[k])) return false;
        if (is_digit(line.ptr[done])) return false;
    }
    return memcmp(a->line + done, line.ptr + done, len - done) == 0;
}

/* Reads the message of a line that begins alike; how far it goes, 0: it is not alike. */
static size_t read_message(const struct failure_alike *a, struct slice line, uint64_t *values) {
    size_t done = a->at, at = a->at;
    for (unsigned i = a->inside; i < a->count; i++) {
        const struct alike_run *run = &a->runs[i];
        size_t words = run->at - done;
        if (line.len - at <= words || memcmp(a->line + done, line.ptr + at, words) != 0) return 0;
        at += words;
        size_t digits = num_read_u64(slice_skip(line, at), &values[i]);
        if (!digits || (at + digits < line.len && is_digit(line.ptr[at + digits]))) return 0;
        bool zero = (run->len > 1 && a->line[run->at] == '0') || (digits > 1 && line.ptr[at] == '0');
        if (zero && digits != run->len) return 0; /* a time, part of a number */
        if (values[i] != (run->fixed ? run->value : values[run->first])) return 0;
        at += digits;
        done = (size_t)run->at + run->len;
    }
    size_t rest = a->end - done;
    return line.len - at >= rest && memcmp(a->line + done, line.ptr + at, rest) == 0 ? at + rest : 0;
}

bool failure_alike_next(const struct failure_alike *a, struct slice text, size_t at, size_t limit, struct failure *f,
                        size_t *below) {
    uint64_t values[ALIKE_RUNS];
    struct slice line = line_at(text, at);
    if (at + a->at >= limit || line.len <= a->at || !begins_alike(a, line, a->at)) return false;
    size_t end = read_message(a, line, values);
    if (!end || !slice_equal(slice_skip(line, end), slice_of(a->line + a->end, a->len - a->end))) return false;
    /* what follows must not be a part of it: the same message again, of the same writer */
    struct slice next = line_at(text, at + line.len + 1);
    if (next.len <= a->head || !begins_alike(a, next, a->head)) return false;
    *f = a->failure;
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
        if (failure_knows(f, n)) f->number[n] = values[a->run_of[n]];
    f->at = at + a->at;
    f->length = end - a->at;
    *below = at + line.len + 1;
    return true;
}

bool failure_alike_search(struct failure_alike *alike, struct slice text, uint64_t base, size_t from, size_t limit,
                          struct failure *f, bool *again) {
    size_t below = alike->below > base ? (size_t)(alike->below - base) : 0;
    if (alike->on && alike->below >= base + from) {
        if (below >= limit) return false; /* what is left of its line says nothing */
        from = below;
        *again = failure_alike_next(alike, text, below, limit, f, &below);
        alike->below = base + below;
        if (*again) return true;
    }
    *again = alike->on = false;
    if (!failure_next_before(text, from, limit, f)) return false;
    failure_alike_begin(alike, text, from, f, &below);
    alike->below = base + below;
    return true;
}
