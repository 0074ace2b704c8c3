/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/screen.h"

#include <curses.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/utf8.h"
#include "tui/restore.h"

static SCREEN *terminal;
static bool active;
static struct term shown;
static void choose_colors(void) {
    static const short colors[][2] = {{LOOK_ACCENT, COLOR_CYAN},
                                      {LOOK_GOOD, COLOR_GREEN},
                                      {LOOK_WARN, COLOR_YELLOW},
                                      {LOOK_BAD, COLOR_RED},
                                      {LOOK_GRAPH, COLOR_BLUE}};
    if (!shown.color || !has_colors()) {
        shown.color = false;
        return;
    }
    start_color();
    use_default_colors();
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) init_pair(colors[i][0], colors[i][1], -1);
}

static void set_modes(void) {
    raw(); /* Ctrl+C is a key */
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
}

int screen_enter(struct err *err) {
    shown = term_of(STDOUT_FILENO, false);
    const char *kind = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !shown.is_tty || !kind || strcmp(kind, "dumb") == 0 || !restore_save())
        return err_set(err, ERR_USAGE, "the interactive program needs a terminal; ttmem --help lists the commands");
    terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return err_set(err, ERR_USAGE,
                       "the terminal type '%.60s' is not supported: set TERM to one that this machine knows; toe -a lists them",
                       kind);
    restore_arm();
    choose_colors();
    set_modes();
    active = true;
    return 0;
}

void screen_leave(void) {
    if (!active) return;
    active = false;
    endwin();
    restore_disarm();
    delscreen(terminal);
}

void screen_suspend(void) {
    endwin();
    write_all(STDOUT_FILENO, SLICE("\x1b[?1000l\x1b[?1006l"), NULL);
    restore_disarm();
}

void screen_resume(void) {
    restore_arm();
    reset_prog_mode();
    set_modes();
    clearok(stdscr, TRUE);
    refresh();
}

int screen_rows(void) { return LINES; }
int screen_columns(void) { return COLS; }
bool screen_utf8(void) { return shown.utf8; }

const struct term *screen_term(void) {
    shown.columns = (unsigned)COLS;
    return &shown;
}

void screen_clear(void) { erase(); }

void screen_show(void) {
    if (LINES < SCREEN_MIN_ROWS || COLS < SCREEN_MIN_COLUMNS) {
        erase();
        screen_putf(0, 0, COLS, LOOK_PLAIN, "ttmem needs %d x %d, this is %d x %d", SCREEN_MIN_COLUMNS, SCREEN_MIN_ROWS, COLS,
                    LINES);
        screen_putz(1, 0, COLS, LOOK_PLAIN, "(columns x lines): enlarge the window");
    }
    refresh();
}

static attr_t attributes(enum look look) {
    static const attr_t plain[] = {
        [LOOK_DIM] = A_DIM,        [LOOK_BOLD] = A_BOLD,      [LOOK_TITLE] = A_BOLD, [LOOK_BAD] = A_BOLD,
        [LOOK_CHOSEN] = A_REVERSE, [LOOK_CURSOR] = A_REVERSE, [LOOK_ACCENT] = A_BOLD};
    attr_t found = (size_t)look < sizeof plain / sizeof *plain ? plain[look] : A_NORMAL;
    bool colored = look == LOOK_ACCENT || look == LOOK_GOOD || look == LOOK_WARN || look == LOOK_BAD || look == LOOK_GRAPH;
    return shown.color && colored ? found | (attr_t)COLOR_PAIR(look) : found;
}

/* Replacements for the program's own symbols that the terminal cannot show. */
static void add_ascii(struct strbuf *out, struct slice text) {
    static const char *const words[][2] = {{"↑↓", "Up/Down"},
                                           {"←→", "Left/Right"},
                                           {"← →", "Left/Right"},
                                           {"↑ ↓", "Up/Down"},
                                           {"…", ".."},
                                           {"→", "->"},
                                           {"·", "-"},
                                           {"×", "x"}};
    while (text.len) {
        size_t i = 0, count = sizeof words / sizeof *words;
        while (i < count && !slice_starts(text, slice_from(words[i][0]))) i++;
        if (i < count) strbuf_addz(out, words[i][1]);
        else strbuf_addc(out, text.ptr[0]);
        text = slice_skip(text, i < count ? strlen(words[i][0]) : 1);
    }
}

int screen_put(int row, int column, int width, enum look look, struct slice text) {
    if (row < 0 || row >= LINES || column < 0 || column >= COLS || width <= 0) return 0;
    if (width > COLS - column) width = COLS - column;
    struct strbuf clean = {0}, words = {0};
    if (!shown.utf8) {
        add_ascii(&words, text);
        text = strbuf_slice(&words);
    }
    term_text(&clean, &shown, text, (size_t)width);
    strbuf_release(&words);
    attr_t attr = attributes(look);
    attron(attr);
    mvaddnstr(row, column, strbuf_text(&clean), (int)clean.len);
    attroff(attr);
    int used = (int)utf8_width(strbuf_slice(&clean));
    strbuf_release(&clean);
    return used;
}

int screen_putz(int row, int column, int width, enum look look, const char *text) {
    return screen_put(row, column, width, look, slice_from(text));
}

int screen_putf(int row, int column, int width, enum look look, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return screen_putz(row, column, width, look, text);
}

void screen_put_right(int row, int end, int width, enum look look, struct slice text) {
    int used = (int)utf8_width(text);
    if (used > width) used = width;
    screen_put(row, end - used, used, look, text);
}

void screen_put_fill(int row, int column, int width, enum look look) {
    attr_t attr = attributes(look);
    attron(attr);
    for (int i = 0; i < width && column + i < COLS; i++) mvaddch(row, column + i, ' ');
    attroff(attr);
}

static void screen_put_rule(int row, int column, int width) {
    attr_t attr = attributes(LOOK_DIM);
    attron(attr);
    for (int i = 0; i < width && column + i < COLS; i++) mvaddstr(row, column + i, shown.utf8 ? "─" : "-");
    attroff(attr);
}

/* Turns the code of a tone into a look; tones come only from term_tone. */
static enum look look_of(struct slice code) {
    static const struct {
        const char *code;
        enum look look;
    } rows[] = {{"\x1b[2m", LOOK_DIM},
                {"\x1b[1m", LOOK_BOLD},
                {"\x1b[32m", LOOK_GOOD},
                {"\x1b[33m", LOOK_WARN},
                {"\x1b[31m", LOOK_BAD}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_equal(code, slice_from(rows[i].code))) return rows[i].look;
    return LOOK_PLAIN;
}

void screen_put_toned(int row, int column, int width, struct slice line) {
    enum look look = LOOK_PLAIN;
    int end = column + width;
    while (line.len && column < end) {
        size_t escape = slice_find_byte(line, '\x1b');
        if (escape == 0) {
            size_t m = slice_find_byte(line, 'm');
            if (m == SLICE_NONE) break;
            look = look_of(slice_take(line, m + 1));
            line = slice_skip(line, m + 1);
            continue;
        }
        struct slice part = slice_take(line, escape);
        column += screen_put(row, column, end - column, look, part);
        line = slice_skip(line, part.len);
    }
}

void screen_put_block(int row, int column, enum look look, unsigned eighths) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", "_", "_", ".", ".", ":", ":", "#", "#"};
    if (row < 0 || row >= LINES || column < 0 || column >= COLS) return;
    attr_t attr = attributes(look);
    attron(attr);
    mvaddstr(row, column, (shown.utf8 ? blocks : ascii)[eighths > 8 ? 8 : eighths]);
    attroff(attr);
}

void screen_put_frame(const char *title, const char *keys) {
    int at = 1 + screen_putz(0, 1, COLS - 2, LOOK_ACCENT, "ttmem");
    at += screen_putz(0, at, COLS - at, LOOK_DIM, shown.utf8 ? " › " : " > ");
    screen_putz(0, at, COLS - at - 1, LOOK_TITLE, title);
    screen_put_rule(1, 0, COLS);
    screen_putz(LINES - 1, 1, COLS - 2, LOOK_DIM, keys);
}

static enum key key_of(int code) {
    static const struct {
        int code;
        enum key key;
    } rows[] = {{KEY_ENTER, KEY_ENTER_}, {KEY_UP, KEY_UP_},          {KEY_DOWN, KEY_DOWN_},      {KEY_LEFT, KEY_LEFT_},
                {KEY_RIGHT, KEY_RIGHT_}, {KEY_PPAGE, KEY_PAGE_UP},   {KEY_NPAGE, KEY_PAGE_DOWN}, {KEY_HOME, KEY_HOME_},
                {KEY_END, KEY_END_},     {KEY_BACKSPACE, KEY_ERASE}, {KEY_DC, KEY_DELETE},       {KEY_BTAB, KEY_BACK_TAB}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code) return rows[i].key;
    return KEY_NONE;
}

static enum key control_of(wint_t ch) {
    static const struct {
        wint_t ch;
        enum key key;
    } rows[] = {{'\r', KEY_ENTER_}, {'\n', KEY_ENTER_}, {27, KEY_ESCAPE}, {'\t', KEY_TAB}, {127, KEY_ERASE}, {8, KEY_ERASE},
                {3, KEY_INTERRUPT}, {21, KEY_KILL},     {23, KEY_WORD},   {1, KEY_HOME_},  {5, KEY_END_},    {4, KEY_DELETE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].ch == ch) return rows[i].key;
    return ch < ' ' ? KEY_NONE : KEY_TEXT;
}

static struct event mouse_event(void) {
    MEVENT mouse;
    struct event event = {.key = KEY_NONE};
    if (getmouse(&mouse) != OK) return event;
    event.row = mouse.y;
    event.column = mouse.x;
    if (mouse.bstate & BUTTON1_PRESSED) event.key = KEY_CLICK;
    else if (mouse.bstate & BUTTON4_PRESSED) event.key = KEY_WHEEL_UP;
    else if (mouse.bstate & BUTTON5_PRESSED) event.key = KEY_WHEEL_DOWN;
    return event;
}

struct event screen_event(int wait_ms) {
    wint_t ch = 0;
    timeout(wait_ms);
    int kind = get_wch(&ch);
    if (kind == ERR) {
        /* nothing came in time; a closed terminal always answers at once */
        if (wait_ms < 0) {
            screen_leave();
            exit(129);
        }
        return (struct event){.key = KEY_NONE};
    }
    if (kind == KEY_CODE_YES) return ch == KEY_MOUSE ? mouse_event() : (struct event){.key = key_of((int)ch)};
    if (ch == 26) { /* Ctrl+Z */
        screen_suspend();
        raise(SIGTSTP);
        screen_resume();
        return (struct event){.key = KEY_NONE};
    }
    return (struct event){.key = control_of(ch), .ch = ch};
}

static bool was_interrupted;

bool screen_ends(struct event event) {
    if (event.key == KEY_INTERRUPT) was_interrupted = true;
    return event.key == KEY_INTERRUPT || (event.key == KEY_TEXT && (event.ch == 'q' || event.ch == 'Q'));
}

int screen_end_status(void) { return was_interrupted ? 130 : 0; }
