/* SPDX-License-Identifier: Apache-2.0 */
/* One compiled program: arguments, const-eval functions, transformer and conv blocks, optionally run by a trace. */
#include "genlog_build.h"

#include <stdlib.h>
#include <string.h>

static uint32_t pick(struct builder *b, const uint32_t *choices, uint32_t n) { return choices[rng_below(&b->g->rng, n)]; }

#define PICK(b, ...) pick(b, (const uint32_t[]){__VA_ARGS__}, (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static int main_arg(struct builder *b, struct type *t, enum arg_role role, const char *name) {
    struct graph *gr = b->graph;
    GROW(gr->args, gr->arg_count, gr->arg_cap);
    gr->args[gr->arg_count] = (struct arg_info){.name = name, .role = role};
    uint32_t self = (uint32_t)gr->arg_count++;
    return fn_arg(b, t, &self, role == ROLE_INPUT ? 0 : 1);
}

static void add_weight(struct builder *b, int value) {
    GROW(b->weights, b->weight_count, b->weight_cap);
    b->weights[b->weight_count++] = value;
}

/* ---- ops with the attributes the compiler really writes */

static int unary(struct builder *b, const char *name, int in, struct type *out, const char *attrs, const char *stem) {
    return emit(b, &(struct emit){
                       .name = name, .in = {in}, .nin = 1, .out = {out}, .nout = 1, .attrs = attrs, .loc = loc_stem(b, stem)});
}

static int binary(struct builder *b, const char *name, int x, int y, struct type *out, const char *stem) {
    const char *attrs = format(b, "dtype = #ttcore.supportedDataTypes<%s>", dtype_attr(out->dt));
    return emit(b,
                &(struct emit){
                    .name = name, .in = {x, y}, .nin = 2, .out = {out}, .nout = 1, .attrs = attrs, .loc = loc_stem(b, stem)});
}

static int matmul(struct builder *b, int x, int w, struct type *out, bool transpose) {
    const char *attrs = format(b, "transpose_a = false, transpose_b = %s", transpose ? "true" : "false");
    return emit(
        b,
        &(struct emit){
            .name = "ttnn.matmul", .in = {x, w}, .nin = 2, .out = {out}, .nout = 1, .attrs = attrs, .loc = loc_stem(b, "dot")});
}

/* A reshape is a view when the padded rows stay where they are: same last dimension and same tile count, rows whole tiles or a
 * single batch. */
static bool is_view(const struct type *from, const struct type *to) {
    if (!from->tiled || from->mem != to->mem || from->physical != to->physical || from->rank < 2 || to->rank < 2) return false;
    uint32_t last = from->dims[from->rank - 1], rows_from = from->dims[from->rank - 2], rows_to = to->dims[to->rank - 2];
    return last == to->dims[to->rank - 1] && (rows_from == rows_to || (rows_from % 32 == 0 && rows_to % 32 == 0));
}

static int reshape(struct builder *b, int in, struct type *out) {
    struct text t = {0};
    text_puts(&t, "shape = [");
    for (uint32_t i = 0; i < out->rank; i++) text_printf(&t, "%s%u : i32", i ? ", " : "", out->dims[i]);
    text_puts(&t, "]");
    const char *attrs = arena_dup(&b->g->arena, t.p, t.len);
    text_release(&t);
    enum op_kind kind = is_view(value_type(b, in), out) ? OP_VIEW : OP_NORMAL;
    return emit(b, &(struct emit){.name = "ttnn.reshape",
                                  .kind = kind,
                                  .in = {in},
                                  .nin = 1,
                                  .out = {out},
                                  .nout = 1,
                                  .attrs = attrs,
                                  .loc = loc_stem(b, "reshape")});
}

static int full(struct builder *b, struct type *out, const char *stem) {
    struct text t = {0};
    for (uint32_t i = 0; i < out->rank; i++) text_printf(&t, "%s%u", i ? "x" : "", out->dims[i]);
    const char *attrs = format(b,
                               "dtype = #ttcore.supportedDataTypes<%s>, fill_value = 1.000000e+00 : f32, layout = "
                               "#ttnn.layout<tile>, shape = #ttnn.shape<%s>",
                               dtype_attr(out->dt), t.p ? t.p : "");
    text_release(&t);
    int dev = get_device(b);
    return emit(
        b, &(struct emit){
               .name = "ttnn.full", .in = {dev}, .nin = 1, .out = {out}, .nout = 1, .attrs = attrs, .loc = loc_stem(b, stem)});
}

static int to_device(struct builder *b, int in, struct type *out, struct loc *loc) {
    int dev = get_device(b);
    return emit(
        b, &(struct emit){
               .name = "ttnn.to_device", .in = {in, dev}, .nin = 2, .out = {out}, .nout = 1, .attrs = DRAM_CONFIG, .loc = loc});
}

static int to_layout(struct builder *b, int in, struct type *out, struct loc *loc) {
    const char *attrs = out->tiled ? "layout = #ttnn.layout<tile>" : "layout = #ttnn.layout<row_major>";
    return emit(
        b, &(struct emit){.name = "ttnn.to_layout", .in = {in}, .nin = 1, .out = {out}, .nout = 1, .attrs = attrs, .loc = loc});
}

static int to_memory_config(struct builder *b, int in, struct type *out) {
    static const char *const layouts[] = {
        "", "interleaved", "height_sharded", "width_sharded", "block_sharded", "block_sharded"};
    const char *attrs =
        format(b, "memory_config = #ttnn.memory_config<<%s>, <%s>>", out->mem == MEM_L1 ? "l1" : "dram", layouts[out->layout]);
    return unary(b, "ttnn.to_memory_config", in, out, attrs, "l1");
}

/* ---- weights */

static struct type *weight_shape(struct builder *b, uint32_t kind, enum dtype dt, bool tiled, enum mem mem, bool transposed) {
    uint32_t h = b->hidden;
    uint32_t rows = kind == 1 ? 4 * h : h, cols = kind == 2 ? 4 * h : h;
    enum mem_layout layout = mem == MEM_HOST ? ML_NONE : ML_INTERLEAVED;
    if (kind == 3) return tensor(b, dt, tiled, mem, layout, DIMS(h));
    return transposed ? tensor(b, dt, tiled, mem, layout, DIMS(cols, rows))
                      : tensor(b, dt, tiled, mem, layout, DIMS(rows, cols));
}

/* A weight value for x @ w with w of in x out, made on the spot as a constant if the program has none of that shape. */
static int weight_for(struct builder *b, uint32_t in, uint32_t out) {
    uint32_t start = rng_below(&b->g->rng, (uint32_t)b->weight_count);
    for (size_t i = 0; i < b->weight_count; i++) {
        int v = b->weights[(start + i) % b->weight_count];
        const struct type *t = value_type(b, v);
        if (t->rank == 2 && t->dims[0] == in && t->dims[1] == out) return v;
    }
    return full(b, tensor(b, b->dt, DRAM_TILE, DIMS(in, out)), "constant");
}

static int norm_weight(struct builder *b) {
    struct type *t = tensor(b, b->dt, DRAM_TILE, DIMS(1, 1, b->hidden));
    for (size_t i = 0; i < b->weight_count; i++)
        if (value_type(b, b->weights[i]) == t) return b->weights[i];
    return full(b, t, "constant");
}

static const char *const weight_names[] = {"attn_q_weight", "mlp_up_weight", "mlp_down_weight", "norm_weight"};

static int const_eval_body(struct builder *b, uint32_t kind, struct type *host, enum dtype host_dt) {
    struct loc *l = loc_stem(b, kind == 3 ? "broadcast" : "transpose");
    int x = 0;
    if (host->mem == MEM_HOST) {
        x = to_device(b, 0, weight_shape(b, kind, host_dt, false, MEM_DRAM, false), NULL);
        x = to_layout(b, x, weight_shape(b, kind, host_dt, true, MEM_DRAM, false), NULL);
    }
    if (kind == 3) x = reshape(b, x, tensor(b, host_dt, DRAM_TILE, DIMS(1, 1, b->hidden)));
    else
        x = emit(b, &(struct emit){.name = "ttnn.permute",
                                   .in = {x},
                                   .nin = 1,
                                   .out = {weight_shape(b, kind, host_dt, true, MEM_DRAM, true)},
                                   .nout = 1,
                                   .attrs = "permutation = array<i64: 1, 0>",
                                   .loc = l});
    if (b->dt == host_dt && rng_below(&b->g->rng, 4)) return x;
    const struct type *from = value_type(b, x);
    bool block_float = kind != 3 && rng_below(&b->g->rng, 3) == 0;
    enum dtype dt = block_float ? DT_BFP8 : b->dt;
    struct loc *child = l && l->kind == LOC_NAME
                            ? loc_new(b, LOC_CHILD, format(b, "%s_weight", l->name), format(b, "%s_weight", l->name), l, NULL)
                            : l;
    return emit(b, &(struct emit){.name = "ttnn.typecast",
                                  .in = {x},
                                  .nin = 1,
                                  .out = {tensor(b, dt, DRAM_TILE, from->rank, from->dims)},
                                  .nout = 1,
                                  .attrs = format(b, "dtype = #ttcore.supportedDataTypes<%s>", dtype_attr(dt)),
                                  .discard = block_float ? "ttcore.weight_dtype = \"bfp_bf8\"" : NULL,
                                  .loc = child});
}

static void finish_const_eval(struct builder *b, int fn, int result, const int *args, uint32_t nargs) {
    const char *name = builder_fn(b)->name;
    fn_return(b, result);
    struct type *out = value_type(b, result);
    fn_finish(b, fn);
    b->graph->fns[fn].parent_ce = (int)b->graph->const_evals++;
    b->fn = 0;
    struct emit e = {.name = "ttcore.load_cached",
                     .kind = OP_LOAD_CACHED,
                     .attrs = format(b, "@%s", name),
                     .out = {out},
                     .nout = 1,
                     .callee = fn,
                     .nin = nargs};
    for (uint32_t i = 0; i < nargs; i++) e.in[i] = args[i];
    add_weight(b, emit(b, &e));
}

/* Rank-1 scale made of nothing: a const-eval function without inputs. */
static void const_eval_no_inputs(struct builder *b, uint32_t i) {
    int fn = fn_add(b, format(b, "main_const_eval_%u", i), FN_CONST_EVAL);
    b->fn = fn;
    int v = full(b, tensor(b, b->dt, DRAM_TILE, DIMS(1, 1, b->hidden)), "constant");
    finish_const_eval(b, fn, v, NULL, 0);
}

/* Every program is another model: equal names would mean the same buffer, as --shared-weights wants it. */
static const char *owner(struct builder *b) {
    return b->graph->index && !b->g->opt.shared_weights ? format(b, "l__self___model_%d_", b->graph->index) : "l__self___";
}

/* Two weights in one const-eval: query and key concatenated. */
static void const_eval_concat(struct builder *b, uint32_t i) {
    struct type *t = weight_shape(b, 0, b->dt, true, MEM_DRAM, false);
    int args[2];
    uint32_t weights[2];
    for (uint32_t k = 0; k < 2; k++) {
        args[k] = main_arg(b, t, ROLE_PARAMETER, format(b, "%slayers_%u_attn_%c_weight", owner(b), i, k ? 'k' : 'q'));
        weights[k] = (uint32_t)b->graph->fns[0].values[args[k]].arg;
    }
    int fn = fn_add(b, format(b, "main_const_eval_%u", i), FN_CONST_EVAL);
    b->fn = fn;
    int x = fn_arg(b, t, weights, 1), y = fn_arg(b, t, weights + 1, 1);
    int v = emit(b, &(struct emit){.name = "ttnn.concat",
                                   .in = {x, y},
                                   .nin = 2,
                                   .out = {tensor(b, b->dt, DRAM_TILE, DIMS(b->hidden, 2 * b->hidden))},
                                   .nout = 1,
                                   .attrs = "dim = 1 : si32",
                                   .loc = loc_stem(b, "concatenate")});
    finish_const_eval(b, fn, v, args, 2);
}

static void const_eval(struct builder *b, uint32_t i) {
    if (i % 11 == 9) {
        const_eval_no_inputs(b, i);
        return;
    }
    if (i % 6 == 5) {
        const_eval_concat(b, i);
        return;
    }
    uint32_t kind = i % 4;
    bool on_device = i % 7 == 6;
    enum dtype host_dt = i % 5 == 4 ? DT_F32 : b->dt;
    struct type *host = weight_shape(b, kind, host_dt, on_device, on_device ? MEM_DRAM : MEM_HOST, false);
    enum arg_role role = i % 8 == 7 ? ROLE_CONSTANT : ROLE_PARAMETER;
    int arg = main_arg(b, host, role, format(b, "%slayers_%u_%s", owner(b), i, weight_names[kind]));
    uint32_t self = (uint32_t)b->graph->fns[0].values[arg].arg;
    int fn = fn_add(b, format(b, "main_const_eval_%u", i), FN_CONST_EVAL);
    b->fn = fn;
    fn_arg(b, host, &self, 1);
    finish_const_eval(b, fn, const_eval_body(b, kind, host, host_dt), &arg, 1);
}

/* ---- blocks */

static void norm_block(struct builder *b) {
    b->part = "norm:RMSNorm";
    struct type *m = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->seq, 1));
    int x = b->act_value, sq = binary(b, "ttnn.multiply", x, x, b->act, "multiply");
    int mean = unary(b, "ttnn.mean", sq, m,
                     "compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, "
                     "dim_arg = [2 : i32], keep_dim = true",
                     "reduce");
    int r = unary(b, "ttnn.rsqrt", mean, m, NULL, "rsqrt");
    int y = binary(b, "ttnn.multiply", x, r, b->act, "multiply");
    b->act_value = binary(b, "ttnn.multiply", y, norm_weight(b), b->act, "multiply");
}

static void attention_block(struct builder *b) {
    b->part = "attention:Attention";
    uint32_t n = b->batch * b->seq, head = b->hidden / b->heads;
    struct type *flat = tensor(b, b->dt, DRAM_TILE, DIMS(n, b->hidden)),
                *split = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->seq, b->heads, head));
    struct type *by_head = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->heads, b->seq, head));
    struct type *scores = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->heads, b->seq, b->seq));
    int x = reshape(b, b->act_value, flat), part[3];
    for (int i = 0; i < 3; i++) {
        int q = matmul(b, x, weight_for(b, b->hidden, b->hidden), flat, false);
        part[i] = unary(b, "ttnn.permute", reshape(b, q, split), by_head, "permutation = array<i64: 0, 2, 1, 3>", "transpose");
    }
    int s = matmul(b, part[0], part[1], scores, true);
    s = unary(b, "ttnn.softmax", s, scores, "dimension = 3 : si32, numericStable = true", "softmax");
    int o = matmul(b, s, part[2], by_head, false);
    o = unary(b, "ttnn.permute", o, split, "permutation = array<i64: 0, 2, 1, 3>", "transpose");
    o = matmul(b, reshape(b, o, flat), weight_for(b, b->hidden, b->hidden), flat, false);
    b->act_value = binary(b, "ttnn.add", b->act_value, reshape(b, o, b->act), b->act, "add");
}

/* The wide part of an MLP: matmul and activation, with the one change that --change asks for. Draws the same random numbers
 * whatever is changed, so that the rest of the log stays as it is. */
static int mlp_wide(struct builder *b, int x) {
    static const char *const acts[] = {"ttnn.gelu", "ttnn.silu", "ttnn.relu"};
    enum change change = b->g->opt.change;
    enum dtype dt = change == CHANGE_DTYPE ? DT_F32 : b->dt;
    uint32_t n = b->batch * b->seq;
    struct type *wide = change == CHANGE_LAYOUT ? tensor(b, dt, DRAM_ROWS, DIMS(n, 4 * b->hidden))
                                                : tensor(b, dt, DRAM_TILE, DIMS(n, 4 * b->hidden));
    int w = weight_for(b, b->hidden, 4 * b->hidden);
    struct loc *dot = loc_stem(b, "dot");
    const char *act = acts[rng_below(&b->g->rng, 3)];
    struct loc *maximum = loc_stem(b, "maximum");
    const char *attrs = "transpose_a = false, transpose_b = false";
    if (change == CHANGE_FUSED) attrs = format(b, "activation = \"%s\", %s", act + 5, attrs);
    int up = emit(
        b, &(struct emit){.name = "ttnn.matmul", .in = {x, w}, .nin = 2, .out = {wide}, .nout = 1, .attrs = attrs, .loc = dot});
    if (change == CHANGE_FUSED) {
        b->changed--;
        return up;
    }
    if (change == CHANGE_KEEP || change == CHANGE_LEAK) builder_fn(b)->values[up].kept = true;
    if (change == CHANGE_LEAK) builder_fn(b)->values[up].leaked = true;
    int a = emit(b, &(struct emit){.name = act, .in = {up}, .nin = 1, .out = {wide}, .nout = 1, .loc = maximum});
    if (change != CHANGE_EXTRA_OP) return a;
    b->changed++;
    /* one that needs both its operands: three wide tensors are there at once */
    return emit(b, &(struct emit){.name = "ttnn.multiply",
                                  .in = {a, up},
                                  .nin = 2,
                                  .out = {wide},
                                  .nout = 1,
                                  .attrs = format(b, "dtype = #ttcore.supportedDataTypes<%s>", dtype_attr(dt)),
                                  .loc = loc_new(b, LOC_NAME, "extra.gate", "extra.gate", NULL, NULL)});
}

static void mlp_block(struct builder *b) {
    b->part = "mlp:Mlp";
    struct type *flat = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch * b->seq, b->hidden));
    int x = reshape(b, b->act_value, flat);
    int a = mlp_wide(b, x);
    int down = matmul(b, a, weight_for(b, 4 * b->hidden, b->hidden), flat, false);
    b->act_value = binary(b, "ttnn.add", b->act_value, reshape(b, down, b->act), b->act, "add");
}

static void l1_block(struct builder *b) {
    static const enum mem_layout layouts[] = {ML_INTERLEAVED, ML_WIDTH, ML_BLOCK, ML_HEIGHT};
    uint32_t rows = PICK(b, 32, 64, 256), cols = PICK(b, 256, 512, 1024);
    struct type *dram = tensor(b, b->dt, DRAM_TILE, DIMS(rows, cols));
    struct type *l1 = tensor(b, b->dt, true, MEM_L1, layouts[rng_below(&b->g->rng, 4)], DIMS(rows, cols));
    int x = to_memory_config(b, full(b, dram, "constant"), l1);
    int y = unary(b, "ttnn.relu", x, l1, NULL, "maximum");
    int z = binary(b, "ttnn.add", x, y, l1, "add");
    to_memory_config(b, z, dram);
}

static const char *conv_attrs(struct builder *b, uint32_t side, uint32_t channels) {
    const char *dt = dtype_attr(b->dt);
    return format(
        b,
        "batch_size = 1 : i32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = "
        "true>, "
        "conv2d_config = #ttnn.conv2d_config<weights_dtype = %s, deallocate_activation = true, act_block_h_override = 0, "
        "enable_kernel_stride_folding = false, config_tensors_in_dram = false>, conv2d_slice_config = "
        "#ttnn.conv2d_slice_config<l1_full, 0>, "
        "dilation = array<i32: 1, 1>, dtype = #ttcore.supportedDataTypes<%s>, groups = 1 : i32, in_channels = %u : i32, "
        "input_height = %u : i32, "
        "input_width = %u : i32, kernel_size = array<i32: 3, 3>, out_channels = %u : i32, padding = array<i32: 1, 1, 1, 1>, "
        "stride = array<i32: 1, 1>",
        dt, dt, channels, side, side, channels);
}

static void conv_block(struct builder *b) {
    uint32_t side = PICK(b, 16, 32, 56), channels = PICK(b, 64, 128), n = side * side;
    struct type *dram = tensor(b, b->dt, DRAM_TILE, DIMS(1, 1, n, channels));
    struct type *l1 = tensor(b, b->dt, true, MEM_L1, ML_HEIGHT, DIMS(1, 1, n, channels));
    struct type *kernel = tensor(b, b->dt, DRAM_TILE, DIMS(1, 1, 9 * channels, channels));
    bool in_l1 = rng_below(&b->g->rng, 3) != 0;
    int x = full(b, dram, "convert"), w = full(b, kernel, "constant");
    int in = in_l1 ? to_memory_config(b, x, l1) : x;
    int dev = get_device(b);
    int y = emit(b, &(struct emit){.name = "ttnn.conv2d",
                                   .kind = OP_CONV,
                                   .in = {in, w, dev},
                                   .nin = 3,
                                   .out = {in_l1 ? l1 : dram},
                                   .nout = 1,
                                   .attrs = conv_attrs(b, side, channels),
                                   .loc = loc_stem(b, "convolution")});
    unary(b, "ttnn.silu", y, dram, NULL, "silu");
}

/* Small tensors whose tile padding is many times their content. */
static void small_block(struct builder *b) {
    static const enum dtype dts[] = {DT_BF16, DT_F32, DT_SI32, DT_UI32, DT_UI16};
    enum dtype dt = dts[rng_below(&b->g->rng, 5)];
    uint32_t rows = PICK(b, 1, 3, 7), cols = PICK(b, 1, 5, 33);
    struct type *t = tensor(b, dt, DRAM_TILE, DIMS(b->batch, rows, cols)),
                *f = tensor(b, DT_F32, DRAM_TILE, DIMS(b->batch, rows, cols));
    int dev = get_device(b);
    int c = emit(
        b, &(struct emit){.name = "ttnn.constant",
                          .in = {dev},
                          .nin = 1,
                          .out = {t},
                          .nout = 1,
                          .loc = loc_stem(b, "constant"),
                          .attrs = format(b,
                                          "dtype = #ttcore.supportedDataTypes<%s>, layout = #ttnn.layout<tile>, " DRAM_CONFIG
                                          ", value = dense<0> : %s",
                                          dtype_attr(dt), t->plain)});
    unary(b, "ttnn.typecast", c, f, "dtype = #ttcore.supportedDataTypes<f32>", "convert");
}

static void gather_block(struct builder *b) {
    const struct options *o = &b->g->opt;
    struct type *wide =
        tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->seq, b->hidden * (o->mesh_x > 1 ? o->mesh_x : o->mesh_y)));
    int dev = get_device(b);
    int x = emit(b, &(struct emit){.name = "ttnn.all_gather",
                                   .in = {b->act_value, dev},
                                   .nin = 2,
                                   .out = {wide},
                                   .nout = 1,
                                   .attrs = "all_gather_dim = 2 : si32, cluster_axis = 1 : ui32, num_links = 1 : ui32",
                                   .loc = loc_stem(b, "all-gather")});
    b->act_value = unary(
        b, "ttnn.slice_static", x, b->act,
        format(
            b,
            "begins = [0 : i32, 0 : i32, 0 : i32], ends = [%u : i32, %u : i32, %u : i32], step = [1 : i32, 1 : i32, 1 : i32]",
            b->batch, b->seq, b->hidden),
        "slice");
}

static uint32_t records_in(struct builder *b) {
    struct fn *f = builder_fn(b);
    return (uint32_t)((int)f->op_count - (f->dev >= 0) - b->changed);
}

static void blocks(struct builder *b, uint32_t records) {
    static void (*const table[])(struct builder *) = {attention_block, mlp_block,  norm_block, l1_block,    attention_block,
                                                      mlp_block,       conv_block, norm_block, small_block, gather_block};
    static void (*const layer[])(struct builder *) = {norm_block, attention_block, norm_block, mlp_block};
    bool mesh = b->g->opt.mesh_y * b->g->opt.mesh_x > 1;
    for (uint32_t i = 0; records_in(b) < records; i++) {
        void (*block)(struct builder *) = table[rng_below(&b->g->rng, (uint32_t)ARRAY_LEN(table) - !mesh)];
        if (b->g->opt.paths) block = layer[i % ARRAY_LEN(layer)]; /* a model of equal layers */
        b->layer = i / (uint32_t)ARRAY_LEN(layer);
        if (records - records_in(b) < 16) /* end on the wanted number */
            block = records - records_in(b) >= 6 ? norm_block : records - records_in(b) >= 2 ? small_block : NULL;
        if (block) block(b);
        else unary(b, "ttnn.relu", b->act_value, b->act, NULL, "maximum");
        if (rng_chance(&b->g->rng, b->g->opt.edge)) edge_op(b);
    }
}

/* ---- the trace shape: main only transfers, the work is in trace_0_main (runtime-log.md 3.6) */

static int trace_body(struct builder *b, struct type *slot, uint32_t records, int result_of[1]) {
    int fn = fn_add(b, "trace_0_main", FN_TRACE), *main_weights = b->weights;
    size_t n = b->weight_count > 5 ? 5 : b->weight_count;
    b->fn = fn;
    b->weights = NULL;
    b->weight_count = b->weight_cap = 0;
    int x = fn_arg(b, slot, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        const struct value *v = &b->graph->fns[0].values[main_weights[i]];
        add_weight(b, fn_arg(b, v->type, v->weights, v->weight_count));
    }
    b->act_value = to_layout(b, x, b->act, loc_stem(b, "p0"));
    blocks(b, records);
    fn_return(b, b->act_value);
    fn_finish(b, fn);
    free(b->weights);
    b->weights = main_weights;
    b->weight_count = n;
    result_of[0] = b->act_value;
    return fn;
}

static void call_body(struct builder *b, struct emit *e, int body) {
    *e = (struct emit){
        .name = "func.call", .kind = OP_CALL, .attrs = "@trace_0_main", .out = {b->act}, .nout = 1, .callee = body};
    for (int i = 1; i < builder_fn(b)->arg_count; i++) e->in[e->nin++] = i;
}

static void trace_helpers(struct builder *b, struct type *host, struct type *slot, int body) {
    int *fns = b->graph->trace_fns;
    b->fn = fns[1] = fn_add(b, "allocate_slots_trace_0_main", FN_TRACE);
    int dev = get_device(b);
    fn_return(b, emit(b, &(struct emit){
                             .name = "ttnn.empty", .in = {dev}, .nin = 1, .out = {slot}, .nout = 1, .attrs = DRAM_CONFIG}));
    fn_finish(b, b->fn);

    b->fn = fns[2] = fn_add(b, "run_and_capture_trace_0_main", FN_TRACE);
    fn_arg(b, host, NULL, 0);
    const struct fn *bf = &b->graph->fns[body];
    int args = bf->arg_count;
    for (int i = 0; i < args; i++) {
        const struct value *v = &b->graph->fns[body].values[i];
        fn_arg(b, v->type, v->weights, v->weight_count);
    }
    dev = get_device(b);
    emit(b, &(struct emit){.name = "ttnn.write_tensor", .in = {0, 1}, .nin = 2, .attrs = "blocking = false, cq_id = 0 : ui32"});
    struct emit call;
    call_body(b, &call, body);
    emit(b, &call);
    int id = emit(b, &(struct emit){.name = "ttnn.begin_trace_capture",
                                    .in = {dev},
                                    .nin = 1,
                                    .out = {type_trace_id(b->g)},
                                    .nout = 1,
                                    .attrs = "cq_id = 0 : ui32"});
    int out = emit(b, &call);
    emit(b,
         &(struct emit){
             .name = "ttnn.end_trace_capture", .kind = OP_END_CAPTURE, .in = {dev, id}, .nin = 2, .attrs = "cq_id = 0 : ui32"});
    fn_return(b, out);
    fn_finish(b, b->fn);

    b->fn = fns[3] = fn_add(b, "execute_trace_0_main", FN_TRACE);
    int arg = fn_arg(b, type_trace_id(b->g), NULL, 0);
    dev = get_device(b);
    emit(b, &(struct emit){
                .name = "ttnn.execute_trace", .in = {dev, arg}, .nin = 2, .attrs = "blocking = false, cq_id = 0 : ui32"});
    fn_finish(b, b->fn);
    b->fn = 0;
}

static void trace_main(struct builder *b, int x_host, struct type *rows, uint32_t records) {
    int result[1];
    struct type *host = value_type(b, x_host);
    b->graph->trace_fns[0] = trace_body(b, rows, records, result);
    trace_helpers(b, host, rows, b->graph->trace_fns[0]);
    int dev = get_device(b);
    struct emit e = {.name = "ttnn.capture_or_execute_trace",
                     .kind = OP_TRACE,
                     .in = {dev, x_host},
                     .nin = 2,
                     .out = {b->act},
                     .nout = 1,
                     .callee = b->graph->trace_fns[0]};
    for (size_t i = 0; i < b->weight_count; i++) e.in[e.nin++] = b->weights[i];
    e.attrs = format(b,
                     "allocate_slots_callee = @allocate_slots_trace_0_main, capture_callee = @run_and_capture_trace_0_main, "
                     "execute_callee = "
                     "@execute_trace_0_main, operandSegmentSizes = array<i32: 1, %u, 0>",
                     e.nin - 1);
    b->act_value = emit(b, &e);
}

/* ---- the program */

/* Weights of all programs must fit beside the activations. */
static uint32_t choose_hidden(struct builder *b) {
    const struct options *o = &b->g->opt;
    uint32_t h = PICK(b, 256, 512, 768, 1024);
    if (o->hidden) return o->hidden & ~15u;
    uint64_t budget = o->chip->dram_bytes / 2 * o->chip->dram_banks, copies = (uint64_t)o->programs * (o->const_eval + 6) * 3;
    while (h > 64 && copies * 4 * h * h * 4 > budget) h /= 2;
    return h < 64 ? 64 : h & ~15u;
}

static void device_weights(struct builder *b) {
    for (uint32_t kind = 0; kind < 3; kind++) {
        struct type *t = weight_shape(b, kind, b->dt, true, MEM_DRAM, true);
        add_weight(b, main_arg(b, t, ROLE_PARAMETER, format(b, "%sblocks_%u_%s", owner(b), kind, weight_names[kind])));
    }
    add_weight(
        b, main_arg(b, tensor(b, b->dt, DRAM_TILE, DIMS(1, 1, b->hidden)), ROLE_CONSTANT, format(b, "%srope_scale", owner(b))));
}

struct graph *graph_build(struct gen *g, int index) {
    struct graph *gr = arena_alloc(&g->arena, sizeof *gr);
    struct builder b = {.g = g, .graph = gr};
    enum dtype dt = dtype_by_name(g->opt.dtype);
    gr->index = index;
    gr->tag = 10 + 7 * index;
    b.dt = dt == DT_BFP8 || dt == DT_BFP4 ? DT_BF16 : dt; /* block floats are weights, activations stay bf16 */
    b.hidden = choose_hidden(&b);
    b.seq = PICK(&b, 17, 32, 64, 100, 128, 197);
    b.batch = PICK(&b, 1, 1, 2, 4);
    if (g->opt.seq) b.seq = g->opt.seq;
    if (g->opt.batch) b.batch = g->opt.batch;
    b.heads = b.hidden >= 256 ? 16 : 4;
    b.act = tensor(&b, b.dt, DRAM_TILE, DIMS(b.batch, b.seq, b.hidden));
    fn_add(&b, "main", FN_MAIN);
    struct type *host = tensor(&b, b.dt, HOST_ROWS, DIMS(b.batch, b.seq, b.hidden)),
                *rows = tensor(&b, b.dt, DRAM_ROWS, DIMS(b.batch, b.seq, b.hidden));
    int x = main_arg(&b, host, ROLE_INPUT, index ? format(&b, "model_%d_args_0", index) : "args_0");
    int mask = main_arg(&b, b.act, ROLE_INPUT, index ? format(&b, "model_%d_args_1", index) : "args_1");
    gr->args[0].global_batch = gr->args[1].global_batch = b.batch * g->opt.mesh_y * g->opt.mesh_x;
    device_weights(&b);
    for (uint32_t i = 0; i < g->opt.const_eval; i++) const_eval(&b, i);
    uint32_t tail = 3;
    if (g->opt.trace) {
        uint32_t own = records_in(&b) + tail;
        trace_main(&b, x, rows, g->opt.ops > own + 8 ? g->opt.ops - own : 8);
    } else {
        struct loc *l = loc_stem(&b, "p0");
        int dev_rows = to_device(&b, x, rows, l);
        b.act_value = to_layout(&b, dev_rows, b.act, l);
        b.act_value = binary(&b, "ttnn.add", b.act_value, mask, b.act, "add");
        blocks(&b, g->opt.ops > tail ? g->opt.ops - tail : 0);
    }
    int hidden_state = binary(&b, "ttnn.add", b.act_value, mask, b.act, "add");
    int out_rows = to_layout(&b, hidden_state, rows, NULL);
    int out = emit(&b, &(struct emit){.name = "ttnn.from_device", .in = {out_rows}, .nin = 1, .out = {host}, .nout = 1});
    fn_return(&b, out);
    fn_return(&b, hidden_state);
    fn_finish(&b, 0);
    free(b.weights);
    return gr;
}
