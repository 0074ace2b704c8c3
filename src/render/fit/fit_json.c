/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/fit/pins.h"
#include "render/fit/fit_report.h"
#include "render/format/json_parts.h"

static void op_member(struct json *j, const char *key, const struct fit_trace *trace, uint32_t place) {
    struct fit_op op;
    trace->op_of(trace, place, &op);
    json_key(j, key);
    if (!op.name.len) {
        json_null(j);
        return;
    }
    json_op_words(j, &(struct json_op_words){.index = op.index,
                                             .name = op.name,
                                             .line = op.line,
                                             .location = op.location,
                                             .program = op.program,
                                             .rank = op.rank});
}

/* Members of a result; verdicts are "fits", "may_fit" and "does_not_fit". */
static void result_members(struct json *j, const struct fit *fit, const struct fit_result *r, enum fit_verdict in_bank,
                           enum fit_verdict to_target) {
    bool margin = r->fits && r->margin != INT64_MAX;
    json_member_text(j, "verdict", fit_verdict_keys[in_bank]);
    json_member_text(j, "target_verdict", fit_verdict_keys[to_target]);
    json_member_u64_if(j, "peak_bytes_per_bank", !r->cut, r->peak);
    json_member_i64_if(j, "saving_bytes_per_bank", !r->cut, (int64_t)fit->base.peak - (int64_t)r->peak);
    json_member_u64(j, "capacity_bytes_per_bank", r->capacity);
    json_member_i64_if(j, "margin_bytes_per_bank", margin, margin ? r->margin : 0);
    json_key(j, "failure");
    if (r->fits || (r->cut && !r->wants)) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_text(j, "pool", pool_keys[r->failed_pool]);
    json_member_u64(j, "requested_bytes_per_bank", r->wants);
    json_member_u64(j, "allocated_bytes_per_bank", r->allocated);
    json_member_u64(j, "free_bytes_per_bank", r->free);
    json_member_u64_if(j, "largest_free_bytes_per_bank", !fit->trace->follows || r->largest, r->largest);
    json_object_end(j);
}

static void base_json(struct json *j, const struct fit *fit) {
    const struct fit_trace *t = fit->trace;
    json_key(j, "as_it_was");
    json_object(j);
    result_members(j, fit, &fit->base, fit_was_in_bank(fit), fit_was_to_target(fit));
    op_member(j, "op", t, fit->base.peak_place);
    op_member(j, "failed_op", t, fit->base.failed_place);
    json_member_u64_if(j, "measured_peak_bytes_per_bank", t->measured > 0, t->measured);
    json_member_u64(j, "difference_bytes_per_bank", fit->difference);
    json_member_u64(j, "bounded_buffer_count", t->bounded);
    json_member_u64(j, "higher_bytes_per_bank", t->higher);
    json_member_u64(j, "compared_address_count", fit->base.compared);
    json_member_u64(j, "equal_address_count", fit->base.equal);
    json_member_u64(j, "free_block_difference_bytes_per_bank", fit->blocks_off);
    json_object_end(j);
}

static void changes_json(struct json *j, const struct fit *fit) {
    json_key(j, "changes");
    json_array(j);
    for (size_t i = 0; i < fit->changes.len; i++) {
        const struct fit_change *c = &fit->changes.items[i];
        json_object(j);
        json_member_text(j, "name", c->name);
        json_member_text(j, "kind", c->kind->id);
        result_members(j, fit, &c->result, fit_in_bank(fit, &c->result, c->uncertainty),
                       fit_to_target(fit, &c->result, c->uncertainty));
        json_member_bool(j, "exact", !c->assumption);
        json_member_text(j, "assumption", c->assumption);
        json_member_u64(j, "uncertainty_bytes_per_bank", c->uncertainty + fit->difference + fit->trace->higher);
        json_member_text(j, "setting", c->setting);
        op_member(j, "op", fit->trace, c->place);
        json_member_bool(j, "other_device", c->other_device);
        json_object_end(j);
    }
    json_array_end(j);
}

/* NULL: none. */
static void set_json(struct json *j, const char *key, const struct fit *fit, const struct fit_set *s, bool tried) {
    json_key(j, key);
    if (!s) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "change_count", s->count);
    json_key(j, "changes");
    json_array(j);
    for (size_t i = 0; i < s->count; i++) json_text(j, fit->changes.items[s->changes[i]].name);
    json_array_end(j);
    bool was = !s->count && !tried;
    result_members(j, fit, &s->result, was ? fit_was_in_bank(fit) : fit_in_bank(fit, &s->result, s->uncertainty),
                   was ? fit_was_to_target(fit) : fit_to_target(fit, &s->result, s->uncertainty));
    json_member_bool(j, "exact", s->exact);
    json_member_u64(j, "uncertainty_bytes_per_bank", s->uncertainty + fit->difference + fit->trace->higher);
    json_member_bool(j, "proven_smallest", s->proven);
    json_object_end(j);
}

void fit_answer_member(struct json *j, const struct fit *fit) {
    struct fit_set enough;
    if (!fit || !fit_enough(fit, &enough)) json_member_null(j, "fit");
    else set_json(j, "fit", fit, &enough, false);
}

static void region_json(struct json *j, const char *key, const struct fit_region *r) {
    json_key(j, key);
    if (!fit_region_known(r)) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64_if(j, "capacity_bytes_per_bank", r->seen && !r->unsized, r->bank_bytes);
    json_member_u64_if(j, "used_bytes_per_bank", r->seen, r->used);
    json_member_u64_if(j, "requested_bytes", r->asked > 0, r->asked);
    json_member_u64_if(j, "set_bytes", r->asked > 0, r->set);
    json_member_bool(j, "failed", r->failed);
    json_member_u64_if(j, "banks", r->banks > 0, r->banks);
    json_member_u64(j, "margin_percent", FIT_REGION_MARGIN);
    json_member_u64_if(j, "setting_bytes_per_bank", r->seen && !r->unsized, r->per_bank);
    json_member_u64_if(j, "setting_total_bytes", !r->unsized, r->total);
    json_member_i64_if(j, "gives_back_bytes_per_bank", r->seen && !r->unsized, r->gives_back);
    json_object_end(j);
}

static void limits_json(struct json *j, const struct fit_report *r) {
    json_key(j, "limits");
    json_array(j);
    for (unsigned i = 0; i < FIT_LIMITS; i++) {
        const struct fit_limit *l = &r->limits.of[i];
        if (!l->known) continue;
        json_object(j);
        json_member_text(j, "what", l->what);
        json_member_u64(j, "now", l->was);
        json_member_u64(j, "largest", l->best);
        json_member_bool(j, "bounded", l->bounded);
        json_member_bool(j, "exact", l->exact);
        json_member_text(j, "assumption", l->assumption);
        json_member_u64(j, "peak_bytes_per_bank", l->peak);
        json_member_u64(j, "uncertainty_bytes_per_bank", l->exact ? 0 : l->uncertainty);
        json_member_u64_if(j, "each_bytes_per_bank", l->bytes_each > 0, l->bytes_each);
        json_member_u64_if(j, "tokens_per_block", l->in_block > 0, l->in_block);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "gpu_memory_utilization");
    if (r->limits.utilization_milli) json_milli(j, (int64_t)r->limits.utilization_milli);
    else json_null(j);
}

/* Where a request failed. */
static void pins_json(struct json *j, const struct fit *fit) {
    struct fit_pin pins[FIT_PINS];
    unsigned count = !fit || fit->base.fits ? 0 : fit_pins_find(fit, pins);
    json_key(j, "pins");
    json_array(j);
    for (unsigned i = 0; i < count; i++) {
        const struct fit_group *group = &fit->trace->groups.items[pins[i].group];
        json_object(j);
        json_member_u64(j, "bytes_per_bank", pins[i].bytes);
        json_member_u64(j, "joined_bytes_per_bank", pins[i].joined);
        json_member_u64(j, "buffer_count", pins[i].buffers);
        json_member_text_or_null(j, "name", group->name);
        op_member(j, "op", fit->trace, group->place);
        json_object_end(j);
    }
    json_array_end(j);
}

/* What remains without lifetimes. */
static void without_fit(struct json *j) {
    static const char *const nulls[] = {"pool",
                                        "chip",
                                        "device_assumed",
                                        "banks",
                                        "capacity_bytes_per_bank",
                                        "usable_bytes_per_bank",
                                        "target_bytes_per_bank",
                                        "rank",
                                        "rank_index",
                                        "lower_bound",
                                        "as_it_was",
                                        "ideal_bytes_per_bank",
                                        "needed_bytes_per_bank",
                                        "needed_exact",
                                        "smallest_set",
                                        "tried_set"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) json_member_null(j, nulls[i]);
    json_key(j, "changes");
    json_array(j);
    json_array_end(j);
    json_member_u64(j, "left_out_count", 0);
    json_member_u64(j, "chip_left_out_count", 0);
    json_member_u64(j, "no_help_count", 0);
    json_member_u64(j, "replay_count", 0);
}

static void with_fit(struct json *j, const struct fit_report *r) {
    const struct fit *fit = r->fit;
    json_member_text(j, "pool", pool_keys[fit->trace->pool]);
    json_member_text(j, "chip", r->chip);
    json_member_bool(j, "device_assumed", fit->trace->device_assumed);
    json_member_u64_if(j, "banks", fit->trace->banks > 0, fit->trace->banks);
    json_member_u64(j, "capacity_bytes_per_bank", fit->trace->bank);
    json_member_u64(j, "usable_bytes_per_bank", fit->trace->capacity);
    json_member_u64(j, "target_bytes_per_bank", fit_limit_of(fit, &fit->base));
    if (r->run) {
        json_member_rank(j, r->run, r->rank);
    } else {
        json_member_null(j, "rank");
        json_member_null(j, "rank_index");
    }
    json_member_bool(j, "lower_bound", fit->trace->bounded || (fit->trace->pool == POOL_L1 && !(r->run && r->run->l1.told)));
    base_json(j, fit);
    json_member_u64(j, "ideal_bytes_per_bank", fit->base.peak);
    json_member_u64_if(j, "needed_bytes_per_bank", fit->needs > 0 && !fit->trace->bounded, fit->needs);
    if (fit->needs && !fit->trace->bounded) json_member_bool(j, "needed_exact", !fit->needs_less);
    else json_member_null(j, "needed_exact");
    set_json(j, "smallest_set", fit, !r->tried && (fit->set.found || fit->set.maybe) ? &fit->set : NULL, false);
    set_json(j, "tried_set", fit, r->tried ? &fit->set : NULL, true);
    if (r->tried) {
        json_key(j, "changes");
        json_array(j);
        json_array_end(j);
    } else {
        changes_json(j, fit);
    }
    json_member_u64(j, "left_out_count", fit->left_out);
    json_member_u64(j, "chip_left_out_count", fit->chips_left_out);
    json_member_u64(j, "no_help_count", fit->no_help);
    json_member_u64(j, "replay_count", fit->replays);
}

void fit_report_json(struct strbuf *out, const struct fit_report *r) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_str(&j, "name", r->name);
    json_member_bool(&j, "predicted", r->predicted);
    if (r->fit) with_fit(&j, r);
    else without_fit(&j);
    pins_json(&j, r->fit);
    json_key(&j, "regions");
    json_object(&j);
    region_json(&j, "trace", &r->regions.trace);
    region_json(&j, "l1_small", &r->regions.l1_small);
    json_object_end(&j);
    limits_json(&j, r);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
