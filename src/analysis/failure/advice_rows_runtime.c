/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about traces, huge pages, fabric, the compiler, the KV cache of a server, the host. */
#include "analysis/failure/advice_rows.h"

const struct advice_row advice_rows_runtime[] = {
    ROW(V(TRACE_REGION_SHORT), ANY, "Set $set_trace to at least $trace. $trace_takes.$trace_possible", .worth = ROW_ENOUGH),
    ROW(V(TRACE_REGION_SHORT), ANY,
        "No $set_trace holds this: $requested is more than all of the DRAM ($any_dram at most). Capture less in one trace, in "
        "parts.$trace_too_large",
        .worth = ROW_NOTICE),
    ROW(V(TRACE_REGION_SHORT), ANY, "Or run without traces: $set_no_trace.", .worth = ROW_ENOUGH),
    ROW(V(TRACE_REGION_SHORT), ANY,
        "Release traces that are no longer replayed (ttnn.release_trace): captures add up, later ones need more.",
        .products = 1u << PRODUCT_METAL | 1u << PRODUCT_VLLM),
    ROW(V(TRACE_REGION_SHORT), ANY,
        "tt-metal of 2026 takes traces out of free DRAM when $set_trace is 0.$may_be_new$trace_possible"),

    ROW(V(OVERLAP), ANY,
        "Leave $overlap more of every DRAM bank free above the highest address used during the capture: capture before other "
        "tensors are made, and allocate outputs before it.$own_trace",
        .kinds = K(TRACE_OVERLAP), .worth = ROW_ENOUGH),
    ROW(V(OVERLAP), ANY,
        "Release the other trace before this capture (ttnn.release_trace), where it is not replayed again: it uses $overlap of "
        "every DRAM bank above the address of this one.$other_trace",
        .kinds = K(TRACE_OVERLAP)),
    ROW(V(OVERLAP), ANY,
        "Release the other trace before this capture (ttnn.release_trace), where it is not replayed "
        "again.$other_trace$no_overlap",
        .kinds = K(TRACE_OVERLAP)),
    ROW(V(OVERLAP), ANY,
        "Set a $set_trace that holds the traces: they then lie outside of the DRAM that the capture "
        "uses. The message does not give their size.",
        .kinds = K(TRACE_OVERLAP)),
    ROW(V(OVERLAP), ANY, "Or run without traces: $set_no_trace.", .kinds = K(TRACE_OVERLAP), .worth = ROW_ENOUGH),
    ROW(V(UNSAFE), ANY,
        "Free these $count buffers before the replay, or allocate them before the capture: a replay writes to the addresses "
        "that "
        "were free when it was captured.",
        .kinds = K(TRACE_UNSAFE), .worth = ROW_ENOUGH),
    ROW(V(UNSAFE), ANY,
        "Free these buffers before the replay, or allocate them before the capture: a replay writes to the addresses that were "
        "free when it was captured.$no_count",
        .kinds = K(TRACE_UNSAFE), .worth = ROW_ENOUGH),
    ROW(V(UNSAFE), ANY, "Or run without traces: $set_no_trace.", .kinds = K(TRACE_UNSAFE), .worth = ROW_ENOUGH),
    ROW(V(UNSAFE), ANY,
        "It leads to wrong results or a hang later, not to an error here. TT_METAL_TRACE_ALLOC_TRACKING=1 and "
        "TT_METAL_TRACE_ALLOC_TRACEBACKS=1 name the buffers and who allocated them.$warns",
        .kinds = K(TRACE_UNSAFE), .worth = ROW_REMARK),
    ROW(V(UNSAFE), ANY,
        "Tensors that may be overwritten are allowed inside of ttnn.corruptible_allocation_scope(). Where each buffer was made "
        "and who holds it is printed with TT_METAL_TRACE_ALLOC_TRACEBACKS=1.$fails",
        .kinds = K(TRACE_UNSAFE), .source = "tt-metal: ttnn/ttnn/unsafe_allocation_tracker.py", .worth = ROW_REMARK),

    ROW(V(EXCEEDS_LIMIT), ANY,
        "Keep $short less in the huge page at once: close sockets and services that are no longer used, or use smaller ones.",
        .kinds = K(HUGEPAGES), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Pin less at once, or leave the host more memory that is free: these are pages of a plain buffer, more huge pages do "
        "not help. With an IOMMU they also need room among the addresses that the driver hands out (4 GB in older ones, more "
        "with its option dma_address_bits=48); without one, no more than a page can be pinned.$plain_pages",
        .kinds = K(HUGEPAGES), .source = "tt-umd: device/pcie/pci_device.cpp, map_for_dma"),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Give the host more huge pages of 1 GB (hugepages setup of tt-system-tools), or stop the process that holds "
        "them.$huge_pages",
        .kinds = K(HUGEPAGES)),
    ROW(V(EXCEEDS_LIMIT), ANY, "With an IOMMU, no huge pages are needed: check that the machine has it on.$huge_pages",
        .kinds = K(HUGEPAGES)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Take at least $short out of the fabric's buffers: a smaller packet size, fewer channels or links, another topology "
        "(FabricConfig).",
        .kinds = K(FABRIC), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Use fewer or smaller fabric channels: a smaller packet size, fewer links, another topology (FabricConfig).$no_short",
        .kinds = K(FABRIC)),

    ROW(V(EXCEEDS_LIMIT), L1,
        "Lower what the compiler places in L1 by $short: a lower optimization level, or DRAM for the tensors that live across.",
        .kinds = K(COMPILE_L1), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), L1, "$set_optimizer keeps tensors in DRAM.", .kinds = K(COMPILE_L1)),
    ROW(V(EXCEEDS_LIMIT), L1,
        "Compile this part with its tensors in DRAM (memory layout analysis off, optimizer's L1 share lower): the set that "
        "must lie in L1 at once is too large.$no_short",
        .kinds = K(COMPILE_L1)),
    ROW(V(EXCEEDS_LIMIT), DRAM,
        "The program needs $short more DRAM than there is, before it runs: take that out by a smaller $set_sequence, bfloat8_b "
        "weights ($set_weights), or more chips.",
        .kinds = K(COMPILE_DRAM), .worth = ROW_ENOUGH),

    ROW(V(EXCEEDS_LIMIT), ANY,
        "Set max_model_len to at most $seq_fits (asked for: $seq_len), or write no more tokens than that: it fits the memory "
        "left "
        "for the KV cache.",
        .kinds = K(KV_CACHE), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Give the KV cache $short more: a higher --gpu-memory-utilization, a smaller or bfloat8_b model, more chips, fewer or "
        "smaller traces.",
        .kinds = K(KV_CACHE), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY, "Hold the cache in bfloat8_b ($set_kv): one in bfloat16 then takes 53 % of its bytes.",
        .kinds = K(KV_CACHE)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Lower --max-model-len and --max-num-seqs, or leave more for the cache: a higher --gpu-memory-utilization, a smaller "
        "or "
        "bfloat8_b model, more chips.$no_seq_fits",
        .kinds = K(KV_CACHE)),

    ROW(V(HOST), ANY,
        "Give the process more than $limit_bytes, the limit of its cgroup (docker --memory, the job's limit), or let it hold "
        "less than the $rss_kept that cannot be dropped.",
        .kinds = K(HOST_KILLED)),
    ROW(V(HOST), ANY,
        "Give the cgroup $cgroup a higher limit (docker --memory, the job's limit): it was full, not the machine, and this "
        "text does not say at what size. $rss_kept of the process (anonymous and shared memory) cannot be dropped.$no_limit",
        .kinds = K(HOST_KILLED)),
    ROW(V(HOST), ANY,
        "The process held $rss when it was killed, $rss_kept of it (anonymous and shared memory) cannot be dropped: the "
        "machine or the job's memory limit (docker --memory, the cgroup) must leave more than that.$no_limit$no_cgroup",
        .kinds = K(HOST_KILLED)),
    ROW(V(HOST), ANY,
        "The process held at least $rss_kept when it was killed: the machine or the job's memory limit (docker --memory, the "
        "cgroup) must leave more than that.$no_limit$no_rss$no_cgroup",
        .kinds = K(HOST_KILLED)),
    ROW(V(HOST), ANY,
        "Ask for less than $requested at once, or give the machine or the job's cgroup that much more than it has now.",
        .kinds = K(HOST_ALLOC)),
    ROW(V(HOST), ANY,
        "Load weights one at a time (safetensors, mmap), with fewer copies in float32, and fewer compile workers.",
        .kinds = K(HOST_ALLOC) | K(HOST_KILLED)),
    ROW(V(HOST), ANY, "This is the host's memory, not the device's.", .kinds = K(HOST_ALLOC) | K(HOST_KILLED),
        .worth = ROW_REMARK),
    ROW(V(HOST), ANY, "dmesg or the journal of the host says which process was killed and how much it held.$no_rss_kept",
        .kinds = K(HOST_KILLED), .worth = ROW_REMARK),

    ROW(V(UNKNOWN), ANY,
        "Full memory of the host is one of the reasons; others are a time limit, a job that was cancelled, a machine that was "
        "shut down. The scheduler or CI reports those, and dmesg or the journal of the host of a process that was killed for "
        "memory.$whole_process",
        .kinds = K(HOST_KILLED), .worth = ROW_REMARK),
    ROW(V(UNKNOWN), ANY,
        "Ray names three reasons: the host killed it for memory, ray stop --force, a crash. The logs of the dead worker, and "
        "dmesg or the journal of the host, say which it was.$ray_worker",
        .kinds = K(HOST_KILLED), .worth = ROW_REMARK),
    ROW(V(UNKNOWN), ANY,
        "The status code alone does not say which memory ran out: the runtime's own message (Out of Memory: ...) is in the log "
        "of the device's process, on stderr or at a lower log level.",
        .kinds = K(XLA), .worth = ROW_REMARK),
    ROW(V(UNKNOWN), ANY,
        "The message is cut, or says nothing but its place in the source: the lines around it, or stderr, may have all of "
        "it.",
        .kinds = K(NOT_MEMORY), .worth = ROW_REMARK),
    ROW(V(NOT_MEMORY), ANY, "This is not about memory: no memory setting helps.", .kinds = K(NOT_MEMORY), .worth = ROW_REMARK),
    {.text = NULL},
};
