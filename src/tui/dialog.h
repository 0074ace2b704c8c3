/* SPDX-License-Identifier: Apache-2.0 */
/* Small screens that every part of the program uses: a choice, a text to read, a question, a bar. */
#ifndef TTMEM_TUI_DIALOG_H
#define TTMEM_TUI_DIALOG_H

#include <stdatomic.h>

#include "base/progress.h"
#include "tui/prompt.h"
#include "tui/screen.h"

struct choice {
    const char *title;
    const char *hint; /* second line, dim */
};

struct choice_list {
    const struct choice *items;
    size_t len;
    size_t selected; /* remembered */
    bool compact;    /* one line each, even if there is room for two */
    int row;         /* where it was drawn */
};

void choices_draw(struct choice_list *list, int row, int column);

/* True: the selected one was chosen. Digits choose at once. */
bool choices_event(struct choice_list *list, struct event event);
int choices_rows(const struct choice_list *list);

/* Lines with tones, to scroll through; returns on Esc, and with `ended` on q and Ctrl+C. `extra` letters end it too and are
 * returned, else 0. */
struct text_page {
    const char *title;
    const char *keys;
    struct slice text;
    const char *extra;
};
int text_show(const struct text_page *reading, bool *ended);

/* Draws `count` lines from `first` on; returns how many lines there are. */
size_t text_draw(struct slice text, size_t first, int row, int count);

/* Yes or no; anything but y is no. */
bool dialog_confirm(const char *title, const char *question, const char *detail);

/* Shows a message until a key is pressed. */
void dialog_message(const char *title, enum look look, const char *text);

/* Runs `work` on a thread and shows its progress; false if the user gave up with Ctrl+C: then the program must end. */
bool with_progress(const char *title, const char *what, void (*work)(void *who), void *who, struct progress *progress);

#endif
