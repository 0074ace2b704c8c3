/* SPDX-License-Identifier: Apache-2.0 */
/* Which failure a Python traceback belongs to: the one that its exception reports. Its frames come before that exception, so
 * they are first taken as those of the latest failure, and taken back if the exception is another one. Part of the fold. */
#ifndef TTMEM_MODEL_AROUND_TRACEBACK_H
#define TTMEM_MODEL_AROUND_TRACEBACK_H

#include "model/fold.h"

/* The failure whose stack is being read: the rank's own, or the last one if lines carry no tag. NONE, NULL: none, or too far
 * above. */
uint32_t around_latest_number(const struct fold *fold, const struct rank_state *rank);
struct failure_site *around_latest(struct fold *fold, const struct rank_state *rank, uint64_t line);

/* "Traceback (most recent call last)", preceded by `lead` on its line. */
void around_traceback_begins(struct fold *fold, struct rank_state *rank, struct slice lead, uint64_t line);
void around_traceback_frame(struct fold *fold, uint64_t line);

/* Lines of a traceback or after it, in order. */
void around_traceback_lines(struct fold *fold, struct slice text);

/* Is the message on this line that of the exception at the end of a traceback? */
bool around_traceback_ends(const struct fold *fold, uint64_t line);

/* The traceback's exception is this failure: the next lines show whether it ended the process. */
void around_traceback_of(struct fold *fold, uint32_t number);

#endif
