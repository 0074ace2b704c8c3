/* SPDX-License-Identifier: Apache-2.0 */
/* What the text before a failure's message, on the same line, says about the failure. */
#ifndef TTMEM_PARSE_APPEARANCE_H
#define TTMEM_PARSE_APPEARANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* Just thrown (the logger) or anything else; printed by a test's report; or printed by the program itself, which has then
 * caught it. */
enum message_appearance { MESSAGE_THROWN, MESSAGE_REPORTED, MESSAGE_PRINTED };

enum message_appearance message_appearance(struct slice before);

/* Is the message that of an uncaught exception: after a traceback's last frame, or as the process ends? */
bool message_ends_process(struct slice before);

/* How a message was printed: one failure is printed in several shapes, and in the same shape when it happens again. */
uint8_t message_shape(struct slice before);

/* Was it printed by tt-metal's logger, not as the text of an exception? */
bool message_is_logged(struct slice before);

/* All of this: lines that differ only in numbers have the same. */
struct message_lead {
    enum message_appearance appears;
    bool ends_process, logged;
    bool names_test; /* possibly: around_next decides */
    bool escaped;    /* it contains escaped line breaks */
    uint8_t shape;
};

void message_lead_read(struct message_lead *lead, struct slice before);

#endif
