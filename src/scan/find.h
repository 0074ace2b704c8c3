/* SPDX-License-Identifier: Apache-2.0 */
/* Finds bytes fast. Each function has an AVX2 and a plain form; the processor decides. */
#ifndef TTMEM_SCAN_FIND_H
#define TTMEM_SCAN_FIND_H

#include <stddef.h>

/* The first '\n' or '\r' in [p, end), or end. */
const char *find_eol(const char *p, const char *end);

/* The first of two bytes in [p, end), or end. */
const char *find_either(const char *p, const char *end, char one, char other);

/* The first '}' or control byte in [p, end), or end. */
const char *find_brace_or_control(const char *p, const char *end);

/* The first occurrence of the needle (m >= 2 bytes), or NULL. */
const char *find_bytes(const char *hay, size_t n, const char *needle, size_t m);

#endif
