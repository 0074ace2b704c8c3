/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a history, and how an older schema becomes the current one. Every table is keyed by the run first. */
#ifndef TTMEM_STORE_HISTORY_SCHEMA_H
#define TTMEM_STORE_HISTORY_SCHEMA_H

#include <stddef.h>

#include "store/store_ops.h"

/* What is kept of a run: tables whose first column is run_id, its own row first. In the order in which they are written, and
 * in which they must be locked. Ends with an empty row. */
struct history_table {
    const char *name, *key;
};
extern const struct history_table history_tables[];

#endif
