/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/browse.h"

#include <time.h>

#include "base/amounts.h"
#include "base/num.h"
#include "store/report.h"
#include "tui/dialog.h"
#include "tui/table.h"

enum browse_column {
    COLUMN_MARK,
    COLUMN_NAME,
    COLUMN_DATE,
    COLUMN_OPS,
    COLUMN_DRAM,
    COLUMN_DRAM_SHARE,
    COLUMN_L1,
    COLUMN_STATE,
    COLUMNS_
};

static const struct table_column columns[COLUMNS_] = {
    {"", 1, false, false, 0, 0},   {"report", 0, false, false, 0, 0},      {"date", 16, false, true, 0, 0},
    {"ops", 9, true, true, 0, 90}, {"DRAM MB/bank", 12, true, true, 0, 0}, {"DRAM", 6, true, true, 0, 70},
    {"L1", 6, true, true, 0, 100}, {"state", 6, false, true, 0, 0}};

/* 0: not marked; else its position among the marked ones. */
static int mark_of(const struct browse *b, const struct listed_report *report) {
    return b->marked[0] == report ? 1 : b->marked[1] == report ? 2 : 0;
}

static int64_t share(const struct listed_report *r, enum pool pool) {
    return num_percent_milli(r->peak[pool], r->capacity[pool]);
}

static enum look share_look(int64_t percent) { return percent > 90000 ? LOOK_BAD : percent > 80000 ? LOOK_WARN : LOOK_PLAIN; }

static void add_date(struct strbuf *out, int64_t when) {
    char text[32];
    time_t seconds = (time_t)when;
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    strbuf_addz(out, text);
}

static void cell(void *who, size_t row, size_t column, struct strbuf *out, enum look *look) {
    const struct listed_report *r = &((struct browse *)who)->listing.items[row];
    if (column == COLUMN_MARK) {
        int mark = mark_of(who, r);
        *look = LOOK_ACCENT;
        if (mark) strbuf_addc(out, mark == 1 ? 'a' : 'b');
        return;
    }
    if (!r->has_summary && column > COLUMN_DATE) {
        *look = LOOK_DIM;
        strbuf_addc(out, '?');
        return;
    }
    switch ((enum browse_column)column) {
        case COLUMN_NAME:
            strbuf_addz(out, r->name);
            break;
        case COLUMN_DATE:
            add_date(out, r->written);
            break;
        case COLUMN_OPS:
            add_grouped(out, r->ops);
            break;
        case COLUMN_DRAM:
            if (r->capacity[POOL_DRAM]) add_milli(out, r->peak[POOL_DRAM], 3);
            break;
        case COLUMN_DRAM_SHARE:
        case COLUMN_L1: {
            enum pool pool = column == COLUMN_L1 ? POOL_L1 : POOL_DRAM;
            *look = share_look(share(r, pool));
            if (r->capacity[pool]) strbuf_addf(out, "%s %%", figure_milli(share(r, pool), 0).text);
            break;
        }
        default:
            *look = r->failures ? LOOK_BAD : LOOK_GOOD;
            strbuf_addz(out, !r->failures ? "ok" : r->predicted ? "no fit" : "failed");
    }
}

static int order(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare(void *who, size_t a, size_t b, size_t column) {
    const struct listed_report *x = &((struct browse *)who)->listing.items[a], *y = &((struct browse *)who)->listing.items[b];
    switch ((enum browse_column)column) {
        case COLUMN_MARK:
            return order(mark_of(who, x), mark_of(who, y));
        case COLUMN_NAME:
            return strcmp(x->name, y->name);
        case COLUMN_DATE:
            return order(x->written, y->written);
        case COLUMN_OPS:
            return order((int64_t)x->ops, (int64_t)y->ops);
        case COLUMN_DRAM:
            return order(x->peak[POOL_DRAM], y->peak[POOL_DRAM]);
        case COLUMN_DRAM_SHARE:
            return order(share(x, POOL_DRAM), share(y, POOL_DRAM));
        case COLUMN_L1:
            return order(share(x, POOL_L1), share(y, POOL_L1));
        default:
            return order((int64_t)x->failures, (int64_t)y->failures);
    }
}

static void read_all(struct browse *b) {
    struct strbuf root = {0};
    listing_release(&b->listing);
    b->marked[0] = b->marked[1] = NULL;
    if (ttmem_home(&root, NULL) == 0) {
        strbuf_addz(&root, "/reports");
        listing_read(&b->listing, strbuf_text(&root));
    }
    listing_read(&b->listing, "logs");
    strbuf_release(&root);
}

static void delete_report(struct browse *b, struct table *table) {
    const struct listed_report *r = &b->listing.items[table_row(table)];
    struct strbuf question = {0}, detail = {0};
    strbuf_addf(&question, "Delete the report %s?", r->name);
    strbuf_addf(&detail, "%s: its JSON files and page. The log stays.", r->folder);
    if (dialog_confirm("reports", strbuf_text(&question), strbuf_text(&detail))) {
        struct err err = {0};
        if (listing_delete(r, &err) != 0) dialog_message("reports", LOOK_BAD, err.text);
        size_t kept = table->selected;
        read_all(b);
        table->row_count = b->listing.len;
        table_arrange(table);
        table->selected = kept < table->order.len ? kept : table->order.len ? table->order.len - 1 : 0;
    }
    strbuf_release(&question);
    strbuf_release(&detail);
}

static void draw(struct browse *b, struct table *table) {
    screen_clear();
    screen_put_frame(
        "reports", table->searching ? "type to search   Enter keep   Esc clear"
                   : b->marked[1]   ? "c compare a with b   Space unmark   Esc back   q quit"
                   : b->marked[0]   ? "Space marks the second report   Esc back   q quit"
                                  : "Enter open  o page  Space mark to compare  d delete  / search  s sort  ? help  Esc back");
    if (!b->listing.len)
        screen_putz(4, 3, screen_columns() - 4, LOOK_DIM, "No report yet: read a log, and its report is listed here.");
    else table_draw(table, 3, screen_rows() - 5);
    size_t row = table_row(table);
    if (row != SLICE_NONE) {
        const struct listed_report *r = &b->listing.items[row];
        screen_putz(screen_rows() - 2, 1, screen_columns() - 2, LOOK_DIM, r->source[0] ? r->source : r->folder);
    }
    screen_show();
}

static void mark(struct browse *b, const struct listed_report *report) {
    int was = mark_of(b, report);
    if (was == 1) b->marked[0] = b->marked[1];
    if (was) b->marked[1] = NULL;
    else if (!b->marked[0]) b->marked[0] = report;
    else b->marked[1] = report;
}

static void help(bool *ended) {
    static const char text[] =
        "  ↑ ↓ PgUp PgDn Home End, mouse\n"
        "  Enter, click    the report in the terminal, from its log\n"
        "  o               its page in a browser, where this build can serve it\n"
        "  Space           mark it; c compares two marked ones, what changed from a to b\n"
        "  d               delete its files; the log stays\n"
        "  /               search in all columns\n"
        "  s, S            sort by the next column, reverse\n"
        "  Esc             back\n"
        "  q, Ctrl+C       quit ttmem\n"
        "\n"
        "  Reports are those in ~/.ttmem/reports and of runs in ./logs. DRAM and L1 are the peaks\n"
        "  against what a bank holds. ? marks what another tool has written.\n";
    struct text_page reading = {"keys", "Esc back   q quit", slice_from(text), NULL};
    text_show(&reading, ended);
}

/* True: an answer was given. */
static bool on_event(struct browse *b, struct table *table, struct event event, enum answer *answer) {
    bool typing = table->searching;
    enum table_answer moved = b->listing.len ? table_event(table, event) : TABLE_IGNORED;
    bool chosen = moved == TABLE_CHOSEN;
    if (moved == TABLE_IGNORED && !typing) {
        bool letter = event.key == KEY_TEXT && b->listing.len && table_row(table) != SLICE_NONE;
        if (letter && (event.ch == 'd' || event.ch == 'D')) delete_report(b, table);
        if (letter && event.ch == 'o' && b->can_serve) chosen = true, b->wish = BROWSE_SERVE;
        if (letter && event.ch == ' ') mark(b, &b->listing.items[table_row(table)]);
        if (letter && event.ch == 'c' && b->marked[1]) chosen = true, b->wish = BROWSE_COMPARE;
        if (event.key == KEY_ESCAPE) {
            *answer = ANSWER_BACK;
            return true;
        }
    } else if (chosen) {
        b->wish = BROWSE_VIEW;
    }
    bool ended = typing ? event.key == KEY_INTERRUPT && screen_ends(event) : screen_ends(event);
    if (!typing && event.key == KEY_TEXT && event.ch == '?') help(&ended);
    if (ended) {
        *answer = ANSWER_END;
        return true;
    }
    if (!chosen || table_row(table) == SLICE_NONE) return false;
    b->chosen = &b->listing.items[table_row(table)];
    *answer = ANSWER_OK;
    return true;
}

enum answer browse_run(struct browse *b) {
    read_all(b);
    struct table table = {.columns = columns,
                          .column_count = COLUMNS_,
                          .row_count = b->listing.len,
                          .who = b,
                          .cell = cell,
                          .compare = compare,
                          .sort_column = b->sort_column ? b->sort_column - 1 : COLUMN_DATE,
                          .reversed = b->reversed};
    enum answer answer;
    table_arrange(&table);
    for (size_t i = 0; b->selected.len && i < table.order.len; i++)
        if (strcmp(b->listing.items[table.order.items[i]].folder, strbuf_text(&b->selected)) == 0) table.selected = i;
    do draw(b, &table);
    while (!on_event(b, &table, screen_event(-1), &answer));
    b->sort_column = table.sort_column + 1;
    b->reversed = table.reversed;
    strbuf_clear(&b->selected);
    if (table_row(&table) != SLICE_NONE) strbuf_addz(&b->selected, b->listing.items[table_row(&table)].folder);
    table_release(&table);
    return answer;
}

void browse_release(struct browse *b) {
    strbuf_release(&b->selected);
    listing_release(&b->listing);
}
