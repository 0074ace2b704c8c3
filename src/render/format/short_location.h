/* SPDX-License-Identifier: Apache-2.0 */
/* A location in the room of a table row: "layers.29.attn  net.py:523". JSON has the whole. */
#ifndef TTMEM_RENDER_SHORT_LOCATION_H
#define TTMEM_RENDER_SHORT_LOCATION_H

#include "base/strbuf.h"
#include "model/run.h"

/* Appends the innermost module and the file with its line, if the name of the location has them, else the name. Text from an
 * input: the caller escapes it. */
void short_location(struct strbuf *out, struct slice location);

/* For a step: its op's location, else what it calls ("@main_const_eval_0"); nothing if it has neither. */
void short_location_of(struct strbuf *out, const struct run *run, const struct step *step);

#endif
