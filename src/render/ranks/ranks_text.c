/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"
#include "base/utf8.h"
#include "render/compare/diff.h"
#include "render/ranks/ranks_report.h"

enum { ODD_SHOWN = 3, PARTS_SHOWN = 6, NAME = 14, HOST = 16 };

static void add_change(struct strbuf *out, uint32_t value, uint32_t median) {
    if (!median) return;
    int64_t change = (int64_t)value - median;
    strbuf_addf(out, " (%s%s %%)", change < 0 ? "" : "+", figure_percent(change, median, 0).text);
}

void ranks_line(struct strbuf *out, const struct run *run, const struct rank_rows *rows) {
    if (rows->measured < 2) return;
    uint32_t median = rows->rows.items[rows->median].peak.allocated;
    strbuf_addf(out, "%zu ranks: ", rows->measured);
    size_t even = rows->measured - rows->odd;
    for (size_t i = 0; even == 1 && i < rows->measured; i++) {
        struct slice name = rank_title(run, rows->rows.items[i].rank);
        if (!rows->rows.items[i].odd) strbuf_addf(out, "rank %.*s ", SLICE_FMT(name));
    }
    if (rows->odd && even > 1) strbuf_addf(out, "%zu ", even);
    bool bounds = false; /* among those that are not odd */
    for (size_t i = 0; i < rows->measured; i++) bounds |= !rows->rows.items[i].odd && rows->rows.items[i].peak.at_least;
    const char *least = bounds ? "at least " : "";
    if (rows->low == rows->high)
        strbuf_addf(out, "%s%s%s MB", rows->odd ? "" : "all ", bounds ? least : "at ", figure_milli(rows->low, 3).text);
    else strbuf_addf(out, "between %s%s and %s MB", least, figure_milli(rows->low, 3).text, figure_milli(rows->high, 3).text);
    size_t shown = 0;
    for (size_t i = 0; i < rows->measured && shown < ODD_SHOWN; i++) {
        const struct rank_row *row = &rows->rows.items[i];
        if (!row->odd) continue;
        struct slice name = rank_title(run, row->rank);
        strbuf_addf(out, ", rank %.*s %s%s", SLICE_FMT(name), row->peak.at_least ? "at least " : "",
                    figure_milli(row->peak.allocated, 3).text);
        add_change(out, row->peak.allocated, median);
        shown++;
    }
    if (rows->odd > shown) strbuf_addf(out, ", %zu more apart", rows->odd - shown);
}

void ranks_start_line(struct strbuf *out, const struct ranks_page *page) {
    const struct rank_diff *why = page->why;
    if (!why || (why->from_op == NONE && !why->from_start)) return;
    struct slice high = rank_title(page->run, page->rows->rows.items[0].rank);
    struct slice low = rank_title(page->run, page->rows->rows.items[page->rows->median].rank);
    if (why->from_start) strbuf_addf(out, "rank %.*s holds ", SLICE_FMT(high));
    else strbuf_addf(out, "at #%u rank %.*s starts to hold ", why->from_op, SLICE_FMT(high));
    add_log_size(out, why->from_bytes, false);
    strbuf_addf(out, " per bank more than rank %.*s", SLICE_FMT(low));
    if (why->from_start) {
        strbuf_addz(out, " from the start, before any op");
        return;
    }
    struct slice name = footprint_op_name(&why->high, why->from_op), place = footprint_op_location(&why->high, why->from_op);
    strbuf_addf(out, ": %.*s", SLICE_FMT(name));
    if (place.len) strbuf_addf(out, "  %.*s", SLICE_FMT(place));
}

static void pad(struct strbuf *out, size_t start, size_t width) {
    size_t used = utf8_width(slice_of(out->data + start, out->len - start));
    strbuf_fill(out, ' ', used < width ? width - used : 1);
}

static void cell(struct strbuf *out, bool known, int64_t milli) {
    strbuf_addf(out, "%12s", known ? figure_milli(milli, 3).text : "-");
}

static void text_cell(struct strbuf *out, const struct term *term, struct slice text, size_t width) {
    size_t start = out->len;
    term_text(out, term, text.len ? text : SLICE("-"), width - 2);
    pad(out, start, width);
}

/* Columns that nothing fills are left out. */
static bool any_host(const struct run *run) {
    for (size_t i = 0; i < run->ranks.len; i++)
        if (run->ranks.items[i].host || run->ranks.items[i].devices) return true;
    return false;
}

static bool any_host_memory(const struct run *run) {
    for (size_t i = 0; i < run->ranks.len; i++)
        if (run->ranks.items[i].host_peak_bytes) return true;
    return false;
}

static void row_line(struct strbuf *out, const struct term *term, const struct ranks_page *page, const struct rank_row *row) {
    const struct run *run = page->run;
    const struct rank *rank = &run->ranks.items[row->rank];
    if (row->odd) term_tone(out, term, TONE_WARN);
    strbuf_addz(out, row->odd ? "* " : "  ");
    text_cell(out, term, rank_title(run, row->rank), NAME);
    if (any_host(run)) {
        text_cell(out, term, run_string(run, rank->host), HOST);
        text_cell(out, term, run_string(run, rank->devices), NAME);
    }
    strbuf_addf(out, "%9s", figure_grouped(rank->records).text);
    cell(out, row->peak.seen, row->peak.allocated);
    cell(out, row->peak.seen && row->peak.total, (int64_t)row->peak.total - row->peak.allocated);
    cell(out, row->free_seen, row->free.largest);
    if (any_host_memory(run))
        strbuf_addf(out, "%12s", rank->host_peak_bytes ? figure_ratio((int64_t)rank->host_peak_bytes, 1048576, 1).text : "-");
    strbuf_addf(out, "%9s  ", rank->failures ? figure_grouped(rank->failures).text : "-");
    if (row->odd) term_tone(out, term, TONE_PLAIN);
    if (row->peak.seen && row->peak.source == PEAK_FAILURE) {
        strbuf_addf(out, "at least, %s", peak_bound_words(&row->peak));
    } else if (row->peak.seen && row->peak.after_record != NONE) {
        const struct step *step = &run->steps.items[run->records.items[row->peak.after_record]];
        strbuf_addf(out, "%s#%u ", row->peak.at_least ? "at least, after " : "after ", row->peak.after_record);
        term_text(out, term, step_name(run, step), 40);
    } else if (row->peak.seen) {
        char room[PEAK_PLACE_ROOM];
        strbuf_addf(out, "%s%s", row->peak.at_least ? "at least, " : "", peak_place_words(&row->peak, room));
    }
    strbuf_addc(out, '\n');
}

static void why_lines(struct strbuf *out, const struct term *term, const struct ranks_page *page) {
    const struct diff *d = &page->why->diff;
    const struct diff_pool *pool = &d->pools[POOL_DRAM];
    struct strbuf text = {0};
    struct slice high = rank_title(page->run, page->rows->rows.items[0].rank);
    struct slice low = rank_title(page->run, page->rows->rows.items[page->rows->median].rank);
    strbuf_addf(&text, "why rank %.*s holds more than rank %.*s, which is the median: ", SLICE_FMT(high), SLICE_FMT(low));
    strbuf_addf(&text, "%s MB per bank",
                figure_change((int64_t)d->b->pools[POOL_DRAM].peak - d->a->pools[POOL_DRAM].peak, 3).text);
    strbuf_addz(out, "\n  ");
    term_text(out, term, strbuf_slice(&text), 0);
    strbuf_addc(out, '\n');
    strbuf_clear(&text);
    ranks_start_line(&text, page);
    if (text.len) {
        strbuf_addz(out, "    ");
        term_text(out, term, strbuf_slice(&text), 0);
        strbuf_addc(out, '\n');
    }
    for (size_t i = 0; i < pool->parts.len && i < PARTS_SHOWN; i++) {
        const struct diff_part *part = &pool->parts.items[i];
        if (!part->bytes) continue;
        size_t start = out->len;
        strbuf_addf(out, "    %s: %s", diff_class_words(part), diff_cause_words[part->cause]);
        pad(out, start, 40);
        strbuf_clear(&text);
        add_log_size(&text, part->bytes, true);
        strbuf_addf(out, "%14s  %4u %s  ", strbuf_text(&text), part->tensors, part->tensors == 1 ? "tensor " : "tensors");
        strbuf_clear(&text);
        diff_tensor_change(&text, d, &pool->tensors.items[part->row], (enum diff_cause)part->cause, " -> ");
        strbuf_addz(&text, "  ");
        diff_tensor_title(&text, d, &pool->tensors.items[part->row]);
        term_text(out, term, strbuf_slice(&text), 100);
        strbuf_addc(out, '\n');
    }
    if (pool->has_live && pool->rest) {
        size_t start = out->len;
        strbuf_addz(out, "    unexplained");
        pad(out, start, 40);
        strbuf_clear(&text);
        add_log_size(&text, pool->rest, true);
        strbuf_addf(out, "%14s\n", strbuf_text(&text));
    }
    if (!page->why->same_ops && d->has_ops) strbuf_addz(out, "    the two run different programs\n");
    strbuf_release(&text);
}

void ranks_text(struct strbuf *out, const struct term *term, const struct ranks_page *page) {
    const struct rank_rows *rows = page->rows;
    struct strbuf line = {0};
    uint64_t spread;
    ranks_line(&line, page->run, rows);
    if (line.len) {
        term_text(out, term, strbuf_slice(&line), 0);
        strbuf_addz(out, ", per bank\n\n");
    }
    strbuf_release(&line);
    size_t start = out->len;
    strbuf_addz(out, "  rank");
    pad(out, start, 2 + NAME);
    if (any_host(page->run)) strbuf_addf(out, "%-*s%-*s", HOST, "host", NAME, "chips");
    strbuf_addf(out, "%9s%12s%12s%12s", "ops", "DRAM peak", "free", "largest");
    if (any_host_memory(page->run)) strbuf_addf(out, "%12s", "host MB");
    strbuf_addf(out, "%9s\n", "failures");
    size_t shown = page->limit && page->limit < rows->rows.len ? page->limit : rows->rows.len;
    for (size_t i = 0; i < shown; i++) row_line(out, term, page, &rows->rows.items[i]);
    if (shown < rows->rows.len) strbuf_addf(out, "  %zu more with lower peaks (--limit 0 lists all)\n", rows->rows.len - shown);
    if (rows->measured > 1) {
        strbuf_addf(out, "\n  DRAM peaks per bank: lowest %s, ",
                    figure_milli(rows->rows.items[rows->lowest].peak.allocated, 3).text);
        strbuf_addf(out, "median %s, ", figure_milli(rows->rows.items[rows->median].peak.allocated, 3).text);
        strbuf_addf(out, "highest %s MB", figure_milli(rows->rows.items[0].peak.allocated, 3).text);
        if (rank_rows_spread(rows, &spread))
            strbuf_addf(out, ", spread %s %% of the median", figure_milli((int64_t)spread, 1).text);
        strbuf_addc(out, '\n');
        if (rows->odd)
            strbuf_addf(out, "  * farther from the median than %d times the median distance (%s MB) and %d %%\n",
                        RANKS_ODD_DISTANCES, figure_milli(rows->distance, 3).text, RANKS_ODD_PERCENT);
    }
    if (page->why) why_lines(out, term, page);
}
