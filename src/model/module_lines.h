/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a module dump as they were printed: without log lines that landed inside, torn lines joined, prefixes
 * removed. */
#ifndef TTMEM_MODEL_MODULE_LINES_H
#define TTMEM_MODEL_MODULE_LINES_H

#include "base/strbuf.h"
#include "model/run.h"

struct module_lines {
    const struct module *module;
    struct slice log;
    size_t run;        /* next run of text */
    struct slice rest; /* of the current run of text */
    bool torn;
    struct strbuf joined;
};

/* Removes the prefix of this dump's lines; false if the line has another writer. */
bool module_own_line(const struct module *module, struct slice *line);

void module_lines_init(struct module_lines *lines, const struct module *module, struct slice log);

/* The next line, valid until the next call. False at the end. */
bool module_lines_next(struct module_lines *lines, struct slice *line);
void module_lines_release(struct module_lines *lines);

#endif
