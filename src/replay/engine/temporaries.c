/* SPDX-License-Identifier: Apache-2.0 */
/* What ops take on the way and give back when they end. Each rule names the place in tt-metal that it follows. */
#include "base/num.h"
#include "replay/engine/op_table.h"
#include "replay/ir/attribute.h"

enum { TILE = 32 };

static bool is_bfp8(const struct ir_type *type) {
    return slice_equal(type->type.storage, SLICE("bfp_bf8")) || slice_equal(type->type.storage, SLICE("bfp_f8"));
}

static bool is_tiled(const struct ir_type *type) { return type && type->type.tiled; }

static bool is_float(const struct ir_type *type) {
    return slice_starts(type->type.storage, SLICE("f")) || slice_starts(type->type.storage, SLICE("bf"));
}

static struct slice properties(const struct op_run *x) { return x->op->properties; }

static bool always(const struct op_run *x) { return op_run_in(x, 0) && op_run_out(x, 0); }

/* Copies of the operand and of the result in bf16 around an op that does not support block formats. */
static void through_bf16(struct op_run *x) {
    struct ir_type in = ir_type_element(op_run_in(x, 0), SLICE("bf16")), out = ir_type_element(op_run_out(x, 0), SLICE("bf16"));
    op_run_temporary(x, &in);
    op_run_temporary(x, &out);
    op_run_results(x);
}

/* reshape: the map belongs to the bf16 tensors. */
static bool reshape_of_block_floats(const struct op_run *x) {
    return always(x) && is_tiled(op_run_in(x, 0)) && ir_is_block_float(op_run_in(x, 0));
}

static void make_reshape_of_block_floats(struct op_run *x) {
    struct ir_type in = ir_type_element(op_run_in(x, 0), SLICE("bf16")), out = ir_type_element(op_run_out(x, 0), SLICE("bf16"));
    op_run_temporary(x, &in);
    op_run_temporary(x, &out);
    op_run_reshape_map(x, &in, &out);
    op_run_results(x);
}

static bool reshape_of_tiles(const struct op_run *x) { return always(x) && is_tiled(op_run_in(x, 0)); }

static void make_reshape_of_tiles(struct op_run *x) {
    op_run_results(x);
    op_run_reshape_map(x, op_run_in(x, 0), op_run_out(x, 0));
}

/* Fewer than four dimensions are padded to four with leading ones; more than four have kernels that take block formats. */
enum { KERNEL_RANK = 4 };

static bool permute_of_bfp8(const struct op_run *x) {
    static const int64_t direct[][KERNEL_RANK] = {{0, 1, 3, 2}, {1, 0, 2, 3}, {1, 0, 3, 2}};
    int64_t given[KERNEL_RANK], order[KERNEL_RANK];
    if (!always(x) || !is_bfp8(op_run_in(x, 0)) || op_run_in(x, 0)->rank > KERNEL_RANK) return false;
    unsigned n = attribute_numbers(properties(x), "permutation", given, KERNEL_RANK), ones = KERNEL_RANK - n;
    for (unsigned i = 0; i < KERNEL_RANK; i++) order[i] = i < ones ? i : given[i - ones] + (given[i - ones] < 0 ? n : 0) + ones;
    for (unsigned i = 0; i < sizeof direct / sizeof *direct; i++)
        if (memcmp(order, direct[i], sizeof order) == 0) return false;
    return true;
}

/* The last two dimensions, or the first two of four, are swapped by their own kernels. */
static bool transpose_of_bfp8(const struct op_run *x) {
    if (!always(x) || !is_bfp8(op_run_in(x, 0)) || op_run_in(x, 0)->rank > KERNEL_RANK) return false;
    int64_t rank = op_run_in(x, 0)->rank;
    int64_t a = attribute_number(properties(x), "dim0", 0), b = attribute_number(properties(x), "dim1", 0);
    if (a < 0) a += rank;
    if (b < 0) b += rank;
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    bool last_two = low == rank - 2 && high == rank - 1, first_two = rank == KERNEL_RANK && low == 0 && high == 1;
    return !last_two && !first_two;
}

static bool slice_not_on_tiles(const struct op_run *x) {
    int64_t begin[IR_MAX_RANK], step[IR_MAX_RANK];
    const struct ir_type *in = op_run_in(x, 0);
    if (!always(x) || !is_tiled(in)) return false;
    if (in->rank < 2) return true;
    unsigned begins = attribute_numbers(properties(x), "begins", begin, IR_MAX_RANK);
    unsigned steps = attribute_numbers(properties(x), "step", step, IR_MAX_RANK);
    for (unsigned i = 0; i < steps; i++)
        if (step[i] != 1) return true;
    for (unsigned i = begins < 2 ? 0 : begins - 2; i < begins; i++)
        if (begin[i] % TILE != 0) return true;
    return false;
}

static bool slice_dynamically(const struct op_run *x) { return always(x) && is_tiled(op_run_in(x, 0)); }

static void make_slice_of_rows(struct op_run *x) {
    struct ir_type in = ir_type_row_major(op_run_in(x, 0)), out = ir_type_row_major(op_run_out(x, 0));
    op_run_temporary(x, &in);
    op_run_temporary(x, &out);
    op_run_results(x);
}

/* The dimension that an op works on, counted from the front; the rank if it is not given or out of range. */
static unsigned dim_of(const struct op_run *x, unsigned rank) {
    int64_t dim = attribute_number(properties(x), "dim", -1);
    if (dim < 0) dim += rank;
    return dim < 0 || dim >= rank ? rank : (unsigned)dim;
}

static bool concat_not_on_tiles(const struct op_run *x) {
    const struct ir_type *out = op_run_out(x, 0);
    if (!always(x) || !is_tiled(out)) return false;
    unsigned dim = dim_of(x, out->rank);
    if (dim + 2 < out->rank || dim >= out->rank) return false;
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        const struct ir_type *in = op_run_in(x, i);
        if (in && in->rank == out->rank && in->dims[dim] % TILE != 0) return true;
    }
    return false;
}

static struct ir_type transposed(const struct ir_type *type, unsigned a, unsigned b) {
    uint64_t dims[IR_MAX_RANK];
    memcpy(dims, type->dims, sizeof dims);
    if (a < type->rank && b < type->rank) {
        dims[a] = type->dims[b];
        dims[b] = type->dims[a];
    }
    return ir_type_make(type, dims, type->rank, type->type.storage, type->type.tiled);
}

static void make_concat_of_rows(struct op_run *x) {
    const struct ir_type *out = op_run_out(x, 0);
    unsigned rank = out->rank, align = op_run_dram_align(x);
    bool last = dim_of(x, rank) + 1 == rank, turned = false;
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        const struct ir_type *in = op_run_in(x, i);
        if (!in) continue;
        struct ir_type rows = ir_type_row_major(in);
        turned = turned || (last && align && rows.type.page_bytes % align != 0);
        op_run_temporary(x, &rows);
    }
    struct ir_type result = ir_type_row_major(out);
    if (turned && rank >= 2) {
        for (uint32_t i = 0; i < x->op->operand_count; i++) {
            const struct ir_type *in = op_run_in(x, i);
            if (!in) continue;
            struct ir_type rows = ir_type_row_major(in), across = transposed(&rows, rank - 1, rank - 2);
            op_run_temporary(x, &across);
        }
        struct ir_type across = transposed(&result, rank - 1, rank - 2);
        op_run_temporary(x, &across);
    }
    op_run_temporary(x, &result);
    op_run_results(x);
}

static bool repeat_not_on_tiles(const struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0);
    return always(x) && is_tiled(in) && (ir_dim_back(in, 0) % TILE != 0 || ir_dim_back(in, 1) % TILE != 0);
}

static void make_repeat_of_rows(struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0), *out = op_run_out(x, 0);
    struct ir_type rows = ir_type_row_major(in);
    uint32_t last = op_run_temporary(x, &rows);
    for (unsigned i = in->rank; i-- > 0 && in->rank == out->rank;) {
        if (out->dims[i] == in->dims[i]) continue;
        rows.dims[i] = out->dims[i];
        struct ir_type longer = ir_type_make(&rows, rows.dims, rows.rank, rows.type.storage, false);
        uint32_t next = op_run_temporary(x, &longer);
        op_run_let_go(x, last);
        last = next;
    }
    op_run_results(x);
}

/* A set of dimensions as bits. */
static uint32_t reduced_dims(const struct op_run *x, unsigned rank) {
    int64_t dims[IR_MAX_RANK];
    unsigned n = attribute_numbers(properties(x), "dim_arg", dims, IR_MAX_RANK);
    uint32_t set = 0;
    for (unsigned i = 0; i < n; i++) {
        int64_t dim = dims[i] < 0 ? dims[i] + rank : dims[i];
        if (dim >= 0 && dim < rank) set |= 1u << dim;
    }
    return n ? set : (1u << rank) - 1;
}

static bool reduce_both_last(const struct op_run *x) {
    if (!always(x)) return false;
    unsigned rank = op_run_in(x, 0)->rank;
    return rank >= 2 && reduced_dims(x, rank) == 3u << (rank - 2);
}

static void make_reduce_both_last(struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0);
    uint64_t dims[IR_MAX_RANK];
    memcpy(dims, in->dims, sizeof dims);
    dims[in->rank - 1] = 1;
    struct ir_type column = ir_type_make(in, dims, in->rank, in->type.storage, in->type.tiled);
    op_run_temporary(x, &column);
    op_run_results(x);
}

static bool reduce_others(const struct op_run *x) {
    if (!always(x)) return false;
    unsigned rank = op_run_in(x, 0)->rank;
    if (rank < 2) return false;
    uint32_t set = reduced_dims(x, rank);
    return set && set != 1u << (rank - 1) && set != 1u << (rank - 2) && set != 3u << (rank - 2);
}

/* Axis by axis from the last: an axis before the last two is moved to the second-last place and back. */
static void make_reduce_others(struct op_run *x) {
    struct ir_type now = *op_run_in(x, 0);
    unsigned rank = now.rank;
    uint32_t set = reduced_dims(x, rank), last = BUFFER_NO;
    now = ir_type_make(&now, now.dims, rank, now.type.storage, now.type.tiled);
    for (unsigned axis = rank; axis-- > 0;) {
        if (!(set >> axis & 1)) continue;
        set &= ~(1u << axis);
        bool turn = axis + 2 < rank;
        struct ir_type turned = turn ? transposed(&now, axis, rank - 2) : now;
        uint32_t before = last;
        if (turn) {
            last = op_run_temporary(x, &turned);
            op_run_let_go(x, before);
            before = last;
        }
        turned.dims[turn ? rank - 2 : axis] = 1;
        struct ir_type reduced = ir_type_make(&turned, turned.dims, rank, turned.type.storage, turned.type.tiled);
        now.dims[axis] = 1;
        now = ir_type_make(&now, now.dims, rank, now.type.storage, now.type.tiled);
        if (!set && !turn) break; /* this is the result */
        last = op_run_temporary(x, &reduced);
        op_run_let_go(x, before);
        if (!set || !turn) continue;
        before = last;
        last = op_run_temporary(x, &now);
        op_run_let_go(x, before);
    }
    op_run_results(x);
}

static bool transposes_operand(const struct op_run *x) {
    return attribute_is(properties(x), "transpose_a", "true") || attribute_is(properties(x), "transpose_b", "true");
}

static bool has_bias_of_rows(const struct op_run *x) {
    const struct ir_type *bias = op_run_in(x, 2);
    if (!always(x) || !bias) return false;
    for (unsigned i = 0; i + 1 < bias->rank; i++)
        if (bias->dims[i] != 1) return true;
    return false;
}

static void make_result_twice(struct op_run *x) {
    op_run_temporary(x, op_run_out(x, 0));
    op_run_results(x);
}

static bool embedding_of_tiles(const struct op_run *x) { return always(x) && is_tiled(op_run_in(x, 1)); }

static void make_embedding_of_tiles(struct op_run *x) {
    const struct ir_type *indices = op_run_in(x, 0), *out = op_run_out(x, 0);
    struct ir_type weights = ir_type_row_major(op_run_in(x, 1));
    op_run_temporary(x, &weights);
    if (ir_dim_back(indices, 0) % TILE != 0 && is_tiled(out)) {
        struct ir_type rows = ir_type_row_major(out);
        op_run_temporary(x, &rows);
    }
    op_run_results(x);
}

static struct ir_type in_dram(const struct ir_type *type, const uint64_t *dims) {
    struct ir_type made = ir_type_make(type, dims, type->rank, type->type.storage, type->type.tiled);
    made.type.buffer = BUFFER_DRAM;
    return made;
}

/* Two chips make no ring, whatever is requested (get_usable_topology, ccl_common.cpp). */
static bool may_be_ring(const struct op_run *x) {
    uint64_t chips = ir_mesh_axis(x->ir, attribute_number(properties(x), "cluster_axis", -1));
    return !chips || chips > 2;
}

/* Without a topology in the module it is that of the fabric, which is set up when the device is opened. */
static bool topology_is_known(const struct op_run *x) {
    return always(x) && (!may_be_ring(x) || attribute_text(properties(x), "topology").len);
}

static void make_reduce_scatter(struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0);
    uint64_t dims[IR_MAX_RANK];
    memcpy(dims, in->dims, sizeof dims);
    struct slice topology = attribute_text(properties(x), "topology");
    bool wraps = slice_find(topology, SLICE("<ring>")) != SLICE_NONE || slice_find(topology, SLICE("<torus>")) != SLICE_NONE;
    if (in->rank && !(wraps && may_be_ring(x))) dims[0] *= 2; /* a line */
    struct ir_type between = in_dram(in, dims);
    op_run_results(x);
    op_run_temporary(x, &between);
}

static void make_all_reduce(struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0);
    uint64_t dims[IR_MAX_RANK], devices = op_run_devices(x);
    memcpy(dims, in->dims, sizeof dims);
    struct ir_type whole = in_dram(in, dims);
    op_run_temporary(x, &whole);
    if (in->rank) dims[in->rank - 1] = num_ceil_div(dims[in->rank - 1], devices ? devices : 1);
    struct ir_type part = in_dram(in, dims);
    op_run_temporary(x, &part);
    op_run_results(x);
}

static bool is_row_major(const struct ir_type *type) { return type && !type->type.tiled; }

static bool first_is_row_major(const struct op_run *x) { return always(x) && is_row_major(op_run_in(x, 0)); }

static void make_group_norm_of_rows(struct op_run *x) {
    struct ir_type tiles = ir_type_tiled(op_run_in(x, 0));
    op_run_temporary(x, &tiles);
    if (!is_tiled(op_run_out(x, 0))) {
        struct ir_type result = ir_type_tiled(op_run_out(x, 0));
        op_run_temporary(x, &result);
    }
    op_run_results(x);
}

static bool mask_of_other_type(const struct op_run *x) {
    return always(x) && !slice_equal(op_run_in(x, 0)->type.storage, op_run_out(x, 0)->type.storage);
}

static void make_mask_cast(struct op_run *x) {
    struct ir_type cast = ir_type_element(op_run_in(x, 0), op_run_out(x, 0)->type.storage);
    op_run_temporary(x, &cast);
    op_run_results(x);
}

static bool integer_with_float(const struct op_run *x) {
    const struct ir_type *a = op_run_in(x, 0), *b = op_run_in(x, 1);
    return always(x) && b && is_float(a) != is_float(b);
}

static void make_integer_cast(struct op_run *x) {
    const struct ir_type *a = op_run_in(x, 0), *b = op_run_in(x, 1);
    struct ir_type cast = is_float(a) ? ir_type_element(b, a->type.storage) : ir_type_element(a, b->type.storage);
    op_run_temporary(x, &cast);
    op_run_results(x);
}

static bool one_is_row_major(const struct op_run *x) {
    const struct ir_type *a = op_run_in(x, 0), *b = op_run_in(x, 1);
    return always(x) && b && is_tiled(a) != is_tiled(b);
}

static void make_tiled_operand(struct op_run *x) {
    const struct ir_type *a = op_run_in(x, 0), *b = op_run_in(x, 1);
    struct ir_type tiles = ir_type_tiled(is_tiled(a) ? b : a);
    op_run_temporary(x, &tiles);
    op_run_results(x);
}

static bool not_along_last(const struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0);
    if (!always(x)) return false;
    return dim_of(x, in->rank) + 1 != in->rank || ir_dim_back(in, 0) % TILE != 0 || ir_dim_back(in, 1) % TILE != 0;
}

static void make_operand_twice(struct op_run *x) {
    op_run_temporary(x, op_run_in(x, 0));
    op_run_temporary(x, op_run_in(x, 0));
    op_run_results(x);
}

/* data_movement/pad/device/pad_rm_reader_writer_program_factory.cpp: 32 values of bf16 */
uint64_t pad_row_bytes(const struct op_run *x) {
    const struct ir_type *in = op_run_in(x, 0);
    bool rows = slice_equal(x->op->name, SLICE("ttnn.pad")) && is_row_major(in) && !ir_is_sharded(in);
    return rows && attribute_is(properties(x), "use_multicore", "false") ? 64 : 0;
}

static bool first_is_bfp8(const struct op_run *x) { return always(x) && is_bfp8(op_run_in(x, 0)); }

static bool argmax_of_rows(const struct op_run *x) {
    return first_is_row_major(x) && attribute_text(properties(x), "dim").len > 0;
}

static void make_argmax_of_rows(struct op_run *x) {
    struct ir_type in = ir_type_tiled(op_run_in(x, 0)), out = ir_type_tiled(op_run_out(x, 0));
    op_run_temporary(x, &in);
    op_run_temporary(x, &out);
    op_run_results(x);
}

static bool has_mask_and_scale(const struct op_run *x) {
    return always(x) && op_run_in(x, 3) && attribute_text(properties(x), "scale").len > 0;
}

static void make_scaled_mask(struct op_run *x) {
    op_run_temporary(x, op_run_in(x, 3));
    op_run_results(x);
}

#define BINARY_OPS                                                                                                            \
    "add subtract multiply divide eq ne lt le gt ge maximum minimum logical_and logical_or logical_xor pow_tensor remainder " \
    "atan2 bitwise_and bitwise_or bitwise_xor"

static const struct temporary_rule rules[] = {
    {"reshape", reshape_of_block_floats, make_reshape_of_block_floats, false, false, "data_movement/reshape_view/reshape.cpp"},
    {"reshape", reshape_of_tiles, make_reshape_of_tiles, false, true,
     "data_movement/reshape_view/device/reshape_tiled_program_factory.cpp:209-253"},
    {"permute", permute_of_bfp8, through_bf16, false, false, "data_movement/permute/permute.cpp"},
    {"transpose", transpose_of_bfp8, through_bf16, false, false, "data_movement/transpose/transpose.cpp"},
    {"slice_static", slice_not_on_tiles, make_slice_of_rows, false, false, "data_movement/slice/slice.cpp:242-260,328"},
    {"slice_dynamic", slice_dynamically, make_slice_of_rows, true, false, "data_movement/slice/slice.cpp:242-260,328"},
    {"concat", concat_not_on_tiles, make_concat_of_rows, false, false, "data_movement/concat/concat.cpp:93-138"},
    {"repeat", repeat_not_on_tiles, make_repeat_of_rows, false, false, "data_movement/repeat/repeat.cpp:400-524"},
    {"mean sum max min", reduce_both_last, make_reduce_both_last, false, false, "reduction/generic/generic_reductions.cpp"},
    {"mean sum max min", reduce_others, make_reduce_others, false, false, "reduction/generic/generic_reductions.cpp"},
    {"linear", has_bias_of_rows, make_result_twice, false, false, "matmul/matmul.cpp:319-330"},
    {"matmul linear", transposes_operand, op_run_results, true, true, "matmul/matmul.cpp:275-290"},
    {"embedding", embedding_of_tiles, make_embedding_of_tiles, false, false, "embedding/embedding.cpp:31,71-77"},
    {"reduce_scatter", topology_is_known, make_reduce_scatter, false, false,
     "ccl/reduce_scatter/device/reduce_scatter_device_operation.cpp:44-98"},
    {"reduce_scatter", always, make_reduce_scatter, true, false, "ccl/reduce_scatter/reduce_scatter.cpp, as on a line"},
    {"all_reduce all_reduce_async", always, make_all_reduce, true, false, "experimental/ccl/all_reduce_async"},
    {"conv2d", conv_goes_through_dram, conv_make, false, false, "conv/conv2d/conv2d.cpp:720-870"},
    {"group_norm", first_is_row_major, make_group_norm_of_rows, false, false, "normalization/groupnorm/groupnorm.cpp:629,673"},
    {"where", mask_of_other_type, make_mask_cast, false, false, "eltwise/ternary/ternary.cpp:144-196"},
    {"multiply divide", integer_with_float, make_integer_cast, false, false, "eltwise/binary/binary.cpp"},
    {BINARY_OPS, one_is_row_major, make_tiled_operand, false, false, "eltwise/binary/binary.cpp"},
    {"topk sort gather scatter", not_along_last, make_operand_twice, true, false, "reduction/topk, data_movement/sort"},
    {"pad", first_is_bfp8, through_bf16, false, false, "data_movement/pad/pad.cpp:319-322"},
    {"argmax", argmax_of_rows, make_argmax_of_rows, false, false, "reduction/argmax/argmax.cpp:91-122"},
    {"scaled_dot_product_attention", has_mask_and_scale, make_scaled_mask, false, false, "transformer/sdpa/sdpa.cpp:74"},
};

static bool names_op(const char *ops, struct slice name) {
    for (const char *word = ops; *word;) {
        size_t len = strcspn(word, " ");
        if (slice_equal(name, slice_of(word, len))) return true;
        word += len + (word[len] == ' ' ? 1 : 0);
    }
    return false;
}

static bool any_sharded(const struct op_run *x) {
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        const struct ir_type *in = op_run_in(x, i);
        if (in && ir_is_sharded(in)) return true;
    }
    const struct ir_type *out = op_run_out(x, 0);
    return out && ir_is_sharded(out);
}

const struct temporary_rule *temporary_rule_find(const struct op_run *x, bool *left_out) {
    struct slice name = x->op->name;
    *left_out = false;
    if (!slice_starts(name, SLICE("ttnn."))) return NULL;
    name = slice_skip(name, 5);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!names_op(rules[i].ops, name) || !rules[i].when(x)) continue;
        if (rules[i].sharded || !any_sharded(x)) return &rules[i];
        *left_out = true;
        return NULL;
    }
    return NULL;
}
