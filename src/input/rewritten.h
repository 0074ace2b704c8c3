/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that are rewritten before they are read: a private copy replaces the source's bytes. */
#ifndef TTMEM_INPUT_REWRITTEN_H
#define TTMEM_INPUT_REWRITTEN_H

#include "source/source.h"

/* log.c: joins the torn lines of mpirun's processes, in a stream while it is read. For a file, the first searches only the
 * start for tags; the second is for logs known to have them and returns 1 if there were torn lines. Without torn lines
 * nothing is copied. */
int log_mend_tagged(struct source *source, struct err *err);
int log_mend_torn(struct source *source, struct err *err);

/* `write` writes the new bytes to the file; the source keeps its path. */
int source_rewrite(struct source *source, int (*write)(int fd, void *who, struct err *err), void *who, struct err *err);

/* mpi_lines.c: do lines at the head of a log have mpirun's tags? */
bool mpi_lines_tagged(struct slice head);

/* Did mpirun tear lines? It passes on what it has read from a process, after a tag, even if that ends within a line, and
 * continues there with another process. */
bool mpi_lines_torn(struct slice bytes);

/* The same for a stream while it is read; lines without tags pass through. */
void mpi_lines_filter(struct source *source);

/* Makes the lines whole again, each at the place where it ends: the nth line end stays the nth. */
int mpi_lines_mend(struct source *source, struct err *err);

#endif
