/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the preprocessor always removes: #if 0, and the other side of #if 1. */
#ifndef TTMEM_PARSE_CPP_DEAD_H
#define TTMEM_PARSE_CPP_DEAD_H

#include "base/slice.h"
#include "base/strbuf.h"

/* Returns whether there is such code; `out` is then the text with spaces in its place, so that bytes and lines keep their
 * positions. */
bool cpp_blank_dead(struct slice text, struct strbuf *out);

#endif
