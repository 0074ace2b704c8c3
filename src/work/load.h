/* What the commands that take a log have in common: open it, read it, say what is wrong with it. */
#ifndef TTMEM_WORK_LOAD_H
#define TTMEM_WORK_LOAD_H

#include "analysis/run/overview.h"
#include "work/work.h"
#include "model/read.h"

struct loaded {
    struct source source;
    struct run run;
    struct strbuf name; /* of the report */
    int64_t read_ns;
};

/* Can it be opened? For those who make folders before they read. */
int load_try(const char *path, struct err *err);

/* Reads a log. `spool_folder` is where a stream is kept when the caller needs its bytes again, NULL otherwise. */
int load_log(struct loaded *loaded, const struct work *work, const char *path, const char *spool_folder, struct err *err);
/* Only the last complete pass of the log; `marker` as for last_run_find. */
int load_last_run(struct loaded *loaded, const struct work *work, const char *path, const char *spool_folder,
                  const char *marker, struct err *err);
void loaded_release(struct loaded *loaded);

/* -1 with ERR_LACKS: says that there is nothing of a run, and which settings give it. */
int no_run_in(const char *path, struct err *err);

/* -1 with ERR_LACKS when the log holds no op, no memory block and no failure: says which settings give them. */
int load_check(const struct loaded *loaded, struct err *err);

/* Reads the number of a record of the log ("1516" or "#1516"); -1 with a usage error when there is none of that number. */
int load_record(const struct loaded *loaded, const char *text, uint32_t *record, struct err *err);

#endif
