/* SPDX-License-Identifier: Apache-2.0 */
/* A mutator for inputs that are JSON, or lines of it: half of the time a value as a whole is replaced, doubled, taken out, put
 * around or exchanged for another one of the same text, so that what is tried stays JSON and reaches the code after the parser.
 * Included by one source of a target. */
#ifndef TTMEM_FUZZ_JSON_MUTATOR_H
#define TTMEM_FUZZ_JSON_MUTATOR_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

struct json_span {
    size_t from, to;
};

static unsigned json_next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The end of the value that begins at `at`; `at` where none does. Brackets are counted, strings are skipped. */
static size_t json_value_end(const uint8_t *data, size_t size, size_t at) {
    size_t depth = 0, i = at;
    for (; i < size; i++) {
        uint8_t c = data[i];
        if (c == '"') {
            for (i++; i < size && data[i] != '"'; i++) i += data[i] == '\\';
            if (i >= size) return size;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth <= 1) return depth ? i + 1 : i;
            depth--;
        } else if (!depth && (c == ',' || c == ':' || c == '\n' || c == ' ')) {
            return i;
        }
        if (!depth && c == '"') return i + 1;
    }
    return i;
}

/* A value somewhere in the text: after a colon, a comma or an opening bracket. */
static struct json_span json_any_value(const uint8_t *data, size_t size, unsigned *random) {
    size_t start = size ? json_next_random(random) % size : 0;
    for (size_t n = 0; n < size; n++) {
        size_t i = (start + n) % size;
        if (data[i] != ':' && data[i] != ',' && data[i] != '[') continue;
        size_t at = i + 1;
        while (at < size && data[at] == ' ') at++;
        size_t end = json_value_end(data, size, at);
        if (end > at) return (struct json_span){at, end};
    }
    return (struct json_span){0, size};
}

static size_t json_put(uint8_t *data, size_t size, size_t room, struct json_span span, const uint8_t *value, size_t len) {
    size_t rest = size - span.to, whole = span.from + len + rest;
    if (whole > room) return size;
    memmove(data + span.from + len, data + span.to, rest);
    memcpy(data + span.from, value, len);
    return whole;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    static const char *const odd[] = {"null",
                                      "true",
                                      "[]",
                                      "{}",
                                      "\"\"",
                                      "-1",
                                      "0",
                                      "1e308",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "0.5",
                                      "[[]]",
                                      "[{}]",
                                      "{\"a\":null}",
                                      "\"\\u0000\"",
                                      "\"\\ud800\"",
                                      "4294967296",
                                      "\"dram\"",
                                      "\"l1\"",
                                      "\"1\""};
    unsigned random = seed;
    if (size < 2 || json_next_random(&random) % 2) return LLVMFuzzerMutate(data, size, room);
    struct json_span span = json_any_value(data, size, &random), other = json_any_value(data, size, &random);
    size_t len = span.to - span.from, other_len = other.to - other.from, result = size;
    uint8_t *copy = malloc(2 * len + other_len + 8);
    if (!copy) return size;
    const char *word = odd[json_next_random(&random) % (sizeof odd / sizeof *odd)];
    switch (json_next_random(&random) % 5) {
        case 0:
            result = json_put(data, size, room, span, (const uint8_t *)word, strlen(word));
            break;
        case 1: /* another value of the text */
            memcpy(copy, data + other.from, other_len);
            result = json_put(data, size, room, span, copy, other_len);
            break;
        case 2: /* twice */
            memcpy(copy, data + span.from, len);
            copy[len] = ',';
            memcpy(copy + len + 1, data + span.from, len);
            result = json_put(data, size, room, span, copy, 2 * len + 1);
            break;
        case 3: /* in a list */
            copy[0] = '[';
            memcpy(copy + 1, data + span.from, len);
            copy[len + 1] = ']';
            result = json_put(data, size, room, span, copy, len + 2);
            break;
        default: /* not at all, with the comma after it */
            if (span.to < size && data[span.to] == ',') span.to++;
            result = json_put(data, size, room, span, copy, 0);
    }
    free(copy);
    return result ? result : size;
}

#endif
