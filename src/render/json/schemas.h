/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schemas of everything that ttmem writes in JSON: the files of schemas/, embedded. */
#ifndef TTMEM_RENDER_SCHEMAS_H
#define TTMEM_RENDER_SCHEMAS_H

#include <stddef.h>

#include "base/slice.h"

struct schema_file {
    const char *name; /* "top-ops" */
    struct slice text;
};

size_t schema_count(void);

/* By number, in the order of their names. */
struct schema_file schema_at(size_t number);

/* False if there is none of that name. */
bool schema_find(const char *name, struct schema_file *found);

#endif
