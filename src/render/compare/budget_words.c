/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "base/amounts.h"
#include "render/compare/budget.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"

const char *const judgement_names[] = {"ok", "breach", "not_judged"};

void measure_amount(struct strbuf *out, const struct measure *measure, int64_t value) {
    if (!measure->is_count) {
        add_log_size(out, value, false);
        return;
    }
    if (value < 0) strbuf_addc(out, '-');
    add_grouped(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void footprint_rank_words(struct strbuf *out, const struct footprint *f, const char *lead, uint32_t rank) {
    if (f->rank_peaks.len < 2 || rank >= f->ranks.len) return;
    strbuf_addf(out, "%srank ", lead);
    strbuf_add(out, f->ranks.items[rank] ? footprint_text(f, f->ranks.items[rank]) : SLICE("untagged"));
}

static void add_op(struct strbuf *out, const struct footprint *f, uint32_t op) {
    strbuf_addf(out, "#%u ", op);
    strbuf_add(out, footprint_op_name(f, op));
    struct slice place = footprint_op_location(f, op);
    if (place.len) strbuf_addz(out, "  ");
    strbuf_add(out, place);
    footprint_rank_words(out, f, "  ", op < f->ops.len ? f->ops.items[op].rank : (uint32_t)f->ranks.len);
}

static void add_tensor(struct strbuf *out, const struct footprint *f, const struct footprint_tensor *t) {
    const struct footprint_type *type = &f->types.items[t->type];
    strbuf_addf(out, "largest: %s ", live_class_names[t->class]);
    strbuf_add(out, type->shape ? footprint_text(f, type->shape) : SLICE("scalar"));
    strbuf_addc(out, ' ');
    strbuf_add(out, footprint_text(f, type->dtype));
    strbuf_addz(out, ", ");
    if (t->kind == NONE) strbuf_add(out, footprint_text(f, t->name));
    else if (t->op < f->ops.len) add_op(out, f, t->op);
    else strbuf_add(out, footprint_text(f, f->kinds.items[t->kind].name));
}

static void add_leak(struct strbuf *out, const struct footprint *f, const struct footprint_leak *leak) {
    const struct footprint_kind *kind = &f->kinds.items[leak->kind];
    strbuf_addf(out, "not deallocated: %llu x ", (unsigned long long)leak->tensors);
    strbuf_add(out, footprint_text(f, kind->name));
    if (kind->location) strbuf_addz(out, "  ");
    strbuf_add(out, footprint_text(f, kind->location));
    strbuf_addz(out, ", ");
    add_size(out, leak->per_bank_bytes);
    strbuf_addz(out, f->pools[POOL_L1].per_core ? " per bank (L1: per core)" : " per bank");
    footprint_rank_words(out, f, ", ", leak->rank);
}

static void add_program(struct strbuf *out, const struct footprint *f, const struct footprint_program *program) {
    strbuf_addz(out, "program ");
    strbuf_add(out, footprint_text(f, program->name));
    strbuf_addf(out, ", %u passes, ", program->passes);
    add_milli(out, program->passes > 2 ? program->second : program->first, 3);
    strbuf_addz(out, " MB after the ");
    strbuf_addz(out, program->passes > 2 ? "second, " : "first, ");
    add_milli(out, program->last, 3);
    strbuf_addz(out, " MB after the last");
    footprint_rank_words(out, f, ", ", program->rank);
}

void judgement_witness(struct strbuf *out, const struct judgement *j, const struct footprint *f) {
    const struct measure_value *v = &j->value;
    if (j->of_need) {
        strbuf_addz(out, "with the request that failed; ");
        if (v->at_least) strbuf_addz(out, "at least ");
        measure_amount(out, j->rule->measure, v->value);
        strbuf_addz(out, " was reached");
        if (v->op != NONE) strbuf_addz(out, "; ");
    }
    if (v->how_known && !j->of_need) strbuf_addz(out, v->how_known);
    if (v->how_known && !j->of_need && (v->op != NONE || v->rank != NONE)) strbuf_addz(out, "; ");
    if (v->program < f->programs.len) add_program(out, f, &f->programs.items[v->program]);
    if (v->leak < f->leaks.len) {
        if (out->len) strbuf_addz(out, "; ");
        add_leak(out, f, &f->leaks.items[v->leak]);
    }
    if (v->program != NONE || v->leak != NONE) return;
    const struct footprint_failure *failure = v->failure;
    if (!failure && f->failures.len && !footprint_failures(f, &failure)) failure = f->failures.items;
    if (j->rule->kind == RULE_NO_FAILURE && failure) {
        strbuf_add(out, footprint_text(f, failure->title));
        if (failure->line) strbuf_addf(out, " at line %u", failure->line);
        if (failure->rank && v->op == NONE) {
            struct slice rank = footprint_text(f, failure->rank);
            strbuf_addf(out, " of rank %.*s", SLICE_FMT(rank));
        }
        if (v->op != NONE) strbuf_addz(out, ", in ");
        if (v->op != NONE) add_op(out, f, v->op);
    } else if (v->tensor) {
        add_tensor(out, f, v->tensor);
        if (v->tensor->op >= f->ops.len) footprint_rank_words(out, f, "  ", v->rank);
    } else if (v->op != NONE) {
        strbuf_addz(out, j->of_need ? "in " : "after ");
        add_op(out, f, v->op);
    } else if (v->rank != NONE) {
        if (!v->how_known) strbuf_addz(out, v->at_peak ? "at its peak" : "from the start");
        footprint_rank_words(out, f, v->how_known ? "" : "  ", v->rank);
    }
}

static void cell(struct strbuf *out, struct strbuf *text, size_t width, bool right) {
    size_t fill = text->len < width ? width - text->len : 0;
    if (right) strbuf_fill(out, ' ', fill);
    strbuf_add(out, strbuf_slice(text));
    if (!right) strbuf_fill(out, ' ', fill);
    strbuf_clear(text);
}

static const char in_total[] = " in total";

void judgement_value(struct strbuf *out, const struct judgement *j) {
    if (j->value.at_least) strbuf_addz(out, "at least ");
    else if (j->value.at_most) strbuf_addz(out, "at most ");
    measure_amount(out, j->rule->measure, j->of_need ? j->value.need : j->value.value);
    if (measure_is_total(j->rule->measure)) strbuf_addz(out, in_total);
}

/* A rule that holds is judged by the worst that the figure can be, one that is breached by the best: shown where that is
 * another figure. */
static void judged_by(struct strbuf *out, const struct judgement *j) {
    bool high = (j->state == JUDGED_OK) == (j->rule->kind == RULE_MAX);
    struct measure_range range = measure_range(j->rule->measure, &j->value);
    int64_t by = high ? range.high : range.low;
    if (j->of_need || j->rule->kind == RULE_NO_FAILURE || by == j->value.value || by == INT64_MIN || by == INT64_MAX) return;
    strbuf_addf(out, "judged by the %s that it can be: ", high ? "highest" : "lowest");
    measure_amount(out, j->rule->measure, by);
}

void judgement_text(struct strbuf *out, const struct term *term, const struct judgement *j, const struct footprint *run) {
    static const char *const words[] = {"ok", "BREACH", "not judged"};
    static const enum tone tones[] = {TONE_GOOD, TONE_BAD, TONE_WARN};
    struct strbuf text = {0};
    strbuf_addz(out, "  ");
    term_tone(out, term, tones[j->state]);
    strbuf_addf(out, "%-11s", words[j->state]);
    term_tone(out, term, TONE_PLAIN);
    strbuf_add(&text, j->rule->text);
    cell(out, &text, 30, false);
    if (j->state == JUDGED_NOT) {
        strbuf_addf(out, "  %s\n", j->why);
        strbuf_release(&text);
        return;
    }
    bool is_total = measure_is_total(j->rule->measure);
    judgement_value(&text, j);
    if (is_total) text.len -= sizeof in_total - 1; /* at the end of the row, so that figures stay in their columns */
    cell(out, &text, 14, true);
    if (j->rule->kind != RULE_NO_FAILURE) {
        strbuf_addf(out, "  limit ");
        measure_amount(&text, j->rule->measure, j->limit);
        cell(out, &text, 13, true);
        strbuf_addz(out, j->margin >= 0 ? "  margin  " : j->rule->kind == RULE_MIN ? "  short by" : "  over by ");
        measure_amount(&text, j->rule->measure, j->margin < 0 ? -j->margin : j->margin);
        cell(out, &text, 13, true);
        if (j->has_baseline) {
            strbuf_addz(out, "  baseline ");
            measure_amount(out, j->rule->measure, j->baseline);
        }
    }
    if (is_total) strbuf_addf(out, " %s", in_total);
    strbuf_addc(out, '\n');
    if (j->state == JUDGED_BREACH || j->value.rank != NONE) judgement_witness(&text, j, run);
    if (text.len) {
        strbuf_fill(out, ' ', 13);
        term_text(out, term, strbuf_slice(&text), 0);
        strbuf_addc(out, '\n');
    }
    strbuf_clear(&text);
    judged_by(&text, j);
    if (text.len) {
        strbuf_fill(out, ' ', 13);
        strbuf_add(out, strbuf_slice(&text));
        strbuf_addc(out, '\n');
    }
    if (j->value.caveat) {
        strbuf_fill(out, ' ', 13);
        term_text(out, term, slice_from(j->value.caveat), 0);
        strbuf_addc(out, '\n');
    }
    strbuf_release(&text);
}

/* A figure is bytes or a count, depending on its measure: the other one is null. */
static void figure(struct json *j, const char *bytes, const char *count, const struct judgement *judged, bool known,
                   int64_t value) {
    bool is_count = judged->rule->measure->is_count;
    json_member_i64_if(j, bytes, known && !is_count, value);
    json_member_i64_if(j, count, known && is_count, value);
}

/* In a prediction nothing was measured. */
static const char *source_word(const struct measure_value *value, const struct footprint *run) {
    bool predicted = value->source == peak_source_names[PEAK_MEASURED] && footprint_is_predicted(run);
    return predicted ? "predicted" : value->source;
}

void judgement_json(struct json *j, const struct judgement *judged, const struct footprint *run) {
    struct strbuf witness = {0};
    bool is_judged = judged->state != JUDGED_NOT;
    json_object(j);
    json_member_str(j, "rule", judged->rule->text);
    json_member_text(j, "measure", judged->rule->measure->name);
    json_member_text(j, "state", judgement_names[judged->state]);
    json_member_text(j, "file", judged->rule->file);
    json_member_u64_if(j, "line", judged->rule->file, judged->rule->line);
    json_member_text(j, "why", is_judged ? NULL : judged->why);
    figure(j, "value_bytes", "value_count", judged, is_judged, judged->value.value);
    figure(j, "limit_bytes", "limit_count", judged, is_judged, judged->limit);
    figure(j, "margin_bytes", "margin_count", judged, is_judged, judged->margin);
    figure(j, "baseline_bytes", "baseline_count", judged, is_judged && judged->has_baseline, judged->baseline);
    struct measure_range range = measure_range(judged->rule->measure, &judged->value);
    bool is_bytes = judged->value.known && !judged->rule->measure->is_count;
    json_member_i64_if(j, "lowest_bytes", is_bytes && range.low != INT64_MIN, range.low);
    json_member_i64_if(j, "highest_bytes", is_bytes && range.high != INT64_MAX, range.high);
    json_key(j, "at_least");
    if (is_judged && (judged->value.source || judged->value.at_least)) json_bool(j, judged->value.at_least);
    else json_null(j);
    json_member_text(j, "source", is_judged ? source_word(&judged->value, run) : NULL);
    json_member_i64_if(j, "needed_bytes", is_judged && judged->of_need, judged->value.need);
    json_member_text(j, "caveat", judged->value.caveat);
    if (is_judged) judgement_witness(&witness, judged, run);
    json_member_text_or_null(j, "evidence", strbuf_slice(&witness));
    footprint_op_json(j, "op", run, is_judged ? judged->value.op : NONE);
    footprint_rank_json(j, run, is_judged ? judged->value.rank : NONE);
    json_object_end(j);
    strbuf_release(&witness);
}

void footprint_rank_json(struct json *j, const struct footprint *f, uint32_t rank) {
    bool known = rank < f->ranks.len && f->ranks.items[rank];
    json_member_text_or_null(j, "rank", known ? footprint_text(f, f->ranks.items[rank]) : slice_of("", 0));
    uint64_t place = 0; /* among those with a tag */
    for (uint32_t i = 0; known && i < rank; i++) place += f->ranks.items[i] != 0;
    json_member_u64_if(j, "rank_index", known, place);
}

void footprint_op_json(struct json *j, const char *key, const struct footprint *f, uint32_t op) {
    json_key(j, key);
    if (op == NONE) {
        json_null(j);
        return;
    }
    const struct footprint_op *kept = op < f->ops.len ? &f->ops.items[op] : NULL;
    bool ranked = kept && kept->rank < f->ranks.len;
    json_op_words(
        j, &(struct json_op_words){.index = op,
                                   .name = footprint_op_name(f, op),
                                   .line = kept ? kept->line : 0,
                                   .location = footprint_op_location(f, op),
                                   .program = kept ? footprint_text(f, f->kinds.items[kept->kind].program) : slice_of("", 0),
                                   .rank = ranked ? footprint_text(f, f->ranks.items[kept->rank]) : slice_of("", 0)});
}
