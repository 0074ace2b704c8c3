/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries that serve one feature, loaded when that feature is first used: everything else starts without them, and
 * runs where they are not installed. A library is the list of the functions taken from it, written once as a macro over their
 * names; its header gives their types. Loaded once, never unloaded; any thread may ask.
 *
 *     #define PQ_FUNCTIONS(F) F(PQ, exec) F(PQ, clear)
 *     static struct { PQ_FUNCTIONS(DYNLIB_MEMBER) } pq;
 *     static const char *const pq_names[] = {PQ_FUNCTIONS(DYNLIB_NAME)};
 *     static struct dynlib libpq = DYNLIB("a history in PostgreSQL", TTMEM_LIBPQ_FILE, pq_names, pq);
 *     if (dynlib_load(&libpq, ERR_INPUT, err) == 0) pq.clear(pq.exec(connection, sql)); */
#ifndef TTMEM_BASE_DYNLIB_H
#define TTMEM_BASE_DYNLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define DYNLIB_MEMBER(prefix, name) __typeof__(prefix##name) *name;
#define DYNLIB_NAME(prefix, name) #prefix #name,
#define DYNLIB(feature, file, names, table) \
    { (feature), (file), (names), sizeof(names) / sizeof *(names), &(table), false }

struct dynlib {
    const char *feature; /* begins the error message if the library is missing */
    const char *file;    /* the name programs link it by: "libpq.so.5" */
    const char *const *names;
    size_t count;
    void *table; /* one pointer to a function per name, in the same order */
    bool loaded;
};

/* Fills the table once. Returns -1 with the error filled if the library or one of its functions is missing. */
int dynlib_load(struct dynlib *library, enum err_code code, struct err *err);

/* The error of a build without the feature; `option` is the CMake option that was OFF. Returns -1. */
int dynlib_left_out(const char *feature, const char *option, enum err_code code, struct err *err);

#endif
