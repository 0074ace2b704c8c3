/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the buffers on ttmem's allocator: does it place them where they were? Equal addresses prove that the map is right. */
#ifndef TTMEM_MODEL_INSPECTOR_REPLAY_H
#define TTMEM_MODEL_INSPECTOR_REPLAY_H

#include "model/inspector/facts.h"
#include "model/inspector/owners.h"

struct replay_pool {
    bool known;
    uint64_t base, bytes;
};

/* Adds to `replayed` and `as_placed`. A buffer counts as placed alike if the allocator gives its address from the usual end
 * of the pool or from the other one: kernels go to the top of DRAM. A buffer that differs is put where it was, so that the
 * rest is judged independently. `moves` as in to_run.c. */
void replay_owners(const struct owners *o, const uint32_t *moves, size_t move_count, const struct replay_pool pools[POOL_COUNT],
                   struct inspector_facts *facts);

#endif
