/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/table.h"

#include <stdio.h>
#include <strings.h>

#include "base/utf8.h"

/* qsort_r passes this on. */
static int compare_rows(const void *a, const void *b, void *context) {
    const struct table *t = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = t->compare(t->who, x, y, t->sort_column);
    if (t->columns[t->sort_column].falling != t->reversed) order = -order;
    return order ? order : (x > y) - (x < y);
}

static bool matches(struct table *t, size_t row) {
    if (!t->search[0]) return true;
    struct strbuf text = {0};
    bool found = false;
    for (size_t c = 0; c < t->column_count && !found; c++) {
        enum look look = LOOK_PLAIN;
        strbuf_clear(&text);
        t->cell(t->who, row, c, &text, &look);
        found = strcasestr(strbuf_text(&text), t->search) != NULL;
    }
    strbuf_release(&text);
    return found;
}

void table_arrange(struct table *t) {
    size_t kept = table_row(t);
    vec_clear(&t->order);
    for (size_t row = 0; row < t->row_count; row++)
        if (matches(t, row)) vec_push(&t->order, (uint32_t)row);
    if (t->compare && t->order.len) qsort_r(t->order.items, t->order.len, sizeof *t->order.items, compare_rows, t);
    t->selected = 0;
    for (size_t i = 0; i < t->order.len; i++)
        if (t->order.items[i] == kept) t->selected = i;
}

/* A longer search can only remove rows. */
static void narrow(struct table *t) {
    size_t kept = 0, row = table_row(t);
    t->selected = 0;
    for (size_t i = 0; i < t->order.len; i++) {
        if (!matches(t, t->order.items[i])) continue;
        if (t->order.items[i] == row) t->selected = kept;
        t->order.items[kept++] = t->order.items[i];
    }
    t->order.len = kept;
}

size_t table_row(const struct table *t) { return t->selected < t->order.len ? t->order.items[t->selected] : SLICE_NONE; }

void table_release(struct table *t) { vec_release(&t->order); }

enum { WIDE_COLUMNS = 140 };

static bool is_shown(const struct table *t, size_t c) { return screen_columns() >= t->columns[c].from; }

/* 0: takes the rest. */
static int fixed_width(const struct table *t, size_t c) {
    return t->columns[c].wide && screen_columns() >= WIDE_COLUMNS ? t->columns[c].wide : t->columns[c].width;
}

static int flexible_width(const struct table *t) {
    int used = 1, flexible = 0;
    for (size_t c = 0; c < t->column_count; c++) {
        if (!is_shown(t, c)) continue;
        used += fixed_width(t, c) + 2;
        flexible += !fixed_width(t, c);
    }
    int left = screen_columns() - used;
    return flexible ? (left > flexible * 6 ? left / flexible : 6) : 0;
}

static void draw_head(struct table *t, int row, int flexible) {
    int at = 1;
    for (size_t c = 0; c < t->column_count; c++) {
        const struct table_column *column = &t->columns[c];
        if (!is_shown(t, c)) continue;
        int width = fixed_width(t, c) ? fixed_width(t, c) : flexible;
        struct strbuf title = {0};
        strbuf_addz(&title, column->title);
        bool sorted = t->compare && c == t->sort_column;
        if (sorted)
            strbuf_addz(&title, column->falling != t->reversed ? (screen_utf8() ? " ▾" : " v") : (screen_utf8() ? " ▴" : " ^"));
        if (column->right) screen_put_right(row, at + width, width, sorted ? LOOK_BOLD : LOOK_DIM, strbuf_slice(&title));
        else screen_put(row, at, width, sorted ? LOOK_BOLD : LOOK_DIM, strbuf_slice(&title));
        strbuf_release(&title);
        at += width + 2;
    }
}

static void draw_row(struct table *t, int row, size_t number, int flexible) {
    bool chosen = number == t->selected;
    if (chosen) screen_put_fill(row, 0, screen_columns(), LOOK_CHOSEN);
    int at = 1;
    struct strbuf text = {0};
    for (size_t c = 0; c < t->column_count; c++) {
        if (!is_shown(t, c)) continue;
        int width = fixed_width(t, c) ? fixed_width(t, c) : flexible;
        enum look look = LOOK_PLAIN;
        strbuf_clear(&text);
        t->cell(t->who, t->order.items[number], c, &text, &look);
        if (chosen) look = LOOK_CHOSEN;
        if (t->columns[c].right) screen_put_right(row, at + width, width, look, strbuf_slice(&text));
        else screen_put(row, at, width, look, strbuf_slice(&text));
        at += width + 2;
    }
    strbuf_release(&text);
}

void table_draw(struct table *t, int first_row, int rows) {
    int flexible = flexible_width(t);
    draw_head(t, first_row, flexible);
    t->first_row = first_row + 1;
    t->rows = rows - 1;
    if (t->searching || t->search[0]) t->rows--;
    if (t->rows < 1) return;
    if (t->selected < t->top) t->top = t->selected;
    if (t->selected >= t->top + (size_t)t->rows) t->top = t->selected - (size_t)t->rows + 1;
    if (t->top + (size_t)t->rows > t->order.len) t->top = t->order.len > (size_t)t->rows ? t->order.len - (size_t)t->rows : 0;
    for (int i = 0; i < t->rows && t->top + (size_t)i < t->order.len; i++)
        draw_row(t, t->first_row + i, t->top + (size_t)i, flexible);
    if (t->searching || t->search[0])
        screen_putf(first_row + rows - 1, 1, screen_columns() - 2, LOOK_ACCENT, "/%s%s   %zu of %zu", t->search,
                    t->searching ? "_" : "", t->order.len, t->row_count);
}

static void move(struct table *t, long by) {
    if (!t->order.len) return;
    long to = (long)t->selected + by;
    t->selected = to < 0 ? 0 : (size_t)to >= t->order.len ? t->order.len - 1 : (size_t)to;
}

static void add_search(struct table *t, uint32_t ch) {
    char bytes[8];
    size_t n = utf8_encode(ch, bytes), len = strlen(t->search);
    if (len + n >= sizeof t->search) return;
    memcpy(t->search + len, bytes, n);
    t->search[len + n] = '\0';
}

static void shorten_search(struct table *t) {
    size_t len = strlen(t->search);
    while (len && ((unsigned char)t->search[len - 1] & 0xc0) == 0x80) len--;
    if (len) t->search[len - 1] = '\0';
}

/* While the search is typed, text belongs to it. */
static enum table_answer search_event(struct table *t, struct event event) {
    switch (event.key) {
        case KEY_TEXT:
            add_search(t, event.ch);
            narrow(t);
            return TABLE_MOVED;
        case KEY_ERASE:
            if (!t->search[0]) t->searching = false;
            shorten_search(t);
            break;
        case KEY_KILL:
            t->search[0] = '\0';
            break;
        case KEY_ENTER_:
            t->searching = false;
            return TABLE_MOVED;
        case KEY_ESCAPE:
            t->searching = false;
            t->search[0] = '\0';
            break;
        default:
            return TABLE_IGNORED;
    }
    table_arrange(t);
    return TABLE_MOVED;
}

static enum table_answer click(struct table *t, int row) {
    if (row < t->first_row || row >= t->first_row + t->rows) return TABLE_IGNORED;
    size_t number = t->top + (size_t)(row - t->first_row);
    if (number >= t->order.len) return TABLE_IGNORED;
    if (number == t->selected) return TABLE_CHOSEN;
    t->selected = number;
    return TABLE_MOVED;
}

static void sort_by_next(struct table *t) {
    do t->sort_column = (t->sort_column + 1) % t->column_count;
    while (!is_shown(t, t->sort_column));
    t->reversed = false;
}

static enum table_answer letter(struct table *t, uint32_t ch) {
    switch (ch) {
        case 'j':
            move(t, 1);
            return TABLE_MOVED;
        case 'k':
            move(t, -1);
            return TABLE_MOVED;
        case 'g':
            move(t, -(long)t->order.len);
            return TABLE_MOVED;
        case 'G':
            move(t, (long)t->order.len);
            return TABLE_MOVED;
        case '/':
            t->searching = true;
            t->search[0] = '\0';
            table_arrange(t);
            return TABLE_MOVED;
        case 's':
        case 'S':
            if (!t->compare) return TABLE_IGNORED;
            if (ch == 'S') t->reversed = !t->reversed;
            else sort_by_next(t);
            table_arrange(t);
            return TABLE_MOVED;
        default:
            return TABLE_IGNORED;
    }
}

enum table_answer table_event(struct table *t, struct event event) {
    if (t->searching) {
        enum table_answer answer = search_event(t, event);
        if (answer != TABLE_IGNORED) return answer;
    }
    switch (event.key) {
        case KEY_UP_:
            move(t, -1);
            return TABLE_MOVED;
        case KEY_DOWN_:
            move(t, 1);
            return TABLE_MOVED;
        case KEY_WHEEL_UP:
            move(t, -3);
            return TABLE_MOVED;
        case KEY_WHEEL_DOWN:
            move(t, 3);
            return TABLE_MOVED;
        case KEY_PAGE_UP:
            move(t, -t->rows);
            return TABLE_MOVED;
        case KEY_PAGE_DOWN:
            move(t, t->rows);
            return TABLE_MOVED;
        case KEY_HOME_:
            move(t, -(long)t->order.len);
            return TABLE_MOVED;
        case KEY_END_:
            move(t, (long)t->order.len);
            return TABLE_MOVED;
        case KEY_ENTER_:
            return t->order.len ? TABLE_CHOSEN : TABLE_IGNORED;
        case KEY_CLICK:
            return click(t, event.row);
        case KEY_TEXT:
            return letter(t, event.ch);
        case KEY_ESCAPE:
            if (!t->search[0]) return TABLE_IGNORED;
            t->search[0] = '\0';
            table_arrange(t);
            return TABLE_MOVED;
        default:
            return TABLE_IGNORED;
    }
}
