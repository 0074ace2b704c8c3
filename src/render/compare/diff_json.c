/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/num.h"
#include "base/json_write.h"
#include "render/compare/budget.h"
#include "render/compare/diff.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"

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
    json_member_text_or_null(j, "memory_layout", footprint_text(f, type->layout));
    json_member_text_or_null(j, "grid", footprint_text(f, type->grid));
    json_member_u64(j, "logical_bytes", type->logical_bytes);
    json_member_u64(j, "padded_bytes", type->padded_bytes);
    json_member_u64(j, "bytes_per_bank", type->per_bank_bytes);
    json_object_end(j);
}

/* Null for a whole run. */
static void json_pass(struct json *j, const struct footprint *f) {
    const struct footprint_pass *pass = &f->pass;
    bool has_ops = pass->first_op < pass->end_op;
    json_key(j, "pass");
    if (!pass->number) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "number", pass->number);
    json_member_u64(j, "pass_count", pass->of);
    json_member_text_or_null(j, "program", footprint_text(f, pass->program));
    footprint_op_json(j, "first_op", f, has_ops ? pass->first_op : NONE);
    footprint_op_json(j, "last_op", f, has_ops ? pass->end_op - 1 : NONE);
    json_member_bytes_of_milli_if(j, "dram_start_bytes_per_bank", pass->start != NONE, pass->start);
    json_member_bytes_of_milli_if(j, "dram_end_bytes_per_bank", pass->end != NONE, pass->end);
    json_object_end(j);
}

/* Null if host memory was not recorded. */
static void json_host(struct json *j, const struct footprint *f) {
    static const struct {
        const char *measure, *key;
    } rows[] = {{"host.peak", "peak_bytes"},
                {"host.end", "end_bytes"},
                {"host.growth_per_pass", "growth_per_pass_bytes"},
                {"host.hugepages", "hugepages_bytes"}};
    json_key(j, "host");
    if (!f->host[FOOTPRINT_HOST_PEAK].known) {
        json_null(j);
        return;
    }
    json_object(j);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measure_value value = measure_read(measure_find(slice_from(rows[i].measure)), f);
        json_member_i64_if(j, rows[i].key, value.known, value.value);
    }
    json_object_end(j);
}

static void json_side(struct json *j, const char *key, const struct footprint *f, struct slice given) {
    json_key(j, key);
    json_object(j);
    json_member_str(j, "run", f->pass.number ? footprint_text(f, f->source) : given);
    json_member_str(j, "name", footprint_text(f, f->name));
    json_pass(j, f);
    json_member_bool(j, "predicted", footprint_is_predicted(f));
    json_member_text_or_null(j, "chip", footprint_text(f, f->chip));
    json_member_u64(j, "op_count", f->op_count);
    const struct footprint_failure *first;
    size_t failures = footprint_failures(f, &first);
    json_member_u64(j, "failure_count", failures);
    json_member_u64(j, "failure_caught_count", f->failures.len - failures);
    json_key(j, "failures");
    json_array(j);
    for (size_t i = 0; i < f->failures.len; i++) {
        json_object(j);
        json_member_str(j, "verdict", footprint_text(f, f->failures.items[i].title));
        json_member_u64_if(j, "line", f->failures.items[i].line > 0, f->failures.items[i].line);
        footprint_op_json(j, "op", f, f->failures.items[i].op);
        if (f->failures.items[i].outcome == OUTCOME_UNKNOWN) json_member_null(j, "caught");
        else json_member_bool(j, "caught", failure_was_caught(f->failures.items[i].outcome));
        json_object_end(j);
    }
    json_array_end(j);
    struct measure_value growth = measure_read(measure_find(SLICE("growth_per_pass")), f);
    json_member_i64_if(j, "growth_per_pass_bytes_per_bank", growth.known, growth.value);
    json_host(j, f);
    json_object_end(j);
}

static void json_pool_side(struct json *j, const char *key, const struct footprint *f, enum pool which) {
    const struct footprint_pool *pool = &f->pools[which];
    json_key(j, key);
    if (!pool->seen) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64_if(j, "banks", pool->banks > 0, pool->banks);
    json_member_i64_if(j, "capacity_bytes_per_bank", pool->total > 0, footprint_total_bytes(pool));
    json_member_i64(j, "peak_bytes_per_bank", pool->peak_bytes ? (int64_t)pool->peak_bytes : num_milli_mb_to_bytes(pool->peak));
    json_member_text(j, "source", peak_source_word(pool->source, footprint_is_predicted(f)));
    json_member_bool(j, "at_least", footprint_peak_at_least(pool));
    footprint_op_json(j, "op", f, pool->after_op);
    footprint_op_json(j, "before_op", f, pool->before_op);
    json_member_i64_if(j, "smallest_largest_free_bytes_per_bank", pool->free_seen,
                       num_milli_mb_to_bytes(pool->largest_free) + pool->largest_free_rest);
    json_member_i64_if(j, "largest_free_gap_bytes_per_bank", pool->free_seen,
                       num_milli_mb_to_bytes(pool->gap) + pool->gap_rest);
    if (pool->free_seen) json_member_bool(j, "free_is_bound", footprint_peak_at_least(pool));
    else json_member_null(j, "free_is_bound");
    json_object_end(j);
}

/* The op that made a tensor: its name is known even if ops were not kept. */
static void json_maker(struct json *j, const char *key, const struct footprint *f, uint32_t tensor) {
    const struct footprint_tensor *t = tensor == NONE ? NULL : &f->tensors.items[tensor];
    if (t && t->op < f->ops.len) {
        footprint_op_json(j, key, f, t->op);
        return;
    }
    json_key(j, key);
    if (!t || t->kind == NONE) {
        json_null(j);
        return;
    }
    const struct footprint_kind *kind = &f->kinds.items[t->kind];
    json_op_words(j, &(struct json_op_words){t->op, footprint_text(f, kind->name), 0, footprint_text(f, kind->location),
                                             footprint_text(f, kind->program), slice_of("", 0)});
}

static void json_changed_tensor(struct json *j, const struct diff *d, const struct diff_tensor *row) {
    const struct footprint *f = row->b != NONE ? d->b : d->a;
    const struct footprint_tensor *t = row->b != NONE ? &d->b->tensors.items[row->b] : &d->a->tensors.items[row->a];
    json_object(j);
    json_member_i64(j, "change_bytes_per_bank", row->bytes);
    json_member_text(j, "class", live_class_names[t->class]);
    json_key(j, "change_bytes_per_bank_by_cause");
    json_object(j);
    for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) json_member_i64(j, diff_cause_names[cause], row->by_cause[cause]);
    json_object_end(j);
    json_member_text_or_null(j, "name", footprint_text(f, t->name));
    json_maker(j, "op_before", d->a, row->a);
    json_maker(j, "op_after", d->b, row->b);
    json_type(j, "before", d->a, row->a == NONE ? NONE : d->a->tensors.items[row->a].type);
    json_type(j, "after", d->b, row->b == NONE ? NONE : d->b->tensors.items[row->b].type);
    json_object_end(j);
}

static void json_pool(struct json *j, const struct diff_request *request, enum pool which) {
    const struct diff *d = request->diff;
    const struct diff_pool *pool = &d->pools[which];
    json_key(j, pool_keys[which]);
    if (!d->a->pools[which].seen && !d->b->pools[which].seen) {
        json_null(j);
        return;
    }
    json_object(j);
    json_pool_side(j, "before", d->a, which);
    json_pool_side(j, "after", d->b, which);
    json_member_i64_if(j, "change_bytes_per_bank", pool->seen, pool->difference);
    json_member_bool(j, "attributed", pool->has_live);
    json_key(j, "parts");
    json_array(j);
    for (size_t i = 0; i < pool->parts.len; i++) {
        json_object(j);
        json_member_text(j, "class", diff_class_words(&pool->parts.items[i]));
        json_member_text(j, "cause", diff_cause_names[pool->parts.items[i].cause]);
        json_member_i64(j, "change_bytes_per_bank", pool->parts.items[i].bytes);
        json_member_u64(j, "tensor_count", pool->parts.items[i].tensors);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_i64_if(j, "unexplained_bytes_per_bank", pool->seen, pool->rest);
    json_key(j, "padding");
    json_object(j);
    json_member_i64(j, "before_bytes", (int64_t)pool->padding[0]);
    json_member_i64(j, "after_bytes", (int64_t)pool->padding[1]);
    json_object_end(j);
    json_key(j, "tensors");
    json_array(j);
    size_t shown = diff_shown(request, pool->tensors.len, SIZE_MAX);
    for (size_t i = 0; i < shown; i++) json_changed_tensor(j, d, &pool->tensors.items[i]);
    json_array_end(j);
    json_member_u64(j, "tensors_left_out", pool->tensors.len - shown);
    json_object_end(j);
}

static void json_op_list(struct json *j, const char *key, const struct diff_request *request, const struct footprint *f,
                         const uint32_t *ops, size_t from, size_t end) {
    size_t shown = diff_shown(request, end - from, HUNKS_MOST);
    json_key(j, key);
    json_array(j);
    for (size_t i = from; i < from + shown; i++) {
        json_object(j);
        footprint_op_json(j, "op", f, ops[i]);
        json_object_end(j);
    }
    json_array_end(j);
}

static struct slice rank_text(const struct footprint *f, uint32_t rank) {
    return rank < f->ranks.len ? footprint_text(f, f->ranks.items[rank]) : slice_of("", 0);
}

static void json_ops(struct json *j, const struct diff_request *request) {
    const struct diff *d = request->diff;
    json_key(j, "op_changes");
    if (!d->has_ops) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_text_or_null(j, "before_rank", rank_text(d->a, d->a_rank));
    json_member_text_or_null(j, "after_rank", rank_text(d->b, d->b_rank));
    json_member_u64(j, "same_count", d->matched - d->retyped);
    json_member_u64(j, "added_count", d->added);
    json_member_u64(j, "removed_count", d->removed);
    json_member_u64(j, "moved_count", d->moved);
    json_member_u64(j, "unreached_before_count", d->unreached[1]);
    json_member_u64(j, "unreached_after_count", d->unreached[0]);
    json_member_u64(j, "retyped_count", d->retyped);
    json_key(j, "changes");
    json_array(j);
    size_t hunks = diff_shown(request, d->hunks.len, HUNKS_MOST), moves = diff_shown(request, d->moves.len, HUNKS_MOST),
           retypes = diff_shown(request, d->retypes.len, SIZE_MAX);
    for (size_t i = 0; i < hunks; i++) {
        const struct diff_hunk *hunk = &d->hunks.items[i];
        json_object(j);
        json_member_u64(j, "removed_count", hunk->a_end - hunk->a);
        json_member_u64(j, "added_count", hunk->b_end - hunk->b);
        json_member_bool(j, "unreached", diff_hunk_is_unreached(d, hunk));
        json_op_list(j, "removed_ops", request, d->a, d->a_ops.items, hunk->a, hunk->a_end);
        json_op_list(j, "added_ops", request, d->b, d->b_ops.items, hunk->b, hunk->b_end);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "moves");
    json_array(j);
    for (size_t i = 0; i < moves; i++) {
        uint32_t before = d->a_ops.items[d->moves.items[i].a], after = d->b_ops.items[d->moves.items[i].b];
        json_object(j);
        footprint_op_json(j, "op_before", d->a, before);
        footprint_op_json(j, "op_after", d->b, after);
        json_member_u64(j, "times", d->moves.items[i].count);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "retyped");
    json_array(j);
    for (size_t i = 0; i < retypes; i++) {
        uint32_t before = d->a_ops.items[d->retypes.items[i].a], after = d->b_ops.items[d->retypes.items[i].b];
        json_object(j);
        footprint_op_json(j, "op_before", d->a, before);
        footprint_op_json(j, "op_after", d->b, after);
        json_type(j, "before", d->a, d->a->kinds.items[d->a->ops.items[before].kind].type);
        json_type(j, "after", d->b, d->b->kinds.items[d->b->ops.items[after].kind].type);
        json_member_u64(j, "times", d->retypes.items[i].count);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "changes_left_out", d->hunks.len - hunks);
    json_member_u64(j, "moves_left_out", d->moves.len - moves);
    json_member_u64(j, "retyped_left_out", d->retypes.len - retypes);
    json_object_end(j);
}

/* Null unless both runs have the same ranks. */
static void json_ranks(struct json *j, const struct diff *d) {
    struct diff_rank *rows;
    size_t count = diff_by_rank(d, &rows);
    json_key(j, "ranks");
    if (!count) json_null(j);
    if (count) json_array(j);
    for (size_t i = 0; i < count; i++) {
        json_object(j);
        json_member_str(j, "rank", footprint_text(d->b, rows[i].name));
        json_member_str(j, "before_rank", footprint_text(d->a, rows[i].a_name));
        json_member_i64(j, "before_peak_bytes_per_bank", num_milli_mb_to_bytes(rows[i].a));
        json_member_i64(j, "after_peak_bytes_per_bank", num_milli_mb_to_bytes(rows[i].b));
        json_member_bool(j, "before_at_least", rows[i].a_bound);
        json_member_bool(j, "after_at_least", rows[i].b_bound);
        json_object_end(j);
    }
    if (count) json_array_end(j);
    free(rows);
}

void diff_json(struct strbuf *out, const struct diff_request *request) {
    struct json j = {.out = out, .pretty = true};
    struct strbuf headline = {0};
    diff_headline(&headline, request->diff);
    json_document(&j);
    json_member_str(&j, "headline", strbuf_slice(&headline));
    json_side(&j, "before", request->diff->a, request->a);
    json_side(&j, "after", request->diff->b, request->b);
    json_key(&j, "pools");
    json_object(&j);
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) json_pool(&j, request, (enum pool)pool);
    json_object_end(&j);
    json_ranks(&j, request->diff);
    json_key(&j, "changed_rank");
    if (request->changed) {
        json_object(&j);
        json_member_str(&j, "rank", request->changed_rank);
        struct diff_request of_rank = *request;
        of_rank.diff = request->changed;
        json_pool(&j, &of_rank, POOL_DRAM);
        json_object_end(&j);
    } else {
        json_null(&j);
    }
    json_ops(&j, request);
    json_key(&j, "fail_on");
    json_array(&j);
    for (size_t i = 0; i < request->judgement_count; i++) judgement_json(&j, &request->judgements[i], request->diff->b);
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
    strbuf_release(&headline);
}
