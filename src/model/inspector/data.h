/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of an Inspector folder tell, gathered: one set per rank. Buffers are resolved as they are read
 * (model/inspector/owners), so that memory goes with buffers, operations and programs, not with bytes. */
#ifndef TTMEM_MODEL_INSPECTOR_DATA_H
#define TTMEM_MODEL_INSPECTOR_DATA_H

#include "base/err.h"
#include "base/table/strtab.h"
#include "model/inspector/owners.h"

struct inspector_op {
    uint64_t time_ns;
    uint64_t workload;
    uint32_t name; /* string id */
    bool traced;
};

struct inspector_rank {
    struct slice name; /* "1", empty where there is but one; in the arena */
    struct owners owners;
    struct strtab strings;
    VEC(struct inspector_op) ops;
    VEC(uint64_t) sent;    /* times at which a program's binary had been put on the device */
    VEC(int64_t) programs; /* times of their making (positive) and going (negative) */
    uint64_t workloads_alive;
    uint64_t entries, torn, bytes;
    unsigned meshes; /* that own devices */
    bool has_buffers_file, has_workloads_file;
    bool has_startup;
    struct inspector_startup startup;
};

struct inspector_data {
    struct arena arena;
    const struct chip *chip; /* as it was named, else the one that fits the addresses best */
    bool chip_named;
    VEC(struct inspector_rank) ranks;
};

/* The folder of the files in or below a path ("x", "x/inspector", "x/generated/inspector"); false: there is none. */
bool inspector_folder_of(const char *path, struct strbuf *folder);

/* `chip` may be NULL: not known. To be released in any case. */
int inspector_data_read(struct inspector_data *data, const char *folder, const struct chip *chip, struct err *err);
void inspector_data_release(struct inspector_data *data);

#endif
