/* ttmem view: the report page of a log, or of a report that exists already. */
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
#include "work/load.h"
#include "work/version.h"
#include "render/page/page_pack.h"
#include "render/page/page_run.h"
#include "store/names.h"
#include "store/report.h"
#include "store/report_read.h"

/* Says where the page is; nothing when the page itself went to stdout. */
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

/* The page of a log alone, where -o says; else the whole report under the home of ttmem. */
static int view_log(struct invocation *inv, const char *path, const char *output, struct err *err) {
    struct report_options options = {0};
    struct strbuf spool = {0}, page = {0};
    struct loaded loaded;
    int rc = load_try(path, err);
    if (output) strbuf_addz(&spool, work_temporary_folder());
    else if (rc == 0) rc = report_folder(&spool, &options, err);
    if (rc == 0) rc = load_log(&loaded, &inv->work, path, strbuf_text(&spool), err);
    strbuf_release(&spool);
    if (rc != 0) return -1;
    rc = load_check(&loaded, err);
    if (rc == 0) {
        struct overview overview;
        overview_make(&loaded.run, &overview);
        if (output) {
            struct output_job job = {.run = &loaded.run,
                                     .overview = &overview,
                                     .log = loaded.source.bytes,
                                     .name = strbuf_slice(&loaded.name),
                                     .path = path,
                                     .version = version_number()};
            strbuf_addz(&page, output);
            rc = report_page(output, &job, err);
        } else {
            rc = keep_report(&inv->work, &loaded, &overview, &options, NULL, &page, err);
            strbuf_addf(&page, "/%.*s_report.html", SLICE_FMT(strbuf_slice(&loaded.name)));
        }
        overview_release(&overview);
    }
    if (rc == 0) rc = tell(inv, strbuf_text(&page), err);
    strbuf_release(&page);
    loaded_release(&loaded);
    return rc;
}

/* The small file that tells whose report a folder is. */
static int note_origin(const struct report *report, const struct graph_session *session, struct err *err) {
    uint64_t calls = 0;
    for (size_t i = 0; i < session->details.len; i++) calls += session->details.items[i].functions_called;
    struct strbuf text = {0};
    struct json json = {.out = &text};
    json_object(&json);
    json_member_str(&json, "name", strbuf_slice(&report->name));
    json_member_str(&json, "source_path", strbuf_slice(&report->origin));
    json_member_text(&json, "kind", "graph_capture");
    json_member_u64(&json, "records", calls);
    json_object_end(&json);
    int rc = report_add(report, "_summary.json", strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}

/* A home of its own for the page of a capture: where -o says, else under the home of ttmem. */
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
            rc = report_open(&report, &source, &options, err);
            source_release(&source);
        }
        if (rc == 0) rc = note_origin(&report, session, err);
        if (rc == 0) report_path(&report, "_report.html", &page);
    }
    if (rc == 0) rc = graph_page_file(session, strbuf_slice(&name), strbuf_text(&page), err);
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

static void tell_notes(const struct invocation *inv, struct slice notes) {
    while (notes.len) {
        struct slice line = slice_take(notes, slice_find_byte(notes, '\n'));
        work_note(&inv->work, "%.*s", SLICE_FMT(line));
        notes = slice_skip(notes, line.len + 1);
    }
}

static int write_from_files(const struct invocation *inv, const struct report_files *files, const char *path, struct err *err) {
    struct page_data page;
    struct arena keep = {0};
    struct outfile file;
    struct strbuf notes = {0};
    int rc = report_read(&page, files, &keep, &notes, err);
    if (rc == 0) tell_notes(inv, strbuf_slice(&notes));
    strbuf_release(&notes);
    if (rc == 0) rc = outfile_open(&file, path, err);
    if (rc == 0) {
        rc = page_write(&page, strbuf_slice(&files->name), &file, err);
        if (rc == 0) rc = outfile_commit(&file, err);
        else outfile_abort(&file);
    }
    page_data_release(&page);
    arena_release(&keep);
    return rc;
}

/* The page of a capture is all that its report consists of. */
static bool capture_page_in(const char *folder, struct strbuf *page) {
    struct slice path = slice_from(folder);
    while (slice_ends(path, SLICE("/"))) path = slice_take(path, path.len - 1);
    size_t slash = path.len;
    while (slash && path.ptr[slash - 1] != '/') slash--;
    strbuf_addf(page, "%.*s/%.*s_report.html", SLICE_FMT(path), SLICE_FMT(slice_skip(path, slash)));
    struct stat st;
    return stat(strbuf_text(page), &st) == 0 && S_ISREG(st.st_mode);
}

static int view_folder(struct invocation *inv, const char *folder, const char *name, const char *output, struct err *err) {
    struct report_files files;
    struct strbuf page = {0};
    if (report_files_open(&files, folder, name, err) != 0) {
        int alone = capture_page_in(folder, &page) ? 0 : -1;
        if (alone == 0 && output) alone = copy_page(strbuf_text(&page), output, err);
        if (alone == 0) alone = tell(inv, output ? output : strbuf_text(&page), err);
        strbuf_release(&page);
        return alone;
    }
    bool fresh = report_files_page(&files, &page);
    const char *path = output ? output : strbuf_text(&page);
    int rc = 0;
    if (!fresh) rc = write_from_files(inv, &files, path, err);
    else if (output) rc = copy_page(strbuf_text(&page), output, err);
    if (rc == 0) rc = tell(inv, path, err);
    strbuf_release(&page);
    report_files_release(&files);
    return rc;
}

static int run(struct invocation *inv, struct err *err) {
    const char *word = inv->args.words.items[0], *output = args_text(&inv->args, "output");
    struct strbuf folder = {0}, name = {0};
    int rc;
    if (report_folder_of(word, &folder, &name)) rc = view_folder(inv, strbuf_text(&folder), strbuf_text(&name), output, err);
    else if (graph_looks_like(word)) rc = view_capture(inv, word, output, err);
    else rc = view_log(inv, word, output, err);
    strbuf_release(&folder);
    strbuf_release(&name);
    return rc;
}

static const struct option options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "write the page there (- is stdout)"},
    OPTIONS_END,
};

const struct command cmd_view = {
    .name = "view",
    .summary = "The report page of a log, of a graph capture or of an existing report",
    .synopsis = "DIR|LOG|CAPTURE|NAME [-o FILE]",
    .details =
        "LOG is a runtime log: without -o its whole report is written, as analyze does; with -o the page alone.\n"
        "CAPTURE is a ttnn graph capture (JSON): its page shows DRAM, L1, circular buffers and calls over the nodes.\n"
        "DIR is the folder of a report, also one of the older Python profiler: the page is made from its JSON files, or taken "
        "as it\n"
        "is when it is up to date. NAME is a report under ~/.ttmem/reports. Prints the path of the page: one file that any "
        "browser\n"
        "opens, without network.",
    .example = "ttmem view model_profile.log -o model.html",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
