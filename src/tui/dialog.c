/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/dialog.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/amounts.h"
#include "base/outfile.h"

enum { INDENT = 3, CHOICE_ROWS = 3, BAR = 40 };

static bool roomy(const struct choice_list *list) {
    return !list->compact && screen_rows() >= (int)list->len * CHOICE_ROWS + 11;
}

int choices_rows(const struct choice_list *list) { return (int)list->len * (roomy(list) ? CHOICE_ROWS : 1); }

void choices_draw(struct choice_list *list, int row, int column) {
    list->row = row;
    int each = roomy(list) ? CHOICE_ROWS : 1, hints = 0;
    for (size_t i = 0; i < list->len; i++) {
        int width = (int)strlen(list->items[i].title) + 8;
        if (width > hints) hints = width;
    }
    for (size_t i = 0; i < list->len; i++) {
        bool chosen = i == list->selected;
        int at = row + (int)i * each;
        screen_putz(at, column, 2, LOOK_ACCENT, chosen ? (screen_utf8() ? "❯" : ">") : " ");
        screen_putf(at, column + 2, screen_columns() - column - 3, chosen ? LOOK_BOLD : LOOK_PLAIN, "%zu  %s", i + 1,
                    list->items[i].title);
        if (each > 1) screen_putz(at + 1, column + 5, screen_columns() - column - 6, LOOK_DIM, list->items[i].hint);
        else screen_putz(at, column + hints, screen_columns() - column - hints - 1, LOOK_DIM, list->items[i].hint);
    }
}

bool choices_event(struct choice_list *list, struct event event) {
    int each = roomy(list) ? CHOICE_ROWS : 1;
    switch (event.key) {
        case KEY_WHEEL_UP:
        case KEY_BACK_TAB:
        case KEY_UP_:
            list->selected = (list->selected + list->len - 1) % list->len;
            return false;
        case KEY_WHEEL_DOWN:
        case KEY_TAB:
        case KEY_DOWN_:
            list->selected = (list->selected + 1) % list->len;
            return false;
        case KEY_ENTER_:
            return true;
        case KEY_CLICK: {
            int number = event.row >= list->row ? (event.row - list->row) / each : -1;
            if (number < 0 || (size_t)number >= list->len) return false;
            list->selected = (size_t)number;
            return true;
        }
        case KEY_TEXT:
            if (event.ch == 'j') list->selected = (list->selected + 1) % list->len;
            if (event.ch == 'k') list->selected = (list->selected + list->len - 1) % list->len;
            if (event.ch < '1' || event.ch > '9' || event.ch - '1' >= list->len) return false;
            list->selected = event.ch - '1';
            return true;
        default:
            return false;
    }
}

size_t text_draw(struct slice text, size_t first, int row, int count) {
    size_t number = 0;
    while (text.len) {
        size_t end = slice_find_byte(text, '\n');
        struct slice line = slice_take(text, end == SLICE_NONE ? text.len : end);
        if (number >= first && number < first + (size_t)(count > 0 ? count : 0))
            screen_put_toned(row + (int)(number - first), 1, screen_columns() - 2, line);
        number++;
        if (end == SLICE_NONE) break;
        text = slice_skip(text, end + 1);
    }
    return number;
}

int text_show(const struct text_page *reading, bool *ended) {
    size_t first = 0;
    *ended = false;
    for (;;) {
        screen_clear();
        screen_put_frame(reading->title, reading->keys);
        int rows = screen_rows() - 4;
        size_t lines = text_draw(reading->text, first, 3, rows);
        size_t last = lines > (size_t)rows ? lines - (size_t)rows : 0;
        if (first > last) {
            first = last;
            continue;
        }
        screen_show();
        struct event event = screen_event(-1);
        if (screen_ends(event)) {
            *ended = true;
            return 0;
        }
        size_t page = (size_t)(rows > 1 ? rows - 1 : 1);
        switch (event.key) {
            case KEY_UP_:
            case KEY_WHEEL_UP:
                first -= first > 0;
                break;
            case KEY_DOWN_:
            case KEY_WHEEL_DOWN:
                first++;
                break;
            case KEY_PAGE_UP:
                first = first > page ? first - page : 0;
                break;
            case KEY_PAGE_DOWN:
                first += page;
                break;
            case KEY_HOME_:
                first = 0;
                break;
            case KEY_END_:
                first = last;
                break;
            case KEY_ESCAPE:
            case KEY_ENTER_:
                return 0;
            case KEY_TEXT:
                if (event.ch == ' ') first += page;
                if (reading->extra && event.ch < 128 && strchr(reading->extra, (int)event.ch)) return (int)event.ch;
                break;
            default:
                break;
        }
    }
}

bool dialog_confirm(const char *title, const char *question, const char *detail) {
    for (;;) {
        screen_clear();
        screen_put_frame(title, "y yes   any other key no");
        screen_putz(4, INDENT, screen_columns() - INDENT, LOOK_BOLD, question);
        screen_putz(6, INDENT, screen_columns() - INDENT, LOOK_DIM, detail);
        screen_show();
        struct event event = screen_event(-1);
        if (event.key == KEY_NONE) continue;
        return event.key == KEY_TEXT && (event.ch == 'y' || event.ch == 'Y');
    }
}

/* Breaks the text at blanks. */
static void put_wrapped(int row, enum look look, struct slice text) {
    int width = screen_columns() - 2 * INDENT;
    for (; text.len && width > 10; row++) {
        size_t n = text.len < (size_t)width ? text.len : (size_t)width;
        if (n < text.len) {
            size_t blank = n;
            while (blank && text.ptr[blank] != ' ') blank--;
            if (blank) n = blank;
        }
        screen_put(row, INDENT, width, look, slice_take(text, n));
        text = slice_trim(slice_skip(text, n));
    }
}

void dialog_message(const char *title, enum look look, const char *text) {
    for (;;) {
        screen_clear();
        screen_put_frame(title, "any key continues");
        put_wrapped(4, look, slice_from(text));
        screen_show();
        if (screen_event(-1).key != KEY_NONE) return;
    }
}

struct dialog_job {
    void (*work)(void *who);
    void *who;
    _Atomic bool done;
};

static void *run_job(void *context) {
    struct dialog_job *job = context;
    job->work(job->who);
    atomic_store(&job->done, true);
    return NULL;
}

static void draw_progress(const char *title, const char *what, struct progress *progress, int64_t started) {
    uint64_t done = atomic_load(&progress->done), total = atomic_load(&progress->total);
    screen_clear();
    screen_put_frame(title, "Ctrl+C cancels");
    screen_putz(4, INDENT, screen_columns() - 2 * INDENT, LOOK_PLAIN, what);
    struct strbuf bar = {0};
    if (total) {
        if (done > total) done = total;
        term_bar(&bar, screen_term(), (int64_t)done, (int64_t)total, BAR);
        strbuf_addf(&bar, "  %3s %%", figure_percent((int64_t)done, total, 0).text);
    } else {
        strbuf_addf(&bar, "%s s", figure_ratio(clock_ns() - started, 1000000000, 1).text);
    }
    screen_put(6, INDENT, screen_columns() - INDENT, LOOK_ACCENT, strbuf_slice(&bar));
    strbuf_release(&bar);
    screen_show();
}

bool with_progress(const char *title, const char *what, void (*work)(void *who), void *who, struct progress *progress) {
    struct dialog_job job = {.work = work, .who = who};
    pthread_t thread;
    sigset_t all, before;
    int64_t started = clock_ns();
    atomic_store(&progress->stop, false);
    progress_start(progress, PROGRESS_COUNT, what, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread, NULL, run_job, &job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        work(who);
        return true;
    }
    while (!atomic_load(&job.done)) {
        draw_progress(title, what, progress, started);
        struct event event = screen_event(50);
        if (event.key != KEY_INTERRUPT) continue;
        screen_ends(event);
        /* reading cannot be stopped halfway: the caller ends the program, and unfinished files are removed */
        outfile_abort_all();
        return false;
    }
    pthread_join(thread, NULL);
    return true;
}
