/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/values.h"

#include "base/num.h"

enum {
    STEP_REACH = 72,    /* from one value to the words before the next */
    LABEL_REACH = 16,   /* the same for "free:" and similar labels, which other texts have too */
    WRAPPED_REACH = 96, /* additional, if a line with an unknown prefix comes between */
    FAR_REACH = 400,    /* for words that only this message has, with long sentences in between */
};

/* Reads the values of a message one after the other. */
struct value_reader {
    const struct message_text *m;
    size_t pos;
    size_t end;       /* of the message */
    size_t value_end; /* after the last value or words found */
    struct failure *out;
    bool has_value;
    bool drops_units;    /* a number in the middle lacks the words after it: the message was copied by hand */
    uint32_t cut_number; /* bit of a number that may continue beyond the end of the text; 0 once a later value is found */
    bool cut_pool;       /* the same for the pool */
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

static size_t skip_marks(const struct message_text *m, size_t pos, size_t end) {
    while (pos < end && (m->text[pos] == ' ' || m->text[pos] == '\n' || m->text[pos] == '*' || is_quote(m->text[pos]))) pos++;
    return pos;
}

/* Digits, possibly grouped by commas. Returns the position after them, `pos` if there are none or too many. */
static size_t read_digits(const struct message_text *m, size_t pos, size_t end, uint64_t *value) {
    size_t start = pos;
    for (; pos < end; pos++) {
        char c = m->text[pos];
        if (c == ',' && pos > start && pos + 3 < end && is_digit(m->text[pos + 1]) && is_digit(m->text[pos + 2]) &&
            is_digit(m->text[pos + 3]) && !(pos + 4 < end && is_digit(m->text[pos + 4])))
            continue;
        if (!is_digit(c)) break;
        if (!num_mul(*value, 10, value) || !num_add(*value, (uint64_t)(c - '0'), value)) return start;
    }
    return pos;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* "5 MB" is not a number of bytes, "0x10" not zero. */
static bool is_other_number(const struct value_reader *r, size_t end) {
    if (end < r->end && r->m->text[end] == 'x') return true;
    while (end < r->end && r->m->text[end] == ' ') end++;
    if (end + 1 >= r->end || !r->m->text[end] || !strchr("kKMGT", r->m->text[end])) return false;
    return r->m->text[end + 1] == 'B' || slice_starts(slice_of(r->m->text + end + 1, r->end - end - 1), SLICE("iB"));
}

/* Do the words that belong after a number follow: the unit, or the next words of the message? Values listed below a message
 * with placeholders have none. */
static bool goes_on_with(const struct message_text *m, size_t end, const char *after) {
    if (!after) return true;
    size_t past = message_text_match(m, end, after);
    if (!past || strcmp(after, "B") != 0) return past > 0;
    return m->text[past - 1] == 'B' && !(past < m->len && is_letter(m->text[past]));
}

/* A number that a hard line break cut in two continues on the next line if the required words follow the joined number; the
 * last number of a message has no such words and is joined if it would otherwise not be above `above`. */
static size_t read_number(const struct value_reader *r, size_t pos, const char *after, uint64_t above, uint64_t *value) {
    const struct message_text *m = r->m;
    *value = 0;
    size_t end = read_digits(m, pos, r->end, value);
    if (end == pos || end + 1 >= r->end || m->text[end] != '\n' || !is_digit(m->text[end + 1])) return end;
    uint64_t joined = *value;
    size_t joined_end = read_digits(m, end + 1, r->end, &joined);
    if (joined_end == end + 1) return end;
    bool goes_on = after ? goes_on_with(m, joined_end, after) : *value <= above;
    if (!goes_on) return end;
    *value = joined;
    return joined_end;
}

/* A number followed by an ellipsis was cut by a test's short summary and is not used. */
static bool is_abridged(const struct value_reader *r, size_t end) {
    struct slice rest = slice_of(r->m->text + end, r->end - end);
    return slice_starts(rest, SLICE("...")) || slice_starts(rest, SLICE("\xe2\x80\xa6"));
}

/* The text or its line ends here, so a value may have been longer. */
static bool at_the_end(const struct value_reader *r, size_t end) {
    return end >= r->end || r->m->text[end] == '\n' || is_quote(r->m->text[end]);
}

/* What follows a number shows whether it is complete. The last number of some messages has nothing after it: it counts as
 * complete if it makes sense, and may prove to be the beginning of a longer one. */
static void judge_end(struct value_reader *r, const struct failure_step *step, uint64_t above, size_t end) {
    struct failure *f = r->out;
    uint32_t bit = 1u << step->number;
    bool goes_on = step->after && goes_on_with(r->m, end, step->after);
    r->cut_number = 0;
    r->has_value |= goes_on || at_the_end(r, end) || !step->after;
    if (goes_on) return;
    if (!at_the_end(r, end)) r->drops_units |= step->after != NULL;
    else if (step->after ? !r->drops_units : f->number[step->number] <= above) r->cut_number = bit;
    if (!step->after && at_the_end(r, end)) f->open_ended |= bit;
}

uint64_t failure_number_above(const struct failure *f, enum failure_number number) {
    return number == FAILURE_REGION_END && failure_knows(f, FAILURE_L1_ADDRESS) ? f->number[FAILURE_L1_ADDRESS] : 0;
}

static bool read_number_step(struct value_reader *r, const struct failure_step *step) {
    struct failure *f = r->out;
    size_t pos = skip_marks(r->m, r->pos, r->end);
    uint64_t above = failure_number_above(f, step->number), value;
    size_t end = read_number(r, pos, step->after, above, &value);
    if (end == pos || is_other_number(r, end)) return false;
    r->has_value |= is_abridged(r, end);
    if (is_abridged(r, end)) return false;
    f->number[step->number] = value;
    f->known |= 1u << step->number;
    judge_end(r, step, above, end);
    r->pos = end;
    return true;
}

static enum failure_pool pool_of(struct slice name) {
    for (enum failure_pool pool = FAILURE_DRAM; pool <= FAILURE_SYSTEM_MEMORY; pool++)
        if (slice_equal(name, slice_from(failure_pool_name(pool)))) return pool;
    return FAILURE_POOL_UNKNOWN;
}

static bool is_pool_letter(char c) { return (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

static bool read_pool_step(struct value_reader *r, const struct failure_step *step) {
    static const char type_name[] = "BufferType::";
    size_t pos = skip_marks(r->m, r->pos, r->end);
    if (pos < r->end && r->m->text[pos] == 'B' && pos + 1 < r->end && strchr(" \n", r->m->text[pos + 1]))
        pos = skip_marks(r->m, pos + 1, r->end); /* the unit of the previous number */
    size_t typed = message_text_match(r->m, pos, type_name);
    if (typed) pos = typed;
    char word[16];
    size_t len = 0;
    for (; pos < r->end && len < sizeof word; pos++) {
        char c = r->m->text[pos];
        /* a name that a line break cut in two: DR-AM, L1-_SMALL */
        if (c == '\n' && len && (!pool_of(slice_of(word, len)) || (pos + 1 < r->end && r->m->text[pos + 1] == '_'))) continue;
        if (!is_pool_letter(c)) break;
        word[len++] = c;
    }
    r->out->pool = pool_of(slice_of(word, len));
    if (!r->out->pool) return false;
    r->has_value = true;
    /* L1 may be the beginning of L1_SMALL */
    r->cut_pool = at_the_end(r, pos) && !(step->after && message_text_match(r->m, pos, step->after));
    r->cut_number = 0;
    r->pos = pos;
    return true;
}

/* Puts spaces where tt-metal does, whatever a line break did to them: "[(x=0,y=0) - (x=7,y=7)]", "[0-0 - 7-7]", "[..],
 * [..]". */
static bool spell_cores(char *out, size_t room, struct slice bare) {
    size_t len = 0, dashes = 0;
    for (size_t i = 0; i < bare.len; i++) {
        char c = bare.ptr[i];
        if (len + 4 > room) return false;
        if (c == '[') dashes = 0;
        bool between = c == '-' && (++dashes == 2 || bare.ptr[i - 1] == ')');
        if (between) out[len++] = ' ';
        out[len++] = c;
        if (between || (c == ',' && bare.ptr[i - 1] == ']')) out[len++] = ' ';
    }
    out[len] = 0;
    return true;
}

/* A core range in brackets, a set of them in braces or one core in parentheses; "{}" is a placeholder. */
static bool read_cores_step(struct value_reader *r) {
    const struct message_text *m = r->m;
    size_t pos = skip_marks(m, r->pos, r->end);
    if (pos + 2 >= r->end || !m->text[pos] || !strchr("[{(", m->text[pos]) || m->text[pos + 1] == '}') return false;
    char close = m->text[pos] == '{' ? '}' : m->text[pos] == '(' ? ')' : ']';
    char bare[FAILURE_CORES_MAX];
    size_t len = 0;
    for (; pos < r->end && len < sizeof bare; pos++) {
        if (m->text[pos] == '\n' || m->text[pos] == ' ') continue;
        bare[len++] = m->text[pos];
        if (m->text[pos] == close) break;
    }
    bool whole = len && bare[len - 1] == close && spell_cores(r->out->core_range, FAILURE_CORES_MAX, slice_of(bare, len));
    r->has_value = true;
    if (!whole) r->out->core_range[0] = 0;
    else r->pos = pos + 1;
    return whole;
}

/* A number in another notation: in hexadecimal digits, with a unit, as a sum or a product. */

static void take_value(struct value_reader *r, const struct failure_step *step, uint64_t value, size_t end) {
    r->out->number[step->number] = value;
    r->out->known |= 1u << step->number;
    r->cut_number = 0;
    r->has_value = true;
    r->pos = end;
}

static bool read_hex_step(struct value_reader *r, const struct failure_step *step) {
    size_t pos = skip_marks(r->m, r->pos, r->end), at;
    if (pos + 2 >= r->end || r->m->text[pos] != '0' || r->m->text[pos + 1] != 'x') return read_number_step(r, step);
    uint64_t value = 0;
    for (at = pos + 2; at < r->end && value <= UINT64_MAX >> 4; at++) {
        char c = r->m->text[at];
        unsigned digit = is_digit(c) ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
        if (digit == 16) break;
        value = value << 4 | digit;
    }
    if (at == pos + 2 || !goes_on_with(r->m, at, step->after)) return false; /* cut, or too long */
    take_value(r, step, value, at);
    return true;
}

static bool read_kib_step(struct value_reader *r, const struct failure_step *step) {
    size_t pos = skip_marks(r->m, r->pos, r->end);
    uint64_t value = 0;
    size_t end = read_digits(r->m, pos, r->end, &value);
    if (end == pos || !goes_on_with(r->m, end, step->after) || !num_mul(value, 1024, &value)) return false;
    take_value(r, step, value, end);
    return true;
}

/* Without it the sum is unknown. */
static bool read_further_kib(struct value_reader *r, const struct failure_step *step) {
    uint64_t before = r->out->number[step->number], sum;
    uint32_t bit = 1u << step->number;
    bool known = r->out->known & bit;
    r->out->known &= ~bit;
    if (!known || !read_kib_step(r, step)) return false;
    if (num_add(before, r->out->number[step->number], &sum)) r->out->number[step->number] = sum;
    else r->out->known &= ~bit;
    return true;
}

/* "16.00 GiB", "12 GB": at most three decimals count, because the text itself is rounded. */
static bool read_size_step(struct value_reader *r, const struct failure_step *step) {
    static const struct {
        const char *unit;
        uint64_t bytes;
    } units[] = {{"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}, {"TiB", 1ull << 40},
                 {"kB", 1000},        {"MB", 1000000},     {"GB", 1000000000},  {"TB", 1000000000000},
                 {"K", 1ull << 10},   {"M", 1ull << 20},   {"G", 1ull << 30}}; /* XLA's units */
    size_t pos = r->pos;
    while (pos < r->end && (r->m->text[pos] == '(' || skip_marks(r->m, pos, r->end) > pos)) pos++;
    size_t share = pos; /* "(0.9, 10.47 GiB)" */
    while (share < r->end && (is_digit(r->m->text[share]) || r->m->text[share] == '.')) share++;
    if (share > pos && share + 1 < r->end && r->m->text[share] == ',' && r->m->text[share + 1] == ' ') pos = share + 2;
    uint64_t whole = 0, milli = 0, digits = 1, value, part;
    size_t end = read_digits(r->m, pos, r->end, &whole);
    if (end == pos) return false;
    if (end < r->end && r->m->text[end] == '.') {
        unsigned place = 100;
        for (end++; end < r->end && is_digit(r->m->text[end]); end++, place /= 10) {
            milli += place * (unsigned)(r->m->text[end] - '0');
            if (place) digits *= 10;
        }
    }
    if (end + 1 < r->end && r->m->text[end] == '/' && is_digit(r->m->text[end + 1])) /* "6.44/11.63 GiB": the part of a total */
        for (end++; end < r->end && (is_digit(r->m->text[end]) || r->m->text[end] == '.');) end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t past = message_text_match(r->m, end, units[i].unit);
        if (!past || (past < r->m->len && is_letter(r->m->text[past]))) continue;
        if (!num_mul(whole, units[i].bytes, &value) || !num_mul(milli, units[i].bytes, &part)) continue;
        if (!num_add(value, part / 1000, &value)) return false;
        take_value(r, step, value, past);
        if (units[i].bytes / digits / 2 > r->out->rounding) r->out->rounding = units[i].bytes / digits / 2;
        return true;
    }
    return false;
}

/* The previous number is known only together with this one. */
static bool read_further_number(struct value_reader *r, const struct failure_step *step) {
    struct failure *f = r->out;
    uint32_t bit = 1u << step->number;
    uint64_t before = f->number[step->number], value;
    if (!(f->known & bit)) return false;
    f->known &= ~bit;
    if (!read_number_step(r, step)) return false;
    value = f->number[step->number];
    bool fits = step->kind == FAILURE_STEP_ADD ? num_add(before, value, &value) : num_mul(before, value, &value);
    if (fits) f->number[step->number] = value;
    else f->known &= ~bit;
    return fits;
}

static bool is_name_letter(char c) { return is_letter(c) || is_digit(c) || (c && strchr("_.:", c)); }

static bool read_name_step(struct value_reader *r) {
    size_t pos = skip_marks(r->m, r->pos, r->end), len = 0;
    while (pos + len < r->end && is_name_letter(r->m->text[pos + len])) len++;
    while (len && strchr(".:", r->m->text[pos + len - 1])) len--;
    if (!len || len >= FAILURE_OP_MAX) return false;
    memcpy(r->out->op, r->m->text + pos, len);
    r->out->op[len] = 0;
    r->has_value = true;
    r->pos = pos + len;
    return true;
}

/* Text up to the words after it, on one line, trimmed. */
static bool read_text_step(struct value_reader *r, const struct failure_step *step, char *out) {
    size_t from = skip_marks(r->m, r->pos, r->end), to = from;
    while (to < r->end && r->m->text[to] != '\n' && !message_text_match(r->m, to, step->after)) to++;
    struct slice text = slice_trim(slice_of(r->m->text + from, to - from));
    if (to == r->end || r->m->text[to] == '\n' || !text.len || text.len >= FAILURE_SUBJECT_MAX) return false;
    memcpy(out, text.ptr, text.len);
    out[text.len] = 0;
    r->has_value = true;
    r->pos = to;
    return true;
}

/* As HalProgrammableCoreType of tt-metal is printed; anything else is another word. */
static bool read_core_type_step(struct value_reader *r) {
    static const char *const types[] = {"TENSIX", "ACTIVE_ETH", "IDLE_ETH", "DRAM"};
    size_t pos = r->has_value ? message_text_match(r->m, r->pos, ") on") : 0;
    for (size_t i = 0; pos && i < sizeof types / sizeof *types; i++) {
        size_t past = message_text_match(r->m, pos, types[i]);
        if (!past || (past < r->m->len && is_name_letter(r->m->text[past]) && !strchr(".:", r->m->text[past]))) continue;
        memcpy(r->out->core_type, types[i], strlen(types[i]) + 1);
        r->has_value = true;
        r->pos = past;
        return true;
    }
    return false;
}

static bool read_step(struct value_reader *r, const struct failure_step *step) {
    switch (step->kind) {
        case FAILURE_STEP_NUMBER:
            return read_number_step(r, step);
        case FAILURE_STEP_HEX:
            return read_hex_step(r, step);
        case FAILURE_STEP_KIB:
            return read_kib_step(r, step);
        case FAILURE_STEP_KIB_MORE:
            return read_further_kib(r, step);
        case FAILURE_STEP_SIZE:
            return read_size_step(r, step);
        case FAILURE_STEP_ADD:
        case FAILURE_STEP_TIMES:
            return read_further_number(r, step);
        case FAILURE_STEP_NAME:
            return read_name_step(r);
        case FAILURE_STEP_SUBJECT:
            return read_text_step(r, step, r->out->subject);
        case FAILURE_STEP_CGROUP:
            return read_text_step(r, step, r->out->cgroup);
        case FAILURE_STEP_CORE_TYPE:
            return read_core_type_step(r);
        case FAILURE_STEP_WORDS:
            return true;
        case FAILURE_STEP_POOL:
            return read_pool_step(r, step);
        case FAILURE_STEP_CORES:
            return read_cores_step(r);
        case FAILURE_STEP_END:
            break;
    }
    return false;
}

static bool step_is_known(const struct failure *f, const struct failure_step *step) {
    bool once = step->kind != FAILURE_STEP_ADD && step->kind != FAILURE_STEP_TIMES && step->kind != FAILURE_STEP_KIB_MORE &&
                step->number < FAILURE_NUMBERS;
    return once && failure_knows(f, step->number);
}

/* Are there only units, punctuation and the word "banks" in between? This distinguishes a value's own label from another
 * one. */
static bool nothing_foreign(const struct message_text *m, size_t from, size_t to) {
    for (size_t pos = from; pos < to; pos++) {
        size_t past = message_text_match(m, pos, "banks");
        if (past) pos = past - 1;
        else if (m->text[pos] >= 'a' && m->text[pos] <= 'z') return false;
    }
    return true;
}

/* Finds the words of a step nearby, and where they end. If a line break with an unknown prefix comes between, they may be
 * further away, provided they are long enough to be no accident. */
static bool find_words(const struct value_reader *r, const struct failure_step *step, size_t *past) {
    const char *words = step->before;
    bool is_label = !step->far && words[strlen(words) - 1] == ':';
    size_t to = r->pos + (step->far ? FAR_REACH : is_label ? LABEL_REACH : STEP_REACH);
    if (to < r->value_end) to = r->value_end;
    const char *line_end = r->pos < r->end ? memchr(r->m->text + r->pos, '\n', (to < r->end ? to : r->end) - r->pos) : NULL;
    if (line_end && strlen(words) >= 7 && !is_label) to += WRAPPED_REACH;
    size_t at = message_text_find(r->m, r->pos, to < r->end ? to : r->end, words, past);
    return at != SLICE_NONE && *past <= r->end && (!is_label || nothing_foreign(r->m, r->pos, at));
}

static void read_steps(struct value_reader *r, const struct failure_form *form) {
    for (const struct failure_step *step = form->steps; step && step->kind; step++) {
        if (step_is_known(r->out, step)) continue;
        if (step->before[0]) {
            size_t past;
            if (!find_words(r, step, &past)) {
                /* without its second part, the first is incomplete */
                if (step->kind == FAILURE_STEP_ADD || step->kind == FAILURE_STEP_TIMES) r->out->known &= ~(1u << step->number);
                continue;
            }
            r->pos = past;
            r->cut_number = 0;
            r->cut_pool = false;
        }
        r->out->unformatted |= message_text_match(r->m, r->pos, "{}") > 0;
        read_step(r, step);
        if (r->pos > r->value_end) r->value_end = r->pos;
    }
}

/* Where the values listed after a message with placeholders begin: after a line break, or on the same line if someone
 * rewrapped the text. SLICE_NONE if something else is there. */
static size_t values_start(const struct value_reader *r, const struct failure_form *form) {
    const struct message_text *m = r->m;
    for (size_t pos = r->value_end; pos < m->len && pos < r->value_end + STEP_REACH; pos++) {
        char c = m->text[pos];
        if (is_digit(c) || (c == '[' && form->steps->kind == FAILURE_STEP_CORES)) return pos;
        if (!strchr("{} \n.B", c)) break;
    }
    return SLICE_NONE;
}

static bool value_stands_alone(const struct message_text *m, size_t end) {
    return end >= m->len || m->text[end] == '\n' || m->text[end] == ' ';
}

/* Builds of early 2024 print the placeholders, then the values, one per line. A single value proves nothing: it may be any
 * number. */
static void read_values_after(struct value_reader *r, const struct failure_form *form) {
    size_t start = values_start(r, form), read = 0;
    if (start == SLICE_NONE) return;
    struct failure before = *r->out;
    size_t value_end = r->value_end;
    r->pos = start;
    r->end = r->m->len;
    for (const struct failure_step *step = form->steps; step->kind; step++, read++) {
        struct failure so_far = *r->out;
        struct failure_step alone = *step;
        alone.after = NULL;
        if (!read_step(r, &alone) || !value_stands_alone(r->m, r->pos)) {
            *r->out = so_far;
            break;
        }
        value_end = r->pos;
        if (r->pos < r->m->len) r->pos++;
    }
    if (read < 2) *r->out = before;
    else r->value_end = value_end;
    r->out->open_ended = 0;
    r->cut_number = 0;
    r->cut_pool = false;
}

/* The memory of a process is the part it keeps plus file pages; if a part is unknown, so is the sum. */
static void add_kept(struct failure *f) {
    const uint32_t rss = 1u << FAILURE_RSS, kept = 1u << FAILURE_RSS_KEPT;
    if (!(f->known & rss)) return;
    if (!(f->known & kept) || !num_add(f->number[FAILURE_RSS], f->number[FAILURE_RSS_KEPT], &f->number[FAILURE_RSS]))
        f->known &= ~rss;
}

struct failure_reading failure_read_values(const struct message_text *m, const struct failure_form *form, size_t at,
                                           size_t past, size_t end, struct failure *out) {
    /* The words of the first step are often the last ones of the start ("allocate"), so reading begins at the start. */
    struct value_reader r = {.m = m, .pos = at, .end = end, .value_end = past, .out = out};
    read_steps(&r, form);
    if (out->unformatted && !out->known && form->steps) read_values_after(&r, form);
    add_kept(out);
    out->known &= ~r.cut_number;
    out->open_ended &= out->known;
    if (r.cut_pool && out->pool == FAILURE_L1) out->pool = FAILURE_POOL_UNKNOWN;
    return (struct failure_reading){r.value_end, r.has_value || out->unformatted};
}
