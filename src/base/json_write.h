/* SPDX-License-Identifier: Apache-2.0 */
/* Append-only JSON writer into a strbuf. Output is valid UTF-8 for any input (bad bytes become U+FFFD). The caller keeps
 * begin/end balanced; nesting is limited to 63 levels. */
#ifndef TTMEM_BASE_JSON_WRITE_H
#define TTMEM_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"

struct json {
    struct strbuf *out;
    bool pretty; /* indent by 2 */
    unsigned depth;
    uint64_t has_items; /* bit d: the container at depth d already has an item */
    bool after_key;
};

/* In all JSON that ttmem writes. It is raised if a key is removed or changes its meaning, not if one is added. */
enum { JSON_SCHEMA_VERSION = 3 };

/* Begins the outermost object, whose first member is "schema_version"; json_object_end ends it. */
void json_document(struct json *j);

void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key_plain(struct json *j, const char *key, size_t len);
/* A literal that needs no escaping; the compiler computes its length. */
static inline void json_key(struct json *j, const char *key) { json_key_plain(j, key, strlen(key)); }
void json_key_slice(struct json *j, struct slice key);

void json_str(struct json *j, struct slice value);
void json_text(struct json *j, const char *value); /* NULL gives null */
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_milli(struct json *j, int64_t thousandths); /* 1022169 -> 1022.169 */
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* Already valid JSON, written as it is. */
void json_raw(struct json *j, struct slice value);

/* Valid JSON on one line: without the white space between its parts. */
void json_one_line(struct strbuf *out, struct slice value);

/* One call per member: json_member_u64(&j, "line", 12). */
static inline void json_member_str(struct json *j, const char *key, struct slice value) {
    json_key(j, key);
    json_str(j, value);
}
static inline void json_member_text(struct json *j, const char *key, const char *value) {
    json_key(j, key);
    json_text(j, value);
}
static inline void json_member_u64(struct json *j, const char *key, uint64_t value) {
    json_key(j, key);
    json_u64(j, value);
}
static inline void json_member_i64(struct json *j, const char *key, int64_t value) {
    json_key(j, key);
    json_i64(j, value);
}
static inline void json_member_milli(struct json *j, const char *key, int64_t thousandths) {
    json_key(j, key);
    json_milli(j, thousandths);
}
static inline void json_member_bool(struct json *j, const char *key, bool value) {
    json_key(j, key);
    json_bool(j, value);
}
static inline void json_member_null(struct json *j, const char *key) {
    json_key(j, key);
    json_null(j);
}

/* The escaped text with its quotes, without commas or indentation. */
void json_quote(struct strbuf *out, struct slice value);

#endif
