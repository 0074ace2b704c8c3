/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/failure_class.h"

const char *const failure_classes[] = {
    "dram-exhausted",  "dram-fragmented", "dram-exceeds-bank", "l1-exhausted", "l1-fragmented",
    "l1-exceeds-bank", "l1-small",        "l1-shards",         "trace-region", "trace-unsafe",
    "trace-overlap",   "cb-clash",        "cb-over-l1",        "cb-rule",      "dfb-over-l1",
    "dfb-clash",       "kernel-config",   "kernel-binary",     "runtime-args", "compile-l1",
    "compile-dram",    "host-killed",     "host-alloc",        "hugepages",    "kv-cache",
    "fabric",          "not-memory",      "unknown",           NULL,
};

/* Kinds that form a class whatever their figures say. */
static const char *const by_kind[FAILURE_KINDS] = {
    [FAILURE_CB_BEYOND_L1] = "cb-over-l1",
    [FAILURE_CB_CLASH] = "cb-clash",
    [FAILURE_DFB_BEYOND_L1] = "dfb-over-l1",
    [FAILURE_DFB_CLASH] = "dfb-clash",
    [FAILURE_TRACE_REGION] = "trace-region",
    [FAILURE_KERNEL_CONFIG] = "kernel-config",
    [FAILURE_OOM_ADDRESS] = "l1-exhausted",
    [FAILURE_CB_RULE] = "cb-rule",
    [FAILURE_TRACE_OVERLAP] = "trace-overlap",
    [FAILURE_TRACE_UNSAFE] = "trace-unsafe",
    [FAILURE_L1_ZONE] = "l1-exhausted",
    [FAILURE_L1_SHARDS] = "l1-shards",
    [FAILURE_OP_L1] = "cb-over-l1",
    [FAILURE_DFB_OP] = "dfb-over-l1",
    [FAILURE_KERNEL_BINARY] = "kernel-binary",
    [FAILURE_RUNTIME_ARGS] = "runtime-args",
    [FAILURE_SEMAPHORES] = "kernel-config",
    [FAILURE_HUGEPAGES] = "hugepages",
    [FAILURE_FABRIC] = "fabric",
    [FAILURE_COMPILE_L1] = "compile-l1",
    [FAILURE_COMPILE_DRAM] = "compile-dram",
    [FAILURE_XLA] = "unknown",
    [FAILURE_KV_CACHE] = "kv-cache",
    [FAILURE_HOST_ALLOC] = "host-alloc",
    [FAILURE_HOST_KILLED] = "host-killed",
    [FAILURE_NOT_MEMORY] = "not-memory",
};

/* Pools that form a class of their own: the same setting helps with any shortage there. */
static const char *const by_pool[] = {
    [FAILURE_L1_SMALL] = "l1-small", [FAILURE_TRACE] = "trace-region", [FAILURE_SYSTEM_MEMORY] = "hugepages"};

static const struct {
    enum failure_pool pool;
    enum verdict_kind verdict;
    const char *name;
} by_verdict[] = {
    {FAILURE_DRAM, VERDICT_EXHAUSTED, "dram-exhausted"},       {FAILURE_DRAM, VERDICT_FRAGMENTED, "dram-fragmented"},
    {FAILURE_DRAM, VERDICT_EXCEEDS_BANK, "dram-exceeds-bank"}, {FAILURE_L1, VERDICT_EXHAUSTED, "l1-exhausted"},
    {FAILURE_L1, VERDICT_FRAGMENTED, "l1-fragmented"},         {FAILURE_L1, VERDICT_EXCEEDS_BANK, "l1-exceeds-bank"},
};

const char *failure_class(const struct failure *f, enum verdict_kind verdict) {
    if (failure_may_be_memory(f)) return "unknown";
    if (by_kind[f->kind]) return by_kind[f->kind];
    if (by_pool[f->pool]) return by_pool[f->pool];
    for (size_t i = 0; i < sizeof by_verdict / sizeof *by_verdict; i++)
        if (by_verdict[i].pool == f->pool && by_verdict[i].verdict == verdict) return by_verdict[i].name;
    return "unknown";
}
