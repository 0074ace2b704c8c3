#include "parse/failure.h"

#include "base/num.h"
#include "parse/failure_forms.h"
#include "parse/message_text.h"
#include "scan/find_any.h"

/* Every message holds one of these, most hold two, so that one is left when the other is broken by a line end. The fingerprints
 * are letters that hardly occur in the output of compiler and runtime. */
static const struct needle needles[] = {
    NEEDLE("tatically", 6),     /* lly */
    NEEDLE("ircular buf", 0),   /* irc */
    NEEDLE("enough space", 1),  /* nou */
    NEEDLE("of Memory:", 1),    /* f M */
    NEEDLE("trace buffers", 5), /* _bu */
    NEEDLE("trace region", 7),  /* egi */
    NEEDLE("kernel config", 5), /* l_c */
    NEEDLE("large for k", 8),   /* r_k */
    NEEDLE("ataflow buf", 1),   /* taf */
    NEEDLE("address below", 6), /* s_b */
    NEEDLE("globally allo", 7), /* y_a */
    NEEDLE("Creating trac", 7), /* g_t */
};

enum {
    NEEDLE_COUNT = sizeof needles / sizeof *needles,
    LOOK_BACK = 200,    /* a needle stands at most this far behind the start of its message */
    LOOK_AHEAD = 64,    /* or before it: "Out of Memory:" */
    NEEDS_REACH = 260,  /* how far from the start a message's kind shows */
    MESSAGE_MAX = 900,  /* of the cleaned text; the longest wording has 420 */
    FIRST_LOOK = 1024,  /* bytes that tell whether there is a message at all, and mostly hold all of it */
    STEP_REACH = 72,    /* from one value to the words before the next */
    LABEL_REACH = 16,   /* the same for "free:" and its like, which other texts have too */
    WRAPPED_REACH = 96, /* more, when a line with an unknown prefix comes between */
};

/* What ends a message when it stands behind its start: the next message, the trace, the logger's tail. So does an empty line.
 */
static const char *const enders[] = {"Out of Memory:",
                                     "Not enough space",
                                     "Statically allocated",
                                     "Creating trace buffers",
                                     "Cannot set to globally",
                                     "backtrace:",
                                     "(assert.hpp",
                                     "TT_FATAL",
                                     "TT_THROW",
                                     "Traceback"};

const char *failure_kind_name(enum failure_kind kind) {
    static const char *const names[] = {
        [FAILURE_OOM] = "oom",
        [FAILURE_CB_BEYOND_L1] = "cb_beyond_l1",
        [FAILURE_CB_CLASH] = "cb_clash",
        [FAILURE_DFB_BEYOND_L1] = "dfb_beyond_l1",
        [FAILURE_DFB_CLASH] = "dfb_clash",
        [FAILURE_TRACE_REGION] = "trace_region",
        [FAILURE_KERNEL_CONFIG] = "kernel_config",
        [FAILURE_OOM_ADDRESS] = "oom_address",
        [FAILURE_CB_RULE] = "cb_rule",
    };
    return names[kind];
}

static const char *const pool_names[] = {
    [FAILURE_DRAM] = "DRAM",
    [FAILURE_L1] = "L1",
    [FAILURE_L1_SMALL] = "L1_SMALL",
    [FAILURE_TRACE] = "TRACE",
    [FAILURE_SYSTEM_MEMORY] = "SYSTEM_MEMORY",
};

const char *failure_pool_name(enum failure_pool pool) { return pool_names[pool]; }

bool failure_maybe(struct slice text) { return find_any(needles, NEEDLE_COUNT, text, 0) != SLICE_NONE; }

/* Reads the values of a message one after the other. */
struct reader {
    const struct message_text *m;
    size_t pos;
    size_t end;       /* of the message */
    size_t value_end; /* behind the last value or words that were found */
    struct failure *out;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_marks(const struct message_text *m, size_t pos, size_t end) {
    while (pos < end && m->text[pos] && strchr(" \n*`'\"", m->text[pos])) pos++;
    return pos;
}

/* Digits, also grouped by commas. Returns the position behind them, `pos` when there are none or too many. */
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

/* A number that a hard line break cut in two goes on in the next line when, joined, the words that must follow do follow; the
 * last number of a message has no such words, it is joined when it would else be below `above`. */
static size_t read_number(const struct reader *r, size_t pos, const char *after, uint64_t above, uint64_t *value) {
    const struct message_text *m = r->m;
    *value = 0;
    size_t end = read_digits(m, pos, r->end, value);
    if (end == pos || end + 1 >= r->end || m->text[end] != '\n' || !is_digit(m->text[end + 1])) return end;
    uint64_t joined = *value;
    size_t joined_end = read_digits(m, end + 1, r->end, &joined);
    if (joined_end == end + 1) return end;
    bool goes_on = after ? message_text_match(m, joined_end, after) > 0 : *value <= above;
    if (!goes_on) return end;
    *value = joined;
    return joined_end;
}

/* A number with an ellipsis behind it was cut off by a test's short summary: it is not a number. */
static bool is_cut(const struct reader *r, size_t end) {
    struct slice rest = slice_of(r->m->text + end, r->end - end);
    return slice_starts(rest, SLICE("...")) || slice_starts(rest, SLICE("\xe2\x80\xa6"));
}

static bool read_number_step(struct reader *r, const struct failure_step *step) {
    struct failure *f = r->out;
    size_t pos = skip_marks(r->m, r->pos, r->end);
    uint64_t above =
        step->number == FAILURE_REGION_END && failure_knows(f, FAILURE_L1_ADDRESS) ? f->number[FAILURE_L1_ADDRESS] : 0;
    uint64_t value;
    size_t end = read_number(r, pos, step->after, above, &value);
    if (end == pos || is_cut(r, end)) return false;
    f->number[step->number] = value;
    f->known |= 1u << step->number;
    r->pos = end;
    return true;
}

static enum failure_pool pool_of(struct slice name) {
    for (enum failure_pool pool = FAILURE_DRAM; pool <= FAILURE_SYSTEM_MEMORY; pool++)
        if (slice_equal(name, slice_from(pool_names[pool]))) return pool;
    return FAILURE_POOL_UNKNOWN;
}

static bool is_pool_letter(char c) { return (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

static bool read_pool_step(struct reader *r) {
    static const char type_name[] = "BufferType::";
    size_t pos = skip_marks(r->m, r->pos, r->end);
    if (pos < r->end && r->m->text[pos] == 'B' && pos + 1 < r->end && strchr(" \n", r->m->text[pos + 1]))
        pos = skip_marks(r->m, pos + 1, r->end); /* the unit of the number before */
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
    if (r->out->pool) r->pos = pos;
    return r->out->pool != FAILURE_POOL_UNKNOWN;
}

/* Spaces where tt-metal puts them, whatever a line break did to them: "[(x=0,y=0) - (x=7,y=7)]", "[0-0 - 7-7]", "[..], [..]".
 */
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

/* A core range in brackets or a set of them in braces; "{}" is a placeholder. */
static bool read_cores_step(struct reader *r) {
    const struct message_text *m = r->m;
    size_t pos = skip_marks(m, r->pos, r->end);
    if (pos + 2 >= r->end || (m->text[pos] != '[' && m->text[pos] != '{') || m->text[pos + 1] == '}') return false;
    char close = m->text[pos] == '{' ? '}' : ']';
    char bare[FAILURE_CORES_MAX];
    size_t len = 0;
    for (; pos < r->end && len < sizeof bare; pos++) {
        if (m->text[pos] == '\n' || m->text[pos] == ' ') continue;
        bare[len++] = m->text[pos];
        if (m->text[pos] == close) break;
    }
    bool whole = len && bare[len - 1] == close && spell_cores(r->out->core_range, FAILURE_CORES_MAX, slice_of(bare, len));
    if (!whole) r->out->core_range[0] = 0;
    else r->pos = pos + 1;
    return whole;
}

static bool read_step(struct reader *r, const struct failure_step *step) {
    switch (step->kind) {
        case STEP_NUMBER:
            return read_number_step(r, step);
        case STEP_POOL:
            return read_pool_step(r);
        case STEP_CORES:
            return read_cores_step(r);
        case STEP_END:
            break;
    }
    return false;
}

static bool step_is_known(const struct failure *f, const struct failure_step *step) {
    return step->kind == STEP_NUMBER && failure_knows(f, step->number);
}

/* Whether only units, punctuation and the word "banks" stand between: what tells the label of a value from a foreign one. */
static bool nothing_foreign(const struct message_text *m, size_t from, size_t to) {
    for (size_t pos = from; pos < to; pos++) {
        size_t behind = message_text_match(m, pos, "banks");
        if (behind) pos = behind - 1;
        else if (m->text[pos] >= 'a' && m->text[pos] <= 'z') return false;
    }
    return true;
}

/* Finds the words of a step, near, and stores where they end. A line break with an unknown prefix between allows more, when the
 * words are long enough to be no accident. */
static bool find_words(const struct reader *r, const char *words, size_t *behind) {
    bool is_label = words[strlen(words) - 1] == ':';
    size_t to = r->pos + (is_label ? LABEL_REACH : STEP_REACH);
    if (to < r->value_end) to = r->value_end;
    const char *line_end = r->pos < r->end ? memchr(r->m->text + r->pos, '\n', (to < r->end ? to : r->end) - r->pos) : NULL;
    if (line_end && strlen(words) >= 7 && !is_label) to += WRAPPED_REACH;
    size_t at = message_text_find(r->m, r->pos, to < r->end ? to : r->end, words, behind);
    return at != SLICE_NONE && *behind <= r->end && (!is_label || nothing_foreign(r->m, r->pos, at));
}

static void read_steps(struct reader *r, const struct failure_form *form) {
    for (const struct failure_step *step = form->steps; step && step->kind; step++) {
        if (step_is_known(r->out, step)) continue;
        if (step->before[0]) {
            size_t behind;
            if (!find_words(r, step->before, &behind)) continue;
            r->pos = behind;
        }
        r->out->unformatted |= message_text_match(r->m, r->pos, "{}") > 0;
        read_step(r, step);
        if (r->pos > r->value_end) r->value_end = r->pos;
    }
}

/* Builds of early 2024 print the placeholders, then one value per line. */
static void read_values_below(struct reader *r, const struct failure_form *form) {
    const struct message_text *m = r->m;
    const char *line = r->value_end < m->len ? memchr(m->text + r->value_end, '\n', m->len - r->value_end) : NULL;
    if (!line || (size_t)(line - m->text) > r->value_end + STEP_REACH) return;
    r->pos = (size_t)(line - m->text) + 1;
    for (const struct failure_step *step = form->steps; step && step->kind; step++) {
        if (step_is_known(r->out, step)) continue;
        size_t start = r->pos;
        struct failure_step alone = *step;
        alone.after = NULL;
        if (!read_step(r, &alone) || (r->pos < m->len && m->text[r->pos] != '\n')) {
            if (r->pos != start && step->kind == STEP_NUMBER) r->out->known &= ~(1u << step->number);
            return;
        }
        r->value_end = r->pos;
        if (r->pos < m->len) r->pos++;
    }
}

static size_t message_end(const struct message_text *m, size_t from, size_t max) {
    size_t end = m->len - from > max ? from + max : m->len;
    for (size_t pos = from; pos < end; pos++) {
        char c = m->text[pos];
        if (c >= 'a' && c != 'b') continue; /* "backtrace:" is the only one in small letters */
        if (c == '\n' && pos + 1 < end && m->text[pos + 1] == '\n') return pos;
        for (size_t i = 0; i < sizeof enders / sizeof *enders; i++)
            if (enders[i][0] == c && message_text_match(m, pos, enders[i])) return pos;
    }
    return end;
}

static bool form_fits(const struct failure_form *form, const struct message_text *m, size_t at, size_t end) {
    if (form->needs && message_text_find(m, at, end, form->needs, NULL) == SLICE_NONE) return false;
    return !form->unless || message_text_find(m, at, end, form->unless, NULL) == SLICE_NONE;
}

static const struct failure_form *form_at(const struct message_text *m, size_t pos) {
    if (!m->text[pos] || !strchr("NOCSPRTBIia", m->text[pos])) return NULL; /* first letters of the forms */
    for (const struct failure_form *form = failure_forms; form->start; form++) {
        if (form->start[0] != m->text[pos]) continue;
        size_t behind = message_text_match(m, pos, form->start);
        if (behind && (!form->needs && !form->unless)) return form;
        if (behind && form_fits(form, m, pos, message_end(m, behind, NEEDS_REACH))) return form;
    }
    return NULL;
}

static void read_message(const struct message_text *m, const struct failure_form *form, size_t at, struct failure *out) {
    *out = (struct failure){.kind = form->kind, .rule = form->rule};
    /* The words of the first step are often the last of the start ("allocate"): reading begins at the start. */
    size_t behind = message_text_match(m, at, form->start);
    struct reader r = {.m = m, .pos = at, .end = message_end(m, behind, MESSAGE_MAX), .value_end = behind, .out = out};
    read_steps(&r, form);
    if (out->unformatted && !out->known) read_values_below(&r, form);
    out->at = m->from[at];
    out->length = (size_t)m->from[r.value_end - 1] + 1 - out->at;
}

/* The message around a needle: the first that begins in [from, hit + LOOK_AHEAD) and not long before the hit. */
static bool read_around(struct slice text, size_t from, size_t hit, struct failure *out) {
    size_t base = hit > from + LOOK_BACK ? hit - LOOK_BACK : from;
    struct slice window = slice_take(slice_skip(text, base), FAILURE_WINDOW);
    struct message_text m;
    message_text_read(&m, slice_take(window, FIRST_LOOK));
    for (size_t at = 0; at < m.len && base + m.from[at] < hit + LOOK_AHEAD; at++) {
        const struct failure_form *form = form_at(&m, at);
        if (!form) continue;
        if (message_end(&m, message_text_match(&m, at, form->start), MESSAGE_MAX) == m.len) message_text_read(&m, window);
        read_message(&m, form, at, out);
        out->at += base;
        return true;
    }
    return false;
}

bool failure_next(struct slice text, size_t from, struct failure *out) {
    size_t hit, search = from;
    while ((hit = find_any(needles, NEEDLE_COUNT, text, search)) != SLICE_NONE) {
        if (read_around(text, from, hit, out)) return true;
        from = hit + LOOK_AHEAD; /* no message begins before that */
        search = hit + 1;
    }
    return false;
}
