/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/foreign/inspector.h"

#include <stddef.h>

enum {
    MOST_FIELDS = 7,
    SAFE_DIGITS = 19,         /* this many always fit */
    LONGEST_ENTRY = 16 << 20, /* anything longer is damage, not an entry */
};

enum field_kind { FIELD_NUMBER, FIELD_TEXT, FIELD_QUOTED };

struct entry_field {
    struct slice key; /* including the blanks before it and ": " */
    size_t at;
    enum field_kind kind;
    bool optional;
};

struct entry_head {
    struct slice line; /* without its line end */
    enum inspector_kind kind;
    bool has_tail; /* further lines may follow */
    struct entry_field fields[MOST_FIELDS];
};

#define NUMBER(name, member) \
    { SLICE_INIT("    " name ": "), offsetof(struct inspector_event, member), FIELD_NUMBER, false }
#define TEXT(name, member) \
    { SLICE_INIT("    " name ": "), offsetof(struct inspector_event, member), FIELD_TEXT, false }
#define SLICE_INIT(literal) \
    { ("" literal), sizeof(literal) - 1 }
#define HEAD(name) SLICE_INIT("- " name ":")

static const struct entry_head heads[] = {
    {HEAD("mesh_buffer_allocated"),
     INSPECTOR_ALLOCATED,
     false,
     {NUMBER("id", id), NUMBER("address", address), NUMBER("size", size), NUMBER("device_local_size", device_bytes),
      TEXT("buffer_type", buffer_type), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("mesh_buffer_deallocated"),
     INSPECTOR_DEALLOCATED,
     false,
     {NUMBER("id", id), NUMBER("address", address), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("runtime_entry"),
     INSPECTOR_RUNTIME_ENTRY,
     false,
     {NUMBER("mesh_workload_id", id),
      NUMBER("runtime_id", runtime_id),
      TEXT("name", name),
      {SLICE_INIT("    parameters: "), offsetof(struct inspector_event, parameters), FIELD_QUOTED, false},
      NUMBER("trace_id", trace_id),
      NUMBER("timestamp_ns", time_ns)}},
    {HEAD("mesh_workload_created"),
     INSPECTOR_WORKLOAD_CREATED,
     false,
     {NUMBER("mesh_workload_id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("mesh_workload_destroyed"),
     INSPECTOR_WORKLOAD_DESTROYED,
     false,
     {NUMBER("mesh_workload_id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("mesh_workload_add_program"),
     INSPECTOR_WORKLOAD_PROGRAM,
     true,
     {NUMBER("mesh_workload_id", id), NUMBER("program_id", runtime_id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("mesh_workload_set_program_binary_status"),
     INSPECTOR_WORKLOAD_BINARY,
     false,
     {NUMBER("mesh_workload_id", id), NUMBER("mesh_id", runtime_id), TEXT("status", status), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("program_created"), INSPECTOR_PROGRAM_CREATED, false, {NUMBER("id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("program_destroyed"), INSPECTOR_PROGRAM_DESTROYED, false, {NUMBER("id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("program_compile_started"), INSPECTOR_OTHER, true, {NUMBER("id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("program_compile_finished"), INSPECTOR_OTHER, true, {NUMBER("id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("program_kernel_compile_finished"), INSPECTOR_OTHER, true, {NUMBER("id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("program_binary_status_change"), INSPECTOR_OTHER, true, {NUMBER("id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("kernel"), INSPECTOR_OTHER, true, {NUMBER("watcher_kernel_id", id)}},
    {HEAD("mesh_device_created"),
     INSPECTOR_MESH_CREATED,
     true,
     {NUMBER("mesh_id", id),
      NUMBER("timestamp_ns", time_ns),
      {SLICE_INIT("    parent_mesh_id: "), offsetof(struct inspector_event, has_parent), FIELD_NUMBER, true},
      TEXT("devices", devices)}},
    {HEAD("mesh_device_initialized"), INSPECTOR_OTHER, true, {NUMBER("mesh_id", id), NUMBER("timestamp_ns", time_ns)}},
    {HEAD("mesh_device_destroyed"), INSPECTOR_OTHER, true, {NUMBER("mesh_id", id), NUMBER("timestamp_ns", time_ns)}},
};
enum { HEADS = sizeof heads / sizeof *heads };

enum outcome { WHOLE, TORN, CUT /* CUT: the bytes end before it is decided */ };

static uint64_t word_at(const char *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* memcmp for keys, which are short and very frequent. */
static inline bool same_bytes(const char *a, const char *b, size_t n) {
    enum { WORD = sizeof(uint64_t) };
    if (n < WORD || n > 4 * WORD) return memcmp(a, b, n) == 0;
    bool differ = word_at(a) != word_at(b);
    for (size_t i = WORD; i + WORD < n; i += WORD) differ |= word_at(a + i) != word_at(b + i);
    return !differ && word_at(a + n - WORD) == word_at(b + n - WORD);
}

static const struct entry_head *head_of(const char *line, size_t length) {
    for (size_t i = 0; i < HEADS; i++)
        if (heads[i].line.len == length && same_bytes(heads[i].line.ptr, line, length)) return &heads[i];
    return NULL;
}

/* Eight digits at once, as stored in memory; false: not all of them are digits. */
static inline bool eight_digits(const char *p, uint64_t *out) {
    uint64_t word = word_at(p) - 0x3030303030303030u;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || ((word + 0x7676767676767676u) | word) & 0x8080808080808080u) return false;
    word = word * 10 + (word >> 8); /* pairs, then fours, then all */
    word =
        ((word & 0x000000ff000000ffu) * 0x000f424000000064u + (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >> 32;
    *out = word & UINT32_MAX;
    return true;
}

static enum outcome read_number(const char **at, const char *end, uint64_t *out) {
    const char *p = *at, *safe = end - p > SAFE_DIGITS ? p + SAFE_DIGITS : end;
    uint64_t value = 0, eight;
    for (; safe - p >= 8 && eight_digits(p, &eight); p += 8) value = value * 100000000 + eight;
    for (unsigned digit; p < safe && (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) value = value * 10 + digit;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return TORN;
    if (p == end) return CUT;
    if (*p != '\n' || p == *at) return TORN;
    *at = p + 1;
    *out = value;
    return WHOLE;
}

static enum outcome read_text(const char **at, const char *end, bool quoted, struct slice *out) {
    const char *line_end = memchr(*at, '\n', (size_t)(end - *at));
    if (!line_end) return CUT;
    *out = slice_between(*at, line_end);
    *at = line_end + 1;
    if (!quoted) return WHOLE;
    if (out->len < 2 || out->ptr[0] != '\'' || out->ptr[out->len - 1] != '\'') return TORN;
    *out = slice_of(out->ptr + 1, out->len - 2);
    return WHOLE;
}

static enum outcome read_field(const char **at, const char *end, const struct entry_field *field,
                               struct inspector_event *event) {
    size_t left = (size_t)(end - *at), seen = left < field->key.len ? left : field->key.len;
    bool same = same_bytes(*at, field->key.ptr, seen);
    if (same && left < field->key.len) return CUT;
    if (!same) return field->optional ? WHOLE : TORN;
    *at += field->key.len;
    if (field->optional) {
        uint64_t ignored;
        event->has_parent = true;
        return read_number(at, end, &ignored);
    }
    if (field->kind == FIELD_NUMBER) {
        uint64_t value;
        enum outcome outcome = read_number(at, end, &value);
        if (outcome == WHOLE) memcpy((char *)event + field->at, &value, sizeof value);
        return outcome;
    }
    struct slice text;
    enum outcome outcome = read_text(at, end, field->kind == FIELD_QUOTED, &text);
    if (outcome == WHOLE) memcpy((char *)event + field->at, &text, sizeof text);
    return outcome;
}

static enum outcome read_entry(const char **at, const char *end, const struct entry_head *head, struct inspector_event *event) {
    *event = (struct inspector_event){.kind = head->kind};
    for (const struct entry_field *field = head->fields; field < head->fields + MOST_FIELDS && field->key.len; field++) {
        enum outcome outcome = read_field(at, end, field, event);
        if (outcome != WHOLE) return outcome;
    }
    return WHOLE;
}

/* A line that is not a head: part of the previous entry, or left over from a torn one. */
static void pass_line(struct inspector_parser *p) {
    if (p->in_tail || p->in_torn) return;
    p->in_torn = true;
    p->torn++;
}

static void take_whole(struct inspector_parser *p, const struct entry_head *head, const struct inspector_event *event) {
    p->entries++;
    p->in_tail = head->has_tail;
    p->in_torn = false;
    p->sink(p->who, event);
}

static void tear(struct inspector_parser *p) {
    p->torn++;
    p->in_torn = true;
    p->in_tail = false;
}

/* Takes complete entries; returns the number of bytes taken. */
static size_t take(struct inspector_parser *p, const char *begin, const char *end, bool last) {
    const char *at = begin;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end) break;
        const struct entry_head *head = *at == '-' ? head_of(at, (size_t)(line_end - at)) : NULL;
        if (!head) {
            pass_line(p);
            at = line_end + 1;
            continue;
        }
        struct inspector_event event;
        const char *next = line_end + 1;
        enum outcome outcome = read_entry(&next, end, head, &event);
        if (outcome == CUT && !last && end - at < LONGEST_ENTRY) return (size_t)(at - begin);
        if (outcome == WHOLE) {
            take_whole(p, head, &event);
            at = next;
        } else {
            tear(p);
            at = line_end + 1;
        }
    }
    if (!last && end - at < LONGEST_ENTRY) return (size_t)(at - begin);
    if (at < end) pass_line(p);
    return (size_t)(end - begin);
}

void inspector_init(struct inspector_parser *p, inspector_sink *sink, void *who) {
    *p = (struct inspector_parser){.sink = sink, .who = who};
}

char *inspector_room(struct inspector_parser *p, size_t room) { return strbuf_room(&p->buffer, room); }

void inspector_took(struct inspector_parser *p, size_t n) {
    strbuf_took(&p->buffer, n);
    if (!p->buffer.len) return;
    size_t taken = take(p, p->buffer.data, p->buffer.data + p->buffer.len, false);
    if (taken) memmove(p->buffer.data, p->buffer.data + taken, p->buffer.len - taken);
    p->buffer.len -= taken;
}

void inspector_finish(struct inspector_parser *p) {
    if (p->buffer.len) take(p, p->buffer.data, p->buffer.data + p->buffer.len, true);
    p->buffer.len = 0;
}

void inspector_release(struct inspector_parser *p) { strbuf_release(&p->buffer); }

bool inspector_startup_read(struct slice text, struct inspector_startup *out) {
    static const struct slice keys[] = {SLICE_INIT("\n  system_clock_ns: "), SLICE_INIT("\n  high_resolution_clock_ns: ")};
    uint64_t values[2];
    if (!slice_starts(text, SLICE("startup_time:\n"))) return false;
    for (size_t i = 0; i < 2; i++) {
        size_t found = slice_find(text, keys[i]);
        if (found == SLICE_NONE) return false;
        const char *at = text.ptr + found + keys[i].len;
        if (read_number(&at, text.ptr + text.len, &values[i]) != WHOLE) return false;
    }
    *out = (struct inspector_startup){values[0], values[1]};
    return true;
}
