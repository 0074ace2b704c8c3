/* State while the files of a report are read; shared by the files of store/ that do it:
 *   report_read.c      records -> steps and blocks
 *   report_values.c    op texts -> templates and lifetimes
 *   report_check.c     are the files whole, and of one run?
 *   report_page.c      metadata, registry and modules -> the page's JSON */
#ifndef TTMEM_STORE_REPORT_READING_H
#define TTMEM_STORE_REPORT_READING_H

#include "base/json_read.h"
#include "base/table/strtab.h"
#include "device/chip.h"
#include "render/page/page_data.h"
#include "store/report_files.h"

struct read_execution {
    uint32_t name;    /* of reading.names */
    uint32_t program; /* program_index, NONE */
    uint32_t parent;  /* NONE for a top-level one */
    uint32_t rank;
    uint32_t first, last; /* steps */
};

struct read_tensor {
    uint32_t birth, death; /* steps; UINT32_MAX as a birth: before the first */
    uint32_t type, name, producer, execution;
    uint8_t class, rank;
};

struct read_config {
    uint32_t banks[PAGE_POOLS], total[PAGE_POOLS];
};

/* The state of one pool as a record has it; -1 where it is not known. */
struct read_view {
    int64_t banks, total, allocated, free, largest;
};

/* A step whose state behind it is not linked to a block yet, and what the files say about that state. */
struct read_waiting {
    uint32_t step; /* NONE: no step waits */
    bool has_after;
    int64_t after[PAGE_POOLS]; /* allocated; -1: the pool is not known */
};

/* Per rank: where it is. */
struct read_rank {
    uint32_t name;              /* of reading.rank_names */
    uint32_t top, nested;       /* executions, NONE */
    struct read_waiting last;   /* the last step */
    struct read_waiting caller; /* the step that runs the nested program */
    bool has_views;
    struct read_view views[PAGE_POOLS]; /* of the last block */
};

/* One module of ir.json; its text is in page.modules. */
struct read_module {
    const char *stage;
    uint32_t program; /* program_index, NONE */
    uint64_t bytes, lines;
};

struct reading {
    struct page_data *page;
    const struct report_files *files;
    struct arena *keep;
    struct json_reader *memory, *operations;
    const struct chip *chip;
    struct memory_geometry geometry;
    struct strtab names, rank_names;
    VEC(struct read_execution) executions;
    VEC(struct read_rank) ranks;
    VEC(struct read_config) configs;
    VEC(struct read_tensor) tensors;
    VEC(struct read_module) modules;
    VEC(uint32_t) records;            /* record -> step */
    VEC(uint8_t) roles;               /* of registry entries: enum argument_role */
    VEC(struct slice) argument_names; /* of registry entries: ssa and name of each, in `keep` */
    VEC(uint64_t) argument_bytes;     /* of registry entries */
    struct map templates, types, values, config_ids, weight_ids;
    struct json registry; /* writes page.registry */
    struct {
        uint32_t allocated, total, step, before_step;
        bool seen;
        uint32_t rank;
    } peaks[PAGE_POOLS];
    uint64_t weight_ops, weight_bytes; /* bytes: where there is no registry file */
    bool has_after;                    /* the files tell the state behind ops */
    struct strbuf notes;               /* what is wrong with files that the page can do without; a line each */
};

/* Text of a member; empty when absent or not text. */
struct slice member_text(struct json_value object, const char *name);
bool member_u64(struct json_value object, const char *name, uint64_t *out);

/* Template of a record: `op` is its element of operations.json (may be NULL), `memory` that of memory.json. */
uint32_t read_template(struct reading *r, const struct json_value *op, struct json_value memory);

/* Was a result of this op already made in the execution? Then the program runs again. */
bool read_defined(const struct reading *r, uint32_t template, uint32_t execution, uint8_t rank);

/* Notes which values the step makes and uses. `change`: how the allocated MB per bank changed, per pool, in thousandths; NULL
 * when not known. */
void read_values(struct reading *r, uint32_t step, uint32_t execution, uint8_t rank, const int64_t *change);
void read_tensors_finish(struct reading *r);

int read_registry(struct reading *r, struct err *err);

/* Number of a weight in the registry: its place there, or a new entry in a report that has no registry file; NONE. */
uint32_t read_weight(struct reading *r, struct json_value weight);
int read_modules(struct reading *r, struct err *err);
void read_meta(struct reading *r, struct slice text);

#endif
