/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "base/amounts.h"
#include "render/answer/budget.h"
#include "render/format/json_parts.h"

const char *const judgement_names[] = {"ok", "breach", "not_judged"};

void measure_amount(struct strbuf *out, const struct measure *measure, int64_t value) {
    if (!measure->is_count) {
        add_log_size(out, value, false);
        return;
    }
    if (value < 0) strbuf_addc(out, '-');
    add_grouped(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void add_op(struct strbuf *out, const struct footprint *f, uint32_t op) {
    strbuf_addf(out, "#%u ", op);
    strbuf_add(out, footprint_op_name(f, op));
    struct slice place = footprint_op_location(f, op);
    if (place.len) strbuf_addz(out, "  ");
    strbuf_add(out, place);
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
    strbuf_addz(out, " per bank");
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
}

void judgement_witness(struct strbuf *out, const struct judgement *j, const struct footprint *f) {
    const struct measure_value *v = &j->value;
    if (v->program < f->programs.len) add_program(out, f, &f->programs.items[v->program]);
    if (v->leak < f->leaks.len) {
        if (out->len) strbuf_addz(out, "; ");
        add_leak(out, f, &f->leaks.items[v->leak]);
    }
    if (v->program != NONE || v->leak != NONE) return;
    if (j->rule->kind == RULE_NO_FAILURE && f->failures.len) {
        strbuf_add(out, footprint_text(f, f->failures.items[0].title));
        strbuf_addf(out, " at line %u", f->failures.items[0].line);
        if (v->op != NONE) strbuf_addz(out, ", in ");
        if (v->op != NONE) add_op(out, f, v->op);
    } else if (v->tensor < f->tensors.len) {
        add_tensor(out, f, &f->tensors.items[v->tensor]);
    } else if (v->op != NONE) {
        strbuf_addz(out, "after ");
        add_op(out, f, v->op);
    }
}

static void cell(struct strbuf *out, struct strbuf *text, size_t width, bool right) {
    size_t fill = text->len < width ? width - text->len : 0;
    if (right) strbuf_fill(out, ' ', fill);
    strbuf_add(out, strbuf_slice(text));
    if (!right) strbuf_fill(out, ' ', fill);
    strbuf_clear(text);
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
    measure_amount(&text, j->rule->measure, j->value.value);
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
    strbuf_addc(out, '\n');
    if (j->state == JUDGED_BREACH) judgement_witness(&text, j, run);
    if (text.len) {
        strbuf_fill(out, ' ', 13);
        term_text(out, term, strbuf_slice(&text), 0);
        strbuf_addc(out, '\n');
    }
    strbuf_release(&text);
}

void judgement_json(struct json *j, const struct judgement *judged, const struct footprint *run) {
    const char *value = judged->rule->measure->is_count ? "value" : "value_bytes";
    const char *limit = judged->rule->measure->is_count ? "limit" : "limit_bytes";
    const char *margin = judged->rule->measure->is_count ? "margin" : "margin_bytes";
    const char *baseline = judged->rule->measure->is_count ? "baseline" : "baseline_bytes";
    struct strbuf witness = {0};
    json_object(j);
    json_member_str(j, "rule", judged->rule->text);
    json_member_text(j, "measure", judged->rule->measure->name);
    json_member_text(j, "state", judgement_names[judged->state]);
    if (judged->rule->file) {
        json_member_text(j, "file", judged->rule->file);
        json_member_u64(j, "line", judged->rule->line);
    }
    if (judged->state == JUDGED_NOT) {
        json_member_null(j, value);
        json_member_text(j, "why", judged->why);
    } else {
        json_member_i64(j, value, judged->value.value);
        json_member_i64(j, limit, judged->limit);
        json_member_i64(j, margin, judged->margin);
        if (judged->has_baseline) json_member_i64(j, baseline, judged->baseline);
        judgement_witness(&witness, judged, run);
        json_member_text_or_null(j, "behind", strbuf_slice(&witness));
        json_member_index(j, "op_index", judged->value.op);
    }
    json_object_end(j);
    strbuf_release(&witness);
}
