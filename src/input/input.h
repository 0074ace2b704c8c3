/* SPDX-License-Identifier: Apache-2.0 */
/* One entry point: everything that ttmem reads becomes a run. A path (or - for stdin) is recognised by its content, not by
 * its name, and read by the row of kinds.def that fits; to support another input is to add a row and a file.
 *
 * A folder is, in this order: a report (ours, or the Python tool's), an Inspector folder, a ttnn report, a folder of graph
 * captures, a folder that codegen wrote, folders of ranks (rank.N) with reports, a folder of logs, which are the ranks of
 * one run if there are several. */
#ifndef TTMEM_INPUT_INPUT_H
#define TTMEM_INPUT_INPUT_H

#include "base/progress.h"
#include "base/strbuf.h"
#include "model/run.h"
#include "source/source.h"

struct input_kind;

struct input_options {
    const char *spool_folder; /* where to keep a stream whose bytes are needed again; NULL: they are not */
    bool last_run;            /* only the last complete pass of a log */
    const char *marker;       /* text at the end of each pass; NULL: by programs and submits */
    const struct chip *chip;  /* the input's chip, if it does not name one; NULL: not given */
    bool content;             /* the hash will be needed, and is cheaper to compute while reading */
    bool counts_only;         /* nothing is needed that takes longer than reading */
    struct progress *progress;
    /* Gets the run with all passes before only the last one is kept; may be NULL. */
    void (*all_passes)(void *context, const struct run *run);
    void *context; /* for all_passes */
};

struct input {
    struct run run;
    const struct input_kind *kind;
    char *path;           /* as given */
    struct strbuf name;   /* of its report */
    struct strbuf origin; /* what it was made from: the path itself, or the log of a report */
    struct strbuf notes;  /* what the user should know, one line each */
    struct strbuf told;   /* lines generated for the fold */
    struct source source; /* what the run points into, unless that is `told` */
    bool borrowed;        /* a copy: a cache owns what it points to, and releasing it does nothing */
};

/* Returns -1 with nothing to release. ERR_INPUT: cannot be read; ERR_LACKS: can be read but is not the expected input. */
int input_open(struct input *in, const char *path, const struct input_options *options, struct err *err);
/* Several paths as one run: each log is a rank. A single path is opened as above. */
int input_open_all(struct input *in, const char *const *paths, size_t count, const struct input_options *options,
                   struct err *err);
void input_release(struct input *in);

/* Returns -1 with ERR_LACKS, naming the settings that record them, if there is no op, no memory block and no failure. */
int input_check(const struct input *in, struct err *err);

/* Returns -1 with ERR_LACKS: says that the input has no run, and which settings record one. */
int input_no_run(const char *path, struct err *err);
/* ERR_LACKS: it is empty; "-" is stdin. */
int input_empty(const char *path, struct err *err);

/* Can it be opened? For callers that create folders before they read. */
int input_try(const char *path, struct err *err);

/* Opens the source and finds the kind, for callers that read a log themselves; input_read reads the rest, and releases it if
 * it fails. A pipe can be opened only once. */
int input_probe(struct input *in, const char *path, struct err *err);
int input_read(struct input *in, const struct input_options *options, struct err *err);

/* Where a stream is kept while the program runs. */
const char *input_temporary_folder(void);

/* Adds a line for the user. */
void input_note(struct input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
