/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about circular and dataflow buffers, kernels and other memory in the L1 of a core. */
#include "analysis/failure/advice_rows.h"

#define SDPA_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/transformer, SDPAProgramConfig"
#define CONV_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/conv/conv2d, Conv2dConfig"
#define MATMUL_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/matmul, MatmulMultiCoreReuseMultiCastProgramConfig"
#define NORM_SOURCE "tt-metal: ttnn/cpp/ttnn/operations/normalization, LayerNormShardedMultiCoreProgramConfig"
#define ETHERNET_SOURCE "tt-metal: llrt/hal, kernel config buffers of Ethernet cores; llrt/rtoptions"
#define LEVELS_SOURCE "tt-xla: docs/source/performance.md, Optimization Levels"
#define KERNEL_SOURCE "tt-xla: pjrt_implementation/src/api/compile_options.cc, fp32_dest_acc_en"

const struct advice_row advice_rows_buffers[] = {
    /* tt-metal: the op's own settings */
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Lower q_chunk_size and k_chunk_size of the SDPAProgramConfig until its $buffers, which hold chunks of them, are "
        "$overlap per core smaller.",
        .ops = ADVICE_SDPA, .products = OF_METAL, .source = SDPA_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(CLASH) | V(EXCEEDS_L1) | V(EXCEEDS_LIMIT), ANY,
        "Lower q_chunk_size and k_chunk_size of the SDPAProgramConfig: the circular buffers hold chunks of them.$no_overlap",
        .ops = ADVICE_SDPA, .products = OF_METAL, .source = SDPA_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Lower act_block_h_override of the Conv2dConfig (a multiple of 32) until its $buffers are $overlap per core smaller, "
        "and "
        "set deallocate_activation=True where the input is not used again.",
        .ops = ADVICE_CONV, .products = OF_METAL, .source = CONV_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(CLASH) | V(EXCEEDS_L1) | V(EXCEEDS_LIMIT), ANY,
        "Lower act_block_h_override of the Conv2dConfig (a multiple of 32), and set deallocate_activation=True where the input "
        "is not used again.$no_overlap",
        .ops = ADVICE_CONV, .products = OF_METAL, .source = CONV_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Lower in0_block_w first, then per_core_M and per_core_N with out_subblock_h and out_subblock_w, of the matmul's "
        "program config, until its $buffers are $overlap per core smaller.",
        .ops = ADVICE_MATMUL, .products = OF_METAL, .source = MATMUL_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Lower in0_block_w first, then per_core_M and per_core_N with out_subblock_h and out_subblock_w, of the matmul's "
        "program config.$no_overlap",
        .ops = ADVICE_MATMUL, .products = OF_METAL, .source = MATMUL_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Shard the input over more cores (block_w of its LayerNormShardedMultiCoreProgramConfig lower), until the $buffers are "
        "$overlap per core smaller.",
        .ops = ADVICE_NORM, .products = OF_METAL, .source = NORM_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Shrink the $buffers of this op by at least $overlap per core: $blocks, no double buffering, or more "
        "cores.$more_cores",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Shrink the $buffers of this op by at least $overlap per core: $blocks, or no double buffering; all "
        "cores are used already.$all_cores",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Shrink the $buffers of this op by at least $overlap per core: $blocks, or no double "
        "buffering.$maybe_all_cores",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Move to DRAM or deallocate all L1 tensors that reach below address $end on these cores; the lowest begins at "
        "$address, $overlap below it.",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Lower $set_l1_small by at least $overlap (now $l1_small_now, not used): L1 tensors lie below it and move up.",
        .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Reduce $set_l1_small by at least $overlap_small if it has that much to spare: L1 tensors lie below it and move up."),
    ROW(V(CLASH), ANY, "Shrink the $buffers of this op, or move the L1 tensors of these cores to DRAM.$no_overlap",
        .products = OF_METAL),
    ROW(V(EXCEEDS_L1), ANY,
        "Shrink the $buffers of this op by at least $overlap per core: $blocks, no double buffering, smaller "
        "data type.",
        .products = OF_METAL, .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_L1), ANY,
        "Spread the op over more cores or split it; a row that a kernel keeps whole in L1 can be processed in "
        "parts.$more_cores",
        .products = OF_METAL),
    ROW(V(EXCEEDS_L1), ANY,
        "Split the op: all cores are used already; a row that a kernel keeps whole in L1 can be processed in "
        "parts.$all_cores",
        .products = OF_METAL),
    ROW(V(EXCEEDS_L1), ANY, "Split the op: a row that a kernel keeps whole in L1 can be processed in parts.$maybe_all_cores",
        .products = OF_METAL),

    /* TT-XLA: the compiler and the runtime choose blocks and layouts */
    ROW(V(CLASH), ANY,
        "Compile with the tensors in DRAM: $set_optimizer. The $buffers, which end at $end, then have the L1 to themselves, "
        "but "
        "for L1_SMALL above $l1_room.",
        .products = OF_XLA, .source = LEVELS_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(CLASH), ANY,
        "Compile with the tensors in DRAM: $set_optimizer. The $buffers then have the L1 to themselves, but for L1_SMALL; "
        "$overlap per core are missing now.$no_l1_room",
        .products = OF_XLA, .source = LEVELS_SOURCE),
    ROW(V(CLASH), ANY, "Compile with the tensors in DRAM: $set_optimizer.$no_overlap", .products = OF_XLA,
        .source = LEVELS_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "Let kernels accumulate in bfloat16 ($set_accumulate): $buffers of float32 results become half as large; $overlap per "
        "core "
        "are missing. It costs accuracy.",
        .products = OF_XLA, .source = KERNEL_SOURCE),
    ROW(V(CLASH) | V(EXCEEDS_L1) | V(EXCEEDS_LIMIT), ANY,
        "Change the model around this op: a smaller last dimension, its work in parts, a smaller $set_sequence or data "
        "type.",
        .kinds = K(CB_CLASH) | K(DFB_CLASH) | K(CB_BEYOND_L1) | K(DFB_BEYOND_L1) | K(OP_L1) | K(DFB_OP), .products = OF_XLA),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "No setting of TT-XLA gives the block sizes of an op: tt-metal chooses them, and this message is what its developers "
        "need.",
        .products = OF_XLA, .worth = ROW_REMARK),
    ROW(V(EXCEEDS_L1), ANY, "Moving tensors to DRAM does not help: the $buffers alone are larger than the L1 of a core.",
        .worth = ROW_REMARK),
    ROW(V(CLASH) | V(EXCEEDS_L1), ANY,
        "The program was refused before it ran: the device is as it was, another configuration can be tried in the same "
        "process.",
        .phases = P(PROGRAM_COMPILE), .worth = ROW_REMARK),

    /* checks made by an op, a kernel or a fixed part of L1 */
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Give the op at least $short per core less to hold: smaller chunks or pages, a smaller data type, or an input "
        "that is sharded over more cores.",
        .kinds = K(OP_L1) | K(DFB_OP), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Make the global circular buffer hold at least $count blocks for each receiver (now $count_limit).", .kinds = K(OP_L1),
        .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Work along another dimension or in parts: what must lie in L1 at once is a row or a page of the tensor.$no_short",
        .kinds = K(OP_L1) | K(DFB_OP)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Moving tensors to DRAM does not help: the buffers of this op alone are larger than what a core has.",
        .kinds = K(OP_L1) | K(DFB_OP), .worth = ROW_REMARK),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Use at most $banks shards ($count were asked for): larger shards, or a grid with as many cores.",
        .kinds = K(L1_SHARDS), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Ask for at least $short less in this arena, and for what it holds already: it is a fixed part of L1 that tensors do "
        "not share, and the message does not say how much of it is in use.",
        .kinds = K(L1_ZONE)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Ask for less in this arena, or free what it holds: it is a fixed part of L1 that tensors do not share.$no_short",
        .kinds = K(L1_ZONE)),
    ROW(V(RULE), ANY, "Correct the circular buffer of this op: $rule. At most $limit_bytes fit.$buffer_rule",
        .kinds = K(CB_RULE), .worth = ROW_ENOUGH),
    ROW(V(RULE), ANY, "Correct the circular buffer of this op: $rule. It must be a multiple of $limit_bytes.$page_rule",
        .kinds = K(CB_RULE), .worth = ROW_ENOUGH),
    ROW(V(RULE), ANY, "Correct the circular buffer of this op: $rule.$other_rule", .kinds = K(CB_RULE), .worth = ROW_ENOUGH),
    ROW(V(RULE), ANY,
        "A kernel then writes over what lies after the buffer: wrong results or a hang later, not an error here.$warns",
        .worth = ROW_REMARK),

    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "On Tensix cores, open the device with a $set_worker_l1 smaller by at least $short: the kernel config buffer is what "
        "is left of L1 below it.$tensix",
        .worth = ROW_ENOUGH),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Make the program smaller by at least $short: fewer fused ops, less unrolling, fewer runtime arguments.$tensix",
        .worth = ROW_ENOUGH),
    ROW(V(KERNEL_CONFIG_SHORT), ANY, "Run without watcher and device profiler: they enlarge every kernel.$tensix"),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Make the kernels of the Ethernet cores smaller by $short: their kernel config buffer is fixed, no setting of the "
        "device enlarges it. Fewer links or channels per kernel, shorter runtime arguments.$ethernet",
        .source = ETHERNET_SOURCE, .worth = ROW_ENOUGH),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Run without watcher and device profiler on Ethernet cores (TT_METAL_WATCHER_DISABLE_ETH=1): they enlarge every "
        "kernel.$ethernet",
        .source = ETHERNET_SOURCE),
    ROW(V(KERNEL_CONFIG_SHORT), ANY,
        "Make the program smaller: fewer fused ops, less unrolling, fewer runtime arguments.$no_short"),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Make the code or data of $kernel smaller by at least $short: less unrolling and inlining, fewer fused ops, "
        "-Os.",
        .kinds = K(KERNEL_BINARY), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY, "Run without watcher, device profiler and DPRINT: they enlarge every kernel.",
        .kinds = K(KERNEL_BINARY)),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Pass at most $count_limit arguments to $kernel (now $count): put lists into a tensor, or split the work over more "
        "kernels.",
        .kinds = K(RUNTIME_ARGS), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY,
        "Pass fewer unique runtime arguments, by at least $short: common arguments or a tensor hold what all cores share.",
        .kinds = K(RUNTIME_ARGS), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY, "Use at most $count_limit semaphores in this program: split fused ops, or let phases share one.",
        .kinds = K(SEMAPHORES), .worth = ROW_ENOUGH),
    ROW(V(EXCEEDS_LIMIT), ANY, "Use fewer semaphores in this program: split fused ops, or let phases share one.$no_count_limit",
        .kinds = K(SEMAPHORES)),
    {.text = NULL},
};
