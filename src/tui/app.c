/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of the interactive program: home, then a log, a run, instructions, the reports or a module. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "input/report/report_dir.h"
#include "render/answer/info.h"
#include "render/answer/summary_text.h"
#include "store/recent.h"
#include "store/report.h"
#include "tui/browse.h"
#include "tui/compare_view.h"
#include "tui/dialog.h"
#include "tui/interactive.h"
#include "tui/opened.h"
#include "tui/report_view.h"
#include "tui/steps.h"
#include "work/profile.h"
#include "work/version.h"

enum { INDENT = 3, MAX_PROPOSALS = 40 };

struct app {
    struct work *work;
    struct browse browse;
};

static const struct choice home_choices[] = {
    {"Yes, I have a log", "read it, check it, write its report"},
    {"Do it for me", "run a script with the right settings, and report"},
    {"Step-by-step instructions", "how to get a log with memory data; test one"},
    {"Browse existing reports", "sort, search, open, compare two, delete"},
    {"Will it fit?", "a compiled module, before anything runs"},
};

/* Recently used, if still readable. */
static void propose_recent(struct path_names *names, enum recent_kind kind) {
    struct strbuf recent = {0}, entry = {0};
    recent_lines(&recent, kind);
    struct slice rest = strbuf_slice(&recent);
    while (rest.len && names->len < MAX_PROPOSALS / 2) {
        size_t end = slice_find_byte(rest, '\n');
        strbuf_clear(&entry);
        strbuf_add(&entry, slice_take(rest, end));
        if (kind == RECENT_ARGUMENTS || access(strbuf_text(&entry), R_OK) == 0) names_add(names, strbuf_slice(&entry));
        rest = slice_skip(rest, end + 1);
    }
    strbuf_release(&recent);
    strbuf_release(&entry);
}

struct aged_path {
    const char *path;
    struct timespec written;
};

static int newest_first(const void *a, const void *b) {
    const struct aged_path *x = a, *y = b;
    if (x->written.tv_sec != y->written.tv_sec) return x->written.tv_sec < y->written.tv_sec ? 1 : -1;
    if (x->written.tv_nsec != y->written.tv_nsec) return x->written.tv_nsec < y->written.tv_nsec ? 1 : -1;
    return strcmp(x->path, y->path);
}

static bool is_proposed(const struct path_names *names, const struct stat *file) {
    struct stat st;
    for (size_t i = 0; i < names->len; i++)
        if (stat(names->items[i], &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino) return true;
    return false;
}

static void propose_files(struct path_names *names, const char *pattern) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        struct aged_path *paths = mem_zalloc(found.gl_pathc, sizeof *paths);
        size_t count = 0;
        for (size_t k = 0; k < found.gl_pathc; k++) {
            struct stat st;
            if (stat(found.gl_pathv[k], &st) == 0 && !is_proposed(names, &st))
                paths[count++] = (struct aged_path){found.gl_pathv[k], st.st_mtim};
        }
        qsort(paths, count, sizeof *paths, newest_first);
        for (size_t k = 0; k < count && names->len < MAX_PROPOSALS; k++) names_add(names, slice_from(paths[k].path));
        free(paths);
    }
    globfree(&found);
}

/* Logs to suggest: recently opened ones, then those of runs below this folder, then those in it, newest first. */
static void propose(struct path_names *names) {
    static const char *const patterns[] = {"logs/*/*_profile.log", "*.log", "*.log.gz", "*.log.zst"};
    propose_recent(names, RECENT_LOGS);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) propose_files(names, patterns[i]);
}

struct opening {
    const char *path;
    const struct report_options *wish; /* NULL: no report is written */
    struct progress progress;
    struct opened opened;
    struct err err;
    int rc;
};

static void open_on_thread(void *who) {
    struct opening *o = who;
    o->rc = opened_log(&o->opened, o->path, o->wish, &o->progress, &o->err);
}

/* ANSWER_BACK: it could not be opened, and the user has read why. */
static enum answer open_log(struct opening *o, const char *path, const struct report_options *wish) {
    *o = (struct opening){.path = path, .wish = wish};
    struct strbuf what = {0};
    strbuf_addf(&what, "%s %s", wish ? "Analysing" : "Reading", path);
    bool done = with_progress("log", strbuf_text(&what), open_on_thread, o, &o->progress);
    strbuf_release(&what);
    if (!done) return ANSWER_END;
    if (o->rc == 0) return ANSWER_OK;
    bool unwritten = wish && o->err.code == ERR_OUTPUT;
    if (unwritten)
        strncat(o->err.text,
                ". The result is shown without writing a report; ttmem analyze LOG --output-dir DIR writes one elsewhere.",
                sizeof o->err.text - strlen(o->err.text) - 1);
    dialog_message("log", LOOK_BAD, o->err.text);
    return unwritten ? open_log(o, path, NULL) : ANSWER_BACK;
}

static enum answer browse(struct app *app);

enum next { NEXT_VIEW, NEXT_SERVE, NEXT_AGENT, NEXT_BROWSE, NEXT_BACK };

static const struct choice next_choices[] = {[NEXT_VIEW] = {"Look at it here", "timeline, consumers, what is alive"},
                                             [NEXT_SERVE] = {"Open the page", "serve it on this machine until Ctrl+C"},
                                             [NEXT_AGENT] = {"Report for an agent", "markdown, beside the other files"},
                                             [NEXT_BROWSE] = {"Browse all reports", "this one among the others"},
                                             [NEXT_BACK] = {"Back", "to the start"}};

static void wait_for_enter(void) {
    fputs("\nPress Enter to continue. ", stderr);
    for (int c = getchar(); c != '\n' && c != EOF;) c = getchar();
}

static void serve(const char *folder) {
    screen_suspend();
    int status = work_run_self((const char *[]){"serve", folder, NULL});
    if (status && status < 128) wait_for_enter(); /* ttmem said why it could not */
    screen_resume();
}

static void agent_report(const struct opened *opened) {
    struct strbuf file = {0}, text = {0};
    strbuf_addf(&file, "%s/%s_report.md", opened->folder, opened->name);
    screen_suspend();
    int status = work_run_self(
        (const char *[]){"report", opened->path, "--format", "markdown", "--no-files", "-o", strbuf_text(&file), NULL});
    screen_resume();
    if (status == 0) strbuf_addf(&text, "Written to %s", strbuf_text(&file));
    else strbuf_addf(&text, "%s could not be written (status %d)", strbuf_text(&file), status);
    dialog_message("report for an agent", status ? LOOK_BAD : LOOK_PLAIN, strbuf_text(&text));
    strbuf_release(&file);
    strbuf_release(&text);
}

/* The summary, and below it what can be done next. */
static void draw_result(const struct opened *opened, struct slice summary, struct choice_list *list) {
    screen_clear();
    screen_put_frame("result", "↑↓ choose   Enter go   Esc back   q quit");
    int bottom = screen_rows() - 2 - choices_rows(list);
    int rows = bottom - 3;
    text_draw(summary, 0, 2, rows > 1 ? rows - 1 : 1);
    screen_putf(bottom - 1, 1, screen_columns() - 2, LOOK_DIM, "  Report: %s", opened->folder ? opened->folder : "not written");
    const char *change = opened_change(opened);
    if (change) screen_putf(bottom, 1, screen_columns() - 2, LOOK_BAD, "  %s", change);
    choices_draw(list, bottom + 1, INDENT);
    screen_show();
}

static enum answer act(struct app *app, const struct opened *opened, enum next what) {
    switch (what) {
        case NEXT_VIEW:
            return report_view(opened) == ANSWER_END ? ANSWER_END : ANSWER_OK;
        case NEXT_SERVE:
            serve(opened->folder);
            return ANSWER_OK;
        case NEXT_AGENT:
            agent_report(opened);
            return ANSWER_OK;
        case NEXT_BROWSE:
            return browse(app) == ANSWER_END ? ANSWER_END : ANSWER_OK;
        default:
            return ANSWER_BACK;
    }
}

static enum answer result(struct app *app, const struct opened *opened) {
    struct choice items[NEXT_BACK + 1];
    enum next meaning[NEXT_BACK + 1];
    size_t count = 0;
    for (int i = NEXT_VIEW; i <= NEXT_BACK; i++) {
        if ((i == NEXT_SERVE || i == NEXT_AGENT) && !opened->folder) continue;
        items[count] = next_choices[i];
        meaning[count++] = (enum next)i;
    }
    struct choice_list list = {.items = items, .len = count, .compact = true};
    enum answer answer = ANSWER_OK;
    struct strbuf summary = {0};
    while (answer == ANSWER_OK) {
        struct summary_source source = {slice_from(opened->name), opened->path};
        strbuf_clear(&summary);
        summary_text(&summary, screen_term(), opened->run, opened->overview, &source);
        draw_result(opened, strbuf_slice(&summary), &list);
        struct event event = screen_event(-1);
        if (screen_ends(event)) answer = ANSWER_END;
        else if (event.key == KEY_ESCAPE) answer = ANSWER_BACK;
        else if (choices_event(&list, event)) answer = act(app, opened, meaning[list.selected]);
    }
    strbuf_release(&summary);
    return answer;
}

static enum answer analyze(struct app *app, const char *path, const struct report_options *wish) {
    struct opening o;
    enum answer answer = open_log(&o, path, wish);
    if (answer != ANSWER_OK) return answer;
    recent_add(path, RECENT_LOGS);
    answer = result(app, &o.opened);
    opened_close(&o.opened);
    return answer;
}

/* Asks for a path until it names something that can be read. */
static enum answer ask_file(struct prompt *prompt, struct strbuf *path) {
    struct strbuf typed = {0};
    enum answer answer;
    do {
        answer = prompt_ask(prompt, &typed);
        if (answer != ANSWER_OK) break;
        strbuf_clear(path);
        expand_path(path, strbuf_text(&typed));
        prompt->message =
            typed.len ? "There is no such file, or it cannot be read" : "Type a path, or choose one with the arrows";
    } while (!typed.len || access(strbuf_text(path), R_OK) != 0);
    strbuf_release(&typed);
    return answer;
}

static enum answer ask_path(const char *title, const char *question, struct strbuf *path) {
    struct path_names proposals = {0};
    propose(&proposals);
    struct prompt prompt = {.title = title,
                            .question = question,
                            .proposals_title = proposals.len ? "Recent logs" : NULL,
                            .proposals = &proposals,
                            .paths = true};
    enum answer answer = ask_file(&prompt, path);
    names_release(&proposals);
    return answer;
}

static enum answer flow_log(struct app *app) {
    struct strbuf path = {0};
    enum answer answer = ask_path("log", "Which log?", &path);
    if (answer == ANSWER_OK) answer = analyze(app, strbuf_text(&path), &(struct report_options){0});
    strbuf_release(&path);
    return answer;
}

static enum answer ask_script(struct strbuf *path) {
    struct path_names scripts = {0};
    propose_recent(&scripts, RECENT_SCRIPTS);
    propose_files(&scripts, "*.py");
    struct prompt prompt = {.title = "do it for me",
                            .question = "Which script or program?",
                            .proposals_title = scripts.len ? "Recent runs, and scripts in this folder" : NULL,
                            .proposals = &scripts,
                            .paths = true};
    struct strbuf typed = {0};
    enum answer answer;
    do answer = prompt_ask(&prompt, &typed);
    while (answer == ANSWER_OK && !typed.len);
    expand_path(path, strbuf_text(&typed));
    strbuf_release(&typed);
    names_release(&scripts);
    return answer;
}

static enum answer run_script(struct app *app, const char *script, const char *arguments) {
    struct strbuf words = {0};
    struct profile profile;
    struct err err = {0};
    size_t count = 0;
    shell_split(&words, arguments, &count);
    const char **argv = mem_zalloc(count + 2, sizeof *argv), *p = strbuf_text(&words);
    argv[0] = script;
    for (size_t i = 1; i <= count; i++, p += strlen(p) + 1) argv[i] = p;
    screen_suspend();
    int rc = profile_run(&profile, app->work, &(struct profile_wish){.command = argv}, &err);
    if (rc == 0) wait_for_enter();
    screen_resume();
    enum answer answer = ANSWER_BACK;
    if (rc != 0) dialog_message("do it for me", LOOK_BAD, err.text);
    else
        answer =
            analyze(app, strbuf_text(&profile.log),
                    &(struct report_options){.output_dir = strbuf_text(&profile.folder), .name = strbuf_text(&profile.name)});
    free(argv);
    strbuf_release(&words);
    profile_end(&profile);
    return answer;
}

static enum answer flow_run(struct app *app) {
    struct strbuf script = {0}, arguments = {0}, words = {0};
    size_t count;
    struct path_names before = {0};
    propose_recent(&before, RECENT_ARGUMENTS);
    struct prompt prompt = {.title = "do it for me",
                            .question = "Its arguments? (Enter for none; quotes as in a shell)",
                            .proposals_title = before.len ? "Used recently" : NULL,
                            .proposals = &before};
    enum answer answer = ask_script(&script);
    while (answer == ANSWER_OK) {
        answer = prompt_ask(&prompt, &arguments);
        strbuf_clear(&words);
        if (answer != ANSWER_OK || shell_split(&words, strbuf_text(&arguments), &count)) break;
        prompt.message = "A quote is not closed";
    }
    if (answer == ANSWER_OK) {
        recent_add(strbuf_text(&script), RECENT_SCRIPTS);
        recent_add(strbuf_text(&arguments), RECENT_ARGUMENTS);
        answer = run_script(app, strbuf_text(&script), strbuf_text(&arguments));
    }
    names_release(&before);
    strbuf_release(&script);
    strbuf_release(&arguments);
    strbuf_release(&words);
    return answer;
}

/* Shows what is in a log and what it lacks. */
static int describe(const char *path, struct strbuf *out, struct err *err) {
    struct census census;
    int rc = open_census(&census, &(struct work){.quiet = true, .progress = PROGRESS_NEVER}, path, err);
    if (rc == 0) info_text(out, screen_term(), &census, path);
    census_release(&census);
    return rc;
}

static enum answer test_log(void) {
    struct strbuf path = {0}, text = {0};
    enum answer answer = ask_path("test a log", "Which log?", &path);
    bool ended = false;
    if (answer == ANSWER_OK) {
        struct err err = {0};
        if (describe(strbuf_text(&path), &text, &err) != 0) {
            dialog_message("test a log", LOOK_BAD, err.text);
        } else {
            struct text_page reading = {"test a log", "Esc back   q quit", strbuf_slice(&text), NULL};
            text_show(&reading, &ended);
        }
    }
    strbuf_release(&path);
    strbuf_release(&text);
    return ended || answer == ANSWER_END ? ANSWER_END : ANSWER_OK;
}

static enum answer flow_steps(struct app *app) {
    (void)app;
    for (;;) {
        struct strbuf text = {0};
        bool ended;
        steps_text(&text, screen_term());
        struct text_page reading = {"step by step", "t test a log   ↑↓ scroll   Esc back   q quit", strbuf_slice(&text), "t"};
        int key = text_show(&reading, &ended);
        strbuf_release(&text);
        if (ended) return ANSWER_END;
        if (key != 't') return ANSWER_BACK;
        if (test_log() == ANSWER_END) return ANSWER_END;
    }
}

static enum answer open_report(const struct listed_report *report) {
    struct opening o;
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/%s%s", report->folder, report->name, report_suffixes[FILE_MEMORY]);
    if (access(strbuf_text(&path), F_OK) != 0) {
        strbuf_release(&path);
        dialog_message(report->name, LOOK_PLAIN,
                       "This is a page without the files of a run: o in the list opens it in a browser. For a graph "
                       "capture, ttmem graph CAPTURE shows the same in the terminal.");
        return ANSWER_OK;
    }
    enum answer answer = open_log(&o, strbuf_text(&path), NULL);
    strbuf_release(&path);
    if (answer != ANSWER_OK) return answer;
    o.opened.name = report->name;
    answer = report_view(&o.opened);
    opened_close(&o.opened);
    return answer;
}

static enum answer browse(struct app *app) {
    app->browse.can_serve = true;
    for (;;) {
        enum answer answer = browse_run(&app->browse);
        if (answer != ANSWER_OK) return answer;
        const struct listed_report *const *marked = app->browse.marked;
        if (app->browse.wish == BROWSE_SERVE) serve(app->browse.chosen->folder);
        else if (app->browse.wish == BROWSE_COMPARE) {
            struct compared before = {marked[0]->name, marked[0]->folder}, after = {marked[1]->name, marked[1]->folder};
            if (compare_view(before, after) == ANSWER_END) return ANSWER_END;
        } else if (open_report(app->browse.chosen) == ANSWER_END) return ANSWER_END;
    }
}

/* Compiled modules to suggest: those that a run or codegen left here. */
static enum answer flow_predict(struct app *app) {
    static const char *const patterns[] = {"*.mlir", "irs/ttnn*.mlir", "*.ttnn", "*/ttnn*.mlir"};
    (void)app;
    struct path_names modules = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) propose_files(&modules, patterns[i]);
    struct strbuf path = {0};
    enum answer answer = ask_file(&(struct prompt){.title = "will it fit",
                                                   .question = "Which module? (TTNN .mlir, .ttnn, a log with module dumps)",
                                                   .proposals_title = modules.len ? "Modules here" : NULL,
                                                   .proposals = &modules,
                                                   .paths = true},
                                  &path);
    if (answer == ANSWER_OK) answer = predict_view(strbuf_text(&path));
    names_release(&modules);
    strbuf_release(&path);
    return answer;
}

static void draw_home(struct choice_list *list, const char *version) {
    static const char *const logo[] = {"▄█▄ ▄█▄ ▄▄▄▄▄ ▄▄▄▄ ▄▄▄▄▄", " █   █  █ █ █ █▄▄█ █ █ █", " ▀▄▄ ▀▄▄█ █ █ ▀▄▄▄ █ █ █"};
    screen_clear();
    int row = 1;
    if (screen_utf8() && screen_rows() >= 22) {
        for (size_t i = 0; i < sizeof logo / sizeof *logo; i++)
            screen_putz(row++, INDENT, screen_columns() - INDENT, LOOK_ACCENT, logo[i]);
        row++;
    } else {
        screen_putz(row++, INDENT, screen_columns() - INDENT, LOOK_ACCENT, "ttmem");
    }
    screen_putz(row, INDENT, screen_columns() - INDENT, LOOK_DIM,
                "What holds the memory of a Tenstorrent chip, what is wasted, why it failed.");
    screen_put_right(screen_rows() - 1, screen_columns() - 1, 30, LOOK_DIM, slice_from(version));
    row += 2;
    screen_putz(row, INDENT, screen_columns() - INDENT, LOOK_BOLD, "Do you have a log file with memory logs ready?");
    screen_putz(row + 1, INDENT, screen_columns() - INDENT, LOOK_DIM,
                "Needed: what a run printed with TT_RUNTIME_MEMORY_LOG_LEVEL=all. 2 makes one.");
    choices_draw(list, row + 3, INDENT);
    screen_putz(screen_rows() - 1, 1, screen_columns() - 2, LOOK_DIM, "↑↓ choose   Enter go   q quit");
    screen_show();
}

static int run_app(struct work *work) {
    static enum answer (*const flows[])(struct app *) = {flow_log, flow_run, flow_steps, browse, flow_predict};
    struct app app = {.work = work};
    struct choice_list list = {.items = home_choices, .len = sizeof home_choices / sizeof *home_choices};
    for (;;) {
        draw_home(&list, version_number());
        struct event event = screen_event(-1);
        if (screen_ends(event) || event.key == KEY_ESCAPE) break;
        if (choices_event(&list, event) && flows[list.selected](&app) == ANSWER_END) break;
    }
    browse_release(&app.browse);
    return screen_end_status();
}

int interactive_run(void) {
    struct err err = {0};
    struct work work = {.progress = PROGRESS_AUTO, .out = term_of(STDOUT_FILENO, false)};
    if (screen_enter(&err) != 0) {
        work_error("%s", err.text);
        return (int)err.code;
    }
    int status = run_app(&work);
    screen_leave();
    /* an abandoned thread may still be reading */
    if (status) _exit(status);
    return status;
}
