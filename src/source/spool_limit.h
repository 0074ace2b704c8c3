/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a stream is kept on disk at most: a small compressed file can contain more than any disk. */
#ifndef TTMEM_SOURCE_SPOOL_LIMIT_H
#define TTMEM_SOURCE_SPOOL_LIMIT_H

#include <stdint.h>

#include "base/err.h"

/* The set value, else $TTMEM_MAX_SPOOL, else four times the free memory, but no more than 16 GB. */
uint64_t spool_limit(void);
/* Is $TTMEM_MAX_SPOOL a size, if it counts? */
int spool_limit_check(struct err *err);
void spool_limit_set(uint64_t bytes);

/* What sets it, for messages: TTMEM_MAX_SPOOL=SIZE, and --max-spool SIZE where the command has that option. */
const char *spool_limit_names(void);
void spool_limit_option(void);

#endif
