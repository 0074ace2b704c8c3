/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/logline.h"

#include "parse/plain_lines.h"

#define ESC '\x1b'

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Messages by their first words; the text after them is the payload. Frequent ones first. */
struct message {
    const char *words; /* longer than TELLING_BYTE; NULL: the end */
    unsigned char len;
    unsigned char kind;
    unsigned char pool;
};

#define ROW(words, kind) \
    { words, sizeof words - 1, kind, 0 }
#define POOL(name, pool) \
    { "Device " name " memory state: ", sizeof "Device " name " memory state: " - 1, LINE_POOL, pool }
/* Those that begin with "D". */
static const struct message device_messages[] = {
    POOL("DRAM", POOL_DRAM),
    POOL("L1", POOL_L1),
    POOL("L1_SMALL", POOL_L1_SMALL),
    POOL("L1 SMALL", POOL_L1_SMALL),
    POOL("TRACE", POOL_TRACE),
    ROW("Device memory state before operation ", LINE_BLOCK_OP),
    ROW("Device memory state before submit", LINE_BLOCK_BEFORE_SUBMIT),
    ROW("Device memory state after submit", LINE_BLOCK_AFTER_SUBMIT),
    {0},
};

/* Those that do not begin with "D". */
static const struct message other_messages[] = {
    ROW("Executing operation: ", LINE_OP),
    ROW("Starting execution of program: ", LINE_START),
    ROW("Finished execution of program: ", LINE_FINISH),
    ROW("Running LoadCachedOp for function ", LINE_CACHE_RUN),
    ROW("Cache hit for function: ", LINE_CACHE_HIT),
    ROW("Cache miss or invalid cache for function: ", LINE_CACHE_MISS),
    ROW("executed sub-func: ", LINE_SUBFUNC),
    ROW("Trace cache hit", LINE_TRACE_HIT),
    ROW("Trace cache miss", LINE_TRACE_MISS),
    ROW("Trace is stale", LINE_TRACE_STALE),
    ROW("Tensor is retained thus not deallocating", LINE_RETAINED),
    {0},
};
#undef ROW
#undef POOL

/* First words of messages, or complete ones. Rare in any log: a process prints each once or twice. */
static const struct {
    const char *words;
    bool whole; /* only a place in the source follows */
    enum device_line kind;
} device_rows[] = {
    {"Opening user mode device driver", false, DEVICE_OPENS},   /* tt-metal, llrt/tt_cluster.cpp */
    {"Starting devices in cluster", false, DEVICE_OPENS},       /* tt-umd, cluster.cpp */
    {"ClientInstance::PJRT_Client_Create", true, DEVICE_OPENS}, /* tt-xla, client_instance.cc */
    {"ClientInstance::ClientInstance", true, DEVICE_OPENS},     /* the same */
    {"ClientInstance::getOrCreateMeshDevice - reshaping mesh device", false, DEVICE_REOPENS}, /* the same */
    {"Closing and re-initializing MetalContext with new parameters", false, DEVICE_REOPENS},  /* tt-metal, metal_context.cpp */
    {"Closing user mode device drivers", false, DEVICE_CLOSES}, /* tt-metal, llrt/tt_cluster.cpp */
    {"Closing devices in cluster", false, DEVICE_CLOSES},       /* tt-umd, cluster.cpp */
    {"Closing device ", false, DEVICE_CLOSES},                  /* tt-metal until 2025, device.cpp */
    {"Closing parent mesh.", false, DEVICE_CLOSES},             /* tt-xla, client_instance.cc */
};

enum device_line device_message(struct slice message) {
    if (message.len < 2 || !strchr("CSO", message.ptr[0])) return DEVICE_NONE;
    for (size_t i = 0; i < sizeof device_rows / sizeof *device_rows; i++) {
        struct slice words = slice_from(device_rows[i].words);
        if (!slice_starts(message, words)) continue;
        struct slice rest = slice_trim(slice_skip(message, words.len));
        if (!device_rows[i].whole || !rest.len || rest.ptr[0] == '(' || rest.ptr[0] == '\x1b') return device_rows[i].kind;
    }
    return DEVICE_NONE;
}

enum device_line device_line(struct slice line) {
    enum { MOST_BARS = 8 }; /* before the message: columns of the logger, prefixes */
    for (int i = 0; i < MOST_BARS; i++) {
        size_t bar = slice_find_byte(line, '|');
        if (bar == SLICE_NONE) return DEVICE_NONE;
        line = slice_skip(line, bar + 1);
        struct slice message = line;
        while (message.len && (message.ptr[0] == ' ' || message.ptr[0] == '\t')) message = slice_skip(message, 1);
        enum device_line kind = device_message(message);
        if (kind != DEVICE_NONE) return kind;
    }
    return DEVICE_NONE;
}

enum { TELLING_BYTE = 7 }; /* of "Device X..." */

void logline_message(struct slice message, struct log_line *out) {
    out->kind = LINE_RUNTIME_OTHER;
    out->text = message;
    out->message = message.ptr;
    if (message.len <= TELLING_BYTE) return;
    for (const struct message *row = message.ptr[0] == 'D' ? device_messages : other_messages; row->words; row++) {
        if (message.ptr[0] != row->words[0] || message.ptr[TELLING_BYTE] != row->words[TELLING_BYTE]) continue;
        if (message.len < row->len || memcmp(message.ptr, row->words, row->len) != 0) continue;
        out->kind = (enum line_kind)row->kind;
        out->pool = (enum pool)row->pool;
        out->text = slice_skip(message, row->len);
        return;
    }
    /* tt-metal before mid-2025 shares the logger's format */
    if (device_message(message) != DEVICE_NONE) out->kind = LINE_DEVICE;
}

/* Moves back over spaces and SGR codes that end at `p`. */
static const char *back_over_paint(const char *start, const char *p) {
    enum { LONGEST_CODE = 24 }; /* loggers use at most "38;2;100;149;237m" */
    for (;;) {
        while (p > start && p[-1] == ' ') p--;
        if (p == start || p[-1] != 'm') return p;
        const char *q = p - 1, *limit = p - start > LONGEST_CODE ? p - LONGEST_CODE : start;
        while (q > limit && (is_digit(q[-1]) || q[-1] == ';')) q--;
        if (q - start < 2 || q[-1] != '[' || q[-2] != ESC) return p;
        p = q - 2;
    }
}

/* Moves forward over SGR codes. */
static const char *over_paint(const char *p, const char *end) {
    while (end - p >= 3 && p[0] == ESC && p[1] == '[') {
        const char *q = p + 2;
        while (q < end && (is_digit(*q) || *q == ';')) q++;
        if (q == end || *q != 'm') return p;
        p = q + 1;
    }
    return p;
}

/* The start of the level word that ends at `end`, or NULL. */
static const char *level_start(const char *start, const char *end) {
    static const struct {
        const char *word;
        unsigned char len;
    } levels[] = {{"INFO", 4}, {"DEBUG", 5}, {"TRACE", 5}, {"ERROR", 5}, {"FATAL", 5}, {"WARNING", 7}};
    if (end == start) return NULL;
    char last = end[-1];
    if (last != 'O' && last != 'G' && last != 'E' && last != 'R' && last != 'L') return NULL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (end - start >= levels[i].len && memcmp(end - levels[i].len, levels[i].word, levels[i].len) == 0)
            return end - levels[i].len;
    return NULL;
}

static bool is_word_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

/* The start of the logger's prefix ("  Always | INFO | "), given the level word; NULL if there is no type word and bar
 * before it. */
static const char *prefix_start(const char *start, const char *level) {
    const char *p = back_over_paint(start, level);
    if (p == start || p[-1] != '|') return NULL;
    p = back_over_paint(start, p - 1);
    const char *word = p;
    while (word > start && is_word_byte(word[-1])) word--;
    if (word == p) return NULL;
    return back_over_paint(start, word);
}

struct slice logline_strip_prefix(struct slice line, struct slice *rank) {
    struct line_prefix prefix = line_prefix_read(line, PREFIX_CERTAIN & ~(uint32_t)PREFIX_PAINT);
    if (prefix.tag_is_rank) *rank = prefix.tag;
    return slice_skip(line, prefix.len);
}

/* Module headers: "MLIR Module ttnn:" since 2025-10, before that one wording per stage. */
static const struct {
    const char *words;
    const char *stage;
} old_headers[] = {
    {"SHLO Module after frontend StableHLO pipeline:", "shlo_frontend"},
    {"SHLO Module after compiler StableHLO pipeline:", "shlo_compiler"},
    {"VHLO Module:", "vhlo"},
    {"SHLO Module:", "shlo"},
    {"TTIR Module:", "ttir"},
    {"TTNN Module:", "ttnn"},
};

static bool begins_module(struct slice line, struct slice *stage) {
    if (!line.len || line.ptr[line.len - 1] != ':') return false;
    struct slice head = SLICE("MLIR Module ");
    size_t at = slice_find(line, head);
    if (at != SLICE_NONE) {
        struct slice name = slice_of(line.ptr + at + head.len, line.len - at - head.len - 1);
        for (size_t i = 0; i < name.len; i++)
            if (!(name.ptr[i] >= 'a' && name.ptr[i] <= 'z') && name.ptr[i] != '_' && !is_digit(name.ptr[i])) return false;
        *stage = name;
        return name.len > 0;
    }
    for (size_t i = 0; i < sizeof old_headers / sizeof *old_headers; i++) {
        struct slice words = slice_from(old_headers[i].words);
        if (!slice_ends(line, words)) continue;
        if (line.len > words.len && is_word_byte(line.ptr[line.len - words.len - 1])) continue;
        *stage = slice_from(old_headers[i].stage);
        return true;
    }
    return false;
}

/* Words that begin lines of a module, other than values, aliases, quoted names and braces. */
static bool begins_like_module(struct slice s) {
    static const char *const words[] = {"func.func", "return", "module", "builtin.module", "ttcore.", "call @"};
    enum { LEAST = 3 }; /* a word may be torn too */
    for (size_t i = 0; s.len >= LEAST && i < sizeof words / sizeof *words; i++)
        if (slice_starts(s, slice_take(slice_from(words[i]), s.len))) return true;
    return false;
}

/* Text before a runtime line: part of a module line if it looks like one. */
static struct slice torn_text(struct slice ahead) {
    struct slice s = slice_trim(ahead);
    if (!s.len || (!strchr("%#\"}", s.ptr[0]) && !begins_like_module(s))) return slice_of(ahead.ptr, 0);
    return ahead;
}

static bool read_runtime(struct slice line, struct log_line *out) {
    const char *start = line.ptr, *end = line.ptr + line.len;
    for (const char *p = start; p < end;) {
        const char *bar = memchr(p, '|', (size_t)(end - p));
        if (!bar) return false;
        p = bar + 1;
        const char *level = level_start(start, back_over_paint(start, bar));
        if (!level) continue;
        const char *begin = prefix_start(start, level);
        if (!begin) continue;
        const char *message = p;
        if (message < end && *message == ' ') message++;
        message = over_paint(message, end);
        logline_message(slice_between(message, end), out);
        struct slice ahead = slice_between(start, begin);
        struct line_prefix prefix = line_prefix_read(ahead, PREFIX_RUNTIME); /* a runtime line follows, so any prefix counts */
        out->writer = prefix;
        if (prefix.len < ahead.len) out->ahead = torn_text(slice_skip(ahead, prefix.len));
        return true;
    }
    return false;
}

void logline_read(struct slice line, struct log_line *out) {
    *out = (struct log_line){.kind = LINE_TEXT, .text = line};
    if (!memchr(line.ptr, '|', line.len)) {
        if (plain_line(line)) return;
    } else if (read_runtime(line, out)) {
        return;
    }
    struct line_prefix certain = line_prefix_read(line, PREFIX_CERTAIN & ~(uint32_t)PREFIX_PAINT);
    struct slice inner = slice_skip(line, certain.len);
    struct slice trimmed = slice_trim(inner);
    if (certain.tag_is_rank) out->writer = certain;
    out->text = inner;
    if (begins_module(trimmed, &out->text)) out->kind = LINE_MODULE_BEGIN;
    else if (trimmed.len && trimmed.ptr[trimmed.len - 1] == '-' &&
             slice_find(trimmed, SLICE("END OF MLIR MODULE")) != SLICE_NONE)
        out->kind = LINE_MODULE_END;
    else if (line_prefix_is_logger(slice_between(over_paint(inner.ptr, inner.ptr + inner.len), inner.ptr + inner.len)))
        out->kind = LINE_FOREIGN;
    bool is_dump = out->kind == LINE_MODULE_BEGIN || out->kind == LINE_MODULE_END;
    if (!is_dump && device_line(line) != DEVICE_NONE) out->kind = LINE_DEVICE; /* whatever is before it */
    if (!is_dump && out->kind != LINE_DEVICE) return;
    out->writer = logline_dump_prefix(line);
}

struct line_prefix logline_dump_prefix(struct slice line) {
    struct line_prefix prefix = line_prefix_read(line, PREFIX_RUNTIME);
    struct slice rest = slice_skip(line, prefix.len);
    if (line_prefix_is_logger(rest) || slice_starts(rest, SLICE("-----")) || slice_starts(rest, SLICE("MLIR Module")))
        return prefix;
    /* unknown kind: the exact text before the logger's date */
    enum { FARTHEST = 160 };
    for (size_t i = prefix.len; i < line.len && i < FARTHEST; i++)
        if (line_prefix_is_logger(slice_skip(line, i)))
            return (struct line_prefix){.len = i, .tag = slice_of("", 0), .outer = slice_of("", 0)};
    return prefix;
}

struct slice logline_clean(struct slice line, char *room) {
    if (!memchr(line.ptr, ESC, line.len) && !memchr(line.ptr, '\0', line.len)) return line;
    const char *p = line.ptr, *end = p + line.len;
    char *out = room;
    while (p < end) {
        const char *past = over_paint(p, end);
        if (past != p) p = past;
        else if (*p == '\0') p++;
        else *out++ = *p++;
    }
    return slice_between(room, out);
}
