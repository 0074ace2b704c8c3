/* SPDX-License-Identifier: Apache-2.0 */
/* A member of a JSON text as it is there, byte for byte: what is handed back to a peer (ids, tokens) must not change, and a
 * parser has neither the digits of a number beyond 64 bits nor how a string was escaped. */
#ifndef TTMEM_MCP_RAW_MEMBER_H
#define TTMEM_MCP_RAW_MEMBER_H

#include <stddef.h>

#include "base/slice.h"

/* The value at path[0], path[1], ... of nested objects, the first of equal names; empty: there is none. Any text may be given;
 * of text that is not JSON the answer means nothing. */
struct slice raw_member(struct slice text, const char *const *path, size_t depth);

/* Digits alone, with a sign before them. */
bool raw_is_integer(struct slice value);

#endif
