/* SPDX-License-Identifier: Apache-2.0 */
/* When values are freed: a report does not list deallocates, but the modules of the TTNN stage have them, each after the op
 * that it follows. */
#ifndef TTMEM_INPUT_REPORT_FREES_H
#define TTMEM_INPUT_REPORT_FREES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "base/slice.h"

struct module_free {
    uint32_t after; /* ops of the function before it, without deallocates and get_device: the same number of records */
    struct slice value;
};

struct freeing_function {
    uint32_t program; /* program_index in the files */
    struct slice name;
    uint32_t first, end; /* of frees */
    uint32_t ops;        /* without deallocates and get_device */
};

struct report_frees {
    struct arena arena;
    VEC(struct freeing_function) functions;
    VEC(struct module_free) frees;
};

/* Takes the text of a module of the TTNN stage. */
void report_frees_take(struct report_frees *frees, uint32_t program, struct slice text);

/* The function of that name, or NULL. */
const struct freeing_function *report_frees_of(const struct report_frees *frees, uint32_t program, struct slice name);
void report_frees_release(struct report_frees *frees);

#endif
