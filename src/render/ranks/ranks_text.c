/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"
#include "base/utf8.h"
#include "render/compare/diff.h"
#include "render/ranks/ranks_report.h"

enum { ODD_SHOWN = 3, PARTS_SHOWN = 6, NAME_LEAST = 14, NAME_MOST = 60, NAME_NARROW = 26 };

static void add_change(struct strbuf *out, uint32_t value, uint32_t median) {
    if (!median) return;
    int64_t change = (int64_t)value - median;
    strbuf_addf(out, " (%s%s %%)", change < 0 ? "" : "+", figure_percent(change, median, 0).text);
}

static const char *least(const struct rank_row *row) { return row->at_least ? "at least " : ""; }

/* Odd ranks with one peak, from row `from` on: "rank 1,7 488.100 (+18 %)". Returns the row after them. */
static size_t odd_group(struct strbuf *out, const struct run *run, const struct rank_rows *rows, size_t from) {
    enum { NAMED = 8 };
    const struct rank_row *first = &rows->rows.items[from];
    size_t end = from, names = 0;
    bool commas = false; /* in a name, as MPI's have */
    while (end < rows->measured && rows->rows.items[end].peak.allocated == first->peak.allocated &&
           rows->rows.items[end].at_least == first->at_least)
        commas |= slice_find_byte(rank_title(run, rows->rows.items[end++].rank), ',') != SLICE_NONE;
    strbuf_addf(out, ", %s ", end - from > 1 ? "ranks" : "rank");
    for (size_t i = from; i < end && names < NAMED; i++, names++) {
        struct slice name = rank_title(run, rows->rows.items[i].rank);
        strbuf_addf(out, "%s%.*s", !names ? "" : commas ? " " : ",", SLICE_FMT(name));
    }
    if (end - from > names) strbuf_addf(out, " and %zu more", end - from - names);
    strbuf_addf(out, " %s%s", least(first), figure_milli(first->peak.allocated, 3).text);
    add_change(out, first->peak.allocated, rows->rows.items[rows->median].peak.allocated);
    return end;
}

void ranks_line(struct strbuf *out, const struct ranks_page *page) {
    const struct rank_rows *rows = page->rows;
    if (rows->measured < 2) return;
    strbuf_addf(out, "%zu ranks", rows->measured);
    if (rows->unread) strbuf_addf(out, ", %llu more without a log that can be read", (unsigned long long)rows->unread);
    strbuf_addz(out, ": ");
    size_t even = rows->measured - rows->odd;
    for (size_t i = 0; even == 1 && i < rows->measured; i++) {
        struct slice name = rank_title(page->run, rows->rows.items[i].rank);
        if (!rows->rows.items[i].odd) strbuf_addf(out, "rank %.*s ", SLICE_FMT(name));
    }
    if (rows->odd && even > 1) strbuf_addf(out, "%zu ", even);
    bool bounds = false; /* among those that are not odd */
    for (size_t i = 0; i < rows->measured; i++) bounds |= !rows->rows.items[i].odd && rows->rows.items[i].at_least;
    if (rows->low == rows->high)
        strbuf_addf(out, "%s%s%s MB", rows->odd ? "" : "all ", bounds ? "at least " : "at ", figure_milli(rows->low, 3).text);
    else
        strbuf_addf(out, "between %s%s and %s MB", bounds ? "at least " : "", figure_milli(rows->low, 3).text,
                    figure_milli(rows->high, 3).text);
    size_t shown = 0, told = 0;
    for (size_t i = 0; i < rows->measured && shown < ODD_SHOWN;) {
        if (!rows->rows.items[i].odd) {
            i++;
            continue;
        }
        size_t end = odd_group(out, page->run, rows, i);
        if (!i && page->why && page->why->from_op != NONE) strbuf_addf(out, " from #%u on", page->why->from_op);
        told += end - i;
        i = end;
        shown++;
    }
    if (rows->odd > told) strbuf_addf(out, ", %zu more apart", rows->odd - told);
}

/* Where the higher of two ranks starts to hold more. */
static void start_words(struct strbuf *out, const struct rank_diff *why, struct slice high, struct slice low) {
    if (!why || (why->from_op == NONE && !why->from_start)) return;
    if (why->from_start) strbuf_addf(out, "rank %.*s holds ", SLICE_FMT(high));
    else strbuf_addf(out, "at #%u rank %.*s starts to hold ", why->from_op, SLICE_FMT(high));
    add_log_size(out, why->from_bytes, false);
    strbuf_addf(out, " per bank more than rank %.*s", SLICE_FMT(low));
    if (why->from_start) {
        strbuf_addz(out, " from the start, before any op");
        return;
    }
    struct slice name = footprint_op_name(&why->high, why->from_op), place = footprint_op_location(&why->high, why->from_op);
    if (why->from_again)
        strbuf_addf(out, ", and as much again at %u later op%s", why->from_again, why->from_again == 1 ? "" : "s");
    strbuf_addf(out, ": %.*s", SLICE_FMT(name));
    if (place.len) strbuf_addf(out, "  %.*s", SLICE_FMT(place));
}

static struct slice title_of(const struct ranks_page *page, size_t row) {
    return rank_title(page->run, page->rows->rows.items[row].rank);
}

void ranks_start_line(struct strbuf *out, const struct ranks_page *page) {
    if (page->why) start_words(out, page->why, title_of(page, 0), title_of(page, page->rows->median));
}

static void pad(struct strbuf *out, size_t start, size_t width) {
    size_t used = utf8_width(slice_of(out->data + start, out->len - start));
    strbuf_fill(out, ' ', used < width ? width - used : 1);
}

static void cell(struct strbuf *out, bool known, int64_t milli) {
    strbuf_addf(out, "%12s", known ? figure_milli(milli, 3).text : "-");
}

/* Names of ranks differ at their ends more often than at their starts, so names that are too long are shortened in the
 * middle. */
static void text_cell(struct strbuf *out, const struct term *term, struct slice text, size_t width) {
    struct strbuf clean = {0};
    size_t start = out->len, room = width - 2, mark = term->utf8 ? 1 : 3;
    term_text(&clean, term, text.len ? text : SLICE("-"), 0);
    struct slice shown = strbuf_slice(&clean);
    if (utf8_width(shown) > room) {
        size_t head = (room - mark) / 2, tail = room - mark - head;
        strbuf_add(out, utf8_fit(shown, head));
        strbuf_addz(out, term->utf8 ? "…" : "...");
        while (shown.len && utf8_width(shown) > tail) shown = slice_skip(shown, utf8_char(shown));
    }
    strbuf_add(out, shown);
    strbuf_release(&clean);
    pad(out, start, width);
}

struct columns {
    size_t name, host, devices;
};

static void widen(size_t *width, const struct term *term, struct slice text) {
    struct strbuf clean = {0};
    term_text(&clean, term, text, 0);
    size_t wanted = utf8_width(strbuf_slice(&clean)) + 2, most = term->columns && term->columns < 140 ? NAME_NARROW : NAME_MOST;
    if (wanted > most) wanted = most;
    if (wanted > *width) *width = wanted;
    strbuf_release(&clean);
}

static struct columns columns_of(const struct ranks_page *page, const struct term *term, size_t shown) {
    struct columns c = {NAME_LEAST, NAME_LEAST + 2, NAME_LEAST};
    for (size_t i = 0; i < shown; i++) {
        const struct rank *rank = &page->run->ranks.items[page->rows->rows.items[i].rank];
        widen(&c.name, term, rank_title(page->run, page->rows->rows.items[i].rank));
        widen(&c.host, term, run_string(page->run, rank->host));
        widen(&c.devices, term, run_string(page->run, rank->devices));
    }
    return c;
}

/* Empty columns are left out. */
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

static void row_line(struct strbuf *out, const struct term *term, const struct ranks_page *page, const struct columns *columns,
                     const struct rank_row *row) {
    const struct run *run = page->run;
    const struct rank *rank = &run->ranks.items[row->rank];
    if (row->odd) term_tone(out, term, TONE_WARN);
    strbuf_addz(out, row->odd ? "* " : "  ");
    text_cell(out, term, rank_title(run, row->rank), columns->name);
    if (any_host(run)) {
        text_cell(out, term, run_string(run, rank->host), columns->host);
        text_cell(out, term, run_string(run, rank->devices), columns->devices);
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
        strbuf_addf(out, "%s#%u ", row->at_least ? "at least, after " : "after ", row->peak.after_record);
        term_text(out, term, step_name(run, step), 40);
    } else if (row->peak.seen) {
        char room[PEAK_PLACE_ROOM];
        strbuf_addf(out, "%s%s", row->at_least ? "at least, " : "", peak_place_words(&row->peak, room));
    }
    strbuf_addc(out, '\n');
}

/* "the same peak: ranks 3,4 and 12 more", for those that are not compared themselves. */
static void same_peak(struct strbuf *out, const struct term *term, const struct ranks_page *page, const struct rank_why *w) {
    enum { NAMED = 8 };
    if (w->end - w->first < 2) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "the same peak: %s ", w->end - w->first > 2 ? "ranks" : "rank");
    for (size_t i = w->first + 1; i < w->end && i <= w->first + NAMED; i++)
        strbuf_addf(&text, "%s%.*s", i > w->first + 1 ? ", " : "", SLICE_FMT(title_of(page, i)));
    if (w->end - w->first - 1 > NAMED) strbuf_addf(&text, " and %zu more", w->end - w->first - 1 - NAMED);
    strbuf_addz(out, "    ");
    term_text(out, term, strbuf_slice(&text), 0);
    strbuf_addc(out, '\n');
    strbuf_release(&text);
}

static void why_lines(struct strbuf *out, const struct term *term, const struct ranks_page *page, const struct rank_why *w) {
    const struct rank_diff *why = &w->diff;
    const struct slice high = title_of(page, w->high), low = title_of(page, w->low);
    const bool high_is_median = w->high == page->rows->median;
    const struct diff *d = &why->diff;
    const struct diff_pool *pool = &d->pools[POOL_DRAM];
    struct strbuf text = {0};
    strbuf_addf(&text, "why rank %.*s%s holds more than rank %.*s%s: ", SLICE_FMT(high),
                high_is_median ? ", which is the median," : "", SLICE_FMT(low), high_is_median ? "" : ", which is the median");
    strbuf_addf(&text, "%s MB per bank",
                figure_change((int64_t)d->b->pools[POOL_DRAM].peak - d->a->pools[POOL_DRAM].peak, 3).text);
    strbuf_addz(out, "\n  ");
    term_text(out, term, strbuf_slice(&text), 0);
    strbuf_addc(out, '\n');
    strbuf_clear(&text);
    start_words(&text, why, high, low);
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
    if (!why->same_ops && d->has_ops) strbuf_addz(out, "    the two run different programs\n");
    same_peak(out, term, page, w);
    strbuf_release(&text);
}

static void heading(struct strbuf *out, const struct ranks_page *page, const struct columns *columns) {
    strbuf_addf(out, "  %-*s", (int)columns->name, "rank");
    if (any_host(page->run)) strbuf_addf(out, "%-*s%-*s", (int)columns->host, "host", (int)columns->devices, "chips");
    strbuf_addf(out, "%9s%12s%12s%12s", run_is_states(page->run) ? "states" : "ops", "DRAM peak", "free", "largest");
    if (any_host_memory(page->run)) strbuf_addf(out, "%12s", "host MB");
    strbuf_addf(out, "%9s  MB per bank; free at the peak, largest free block where it was smallest\n", "failures");
}

static void spread_lines(struct strbuf *out, const struct rank_rows *rows) {
    const struct rank_row *lowest = &rows->rows.items[rows->lowest], *median = &rows->rows.items[rows->median],
                          *highest = &rows->rows.items[0];
    bool bounds = rows->unread > 0;
    uint64_t spread;
    for (size_t i = 1; i < rows->measured; i++) bounds |= rows->rows.items[i].at_least;
    const char *at_least = bounds ? "at least " : least(highest); /* any of them may have been the highest */
    strbuf_addf(out, "\n  DRAM peaks per bank: lowest %s%s, ", least(lowest), figure_milli(lowest->peak.allocated, 3).text);
    strbuf_addf(out, "median %s%s, ", least(median), figure_milli(median->peak.allocated, 3).text);
    strbuf_addf(out, "highest %s%s MB", at_least, figure_milli(highest->peak.allocated, 3).text);
    if (!bounds && rank_rows_spread(rows, &spread))
        strbuf_addf(out, ", spread %s%s %% of the median", least(highest), figure_milli((int64_t)spread, 1).text);
    strbuf_addc(out, '\n');
    if (rows->odd)
        strbuf_addf(out, "  * farther from the median than %d times the median distance (%s MB) and %d %%\n",
                    RANKS_ODD_DISTANCES, figure_milli(rows->distance, 3).text, RANKS_ODD_PERCENT);
}

void ranks_text(struct strbuf *out, const struct term *term, const struct ranks_page *page) {
    const struct rank_rows *rows = page->rows;
    struct strbuf line = {0};
    ranks_line(&line, page);
    if (line.len) {
        term_text(out, term, strbuf_slice(&line), 0);
        strbuf_addz(out, ", per bank\n\n");
    }
    strbuf_release(&line);
    size_t shown = page->limit && page->limit < rows->rows.len ? page->limit : rows->rows.len;
    struct columns columns = columns_of(page, term, shown);
    heading(out, page, &columns);
    for (size_t i = 0; i < shown; i++) row_line(out, term, page, &columns, &rows->rows.items[i]);
    if (shown < rows->rows.len) {
        bool lower = shown && rows->rows.items[shown].peak.allocated < rows->rows.items[shown - 1].peak.allocated;
        strbuf_addf(out, "  %zu more with %s peaks (--limit 0 lists all)\n", rows->rows.len - shown,
                    lower ? "lower" : "the same or lower");
    }
    if (rows->measured > 1) spread_lines(out, rows);
    for (size_t i = 0; page->whys && i < page->whys->items.len; i++) why_lines(out, term, page, &page->whys->items.items[i]);
    if (page->whys && page->whys->left_out)
        strbuf_addf(out, "\n  %zu more odd ranks are not compared (--limit 0 compares all)\n", page->whys->left_out);
}
