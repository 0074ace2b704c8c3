/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d: what it takes if its input is in DRAM (tt-metal conv/conv2d/conv2d.cpp:720-870,
 * sliding_window/op_slicing/op_slicing.cpp), and its sliding-window tables. */
#include "replay/engine/op_table.h"
#include "replay/ir/attribute.h"

/* Per distinct convolution and bank if config_tensors_in_dram is set: halo and convolution tables together. Fitted to two
 * runs, so an estimate. */
enum { TABLE_BYTES = 65536 };

/* Share of L1 that one slice may fill, in percent; an estimate that is right for 28 convolutions of a decoder. */
enum { SLICE_SHARE = 60, ELEMENT_BYTES = 2 };

enum { MOST = 1 << 24 };

struct conv {
    uint64_t n, h, w, c, k, out_h, out_w, kernel_h, kernel_w, groups;
    bool pointwise; /* 1x1, stride 1, no padding: a linear */
};

static uint64_t bounded(int64_t n) { return n < 0 || n > MOST ? 0 : (uint64_t)n; }

static uint64_t output_size(uint64_t in, int64_t padding, int64_t dilation, uint64_t kernel, int64_t stride) {
    int64_t room = (int64_t)in + padding - dilation * ((int64_t)kernel - 1) - 1;
    return room < 0 || stride < 1 ? 0 : (uint64_t)(room / stride) + 1;
}

static bool conv_read(const struct op_run *x, struct conv *conv) {
    struct slice p = x->op->properties;
    int64_t kernel[2] = {0, 0}, stride[2] = {1, 1}, padding[4] = {0}, dilation[2] = {1, 1};
    unsigned paddings = attribute_numbers(p, "padding", padding, 4);
    if (attribute_numbers(p, "kernel_size", kernel, 2) != 2) return false;
    attribute_numbers(p, "stride", stride, 2);
    attribute_numbers(p, "dilation", dilation, 2);
    if (paddings == 2) {
        padding[3] = padding[2] = padding[1];
        padding[1] = padding[0];
    }
    for (unsigned i = 0; i < 4; i++) padding[i] = (int64_t)bounded(padding[i]);
    dilation[0] = (int64_t)bounded(dilation[0]);
    dilation[1] = (int64_t)bounded(dilation[1]);
    *conv = (struct conv){.n = bounded(attribute_number(p, "batch_size", 0)),
                          .h = bounded(attribute_number(p, "input_height", 0)),
                          .w = bounded(attribute_number(p, "input_width", 0)),
                          .c = bounded(attribute_number(p, "in_channels", 0)),
                          .k = bounded(attribute_number(p, "out_channels", 0)),
                          .kernel_h = bounded(kernel[0]),
                          .kernel_w = bounded(kernel[1]),
                          .groups = bounded(attribute_number(p, "groups", 1))};
    if (x->ir->batch_to && conv->n == x->ir->batch_from) conv->n = x->ir->batch_to;
    conv->out_h = output_size(conv->h, padding[0] + padding[1], dilation[0], conv->kernel_h, stride[0]);
    conv->out_w = output_size(conv->w, padding[2] + padding[3], dilation[1], conv->kernel_w, stride[1]);
    conv->pointwise = conv->kernel_h == 1 && conv->kernel_w == 1 && stride[0] == 1 && stride[1] == 1 && !padding[0] &&
                      !padding[1] && !padding[2] && !padding[3];
    return conv->n && conv->h && conv->w && conv->c && conv->k && conv->out_h && conv->out_w && conv->groups &&
           conv->kernel_h && conv->kernel_w;
}

bool conv_goes_through_dram(const struct op_run *x) {
    struct conv conv;
    const struct ir_type *in = op_run_in(x, 0);
    if (!in || !op_run_out(x, 0) || !conv_read(x, &conv) || conv.pointwise) return false;
    struct slice slicing = attribute_text(x->op->properties, "conv2d_slice_config");
    if (slicing.len) return slice_find(slicing, SLICE("dram_")) != SLICE_NONE;
    return in->type.buffer == BUFFER_DRAM;
}

/* One slice, by the config or because input and output fit into L1 together. */
static bool is_one_slice(const struct op_run *x, const struct conv *conv) {
    int64_t slices = attribute_number(x->op->properties, "num_slices", 0);
    struct slice slicing = attribute_text(x->op->properties, "conv2d_slice_config");
    if (!slices && slicing.len) {
        int64_t numbers[8];
        unsigned n = attribute_numbers(x->op->properties, "conv2d_slice_config", numbers, 8);
        if (n) slices = numbers[n - 1];
    }
    if (slices > 0) return slices == 1;
    __uint128_t bytes = ELEMENT_BYTES * ((__uint128_t)conv->n * conv->h * conv->w * conv->c +
                                         (__uint128_t)conv->n * conv->out_h * conv->out_w * conv->k);
    return bytes * 100 < (__uint128_t)op_run_l1_bytes(x) * SLICE_SHARE;
}

/* Prepared weights are [1, 1, kh * kw * C / groups, K] in tiles. They are on the device while the op runs: weights there in
 * another shape are prepared there, weights on the host are prepared and copied. The result of the whole image exists at the
 * same time, even with one slice: any other order would make two decoders fail twenty ops before the real runs did, if they
 * did at all. */
static void prepare_weights(struct op_run *x, const struct conv *conv) {
    const struct ir_type *on_device = op_run_in(x, 1);
    const struct ir_type *weights = x->op->operand_count > 1 ? ir_operand_type(x->ir, x->op, 1) : NULL;
    if (!weights || weights->type.kind != TYPE_TENSOR) return;
    if (on_device && on_device->rank == 4 && on_device->dims[0] == 1 && on_device->dims[1] == 1) return;
    uint64_t dims[4] = {1, 1, conv->kernel_h * conv->kernel_w * conv->c / conv->groups, conv->k};
    struct ir_type prepared = ir_type_make(on_device ? on_device : op_run_in(x, 0), dims, 4, SLICE("bf16"), true);
    op_run_temporary(x, &prepared);
}

void conv_make(struct op_run *x) {
    struct conv conv;
    if (!conv_read(x, &conv)) return;
    const struct ir_type *in = op_run_in(x, 0), *out = op_run_out(x, 0);
    uint64_t image[4] = {conv.n, conv.h, conv.w, conv.c};
    struct ir_type nhwc = ir_type_make(in, image, 4, in->type.storage, in->type.tiled);
    if (!reshape_is_view(in, &nhwc)) {
        op_run_temporary(x, &nhwc);
        if (nhwc.type.tiled) op_run_reshape_map(x, in, &nhwc);
    }
    uint64_t result[4] = {conv.n, conv.out_h, conv.out_w, conv.k};
    struct ir_type whole = ir_type_make(out, result, 4, out->type.storage, out->type.tiled);
    uint32_t made = op_run_temporary(x, &whole);
    bool one_slice = is_one_slice(x, &conv);
    prepare_weights(x, &conv);
    if (one_slice) op_run_let_go(x, made);
    if (!one_slice && reshape_is_view(&whole, out)) {
        op_run_result_is(x, made);
        return;
    }
    op_run_results(x);
    if (one_slice) return;
    if (whole.type.tiled) op_run_reshape_map(x, &whole, out);
    op_run_let_go(x, made);
}

static bool has_tables(const struct op_run *x) {
    struct conv conv;
    return conv_read(x, &conv) && !conv.pointwise;
}

static bool tables_in_dram(const struct op_run *x) { return attribute_is(x->op->properties, "config_tensors_in_dram", "true"); }

uint64_t conv_table_bytes(const struct op_run *x) { return tables_in_dram(x) && has_tables(x) ? TABLE_BYTES : 0; }

bool conv_tables_in_l1_small(const struct op_run *x) {
    static const char *const ops[] = {"ttnn.conv2d", "ttnn.conv_transpose2d", "ttnn.max_pool2d", "ttnn.max_pool2d_with_indices",
                                      "ttnn.avg_pool2d"};
    bool slides = false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) slides = slides || slice_equal(x->op->name, slice_from(ops[i]));
    bool convolution = slice_starts(x->op->name, SLICE("ttnn.conv"));
    return slides && !tables_in_dram(x) && (!convolution || has_tables(x));
}
