/* SPDX-License-Identifier: Apache-2.0 */
/* The result of ttmem check as text and JSON; check_ci.c has the forms for CI systems. */
#include "parse/failure/failure.h"
#include "render/compare/budget.h"
#include "render/fit/fit_report.h"
#include "render/format/json_parts.h"
#include "render/format/predicted.h"
#include "render/format/short_location.h"

static size_t count_state(const struct check_report *r, enum judgement_state state) {
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) n += r->judgements[i].state == state;
    return n;
}

static void add_leaks(struct strbuf *out, const struct term *term, const struct check_report *r) {
    const struct footprint *f = r->run;
    struct strbuf text = {0};
    for (size_t i = 0; i < f->leaks.len && i < 10; i++) {
        const struct footprint_kind *kind = &f->kinds.items[f->leaks.items[i].kind];
        strbuf_clear(&text);
        strbuf_addf(&text, "%6llu x  ", (unsigned long long)f->leaks.items[i].tensors);
        measure_amount(&text, measure_find(SLICE("never_freed")), (int64_t)f->leaks.items[i].per_bank_bytes);
        strbuf_addz(&text, f->pools[POOL_L1].per_core ? " per bank (L1: per core)  " : " per bank  ");
        strbuf_add(&text, footprint_text(f, kind->name));
        strbuf_addz(&text, "  ");
        short_location(&text, footprint_text(f, kind->location));
        footprint_rank_words(&text, f, "  ", f->leaks.items[i].rank);
        strbuf_addz(out,
                    i ? "             "
                      : "\n  Results that no deallocate frees, of programs whose passes leave memory behind\n             ");
        term_text(out, term, strbuf_slice(&text), 0);
        strbuf_addc(out, '\n');
    }
    strbuf_release(&text);
}

void check_text(struct strbuf *out, const struct term *term, const struct check_report *r) {
    bool growth = false;
    term_tone(out, term, TONE_BOLD);
    term_text(out, term, r->name, 0);
    term_tone(out, term, TONE_PLAIN);
    if (footprint_is_predicted(r->run)) strbuf_addz(out, " (predicted)");
    if (r->baseline.len) {
        strbuf_addz(out, " against ");
        term_text(out, term, r->baseline, 0);
    }
    strbuf_addz(out, "\n\n");
    for (size_t i = 0; i < r->count; i++) {
        judgement_text(out, term, &r->judgements[i], r->run);
        growth |= r->judgements[i].state == JUDGED_BREACH && r->judgements[i].value.leak != NONE;
    }
    if (growth) add_leaks(out, term, r);
    if (r->run->other_fatal_line) {
        bool maybe = failure_words_may_be_memory(footprint_text(r->run, r->run->other_fatal));
        strbuf_addz(out, maybe ? "\n  maybe a memory failure: " : "\n  not a memory failure: ");
        term_text(out, term, footprint_text(r->run, r->run->other_fatal), 100);
        strbuf_addf(out, ", line %u\n", r->run->other_fatal_line);
    }
    strbuf_addf(out, "\n  %zu of %zu rules hold", count_state(r, JUDGED_OK), r->count);
    if (r->breaches) strbuf_addf(out, ", %zu breached", r->breaches);
    if (r->not_judged) strbuf_addf(out, ", %zu cannot be judged from this run", r->not_judged);
    strbuf_addc(out, '\n');
}

void check_json(struct strbuf *out, const struct check_report *r) {
    struct json j = {.out = out, .pretty = true};
    json_document(&j);
    json_member_str(&j, "run", r->name);
    json_member_bool(&j, "predicted", footprint_is_predicted(r->run));
    json_member_text_or_null(&j, "baseline", r->baseline);
    json_member_bool(&j, "ok", !r->breaches && !r->not_judged);
    json_member_u64(&j, "breach_count", r->breaches);
    json_member_u64(&j, "not_judged_count", r->not_judged);
    json_key(&j, "not_memory_failure");
    if (r->run->other_fatal_line) {
        json_object(&j);
        json_member_str(&j, "message", footprint_text(r->run, r->run->other_fatal));
        json_member_u64(&j, "line", r->run->other_fatal_line);
        json_member_bool(&j, "maybe_memory", failure_words_may_be_memory(footprint_text(r->run, r->run->other_fatal)));
        json_object_end(&j);
    } else {
        json_null(&j);
    }
    fit_answer_member(&j, r->fit);
    json_member_text_or_null(&j, "fit_rule", r->fit ? r->fit_rule->text : SLICE(""));
    json_key(&j, "rules");
    json_array(&j);
    for (size_t i = 0; i < r->count; i++) judgement_json(&j, &r->judgements[i], r->run);
    json_array_end(&j);
    json_key(&j, "programs");
    json_array(&j);
    for (size_t i = 0; i < r->run->programs.len; i++) {
        const struct footprint_program *program = &r->run->programs.items[i];
        int64_t growth;
        json_object(&j);
        json_member_str(&j, "name", footprint_text(r->run, program->name));
        json_member_u64(&j, "passes", program->passes);
        bool grows = footprint_growth_bytes(program, &growth);
        json_member_bytes_of_milli(&j, "after_first_bytes_per_bank", program->first);
        json_member_bytes_of_milli(&j, "after_last_bytes_per_bank", program->last);
        json_member_i64_if(&j, "growth_per_pass_bytes_per_bank", grows, grows ? growth : 0);
        footprint_rank_json(&j, r->run, program->rank);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_key(&j, "not_deallocated");
    json_array(&j);
    for (size_t i = 0; i < r->run->leaks.len; i++) {
        const struct footprint_leak *leak = &r->run->leaks.items[i];
        json_object(&j);
        json_member_text_or_null(&j, "op_name", footprint_text(r->run, r->run->kinds.items[leak->kind].name));
        json_member_text_or_null(&j, "location", footprint_text(r->run, r->run->kinds.items[leak->kind].location));
        json_member_u64(&j, "tensor_count", leak->tensors);
        json_member_u64(&j, "bytes_per_bank", leak->per_bank_bytes);
        footprint_rank_json(&j, r->run, leak->rank);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
