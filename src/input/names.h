/* SPDX-License-Identifier: Apache-2.0 */
/* Names of reports. */
#ifndef TTMEM_INPUT_NAMES_H
#define TTMEM_INPUT_NAMES_H

#include "base/strbuf.h"

/* The report name of a log: the file name without .gz/.zst, its last suffix and one trailing "_profile", with each '/' and
 * '_' turned into '-'. stdin gives "stdin", an empty result "report". */
void report_name(struct strbuf *out, const char *path);

#endif
