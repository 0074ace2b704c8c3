/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/message_text.h"

#include "parse/line_prefix.h"
#include "scan/find.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_space(char c) { return c == ' ' || c == '\t'; }
static bool is_one_of(char c, const char *set) { return c && strchr(set, c); }
static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/* Length of a space that is not ASCII: no-break, figure and narrow no-break space, as word processors and chats insert them. */
static size_t wide_space(struct slice s) {
    static const char *const kinds[] = {"\xc2\xa0", "\xe2\x80\x87", "\xe2\x80\xaf"};
    if (!s.len || (unsigned char)s.ptr[0] < 0x80) return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (slice_starts(s, slice_from(kinds[i]))) return strlen(kinds[i]);
    return 0;
}

static size_t spaces(struct slice s) {
    size_t n = 0;
    for (size_t wide; n < s.len; n += wide) {
        wide = is_space(s.ptr[n]) ? 1 : wide_space(slice_skip(s, n));
        if (!wide) break;
    }
    return n;
}

/* The rest of the line, up to `max` bytes; it may end in an escaped break. */
static struct slice line_of(struct slice s, size_t max) {
    s = slice_take(s, max);
    s = slice_take(s, slice_find_byte(s, '\n'));
    return slice_take(s, slice_find_byte(s, '\\'));
}

/* Does `s` begin with `shape`, with 0 for any digit? Returns its length. */
static size_t shaped(struct slice s, const char *shape) {
    size_t n = strlen(shape);
    if (s.len < n) return 0;
    for (size_t i = 0; i < n; i++)
        if (shape[i] == '0' ? !is_digit(s.ptr[i]) : s.ptr[i] != shape[i]) return 0;
    return n;
}

/* 2026-03-04 01:46:22.615, 2026-03-04T01:46:22.6151234Z, 01:46:22,615 */
static size_t timestamp(struct slice s) {
    if (!s.len || !is_digit(s.ptr[0])) return 0;
    size_t n = shaped(s, "0000-00-00 00:00:00");
    if (!n) n = shaped(s, "0000-00-00T00:00:00");
    if (!n) n = shaped(s, "00-00 00:00:00");
    if (!n) n = shaped(s, "00:00:00");
    if (!n) return 0;
    if (n < s.len && (s.ptr[n] == '.' || s.ptr[n] == ',')) {
        n++;
        while (n < s.len && is_digit(s.ptr[n])) n++;
    }
    return n < s.len && s.ptr[n] == 'Z' ? n + 1 : n;
}

/* Everything that launchers and terminals put before lines; "critical |" is not a container. */
static size_t launcher(struct slice s) {
    return line_prefix_may_begin(s) ? line_prefix_read(line_of(s, 200), PREFIX_OF_MESSAGE).len : 0;
}

/* [1,0]<stdout>:, [tt-server-52e5], [core.py:1035]; a core range "[(x=0" or "[0-0 - 7-7]" is not one. */
static size_t bracket_tag(struct slice s) {
    if (s.len < 3 || s.ptr[0] != '[') return 0;
    s = line_of(s, 80);
    size_t end = slice_find_byte(s, ']');
    if (end == SLICE_NONE) return 0;
    struct slice past = slice_skip(s, end + 1);
    if (slice_starts(past, SLICE("<stdout>:")) || slice_starts(past, SLICE("<stderr>:"))) return end + 10;
    return is_letter(s.ptr[1]) && slice_find_byte(slice_take(s, end), '=') == SLICE_NONE ? end + 1 : 0;
}

/* Length of a terminal sequence at the start of `s`: ESC [ ... letter, or the same with ESC spelled out. */
static size_t colour(struct slice s) {
    if (!s.len || (s.ptr[0] != '\x1b' && s.ptr[0] != '\\' && s.ptr[0] != '^')) return 0;
    static const char *const escapes[] = {"\x1b[", "\\x1b[", "\\u001b[", "\\033[", "^[["};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        if (!slice_starts(s, slice_from(escapes[i]))) continue;
        size_t n = strlen(escapes[i]);
        while (n < s.len && n < 32 && (is_digit(s.ptr[n]) || s.ptr[n] == ';' || s.ptr[n] == '?')) n++;
        return n < s.len ? n + 1 : n;
    }
    return 0;
}

static bool is_in_name(char c) { return c == '_' || c == '-' || c == '.' || c == ':'; }

/* "critical |", "Always |", "server-1  |": a word and a bar. */
static size_t word_and_bar(struct slice s) {
    size_t n = 0;
    while (n < s.len && n < 40 && (is_letter(s.ptr[n]) || is_digit(s.ptr[n]) || is_in_name(s.ptr[n]))) n++;
    if (!n) return 0;
    n += colour(slice_skip(s, n));
    n += spaces(slice_skip(s, n));
    return n < s.len && s.ptr[n] == '|' ? n + 1 : 0;
}

/* ERROR 06-05 19:19:37, and the place "core.py:1035]" after it */
static size_t level_and_time(struct slice s) {
    static const char *const levels[] = {"ERROR", "CRITICAL", "WARNING", "INFO", "DEBUG", "FATAL"};
    if (!s.len || !is_one_of(s.ptr[0], "ECWIDF")) return 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        size_t n = strlen(levels[i]);
        if (!slice_starts(s, slice_from(levels[i]))) continue;
        n += spaces(slice_skip(s, n));
        size_t time = timestamp(slice_skip(s, n));
        if (!time) return 0;
        n += time;
        n += spaces(slice_skip(s, n));
        size_t close = slice_find_byte(line_of(slice_skip(s, n), 60), ']');
        return close != SLICE_NONE && slice_find_byte(slice_take(slice_skip(s, n), close), ' ') == SLICE_NONE ? n + close + 1
                                                                                                              : n;
    }
    return 0;
}

static size_t mark(struct slice s) {
    if (!s.len || is_digit(s.ptr[0]) || (is_letter(s.ptr[0]) && s.ptr[0] != 'E')) return 0;
    if (s.len >= 3 && s.ptr[0] == 'E' && is_space(s.ptr[1]) && is_space(s.ptr[2])) return 3; /* pytest */
    if (slice_starts(s, SLICE("//")) || slice_starts(s, SLICE("#:"))) return 2;
    if (s.len && (is_one_of(s.ptr[0], ">|#*") || is_quote(s.ptr[0]))) return 1;
    return slice_starts(s, SLICE("\xe2\x94\x82")) ? 3 : 0; /* │ */
}

typedef size_t part_fn(struct slice); /* length of a part at the start, 0 if it is not there */

/* Length of all such parts at the start, in any order. */
static size_t skip_parts(struct slice s, part_fn *const *parts, size_t count) {
    size_t n = 0;
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < count; i++) {
            size_t part = parts[i](slice_skip(s, n));
            n += part;
            found |= part > 0;
        }
    }
    return n;
}

size_t message_text_prefix(struct slice line) {
    static part_fn *const parts[] = {spaces, colour, launcher, timestamp, bracket_tag, word_and_bar, level_and_time, mark};
    return skip_parts(line, parts, sizeof parts / sizeof *parts);
}

/* "server-1  |": a container of docker compose, always with a number, unlike "critical |". */
static size_t container(struct slice s) {
    size_t n = word_and_bar(s), word = 0;
    if (!n) return 0;
    while (word < n && s.ptr[word] != ' ' && s.ptr[word] != '|' && s.ptr[word] != '\x1b') word++;
    size_t digits = word;
    while (digits && is_digit(s.ptr[digits - 1])) digits--;
    return n && digits && digits < word && is_one_of(s.ptr[digits - 1], "-_") ? word : 0;
}

/* "node0:": a host of pdsh or clush, always with a number here, unlike "RuntimeError:" and "info:". */
static size_t host(struct slice s) {
    size_t n = 0, digits = 0;
    for (; n < s.len && (is_letter(s.ptr[n]) || is_digit(s.ptr[n]) || is_one_of(s.ptr[n], "_-.")); n++)
        digits += is_digit(s.ptr[n]);
    if (!digits || digits == n || n >= s.len || s.ptr[n] != ':') return 0;
    return n + 1 == s.len || is_one_of(s.ptr[n + 1], " \r") ? n + 1 : 0;
}

static size_t small_name(struct slice s) {
    size_t n = 0;
    while (n < s.len && ((s.ptr[n] >= 'a' && s.ptr[n] <= 'z') || is_digit(s.ptr[n]) || is_one_of(s.ptr[n], "-."))) n++;
    return n;
}

/* "tt-0 main ": a pod, with a dash and a number, and its container, from stern. */
static size_t pod_and_container(struct slice s) {
    size_t pod = small_name(s), container = pod < s.len && s.ptr[pod] == ' ' ? small_name(slice_skip(s, pod + 1)) : 0;
    size_t n = pod + 1 + container;
    if (!container || n >= s.len || s.ptr[n] != ' ' || slice_find_byte(slice_take(s, pod), '-') == SLICE_NONE) return 0;
    return is_digit(s.ptr[pod - 1]) && is_letter(s.ptr[0]) ? n + 1 : 0;
}

/* A tag that may also be words of the message. */
static bool is_loose(struct slice tag) { return tag.len && is_one_of(tag.ptr[tag.len - 1], ": ") && tag.ptr[0] != '['; }

static size_t digits_of(struct slice s) {
    size_t n = 0;
    while (n < s.len && is_digit(s.ptr[n])) n++;
    return n;
}

/* "node0:", "node12:": the same but for their numbers. */
static bool is_alike(struct slice a, struct slice b) {
    while (a.len && b.len) {
        size_t own = digits_of(a), other = digits_of(b);
        if (!own != !other || (!own && a.ptr[0] != b.ptr[0])) return false;
        a = slice_skip(a, own ? own : 1);
        b = slice_skip(b, other ? other : 1);
    }
    return a.len == b.len;
}

struct slice message_text_tag(struct slice line) {
    static part_fn *const in_front[] = {spaces, colour, timestamp};
    static part_fn *const tags[] = {bracket_tag, container, host, pod_and_container};
    line = line_of(line, 200);
    if (line_prefix_may_begin(line)) {
        struct line_prefix prefix = line_prefix_read(line, PREFIX_OF_MESSAGE);
        if (prefix.tag.len) return prefix.tag;
    }
    line = slice_skip(line, skip_parts(line, in_front, sizeof in_front / sizeof *in_front));
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        size_t n = tags[i](line);
        if (n) return slice_take(line, n);
    }
    return slice_of("", 0);
}

bool message_text_is_of(struct slice owner, struct slice tag) {
    if (!owner.len || !tag.len || slice_equal(owner, tag)) return true;
    return (is_loose(owner) || is_loose(tag)) && !is_alike(owner, tag);
}

/* A line of the runtime about its ops and memory: no part of a message, whoever wrote it. */
static bool is_of_runtime(struct slice line) {
    static const char *const words[] = {
        "Device memory state",        "Device DRAM memory state:", "Device L1 memory state:", "Device L1_SMALL memory ",
        "Device TRACE memory state:", "Executing operation:",      "Starting execution of ",  "Finished execution of "};
    line = slice_take(line, 200);
    line = slice_take(line, slice_find_byte(line, '\n'));
    for (size_t bar; (bar = slice_find_byte(line, '|')) != SLICE_NONE;) {
        line = slice_skip(line, bar + 1);
        line = slice_skip(line, spaces(line));
        if (!line.len || !is_one_of(line.ptr[0], "DESF")) continue;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (slice_starts(line, slice_from(words[i]))) return true;
    }
    return false;
}

/* What the front of a line shows. */
struct front {
    size_t prefix;
    struct slice tag;
    bool of_runtime;
};

/* Of the line that begins here. */
static struct front read_front(struct slice line, struct message_lines *lines) {
    enum { LONGEST = 1024 };
    uint64_t at = lines ? lines->offset + (uint64_t)(line.ptr - lines->piece) + 1 : 0;
    size_t place = (size_t)(at * 0x9E3779B97F4A7C15u >> 32) % MESSAGE_LINES;
    struct message_line *known = lines ? &lines->line[place] : NULL;
    if (known && known->at == at && known->len < line.len)
        return (struct front){known->prefix, slice_of(line.ptr + known->tag_at, known->tag_len), known->of_runtime};
    struct front front = {message_text_prefix(line), message_text_tag(line), is_of_runtime(line)};
    size_t len = known ? slice_find_byte(slice_take(line, LONGEST), '\n') : SLICE_NONE;
    if (len == SLICE_NONE || front.prefix > len) return front; /* what is after this piece might change it */
    *known = (struct message_line){.at = at,
                                   .len = (uint16_t)len,
                                   .prefix = (uint16_t)front.prefix,
                                   .tag_at = front.tag.len ? (uint16_t)(front.tag.ptr - line.ptr) : 0,
                                   .tag_len = (uint16_t)front.tag.len,
                                   .of_runtime = front.of_runtime};
    return front;
}

struct slice message_lines_tag(struct message_lines *lines, struct slice line) {
    return read_front(line, lines).tag;
}

/* Bytes of the lines at the start of `s` that others wrote, and of what is before the text of the line after them. Takes the
 * owner from the first tag. */
static size_t skip_to_own(struct slice s, struct slice *owner, struct message_lines *lines, size_t *foreign) {
    for (size_t n = 0;;) {
        struct slice rest = slice_skip(s, n);
        struct front front = read_front(rest, lines);
        if (!owner->len && !is_loose(front.tag)) *owner = front.tag;
        *foreign = n;
        if (message_text_is_of(*owner, front.tag) && !front.of_runtime) return n + front.prefix;
        size_t end = slice_find_byte(rest, '\n');
        if (end == SLICE_NONE) return *foreign = s.len;
        n += end + 1;
    }
}

/* Bytes of a line break at the start of `s`, real or escaped once or twice. */
static size_t line_break(struct slice s) {
    if (s.ptr[0] == '\n') return 1;
    size_t n = 0;
    while (n < s.len && n < 2 && s.ptr[n] == '\\') n++;
    return n && n < s.len && s.ptr[n] == 'n' ? n + 1 : 0;
}

static void put(struct message_text *m, char c, size_t from) {
    m->from[m->len] = (uint16_t)from;
    m->text[m->len++] = c;
}

static void put_break(struct message_text *m, size_t from) {
    while (m->len && (m->text[m->len - 1] == ' ' || m->text[m->len - 1] == '\\' || is_quote(m->text[m->len - 1]))) m->len--;
    put(m, '\n', from);
}

/* Bytes that stand for themselves: most bytes of most texts. */
static bool is_plain(char c) { return (unsigned char)c > ' ' && (unsigned char)c < 0x7f && c != '\\' && c != '^'; }

void message_text_read(struct message_text *m, struct slice raw, struct slice owner, struct message_lines *lines) {
    raw = slice_take(raw, MESSAGE_TEXT_MAX);
    m->len = 0;
    m->first_left_out = SLICE_NONE;
    for (size_t i = 0; i < raw.len;) {
        for (; i < raw.len && is_plain(raw.ptr[i]); i++) put(m, raw.ptr[i], i);
        if (i == raw.len) break;
        struct slice rest = slice_skip(raw, i);
        char c = rest.ptr[0];
        size_t n = is_space(c) ? 0 : colour(rest);
        if (n) {
            i += n;
            continue;
        }
        n = is_space(c) ? 0 : line_break(rest);
        if (n) {
            put_break(m, i);
            i += n;
            size_t foreign = 0;
            n = c == '\n' ? skip_to_own(slice_skip(raw, i), &owner, lines, &foreign) : message_text_prefix(slice_skip(raw, i));
            if (foreign && m->first_left_out == SLICE_NONE) m->first_left_out = i;
            i += n;
            continue;
        }
        n = (unsigned char)c >= 0x80 ? wide_space(rest) : 0;
        if (n) c = ' ';
        i += n ? n : 1;
        if (c == '\r' || (c == '\\' && rest.len > 1 && is_quote(rest.ptr[1]))) continue;
        if ((unsigned char)c <= ' ' || c == 0x7f) {
            if (m->len && m->text[m->len - 1] != ' ' && m->text[m->len - 1] != '\n') put(m, ' ', i - 1);
            continue;
        }
        put(m, c, i - 1);
    }
}

static bool is_blank(char c) { return c == ' ' || c == '\n'; }
static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static char large(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

/* The second letter rules out most phrases with the right first letter. */
static bool cannot_match(const struct message_text *m, size_t pos, const char *phrase) {
    if (!phrase[0] || !phrase[1] || phrase[0] == ' ' || phrase[1] == ' ' || pos + 1 >= m->len) return false;
    char first = m->text[pos], second = m->text[pos + 1];
    return !is_blank(first) && !is_blank(second) && small(second) != small(phrase[1]);
}

size_t message_text_match(const struct message_text *m, size_t pos, const char *phrase) {
    if (cannot_match(m, pos, phrase)) return 0;
    for (; *phrase; phrase++) {
        if (*phrase == ' ') continue;
        while (pos < m->len && is_blank(m->text[pos])) pos++;
        if (pos >= m->len || small(m->text[pos]) != small(*phrase)) return 0;
        pos++;
    }
    return pos;
}

size_t message_text_find(const struct message_text *m, size_t from, size_t to, const char *phrase, size_t *end) {
    const char lower = small(phrase[0]), upper = large(phrase[0]), *const stop = m->text + (to < m->len ? to : m->len);
    for (const char *at = m->text + from; at < stop && (at = find_either(at, stop, lower, upper)) < stop; at++) {
        size_t pos = (size_t)(at - m->text), past = message_text_match(m, pos, phrase);
        if (!past) continue;
        if (end) *end = past;
        return pos;
    }
    return SLICE_NONE;
}

/* In lower or upper case. */
static bool holds_word(struct slice s, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.len; i++) {
        size_t k = 0;
        while (k < n && small(s.ptr[i + k]) == word[k]) k++;
        if (k == n) return true;
    }
    return false;
}

static bool holds_any_word(struct slice s, const char *const *words) {
    for (; *words; words++)
        if (holds_word(s, *words)) return true;
    return false;
}

bool message_text_is_event(struct slice before, struct slice words, struct slice after) {
    static const char *const verbs[] = {
        "completed", "exited",  "terminated", "failed", "returned", "finished", "ended", "died", "error", "killed",  "stopped",
        "status",    "process", "reason",     "state",  "command",  "job",      "task",  "run ", "fatal", "crashed", NULL};
    static const char *const maybe[] = {"if ",           " mean",  "when ",      "usually", "typical", "retry",
                                        "retries",       "e.g.",   "such as",    "indicat", "would ",  "could ",
                                        " may ",         "might ", "ignore",     "unless",  "instead", "skip",
                                        "uses too much", "expect", "documented", "default", "see ",    "treated",
                                        "echo ",         "print",  " or ",       "e.g",     NULL};
    static const char *const marks[] = {"#", "//", "/*", "*", ";", "--", "+ ", "- ", "<!--", "$ ", "`", "|", NULL};
    struct slice bare = slice_trim(slice_skip(before, launcher(before)));
    bool error = slice_starts(bare, SLICE("##[")); /* from GitHub */
    for (const char *const *mark = marks; *mark && !error; mark++)
        if (slice_starts(bare, slice_from(*mark))) return false;
    if (holds_any_word(before, maybe) || holds_any_word(after, maybe)) return false;
    if (before.len && is_quote(before.ptr[before.len - 1])) return false;
    return !slice_skip(before, message_text_prefix(before)).len || holds_any_word(before, verbs) ||
           holds_any_word(words, verbs);
}
