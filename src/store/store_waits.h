/* SPDX-License-Identifier: Apache-2.0 */
/* How long a store waits for another process, and who is told (store_ops.h). For the stores themselves. */
#ifndef TTMEM_STORE_STORE_WAITS_H
#define TTMEM_STORE_STORE_WAITS_H

#include "store/store_ops.h"

struct store_waits store_waits_here(void); /* of this thread */

/* TTMEM_STORE_WAIT, in seconds. */
int store_wait_seconds(void);

#endif
