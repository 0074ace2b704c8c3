/* SPDX-License-Identifier: Apache-2.0 */
/* One way in: whatever ttmem reads becomes a run. A path (or - for stdin) is recognised by what it holds, not by its name, and
 * read by the row of kinds.def that fits; to learn an input is to add a row and a file.
 *
 * A folder is, in this order: a report (ours, or the Python tool's), an Inspector folder, a ttnn report, a folder of graph
 * captures, a folder that codegen wrote, folders of ranks (rank.N) with reports, a folder of logs, which are the ranks of one
 * run where there are several. */
#ifndef TTMEM_INPUT_INPUT_H
#define TTMEM_INPUT_INPUT_H

#include "base/progress.h"
#include "base/strbuf.h"
#include "model/run.h"
#include "source/source.h"

struct input_kind;

struct input_options {
    const char *spool_folder; /* where a stream is kept when its bytes are needed again; NULL: they are not */
    bool last_run;            /* only the last complete pass of a log */
    const char *marker;       /* of its end; NULL: by programs and submits */
    const struct chip *chip;  /* that the input is from, where it does not say; NULL: not named */
    bool content;             /* its hash will be asked for, which is had for less while it is read */
    bool counts_only;         /* nothing is asked for that takes longer than reading */
    struct progress *progress;
    /* Gets the run with all its passes before only the last one is kept; NULL. */
    void (*all_passes)(void *context, const struct run *run);
    void *context; /* its */
};

struct input {
    struct run run;
    const struct input_kind *kind;
    char *path;           /* as given */
    struct strbuf name;   /* of its report */
    struct strbuf origin; /* what it was made from: the path itself, or the log of a report */
    struct strbuf notes;  /* what whoever reads the answers should know, a line each */
    struct strbuf told;   /* lines that were made up for the fold */
    struct source source; /* what the run points into, unless it is `told` */
    bool borrowed;        /* a copy: what it points to belongs to a cache, and releasing it does nothing */
};

/* -1 with nothing to release. ERR_INPUT: cannot be read; ERR_LACKS: can be read and is not what was looked for. */
int input_open(struct input *in, const char *path, const struct input_options *options, struct err *err);
/* Several paths as one run: each log is a rank. One path alone is opened as above. */
int input_open_all(struct input *in, const char *const *paths, size_t count, const struct input_options *options,
                   struct err *err);
void input_release(struct input *in);

/* -1 with ERR_LACKS when there is no op, no memory block and no failure: says which settings give them. */
int input_check(const struct input *in, struct err *err);

/* -1 with ERR_LACKS: says that there is nothing of a run, and which settings give it. */
int input_no_run(const char *path, struct err *err);

/* Can it be opened? For those who make folders before they read. */
int input_try(const char *path, struct err *err);

/* Opens the source and finds the kind, for those who read a log their own way; the rest is read by input_read, which releases
 * it when it fails. A pipe can be opened only once. */
int input_probe(struct input *in, const char *path, struct err *err);
int input_read(struct input *in, const struct input_options *options, struct err *err);

/* Where a stream is kept for as long as the program runs. */
const char *input_temporary_folder(void);

/* A line for the user. */
void input_note(struct input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
