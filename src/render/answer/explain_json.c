/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/failure/failure_class.h"
#include "base/amounts.h"
#include "base/json_write.h"
#include "render/answer/explain.h"
#include "render/fit/fit_report.h"
#include "render/format/json_parts.h"
#include "render/answer/live_rows.h"
#include "render/format/predicted.h"

enum { TENSORS_LISTED = 20 };

static void member_number(struct json *j, const char *key, const struct failure *f, enum failure_number n) {
    json_member_u64_if(j, key, failure_knows(f, n), f->number[n]);
}

static bool limits_l1(const struct failure *f) {
    return (f->kind == FAILURE_CB_BEYOND_L1 || f->kind == FAILURE_DFB_BEYOND_L1) && failure_knows(f, FAILURE_LIMIT);
}

static void live_member(struct json *j, const struct explanation *e, const struct run *run) {
    const struct failure_live *live = &e->live;
    if (live->answer != LIVE_KNOWN) {
        json_member_null(j, "live");
        return;
    }
    struct live_rows rows = {run, &live->set, live->has_allocated, live->allocated_milli, live->allocated_bytes, TENSORS_LISTED,
                             NULL};
    json_key(j, "live");
    json_object(j);
    json_member_text(j, "pool", pool_keys[live->pool]);
    live_rows_json(j, &rows);
    json_object_end(j);
}

/* A record of the run; else what the message or its stack names. */
static void op_member(struct json *j, const char *key, const struct run *run, uint32_t record, struct slice name) {
    struct slice nothing = slice_of("", 0);
    json_key(j, key);
    if (run && record < run->records.len) json_op(j, run, record);
    else if (name.len || record != NONE) json_op_words(j, &(struct json_op_words){record, name, 0, nothing, nothing, nothing});
    else json_null(j);
}

static const char *phase_name(const struct failure_context *context) {
    const char *name = around_phase_name(context->phase);
    return name || !context->op.len ? name : "op";
}

/* Numbers of the pieces of advice that are enough together, if none is alone; null if no set is known to be. */
static void sufficient_set(struct json *j, const struct verdict *v) {
    if (!v->together) {
        json_member_null(j, "sufficient_set");
        return;
    }
    json_key(j, "sufficient_set");
    json_array(j);
    for (unsigned i = 0; i < v->advice_len; i++)
        if (v->together >> i & 1) json_u64(j, i);
    json_array_end(j);
}

/* The gain of each piece of advice, in the order of the texts. */
static void advice_details(struct json *j, const struct verdict *v) {
    static const char *const enough[] = {[ADVICE_NOT_KNOWN] = "not_known", [ADVICE_ENOUGH] = "alone", [ADVICE_GOAL] = "alone",
                                         [ADVICE_PART] = "together",       [ADVICE_SHORT] = "no",     [ADVICE_REMARK] = NULL};
    json_key(j, "advice_details");
    json_array(j);
    for (size_t i = 0; i < v->advice_len; i++) {
        json_object(j);
        json_member_text(j, "enough", enough[v->worth[i]]);
        json_member_u64_if(j, "gain_bytes_per_bank", v->gain[i] > 0, v->gain[i]);
        json_object_end(j);
    }
    json_array_end(j);
}

/* What a replay of a trace overwrites; null if the failure is not about that. */
static void buffers_member(struct json *j, const struct explanation *e, const struct run *run) {
    if (e->entry->failure.kind != FAILURE_TRACE_UNSAFE || e->site == NONE || e->site & SITE_NOTE) {
        json_member_null(j, "buffers");
        return;
    }
    json_key(j, "buffers");
    json_array(j);
    for (size_t i = 0; i < run->alive_buffers.len; i++) {
        const struct alive_buffer *buffer = &run->alive_buffers.items[i];
        if (buffer->failure != e->site) continue;
        json_object(j);
        json_member_u64(j, "buffer_id", buffer->id);
        json_member_text_or_null(j, "op_name", run_string(run, buffer->op));
        json_member_text_or_null(j, "python", run_string(run, buffer->python));
        json_member_text_or_null(j, "held_by", run_string(run, buffer->holders));
        json_member_u64(j, "holder_count", buffer->holder_count);
        json_object_end(j);
    }
    json_array_end(j);
}

static void failure_object(struct json *j, const struct explanation *e, const struct run *run, bool with_live) {
    const struct failure *f = &e->entry->failure;
    struct arena arena = {0};
    const struct verdict advised = explanation_advised(e, &arena), *v = &advised;
    json_object(j);
    json_member_text(j, "class", failure_class(f, v->kind));
    json_member_text(j, "kind", failure_kind_name(f->kind));
    json_key(j, "warning");
    json_bool(j, f->warning);
    json_member_text(j, "verdict", verdict_name(v->kind));
    json_member_text(j, "pool", failure_pool_key(f->pool));
    member_number(j, "requested_bytes", f, FAILURE_REQUESTED);
    member_number(j, "aligned_bytes", f, FAILURE_ALIGNED);
    member_number(j, "banks", f, FAILURE_BANKS);
    member_number(j, "requested_bytes_per_bank", f, FAILURE_PER_BANK);
    member_number(j, "capacity_bytes_per_bank", f, FAILURE_BANK);
    member_number(j, "allocated_bytes_per_bank", f, FAILURE_ALLOCATED);
    member_number(j, "free_bytes_per_bank", f, FAILURE_FREE);
    member_number(j, "largest_free_bytes_per_bank", f, FAILURE_LARGEST);
    json_member_u64_if(j, "shortfall_bytes_per_bank", v->has_shortfall, v->shortfall_bytes);
    json_member_u64_if(j, "contiguous_shortfall_bytes_per_bank", v->contiguous_bytes, v->contiguous_bytes);
    json_member_u64_if(j, "shortfall_total_bytes", v->shortfall_total_bytes, v->shortfall_total_bytes);
    json_member_text_or_null(j, "contradiction", v->contradiction);
    json_member_text(j, "core_range", f->core_range[0] ? f->core_range : NULL);
    json_member_text(j, "core_type", f->core_type[0] ? f->core_type : NULL);
    member_number(j, "device_id", f, FAILURE_DEVICE);
    json_member_text(j, "product", e->context.has_product ? product_name(e->context.product) : NULL);
    member_number(j, "l1_buffer_address", f, FAILURE_L1_ADDRESS);
    member_number(j, "cb_region_end", f, FAILURE_REGION_END);
    json_member_u64_if(j, "overlap_bytes", v->has_overlap, v->overlap_bytes);
    json_member_u64_if(j, "l1_limit_bytes", limits_l1(f), f->number[FAILURE_LIMIT]);
    member_number(j, "limit_bytes", f, FAILURE_LIMIT);
    member_number(j, "address", f, FAILURE_ADDRESS);
    member_number(j, "high_water_mark", f, FAILURE_HIGH_WATER);
    member_number(j, "deletion_high_water_mark", f, FAILURE_HIGH_WATER2);
    member_number(j, "item_count", f, FAILURE_COUNT);
    member_number(j, "item_limit", f, FAILURE_COUNT_LIMIT);
    member_number(j, "rss_bytes", f, FAILURE_RSS);
    member_number(j, "rss_kept_bytes", f, FAILURE_RSS_KEPT);
    json_member_u64_if(j, "rounding_bytes", f->rounding, f->rounding);
    member_number(j, "pid", f, FAILURE_PID);
    bool host = f->kind == FAILURE_HOST_KILLED;
    json_member_text(j, "process", host && f->subject[0] ? f->subject : NULL);
    json_member_text(j, "cgroup", f->cgroup[0] ? f->cgroup : NULL);
    json_member_text(j, "kernel", !host && f->subject[0] ? f->subject : NULL);
    member_number(j, "sequence_length", f, FAILURE_SEQ_LEN);
    member_number(j, "sequence_length_that_fits", f, FAILURE_SEQ_FITS);
    json_member_text(j, "message", f->kind == FAILURE_NOT_MEMORY ? f->words : NULL);
    json_member_u64_if(j, "l1_small_size_bytes", v->l1_small_size, v->l1_small_size);
    json_member_u64_if(j, "trace_region_size_bytes", v->trace_region_size, v->trace_region_size);
    if (e->context.trace_per_bank) json_member_bool(j, "trace_region_size_per_bank", true);
    else json_member_null(j, "trace_region_size_per_bank");
    json_member_u64(j, "line", e->line);
    json_member_u64(j, "count", e->count);
    json_member_text_or_null(j, "rank", e->context.rank);
    json_member_u64_if(j, "rank_index", e->context.rank_index != UINT32_MAX, e->context.rank_index);
    json_key(j, "ranks");
    json_array(j);
    for (size_t i = 0; i < e->context.rank_count; i++) json_str(j, e->context.ranks[i]);
    json_array_end(j);
    op_member(j, "op", run, e->context.has_index ? (uint32_t)e->context.op_index : NONE, e->context.op);
    json_member_text_or_null(j, "op_step", e->context.inner);
    json_member_text(j, "phase", phase_name(&e->context));
    if (e->outcome.kind == OUTCOME_UNKNOWN) json_member_null(j, "caught");
    else json_member_bool(j, "caught", failure_was_caught(e->outcome.kind));
    json_member_text(j, "outcome", e->outcome.evidence);
    json_member_text_or_null(j, "test", e->context.test);
    json_member_text_or_null(j, "python", e->context.python);
    json_member_text_or_null(j, "asked_for", e->context.asked);
    json_member_text_or_null(j, "op_shape", e->context.shape);
    json_member_text_or_null(j, "op_layout", e->context.layout);
    json_member_u64_if(j, "logical_bytes", e->context.unpadded_bytes, e->context.unpadded_bytes);
    json_member_text(j, "chip", v->chip ? v->chip->name : NULL);
    json_key(j, "advice");
    json_array(j);
    for (size_t i = 0; i < v->advice_len; i++) json_str(j, v->advice[i]);
    json_array_end(j);
    advice_details(j, v);
    json_member_u64_if(j, "sufficient_advice", v->sufficient < v->advice_len, v->sufficient);
    sufficient_set(j, v);
    buffers_member(j, e, run);
    if (with_live) live_member(j, e, run);
    json_object_end(j);
    arena_release(&arena);
}

/* At most `limit` of them, among them the decisive one; 0: all. */
static void failure_list(struct json *j, const struct explain *explain, size_t limit, bool with_live) {
    size_t count = explain->failures.len, shown = limit && limit < count ? limit : count;
    json_array(j);
    for (size_t i = 0; i < shown; i++) {
        bool is_last = i + 1 == shown && explain->decisive > i;
        failure_object(j, &explain->failures.items[is_last ? explain->decisive : i], explain->run, with_live);
    }
    json_array_end(j);
}

void explain_json_list(struct json *j, const struct explain *explain, size_t limit) { failure_list(j, explain, limit, false); }

bool explain_tells_kill(const struct explain *explain) {
    for (size_t i = 0; i < explain->failures.len; i++)
        if (explain->failures.items[i].entry->failure.kind == FAILURE_HOST_KILLED) return true;
    return false;
}

void explain_cut(struct strbuf *out, const struct explain *explain) {
    const struct log_cut *cut = &explain->cut;
    static const char *const inside[] = {[CUT_PROGRAM] = "@",
                                         [CUT_SUBMIT] = "a submit",
                                         [CUT_BLOCK] = "a memory block",
                                         [CUT_LINE] = "a line",
                                         [CUT_TESTS] = "a pytest session"};
    bool unnamed = cut->inside == CUT_PROGRAM && !cut->program.len;
    strbuf_addf(out, "ends inside %s", unnamed ? "a program" : inside[cut->inside]);
    strbuf_add(out, cut->program);
    if (cut->has_op) strbuf_addf(out, " after #%s", figure_grouped(cut->op_index).text);
    strbuf_addz(out, explain_tells_kill(explain) ? ", then the process was killed"
                     : cut->inside == CUT_TESTS  ? " without its summary"
                                                 : " without an error message");
}

/* Failures that are not listed: beyond the limit, and beyond those kept apart. */
void explain_json_counts(struct json *j, const struct explain *explain, size_t limit) {
    size_t known = explain->failures.len;
    json_member_u64(j, "failure_count", known);
    json_member_u64(j, "failures_left_out", known > limit ? known - limit : 0);
    json_member_u64(j, "further_message_count", explain->left_out);
}

void explain_json_left_out(struct json *j, const struct explain *explain, size_t limit) {
    size_t known = explain->failures.len;
    json_member_u64(j, "failure_count", known);
    json_member_u64(j, "left_out_count", limit && known > limit ? known - limit : 0);
    json_member_u64(j, "further_message_count", explain->left_out);
}

static void cut_while_read(struct json *j) {
    json_key(j, "cut");
    json_object(j);
    json_member_text(j, "inside", "reading");
    json_member_text(j, "text", "was cut while it was read");
    json_member_text_or_null(j, "program", slice_of("", 0));
    op_member(j, "op", NULL, NONE, slice_of("", 0));
    json_object_end(j);
}

void explain_json_cut(struct json *j, const struct explain *explain) {
    json_key(j, "cut");
    if (!explain->cut.cut) {
        json_null(j);
        return;
    }
    struct strbuf text = {0};
    explain_cut(&text, explain);
    json_object(j);
    json_member_text(j, "inside", log_cut_name(explain->cut.inside));
    json_member_str(j, "text", strbuf_slice(&text));
    json_member_text_or_null(j, "program", explain->cut.program);
    op_member(j, "op", explain->run, explain->cut.has_op ? (uint32_t)explain->cut.op_index : NONE, slice_of("", 0));
    json_object_end(j);
    strbuf_release(&text);
}

/* The lowest of each figure of equal failures, or the highest; with the names of a failure's figures. */
static void bounds_member(struct json *j, const char *key, const struct failure_group *group, bool has_overlap, bool high) {
    static const struct {
        const char *key;
        enum failure_number number;
    } numbers[] = {{"requested_bytes", FAILURE_REQUESTED},    {"requested_bytes_per_bank", FAILURE_PER_BANK},
                   {"capacity_bytes_per_bank", FAILURE_BANK}, {"allocated_bytes_per_bank", FAILURE_ALLOCATED},
                   {"free_bytes_per_bank", FAILURE_FREE},     {"largest_free_bytes_per_bank", FAILURE_LARGEST},
                   {"l1_buffer_address", FAILURE_L1_ADDRESS}, {"cb_region_end", FAILURE_REGION_END}};
    const struct group_range *lacking = &group->lacking;
    json_key(j, key);
    json_object(j);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct group_range *range = &group->numbers[numbers[i].number];
        json_member_u64_if(j, numbers[i].key, range->known, high ? range->high : range->low);
    }
    json_member_u64_if(j, "shortfall_bytes_per_bank", lacking->known && !has_overlap, high ? lacking->high : lacking->low);
    json_member_u64_if(j, "overlap_bytes", lacking->known && has_overlap, high ? lacking->high : lacking->low);
    json_object_end(j);
}

/* Equal failures as one, as in the text. */
static void groups_member(struct json *j, const struct explain *explain) {
    failure_groups groups = {0};
    struct strbuf headline = {0};
    failure_groups_make(explain, &groups);
    json_key(j, "groups");
    json_array(j);
    for (size_t i = 0; i < groups.len; i++) {
        const struct failure_group *group = &groups.items[i];
        const struct explanation *e = explain_ranked(explain, group->first);
        strbuf_clear(&headline);
        explain_headline(&headline, e);
        json_object(j);
        json_member_text(j, "class", failure_class(&e->entry->failure, e->verdict.kind));
        json_member_str(j, "headline", strbuf_slice(&headline));
        json_member_text_or_null(j, "op_name", e->context.op);
        json_member_text(j, "phase", phase_name(&e->context));
        json_member_u64(j, "count", group->count);
        json_member_u64(j, "printed", group->printed);
        json_member_u64(j, "ended_count", group->ended);
        json_member_u64(j, "caught_count", group->caught);
        json_member_u64(j, "line", e->line);
        json_member_u64(j, "first_line", group->first_line);
        json_member_u64(j, "last_line", group->last_line);
        bounds_member(j, "low", group, e->verdict.has_overlap, false);
        bounds_member(j, "high", group, e->verdict.has_overlap, true);
        json_object_end(j);
    }
    json_array_end(j);
    strbuf_release(&headline);
    vec_release(&groups);
}

void explain_json(struct strbuf *out, const struct explain *explain, size_t limit, const struct fit *fit, bool shrank) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(explain->run));
    json_key(&j, "failures");
    failure_list(&j, explain, limit, true);
    groups_member(&j, explain);
    explain_json_left_out(&j, explain, limit);
    if (shrank) cut_while_read(&j);
    else explain_json_cut(&j, explain);
    fit_answer_member(&j, fit);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
