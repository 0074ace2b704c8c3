/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/top_screen.h"

#include "base/amounts.h"
#include "base/num.h"
#include "base/progress.h"
#include "render/answer/top_view.h"
#include "tui/table.h"

enum {
    FIRST_ROW = 2,
    GRAPH_ROWS = 5,
    FIND_EVERY_MS = 1000,
    AMOUNT = 9,
    BAR = 14,
    WARN_PERCENT = 80,
    BAD_PERCENT = 90,
    WIDE = 120,
    WAITING_ROWS = 4,
};

enum top_column {
    COL_DEVICE,
    COL_PID,
    COL_NAME,
    COL_DRAM,
    COL_L1,
    COL_CB,
    COL_TRACE,
    COL_RSS,
    COL_UPDATED,
    COL_COMMAND,
    COLUMNS
};

struct screen_row {
    const struct live_device *device;
    const struct live_process *process;
};

struct screen_view {
    struct live_devices *live;
    const struct top_screen_options *options;
    VEC(struct screen_row) rows; /* processes of all devices, or of the chosen one */
    struct table table;
    struct table_column shown[COLUMNS]; /* columns of the table */
    enum top_column which[COLUMNS];     /* their kinds */
    size_t chosen;                      /* device */
    size_t top;                         /* first device shown */
    bool one_device, paused, help;
    enum shm_kind kind; /* of the graph */
    int interval_ms;
    const char *message;
};

/* --- the table of processes --- */

static const struct table_column columns[COLUMNS] = {
    [COL_DEVICE] = {"DEV", 4, true, false, 0, 0},      [COL_PID] = {"PID", 8, true, false, 0, 0},
    [COL_NAME] = {"PROCESS", 12, false, false, 24, 0}, [COL_DRAM] = {"DRAM", AMOUNT, true, true, 0, 0},
    [COL_L1] = {"L1", AMOUNT, true, true, 0, 0},       [COL_CB] = {"CB", AMOUNT, true, true, 0, 0},
    [COL_TRACE] = {"TRACE", AMOUNT, true, true, 0, 0}, [COL_RSS] = {"HOST", AMOUNT, true, true, 0, 0},
    [COL_UPDATED] = {"UPDATED", 8, true, false, 0, 0}, [COL_COMMAND] = {"COMMAND", 0, false, false, 0, 0},
};

/* On a narrow screen the command line is worth more than the rest. */
enum { NARROW = 110 };
static const enum top_column all[] = {COL_DEVICE, COL_PID,   COL_NAME, COL_DRAM,    COL_L1,
                                      COL_CB,     COL_TRACE, COL_RSS,  COL_UPDATED, COL_COMMAND};
static const enum top_column fewer[] = {COL_DEVICE, COL_PID, COL_NAME, COL_DRAM, COL_L1, COL_CB, COL_RSS, COL_COMMAND};

/* Which memory a column shows; -1: none. */
static int kind_of(enum top_column column) {
    switch (column) {
        case COL_DRAM:
            return SHM_DRAM;
        case COL_L1:
            return SHM_L1;
        case COL_CB:
            return SHM_CB;
        case COL_TRACE:
            return SHM_TRACE;
        default:
            return -1;
    }
}

static void cell(void *who, size_t number, size_t place, struct strbuf *out, enum look *look) {
    const struct screen_view *v = who;
    enum top_column column = v->which[place];
    const struct screen_row *row = &v->rows.items[number];
    const struct live_process *process = row->process;
    if (!process_counts(process)) *look = LOOK_DIM;
    if (kind_of(column) >= 0) add_scaled_size(out, process->bytes[kind_of(column)], true);
    else if (column == COL_RSS && process->rss_bytes) add_scaled_size(out, process->rss_bytes, true);
    else if (column == COL_RSS) strbuf_addc(out, '-');
    else if (column == COL_DEVICE) strbuf_addu(out, row->device->id);
    else if (column == COL_PID) strbuf_addu(out, (uint64_t)process->pid);
    else if (column == COL_NAME) strbuf_add(out, process->name);
    else if (column == COL_UPDATED) add_age(out, process->updated_ns, live_devices_now(v->live));
    else if (process->state == PROCESS_ALIVE) strbuf_add(out, process->command);
    else if (process->state == PROCESS_NOT_VISIBLE) strbuf_addz(out, "not visible here: another pid namespace");
    else strbuf_addf(out, "%s, not in the sum", process_state_names[process->state]);
}

static int order_of(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare(void *who, size_t a, size_t b, size_t place) {
    const struct screen_view *v = who;
    enum top_column column = v->which[place];
    const struct screen_row *x = &v->rows.items[a], *y = &v->rows.items[b];
    if (kind_of(column) >= 0) return order_of(x->process->bytes[kind_of(column)], y->process->bytes[kind_of(column)]);
    switch (column) {
        case COL_DEVICE:
            return order_of(x->device->id, y->device->id);
        case COL_PID:
            return order_of((uint64_t)x->process->pid, (uint64_t)y->process->pid);
        case COL_NAME:
            return strcmp(x->process->name.ptr, y->process->name.ptr);
        case COL_RSS:
            return order_of(x->process->rss_bytes, y->process->rss_bytes);
        case COL_UPDATED:
            return order_of(y->process->updated_ns, x->process->updated_ns);
        default:
            return order_of(x->process->command.len, y->process->command.len);
    }
}

/* Columns for the width of the screen; the list stays sorted by the same column if it is still shown. */
static void choose_columns(struct screen_view *v) {
    bool narrow = screen_columns() < NARROW;
    size_t count = narrow ? sizeof fewer / sizeof *fewer : sizeof all / sizeof *all;
    if (v->table.column_count == count) return;
    enum top_column sorted = v->table.column_count ? v->which[v->table.sort_column] : COL_DRAM;
    v->table.sort_column = COL_DRAM;
    for (size_t i = 0; i < count; i++) {
        v->which[i] = narrow ? fewer[i] : all[i];
        v->shown[i] = columns[v->which[i]];
        if (v->which[i] == sorted) v->table.sort_column = i;
    }
    v->table.column_count = count;
    table_arrange(&v->table);
}

static void list_processes(struct screen_view *v) {
    vec_clear(&v->rows);
    size_t count = live_devices_count(v->live);
    if (v->chosen >= count) v->chosen = count ? count - 1 : 0;
    for (size_t i = 0; i < count; i++) {
        const struct live_device *device = live_devices_get(v->live, i);
        for (unsigned k = 0; (!v->one_device || i == v->chosen) && k < device->process_count; k++)
            vec_push(&v->rows, ((struct screen_row){device, &device->processes[k]}));
    }
    v->table.row_count = v->rows.len;
    table_arrange(&v->table);
}

/* --- devices --- */

static enum look look_of(uint64_t sum, uint64_t capacity) {
    uint64_t percent = capacity ? sum * 100 / capacity : 0;
    return percent >= BAD_PERCENT ? LOOK_BAD : percent >= WARN_PERCENT ? LOOK_WARN : LOOK_PLAIN;
}

/* "DRAM ███░░ 7.92 GB 66 %" from `column` on; returns where it ends. */
static int draw_kind(const struct screen_view *v, int row, int column, const struct live_device *device, enum shm_kind kind) {
    uint64_t sum = device->sum[kind], capacity = live_capacity(v->options->chip, kind);
    struct strbuf text = {0};
    column += screen_putz(row, column, 5, LOOK_DIM, shm_kind_names[kind]) + 1;
    if (capacity && screen_columns() >= WIDE) {
        term_bar(&text, screen_term(), (int64_t)(sum < capacity ? sum : capacity), (int64_t)capacity, BAR);
        screen_put_toned(row, column, BAR, strbuf_slice(&text));
        column += BAR + 1;
        strbuf_clear(&text);
    }
    add_scaled_size(&text, sum, true);
    screen_put_right(row, column + AMOUNT, AMOUNT, look_of(sum, capacity), strbuf_slice(&text));
    column += AMOUNT + 1;
    if (capacity) {
        strbuf_clear(&text);
        strbuf_addf(&text, "%llu %%", (unsigned long long)(sum * 100 / capacity));
        screen_put_right(row, column + 5, 5, look_of(sum, capacity), strbuf_slice(&text));
        column += 6;
    }
    strbuf_release(&text);
    return column + 1;
}

static bool differs(const struct live_device *device) {
    for (unsigned kind = 0; kind < SHM_KINDS; kind++)
        if (device->sum[kind] != device->total[kind]) return true;
    return false;
}

static void draw_device(const struct screen_view *v, int row, size_t number) {
    const struct live_device *device = live_devices_get(v->live, number);
    struct strbuf text = {0};
    int at = 1;
    screen_put(row, 0, 1, LOOK_ACCENT, number == v->chosen ? SLICE(">") : SLICE(" "));
    if (device->problem != DEVICE_OK) {
        strbuf_addf(&text, "chip %llu ", (unsigned long long)device->asic);
        live_device_problem(device, &text);
        screen_put(row, at, screen_columns() - at - 1, LOOK_WARN, strbuf_slice(&text));
        strbuf_release(&text);
        return;
    }
    at += screen_putf(row, at, 12, number == v->chosen ? LOOK_BOLD : LOOK_PLAIN, "device %-4u", device->id) + 1;
    at = draw_kind(v, row, at, device, SHM_DRAM);
    at = draw_kind(v, row, at, device, SHM_L1);
    if (screen_columns() - at > 20) at = draw_kind(v, row, at, device, SHM_CB);
    if (differs(device)) {
        strbuf_addz(&text, "segment says ");
        add_scaled_size(&text, device->total[SHM_DRAM], true);
        strbuf_addz(&text, ", ");
    }
    strbuf_addz(&text, "updated ");
    add_age(&text, device->updated_ns, live_devices_now(v->live));
    screen_put(row, at, screen_columns() - at - 1, LOOK_DIM, strbuf_slice(&text));
    strbuf_release(&text);
}

/* What the screen waits for, if there is nothing to show yet. */
static void draw_waiting(const struct screen_view *v, int row) {
    int width = screen_columns() - 2;
    screen_putf(row, 1, width, LOOK_WARN, "no device is open now: waiting for one in %s", live_devices_folder(v->live));
    screen_putz(row + 1, 1, width, LOOK_DIM, "tt-metal from 2026-04-19 on writes tt_device_*_memory there for each chip that");
    screen_putz(row + 2, 1, width, LOOK_DIM, "a program has opened, unless TT_METAL_SHM_TRACKING_DISABLED=1 is set; only the");
    screen_putz(row + 3, 1, width, LOOK_DIM, "user who runs that program and root can read it.");
}

static int draw_devices(struct screen_view *v, int row, int most) {
    size_t count = live_devices_count(v->live);
    int shown = count < (size_t)most ? (int)count : most;
    if (v->chosen < v->top) v->top = v->chosen;
    if (v->chosen >= v->top + (size_t)shown) v->top = v->chosen - (size_t)shown + 1;
    if (v->top + (size_t)shown > count) v->top = count - (size_t)shown;
    for (int i = 0; i < shown; i++) draw_device(v, row + i, v->top + (size_t)i);
    if (!count) draw_waiting(v, row);
    return row + (count ? shown : WAITING_ROWS);
}

/* --- history --- */

/* Newest at the right; full height is the capacity, or the peak if that is unknown. */
static int draw_history(const struct screen_view *v, int row) {
    const struct live_device *device = live_devices_get(v->live, v->chosen);
    uint64_t capacity = live_capacity(v->options->chip, v->kind), top = capacity ? capacity : device->peak[v->kind];
    int width = screen_columns() - 2;
    struct strbuf text = {0};
    strbuf_addf(&text, "%s of device %u, peak ", shm_kind_names[v->kind], device->id);
    add_scaled_size(&text, device->peak[v->kind], true);
    strbuf_addz(&text, capacity ? " of " : ", full height ");
    add_scaled_size(&text, top, true);
    if (device->total[v->kind] != device->sum[v->kind]) {
        strbuf_addz(&text, "; the segment says ");
        add_scaled_size(&text, device->total[v->kind], true);
    }
    if (!v->options->chip) strbuf_addz(&text, "; capacity not known: --device");
    screen_put(row, 1, width, LOOK_DIM, strbuf_slice(&text));
    strbuf_release(&text);
    for (int x = 0; x < width; x++) {
        uint64_t back = (uint64_t)(width - x);
        if (back > device->history_len || back > LIVE_HISTORY) continue;
        uint64_t value = device->history[(device->history_len - back) % LIVE_HISTORY][v->kind];
        uint64_t eighths = top ? (uint64_t)((unsigned __int128)(value < top ? value : top) * GRAPH_ROWS * 8 / top) : 0;
        for (int y = 0; y < GRAPH_ROWS; y++) {
            uint64_t below = (uint64_t)(GRAPH_ROWS - 1 - y) * 8;
            if (eighths > below)
                screen_put_block(row + 1 + y, 1 + x, LOOK_GRAPH, (unsigned)(eighths - below < 8 ? eighths - below : 8));
        }
    }
    return row + 1 + GRAPH_ROWS;
}

/* --- the screen --- */

static void draw_help(void) {
    static const char *const lines[] = {
        "↑ ↓ PgUp PgDn   move in the list of processes",
        "Tab  Shift+Tab  choose the device whose history is shown",
        "d               processes of the chosen device, or of all",
        "m               history of DRAM, L1, L1_SMALL, TRACE, CB in turn",
        "s  S            sort by the next column, reverse the order",
        "/               show only processes with this text; Esc shows all again",
        "p  Space        pause and resume",
        "+  -            sample more or less often, 0.1 to 10 seconds",
        "q  Esc  Ctrl+C  quit",
        "",
        "Sums count processes that are alive. One that died without cleaning up",
        "leaves its numbers in the segment: it is shown as dead, and the segment's",
        "own total beside the sum. DRAM and L1 are bytes over all banks, without",
        "padding. CB is refreshed ten times a second at most, and where several",
        "processes share a device the last one wins. A segment does not say what",
        "its chip has: ttmem top --device n150 (p150, ...) gives shares.",
        "With tt-metal from 2026-05-27 on, all but CB and HOST are lower bounds: it",
        "counts only what the thread that opened the first device allocates.",
    };
    screen_put_frame("top", "any key: back");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        screen_putz(FIRST_ROW + 1 + (int)i, 2, screen_columns() - 4, LOOK_PLAIN, lines[i]);
}

static void draw_title(const struct screen_view *v) {
    struct strbuf title = {0}, sums = {0};
    uint64_t dram = 0;
    size_t count = live_devices_count(v->live);
    for (size_t i = 0; i < count; i++) dram = shm_sum(dram, live_devices_get(v->live, i)->sum[SHM_DRAM]);
    strbuf_addf(&title, "top   every %d.%d s%s", v->interval_ms / 1000, v->interval_ms % 1000 / 100,
                v->paused ? "   PAUSED" : "");
    screen_put_frame(strbuf_text(&title), "Tab device · s sort · / find · m memory · p pause · ? help · q quit");
    strbuf_addf(&sums, "%zu device%s, DRAM ", count, count == 1 ? "" : "s");
    add_scaled_size(&sums, dram, true);
    screen_put_right(0, screen_columns() - 1, screen_columns() / 2, LOOK_DIM, strbuf_slice(&sums));
    strbuf_release(&title);
    strbuf_release(&sums);
}

static void draw(struct screen_view *v) {
    screen_clear();
    if (v->help) {
        draw_help();
        screen_show();
        return;
    }
    draw_title(v);
    choose_columns(v);
    int rows = screen_rows(), row = draw_devices(v, FIRST_ROW, rows > 40 ? rows / 3 : rows / 4 > 2 ? rows / 4 : 2);
    if (live_devices_count(v->live) && live_devices_get(v->live, v->chosen)->problem == DEVICE_OK)
        row = draw_history(v, row + 1);
    if (live_devices_may_lack(v->live) && rows > 20)
        screen_putz(row++, 1, screen_columns() - 2, LOOK_DIM,
                    "lower bounds with tt-metal from 2026-05-27 on: only one thread is counted (?)");
    row++;
    if (v->message) screen_putz(row++, 1, screen_columns() - 2, LOOK_BAD, v->message);
    if (rows - row - 1 > 2) table_draw(&v->table, row, rows - row - 1);
    screen_show();
}

static void change_interval(struct screen_view *v, bool more) {
    static const int steps[] = {100, 200, 500, 1000, 2000, 5000, 10000};
    int count = (int)(sizeof steps / sizeof *steps), at = 0;
    while (at < count - 1 && steps[at] < v->interval_ms) at++;
    at += more ? -1 : 1;
    v->interval_ms = steps[at < 0 ? 0 : at >= count ? count - 1 : at];
}

static void choose_device(struct screen_view *v, bool forward) {
    size_t count = live_devices_count(v->live);
    if (count) v->chosen = (v->chosen + (forward ? 1 : count - 1)) % count;
    list_processes(v);
}

/* False: the user leaves. */
static bool take_event(struct screen_view *v, struct event event) {
    if (v->help && event.key != KEY_NONE) {
        v->help = false;
        return event.key != KEY_INTERRUPT;
    }
    if (v->table.searching || event.key != KEY_TEXT) {
        if (event.key == KEY_INTERRUPT) return false;
        if (event.key == KEY_TAB || event.key == KEY_BACK_TAB) choose_device(v, event.key == KEY_TAB);
        else if (table_event(&v->table, event) == TABLE_IGNORED && event.key == KEY_ESCAPE) return false;
        return true;
    }
    switch (event.ch) {
        case 'q':
            return false;
        case '?':
            v->help = true;
            break;
        case 'p':
        case ' ':
            v->paused = !v->paused;
            break;
        case 'd':
            v->one_device = !v->one_device;
            list_processes(v);
            break;
        case 'm':
            v->kind = (enum shm_kind)((v->kind + 1) % SHM_KINDS);
            break;
        case '+':
        case '=':
            change_interval(v, true);
            break;
        case '-':
            change_interval(v, false);
            break;
        default:
            table_event(&v->table, event);
    }
    return true;
}

static int sample(struct screen_view *v, int64_t *next_find, struct err *err) {
    int64_t now = clock_ns();
    bool find = now >= *next_find;
    if (find) *next_find = now + (int64_t)FIND_EVERY_MS * 1000000;
    live_devices_sample(v->live, find);
    list_processes(v);
    return v->options->sampled ? v->options->sampled(v->options->who, &v->message, err) : 0;
}

static int watch(struct screen_view *v, struct err *err) {
    int64_t next_sample = 0, next_find = 0;
    for (;;) {
        int64_t now = clock_ns();
        if (now >= next_sample) {
            if (!v->paused && sample(v, &next_find, err) != 0) return -1;
            next_sample = now + (int64_t)v->interval_ms * 1000000;
        }
        draw(v);
        int64_t wait = (next_sample - clock_ns()) / 1000000;
        if (!take_event(v, screen_event(wait > 0 ? (int)wait : 0))) return 0;
    }
}

int top_screen_run(struct live_devices *live, const struct top_screen_options *options, struct err *err) {
    struct screen_view v = {.live = live, .options = options, .interval_ms = options->interval_ms};
    v.table = (struct table){.columns = v.shown, .who = &v, .cell = cell, .compare = compare};
    if (screen_enter(err) != 0) return -1;
    choose_columns(&v);
    int rc = watch(&v, err);
    screen_leave();
    table_release(&v.table);
    vec_release(&v.rows);
    return rc;
}
