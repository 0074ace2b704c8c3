/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a history, and how an older schema becomes the present one. Every table is keyed by the run first, so that an
 * engine that spreads over machines can keep all of a run together. */
#ifndef TTMEM_STORE_HISTORY_SCHEMA_H
#define TTMEM_STORE_HISTORY_SCHEMA_H

#include <stddef.h>

#include "store/store_ops.h"

/* What is kept of a run besides its row: tables whose first column is run_id. NULL-terminated. */
extern const char *const history_run_tables[];

#endif
