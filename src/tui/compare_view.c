/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/compare_view.h"

#include <stdlib.h>

#include "predict/show/show.h"
#include "render/compare/diff.h"
#include "tui/dialog.h"
#include "work/open.h"

/* On the heap, with its own copies of the words, because an abandoned thread may still use it. */
struct job {
    struct compared sides[2];
    char *path; /* of a module */
    struct term term;
    struct progress progress;
    struct strbuf text;
    struct err err;
    int rc;
};

static void compare_on_thread(void *who) {
    struct job *job = who;
    struct work work = {.quiet = true, .told = &job->progress};
    struct footprint a = {0}, b = {0};
    job->rc = open_footprint(&work, job->sides[0].word, &a, &job->err);
    if (job->rc == 0) job->rc = open_footprint(&work, job->sides[1].word, &b, &job->err);
    if (job->rc == 0) {
        struct diff diff;
        diff_make(&a, &b, &diff);
        /* a screen that scrolls needs no limit */
        struct diff_request request = {.diff = &diff,
                                       .a = slice_from(job->sides[0].name),
                                       .b = slice_from(job->sides[1].name),
                                       .limited = true,
                                       .limit = SIZE_MAX};
        diff_text(&job->text, &job->term, &request);
        diff_release(&diff);
    }
    footprint_release(&a);
    footprint_release(&b);
}

static void predict_on_thread(void *who) {
    struct job *job = who;
    struct prediction prediction = {0};
    struct predict_options options = {0};
    struct what_ifs tried = {0};
    job->rc = forms_add(&prediction.forms, job->path, &job->err);
    if (job->rc == 0) job->rc = prediction_make(&prediction, &options, &job->err);
    if (job->rc == 0) {
        if (!prediction_fits(&prediction)) what_if_try(&tried, &prediction);
        show_text(&job->text, &job->term, &(struct show){.prediction = &prediction, .tried = &tried});
        if (prediction_fits(&prediction) && prediction_is_cut(&prediction)) {
            prediction_not_known(&prediction, job->path, &job->err);
            strbuf_addf(&job->text, "\n%s\n", job->err.text);
        }
    }
    what_ifs_release(&tried);
    prediction_release(&prediction);
}

static void job_free(struct job *job) {
    for (int i = 0; i < 2; i++) {
        free((char *)(uintptr_t)job->sides[i].name);
        free((char *)(uintptr_t)job->sides[i].word);
    }
    free(job->path);
    strbuf_release(&job->text);
    free(job);
}

static enum answer show(struct job *job, const char *title, const char *what, void (*work)(void *who)) {
    bool ended = false;
    job->term = *screen_term();
    job->term.columns = 0; /* the screen cuts lines itself */
    if (!with_progress(title, what, work, job, &job->progress)) return ANSWER_END;
    if (job->rc != 0) {
        dialog_message(title, LOOK_BAD, job->err.text);
    } else {
        struct text_page reading = {title, "↑↓ PgUp PgDn scroll   Esc back   q quit", strbuf_slice(&job->text), NULL};
        text_show(&reading, &ended);
    }
    job_free(job);
    return ended ? ANSWER_END : ANSWER_BACK;
}

enum answer compare_view(struct compared before, struct compared after) {
    struct job *job = mem_zalloc(1, sizeof *job);
    job->sides[0] = (struct compared){mem_strdup(before.name), mem_strdup(before.word)};
    job->sides[1] = (struct compared){mem_strdup(after.name), mem_strdup(after.word)};
    struct strbuf what = {0};
    strbuf_addf(&what, "Comparing %s and %s", before.name, after.name);
    enum answer answer = show(job, "difference", strbuf_text(&what), compare_on_thread);
    strbuf_release(&what);
    return answer;
}

enum answer predict_view(const char *path) {
    struct job *job = mem_zalloc(1, sizeof *job);
    job->path = mem_strdup(path);
    struct strbuf what = {0};
    strbuf_addf(&what, "Replaying %s", path);
    enum answer answer = show(job, "will it fit", strbuf_text(&what), predict_on_thread);
    strbuf_release(&what);
    return answer;
}
