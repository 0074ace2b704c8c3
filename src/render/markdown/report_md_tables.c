/* SPDX-License-Identifier: Apache-2.0 */
/* The sections that the older tool had: configuration, peaks, consumers, padding, weights, ops. */
#include <ctype.h>

#include "analysis/run/op_padding.h"
#include "base/amounts.h"
#include "render/format/markdown.h"
#include "render/format/warning_words.h"
#include "render/markdown/report_md_parts.h"
#include "render/ranks/ranks_report.h"

enum { OTHER_CONFIGURATIONS = 3 };

/* The `number`th configuration of a pool: ranks and reopened devices may have several. */
static const struct pool_config *nth_config(const struct run *run, unsigned pool, size_t number) {
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == pool && number-- == 0) return &run->configs.items[i];
    return NULL;
}

/* "- Memory: DRAM 7 x 4080.00 MB/bank | ..." */
static void configuration_line(struct md_page *p, const char *label, size_t number) {
    const char *front = label;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct pool_config *config = nth_config(p->run, pool, number);
        if (!config || (!config->total && p->run->origin == RUN_RECORDING)) continue;
        strbuf_addf(p->out, "%s%s %u x ", front, pool_names[pool], config->banks);
        add_milli(p->out, config->total, 2);
        strbuf_addf(p->out, " MB/%s", pool_unit(p->run, (enum pool)pool));
        front = " | ";
    }
    if (front != label) strbuf_addc(p->out, '\n');
}

/* "- Program runs: 24 (4 of main)": const-evals and other nested programs are the rest. */
static void program_runs_line(struct md_page *p) {
    if (!p->o->program_runs) return;
    strbuf_addz(p->out, "- Program runs: ");
    add_grouped(p->out, p->o->program_runs);
    strbuf_addz(p->out, " (");
    add_grouped(p->out, p->o->main_runs);
    if (p->o->main_name == NONE) {
        strbuf_addz(p->out, " of them submitted)\n");
        return;
    }
    strbuf_addz(p->out, " of ");
    md_text(p->out, run_string(p->run, p->o->main_name), 40);
    strbuf_addz(p->out, ")\n");
}

size_t md_configuration(struct md_page *p, size_t limit) {
    if (!limit) return 1;
    md_heading(p->out, 2, SLICE("Configuration"));
    configuration_line(p, "- Memory: ", 0);
    uint64_t total = p->run->records.len, weight = p->o->weight_records;
    strbuf_addz(p->out, "- Operations: ");
    add_grouped(p->out, total);
    strbuf_addz(p->out, " total");
    if (p->run->op_lines || p->run->origin != RUN_LOG) {
        strbuf_addz(p->out, " (");
        add_grouped(p->out, weight);
        strbuf_addz(p->out, " weight, ");
        add_grouped(p->out, total - weight);
        strbuf_addz(p->out, " activation)");
    }
    strbuf_addc(p->out, '\n');
    program_runs_line(p);
    for (size_t i = 1; i <= OTHER_CONFIGURATIONS; i++) configuration_line(p, "- Also seen: ", i);
    if (p->run->chip) strbuf_addf(p->out, "- Chip: %s\n", p->run->chip->title);
    md_next(p, "info", "%s", "");
    return 1;
}

static void peak_row(struct md_page *p, unsigned pool) {
    const struct peak *peak = &p->o->peaks.pools[pool];
    md_cellf(p->out, "%s", pool_names[pool]);
    md_op_cells(p, peak->after_record, true);
    md_cellf(p->out, "%s%s MB", peak->at_least ? "at least " : "", figure_milli(peak->allocated, 2).text);
    if (!peak->total && peak->allocated) {
        md_cellf(p->out, "not known");
        md_cellf(p->out, "N/A");
    } else {
        md_cellf(p->out, "%s MB", figure_milli(peak->total, 2).text);
        md_cellf(p->out, "%s%%", figure_percent(peak->allocated, peak->total, 1).text);
    }
    md_row_end(p->out);
}

/* A bound is marked as such, with its source. */
static void peak_bounds(struct md_page *p) {
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        const struct peak *peak = &p->o->peaks.pools[pool];
        if (!peak->seen || !peak->at_least || !peak->allocated) continue;
        strbuf_addf(p->out, "\n%s is a lower bound: %s.\n", pool_names[pool], peak_bound_words(peak));
    }
}

/* A line about all ranks, where the highest departs from the median, and the most different ones. */
static void rank_extremes(struct md_page *p, const struct ranks_page *page) {
    enum { LINE_MOST = 400, EXTREMES = 3 };
    const struct rank_rows *rows = page->rows;
    struct strbuf line = {0};
    ranks_line(&line, page);
    if (line.len) {
        strbuf_addc(p->out, '\n');
        md_text(p->out, strbuf_slice(&line), LINE_MOST);
        strbuf_addz(p->out, ", DRAM peaks per bank.\n");
        strbuf_clear(&line);
        ranks_start_line(&line, page);
        if (line.len) {
            strbuf_addc(p->out, '\n');
            md_text(p->out, strbuf_slice(&line), LINE_MOST);
            strbuf_addz(p->out, ".\n");
        }
        strbuf_addc(p->out, '\n');
        md_table(p->out, SLICE("Rank|Ops|DRAM peak|After op|Failures"));
        size_t left = 0;
        for (size_t i = 0; i < rows->rows.len; i++) {
            const struct rank_row *row = &rows->rows.items[i];
            if (i >= EXTREMES && i != rows->median && i + EXTREMES < rows->measured) {
                left++;
                continue;
            }
            const struct rank *rank = &p->run->ranks.items[row->rank];
            md_cell(p->out, rank_title(p->run, row->rank), DTYPE_MOST);
            md_cellf(p->out, "%s", figure_grouped(rank->records).text);
            if (row->peak.seen)
                md_cellf(p->out, "%s%s MB%s", row->at_least ? "at least " : "", figure_milli(row->peak.allocated, 3).text,
                         row->odd            ? " (odd)"
                         : i == rows->median ? " (median)"
                                             : "");
            else md_cellf(p->out, "%s", "-");
            if (row->peak.seen && row->peak.after_record != NONE) md_cellf(p->out, "#%u", row->peak.after_record);
            else md_cellf(p->out, "%s", "-");
            md_cellf(p->out, "%s", figure_grouped(rank->failures).text);
            md_row_end(p->out);
        }
        if (left) strbuf_addf(p->out, "\n%zu more ranks lie between.\n", left);
        md_next(p, "ranks", "%s", "");
    }
    strbuf_release(&line);
}

static void peak_ranks(struct md_page *p) {
    const struct peak *dram = &p->o->peaks.pools[POOL_DRAM];
    size_t ranks = 0;
    for (size_t i = 0; i < p->run->ranks.len; i++) ranks += p->run->ranks.items[i].blocks > 0;
    if (ranks < 2 || !dram->seen) return;
    strbuf_addf(p->out, "\nHighest of %zu ranks; DRAM peaks on rank ", ranks);
    struct slice tag = run_string(p->run, p->run->ranks.items[dram->rank].name);
    md_text(p->out, tag.len ? tag : SLICE("without tag"), DTYPE_MOST);
    strbuf_addz(p->out, ".\n");
    struct rank_rows rows;
    struct rank_diff why;
    rank_rows_make(p->run, p->o, &rows);
    struct ranks_page page = {.run = p->run, .rows = &rows};
    bool odd = rows.odd && rows.rows.items[0].odd;
    if (odd) {
        rank_diff_make(p->run, p->o, rows.rows.items[rows.median].rank, rows.rows.items[0].rank, &why);
        page.why = &why;
    }
    rank_extremes(p, &page);
    if (odd) rank_diff_release(&why);
    rank_rows_release(&rows);
}

size_t md_peaks(struct md_page *p, size_t limit) {
    const struct peak *peaks = p->o->peaks.pools;
    size_t seen = 0;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) seen += peaks[pool].seen;
    if (!seen || !limit) return seen;
    md_heading(p->out, 2, SLICE("Peak Memory"));
    md_table(p->out, SLICE("Type|Op#|Operation|Location|Allocated|Capacity|Utilization"));
    for (unsigned pool = 0; pool < POOL_COUNT; pool++)
        if (peaks[pool].seen) peak_row(p, pool);
    peak_bounds(p);
    md_threshold(p, "\n", "DRAM", METRIC_DRAM, peaks[POOL_DRAM].allocated, peaks[POOL_DRAM].total);
    md_threshold(p, "\n", "L1", METRIC_L1, peaks[POOL_L1].allocated, peaks[POOL_L1].total);
    if (peaks[POOL_L1].seen && p->run->origin == RUN_LOG)
        strbuf_addz(p->out, "\nL1 is a lower bound: circular buffers and buffers inside an op are not in runtime logs.\n");
    peak_ranks(p);
    if (p->o->has_live) md_next(p, "live", " --at peak");
    else if (peaks[POOL_DRAM].seen && peaks[POOL_DRAM].after_record != NONE)
        md_next(p, "op", " %u", peaks[POOL_DRAM].after_record);
    else md_next(p, "summary", "%s", "");
    return seen;
}

static const struct op *record_op(const struct md_page *p, uint32_t record) {
    uint32_t op = p->run->steps.items[p->run->records.items[record]].op;
    return op == NONE ? NULL : &p->run->ops.items[op];
}

size_t md_consumers(struct md_page *p, size_t limit) {
    const struct top_ops *top = &p->figures->top[TOP_DRAM];
    if (!top->rows.len || !limit) return top->rows.len;
    md_heading(p->out, 2, SLICE("Top 10 Memory Consumers (DRAM)"));
    md_top_table(p, SLICE("Op#|Operation|Location|DRAM (MB)|Input|Output"));
    for (size_t i = 0; i < top->rows.len && i < limit; i++) {
        const struct top_op *row = &top->rows.items[i];
        md_cellf(p->out, "%zu", i + 1);
        md_times_cells(p, row, true);
        md_cellf(p->out, "%s", figure_milli(row->value, 2).text);
        md_shapes_cell(p, record_op(p, row->record), false);
        md_shapes_cell(p, record_op(p, row->record), true);
        md_rank_cell(p, row->record);
        md_row_end(p->out);
    }
    strbuf_addz(p->out, "\nDRAM (MB): the most that is allocated per bank from this op to the next, not the op's own share.\n");
    md_next(p, "top-ops", " --by dram");
    return top->rows.len;
}

static void padding_row(struct md_page *p, size_t place, const struct top_op *row) {
    uint32_t record = row->record;
    struct op_padding padding = op_padding(p->run, record_op(p, record));
    const struct tensor_type *type = &p->run->types.items[padding.type];
    char padded[256];
    md_cellf(p->out, "%zu", place);
    md_times_cells(p, row, false);
    md_cell_open(p->out);
    md_text(p->out, type->shape, SHAPE_MOST);
    strbuf_addz(p->out, type->shape.len ? " (" : "(");
    md_text(p->out, type->dtype, DTYPE_MOST);
    strbuf_addc(p->out, ')');
    md_cell(p->out, slice_of(padded, tensor_padded_shape(type, padded, sizeof padded)), SHAPE_MOST);
    uint64_t beyond = op_padding_bytes(&padding);
    md_cell_open(p->out);
    add_mb(p->out, beyond, 2);
    strbuf_addz(p->out, " MB (");
    add_percent_close(p->out, beyond > INT64_MAX ? INT64_MAX : (int64_t)beyond, padding.logical_bytes);
    strbuf_addc(p->out, ')');
    md_rank_cell(p, record);
    md_row_end(p->out);
}

size_t md_padding(struct md_page *p, size_t limit) {
    const struct top_ops *top = &p->figures->top[TOP_PADDING];
    if (!top->rows.len || !limit) return top->rows.len;
    md_heading(p->out, 2, SLICE("Top 10 Padding Overhead"));
    md_top_table(p, SLICE("Op#|Operation|Logical|Padded|Overhead (all banks)"));
    size_t above = 0, shown = 0;
    for (; shown < top->rows.len && shown < limit; shown++) {
        uint32_t record = top->rows.items[shown].record;
        padding_row(p, shown + 1, &top->rows.items[shown]);
        struct op_padding padding = op_padding(p->run, record_op(p, record));
        above += threshold_crossed(METRIC_PADDING, op_padding_bytes(&padding), padding.logical_bytes) != NULL;
    }
    if (above)
        strbuf_addf(
            p->out,
            "\n**%zu of these %zu above 50%%**: consider tile-friendly shapes, last two dimensions in multiples of 32.\n",
            above, shown);
    md_next(p, "top-ops", " --by padding");
    return top->rows.len;
}

size_t md_weights(struct md_page *p, size_t limit) {
    const struct weights *weights = &p->figures->weights;
    if (!weights->entries.len || !limit) return weights->entries.len;
    struct strbuf heading = {0};
    strbuf_addz(&heading, "Model Weights (");
    add_mb(&heading, p->o->weight_bytes, 1);
    strbuf_addz(&heading, " MB total");
    if (run_has_ranks(p->run)) {
        strbuf_addz(&heading, ", rank ");
        strbuf_add(&heading, rank_title(p->run, p->o->weights_rank));
    }
    strbuf_addc(&heading, ')');
    md_heading(p->out, 2, strbuf_slice(&heading));
    strbuf_release(&heading);
    md_table(p->out, SLICE("Name|Shape|Type|Size (all banks)|Programs"));
    for (size_t i = 0; i < weights->entries.len && i < limit; i++) {
        const struct registry_entry *entry = &p->run->registry.items[weights->entries.items[i]];
        md_cell(p->out, entry->name, WEIGHT_NAME_MOST);
        md_cell_open(p->out);
        md_text(p->out, entry->shape, SHAPE_MOST);
        md_cell(p->out, entry->dtype, DTYPE_MOST);
        md_cell_open(p->out);
        if (entry->bytes_known) add_size(p->out, entry->bytes);
        else strbuf_addz(p->out, "unknown");
        md_cellf(p->out, "%u", entry->users);
        md_row_end(p->out);
    }
    bool all = weights->entries.len <= limit;
    md_more(p, all ? 0 : weights->entries.len - limit, "weights; inputs_registry.json of a report lists all");
    if (all && p->o->has_live) md_next(p, "live", " --at peak --limit 0");
    else md_next(p, "analyze", "%s", "");
    return weights->entries.len;
}

/* A text of the log goes into a command only if no shell reads more into it. */
static bool is_plain_word(struct slice text) {
    enum { MOST = 40 };
    for (size_t i = 0; i < text.len; i++)
        if (!isalnum((unsigned char)text.ptr[i]) && text.ptr[i] != '_') return false;
    return text.len && text.len <= MOST;
}

size_t md_distribution(struct md_page *p, size_t limit) {
    const struct op_mix *mix = &p->figures->mix;
    if (!mix->kinds.len || !limit) return mix->kinds.len;
    uint64_t total = p->run->records.len, shown = 0;
    md_heading(p->out, 2, SLICE("Operation Distribution"));
    for (size_t i = 0; i < mix->kinds.len && i < limit; i++) {
        const struct op_kind_count *kind = &mix->kinds.items[i];
        strbuf_addz(p->out, "- ");
        md_item(p->out, kind->name, NAME_MOST);
        strbuf_addz(p->out, ": ");
        add_grouped(p->out, kind->records);
        strbuf_addz(p->out, " (");
        add_percent_close(p->out, (int64_t)kind->records, total);
        strbuf_addz(p->out, ")\n");
        shown += kind->records;
    }
    if (mix->kinds.len > limit) {
        strbuf_addz(p->out, "- *other*: ");
        add_grouped(p->out, total - shown);
        strbuf_addc(p->out, '\n');
    }
    struct slice most = mix->kinds.items[0].name;
    if (is_plain_word(most)) md_next(p, "ops", " --name %.*s", SLICE_FMT(most));
    return mix->kinds.len;
}
