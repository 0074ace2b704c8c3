/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that tt-metal shares about a chip while a program has it open: /dev/shm/tt_device_<N>_memory, 8576 bytes,
 * little endian, versions 2 to 4 (tt_metal/impl/memory_tracking). Another process writes it while it is read, and may have
 * died in between: no field is trusted, and nothing is used as an index or a length before it is checked.
 *
 * Bytes are sums over all banks of the device, unpadded. */
#ifndef TTMEM_PARSE_SHM_H
#define TTMEM_PARSE_SHM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum {
    SHM_BYTES = 8576,
    SHM_CHIPS = 16,
    SHM_PROCESSES = 64,
    SHM_NAME = 64,
    SHM_NEWEST_VERSION = 4,
};

enum shm_kind { SHM_DRAM, SHM_L1, SHM_L1_SMALL, SHM_TRACE, SHM_CB, SHM_KINDS };

extern const char *const shm_kind_names[SHM_KINDS]; /* "DRAM", "L1", "L1_SMALL", "TRACE", "CB" */
extern const char *const shm_kind_keys[SHM_KINDS];  /* "dram", ... */

struct shm_chip {
    uint32_t id;
    bool remote;
    uint64_t bytes[SHM_KINDS];
};

struct shm_process {
    int32_t pid;
    uint64_t bytes[SHM_KINDS];
    uint64_t updated_ns; /* since 1970 */
    char name[SHM_NAME]; /* as written, up to a NUL; any bytes */
};

struct shm_segment {
    uint32_t version;
    uint32_t device;
    uint64_t asic;
    uint64_t updated_ns;
    uint32_t references;
    uint64_t totals[SHM_KINDS]; /* stored in the segment */
    struct shm_chip chips[SHM_CHIPS];
    unsigned chip_count;
    struct shm_process processes[SHM_PROCESSES];
    unsigned process_count;
    unsigned changing; /* slots that changed owner while they were read, left out */
};

enum shm_state {
    SHM_OK,
    SHM_SHORT,        /* smaller than a segment */
    SHM_VERSION,      /* an unknown version, in `version` */
    SHM_NOT_ITS_NAME, /* the chip in it is not the one in its name */
    SHM_NOT_READY,    /* the program that makes it has not filled it in */
};

/* Larger figures are impossible: a process keeps them as they are, but sums stop here. */
#define SHM_MOST ((uint64_t)1 << 50)

/* `before` and `after` are two copies taken in sequence: a process slot counts if it belongs to the same process in both.
 * `asic` is the number in the name. */
enum shm_state shm_parse(struct slice before, struct slice after, uint64_t asic, struct shm_segment *out);

/* The number in "tt_device_<N>_memory"; false for another name. */
bool shm_name(struct slice name, uint64_t *asic);

/* a + b, at most SHM_MOST. */
uint64_t shm_sum(uint64_t a, uint64_t b);

#endif
