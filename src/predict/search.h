/* SPDX-License-Identifier: Apache-2.0 */
/* The largest batch or cache that fits, found by replays. */
#ifndef TTMEM_PREDICT_SEARCH_H
#define TTMEM_PREDICT_SEARCH_H

#include "predict/prediction.h"

enum search_kind { SEARCH_KV_LEN, SEARCH_KV_BLOCKS, SEARCH_BATCH };

struct search_result {
    enum search_kind kind;
    bool possible;        /* the module has the value to search for */
    bool bounded;         /* false: everything tried fits */
    uint64_t was, best;   /* best 0: nothing fits */
    uint64_t cache_bytes; /* per bank, of all caches at best */
    uint64_t utilization_milli;
    uint64_t peak;
    bool next_failed; /* what prevents the next larger value: */
    struct memory_failure next;
    char next_op[160];
    unsigned replays;
};

void search_max(const struct prediction *p, enum search_kind kind, struct search_result *result);

extern const char *const search_names[]; /* "kv-len", "kv-blocks", "batch" */

#endif
