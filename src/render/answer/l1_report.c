/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/l1_report.h"

#include <string.h>

#include "base/amounts.h"
#include "render/answer/l1_grid.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"
#include "render/format/warning_words.h"

enum { BAR = 64, PARTS = 9 };

struct part {
    const char *name, *key;
    uint64_t from, to;
    const char *mark, *plain; /* in the bar */
};

static const struct l1_layout *layout_of(const struct l1_page *page, const struct l1_op *op) {
    return &page->map->layouts.items[op->rank];
}

/* Up to the highest address in use, even beyond the end. */
static uint64_t drawn_end(const struct l1_page *page, const struct l1_op *op) {
    uint64_t end = l1_op_end(page->run, page->map, op);
    if (op->program_end > end) end = op->program_end;
    return op->has_lowest && op->lowest > end ? op->lowest : end;
}

/* What is in a core, from the bottom; empty parts are left out. A message alone gives neither the start of the program nor
 * the end of the buffers at the top. */
static size_t parts_of(const struct l1_page *page, const struct l1_op *op, struct part *out) {
    struct l1_layout layout = *layout_of(page, op), *l = &layout;
    uint64_t end = l1_op_end(page->run, page->map, op), drawn = drawn_end(page, op);
    if (!end) end = drawn;
    if (!l->top || l->top > end) l->top = end;
    if (!op->program_known) {
        uint64_t program = op->program_end < end ? op->program_end : end;
        const struct part told[] = {{"firmware, ring, program", "program", 0, program, "█", "C"},
                                    {"free", "free", op->program_end, op->has_lowest ? op->lowest : end, "·", " "},
                                    {"L1 buffers", "l1_buffers", op->has_lowest ? op->lowest : end, end, "▓", "B"},
                                    {"beyond the end", "beyond", end, op->program_end, "!", "!"}};
        size_t known = 0;
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            if (told[i].to > told[i].from) out[known++] = told[i];
        return known;
    }
    uint64_t lowest = op->has_lowest && op->lowest < end ? op->lowest : l->top, at = l->base;
    bool told = op->dataflow + op->scratchpad == 0; /* part ends are known from addresses, else assumed to be aligned */
    uint64_t scratch_end = told ? at + op->circular : op->program_end;
    uint64_t gap_end = lowest > op->program_end ? lowest : op->program_end;
    const struct part all[] = {
        {"firmware, kernel ring", "firmware", 0, l->base, "░", "."},
        {"circular buffers", "circular_buffers", at, at + op->circular, "█", "C"},
        {"dataflow buffers", "dataflow_buffers", at + op->circular, at + op->circular + op->dataflow, "█", "D"},
        {"scratchpads", "scratchpads", at + op->circular + op->dataflow, scratch_end, "█", "S"},
        {"more, on other cores", "other_cores", scratch_end, op->program_end, "█", "O"},
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
    uint64_t end = drawn_end(page, page->shown);
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

/* "#3 ttnn.linear", or what is known about a refused program. */
static void text_op(struct strbuf *out, const struct term *term, const struct l1_page *page, const struct l1_op *op) {
    if (op->failure == NONE || op->record != NONE) live_rows_op(out, term, page->run, op->record);
    if (op->failure == NONE) return;
    struct slice name = l1_failure_op(page->run, op->failure);
    if (op->record == NONE && name.len) term_text(out, term, name, 48);
    strbuf_addf(out, "%srefused, line %s", op->record != NONE || name.len ? "  " : "",
                figure_grouped(page->run->failures.entries.items[op->failure].line).text);
}

/* Of buffers whose end is not known, what is drawn is only the part that the program overlaps. */
static void text_part(struct strbuf *out, const struct part *part, bool only_overlap) {
    struct figure bytes = figure_grouped(part->to - part->from);
    strbuf_addf(out, "  %10s  %-22s %12s B", figure_grouped(part->from).text, part->name, only_overlap ? "?" : bytes.text);
    if (only_overlap) strbuf_addf(out, ", overlapped by %s B", bytes.text);
    strbuf_addc(out, '\n');
}

static void text_map(struct strbuf *out, const struct term *term, const struct l1_page *page) {
    struct part parts[PARTS];
    const struct l1_op *op = page->shown;
    size_t count = parts_of(page, op, parts);
    text_op(out, term, page, op);
    uint64_t end = l1_op_end(page->run, page->map, op);
    if (end) strbuf_addf(out, "   one core, 0 to %s B", figure_grouped(end).text);
    else strbuf_addz(out, "   one core, its end is not known");
    if (op->margin < 0)
        strbuf_addf(out, "   %s: %s B too many", op->has_lowest ? "clash" : "beyond L1",
                    figure_grouped((uint64_t)-op->margin).text);
    strbuf_addz(out, "\n\n");
    text_bar(out, term, page, parts, count);
    strbuf_addc(out, '\n');
    for (size_t i = 0; i < count; i++) text_part(out, &parts[i], !end && strcmp(parts[i].key, "l1_buffers") == 0);
    if (op->buffers)
        strbuf_addf(out, "              %s L1 buffer%s, %s B per core; what lies between them is free but not in one piece\n",
                    figure_grouped(op->buffers).text, op->buffers == 1 ? "" : "s", figure_grouped(op->buffer_bytes).text);
    l1_areas areas = {0};
    l1_op_areas(page->run, op, &areas);
    l1_grid_text(out, term, &areas);
    vec_release(&areas);
}

void l1_report_text(struct strbuf *out, const struct term *term, const struct l1_page *page) {
    size_t count = page->limit && page->limit < page->map->ops.len ? page->limit : page->map->ops.len;
    term_tone(out, term, TONE_BOLD);
    strbuf_addz(out, "L1 of a core, the tightest ops first");
    term_tone(out, term, TONE_PLAIN);
    strbuf_addz(out, "\n\n        margin     program   its end  lowest buffer\n");
    for (size_t i = 0; i < count; i++) {
        const struct l1_op *op = &page->map->ops.items[i];
        struct figure margin = figure_grouped((uint64_t)(op->margin < 0 ? -op->margin : op->margin));
        strbuf_addf(out, "  %*s%s B %9s B %9s  %13s  ", (int)(11 - strlen(margin.text)), op->margin < 0 ? "-" : "", margin.text,
                    op->program_known ? figure_grouped(op->circular + op->dataflow + op->scratchpad).text : "?",
                    figure_grouped(op->program_end).text, op->has_lowest ? figure_grouped(op->lowest).text : "-");
        text_op(out, term, page, op);
        strbuf_addc(out, '\n');
    }
    if (count < page->map->ops.len)
        strbuf_addf(out, "  ... and %s more; --limit 0 lists all\n", figure_grouped(page->map->ops.len - count).text);
    strbuf_addc(out, '\n');
    text_map(out, term, page);
    if (run_l1_is_per_core(page->run) && page->shown->failure == NONE)
        strbuf_addz(
            out,
            "\n  L1 is allocated core by core here (HYBRID): the addresses are those of one core. Elsewhere a buffer may lie\n"
            "  lower: the margin is an upper bound.\n");
    if (page->run->device_assumed && page->shown->failure == NONE)
        strbuf_addz(out, "\n  The input does not name the device: base, top and the addresses that it lacks are assumed.\n");
    if (page->run->unread_pools >> POOL_L1 & 1 && page->shown->failure == NONE)
        strbuf_addz(out, "\n  Parts of the input could not be read: the margin is an upper bound.\n");
    if (page->run->unspread_pools >> POOL_L1 & 1 && page->shown->failure == NONE)
        strbuf_addz(
            out,
            "\n  The number of banks that L1 buffers lie on is not known: their bytes per core are lower bounds, and where\n"
            "  the input has no addresses the margin is an upper bound.\n");
    if (!page->run->l1.told && page->shown->failure == NONE)
        strbuf_addz(out, "\n  The input does not show circular buffers: the margin is an upper bound.\n");
}

static void json_of_op(struct json *j, const struct l1_page *page, const struct l1_op *op) {
    struct slice name = op->failure != NONE && op->record == NONE ? l1_failure_op(page->run, op->failure) : slice_of("", 0);
    json_key(j, "op");
    if (name.len) json_op_words(j, &(struct json_op_words){.index = NONE, .name = name});
    else json_op(j, page->run, op->record);
    bool failed = op->failure != NONE;
    json_member_u64_if(j, "failure_line", failed, failed ? page->run->failures.entries.items[op->failure].line : 0);
}

static void json_one(struct json *j, const struct l1_page *page, const struct l1_op *op) {
    json_object(j);
    json_of_op(j, page, op);
    json_member_i64(j, "margin_bytes", op->margin);
    json_member_u64_if(j, "circular_buffer_bytes", op->program_known, op->circular);
    json_member_u64_if(j, "dataflow_buffer_bytes", op->program_known, op->dataflow);
    json_member_u64_if(j, "scratchpad_bytes", op->program_known, op->scratchpad);
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
    json_member_bool(&j, "device_assumed", page->run->device_assumed);
    json_member_bool(&j, "l1_per_core", run_l1_is_per_core(page->run));
    json_member_bool(&j, "at_least", (page->run->unread_pools | page->run->unspread_pools) >> POOL_L1 & 1);
    json_key(&j, "ops");
    json_array(&j);
    for (size_t i = 0; i < count; i++) json_one(&j, page, &page->map->ops.items[i]);
    json_array_end(&j);
    json_member_u64(&j, "left_out", page->map->ops.len - count);
    json_key(&j, "map");
    json_object(&j);
    json_of_op(&j, page, page->shown);
    uint64_t end = l1_op_end(page->run, page->map, page->shown);
    json_member_u64_if(&j, "l1_bytes", end > 0, end);
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
    l1_areas areas = {0};
    l1_op_areas(page->run, page->shown, &areas);
    l1_grid_json(&j, &areas, page->shown->program_known);
    vec_release(&areas);
    json_object_end(&j);
    json_object_end(&j);
    strbuf_addc(out, '\n');
}
