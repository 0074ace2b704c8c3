/* SPDX-License-Identifier: Apache-2.0 */
/* Wrapped or differently encoded text, turned into plain lines while it is read: UTF-16 (PowerShell redirection) becomes
 * UTF-8, entries of containers and log shippers (source/entries.h) become the lines in them. */
#ifndef TTMEM_SOURCE_RECODER_H
#define TTMEM_SOURCE_RECODER_H

#include "base/slice.h"
#include "base/strbuf.h"

struct recoder;

/* Are the first bytes of an input too few for recoder_for to decide? */
enum { RECODER_HEAD = 4096 };
bool recoder_needs_more(struct slice head);

/* The recoder for text that starts with `head`, or NULL if it is plain. */
struct recoder *recoder_for(struct slice head);

/* Takes the next bytes, or the end, and adds their text to `out`; unfinished lines may wait. */
void recoder_take(struct recoder *recoder, struct slice in, bool end, struct strbuf *out);

void recoder_free(struct recoder *recoder);

/* What kind of file starts with `head`, if it is not text: "an executable", "an image"; NULL if it may be a log. */
const char *recoder_refused(struct slice head);

#endif
