/* SPDX-License-Identifier: Apache-2.0 */
/* What single ops print before they build circular buffers that do not fit into L1. Texts from ttnn/cpp/ttnn/operations,
 * ttnn/core and tt-train, 2025 and 2026. */
#include "parse/failure/forms.h"

static const struct failure_step page_values[] = {
    FAR(REQUESTED, "page size (", "B"),
    FAR(LIMIT, "L1 capacity (", "B"),
    {0},
};

static const struct failure_step chunk_values[] = {
    FAR(REQUESTED, "=", "B"),
    FAR(LIMIT, "L1 capacity (", "B"),
    {0},
};

static const struct failure_step slice_values[] = {
    FAR(REQUESTED, "required CB size", "B"),
    FAR(LIMIT, "L1 budget", "B"),
    {0},
};

static const struct failure_step staging_values[] = {
    FAR(REQUESTED, "need at least", "B dest"),
    STEP(ADD, REQUESTED, "+", "B source"),
    FAR(LIMIT, "have", "B"),
    {0},
};

static const struct failure_step workload_values[] = {
    FAR(REQUESTED, "Workload of Tiles", "at Tile"),
    STEP(TIMES, REQUESTED, "Tile Size", "("),
    STEP(TIMES, REQUESTED, "(times", "for"),
    FAR(LIMIT, "L1 capacity", NULL),
    {0},
};

static const struct failure_step stick_values[] = {
    FAR(REQUESTED, "nbytes=", NULL),
    FAR(LIMIT, "l1_for_cb=", NULL),
    {0},
};

static const struct failure_step plan_values[] = {
    FAR(REQUESTED, "minimum_bytes=", ","),
    FAR(LIMIT, "budget=", ")"),
    {0},
};

static const struct failure_step budget_values[] = {
    FAR(REQUESTED, "tensor page", "B"),
    FAR(LIMIT, "L1 budget", "B"),
    {0},
};

static const struct failure_step data_cb_values[] = {
    FAR(REQUESTED, "data CB", "B"),
    STEP(ADD, REQUESTED, "metadata CB", "B"),
    STEP(ADD, REQUESTED, "scratch reserve", "B"),
    FAR(LIMIT, "free L1", "B"),
    {0},
};

static const struct failure_step data_only_values[] = {
    FAR(REQUESTED, "data CB", "B"),
    STEP(ADD, REQUESTED, "scratch reserve", "B"),
    FAR(LIMIT, "free L1", "B"),
    {0},
};

static const struct failure_step slicing_values[] = {
    NAME("configuration failed for", NULL),
    FAR(LIMIT, "Available L1:", "bytes"),
    {0},
};

static const struct failure_step named_values[] = {
    NAME("circular buffer memory for", NULL),
    {0},
};

static const struct failure_step ffn_values[] = {
    FAR(REQUESTED, "need", "B but"),
    FAR(LIMIT, "but only", "B"),
    {0},
};

static const struct failure_step block_values[] = {
    FAR(LIMIT, "%:", "B"),
    FAR(REQUESTED, "in0_block_w=1):", "B"),
    {0},
};

static const struct failure_step negate_values[] = {
    FAR(REQUESTED, "cb_ineg (", "B"),
    FAR(LIMIT, "available L1 (", "B"),
    {0},
};

static const struct failure_step gram_values[] = {
    FAR(LIMIT, "L1_BUDGET=", "bytes"),
    {0},
};

static const struct failure_step indices_values[] = {
    FAR(REQUESTED, "page size", "exceeds"),
    FAR(LIMIT, "size", NULL),
    {0},
};

static const struct failure_step kv_chunk_values[] = {
    FAR(SEQ_LEN, "kv_actual_global (", ")"),
    STEP(ADD, SEQ_LEN, "chunk_global (", ")"),
    FAR(SEQ_FITS, "capacity (", ")"),
    {0},
};

static const struct failure_step kv_valid_values[] = {
    FAR(SEQ_LEN, "valid_global (", ")"),
    FAR(SEQ_FITS, "capacity (", ")"),
    {0},
};

static const struct failure_step kv_logical_values[] = {
    FAR(SEQ_LEN, "logical_n=", ","),
    FAR(SEQ_FITS, "cache capacity=", NULL),
    {0},
};

static const struct failure_step auto_slice_values[] = {
    FAR(LIMIT, "Available L1:", "bytes"),
    {0},
};

static const struct failure_step staging_l1_values[] = {
    FAR(REQUESTED, "buffer requires", "L1 bytes"),
    FAR(LIMIT, "per-core L1 is", "bytes"),
    {0},
};

static const struct failure_step largest_values[] = {
    FAR(REQUESTED, "largest tensor", "must"),
    FAR(LIMIT, "global cb", NULL),
    {0},
};

static const struct failure_step in_flight_values[] = {
    FAR(COUNT, "pipelines", "in1"),
    FAR(COUNT_LIMIT, "holds only", ";"),
    {0},
};

static const struct failure_step split_values[] = {
    FAR(REQUESTED, "(need ~", "B"),
    FAR(LIMIT, "have", "B"),
    {0},
};

static const struct failure_step depth_values[] = {
    FAR(LIMIT, "(only", "B"),
    {0},
};

#define SLICED "The op does not fit L1, however it is sliced"
#define CACHE_FULL "The KV cache holds fewer tokens than are written to it"
#define NEEDS_MORE "The op's circular buffers need more L1 than a core has"
#define PAGE_OF_SERVICE "A tensor's page does not fit the circular buffer of a service core"
#define CBS_OF_SERVICE "The circular buffers of a service do not fit the L1 that its core has left"

/* clang-format off: one row per wording */
const struct failure_form failure_forms_ops[] = {
    {WHAT(OP_L1, "ttnn.concat: required CB page size", "exceeds", NEEDS_MORE, page_values), .op = "ttnn.concat"},
    {WHAT(OP_L1, "ttnn.concat: double-buffered tile-height chunk", "exceeds", NEEDS_MORE, chunk_values), .op = "ttnn.concat"},
    {WHAT(OP_L1, "Not enough circular buffer for", "inputs", "The op has more inputs than circular buffers", NULL),
     .op = "ttnn.concat"},
    {WHAT(OP_L1, "ttnn::slice: required CB size", "exceeds", NEEDS_MORE, slice_values), .op = "ttnn.slice"},
    {WHAT(OP_L1, "ttnn::slice: L1 budget", "too small for sub-row chunking", NEEDS_MORE, NULL), .op = "ttnn.slice"},
    {WHAT(OP_L1, "RM reshape dest staging does not fit in L1", NULL, NEEDS_MORE, staging_values), .op = "ttnn.reshape"},
    {WHAT(OP_L1, "L1 ceiling (", "must exceed base", NEEDS_MORE, NULL), .op = "ttnn.reshape"},
    {WHAT(OP_L1, "Workload of Tiles", "exceeds L1 capacity", NEEDS_MORE, workload_values),
     .op = "ttnn.experimental.create_qkv_heads"},
    {WHAT(OP_L1, "Workload exceeds L1 capacity", NULL, NEEDS_MORE, NULL),
     .op = "ttnn.experimental.create_qkv_heads_from_separate_tensors"},
    {WHAT(OP_L1, "Not enough L1 for even a single CB page", NULL, NEEDS_MORE, stick_values), .op = "ttnn.rotate"},
    {WHAT(OP_L1, "untilize codegen: single-buffer CB plan exceeds L1", NULL, NEEDS_MORE, plan_values), .op = "ttnn.untilize"},
    {WHAT(OP_L1, "not enough circular buffer memory for", NULL, NEEDS_MORE, named_values)},
    {WHAT(OP_L1, "Not enough cores or cache size available to run TopK", NULL, NEEDS_MORE, NULL), .op = "ttnn.topk"},
    {WHAT(OP_L1, "DRAM slicing configuration failed for", NULL, SLICED, slicing_values)},
    {WHAT(OP_L1, "non_zero_indices: indices staging buffer requires", NULL, NEEDS_MORE, staging_l1_values),
     .op = "ttnn.nonzero"},
    {WHAT(OP_L1, "largest tensor", "must fit in global cb", "A tensor is larger than the prefetcher's global circular buffer",
          largest_values),
     .op = "ttnn.dram_prefetcher"},
    {WHAT(OP_L1, "stream_in1 pipelines", "the global circular buffer must",
          "The global circular buffer holds fewer blocks than are in flight", in_flight_values),
     .op = "ttnn.matmul"},
    {WHAT(OP_L1, "ttnn.split: L1 budget exceeded", NULL, "The parts do not fit L1, they go to DRAM", split_values),
     .op = "ttnn.split", .warning = true},
    {WHAT(OP_L1, "CircularBuffer depth reduced due to L1 pressure", NULL,
          "Circular buffers are smaller than planned: L1 is full", depth_values),
     .warning = true},
    {WHAT(OP_L1, "DRAM Auto slice could not find valid slice configuration", NULL, SLICED, auto_slice_values)},
    {WHAT(OP_L1, "Cannot fit Pool2D operation in L1 memory", NULL, SLICED, NULL), .op = "ttnn.pool2d"},
    {WHAT(OP_L1, "Cannot fit mcast gram matmul in L1", NULL, NEEDS_MORE, gram_values), .op = "ttml.gram_matmul"},
    {WHAT(OP_L1, "best_in0_block_w: no in0_block_w divides", NULL, NEEDS_MORE, block_values),
     .op = "ttnn.experimental.routed_expert_ffn"},
    {WHAT(OP_L1, "unified_routed_expert_ffn: per-core CBs do not fit in L1", NULL, NEEDS_MORE, ffn_values),
     .op = "ttnn.experimental.unified_routed_expert_ffn"},
    {WHAT(OP_L1, "Negate H reduce: cb_acc + cb_ineg", NULL, NEEDS_MORE, negate_values), .op = "ttnn.reduce"},
    {WHAT(OP_L1, "Negate H reduce: L1 base allocator address", "no room for CBs", NEEDS_MORE, NULL), .op = "ttnn.reduce"},
    {WHAT(OP_L1, "Reader indices buffer page size", "exceeds", NEEDS_MORE, indices_values)},
    {WHAT(OP_L1, "Config tensor buffer page size", "exceeds max expected size", NEEDS_MORE, indices_values)},
    {WHAT(OP_L1, "H2DStreamService: tensor page", "exceeds service-core", PAGE_OF_SERVICE, budget_values)},
    {WHAT(OP_L1, "D2HStreamService: tensor page", "exceeds service-core", PAGE_OF_SERVICE, budget_values)},
    {WHAT(OP_L1, "H2DStreamService: data CB", "exceeds service-core free L1", CBS_OF_SERVICE, data_cb_values)},
    {WHAT(OP_L1, "D2HStreamService: data CB", "exceeds service-core free L1", CBS_OF_SERVICE, data_only_values)},
    {WHAT(OP_L1, "reader_cb_size must not be larger than global cb", NULL,
          "The prefetcher's circular buffer is larger than the global one", NULL),
     .op = "ttnn.dram_prefetcher"},
    {WHAT(KV_CACHE, "kv_actual_global (", "would overflow global cache capacity", CACHE_FULL, kv_chunk_values)},
    {WHAT(KV_CACHE, "valid_global (", "exceeds cache capacity", CACHE_FULL, kv_valid_values)},
    {WHAT(KV_CACHE, "KV-pad-aware rotation logical_n exceeds physical K/V cache capacity", NULL, CACHE_FULL,
          kv_logical_values)},
    {.start = NULL},
};
