/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/restore.h"

#include <curses.h>
#include <signal.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"

static struct termios before;
static char restore_text[256];
static volatile sig_atomic_t restore_len; /* 0: nothing to do */

bool restore_save(void) { return tcgetattr(STDIN_FILENO, &before) == 0; }

static void add(const char *text) {
    size_t len = text && text != (char *)-1 ? strlen(text) : 0, at = (size_t)restore_len;
    if (!len || at + len > sizeof restore_text) return;
    memcpy(restore_text + at, text, len);
    restore_len = (sig_atomic_t)(at + len);
}

static void restore_now(void) {
    if (!restore_len) return;
    if (write(STDOUT_FILENO, restore_text, (size_t)restore_len) < 0) restore_len = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    restore_len = 0;
}

static void clean_up(void) {
    restore_now();
    outfile_abort_all();
}

static void on_end(int number) {
    clean_up();
    _exit(128 + number);
}

static void on_crash(int number) {
    clean_up();
    signal(number, SIG_DFL);
    raise(number);
}

static void install(const int *numbers, size_t count, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    for (size_t i = 0; i < count; i++) sigaction(numbers[i], &action, NULL);
}

void restore_arm(void) {
    static const char *const capabilities[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    static const int ends[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT}, crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    restore_len = 0;
    add("\x1b[?1000l\x1b[?1002l\x1b[?1006l"); /* mouse */
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) add(tigetstr((char *)(uintptr_t)capabilities[i]));
    mem_at_end(clean_up);
    install(ends, sizeof ends / sizeof *ends, on_end);
    install(crashes, sizeof crashes / sizeof *crashes, on_crash);
}

void restore_disarm(void) { restore_len = 0; }
