/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that are put in order before they are read: a copy that nobody else can reach replaces the source's bytes. */
#ifndef TTMEM_INPUT_REWRITTEN_H
#define TTMEM_INPUT_REWRITTEN_H

#include "source/source.h"

/* log.c: lines of mpirun's processes are put together again, those of a stream while it is read. Of a file the first looks for
 * tags at the start alone, the second is for logs that have them: 1 when there were torn lines. Where there are none, nothing
 * is copied. */
int log_mend_tagged(struct source *source, struct err *err);
int log_mend_torn(struct source *source, struct err *err);

/* `write` puts the new bytes into the file; the source keeps its path. */
int source_rewrite(struct source *source, int (*write)(int fd, void *who, struct err *err), void *who, struct err *err);

/* mpi_lines.c: whether lines of the head of a log have tags of mpirun. */
bool mpi_lines_tagged(struct slice head);

/* Whether mpirun tore lines: it passes on what it has read from a process, with a tag before it, also when that
 * ends within a line, and goes on with another process there. */
bool mpi_lines_torn(struct slice bytes);

/* The same for a stream, while it is read; its lines without tags pass through. */
void mpi_lines_filter(struct source *source);

/* Makes the lines whole again, each where it ends: the nth line end stays the nth. */
int mpi_lines_mend(struct source *source, struct err *err);

#endif
