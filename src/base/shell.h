/* SPDX-License-Identifier: Apache-2.0 */
/* Text for a command line that the user may copy. */
#ifndef TTMEM_BASE_SHELL_H
#define TTMEM_BASE_SHELL_H

#include "base/strbuf.h"

/* Appends the word, in quotes if a shell would read it otherwise; control characters and bytes that are not UTF-8 are
 * spelled out, so that the result can be shown. */
void shell_word(struct strbuf *out, struct slice word);

/* Splits at blanks as a shell does, with quotes and backslashes but without expansion: `count` words, each followed by a
 * NUL. False if a quote is not closed. */
bool shell_split(struct strbuf *out, const char *text, size_t *count);

#endif
