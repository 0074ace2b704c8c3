/* SPDX-License-Identifier: Apache-2.0 */
/* What runtime lines begin with: the logger's prefix and the first words of the message. Nearly every line repeats one of a
 * few beginnings byte for byte, and each is usually followed by the same one as last time, so one comparison identifies a
 * line. */
#ifndef TTMEM_PARSE_LOG_HEADS_H
#define TTMEM_PARSE_LOG_HEADS_H

#include <stdint.h>
#include <string.h>

#include "parse/logline.h"

enum { LOG_HEADS = 8, LONGEST_LOG_HEAD = 200 };

struct log_head {
    struct slice bytes; /* where it was met; at least 8 bytes, or none */
    uint64_t tail;      /* its last eight bytes, which distinguish most beginnings */
    enum line_kind kind;
    enum pool pool;
    uint16_t rank;
    uint8_t next; /* the one that followed it last time */
};

struct log_heads {
    struct log_head rows[LOG_HEADS];
    unsigned added;
    uint8_t last; /* of the previous line */
};

static inline uint64_t log_head_tail(const char *end) {
    uint64_t tail;
    memcpy(&tail, end - sizeof tail, sizeof tail);
    return tail;
}

static inline bool log_head_is_at(const struct log_head *head, const char *at, const char *end) {
    size_t len = head->bytes.len;
    return len && (size_t)(end - at) >= len && log_head_tail(at + len) == head->tail && memcmp(at, head->bytes.ptr, len) == 0;
}

/* The beginning of the line at `at`, or NULL if it is not remembered. */
static inline const struct log_head *log_heads_find(struct log_heads *heads, const char *at, const char *end) {
    uint8_t expected = heads->rows[heads->last].next;
    if (log_head_is_at(&heads->rows[expected], at, end)) {
        heads->last = expected;
        return &heads->rows[expected];
    }
    for (unsigned i = 0; i < LOG_HEADS; i++) {
        if (!log_head_is_at(&heads->rows[i], at, end)) continue;
        heads->rows[heads->last].next = (uint8_t)i;
        heads->last = (uint8_t)i;
        return &heads->rows[i];
    }
    return NULL;
}

/* Remembers a line whose message begins with known words right after the logger's prefix. */
static inline void log_heads_add(struct log_heads *heads, struct slice line, const struct log_line *read, uint16_t rank) {
    size_t len = (size_t)(read->text.ptr - line.ptr);
    if (read->text.ptr == read->message || len > LONGEST_LOG_HEAD || len < sizeof(uint64_t)) return;
    uint8_t place = (uint8_t)(heads->added++ % LOG_HEADS);
    heads->rows[place] =
        (struct log_head){slice_take(line, len), log_head_tail(line.ptr + len), read->kind, read->pool, rank, place};
    heads->rows[heads->last].next = place;
    heads->last = place;
}

#endif
