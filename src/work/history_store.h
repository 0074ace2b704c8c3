/* SPDX-License-Identifier: Apache-2.0 */
/* Which history: --store, TTMEM_STORE, or the default. */
#ifndef TTMEM_WORK_HISTORY_STORE_H
#define TTMEM_WORK_HISTORY_STORE_H

#include "store/history.h"
#include "work/work.h"

/* NULL for the default. -1 when the command line contains a password. */
int history_store_address(const struct work *work, const char **address, struct err *err);

/* Opens it; NULL with an error. */
struct store *history_store_open(const struct work *work, bool write, struct err *err);

#endif
