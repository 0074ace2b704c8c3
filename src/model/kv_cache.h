/* SPDX-License-Identifier: Apache-2.0 */
/* How full vLLM's KV cache was during a run, from the telemetry of TT-XLA's plugin (TTXLA_TELEMETRY=1). Its lines have the
 * time of day, so they are matched with steps by time: that of the run itself, or that of its host memory samples. */
#ifndef TTMEM_MODEL_KV_CACHE_H
#define TTMEM_MODEL_KV_CACHE_H

#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"

struct run;

enum { KV_FULL = 10000 };

struct kv_sample {
    uint64_t t_ms; /* on the time axis of the run's steps; 0 for anything earlier */
    uint32_t step; /* the last one that had begun by then, or NONE */
    uint32_t used; /* out of KV_FULL */
};

struct kv_cache {
    VEC(struct kv_sample) samples; /* in file order */
    uint64_t blocks;               /* of the cache, 0: not recorded */
    uint64_t preempted;            /* requests that were preempted for lack of cache */
    uint64_t wrong_lines;
    bool of_slots;              /* no line reports the cache itself: `used` is the share of the batch's slots */
    uint64_t slots, most_slots; /* of the batch, and the most in use; 0: there is no runner.jsonl */
    uint64_t tokens, requests;  /* emitted and completed */
};

/* Reads the lines of scheduler.jsonl and runner.jsonl; one of the two may be empty. Returns -1 with ERR_LACKS if nothing
 * relates their times to the run, or they report no cache. `path` is for messages. Must be released even after an error. */
int kv_cache_read(struct kv_cache *kv, const struct run *run, struct slice scheduler, struct slice runner, const char *path,
                  struct err *err);
void kv_cache_release(struct kv_cache *kv);

#endif
