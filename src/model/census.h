/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a log, as fast as its bytes can be read: lines are recognised and counted, nothing is folded. */
#ifndef TTMEM_MODEL_CENSUS_H
#define TTMEM_MODEL_CENSUS_H

#include "base/err.h"
#include "base/progress.h"
#include "base/table/strtab.h"
#include "device/chip.h"
#include "model/pieces.h"
#include "parse/failure/set.h"
#include "parse/memview.h"
#include "source/source.h"

struct run;

struct census_name {
    uint32_t name; /* string id */
    uint64_t count;
};

/* What the input ends inside, without a message about it: the process was killed, or the input was cut. */
enum census_end {
    ENDS_WHOLE,
    ENDS_IN_PROGRAM,
    ENDS_IN_SUBMIT,
    ENDS_IN_BLOCK,
    ENDS_IN_LINE,
    ENDS_IN_TESTS, /* a pytest session */
    ENDS_COMPRESSED,
    ENDS_READING, /* the file was cut while it was read */
    CENSUS_ENDS
};

/* As in struct inspector_facts. */
struct census_buffers {
    uint64_t owners, bounded, views, moves, torn;
    uint64_t programs_made, programs_kept;
};

struct census {
    struct strtab strings;
    uint64_t lines, bytes;
    uint64_t ops, deallocates, get_devices;
    uint64_t blocks, submit_blocks;
    uint64_t cache_hits, cache_misses;
    VEC(struct census_name) programs; /* from "Starting execution" */
    VEC(struct census_name) modules;  /* by stage */
    VEC(struct census_name) ranks;    /* lines by MPI tag; [0] are those without one */
    struct pool_view config[POOL_COUNT];
    int16_t config_rest[POOL_COUNT]; /* remainder of its total in bytes, see block_bytes.h */
    bool has_config[POOL_COUNT];
    const struct chip *chip; /* NULL if unknown */
    struct failure_set failures;
    uint64_t dropped, dropped_line; /* messages that a logger reports as dropped, and where it does so first */
    enum census_end end;
    bool binary;      /* it does not begin like a text */
    bool submit_only; /* there are blocks, all of them around submits */
    bool no_ops;      /* a log without what the runtime prints at level DEBUG: frees, programs and the cache are unknown */
    bool of_files;    /* of a report: blocks around submits, cache hits and the number of dumped modules are unknown */
    bool no_log;      /* another kind of input: blocks around submits, frees and the cache are lines of logs */
    bool no_counts;   /* nor is it known how many lines and blocks there were */
    bool no_messages; /* nor what failed */
    bool predicted;   /* of a compiled module: nothing ran */
    bool of_inspector;
    struct census_buffers buffers; /* from Inspector */
};

/* `stream` gets the bytes of a stream; NULL: nobody does. */
int census_take(struct census *census, struct source *source, const struct byte_taker *stream, struct progress *progress,
                struct err *err);
/* The same for a run that was already read. */
void census_of_run(struct census *census, const struct run *run);

void census_release(struct census *census);

#endif
