/* SPDX-License-Identifier: Apache-2.0 */
/* The existing reports, by their summaries. */
#ifndef TTMEM_STORE_LISTING_H
#define TTMEM_STORE_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "parse/memview.h"

struct listed_report {
    char *name;
    char *folder;
    char *source;     /* path of the log; empty if unknown */
    int64_t written;  /* seconds since 1970 */
    bool has_summary; /* false: written by another tool, nothing else is known */
    uint64_t ops;
    uint64_t failures;
    bool predicted;                                 /* nothing ran */
    int64_t peak[POOL_COUNT], capacity[POOL_COUNT]; /* thousandths of a MB per bank; capacity 0: not in the log */
};

struct listing {
    struct listed_report *items;
    size_t len, cap;
};

/* Adds the reports in the folders below `root`; a missing root has none. */
void listing_read(struct listing *listing, const char *root);
void listing_release(struct listing *listing);

/* Deletes the files of a report, and its folder if nothing else is in it. */
int listing_delete(const struct listed_report *report, struct err *err);

#endif
