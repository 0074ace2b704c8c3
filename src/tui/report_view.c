/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/report_view.h"

#include "render/answer/explain.h"
#include "render/ranks/ranks_report.h"
#include "tui/dialog.h"
#include "tui/live_table.h"
#include "tui/op_table.h"
#include "tui/op_text.h"
#include "tui/timeline.h"

enum part { PART_WHY, PART_TIMELINE, PART_CONSUMERS, PART_GROWTH, PART_LIVE, PART_GROUPS, PART_OPS, PART_RANKS, PART_COUNT };

/* The short name is for narrow terminals. */
static const struct part_words {
    const char *name, *brief, *keys;
} words[PART_COUNT] = {
    [PART_WHY] = {"Why it failed", "Why", "↑↓ PgUp PgDn scroll  Tab next  ? help  Esc back  q quit"},
    [PART_TIMELINE] = {"Timeline", "Timeline", "←→ move  ↑↓ zoom  p pool  m peak  Enter op  Tab next  ? help  Esc back"},
    [PART_CONSUMERS] = {"Top consumers", "Top", "↑↓ move  / search  s sort  S reverse  Enter op  Tab next  ? help  Esc back"},
    [PART_GROWTH] = {"Growth", "Growth", "↑↓ move  / search  s sort  S reverse  Enter op  Tab next  ? help  Esc back"},
    [PART_LIVE] = {"Live at peak", "Live", "↑↓ move  / search  s sort  S reverse  Enter op  Tab next  ? help  Esc back"},
    [PART_GROUPS] = {"By group", "Groups", "b next grouping  / search  s sort  Enter first op  Tab next  ? help  Esc back"},
    [PART_OPS] = {"Ops", "Ops", "↑↓ move  / search  s sort  S reverse  Enter op  Tab next  ? help  Esc back"},
    [PART_RANKS] = {"Ranks", "Ranks", "↑↓ PgUp PgDn scroll  Tab next  ? help  Esc back  q quit"},
};

struct opened_view {
    const struct opened *opened;
    enum part parts[PART_COUNT]; /* those that the run has */
    int part_count;
    int at; /* index of parts */
    struct timeline timeline;
    struct table tables[PART_COUNT]; /* of parts that are tables */
    bool arranged[PART_COUNT];
    struct group_table groups;
    struct strbuf texts[PART_COUNT]; /* of parts that are text */
    size_t first_line[PART_COUNT];
    int text_rows;
    bool ranks_made;
    struct rank_rows ranks;
    struct rank_whys whys;
    bool ended;
};

static enum part part_of(const struct opened_view *v) { return v->parts[v->at]; }

static struct table *table_of(struct opened_view *v) {
    switch (part_of(v)) {
        case PART_CONSUMERS:
        case PART_GROWTH:
        case PART_LIVE:
        case PART_OPS:
            return &v->tables[part_of(v)];
        case PART_GROUPS:
            return &v->groups.table;
        default:
            return NULL;
    }
}

static bool is_text(const struct opened_view *v) { return part_of(v) == PART_WHY || part_of(v) == PART_RANKS; }

static void why_text(struct strbuf *out, const struct opened *opened) {
    explain_text(out, screen_term(), &opened->overview->failures, (struct explain_show){0});
    if (!opened->run->tensors.len) return; /* a replay needs them */
    strbuf_addz(out, "\nNext: ttmem fit ");
    term_text(out, screen_term(), slice_from(opened->path), 0);
    strbuf_addz(out, " tries what would be enough\n");
}

/* Compared once, when they are first shown. */
static void ranks_of(struct strbuf *out, struct opened_view *v) {
    enum { COMPARED = 8 };
    const struct opened *opened = v->opened;
    if (!v->ranks_made) {
        rank_rows_make(opened->run, opened->overview, &v->ranks);
        rank_whys_make(opened->run, opened->overview, &v->ranks, COMPARED, &v->whys);
        v->ranks_made = true;
    }
    struct ranks_page page = {.run = opened->run, .rows = &v->ranks, .whys = &v->whys};
    if (v->whys.items.len && !v->whys.items.items[0].first) page.why = &v->whys.items.items[0].diff;
    ranks_text(out, screen_term(), &page);
}

static void make_parts(struct opened_view *v) {
    const struct opened *opened = v->opened;
    timeline_init(&v->timeline, opened);
    op_table_init(&v->tables[PART_CONSUMERS], opened->run, OPS_BY_DRAM);
    op_table_init(&v->tables[PART_GROWTH], opened->run, OPS_BY_CHANGE);
    op_table_init(&v->tables[PART_OPS], opened->run, OPS_BY_INDEX);
    live_table_init(&v->tables[PART_LIVE], opened);
    group_table_init(&v->groups, opened);
    v->arranged[PART_GROUPS] = true;
    for (int i = 0; i < PART_COUNT; i++) {
        if (i == PART_WHY && !opened->overview->failures.failures.len) continue;
        if (i == PART_RANKS && opened->run->ranks.len < 2) continue;
        v->parts[v->part_count++] = (enum part)i;
    }
}

/* The verdict is visible on every part except the one that shows it in full. */
static bool has_verdict(const struct opened_view *v) {
    return v->opened->overview->failures.failures.len && part_of(v) != PART_WHY;
}

static void draw_verdict(const struct opened_view *v, int row) {
    const struct explanation *first = explain_ranked(&v->opened->overview->failures, 0);
    static const char *const labels[] = {[OUTCOME_UNKNOWN] = "failure  ",
                                         [OUTCOME_ENDED] = "FAILED  ",
                                         [OUTCOME_CAUGHT] = "caught  ",
                                         [OUTCOME_TEST] = "FAILED  "};
    struct strbuf text = {0};
    strbuf_addz(&text, labels[first->outcome.kind]);
    explain_headline(&text, first);
    screen_put(row, 1, screen_columns() - 2, first->outcome.kind == OUTCOME_CAUGHT ? LOOK_PLAIN : LOOK_BAD,
               strbuf_slice(&text));
    strbuf_release(&text);
}

/* In full, in brief, or, on a narrow terminal, by number, with the shown one in brief. */
static const char *tab_name(const struct opened_view *v, int i) {
    int needed = 1, brief = 1;
    for (int k = 0; k < v->part_count; k++) {
        needed += (int)strlen(words[v->parts[k]].name) + 5;
        brief += (int)strlen(words[v->parts[k]].brief) + 5;
    }
    return needed <= screen_columns()                ? words[v->parts[i]].name
           : brief <= screen_columns() || i == v->at ? words[v->parts[i]].brief
                                                     : "";
}

static void draw_tabs(const struct opened_view *v, int row) {
    int at = 1;
    for (int i = 0; i < v->part_count; i++)
        at += 1 + screen_putf(row, at, 30, i == v->at ? LOOK_CHOSEN : LOOK_DIM, " %d %s ", i + 1, tab_name(v, i));
}

static int tab_at(const struct opened_view *v, int column) {
    int at = 1;
    for (int i = 0; i < v->part_count; i++) {
        int width = (int)strlen(tab_name(v, i)) + 4;
        if (column >= at && column < at + width) return i;
        at += width + 1;
    }
    return -1;
}

static int tabs_row(const struct opened_view *v) { return has_verdict(v) ? 3 : 2; }

static void draw_text(struct opened_view *v, int row, int rows) {
    struct strbuf *text = &v->texts[part_of(v)];
    strbuf_clear(text); /* made again, because its lines are as wide as the terminal */
    if (part_of(v) == PART_WHY) why_text(text, v->opened);
    else ranks_of(text, v);
    size_t *first = &v->first_line[part_of(v)], lines = text_draw(strbuf_slice(text), 0, row, 0);
    v->text_rows = rows;
    if (*first + (size_t)rows > lines) *first = lines > (size_t)rows ? lines - (size_t)rows : 0;
    text_draw(strbuf_slice(text), *first, row, rows);
    if (*first + (size_t)rows < lines)
        screen_putf(screen_rows() - 2, 1, screen_columns() - 2, LOOK_DIM, "... %zu lines more", lines - *first - (size_t)rows);
}

static void draw(struct opened_view *v) {
    screen_clear();
    const char *change = opened_change(v->opened);
    struct table *table = table_of(v);
    screen_put_frame(change ? change : v->opened->name,
                     table && table->searching ? "type to search   Enter keep   Esc clear" : words[part_of(v)].keys);
    if (has_verdict(v)) draw_verdict(v, 2);
    draw_tabs(v, tabs_row(v));
    int row = tabs_row(v) + 2;
    if (part_of(v) == PART_LIVE) row = live_head_draw(v->opened, row);
    if (part_of(v) == PART_GROUPS) row = group_head_draw(&v->groups, row);
    int rows = screen_rows() - row - 1;
    if (part_of(v) == PART_TIMELINE) timeline_draw(&v->timeline, row, rows);
    else if (table) table_draw(table, row, rows);
    else draw_text(v, row, rows - 1);
    screen_show();
}

static void go(struct opened_view *v, int to) {
    v->at = (to + v->part_count) % v->part_count;
    struct table *table = table_of(v);
    if (!table || v->arranged[part_of(v)]) return;
    table_arrange(table);
    v->arranged[part_of(v)] = true;
}

static void help(bool *ended) {
    static const char text[] =
        "  1 … 8, Tab      the parts of the report\n"
        "  Enter, click    the op in full\n"
        "  Esc             back\n"
        "  q, Ctrl+C       quit ttmem\n"
        "\n"
        "  Timeline\n"
        "    ← →  h l      move by a column, by one op\n"
        "    ↑ ↓  + -      zoom in, out\n"
        "    p             next pool: DRAM, L1, L1_SMALL, TRACE\n"
        "    c             scale up to the capacity of a bank, or to the peak\n"
        "    m             to the peak\n"
        "\n"
        "  Tables\n"
        "    ↑ ↓ PgUp PgDn Home End\n"
        "    /             search in all columns\n"
        "    s, S          sort by the next column, reverse\n"
        "    b             by group: module, location, class, op, shape, dtype in turn\n"
        "\n"
        "  MB are per bank, 1 MB is 1048576 bytes. Values are those after the op\n"
        "  where the log has them, else those before it.\n";
    struct text_page reading = {"keys", "Esc back   q quit", slice_from(text), NULL};
    text_show(&reading, ended);
}

static void show_op(struct opened_view *v, size_t record) {
    if (record >= v->opened->run->records.len) return;
    int key;
    do {
        struct strbuf text = {0};
        op_text(&text, screen_term(), v->opened, record);
        struct text_page reading = {v->opened->name, "n next   p previous   Esc back   q quit", strbuf_slice(&text), "np"};
        key = text_show(&reading, &v->ended);
        strbuf_release(&text);
        if (key == 'n' && record + 1 < v->opened->run->records.len) record++;
        if (key == 'p' && record) record--;
    } while (key);
}

static void choose(struct opened_view *v) {
    if (part_of(v) == PART_TIMELINE) {
        show_op(v, v->timeline.cursor);
        return;
    }
    size_t row = table_row(table_of(v));
    if (row == SLICE_NONE) return;
    if (part_of(v) == PART_LIVE) row = live_table_record(v->opened, row);
    if (part_of(v) == PART_GROUPS) row = group_table_record(&v->groups, row);
    show_op(v, row);
}

static void scroll(struct opened_view *v, struct event event) {
    size_t *first = &v->first_line[part_of(v)], page = v->text_rows > 1 ? (size_t)v->text_rows - 1 : 1;
    size_t by = event.key == KEY_UP_ || event.key == KEY_DOWN_             ? 1
                : event.key == KEY_WHEEL_UP || event.key == KEY_WHEEL_DOWN ? 3
                                                                           : page;
    switch (event.key) {
        case KEY_UP_:
        case KEY_WHEEL_UP:
        case KEY_PAGE_UP:
            *first -= *first < by ? *first : by;
            break;
        case KEY_DOWN_:
        case KEY_WHEEL_DOWN:
        case KEY_PAGE_DOWN:
            *first += by; /* drawing keeps it inside the text */
            break;
        case KEY_HOME_:
            *first = 0;
            break;
        case KEY_END_:
            *first = SLICE_NONE / 2;
            break;
        default:
            break;
    }
}

/* True: the view is left. */
static bool on_event(struct opened_view *v, struct event event) {
    struct table *table = table_of(v);
    bool typing = table && table->searching;
    if (typing ? event.key == KEY_INTERRUPT && screen_ends(event) : screen_ends(event)) return v->ended = true;
    if (event.key == KEY_CLICK && event.row == tabs_row(v) && tab_at(v, event.column) >= 0) {
        go(v, tab_at(v, event.column));
        return false;
    }
    if (!typing) {
        if (event.key == KEY_TAB) go(v, v->at + 1);
        if (event.key == KEY_BACK_TAB) go(v, v->at - 1);
        if (event.key == KEY_TEXT && event.ch >= '1' && event.ch < (uint32_t)('1' + v->part_count))
            go(v, (int)(event.ch - '1'));
        if (event.key == KEY_TEXT && event.ch == '?') help(&v->ended);
        if (event.key == KEY_TEXT && event.ch == 'b' && part_of(v) == PART_GROUPS) group_table_next(&v->groups);
    }
    bool chosen = false;
    if (part_of(v) == PART_TIMELINE) chosen = timeline_event(&v->timeline, event);
    if (is_text(v)) scroll(v, event);
    enum table_answer answer = table ? table_event(table, event) : TABLE_IGNORED;
    if (answer == TABLE_IGNORED && event.key == KEY_ESCAPE) return true;
    if (chosen || answer == TABLE_CHOSEN) choose(v);
    return v->ended;
}

enum answer report_view(const struct opened *opened) {
    struct opened_view v = {.opened = opened};
    make_parts(&v);
    do draw(&v);
    while (!on_event(&v, screen_event(-1)));
    if (v.ranks_made) {
        rank_whys_release(&v.whys);
        rank_rows_release(&v.ranks);
    }
    timeline_release(&v.timeline);
    group_table_release(&v.groups);
    for (int i = 0; i < PART_COUNT; i++) table_release(&v.tables[i]), strbuf_release(&v.texts[i]);
    return v.ended ? ANSWER_END : ANSWER_BACK;
}
