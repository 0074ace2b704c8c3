/* SPDX-License-Identifier: Apache-2.0 */
/* Builds functions: values, ops, locations, deallocates after the last use, and the cached op text. */
#include "genlog_build.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Flatbuffer union names that are not the CamelCase of the MLIR name (runtime-log.md 2.4). */
static const struct {
    const char *mlir, *optype;
} optypes[] = {
    {"add", "EltwiseBinaryOp"},
    {"subtract", "EltwiseBinaryOp"},
    {"multiply", "EltwiseBinaryOp"},
    {"divide", "EltwiseBinaryOp"},
    {"ge", "EltwiseBinaryOp"},
    {"maximum", "EltwiseBinaryCompositeOp"},
    {"minimum", "EltwiseBinaryCompositeOp"},
    {"relu", "EltwiseUnaryOp"},
    {"silu", "EltwiseUnaryOp"},
    {"gelu", "EltwiseUnaryOp"},
    {"rsqrt", "EltwiseUnaryOp"},
    {"sigmoid", "EltwiseUnaryOp"},
    {"neg", "EltwiseUnaryOp"},
    {"clamp", "EltwiseUnaryCompositeOp"},
    {"quantize", "EltwiseQuantizationOp"},
    {"mean", "ReductionOp"},
    {"sum", "ReductionOp"},
    {"max", "ReductionOp"},
    {"zeros", "NamedFullOp"},
    {"ones", "NamedFullOp"},
    {"max_pool2d", "Pool2dOp"},
    {"call", "FuncCallOp"},
    {"slice_static", "SliceOp"},
};

const char *op_type_name(struct gen *g, const char *mlir_name) {
    const char *dot = strchr(mlir_name, '.'), *base = dot ? dot + 1 : mlir_name;
    for (size_t i = 0; i < ARRAY_LEN(optypes); i++)
        if (!strcmp(base, optypes[i].mlir)) return optypes[i].optype;
    struct text t = {0};
    bool upper = true;
    for (; *base; base++) {
        if (*base == '_') {
            upper = true;
            continue;
        }
        char c = upper && *base >= 'a' && *base <= 'z' ? (char)(*base - 'a' + 'A') : *base;
        text_put(&t, &c, 1);
        upper = false;
    }
    text_puts(&t, "Op");
    char *s = arena_dup(&g->arena, t.p, t.len);
    text_release(&t);
    return s;
}

const char *format(struct builder *b, const char *fmt, ...) {
    struct text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    char *s = arena_dup(&b->g->arena, t.p, t.len);
    text_release(&t);
    return s;
}

struct fn *builder_fn(struct builder *b) {
    return &b->graph->fns[b->fn];
}

struct type *value_type(struct builder *b, int value) {
    return builder_fn(b)->values[value].type;
}

struct type *tensor(struct builder *b, enum dtype dt, bool tiled, enum mem mem, enum mem_layout layout, uint32_t rank,
                    const uint32_t *dims) {
    return type_get(b->g, (struct type_spec){dims, rank, dt, tiled, mem, layout});
}

int fn_add(struct builder *b, const char *name, enum fn_kind kind) {
    struct graph *gr = b->graph;
    GROW(gr->fns, gr->fn_count, gr->fn_cap);
    gr->fns[gr->fn_count] = (struct fn){.name = name, .kind = kind, .dev = -1};
    return (int)gr->fn_count++;
}

static int add_value(struct fn *f, struct value v) {
    GROW(f->values, f->value_count, f->value_cap);
    f->values[f->value_count] = v;
    return (int)f->value_count++;
}

int fn_arg(struct builder *b, struct type *t, const uint32_t *weights, uint32_t weight_count) {
    struct fn *f = builder_fn(b);
    struct value v = {.type = t, .arg = f->arg_count++, .res = -1, .last_use = -1, .weight_count = weight_count};
    v.weights = arena_alloc(&b->g->arena, (weight_count + 1) * sizeof *v.weights);
    for (uint32_t i = 0; i < weight_count; i++) v.weights[i] = weights[i];
    return add_value(f, v);
}

void fn_return(struct builder *b, int value) {
    struct fn *f = builder_fn(b);
    f->returns[f->return_count++] = value;
}

static bool contains(const uint32_t *set, uint32_t n, uint32_t x) {
    for (uint32_t i = 0; i < n; i++)
        if (set[i] == x) return true;
    return false;
}

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The weights an op uses: those its operands are made of, in argument order. */
static void collect_weights(struct builder *b, struct fn *f, struct op *op) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) total += f->values[op->operands[i]].weight_count;
    op->weights = arena_alloc(&b->g->arena, (total + 1) * sizeof *op->weights);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct value *v = &f->values[op->operands[i]];
        for (uint32_t k = 0; k < v->weight_count; k++)
            if (!contains(op->weights, op->weight_count, v->weights[k])) op->weights[op->weight_count++] = v->weights[k];
    }
    if (op->weight_count) qsort(op->weights, op->weight_count, sizeof *op->weights, compare_u32);
}

static void inherit_weights(struct builder *b, struct fn *f, const struct op *op, struct value *result) {
    if (f->kind == FN_CONST_EVAL) {
        result->weights = op->weights;
        result->weight_count = op->weight_count;
    } else if (op->kind == OP_LOAD_CACHED) {
        const struct fn *callee = &b->graph->fns[op->callee];
        const struct value *v = &callee->values[callee->returns[0]];
        result->weights = v->weights;
        result->weight_count = v->weight_count;
    }
}

int emit(struct builder *b, const struct emit *e) {
    struct fn *f = builder_fn(b);
    GROW(f->ops, f->op_count, f->op_cap);
    struct op *op = &f->ops[f->op_count++];
    *op = (struct op){.kind = e->kind,
                      .name = e->name,
                      .optype = op_type_name(b->g, e->name),
                      .attrs = e->attrs,
                      .discard = e->discard,
                      .loc = e->loc,
                      .ssa = -1,
                      .first_result = -1,
                      .result_count = e->nout,
                      .operand_count = e->nin,
                      .callee = e->callee};
    if (e->discard && strstr(e->discard, "cpu_hoisted_call")) op->optype = "CpuOp";
    op->operands = arena_alloc(&b->g->arena, (e->nin + 1) * sizeof(int));
    for (uint32_t i = 0; i < e->nin; i++) op->operands[i] = e->in[i];
    collect_weights(b, f, op);
    if (e->nout) {
        op->ssa = f->next_ssa++;
        op->first_result = (int)f->value_count;
    }
    for (int i = 0; i < e->nout; i++) {
        struct value v = {.type = e->out[i], .arg = -1, .ssa = op->ssa, .res = e->nout > 1 ? i : -1, .last_use = -1};
        inherit_weights(b, f, op, &v);
        add_value(f, v);
    }
    return op->first_result;
}

int get_device(struct builder *b) {
    struct fn *f = builder_fn(b);
    if (f->dev < 0) {
        const char *attrs = format(b, "mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape %ux%u>",
                                   b->g->opt.mesh_y, b->g->opt.mesh_x);
        int v = emit(
            b, &(struct emit){
                   .name = "ttnn.get_device", .kind = OP_GET_DEVICE, .attrs = attrs, .out = {type_device(b->g)}, .nout = 1});
        f = builder_fn(b);
        f->dev = v;
    }
    return f->dev;
}

struct loc *loc_new(struct builder *b, enum loc_kind kind, const char *name, const char *display, struct loc *a,
                    struct loc *b2) {
    struct loc *l = arena_alloc(&b->g->arena, sizeof *l);
    *l = (struct loc){.kind = kind, .name = name, .display = display, .a = a, .b = b2};
    return l;
}

/* A location as the compiler writes it: mostly `stem.N`, some derived names with a child, some unknown, some debug paths. */
struct loc *loc_stem(struct builder *b, const char *stem) {
    static const char *const derived[] = {"mean", "reshape", "tm0", "bias", "workaround", "neg"};
    struct rng *r = &b->g->rng;
    uint32_t n = b->g->next_loc += 1 + rng_below(r, 5), dice = rng_below(r, 100);
    if (b->g->opt.paths && b->part) {
        /* "mlp:Mlp": a line of net.py for each part */
        const char *class = strchr(b->part, ':') + 1;
        int len = (int)(class - b->part - 1);
        uint32_t line = 40 + 30 * (uint32_t) class[0] % 7 + (uint32_t)stem[0] % 11;
        const char *path = format(
            b, "%u|Model[model]|Layer[model.layers[%u]]|%s[model.layers[%u].%.*s]|/src/models/net.py:%u|forward|%u|aten__%s", n,
            b->layer, class, b->layer, len, b->part, line - 8, line, stem);
        return loc_new(b, LOC_NAME, path, path, NULL, NULL);
    }
    if (dice < 4) return NULL;
    const char *name = format(b, "%s.%u", stem, n);
    if (dice < 12) {
        name = format(b, "%u|Model[model]|Layer[model.layers.%u]|/src/models/net.py:%u|forward|%u|aten__%s.%u", n, n % 40,
                      20 + rng_below(r, 880), n, stem, n);
        return loc_new(b, LOC_NAME, name, name, NULL, NULL);
    }
    struct loc *plain = loc_new(b, LOC_NAME, name, name, NULL, NULL);
    if (dice >= 22) return plain;
    const char *child = format(b, "%s_%s", name, derived[rng_below(r, ARRAY_LEN(derived))]);
    return loc_new(b, LOC_CHILD, child, child, plain, NULL);
}

static bool deallocatable(const struct fn *f, size_t value) {
    const struct value *v = &f->values[value];
    if (v->type->kind != TYPE_TENSOR || v->kept) return false;
    for (int i = 0; i < f->return_count; i++)
        if (f->returns[i] == (int)value) return false;
    return v->arg < 0 || f->kind == FN_MAIN;
}

static void push_op(struct fn *f, size_t *cap, struct op **out, struct op op) {
    GROW(*out, f->op_count, *cap);
    (*out)[f->op_count++] = op;
}

/* conv2d with deallocate_activation frees an L1 operand 0 by itself. */
static bool freed_by_conv(const struct fn *f, const struct op *op, int value) {
    return op->kind == OP_CONV && op->operands[0] == value && f->values[value].type->mem == MEM_L1;
}

static void add_deallocates(struct builder *b, struct fn *f) {
    size_t count = f->op_count, cap = 0;
    struct op *old = f->ops, *out = NULL;
    int *next = xrealloc(NULL, (f->value_count + 1) * sizeof *next); /* values by last use, as linked lists */
    int *head = xrealloc(NULL, (count + 1) * sizeof *head);
    for (size_t i = 0; i < count; i++) {
        head[i] = -1;
        for (uint32_t k = 0; k < old[i].operand_count; k++) f->values[old[i].operands[k]].last_use = (int)i;
        for (int k = 0; k < old[i].result_count; k++) f->values[old[i].first_result + k].last_use = (int)i;
    }
    for (size_t v = f->value_count; v-- > 0;)
        if (f->values[v].last_use >= 0 && deallocatable(f, v)) {
            next[v] = head[f->values[v].last_use];
            head[f->values[v].last_use] = (int)v;
        }
    f->op_count = 0;
    for (size_t i = 0; i < count; i++) {
        push_op(f, &cap, &out, old[i]);
        f->records += old[i].kind != OP_GET_DEVICE;
        for (int v = head[i]; v >= 0; v = next[v]) {
            if (freed_by_conv(f, &old[i], v)) continue;
            struct op d = {.kind = OP_DEALLOC,
                           .name = "ttnn.deallocate",
                           .optype = "DeallocateOp",
                           .attrs = "force = false",
                           .ssa = -1,
                           .first_result = -1,
                           .operand_count = 1,
                           .loc = old[i].loc,
                           .callee = -1};
            d.operands = arena_alloc(&b->g->arena, sizeof(int));
            d.operands[0] = v;
            push_op(f, &cap, &out, d);
        }
    }
    free(next);
    free(head);
    free(old);
    f->ops = out;
    f->op_cap = cap;
}

void fn_finish(struct builder *b, int fn) {
    struct fn *f = &b->graph->fns[fn];
    add_deallocates(b, f);
    struct text t = {0};
    for (size_t i = 0; i < f->op_count; i++) {
        struct op *op = &f->ops[i];
        t.len = 0;
        op_text(b->g, &t, f, op, false);
        undialect(b->g, &t);
        if (b->g->opt.old_dialect && !strncmp(op->name, "ttcore.", 7)) op->name = "tt.load_cached";
        op->line = arena_dup(&b->g->arena, t.p, t.len);
        op->line_len = t.len;
        const char *at = strstr(op->line, op->name);
        op->name_end = at ? (size_t)(at - op->line) + strlen(op->name) + 1 : t.len;
        if (op->kind == OP_CONV) op->small_slot = ++b->graph->small_slots;
    }
    text_release(&t);
}
