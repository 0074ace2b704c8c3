/* SPDX-License-Identifier: Apache-2.0 */
/* How full the KV cache of vLLM was while a run went on, from the telemetry of TT-XLA's plugin (TTXLA_TELEMETRY=1). Its lines
 * have the time of day, so they are tied to steps by time: by the run's own times, or by those of its samples of host memory.
 */
#ifndef TTMEM_MODEL_KV_CACHE_H
#define TTMEM_MODEL_KV_CACHE_H

#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"

struct run;

enum { KV_FULL = 10000 };

struct kv_sample {
    uint64_t t_ms; /* on the axis of the run's steps; 0 for what was before */
    uint32_t step; /* the last one that had begun by then, NONE */
    uint32_t used; /* of KV_FULL */
};

struct kv_cache {
    VEC(struct kv_sample) samples; /* in the order of the file */
    uint64_t blocks;               /* of the cache, 0: not told */
    uint64_t preempted;            /* requests that were put back for want of it */
    uint64_t wrong_lines;
    bool of_slots;              /* no line tells about the cache itself: `used` is the share of the batch's slots */
    uint64_t slots, most_slots; /* of the batch, and taken at most; 0: runner.jsonl is not there */
    uint64_t tokens, requests;  /* emitted and completed */
};

/* Reads the lines of scheduler.jsonl and of runner.jsonl; one of the two may be empty. -1 with ERR_LACKS: nothing ties their
 * times to the run, or they tell about no cache. `path` is for messages. To be released in any case. */
int kv_cache_read(struct kv_cache *kv, const struct run *run, struct slice scheduler, struct slice runner, const char *path,
                  struct err *err);
void kv_cache_release(struct kv_cache *kv);

#endif
