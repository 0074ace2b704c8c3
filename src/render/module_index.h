/* Which line of a module dump holds which op: its location for people, its name and its result. */
#ifndef TTMEM_RENDER_MODULE_INDEX_H
#define TTMEM_RENDER_MODULE_INDEX_H

#include "model/run.h"

struct ir_line {
    uint64_t number;       /* from 1 */
    struct slice location; /* never empty */
    struct slice value;    /* "%5"; empty when the op has no result */
    struct slice op;       /* "ttnn.matmul" */
};

/* Calls `entry` for every op line with a known location, in order. The slices are valid during the call. Returns the number of
 * lines. */
uint64_t module_index(const struct module *module, struct slice log, void (*entry)(void *context, const struct ir_line *line),
                      void *context);

#endif
