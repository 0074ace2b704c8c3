/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears complete or not at all: written under a temporary name in the same folder, renamed by outfile_commit.
 * "-" is stdout. An unfinished file is removed by outfile_abort, and by outfile_abort_all if a signal ends the program. */
#ifndef TTMEM_BASE_OUTFILE_H
#define TTMEM_BASE_OUTFILE_H

#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

struct outfile {
    char *path;
    char *temporary; /* NULL if writing to stdout */
    int fd;
    uint64_t written;
};

int outfile_open(struct outfile *file, const char *path, struct err *err);
/* The temporary name begins with `prefix`, so that what a killed program leaves can be recognised. */
int outfile_open_as(struct outfile *file, const char *path, const char *prefix, struct err *err);
int outfile_write(struct outfile *file, struct slice bytes, struct err *err);
int outfile_commit(struct outfile *file, struct err *err);
/* Writes all bytes and closes the descriptor. The file appears only with outfile_commit, so that several can appear at once. */
int outfile_finish(struct outfile *file, struct err *err);
/* The file appears at once; the one that it replaces, if any, keeps the temporary name until outfile_abort. Removing a large
 * file takes a while, and on some file systems a rename over it waits until its successor is on disk. For files that can be
 * made again. */
int outfile_swap(struct outfile *file, struct err *err);
/* Copies mode and owner of the file to be replaced. */
int outfile_take_over(struct outfile *file, struct err *err);
/* Writes the bytes to disk first, for a file that replaces a user's data. */
int outfile_sync(struct outfile *file, struct err *err);
void outfile_abort(struct outfile *file);

/* Writes a whole file at once. */
int outfile_put(const char *path, struct slice bytes, struct err *err);

/* Between these two a signal does not end the program: for files that must appear together. */
void outfile_hold(void);
void outfile_let_go(void);

/* Async-signal-safe: unlinks the open temporary files, for a program that ends. */
void outfile_abort_all(void);

/* Makes a folder and its parents. */
int make_folders(const char *path, struct err *err);

/* Writes all bytes to a descriptor, for stdout; a closed pipe gives ERR_OUTPUT with an empty text. */
int write_all(int fd, struct slice bytes, struct err *err);

#endif
