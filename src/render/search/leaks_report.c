/* SPDX-License-Identifier: Apache-2.0 */
#include "render/search/leaks_report.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"
#include "render/format/short_location.h"
#include "render/format/warning_words.h"

static size_t listed(const struct leak_page *page) {
    size_t count = page->leaks->rows.len;
    return page->limit && page->limit < count ? page->limit : count;
}

static const struct step *step_of(const struct leak_page *page, const struct leak_row *row) {
    return &page->run->steps.items[page->run->records.items[row->record]];
}

/* Of a buffer without a tensor only a size is known: from Inspector that of the whole buffer, elsewhere its part of a bank. */
static void add_type(struct strbuf *out, const struct term *term, const struct run *run, const struct tensor_type *type,
                     enum pool pool) {
    uint64_t bytes;
    if (slice_equal(type->dtype, SLICE("bytes")) && num_read_u64(type->shape, &bytes) == type->shape.len) {
        strbuf_addf(out, "%s B %s%s", figure_grouped(bytes).text, run->inspector ? "in total" : "per ",
                    run->inspector ? "" : pool_unit(run, pool));
        return;
    }
    term_text(out, term, type->shape, 40);
    strbuf_addc(out, ' ');
    term_text(out, term, type->dtype, 20);
}

static void add_row(struct strbuf *out, const struct term *term, const struct leak_page *page, const struct leak_row *row) {
    const struct step *step = step_of(page, row);
    const struct tensor_type *type = &page->run->types.items[page->run->tensors.items[row->tensor].type];
    struct strbuf place = {0};
    live_rows_op(out, term, page->run, row->record);
    strbuf_addz(out, "  ");
    add_type(out, term, page->run, type, (enum pool)row->pool);
    strbuf_addz(out, "  ");
    add_size(out, leak_pass_bytes(row));
    strbuf_addf(out, " per %s on average in %u of %u passes: ", pool_unit(page->run, (enum pool)row->pool), row->passes,
                row->of);
    add_size(out, row->bytes);
    strbuf_addf(out, " of %s", pool_names[row->pool]);
    if (row->tensors > row->passes) strbuf_addf(out, " in %llu buffers", (unsigned long long)row->tensors);
    short_location_of(&place, page->run, step);
    if (place.len) strbuf_addz(out, "  ");
    term_text(out, term, strbuf_slice(&place), 60);
    if (step->op != NONE && page->run->ops.items[step->op].ir_line)
        strbuf_addf(out, "  TTNN:%u", page->run->ops.items[step->op].ir_line);
    strbuf_release(&place);
}

bool leaks_end_words(struct strbuf *out, const struct leaks *leaks) {
    if (leaks->growth > 0 && leaks->passes == 2 && leaks->rows.len) {
        strbuf_addz(out, "growth of ");
        add_size(out, (uint64_t)leaks->growth);
        strbuf_addz(out, " per bank, seen between two passes: one more pass would show whether it goes on");
        return true;
    }
    if (leaks->growth <= 0 || !leaks->end_known || !leaks->rows.len) return false;
    strbuf_addz(out, "unbounded growth of ");
    add_size(out, (uint64_t)leaks->growth);
    strbuf_addf(out, " per bank per pass reaches the bank's end after about %s more passes",
                figure_grouped(leaks->passes_left).text);
    return true;
}

bool leaks_line(struct strbuf *out, const struct term *term, const struct leak_page *page, size_t n) {
    size_t shown = listed(page);
    if (n < shown) {
        add_row(out, term, page, &page->leaks->rows.items[n]);
        return true;
    }
    n -= shown;
    if (shown < page->leaks->rows.len && n-- == 0) {
        strbuf_addf(out, "... and %zu more ops", page->leaks->rows.len - shown);
        return true;
    }
    if (shown && page->leaks->rows.items[0].suspect && n-- == 0) {
        strbuf_addz(out, "none of these fits the growth: which of them stays, if any, is not known");
        return true;
    }
    return n == 0 && leaks_end_words(out, page->leaks);
}

static void json_row(struct json *j, const struct leak_page *page, const struct leak_row *row) {
    const struct run *run = page->run;
    const struct tensor_type *type = &run->types.items[run->tensors.items[row->tensor].type];
    const struct step *step = step_of(page, row);
    uint32_t line = step->op == NONE ? 0 : run->ops.items[step->op].ir_line;
    json_object(j);
    json_member_op(j, "op", run, row->record);
    json_member_u64_if(j, "ir_line", line > 0, line);
    json_member_text(j, "pool", pool_keys[row->pool]);
    json_member_str(j, "shape", type->shape);
    json_member_text_or_null(j, "dtype", type->dtype);
    json_member_bool(j, "certain", !row->suspect);
    json_member_u64(j, "passes", row->passes);
    json_member_u64(j, "passes_seen", row->of);
    json_member_u64(j, "tensor_count", row->tensors);
    json_member_u64(j, "bytes_per_bank", row->bytes);
    json_member_u64(j, "bytes_per_bank_per_pass", leak_pass_bytes(row));
    json_object_end(j);
}

void leaks_json(struct json *j, const struct leak_page *page) {
    const struct leaks *leaks = page->leaks;
    size_t shown = listed(page);
    if (!leaks->left.known) {
        json_null(j);
        return;
    }
    json_object(j);
    json_member_i64(j, "growth_bytes_per_bank_per_pass", leaks->growth);
    json_member_u64(j, "passes", leaks->passes);
    json_member_u64_if(j, "passes_until_full", leaks->end_known && leaks->growth > 0, leaks->passes_left);
    json_key(j, "ops");
    json_array(j);
    for (size_t i = 0; i < shown; i++) json_row(j, page, &leaks->rows.items[i]);
    json_array_end(j);
    json_member_u64(j, "left_out", leaks->rows.len - shown);
    json_object_end(j);
}
