/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over MLIR text: balanced brackets and strings, lists split at their own level. Works on cut text. */
#ifndef TTMEM_PARSE_MLIR_SCAN_H
#define TTMEM_PARSE_MLIR_SCAN_H

#include <stdbool.h>

#include "base/slice.h"

/* `p` is at an opening bracket or a quote. Returns the position after its partner, or NULL if the text ends before. */
const char *mlir_skip_group(const char *p, const char *end);

/* The first of `stops` (a set of characters) that is not inside brackets or strings, or `end`. */
const char *mlir_find(const char *p, const char *end, const char *stops);

/* Takes the next item of a comma-separated list from *list, trimmed. False if the list is empty. */
bool mlir_next_item(struct slice *list, struct slice *item);

/* The text between the brackets that enclose `s`; `s` itself if there are none. */
struct slice mlir_inside(struct slice s);

#endif
