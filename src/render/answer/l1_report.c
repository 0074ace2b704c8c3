/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/l1_report.h"

#include "base/amounts.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"
#include "render/format/warning_words.h"

enum { BAR = 64, PARTS = 8 };

struct part {
    const char *name, *key;
    uint64_t from, to;
    const char *mark, *plain; /* in the bar */
};

static const struct l1_layout *layout_of(const struct l1_page *page, const struct l1_op *op) {
    return &page->map->layouts.items[op->rank];
}

/* What lies in a core, from the bottom; parts that are empty are left out. */
static size_t parts_of(const struct l1_page *page, const struct l1_op *op, struct part *out) {
    const struct l1_layout *l = layout_of(page, op);
    uint64_t lowest = op->has_lowest ? op->lowest : l->top, at = l->base;
    uint64_t gap_end = lowest > op->program_end ? lowest : op->program_end;
    const struct part all[] = {
        {"firmware, kernel ring", "firmware", 0, l->base, "░", "."},
        {"circular buffers", "circular_buffers", at, at + op->circular, "█", "C"},
        {"dataflow buffers", "dataflow_buffers", at + op->circular, at + op->circular + op->dataflow, "█", "D"},
        {"scratchpads", "scratchpads", at + op->circular + op->dataflow, op->program_end, "█", "S"},
        {"free", "free", op->program_end, gap_end, "·", " "},
        {"L1 buffers", "l1_buffers", lowest, l->top, "▓", "B"},
        {"L1_SMALL", "l1_small", l->top, l->top + l->small_bytes, "▒", "s"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool scratch = i == 3 && !op->scratchpad;
        if (all[i].to > all[i].from && !scratch) out[count++] = all[i];
    }
    return count;
}

static void text_bar(struct strbuf *out, const struct term *term, const struct l1_page *page, const struct part *parts,
                     size_t count) {
    uint64_t end = layout_of(page, page->shown)->end;
    strbuf_addz(out, "  ");
    for (unsigned i = 0; i < BAR && end; i++) {
        uint64_t from = end * i / BAR, to = end * (i + 1) / BAR, most = 0;
        const struct part *best = NULL;
        for (size_t k = 0; k < count; k++) {
            uint64_t low = parts[k].from > from ? parts[k].from : from, high = parts[k].to < to ? parts[k].to : to;
            if (high <= low || high - low < most) continue;
            most = high - low;
            best = &parts[k];
        }
        strbuf_addz(out, !best ? " " : term->utf8 ? best->mark : best->plain);
    }
    strbuf_addc(out, '\n');
}

static void text_map(struct strbuf *out, const struct term *term, const struct l1_page *page) {
    struct part parts[PARTS];
    const struct l1_op *op = page->shown;
    size_t count = parts_of(page, op, parts);
    live_rows_op(out, term, page->run, op->record);
    strbuf_addf(out, "   one core, 0 to %s B", figure_grouped(layout_of(page, op)->end).text);
    if (op->margin < 0) strbuf_addf(out, "   clash: %s B too many", figure_grouped((uint64_t)-op->margin).text);
    strbuf_addz(out, "\n\n");
    text_bar(out, term, page, parts, count);
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out, "  %10s  %-22s %12s B\n", figure_grouped(parts[i].from).text, parts[i].name,
                    figure_grouped(parts[i].to - parts[i].from).text);
    if (op->buffers)
        strbuf_addf(out, "              %s L1 buffer%s, %s B per core; what lies between them is free but not in one piece\n",
                    figure_grouped(op->buffers).text, op->buffers == 1 ? "" : "s", figure_grouped(op->buffer_bytes).text);
}

void l1_report_text(struct strbuf *out, const struct term *term, const struct l1_page *page) {
    size_t count = page->limit && page->limit < page->map->ops.len ? page->limit : page->map->ops.len;
    term_tone(out, term, TONE_BOLD);
    strbuf_addz(out, "L1 of a core, the tightest ops first");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n        margin     program   its end  lowest buffer\n");
    for (size_t i = 0; i < count; i++) {
        const struct l1_op *op = &page->map->ops.items[i];
        strbuf_addf(out, "  %s%10s B %9s B %9s  %13s  ", op->margin < 0 ? "-" : " ",
                    figure_grouped((uint64_t)(op->margin < 0 ? -op->margin : op->margin)).text,
                    figure_grouped(op->circular + op->dataflow + op->scratchpad).text, figure_grouped(op->program_end).text,
                    op->has_lowest ? figure_grouped(op->lowest).text : "-");
        live_rows_op(out, term, page->run, op->record);
        strbuf_addc(out, '\n');
    }
    if (count < page->map->ops.len)
        strbuf_addf(out, "  ... and %s more; --limit 0 lists all\n", figure_grouped(page->map->ops.len - count).text);
    strbuf_addc(out, '\n');
    text_map(out, term, page);
    if (!page->run->l1.told) strbuf_addz(out, "\n  The input does not show circular buffers: the margin is an upper bound.\n");
}

static void json_one(struct json *j, const struct l1_page *page, const struct l1_op *op) {
    json_object(j);
    json_member_op(j, "op", page->run, op->record);
    json_member_i64(j, "margin_bytes", op->margin);
    json_member_u64(j, "circular_buffer_bytes", op->circular);
    json_member_u64(j, "dataflow_buffer_bytes", op->dataflow);
    json_member_u64(j, "scratchpad_bytes", op->scratchpad);
    json_member_u64(j, "program_end_address", op->program_end);
    json_member_u64_if(j, "lowest_l1_address", op->has_lowest, op->lowest);
    json_member_u64(j, "buffer_bytes", op->buffer_bytes);
    json_member_u64(j, "buffer_count", op->buffers);
    json_object_end(j);
}

void l1_report_json(struct strbuf *out, const struct l1_page *page) {
    struct json j = {.out = out, .pretty = true};
    struct part parts[PARTS];
    size_t count = page->limit && page->limit < page->map->ops.len ? page->limit : page->map->ops.len;
    json_document(&j);
    json_member_bool(&j, "circular_buffers_known", page->run->l1.told);
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(page->run));
    json_key(&j, "ops");
    json_array(&j);
    for (size_t i = 0; i < count; i++) json_one(&j, page, &page->map->ops.items[i]);
    json_array_end(&j);
    json_member_u64(&j, "left_out", page->map->ops.len - count);
    json_key(&j, "map");
    json_object(&j);
    json_member_op(&j, "op", page->run, page->shown->record);
    json_member_u64(&j, "l1_bytes", layout_of(page, page->shown)->end);
    json_member_i64(&j, "margin_bytes", page->shown->margin);
    json_key(&j, "parts");
    json_array(&j);
    size_t all = parts_of(page, page->shown, parts);
    for (size_t i = 0; i < all; i++) {
        json_object(&j);
        json_member_text(&j, "part", parts[i].key);
        json_member_u64(&j, "address", parts[i].from);
        json_member_u64(&j, "size_bytes", parts[i].to - parts[i].from);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
