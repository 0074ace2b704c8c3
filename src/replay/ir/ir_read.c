/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table/idmap.h"
#include "base/num.h"
#include "parse/location.h"
#include "parse/log.h"
#include "parse/mlir_scan.h"
#include "parse/op.h"
#include "replay/ir/ir.h"

struct ir_reading {
    struct ir *ir;
    struct op_text op;
    struct idmap values; /* value_code -> number in the function */
    bool in_function, body_seen, body_closed;
    size_t function_indent;
};

static const struct {
    const char *word;
    enum ir_function_kind kind;
} kinds[] = {
    {"\"const_eval\"", IR_CONST_EVAL}, {"{const_eval}", IR_CONST_EVAL}, {"const_eval,", IR_CONST_EVAL},
    {", const_eval", IR_CONST_EVAL},   {"\"forward_cpu", IR_CPU},       {"\"trace_", IR_TRACE},
};

static enum ir_function_kind kind_of(struct slice name, struct slice attributes) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (slice_find(attributes, slice_from(kinds[i].word)) != SLICE_NONE) return kinds[i].kind;
    bool said = slice_find(attributes, SLICE("tt.function_type")) != SLICE_NONE;
    return !said && slice_find(name, SLICE("_const_eval_")) != SLICE_NONE ? IR_CONST_EVAL : IR_DEVICE;
}

static void define(struct ir_reading *r, struct slice value, uint32_t number) {
    idmap_set(&r->values, value_code(value), number);
}

static void add_argument(struct ir_reading *r, struct slice item) {
    struct ir *ir = r->ir;
    struct module_argument read;
    struct ir_function *f = &vec_last(&ir->functions);
    if (!module_argument_parse(&ir->helper, item, &read)) return;
    uint32_t type = ir_type_id(&ir->types, read.type);
    uint32_t held = read.local_type.len ? ir_type_local(&ir->types, type, read.local_type) : type;
    vec_push(&ir->arguments, ((struct ir_argument){read.name, type, held, read.role, read.kv_cache}));
    size_t colon = slice_find_byte(item, ':');
    define(r, slice_trim(slice_take(item, colon)), f->value_count++);
    f->argument_count++;
}

/* "func.func [public|private] @name(args) -> types attributes {...} {"; a declaration has no brace at the end. */
static void on_function(struct ir_reading *r, struct slice line, size_t indent, uint32_t number) {
    struct ir *ir = r->ir;
    const char *end = line.ptr + line.len, *at = memchr(line.ptr, '@', line.len);
    const char *open = at ? memchr(at, '(', (size_t)(end - at)) : NULL;
    const char *after = open ? mlir_skip_group(open, end) : NULL;
    if (!after) { /* torn: it is unknown what it does */
        ir->odd.cut_ops++;
        return;
    }
    struct slice name = slice_between(at + 1, open), tail = slice_between(after, end);
    bool has_body = slice_ends(line, SLICE("{"));
    struct ir_function f = {.name = name,
                            .kind = has_body ? kind_of(name, tail) : IR_CPU,
                            .line = number,
                            .first_argument = (uint32_t)ir->arguments.len,
                            .first_op = (uint32_t)ir->ops.len};
    vec_push(&ir->functions, f);
    bool added;
    uint32_t *id = map_at(&ir->functions_by_name, hash_bytes(name), &added);
    if (added || ir->functions.items[*id].kind == IR_CPU) *id = (uint32_t)ir->functions.len - 1;
    if (!has_body) return;
    idmap_clear(&r->values);
    if (f.kind != IR_CPU) {
        struct slice list = slice_between(open + 1, after - 1), item;
        while (mlir_next_item(&list, &item)) add_argument(r, item);
    }
    r->in_function = true;
    r->function_indent = indent;
}

static uint32_t find_value(struct ir_reading *r, struct slice value) {
    unsigned index;
    struct slice base = op_value_base(value, &index);
    const uint32_t *first = idmap_find(&r->values, value_code(base));
    if (!first || index >= vec_last(&r->ir->functions).value_count - *first) {
        r->ir->odd.undefined_values++;
        return IR_NONE;
    }
    return *first + index;
}

static void add_operands(struct ir_reading *r) {
    struct ir *ir = r->ir;
    for (size_t i = 0; i < r->op.operands.len; i++) {
        const struct op_operand *o = &r->op.operands.items[i];
        vec_push(&ir->operands, ((struct ir_operand){find_value(r, o->value), ir_type_id(&ir->types, o->type)}));
    }
}

/* "return %1, %2 : type, type": the types are where an op has those of its results. */
static void on_return(struct ir_reading *r) {
    struct ir_function *f = &vec_last(&r->ir->functions);
    for (size_t i = 0; i < r->op.operands.len && i < r->op.result_types.len; i++)
        if (!r->op.operands.items[i].type.len) r->op.operands.items[i].type = r->op.result_types.items[i];
    f->first_return = (uint32_t)r->ir->operands.len;
    f->return_count = (uint32_t)r->op.operands.len;
    add_operands(r);
}

static bool is_other_dialect(struct slice name) {
    return slice_starts(name, SLICE("ttir.")) || slice_starts(name, SLICE("stablehlo.")) || slice_starts(name, SLICE("vhlo."));
}

static void on_op(struct ir_reading *r, struct slice line, uint32_t number) {
    struct ir *ir = r->ir;
    struct op_text *read = &r->op;
    struct ir_function *f = &vec_last(&ir->functions);
    if (!op_parse(line, read)) {
        ir->odd.cut_ops += line.ptr[0] == '%' || line.ptr[0] == '"';
        return;
    }
    if (slice_equal(read->name, SLICE("return")) || slice_equal(read->name, SLICE("func.return"))) {
        on_return(r);
        return;
    }
    if (!memchr(read->name.ptr, '.', read->name.len) && !slice_equal(read->name, SLICE("call"))) return;
    if (is_other_dialect(read->name)) {
        ir->other_ops++;
        return;
    }
    if (read->truncated && !read->result_type.len) ir->odd.cut_ops++;
    struct ir_op op = {.name = slice_equal(read->name, SLICE("call")) ? SLICE("func.call") : read->name,
                       .ssa = read->result,
                       .callee = read->callee,
                       .properties = read->properties,
                       .attributes = read->attributes,
                       .location = read->location,
                       .line = number,
                       .first_operand = (uint32_t)ir->operands.len,
                       .operand_count = (uint32_t)read->operands.len,
                       .first_result = f->value_count,
                       .first_result_type = (uint32_t)ir->result_types.len,
                       .text = line};
    add_operands(r);
    size_t results = read->result.len ? read->result_types.len : 0;
    op.result_count = (uint32_t)results;
    for (size_t i = 0; i < results; i++) vec_push(&ir->result_types, ir_type_id(&ir->types, read->result_types.items[i]));
    if (results) define(r, read->result, f->value_count);
    f->value_count += op.result_count;
    f->frees = f->frees || slice_equal(op.name, SLICE("ttnn.deallocate"));
    vec_push(&ir->ops, op);
    f->op_count++;
}

static void on_alias(struct ir_reading *r, struct slice line) {
    size_t equals = slice_find(line, SLICE(" = "));
    if (equals == SLICE_NONE) return;
    struct slice name = slice_take(line, equals), text = slice_skip(line, equals + 3);
    if (!r->ir->system_desc.len && slice_find(slice_take(text, 64), SLICE("system_desc<")) != SLICE_NONE)
        r->ir->system_desc = text;
    ir_alias_add(&r->ir->types, name, text);
}

/* "module @name attributes {..., ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>, ...} {" */
static void on_module_head(struct ir_reading *r, struct slice line) {
    struct ir *ir = r->ir;
    r->body_seen = true;
    size_t at = slice_find(line, SLICE("module @"));
    if (!ir->symbol.len && at != SLICE_NONE) {
        ir->symbol = slice_skip(line, at + 8);
        ir->symbol = slice_take(ir->symbol, slice_find_byte(ir->symbol, ' '));
    }
    at = slice_find(line, SLICE(".meshes<["));
    if (!ir->mesh.len && at != SLICE_NONE) {
        struct slice rest = slice_skip(line, at);
        at = slice_find(rest, SLICE("\" = "));
        if (at != SLICE_NONE) {
            ir->mesh = slice_skip(rest, at + 4);
            ir->mesh = slice_take(ir->mesh, slice_find_byte(ir->mesh, '>'));
        }
    }
    if (!ir->system_desc.len && slice_find(line, SLICE("system_desc<")) != SLICE_NONE) ir->system_desc = line;
}

static void on_line(struct ir_reading *r, struct slice line, uint32_t number) {
    size_t indent = 0;
    while (indent < line.len && line.ptr[indent] == ' ') indent++;
    struct slice text = slice_trim(line);
    if (text.len && text.ptr[text.len - 1] == '\r') text.len--;
    if (!text.len) return;
    if (text.ptr[0] == '#') on_alias(r, text);
    else if (r->body_closed) return;
    else if (slice_starts(text, SLICE("func.func"))) on_function(r, text, indent, number);
    else if (slice_starts(text, SLICE("module")) || slice_starts(text, SLICE("builtin.module"))) on_module_head(r, text);
    else if (text.ptr[0] == '}') {
        if (r->in_function && indent <= r->function_indent) r->in_function = false;
        if (indent == 0 && r->body_seen) r->body_closed = true;
    } else if (r->in_function && indent == r->function_indent + 2 && vec_last(&r->ir->functions).kind != IR_CPU) {
        on_op(r, text, number);
    }
}

/* Aliases may follow their use: reads all of them first, then the rest. */
static void each_line(struct ir_reading *r, bool aliases) {
    struct slice rest = r->ir->text;
    for (uint32_t number = r->ir->lines_before + 1; rest.len; number++) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end);
        rest = slice_skip(rest, line.len + 1);
        bool alias = line.len && line.ptr[0] == '#';
        if (alias == aliases) on_line(r, line, number);
    }
}

static bool is_identity_shard(const struct ir_op *op) {
    return (slice_equal(op->name, SLICE("ttnn.mesh_shard")) || slice_equal(op->name, SLICE("ttnn.distribute_tensor"))) &&
           slice_find(op->properties, SLICE("shard_type<identity>")) != SLICE_NONE &&
           slice_find(op->properties, SLICE("shard_to_full")) == SLICE_NONE;
}

/* The type that the first identity mesh_shard in `f` gives a value: in modules without local_shape only this shows what a
 * device holds. */
static uint32_t sharded_type(const struct ir *ir, const struct ir_function *f, uint32_t value, unsigned depth) {
    for (uint32_t i = 0; i < f->op_count; i++) {
        const struct ir_op *op = &ir->ops.items[f->first_op + i];
        for (uint32_t k = 0; k < op->operand_count; k++) {
            if (ir_operand_at(ir, op, k)->value != value) continue;
            if (is_identity_shard(op) && op->result_count) return ir->result_types.items[op->first_result_type];
            const struct ir_function *callee = op->callee.len && depth ? ir_function_find(ir, op->callee) : NULL;
            if (!callee || k >= callee->argument_count) continue;
            uint32_t type = sharded_type(ir, callee, k, depth - 1);
            if (type != IR_NONE) return type;
        }
    }
    return IR_NONE;
}

static void find_held_types(struct ir *ir) {
    const struct ir_function *f = ir_main(ir);
    bool shards = false;
    for (size_t i = 0; i < ir->ops.len && !shards; i++) shards = is_identity_shard(&ir->ops.items[i]);
    for (uint32_t i = 0; f && shards && i < f->argument_count; i++) {
        struct ir_argument *argument = &ir->arguments.items[f->first_argument + i];
        uint32_t type = argument->held == argument->type ? sharded_type(ir, f, i, 1) : IR_NONE;
        if (type != IR_NONE) argument->held = type;
    }
}

static void find_callers(struct ir *ir) {
    for (size_t i = 0; i < ir->ops.len; i++) {
        if (!ir->ops.items[i].callee.len) continue;
        const uint32_t *id = map_find(&ir->functions_by_name, hash_bytes(ir->ops.items[i].callee));
        if (id) ir->functions.items[*id].called = true;
    }
}

void ir_read(struct ir *ir, struct slice text) {
    struct ir_reading r = {.ir = ir};
    ir->text = text;
    ir->helper.lines_stay = true;
    each_line(&r, true);
    each_line(&r, false);
    ir->cut = r.in_function || (r.body_seen && !r.body_closed);
    find_callers(ir);
    find_held_types(ir);
    op_release(&r.op);
    idmap_release(&r.values);
}

bool ir_add_lone_op(struct ir *ir, struct slice text) {
    struct op_text read = {0};
    bool good = op_parse(slice_trim(text), &read) && !read.truncated;
    if (good) {
        uint32_t operands = (uint32_t)read.operands.len, results = read.result.len ? (uint32_t)read.result_types.len : 0;
        struct ir_op op = {.name = read.name,
                           .ssa = read.result,
                           .callee = read.callee,
                           .properties = read.properties,
                           .attributes = read.attributes,
                           .location = read.location,
                           .first_operand = (uint32_t)ir->operands.len,
                           .operand_count = operands,
                           .first_result = operands,
                           .result_count = results,
                           .first_result_type = (uint32_t)ir->result_types.len,
                           .text = text};
        for (uint32_t i = 0; i < operands; i++)
            vec_push(&ir->operands, ((struct ir_operand){i, ir_type_id(&ir->types, read.operands.items[i].type)}));
        for (uint32_t i = 0; i < results; i++) vec_push(&ir->result_types, ir_type_id(&ir->types, read.result_types.items[i]));
        vec_push(&ir->ops, op);
    }
    op_release(&read);
    return good;
}

void ir_release(struct ir *ir) {
    module_release(&ir->helper);
    ir_types_release(&ir->types);
    vec_release(&ir->arguments);
    vec_release(&ir->operands);
    vec_release(&ir->result_types);
    vec_release(&ir->ops);
    vec_release(&ir->functions);
    map_release(&ir->functions_by_name);
}

const struct ir_function *ir_function_find(const struct ir *ir, struct slice name) {
    const uint32_t *id = map_find(&ir->functions_by_name, hash_bytes(name));
    return id ? &ir->functions.items[*id] : NULL;
}

const struct ir_function *ir_main(const struct ir *ir) {
    const struct ir_function *main = ir_function_find(ir, SLICE("main"));
    if (main && main->kind == IR_DEVICE) return main;
    for (size_t i = 0; i < ir->functions.len; i++) {
        const struct ir_function *f = &ir->functions.items[i];
        if (f->kind == IR_DEVICE && !f->called) return f;
    }
    return NULL;
}

static struct slice find_location(void *context, struct slice alias) {
    struct slice text = ir_alias_find(&((const struct ir *)context)->types, alias);
    return slice_starts(text, SLICE("loc(")) ? mlir_inside(slice_skip(text, 3)) : slice_of("", 0);
}

void ir_location(const struct ir *ir, const struct ir_op *op, struct strbuf *out) {
    struct location_names names = {(void *)(uintptr_t)ir, find_location};
    location_display_with(out, op->location, &names);
}

bool ir_looks_like_mlir(struct slice text) {
    return slice_find(text, SLICE("func.func")) != SLICE_NONE || slice_find(text, SLICE("module {")) != SLICE_NONE ||
           slice_find(text, SLICE("module @")) != SLICE_NONE;
}

uint64_t ir_mesh_axis(const struct ir *ir, int64_t axis) {
    uint64_t product = 1, n;
    int64_t at = 0;
    for (struct slice mesh = ir->mesh; mesh.len; at++) {
        size_t used = num_read_u64(mesh, &n);
        if (!used || !n || n > 4096 || product > 4096) break;
        if (at == axis) return n;
        product *= n;
        mesh = slice_skip(mesh, used + 1);
    }
    return axis < 0 && at ? product : 0;
}

uint64_t ir_mesh_chips(const struct ir *ir) {
    uint64_t chips = ir_mesh_axis(ir, -1);
    return chips ? chips : 1;
}
