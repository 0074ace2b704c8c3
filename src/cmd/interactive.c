#include "cmd/interactive.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/make_report.h"
#include "cmd/profile.h"
#include "cmd/line/version.h"
#include "model/census.h"
#include "render/answer/info.h"
#include "tui/host.h"
#include "tui/screen.h"

static int open_log(void *who, const char *path, const struct report_place *place, struct progress *progress,
                    struct opened *out, struct err *err) {
    struct invocation silent = *(struct invocation *)who, *inv = &silent; /* the screen is there: nothing may be printed */
    silent.quiet = true;
    silent.told = progress;
    struct made_report *made = mem_zalloc(1, sizeof *made);
    int rc;
    if (place) {
        struct report_wish wish = {.options = {.output_dir = place->folder, .name = place->name}};
        rc = make_report(made, inv, path, &wish, err);
    } else {
        rc = load_log(&made->loaded, inv, path, temporary_folder(), err);
        if (rc == 0 && (rc = load_check(&made->loaded, err)) != 0) loaded_release(&made->loaded);
        if (rc == 0) overview_make(&made->loaded.run, &made->overview);
    }
    if (rc != 0) {
        free(made);
        return -1;
    }
    *out = (struct opened){.run = &made->loaded.run,
                           .overview = &made->overview,
                           .log = made->loaded.source.bytes,
                           .path = made->loaded.source.path,
                           .name = strbuf_text(&made->loaded.name),
                           .folder = place ? strbuf_text(&made->folder) : NULL,
                           .read_ns = made->loaded.read_ns,
                           .owner = made};
    return 0;
}

static void close_log(void *who, struct opened *opened) {
    (void)who;
    made_report_release(opened->owner);
    free(opened->owner);
}

static int describe(void *who, const char *path, struct strbuf *out, const struct term *term, struct err *err) {
    (void)who;
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    struct progress progress;
    progress_start(&progress, PROGRESS_NEVER, "reading", 0);
    struct census census;
    int rc = census_take(&census, &source, &progress, err);
    if (rc == 0 && !census.bytes) rc = err_set(err, ERR_LACKS, "%s is empty", path);
    if (rc == 0) info_text(out, term, &census, path);
    census_release(&census);
    source_release(&source);
    return rc;
}

static void wait_for_enter(void) {
    fputs("\nEnter goes on. ", stderr);
    for (int c = getchar(); c != '\n' && c != EOF;) c = getchar();
}

static int profile(void *who, const char *const *words, struct strbuf *log, struct strbuf *folder, struct strbuf *name,
                   struct err *err) {
    struct invocation *inv = who;
    struct profile_wish wish = {.command = words};
    struct profile p;
    int rc = profile_run(&p, inv, &wish, err);
    if (rc == 0) {
        strbuf_add(log, strbuf_slice(&p.log));
        strbuf_add(folder, strbuf_slice(&p.folder));
        strbuf_add(name, strbuf_slice(&p.name));
        wait_for_enter();
    }
    profile_end(&p);
    return rc;
}

/* In a process of its own: Ctrl+C ends that and comes back here. */
static int call_apart(const char *name, const char *const *words) {
    fflush(NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, kept;
    sigaction(SIGINT, &ignore, &kept);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        _exit(command_call("ttmem", name, words));
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0) continue;
    sigaction(SIGINT, &kept, NULL);
    if (child < 0) return ERR_BUG;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int serve(void *who, const char *folder) {
    (void)who;
    const char *words[] = {folder, NULL};
    int status = call_apart("serve", words);
    if (status && status < 128) wait_for_enter(); /* it says why it could not */
    return status;
}

static int agent_report(void *who, const char *log_path, const char *file) {
    (void)who;
    const char *words[] = {log_path, "--format", "markdown", "--no-files", "-o", file, NULL};
    return call_apart("report", words);
}

int interactive(void) {
    struct err err = {0};
    struct invocation inv = {.program = "ttmem", .progress = PROGRESS_AUTO, .out = term_of(STDOUT_FILENO, false)};
    if (screen_enter(&err) != 0) {
        error_note("%s", err.text);
        return (int)err.code;
    }
    struct tui_host host = {.who = &inv,
                            .open = open_log,
                            .close = close_log,
                            .describe = describe,
                            .profile = profile,
                            .serve = command_find("serve") ? serve : NULL,
                            .agent_report = command_find("report") ? agent_report : NULL,
                            .version = version_number()};
    int status = tui_run(&host);
    screen_leave();
    /* a thread that was given up on may still be reading */
    if (status) _exit(status);
    return status;
}
