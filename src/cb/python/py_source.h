/* SPDX-License-Identifier: Apache-2.0 */
/* Translates Python host sources (ttnn.CBDescriptor and the like) into C++ with the same meaning and the same lines, for the
 * interpreter of cb_source: names, numbers, conditions, loops, functions and the constructors of tt-metal's descriptors.
 * Anything without a counterpart becomes a call of an unknown function, so its value is unknown. Time and memory are bounded
 * for any text. */
#ifndef TTMEM_PARSE_PY_SOURCE_H
#define TTMEM_PARSE_PY_SOURCE_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/strbuf.h"

/* Returns false, with nothing written, if the text is too large or nested too deep. Sets `*errors` if parts are not Python. */
bool py_source_to_cpp(struct slice text, struct strbuf *out, bool *errors);

#endif
