/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/live_rows.h"

#include <stdlib.h>

#include <string.h>

#include "analysis/rules/computed.h"
#include "analysis/search/late.h"
#include "base/num.h"
#include "base/amounts.h"
#include "base/table/map.h"
#include "render/format/json_parts.h"
#include "render/format/short_location.h"
#include "render/json/op_json.h"

static const enum live_class class_order[LIVE_CLASS_COUNT] = {LIVE_WEIGHT,   LIVE_ACTIVATION,     LIVE_CONST_EVAL,  LIVE_INPUT,
                                                              LIVE_KV_CACHE, LIVE_TEMPORARY,      LIVE_RESHAPE_MAP, LIVE_TABLE,
                                                              LIVE_BINARY,   LIVE_CIRCULAR_BUFFER};

/* First record of the tensor's rank at or after the step where it is gone, NONE if it stays. */
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

void live_rows_op(struct strbuf *out, const struct term *term, const struct run *run, uint32_t record) {
    strbuf_addf(out, "#%u ", record);
    term_text(out, term, step_name(run, &run->steps.items[run->records.items[record]]), 48);
}

/* Width of a class name; that of circular buffers is the longest by far. */
static int class_width(const struct live_rows *rows, int usual) {
    bool longest = rows->set->by_class[LIVE_CIRCULAR_BUFFER].tensors > 0;
    return longest ? (int)strlen(live_class_names[LIVE_CIRCULAR_BUFFER]) : usual;
}

/* Name, size and share, without the end of the line. */
static void text_class(struct strbuf *out, const char *name, int64_t milli, const struct live_rows *rows) {
    struct strbuf cell = {0};
    strbuf_addf(out, "  %-*s", class_width(rows, 14), name);
    bool total = rows->set->sum.bank_unknown > 0;
    add_milli(&cell, milli, 3);
    column(out, &cell, 10);
    if (total) strbuf_addz(out, " MB in total");
    else strbuf_addf(out, " MB per %s", rows->unit ? rows->unit : "bank");
    if (rows->has_allocated && !total) {
        add_percent(&cell, milli, (uint64_t)rows->allocated_milli);
        column(out, &cell, 9);
    }
    strbuf_release(&cell);
}

static void text_count(struct strbuf *out, uint64_t n, const char *one, const char *many) {
    struct strbuf cell = {0};
    add_grouped(&cell, n);
    column(out, &cell, 7);
    strbuf_addz(out, n == 1 ? one : many);
    strbuf_release(&cell);
}

/* Memory that no line of the log mentions. */
static void text_computed(struct strbuf *out, const struct live_rows *rows) {
    for (size_t i = 0; i < LIVE_CLASS_COUNT; i++) {
        const struct live_computed *c = &rows->set->computed[class_order[i]];
        if (!c->bytes) continue;
        text_class(out, live_class_names[class_order[i]], num_bytes_to_milli_mb(c->bytes), rows);
        text_count(out, c->parts, " computed", " computed");
        if (computed_is_estimate(class_order[i])) strbuf_addz(out, ", an estimate");
        if (num_bytes_to_milli_mb(c->by_rule) > num_bytes_to_milli_mb(c->bytes) + 1) { /* the figures are rounded */
            strbuf_addz(out, "; ");
            add_mb(out, c->by_rule, 3);
            strbuf_addz(out, " MB by rule, the tensors leave no more");
        }
        strbuf_addc(out, '\n');
    }
}

/* If the number of banks is unknown, sizes are those of whole tensors. */
static uint64_t shown_bytes(const struct live_rows *rows, const struct live_sum *sum) {
    return rows->set->sum.bank_unknown ? sum->padded_bytes : sum->per_bank_bytes;
}

static void text_maker(struct strbuf *out, const struct term *term, const struct run *run, uint32_t record) {
    struct strbuf place = {0};
    live_rows_op(out, term, run, record);
    short_location_of(&place, run, &run->steps.items[run->records.items[record]]);
    if (place.len) strbuf_addz(out, "  ");
    term_text(out, term, strbuf_slice(&place), 48);
    strbuf_release(&place);
}

/* Equal tensors of one op with the same lifetime. */
struct folded {
    uint32_t tensor, count;
    uint64_t bytes; /* of all of them */
};

static int more_bytes_first(const void *a, const void *b) {
    const struct folded *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

/* Are the bytes of any of them a lower bound? */
static bool has_bounds(const struct live_rows *rows) {
    for (size_t i = 0; i < rows->set->tensors.len; i++)
        if (rows->run->tensors.items[rows->set->tensors.items[i]].bounded) return true;
    return false;
}

static void text_tensor(struct strbuf *out, const struct term *term, const struct live_rows *rows, const struct folded *folded,
                        size_t width) {
    const struct run *run = rows->run;
    const struct tensor *tensor = &run->tensors.items[folded->tensor];
    const struct tensor_type *type = &run->types.items[tensor->type];
    struct live_sum sum = tensor_sum(run, tensor);
    struct strbuf cell = {0};
    if (tensor->bounded) strbuf_addz(&cell, "at least ");
    add_mb(&cell, folded->bytes, 3);
    column(out, &cell, width);
    strbuf_addf(out, " MB  %-*s ", class_width(rows, 11), live_class_names[tensor_live_class(run, tensor)]);
    size_t start = out->len;
    if (folded->count > 1) strbuf_addf(out, "%s x ", figure_grouped(folded->count).text);
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
    uint32_t made = producer_record(run, tensor), last = tensor_last_record(run, tensor);
    if (name.len) term_text(out, term, name, 60);
    else if (tensor->class == TENSOR_ARGUMENT) strbuf_addf(out, "%%arg%u", tensor->argument);
    else if (made != NONE) text_maker(out, term, run, made);
    else strbuf_addz(out, "not known");
    if (live_is_left(rows->run, rows->set, tensor)) {
        strbuf_addz(out, "  left by earlier passes\n");
        strbuf_release(&cell);
        return;
    }
    if (tensor->left) strbuf_addz(out, "  never freed");
    if (last != NONE) strbuf_addf(out, "  freed after #%u", last);
    if ((tensor->left || last != NONE) && tensor_ops_late(run, tensor))
        strbuf_addf(out, ", last used by #%u", tensor_last_used(run, tensor));
    strbuf_addc(out, '\n');
    strbuf_release(&cell);
}

/* What is allocated beyond the tensors of the set, if known; negative if they add up to more. */
static bool live_rows_has_rest(const struct live_rows *rows) { return rows->has_allocated && !rows->set->sum.bank_unknown; }

static int64_t live_rows_rest(const struct live_rows *rows) {
    return rows->allocated_milli - num_bytes_to_milli_mb(rows->set->sum.per_bank_bytes + rows->set->computed_bytes);
}

/* No finer than the precision of the allocated figure. */
static int64_t rest_bytes(const struct live_rows *rows) {
    if (!rows->run->rests.len) return num_milli_mb_to_bytes(live_rows_rest(rows));
    return rows->allocated_bytes - (int64_t)(rows->set->sum.per_bank_bytes + rows->set->computed_bytes);
}

static size_t listed(const struct live_rows *rows) {
    size_t count = rows->set->tensors.len;
    return rows->limit && rows->limit < count ? rows->limit : count;
}

/* Returns how many tensors are in none of the rows shown. */
static size_t text_tensors(struct strbuf *out, const struct term *term, const struct live_rows *rows) {
    const struct run *run = rows->run;
    VEC(struct folded) folded = {0};
    struct map known = {0};
    for (size_t i = 0; i < rows->set->tensors.len; i++) {
        uint32_t id = rows->set->tensors.items[i];
        const struct tensor *tensor = &run->tensors.items[id];
        uint32_t op = tensor->producer == NONE ? NONE : run->steps.items[tensor->producer].op;
        uint64_t key = op == NONE ? (uint64_t)NONE << 32 | id : (uint64_t)op << 32 | tensor->argument;
        uint32_t until = live_is_left(rows->run, rows->set, tensor) ? 0 : tensor->gone;
        uint64_t form = hash_mix(tensor->type, ((uint64_t)tensor->class << 1 | tensor->bounded) << 32 | until);
        bool added;
        uint32_t *row = map_at(&known, (struct hash128){hash_mix(key, form), hash_mix(form, key)}, &added);
        if (added) {
            *row = (uint32_t)folded.len;
            vec_push(&folded, ((struct folded){.tensor = id}));
        }
        struct live_sum sum = tensor_sum(run, tensor);
        folded.items[*row].count++;
        folded.items[*row].bytes += shown_bytes(rows, &sum);
    }
    if (folded.len) qsort(folded.items, folded.len, sizeof *folded.items, more_bytes_first);
    size_t left_out = rows->set->tensors.len, width = has_bounds(rows) ? 18 : 12;
    for (size_t i = 0; i < folded.len && (!rows->limit || i < rows->limit); i++) {
        text_tensor(out, term, rows, &folded.items[i], width);
        left_out -= folded.items[i].count;
    }
    vec_release(&folded);
    map_release(&known);
    return left_out;
}

void live_rows_text_beyond(struct strbuf *out, const struct live_rows *rows) {
    text_computed(out, rows);
    if (live_rows_has_rest(rows)) {
        text_class(out, "unattributed", live_rows_rest(rows), rows);
        strbuf_addc(out, '\n');
    }
    if (live_rows_has_rest(rows) && live_rows_rest(rows) < 0)
        strbuf_addz(out, "  Negative: the op lines name more tensors than the runtime holds (views, early frees).\n");
}

size_t live_rows_text(struct strbuf *out, const struct term *term, const struct live_rows *rows) {
    for (size_t i = 0; i < LIVE_CLASS_COUNT; i++) {
        const struct live_sum *sum = &rows->set->by_class[class_order[i]];
        if (!sum->tensors) continue;
        text_class(out, live_class_names[class_order[i]], num_bytes_to_milli_mb(shown_bytes(rows, sum)), rows);
        text_count(out, sum->tensors, " tensor", " tensors");
        /* passes leave only results of ops behind */
        if (class_order[i] == LIVE_ACTIVATION && rows->set->left.tensors)
            strbuf_addf(out, ", %s of them left by earlier passes: %s MB", figure_grouped(rows->set->left.tensors).text,
                        figure_milli(num_bytes_to_milli_mb(shown_bytes(rows, &rows->set->left)), 3).text);
        strbuf_addc(out, '\n');
    }
    live_rows_text_beyond(out, rows);
    if (rows->set->tensors.len) strbuf_addc(out, '\n');
    return text_tensors(out, term, rows);
}

void json_member_lifetime(struct json *j, const struct run *run, const struct tensor *tensor, bool left) {
    json_member_index(j, "freed_before_op_index", tensor ? freed_before(run, tensor) : NONE);
    json_member_index(j, "freed_after_op_index", tensor ? tensor_last_record(run, tensor) : NONE);
    json_member_bool(j, "is_left_behind", left);
    json_member_index(j, "last_used_op_index", tensor ? tensor_last_used(run, tensor) : NONE);
}

static void json_tensor(struct json *j, const struct run *run, const struct tensor *tensor, bool left) {
    const struct tensor_type *type = &run->types.items[tensor->type];
    json_object(j);
    json_member_text(j, "class", live_class_names[tensor_live_class(run, tensor)]);
    json_member_str(j, "shape", type->shape);
    json_member_text_or_null(j, "dtype", type->dtype);
    struct live_sum sum = tensor_sum(run, tensor);
    json_member_per_bank(j, "bytes_per_bank", &sum);
    json_member_bool(j, "at_least", tensor->bounded);
    bool placed = run->addresses.len && run->regions.len;
    json_member_u64_if(j, "address", placed, placed ? run->addresses.items[tensor - run->tensors.items] : 0);
    json_key(j, "layout");
    layout_json(j, run, type);
    json_member_text_or_null(j, "name", tensor_name(run, tensor));
    json_member_op(j, "op", run, producer_record(run, tensor));
    json_member_lifetime(j, run, tensor, left);
    json_object_end(j);
}

static void json_classes(struct json *j, const struct live_rows *rows) {
    json_key(j, "classes");
    json_object(j);
    for (size_t i = 0; i < LIVE_CLASS_COUNT; i++) {
        json_key(j, live_class_names[class_order[i]]);
        json_sum(j, &rows->set->by_class[class_order[i]]);
    }
    json_object_end(j);
}

void live_rows_json_computed(struct json *j, const struct live_set *set) {
    if (!set->has_computed) {
        json_null(j);
        return;
    }
    json_object(j);
    for (size_t i = 0; i < LIVE_CLASS_COUNT; i++) {
        enum live_class class = class_order[i];
        const struct live_computed *c = &set->computed[class];
        if (!computed_has(class)) continue;
        json_key(j, live_class_names[class]);
        json_object(j);
        json_member_u64(j, "count", c->parts);
        json_member_u64(j, "bytes_per_bank", c->bytes);
        json_member_u64(j, "by_rule_bytes_per_bank", c->by_rule);
        json_member_bool(j, "estimated", computed_is_estimate(class));
        json_object_end(j);
    }
    json_object_end(j);
}

void live_rows_json_sums(struct json *j, const struct live_rows *rows) {
    json_member_i64_if(j, "allocated_bytes_per_bank", rows->has_allocated, rows->allocated_bytes);
    json_member_per_bank(j, "attributed_bytes_per_bank", &rows->set->sum);
    json_member_i64_if(j, "unattributed_bytes_per_bank", live_rows_has_rest(rows), rest_bytes(rows));
    json_classes(j, rows);
    json_key(j, "computed");
    live_rows_json_computed(j, rows->set);
    json_key(j, "sum");
    json_sum(j, &rows->set->sum);
    json_key(j, "left_behind");
    json_sum(j, &rows->set->left);
}

void live_rows_json(struct json *j, const struct live_rows *rows) {
    size_t shown = listed(rows);
    live_rows_json_sums(j, rows);
    json_key(j, "tensors");
    json_array(j);
    for (size_t i = 0; i < shown; i++) {
        const struct tensor *tensor = &rows->run->tensors.items[rows->set->tensors.items[i]];
        json_tensor(j, rows->run, tensor, live_is_left(rows->run, rows->set, tensor));
    }
    json_array_end(j);
    json_member_u64(j, "left_out", rows->set->tensors.len - shown);
}
