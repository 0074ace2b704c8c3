/* SPDX-License-Identifier: Apache-2.0 */
/* Several logs that are one run: those that were named, and those in folders that were named. Each is a rank, called by what
 * differs in the paths; stderr of a rank is read after its stdout. A file that cannot be read or holds nothing of a run is left
 * out with a note, the others count. */
#ifndef TTMEM_INPUT_LOG_FILES_H
#define TTMEM_INPUT_LOG_FILES_H

#include "base/vec.h"
#include "input/input.h"

enum { LOG_TIME_LEN = 19 }; /* "2026-06-11 13:22:54" */

struct log_file {
    char *path;
    char *rank_folder;                                    /* that it stands for, where it lies elsewhere; NULL */
    bool found;                                           /* in a folder: nobody named it */
    bool opened;                                          /* the source is to be released */
    struct source source;                                 /* mapped */
    bool runs;                                            /* has op, program or memory lines */
    bool tells;                                           /* has module dumps, failures or lines of another logger */
    struct strbuf name;                                   /* of its rank */
    char first[LOG_TIME_LEN + 1], last[LOG_TIME_LEN + 1]; /* times in it, empty where there are none */
};

/* A log that is left out, and may be that of a rank. */
enum log_lost_why { LOG_UNREAD, LOG_EMPTY, LOG_TWICE };
struct log_lost {
    char *path;
    enum log_lost_why why;
};

struct log_files {
    VEC(struct log_file) items; /* in the order of their paths, numbers as numbers */
    struct strbuf beside;       /* the first log that stands beside folders of ranks, and so is of none; empty: there is none */
    size_t beside_count;
    struct strbuf unread; /* the first in a folder that is called like a log, and is not a file; empty: there is none */
    size_t unread_count;
    VEC(struct log_lost) lost;
    size_t unread_words; /* of those that were named: what their ranks held is missing */
};

/* Paths of the words: files as they are, folders by the logs in them. */
void log_files_list(struct log_files *files, const char *const *words, size_t count);

/* Number of logs in a folder, as far as it matters whether there are none, one or several; the first as a path. */
size_t log_files_in(const char *folder, struct strbuf *first);

/* The same without the folders in it: what lies above an input may be a whole disk. */
size_t log_files_directly_in(const char *folder, struct strbuf *first);

/* Reads them as one run. `in` has its path. */
int log_files_read(struct input *in, struct log_files *files, const struct input_options *options, struct err *err);

void log_files_release(struct log_files *files);

bool log_file_is_stderr(const struct log_file *file);

/* The path without what says nothing of the rank; the caller frees it. */
char *log_file_rank_path(const struct log_file *file);

/* rank_missing.c: notes the ranks that should have a log and have none. How many of them are known to be missing: what they
 * held counts nowhere. */
uint64_t rank_missing_note(struct input *in, const struct log_files *files);

/* What ttmem run noted beside the log: the host (empty: not noted), how many ranks there were (0: not noted). */
void rank_noted_beside(const char *log, struct strbuf *host, uint64_t *ranks);

/* log_times.c: sets the times of the files; notes those that are of another time than the rest. */
void log_times_find(struct log_file *file);
void log_times_note(struct input *in, const struct log_files *files);

/* logger_files.c: files of one process's loggers become one log, by the times of their lines. -1 with ERR_LACKS: the order of
 * the lines is not known. */
int logger_files_merge(struct input *in, struct log_files *files, struct err *err);

/* rank_bindings.c: hosts and devices of the ranks as tt-run wrote them down near the files. */
void rank_bindings_read(struct input *in, const char *near);

#endif
