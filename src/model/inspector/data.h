/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of an Inspector folder's files, one set per rank. Buffers are resolved while reading
 * (model/inspector/owners), so that memory grows with buffers, ops and programs, not with bytes. */
#ifndef TTMEM_MODEL_INSPECTOR_DATA_H
#define TTMEM_MODEL_INSPECTOR_DATA_H

#include "base/err.h"
#include "base/table/strtab.h"
#include "model/inspector/facts.h"
#include "model/inspector/owners.h"
#include "model/inspector/specs.h"

struct inspector_op {
    uint64_t time_ns;
    uint64_t workload;
    uint32_t name;  /* string id */
    uint32_t place; /* string id: location of the op in the accompanying log that it is part of; 0: unknown */
};

enum { INSPECTOR_FILES = 4 };

/* A file being read. It may grow, and opening the devices again may empty it. */
struct inspector_file {
    int fd; /* -1: does not exist yet */
    uint64_t at;
    struct inspector_parser parser;
};

struct inspector_reading; /* the events that wait until the chip is known */

struct inspector_rank {
    struct slice name; /* "1", empty if it is the only one; in the arena */
    struct owners owners;
    struct strtab strings;
    VEC(struct inspector_op) ops;
    struct specs specs;    /* of the tensors passed to them */
    VEC(uint64_t) sent;    /* times at which a program's binary reached the device */
    VEC(int64_t) programs; /* times at which programs were made (positive) and destroyed (negative) */
    uint64_t workloads_alive;
    uint64_t entries, torn, bytes;
    unsigned meshes; /* number that own devices */
    bool has_buffers_file, has_workloads_file;
    bool has_startup;
    struct inspector_startup startup;
    struct strbuf folder;
    struct inspector_file files[INSPECTOR_FILES];
    struct inspector_reading *reading;
};

struct inspector_data {
    struct arena arena;
    const struct chip *chip; /* the named one, else the one that fits the addresses best */
    bool chip_named;
    const struct chip *likelier; /* fits the first buffers better than the named one; or NULL */
    bool no_replay;              /* skip the comparison with the simulated allocator */
    uint64_t tied_ops;           /* number found in the accompanying log */
    enum inspector_tie tied_by;
    VEC(struct inspector_rank) ranks;
};

/* The folder of the files in or below a path ("x", "x/inspector", "x/generated/inspector"); false if there is none. */
bool inspector_folder_of(const char *path, struct strbuf *folder);
bool inspector_of_ranks(const char *path); /* judged by the contents of its rank.N folders */

/* `chip` may be NULL: unknown. Must be released even after an error. */
int inspector_data_read(struct inspector_data *data, const char *folder, const struct chip *chip, struct err *err);

/* The same for files that grow: open once, then call repeatedly to read what was added. */
void inspector_data_open(struct inspector_data *data, const char *folder, const struct chip *chip);

enum inspector_news {
    INSPECTOR_SAME, /* nothing came */
    INSPECTOR_GREW,
    INSPECTOR_CLEARED /* the files were emptied or recreated: start over */
};
int inspector_data_poll(struct inspector_data *data, enum inspector_news *news, struct err *err);
void inspector_data_finish(struct inspector_data *data);

/* Are there enough events to know the chip, so that none waits? */
bool inspector_data_is_decided(const struct inspector_data *data);

/* Current and highest bytes per bank of a rank according to the events so far, also before the chip is known. */
void inspector_rank_now(const struct inspector_data *data, const struct inspector_rank *rank, uint64_t sum[POOL_COUNT],
                        uint64_t peak[POOL_COUNT], const struct chip **chip);

/* The descriptor of the file that records buffers, or -1. */
int inspector_rank_fd(const struct inspector_rank *rank);
void inspector_data_release(struct inspector_data *data);

#endif
