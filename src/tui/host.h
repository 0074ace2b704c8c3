/* What the interactive program asks of the rest of ttmem. The screens know nothing of files, children or servers; cmd/ fills
 * this in. Functions that print or take the terminal are called while the screen is put away. */
#ifndef TTMEM_TUI_HOST_H
#define TTMEM_TUI_HOST_H

#include "analysis/run/overview.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/term.h"

/* A log that was read, and where its report is. */
struct opened {
    const struct run *run;
    const struct overview *overview;
    struct slice log;   /* bytes */
    const char *path;   /* of the log */
    const char *name;   /* of the report */
    const char *folder; /* NULL: only read, nothing written */
    int64_t read_ns;
    void *owner;
};

/* Where a report goes; each NULL: chosen from the log's path. */
struct report_place {
    const char *folder, *name;
};

struct tui_host {
    void *who;
    /* Reads a log; with `place` also writes its report there. Runs on another thread than the screen. */
    int (*open)(void *who, const char *path, const struct report_place *place, struct progress *progress, struct opened *out,
                struct err *err);
    void (*close)(void *who, struct opened *opened);
    /* Tells what is in a log and what it lacks. */
    int (*describe)(void *who, const char *path, struct strbuf *out, const struct term *term, struct err *err);
    /* Runs a command under capture; *log is the path of what it printed, the report belongs beside it. */
    int (*profile)(void *who, const char *const *words, struct strbuf *log, struct strbuf *folder, struct strbuf *name,
                   struct err *err);
    /* Each NULL when this build cannot do it. Return an exit status. */
    int (*serve)(void *who, const char *folder);
    int (*agent_report)(void *who, const char *log_path, const char *file);
    const char *version;
};

/* Runs until the user leaves; returns the exit status. */
int tui_run(const struct tui_host *host);

#endif
