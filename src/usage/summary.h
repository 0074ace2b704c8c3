/* SPDX-License-Identifier: Apache-2.0 */
/* The summary that tt-train's tracker prints, byte for byte, so that readers of such logs read ours too. */
#ifndef TTMEM_USAGE_SUMMARY_H
#define TTMEM_USAGE_SUMMARY_H

#include "base/strbuf.h"

/* One segment. DRAM: whole device; L1: per core. */
struct usage_line {
    struct slice name;
    int64_t dram_peak, dram_allocated, dram_freed;
    uint64_t l1_circular, l1_buffer, l1_total;
};

/* Appends the summary; without lines the warning that nothing was captured. */
void usage_summary(struct strbuf *out, const struct usage_line *lines, size_t len);

/* Bytes that usage_summary needs at most: with that much room in `out` it allocates no memory. */
size_t usage_summary_room(const struct usage_line *lines, size_t len);

#endif
