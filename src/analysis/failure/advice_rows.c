/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/advice_rows.h"

enum {
    DRAM = 1u << FAILURE_DRAM,
    L1 = 1u << FAILURE_L1,
    L1_SMALL = 1u << FAILURE_L1_SMALL,
    TRACE = 1u << FAILURE_TRACE,
    NO_POOL = 1u << FAILURE_POOL_UNKNOWN,
    OTHER = NO_POOL | 1u << FAILURE_SYSTEM_MEMORY,
    ANY = ~0u >> 1,
    XLA = 1u << PRODUCT_XLA | 1u << PRODUCT_VLLM_XLA,
};

#define ROW(verdict_set, pool_set, ...) \
    { .verdicts = verdict_set, .pools = pool_set, .text = __VA_ARGS__ }
#define V(verdict) (1u << VERDICT_##verdict)
#define K(kind) (1ull << FAILURE_##kind)
#define P(phase) (1u << PHASE_##phase)

#define CONVOLUTIONS "conv|pool"
#define CONV_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/conv/conv2d, Conv2dConfig"
#define SDPA_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/transformer, SDPAProgramConfig"
#define MATMUL_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/matmul, MatmulMultiCoreReuseMultiCastProgramConfig"
#define CONSTANTS_SOURCE "tt-mlir: include/ttmlir/Dialect/TTNN/Utils/Constants.h"
#define ETHERNET_SOURCE "tt-metal: llrt/hal, kernel config buffers of Ethernet cores; llrt/rtoptions"
#define UPLOAD_SOURCE "tt-mlir: runtime, toLayout of inputs; ttnn.from_torch(layout=, device=)"

const struct advice_row advice_rows[] = {
    ROW(V(UNKNOWN), ANY,
        "The figures contradict each other: $contradiction. Look at the message where it stands; a copy of it elsewhere in the "
        "log "
        "may be whole."),

    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), DRAM | L1,
        "The request is mostly padding: the tensor holds $unpadded of the $requested asked for. A shape whose last two "
        "dimensions "
        "fill 32x32 tiles, or row-major with long rows, asks for less.",
        .gain = gain_padding),

    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM,
        "Lower $set_trace from $trace_now to $trace_to: $trace_gain in every bank$trace_times.", .gain = gain_trace),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Upload inputs in tiled layout (tilize on the host): the row-major and the tiled copy are then not on the device "
        "together.",
        .phases = P(INPUT_UPLOAD), .source = UPLOAD_SOURCE),
    ROW(V(FRAGMENTED), DRAM, "Load the largest weights first: while memory is whole, there is a block for each of them.",
        .phases = P(WEIGHTS)),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Lower $set_sequence, or hold the cache in bfloat8_b: this is the KV cache itself.", .phases = P(KV_CACHE)),

    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), DRAM | L1,
        "In bfloat8_b this tensor needs $bfp8 per bank instead of $need.", .gain = gain_request_bfp8),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM,
        "Hold the weights in bfloat8_b ($set_weights): those that are alive take $weights per bank, which frees "
        "$weights_saved.",
        .gain = gain_weights),

    ROW(V(FRAGMENTED), DRAM,
        "Bring long-lived tensors (weights, KV cache) into DRAM before short-lived ones, and free what lives across this "
        "operation: "
        "$free per bank are free, but in pieces."),
    ROW(V(FRAGMENTED), DRAM,
        "Ask for less at once: up to $largest per bank fits now, this request in $parts parts. Process in chunks, reduce "
        "$set_sequence, use bfloat8_b."),
    ROW(V(FRAGMENTED), DRAM, "Lower $set_trace or the KV cache: that makes one block larger, the holes stay.$may_trace"),
    ROW(V(FRAGMENTED), L1,
        "Close the holes: deallocate L1 tensors that are no longer used, and move those that stay with ttnn.reallocate."),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1,
        "Spread the tensor over at least $cores_largest cores (it was asked for on $banks): a bank then needs no more than "
        "$largest.",
        .enough = true),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1,
        "Give the operation a DRAM memory config: the tensor takes $dram_room per bank that are free there.", .enough = true),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1, "Give the operation a DRAM memory config.$no_dram_room"),

    ROW(V(EXHAUSTED), DRAM,
        "Take $short per bank ($short_total in total) out of what is alive: free tensors after their last use, hold weights "
        "and KV cache in bfloat8_b ($set_weights), reduce $set_sequence."),
    ROW(V(EXHAUSTED), DRAM,
        "Spread the model over more chips (tensor parallel), so that each holds a part of weights and KV cache."),
    ROW(V(EXHAUSTED), DRAM, "Lower $set_trace: it is taken from every DRAM bank, used or not.$may_trace"),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1,
        "Deallocate or move to DRAM at least $short per bank of the L1 tensors that live across this operation: $l1_alive.",
        .gain = gain_l1_tensors),
    ROW(V(EXHAUSTED), L1,
        "Deallocate or move to DRAM at least $short per bank of the L1 tensors that live across this operation.$l1_tensors"),

    ROW(V(EXCEEDS_BANK), DRAM,
        "Freeing memory does not help: $need per bank is more than an empty bank holds. Split the tensor, or shard it over at "
        "least "
        "$times chips."),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Look at the operation that asks: a tensor of this size is often an intermediate (one-hot, repeat, gather index, "
        "unfolded "
        "convolution) that another formulation avoids."),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Use a smaller data type (bfloat16 for float32, bfloat8_b for bfloat16), smaller batch or sequence length."),
    ROW(V(EXCEEDS_BANK), L1,
        "Freeing memory does not help: $need per bank is more than an empty bank holds. Give the operation a DRAM memory "
        "config: the tensor takes $dram_room per bank that are free there.",
        .enough = true),
    ROW(V(EXCEEDS_BANK), L1,
        "Freeing memory does not help: $need per bank is more than an empty bank holds. Give the operation a DRAM memory "
        "config.$no_dram_room"),
    ROW(V(EXCEEDS_BANK), L1, "Or shard the tensor over at least $cores cores (it was asked for on $banks).", .enough = true),

    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "Open the device with $set_l1_small of at least $l1_small (now $bank).$with_statistics", .enough = true),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "L1_SMALL is fixed when tt-mlir is built (L1_SMALL_SIZE of its constants): a build with at least $l1_small holds this "
        "request (now $bank).",
        .products = XLA, .source = CONSTANTS_SOURCE),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "Open the device with $set_l1_small of at least $l1_small (now $bank).$without_statistics"),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED) | V(UNKNOWN), L1_SMALL,
        "Conv2dConfig(config_tensors_in_dram=True) keeps the tables of this operation out of L1_SMALL.", .ops = CONVOLUTIONS,
        .source = CONV_SOURCE),
    ROW(V(UNKNOWN), L1_SMALL,
        "Open the device with a larger $set_l1_small: $l1_small holds this request for certain (now $bank)."),
    ROW(V(UNKNOWN) | V(EXCEEDS_BANK), L1_SMALL, "Open the device with a larger $set_l1_small.$no_l1_small"),
    ROW(V(EXCEEDS_BANK), L1_SMALL,
        "The message does not say what else is in use: should it fail again, $l1_small_sure is certain to hold this request."),
    ROW(V(EXHAUSTED) | V(UNKNOWN), L1_SMALL,
        "The program cache keeps the L1_SMALL buffers of every convolution and pooling operation: fewer distinct shapes need "
        "less."),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "Not larger than needed: L1_SMALL is taken from the L1 of every core, circular buffers and L1 tensors share the "
        "rest."),

    ROW(V(EXCEEDS_BANK), TRACE, "Open the device with $set_trace of at least $need_total: $need on each of $banks banks.",
        .enough = true),
    ROW(V(EXHAUSTED), TRACE,
        "Open the device with a $set_trace larger by at least $trace_more, or release traces that are no longer "
        "replayed."),
    ROW(V(FRAGMENTED) | V(UNKNOWN), TRACE,
        "Open the device with a larger $set_trace, or release traces that are no longer replayed."),

    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), ANY,
        "Other figures of the message contradict each other: $contradiction. A copy of it elsewhere in the log may be whole."),

    ROW(V(CLASH) | V(EXCEEDS_L1) | V(EXCEEDS_LIMIT), ANY,
        "Lower q_chunk_size and k_chunk_size of the SDPAProgramConfig: the circular buffers hold chunks of them.",
        .ops = "scaled_dot_product|sdpa", .source = SDPA_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Lower act_block_h_override of the Conv2dConfig (a multiple of 32), and set deallocate_activation=True where the input "
        "is "
        "not used again.",
        .ops = "conv", .source = CONV_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Lower in0_block_w first, then per_core_M and per_core_N with out_subblock_h and out_subblock_w, of the matmul's "
        "program "
        "config.",
        .ops = "matmul|linear|mm_fusion", .source = MATMUL_SOURCE),
    ROW(V(CLASH), ANY,
        "Shrink the $buffers of this operation by at least $overlap per core: smaller blocks (per_core_M, per_core_N, "
        "in0_block_w, act_block_h), no double buffering, or more cores.$more_cores",
        .enough = true),
    ROW(V(CLASH), ANY,
        "Shrink the $buffers of this operation by at least $overlap per core: smaller blocks (per_core_M, per_core_N, "
        "in0_block_w, act_block_h), or no double buffering; all cores are used already.$all_cores",
        .enough = true),
    ROW(V(CLASH), ANY,
        "Move to DRAM or deallocate the L1 tensors that reach below address $end on these cores; the lowest begins at "
        "$address."),
    ROW(V(CLASH), ANY,
        "Lower $set_l1_small by at least $overlap (now $l1_small_now, not used): L1 tensors lie below it and move up.",
        .enough = true),
    ROW(V(CLASH), ANY,
        "Reduce $set_l1_small by at least $overlap_small if it has that much to spare: L1 tensors lie below it and move up."),
    ROW(V(CLASH), ANY, "Shrink the $buffers of this operation, or move the L1 tensors of these cores to DRAM.$no_overlap"),
    ROW(V(EXCEEDS_L1), ANY,
        "Shrink the $buffers of this operation by at least $overlap per core: smaller blocks (per_core_M, per_core_N, "
        "in0_block_w, act_block_h), no double buffering, smaller data type."),
    ROW(V(EXCEEDS_L1), ANY,
        "Spread the operation over more cores or split it; a row that a kernel keeps whole in L1 can be processed in "
        "parts.$more_cores"),
    ROW(V(EXCEEDS_L1), ANY,
        "Split the operation: all cores are used already; a row that a kernel keeps whole in L1 can be processed in "
        "parts.$all_cores"),
    ROW(V(EXCEEDS_L1), ANY, "Moving tensors to DRAM does not help: the $buffers alone are larger than the L1 of a core."),

    ROW(V(TRACE_REGION_SHORT), ANY,
        "Set $set_trace to at least $trace. Since tt-metal of 2026-06-22 that is a total and takes $trace_cost; before "
        "that "
        "it was a size per bank and took $trace B of every bank.",
        .enough = true),
    ROW(V(TRACE_REGION_SHORT), ANY,
        "Captures add up, later traces need more. Release traces that are no longer replayed (ttnn.release_trace)."),
    ROW(V(TRACE_REGION_SHORT), ANY, "tt-metal of 2026 takes traces out of free DRAM when $set_trace is 0."),
    ROW(V(TRACE_REGION_SHORT), ANY, "Or run without traces: $set_no_trace."),

    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "On Tensix cores, open the device with a $set_worker_l1 smaller by at least $short: the kernel config buffer is what "
        "is "
        "left of L1 below it.$tensix",
        .enough = true),
    ROW(V(KERNEL_CONFIG_SHORT), ANY, "Run without watcher and device profiler, they enlarge every kernel.$tensix"),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Run without watcher and device profiler on Ethernet cores (TT_METAL_WATCHER_DISABLE_ETH=1): they enlarge every "
        "kernel.$ethernet",
        .source = ETHERNET_SOURCE),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Make the kernels of the Ethernet cores smaller by $short: their kernel config buffer is fixed, no setting of the "
        "device "
        "enlarges it. Fewer links or channels per kernel, shorter runtime arguments.$ethernet",
        .source = ETHERNET_SOURCE),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Make the program smaller: fewer fused operations, less unrolling, fewer runtime arguments.$tensix"),

    ROW(V(BELOW_LIMIT), ANY, "Free at least $short of L1 per core before this operation, or give it a DRAM memory config."),
    ROW(V(BELOW_LIMIT), ANY, "Use a sharded layout: only interleaved L1 buffers stop at address $limit."),

    ROW(V(RULE), ANY, "Correct the circular buffer of this operation: $rule."),

    ROW(V(UNKNOWN), DRAM | OTHER,
        "Free tensors after their last use, hold weights and KV cache in bfloat8_b, reduce $set_sequence, lower $set_trace."),
    ROW(V(UNKNOWN), L1,
        "Give the operation a DRAM memory config, deallocate L1 tensors that are no longer used, or spread the tensor over "
        "more "
        "cores."),
    ROW(V(UNKNOWN), ANY,
        "Exhausted or fragmented cannot be told apart without the allocator's figures, which tt-metal of 2026 "
        "prints.$no_statistics"),
    ROW(V(UNKNOWN), ANY,
        "The request fits the largest free block ($fitting), so something else refused it: an address limit, or dependencies "
        "between "
        "allocators."),
    ROW(V(UNKNOWN) | V(CLASH) | V(EXCEEDS_L1), ANY,
        "The figures are missing: builds of early 2024 left the placeholders unfilled, another build prints them.$unfilled"),

    /* the runtime's own checks */
    ROW(V(OVERLAP), ANY,
        "Open the device with a $set_trace that holds the traces: they then lie outside of the DRAM that the capture "
        "uses.",
        .kinds = K(TRACE_OVERLAP)),
    ROW(V(OVERLAP), ANY,
        "Or leave $overlap more of DRAM free above the highest address used during the capture: capture before other tensors "
        "are made, and allocate outputs before it.",
        .kinds = K(TRACE_OVERLAP)),
    ROW(V(UNSAFE), ANY,
        "Free these buffers before the replay, or allocate them before the capture: a replay writes to the addresses that were "
        "free when it was captured.",
        .kinds = K(TRACE_UNSAFE)),
    ROW(V(UNSAFE), ANY,
        "It leads to wrong results or a hang later, not to an error here. TT_METAL_TRACE_ALLOC_TRACKING=1 and "
        "TT_METAL_TRACE_ALLOC_TRACEBACKS=1 name the buffers and who allocated them.",
        .kinds = K(TRACE_UNSAFE)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Give the operation at least $short per core less to hold: smaller chunks or pages, a smaller data type, or an input "
        "that is sharded over more cores.",
        .kinds = K(OP_L1) | K(DFB_OP)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Work along another dimension or in parts: what must lie in L1 at once is a row or a page of the tensor.$no_short",
        .kinds = K(OP_L1) | K(DFB_OP)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Moving tensors to DRAM does not help: the buffers of this operation alone are larger than what a core has.",
        .kinds = K(OP_L1) | K(DFB_OP)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Use at most $banks shards ($count were asked for): larger shards, or a grid with as many cores.",
        .kinds = K(L1_SHARDS)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Ask for less in this arena, or free what it holds: it is a fixed part of L1 that tensors do not share.",
        .kinds = K(L1_ZONE)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Make the kernel's code or data smaller by at least $short: less unrolling and inlining, fewer fused operations, -Os.",
        .kinds = K(KERNEL_BINARY)),
    ROW(V(EXCEEDS_LIMIT), ANY, "Run without watcher, device profiler and DPRINT: they enlarge every kernel.",
        .kinds = K(KERNEL_BINARY)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Pass at most $count_limit arguments (now $count): put lists into a tensor, or split the work over more kernels.",
        .kinds = K(RUNTIME_ARGS)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Pass fewer unique runtime arguments, by at least $short: common arguments or a tensor hold what all cores share.",
        .kinds = K(RUNTIME_ARGS)),
    ROW(V(EXCEEDS_LIMIT), ANY, "Use fewer semaphores in this program: split fused operations, or let phases share one.",
        .kinds = K(SEMAPHORES)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Give the host more huge pages of 1 GB (hugepages setup of tt-system-tools), or stop the process that holds them.",
        .kinds = K(HUGEPAGES)),
    ROW(V(EXCEEDS_LIMIT), ANY, "With an IOMMU, no huge pages are needed: check that the machine has it on.",
        .kinds = K(HUGEPAGES)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Use fewer or smaller fabric channels: a smaller packet size, fewer links, another topology (FabricConfig).",
        .kinds = K(FABRIC)),
    ROW(V(EXCEEDS_LIMIT), L1,
        "Lower what the compiler places in L1 by $short: a lower optimization level, or DRAM for the tensors that live across.",
        .kinds = K(COMPILE_L1)),
    ROW(V(EXCEEDS_LIMIT), L1, "$set_optimizer keeps tensors in DRAM.", .kinds = K(COMPILE_L1)),
    ROW(V(EXCEEDS_LIMIT), L1,
        "Compile this part with its tensors in DRAM (memory layout analysis off, optimizer's L1 share lower): the set that "
        "must lie in L1 at once is too large.$no_short",
        .kinds = K(COMPILE_L1)),
    ROW(V(EXCEEDS_LIMIT), DRAM,
        "The program needs $short more DRAM than there is, before it runs: lower $set_sequence, bfloat8_b weights "
        "($set_weights), or more chips.",
        .kinds = K(COMPILE_DRAM)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Set max_model_len to at most $seq_fits (asked for: $seq_len): that fits the memory left for the KV cache.",
        .kinds = K(KV_CACHE)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Or give the KV cache $short more: a smaller or bfloat8_b model, more chips, fewer or smaller traces.",
        .kinds = K(KV_CACHE)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Lower max_model_len and max_num_seqs, or leave more for the cache: a smaller or bfloat8_b model, more chips.$no_short",
        .kinds = K(KV_CACHE)),
    ROW(V(HOST), ANY,
        "This is the host's memory, not the device's: load weights one at a time (safetensors, mmap), with fewer copies in "
        "float32, and fewer compile workers.",
        .kinds = K(HOST_ALLOC) | K(HOST_KILLED)),
    ROW(V(HOST), ANY,
        "The process held $rss when it was killed: the machine or the job's memory limit (docker --memory, the cgroup) must "
        "leave more than that.",
        .kinds = K(HOST_KILLED)),
    ROW(V(HOST), ANY, "dmesg or the journal of the host tells which process was killed and how much it held.$no_rss",
        .kinds = K(HOST_KILLED)),
    ROW(V(UNKNOWN), ANY,
        "The status code alone carries no figures: the runtime's own message (Out of Memory: ...) stands in the log of the "
        "device's process, on stderr or at a lower log level.",
        .kinds = K(XLA)),
    ROW(V(UNKNOWN), ANY,
        "The message is cut, or says nothing beside its place in the source: the lines around it, or stderr, may have all of "
        "it.",
        .kinds = K(NOT_MEMORY)),
    ROW(V(NOT_MEMORY), ANY, "This is not about memory: no memory setting mends it.", .kinds = K(NOT_MEMORY)),
    {.text = NULL},
};
