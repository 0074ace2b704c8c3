/* SPDX-License-Identifier: Apache-2.0 */
/* A log that ends in the middle of something without a message: the process was killed, or the log was cut. */
#ifndef TTMEM_ANALYSIS_CUT_H
#define TTMEM_ANALYSIS_CUT_H

#include "base/strbuf.h"
#include "model/census.h"
#include "model/run.h"

enum cut_inside {
    CUT_PROGRAM, /* it started and did not finish */
    CUT_SUBMIT,  /* the memory before it was logged, that after it was not */
    CUT_BLOCK,   /* some lines of a memory block are missing */
    CUT_LINE,    /* the last line of the runtime's logger does not end */
    CUT_TESTS,   /* a pytest session began, and its summary is missing */
};

struct log_cut {
    bool cut;
    enum cut_inside inside;
    struct slice program; /* CUT_PROGRAM: "main" */
    bool has_op;          /* the last record before the end */
    uint64_t op_index;
};

struct log_cut log_cut_of(const struct run *run);

/* Marks the ranks (as many as run.ranks) that end inside a program, a submit or a memory block, without a failure that
 * explains it. Memory may have been higher after that. */
void log_cut_ranks(const struct run *run, bool *cut);
bool log_cut_any(const struct run *run);

/* Also by the last bytes of the text itself, if the run does not show it; a few hundred are enough. */
void log_cut_by_text(struct log_cut *cut, struct slice tail);

/* What the bytes of a stream show about its end while they pass. Ready when zeroed; release it. */
struct stream_end {
    struct strbuf held; /* the last bytes */
    uint64_t before;    /* bytes before them */
    size_t looked;      /* as far as they were searched for tests */
    bool tests, ended;  /* a pytest session begins in the head; one ended, and none began since */
};
void stream_end_add(struct stream_end *end, struct slice bytes);
void stream_end_release(struct stream_end *end);

/* The same for a census: from its counts, the text if held, the stream if not, the run if one was read; each may be NULL. */
void census_cut(struct census *census, const struct slice *text, struct stream_end *stream, const struct run *run);

/* Can the end of a log be inside something? False is certain. Reads only the first and the last few megabytes. */
bool log_cut_maybe(struct slice text);

/* "program", "submit", "memory_block", "line", "tests" */
const char *log_cut_name(enum cut_inside inside);

#endif
