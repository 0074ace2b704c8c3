/* SPDX-License-Identifier: Apache-2.0 */
#include "source/entry_line.h"

#include <stdint.h>

#include "base/utf8.h"

/* What a member of the object is for. */
enum member { OTHER, TEXT_LOG, TEXT_MESSAGE, TEXT_JOURNAL, STREAM, TIME, OF_JOURNAL, TAG, MEMBERS };

static const struct {
    const char *key;
    enum member member;
} keys[] = {
    {"log", TEXT_LOG},         /* Docker, fluent-bit, fluentd */
    {"message", TEXT_MESSAGE}, /* vector, filebeat, logstash */
    {"MESSAGE", TEXT_JOURNAL}, /* journalctl -o json */
    {"stream", STREAM},
    {"time", TIME},
    {"timestamp", TIME},
    {"@timestamp", TIME},
    {"__REALTIME_TIMESTAMP", OF_JOURNAL},
    {"__MONOTONIC_TIMESTAMP", OF_JOURNAL},
    {"__CURSOR", OF_JOURNAL},
    {"_BOOT_ID", OF_JOURNAL},
    {"logtag", TAG}, /* from a container runtime, as fluent-bit keeps it */
};

/* A generic name counts as a log's text only next to a name that shippers write. */
static const struct {
    enum member text, beside;
} forms[ENTRY_FORMS] = {
    [ENTRY_JSON_LOG] = {TEXT_LOG, OTHER},
    [ENTRY_JSON_MESSAGE] = {TEXT_MESSAGE, TIME},
    [ENTRY_JSON_JOURNAL] = {TEXT_JOURNAL, OF_JOURNAL},
};

static const char *skip_space(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    return p;
}

/* The closing quote of the string whose first byte is `p`; `end` if it has none. */
static const char *string_end(const char *p, const char *end) {
    while (p < end) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        if (!quote) return end;
        size_t slashes = 0;
        while (quote - slashes > p && quote[-(ptrdiff_t)slashes - 1] == '\\') slashes++;
        if (slashes % 2 == 0) return quote;
        p = quote + 1;
    }
    return end;
}

/* After the value that is not a string: a number, a word, an object or array. */
static const char *skip_value(const char *p, const char *end) {
    size_t depth = 0;
    for (; p < end; p++) {
        if (*p == '"') p = string_end(p + 1, end);
        else if (*p == '{' || *p == '[') depth++;
        else if (*p == ',' && !depth) return p;
        else if (*p == '}' || *p == ']') {
            if (!depth) return p;
            depth--;
        }
        if (p == end) break;
    }
    return end;
}

static enum member member_of(struct slice key) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (slice_equal(key, slice_from(keys[i].key))) return keys[i].member;
    return OTHER;
}

/* Strings among the members of an object at the start of the line; the others stay NULL. False: the line is not an object. */
static bool read_members(struct slice line, struct slice found[MEMBERS]) {
    const char *end = line.ptr + line.len, *p = skip_space(line.ptr, end);
    if (p == end || *p != '{') return false;
    for (p = skip_space(p + 1, end); p < end && *p == '"'; p = skip_space(p, end)) {
        const char *close = string_end(p + 1, end);
        if (close == end) return true;
        enum member member = member_of(slice_between(p + 1, close));
        p = skip_space(close + 1, end);
        if (p == end) return true;
        if (*p != ':') return false;
        p = skip_space(p + 1, end);
        const char *value = p;
        bool is_string = p < end && *p == '"';
        p = is_string ? string_end(p + 1, end) : skip_value(p, end);
        if (is_string && !found[member].ptr) found[member] = slice_between(value + 1, p);
        if (!is_string && member == TIME && !found[TIME].ptr) found[TIME] = slice_between(value, p); /* seconds since 1970 */
        bool is_bytes = !is_string && member == TEXT_JOURNAL && value < end && *value == '[';
        if (is_bytes && !found[member].ptr) found[member] = slice_between(value, p);
        p = skip_space(p + (is_string && p < end), end);
        if (p == end) return true;
        if (*p == '}') return skip_space(p + 1, end) == end;
        if (*p++ != ',') return false;
    }
    return p == end;
}

/* Strings have had their quotes removed: what precedes an array is not one. */
static bool is_array(struct slice text) { return text.len && text.ptr[0] == '[' && text.ptr[-1] != '"'; }

static bool read_json(enum entry_form form, struct slice line, struct entry_line *entry) {
    struct slice found[MEMBERS] = {0};
    if (!read_members(line, found) || !found[forms[form].text].ptr) return false;
    *entry = (struct entry_line){.before = slice_of("", 0),
                                 .text = found[forms[form].text],
                                 .stream = found[STREAM],
                                 .time = found[TIME],
                                 .escaped = true,
                                 .bytes = form == ENTRY_JSON_JOURNAL && is_array(found[forms[form].text]),
                                 .tagged = found[TAG].len > 0,
                                 .partial = slice_equal(found[TAG], SLICE("P"))};
    return !forms[form].beside || found[forms[form].beside].ptr;
}

/* 2026-11-15T14:00:00.123456789Z stdout F text, as Kubernetes' runtimes and podman write it. */
static bool read_cri(struct slice line, struct entry_line *entry) {
    enum { SHORTEST = sizeof "2026-11-15T14:00:00Z" - 1, LONGEST = 40, SECONDS = 17 };
    size_t time = slice_find_byte(slice_take(line, LONGEST), ' ');
    if (time == SLICE_NONE || time < SHORTEST || line.ptr[4] != '-' || line.ptr[10] != 'T' || line.ptr[SECONDS - 1] != ':')
        return false;
    struct slice rest = slice_skip(line, time + 1);
    static const char *const streams[] = {"stdout ", "stderr "};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct slice stream = slice_from(streams[i]);
        if (!slice_starts(rest, stream)) continue;
        rest = slice_skip(rest, stream.len);
        bool partial = slice_starts(rest, SLICE("P")), whole = slice_starts(rest, SLICE("F"));
        if (!(partial || whole) || (rest.len > 1 && rest.ptr[1] != ' ')) return false;
        size_t before = (size_t)(rest.ptr - line.ptr);
        *entry = (struct entry_line){.before = slice_take(line, before),
                                     .text = slice_skip(rest, 2),
                                     .stream = stream,
                                     .time = slice_take(line, time),
                                     .tagged = true,
                                     .partial = partial};
        return true;
    }
    return false;
}

bool entry_line_read(enum entry_form form, struct slice line, struct entry_line *entry) {
    return form == ENTRY_CRI ? read_cri(line, entry) : form < ENTRY_FORMS && read_json(form, line, entry);
}

enum entry_form entry_form_of(struct slice line) {
    struct entry_line entry;
    for (unsigned form = 0; form < ENTRY_FORMS; form++)
        if (entry_line_read((enum entry_form)form, line, &entry)) return (enum entry_form)form;
    return ENTRY_NONE;
}

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* The unit after \u; false if there is none. */
static bool unit_at(const char *p, const char *end, uint32_t *unit) {
    enum { DIGITS = 4 };
    if (end - p < DIGITS) return false;
    *unit = 0;
    for (int i = 0; i < DIGITS; i++) {
        if (hex(p[i]) < 0) return false;
        *unit = *unit << 4 | (uint32_t)hex(p[i]);
    }
    return true;
}

/* The character after \u, in one or two units; returns where it ends. */
static const char *add_unicode(const char *p, const char *end, struct strbuf *out) {
    enum { DIGITS = 4, REPLACEMENT = 0xfffd };
    uint32_t unit, low;
    char room[4];
    bool is_unit = unit_at(p, end, &unit);
    if (is_unit) p += DIGITS;
    else unit = REPLACEMENT;
    bool high = unit >= 0xd800 && unit < 0xdc00;
    if (high && end - p > 2 && p[0] == '\\' && p[1] == 'u' && unit_at(p + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        p += 2 + DIGITS;
    } else if (unit >= 0xd800 && unit < 0xe000) {
        unit = REPLACEMENT;
    }
    strbuf_add(out, slice_of(room, utf8_encode(unit, room)));
    return p;
}

/* [27, 91, 51]; numbers that are not bytes are left out. */
static void add_bytes(struct slice text, struct strbuf *out) {
    enum { MOST = 255, NONE_SO_FAR = -1 };
    int number = NONE_SO_FAR;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c >= '0' && c <= '9' && number <= MOST) {
            number = (number < 0 ? 0 : number * 10) + (c - '0');
            continue;
        }
        if (number >= 0 && number <= MOST) strbuf_addc(out, (char)number);
        number = NONE_SO_FAR;
    }
}

void entry_line_add_text(const struct entry_line *entry, struct strbuf *out) {
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    if (entry->bytes) {
        add_bytes(entry->text, out);
        return;
    }
    if (!entry->escaped) {
        strbuf_add(out, entry->text);
        return;
    }
    const char *p = entry->text.ptr, *end = p + entry->text.len;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        strbuf_add(out, slice_between(p, slash ? slash : end));
        if (!slash || slash + 1 == end) return;
        char c = slash[1];
        const char *at = c ? strchr(from, c) : NULL;
        p = slash + 2;
        if (c == 'u') p = add_unicode(p, end, out);
        else strbuf_addc(out, at ? to[at - from] : c);
    }
}
