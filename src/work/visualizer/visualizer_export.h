/* SPDX-License-Identifier: Apache-2.0 */
/* Any input of ttmem as a database for ttnn-visualizer: a ttnn database (as a range of its ops), graph captures by the rules
 * of ttnn's own importer, and any other run with its own addresses or those of the simulated allocator. */
#ifndef TTMEM_WORK_VISUALIZER_EXPORT_H
#define TTMEM_WORK_VISUALIZER_EXPORT_H

#include "input/input.h"
#include "render/visualizer/visualizer.h"
#include "work/visualizer/source_files.h"
#include "work/work.h"

struct visualizer_wish {
    const char *folder;
    bool has_range;
    uint64_t first, last; /* operation ids, including the last */
    bool no_addresses;
    const char *version; /* of ttmem */
    struct source_files *files;
};

/* Reads what the word names and makes wish->folder/db.sqlite from it. */
int visualizer_export(const struct work *work, const char *word, const struct visualizer_wish *asked, struct err *err);

/* Into the open database. Further captures of a rank get ids that start at the next multiple of 10000. */
int visualizer_from_database(struct visualizer *v, struct slice bytes, const char *path, const struct visualizer_wish *wish,
                             struct err *err);
int visualizer_from_capture(struct visualizer *v, const struct source *source, const struct visualizer_wish *wish,
                            struct err *err);
int visualizer_from_run(struct visualizer *v, const struct run *run, const char *path, const struct visualizer_wish *wish,
                        struct err *err);

#endif
