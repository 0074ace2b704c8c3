/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ops of an Inspector folder in the log of the same run, which has their locations in the model.
 *
 * An op of the log is one or several device ops, or none. Both lists are walked in order; a device op is matched with the
 * next op of the log whose name fits. If lines have times, the time must fit too; otherwise ops of the log are skipped only
 * if the next device op fits as well. Anything else stays unmatched. */
#ifndef TTMEM_MODEL_INSPECTOR_JOIN_H
#define TTMEM_MODEL_INSPECTOR_JOIN_H

#include "model/inspector/data.h"
#include "model/run.h"

/* Sets `place` of the ops of each rank. `text` is the log, or empty if not available (then there are no times). Returns the
 * number of matched ops; if fewer than half match, none is kept and it is 0. */
uint64_t inspector_join(struct inspector_data *data, const struct run *log, struct slice text, enum inspector_tie *by);

/* Can a device op ("ttnn.binary_ng") be part of an op of a log ("ttnn.add")? */
bool inspector_name_fits(struct slice device, struct slice logged);

#endif
