#include "render/live_report.h"

#include "base/num.h"
#include "render/amounts.h"
#include "render/json_parts.h"
#include "render/op_json.h"
#include "render/summary_json.h"

static const enum live_class class_order[LIVE_CLASS_COUNT] = {LIVE_WEIGHT, LIVE_ACTIVATION, LIVE_CONST_EVAL, LIVE_INPUT};
static const char estimate_note[] = "estimated from op lines; the allocated figure is the runtime's own";

static const struct block *known_block(const struct run *run, const struct live_place *place) {
    bool known = place->block != NONE && run->blocks.items[place->block].have & 1u << place->pool;
    return known ? &run->blocks.items[place->block] : NULL;
}

static size_t listed(const struct live_place *place, const struct live_set *set) {
    return place->limit && place->limit < set->tensors.len ? place->limit : set->tensors.len;
}

/* First record of the tensor's rank at or behind the step where it is gone, NONE when it stays. Arguments belong to the caller:
 * the end of their program says nothing about them. */
static uint32_t freed_before(const struct run *run, const struct tensor *tensor) {
    if (tensor->class == TENSOR_ARGUMENT) return NONE;
    for (size_t i = tensor->gone; i < run->steps.len; i++)
        if (run->steps.items[i].rank == tensor->rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

static uint32_t producer_record(const struct run *run, const struct tensor *tensor) {
    return tensor->producer == NONE ? NONE : run->steps.items[tensor->producer].record;
}

static void column(struct strbuf *out, struct strbuf *cell, size_t width) {
    strbuf_fill(out, ' ', cell->len < width ? width - cell->len : 0);
    strbuf_add(out, strbuf_slice(cell));
    strbuf_clear(cell);
}

static void text_op(struct strbuf *out, const struct term *term, const struct run *run, uint32_t record) {
    strbuf_addf(out, "#%u ", record);
    term_text(out, term, step_name(run, &run->steps.items[run->records.items[record]]), 48);
}

static void text_head(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place) {
    const struct block *block = known_block(run, place);
    term_tone(out, term, TONE_BOLD);
    strbuf_addf(out, "Alive in %s", pool_names[place->pool]);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, place->is_peak ? " at its peak" : "");
    if (place->after_record != NONE) {
        strbuf_addz(out, ", after ");
        text_op(out, term, run, place->after_record);
    }
    if (place->before_record != NONE) {
        strbuf_addz(out, ", before ");
        text_op(out, term, run, place->before_record);
    }
    strbuf_addz(out, "\n\n");
    if (!block) {
        strbuf_addz(out, "  The log has no memory block here: what is not attributed is not known.\n\n");
        return;
    }
    uint32_t total = block_config(run, block, place->pool)->total;
    strbuf_addz(out, "  ");
    add_milli(out, block->allocated[place->pool], 3);
    strbuf_addz(out, " of ");
    add_milli(out, total, 3);
    strbuf_addz(out, " MB per bank (");
    add_percent(out, block->allocated[place->pool], total);
    strbuf_addz(out, "), largest free block ");
    add_milli(out, block->largest[place->pool], 3);
    strbuf_addz(out, " MB\n\n");
}

static void text_class(struct strbuf *out, const char *name, const struct live_sum *sum, int64_t milli,
                       const struct block *block, enum pool pool) {
    struct strbuf cell = {0};
    strbuf_addf(out, "  %-14s", name);
    add_milli(&cell, milli, 3);
    column(out, &cell, 10);
    strbuf_addz(out, " MB per bank");
    if (block) {
        add_percent(&cell, milli, block->allocated[pool]);
        column(out, &cell, 9);
    }
    if (sum) {
        add_grouped(&cell, sum->tensors);
        column(out, &cell, 7);
        strbuf_addz(out, sum->tensors == 1 ? " tensor" : " tensors");
    }
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

static void text_tensor(struct strbuf *out, const struct term *term, const struct run *run, const struct tensor *tensor) {
    const struct tensor_type *type = &run->types.items[tensor->type];
    struct live_sum sum = tensor_sum(run, tensor);
    struct strbuf cell = {0};
    add_mb(&cell, sum.per_bank_bytes, 3);
    column(out, &cell, 12);
    strbuf_addf(out, " MB  %-11s ", live_class_names[tensor_live_class(run, tensor)]);
    size_t start = out->len;
    term_text(out, term, type->shape.len ? type->shape : SLICE("scalar"), 40);
    strbuf_addc(out, ' ');
    term_text(out, term, type->dtype, 20);
    if (type->logical_known && sum.padded_bytes > sum.logical_bytes && sum.logical_bytes) {
        strbuf_addz(out, " +");
        add_percent(out, (int64_t)(sum.padded_bytes - sum.logical_bytes), sum.logical_bytes);
    }
    size_t used = out->len - start;
    strbuf_fill(out, ' ', used < 30 ? 30 - used : 2);
    struct slice name = tensor_name(run, tensor);
    uint32_t made = producer_record(run, tensor), freed = freed_before(run, tensor);
    if (name.len) term_text(out, term, name, 60);
    else if (tensor->class == TENSOR_ARGUMENT) strbuf_addf(out, "%%arg%u", tensor->argument);
    else if (made != NONE) text_op(out, term, run, made);
    else strbuf_addz(out, "not known");
    if (freed != NONE) strbuf_addf(out, "  until #%u", freed);
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

void live_report_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                      const struct live_set *set) {
    const struct block *block = known_block(run, place);
    text_head(out, term, run, place);
    for (size_t i = 0; i < LIVE_CLASS_COUNT; i++) {
        const struct live_sum *sum = &set->by_class[class_order[i]];
        if (sum->tensors)
            text_class(out, live_class_names[class_order[i]], sum, num_bytes_to_milli_mb(sum->per_bank_bytes), block,
                       place->pool);
    }
    if (block) text_class(out, "unattributed", NULL, live_unattributed(set, block->allocated[place->pool]), block, place->pool);
    if (block && live_unattributed(set, block->allocated[place->pool]) < 0)
        strbuf_addz(out, "  Negative: the op lines tell of more tensors than the runtime holds (views, early frees).\n");
    if (set->tensors.len) strbuf_addc(out, '\n');
    size_t shown = listed(place, set);
    for (size_t i = 0; i < shown; i++) text_tensor(out, term, run, &run->tensors.items[set->tensors.items[i]]);
    if (shown < set->tensors.len) strbuf_addf(out, "  ... and %zu more; --limit 0 lists all\n", set->tensors.len - shown);
    term_tone(out, term, TONE_DIM);
    strbuf_addf(out, "\n  Tensors are %s.\n", estimate_note);
    term_tone(out, term, TONE_PLAIN);
}

static void json_sum(struct json *j, const char *key, const struct live_sum *sum) {
    json_key(j, key);
    json_object(j);
    json_member_u64(j, "tensors", sum->tensors);
    json_member_u64(j, "logical_bytes", sum->logical_bytes);
    json_member_u64(j, "padded_bytes", sum->padded_bytes);
    json_member_u64(j, "per_bank_bytes", sum->per_bank_bytes);
    json_member_mb(j, "per_bank_MB", sum->per_bank_bytes);
    json_object_end(j);
}

static void json_tensor(struct json *j, const struct run *run, const struct tensor *tensor) {
    const struct tensor_type *type = &run->types.items[tensor->type];
    uint32_t made = producer_record(run, tensor);
    json_object(j);
    json_member_text(j, "class", live_class_names[tensor_live_class(run, tensor)]);
    json_member_str(j, "shape", type->shape);
    json_member_text_or_null(j, "dtype", type->dtype);
    json_member_u64(j, "per_bank_bytes", tensor_sum(run, tensor).per_bank_bytes);
    json_key(j, "layout");
    layout_json(j, run, type);
    json_member_text_or_null(j, "name", tensor_name(run, tensor));
    json_member_index(j, "producer_op_index", made);
    json_member_text_or_null(j, "producer_op",
                             made == NONE ? slice_of("", 0) : step_name(run, &run->steps.items[tensor->producer]));
    json_member_index(j, "freed_before_op_index", freed_before(run, tensor));
    json_object_end(j);
}

static void json_milli_or_null(struct json *j, const char *key, bool known, int64_t milli) {
    if (known) json_member_milli(j, key, milli);
    else json_member_null(j, key);
}

void live_report_json(struct strbuf *out, const struct run *run, const struct live_place *place, const struct live_set *set) {
    const struct block *block = known_block(run, place);
    unsigned pool = place->pool;
    struct json j = {.out = out, .pretty = true};
    json_object(&j);
    json_member_u64(&j, "schema_version", SCHEMA_VERSION);
    json_member_text(&j, "pool", pool_names[pool]);
    json_member_bool(&j, "peak", place->is_peak);
    json_member_index(&j, "op_index", place->after_record);
    json_member_index(&j, "before_op_index", place->before_record);
    json_key(&j, "line");
    if (block) json_u64(&j, block_pool_line(block, place->pool));
    else json_null(&j);
    json_milli_or_null(&j, "allocated_MB", block, block ? block->allocated[pool] : 0);
    json_milli_or_null(&j, "capacity_MB", block, block ? block_config(run, block, place->pool)->total : 0);
    json_milli_or_null(&j, "free_MB", block, block ? block->free[pool] : 0);
    json_milli_or_null(&j, "largest_free_MB", block, block ? block->largest[pool] : 0);
    json_member_mb(&j, "attributed_MB", set->sum.per_bank_bytes);
    json_milli_or_null(&j, "unattributed_MB", block, block ? live_unattributed(set, block->allocated[pool]) : 0);
    json_key(&j, "classes");
    json_object(&j);
    for (size_t i = 0; i < LIVE_CLASS_COUNT; i++)
        json_sum(&j, live_class_names[class_order[i]], &set->by_class[class_order[i]]);
    json_object_end(&j);
    json_key(&j, "padding");
    json_padding(&j, &set->sum);
    json_key(&j, "tensors");
    json_array(&j);
    size_t shown = listed(place, set);
    for (size_t i = 0; i < shown; i++) json_tensor(&j, run, &run->tensors.items[set->tensors.items[i]]);
    json_array_end(&j);
    json_member_u64(&j, "left_out", set->tensors.len - shown);
    json_member_text(&j, "note", estimate_note);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
