/* SPDX-License-Identifier: Apache-2.0 */
/* Legal but awkward operations: what a reader that guesses gets wrong (runtime-log.md section 6). */
#include "genlog_build.h"

static struct loc *name_loc(struct builder *b, const char *name) { return loc_new(b, LOC_NAME, name, name, NULL, NULL); }

static void add_with(struct builder *b, const char *attrs, const char *discard, struct loc *loc) {
    emit(b, &(struct emit){.name = "ttnn.add",
                           .in = {b->act_value, b->act_value},
                           .nin = 2,
                           .out = {b->act},
                           .nout = 1,
                           .attrs = attrs,
                           .discard = discard,
                           .loc = loc});
}

static void relu_at(struct builder *b, struct loc *loc) {
    emit(b, &(struct emit){.name = "ttnn.relu", .in = {b->act_value}, .nin = 1, .out = {b->act}, .nout = 1, .loc = loc});
}

static void constant(struct builder *b, struct type *t, const char *attrs, const char *stem) {
    int dev = get_device(b);
    emit(b,
         &(struct emit){
             .name = "ttnn.constant", .in = {dev}, .nin = 1, .out = {t}, .nout = 1, .attrs = attrs, .loc = loc_stem(b, stem)});
}

static void multi_result(struct builder *b) {
    uint32_t head = b->hidden / b->heads;
    struct type *q = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->heads, b->seq, head)),
                *k = tensor(b, b->dt, DRAM_TILE, DIMS(b->batch, b->heads, head, b->seq));
    int r = emit(b, &(struct emit){.name = "ttnn.split_query_key_value_and_split_heads",
                                   .in = {b->act_value},
                                   .nin = 1,
                                   .out = {q, k, q},
                                   .nout = 3,
                                   .attrs = format(b, "num_heads = %u : ui32, transpose_key = true", b->heads),
                                   .loc = loc_stem(b, "split")});
    emit(b, &(struct emit){.name = "ttnn.add",
                           .in = {r, r + 2},
                           .nin = 2,
                           .out = {q},
                           .nout = 1,
                           .attrs = "dtype = #ttcore.supportedDataTypes<bf16>",
                           .loc = loc_stem(b, "add")});
}

static void scalar(struct builder *b) {
    struct type *t = type_get(b->g, (struct type_spec){NULL, 0, DT_F32, true, MEM_DRAM, ML_INTERLEAVED});
    constant(b, t,
             "dtype = #ttcore.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, value = dense<1.000000e+00> : tensor<f32>",
             "scalar");
}

static void block_float(struct builder *b) {
    enum dtype dt = rng_below(&b->g->rng, 2) ? DT_BFP8 : DT_BFP4;
    emit(b, &(struct emit){.name = "ttnn.typecast",
                           .in = {b->act_value},
                           .nin = 1,
                           .out = {tensor(b, dt, DRAM_TILE, b->act->rank, b->act->dims)},
                           .nout = 1,
                           .attrs = format(b, "dtype = #ttcore.supportedDataTypes<%s>", dtype_attr(dt)),
                           .discard = "ttcore.weight_dtype = \"bfp_bf8\", note = {a = 1 : i32, b = \"}> :\"}",
                           .loc = loc_stem(b, "cast")});
}

static void quantised(struct builder *b) {
    struct type *scale = tensor(b, DT_F32, DRAM_TILE, DIMS(1)), *zero = tensor(b, DT_SI32, DRAM_TILE, DIMS(1));
    constant(b, scale, "dtype = #ttcore.supportedDataTypes<f32>, value = dense<1.000000e-01> : tensor<1xf32>", "scale");
    int s = (int)builder_fn(b)->value_count - 1;
    constant(b, zero, "dtype = #ttcore.supportedDataTypes<si32>, value = dense<0> : tensor<1xsi32>", "zero_point");
    int z = (int)builder_fn(b)->value_count - 1;
    emit(b, &(struct emit){.name = "ttnn.quantize",
                           .in = {b->act_value, s, z},
                           .nin = 3,
                           .out = {tensor(b, DT_QUANT, DRAM_TILE, b->act->rank, b->act->dims)},
                           .nout = 1,
                           .attrs = "output_dtype = #ttcore.supportedDataTypes<si32>",
                           .loc = loc_stem(b, "quantize")});
}

static void boolean(struct builder *b) {
    emit(b, &(struct emit){.name = "ttnn.ge",
                           .in = {b->act_value, b->act_value},
                           .nin = 2,
                           .out = {tensor(b, DT_I1, DRAM_TILE, b->act->rank, b->act->dims)},
                           .nout = 1,
                           .attrs = "dtype = #ttcore.supportedDataTypes<bf16>",
                           .loc = loc_stem(b, "compare")});
}

static void one_dim(struct builder *b) {
    static const uint32_t sizes[] = {1, 31, 32, 33, 100000};
    struct type *t = tensor(b, DT_F32, DRAM_TILE, 1, &sizes[rng_below(&b->g->rng, 5)]);
    constant(b, t, format(b, "dtype = #ttcore.supportedDataTypes<f32>, value = dense_resource<__elided__> : %s", t->plain),
             "c");
}

static void huge_line(struct builder *b) {
    struct text t = {0};
    text_puts(&t, "dtype = #ttcore.supportedDataTypes<f32>, value = dense<[");
    for (int i = 0; i < 8192; i++) text_printf(&t, "%s%.6e", i ? ", " : "", (double)rng_below(&b->g->rng, 1000000) / 1000.0);
    text_puts(&t, "]> : tensor<8192xf32>");
    constant(b, tensor(b, DT_F32, DRAM_TILE, DIMS(8192)), arena_dup(&b->g->arena, t.p, t.len), "big");
    text_release(&t);
}

static void sharded(struct builder *b) {
    static const struct {
        enum mem_layout layout;
        const char *name;
    } rows[] = {{ML_WIDTH, "width_sharded"},
                {ML_HEIGHT, "height_sharded"},
                {ML_BLOCK, "block_sharded"},
                {ML_ND, "block_sharded"},
                {ML_INTERLEAVED, "interleaved"}};
    uint32_t i = rng_below(&b->g->rng, (uint32_t)ARRAY_LEN(rows));
    struct type *dram = tensor(b, b->dt, DRAM_TILE, DIMS(320, 544)),
                *l1 = tensor(b, b->dt, true, MEM_L1, rows[i].layout, DIMS(320, 544));
    constant(b, dram, "value = dense<0.000000e+00> : tensor<320x544xbf16>", "constant");
    int v = (int)builder_fn(b)->value_count - 1;
    emit(b, &(struct emit){.name = "ttnn.to_memory_config",
                           .in = {v},
                           .nin = 1,
                           .out = {l1},
                           .nout = 1,
                           .loc = loc_stem(b, "shard"),
                           .attrs = format(b, "memory_config = #ttnn.memory_config<<l1>, <%s>>", rows[i].name)});
}

static void cpu_call(struct builder *b) {
    struct type *host = tensor(b, b->dt, HOST_ROWS, b->act->rank, b->act->dims);
    int dev_rows = emit(b, &(struct emit){.name = "ttnn.to_layout",
                                          .in = {b->act_value},
                                          .nin = 1,
                                          .out = {tensor(b, b->dt, DRAM_ROWS, b->act->rank, b->act->dims)},
                                          .nout = 1,
                                          .attrs = "layout = #ttnn.layout<row_major>",
                                          .loc = loc_stem(b, "cosine")});
    int h = emit(b, &(struct emit){.name = "ttnn.from_device", .in = {dev_rows}, .nin = 1, .out = {host}, .nout = 1});
    struct loc *inner = name_loc(b, format(b, "cosine.%u", b->g->next_loc++)), *outer = name_loc(b, "main");
    emit(b, &(struct emit){.name = "func.call",
                           .attrs = "@cpu_hoisted_ttir_cos_3f2a",
                           .discard = "ttir.cpu_hoisted_call",
                           .in = {h},
                           .nin = 1,
                           .out = {host},
                           .nout = 1,
                           .callee = -1,
                           .loc = loc_new(b, LOC_CALLSITE, NULL, inner->display, inner, outer)});
}

/* func.call of a device function: a nested program with its own SSA numbers. */
static void device_call(struct builder *b) {
    if (builder_fn(b)->kind != FN_MAIN) return;
    const char *name = format(b, "forward_part_%zu", b->graph->fn_count);
    int caller = b->fn, fn = fn_add(b, name, FN_DEVICE), act = b->act_value;
    b->fn = fn;
    int x = fn_arg(b, b->act, NULL, 0);
    int y =
        emit(b, &(struct emit){
                    .name = "ttnn.sigmoid", .in = {x}, .nin = 1, .out = {b->act}, .nout = 1, .loc = loc_stem(b, "logistic")});
    int z = emit(b, &(struct emit){.name = "ttnn.multiply",
                                   .in = {x, y},
                                   .nin = 2,
                                   .out = {b->act},
                                   .nout = 1,
                                   .attrs = "dtype = #ttcore.supportedDataTypes<bf16>",
                                   .loc = loc_stem(b, "multiply")});
    fn_return(b, z);
    fn_finish(b, fn);
    b->fn = caller;
    b->act_value = act;
    emit(b, &(struct emit){.name = "func.call",
                           .kind = OP_CALL,
                           .attrs = format(b, "@%s", name),
                           .in = {act},
                           .nin = 1,
                           .out = {b->act},
                           .nout = 1,
                           .callee = fn,
                           .loc = loc_stem(b, "call")});
}

static void nested_braces(struct builder *b) {
    add_with(b,
             "activations = [#ttnn.unary<{relu}>, {kind = \"a}b\", map = (d0) -> (d0)}], dtype = "
             "#ttcore.supportedDataTypes<bf16>, note = \"it is \\22quoted\\22 }> : (\"",
             NULL, loc_stem(b, "add"));
}

static void locations(struct builder *b) {
    static const struct {
        const char *printed, *display;
    } names[] = {
        {"слой.7|é|日本語", "слой.7|é|日本語"},
        {"\\D1\\81\\D0\\BB\\D0\\BE\\D0\\B9.9", "слой.9"},
        {"a|b|c|</script><b>x</b>", "a|b|c|</script><b>x</b>"},
        {"say \\22hi\\22 \\\\ there", "say \"hi\" \\ there"},
        {"loc(\\22fake\\22) : () -> ()", "loc(\"fake\") : () -> ()"},
        {"variables['params']['layers_0'].kernel", "variables['params']['layers_0'].kernel"},
    };
    struct rng *r = &b->g->rng;
    uint32_t i = rng_below(r, (uint32_t)ARRAY_LEN(names) + 4 + (b->g->opt.bad_utf8 ? 1 : 0)), n = b->g->next_loc++;
    if (i < ARRAY_LEN(names)) {
        relu_at(b, loc_new(b, LOC_NAME, names[i].printed, names[i].display, NULL, NULL));
        return;
    }
    struct loc *x = name_loc(b, format(b, "dot.%u", n)), *y = name_loc(b, format(b, "maximum.%u", n)), *f;
    switch (i - ARRAY_LEN(names)) {
        case 0:
            relu_at(b, loc_new(b, LOC_FUSED, NULL, x->display, x, y));
            break;
        case 1:
            relu_at(b, loc_new(b, LOC_FUSED_META, NULL, x->display, x, y));
            break;
        case 2:
            relu_at(b, loc_new(b, LOC_CALLSITE, NULL, x->display, x, y));
            break;
        case 3:
            f = loc_new(b, LOC_FILE, "/src/models/net.py", format(b, "/src/models/net.py:%u:11", n), NULL, NULL);
            f->line = n;
            f->col = 11;
            relu_at(b, f);
            break;
        default:
            relu_at(b, name_loc(b, format(b, "bad\xff.%u", n)));
    }
}

void edge_op(struct builder *b) {
    static void (*const table[])(struct builder *) = {multi_result, scalar,        block_float, quantised, boolean,
                                                      one_dim,      huge_line,     sharded,     sharded,   cpu_call,
                                                      device_call,  nested_braces, locations,   locations, locations};
    table[rng_below(&b->g->rng, (uint32_t)ARRAY_LEN(table))](b);
}
