/* SPDX-License-Identifier: Apache-2.0 */
/* What the lines around a failure tell: the frames of a backtrace (which op, which phase), the test that was running and how it
 * ended, the line of the user's Python, how the process ended. One line in, one answer out; nothing is kept. */
#ifndef TTMEM_PARSE_AROUND_H
#define TTMEM_PARSE_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* What was going on, where it is not an op like any other. */
enum around_phase {
    PHASE_NONE,
    PHASE_INPUT_UPLOAD,
    PHASE_WEIGHTS,
    PHASE_TRACE_CAPTURE,
    PHASE_KV_CACHE,
    PHASE_PROGRAM_COMPILE,
    PHASE_COMPILE,
    PHASES,
};

/* "input-upload", ...; NULL for PHASE_NONE. */
const char *around_phase_name(enum around_phase phase);

enum around_kind {
    AROUND_NOTHING,
    AROUND_FRAME,    /* of a C++ backtrace, from the inside out */
    AROUND_PYTHON,   /* a frame of a Python traceback, from the outside in */
    AROUND_CALL,     /* a line of code that pytest shows, or ttnn's own name of what it calls: `name` is the op, "": none */
    AROUND_PHASE,    /* a progress bar that names the current activity */
    AROUND_OP_LOG,   /* a line of tt-metal's logger for ops */
    AROUND_OP_BEGIN, /* that logger at its DEBUG level: an op begins, inside of those that have not ended */
    AROUND_OP_END,
    AROUND_TEST,        /* a test begins */
    AROUND_TEST_PASSED, /* the one that is running, or the one named; `number` may be AROUND_XFAILED, ... */
    AROUND_TEST_FAILED,
    AROUND_TEST_REPORT,  /* what follows was printed by a test that failed: "test_y[1-2]", "TestX.test_y" */
    AROUND_SESSION,      /* pytest begins */
    AROUND_SESSION_END,  /* its last line, "==== 2 failed, 1 passed in 12.34s ====": `number` failed, `outer`: some passed */
    AROUND_ARCH,         /* the driver names the chip: `text` */
    AROUND_BOARD,        /* tt-smi or a server names the board: `text` */
    AROUND_MESH,         /* a server opens its mesh: `name` is its shape, "2x4" */
    AROUND_CHIPS_OPENED, /* the driver opens `number` chips */
    AROUND_BUFFER,       /* `number` is the id of a buffer that a replay would overwrite, `name` the op that made it */
    AROUND_BUFFER_HELD,  /* the same buffer: what holds it follows */
    AROUND_HOLDER,       /* `text` is the path of a tensor in Python */
    AROUND_EXIT,         /* the process ended with a status */
    AROUND_THROWN,       /* not caught: terminate, abort */
    AROUND_RAN,          /* unittest ran `number` tests; the outcome is on a later line, and around_next returns it */
    AROUND_DROPPED,      /* a logger says that it dropped `number` messages */
    AROUND_TRACEBACK,    /* of Python: not caught, or caught and printed */
};

enum { AROUND_NAME_MAX = 96 };

/* How a test ended that did not fail: it failed as it was expected to, was left, or is the one that runs, if one does. */
enum { AROUND_XFAILED = 1, AROUND_SKIPPED = 2, AROUND_OF_RUNNING = 3 };

struct around_line {
    enum around_kind kind;
    struct slice text;          /* test, Python file, what is before "Traceback"; part of the line */
    uint64_t number;            /* line of the file, status of the process */
    char name[AROUND_NAME_MAX]; /* AROUND_FRAME, AROUND_OP_LOG, AROUND_OP_BEGIN: "ttnn.concat", "binary_ng"; AROUND_PYTHON:
                                   the op that its line calls; "" when it names none */
    bool caller;                /* AROUND_FRAME: of a function of an op that may have been called by another one */
    bool outer;                 /* AROUND_FRAME: the name is of a function that people call; AROUND_PYTHON: its line of code
                                   stands below it; AROUND_SESSION_END; AROUND_TEST_FAILED: of the short summary, where the
                                   reason stands after the name */
    enum around_phase phase;
};

/* Whether a line may stand after the traceback that ended a process: the rest of its message and stack, other exceptions, what
 * loggers say while devices close. Any other line was written by a process that goes on, or by another one. */
bool around_may_end(struct slice line);

/* Whether a line is indented, as the frames of a traceback are: what follows the last of them is the exception. */
bool around_is_indented(struct slice line);

/* Whether the line of an exception names a class that no memory failure of a device or the host is reported as. */
bool around_is_other_error(struct slice line);

/* "2 failed, 1 passed in 12.34s (0:00:12)" of pytest: how many of each, and the time. */
bool around_counts(struct slice s, struct around_line *out);

/* Of the line that begins a pytest session. */
extern const char around_session_words[];

/* The next place at or after `*at` where a logger says that it dropped messages; `*at` then stands after it. */
bool around_dropped_next(struct slice text, size_t *at, uint64_t *messages);

/* The next line at or after `*at` that tells something; false when there is none. `*at` then stands after that line. How tests
 * of ctest and unittest ended is told when `endings` asks for it: who has met no failure need not know. */
bool around_next(struct slice text, size_t *at, bool endings, struct around_line *out);

/* The same for lines that begin before `limit`: what is before `*at` and after `limit` tells about them, but is not theirs.
 */
bool around_next_before(struct slice text, size_t *at, size_t limit, bool endings, struct around_line *out);

#endif
