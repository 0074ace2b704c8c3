#include "work/make_report.h"

#include "work/keep.h"
#include "render/answer/summary_text.h"

int make_report(struct made_report *made, const struct work *work, const char *path, const struct report_wish *wish,
                struct err *err) {
    *made = (struct made_report){0};
    struct strbuf spool = {0};
    int rc = load_try(path, err);
    if (rc == 0) rc = report_folder(&spool, &wish->options, err);
    if (rc == 0)
        rc = wish->last_run ? load_last_run(&made->loaded, work, path, strbuf_text(&spool), wish->marker, err)
                            : load_log(&made->loaded, work, path, strbuf_text(&spool), err);
    strbuf_release(&spool);
    if (rc != 0) return -1;
    rc = load_check(&made->loaded, err);
    if (rc == 0) {
        overview_make(&made->loaded.run, &made->overview);
        rc = keep_report(work, &made->loaded, &made->overview, &wish->options, NULL, &made->folder, err);
        if (rc != 0) overview_release(&made->overview);
    }
    if (rc == 0) return 0;
    loaded_release(&made->loaded);
    strbuf_release(&made->folder);
    return -1;
}

void made_report_release(struct made_report *made) {
    overview_release(&made->overview);
    loaded_release(&made->loaded);
    strbuf_release(&made->folder);
}

void made_report_text(struct strbuf *out, const struct term *term, const struct made_report *made) {
    struct summary_source source = {strbuf_slice(&made->loaded.name), made->loaded.source.path, made->loaded.read_ns};
    summary_text(out, term, &made->loaded.run, &made->overview, &source);
    strbuf_addz(out, "\n  Report: ");
    term_text(out, term, strbuf_slice(&made->folder), 0);
    strbuf_addc(out, '\n');
}
