/* SPDX-License-Identifier: Apache-2.0 */
/* What a piece of work knows about its caller: where progress and notes go. Commands, the terminal program and the server
 * share it. */
#ifndef TTMEM_WORK_WORK_H
#define TTMEM_WORK_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "source/source.h"

struct run_cache;

struct work {
    struct term out; /* stdout */
    bool quiet, no_color;
    enum progress_mode progress;
    struct progress *told; /* gets the progress instead of a bar; may be NULL */
    const char *device;    /* the chip of an input that does not name it; NULL: not given */
    bool device_is_of_run; /* it can only be that; other commands ask about a board with it */
    bool last_run;         /* read only the last complete pass of logs */
    /* Several words that form one run, NULL for one word: wherever a run is opened, the first one names all of them. */
    const char *const *together;
    size_t together_count;
    const char *history_store; /* address of the history; NULL: TTMEM_STORE, or the default */
    struct strbuf *notes;      /* gets the notes, a line each, instead of stderr; may be NULL */
    struct run_cache *runs;    /* runs that stay open between requests (work/run_cache.h); may be NULL */
};

/* A line on stderr, "ttmem: " first, unless quiet. Control bytes are made safe. */
void work_note(const struct work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for errors: even if quiet. */
void work_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Notes that a file changed while it was read; nothing if it did not. */
void work_note_change(const struct work *work, const struct source *source);

/* Begins a piece of work: its bar is `own`, or `work->told`. Ends with progress_end. */
struct progress *work_begin(const struct work *work, struct progress *own, const char *what, uint64_t total);

/* Runs this program again with other words (NULL-terminated), in its own process: Ctrl+C ends only that one. Returns its
 * exit status. */
int work_run_self(const char *const *words);

#endif
