/* SPDX-License-Identifier: Apache-2.0 */
#include "render/search/duplicates_report.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"

static const char *const kind_words[DUPLICATE_KINDS] = {"prepared alike several times", "kept by several programs",
                                                        "copy in f32 of a bf16 weight"};

static struct figure mb(uint64_t bytes) { return figure_milli(num_bytes_to_milli_mb(bytes), 3); }

static size_t listed(const struct duplicates_page *page) {
    size_t count = page->duplicates->rows.len;
    return page->limit && page->limit < count ? page->limit : count;
}

static uint32_t record_of(const struct run *run, const struct duplicate *row) {
    return run->steps.items[run->tensors.items[row->tensor].producer].record;
}

static struct slice source_name(const struct run *run, const struct duplicate *row) {
    return row->source == NONE ? slice_of("", 0) : run->registry.items[row->source].name;
}

bool duplicates_line(struct strbuf *out, const struct term *term, const struct run *run, const struct duplicates *duplicates) {
    uint64_t count[DUPLICATE_KINDS] = {0};
    if (!duplicates->rows.len) return false;
    for (size_t i = 0; i < duplicates->rows.len; i++) count[duplicates->rows.items[i].kind] += duplicates->rows.items[i].copies;
    strbuf_addf(out, "%s MB %s held more than once", mb(duplicates->extra).text,
                duplicates->bank_unknown ? "in all banks together" : "per bank");
    const char *front = ": ";
    for (unsigned kind = 0; kind < DUPLICATE_KINDS; kind++) {
        if (!count[kind]) continue;
        strbuf_addf(out, "%s%s %s", front, figure_grouped(count[kind]).text, kind_words[kind]);
        front = ", ";
    }
    struct slice name = source_name(run, &duplicates->rows.items[0]);
    if (name.len) {
        strbuf_addz(out, "; largest ");
        term_text(out, term, name, 60);
    }
    return true;
}

static void text_row(struct strbuf *out, const struct term *term, const struct run *run, const struct duplicate *row) {
    const struct tensor_type *type = &run->types.items[run->tensors.items[row->tensor].type];
    strbuf_addf(out, "%12s MB  ", mb(row->extra).text);
    size_t start = out->len;
    if (row->copies > 1) strbuf_addf(out, "%s x ", figure_grouped(row->copies).text);
    term_text(out, term, type->shape.len ? type->shape : SLICE("scalar"), 40);
    strbuf_addc(out, ' ');
    term_text(out, term, type->dtype, 20);
    size_t used = out->len - start;
    strbuf_fill(out, ' ', used < 24 ? 24 - used : 2);
    strbuf_addz(out, kind_words[row->kind]);
    if (row->programs > 1) strbuf_addf(out, " (%u)", row->programs);
    strbuf_addz(out, ": ");
    struct slice name = source_name(run, row);
    if (name.len) term_text(out, term, name, 60);
    else strbuf_addz(out, "a weight that no module names");
    strbuf_addz(out, "  ");
    live_rows_op(out, term, run, record_of(run, row));
    strbuf_addc(out, '\n');
}

void duplicates_text(struct strbuf *out, const struct term *term, const struct duplicates_page *page) {
    size_t shown = listed(page);
    struct strbuf line = {0};
    term_tone(out, term, TONE_BOLD);
    strbuf_addz(out, "Prepared weights that DRAM holds more than once");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n");
    if (duplicates_line(&line, term, page->run, page->duplicates)) strbuf_addf(out, "  %s\n\n", strbuf_text(&line));
    else strbuf_addz(out, "  No const-eval result is held twice.\n");
    for (size_t i = 0; i < shown; i++) text_row(out, term, page->run, &page->duplicates->rows.items[i]);
    if (shown < page->duplicates->rows.len)
        strbuf_addf(out, "  ... and %s more; --limit 0 lists all\n", figure_grouped(page->duplicates->rows.len - shown).text);
    term_tone(out, term, TONE_DIM);
    strbuf_addz(out,
                "\n  Copies: made by equal graphs from the same parameters, with the same type. The amount is what they take "
                "beyond the first.\n");
    term_tone(out, term, TONE_PLAIN);
    strbuf_release(&line);
}

static void json_row(struct json *j, const struct run *run, const struct duplicate *row, bool bank_unknown) {
    const struct tensor_type *type = &run->types.items[run->tensors.items[row->tensor].type];
    json_object(j);
    json_member_text(j, "kind", duplicate_names[row->kind]);
    json_member_text_or_null(j, "name", source_name(run, row));
    json_member_str(j, "shape", type->shape);
    json_member_text_or_null(j, "dtype", type->dtype);
    json_member_u64(j, "copies", row->copies);
    json_member_u64(j, "program_count", row->programs);
    json_member_u64_if(j, "extra_bytes_per_bank", !bank_unknown, row->extra);
    json_member_u64_if(j, "extra_bytes", bank_unknown, row->extra);
    json_member_op(j, "op", run, record_of(run, row));
    json_object_end(j);
}

void duplicates_json(struct strbuf *out, const struct duplicates_page *page) {
    struct json j = {.out = out, .pretty = true};
    size_t shown = listed(page);
    json_document(&j);
    json_member_u64_if(&j, "extra_bytes_per_bank", !page->duplicates->bank_unknown, page->duplicates->extra);
    json_member_u64_if(&j, "extra_bytes", page->duplicates->bank_unknown, page->duplicates->extra);
    json_key(&j, "duplicates");
    json_array(&j);
    for (size_t i = 0; i < shown; i++)
        json_row(&j, page->run, &page->duplicates->rows.items[i], page->duplicates->bank_unknown);
    json_array_end(&j);
    json_member_u64(&j, "left_out", page->duplicates->rows.len - shown);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
