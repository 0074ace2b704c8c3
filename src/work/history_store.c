/* SPDX-License-Identifier: Apache-2.0 */
#include "work/history_store.h"

#include <stdlib.h>

int history_store_address(const struct work *work, const char **address, struct err *err) {
    *address = work->history_store;
    if (*address) return history_check_address(*address, err);
    *address = getenv("TTMEM_STORE");
    return 0;
}

static void say_wait(const void *context, const char *name, int most_seconds, bool locked) {
    if (locked) work_note(context, "%s is locked by another process: waiting, at most %d s", name, most_seconds);
    else
        work_note(context, "%s does not answer yet: waiting; if another session holds a lock, at most %d s", name,
                  most_seconds);
}

struct store *history_store_open(const struct work *work, bool write, struct err *err) {
    const char *address;
    if (history_store_address(work, &address, err) != 0) return NULL;
    store_tell_waits((struct store_waits){say_wait, work});
    struct store *store = history_open(address, write, err);
    store_tell_waits((struct store_waits){0});
    return store;
}
