/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the parts of a large JSON text without reading all of it: members of the outermost object, items of an array, each
 * as the slice of its text, to be parsed one at a time (json_read.h). Memory does not grow with the text. Bad JSON ends the
 * walk. */
#ifndef TTMEM_BASE_JSON_SPLIT_H
#define TTMEM_BASE_JSON_SPLIT_H

#include "base/slice.h"

struct json_items {
    struct slice rest;
    bool broken; /* the text ended or went wrong inside the array */
};

/* The text of a member of the outermost object; false if there is none. Names with escapes are not found. */
bool json_split_member(struct slice text, const char *name, struct slice *value);

/* The first byte that is not white space, or 0: '{' object, '[' array. */
char json_split_kind(struct slice text);

/* Is the text one value with closed brackets and strings, and nothing after it? */
bool json_split_whole(struct slice text);

/* Walks the items of an array. Anything else has none. */
struct json_items json_split_items(struct slice array);
bool json_split_next(struct json_items *items, struct slice *item);

#endif
