#include "render/cb_report.h"

#include "device/chip.h"
#include "render/cb_log_text.h"
#include "render/cb_pictures.h"
#include "render/cb_scan_json.h"
#include "render/cb_scan_text.h"
#include "render/cb_study_text.h"
#include "render/cb_text.h"

static struct slice milli1(struct strbuf *room, int64_t milli, const char *unit) {
    strbuf_clear(room);
    text_milli1(room, milli);
    strbuf_addz(room, unit);
    return strbuf_slice(room);
}

static struct slice grouped(struct strbuf *room, uint64_t n) {
    strbuf_clear(room);
    text_grouped(room, n);
    return strbuf_slice(room);
}

static void study_table(struct doc *doc, const struct cb_study *s) {
    struct strbuf room = {0};
    strbuf_addz(&room, "figure");
    for (unsigned i = 0; i < s->n_cases; i++) {
        strbuf_addz(&room, "|>");
        for (size_t k = 0; k < s->cases[i].sizes.name.len; k++)
            strbuf_addc(&room, s->cases[i].sizes.name.ptr[k] == '|' ? ' ' : s->cases[i].sizes.name.ptr[k]);
    }
    doc_table(doc, strbuf_text(&room));
    static const char *const names[] = {
        "circular buffers, B",  "CB1 miss rate",  "coverage of CB0 and CB1", "memory efficiency",
        "L1 used of available", "pressure score", "thrashing risk",          "verdict",
        "tiles fetched again",  "time, units"};
    for (unsigned r = 0; r < sizeof names / sizeof *names; r++) {
        doc_row(doc);
        doc_cell(doc, slice_from(names[r]));
        for (unsigned i = 0; i < s->n_cases; i++) {
            const struct cb_pressure *p = &s->cases[i].pressure;
            const int64_t percents[] = {0, p->miss_milli, p->coverage_milli, p->efficiency_milli, p->used_milli};
            if (r == 0) doc_cell(doc, grouped(&room, p->cb_bytes));
            else if (r < 5) doc_cell(doc, milli1(&room, percents[r], " %"));
            else if (r == 5) doc_cell(doc, milli1(&room, p->score_milli, ""));
            else if (r == 6) doc_cell(doc, slice_from(cb_level_names[p->thrashing]));
            else if (r == 7) doc_cell(doc, slice_from(cb_verdict(p)));
            else doc_cell(doc, grouped(&room, r == 8 ? p->fetched_again : p->total_time));
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
            doc_cell(doc, slice_from(cb_role_names[cb_role_of(b->index)]));
            doc_cell(doc, grouped(&room, b->tiles));
            doc_cell(doc, grouped(&room, cb_sim_bytes(b)));
            doc_cell(doc, grouped(&room, use->high_water));
            doc_cell(doc, grouped(&room, use->producer_stall));
            doc_cell(doc, grouped(&room, use->consumer_wait));
            doc_cell(doc, use->single ? SLICE("lost") : SLICE("kept"));
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
    strbuf_addz(&text, "Best within the free L1: ");
    cb_best_write(&text, s);
    doc_add(doc, DOC_TEXT, strbuf_slice(&text));
    strbuf_release(&text);
}

static void one_workload(struct doc *doc, const struct cb_study *s) {
    doc_addf(doc, DOC_TITLE, "Circular buffers: %llu + %llu tiles on %s", (unsigned long long)s->workload.a_tiles,
             (unsigned long long)s->workload.b_tiles, s->chip->title);
    doc_addf(doc, DOC_TEXT, "A %s workload: %s, %s. Tiles of %llu B, %llu passes.", s->class->name, s->class->strategy,
             s->class->behaviour, (unsigned long long)s->workload.tile_bytes, (unsigned long long)s->workload.passes);
    doc_add(doc, DOC_HEADING, SLICE("Memory pressure"));
    study_table(doc, s);
    cb_map_picture(doc_picture(doc, "L1 of one core, to scale"), s);
    doc_add(doc, DOC_HEADING, SLICE("Buffers"));
    buffer_table(doc, s);
    doc_add(doc, DOC_HEADING, SLICE("What would do"));
    advice(doc, s);
}

static void sweep(struct doc *doc, const struct cb_study *studies, size_t n) {
    struct strbuf room = {0};
    doc_addf(doc, DOC_TITLE, "Circular buffers by workload size on %s", studies[0].chip->title);
    doc_add(doc, DOC_HEADING, SLICE("Where pressure becomes critical"));
    for (unsigned c = 0; c < studies[0].n_cases; c++) {
        uint64_t from = cb_first_high(studies, n, c);
        struct slice name = studies[0].cases[c].sizes.name;
        if (from)
            doc_addf(doc, DOC_TEXT, "%.*s: HIGH from %llu tiles on", SLICE_FMT(slice_take(name, 100)),
                     (unsigned long long)from);
        else doc_addf(doc, DOC_TEXT, "%.*s: never HIGH at these sizes", SLICE_FMT(slice_take(name, 100)));
    }
    cb_pressure_picture(doc_picture(doc, "pressure score by workload size"), studies, n);
    doc_table(doc, ">tiles|class|strategy|>B|>CB1 miss|>coverage|>score|verdict|>fetched again|>score against the first");
    for (size_t i = 0; i < n; i++)
        for (unsigned c = 0; c < studies[i].n_cases; c++) {
            const struct cb_pressure *p = &studies[i].cases[c].pressure;
            doc_row(doc);
            doc_cell(doc, grouped(&room, studies[i].workload.a_tiles));
            doc_cell(doc, slice_from(studies[i].class->name));
            doc_cell(doc, studies[i].cases[c].sizes.name);
            doc_cell(doc, grouped(&room, p->cb_bytes));
            doc_cell(doc, milli1(&room, p->miss_milli, " %"));
            doc_cell(doc, milli1(&room, p->coverage_milli, " %"));
            doc_cell(doc, milli1(&room, p->score_milli, ""));
            doc_cell(doc, slice_from(cb_verdict(p)));
            doc_cell(doc, grouped(&room, p->fetched_again));
            doc_cell(doc, c ? milli1(&room, p->score_milli - studies[i].cases[0].pressure.score_milli, "") : SLICE(""));
        }
    doc_table_end(doc);
    cb_map_picture(doc_picture(doc, "L1 of one core at the largest size, to scale"), &studies[n - 1]);
    strbuf_release(&room);
}

static void sources(struct doc *doc, const struct cb_report_parts *parts) {
    struct strbuf room = {0};
    doc_add(doc, DOC_HEADING, SLICE("Circular buffers of the sources"));
    doc_addf(doc, DOC_TEXT, "%zu files read.", parts->files_read);
    if (parts->files.len) doc_table(doc, "source|>line|CB|>B|strategy|size|adapts to");
    for (size_t f = 0; f < parts->files.len; f++) {
        const struct cb_file *file = &parts->files.items[f];
        for (size_t i = 0; i < file->source.decls.len; i++) {
            static const char *const strategies[] = {
                [CB_FIXED] = "fixed", [CB_ADAPTIVE] = "adaptive", [CB_TENSOR_BACKED] = "tensor-backed"};
            const struct cb_decl *d = &file->source.decls.items[i];
            doc_row(doc);
            doc_cell(doc, i ? SLICE("") : file->path);
            doc_cellf(doc, "%u", d->line);
            strbuf_clear(&room);
            cb_indices_write(&room, d);
            doc_cell(doc, strbuf_slice(&room));
            if (cb_decl_cost(d) >= 0) doc_cell(doc, grouped(&room, (uint64_t)cb_decl_cost(d)));
            else doc_cell(doc, SLICE("?"));
            doc_cell(doc, slice_from(strategies[d->strategy]));
            doc_cell(doc, slice_take(d->total_expr, 100));
            strbuf_clear(&room);
            for (uint32_t k = 0; k < d->n_adapts_to && k < 6; k++) {
                if (k) strbuf_addz(&room, ", ");
                strbuf_add(&room, slice_take(d->adapts_to[k], 60));
            }
            doc_cell(doc, strbuf_slice(&room));
        }
    }
    if (parts->files.len) doc_table_end(doc);
    for (size_t f = 0; f < parts->files.len; f++) {
        const struct cb_file *file = &parts->files.items[f];
        for (size_t i = 0; i < file->findings.len; i++) {
            strbuf_clear(&room);
            strbuf_add(&room, file->path);
            strbuf_addf(&room, ":%u: ", file->findings.items[i].line);
            cb_finding_write(&room, file, &file->findings.items[i]);
            doc_add(doc, DOC_TEXT, strbuf_slice(&room));
        }
        if (file->source.partial)
            doc_addf(doc, DOC_TEXT, "%.*s is partly understood: %.*s", SLICE_FMT(slice_take(file->path, 500)),
                     SLICE_FMT(file->source.partial_reason));
    }
    strbuf_release(&room);
}

static void log_part(struct doc *doc, const struct cb_report_parts *parts) {
    struct strbuf room = {0};
    const struct cb_log *log = parts->log;
    doc_add(doc, DOC_HEADING, SLICE("The log"));
    strbuf_add(&room, slice_take(parts->log_name, 500));
    strbuf_addf(&room, ": %llu lines, %zu clashes", (unsigned long long)log->lines, log->clashes.len);
    doc_add(doc, DOC_TEXT, strbuf_slice(&room));
    for (size_t i = 0; i < log->clashes.len && i < 50; i++) {
        strbuf_clear(&room);
        cb_clash_write(&room, &log->clashes.items[i]);
        strbuf_addz(&room, " on ");
        strbuf_add(&room, log->clashes.items[i].cores);
        doc_add(doc, DOC_TEXT, strbuf_slice(&room));
    }
    if (parts->runtime->buffers.len) {
        cb_level_picture(doc_picture(doc, "tiles in each circular buffer over time, busiest core"), parts->runtime);
        doc_table(doc, ">CB|>reserve|>push|>wait|>pop|>peak tiles|>reserve wait|>front wait|>longest");
        for (size_t i = 0; i < parts->runtime->buffers.len; i++) {
            const struct cb_runtime_buffer *b = &parts->runtime->buffers.items[i];
            doc_row(doc);
            doc_cellf(doc, "%u", b->cb);
            for (unsigned op = 0; op < CB_EVENT_OPS; op++) doc_cell(doc, grouped(&room, b->counts[op]));
            doc_cell(doc, grouped(&room, b->peak_tiles));
            doc_cell(doc, grouped(&room, b->reserve_wait));
            doc_cell(doc, grouped(&room, b->front_wait));
            doc_cell(doc, grouped(&room, b->longest_wait));
        }
        doc_table_end(doc);
    }
    strbuf_release(&room);
}

void cb_report_doc(struct doc *doc, const struct cb_report_parts *parts) {
    if (parts->n_studies == 1) one_workload(doc, &parts->studies[0]);
    else sweep(doc, parts->studies, parts->n_studies);
    if (parts->has_source) sources(doc, parts);
    if (parts->log) log_part(doc, parts);
}

void cb_report_json(struct json *j, const struct cb_report_parts *parts) {
    json_object(j);
    json_key(j, "workloads");
    json_array(j);
    for (size_t i = 0; i < parts->n_studies; i++) {
        json_object(j);
        cb_study_json(j, &parts->studies[i]);
        json_object_end(j);
    }
    json_array_end(j);
    if (parts->n_studies > 1) {
        json_key(j, "critical_from_tiles");
        json_object(j);
        for (unsigned c = 0; c < parts->studies[0].n_cases; c++) {
            uint64_t from = cb_first_high(parts->studies, parts->n_studies, c);
            json_key_slice(j, parts->studies[0].cases[c].sizes.name);
            if (from) json_u64(j, from);
            else json_null(j);
        }
        json_object_end(j);
    }
    if (parts->has_source) {
        json_key(j, "files");
        json_array(j);
        for (size_t i = 0; i < parts->files.len; i++) cb_file_json(j, &parts->files.items[i], parts->studies[0].chip);
        json_array_end(j);
    }
    if (parts->log) {
        json_key(j, "log");
        json_object(j);
        cb_log_json(j, parts->log, parts->runtime);
        json_object_end(j);
    }
    json_object_end(j);
}
