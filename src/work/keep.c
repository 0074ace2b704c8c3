#include "work/keep.h"

#include "work/version.h"

int keep_report(const struct work *work, struct loaded *loaded, const struct overview *overview,
                const struct report_options *options, const struct strbuf *markdown, struct strbuf *folder, struct err *err) {
    struct report report;
    if (report_open(&report, &loaded->source, options, err) != 0) return -1;
    struct progress own, *progress = work_begin(work, &own, "writing", loaded->run.records.len * 2);
    int rc = report_write(&report, &loaded->run, overview, &loaded->source, options, version_number(), progress, err);
    if (rc == 0 && markdown) rc = report_add(&report, "_report.md", strbuf_slice(markdown), err);
    progress_end(progress);
    strbuf_add(folder, strbuf_slice(&report.folder));
    strbuf_clear(&loaded->name);
    strbuf_add(&loaded->name, strbuf_slice(&report.name));
    report_release(&report);
    return rc;
}
