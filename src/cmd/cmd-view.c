/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem view: the report page of a log, or of an existing report. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analysis/run/overview.h"
#include "base/json_write.h"
#include "base/outfile.h"
#include "cmd/line/cmd.h"
#include "work/graph_read.h"
#include "work/keep.h"
#include "cmd/line/emit.h"
#include "work/open.h"
#include "input/names.h"
#include "store/report.h"
#include "input/kinds.h"
#include "input/report/report_files.h"
#include "work/make_report.h"

/* Says where the page is; nothing if the page itself went to stdout. */
static int tell(const struct invocation *inv, const char *path, struct err *err) {
    if (strcmp(path, "-") == 0) return 0;
    char real[PATH_MAX];
    struct strbuf text = {0};
    strbuf_addz(&text, realpath(path, real) ? real : path);
    strbuf_addc(&text, '\n');
    int rc = emit_to(inv, NULL, strbuf_slice(&text), true, err);
    strbuf_release(&text);
    return rc;
}

/* Only the page of a log, where -o says; else the whole report under the home of ttmem. */
static int view_log(struct invocation *inv, const char *path, const char *output, struct err *err) {
    struct report_options options = {0};
    struct strbuf spool = {0}, page = {0};
    struct input in;
    int rc = open_try(&inv->work, path, err);
    if (output) strbuf_addz(&spool, input_temporary_folder());
    else if (rc == 0) rc = report_spool_folder(&spool, &options, err);
    if (rc == 0) rc = open_run(&in, &inv->work, path, strbuf_text(&spool), err);
    strbuf_release(&spool);
    if (rc != 0) return -1;
    rc = input_check(&in, err);
    if (rc == 0) {
        if (output) {
            strbuf_addz(&page, output);
            rc = make_page_at(&in, output, err);
        } else {
            struct overview overview;
            overview_make(&in.run, &overview);
            rc = keep_report(&inv->work, &in, &overview, &options, NULL, &page, err);
            strbuf_addf(&page, "/%.*s_report.html", SLICE_FMT(strbuf_slice(&in.name)));
            overview_release(&overview);
        }
    }
    if (rc == 0) rc = tell(inv, strbuf_text(&page), err);
    strbuf_release(&page);
    input_release(&in);
    return rc;
}

/* The small file that says which run the folder's report is about. */
static int note_origin(const struct report *report, const struct graph_session *session, struct err *err) {
    uint64_t calls = 0;
    for (size_t i = 0; i < session->details.len; i++) calls += session->details.items[i].functions_called;
    struct strbuf text = {0};
    struct json json = {.out = &text};
    json_document(&json);
    json_member_str(&json, "name", strbuf_slice(&report->name));
    json_member_str(&json, "source_path", strbuf_slice(&report->origin));
    json_member_text(&json, "kind", "graph_capture");
    json_member_u64(&json, "records", calls);
    json_object_end(&json);
    int rc = report_add(report, "_summary.json", strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}

/* The folder of a capture's page: as -o says, else under the home of ttmem. */
static int capture_page(struct invocation *inv, const struct graph_session *session, const char *path, const char *output,
                        struct err *err) {
    struct strbuf page = {0}, name = {0};
    struct report report = {0};
    struct source source;
    report_name(&name, path);
    int rc = 0;
    if (output) {
        strbuf_addz(&page, output);
    } else {
        const struct report_options options = {0};
        rc = source_open(&source, path, err);
        if (rc == 0) {
            struct run whole = {.text = source.bytes};
            rc = report_open(&report, path, &whole, &options, err);
            source_release(&source);
        }
        if (rc == 0) rc = note_origin(&report, session, err);
        if (rc == 0) report_path(&report, "_report.html", &page);
    }
    if (rc == 0) rc = graph_page_file(&inv->work, session, strbuf_slice(&name), strbuf_text(&page), err);
    if (rc == 0) rc = tell(inv, strbuf_text(&page), err);
    report_release(&report);
    strbuf_release(&page);
    strbuf_release(&name);
    return rc;
}

static int view_capture(struct invocation *inv, const char *path, const char *output, struct err *err) {
    struct graph_session session = {.timeline.wanted = true};
    const char *slash = strrchr(path, '/');
    int rc = graph_read(&session, path, slice_from(slash && slash[1] ? slash + 1 : path), inv->work.progress, err);
    if (rc == 0) rc = capture_page(inv, &session, path, output, err);
    graph_session_release(&session);
    return rc;
}

static int copy_page(const char *from, const char *to, struct err *err) {
    struct source source;
    if (source_open(&source, from, err) != 0) return -1;
    int rc = outfile_put(to, source.bytes, err);
    source_release(&source);
    return rc;
}

/* The report of a capture consists only of its page. */
static bool capture_page_in(const char *folder, struct strbuf *page) {
    struct slice path = slice_from(folder);
    while (slice_ends(path, SLICE("/"))) path = slice_take(path, path.len - 1);
    size_t slash = path.len;
    while (slash && path.ptr[slash - 1] != '/') slash--;
    strbuf_addf(page, "%.*s/%.*s_report.html", SLICE_FMT(path), SLICE_FMT(slice_skip(path, slash)));
    struct stat st;
    return stat(strbuf_text(page), &st) == 0 && S_ISREG(st.st_mode);
}

/* Made from the report's run, even if there is a page: it may be the page of another run. If it cannot be written, an existing
 * page that is not older than the other files is shown. */
static int view_report(struct invocation *inv, const char *path, const char *output, struct err *err) {
    struct report_files files;
    struct strbuf folder = {0}, name = {0}, page = {0};
    struct input in;
    if (!report_files_part(path, &folder, &name)) strbuf_addz(&folder, path);
    int rc = report_files_open(&files, strbuf_text(&folder), strbuf_text(&name), err);
    bool fresh = rc == 0 && report_files_page(&files, &page);
    if (rc == 0) report_files_release(&files);
    if (rc == 0) rc = open_run(&in, &inv->work, path, input_temporary_folder(), err);
    if (rc == 0) {
        rc = make_page_at(&in, output ? output : strbuf_text(&page), err);
        if (rc != 0 && fresh && !output && err->code == ERR_OUTPUT) rc = 0;
        input_release(&in);
    }
    if (rc == 0) rc = tell(inv, output ? output : strbuf_text(&page), err);
    strbuf_release(&folder);
    strbuf_release(&name);
    strbuf_release(&page);
    return rc;
}

static int view_capture_report(struct invocation *inv, const char *page, const char *output, struct err *err) {
    int rc = output ? copy_page(page, output, err) : 0;
    return rc == 0 ? tell(inv, output ? output : page, err) : rc;
}

static int run(struct invocation *inv, struct err *err) {
    const char *word = inv->args.words.items[0], *output = args_text(&inv->args, "output");
    struct strbuf path = {0}, page = {0};
    if (inv->work.together_count > 1) return view_log(inv, word, output, err);
    int rc = open_path(&inv->work, word, &path, err);
    const char *found = strbuf_text(&path);
    if (rc == 0 && (report_is_folder(found) || report_is_file(found))) rc = view_report(inv, found, output, err);
    else if (rc == 0 && capture_page_in(found, &page)) rc = view_capture_report(inv, strbuf_text(&page), output, err);
    else if (rc == 0 && graph_looks_like(found)) rc = view_capture(inv, found, output, err);
    else if (rc == 0) rc = view_log(inv, found, output, err);
    strbuf_release(&path);
    strbuf_release(&page);
    return rc;
}

static const struct option options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "write the page there (- is stdout)"},
    OPTIONS_OF_RUN,
    OPTIONS_END,
};

const struct command cmd_view = {
    .name = "view",
    .summary = "Write the report page of a run, and print its path",
    .synopsis = "RUN... [-o FILE] [--last-run] [--device CHIP]",
    .details = OPEN_HELP
    "\nThe page of a report is made again from its files. For any other input the whole report is written, as analyze\n"
    "does; with -o, only the page. The page of a graph capture shows DRAM, L1, circular buffers and calls over the "
    "nodes of the capture, one after the other.\n"
    "Prints the path of the page: one file that any browser opens, without network.",
    .example = "ttmem view model_profile.log -o model.html",
    .options = options,
    .min_words = 1,
    .max_words = MOST_FILES,
    .takes_files = true,
    .run = run,
};
