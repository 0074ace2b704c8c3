/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are LINE_TEXT at first sight: most lines of module dumps and of programs' output. They have no bar and nothing at
 * their ends that may be a launcher's prefix or end a heading, so logline_read has nothing to look for in them. */
#ifndef TTMEM_PARSE_PLAIN_LINES_H
#define TTMEM_PARSE_PLAIN_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* Of a line without its end and without a bar. */
bool plain_line(struct slice line);

/* The end of the plain lines that begin at `p`, which is the start of a line. Each ends with "\n" before `end`, without "\r";
 * the last ones may be left out. Adds their number to *lines. */
const char *plain_lines_end(const char *p, const char *end, uint32_t *lines);

#endif
