/* SPDX-License-Identifier: Apache-2.0 */
/* Source trees for `ttmem cb`: finds C++ and Python files, scans them on several threads, and finds the kernels they name. */
#ifndef TTMEM_CB_TREE_H
#define TTMEM_CB_TREE_H

#include "cb/study/cb_compare.h"
#include "base/err.h"
#include "base/progress.h"

struct chip;

struct cb_tree {
    struct arena arena;
    VEC(struct cb_file) files; /* those that declare buffers or could not be fully understood, sorted by path */
    size_t files_read;
    int64_t ns;
    uint64_t sets_used; /* bit n is set if some file asks for the n-th given value */
};

struct cb_tree_options {
    const struct cb_set *sets;
    size_t n_sets;
    const char *const *includes; /* folders to search for headers and kernels */
    size_t n_includes;
    const struct chip *chip;
    enum progress_mode progress;
    bool keep_all; /* also keep files without buffers */
};

/* `paths` are files and folders. Returns -1 if one of them cannot be read. */
int cb_tree_scan(struct cb_tree *tree, const char *const *paths, size_t n_paths, const struct cb_tree_options *options,
                 struct err *err);
/* Makes paths relative to the given folder, so that two checkouts can be compared. */
void cb_tree_relative(struct cb_tree *tree, const char *root);
void cb_tree_release(struct cb_tree *tree);

/* Reads a whole file; the caller frees the text. Returns -1 with ERR_INPUT. */
int read_whole(const char *path, struct slice *text, struct err *err);

#endif
