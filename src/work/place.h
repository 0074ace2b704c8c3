/* SPDX-License-Identifier: Apache-2.0 */
/* A point in a run as the command line names it: an op by number, or the peak of a pool. */
#ifndef TTMEM_WORK_PLACE_H
#define TTMEM_WORK_PLACE_H

#include "render/answer/live_report.h"
#include "input/input.h"

/* `at` is "peak", a number, or NULL for the peak; on the named rank, NULL: on any. place.pool is given; the rest is filled
 * in, except the limit. Returns -1 with ERR_LACKS if the run has no such place. */
int place_find(const struct input *in, const char *at, const char *rank, struct live_place *place, struct err *err);

#endif
