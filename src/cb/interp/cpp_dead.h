/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the preprocessor takes out whatever is defined: #if 0, and what stands beside #if 1. */
#ifndef TTMEM_PARSE_CPP_DEAD_H
#define TTMEM_PARSE_CPP_DEAD_H

#include "base/slice.h"
#include "base/strbuf.h"

/* Whether there is such code; then `out` is the text with spaces in its place: bytes and lines stay where they are. */
bool cpp_blank_dead(struct slice text, struct strbuf *out);

#endif
