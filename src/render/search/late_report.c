/* SPDX-License-Identifier: Apache-2.0 */
#include "render/search/late_report.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"
#include "render/format/warning_words.h"

static struct figure mb(uint64_t bytes) { return figure_milli(num_bytes_to_milli_mb(bytes), 3); }

static size_t listed(const struct late_page *page) {
    size_t count = page->late->rows.len;
    return page->limit && page->limit < count ? page->limit : count;
}

/* The record after which a block was printed; NONE: none came before it. */
static uint32_t record_before(const struct run *run, uint32_t block) {
    if (block == NONE) return NONE;
    uint32_t step = run->blocks.items[block].step;
    uint16_t rank = run->steps.items[step].rank;
    for (uint32_t i = step; i-- > 0;)
        if (run->steps.items[i].rank == rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

static void text_place(struct strbuf *out, const struct term *term, const struct run *run, uint32_t block) {
    uint32_t record = record_before(run, block);
    if (record == NONE) {
        strbuf_addz(out, "from the start");
        return;
    }
    strbuf_addz(out, "after ");
    live_rows_op(out, term, run, record);
}

static void text_head(struct strbuf *out, const struct term *term, const struct late_page *page) {
    const struct late_peak *peak = &page->late->peak;
    term_tone(out, term, TONE_BOLD);
    strbuf_addf(out, "Freed later than last used, %s", pool_names[page->pool]);
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n");
    const struct peak *highest = &page->late->highest;
    if (!peak->seen && !highest->seen) {
        strbuf_addz(out, "  The log has no memory blocks: what it would save is not known.\n");
        return;
    }
    if (!peak->seen) {
        strbuf_addf(out, "  peak  at least %s MB per %s (%s): what it would save is not known.\n",
                    figure_milli(highest->allocated, 3).text, pool_unit(page->run, page->pool), peak_bound_words(highest));
        return;
    }
    const char *unit = pool_unit(page->run, page->pool);
    strbuf_addf(out, "  peak               %10s MB per %s  ", mb(peak->bytes).text, unit);
    text_place(out, term, page->run, peak->block);
    if (highest->at_least)
        strbuf_addf(out, "; of the run at least %s (%s)", figure_milli(highest->allocated, 3).text, peak_bound_words(highest));
    strbuf_addf(out, "\n  freed at last use  %10s MB per %s  ", mb(peak->without_bytes).text, unit);
    text_place(out, term, page->run, peak->without_block);
    uint64_t lower = peak->bytes - peak->without_bytes;
    if (lower) {
        strbuf_addf(out, ": %s MB less (", mb(lower).text);
        add_percent(out, (int64_t)lower, peak->bytes);
        strbuf_addc(out, ')');
    } else {
        strbuf_addz(out, ": the peak stays");
    }
    strbuf_addc(out, '\n');
}

static void text_row(struct strbuf *out, const struct term *term, const struct late_page *page, const struct late_row *row) {
    const struct run *run = page->run;
    const struct tensor *tensor = &run->tensors.items[row->tensor];
    const struct tensor_type *type = &run->types.items[tensor->type];
    uint32_t made = tensor->producer == NONE ? NONE : run->steps.items[tensor->producer].record;
    strbuf_addf(out, "%12s MB  ", mb(row->bytes).text);
    if (row->count > 1) strbuf_addf(out, "%s x ", figure_grouped(row->count).text);
    size_t start = out->len;
    term_text(out, term, type->shape.len ? type->shape : SLICE("scalar"), 40);
    strbuf_addc(out, ' ');
    term_text(out, term, type->dtype, 20);
    size_t used = out->len - start;
    strbuf_fill(out, ' ', used < 24 ? 24 - used : 2);
    if (made != NONE) live_rows_op(out, term, run, made);
    else if (tensor_name(run, tensor).len) term_text(out, term, tensor_name(run, tensor), 60);
    else strbuf_addf(out, "%%arg%u", tensor->argument);
    strbuf_addf(out, "  last used by #%u, ", row->last_used);
    if (row->freed == NONE) strbuf_addz(out, "never freed");
    else
        strbuf_addf(out, "freed after #%u: %s %s late", row->freed, figure_grouped(row->ops).text,
                    row->ops == 1 ? "op" : "ops");
    if (row->lowers) strbuf_addf(out, "; alone -%s MB", mb(row->lowers).text);
    strbuf_addc(out, '\n');
}

/* What the caller passes in is the caller's to free. */
static void text_kept(struct strbuf *out, const struct late_page *page) {
    const struct peak *highest = &page->late->highest;
    if (!highest->seen || highest->step == NONE) return;
    struct live_set set;
    live_at(page->run, highest->step, page->pool, &set);
    const struct live_sum *inputs = &set.by_class[LIVE_INPUT];
    if (inputs->per_bank_bytes && !inputs->bank_unknown)
        strbuf_addf(out,
                    "  Not judged: inputs, which the caller keeps (%s MB per %s at the peak); ttmem fit tries to free them.\n",
                    mb(inputs->per_bank_bytes).text, pool_unit(page->run, page->pool));
    live_release(&set);
}

void late_report_text(struct strbuf *out, const struct term *term, const struct late_page *page) {
    size_t shown = listed(page);
    text_head(out, term, page);
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < shown; i++) text_row(out, term, page, &page->late->rows.items[i]);
    if (!page->late->rows.len) strbuf_addz(out, "  Everything that programs free is freed as soon as it could be.\n");
    text_kept(out, page);
    if (shown < page->late->rows.len)
        strbuf_addf(out, "  ... and %s more; --limit 0 lists all\n", figure_grouped(page->late->rows.len - shown).text);
    term_tone(out, term, TONE_DIM);
    strbuf_addz(out,
                "\n  The lower peak is computed over all memory states of the run; savings do not add up. What the host or a "
                "cache keeps is not counted.\n");
    term_tone(out, term, TONE_PLAIN);
    add_predicted_note(out, term, page->run);
}

static void json_row(struct json *j, const struct late_page *page, const struct late_row *row) {
    const struct run *run = page->run;
    const struct tensor *tensor = &run->tensors.items[row->tensor];
    const struct tensor_type *type = &run->types.items[tensor->type];
    struct live_sum sum = tensor_sum(run, tensor);
    json_object(j);
    json_member_text(j, "class", live_class_names[tensor_live_class(run, tensor)]);
    json_member_str(j, "shape", type->shape);
    json_member_text_or_null(j, "dtype", type->dtype);
    json_member_text_or_null(j, "name", tensor_name(run, tensor));
    json_member_op(j, "op", run, tensor->producer == NONE ? NONE : run->steps.items[tensor->producer].record);
    json_member_per_bank(j, "bytes_per_bank", &sum);
    json_member_u64(j, "count", row->count);
    json_member_op(j, "last_used_by_op", run, row->last_used);
    json_member_index(j, "freed_after_op_index", row->freed);
    json_member_u64(j, "ops_late", row->ops);
    json_member_u64_if(j, "lowers_peak_bytes_per_bank", page->late->peak.seen, row->lowers);
    json_object_end(j);
}

static void json_lower(struct json *j, const char *key, const struct run *run, bool seen, uint64_t bytes, uint32_t block) {
    json_key(j, key);
    if (!seen) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "allocated_bytes_per_bank", bytes);
    json_member_op(j, "op", run, record_before(run, block));
    json_object_end(j);
}

/* What was measured at every op, or else the known bound. */
static void json_highest(struct json *j, const struct late_page *page) {
    const struct late_peak *peak = &page->late->peak;
    const struct peak *highest = &page->late->highest;
    json_key(j, "peak");
    if (!peak->seen && !highest->seen) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_u64(j, "allocated_bytes_per_bank",
                    peak->seen ? peak->bytes : (uint64_t)num_milli_mb_to_bytes(highest->allocated));
    json_member_op(j, "op", page->run, peak->seen ? record_before(page->run, peak->block) : highest->after_record);
    json_member_text(j, "source", peak_source_of(page->run, peak->seen ? PEAK_MEASURED : highest->source));
    json_member_bool(j, "at_least", highest->at_least);
    json_object_end(j);
}

void late_report_json(struct strbuf *out, const struct late_page *page) {
    const struct late_peak *peak = &page->late->peak;
    struct json j = {.out = out, .pretty = true};
    size_t shown = listed(page);
    json_document(&j);
    json_member_bool(&j, "predicted", run_is_predicted(page->run));
    json_member_text(&j, "pool", pool_keys[page->pool]);
    json_highest(&j, page);
    json_lower(&j, "freed_at_last_use", page->run, peak->seen, peak->without_bytes, peak->without_block);
    json_member_u64_if(&j, "lowers_peak_bytes_per_bank", peak->seen, peak->bytes - peak->without_bytes);
    json_key(&j, "tensors");
    json_array(&j);
    for (size_t i = 0; i < shown; i++) json_row(&j, page, &page->late->rows.items[i]);
    json_array_end(&j);
    json_member_u64(&j, "left_out", page->late->rows.len - shown);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
