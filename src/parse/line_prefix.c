/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/line_prefix.h"

enum { LONGEST_NAME = 64, LONGEST_PROCESS = 80, LONGEST_MPI = 256, LONGEST_JOB = 160, LONGEST_CODE = 16 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_name_byte(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; }

/* Length of `shape` at the start, with d for a digit, D for a digit or space, a for a letter; 0 if it is not there. */
static size_t shaped(struct slice s, const char *shape) {
    size_t n = strlen(shape);
    if (s.len < n) return 0;
    for (size_t i = 0; i < n; i++) {
        char c = s.ptr[i];
        bool fits = shape[i] == 'd'   ? is_digit(c)
                    : shape[i] == 'D' ? is_digit(c) || c == ' '
                    : shape[i] == 'a' ? is_letter(c)
                                      : c == shape[i];
        if (!fits) return 0;
    }
    return n;
}

static size_t digits(struct slice s) {
    size_t n = 0;
    while (n < s.len && is_digit(s.ptr[n])) n++;
    return n;
}

/* A number, with the spaces that pad it. */
static size_t number(struct slice s) {
    size_t n = 0;
    while (n < s.len && s.ptr[n] == ' ') n++;
    size_t count = digits(slice_skip(s, n));
    return count ? n + count : 0;
}

static size_t fraction(struct slice s) {
    size_t n = s.len && (s.ptr[0] == '.' || s.ptr[0] == ',') ? digits(slice_skip(s, 1)) : 0;
    return n ? n + 1 : 0;
}

/* "(   1.315s)", or the part of it that is on the line. */
static bool is_uptime(struct slice s) {
    size_t n = 1;
    while (n < s.len && (s.ptr[n] == ' ' || s.ptr[n] == '.' || is_digit(s.ptr[n]))) n++;
    return n >= s.len || (s.ptr[n] == 's' && (n + 1 == s.len || s.ptr[n + 1] == ')'));
}

/* A process's tag in parentheses can also follow such a time. */
bool line_prefix_is_logger(struct slice s) {
    if (!s.len || !is_digit(s.ptr[0])) return false;
    size_t n = shaped(s, "dddd-dd-dd dd:dd:dd.ddd");
    struct slice rest = slice_skip(s, n);
    if (!n || rest.len < 3 || rest.ptr[0] != ' ') return false;
    return rest.ptr[1] == '(' ? is_uptime(slice_skip(rest, 1)) : rest.ptr[1] == '|' && rest.ptr[2] == ' ';
}

/* The parts: each returns the bytes it takes, including the space after it, and the tag, if it is one. */

static size_t paint(struct slice s, struct slice *tag) {
    (void)tag;
    if (s.ptr[0] == '\0') return 1;
    if (s.len < 3 || s.ptr[0] != '\x1b' || s.ptr[1] != '[') return 0;
    size_t n = 2;
    while (n < s.len && n < LONGEST_CODE && (is_digit(s.ptr[n]) || s.ptr[n] == ';')) n++;
    return n < s.len && s.ptr[n] == 'm' ? n + 1 : 0;
}

/* Possibly with a longer job name, a second bracket, a space after the colon. */
static size_t mpi(struct slice s, struct slice *tag) {
    if (s.len < 9 || s.ptr[0] != '[') return 0;
    const char *end = s.ptr + s.len, *p = s.ptr + 1, *close = memchr(p, ']', s.len > LONGEST_MPI ? LONGEST_MPI : s.len - 1);
    if (!close) return 0;
    const char *comma = memrchr(p, ',', (size_t)(close - p));
    if (!comma || comma + 1 == close || memchr(p, ' ', (size_t)(close - p))) return 0;
    if (digits(slice_between(comma + 1, close)) != (size_t)(close - comma - 1)) return 0;
    const char *job = comma;
    while (job > p && is_digit(job[-1])) job--;
    if (job == comma) return 0;
    const char *q = close + 1;
    if (q < end && *q == '[') {
        q = memchr(q, ']', (size_t)(end - q));
        if (!q) return 0;
        q++;
    }
    static const char *const streams[] = {"<stdout>:", "<stderr>:", "<stddiag>:"};
    for (size_t i = 0; i < 3; i++) {
        struct slice stream = slice_from(streams[i]);
        if (!slice_starts(slice_between(q, end), stream)) continue;
        q += stream.len;
        /* Open MPI 5, which names the job, puts a space there; with 4 a space belongs to the writer */
        if (q < end && *q == ' ' && (job > p || q + 1 == end || q[1] != ' ')) q++;
        *tag = slice_between(job, close);
        return (size_t)(q - s.ptr);
    }
    return 0;
}

/* 2026-06-11T13:22:54.021Z, or with an offset instead of the Z. */
static size_t iso(struct slice s) {
    size_t n = shaped(s, "dddd-dd-ddTdd:dd:dd");
    if (!n) return 0;
    n += fraction(slice_skip(s, n));
    struct slice zone = slice_skip(s, n);
    if (zone.len && zone.ptr[0] == 'Z') return n + 1;
    static const char *const offsets[] = {"+dd:dd", "-dd:dd", "+dddd", "-dddd"};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (shaped(zone, offsets[i])) return n + strlen(offsets[i]);
    return 0;
}

static size_t space(struct slice s) { return s.len && s.ptr[0] == ' '; }

static size_t iso_time(struct slice s, struct slice *tag) {
    (void)tag;
    bool bracket = s.ptr[0] == '[';
    size_t n = iso(slice_skip(s, bracket));
    if (!n) return 0;
    n += bracket;
    if (bracket && n < s.len && s.ptr[n] == ']') n++;
    n += space(slice_skip(s, n));
    /* the stream that GitLab ("00O ") and container runtimes ("stdout F ") name after the time */
    static const char *const streams[] = {"stdout F ", "stderr F ", "stdout P ", "stderr P ", "ddO ", "ddE ", "ddO+", "ddE+"};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct slice rest = slice_skip(s, n);
        size_t stream = streams[i][0] == 'd'                         ? shaped(rest, streams[i])
                        : slice_starts(rest, slice_from(streams[i])) ? strlen(streams[i])
                                                                     : 0;
        if (stream) return n + stream;
    }
    return n;
}

static size_t process(struct slice s, struct slice *tag) {
    if (s.ptr[0] != '(') return 0;
    const char *close = memchr(s.ptr, ')', s.len > LONGEST_PROCESS ? LONGEST_PROCESS : s.len);
    if (!close || slice_find(slice_between(s.ptr, close), SLICE("pid=")) == SLICE_NONE) return 0;
    *tag = slice_between(s.ptr + 1, close);
    const char *past = close + 1, *end = s.ptr + s.len;
    struct slice none;
    while (past < end && paint(slice_between(past, end), &none)) past += paint(slice_between(past, end), &none);
    return past == end ? s.len : *past == ' ' ? (size_t)(past + 1 - s.ptr) : 0;
}

static size_t container(struct slice s, struct slice *tag) {
    size_t name = 0;
    while (name < s.len && name < LONGEST_NAME && is_name_byte(s.ptr[name])) name++;
    size_t n = name;
    while (n < s.len && s.ptr[n] == ' ') n++;
    if (!name || n == name || n >= s.len || s.ptr[n] != '|') return 0;
    if (n + 1 < s.len && s.ptr[n + 1] != ' ') return 0;
    *tag = slice_take(s, name);
    return n + 1 < s.len ? n + 2 : s.len;
}

static size_t name_length(struct slice s) {
    size_t n = 0;
    while (n < s.len && n < LONGEST_NAME && is_name_byte(s.ptr[n])) n++;
    return n;
}

static size_t host(struct slice s, struct slice *tag) {
    size_t n = name_length(s);
    if (!n || n == digits(s) || n >= s.len || s.ptr[n] != ':' || (n + 1 < s.len && s.ptr[n + 1] != ' ')) return 0;
    *tag = slice_take(s, n);
    return n + 1 < s.len ? n + 2 : s.len;
}

/* Kubernetes names are in lower case; that of a pod contains the name of its set and a dash. */
static size_t pod_and_container(struct slice s, struct slice *tag) {
    size_t pod = name_length(s), dashes = 0;
    if (!pod || pod + 1 >= s.len || s.ptr[pod] != ' ') return 0;
    size_t container = name_length(slice_skip(s, pod + 1)), n = pod + 1 + container;
    if (!container || (n < s.len && s.ptr[n] != ' ')) return 0;
    for (size_t i = 0; i < n; i++) {
        if ((s.ptr[i] >= 'A' && s.ptr[i] <= 'Z') || s.ptr[i] == '_') return 0;
        dashes += i < pod && s.ptr[i] == '-';
    }
    if (!dashes) return 0;
    *tag = slice_take(s, n);
    return n < s.len ? n + 1 : n;
}

static size_t pod(struct slice s, struct slice *tag) {
    struct slice head = SLICE("[pod/");
    const char *close = slice_starts(s, head) ? memchr(s.ptr, ']', s.len > LONGEST_MPI ? LONGEST_MPI : s.len) : NULL;
    if (!close) return 0;
    *tag = slice_between(s.ptr + head.len, close);
    size_t n = (size_t)(close + 1 - s.ptr);
    return n + space(slice_skip(s, n));
}

/* A date and time as people and `ts` write it; with the year from `mpirun --timestamp-output`. */
static size_t bare_time(struct slice s) {
    static const char *const shapes[] = {"aaa aaa Dd dd:dd:dd dddd", "aaa Dd dd:dd:dd",     "dddd-dd-dd dd:dd:dd",
                                         "dddd-dd-ddTdd:dd:dd",      "dddd/dd/dd dd:dd:dd", "dd:dd:dd"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t n = shaped(s, shapes[i]);
        if (n) return n + fraction(slice_skip(s, n));
    }
    return 0;
}

enum { EPOCH_DIGITS = 10, LEAST_FRACTION = 4 }; /* until the year 2286; ".123" */

/* Seconds since 1970 and their fraction. */
static size_t epoch_time(struct slice s) {
    size_t n = digits(s) == EPOCH_DIGITS ? fraction(slice_skip(s, EPOCH_DIGITS)) : 0;
    return n >= LEAST_FRACTION ? EPOCH_DIGITS + n : 0;
}

/* "    0.123456": seconds since the start. */
static size_t uptime(struct slice s) {
    size_t n = number(s);
    struct slice rest = slice_skip(s, n);
    size_t part = n && rest.len && rest.ptr[0] == '.' ? fraction(rest) : 0;
    return part >= LEAST_FRACTION ? n + part : 0;
}

/* "build (n150)<TAB>Run tests<TAB>2026-11-15T14:00:00.1234567Z " from gh run view --log. */
static size_t job(struct slice s, struct slice *tag) {
    (void)tag;
    size_t n = 0;
    for (int column = 0; column < 2; column++) {
        const char *end = memchr(s.ptr + n, '\t', s.len - n > LONGEST_JOB ? LONGEST_JOB : s.len - n);
        if (!end) return 0;
        n = (size_t)(end + 1 - s.ptr);
    }
    struct slice rest = slice_skip(s, n);
    if (slice_starts(rest, SLICE("\xef\xbb\xbf"))) rest = slice_skip(rest, 3); /* before the first line of a step */
    size_t time = iso(rest);
    if (!time) return 0;
    n = (size_t)(rest.ptr - s.ptr) + time;
    return n + space(slice_skip(s, n));
}

static size_t syslog_part(struct slice s, struct slice *tag) {
    size_t n = shaped(s, "aaa Dd dd:dd:dd");
    if (n) n += fraction(slice_skip(s, n));
    else n = iso(s);
    if (!n || !space(slice_skip(s, n))) return 0;
    n++;
    if (line_prefix_is_logger(slice_skip(s, n))) return 0;
    size_t host = n;
    while (n < s.len && n - host < LONGEST_NAME && is_name_byte(s.ptr[n])) n++;
    if (n == host || !space(slice_skip(s, n))) return 0;
    size_t unit = ++n;
    if (unit < s.len && is_digit(s.ptr[unit])) return 0;
    while (n < s.len && n - unit < LONGEST_NAME && s.ptr[n] != ' ' && s.ptr[n] != ':' && s.ptr[n] != '[') n++;
    /* two words and a colon are a message; the process id makes them a prefix */
    if (n == unit || n >= s.len || s.ptr[n] != '[') return 0;
    size_t pid = digits(slice_skip(s, n + 1));
    n += pid + 2;
    if (!pid || n >= s.len || s.ptr[n - 1] != ']' || s.ptr[n] != ':') return 0;
    *tag = slice_between(s.ptr + host, s.ptr + n);
    n++;
    return n + space(slice_skip(s, n));
}

static size_t time_part(struct slice s, struct slice *tag) {
    (void)tag;
    bool bracket = s.ptr[0] == '[';
    size_t n = bare_time(slice_skip(s, bracket));
    if (!n) n = bracket ? uptime(slice_skip(s, 1)) : epoch_time(s);
    if (!n) return 0;
    n += bracket;
    if (bracket) {
        if (n >= s.len || s.ptr[n] != ']') return 0;
        n++;
    }
    if (n == s.len) return n;
    return s.ptr[n] == ' ' ? n + 1 : s.ptr[n] == '[' ? n : 0;
}

static size_t rank_part(struct slice s, struct slice *tag) {
    if (s.ptr[0] != '[') return 0;
    size_t n = 1;
    while (n < s.len && n < 16 && is_letter(s.ptr[n])) n++;
    size_t number = digits(slice_skip(s, n));
    if (!number || number > 5 || n + number >= s.len || s.ptr[n + number] != ']') return 0;
    *tag = slice_of(s.ptr + 1, n - 1 + number);
    n += number + 1;
    bool colon = n < s.len && s.ptr[n] == ':';
    n += colon;
    if (colon && slice_starts(s, SLICE("[default"))) return n; /* torchrun --tee puts no space after it */
    if (n < s.len && s.ptr[n] == ' ') return n + 1;
    return colon || n == s.len ? n : 0;
}

static size_t task(struct slice s, struct slice *tag) {
    enum { WIDEST = 5 };
    size_t n = number(s), padding = 0;
    if (!n || n > WIDEST || n >= s.len || s.ptr[n] != ':') return 0;
    if (n + 1 < s.len && s.ptr[n + 1] != ' ') return 0;
    while (s.ptr[padding] == ' ') padding++;
    *tag = slice_between(s.ptr + padding, s.ptr + n);
    return n + 1 < s.len ? n + 2 : s.len;
}

static size_t epoch(struct slice s, struct slice *tag) {
    (void)tag;
    return digits(s) == EPOCH_DIGITS && space(slice_skip(s, EPOCH_DIGITS)) ? EPOCH_DIGITS + 1 : 0;
}

static size_t tab(struct slice s, struct slice *tag) {
    (void)tag;
    return s.ptr[0] == '\t';
}

/* What a byte may begin; 0: nothing, as most bytes that module text begins with. */
enum first_byte {
    FIRST_PAINT = 1,
    FIRST_TAB = 2,
    FIRST_BRACKET = 4,
    FIRST_PAREN = 8,
    FIRST_DIGIT = 16,
    FIRST_LETTER = 32,
    FIRST_UNDERSCORE = 64,
    FIRST_NAME = FIRST_DIGIT | FIRST_LETTER | FIRST_UNDERSCORE,
    FIRST_ANY = 127,
};

static const struct {
    enum prefix_part part;
    uint8_t first;
    size_t (*read)(struct slice s, struct slice *tag);
} parts[] = {
    {PREFIX_PAINT, FIRST_PAINT, paint},
    {PREFIX_MPI, FIRST_BRACKET, mpi},
    {PREFIX_POD, FIRST_BRACKET, pod},
    {PREFIX_SYSLOG, FIRST_DIGIT | FIRST_LETTER, syslog_part},
    {PREFIX_ISO_TIME, FIRST_DIGIT | FIRST_BRACKET, iso_time},
    {PREFIX_PROCESS, FIRST_PAREN, process},
    {PREFIX_RANK, FIRST_BRACKET, rank_part},
    {PREFIX_TIME, FIRST_DIGIT | FIRST_LETTER | FIRST_BRACKET, time_part},
    {PREFIX_TASK, FIRST_DIGIT, task},
    {PREFIX_JOB, FIRST_ANY, job},
    {PREFIX_EPOCH, FIRST_DIGIT, epoch},
    {PREFIX_TAB, FIRST_TAB, tab},
    {PREFIX_CONTAINER, FIRST_NAME, container},
    {PREFIX_HOST, FIRST_NAME, host},
    {PREFIX_LOGS, FIRST_NAME, pod_and_container},
};

#define EIGHT(c, value)                                                                                                \
    [c] = value, [c + 1] = value, [c + 2] = value, [c + 3] = value, [c + 4] = value, [c + 5] = value, [c + 6] = value, \
    [c + 7] = value
static const uint8_t first_bytes[256] = {
    ['\0'] = FIRST_PAINT,     ['\x1b'] = FIRST_PAINT,   ['\t'] = FIRST_TAB,   ['['] = FIRST_BRACKET, ['('] = FIRST_PAREN,
    ['_'] = FIRST_UNDERSCORE, EIGHT('0', FIRST_DIGIT),  ['8'] = FIRST_DIGIT,  ['9'] = FIRST_DIGIT,   EIGHT('a', FIRST_LETTER),
    EIGHT('i', FIRST_LETTER), EIGHT('q', FIRST_LETTER), ['y'] = FIRST_LETTER, ['z'] = FIRST_LETTER,  EIGHT('A', FIRST_LETTER),
    EIGHT('I', FIRST_LETTER), EIGHT('Q', FIRST_LETTER), ['Y'] = FIRST_LETTER, ['Z'] = FIRST_LETTER};

bool line_prefix_may_begin(struct slice line) {
    if (!line.len || !first_bytes[(unsigned char)line.ptr[0]]) return false;
    /* apart from names of containers and jobs, a prefix that begins with a letter is the short name of a day or month */
    if (!is_letter(line.ptr[0]) || (line.len > 3 && line.ptr[3] == ' ')) return true;
    return memchr(line.ptr, '\t', line.len > LONGEST_JOB ? LONGEST_JOB : line.len) != NULL;
}

struct line_prefix line_prefix_read(struct slice line, uint32_t allowed) {
    struct line_prefix out = {.tag = slice_of("", 0), .outer = slice_of("", 0), .job = slice_of("", 0)};
    for (bool found = true; found;) {
        struct slice rest = slice_skip(line, out.len);
        found = false;
        bool padded = rest.len && rest.ptr[0] == ' ' && allowed & PREFIX_TASK && !out.len;
        uint8_t first = padded ? FIRST_DIGIT : rest.len ? first_bytes[(unsigned char)rest.ptr[0]] : 0;
        if (!first || line_prefix_is_logger(rest)) break;
        /* apart from names of containers and jobs, a prefix that begins with a letter is the short name of a day or month */
        bool named = allowed & (PREFIX_CONTAINER | PREFIX_JOB | PREFIX_LOOSE);
        if (is_letter(rest.ptr[0]) && !named && (rest.len < 4 || rest.ptr[3] != ' ')) break;
        for (size_t i = 0; i < sizeof parts / sizeof *parts && !found; i++) {
            if (!(parts[i].first & first) || !(parts[i].part & (padded ? PREFIX_TASK : allowed))) continue;
            struct slice tag = {0};
            size_t n = parts[i].read(rest, &tag);
            if (!n) continue;
            found = true;
            out.len += n;
            out.parts |= parts[i].part;
            if (!tag.len || (out.tag_is_rank && parts[i].part != PREFIX_MPI)) continue;
            if (!out.outer.len && !out.tag_is_rank) out.outer = out.tag;
            out.tag = tag;
            out.tag_part = parts[i].part;
            out.tag_is_rank = parts[i].part == PREFIX_MPI;
            if (out.tag_is_rank && tag.ptr > rest.ptr + 1)
                out.job = slice_between(rest.ptr + 1, tag.ptr - 1); /* without its @ */
        }
    }
    return out;
}

size_t line_prefix_like(struct slice prefix, struct slice line) {
    size_t at = 0;
    while (prefix.len) {
        size_t numbered = number(prefix), own = numbered ? number(slice_skip(line, at)) : 0;
        if (numbered && !own) return 0;
        if (!numbered && (at >= line.len || line.ptr[at] != prefix.ptr[0])) return prefix.len == 1 && at == line.len ? at : 0;
        at += numbered ? own : 1;
        prefix = slice_skip(prefix, numbered ? numbered : 1);
    }
    return at;
}

struct slice line_prefix_writer(const struct line_prefix *prefix, char room[PREFIX_TAG_ROOM]) {
    enum { LONGEST = PREFIX_TAG_ROOM / 3 - 1 };
    const struct slice tags[] = {prefix->outer, prefix->job, prefix->tag};
    if (!prefix->outer.len && !prefix->job.len) return prefix->tag;
    size_t used = 0;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        struct slice tag = slice_take(tags[i], LONGEST);
        if (used && tag.len) room[used++] = PREFIX_OUTER_END;
        if (tag.len) memcpy(room + used, tag.ptr, tag.len);
        used += tag.len;
    }
    return slice_of(room, used);
}
