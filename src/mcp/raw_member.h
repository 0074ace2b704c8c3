/* SPDX-License-Identifier: Apache-2.0 */
/* A member of a JSON text, byte for byte. Values that are echoed to a peer (ids, tokens) must not change, but a parser keeps
 * neither the digits of a number beyond 64 bits nor the escapes of a string. */
#ifndef TTMEM_MCP_RAW_MEMBER_H
#define TTMEM_MCP_RAW_MEMBER_H

#include <stddef.h>

#include "base/slice.h"

/* The value at path[0], path[1], ... of nested objects; the first of equal names; empty: there is none. Accepts any text,
 * but the result is meaningless if the text is not JSON. */
struct slice raw_member(struct slice text, const char *const *path, size_t depth);

/* Only digits, with an optional sign before them. */
bool raw_is_integer(struct slice value);

#endif
