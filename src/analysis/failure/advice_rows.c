/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about allocations: DRAM, L1, L1_SMALL, the trace region. */
#include "analysis/failure/advice_rows.h"

#define CONV_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/conv/conv2d, Conv2dConfig"
#define CONSTANTS_SOURCE "tt-mlir: include/ttmlir/Dialect/TTNN/Utils/Constants.h"
#define UPLOAD_SOURCE "tt-mlir: runtime, toLayout of inputs; ttnn.from_torch(layout=, device=)"
#define WEIGHTS_SOURCE "tt-metal: ttnn.as_tensor(layout=, dtype=, cache_file_name=)"
#define CONST_EVAL_SOURCE "tt-xla: pjrt_implementation/inc/api/compile_options.h, enable_const_eval; tt-mlir#3888"
#define SPACE_SOURCE "tt-xla: pjrt_implementation/inc/api/compile_options.h, experimental_enable_dram_space_saving_optimization"
#define TRACE_SOURCE "tt-metal: tech_reports/AdvancedPerformanceOptimizationsForModels, Metal Trace"
#define LEVELS_SOURCE "tt-xla: docs/source/performance.md, Optimization Levels"

const struct advice_row *const advice_tables[] = {advice_rows_memory, advice_rows_buffers, advice_rows_runtime, NULL};

const struct advice_row advice_rows_memory[] = {
    ROW(V(UNKNOWN), ANY,
        "The figures contradict each other: $contradiction. Look at the message in the log; another copy of it there may be "
        "whole.",
        .worth = ROW_NOTICE),

    /* what the figures of this log show */
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), DRAM,
        "The request is mostly padding: the tensor holds $unpadded of the $requested asked for. A shape whose last two "
        "dimensions fill 32x32 tiles, or row-major with long rows, asks for $padding_saved less per bank.",
        .gain = gain_padding),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), L1,
        "The request is mostly padding: the tensor holds $unpadded of the $requested asked for. A shape whose last two "
        "dimensions fill 32x32 tiles, or row-major with long rows, asks for $padding_saved less per bank.",
        .gain = gain_padding),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM, "Lower $set_trace $trace_from_to: $trace_gain in every bank$trace_times.",
        .gain = gain_trace),

    /* phases that are not operations */
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Upload inputs in tiled layout (tilize on the host): the row-major and the tiled copy are then not on the device "
        "together, which is up to $need per bank less.",
        .phases = P(INPUT_UPLOAD), .products = OF_METAL, .source = UPLOAD_SOURCE),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Inputs come row-major and are tilized on the device: up to $need per bank twice. Smaller inputs ($set_sequence), or "
        "float32 ones given as bfloat16, take that much less from both copies.",
        .phases = P(INPUT_UPLOAD), .products = OF_XLA, .source = UPLOAD_SOURCE),
    ROW(V(FRAGMENTED), DRAM, "Load the largest weights first: while memory is whole, there is a free block for each of them.",
        .phases = P(WEIGHTS), .products = OF_METAL),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Tilize and convert weights on the host and keep them in a cache file (ttnn.as_tensor): the device then holds no "
        "second "
        "copy of the one that is prepared, up to $need per bank.",
        .phases = P(WEIGHTS), .products = OF_METAL, .source = WEIGHTS_SOURCE),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Compile without const-eval ($set_const_eval): prepared weights then do not stay on the device, once per compiled "
        "graph. "
        "This one is $need per bank; each run prepares them again.",
        .phases = P(WEIGHTS), .products = OF_XLA, .source = CONST_EVAL_SOURCE),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Compile fewer graphs: each input shape keeps prepared weights of its own.", .phases = P(WEIGHTS), .products = OF_XLA,
        .source = CONST_EVAL_SOURCE),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Run the model once before the capture, and make its inputs and outputs before it: what the capture allocates stays "
        "for "
        "as long as the trace.",
        .phases = P(TRACE_CAPTURE), .products = OF_METAL, .source = TRACE_SOURCE),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(UNKNOWN), DRAM,
        "Run without traces ($set_no_trace): what a capture allocates, $need per bank here, stays for as long as the trace.",
        .phases = P(TRACE_CAPTURE)),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK) | V(UNKNOWN), DRAM,
        "Lower $set_sequence: this is the KV cache itself, $need per bank.", .phases = P(KV_CACHE)),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK) | V(UNKNOWN), DRAM,
        "Hold the cache in bfloat8_b ($set_kv): one in bfloat16 then needs $need_bfp8 per bank instead of $need.",
        .phases = P(KV_CACHE)),

    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), DRAM, "In bfloat8_b this tensor needs $bfp8 per bank instead of $need.",
        .gain = gain_request_bfp8),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), L1, "In bfloat8_b this tensor needs $bfp8 per bank instead of $need.",
        .gain = gain_request_bfp8),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM,
        "Hold the weights in bfloat8_b ($set_weights): those that are alive, with their prepared copies "
        "(const-eval), take $weights per bank; this frees $weights_saved.",
        .gain = gain_weights),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM,
        "Hold the KV cache in bfloat8_b ($set_kv): what is alive of it takes $cache per bank, which frees $cache_saved.",
        .gain = gain_cache),

    /* DRAM */
    ROW(V(FRAGMENTED), DRAM,
        "Place long-lived tensors (weights, KV cache) in DRAM before short-lived ones, and free what lives across this "
        "op: $free per bank is free, but in pieces; $need of it must be in one piece."),
    ROW(V(EXHAUSTED), DRAM,
        "Take at least $short per bank ($short_total in total) out of what is alive, next to the free block: free tensors "
        "after "
        "their last use, hold weights and KV cache in bfloat8_b ($set_weights), reduce $set_sequence.$whole",
        .worth = ROW_GOAL),
    ROW(V(EXHAUSTED), DRAM,
        "Take at least $piece per bank out of what is alive next to the largest free block, or $need in one piece elsewhere: "
        "free "
        "tensors after their last use, hold weights and KV cache in bfloat8_b ($set_weights), reduce $set_sequence. In sum "
        "$short per bank are missing ($short_total in total).$in_pieces",
        .worth = ROW_GOAL),
    ROW(V(EXHAUSTED), DRAM,
        "Take at least $short per bank ($short_total in total) out of what is alive: free tensors after their last use, hold "
        "weights and KV cache in bfloat8_b ($set_weights), reduce $set_sequence.$without_statistics"),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM,
        "Make this request smaller: at most $largest per bank fits now, so it takes $parts parts, one alive at a time. Process "
        "in chunks, reduce $set_sequence, or use bfloat8_b.",
        .worth = ROW_GOAL),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), DRAM,
        "Let the compiler save DRAM: $set_dram_space (a pass of tt-mlir, experimental). What it frees is not in this log.",
        .products = OF_XLA, .source = SPACE_SOURCE),
    ROW(V(EXHAUSTED), DRAM,
        "Spread the model over more chips (tensor parallel), so that each holds a part of weights and KV cache: two chips take "
        "up to $half of the $allocated alive per bank."),
    ROW(V(EXHAUSTED), DRAM,
        "Spread the model over more chips (tensor parallel), so that each holds a part of weights and KV cache.$no_allocated"),
    ROW(V(FRAGMENTED), DRAM,
        "Lower $set_trace or the KV cache: that makes one free block larger, by $piece to be enough; the holes "
        "stay.$may_trace"),
    ROW(V(EXHAUSTED), DRAM,
        "Lower $set_trace: it is taken from every DRAM bank, used or not; $short in each would have to come from "
        "it.$may_trace"),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Split the tensor, or shard it over at least $times_largest chips: a bank then needs no more than the $largest that "
        "are "
        "free in one piece.",
        .worth = ROW_GOAL),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Split the tensor, or shard it over at least $times chips: that is what empty banks hold.$without_statistics"),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Look at the op that asks: a tensor of this size is often an intermediate (one-hot, repeat, gather index, "
        "unfolded convolution) that another formulation avoids."),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Use a smaller data type (bfloat16 for float32 halves it, bfloat8_b for bfloat16 takes 53 %), or a smaller "
        "$set_sequence: up to $largest per bank fits now."),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Use a smaller data type (bfloat16 for float32 halves it, bfloat8_b for bfloat16 takes 53 %), or a smaller "
        "$set_sequence: an empty bank holds $bank.$without_statistics"),
    ROW(V(EXCEEDS_BANK), DRAM,
        "Use a smaller data type (bfloat16 for float32 halves it, bfloat8_b for bfloat16 takes 53 %), or a smaller "
        "$set_sequence.$no_bank"),
    ROW(V(EXCEEDS_BANK), DRAM, "Freeing memory does not help: $need per bank is more than an empty bank holds.",
        .worth = ROW_REMARK),

    /* L1 */
    ROW(V(FRAGMENTED), L1,
        "Close the holes: deallocate L1 tensors that are no longer used, and move those that stay with ttnn.reallocate, until "
        "$need of the $free that are free lie in one piece.",
        .products = OF_METAL, .worth = ROW_GOAL),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), L1,
        "Spread the tensor over at least $cores_largest cores (it was asked for on $banks): a bank then needs no more than "
        "$largest.",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), L1,
        "Spread the tensor over at least $cores_maybe cores (it was asked for on $banks), where the board has as many: a bank "
        "then needs no more than $largest.",
        .products = OF_METAL),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1,
        "Give the op a DRAM memory config: the tensor takes $dram_room per bank that are free there.", .products = OF_METAL,
        .worth = ROW_ENOUGH),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1,
        "Give the op a DRAM memory config: $requested leave L1. Whether DRAM has room is not in this log.$no_dram_room",
        .products = OF_METAL),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK) | V(UNKNOWN) | V(BELOW_LIMIT), L1,
        "Compile with the tensors in DRAM: $set_optimizer. L1 then holds circular buffers alone; this tensor takes $dram_room "
        "per bank that are free there.",
        .products = OF_XLA, .source = LEVELS_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK) | V(UNKNOWN) | V(BELOW_LIMIT), L1,
        "Compile with the tensors in DRAM: $set_optimizer. L1 then holds circular buffers alone.$no_dram_room",
        .products = OF_XLA, .source = LEVELS_SOURCE),
    ROW(V(FRAGMENTED) | V(EXHAUSTED), L1,
        "Deallocate or move to DRAM at least $short per bank of the L1 tensors that live across this op: $l1_alive.",
        .gain = gain_l1_tensors, .products = OF_METAL),
    ROW(V(EXHAUSTED), L1,
        "Deallocate or move to DRAM at least $short per bank of the L1 tensors that live across this op, next to the "
        "free block.$l1_tensors$whole",
        .products = OF_METAL, .worth = ROW_GOAL),
    ROW(V(EXHAUSTED), L1,
        "Deallocate or move to DRAM at least $piece per bank of the L1 tensors that live across this op, next to the "
        "largest free block, or $need in one piece elsewhere.$l1_tensors$in_pieces",
        .products = OF_METAL, .worth = ROW_GOAL),
    ROW(V(EXHAUSTED), L1,
        "Deallocate or move to DRAM at least $short per bank of the L1 tensors that live across this "
        "op.$l1_tensors$without_statistics",
        .products = OF_METAL),
    ROW(V(EXCEEDS_BANK), L1,
        "Shard the tensor over at least $cores cores (it was asked for on $banks), and free what lies in their L1: $allocated "
        "per bank; an empty one holds $bank.$no_cores_largest$no_cores_maybe",
        .products = OF_METAL),
    ROW(V(EXCEEDS_BANK), L1,
        "Shard the tensor over at least $cores cores (it was asked for on $banks): that is what empty banks "
        "hold.$no_allocated$no_cores_largest$no_cores_maybe",
        .products = OF_METAL),
    ROW(V(EXCEEDS_BANK), L1, "Give the op a DRAM memory config: the tensor takes $dram_room per bank that are free there.",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK), L1,
        "Give the op a DRAM memory config: $requested leave L1. Whether DRAM has room is not in this log.$no_dram_room",
        .products = OF_METAL),
    ROW(V(EXCEEDS_BANK), L1, "Freeing memory does not help: $need per bank is more than an empty bank holds.",
        .worth = ROW_REMARK),
    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), L1,
        "Work on less at once ($set_sequence): $need per bank are asked for, $largest fit.", .products = OF_XLA),

    /* L1_SMALL */
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "Open the device with $set_l1_small of at least $l1_small (now $bank).$l1_small_empty", .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "Open the device with $set_l1_small of at least $l1_small (now $bank); $l1_small_sure is certain to hold this request, "
        "wherever the free block lies.",
        .worth = ROW_ENOUGH),
    ROW(V(UNKNOWN), L1_SMALL,
        "Open the device with a larger $set_l1_small: $l1_small holds this request for certain (now $bank).",
        .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "L1_SMALL is fixed when tt-mlir is built (L1_SMALL_SIZE of its constants): a build with at least $l1_small holds this "
        "request (now $bank).$l1_small_empty",
        .products = OF_XLA, .source = CONSTANTS_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED) | V(UNKNOWN), L1_SMALL,
        "L1_SMALL is fixed when tt-mlir is built (L1_SMALL_SIZE of its constants): a build with $l1_small_sure holds this "
        "request for certain (now $bank).",
        .products = OF_XLA, .source = CONSTANTS_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED) | V(UNKNOWN), L1_SMALL,
        "Conv2dConfig(config_tensors_in_dram=True) keeps the tables of this op out of L1_SMALL: of the $need per bank "
        "asked for, those that are its own.",
        .ops = ADVICE_CONV, .products = OF_METAL, .source = CONV_SOURCE),
    ROW(V(UNKNOWN) | V(EXCEEDS_BANK), L1_SMALL, "Open the device with a larger $set_l1_small.$no_l1_small$within_l1"),
    ROW(V(EXCEEDS_BANK), L1_SMALL,
        "No size of L1_SMALL holds this: $need per bank is more than the L1 of a core ($l1_core). Ask for less at once: "
        "smaller "
        "inputs, or the work in parts.",
        .worth = ROW_REMARK),
    ROW(V(EXHAUSTED) | V(UNKNOWN), L1_SMALL,
        "The program cache keeps the L1_SMALL buffers of every convolution and pooling op: fewer distinct shapes need "
        "less."),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED), L1_SMALL,
        "Make it no larger than needed: L1_SMALL is taken from the L1 of every core, circular buffers and L1 tensors share the "
        "rest.$within_l1",
        .worth = ROW_REMARK),

    /* TRACE */
    ROW(V(EXCEEDS_BANK), TRACE,
        "Set $set_trace to at least $trace_all: $trace_all_bank on each of $banks banks$trace_others.$no_in_pieces",
        .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK), TRACE,
        "Set $set_trace to at least $trace_all: $trace_all_bank on each of $banks banks$trace_others; $trace_sure is certain "
        "to "
        "hold this one too, wherever the free block lies.$in_pieces",
        .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_BANK), TRACE,
        "Set $set_trace to at least $trace_need: $need on each of $banks banks, and what other traces hold.$no_trace_all"),
    ROW(V(EXHAUSTED), TRACE, "Make $set_trace larger by at least $trace_more; by $trace_need it is certain to hold this trace.",
        .worth = ROW_ENOUGH),
    ROW(V(FRAGMENTED) | V(UNKNOWN), TRACE,
        "Make $set_trace larger by $trace_need: that holds this trace wherever the free block lies.", .worth = ROW_ENOUGH),
    ROW(V(UNKNOWN), TRACE, "Set a larger $set_trace.$no_need"),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED) | V(UNKNOWN), TRACE,
        "Release traces that are no longer replayed: up to $held per bank are theirs."),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED) | V(UNKNOWN), TRACE,
        "Release traces that are no longer replayed.$no_allocated"),
    ROW(V(EXCEEDS_BANK) | V(EXHAUSTED) | V(FRAGMENTED) | V(UNKNOWN), TRACE, "Or run without traces: $set_no_trace.",
        .worth = ROW_ENOUGH),

    ROW(V(FRAGMENTED) | V(EXHAUSTED) | V(EXCEEDS_BANK), ANY,
        "Other figures of the message contradict each other: $contradiction. A copy of it elsewhere in the log may be whole.",
        .worth = ROW_REMARK),

    ROW(V(BELOW_LIMIT), ANY, "Free at least $short of L1 per core before this op, at its lowest addresses.",
        .products = OF_METAL, .worth = ROW_GOAL),
    ROW(V(BELOW_LIMIT), ANY, "Give the op a DRAM memory config. Whether DRAM has room is not in this message.",
        .products = OF_METAL),
    ROW(V(BELOW_LIMIT), ANY, "Use a sharded layout: only interleaved L1 buffers stop at address $limit.", .products = OF_METAL),

    ROW(V(UNKNOWN), DRAM,
        "Free tensors after their last use, hold weights and KV cache in bfloat8_b ($set_weights), reduce $set_sequence, lower "
        "$set_trace: $need per bank must come free in one piece.",
        .kinds = K(OOM)),
    ROW(V(UNKNOWN), DRAM,
        "Free tensors after their last use, hold weights and KV cache in bfloat8_b ($set_weights), reduce $set_sequence, lower "
        "$set_trace.$no_need"),
    ROW(V(UNKNOWN), OTHER,
        "Free tensors after their last use, hold weights and KV cache in bfloat8_b ($set_weights), reduce $set_sequence, lower "
        "$set_trace.",
        .kinds = K(OOM) | K(XLA)),
    ROW(V(UNKNOWN), L1,
        "Give the op a DRAM memory config, deallocate L1 tensors that are no longer used, or spread the tensor over "
        "more cores.",
        .products = OF_METAL),
    ROW(V(UNKNOWN), ANY,
        "Whether memory was exhausted or fragmented cannot be known without the allocator's figures, which "
        "tt-metal has printed since 2026.$no_statistics",
        .worth = ROW_REMARK),
    ROW(V(UNKNOWN), ANY,
        "The request fits the largest free block ($fitting), so something else refused it: an address limit, or dependencies "
        "between allocators.",
        .worth = ROW_REMARK),
    ROW(V(UNKNOWN) | V(CLASH) | V(EXCEEDS_L1), ANY,
        "The figures are missing: builds of early 2024 left the placeholders unfilled, another build prints them.$unfilled",
        .worth = ROW_REMARK),
    {.text = NULL},
};
