/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include "base/num.h"
#include "base/utf8.h"

static void newline(struct json *j) {
    if (!j->pretty) return;
    strbuf_addc(j->out, '\n');
    strbuf_fill(j->out, ' ', (size_t)j->depth * 2);
}

static void before_value(struct json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (!j->depth) return;
    uint64_t bit = (uint64_t)1 << j->depth;
    if (j->has_items & bit) strbuf_addc(j->out, ',');
    j->has_items |= bit;
    newline(j);
}

static void open(struct json *j, char c) {
    before_value(j);
    strbuf_addc(j->out, c);
    j->depth++;
    j->has_items &= ~((uint64_t)1 << j->depth);
}

static void close(struct json *j, char c) {
    bool had_items = j->has_items >> j->depth & 1;
    j->depth--;
    if (had_items) newline(j);
    strbuf_addc(j->out, c);
}

void json_object(struct json *j) { open(j, '{'); }
void json_object_end(struct json *j) { close(j, '}'); }
void json_array(struct json *j) { open(j, '['); }
void json_array_end(struct json *j) { close(j, ']'); }

void json_key_slice(struct json *j, struct slice key) {
    before_value(j);
    json_quote(j->out, key);
    strbuf_add(j->out, j->pretty ? SLICE(": ") : SLICE(":"));
    j->after_key = true;
}

/* One reservation, one copy. */
void json_key_plain(struct json *j, const char *key, size_t len) {
    before_value(j);
    char *out = strbuf_room(j->out, len + 4);
    *out++ = '"';
    memcpy(out, key, len);
    out += len;
    *out++ = '"';
    *out++ = ':';
    if (j->pretty) *out = ' ';
    strbuf_took(j->out, len + 3 + j->pretty);
    j->after_key = true;
}

static const char hex[] = "0123456789abcdef";

static void escape_byte(struct strbuf *out, unsigned char c) {
    static const char short_names[32] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    char *room = strbuf_room(out, 6);
    if (c == '"' || c == '\\') {
        room[0] = '\\';
        room[1] = (char)c;
        strbuf_took(out, 2);
    } else if (c < 32 && short_names[c]) {
        room[0] = '\\';
        room[1] = short_names[c];
        strbuf_took(out, 2);
    } else {
        memcpy(room, "\\u00", 4);
        room[4] = hex[c >> 4];
        room[5] = hex[c & 15];
        strbuf_took(out, 6);
    }
}

void json_quote(struct strbuf *out, struct slice value) {
    strbuf_addc(out, '"');
    size_t i = 0;
    while (i < value.len) {
        size_t run = i;
        while (run < value.len) {
            unsigned char c = (unsigned char)value.ptr[run];
            if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7f) break;
            run++;
        }
        strbuf_add(out, slice_of(value.ptr + i, run - i));
        i = run;
        if (i == value.len) break;
        unsigned char c = (unsigned char)value.ptr[i];
        if (c < 0x80) {
            escape_byte(out, c);
            i++;
        } else {
            size_t n = utf8_char(slice_skip(value, i));
            strbuf_add(out, n ? slice_of(value.ptr + i, n) : SLICE("\xef\xbf\xbd"));
            i += n ? n : 1;
        }
    }
    strbuf_addc(out, '"');
}

void json_str(struct json *j, struct slice value) {
    before_value(j);
    json_quote(j->out, value);
}

void json_text(struct json *j, const char *value) {
    if (value) json_str(j, slice_from(value));
    else json_null(j);
}

void json_u64(struct json *j, uint64_t value) {
    before_value(j);
    strbuf_took(j->out, num_write_u64(strbuf_room(j->out, NUM_ROOM), value));
}

void json_i64(struct json *j, int64_t value) {
    before_value(j);
    strbuf_took(j->out, num_write_i64(strbuf_room(j->out, NUM_ROOM), value));
}

void json_milli(struct json *j, int64_t thousandths) {
    before_value(j);
    strbuf_took(j->out, num_write_thousandths(strbuf_room(j->out, NUM_ROOM), thousandths));
}

void json_raw(struct json *j, struct slice value) {
    before_value(j);
    strbuf_add(j->out, value);
}

void json_bool(struct json *j, bool value) { json_raw(j, value ? SLICE("true") : SLICE("false")); }
void json_null(struct json *j) { json_raw(j, SLICE("null")); }

void json_one_line(struct strbuf *out, struct slice value) {
    bool quoted = false;
    char *to = strbuf_room(out, value.len);
    size_t n = 0;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (!quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
        to[n++] = c;
        if (c == '"') quoted = !quoted;
        else if (c == '\\' && quoted && i + 1 < value.len) to[n++] = value.ptr[++i];
    }
    strbuf_took(out, n);
}

void json_document(struct json *j) {
    json_object(j);
    json_member_u64(j, "schema_version", JSON_SCHEMA_VERSION);
}
