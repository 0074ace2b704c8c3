/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of file names. */
#ifndef TTMEM_TUI_COMPLETE_H
#define TTMEM_TUI_COMPLETE_H

#include "base/strbuf.h"
#include "base/vec.h"

struct path_names {
    char **items;
    size_t len, cap;
};

/* Files and folders that the text may become, sorted; folders end in '/'. A leading "~/" is the home folder and stays as typed.
 */
void complete_path(struct path_names *out, const char *text);

/* The longest text that all names begin with, cut between characters. */
struct slice names_prefix(const struct path_names *names);

/* "~/x" as the system knows it; other paths as they are. */
void expand_path(struct strbuf *out, const char *text);

void names_add(struct path_names *names, struct slice name);
void names_release(struct path_names *names);

#endif
