/* SPDX-License-Identifier: Apache-2.0 */
/* The table of inputs: kinds.def has a row for each kind, and each kind has its own file. A kind is recognised by its folder
 * or by the first bytes of its content, and read into a run: from memory (`read_bytes`), or in its own way (`read`). */
#ifndef TTMEM_INPUT_KINDS_H
#define TTMEM_INPUT_KINDS_H

#include "input/input.h"

struct input_kind {
    const char *name; /* as shown: "a ttnn report database" */
    bool (*is_folder)(const char *path);
    bool (*file_in)(const char *folder, struct strbuf *file); /* the one file of a folder that is read */
    bool (*is_file)(const char *path);                        /* judged by its neighbours */
    bool (*is_content)(struct slice head);
    int (*read_bytes)(struct run *run, struct slice bytes, const char *path, struct err *err);
    int (*read_source)(struct run *run, const struct source *source,
                       struct err *err); /* the same, but releases what it has read */
    int (*read)(struct input *in, const struct input_options *options, struct err *err);
};

/* input_report, input_inspector, ...: one row each. */
#define INPUT(name) extern const struct input_kind input_##name;
#include "input/kinds.def"
#undef INPUT
extern const struct input_kind input_log; /* anything else */

/* NULL: none of the table fits. */
const struct input_kind *kind_of_folder(const char *path);
const struct input_kind *kind_of_file(const char *path);
const struct input_kind *kind_of_content(struct slice head);

/* The date of the first line near the start that tells when it was written, or empty. */
struct slice log_first_date(struct slice head);
int log_read(struct input *in, const struct input_options *options, struct err *err);
bool log_has_mpi_ranks(const struct run *run); /* by mpirun's tags, as far as their names tell */
void log_note_broken(struct input *in, const char *path, const struct source *source); /* notes what mpirun lost of it */
bool log_folder_is(const char *path);
int log_folder_read(struct input *in, const struct input_options *options, struct err *err);

/* A report directory or one of its files. */
bool report_is_folder(const char *path);
bool report_is_file(const char *path);
bool report_log(const char *folder, struct strbuf *path); /* the log it was made from; false: missing or changed */

/* What tt-metal writes with TT_METAL_INSPECTOR. */
bool inspector_is_folder(const char *path);

/* A graph capture of ttnn, bare or as a report. */
bool graph_run_looks_like(struct slice bytes);

/* A folder of such captures, one per process. */
bool graph_folder_is(const char *path);
/* The same for given files, if they are captures. */
bool graph_files_are(const char *const *paths, size_t count);
int graph_files_read(struct input *in, const char *const *paths, size_t count, const struct input_options *options,
                     struct err *err);

#endif
