/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/timeline.h"

#include <stdlib.h>

#include "base/amounts.h"
#include "base/mem.h"
#include "base/num.h"
#include "render/format/short_location.h"
#include "render/format/warning_words.h"

enum { AXIS = 9, MIN_SHOWN = 8 };

/* The blocks before and after a record; if it has neither, the state before it continues. */
static uint32_t *make_values(const struct run *run, enum pool pool) {
    uint32_t *values = mem_zalloc(run->records.len + 1, sizeof *values), last = 0;
    for (size_t r = 0; r < run->records.len; r++) {
        const struct step *step = &run->steps.items[run->records.items[r]];
        uint32_t found = 0;
        bool any = false;
        const uint32_t blocks[] = {step->block, step->after};
        for (size_t i = 0; i < 2; i++) {
            if (blocks[i] == NONE) continue;
            const struct block *block = &run->blocks.items[blocks[i]];
            if (!(block->have & 1u << pool)) continue;
            any = true;
            if (block->allocated[pool] > found) found = block->allocated[pool];
            last = block->allocated[pool];
        }
        values[r] = any ? found : last;
    }
    return values;
}

static const uint32_t *values_of(struct timeline *t) {
    if (!t->values[t->pool]) t->values[t->pool] = make_values(t->opened->run, t->pool);
    return t->values[t->pool];
}

void timeline_init(struct timeline *t, const struct opened *opened) {
    *t = (struct timeline){.opened = opened, .count = opened->run->records.len};
    const struct peak *peak = &opened->overview->peaks.pools[POOL_DRAM];
    if (peak->seen && peak->after_record != NONE) t->cursor = peak->after_record;
}

void timeline_release(struct timeline *t) {
    for (unsigned i = 0; i < POOL_COUNT; i++) free(t->values[i]);
}

static void show_cursor(struct timeline *t) {
    size_t total = t->opened->run->records.len;
    if (t->count > total) t->count = total;
    if (t->cursor >= total) t->cursor = total ? total - 1 : 0;
    if (t->cursor < t->first) t->first = t->cursor;
    if (t->cursor >= t->first + t->count) t->first = t->cursor + 1 - t->count;
    if (t->first + t->count > total) t->first = total - t->count;
}

/* Record range [*from, *to) of a column. */
static void column_records(const struct timeline *t, int column, size_t *from, size_t *to) {
    size_t width = (size_t)t->graph_width;
    *from = t->first + t->count * (size_t)column / width;
    *to = t->first + t->count * (size_t)(column + 1) / width;
    if (*to <= *from) *to = *from + 1;
}

static int cursor_column(const struct timeline *t) {
    if (!t->count) return 0;
    size_t at =
        ((t->cursor - t->first) * (size_t)t->graph_width + (size_t)t->graph_width / 2 * (t->count <= (size_t)t->graph_width)) /
        t->count;
    return at < (size_t)t->graph_width ? (int)at : t->graph_width - 1;
}

static void draw_axis(const struct timeline *t, int64_t scale) {
    int marks = t->graph_rows >= 9 ? 4 : 2;
    for (int i = 0; i <= marks; i++) {
        int row = t->graph_row + (t->graph_rows - 1) * i / marks;
        struct strbuf text = {0};
        int64_t value = scale - scale * i / marks;
        add_milli(&text, value, scale >= 100000 ? 0 : 3);
        screen_put_right(row, AXIS - 1, AXIS - 2, LOOK_DIM, strbuf_slice(&text));
        strbuf_release(&text);
    }
    for (int row = 0; row < t->graph_rows; row++) screen_putz(t->graph_row + row, AXIS, 1, LOOK_DIM, screen_utf8() ? "│" : "|");
}

static void draw_columns(struct timeline *t, const uint32_t *values, int64_t scale) {
    int at_cursor = cursor_column(t);
    for (int c = 0; c < t->graph_width; c++) {
        size_t from, to;
        column_records(t, c, &from, &to);
        uint32_t highest = 0;
        for (size_t r = from; r < to; r++)
            if (values[r] > highest) highest = values[r];
        uint64_t eighths = (uint64_t)highest * 8 * (uint64_t)t->graph_rows / (uint64_t)scale;
        if (highest && !eighths) eighths = 1;
        bool cursor = c == at_cursor;
        for (int row = 0; row < t->graph_rows; row++) {
            uint64_t below = (uint64_t)(t->graph_rows - 1 - row) * 8;
            unsigned filled = eighths <= below ? 0 : eighths - below >= 8 ? 8 : (unsigned)(eighths - below);
            if (!cursor) screen_put_block(t->graph_row + row, t->graph_column + c, LOOK_GRAPH, filled);
            else if (filled) screen_put_block(t->graph_row + row, t->graph_column + c, LOOK_WARN, filled);
            else screen_putz(t->graph_row + row, t->graph_column + c, 1, LOOK_DIM, screen_utf8() ? "┊" : ":");
        }
    }
}

static void draw_head(struct timeline *t, int row, const struct peak *peak) {
    int at = 1;
    for (unsigned pool = 0; pool < POOL_COUNT; pool++) {
        if (!t->opened->overview->peaks.pools[pool].seen) continue;
        at += screen_putz(row, at, 12, pool == t->pool ? LOOK_TITLE : LOOK_DIM, pool_names[pool]) + 2;
    }
    struct strbuf text = {0};
    unsigned decimals = peak->allocated >= 100000 ? 1 : 3;
    strbuf_addf(&text, "peak %s of %s MB per %s, %s %%", figure_milli(peak->allocated, decimals).text,
                figure_milli(peak->total, decimals).text, pool_unit(t->opened->run, t->pool),
                figure_percent(peak->allocated, peak->total, 0).text);
    screen_put_right(row, screen_columns() - 1, screen_columns() - at - 2, LOOK_PLAIN, strbuf_slice(&text));
    strbuf_release(&text);
}

static void add_state(struct strbuf *out, const struct run *run, uint32_t block, enum pool pool) {
    if (block == NONE || !(run->blocks.items[block].have & 1u << pool)) strbuf_addz(out, "?");
    else add_milli(out, run->blocks.items[block].allocated[pool], 3);
}

static void draw_foot(struct timeline *t, int row) {
    const struct run *run = t->opened->run;
    const struct step *step = &run->steps.items[run->records.items[t->cursor]];
    struct strbuf left = {0}, right = {0};
    strbuf_addf(&left, "#%zu", t->first);
    strbuf_addf(&right, "#%zu", t->first + t->count - 1);
    screen_put(row, t->graph_column, 12, LOOK_DIM, strbuf_slice(&left));
    screen_put_right(row, t->graph_column + t->graph_width, 12, LOOK_DIM, strbuf_slice(&right));
    strbuf_clear(&left);
    strbuf_addf(&left, "#%zu ", t->cursor);
    strbuf_add(&left, step_name(run, step));
    int used = screen_put(row + 1, 1, screen_columns() / 2, LOOK_BOLD, strbuf_slice(&left));
    strbuf_clear(&left);
    strbuf_addz(&left, "   ");
    add_state(&left, run, step->block, t->pool);
    strbuf_addz(&left, screen_utf8() ? " → " : " -> ");
    add_state(&left, run, step->after, t->pool);
    strbuf_addf(&left, " MB per %s   ", pool_unit(run, t->pool));
    short_location_of(&left, run, step);
    screen_put(row + 1, 1 + used, screen_columns() - used - 2, LOOK_PLAIN, strbuf_slice(&left));
    strbuf_release(&left);
    strbuf_release(&right);
}

void timeline_draw(struct timeline *t, int row, int rows) {
    const struct peak *peak = &t->opened->overview->peaks.pools[t->pool];
    if (!t->opened->run->records.len || !peak->seen) {
        screen_putz(row + 1, 3, screen_columns() - 4, LOOK_DIM, "The log holds no memory block that belongs to an op.");
        return;
    }
    t->graph_column = AXIS + 1;
    t->graph_width = screen_columns() - AXIS - 2;
    t->graph_row = row + 1;
    t->graph_rows = rows - 3;
    if (t->graph_rows < 2 || t->graph_width < 4) return;
    show_cursor(t);
    int64_t scale = t->to_capacity ? peak->total : peak->allocated;
    if (scale < 1) scale = 1;
    draw_head(t, row, peak);
    draw_axis(t, scale);
    draw_columns(t, values_of(t), scale);
    draw_foot(t, row + 1 + t->graph_rows);
}

static void zoom(struct timeline *t, bool in) {
    size_t total = t->opened->run->records.len, count = in ? t->count / 2 : t->count * 2;
    if (count < MIN_SHOWN) count = MIN_SHOWN;
    if (count > total) count = total;
    size_t half = count / 2;
    t->first = t->cursor > half ? t->cursor - half : 0;
    t->count = count;
}

static void next_pool(struct timeline *t) {
    for (unsigned i = 1; i <= POOL_COUNT; i++) {
        enum pool pool = (enum pool)((t->pool + i) % POOL_COUNT);
        if (!t->opened->overview->peaks.pools[pool].seen) continue;
        t->pool = pool;
        return;
    }
}

static void move(struct timeline *t, bool right, size_t by) {
    size_t total = t->opened->run->records.len;
    if (right) t->cursor = total - 1 - t->cursor > by ? t->cursor + by : total - 1;
    else t->cursor = t->cursor > by ? t->cursor - by : 0;
}

static bool click(struct timeline *t, struct event event) {
    int column = event.column - t->graph_column;
    if (column < 0 || column >= t->graph_width || event.row < t->graph_row || event.row >= t->graph_row + t->graph_rows)
        return false;
    size_t from, to, best;
    column_records(t, column, &from, &to);
    best = from;
    const uint32_t *values = values_of(t);
    for (size_t r = from; r < to && r < t->opened->run->records.len; r++)
        if (values[r] > values[best]) best = r;
    bool same = t->cursor == best;
    t->cursor = best;
    return same;
}

bool timeline_event(struct timeline *t, struct event event) {
    size_t total = t->opened->run->records.len;
    if (!total) return false;
    const struct peak *peak = &t->opened->overview->peaks.pools[t->pool];
    size_t column = t->graph_width > 0 ? t->count / (size_t)t->graph_width : 1;
    switch (event.key) {
        case KEY_LEFT_:
            move(t, false, column ? column : 1);
            break;
        case KEY_RIGHT_:
            move(t, true, column ? column : 1);
            break;
        case KEY_PAGE_UP:
            move(t, false, t->count / 4 + 1);
            break;
        case KEY_PAGE_DOWN:
            move(t, true, t->count / 4 + 1);
            break;
        case KEY_HOME_:
            t->cursor = 0;
            break;
        case KEY_END_:
            t->cursor = total - 1;
            break;
        case KEY_UP_:
        case KEY_WHEEL_UP:
            zoom(t, true);
            break;
        case KEY_DOWN_:
        case KEY_WHEEL_DOWN:
            zoom(t, false);
            break;
        case KEY_ENTER_:
            return true;
        case KEY_CLICK:
            return click(t, event);
        case KEY_TEXT:
            if (event.ch == '+' || event.ch == '=') zoom(t, true);
            if (event.ch == '-') zoom(t, false);
            if (event.ch == 'h') move(t, false, 1);
            if (event.ch == 'l') move(t, true, 1);
            if (event.ch == 'p') next_pool(t);
            if (event.ch == 'c') t->to_capacity = !t->to_capacity;
            if (event.ch == 'm' && peak->seen && peak->after_record != NONE) t->cursor = peak->after_record;
            break;
        default:
            break;
    }
    return false;
}
