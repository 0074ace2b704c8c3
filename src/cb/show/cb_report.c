/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_report.h"

#include "device/chip.h"
#include "cb/show/cb_log_text.h"
#include "cb/show/cb_pictures.h"
#include "cb/show/cb_scan_json.h"
#include "cb/show/cb_study_text.h"
#include "cb/show/cb_report_parts.h"
#include "cb/show/cb_text.h"

static void study_table(struct doc *doc, const struct cb_study *s) {
    struct strbuf room = {0};
    strbuf_addz(&room, "figure");
    for (unsigned i = 0; i < s->n_cases; i++) {
        strbuf_addz(&room, "|>");
        for (size_t k = 0; k < s->cases[i].sizes.name.len; k++)
            strbuf_addc(&room, s->cases[i].sizes.name.ptr[k] == '|' ? ' ' : s->cases[i].sizes.name.ptr[k]);
    }
    doc_table(doc, strbuf_text(&room));
    static const char *const names[] = {"circular buffers, B",
                                        "miss rate of operand B",
                                        "coverage of operands A and B",
                                        "memory efficiency",
                                        "L1 used of the room",
                                        "pressure score",
                                        "thrashing risk",
                                        "verdict",
                                        "tiles fetched again",
                                        "time, units",
                                        "pressure by score",
                                        "pressure by coverage"};
    for (unsigned r = 0; r < sizeof names / sizeof *names; r++) {
        doc_row(doc);
        doc_cell(doc, slice_from(names[r]));
        for (unsigned i = 0; i < s->n_cases; i++) {
            const struct cb_pressure *p = &s->cases[i].pressure;
            const int64_t percents[] = {0, p->miss_milli, p->coverage_milli, p->efficiency_milli, p->used_milli};
            if (r == 0) doc_cell(doc, cb_grouped(&room, p->cb_bytes));
            else if (r < 5) doc_cell(doc, cb_milli1(&room, percents[r], " %"));
            else if (r == 5) doc_cell(doc, cb_milli1(&room, p->score_milli, ""));
            else if (r == 6) doc_cell(doc, slice_from(cb_level_names[p->thrashing]));
            else if (r == 7) doc_cell(doc, slice_from(cb_verdict(p)));
            else if (r >= 10) doc_cell(doc, slice_from(cb_level_names[r == 10 ? p->pressure : p->coverage]));
            else doc_cell(doc, cb_grouped(&room, r == 8 ? p->fetched_again : p->total_time));
        }
    }
    doc_table_end(doc);
    strbuf_release(&room);
}

static void buffer_table(struct doc *doc, const struct cb_study *s) {
    struct strbuf room = {0};
    doc_table(doc, "strategy|>CB|role|>tiles|>B|>high water|>producer stall|>consumer wait|double-buffering");
    for (unsigned c = 0; c < s->n_cases; c++)
        for (unsigned i = 0; i < s->cases[c].sizes.n_buffers; i++) {
            const struct cb_sim_buffer *b = &s->cases[c].sizes.buffers[i];
            const struct cb_sim_use *use = &s->cases[c].pressure.uses[i];
            doc_row(doc);
            doc_cell(doc, s->cases[c].sizes.name);
            doc_cellf(doc, "%d", (int)b->index);
            doc_cell(doc, slice_from(cb_role_names[cb_sim_role(b)]));
            doc_cell(doc, cb_grouped(&room, b->tiles));
            doc_cell(doc, cb_grouped(&room, cb_sim_bytes(b)));
            doc_cell(doc, cb_grouped(&room, use->high_water));
            doc_cell(doc, cb_grouped(&room, use->producer_stall));
            doc_cell(doc, cb_grouped(&room, use->consumer_wait));
            doc_cell(doc, use->single ? SLICE("lost") : SLICE("kept"));
        }
    doc_table_end(doc);
    strbuf_release(&room);
}

/* What takes a core's L1, from the bottom up. */
static void footprint_table(struct doc *doc, const struct cb_study *s) {
    struct strbuf room = {0};
    uint64_t firmware = s->chip->l1_firmware_end, base = s->chip->l1_unreserved_base;
    doc_table(doc, "strategy|>firmware, B|>kernel ring, B|>kernels in it, B|>circular buffers, B|>L1 buffers, B|>free, B");
    for (unsigned c = 0; c < s->n_cases; c++) {
        const struct cb_pressure *p = &s->cases[c].pressure;
        doc_row(doc);
        doc_cell(doc, s->cases[c].sizes.name);
        doc_cell(doc, cb_grouped(&room, firmware ? firmware : base));
        if (firmware) doc_cell(doc, cb_grouped(&room, base - firmware));
        else doc_cell(doc, SLICE("in it"));
        doc_cell(doc, cb_grouped(&room, s->workload.kernel_bytes));
        doc_cell(doc, cb_grouped(&room, p->cb_bytes));
        doc_cell(doc, cb_grouped(&room, s->workload.l1_buffer_bytes));
        if (p->fits) doc_cell(doc, cb_grouped(&room, p->available_bytes - p->used_bytes));
        else doc_cell(doc, SLICE("does not fit"));
    }
    doc_table_end(doc);
    strbuf_release(&room);
}

static void advice(struct doc *doc, const struct cb_study *s) {
    struct strbuf text = {0};
    cb_trade_write(&text, s);
    if (text.len) doc_add(doc, DOC_TEXT, strbuf_slice(&text));
    strbuf_clear(&text);
    strbuf_addz(&text, "Smallest sizes that reach LOW: ");
    cb_low_write(&text, s);
    doc_add(doc, DOC_TEXT, strbuf_slice(&text));
    strbuf_clear(&text);
    strbuf_addz(&text, "Best within the room: ");
    cb_best_write(&text, s);
    doc_add(doc, DOC_TEXT, strbuf_slice(&text));
    strbuf_release(&text);
}

static void one_workload(struct doc *doc, const struct cb_study *s) {
    doc_addf(doc, DOC_TITLE, "Circular buffers: %llu + %llu tiles on %s", (unsigned long long)s->workload.a_tiles,
             (unsigned long long)s->workload.b_tiles, s->chip->title);
    doc_addf(doc, DOC_TEXT, "A %s workload: tiles of %llu B, %llu passes.", s->class->name,
             (unsigned long long)s->workload.tile_bytes, (unsigned long long)s->workload.passes);
    doc_add(doc, DOC_HEADING, SLICE("Memory pressure"));
    study_table(doc, s);
    cb_map_picture(doc_picture(doc, "L1 of one core, to scale"), s);
    footprint_table(doc, s);
    doc_add(doc, DOC_HEADING, SLICE("Buffers"));
    buffer_table(doc, s);
    doc_add(doc, DOC_HEADING, SLICE("What would do"));
    advice(doc, s);
}

static void sweep(struct doc *doc, const struct cb_study *studies, size_t n) {
    struct strbuf room = {0};
    doc_addf(doc, DOC_TITLE, "Circular buffers by workload size on %s", studies[0].chip->title);
    doc_add(doc, DOC_HEADING, SLICE("Where the verdict becomes HIGH"));
    for (unsigned c = 0; c < studies[0].n_cases; c++) {
        uint64_t from = cb_first_high(studies, n, c);
        struct slice name = studies[0].cases[c].sizes.name;
        if (from)
            doc_addf(doc, DOC_TEXT, "%.*s: HIGH from %llu tiles on", SLICE_FMT(slice_take(name, 100)),
                     (unsigned long long)from);
        else doc_addf(doc, DOC_TEXT, "%.*s: never HIGH at these sizes", SLICE_FMT(slice_take(name, 100)));
    }
    cb_pressure_picture(doc_picture(doc, "pressure score by workload size"), studies, n);
    doc_table(doc, ">tiles|class|strategy|>B|>miss of B|>coverage|>score|verdict|>fetched again|>score against the first");
    for (size_t i = 0; i < n; i++)
        for (unsigned c = 0; c < studies[i].n_cases; c++) {
            const struct cb_pressure *p = &studies[i].cases[c].pressure;
            doc_row(doc);
            doc_cell(doc, cb_grouped(&room, studies[i].workload.a_tiles));
            doc_cell(doc, slice_from(studies[i].class->name));
            doc_cell(doc, studies[i].cases[c].sizes.name);
            doc_cell(doc, cb_grouped(&room, p->cb_bytes));
            doc_cell(doc, cb_milli1(&room, p->miss_milli, " %"));
            doc_cell(doc, cb_milli1(&room, p->coverage_milli, " %"));
            doc_cell(doc, cb_milli1(&room, p->score_milli, ""));
            doc_cell(doc, slice_from(cb_verdict(p)));
            doc_cell(doc, cb_grouped(&room, p->fetched_again));
            doc_cell(doc, c ? cb_milli1(&room, p->score_milli - studies[i].cases[0].pressure.score_milli, "") : SLICE(""));
        }
    doc_table_end(doc);
    cb_map_picture(doc_picture(doc, "L1 of one core at the largest size, to scale"), &studies[n - 1]);
    strbuf_release(&room);
}

void cb_report_doc(struct doc *doc, const struct cb_report_parts *parts) {
    if (parts->n_studies == 1) one_workload(doc, &parts->studies[0]);
    else sweep(doc, parts->studies, parts->n_studies);
    if (parts->has_source) cb_report_sources(doc, parts);
    if (parts->log) cb_report_log(doc, parts);
}

void cb_report_json(struct json *j, const struct cb_report_parts *parts) {
    json_document(j);
    json_key(j, "workloads");
    json_array(j);
    for (size_t i = 0; i < parts->n_studies; i++) {
        json_object(j);
        cb_study_json(j, &parts->studies[i]);
        json_object_end(j);
    }
    json_array_end(j);
    json_key(j, "critical_from_tiles");
    if (parts->n_studies > 1) {
        json_object(j);
        for (unsigned c = 0; c < parts->studies[0].n_cases; c++) {
            uint64_t from = cb_first_high(parts->studies, parts->n_studies, c);
            json_key_slice(j, parts->studies[0].cases[c].sizes.name);
            if (from) json_u64(j, from);
            else json_null(j);
        }
        json_object_end(j);
    } else {
        json_null(j);
    }
    json_key(j, "files");
    json_array(j);
    for (size_t i = 0; parts->has_source && i < parts->files.len; i++)
        cb_file_json(j, &parts->files.items[i], parts->studies[0].chip);
    json_array_end(j);
    json_key(j, "log");
    if (parts->log) {
        json_object(j);
        cb_log_json(j, parts->log, parts->runtime);
        json_object_end(j);
    } else {
        json_null(j);
    }
    json_object_end(j);
}
