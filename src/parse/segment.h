/* The memory that tt-metal shares about a chip while a program has it open: /dev/shm/tt_device_<N>_memory, 8576 bytes, little
 * endian, versions 2 and 3 (tt_metal/impl/memory_tracking). Another process writes it while it is read, and may have died in
 * between: every field is doubted, nothing here is an index or a length before it was checked.
 *
 * Bytes are sums over all banks of the device, unpadded. */
#ifndef TTMEM_PARSE_SEGMENT_H
#define TTMEM_PARSE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum {
    SEGMENT_BYTES = 8576,
    SEGMENT_CHIPS = 16,
    SEGMENT_PROCESSES = 64,
    SEGMENT_NAME = 64,
};

enum segment_kind { SEGMENT_DRAM, SEGMENT_L1, SEGMENT_L1_SMALL, SEGMENT_TRACE, SEGMENT_CB, SEGMENT_KINDS };

extern const char *const segment_kind_names[SEGMENT_KINDS]; /* "DRAM", "L1", "L1_SMALL", "TRACE", "CB" */
extern const char *const segment_kind_keys[SEGMENT_KINDS];  /* "dram", ... */

struct segment_chip {
    uint32_t id;
    bool remote;
    uint64_t bytes[SEGMENT_KINDS];
};

struct segment_process {
    int32_t pid;
    uint64_t bytes[SEGMENT_KINDS];
    uint64_t updated_ns;     /* since 1970 */
    char name[SEGMENT_NAME]; /* as written, ended by NUL; any bytes */
};

struct segment {
    uint32_t version;
    uint32_t device;
    uint64_t asic;
    uint64_t updated_ns;
    uint32_t references;
    uint64_t totals[SEGMENT_KINDS]; /* the segment's own */
    struct segment_chip chips[SEGMENT_CHIPS];
    unsigned chip_count;
    struct segment_process processes[SEGMENT_PROCESSES];
    unsigned process_count;
    unsigned changing; /* slots that changed hands while they were read, left out */
};

enum segment_state {
    SEGMENT_OK,
    SEGMENT_SHORT,        /* smaller than a segment */
    SEGMENT_VERSION,      /* a version that is not known; `version` tells */
    SEGMENT_NOT_ITS_NAME, /* the chip in it is not the one in its name */
};

/* Larger amounts cannot be: they are taken as they are for a process, but sums stop there. */
#define SEGMENT_MOST ((uint64_t)1 << 50)

/* `before` and `after` are two copies taken one after the other: a process slot counts when it belongs to the same process in
 * both. `asic` is the number in the name. */
enum segment_state segment_parse(struct slice before, struct slice after, uint64_t asic, struct segment *out);

/* The number in "tt_device_<N>_memory"; false for another name. */
bool segment_name(struct slice name, uint64_t *asic);

/* a + b, at most SEGMENT_MOST. */
uint64_t segment_sum(uint64_t a, uint64_t b);

#endif
