/* SPDX-License-Identifier: Apache-2.0 */
/* The memory state of one pool, as the runtime prints it:
 *   MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: ...} */
#ifndef TTMEM_PARSE_MEMVIEW_H
#define TTMEM_PARSE_MEMVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum pool { POOL_DRAM, POOL_L1, POOL_L1_SMALL, POOL_TRACE, POOL_COUNT };

extern const char *const pool_names[POOL_COUNT]; /* "DRAM", "L1", "L1_SMALL", "TRACE" */
extern const char *const pool_keys[POOL_COUNT];  /* "dram", "l1", "l1_small", "trace": as JSON names them */

/* Per bank, in thousandths of a MB, as printed. */
struct pool_view {
    uint32_t banks;
    uint32_t total;
    uint32_t allocated;
    uint32_t free;
    uint32_t largest; /* largest contiguous free block */
};

/* Bytes of a view with one digit before each point and for the banks, and with as many as parse_fast reads. */
enum { MEMVIEW_SHORTEST = sizeof "MemoryView{numBanks: 1, totalBytesPerBank: 1.000 MB, totalBytesAllocatedPerBank: 1.000 MB, "
                                 "totalBytesFreePerBank: 1.000 MB, largestContiguousBytesFreePerBank: 1.000 MB}" -
                          1,
       MEMVIEW_LONGEST = MEMVIEW_SHORTEST + 3 + 4 * 5 };

enum memview_state { MEMVIEW_WHOLE, MEMVIEW_PARTIAL /* PARTIAL: cut, or a field is not a number */, MEMVIEW_NONE };

/* `text` starts at "MemoryView{". A missing field stays 0 and makes the view partial; without the allocated bytes, or if
 * another line tore the view, the result is MEMVIEW_NONE. */
enum memview_state memview_parse(struct slice text, struct pool_view *view);

#endif
