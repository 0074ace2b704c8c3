/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_report_parts.h"

#include "base/amounts.h"
#include "base/num.h"
#include "device/chip.h"
#include "cb/show/cb_log_text.h"
#include "cb/show/cb_pictures.h"
#include "cb/show/cb_scan_text.h"
#include "cb/show/cb_text.h"

struct slice cb_milli1(struct strbuf *room, int64_t milli, const char *unit) {
    strbuf_clear(room);
    add_milli(room, milli, 1);
    strbuf_addz(room, unit);
    return strbuf_slice(room);
}

struct slice cb_grouped(struct strbuf *room, uint64_t n) {
    strbuf_clear(room);
    add_grouped(room, n);
    return strbuf_slice(room);
}

/* --- sources --- */

static struct slice at_least(struct strbuf *room, const struct cb_total *t) {
    strbuf_clear(room);
    if (!t->bounded && !t->min_bytes) strbuf_addz(room, "not known");
    else text_bounds(room, t->min_bytes, t->max_bytes, t->bounded);
    return strbuf_slice(room);
}

static void decl_row(struct doc *doc, struct strbuf *room, struct slice path, const struct cb_decl *d) {
    static const struct term plain = {.utf8 = true};
    doc_row(doc);
    doc_cell(doc, path);
    doc_cellf(doc, "%u", d->line);
    strbuf_clear(room);
    cb_indices_write(room, d);
    doc_cell(doc, strbuf_slice(room));
    strbuf_clear(room);
    text_bounds(room, (uint64_t)d->min_bytes, (uint64_t)d->max_bytes, d->max_bytes >= 0);
    doc_cell(doc, strbuf_slice(room));
    if (d->indices[0].page_bytes > 0) doc_cell(doc, cb_grouped(room, (uint64_t)d->indices[0].page_bytes));
    else doc_cell(doc, SLICE(""));
    doc_cell(doc, slice_take(d->indices[0].format, 60));
    doc_cell(doc, slice_from(cb_strategy_name(d->strategy)));
    doc_cell(doc, slice_take(d->total_expr, 100));
    strbuf_clear(room);
    for (uint32_t k = 0; k < d->n_adapts_to && k < 6; k++) {
        if (k) strbuf_addz(room, ", ");
        strbuf_add(room, slice_take(d->adapts_to[k], 60));
    }
    doc_cell(doc, strbuf_slice(room));
    doc_cell(doc, slice_take(d->core_expr, 60));
    strbuf_clear(room);
    cb_conditions_write(room, &plain, d);
    doc_cell(doc, slice_trim(strbuf_slice(room)));
}

static void program_rows(struct doc *doc, struct strbuf *room, const struct cb_report_parts *parts) {
    doc_table(doc, "source|program|>buffers|>B per core|>of the room");
    uint64_t space = chip_l1_bank_bytes(parts->studies[0].chip);
    for (size_t f = 0; f < parts->files.len; f++)
        for (size_t p = 0; p < parts->files.items[f].totals.len; p++) {
            const struct cb_file *file = &parts->files.items[f];
            const struct cb_total *t = &file->totals.items[p];
            if (!t->buffers) continue;
            doc_row(doc);
            doc_cell(doc, file->path);
            doc_cell(doc, file->source.programs.items[p].function);
            doc_cell(doc, cb_grouped(room, t->buffers));
            doc_cell(doc, at_least(room, t));
            doc_cell(
                doc,
                cb_milli1(room, num_percent_milli((int64_t)(t->bounded ? t->max_bytes : t->min_bytes), (int64_t)space), " %"));
        }
    doc_table_end(doc);
}

static void kernel_rows(struct doc *doc, struct strbuf *room, const struct cb_report_parts *parts) {
    size_t found = 0;
    for (size_t f = 0; f < parts->files.len; f++)
        for (size_t k = 0; k < parts->files.items[f].kernels.len; k++)
            found += parts->files.items[f].kernels.items[k].file.len > 0;
    if (!found) return;
    doc_table(doc, "kernel|>B|>lines|>functions|>loops|>complexity|fills|empties");
    for (size_t f = 0; f < parts->files.len; f++)
        for (size_t k = 0; k < parts->files.items[f].kernels.len; k++) {
            const struct cb_kernel *kernel = &parts->files.items[f].kernels.items[k];
            const struct kernel_facts *facts = &kernel->facts;
            if (!kernel->file.len) continue;
            doc_row(doc);
            doc_cell(doc, kernel->path);
            doc_cell(doc, cb_grouped(room, facts->bytes));
            doc_cellf(doc, "%u", facts->lines);
            doc_cellf(doc, "%u", facts->functions);
            doc_cellf(doc, "%u", facts->loops);
            doc_cellf(doc, "%u", facts->complexity);
            for (unsigned side = 0; side < 2; side++) {
                strbuf_clear(room);
                for (size_t u = 0; u < facts->uses.len; u++) {
                    const struct kernel_cb_use *use = &facts->uses.items[u];
                    bool fills = use->ops[KERNEL_PUSH] || use->ops[KERNEL_RESERVE];
                    bool empties = use->ops[KERNEL_WAIT] || use->ops[KERNEL_POP];
                    if (!(side ? empties : fills)) continue;
                    if (room->len) strbuf_addz(room, ", ");
                    if (use->name.text[0]) strbuf_addz(room, use->name.text);
                    else if (use->index < 0) strbuf_addc(room, '?');
                    else strbuf_addf(room, "CB %d", (int)use->index);
                }
                doc_cell(doc, strbuf_slice(room));
            }
        }
    doc_table_end(doc);
}

void cb_report_sources(struct doc *doc, const struct cb_report_parts *parts) {
    struct strbuf room = {0};
    doc_add(doc, DOC_HEADING, SLICE("Circular buffers of the sources"));
    doc_addf(doc, DOC_TEXT, "%zu files read.", parts->files_read);
    if (parts->files.len) {
        program_rows(doc, &room, parts);
        doc_table(doc, "source|>line|CB|>B|>page|format|strategy|size|adapts to|cores|conditions");
        for (size_t f = 0; f < parts->files.len; f++)
            for (size_t i = 0; i < parts->files.items[f].source.decls.len; i++)
                decl_row(doc, &room, i ? SLICE("") : parts->files.items[f].path, &parts->files.items[f].source.decls.items[i]);
        doc_table_end(doc);
        kernel_rows(doc, &room, parts);
    }
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

/* --- the log --- */

static void log_facts(struct doc *doc, struct strbuf *room, const struct cb_log *log) {
    if (log->cut) doc_add(doc, DOC_TEXT, SLICE("The compressed data ends early or is damaged: this is what comes before."));
    if (log->partition.seen) {
        strbuf_clear(room);
        cb_partition_write(room, &log->partition);
        doc_add(doc, DOC_TEXT, strbuf_slice(room));
    }
    for (size_t i = 0; i < log->clashes.len; i++) {
        const struct cb_clash *c = &log->clashes.items[i];
        strbuf_clear(room);
        strbuf_addf(room, "line %llu: ", (unsigned long long)c->line);
        cb_clash_write(room, c);
        if (c->text.len) strbuf_addz(room, ": ");
        strbuf_add(room, c->text);
        if (c->cores.len) strbuf_addz(room, " on ");
        strbuf_add(room, c->cores);
        if (c->times > 1) strbuf_addf(room, ", %llu times", (unsigned long long)c->times);
        doc_add(doc, DOC_TEXT, strbuf_slice(room));
    }
    if (log->malformed)
        doc_addf(doc, DOC_TEXT, "%llu lines of a known form could not be read.", (unsigned long long)log->malformed);
}

static void event_rows(struct doc *doc, struct strbuf *room, const struct cb_runtime *runtime) {
    if (!runtime->buffers.len) return;
    cb_level_picture(doc_picture(doc, "tiles in each circular buffer over time, busiest core"), runtime);
    doc_table(doc, ">CB|>reserve|>push|>wait|>pop|>peak tiles|>reserve wait|>front wait|>longest|balance");
    for (size_t i = 0; i < runtime->buffers.len; i++) {
        const struct cb_runtime_buffer *b = &runtime->buffers.items[i];
        doc_row(doc);
        doc_cellf(doc, "%u", b->cb);
        for (unsigned op = 0; op < CB_EVENT_OPS; op++) doc_cell(doc, cb_grouped(room, b->counts[op]));
        doc_cell(doc, cb_grouped(room, b->peak_tiles));
        doc_cell(doc, cb_grouped(room, b->reserve_wait));
        doc_cell(doc, cb_grouped(room, b->front_wait));
        doc_cell(doc, cb_grouped(room, b->longest_wait));
        doc_cell(doc, b->unbalanced ? SLICE("pushed and popped tiles differ") : SLICE("even"));
    }
    doc_table_end(doc);
}

static void log_tables(struct doc *doc, struct strbuf *room, const struct cb_log *log) {
    cb_capture_ops ops = {0};
    cb_capture_by_op(&ops, log);
    if (ops.len) doc_table(doc, "op of the capture|>times|>buffers|>tensor-backed|>B on the fullest core");
    for (size_t i = 0; i < ops.len; i++) {
        doc_row(doc);
        doc_cell(doc, ops.items[i].op);
        doc_cell(doc, cb_grouped(room, ops.items[i].programs));
        doc_cell(doc, cb_grouped(room, ops.items[i].buffers));
        doc_cell(doc, cb_grouped(room, ops.items[i].globally_allocated));
        doc_cell(doc, cb_grouped(room, ops.items[i].bytes));
    }
    if (ops.len) doc_table_end(doc);
    vec_release(&ops);
    if (log->pools.len) doc_table(doc, "shared-memory records|>allocations|>deallocations|>peak B|>live at the end, B");
    for (size_t i = 0; i < log->pools.len; i++) {
        const struct cb_pool_record *p = &log->pools.items[i];
        doc_row(doc);
        doc_cell(doc, p->type);
        doc_cell(doc, cb_grouped(room, p->allocations));
        doc_cell(doc, cb_grouped(room, p->deallocations));
        doc_cell(doc, cb_grouped(room, p->peak_bytes));
        doc_cell(doc, cb_grouped(room, p->live_bytes));
    }
    if (log->pools.len) doc_table_end(doc);
    if (log->kernels.len) doc_table(doc, "kernel binary|RISC|>B");
    for (size_t i = 0; i < log->kernels.len; i++) {
        doc_row(doc);
        doc_cell(doc, log->kernels.items[i].name);
        doc_cell(doc, log->kernels.items[i].risc);
        doc_cell(doc, cb_grouped(room, log->kernels.items[i].bytes));
    }
    if (log->kernels.len) doc_table_end(doc);
    if (log->ops.len) doc_table(doc, "op|>begun|>ended|>ns");
    for (size_t i = 0; i < log->ops.len; i++) {
        doc_row(doc);
        doc_cell(doc, log->ops.items[i].name);
        doc_cell(doc, cb_grouped(room, log->ops.items[i].begun));
        doc_cell(doc, cb_grouped(room, log->ops.items[i].ended));
        doc_cell(doc, cb_grouped(room, log->ops.items[i].ns));
    }
    if (log->ops.len) doc_table_end(doc);
}

void cb_report_log(struct doc *doc, const struct cb_report_parts *parts) {
    struct strbuf room = {0};
    const struct cb_log *log = parts->log;
    doc_add(doc, DOC_HEADING, SLICE("The log"));
    strbuf_add(&room, slice_take(parts->log_name, 500));
    strbuf_addf(&room, ": %llu lines, %zu clashes", (unsigned long long)log->lines, log->clashes.len);
    doc_add(doc, DOC_TEXT, strbuf_slice(&room));
    log_facts(doc, &room, log);
    event_rows(doc, &room, parts->runtime);
    log_tables(doc, &room, log);
    strbuf_release(&room);
}
