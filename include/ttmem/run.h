/* SPDX-License-Identifier: Apache-2.0 */
/* libttmem_run: reads a run (a log, a report, a capture, a compiled module, whatever `ttmem summary` reads except stdin) and
 * gives it as tables of columns.
 *
 *     ttmem_run *run;
 *     ttmem_column allocated;
 *     if (ttmem_run_open("model_profile.log", &run) != TTMEM_RUN_OK ||
 *         ttmem_run_column(run, "blocks", "dram_allocated_bytes_per_bank", &allocated) != TTMEM_RUN_OK) {
 *         puts(ttmem_run_last_error());
 *         ttmem_run_close(run);
 *         return 1;
 *     }
 *     for (size_t i = 0; i < allocated.length; i++)
 *         if (ttmem_column_valid(&allocated, i)) use(((const int64_t *)allocated.values)[i]);
 *     ttmem_run_close(run);
 *
 * No function prints, and none ends the process. A NULL argument gives TTMEM_RUN_BAD_ARGUMENT; functions that return a text
 * return "" for a NULL run. ttmem_run_table_name and ttmem_run_column_name take no run, and return NULL after the last name.
 * After a failure, ttmem_run_last_error() returns one sentence about it, for the calling thread. If the host has no memory
 * left, a call returns TTMEM_RUN_NO_MEMORY: opening a run then leaves nothing behind (of reports and databases, files may stay
 * open); after any other call the run can only be closed.
 *
 * Different threads may use different runs at the same time, but only one thread at a time may use the same run.
 *
 * Files are mapped into memory. If a file is cut while it is read, a handler for SIGBUS keeps that from ending the process;
 * it passes on signals that are not its own.
 *
 * Valid as C11, C17 and C++17. */
#ifndef TTMEM_RUN_H
#define TTMEM_RUN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TTMEM_RUN_API __attribute__((visibility("default")))
#else
#define TTMEM_RUN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ttmem_run ttmem_run;

typedef enum ttmem_run_status { /* not the exit statuses of the program ttmem, although some numbers are the same */
                                TTMEM_RUN_OK = 0,
                                TTMEM_RUN_BAD_ARGUMENT = 2, /* NULL, or a table, column or pool that does not exist */
                                TTMEM_RUN_INPUT = 3,        /* missing or unreadable */
                                TTMEM_RUN_LACKS = 4,        /* readable, but does not record what was asked for */
                                TTMEM_RUN_NO_MEMORY = 5,
                                TTMEM_RUN_BUG = 70
} ttmem_run_status;

/* The last failure on this thread; "" if there was none. A call that succeeds does not clear it. The text is valid until the
 * next failure on this thread. */
TTMEM_RUN_API const char *ttmem_run_last_error(void);
TTMEM_RUN_API const char *ttmem_run_version(void);

/* --- opening --- */

/* Reads a run. Close it with ttmem_run_close. `path` is copied; *out is NULL on failure. */
TTMEM_RUN_API ttmem_run_status ttmem_run_open(const char *path, ttmem_run **out);
/* Reads several logs as one run: each is a rank. */
TTMEM_RUN_API ttmem_run_status ttmem_run_open_all(const char *const *paths, size_t count, ttmem_run **out);

/* Frees the run with its columns and texts, except for those that an Arrow array still uses. NULL is allowed. */
TTMEM_RUN_API void ttmem_run_close(ttmem_run *run);

/* --- texts, valid until the run is closed --- */

TTMEM_RUN_API const char *ttmem_run_name(ttmem_run *run); /* "" for NULL */
/* What ttmem summary --json prints. */
TTMEM_RUN_API ttmem_run_status ttmem_run_summary(ttmem_run *run, const char **json, size_t *length);
/* The notes and warnings that ttmem would print on stderr, one per line; "" if there are none. */
TTMEM_RUN_API const char *ttmem_run_notes(ttmem_run *run);

/* --- tables --- */

/* The names of the tables: "ops", "blocks", "tensors", "pools", "peaks", "growth", "failures", "run"; NULL after the last. */
TTMEM_RUN_API const char *ttmem_run_table_name(size_t index);
/* The names of the columns of a table; NULL after the last one, and for a table that does not exist. */
TTMEM_RUN_API const char *ttmem_run_column_name(const char *table, size_t index);
TTMEM_RUN_API ttmem_run_status ttmem_run_rows(ttmem_run *run, const char *table, size_t *rows);

typedef enum ttmem_column_type {
    TTMEM_INT64 = 1, /* values: int64_t each */
    TTMEM_TEXT = 2   /* values: UTF-8; text i is [offsets[i], offsets[i + 1]) */
} ttmem_column_type;

typedef struct ttmem_column {
    ttmem_column_type type;
    size_t length; /* rows */
    size_t nulls;  /* rows without a value */
    const void *values;
    size_t stride;           /* bytes from one value to the next; 0 for TTMEM_TEXT */
    const int64_t *offsets;  /* TTMEM_TEXT: length + 1 of them; else NULL */
    const uint8_t *validity; /* bit i % 8 of byte i / 8 is set if row i has a value; NULL: all rows have one */
} ttmem_column;

/* A column of a table. It is made by the first call and then kept; its pointers are valid until the run is closed. */
TTMEM_RUN_API ttmem_run_status ttmem_run_column(ttmem_run *run, const char *table, const char *column, ttmem_column *out);

/* 1 if the row has a value, else 0. */
static inline int ttmem_column_valid(const ttmem_column *column, size_t row) {
    return !column->validity || column->validity[row / 8] >> (row % 8) & 1;
}

/* The tensors that are alive in a pool ("dram", "l1", ...) before the op of that index, as rows of the table "tensors", the
 * largest per bank first; op -1 means the peak of the pool. TTMEM_RUN_LACKS if the run does not record it. The list is valid
 * until the next call, or until the run is closed. */
TTMEM_RUN_API ttmem_run_status ttmem_run_alive(ttmem_run *run, const char *pool, int64_t op, const uint32_t **tensors,
                                               size_t *count);

/* --- Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html) --- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

/* A table as one struct array ("+s" of "l" and "U"), without copying. Schema and array may outlive ttmem_run_close; the
 * receiver calls their release. On failure both are released already (release is NULL). */
TTMEM_RUN_API ttmem_run_status ttmem_run_arrow(ttmem_run *run, const char *table, struct ArrowSchema *schema,
                                               struct ArrowArray *array);

#ifdef __cplusplus
}
#endif

#endif
