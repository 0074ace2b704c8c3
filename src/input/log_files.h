/* SPDX-License-Identifier: Apache-2.0 */
/* Several logs that form one run: those given, and those in given folders. Each is a rank, named by what differs in the
 * paths; a rank's stderr is read after its stdout. A file that cannot be read or has nothing of a run is left out with a
 * note. */
#ifndef TTMEM_INPUT_LOG_FILES_H
#define TTMEM_INPUT_LOG_FILES_H

#include "base/vec.h"
#include "input/input.h"

enum { LOG_TIME_LEN = 19 }; /* "2026-06-11 13:22:54" */

struct log_file {
    char *path;
    char *rank_folder;                                    /* the rank folder it represents, if it is elsewhere; or NULL */
    bool found;                                           /* found in a folder, not given by the user */
    bool opened;                                          /* the source must be released */
    struct source source;                                 /* mapped */
    bool runs;                                            /* has op, program or memory lines */
    bool tells;                                           /* has module dumps, failures or lines of another logger */
    struct strbuf name;                                   /* of its rank */
    char first[LOG_TIME_LEN + 1], last[LOG_TIME_LEN + 1]; /* times in it, or empty */
};

/* A log that is left out, and may belong to a rank. */
enum log_lost_why { LOG_UNREAD, LOG_EMPTY, LOG_TWICE };
struct log_lost {
    char *path;
    enum log_lost_why why;
    bool found; /* in a folder: nobody named it */
};

struct log_files {
    VEC(struct log_file) items; /* sorted by path, numbers as numbers */
    struct strbuf beside;       /* the first log beside rank folders, which belongs to no rank; or empty */
    size_t beside_count;
    struct strbuf unread; /* the first entry in a folder that has the name of a log but is not a file; or empty */
    size_t unread_count;
    VEC(struct log_lost) lost;
    size_t unread_words; /* given files that could not be read: the data of their ranks is missing */
};

/* Lists the given paths: files as they are, folders by the logs in them. */
void log_files_list(struct log_files *files, const char *const *words, size_t count);

/* The number of logs in a folder, counted only as none, one or several; the path of the first. */
size_t log_files_in(const char *folder, struct strbuf *first);

/* The same without subfolders: the folder above an input may contain a whole disk. */
size_t log_files_directly_in(const char *folder, struct strbuf *first);

/* Reads them as one run. `in` has its path. */
int log_files_read(struct input *in, struct log_files *files, const struct input_options *options, struct err *err);

void log_files_release(struct log_files *files);

bool log_file_is_stderr(const struct log_file *file);

/* The path without parts that say nothing about the rank; the caller frees it. */
char *log_file_rank_path(const struct log_file *file);

/* rank_missing.c: notes the ranks that should have a log but have none. Returns how many are known to be missing: their data
 * is not counted. */
uint64_t rank_missing_note(struct input *in, const struct log_files *files);

/* What ttmem run noted beside the log: the host (empty: none noted), and the number of ranks (0: none noted). */
void rank_noted_beside(const char *log, struct strbuf *host, uint64_t *ranks);

/* log_times.c: sets the times of the files; notes those from another time than the rest. */
void log_times_find(struct log_file *file);
void log_times_note(struct input *in, const struct log_files *files);

/* logger_files.c: merges the files of one process's loggers into one log, by the times of their lines. -1 with ERR_LACKS:
 * the order of the lines is unknown. */
int logger_files_merge(struct input *in, struct log_files *files, struct err *err);

/* rank_bindings.c: hosts and devices of the ranks, as tt-run wrote them near the files. */
void rank_bindings_read(struct input *in, const char *near);

#endif
