/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/live_report.h"

#include "base/amounts.h"
#include "render/answer/holes_report.h"
#include "render/host/host_moment.h"
#include "render/format/json_parts.h"
#include "render/format/warning_words.h"
#include "render/answer/live_rows.h"
#include "model/buffer/block_bytes.h"
#include "render/search/live_groups_report.h"
#include "render/format/predicted.h"

static const char *tensors_note(const struct run *run) {
    return run->origin == RUN_LOG         ? "estimated from op lines; the allocated figure is the runtime's own"
           : run->origin == RUN_PREDICTED ? "predicted from the compiled module: nothing ran"
                                          : "the buffers that the input names";
}

static const struct block *known_block(const struct run *run, const struct live_place *place) {
    bool known = place->block != NONE && run->blocks.items[place->block].have & 1u << place->pool;
    return known ? &run->blocks.items[place->block] : NULL;
}

bool live_place_stated(const struct live_place *place) {
    return place->is_peak && place->block == NONE && place->peak.source == PEAK_FAILURE && place->peak.total;
}

void live_place_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                     const char *what) {
    term_tone(out, term, TONE_BOLD);
    strbuf_addf(out, "%s %s", what, pool_names[place->pool]);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, place->is_peak ? " at its peak" : "");
    if (place->is_peak && place->peak.all_banks_bytes && !place->peak.allocated)
        strbuf_addf(out, " of at least %s MB in all banks together, whose number is not known (%s)",
                    figure_milli(num_bytes_to_milli_mb(place->peak.all_banks_bytes), 3).text, peak_bound_words(&place->peak));
    else if (place->is_peak && place->peak.at_least)
        strbuf_addf(out, " of at least %s MB per %s (%s)", figure_milli(place->peak.allocated, 3).text,
                    pool_unit(run, place->pool), peak_bound_words(&place->peak));
    if (place->after_record != NONE) {
        strbuf_addz(out, ", after ");
        live_rows_op(out, term, run, place->after_record);
    }
    if (place->before_record != NONE) {
        strbuf_addz(out, ", before ");
        live_rows_op(out, term, run, place->before_record);
    }
    uint32_t rank = place->step < run->steps.len ? run->ranks.items[run->steps.items[place->step].rank].name : 0;
    if (!rank) return;
    strbuf_addz(out, ", rank ");
    term_text(out, term, run_string(run, rank), 40);
}

void live_place_bounds(struct live_place *place, const struct run *run, const struct live_set *set) {
    place->bounds_known = run->inspector != NULL;
    for (size_t i = 0; i < set->tensors.len; i++) place->of_bounds |= run->tensors.items[set->tensors.items[i]].bounded;
}

void live_place_json(struct json *j, const struct run *run, const struct live_place *place) {
    json_member_bool(j, "at_peak", place->is_peak);
    bool per_bank = place->is_peak && (place->peak.allocated || !place->peak.all_banks_bytes);
    json_member_i64_if(j, "peak_bytes_per_bank", per_bank, per_bank ? peak_bytes(&place->peak) : 0);
    json_member_text(j, "source", place->is_peak ? peak_source_of(run, place->peak.source) : NULL);
    if (place->is_peak) json_member_bool(j, "at_least", place->peak.at_least);
    else if (place->bounds_known) json_member_bool(j, "at_least", place->of_bounds);
    else json_member_null(j, "at_least");
}

static void text_head(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place) {
    const struct block *block = known_block(run, place);
    live_place_text(out, term, run, place, "Alive in");
    if (place->groups) strbuf_addf(out, ", by %s", live_by_names[place->by]);
    strbuf_addz(out, "\n\n");
    if (live_place_stated(place)) {
        strbuf_addf(out, "  %s of %s MB per %s (", figure_milli(place->peak.allocated, 3).text,
                    figure_milli(place->peak.total, 3).text, pool_unit(run, place->pool));
        add_percent(out, place->peak.allocated, place->peak.total);
        strbuf_addz(out, "), as the failure message states\n\n");
        return;
    }
    if (!block) {
        strbuf_addz(out, "  The log has no memory block here: how much is unattributed is not known.\n\n");
        return;
    }
    uint32_t total = block_config(run, block, place->pool)->total;
    strbuf_addz(out, place->of_bounds ? "  at least " : "  ");
    add_milli(out, block->allocated[place->pool], 3);
    if (!total) {
        strbuf_addf(out, " MB per %s, capacity not known\n\n", pool_unit(run, place->pool));
        return;
    }
    strbuf_addz(out, " of ");
    add_milli(out, total, 3);
    strbuf_addf(out, " MB per %s (", pool_unit(run, place->pool));
    add_percent(out, block->allocated[place->pool], total);
    strbuf_addz(out, "), largest free block ");
    if (block_largest_known(block, place->pool)) {
        if (place->of_bounds) strbuf_addz(out, "at most ");
        add_milli(out, block->largest[place->pool], 3);
        strbuf_addz(out, " MB\n\n");
    } else {
        strbuf_addz(out, "not known\n\n");
    }
}

static struct live_rows rows_of(const struct run *run, const struct live_place *place, const struct live_set *set) {
    const struct block *block = known_block(run, place);
    bool stated = live_place_stated(place);
    return (struct live_rows){.run = run,
                              .set = set,
                              .has_allocated = block || stated,
                              .allocated_milli = stated  ? place->peak.allocated
                                                 : block ? block->allocated[place->pool]
                                                         : 0,
                              .allocated_bytes = stated  ? peak_bytes(&place->peak)
                                                 : block ? block_allocated_bytes(run, block, place->pool)
                                                         : 0,
                              .limit = place->limit,
                              .unit = pool_unit(run, place->pool)};
}

static size_t text_holders(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place) {
    const struct holders *held = &place->holders;
    size_t shown = place->limit && place->limit < held->len ? place->limit : held->len;
    for (size_t i = 0; i < shown; i++) {
        strbuf_addf(out, "%12s MB  held since ", figure_milli(held->items[i].milli, 3).text);
        char room[HOLDER_ROOM];
        strbuf_addz(out, holder_since(&held->items[i], room));
        if (held->items[i].record != NONE) live_rows_op(out, term, run, held->items[i].record);
        strbuf_addc(out, '\n');
    }
    return held->len - shown;
}

void live_report_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place,
                      const struct live_set *set) {
    struct live_rows rows = rows_of(run, place, set);
    text_head(out, term, run, place);
    size_t left_out = place->groups        ? live_groups_text(out, term, run, place)
                      : place->holders.len ? text_holders(out, term, run, place)
                                           : live_rows_text(out, term, &rows);
    const char *what = place->groups ? "" : place->holders.len ? "" : left_out == 1 ? " tensor" : " tensors";
    if (left_out) strbuf_addf(out, "  ... and %zu more%s; --limit 0 lists all\n", left_out, what);
    if (place->groups) {
        strbuf_addc(out, '\n');
        live_rows_text_beyond(out, &rows);
    }
    holes_report_text(out, term, run, place->step, place->pool);
    struct strbuf host = {0};
    if (host_moment_text(&host, term, run, place->step)) strbuf_addf(out, "\n  Host: %s\n", strbuf_text(&host));
    strbuf_release(&host);
    term_tone(out, term, TONE_DIM);
    if (place->holders.len && !place->groups)
        strbuf_addz(
            out, "\n  By difference: the log has no op lines; a rise that no later fall gives back is held since that op.\n");
    else strbuf_addf(out, "\n  Tensors are %s.\n", tensors_note(run));
    if (place->pool == POOL_L1 && (run->origin == RUN_LOG || run->origin == RUN_PREDICTED || run->inspector))
        strbuf_addf(out, "  L1 is a lower bound: circular buffers and buffers inside an op are not in %s.\n",
                    run->origin == RUN_PREDICTED ? "a module"
                    : run->inspector             ? "what Inspector writes"
                                                 : "runtime logs");
    if (place->groups && place->by == LIVE_BY_MODULE && run->origin == RUN_LOG)
        strbuf_addz(out,
                    "  Where the log names no module, the location of the op stands for it: XLA_HLO_DEBUG=1 adds modules.\n");
    if (set->computed_bytes) strbuf_addz(out, "  Computed: in no tensor of the log, by the ops that ran; see ttmem-live(1).\n");
    term_tone(out, term, TONE_PLAIN);
}

void live_report_json(struct strbuf *out, const struct run *run, const struct live_place *place, const struct live_set *set) {
    const struct block *block = known_block(run, place);
    unsigned pool = place->pool;
    uint32_t total = block ? block_config(run, block, place->pool)->total : 0;
    uint32_t banks = block ? block_config(run, block, place->pool)->banks : 0;
    bool sized = block && (total || !block->allocated[pool]);
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(run));
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(run));
    json_member_text(&j, "pool", pool_keys[pool]);
    live_place_json(&j, run, place);
    json_member_op(&j, "op", run, place->after_record);
    json_member_op(&j, "before_op", run, place->before_record);
    json_member_u64_if(&j, "line", block && block->line, block ? block->line : 0);
    json_member_u64_if(&j, "banks", banks > 0, banks);
    json_member_i64_if(&j, "capacity_bytes_per_bank", sized, block ? config_bytes(block_config(run, block, place->pool)) : 0);
    json_member_i64_if(&j, "free_bytes_per_bank", sized && block_free_known(block, pool),
                       block ? block_free_bytes(run, block, pool) : 0);
    json_member_i64_if(&j, "largest_free_bytes_per_bank", sized && block_largest_known(block, pool),
                       block ? block_largest_bytes(run, block, pool) : 0);
    struct live_rows rows = rows_of(run, place, set);
    if (place->groups) live_rows_json_sums(&j, &rows);
    else live_rows_json(&j, &rows);
    if (place->groups) {
        json_key(&j, "tensors");
        json_array(&j);
        json_array_end(&j);
    }
    json_member_text(&j, "by", place->groups ? live_by_names[place->by] : NULL);
    json_key(&j, "groups");
    if (place->groups) live_groups_json(&j, run, place);
    else json_null(&j);
    json_key(&j, "held");
    json_holders(&j, run, &place->holders);
    holes_report_json(&j, run, place->step, place->pool);
    host_moment_json(&j, run, place->step);
    json_member_text(&j, "note", tensors_note(run));
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
