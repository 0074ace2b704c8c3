/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two versions of the sources: which circular buffers were added, removed or changed. Buffers are the same if file,
 * function and indices are. The result points into the compared files. */
#ifndef TTMEM_ANALYSIS_CB_COMPARE_H
#define TTMEM_ANALYSIS_CB_COMPARE_H

#include "cb/study/cb_scan.h"

/* If both the strategy and the size changed, the kind is CB_STRATEGY; the sizes show the rest. */
enum cb_change_kind { CB_ADDED, CB_REMOVED, CB_RESIZED, CB_STRATEGY };

struct cb_change {
    enum cb_change_kind kind;
    const struct cb_file *before_file, *after_file; /* NULL: absent */
    const struct cb_decl *before, *after;
};

/* A version as a whole. */
struct cb_version {
    uint64_t min_bytes, max_bytes; /* of each file's program that takes most of a core, summed over files */
    bool bounded;
    size_t buffers, files;
};

struct cb_comparison {
    VEC(struct cb_change) changes;
    struct cb_version before, after;
};

struct cb_files {
    struct cb_file *items;
    size_t len;
};

/* `one_to_one`: one file each, compared even if their names differ. */
void cb_compare(struct cb_comparison *out, struct cb_files before, struct cb_files after, bool one_to_one);
void cb_comparison_release(struct cb_comparison *comparison);

#endif
