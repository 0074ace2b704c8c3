/* SPDX-License-Identifier: Apache-2.0 */
#include "work/history_store.h"

#include <stdlib.h>

int history_store_address(const struct work *work, const char **address, struct err *err) {
    *address = work->history_store;
    if (*address) return history_check_address(*address, err);
    *address = getenv("TTMEM_STORE");
    return 0;
}

struct store *history_store_open(const struct work *work, bool write, struct err *err) {
    const char *address;
    return history_store_address(work, &address, err) == 0 ? history_open(address, write, err) : NULL;
}
