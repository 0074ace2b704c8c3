/* SPDX-License-Identifier: Apache-2.0 */
/* A line to type in, with a list of proposals below it. */
#ifndef TTMEM_TUI_PROMPT_H
#define TTMEM_TUI_PROMPT_H

#include "tui/complete.h"
#include "tui/screen.h"

enum answer { ANSWER_OK, ANSWER_BACK, ANSWER_END /* END: leaves the program */ };

struct prompt {
    const char *title;
    const char *question;
    const char *proposals_title; /* shown above `proposals` while nothing is typed */
    const struct path_names *proposals;
    bool paths;          /* Tab completes file names */
    const char *message; /* about the last try, or NULL */
};

/* The typed text in `text`, whose initial content the line starts with. */
enum answer prompt_ask(const struct prompt *prompt, struct strbuf *text);

#endif
