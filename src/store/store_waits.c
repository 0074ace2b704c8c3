/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { WAIT_SECONDS = 30, WAIT_MOST = 3600 };

static _Thread_local struct store_waits here;

void store_tell_waits(struct store_waits waits) { here = waits; }

struct store_waits store_waits_here(void) {
    return here;
}

int store_wait_seconds(void) {
    const char *text = getenv("TTMEM_STORE_WAIT");
    uint64_t n;
    if (!text || !text[0] || num_read_u64(slice_from(text), &n) != strlen(text) || n > WAIT_MOST) return WAIT_SECONDS;
    return (int)n;
}
