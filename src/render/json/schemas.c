/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/schemas.h"

#include <string.h>

#include "base/embed.h"

/* TTMEM_SCHEMAS names the list that CMakeLists.txt writes: SCHEMA(identifier, "name", "path") for each file. */
#define SCHEMA(id, name, path) EMBED(ttmem_schema_##id, path);
#include TTMEM_SCHEMAS
#undef SCHEMA

static const struct {
    const char *name, *begin, *end;
} schemas[] = {
#define SCHEMA(id, name, path) {name, ttmem_schema_##id##_begin, ttmem_schema_##id##_end},
#include TTMEM_SCHEMAS
#undef SCHEMA
};

size_t schema_count(void) { return sizeof schemas / sizeof *schemas; }

struct schema_file schema_at(size_t number) {
    return (struct schema_file){schemas[number].name, slice_between(schemas[number].begin, schemas[number].end)};
}

bool schema_find(const char *name, struct schema_file *found) {
    for (size_t i = 0; i < schema_count(); i++) {
        if (strcmp(schemas[i].name, name) != 0) continue;
        *found = schema_at(i);
        return true;
    }
    return false;
}
