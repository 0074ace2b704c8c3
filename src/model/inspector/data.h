/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of an Inspector folder tell, gathered: one set per rank. Buffers are resolved as they are read
 * (model/inspector/owners), so that memory goes with buffers, operations and programs, not with bytes. */
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
    uint32_t place; /* string id: location of the operation in the log beside, that it is part of; 0: not known */
};

enum { INSPECTOR_FILES = 4 };

/* A file while it is read. It may grow, and another opening of the devices may empty it. */
struct inspector_file {
    int fd; /* -1: not there yet */
    uint64_t at;
    struct inspector_parser parser;
};

struct inspector_reading; /* the events that wait until the chip is known */

struct inspector_rank {
    struct slice name; /* "1", empty where there is but one; in the arena */
    struct owners owners;
    struct strtab strings;
    VEC(struct inspector_op) ops;
    struct specs specs;    /* of the tensors that they were given */
    VEC(uint64_t) sent;    /* times at which a program's binary had been put on the device */
    VEC(int64_t) programs; /* times of their making (positive) and going (negative) */
    uint64_t workloads_alive;
    uint64_t entries, torn, bytes;
    unsigned meshes; /* that own devices */
    bool has_buffers_file, has_workloads_file;
    bool has_startup;
    struct inspector_startup startup;
    struct strbuf folder;
    struct inspector_file files[INSPECTOR_FILES];
    struct inspector_reading *reading;
};

struct inspector_data {
    struct arena arena;
    const struct chip *chip; /* as it was named, else the one that fits the addresses best */
    bool chip_named;
    const struct chip *likelier; /* than the named one, by the first buffers; NULL */
    bool no_replay;              /* whether the allocator would have placed buffers alike is not asked for */
    uint64_t tied_ops;           /* found in the log beside */
    enum inspector_tie tied_by;
    VEC(struct inspector_rank) ranks;
};

/* The folder of the files in or below a path ("x", "x/inspector", "x/generated/inspector"); false: there is none. */
bool inspector_folder_of(const char *path, struct strbuf *folder);
bool inspector_of_ranks(const char *path); /* by what rank.N folders in it hold */

/* `chip` may be NULL: not known. To be released in any case. */
int inspector_data_read(struct inspector_data *data, const char *folder, const struct chip *chip, struct err *err);

/* The same for files that grow: opens them, then takes what came; again and again, until nothing more is wanted. */
void inspector_data_open(struct inspector_data *data, const char *folder, const struct chip *chip);

enum inspector_news {
    INSPECTOR_SAME, /* nothing came */
    INSPECTOR_GREW,
    INSPECTOR_CLEARED /* the files were emptied or made again: begin again */
};
int inspector_data_poll(struct inspector_data *data, enum inspector_news *news, struct err *err);
void inspector_data_finish(struct inspector_data *data);

/* Enough events came to know the chip: nothing waits. */
bool inspector_data_is_decided(const struct inspector_data *data);

/* What a rank has now and had at most, bytes per bank by the events up to now; also before the chip is decided. */
void inspector_rank_now(const struct inspector_data *data, const struct inspector_rank *rank, uint64_t sum[POOL_COUNT],
                        uint64_t peak[POOL_COUNT], const struct chip **chip);

/* The descriptor of the file that records buffers, or -1. */
int inspector_rank_fd(const struct inspector_rank *rank);
void inspector_data_release(struct inspector_data *data);

#endif
