/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of single lines around a failure; private to parse/around. */
#ifndef TTMEM_PARSE_AROUND_LINES_H
#define TTMEM_PARSE_AROUND_LINES_H

#include "parse/around.h"

/* The phase that a function in the line stands for, PHASE_NONE. */
enum around_phase around_phase_of(struct slice line);

/* What of the line stands after the prefixes of loggers and launchers. */
struct slice around_without_prefix(struct slice line);

/* Each tells whether the line is of its kind, and then what it says. */
typedef bool around_reader(struct slice line, struct around_line *out);

around_reader around_read_frame, around_read_python, around_read_pytest_frame, around_read_call, around_read_buffer;

/* The op of a function, "" where it is none; false when there is no function. */
bool around_read_op_name(struct slice call, struct around_line *out);

/* A frame of Python has its line of code below it: the op that it calls goes to the name. */
void around_call_below(struct slice text, struct around_line *frame);

#endif
