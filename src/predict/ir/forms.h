/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a compiled program is found: module text, a compiled binary that holds it, a folder that codegen wrote, a
 * runtime log with module dumps. Each becomes texts of TTNN modules, in the order in which they run. */
#ifndef TTMEM_PREDICT_FORMS_H
#define TTMEM_PREDICT_FORMS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "model/run.h"
#include "source/source.h"

struct form_program {
    struct slice text;
    const char *path;
    uint32_t execution;    /* of the log's run that it stands for, NONE */
    uint32_t lines_before; /* of the file, where it is not the first module in it */
};

/* A file that stays open while its text is used. */
struct form_file {
    struct source source;
    struct strbuf held; /* of a stream, or texts put together from a log */
    struct run run;     /* of a log */
    bool is_log;
};

struct forms {
    VEC(struct form_file *) files;
    VEC(struct form_program) programs;
};

#define FORM_HOW_TO_GET "give the TTNN module (the compile option export_path writes it, as irs/ttnn_*.mlir)"

/* Adds the programs of a file, folder or "-". -1: unreadable (ERR_INPUT), or there is no TTNN module in it (ERR_LACKS). */
int forms_add(struct forms *forms, const char *path, struct err *err);
/* The modules that a predicted run holds; false: it has none. */
bool forms_add_run(struct forms *forms, const struct run *run, const char *path);
void forms_release(struct forms *forms);

/* A log alone, whether or not it holds a module; to be released with form_file_release. */
int form_log_read(struct form_file *file, const char *path, struct err *err);
void form_file_release(struct form_file *file);

/* The last log among the files, NULL. */
const struct run *forms_log(const struct forms *forms);

/* The module in a folder that codegen wrote: ttnn.mlir, else the newest irs/ttnn_runtime_*.mlir, else the newest
 * irs/ttnn_*.mlir. The emitted program beside it has no shapes of its inputs. False: there is none. */
bool form_folder_module(const char *folder, struct strbuf *path);

/* The module text inside a compiled binary; empty when there is none. */
struct slice form_binary_text(struct slice bytes);
bool form_is_binary(struct slice bytes);

#endif
