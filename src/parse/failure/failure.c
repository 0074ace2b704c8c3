/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/failure.h"

#include "base/num.h"
#include "parse/failure/index.h"
#include "parse/failure/values.h"
#include "parse/failure/window.h"

enum {
    LOOK_BACK = 200,   /* a needle is at most this far after the start of its message */
    LOOK_AHEAD = 64,   /* or before it: "Out of Memory:" */
    NEEDS_REACH = 260, /* the kind of a message shows within this distance from its start */
    MESSAGE_MAX = 900, /* of the cleaned text; the longest wording has 420 */
    START_REACH = 64,  /* bytes that contain three letters, whatever is in between */
    FIRST_LOOK = 768,  /* enough bytes to decide whether there is a message, and usually all of it */
    LONG_LOOK = 1200,  /* usually all of a long message */
};

static void copy_text(char *to, const char *from, size_t room) {
    if (*to || *from) memcpy(to, from, room);
}

void failure_copy(struct failure *to, const struct failure *from) {
    memcpy(to, from, offsetof(struct failure, core_range));
    copy_text(to->core_range, from->core_range, sizeof to->core_range);
    copy_text(to->core_type, from->core_type, sizeof to->core_type);
    copy_text(to->op, from->op, sizeof to->op);
    copy_text(to->subject, from->subject, sizeof to->subject);
    copy_text(to->cgroup, from->cgroup, sizeof to->cgroup);
    copy_text(to->words, from->words, sizeof to->words);
}

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
        [FAILURE_TRACE_OVERLAP] = "trace_overlap",
        [FAILURE_TRACE_UNSAFE] = "trace_unsafe",
        [FAILURE_L1_ZONE] = "l1_zone",
        [FAILURE_L1_SHARDS] = "l1_shards",
        [FAILURE_OP_L1] = "op_l1",
        [FAILURE_DFB_OP] = "dfb_op",
        [FAILURE_KERNEL_BINARY] = "kernel_binary",
        [FAILURE_RUNTIME_ARGS] = "runtime_args",
        [FAILURE_SEMAPHORES] = "semaphores",
        [FAILURE_HUGEPAGES] = "hugepages",
        [FAILURE_FABRIC] = "fabric",
        [FAILURE_COMPILE_L1] = "compile_l1",
        [FAILURE_COMPILE_DRAM] = "compile_dram",
        [FAILURE_XLA] = "xla",
        [FAILURE_KV_CACHE] = "kv_cache",
        [FAILURE_HOST_ALLOC] = "host_alloc",
        [FAILURE_HOST_KILLED] = "host_killed",
        [FAILURE_NOT_MEMORY] = "not_memory",
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

const char *failure_pool_key(enum failure_pool pool) {
    static const char *const keys[] = {
        [FAILURE_DRAM] = "dram",
        [FAILURE_L1] = "l1",
        [FAILURE_L1_SMALL] = "l1_small",
        [FAILURE_TRACE] = "trace",
        [FAILURE_SYSTEM_MEMORY] = "system_memory",
    };
    return keys[pool];
}

static size_t find_needle(struct slice text, size_t from) {
    const struct failure_index *index = failure_index();
    return find_any(&index->finder, text, from);
}

bool failure_maybe(struct slice text) { return find_needle(text, 0) != SLICE_NONE; }

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool form_fits(const struct failure_form *form, const struct message_text *m, size_t at, size_t end) {
    if (form->needs && message_text_find(m, at, end, form->needs, NULL) == SLICE_NONE) return false;
    if (form->nor && message_text_find(m, at, end, form->nor, NULL) != SLICE_NONE) return false;
    return !form->unless || message_text_find(m, at, end, form->unless, NULL) == SLICE_NONE;
}

/* "exit code 137" must not match in "exit code 1370". */
static bool ends_inside_number(const struct message_text *m, const struct failure_form *form, size_t past) {
    char last = form->start[strlen(form->start) - 1];
    return last >= '0' && last <= '9' && past < m->len && m->text[past] >= '0' && m->text[past] <= '9';
}

static const struct failure_form *form_at(struct failure_window *w, size_t pos, bool last_resort) {
    const struct failure_index *index = failure_index();
    const struct message_text *m = &w->m;
    unsigned i = index->first_row[(unsigned char)m->text[pos]];
    if (!i) return NULL;
    unsigned key = failure_start_key_at(m, pos);
    if (!failure_start_in(index->begins_row, key)) return NULL;
    for (; i; i = index->next_row[i - 1]) {
        if (index->key[i - 1] != key) continue;
        const struct failure_form *form = index->rows[i - 1];
        if (form->last_resort && !last_resort) continue;
        size_t past = message_text_match(m, pos, form->start);
        if (!past || ends_inside_number(m, form, past)) continue;
        if (!form->needs && !form->unless && !form->nor) return form;
        if (form_fits(form, m, pos, failure_window_end(w, past, NEEDS_REACH))) return form;
    }
    return NULL;
}

/* ---- a message, or its words quoted ---- */

/* Start of the line that contains `at`, at most FAILURE_LEAD bytes before `hit`. */
static size_t line_start(struct slice text, size_t hit, size_t at) {
    size_t lowest = hit > FAILURE_LEAD ? hit - FAILURE_LEAD : 0;
    while (at > lowest && text.ptr[at - 1] != '\n') at--;
    return at;
}

static bool holds_any(struct slice text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_find(text, slice_from(words[i])) != SLICE_NONE) return true;
    return false;
}

/* with pytest.raises(RuntimeError, match=re.escape("Out of Memory: ...")) */
static bool is_expected_by_test(struct slice before) {
    size_t at = slice_find(before, SLICE("match="));
    if (at == SLICE_NONE) return false;
    for (size_t i = at + strlen("match="); i < before.len; i++) {
        char c = before.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !strchr("._( \"'^", c)) return false;
    }
    return true;
}

/* Directly after a quote, except for the words that some messages share. */
static bool is_quoted(struct slice before) {
    struct slice lead = SLICE("Out of Memory:"), rest = slice_trim(before);
    if (slice_ends(rest, lead)) before = slice_take(rest, rest.len - lead.len);
    return before.len && strchr("\"'`", before.ptr[before.len - 1]);
}

/* Does something on the line that begins at `start` mark this as an error, or is there an "info:" of tt-metal's exceptions
 * alone on one of the lines above? Their text may have a few lines. */
static bool is_thrown(struct slice text, size_t hit, size_t start, struct slice before) {
    enum { ABOVE = 3 };
    static const char *const words[] = {"TT_FATAL", "TT_THROW", "TT_ASSERT", "Error",  "ERROR", "xception",
                                        "FATAL",    "FAILED",   "critical",  "what()", "info:", "E   "};
    bool thrown = holds_any(before, words, sizeof words / sizeof *words);
    for (unsigned i = 0; i < ABOVE && start && !thrown; i++) {
        size_t above = line_start(text, hit, start - 1), end = start - 1;
        while (end > above && (text.ptr[end - 1] == ' ' || text.ptr[end - 1] == '\r')) end--;
        thrown = slice_ends(slice_between(text.ptr + above, text.ptr + end), SLICE("info:"));
        if (above == start) break;
        start = above;
    }
    return thrown;
}

/* "Killed" alone on the last line. If a text is read in pieces, any line but the last ones has more than this after it. */
static bool is_last_word(struct slice before, struct slice after) {
    enum { MOST_BLANKS = 1024 };
    if (after.len > MOST_BLANKS) return false;
    for (size_t i = 0; i < after.len; i++)
        if (!strchr(" \t\r\n", after.ptr[i]) || !after.ptr[i]) return false;
    return message_text_prefix(before) == before.len;
}

/* "run.sh: line 3:  4242 Killed   python x.py": a shell reports how its child ended. */
static bool is_told_by_shell(struct slice before, struct slice after) {
    size_t line = slice_find(before, SLICE(": line "));
    if (line == SLICE_NONE) return is_last_word(before, after);
    struct slice rest = slice_skip(before, line + 7);
    uint64_t number;
    size_t digits = num_read_u64(rest, &number);
    rest = slice_skip(rest, digits);
    if (!digits || !slice_starts(rest, SLICE(":"))) return false;
    rest = slice_trim(slice_skip(rest, 1));
    digits = num_read_u64(rest, &number);
    return digits && digits == rest.len;
}

/* "numpy._core._exceptions._ArrayMemoryError: Unable ...", "E   MemoryError", "a.py:12: MemoryError", "FAILED a.py::b -
 * MemoryError": a separate word, apart from its module, followed by nothing or a colon. */
static bool is_exception(struct slice text, size_t start, const struct failure *f) {
    static const char *const names[] = {"", "_Array"};
    struct slice line = slice_between(text.ptr + start, text.ptr + f->at),
                 rest = slice_skip(text, f->at + strlen("MemoryError"));
    char next = rest.len ? rest.ptr[0] : '\n';
    if (!strchr("\r\n:", next) && !slice_starts(rest, SLICE("\\n"))) return false;
    size_t from = line.len;
    while (from && line.ptr[from - 1] != ' ' && line.ptr[from - 1] != '\t' && line.ptr[from - 1] != '"') from--;
    struct slice name = slice_skip(line, from), before = slice_trim(slice_take(line, from));
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    struct slice last = dot ? slice_between(dot + 1, name.ptr + name.len) : name;
    if (!slice_equal(last, slice_from(names[0])) && !slice_equal(last, slice_from(names[1]))) return false;
    /* "..." is a node id or a place; prefixes of loggers and launchers may precede all of it */
    bool named = slice_ends(before, SLICE(" -")) && slice_find(before, SLICE(".py::")) != SLICE_NONE;
    bool placed = slice_ends(before, SLICE(":")) && slice_find(before, SLICE(".py:")) != SLICE_NONE;
    size_t prefix = message_text_prefix(slice_between(text.ptr + start, text.ptr + f->at));
    return named || placed || start + prefix >= f->at - name.len;
}

/* A message has figures, or their placeholders; if it is cut before the first of them, something must show that it was
 * thrown. Quoted words with neither are from a test, a source file or a text about messages. */
static bool is_message(struct slice text, size_t hit, const struct failure_form *form, bool has_value,
                       const struct failure *f) {
    size_t start = line_start(text, hit, f->at);
    struct slice before = slice_between(text.ptr + start, text.ptr + f->at);
    if (is_expected_by_test(before)) return false;
    if (form->wants_exception) return is_exception(text, start, f);
    if (has_value && f->unformatted && !f->known) return !is_quoted(before);
    if (has_value && (f->pool || !form->wants_pool)) return true;
    if (is_quoted(before)) return false;
    if (form->wants_shell) return is_told_by_shell(before, slice_skip(text, f->at + f->length));
    if (form->wants_event) {
        struct slice after = slice_take(slice_skip(text, f->at + f->length), FAILURE_LEAD);
        return message_text_is_event(before, slice_from(form->start), slice_take(after, slice_find_byte(after, '\n')));
    }
    if (!form->wants_error && (!form->steps || form->certain)) return true;
    return is_thrown(text, hit, start, before);
}

/* ---- the search ---- */

/* Where to start reading for the needle at `hit`, so that only lines of its writer, `owner`, are read. */
static size_t reading_start(struct slice text, size_t hit, struct message_lines *lines, struct slice *owner) {
    size_t base = hit > LOOK_BACK ? hit - LOOK_BACK : 0, first = line_start(text, hit, base);
    size_t line = line_start(text, hit, hit);
    *owner = message_lines_tag(lines, slice_skip(text, line));
    while (first < line && !message_text_is_of(*owner, message_lines_tag(lines, slice_skip(text, first)))) {
        const char *end = memchr(text.ptr + first, '\n', line - first);
        base = first = end ? (size_t)(end + 1 - text.ptr) : line;
    }
    return base;
}

/* ".../kernels/reader/1234/trisc1/trisc1.elf:" gives "reader/trisc1.elf". */
static void read_kernel_path(const struct message_text *m, size_t end, struct failure *out) {
    if (!end || m->text[end - 1] != ':') return;
    size_t start = --end;
    while (start && m->text[start - 1] != ' ' && m->text[start - 1] != '\n') start--;
    struct slice path = slice_of(m->text + start, end - start), folder = SLICE("kernels/");
    size_t at = slice_find(path, folder);
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    struct slice file = slash ? slice_between(slash + 1, path.ptr + path.len) : path;
    struct slice kernel = at == SLICE_NONE ? slice_of("", 0) : slice_skip(path, at + folder.len);
    kernel = slice_take(kernel, slice_find_byte(kernel, '/'));
    if (kernel.len + file.len + 2 > sizeof out->subject) return;
    memcpy(out->subject, kernel.ptr, kernel.len);
    if (kernel.len) out->subject[kernel.len++] = '/';
    memcpy(out->subject + kernel.len, file.ptr, file.len);
    out->subject[kernel.len + file.len] = 0;
}

/* Text before the start that belongs to it: "400 unique+common ...", "'ttnn.add' op ...". */
static void read_before(const struct message_text *m, const struct failure_form *form, size_t at, struct failure *out) {
    size_t end = at;
    while (end && (m->text[end - 1] == ' ' || m->text[end - 1] == '\n')) end--;
    if (form->count_before) {
        size_t start = end;
        while (start && m->text[start - 1] >= '0' && m->text[start - 1] <= '9') start--;
        uint64_t value;
        if (start == end || num_read_u64(slice_of(m->text + start, end - start), &value) != end - start) return;
        out->number[FAILURE_COUNT] = value;
        out->known |= 1u << FAILURE_COUNT;
    }
    if (form->path_before) read_kernel_path(m, end, out);
    static const char behind_name[] = "' op";
    size_t n = sizeof behind_name - 1;
    if (!form->op_before || end < n || memcmp(m->text + end - n, behind_name, n) != 0) return;
    size_t stop = end - n, start = stop;
    while (start && m->text[start - 1] != '\'' && m->text[start - 1] != '\n') start--;
    struct slice name = slice_of(m->text + start, stop - start);
    if (!start || m->text[start - 1] != '\'' || name.len >= FAILURE_OP_MAX || slice_equal(name, SLICE("func.func"))) return;
    memcpy(out->op, name.ptr, name.len);
    out->op[name.len] = 0;
}

/* Start of the line on which another message begins at `pos`: what is before that is its own. */
static size_t line_of_other(const struct message_text *m, size_t past, size_t pos) {
    size_t start = pos;
    while (start > past && m->text[start - 1] != '\n') start--;
    return start > past ? start : pos;
}

/* A fatal error of another kind: TT_FATAL: words (assert.hpp:104), or TT_FATAL @ file:line: condition, "info:" and the
 * words. False if a row about memory fits its words: that one is found at its own place. */
static bool read_other_error(struct failure_window *w, size_t past, struct failure *out, size_t *end) {
    enum { INNER = 2 }; /* the first stops are on a line of the message */
    const struct message_text *m = &w->m;
    static const char *const stops[] = {"backtrace:", "(assert.hpp", "TT_FATAL", "TT_THROW", "Traceback"};
    size_t words = past, last = m->len - past > MESSAGE_MAX ? past + MESSAGE_MAX : m->len;
    for (size_t pos = past; pos < last; pos++) {
        if (m->text[pos] == '\n' && pos + 1 < last && m->text[pos + 1] == '\n') last = pos;
        for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
            if (m->text[pos] == stops[i][0] && message_text_match(m, pos, stops[i]))
                last = i < INNER ? pos : line_of_other(m, past, pos);
        const struct failure_form *form = pos < last ? form_at(w, pos, false) : NULL;
        if (form && !form->wants_shell) return false;
        size_t info = m->text[pos] == 'i' ? message_text_match(m, pos, "info:") : 0;
        if (info && info < last) words = info;
    }
    if (words > last) words = past;                        /* what ends the message is on the line of that "info:" */
    while (words < last && m->text[words] <= ' ') words++; /* "info:" ends its line */
    struct slice said = slice_trim(slice_of(m->text + words, last - words));
    size_t line = slice_find_byte(said, '\n');
    said = slice_take(slice_take(said, line), FAILURE_WORDS_MAX - 1);
    memcpy(out->words, said.ptr, said.len);
    out->words[said.len] = 0;
    *end = said.len ? (size_t)(said.ptr + said.len - m->text) : past;
    out->cut = *end == m->len;
    return said.len > 0;
}

/* Does the text contain the word, in any case? A short word must stand alone, or with its plural or a number. */
static bool speaks_of(struct slice text, const char *word) {
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= text.len; at++) {
        size_t k = 0;
        while (k < n && small(text.ptr[at + k]) == word[k]) k++;
        if (k < n) continue;
        char before = at ? small(text.ptr[at - 1]) : ' ', after = at + n < text.len ? small(text.ptr[at + n]) : ' ';
        if (n > 4 || (!(before >= 'a' && before <= 'z') && (after == 's' || !(after >= 'a' && after <= 'z')))) return true;
    }
    return false;
}

static bool speaks_of_any(struct slice text, const char *const *words) {
    for (; *words; words++)
        if (speaks_of(text, *words)) return true;
    return false;
}

/* A rule about arguments ("requires DRAM input", "must be in L1") is not about space, unless it says that space is lacking. */
static bool speaks_of_memory(const char *words) {
    static const char *const memory[] = {"memory", "alloc", "buffer",     "l1",  "dram",         "sram",
                                         "bank",   "cb",    "semaphores", "dfb", "trace region", NULL};
    static const char *const rules[] = {"requires",      "require ",
                                        "must be",       "must have",
                                        "must equal",    "must use",
                                        "must not be",   "need to be",
                                        "needs to be",   "unsupported",
                                        "not support",   "only support",
                                        "invalid",       "memory layout",
                                        "buffer type",   "memory config",
                                        "memory_config", "uint32",
                                        "memory_layout", "uint16",
                                        "uint8",         "buffer_type",
                                        "out of range",  "duplicate",
                                        "is null",       NULL};
    static const char *const lack[] = {"enough",   "out of memory", "too large", "too big", "too many",     "larger than",
                                       "exhaust",  "insufficient",  " fit",      "no room", "no space",     "overflow",
                                       "exceed",   "available",     "is full",   "beyond",  "out of l1",    "out of dram",
                                       "runs out", "ran out",       " free",     "overlap", "out of space", NULL};
    struct slice text = slice_from(words);
    return speaks_of_any(text, memory) && (!speaks_of_any(text, rules) || speaks_of_any(text, lack));
}

bool failure_is_cut(const struct failure *f) {
    static const char *const memory[] = {"memory",       "Memory",  "buffer",    "Buffer",        "alloc",
                                         "Alloc",        "L1",      "DRAM",      "channel size",  "too large",
                                         "Program size", "exceeds", "ring size", "kernel config", "Kernel binary"};
    static const char *const places[] = {".cpp:", ".hpp:", ".cc:", ".h:"};
    struct slice words = slice_from(f->words), first = slice_take(words, slice_find_byte(words, ' '));
    if (f->kind != FAILURE_NOT_MEMORY) return false;
    bool abridged = slice_find(first, SLICE("...")) != SLICE_NONE; /* "TT_FATAL @ /src/tt_me..." in a summary */
    struct slice dots = SLICE("...");                              /* "Out of Mem..." */
    if (slice_ends(words, dots) && failure_begins_wording(slice_take(words, words.len - dots.len))) return true;
    return abridged || holds_any(first, places, sizeof places / sizeof *places) ||
           (f->cut && holds_any(words, memory, sizeof memory / sizeof *memory));
}

bool failure_may_be_memory(const struct failure *f) {
    return failure_is_cut(f) || (f->kind == FAILURE_NOT_MEMORY && speaks_of_memory(f->words));
}

bool failure_words_may_be_memory(struct slice words) {
    struct failure f = {.kind = FAILURE_NOT_MEMORY};
    words = slice_take(words, sizeof f.words - 1);
    if (words.len) memcpy(f.words, words.ptr, words.len);
    return failure_may_be_memory(&f);
}

bool failure_is_ray_worker(const struct failure *f) {
    return f->what && slice_starts(slice_from(f->what), SLICE(FAILURE_RAY_WORKER));
}

bool failure_is_signal_9(const struct failure *f) {
    struct slice words = SLICE(FAILURE_KILLED_FROM_OUTSIDE);
    return f->kind == FAILURE_HOST_KILLED && f->maybe_other && f->what && slice_starts(slice_from(f->what), words);
}

/* The first line of another writer in the message [at, end), or `end`. `m` was read from `base` on, which may be far before
 * it. */
static size_t first_of_others(struct slice text, size_t hit, size_t at, size_t end, struct slice owner, size_t base,
                              const struct message_text *m) {
    if (m->first_left_out == SLICE_NONE) return end;
    if (base + m->first_left_out > at) return base + m->first_left_out;
    size_t start = line_start(text, hit, at);
    struct message_text own;
    message_text_read(&own, slice_take(slice_between(text.ptr + start, text.ptr + end), FAILURE_WINDOW), owner, NULL);
    return own.first_left_out == SLICE_NONE || start + own.first_left_out <= at ? end : start + own.first_left_out;
}

/* Where to read for the needle at `hit`: messages that begin in [from, limit) of the text. */
struct failure_look {
    struct slice text, owner;
    size_t base, from, limit, hit;
    struct message_lines *lines;
};

/* Can a row begin here? False is certain. */
static bool may_begin_at(const struct message_text *m, size_t at) {
    const struct failure_index *index = failure_index();
    return index->first_row[(unsigned char)m->text[at]] && failure_start_in(index->begins_row, failure_start_key_at(m, at));
}

/* Can a row begin in the bytes [from, limit) of `raw`? False is certain. */
static bool may_begin_in(const struct failure_look *look, struct slice raw, size_t from, size_t limit) {
    struct message_text m;
    message_text_read(&m, raw, look->owner, look->lines);
    for (size_t at = 0; at < m.len && m.from[at] < limit; at++)
        if (m.from[at] >= from && may_begin_at(&m, at)) return true;
    return false;
}

/* May what follows in the window belong to the message? */
static bool is_short(const struct failure_form *form, const struct message_text *m, size_t past, size_t stop) {
    return form->last_resort ? m->len - past < MESSAGE_MAX : stop == m->len && m->len - past < MESSAGE_MAX && form->steps;
}

static void read_window(const struct failure_look *look, size_t bytes, struct failure_window *w) {
    failure_window_read(w, slice_take(slice_skip(look->text, look->base), bytes), look->base, look->owner, look->lines);
}

/* Finds the first message in the window; *more: it is too short to tell. */
static bool read_place(const struct failure_look *look, struct failure_window *w, struct failure *out, bool *more) {
    enum { KNOWN_WITHIN = 2 * NEEDS_REACH }; /* a row shows whether it fits in so many bytes after its start */
    const struct message_text *m = &w->m;
    const size_t longest = slice_take(slice_skip(look->text, look->base), FAILURE_WINDOW).len,
                 end_of_longest = look->base + longest;
    *more = w->base + w->bytes < end_of_longest && (!m->len || w->base + m->from[m->len - 1] < look->limit + START_REACH);
    for (size_t at = failure_window_place(w, look->base); at < m->len && w->base + m->from[at] < look->limit; at++) {
        if (w->past[at] == FAILURE_NO_ROW) continue;
        if (w->past[at]) {
            at = w->past[at] - 1u;
            continue;
        }
        const struct failure_form *form = form_at(w, at, true);
        bool known = at + KNOWN_WITHIN <= m->len;
        if (!form && known) w->past[at] = FAILURE_NO_ROW;
        if (!known && w->base + w->bytes < end_of_longest && (form || may_begin_at(m, at))) *more = true;
        if (!form) continue;
        size_t past = message_text_match(m, at, form->start), stop = failure_window_end(w, past, MESSAGE_MAX);
        while (form && w->base + w->bytes < end_of_longest &&
               is_short(form, m, past, stop)) { /* so far only its beginning was read */
            if (w->base < look->base) return !(*more = true);
            size_t longer = (size_t)m->from[at] + LONG_LOOK;
            read_window(look, longer > w->bytes ? longer : longest, w);
            form = form_at(w, at, true);
            past = form ? message_text_match(m, at, form->start) : 0;
            stop = failure_window_end(w, past, MESSAGE_MAX);
        }
        if (!form) continue;
        *out = (struct failure){.kind = form->kind,
                                .rule = form->rule,
                                .what = form->what,
                                .warning = form->warning,
                                .maybe_other = form->maybe_other,
                                .limit_is_page = form->limit_is_page,
                                .pool = form->pool,
                                .at = w->base + m->from[at]};
        if (form->op) memcpy(out->op, form->op, strlen(form->op) + 1);
        struct failure_reading read = {past, true};
        if (form->last_resort && !read_other_error(w, past, out, &read.end)) continue;
        if (form->count_before || form->op_before || form->path_before) read_before(m, form, at, out);
        if (!form->last_resort) read = failure_read_values(m, form, at, past, stop, out);
        size_t end = w->base + m->from[read.end - 1] + 1;
        size_t others = first_of_others(look->text, look->hit, out->at, end, look->owner, w->base, m);
        out->length = (others < end ? others : end) - out->at;
        if (out->at >= look->from && is_message(look->text, look->hit, form, read.has_value, out)) return true;
        w->past[at] = (uint16_t)read.end;
        at = read.end - 1;
    }
    *more = *more && w->base + w->bytes < end_of_longest;
    return false;
}

/* Bytes from `base` to the end of a few lines after the hit: in a log full of messages the next one is there. Enough to see
 * where a message may begin. */
static size_t few_lines(struct slice text, size_t base, size_t hit) {
    enum { LINES = 2 };
    size_t end = hit;
    for (unsigned i = 0; i < LINES && end < text.len && end - base < FIRST_LOOK; i++) {
        struct slice rest = slice_take(slice_skip(text, end), FIRST_LOOK);
        size_t n = slice_find_byte(rest, '\n');
        end += n == SLICE_NONE ? rest.len : n + 1;
    }
    if (end < hit + LOOK_AHEAD + 2 * START_REACH) end = hit + LOOK_AHEAD + 2 * START_REACH;
    return end - base < FIRST_LOOK ? end - base : FIRST_LOOK;
}

/* Finds the message around a needle: the first that begins in [from, limit), before hit + LOOK_AHEAD and not long before the
 * hit. Anything that began before `from` has been examined, and text before `ended` belongs to another message. */
static bool read_around(struct failure_look *look, size_t ended, struct failure_window *w, struct failure *out) {
    const struct slice text = look->text;
    const size_t hit = look->hit;
    look->base = reading_start(text, hit, look->lines, &look->owner);
    if (look->base < ended && ended < hit &&
        message_text_is_of(look->owner, message_text_tag(slice_skip(text, line_start(text, hit, ended)))))
        look->base = ended;
    if (look->base >= look->limit || look->from >= look->limit) return false;
    size_t reach = look->limit - look->base, done = look->from > look->base ? look->from - look->base : 0;
    struct slice longest = slice_take(slice_skip(text, look->base), FAILURE_WINDOW);
    if (look->limit <= hit && !may_begin_in(look, slice_take(longest, reach + START_REACH), done, reach)) return false;
    bool more = true, dense = failure_window_holds(w, hit);
    if (dense && w->base <= look->base && (w->base == ended || look->base != ended) && read_place(look, w, out, &more))
        return true;
    if (!more) return false;
    read_window(look, dense ? FAILURE_WINDOW : few_lines(text, look->base, hit), w);
    if (read_place(look, w, out, &more)) return true;
    if (!more || w->bytes >= FIRST_LOOK) return false;
    read_window(look, FIRST_LOOK, w);
    return read_place(look, w, out, &more);
}

bool failure_next_known(struct slice text, size_t from, size_t limit, struct message_lines *lines, struct failure *out) {
    /* the end of an earlier message, inside a line */
    size_t hit, search = from, ended = from && from < text.len && text.ptr[from - 1] != '\n' ? from : 0;
    struct failure_window window;
    window.base = window.bytes = 0;
    struct slice reach =
        text.len > limit && text.len - limit > LOOK_BACK + LOOK_AHEAD ? slice_take(text, limit + LOOK_BACK + LOOK_AHEAD) : text;
    while (from < limit && (hit = find_needle(reach, search)) != SLICE_NONE) {
        struct failure_look look = {.text = text,
                                    .from = from,
                                    .limit = limit < hit + LOOK_AHEAD ? limit : hit + LOOK_AHEAD,
                                    .hit = hit,
                                    .lines = lines};
        if (read_around(&look, ended, &window, out)) return true;
        from = hit; /* anything that begins before it has been examined */
        search = hit + 1;
    }
    return false;
}

bool failure_next_before(struct slice text, size_t from, size_t limit, struct failure *out) {
    return failure_next_known(text, from, limit, NULL, out);
}

bool failure_next(struct slice text, size_t from, struct failure *out) {
    return failure_next_before(text, from, text.len, out);
}

struct slice failure_reach(struct slice text, size_t at, size_t length, size_t *from) {
    size_t begin = at > FAILURE_LEAD ? at - FAILURE_LEAD : 0, end = at + length;
    *from = at - begin;
    end = text.len - end > FAILURE_WINDOW ? end + FAILURE_WINDOW : text.len;
    return slice_between(text.ptr + begin, text.ptr + end);
}

bool failure_maybe_in(struct slice text, size_t at, size_t length) {
    return failure_maybe(slice_take(slice_skip(text, at), length + LOOK_BACK + LOOK_AHEAD));
}

size_t failure_settled(struct slice text) {
    size_t from = text.len > FAILURE_WINDOW ? text.len - FAILURE_WINDOW : 0;
    size_t hit = find_needle(text, from);
    if (hit == SLICE_NONE) return text.len;
    size_t start = hit > LOOK_BACK ? hit - LOOK_BACK : 0;
    const char *line = start ? memrchr(text.ptr, '\n', start) : NULL;
    return line ? (size_t)(line + 1 - text.ptr) : 0;
}
