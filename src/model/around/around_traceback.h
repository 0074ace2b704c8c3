/* SPDX-License-Identifier: Apache-2.0 */
/* Which failure a Python traceback belongs to: the one that its exception reports. Its frames come before that exception, so
 * what they tell is taken for the latest failure and given back where the exception turns out to be another one. Part of the
 * fold.
 */
#ifndef TTMEM_MODEL_AROUND_TRACEBACK_H
#define TTMEM_MODEL_AROUND_TRACEBACK_H

#include "model/fold.h"

/* The failure whose stack is being read: the rank's own, or the last one where lines carry no tag. NONE, NULL: none, or too far
 * above. */
uint32_t around_latest_number(const struct fold *fold, const struct rank_state *rank);
struct failure_site *around_latest(struct fold *fold, const struct rank_state *rank, uint64_t line);

/* "Traceback (most recent call last)", after `lead` on its line. */
void around_traceback_begins(struct fold *fold, struct rank_state *rank, struct slice lead, uint64_t line);
void around_traceback_frame(struct fold *fold, uint64_t line);

/* Lines that may be of a traceback or come after it, in their order. */
void around_traceback_lines(struct fold *fold, struct slice text);

/* Whether the message on this line is that of the exception which ends a traceback. */
bool around_traceback_ends(const struct fold *fold, uint64_t line);

/* It is the message of this failure: the next lines show whether it ended the process. */
void around_traceback_of(struct fold *fold, uint32_t number);

#endif
