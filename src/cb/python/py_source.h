/* SPDX-License-Identifier: Apache-2.0 */
/* Python host sources (ttnn.CBDescriptor and the like) as C++ of the same meaning and the same lines, for the interpreter of
 * cb_source: names, numbers, conditions, loops, functions and the constructors of tt-metal's descriptors. What has no
 * counterpart becomes a call of a function that no one knows, so that nothing is known of its value. Bounded whatever the text
 * is. */
#ifndef TTMEM_PARSE_PY_SOURCE_H
#define TTMEM_PARSE_PY_SOURCE_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/strbuf.h"

/* False: too large or nested too deep, nothing was written. `*errors`: parts are not Python. */
bool py_source_to_cpp(struct slice text, struct strbuf *out, bool *errors);

#endif
