/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"
#include "render/answer/budget.h"
#include "render/answer/diff.h"
#include "render/format/json_parts.h"
#include "render/json/summary_json.h"

enum { HUNKS_MOST = 1000 };

static void json_type(struct json *j, const char *key, const struct footprint *f, uint32_t id) {
    json_key(j, key);
    if (id >= f->types.len) {
        json_null(j);
        return;
    }
    const struct footprint_type *type = &f->types.items[id];
    json_object(j);
    json_member_str(j, "shape", footprint_text(f, type->shape));
    json_member_text_or_null(j, "dtype", footprint_text(f, type->dtype));
    json_member_text_or_null(j, "layout", footprint_text(f, type->layout));
    json_member_text_or_null(j, "grid", footprint_text(f, type->grid));
    json_member_u64(j, "logical_bytes", type->logical_bytes);
    json_member_u64(j, "padded_bytes", type->padded_bytes);
    json_member_u64(j, "per_bank_bytes", type->per_bank_bytes);
    json_object_end(j);
}

static void json_side(struct json *j, const char *key, const struct footprint *f, struct slice given) {
    json_key(j, key);
    json_object(j);
    json_member_str(j, "run", given);
    json_member_str(j, "name", footprint_text(f, f->name));
    json_member_text_or_null(j, "chip", footprint_text(f, f->chip));
    json_member_u64(j, "ops", f->op_count);
    const struct footprint_failure *first;
    size_t failures = footprint_failures(f, &first);
    json_member_u64(j, "failures", failures);
    json_member_u64(j, "failures_caught", f->failures.len - failures);
    json_key(j, "failed");
    json_array(j);
    for (size_t i = 0; i < f->failures.len; i++) {
        json_object(j);
        json_member_str(j, "verdict", footprint_text(f, f->failures.items[i].title));
        json_member_u64(j, "line", f->failures.items[i].line);
        json_member_index(j, "op_index", f->failures.items[i].op);
        if (f->failures.items[i].outcome == OUTCOME_UNKNOWN) json_member_null(j, "caught");
        else json_member_bool(j, "caught", f->failures.items[i].outcome == OUTCOME_CAUGHT);
        json_object_end(j);
    }
    json_array_end(j);
    struct measure_value growth = measure_read(measure_find(SLICE("growth_per_pass")), f);
    json_key(j, "growth_per_pass_bytes");
    if (growth.known) json_i64(j, growth.value);
    else json_null(j);
    json_object_end(j);
}

static void json_pool_side(struct json *j, const char *key, const struct footprint_pool *pool) {
    json_key(j, key);
    if (!pool->seen) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "num_banks", pool->banks);
    json_member_milli(j, "capacity_MB", pool->total);
    json_member_milli(j, "peak_MB", pool->peak);
    json_member_text(j, "source", peak_source_names[pool->source]);
    json_member_bool(j, "at_least", footprint_peak_at_least(pool));
    json_member_index(j, "op_index", pool->after_op);
    json_member_index(j, "before_op_index", pool->before_op);
    if (pool->free_seen) {
        json_member_milli(j, "smallest_largest_free_MB", pool->largest_free);
        json_member_milli(j, "largest_free_gap_MB", pool->gap);
    }
    json_object_end(j);
}

static void json_changed_tensor(struct json *j, const struct diff *d, const struct diff_tensor *row) {
    const struct footprint *f = row->b != NONE ? d->b : d->a;
    const struct footprint_tensor *t = row->b != NONE ? &d->b->tensors.items[row->b] : &d->a->tensors.items[row->a];
    json_object(j);
    json_member_i64(j, "per_bank_bytes", row->bytes);
    json_member_text(j, "class", live_class_names[t->class]);
    json_key(j, "causes");
    json_object(j);
    for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
        if (row->by_cause[cause]) json_member_i64(j, diff_cause_names[cause], row->by_cause[cause]);
    json_object_end(j);
    json_member_text_or_null(j, "name", footprint_text(f, t->name));
    json_member_text_or_null(j, "op", t->kind == NONE ? SLICE("") : footprint_text(f, f->kinds.items[t->kind].name));
    json_member_text_or_null(j, "location", t->kind == NONE ? SLICE("") : footprint_text(f, f->kinds.items[t->kind].location));
    json_member_index(j, "before_op_index", row->a == NONE ? NONE : d->a->tensors.items[row->a].op);
    json_member_index(j, "after_op_index", row->b == NONE ? NONE : d->b->tensors.items[row->b].op);
    json_type(j, "before", d->a, row->a == NONE ? NONE : d->a->tensors.items[row->a].type);
    json_type(j, "after", d->b, row->b == NONE ? NONE : d->b->tensors.items[row->b].type);
    json_object_end(j);
}

static void json_pool(struct json *j, const struct diff *d, enum pool which) {
    const struct diff_pool *pool = &d->pools[which];
    json_key(j, pool_names[which]);
    json_object(j);
    json_pool_side(j, "before", &d->a->pools[which]);
    json_pool_side(j, "after", &d->b->pools[which]);
    if (pool->seen) {
        json_member_i64(j, "difference_bytes", pool->difference);
        json_member_bool(j, "attributed", pool->has_live);
        json_key(j, "parts");
        json_array(j);
        for (size_t i = 0; i < pool->parts.len; i++) {
            json_object(j);
            json_member_text(j, "class", diff_class_words(&pool->parts.items[i]));
            json_member_text(j, "cause", diff_cause_names[pool->parts.items[i].cause]);
            json_member_i64(j, "per_bank_bytes", pool->parts.items[i].bytes);
            json_member_u64(j, "tensors", pool->parts.items[i].tensors);
            json_object_end(j);
        }
        json_array_end(j);
        json_member_i64(j, "unexplained_bytes", pool->rest);
        json_key(j, "padding");
        json_object(j);
        json_member_i64(j, "before_bytes", (int64_t)(pool->padded[0] - pool->logical[0]));
        json_member_i64(j, "after_bytes", (int64_t)(pool->padded[1] - pool->logical[1]));
        json_object_end(j);
        json_key(j, "tensors");
        json_array(j);
        for (size_t i = 0; i < pool->tensors.len; i++) json_changed_tensor(j, d, &pool->tensors.items[i]);
        json_array_end(j);
    }
    json_object_end(j);
}

static void json_op_list(struct json *j, const char *key, const struct footprint *f, const uint32_t *ops, uint32_t begin,
                         uint32_t end) {
    json_key(j, key);
    json_array(j);
    for (uint32_t i = begin; i < end && i < begin + HUNKS_MOST; i++) {
        json_object(j);
        json_member_u64(j, "op_index", ops[i]);
        json_member_str(j, "op", footprint_op_name(f, ops[i]));
        json_member_text_or_null(j, "location", footprint_op_location(f, ops[i]));
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_ops(struct json *j, const struct diff *d) {
    json_key(j, "ops");
    if (!d->has_ops) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "same", d->matched);
    json_member_u64(j, "added", d->added);
    json_member_u64(j, "removed", d->removed);
    json_member_u64(j, "moved", d->moved);
    json_member_u64(j, "retyped", d->retyped);
    json_key(j, "changes");
    json_array(j);
    for (size_t i = 0; i < d->hunks.len && i < HUNKS_MOST; i++) {
        const struct diff_hunk *hunk = &d->hunks.items[i];
        json_object(j);
        json_op_list(j, "removed", d->a, d->a_ops.items, hunk->a, hunk->a_end);
        json_op_list(j, "added", d->b, d->b_ops.items, hunk->b, hunk->b_end);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "moves");
    json_array(j);
    for (size_t i = 0; i < d->moves.len && i < HUNKS_MOST; i++) {
        uint32_t before = d->a_ops.items[d->moves.items[i].a], after = d->b_ops.items[d->moves.items[i].b];
        json_object(j);
        json_member_str(j, "op", footprint_op_name(d->b, after));
        json_member_text_or_null(j, "location", footprint_op_location(d->b, after));
        json_member_u64(j, "before_op_index", before);
        json_member_u64(j, "after_op_index", after);
        json_member_u64(j, "times", d->moves.items[i].count);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "changes_left_out", d->hunks.len > HUNKS_MOST ? d->hunks.len - HUNKS_MOST : 0);
    json_object_end(j);
}

void diff_json(struct strbuf *out, const struct diff_request *request) {
    struct json j = {.out = out, .pretty = true};
    struct strbuf headline = {0};
    diff_headline(&headline, request->diff);
    json_object(&j);
    json_member_u64(&j, "schema_version", SCHEMA_VERSION);
    json_member_str(&j, "headline", strbuf_slice(&headline));
    json_side(&j, "before", request->diff->a, request->a);
    json_side(&j, "after", request->diff->b, request->b);
    json_key(&j, "pools");
    json_object(&j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (request->diff->a->pools[pool].seen || request->diff->b->pools[pool].seen)
            json_pool(&j, request->diff, (enum pool)pool);
    json_object_end(&j);
    json_ops(&j, request->diff);
    json_key(&j, "fail_on");
    json_array(&j);
    for (size_t i = 0; i < request->judgement_count; i++) judgement_json(&j, &request->judgements[i], request->diff->b);
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
    strbuf_release(&headline);
}
