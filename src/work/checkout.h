/* SPDX-License-Identifier: Apache-2.0 */
/* The checkout that a CI system, or a person, works in: which of its files a location in a log means. */
#ifndef TTMEM_WORK_CHECKOUT_H
#define TTMEM_WORK_CHECKOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The root: $GITHUB_WORKSPACE, $CI_PROJECT_DIR, else the nearest folder from here up that has a .git, else here. */
void checkout_root(struct strbuf *root);

/* The last "file:line" of a location (309|Model[model]|/src/models/net.py:123) whose file is in the checkout: by its own
 * path, or, for logs from a container or another machine, by the longest end of it, at least two names long, that is a file
 * there. Appends the path relative to the root, without any "..", and sets the line; false if there is none. */
bool checkout_find(const char *root, struct slice location, struct strbuf *path, uint32_t *line);

/* A path relative to the root, if it is below it. */
void checkout_relative(const char *root, const char *path, struct strbuf *out);

#endif
