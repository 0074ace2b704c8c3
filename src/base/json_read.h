/* SPDX-License-Identifier: Apache-2.0 */
/* JSON in, over simdjson: one text at a time, read through small values that point into the reader. A value and every string
 * from it are valid until the next json_parse or json_reader_free. Never ends the process by itself, never throws. A reader
 * belongs to one thread at a time. */
#ifndef TTMEM_BASE_JSON_READ_H
#define TTMEM_BASE_JSON_READ_H

#include <stdint.h>

#include "base/slice.h"

#ifdef __cplusplus
extern "C" {
#endif

struct json_reader;

/* A place in the parsed text. */
struct json_value {
    const void *document;
    size_t at;
};

enum json_kind { JSON_NULL, JSON_BOOL, JSON_INT, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* For the program: `end`, which does not return, is called when memory runs out. */
void json_at_exhaustion(void (*end)(void));

/* For a library whose `jump` leaves its calls when memory runs out (base/mem.h): a reader belongs to what `owner` returned
 * when it was made, and readers that were left behind are freed with their owner. */
void json_in_library(void (*jump)(void), void *(*owner)(void));
void json_readers_free_of(void *owner);

/* Makes what simdjson allocates at its first use, where a lack of memory would end the process: for libraries, when they are
 * loaded. */
void json_prepare(void);

/* NULL: out of memory. */
struct json_reader *json_reader_new(void);
void json_reader_free(struct json_reader *reader);

/* Parses the whole text. False: not JSON (bad UTF-8, too deep, a number out of range, trailing bytes, empty) or out of
 * memory; json_error then names the reason. */
bool json_parse(struct json_reader *reader, struct slice text, struct json_value *root);
const char *json_error(const struct json_reader *reader);
bool json_lacks_memory(const struct json_reader *reader); /* the last json_parse ran out of it */

enum json_kind json_kind_of(struct json_value value);

/* Each returns false, and leaves *out alone, if the value is of another kind (or the integer does not fit). */
bool json_string_of(struct json_value value, struct slice *out);
bool json_bool_of(struct json_value value, bool *out);
bool json_i64_of(struct json_value value, int64_t *out);
bool json_u64_of(struct json_value value, uint64_t *out);

/* A number of any kind in thousandths, rounded: 1022.169 gives 1022169. */
bool json_milli_of(struct json_value value, int64_t *out);

/* The first member of that name. False: none, or not an object. */
bool json_member(struct json_value object, const char *name, struct json_value *out);

/* Walks the items of an array or the members of an object (then with *name):
 *   for (struct json_walk w = json_walk_of(value); json_next(&w, &name, &item);) ...
 * Anything else has no items. `name` may be NULL. */
struct json_walk {
    struct json_value here, end;
    enum json_kind kind;
};
struct json_walk json_walk_of(struct json_value container);
bool json_next(struct json_walk *walk, struct slice *name, struct json_value *item);

#ifdef __cplusplus
}
#endif

#endif
