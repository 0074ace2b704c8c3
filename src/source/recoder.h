/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is wrapped or coded otherwise, turned into plain lines while it is read: UTF-16 (PowerShell redirection) becomes
 * UTF-8, Docker's json-file ({"log":"...\n","stream":...}) the text of its entries, in which a line longer than an entry is one
 * again. */
#ifndef TTMEM_SOURCE_RECODER_H
#define TTMEM_SOURCE_RECODER_H

#include "base/slice.h"

struct recoder;

/* The recoder for text that starts with `head` (16 bytes are enough), or NULL when it is plain. */
struct recoder *recoder_for(struct slice head);

/* Takes from *in, writes to `out` (room for at least RECODER_ROOM bytes); returns how much was written. */
enum { RECODER_ROOM = 64 };
size_t recoder_step(struct recoder *recoder, struct slice *in, char *out, size_t room);

void recoder_free(struct recoder *recoder);

/* What a file is that starts with `head` and is no text: "an executable", "an image"; NULL when it may be a log. */
const char *recoder_refused(struct slice head);

#endif
