/* SPDX-License-Identifier: Apache-2.0 */
#include "work/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/shell.h"
#include "capture/host_sampler.h"
#include "work/inspector_env.h"
#include "work/ttnn_env.h"
#include "work/watcher.h"

enum { MAX_NAME = 150, MAX_SAME_SECOND = 1000 };

/* Makes the runtime print the lines that a report needs. */
static const struct setting {
    const char *name, *value;
} settings[] = {
    {"TTMLIR_RUNTIME_LOGGER_LEVEL", "DEBUG"},
    {"TT_RUNTIME_MEMORY_LOG_LEVEL", "all"},
    {"TTXLA_LOGGER_LEVEL", "DEBUG"},
    {"PYTHONUNBUFFERED", "1"}, /* keeps Python's lines in order with the runtime's */
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* User settings that send lines elsewhere or suppress them. */
static const struct caution {
    const char *name;
    const char *harmless; /* harmless value; NULL: any value does harm */
    const char *effect;
} cautions[] = {
    {"TTMLIR_RUNTIME_LOGGER_FILE", NULL, "op and memory lines go to that file and not into the log"},
    {"TTXLA_LOGGER_FILE", NULL, "lines of TT-XLA may go to that file and not into the log"},
    {"TTMLIR_RUNTIME_LOGGER_TYPES", "All", "lines of other types are not printed"},
    {"TTMLIR_RUNTIME_LOGGER_LEVEL", "DEBUG", "below DEBUG the log has no op lines"},
    {"TT_RUNTIME_MEMORY_LOG_LEVEL", "all", "below 'all', the log has fewer memory lines"},
};

static bool ends_with(const char *text, const char *end) { return slice_ends(slice_from(text), slice_from(end)); }

/* A name for files: that of the script if there is one among the words, else of the program. */
static void name_of(struct strbuf *out, const char *const *command) {
    const char *word = command[0];
    for (const char *const *w = command; *w; w++)
        if (ends_with(*w, ".py")) {
            word = *w;
            break;
        }
    const char *slash = strrchr(word, '/');
    struct slice base = slice_from(slash ? slash + 1 : word);
    if (slice_ends(base, SLICE(".py")) && base.len > 3) base = slice_take(base, base.len - 3);
    if (base.len > MAX_NAME) base = slice_take(base, MAX_NAME);
    for (size_t i = 0; i < base.len; i++) {
        bool dots = base.ptr[i] == '.' && (i == 0 || base.ptr[i - 1] == '.');
        strbuf_addc(out, dots || (unsigned char)base.ptr[i] < ' ' ? '_' : base.ptr[i]);
    }
    if (!out->len) strbuf_addz(out, "run");
}

static int check_name(const char *name, struct err *err) {
    if (!name[0] || name[0] == '.' || strchr(name, '/') || strstr(name, "..") || strlen(name) > MAX_NAME)
        return err_set(err, ERR_USAGE, "a name must not be empty, contain / or .., or begin with a dot: '%.100s'", name);
    return 0;
}

static int no_folder(const struct profile_wish *wish, struct err *err) {
    if (!wish->output_dir && err)
        strncat(err->text, "; --output-dir names another place", sizeof err->text - strlen(err->text) - 1);
    return -1;
}

/* A folder that did not exist before: runs never overwrite each other. */
static int make_folder(struct profile *p, const struct profile_wish *wish, struct err *err) {
    const char *root = wish->output_dir ? wish->output_dir : "logs";
    if (make_folders(root, err) != 0) return no_folder(wish, err);
    launched_find(&p->launched);
    if (p->launched.several) return launched_folder(&p->launched, root, wish->name, &p->folder, err);
    char stamp[32];
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &local);
    for (unsigned i = 1; i <= MAX_SAME_SECOND; i++) {
        strbuf_clear(&p->folder);
        strbuf_addf(&p->folder, "%s%s%s_%s", root, ends_with(root, "/") ? "" : "/", strbuf_text(&p->name), stamp);
        if (p->launched.unnamed) strbuf_addf(&p->folder, "_rank.%llu", (unsigned long long)p->launched.rank);
        if (i > 1) strbuf_addf(&p->folder, "_%u", i);
        if (mkdir(strbuf_text(&p->folder), 0777) == 0) return 0;
        if (errno != EEXIST) break;
    }
    err_set_errno(err, ERR_OUTPUT, "cannot create folder '%s'", strbuf_text(&p->folder));
    return no_folder(wish, err);
}

/* The interpreter of the active virtual environment, else the one in PATH. */
static const char *python(struct strbuf *out) {
    const char *active = getenv("VIRTUAL_ENV");
    if (active && active[0]) {
        strbuf_addf(out, "%s/bin/python3", active);
        if (access(strbuf_text(out), X_OK) == 0) return strbuf_text(out);
    }
    return "python3";
}

/* As execvp looks for it: before folders are made and anything is said. A PATH that is not set is the system's own. */
static bool is_found(const char *program) {
    const char *path = getenv("PATH");
    if (strchr(program, '/') || !path) return access(program, F_OK) == 0 || !strchr(program, '/');
    struct strbuf file = {0};
    bool found = false;
    for (const char *at = path; at && !found; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        strbuf_clear(&file);
        strbuf_addf(&file, "%.*s/%s", (int)strcspn(at, ":"), at, program);
        if (*at == ':' || !*at) found = access(program, F_OK) == 0; /* an empty part is the present folder */
        else found = access(strbuf_text(&file), F_OK) == 0;
    }
    strbuf_release(&file);
    return found;
}

/* The words to run; the strings remain those of the command. */
static int resolve(const char ***words, struct strbuf *interpreter, const char *const *command, struct err *err) {
    size_t count = 0, n = 0;
    while (command[count]) count++;
    const char **out = mem_zalloc(count + 3, sizeof *out);
    if (ends_with(command[0], ".py")) {
        if (access(command[0], R_OK) != 0) {
            free(out);
            return err_set_errno(err, ERR_INPUT, "cannot read '%s'", command[0]);
        }
        out[n++] = python(interpreter);
        out[n++] = "-u";
    }
    for (size_t i = 0; i < count; i++) out[n++] = command[i];
    if (!is_found(out[0])) {
        err_set(err, ERR_INPUT, "cannot run '%s': no such program%s", out[0], strchr(out[0], '/') ? "" : " on PATH");
        free(out);
        return -1;
    }
    *words = out;
    return 0;
}

static void say_start(const struct work *work, const struct profile *p, const char *const *words, bool *given) {
    struct strbuf text = {0};
    for (const char *const *w = words; *w; w++) {
        if (w != words) strbuf_addc(&text, ' ');
        shell_word(&text, slice_from(*w));
    }
    work_note(work, "running %s", strbuf_text(&text));
    work_note(work, "log: %s", strbuf_slice(&p->log).ptr);
    strbuf_clear(&text);
    for (size_t i = 0; i < SETTINGS; i++)
        if (given[i]) strbuf_addf(&text, " %s=%s", settings[i].name, settings[i].value);
    if (text.len) work_note(work, "with%s", strbuf_text(&text));
    strbuf_release(&text);
    for (size_t i = 0; i < sizeof cautions / sizeof *cautions; i++) {
        const char *value = getenv(cautions[i].name);
        bool harmless = cautions[i].harmless && value && strcasestr(value, cautions[i].harmless);
        if (value && value[0] && !harmless) work_note(work, "%s=%s is set: %s", cautions[i].name, value, cautions[i].effect);
    }
}

/* What the capture reports while it runs. */
struct watching {
    const struct work *work;
    struct watcher watcher;
    struct capture *capture;
    int host_fd; /* -1: host memory is not sampled */
    const char *mark;
    struct host_sampler *sampler;
};

static void before_echo(void *who) { watcher_clear(&((struct watching *)who)->watcher); }

static void tick(void *who) {
    struct watching *w = who;
    const char *lacks = watcher_lacks(&w->watcher);
    if (lacks) {
        watcher_clear(&w->watcher);
        work_note(w->work, "%s", lacks);
    }
    watcher_draw(&w->watcher);
}

static void started(void *who, pid_t child) {
    struct watching *w = who;
    struct host_sampler_wish wish = {.fd = w->host_fd, .root = child, .mark = w->mark, .log_bytes = &w->capture->bytes};
    if (w->host_fd >= 0) w->sampler = host_sampler_start(&wish);
}

/* The recording beside the log. Without it the run goes on. */
static int open_recording(struct profile *p, const struct work *work, const struct profile_wish *wish) {
    if (wish->no_host) return -1;
    strbuf_addf(&p->host, "%s/%s_host.jsonl", strbuf_text(&p->folder), strbuf_text(&p->name));
    int fd = open(strbuf_text(&p->host), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return fd;
    work_note(work, "host memory is not recorded: cannot write '%s': %s", strbuf_text(&p->host), strerror(errno));
    strbuf_clear(&p->host);
    return -1;
}

static void end_recording(struct watching *w, const struct profile *p, bool ran) {
    struct host_sampler_end end;
    if (w->host_fd < 0) return;
    if (w->sampler) {
        host_sampler_stop(w->sampler, p->end.status, p->end.signal, p->end.largest_rss_bytes, &end);
        if (end.write_errno) work_note(w->work, "the recording of host memory ends early: %s", strerror(end.write_errno));
        if (end.unreadable)
            work_note(w->work, "the host memory of %llu of its processes could not be read",
                      (unsigned long long)end.unreadable);
    } else if (ran) {
        work_note(w->work, "host memory is not recorded: cannot start a thread for it");
    }
    close(w->host_fd);
}

static void say_end(const struct work *work, const struct profile *p) {
    const struct capture_end *end = &p->end;
    if (end->signal) work_note(work, "the program was ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else if (end->status) work_note(work, "the program ended with status %d", end->status);
    if (end->outlived)
        work_note(
            work,
            "a process that it left behind still has its output open: what that process prints from here on is not in the log");
    if (end->echo_closed) work_note(work, "stdout was closed; the log is whole");
    if (end->read_errno) work_error("the output could not be read to its end: %s", strerror(end->read_errno));
    if (end->log_errno)
        work_error("the log could not be written beyond %llu bytes: %s", (unsigned long long)p->bytes,
                   strerror(end->log_errno));
}

/* What the child gets in addition to the environment. */
struct child_settings {
    char *environment[SETTINGS + INSPECTOR_SETTINGS + TTNN_SETTINGS + 3];
    size_t count;
    bool given[SETTINGS];
    struct strbuf values[SETTINGS], inspector[INSPECTOR_SETTINGS], ttnn[TTNN_SETTINGS], telemetry;
};

static int settings_make(struct child_settings *s, struct profile *p, const struct profile_wish *wish, struct err *err) {
    for (size_t i = 0; i < SETTINGS; i++) {
        s->given[i] = !getenv(settings[i].name);
        if (!s->given[i]) continue;
        strbuf_addf(&s->values[i], "%s=%s", settings[i].name, settings[i].value);
        strbuf_text(&s->values[i]);
        s->environment[s->count++] = s->values[i].data;
    }
    if (wish->inspector) {
        strbuf_addf(&p->inspector, "%s/inspector", strbuf_text(&p->folder));
        if (inspector_env(s->inspector, strbuf_text(&p->inspector), err) != 0) return -1;
        for (size_t i = 0; i < INSPECTOR_SETTINGS; i++) s->environment[s->count++] = s->inspector[i].data;
    }
    if (wish->ttnn_report) {
        strbuf_addf(&p->ttnn, "%s/ttnn", strbuf_text(&p->folder));
        if (ttnn_env(s->ttnn, strbuf_text(&p->ttnn), strbuf_text(&p->name), err) != 0) return -1;
        for (size_t i = 0; i < TTNN_SETTINGS; i++) s->environment[s->count++] = s->ttnn[i].data;
    }
    if (telemetry_env(&s->telemetry, strbuf_text(&p->folder))) s->environment[s->count++] = s->telemetry.data;
    return 0;
}

static void settings_release(struct child_settings *s, struct profile *p) {
    for (size_t i = 0; i < SETTINGS; i++) strbuf_release(&s->values[i]);
    for (size_t i = 0; i < INSPECTOR_SETTINGS; i++) strbuf_release(&s->inspector[i]);
    for (size_t i = 0; i < TTNN_SETTINGS; i++) strbuf_release(&s->ttnn[i]);
    strbuf_release(&s->telemetry);
    if (p->ttnn.len) ttnn_env_clear(strbuf_text(&p->ttnn));
}

static int capture_with(struct profile *p, const struct work *work, const struct profile_wish *wish, const char **words, int fd,
                        struct child_settings *s, struct err *err) {
    say_start(work, p, words, s->given);
    if (wish->inspector) work_note(work, "and %s %s %s", s->inspector[1].data, s->inspector[2].data, s->inspector[3].data);
    if (wish->ttnn_report) work_note(work, "and %s", s->ttnn[0].data);
    struct watching watching = {.work = work, .host_fd = open_recording(p, work, wish)};
    /* used to find processes that left the child's tree */
    char mark[64];
    snprintf(mark, sizeof mark, "TTMEM_RUN=%d.%lld", (int)getpid(), (long long)clock_ns());
    watching.mark = mark;
    if (watching.host_fd >= 0) s->environment[s->count++] = mark;
    struct watcher_wish watched = {
        .fd = fd, .show = !work->quiet && work->progress != PROGRESS_NEVER, .silent = work->quiet, .no_color = work->no_color};
    watcher_start(&watching.watcher, &watched);
    struct capture capture = {.argv = (char *const *)(uintptr_t)words,
                              .environment = s->environment,
                              .log_fd = fd,
                              .echo = !wish->quiet_child,
                              .before_echo = before_echo,
                              .tick = tick,
                              .started = started,
                              .who = &watching};
    watching.capture = &capture;
    int rc = capture_run(&capture, &p->end, err);
    p->bytes = atomic_load(&capture.bytes);
    watcher_stop(&watching.watcher, 0);
    end_recording(&watching, p, rc == 0);
    if (rc != 0 && p->host.len) unlink(strbuf_text(&p->host));
    return rc;
}

static int capture_into(struct profile *p, const struct work *work, const struct profile_wish *wish, const char **words, int fd,
                        struct err *err) {
    struct child_settings child = {0};
    int rc = settings_make(&child, p, wish, err);
    if (rc == 0) rc = capture_with(p, work, wish, words, fd, &child, err);
    settings_release(&child, p);
    return rc;
}

int profile_run(struct profile *p, const struct work *work, const struct profile_wish *wish, struct err *err) {
    *p = (struct profile){0};
    if (wish->name) strbuf_addz(&p->name, wish->name);
    else name_of(&p->name, wish->command);
    const char **words = NULL;
    struct strbuf interpreter = {0};
    int rc = check_name(strbuf_text(&p->name), err), fd = -1;
    if (rc == 0) rc = resolve(&words, &interpreter, wish->command, err);
    if (rc == 0) rc = make_folder(p, wish, err);
    if (rc == 0) {
        strbuf_addf(&p->log, "%s/%s_profile.log", strbuf_text(&p->folder), strbuf_text(&p->name));
        fd = open(strbuf_text(&p->log), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) rc = err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", strbuf_text(&p->log));
    }
    if (rc == 0) rc = capture_into(p, work, wish, words, fd, err);
    if (rc == 0) say_end(work, p);
    if (fd >= 0) {
        close(fd);
        if (rc != 0) {
            unlink(strbuf_text(&p->log)); /* nothing was run */
            if (p->inspector.len) rmdir(strbuf_text(&p->inspector));
            rmdir(strbuf_text(&p->folder));
        }
    }
    free(words);
    strbuf_release(&interpreter);
    return rc;
}

void profile_end(struct profile *p) {
    launched_release(&p->launched);
    strbuf_release(&p->name);
    strbuf_release(&p->folder);
    strbuf_release(&p->log);
    strbuf_release(&p->host);
    strbuf_release(&p->inspector);
    strbuf_release(&p->ttnn);
}

int profile_status(const struct profile *p, int own_status) {
    if (p->end.status) return p->end.status;
    if (p->end.read_errno) return ERR_INPUT;
    return p->end.log_errno ? (int)ERR_OUTPUT : own_status;
}
