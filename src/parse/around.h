/* SPDX-License-Identifier: Apache-2.0 */
/* What the lines around a failure say: the frames of a backtrace (which op, which phase), the test that was running and how
 * it ended, the line of the user's Python, how the process ended. Each line is read on its own; nothing is kept. */
#ifndef TTMEM_PARSE_AROUND_H
#define TTMEM_PARSE_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* What was going on, if it is not an ordinary op. */
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
    AROUND_FRAME,    /* of a C++ backtrace, innermost first */
    AROUND_PYTHON,   /* a frame of a Python traceback, outermost first */
    AROUND_CALL,     /* a line of code that pytest shows, or ttnn's own name of what it calls: `name` is the op, "": none */
    AROUND_PHASE,    /* a progress bar that names the current activity */
    AROUND_OP_LOG,   /* a line of tt-metal's op logger */
    AROUND_OP_BEGIN, /* the op logger at level DEBUG: an op begins, inside those that have not ended */
    AROUND_OP_END,
    AROUND_TEST,        /* a test begins */
    AROUND_TEST_PASSED, /* the running test, or the named one; `number` may be AROUND_XFAILED, ... */
    AROUND_TEST_FAILED,
    AROUND_TEST_REPORT,  /* output of a failed test follows: "test_y[1-2]", "TestX.test_y" */
    AROUND_SESSION,      /* pytest begins */
    AROUND_SESSION_END,  /* its last line, "==== 2 failed, 1 passed in 12.34s ====": `number` failed, `outer`: some passed */
    AROUND_ARCH,         /* the driver names the chip: `text` */
    AROUND_BOARD,        /* tt-smi or a server names the board: `text` */
    AROUND_MESH,         /* a server opens its mesh: `name` is its shape, "2x4" */
    AROUND_CHIPS_OPENED, /* the driver opens `number` chips */
    AROUND_BUFFER,       /* `number` is the id of a buffer that a replay would overwrite, `name` the op that made it */
    AROUND_BUFFER_HELD,  /* the same buffer: its holders follow */
    AROUND_HOLDER,       /* `text` is the path of a tensor in Python */
    AROUND_EXIT,         /* the process ended with a status */
    AROUND_THROWN,       /* not caught: terminate, abort */
    AROUND_RAN,          /* unittest ran `number` tests; the outcome is on a later line, which around_next returns */
    AROUND_DROPPED,      /* a logger reports `number` dropped messages */
    AROUND_TRACEBACK,    /* from Python: not caught, or caught and printed */
};

enum { AROUND_NAME_MAX = 96 };

/* Outcomes other than failure: the test failed as expected, was skipped, or is the running one, if any. */
enum { AROUND_XFAILED = 1, AROUND_SKIPPED = 2, AROUND_OF_RUNNING = 3 };

struct around_line {
    enum around_kind kind;
    struct slice text;          /* test, Python file, text before "Traceback"; part of the line */
    uint64_t number;            /* line of the file, status of the process */
    char name[AROUND_NAME_MAX]; /* AROUND_FRAME, AROUND_OP_LOG, AROUND_OP_BEGIN: "ttnn.concat", "binary_ng"; AROUND_PYTHON: the
                                   op that its line calls; "": none */
    bool caller;                /* AROUND_FRAME: a function of an op that another op may have called */
    bool outer; /* AROUND_FRAME: the name is of a public function; AROUND_PYTHON: its line of code follows; AROUND_SESSION_END;
                   AROUND_TEST_FAILED: from the short summary, with the reason after the name */
    enum around_phase phase;
};

/* Can the line follow the traceback that ended a process: the rest of its message and stack, other exceptions, logging while
 * devices close? Any other line comes from a process that continues, or from another one. */
bool around_may_end(struct slice line);

/* Is the line indented like the frames of a traceback? The line after the last of them is the exception. */
bool around_is_indented(struct slice line);

/* Does the line of an exception name a class that never reports a memory failure of a device or the host? */
bool around_is_other_error(struct slice line);

/* "2 failed, 1 passed in 12.34s (0:00:12)" from pytest: the count of each, and the time. */
bool around_counts(struct slice s, struct around_line *out);

/* From the line that begins a pytest session. */
extern const char around_session_words[];

/* The next place at or after `*at` where a logger reports dropped messages; moves `*at` past it. */
bool around_dropped_next(struct slice text, size_t *at, uint64_t *messages);

/* The next meaningful line at or after `*at`; false if there is none. Moves `*at` past that line. Outcomes of ctest and
 * unittest tests are reported only if `endings` is set: they do not matter before the first failure. */
bool around_next(struct slice text, size_t *at, bool endings, struct around_line *out);

/* The same for lines that begin before `limit`: the text before `*at` and after `limit` helps to read them, but is not read
 * itself. */
bool around_next_before(struct slice text, size_t *at, size_t limit, bool endings, struct around_line *out);

#endif
