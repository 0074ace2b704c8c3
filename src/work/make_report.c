/* SPDX-License-Identifier: Apache-2.0 */
#include "work/make_report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "work/keep.h"
#include "work/version.h"
#include "render/answer/summary_text.h"
#include "render/format/output_job.h"

int make_report(struct made_report *made, const struct work *work, const char *path, const struct report_wish *wish,
                struct err *err) {
    *made = (struct made_report){0};
    struct strbuf spool = {0};
    int rc = open_try(work, path, err);
    if (rc == 0) rc = report_spool_folder(&spool, &wish->options, err);
    if (rc == 0)
        rc = open_run_as(
            &made->in, work, path,
            (struct input_options){
                .spool_folder = strbuf_text(&spool), .last_run = wish->last_run, .marker = wish->marker, .content = true},
            err);
    strbuf_release(&spool);
    if (rc != 0) return -1;
    rc = input_check(&made->in, err);
    if (rc == 0) {
        overview_make(&made->in.run, &made->overview);
        rc = keep_report(work, &made->in, &made->overview, &wish->options, NULL, &made->folder, err);
        if (rc != 0) overview_release(&made->overview);
    }
    if (rc == 0) return 0;
    input_release(&made->in);
    strbuf_release(&made->folder);
    return -1;
}

void made_report_release(struct made_report *made) {
    overview_release(&made->overview);
    input_release(&made->in);
    strbuf_release(&made->folder);
}

void made_report_text(struct strbuf *out, const struct term *term, const struct made_report *made) {
    struct summary_source source = {strbuf_slice(&made->in.name), made->in.path};
    summary_text(out, term, &made->in.run, &made->overview, &source);
    strbuf_addz(out, "\n  Report: ");
    term_text(out, term, strbuf_slice(&made->folder), 0);
    strbuf_addc(out, '\n');
}

int make_page(const struct input *in, struct outfile *file, struct err *err) {
    struct overview overview;
    char real[PATH_MAX];
    const char *origin = strbuf_text((struct strbuf *)(uintptr_t)&in->origin);
    overview_make(&in->run, &overview);
    struct output_job job = {.run = &in->run,
                             .overview = &overview,
                             .name = strbuf_slice(&in->name),
                             .path = strcmp(origin, "-") != 0 && realpath(origin, real) ? real : origin,
                             .version = version_number()};
    int rc = report_page_into(file, &job, err);
    overview_release(&overview);
    return rc;
}

int make_page_at(const struct input *in, const char *path, struct err *err) {
    struct outfile file;
    if (outfile_open(&file, path, err) != 0) return -1;
    if (make_page(in, &file, err) == 0) return outfile_commit(&file, err);
    outfile_abort(&file);
    return -1;
}
