/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a compiled program is found: module text, a compiled binary that contains it, a folder that codegen
 * wrote, a runtime log with module dumps. Each becomes texts of TTNN modules, in the order in which they run. */
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
    uint32_t execution;    /* the execution in the log's run that it represents, or NONE */
    uint32_t lines_before; /* in the file, if it is not its first module */
};

/* A file that stays open while its text is used. */
struct form_file {
    struct source source;
    struct strbuf held; /* of a stream, or texts joined from a log */
    struct run run;     /* of a log */
    bool is_log;
};

struct forms {
    VEC(struct form_file *) files;
    VEC(struct form_program) programs;
};

#define FORM_HOW_TO_GET "give the TTNN module (the compile option export_path writes it, as irs/ttnn_*.mlir)"

/* Adds the programs of a file, folder or "-". Returns -1 if it is unreadable (ERR_INPUT) or has no TTNN module (ERR_LACKS). */
int forms_add(struct forms *forms, const char *path, struct err *err);
/* Adds the modules of a predicted run; false if it has none. */
bool forms_add_run(struct forms *forms, const struct run *run, const char *path);
void forms_release(struct forms *forms);

/* Reads only a log, with or without modules; release with form_file_release. */
int form_log_read(struct form_file *file, const char *path, struct err *err);
void form_file_release(struct form_file *file);

/* The last log among the files, or NULL. */
const struct run *forms_log(const struct forms *forms);

/* The module in a folder that codegen wrote: ttnn.mlir, else the newest irs/ttnn_runtime_*.mlir, else the newest
 * irs/ttnn_*.mlir. The emitted program beside it lacks the shapes of its inputs. False if there is none. */
bool form_folder_module(const char *folder, struct strbuf *path);

/* The module text inside a compiled binary; or empty. */
struct slice form_binary_text(struct slice bytes);
bool form_is_binary(struct slice bytes);

#endif
