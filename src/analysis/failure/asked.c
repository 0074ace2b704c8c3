/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/asked.h"

#include <stdlib.h>

#include "analysis/failure/run_failures.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "base/table/map.h"
#include "device/tile.h"
#include "model/module_lines.h"
#include "parse/type.h"

enum { SHOWN = 3, DIMS_MAX = 12, TILE = 32, DIFFERENT_MAX = 64, PRODUCERS = 3 };

/* Texts are in the arena of the explanation, because lines of a module do not stay. */
struct candidate {
    struct slice shape, dtype, padding;
    struct slice ops[PRODUCERS]; /* ops that make such a tensor, the first few by name */
    size_t op_count;
    bool argument; /* of a function of the module */
    bool sure;     /* it is a result of the failed op, the only one of `ops` */
    bool more;     /* other ops make it too */
};

/* What makes a tensor. */
struct producer {
    struct slice op; /* empty for an argument, or if unknown */
    bool argument;
};

struct candidates {
    uint64_t bytes;
    struct slice failed; /* name of the failed op, empty if unknown */
    struct arena *arena;
    struct candidate items[DIFFERENT_MAX];
    size_t count;
};

static size_t read_shape(struct slice shape, uint64_t dims[DIMS_MAX]) {
    size_t n = 0;
    while (shape.len && n < DIMS_MAX) {
        size_t digits = num_read_u64(shape, &dims[n]);
        if (!digits) return 0;
        n++;
        shape = slice_skip(shape, digits);
        if (shape.len && shape.ptr[0] != 'x') return 0;
        shape = slice_skip(shape, 1);
    }
    return shape.len ? 0 : n;
}

/* Bytes of the tensor in whole tiles; false if unknown. */
static bool tiled_bytes(const uint64_t *dims, size_t n, struct slice dtype, uint64_t *out) {
    uint64_t tile;
    if (!n || !tile_bytes_by_name(dtype, TILE, TILE, &tile)) return false;
    *out = tile;
    for (size_t i = 0; i < n; i++)
        if (!num_mul(*out, i + 2 < n ? dims[i] : num_ceil_div(dims[i], TILE), out)) return false;
    return true;
}

static void add_padding(struct strbuf *out, const uint64_t *dims, size_t n, uint64_t bytes, uint64_t bare) {
    uint64_t rows = n > 1 ? dims[n - 2] : 1, columns = dims[n - 1];
    bool pads_rows = rows % TILE, pads_columns = columns % TILE;
    if (!pads_rows && !pads_columns) return;
    strbuf_addz(out, ", its ");
    if (pads_rows) {
        strbuf_addf(out, "%llu row%s padded to %llu", (unsigned long long)rows, rows == 1 ? "" : "s",
                    (unsigned long long)(num_ceil_div(rows, TILE) * TILE));
    }
    if (pads_columns) {
        strbuf_addf(out, "%s%llu column%s padded to %llu", pads_rows ? " and " : "", (unsigned long long)columns,
                    columns == 1 ? "" : "s", (unsigned long long)(num_ceil_div(columns, TILE) * TILE));
    }
    if (!bare || bytes / bare > UINT32_MAX) return;
    uint64_t tenths = bytes / bare >= 1000 ? bytes / bare * 10 : bytes * 10 / bare;
    if (tenths <= 10) return; /* too small to matter */
    strbuf_addf(out, ": %llu", (unsigned long long)(tenths / 10));
    if (tenths % 10) strbuf_addf(out, ".%llu", (unsigned long long)(tenths % 10));
    strbuf_addz(out, " x");
}

static struct candidate *known(struct candidates *c, const struct tensor_type *type) {
    for (size_t i = 0; i < c->count; i++)
        if (slice_equal(c->items[i].shape, type->shape) && slice_equal(c->items[i].dtype, type->dtype)) return &c->items[i];
    return NULL;
}

static bool fits(uint64_t bytes, const struct tensor_type *type) {
    uint64_t dims[DIMS_MAX], tiled;
    if (type->kind != TYPE_TENSOR || !type->logical_known) return false;
    size_t n = read_shape(type->shape, dims);
    return n && (type->logical_bytes == bytes || (tiled_bytes(dims, n, type->dtype, &tiled) && tiled == bytes));
}

/* Another op that makes it. If the failed op makes it, that op requested it; otherwise each of several may have. */
static void add_producer(struct candidates *c, struct candidate *item, struct producer by) {
    item->argument |= by.argument;
    if (!by.op.len || item->sure) return;
    item->sure = slice_equal(by.op, c->failed);
    if (item->sure) item->op_count = 0;
    for (size_t i = 0; i < item->op_count; i++)
        if (slice_equal(item->ops[i], by.op)) return;
    if (item->op_count < PRODUCERS) item->ops[item->op_count++] = arena_copy(c->arena, by.op);
    else item->more = true;
}

static void consider(struct candidates *c, const struct tensor_type *type, struct producer by) {
    if (!fits(c->bytes, type)) return;
    struct candidate *old = known(c, type);
    if (old) add_producer(c, old, by);
    if (old || c->count == DIFFERENT_MAX) return;
    uint64_t dims[DIMS_MAX];
    size_t n = read_shape(type->shape, dims);
    struct strbuf padding = {0};
    if (type->logical_bytes != c->bytes) add_padding(&padding, dims, n, c->bytes, type->logical_bytes);
    struct candidate *item = &c->items[c->count++];
    *item = (struct candidate){.shape = arena_copy(c->arena, type->shape),
                               .dtype = arena_copy(c->arena, type->dtype),
                               .padding = arena_copy(c->arena, strbuf_slice(&padding))};
    add_producer(c, item, by);
    strbuf_release(&padding);
}

/* ", result of ttnn.add or ttnn.multiply, or an argument" */
static void add_producers(struct strbuf *text, const struct candidate *item) {
    bool argument = item->argument && !item->sure, more = item->more && !item->sure;
    for (size_t i = 0; i < item->op_count; i++) {
        bool last = i + 1 == item->op_count && !more;
        strbuf_addz(text, !i ? ", result of " : last ? " or " : ", ");
        strbuf_add(text, item->ops[i]);
    }
    if (more) strbuf_addz(text, " or another op");
    if (argument) strbuf_addz(text, item->op_count ? ", or an argument" : ", an argument");
}

static struct slice told(const struct candidates *c) {
    struct strbuf text = {0};
    for (size_t i = 0; i < c->count && i < SHOWN; i++) {
        const struct candidate *item = &c->items[i];
        if (i) strbuf_addz(&text, "; or ");
        strbuf_add(&text, item->shape);
        strbuf_addc(&text, ' ');
        strbuf_add(&text, item->dtype);
        strbuf_add(&text, item->padding);
        add_producers(&text, item);
    }
    if (c->count > SHOWN) strbuf_addf(&text, "; or %zu more", c->count - SHOWN);
    struct slice out = arena_copy(c->arena, strbuf_slice(&text));
    strbuf_release(&text);
    return out;
}

static bool is_about_tensors(const struct failure *f) {
    return f->kind == FAILURE_OOM && failure_knows(f, FAILURE_REQUESTED) && f->number[FAILURE_REQUESTED];
}

/* The results of an op. */
static void consider_results(struct candidates *c, const struct run *run, const struct op *op) {
    for (unsigned k = 0; k < op->result_count; k++) {
        const struct op_ref *result = &run->refs.items[op->first_ref + op->operand_count + k];
        consider(c, &run->types.items[result->type], (struct producer){.op = run_string(run, op->name)});
    }
}

/* From the op lines. A result of the failed op itself is what was requested, whatever else has its size. */
static struct slice asked_in_ops(const struct run *run, const struct explanation *e, struct arena *arena) {
    struct candidates c = {.bytes = e->entry->failure.number[FAILURE_REQUESTED], .failed = e->context.op, .arena = arena};
    uint32_t step = e->number == SLICE_NONE ? NONE : run_failure_step(run, e->number);
    if (step != NONE && e->context.has_op) consider_results(&c, run, &run->ops.items[run->steps.items[step].op]);
    if (c.count) return told(&c);
    bool *fit = mem_zalloc(run->types.len + 1, sizeof *fit), any = false;
    for (size_t i = 0; i < run->types.len; i++) any |= fit[i] = fits(c.bytes, &run->types.items[i]);
    for (size_t i = 0; any && i < run->ops.len; i++) {
        const struct op *op = &run->ops.items[i];
        for (unsigned k = 0; k < op->result_count; k++) {
            uint32_t type = run->refs.items[op->first_ref + op->operand_count + k].type;
            if (fit[type]) consider(&c, &run->types.items[type], (struct producer){.op = run_string(run, op->name)});
        }
    }
    for (size_t i = 0; any && i < run->types.len; i++)
        if (fit[i]) consider(&c, &run->types.items[i], (struct producer){.argument = false}); /* operands that no op made */
    free(fit);
    return told(&c);
}

/* ---- modules ---- */

enum { LOOKED_UP = 16 }; /* failures that a module is searched for */

struct module_search {
    struct candidates candidates[LOOKED_UP];
    struct explanation *of[LOOKED_UP];
    size_t count;
    struct map seen; /* types that were looked at */
};

/* Failures about a tensor that is still unknown. */
static void search_init(struct module_search *s, struct explain *explain) {
    *s = (struct module_search){.count = 0};
    for (size_t i = 0; i < explain->failures.len && s->count < LOOKED_UP; i++) {
        struct explanation *e = &explain->failures.items[i];
        if (e->context.asked.len || !is_about_tensors(&e->entry->failure)) continue;
        s->candidates[s->count].arena = &explain->arena;
        s->candidates[s->count].bytes = e->entry->failure.number[FAILURE_REQUESTED];
        s->candidates[s->count].failed = e->context.op;
        s->of[s->count++] = e;
    }
}

static void search_finish(struct module_search *s) {
    for (size_t i = 0; i < s->count; i++) s->of[i]->context.asked = told(&s->candidates[i]);
    map_release(&s->seen);
}

/* %7 = "ttnn.concat"(%1, %2) ... : (tensor<...>) -> tensor<...> */
static struct slice op_of_line(struct slice line) {
    size_t at = slice_find(line, SLICE("= \""));
    if (at == SLICE_NONE) return slice_of("", 0);
    struct slice name = slice_skip(line, at + 3);
    size_t end = slice_find_byte(slice_take(name, 80), '"');
    return end == SLICE_NONE ? slice_of("", 0) : slice_take(name, end);
}

/* "%arg0: tensor<...": the text before the type of an argument. */
static bool ends_with_argument(struct slice before) {
    struct slice colon = SLICE(": "), name = SLICE("%arg");
    if (!slice_ends(before, colon)) return false;
    before.len -= colon.len;
    while (before.len && before.ptr[before.len - 1] >= '0' && before.ptr[before.len - 1] <= '9') before.len--;
    return slice_ends(before, name);
}

static void search_line(struct module_search *s, struct slice line) {
    struct slice word = SLICE("tensor<"), rest = line;
    size_t arrow = slice_find(line, SLICE("-> ")); /* results follow it */
    struct slice op = op_of_line(line);
    for (size_t at; (at = slice_find(rest, word)) != SLICE_NONE; rest = slice_skip(rest, word.len)) {
        rest = slice_skip(rest, at);
        bool added, result = op.len && arrow != SLICE_NONE && rest.ptr > line.ptr + arrow;
        size_t end = slice_find_byte(slice_take(rest, 400), '>');
        if (end == SLICE_NONE) continue;
        struct hash128 key = hash_bytes(slice_take(rest, end + 1));
        struct producer by = {.op = result ? op : slice_of("", 0),
                              .argument = ends_with_argument(slice_between(line.ptr, rest.ptr))};
        if (result) key.low ^= hash_bytes64(op); /* once as a result of each op */
        if (by.argument) key.low = ~key.low;
        map_at(&s->seen, key, &added);
        if (!added) continue;
        struct tensor_type type;
        type_parse(slice_take(rest, end + 1), &type);
        for (size_t i = 0; i < s->count; i++) consider(&s->candidates[i], &type, by);
    }
}

void explain_match_module(struct explain *explain, struct slice module) {
    struct module_search search;
    search_init(&search, explain);
    while (search.count && module.len) {
        size_t end = slice_find_byte(module, '\n');
        search_line(&search, slice_take(module, end));
        module = end == SLICE_NONE ? slice_of("", 0) : slice_skip(module, end + 1);
    }
    search_finish(&search);
}

/* Can the text of a dump be read? Not for a report's own files, or a file that was read in another way. */
static bool has_text(const struct run *run, const struct module *module) {
    if (run->told_by_files) return false;
    for (size_t i = 0; i < module->runs.len; i++) {
        const struct text_run *part = &module->runs.items[i];
        if (part->offset > run->text.len || part->length > run->text.len - part->offset) return false;
    }
    return module->runs.len > 0;
}

/* From the module dumps of the log, if their text can be read: the last stage first, because it has the final shapes. */
static void match_dumps(struct explain *explain, const struct run *run) {
    struct module_search search;
    search_init(&search, explain);
    for (size_t i = run->modules.len; search.count && i-- > 0;) {
        if (!has_text(run, &run->modules.items[i])) continue;
        struct module_lines lines;
        struct slice line;
        module_lines_init(&lines, &run->modules.items[i], run->text);
        while (module_lines_next(&lines, &line)) search_line(&search, line);
        module_lines_release(&lines);
    }
    search_finish(&search);
}

void explain_match_run(struct explain *explain, const struct run *run) {
    size_t done = 0;
    for (size_t i = 0; i < explain->failures.len && done < FAILURES_WITH_LIVE; i++) {
        struct explanation *e = &explain->failures.items[i];
        if (!is_about_tensors(&e->entry->failure)) continue;
        done++;
        e->context.asked = asked_in_ops(run, e, &explain->arena);
    }
    match_dumps(explain, run);
}
