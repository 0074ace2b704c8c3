/* A run by what the user calls it: a log, a report directory or one of its files, the name of a report under the home of
 * ttmem, an id of the history, or branch:NAME for the newest run of a branch there. */
#ifndef TTMEM_WORK_RUN_REF_H
#define TTMEM_WORK_RUN_REF_H

#include "analysis/compare/footprint.h"
#include "work/work.h"

#define RUN_REF_HELP                                                                                           \
    "A run is a log (a file, .gz, .zst, or - for stdin), the folder of a report, the name of a report under\n" \
    "~/.ttmem/reports, an id of ttmem history, or branch:NAME, the newest run of that branch in the history."

/* Fills `out`, to be released when 0 is returned. */
int run_ref_load(const struct work *work, const char *word, struct footprint *out, struct err *err);

/* For commands that need the log itself: appends its path, the word itself or where the log of the report or of the run in the
 * history was. ERR_LACKS when that log is gone. */
int run_ref_log(const struct work *work, const char *word, struct strbuf *path, struct err *err);

#endif
