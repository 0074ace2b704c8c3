/* SPDX-License-Identifier: Apache-2.0 */
#include "work/work.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/utf8.h"
#include "base/vec.h"

static void add_message(struct strbuf *line, const char *format, va_list args) {
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    utf8_add_printable(line, slice_from(text), false);
    strbuf_addc(line, '\n');
}

static void print_message(const char *format, va_list args) {
    struct strbuf line = {0};
    strbuf_addz(&line, "ttmem: ");
    add_message(&line, format, args);
    write_all(STDERR_FILENO, strbuf_slice(&line), NULL);
    strbuf_release(&line);
}

void work_note(const struct work *work, const char *format, ...) {
    if (work->quiet) return;
    va_list args;
    va_start(args, format);
    if (work->notes) add_message(work->notes, format, args);
    else print_message(format, args);
    va_end(args);
}

void work_note_change(const struct work *work, const struct source *source) {
    const char *change = source_change_text(source);
    if (change) work_note(work, "%s %s", source->path, change);
}

void work_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

struct progress *work_begin(const struct work *work, struct progress *own, const char *what, uint64_t total) {
    struct progress *progress = work->told ? work->told : own;
    progress_start(progress, work->told ? PROGRESS_COUNT : work->progress, what, total);
    return progress;
}

int work_run_self(const char *const *words) {
    VEC(const char *) argv = {0};
    vec_push(&argv, "ttmem");
    for (; *words; words++) vec_push(&argv, *words);
    vec_push(&argv, NULL);
    fflush(NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, kept;
    sigaction(SIGINT, &ignore, &kept);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        execv("/proc/self/exe", (char *const *)(uintptr_t)argv.items);
        _exit(ERR_BUG);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0) continue;
    sigaction(SIGINT, &kept, NULL);
    vec_release(&argv);
    if (child < 0) return ERR_BUG;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
