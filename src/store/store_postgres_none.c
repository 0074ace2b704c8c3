/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces store_postgres.c in a build without PostgreSQL. */
#include "base/dynlib.h"
#include "store/store_ops.h"

static struct store *postgres_open(const char *where, bool create, struct err *err) {
    (void)where;
    (void)create;
    dynlib_left_out("a history in PostgreSQL", "TTMEM_POSTGRES", ERR_INPUT, err);
    return NULL;
}

const struct store_ops store_postgres = {.open = postgres_open};
