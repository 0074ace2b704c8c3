/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that a server shows: those in the folders under one folder, or a single one. */
#ifndef TTMEM_SERVE_CATALOG_H
#define TTMEM_SERVE_CATALOG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "input/report/report_dir.h"

/* How a file of a report is shown and sent. */
struct catalog_kind {
    const char *label; /* for the list */
    const char *mime;
};

extern const struct catalog_kind catalog_kinds[REPORT_FILES];

struct catalog_entry {
    const char *folder; /* path */
    const char *id;     /* last part of the path: the folder's name in URLs */
    const char *name;   /* before the suffix of its files */
    time_t written;     /* newest of its files */
    bool have[REPORT_FILES];
};

struct catalog {
    struct arena arena;
    VEC(struct catalog_entry) entries; /* newest first */
    size_t elsewhere;                  /* of them: not below the folder, but made by ttmem run */
    size_t unread;                     /* folders that could not be read */
};

enum catalog_scope {
    CATALOG_BELOW, /* the reports in the folders below the folder */
    CATALOG_ONE,   /* the folder is a report itself */
    CATALOG_HOME,  /* those below the folder, and recent ones that ttmem run made elsewhere */
};

/* Reads the current state. */
void catalog_read(struct catalog *catalog, const char *folder, enum catalog_scope scope);
void catalog_release(struct catalog *catalog);

/* Does the folder itself have files of a report? A missing folder does not. */
int catalog_is_report(const char *folder, bool *found, struct err *err);

/* Is a file of the report a link? It may lead out of the served folders. */
bool catalog_has_link(const struct catalog_entry *entry);

/* The entry and file that a URL path names: "/<id>/<file>", "/<id>/" and "/<id>" (the page), "/<file>". NULL: none. Only names
 * that were found on disk match, so no path leads elsewhere. */
const struct catalog_entry *catalog_find(const struct catalog *catalog, const char *url, enum report_file *file);

#endif
