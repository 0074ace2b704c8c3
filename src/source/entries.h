/* SPDX-License-Identifier: Apache-2.0 */
/* Logs in which a line of the file is an entry around a line of text: Docker's json-file and what shippers make of it
 * ({"log":"...\n","stream":...}), and the format of container runtimes (2026-11-15T14:00:00Z stdout F ...). The output has
 * one line per entry, so that lines keep their numbers: a line of text that was too long for one entry appears whole in
 * place of its first part, with empty lines in place of the others. Parts of one stream are joined, whatever other streams
 * write in between. */
#ifndef TTMEM_SOURCE_ENTRIES_H
#define TTMEM_SOURCE_ENTRIES_H

#include "base/slice.h"
#include "base/strbuf.h"

struct entries;

/* For text that begins with `head` (a line, or ENTRIES_HEAD bytes of it); NULL if its lines are not entries. */
enum { ENTRIES_HEAD = 4096 };
struct entries *entries_for(struct slice head);

/* Takes the next bytes, or the end, and adds to `out` the lines that are complete. */
void entries_take(struct entries *entries, struct slice in, bool end, struct strbuf *out);

void entries_free(struct entries *entries);

#endif
