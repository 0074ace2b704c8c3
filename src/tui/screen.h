/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal as a screen: entered once, left on every way out, even by a signal or a crash. All drawing goes through here,
 * so that what cannot be shown (UTF-8, colour) is decided in one place. */
#ifndef TTMEM_TUI_SCREEN_H
#define TTMEM_TUI_SCREEN_H

#include <stdint.h>
#include <wchar.h>

#include "base/err.h"
#include "base/term.h"

enum { SCREEN_MIN_ROWS = 12, SCREEN_MIN_COLUMNS = 50 };

/* Returns 0, or -1 if there is no usable terminal. */
int screen_enter(struct err *err);
void screen_leave(void);

/* Puts the screen away while another program uses the terminal. */
void screen_suspend(void);
void screen_resume(void);

int screen_rows(void);
int screen_columns(void);
bool screen_utf8(void);
const struct term *screen_term(void); /* for the text makers of render/ */

enum look {
    LOOK_PLAIN,
    LOOK_DIM,
    LOOK_BOLD,
    LOOK_TITLE,
    LOOK_ACCENT,
    LOOK_GOOD,
    LOOK_WARN,
    LOOK_BAD,
    LOOK_CHOSEN, /* the row that Enter acts on */
    LOOK_GRAPH,
    LOOK_CURSOR, /* the column of a graph */
};

void screen_clear(void);
void screen_show(void);

/* Writes text of any origin at a place, cut to `width` columns. Returns the columns used. */
int screen_put(int row, int column, int width, enum look look, struct slice text);
int screen_putz(int row, int column, int width, enum look look, const char *text);
int screen_putf(int row, int column, int width, enum look look, const char *format, ...) __attribute__((format(printf, 5, 6)));
void screen_put_right(int row, int end, int width, enum look look, struct slice text);
void screen_put_fill(int row, int column, int width, enum look look);

/* A line with the tones of term_tone in it. */
void screen_put_toned(int row, int column, int width, struct slice line);

/* A block that fills `eighths` (0..8) of a cell from below. */
void screen_put_block(int row, int column, enum look look, unsigned eighths);

/* Title in the first row and keys in the last. */
void screen_put_frame(const char *title, const char *keys);

enum key {
    KEY_NONE, /* time passed, or the size changed: redraw */
    KEY_TEXT, /* a character: event.ch */
    KEY_ENTER_,
    KEY_ESCAPE,
    KEY_TAB,
    KEY_BACK_TAB,
    KEY_UP_,
    KEY_DOWN_,
    KEY_LEFT_,
    KEY_RIGHT_,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME_,
    KEY_END_,
    KEY_ERASE,
    KEY_DELETE,
    KEY_KILL,      /* Ctrl+U */
    KEY_WORD,      /* Ctrl+W */
    KEY_INTERRUPT, /* Ctrl+C */
    KEY_CLICK,
    KEY_WHEEL_UP,
    KEY_WHEEL_DOWN,
};

struct event {
    enum key key;
    uint32_t ch;     /* KEY_TEXT */
    int row, column; /* mouse */
};

/* Does the user leave the program: q, Ctrl+C? Do not ask while text is typed. */
bool screen_ends(struct event event);
/* The exit status: 130 after Ctrl+C, else 0. */
int screen_end_status(void);

/* Waits for the user, at most `wait_ms` (-1: indefinitely). */
struct event screen_event(int wait_ms);

#endif
