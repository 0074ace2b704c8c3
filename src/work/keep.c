/* SPDX-License-Identifier: Apache-2.0 */
#include "work/keep.h"

#include "work/version.h"

int keep_report(const struct work *work, struct input *in, const struct overview *overview,
                const struct report_options *options, const struct strbuf *markdown, struct strbuf *folder, struct err *err) {
    struct report report;
    struct report_options named = *options;
    if (!named.name) {
        report_make_name(&in->name);
        named.name = strbuf_text(&in->name);
    }
    if (report_open(&report, strbuf_text(&in->origin), &in->run, &named, err) != 0) return -1;
    bool changed = source_change_text(&in->source) != NULL; /* already reported */
    struct progress own, *progress = work_begin(work, &own, "writing", in->run.records.len * 2);
    int rc = report_write(&report, &in->run, overview, options, version_number(), progress, err);
    if (rc == 0 && markdown) rc = report_add(&report, "_report.md", strbuf_slice(markdown), err);
    progress_end(progress);
    if (rc == 0 && !changed) work_note_change(work, &in->source);
    strbuf_add(folder, strbuf_slice(&report.folder));
    strbuf_clear(&in->name);
    strbuf_add(&in->name, strbuf_slice(&report.name));
    report_release(&report);
    return rc;
}
