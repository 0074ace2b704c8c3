/* SPDX-License-Identifier: Apache-2.0 */
#include "store/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "input/report/report_dir.h"

static char *copy(struct slice s) {
    char *text = mem_alloc(s.len + 1);
    if (s.len) memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

struct listing_reader {
    struct listing *listing;
    struct json_reader *json;
    struct strbuf text;
};

static void take_report(void *context, const struct found_report *found) {
    struct listing_reader *r = context;
    struct report_summary summary;
    struct listed_report report = {
        .name = mem_strdup(found->name), .folder = mem_strdup(found->folder), .written = found->written};
    report.has_summary = report_summary_read(&summary, found->folder, found->name, r->json, &r->text);
    report.source = copy(summary.source);
    report.ops = summary.ops > 0 ? (uint64_t)summary.ops : 0;
    report.failures = summary.failures;
    report.predicted = summary.predicted;
    for (unsigned i = 0; i < POOL_COUNT; i++) {
        report.peak[i] = summary.peak[i] > 0 ? summary.peak[i] : 0;
        report.capacity[i] = summary.capacity[i] > 0 ? summary.capacity[i] : 0;
    }
    vec_push(r->listing, report);
}

void listing_read(struct listing *listing, const char *root) {
    struct listing_reader r = {.listing = listing, .json = json_reader_new()};
    reports_below(root, take_report, &r);
    json_reader_free(r.json);
    strbuf_release(&r.text);
}

void listing_release(struct listing *listing) {
    for (size_t i = 0; i < listing->len; i++) {
        free(listing->items[i].name);
        free(listing->items[i].folder);
        free(listing->items[i].source);
    }
    vec_release(listing);
}

int listing_delete(const struct listed_report *report, struct err *err) {
    struct strbuf path = {0};
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < REPORT_FILES; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s%s", report->folder, report->name, report_suffixes[i]);
        if (unlink(strbuf_text(&path)) != 0 && errno != ENOENT)
            rc = err_set_errno(err, ERR_OUTPUT, "cannot delete '%s'", strbuf_text(&path));
    }
    if (rc == 0) rmdir(report->folder); /* stays if the log or something else is in it */
    strbuf_release(&path);
    return rc;
}
