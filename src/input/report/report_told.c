/* SPDX-License-Identifier: Apache-2.0 */
#include "input/report/report_told.h"

#include "base/num.h"

struct slice told_text(struct json_value object, const char *name) {
    struct json_value value;
    struct slice text = slice_of("", 0);
    if (json_member(object, name, &value)) json_string_of(value, &text);
    return text;
}

bool told_u64(struct json_value object, const char *name, uint64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_u64_of(value, out);
}

bool told_true(struct json_value object, const char *name) {
    struct json_value value;
    bool is = false;
    return json_member(object, name, &value) && json_bool_of(value, &is) && is;
}

bool told_milli(struct json_value object, const char *name, int64_t *out) {
    struct json_value value;
    return json_member(object, name, &value) && json_milli_of(value, out) && *out >= 0 && *out < INT32_MAX;
}

struct told_state told_state_of(struct json_value record) {
    struct told_state state = {0};
    struct json_value memory, view;
    bool has = json_member(record, "memory", &memory);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        struct told_pool *p = &state.pools[pool];
        uint64_t banks = 1;
        p->allocated = -1;
        if (!has || !json_member(memory, pool_names[pool], &view)) continue;
        if (!told_milli(view, "totalBytesAllocatedPerBank_MB", &p->allocated)) {
            p->allocated = -1;
            continue;
        }
        told_u64(view, "numBanks", &banks);
        p->banks = (int64_t)(banks < UINT32_MAX ? banks : 1);
        if (!told_milli(view, "totalBytesPerBank_MB", &p->total)) p->total = -1;
        if (!told_milli(view, "totalBytesFreePerBank_MB", &p->free)) p->free = -1;
        if (!told_milli(view, "largestContiguousBytesFreePerBank_MB", &p->largest)) p->largest = -1;
        state.known = true;
    }
    return state;
}

/* Texts come from files: a line break in one would start a new line. */
static void add_text(struct strbuf *out, struct slice text) {
    for (size_t i = 0; i < text.len; i++) strbuf_addc(out, text.ptr[i] == '\n' || text.ptr[i] == '\r' ? ' ' : text.ptr[i]);
}

static void line(struct strbuf *out, struct slice tag, const char *words, struct slice rest) {
    add_text(out, tag);
    strbuf_addf(out, "RuntimeTTNN | DEBUG | %s", words);
    add_text(out, rest);
    strbuf_addc(out, '\n');
}

void told_start(struct strbuf *out, struct slice tag, struct slice program) {
    line(out, tag, "Starting execution of program: ", program);
}

void told_finish(struct strbuf *out, struct slice tag, struct slice program) {
    line(out, tag, "Finished execution of program: ", program);
}

void told_miss(struct strbuf *out, struct slice tag, struct slice graph) {
    line(out, tag, "Cache miss or invalid cache for function: ", graph);
}

void told_free(struct strbuf *out, struct slice tag, struct slice value) {
    struct strbuf text = {0};
    strbuf_addf(&text, "\"ttnn.deallocate\"(%.*s) : (tensor<1xbf16>) -> () loc(unknown)", SLICE_FMT(value));
    line(out, tag, "Executing operation: ", strbuf_slice(&text));
    strbuf_release(&text);
}

/* Unknown values are left out, as on a line that was cut. */
static void milli(struct strbuf *out, const char *name, int64_t value) {
    if (value < 0) return;
    strbuf_addf(out, ", %s: %lld.%03lld MB", name, (long long)(value / 1000), (long long)(value % 1000));
}

static void block(struct strbuf *out, struct slice tag, const char *heading, struct slice op_type,
                  const struct told_state *state) {
    if (!state->known) return;
    line(out, tag, heading, op_type);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct told_pool *p = &state->pools[pool];
        if (p->allocated < 0) continue;
        add_text(out, tag);
        strbuf_addf(out, "Always | INFO | Device %s memory state: MemoryView{numBanks: %lld", pool_names[pool],
                    (long long)p->banks);
        milli(out, "totalBytesPerBank", p->total);
        milli(out, "totalBytesAllocatedPerBank", p->allocated);
        milli(out, "totalBytesFreePerBank", p->free);
        milli(out, "largestContiguousBytesFreePerBank", p->largest);
        strbuf_addz(out, "}\n");
    }
}

void told_block(struct strbuf *out, struct slice tag, struct slice op_type, const struct told_state *state) {
    block(out, tag, "Device memory state before operation ", op_type, state);
}

void told_submit_block(struct strbuf *out, struct slice tag, const struct told_state *state) {
    block(out, tag, "Device memory state after submit", slice_of("", 0), state);
}

void told_module(struct strbuf *out, const char *stage, struct slice text) {
    strbuf_addf(out, "1970-01-01 00:00:00.000 (   0.000s) [               0]      module_builder.cc:1     1| MLIR Module %s:\n",
                stage);
    strbuf_add(out, text);
    strbuf_addz(out, "\n------------------ END OF MLIR MODULE ------------------\n");
}

/* --- operations --- */

/* The n-th item of a list of texts; empty if there is none. */
static struct slice item_text(struct json_value object, const char *name, size_t n) {
    struct json_value list, item;
    struct slice text = slice_of("", 0);
    if (!json_member(object, name, &list)) return text;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item);)
        if (n-- == 0) {
            json_string_of(item, &text);
            break;
        }
    return text;
}

/* A type by its text, or by shape and element type if the report has no more. */
static void add_type(struct strbuf *out, struct slice text, struct slice shape, struct slice dtype) {
    if (text.len) strbuf_add(out, text);
    else if (dtype.len) strbuf_addf(out, "tensor<%.*s%s%.*s>", SLICE_FMT(shape), shape.len ? "x" : "", SLICE_FMT(dtype));
    else strbuf_addz(out, "none");
}

/* The type of a further result as the compiler would have written it, from its layout object. */
static void add_layout_type(struct strbuf *out, struct json_value item) {
    struct json_value layout;
    struct slice shape = told_text(item, "shape"), dtype = told_text(item, "dtype");
    if (!json_member(item, "layout", &layout) || json_kind_of(layout) != JSON_OBJECT) {
        add_type(out, slice_of("", 0), shape, dtype);
        return;
    }
    struct slice tile = told_text(layout, "tile_size"), storage = told_text(layout, "storage_dtype"),
                 spread = told_text(layout, "memory_layout");
    strbuf_addf(out, "tensor<%.*s%s%.*s, #ttnn.ttnn_layout<(d0) -> (d0), <%.*s>, memref<%.*sx", SLICE_FMT(shape),
                shape.len ? "x" : "", SLICE_FMT(dtype), SLICE_FMT(told_text(layout, "grid")),
                SLICE_FMT(told_text(layout, "memref_shape")));
    if (tile.len) strbuf_addf(out, "!ttcore.tile<%.*s, %.*s>", SLICE_FMT(tile), SLICE_FMT(storage));
    else strbuf_add(out, storage);
    strbuf_addf(out, ", #ttnn.buffer_type<%.*s>>", SLICE_FMT(told_text(layout, "buffer_type")));
    if (spread.len) strbuf_addf(out, ", <%.*s>", SLICE_FMT(spread));
    strbuf_addz(out, ">>");
}

static size_t add_operands(struct strbuf *values, struct strbuf *types, struct json_value op) {
    struct json_value list, item;
    struct slice value;
    size_t n = 0;
    if (!json_member(op, "inputs", &list)) return 0;
    for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item); n++) {
        if (!json_string_of(item, &value)) value = SLICE("%none");
        strbuf_addz(values, n ? ", " : "");
        strbuf_add(values, value);
        strbuf_addz(types, n ? ", " : "");
        add_type(types, item_text(op, "input_types", n), item_text(op, "input_shapes", n), item_text(op, "input_dtypes", n));
    }
    return n;
}

static size_t add_result_types(struct strbuf *out, struct json_value op) {
    struct json_value list, item;
    size_t n = 0;
    struct slice first = told_text(op, "output_type");
    if (json_member(op, "results", &list) && json_kind_of(list) == JSON_ARRAY) {
        for (struct json_walk w = json_walk_of(list); json_next(&w, NULL, &item); n++) {
            strbuf_addz(out, n ? ", " : "");
            struct slice type = n ? told_text(item, "type") : first;
            if (type.len) strbuf_add(out, type);
            else add_layout_type(out, item);
        }
        return n;
    }
    if (!told_text(op, "result").len) return 0;
    add_type(out, first, item_text(op, "output_shapes", 0), item_text(op, "output_dtypes", 0));
    return 1;
}

static void add_location(struct strbuf *out, struct json_value record, const struct json_value *op) {
    struct slice full = op ? told_text(*op, "loc_full") : slice_of("", 0), place = told_text(record, "loc");
    if (full.len) strbuf_addf(out, " loc(%.*s)", SLICE_FMT(full));
    else if (place.len && slice_find_byte(place, '"') == SLICE_NONE) strbuf_addf(out, " loc(\"%.*s\")", SLICE_FMT(place));
    else strbuf_addz(out, " loc(unknown)");
}

void told_op(struct strbuf *out, struct slice tag, struct json_value record, const struct json_value *op, struct slice callee) {
    struct strbuf text = {0}, values = {0}, types = {0}, results = {0};
    struct slice name = told_text(record, "mlir_op");
    bool cached = slice_ends(name, SLICE("load_cached"));
    size_t count = 0;
    if (op) {
        add_operands(&values, &types, *op);
        count = add_result_types(&results, *op);
    }
    struct slice result = op ? told_text(*op, "result") : slice_of("", 0);
    struct slice attributes = op ? told_text(*op, "attributes") : slice_of("", 0);
    if (result.len && count > 1) strbuf_addf(&text, "%.*s:%zu = ", SLICE_FMT(result), count);
    else if (result.len) strbuf_addf(&text, "%.*s = ", SLICE_FMT(result));
    if (cached) strbuf_addf(&text, "%.*s(@%.*s, [", SLICE_FMT(name), SLICE_FMT(callee));
    else strbuf_addf(&text, "\"%.*s\"(", SLICE_FMT(name));
    strbuf_add(&text, strbuf_slice(&values));
    strbuf_addz(&text, cached ? "])" : ")");
    if (attributes.len) strbuf_addf(&text, " <{%.*s}>", SLICE_FMT(attributes));
    strbuf_addf(&text, " : (%.*s) -> %s%.*s%s", SLICE_FMT(strbuf_slice(&types)), count == 1 ? "" : "(",
                SLICE_FMT(strbuf_slice(&results)), count == 1 ? "" : ")");
    add_location(&text, record, op);
    line(out, tag, "Executing operation: ", strbuf_slice(&text));
    strbuf_release(&text);
    strbuf_release(&values);
    strbuf_release(&types);
    strbuf_release(&results);
}
