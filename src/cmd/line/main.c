/* SPDX-License-Identifier: Apache-2.0 */
/* Entry point: finds the command, parses its arguments, runs it, prints the error, chooses the exit status. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "cmd/line/fail.h"
#include "tui/interactive.h"
#include "cmd/line/programs.h"
#include "cmd/line/version.h"

static void on_signal(int number) {
    outfile_abort_all();
    _exit(128 + number);
}

/* Ends as it would have, with a core dump if one is wanted, but without leaving temporary files. */
static void on_fatal(int number) {
    outfile_abort_all();
    signal(number, SIG_DFL);
    raise(number);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

static void install_signals(void) {
    struct sigaction action = {.sa_handler = on_signal}, fatal = {.sa_handler = on_fatal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    mem_at_end(outfile_abort_all);
    json_at_exhaustion(mem_exhausted);
    sigaction(SIGQUIT, &fatal, NULL);
    sigaction(SIGABRT, &fatal, NULL);
    sigaction(SIGXCPU, &fatal, NULL);
#ifndef SANITIZED /* a sanitizer reports these itself */
    sigaction(SIGSEGV, &fatal, NULL);
    sigaction(SIGBUS, &fatal, NULL);
    sigaction(SIGFPE, &fatal, NULL);
    sigaction(SIGILL, &fatal, NULL);
#endif
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is seen as EPIPE, which ends the program quietly */
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow further is an error like a full disk */
}

/* The stack grows when it is used, and then there may be no address space left: what deep calls need is taken at the start. */
__attribute__((noinline)) static void reserve_stack(void) {
    enum { DEPTH = 512 << 10, MOST_OF_LIMIT = 4 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur / MOST_OF_LIMIT < DEPTH) return;
    void *same = mmap(NULL, DEPTH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (same == MAP_FAILED) mem_exhausted();
    munmap(same, DEPTH);
    volatile char room[DEPTH];
    room[0] = 0;
    (void)room[0];
}

/* If one of them is closed at the start, the next opened file would take its number and receive what is printed. Using it
 * still fails, as if it were closed. */
static void hold_standard_files(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
}

static enum progress_mode progress_mode(const char *text) {
    if (text && strcmp(text, "always") == 0) return PROGRESS_ALWAYS;
    return text && strcmp(text, "never") == 0 ? PROGRESS_NEVER : PROGRESS_AUTO;
}

static int print_out(const struct strbuf *text) {
    struct err err = {0};
    bool written = write_all(STDOUT_FILENO, strbuf_slice(text), &err) == 0;
    return written || !err.text[0] ? 0 : fail_tell(NULL, false, &err); /* without text: the reader closed the pipe */
}

/* For some commands --device is another question: would it fit that board? */
static bool device_is_of_run(const struct command *command) {
    for (const struct option *o = command->options; o && o->name; o++)
        if (strcmp(o->name, "device") == 0) return strcmp(o->help, RUN_DEVICE_HELP) == 0;
    return false;
}

static int run_command(const char *program, const struct command *command, int argc, char **argv) {
    struct err err = {0};
    struct invocation inv = {.command = command, .program = program};
    int status = args_parse(&inv.args, command, argc, argv, &err);
    if (status == 0 && (args_has(&inv.args, "help") || args_has(&inv.args, "version"))) {
        struct strbuf text = {0};
        if (args_has(&inv.args, "help")) help_command(&text, program, command);
        else version_text(&text);
        status = print_out(&text);
        strbuf_release(&text);
    } else if (status == 0) {
        inv.work.history_store = args_text(&inv.args, "store");
        inv.work.no_color = args_has(&inv.args, "no-color");
        inv.work.quiet = args_has(&inv.args, "quiet");
        inv.work.device = args_text(&inv.args, "device");
        inv.work.device_is_of_run = device_is_of_run(command);
        inv.work.last_run = args_has(&inv.args, "last-run");
        inv.work.out = term_of(STDOUT_FILENO, inv.work.no_color);
        inv.work.progress = inv.work.quiet ? PROGRESS_NEVER : progress_mode(args_text(&inv.args, "progress"));
        size_t files = inv.args.words.len - (command->takes_last && inv.args.words.len);
        if (command->takes_files && files > 1) {
            inv.work.together = inv.args.words.items;
            inv.work.together_count = files;
        }
        status = command->run(&inv, &err);
    }
    args_release(&inv.args);
    if (status >= 0) return status;
    if (err.code == ERR_OUTPUT && !err.text[0]) return 0; /* the reader closed the pipe: no one reads an error */
    return fail_tell(command->name, !command->takes_rest && !emit_answered() && fail_asks_json(argc, argv), &err);
}

int command_call(const char *program, const char *name, const char *const *words) {
    const struct command *command = command_find(name);
    if (!command) {
        work_error("this build of ttmem has no command '%s'", name);
        return ERR_USAGE;
    }
    int count = 0;
    while (words[count]) count++;
    return run_command(program, command, count, (char **)(uintptr_t)words);
}

int command_answer(const char *name, const char *const *words, const struct work *work, struct strbuf *answer,
                   struct err *err) {
    const struct command *command = command_find(name);
    if (!command) return err_set(err, ERR_USAGE, "this build of ttmem has no command '%s'", name);
    struct invocation inv = {.command = command, .program = "ttmem", .work = *work, .answer = answer};
    int count = 0;
    while (words[count]) count++;
    int status = args_parse(&inv.args, command, count, (char **)(uintptr_t)words, err);
    if (status == 0) status = command->run(&inv, err);
    args_release(&inv.args);
    return status;
}

static bool has_option(const struct option *options, const char *word) {
    for (const struct option *o = options; o && o->name; o++)
        if ((word[1] == '-' && strcmp(word + 2, o->name) == 0) || (word[1] && word[1] == o->letter && !word[2])) return true;
    return false;
}

static bool is_option(const char *word) {
    bool found = has_option(common_options, word);
    for (const struct command *const *c = command_table; *c && !found; c++) found = has_option((*c)->options, word);
    return found;
}

/* `word` after `group` (NULL: the first word) is not a command; suggests what may have been meant. */
static int unknown_command(const char *group, const char *word, bool json) {
    const char *names[128];
    size_t n = 0, skip = group ? strlen(group) + 1 : 0;
    for (const struct command *const *c = command_table; *c && n < 127; c++)
        if (!group || (strncmp((*c)->name, group, skip - 1) == 0 && (*c)->name[skip - 1] == ' '))
            names[n++] = (*c)->name + skip;
    names[n] = NULL;
    const char *near = args_suggest(word, names), *gap = group ? " " : "";
    if (!group) group = "";
    struct err err = {0};
    if (word[0] == '-' && is_option(word))
        err_set(&err, ERR_USAGE, "options come after the command: ttmem%s%s <command> %.200s", gap, group, word);
    else if (word[0] == '-')
        err_set(&err, ERR_USAGE, "unknown option '%.200s'; ttmem%s%s --help lists the commands", word, gap, group);
    else if (near)
        err_set(&err, ERR_USAGE, "unknown command '%s%s%.200s'; did you mean %s%s%s?", group, gap, word, group, gap, near);
    else
        err_set(&err, ERR_USAGE, "unknown command '%s%s%.200s'; ttmem%s%s --help lists the commands", group, gap, word, gap,
                group);
    return fail_tell(NULL, json, &err);
}

static bool is_help(const char *word) { return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0; }

/* The words after the program's name: `command`, `group command`, or a group alone, which lists its commands. */
static int run_words(int argc, char **argv) {
    int used;
    const struct command *command = command_find_words(argc, argv, &used);
    if (command) return run_command("ttmem", command, argc - used, argv + used);
    if (!command_is_group(argv[0])) return unknown_command(NULL, argv[0], fail_asks_json(argc, argv));
    if (argc > 1 && !is_help(argv[1])) return unknown_command(argv[0], argv[1], fail_asks_json(argc, argv));
    struct strbuf text = {0};
    help_group(&text, argv[0]);
    int status = argc > 1 ? print_out(&text) : ERR_USAGE;
    if (argc == 1) write_all(STDERR_FILENO, strbuf_slice(&text), NULL);
    strbuf_release(&text);
    return status;
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");
    hold_standard_files();
    install_signals();
    reserve_stack();
    struct strbuf text = {0};
    int status = 0;
    const struct older_program *older = argc ? older_program_find(argv[0]) : NULL;
    if (older) {
        older_program_rename(older, argc - 1, argv + 1);
        status = command_call(older->name, older->command, (const char *const *)argv + 1);
    } else if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        status = interactive_run();
    } else if (argc < 2) {
        help_program(&text);
        write_all(STDERR_FILENO, strbuf_slice(&text), NULL);
        status = ERR_USAGE;
    } else if (command_of_options(argc - 1, argv + 1)) {
        status = run_command("ttmem", command_of_options(argc - 1, argv + 1), argc - 1, argv + 1);
    } else if (is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        int used;
        const struct command *about = argc > 2 ? command_find_words(argc - 2, argv + 2, &used) : NULL;
        if (about) help_command(&text, "ttmem", about);
        else if (argc > 3 && command_is_group(argv[2]) && argv[3][0] != '-') status = unknown_command(argv[2], argv[3], false);
        else if (argc > 2 && command_is_group(argv[2])) help_group(&text, argv[2]);
        else if (argc > 2 && !is_help(argv[1]) && !is_help(argv[2])) status = unknown_command(NULL, argv[2], false);
        else help_program(&text);
        if (text.len) status = print_out(&text);
    } else if (strcmp(argv[1], "--version") == 0) {
        version_text(&text);
        status = print_out(&text);
    } else {
        status = run_words(argc - 1, argv + 1);
    }
    strbuf_release(&text);
    return status;
}
