/* SPDX-License-Identifier: Apache-2.0 */
/* A database that holds a history, with few calls: statements with bound values, rows in bulk, transactions. There are two:
 * store_sqlite.c and store_postgres.c. Statements are the same text for both; values are $1, $2, ... and are always bound.
 *
 * A store belongs to one thread. After a failed call the caller must roll back the transaction. */
#ifndef TTMEM_STORE_STORE_OPS_H
#define TTMEM_STORE_STORE_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

enum store_kind { STORE_NULL, STORE_INT, STORE_TEXT };

struct store_value {
    enum store_kind kind;
    int64_t number;
    struct slice text; /* in a row: valid until the next one */
};

#define STORE_I(n) ((struct store_value){.kind = STORE_INT, .number = (int64_t)(n)})
#define STORE_T(s) ((struct store_value){.kind = STORE_TEXT, .text = (s)})

/* Takes a row; false stops. */
typedef bool store_row_fn(void *who, const struct store_value *row);

/* Fills the next row of `columns` values; false at the end. */
typedef bool store_next_fn(void *who, struct store_value *row);

struct store;

struct store_ops {
    /* Opens what `where` names; sqlite: a file, created if it is missing and `create` is set. */
    struct store *(*open)(const char *where, bool create, struct err *err);
    void (*close)(struct store *store);
    /* Runs one statement. `row` may be NULL; *changed (may be NULL) becomes the number of rows it changed. */
    int (*run)(struct store *store, const char *sql, const struct store_value *values, size_t count, store_row_fn *row,
               void *who, int64_t *changed, struct err *err);
    /* Adds many rows to the columns ("a, b, c") of a table. */
    int (*bulk)(struct store *store, const char *table, const char *columns, size_t column_count, store_next_fn *next,
                void *who, struct err *err);
    /* `write`: takes the lock that keeps other writers out, if the database has one. */
    int (*begin)(struct store *store, bool write, struct err *err);
    int (*commit)(struct store *store, struct err *err);
    void (*rollback)(struct store *store);
    /* Version of the schema: 0 if there is none yet. -1 with an error if the database belongs to another program. */
    int (*version)(struct store *store, int64_t *version, struct err *err);
    /* Inside a transaction: keeps other processes from changing the schema at the same time. */
    int (*lock_schema)(struct store *store, struct err *err);
    /* The five letters of the SQL state of the last failure, "" if the database has none; NULL: the connection is gone. */
    const char *(*state)(struct store *store);
    const char *table_options; /* after CREATE TABLE (...) for tables that are read in key order */
    int64_t newest_schema;     /* version that this program creates */
};

extern const struct store_ops store_sqlite, store_postgres;

/* Who is told, once and after about a second, that a store waits for another process, and for how many seconds at most.
 * `locked`: it is certain that the other one holds a lock; a server may also be slow. */
struct store_waits {
    void (*tell)(const void *context, const char *name, int most_seconds, bool locked); /* NULL: nobody */
    const void *context;
};

/* For the stores that this thread opens from now on, each for as long as it is open. */
void store_tell_waits(struct store_waits waits);

/* Every store begins with its operations, its name in messages (without a password), the version of its schema when it was
 * opened, and its months (store/months.h); NULL if its tables are not partitioned. */
struct store {
    const struct store_ops *ops;
    char *name;
    int64_t version;
    struct history_months *months;
};

#endif
