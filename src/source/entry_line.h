/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of a wrapped log (source/entries.h): its text, and whether it continues in the next one. Everything points into
 * the line. */
#ifndef TTMEM_SOURCE_ENTRY_LINE_H
#define TTMEM_SOURCE_ENTRY_LINE_H

#include "base/slice.h"
#include "base/strbuf.h"

/* The kinds of wrapping. */
enum entry_form { ENTRY_JSON_LOG, ENTRY_JSON_MESSAGE, ENTRY_JSON_JOURNAL, ENTRY_CRI, ENTRY_FORMS, ENTRY_NONE = ENTRY_FORMS };

struct entry_line {
    struct slice before; /* kept before the text: the time and stream of a container runtime */
    struct slice text;   /* JSON: with its escapes */
    struct slice stream, time;
    bool escaped;
    bool bytes; /* the text is an array of numbers: this is how journald writes a message with control characters (colours) */
    bool tagged, partial; /* the entry itself says whether it is a part that continues */
};

/* The form of a line, which may be cut; ENTRY_NONE for plain text. */
enum entry_form entry_form_of(struct slice line);

/* False: the line, without its end, is not an entry of that form. The text of a cut entry extends to its end. */
bool entry_line_read(enum entry_form form, struct slice line, struct entry_line *entry);

/* Appends the text as it was written. */
void entry_line_add_text(const struct entry_line *entry, struct strbuf *out);

#endif
