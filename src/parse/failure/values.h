/* SPDX-License-Identifier: Apache-2.0 */
/* The values of one message, read by the steps of its form; private to the failure parser. */
#ifndef TTMEM_PARSE_FAILURE_VALUES_H
#define TTMEM_PARSE_FAILURE_VALUES_H

#include "parse/failure/forms.h"
#include "parse/message_text.h"

struct failure_reading {
    size_t end;     /* in the cleaned text: after the last value, or after the start's words if there is none */
    bool has_value; /* a number, pool or core range was where it belongs, even if cut */
};

/* Reads the message of `form` that begins at `at`, whose start's words end at `past` and which ends before `end`, into `out`
 * (kind and rule are set). */
struct failure_reading failure_read_values(const struct message_text *m, const struct failure_form *form, size_t at,
                                           size_t past, size_t end, struct failure *out);

/* A number that ends the message is taken as whole only if it is greater than this: else it was cut. */
uint64_t failure_number_above(const struct failure *f, enum failure_number number);

#endif
