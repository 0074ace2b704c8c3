/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of an Inspector folder found in the log of the same run: the log has their locations in the model.
 *
 * An operation of the log is one or several device operations, or none. Both lists are walked in order; a device operation is
 * tied to the next one of the log that it can be part of by its name, where the operations that follow agree too, and where the
 * lines of the log have times only to one of its time. What agrees with nothing is not tied. */
#ifndef TTMEM_MODEL_INSPECTOR_JOIN_H
#define TTMEM_MODEL_INSPECTOR_JOIN_H

#include "model/inspector/data.h"
#include "model/run.h"

/* Sets `place` of the operations of each rank. `text`: the bytes of the log, empty where they are not at hand (then there are
 * no times). Returns how many are tied; where fewer than half of them are, none is, and it is 0. */
uint64_t inspector_join(struct inspector_data *data, const struct run *log, struct slice text, enum inspector_tie *by);

/* Can a device operation ("ttnn.binary_ng") be part of an operation of a log ("ttnn.add")? */
bool inspector_name_fits(struct slice device, struct slice logged);

#endif
