/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/alike.h"

#include <string.h>

#include "base/num.h"
#include "parse/failure/index.h"
#include "parse/failure/values.h"
#include "parse/message_text.h"

enum { LOOK_BELOW = 8, TAIL_MOST = 8 /* " B)" */, LINES_AHEAD = 32, AHEAD_GRAIN = 64 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Most words between numbers are short: comparing them takes less than calling memcmp. */
static inline bool same_bytes(const char *a, const char *b, size_t n) {
    uint64_t x[2], y[2];
    if (n > 2 * sizeof *x) return memcmp(a, b, n) == 0;
    if (n < sizeof *x) {
        for (size_t i = 0; i < n; i++)
            if (a[i] != b[i]) return false;
        return true;
    }
    memcpy(&x[0], a, sizeof *x), memcpy(&x[1], a + n - sizeof *x, sizeof *x); /* they overlap */
    memcpy(&y[0], b, sizeof *y), memcpy(&y[1], b + n - sizeof *y, sizeof *y);
    return x[0] == y[0] && x[1] == y[1];
}

/* A line including its end, or empty if that is too far away. */
static struct slice line_at(struct slice text, size_t at) {
    struct slice rest = slice_take(slice_skip(text, at), ALIKE_LINE);
    size_t end = slice_find_byte(rest, '\n');
    return end == SLICE_NONE ? slice_of("", 0) : slice_take(rest, end);
}

/* ---- the line to compare with ---- */

/* Texts that may be elsewhere than on the line of the message. */
static bool has_texts(const struct failure *f) { return f->op[0] || f->subject[0] || f->cgroup[0] || f->words[0]; }

static bool text_has_number(const char *text, uint64_t value) {
    for (uint64_t number; *text; text++) {
        size_t digits = num_read_u64(slice_from(text), &number);
        if (digits && number == value) return true;
        if (digits) text += digits - 1;
    }
    return false;
}

/* Cores are kept as spelled. */
static bool is_of_cores(const struct failure *f, uint64_t value) {
    return text_has_number(f->core_range, value) || text_has_number(f->core_type, value);
}

/* Text that may follow a message on its line without a closer look: some punctuation, the logger's place. */
static bool is_plain_tail(struct slice tail) {
    struct slice place = SLICE("(assert.hpp:");
    if (tail.len <= TAIL_MOST) return true;
    size_t at = slice_find(slice_take(tail, TAIL_MOST + place.len), place), digits = 0;
    if (at == SLICE_NONE) return false;
    tail = slice_skip(tail, at + place.len);
    while (digits < tail.len && is_digit(tail.ptr[digits])) digits++;
    return digits && slice_equal(slice_skip(tail, digits), SLICE(")"));
}

/* Does the message end with a number that counts as cut off, judged only by its value? See failure_number_above. */
static bool may_be_cut(const struct failure *f, struct slice line, size_t end) {
    bool goes_on = end < line.len && (line.ptr[end] == ' ' || line.ptr[end] == 'B');
    return !f->open_ended && !goes_on && is_digit(line.ptr[end - 1]);
}

static bool is_number_of(const struct failure *f, uint64_t value) {
    for (unsigned n = 0; n < FAILURE_NUMBERS; n++)
        if (failure_knows(f, n) && f->number[n] == value) return true;
    return false;
}

/* Finds the digits of the line up to the end of the message: false if there are too many or too long ones. */
static bool find_runs(struct alike_row *a) {
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

/* Finds which digits are numbers of the message. Equal ones may have different meanings, so they must stay equal. All others
 * must stay as they are, except those of times before the message. A number that is split by a line break or an escape is
 * not a run of digits: others of its value must not stand for it. */
static bool place_numbers(struct alike_row *a) {
    const struct failure *f = &a->failure;
    for (unsigned i = 0; i < a->count; i++) {
        struct alike_run *run = &a->runs[i];
        run->first = (uint16_t)i;
        for (unsigned k = a->inside; k < i && i >= a->inside && run->first == i; k++)
            if (a->runs[k].value == run->value) run->first = (uint16_t)k;
        run->fixed = is_number_of(f, run->value) ? i < a->inside : i >= a->inside;
        if (i >= a->inside && is_of_cores(f, run->value)) run->fixed = true;
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

/* How much of the next line shows that no message continues there: it must begin with words that end one. 0: it does not. */
static size_t head_of(const struct alike_row *a, struct slice line) {
    size_t bare = message_text_prefix(line);
    for (const char *const *ender = failure_enders; *ender; ender++)
        if (slice_starts(slice_skip(line, bare), slice_from(*ender))) {
            size_t end = bare + strlen(*ender), least = (size_t)a->at + LOOK_BELOW;
            return end > least ? end : least;
        }
    return 0;
}

/* Writers whose tags differ only in digits share a row: a tag is known by its form, so another one of as many digits is at
 * the same place. Digits that are only partly in the tag must stay. */
static void place_tag(struct alike_row *a, struct slice line) {
    struct slice tag = message_text_tag(line);
    size_t from = tag.len ? (size_t)(tag.ptr - line.ptr) : 0, to = from + tag.len;
    a->tag_at = (uint16_t)from, a->tag_len = (uint16_t)tag.len;
    for (unsigned i = 0; i < a->inside; i++) {
        size_t at = a->runs[i].at, end = at + a->runs[i].len;
        if (at < to && end > from && (at < from || end > to)) a->runs[i].fixed = true;
    }
}

/* From now on compares with the line of a failure that a search from `from` on found, unless this is not certain to give the
 * same. Otherwise nothing else begins on that line: *below is the start of the next one. */
static bool begin(struct alike_row *a, struct slice text, size_t from, const struct failure *f, size_t *below) {
    a->on = false;
    if (!f->known || f->rounding || f->unformatted || f->kind == FAILURE_HOST_KILLED || has_texts(f)) return false;
    size_t start = f->at, end = f->at + f->length;
    while (start > from && f->at - start < ALIKE_LINE && text.ptr[start - 1] != '\n') start--;
    if (start && text.ptr[start - 1] != '\n') return false; /* another message is on its line */
    struct slice line = line_at(text, start);
    if (!line.len || end > start + line.len || !is_plain_tail(slice_skip(line, end - start))) return false;
    memcpy(a->line, line.ptr, line.len);
    a->len = (uint16_t)line.len;
    a->at = (uint16_t)(f->at - start), a->end = (uint16_t)(end - start);
    a->failure = *f;
    if (may_be_cut(f, slice_of(a->line, a->len), a->end)) return false;
    if (!find_runs(a) || !place_numbers(a)) return false;
    size_t head = head_of(a, line);
    if (!head || a->inside == a->count || head > a->runs[a->inside].at) return false;
    a->head = (uint16_t)head;
    place_tag(a, line);
    *below = start + line.len + 1;
    return a->on = true;
}

/* ---- the others ---- */

/* Does `line` begin like the first `len` bytes of the line to compare with, apart from numbers? Only up to the message. */
static bool begins_alike(const struct alike_row *a, struct slice line, size_t len) {
    size_t done = 0;
    if (line.len < len) return false;
    for (unsigned i = 0; i < a->inside; i++) {
        const struct alike_run *run = &a->runs[i];
        if (!same_bytes(a->line + done, line.ptr + done, run->at - done)) return false;
        done = (size_t)run->at + run->len;
        if (run->fixed && !same_bytes(a->line + run->at, line.ptr + run->at, run->len)) return false;
        for (size_t k = run->at; k < done; k++)
            if (!is_digit(line.ptr[k])) return false;
        if (is_digit(line.ptr[done])) return false;
    }
    return same_bytes(a->line + done, line.ptr + done, len - done);
}

/* Reads the message of a line that begins alike; returns its length, 0: it is not alike. */
static size_t read_message(const struct alike_row *a, struct slice line, uint64_t *values) {
    size_t done = a->at, at = a->at;
    for (unsigned i = a->inside; i < a->count; i++) {
        const struct alike_run *run = &a->runs[i];
        size_t words = run->at - done;
        if (line.len - at <= words || !same_bytes(a->line + done, line.ptr + at, words)) return 0;
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

/* Of a line that begins like the row. */
static struct slice tag_of(const struct alike_row *a, struct slice text, size_t at) {
    return slice_of(text.ptr + at + a->tag_at, a->tag_len);
}

/* The row whose first bytes the line has, the expected one first; NULL: none. */
static const struct alike_row *row_below(const struct failure_alike *alike, const struct alike_row *above, struct slice line) {
    for (unsigned n = 0; n <= ALIKE_ROWS; n++) {
        const struct alike_row *row = &alike->rows[n ? n - 1 : above->next];
        if (row->on && line.len > row->head && begins_alike(row, line, row->head)) return row;
    }
    return NULL;
}

static struct alike_ahead *known_ahead(struct failure_alike *alike, uint64_t at) {
    return &alike->ahead[at / AHEAD_GRAIN % ALIKE_AHEAD];
}

/* The line, which may have been looked at from those above it. */
static struct slice line_below(struct failure_alike *alike, struct slice text, uint64_t base, size_t at) {
    const struct alike_ahead *known = known_ahead(alike, base + at);
    return known->len && known->at == base + at ? slice_of(text.ptr + at, known->len - 1u) : line_at(text, at);
}

/* Does the line at `at` begin like a row? Its length with its end, or 0. */
static size_t line_of_row(struct failure_alike *alike, struct slice text, uint64_t base, size_t at,
                          const struct alike_row **row) {
    struct alike_ahead *known = known_ahead(alike, base + at);
    if (known->len && known->at == base + at) {
        *row = &alike->rows[known->row];
        return known->len;
    }
    struct slice line = line_at(text, at);
    *row = row_below(alike, *row, line);
    if (!*row) return 0;
    *known = (struct alike_ahead){base + at, (uint16_t)(line.len + 1), (uint8_t)(*row - alike->rows)};
    return known->len;
}

/* Is no part of the message below: the next line of its writer, and all lines up to it, begin messages of their own? */
static bool ends_there(struct failure_alike *alike, const struct alike_row *row, struct slice text, uint64_t base, size_t at,
                       size_t below) {
    const struct alike_row *next = row;
    struct slice writer = tag_of(row, text, at);
    for (unsigned n = 0; n < LINES_AHEAD; n++) {
        size_t len = line_of_row(alike, text, base, below, &next);
        if (!len || slice_equal(tag_of(next, text, below), writer)) return len;
        below += len;
    }
    return false;
}

/* A number with nothing after it counts as complete only then. */
static bool ends_make_sense(const struct failure *f) {
    for (uint32_t left = f->open_ended; left; left &= left - 1) {
        unsigned n = (unsigned)__builtin_ctz(left);
        if (f->number[n] <= failure_number_above(f, n)) return false;
    }
    return true;
}

/* Is the line at `at` like that of a row, with a message that begins before `limit`? The row's failure is then what
 * failure_next_before would find. False says nothing. */
static bool read_row(struct failure_alike *alike, struct alike_row *a, struct slice text, uint64_t base, size_t at,
                     size_t limit, size_t *below) {
    uint64_t values[ALIKE_RUNS];
    struct slice line = line_below(alike, text, base, at);
    if (!a->on || at + a->at >= limit || line.len <= a->at || !begins_alike(a, line, a->at)) return false;
    size_t end = read_message(a, line, values);
    if (!end || !slice_equal(slice_skip(line, end), slice_of(a->line + a->end, a->len - a->end))) return false;
    if (!ends_there(alike, a, text, base, at, at + line.len + 1)) return false;
    struct failure *f = &a->failure; /* all its numbers are replaced */
    for (uint32_t left = f->known; left; left &= left - 1) {
        unsigned n = (unsigned)__builtin_ctz(left);
        f->number[n] = values[a->run_of[n]];
    }
    if (!ends_make_sense(f)) return false;
    f->at = at + a->at;
    f->length = end - a->at;
    *below = at + line.len + 1;
    return true;
}

static const struct failure *read_any_row(struct failure_alike *alike, struct slice text, uint64_t base, size_t at,
                                          size_t limit, size_t *below) {
    struct alike_row *above = &alike->rows[alike->last];
    for (unsigned n = 0; n <= ALIKE_ROWS; n++) {
        uint8_t row = n ? (uint8_t)(n - 1) : above->next;
        if (!read_row(alike, &alike->rows[row], text, base, at, limit, below)) continue;
        above->next = alike->last = row;
        return &alike->rows[row].failure;
    }
    return NULL;
}

const struct failure *failure_alike_search(struct failure_alike *alike, struct slice text, uint64_t base, size_t from,
                                           size_t limit) {
    struct failure *f = &alike->found;
    size_t below = alike->below > base ? (size_t)(alike->below - base) : 0;
    const uint8_t last = alike->last;
    if (alike->on && alike->below >= base + from) {
        if (below >= limit) return NULL; /* the rest of its line says nothing */
        const struct failure *read = read_any_row(alike, text, base, below, limit, &below);
        if (read) {
            alike->below = base + below;
            return read;
        }
    }
    alike->on = false;
    alike->chain++;
    memset(alike->ahead, 0, sizeof alike->ahead); /* a row may be replaced */
    alike->lines.piece = text.ptr;
    alike->lines.offset = base;
    if (failure_repeat_find(&alike->repeat, text, base, from, limit, f)) return f;
    if (!failure_next_known(text, from, limit, &alike->lines, f)) return NULL;
    failure_repeat_keep(&alike->repeat, from, limit, f);
    uint8_t row = (uint8_t)(alike->added % ALIKE_ROWS);
    alike->on = begin(&alike->rows[row], text, from, f, &below);
    if (!alike->on) return f;
    alike->added++;
    alike->rows[row].next = alike->rows[last].next = alike->last = row;
    alike->below = base + below;
    return f;
}
