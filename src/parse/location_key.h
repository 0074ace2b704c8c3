/* SPDX-License-Identifier: Apache-2.0 */
/* Keys for comparing an executed op with the ops of a module: equal text gives equal keys, with aliases resolved. */
#ifndef TTMEM_PARSE_LOCATION_KEY_H
#define TTMEM_PARSE_LOCATION_KEY_H

#include <stdint.h>

#include "base/slice.h"

/* Key of name and result, "ttnn.matmul" and "%5". */
uint64_t op_key(struct slice name, struct slice result);

struct location_aliases {
    void *context;
    /* Key of an alias ("#loc5", "#loc"), 0 if unknown. */
    uint64_t (*find)(void *context, struct slice alias);
};

/* Key of a location; 0 for an unknown one. `aliases` may be NULL. */
uint64_t location_key(struct slice location, const struct location_aliases *aliases);

#endif
