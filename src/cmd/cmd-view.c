/* ttmem view: the report page of a log, or of a report that exists already. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analysis/overview.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cmd/keep.h"
#include "cmd/load.h"
#include "cmd/version.h"
#include "render/page_pack.h"
#include "render/page_run.h"
#include "store/report.h"
#include "store/report_read.h"

/* Says where the page is; nothing when the page itself went to stdout. */
static int tell(const struct invocation *inv, const char *path, struct err *err) {
    if (strcmp(path, "-") == 0) return 0;
    char real[PATH_MAX];
    struct strbuf text = {0};
    strbuf_addz(&text, realpath(path, real) ? real : path);
    strbuf_addc(&text, '\n');
    int rc = print_text(inv, strbuf_slice(&text), err);
    strbuf_release(&text);
    return rc;
}

/* The page of a log alone, where -o says; else the whole report under the home of ttmem. */
static int view_log(struct invocation *inv, const char *path, const char *output, struct err *err) {
    struct report_options options = {0};
    struct strbuf spool = {0}, page = {0};
    struct loaded loaded;
    int rc = load_try(path, err);
    if (output) strbuf_addz(&spool, temporary_folder());
    else if (rc == 0) rc = report_folder(&spool, &options, err);
    if (rc == 0) rc = load_log(&loaded, inv, path, strbuf_text(&spool), err);
    strbuf_release(&spool);
    if (rc != 0) return -1;
    rc = load_check(&loaded, err);
    if (rc == 0) {
        struct overview overview;
        overview_make(&loaded.run, &overview);
        if (output) {
            struct page_job job = {&loaded.run, &overview,       loaded.source.bytes, strbuf_slice(&loaded.name),
                                   path,        version_number()};
            strbuf_addz(&page, output);
            rc = report_page(output, &job, err);
        } else {
            rc = keep_report(inv, &loaded, &overview, &options, NULL, &page, err);
            strbuf_addf(&page, "/%.*s_report.html", SLICE_FMT(strbuf_slice(&loaded.name)));
        }
        overview_release(&overview);
    }
    if (rc == 0) rc = tell(inv, strbuf_text(&page), err);
    strbuf_release(&page);
    loaded_release(&loaded);
    return rc;
}

static int copy_page(const char *from, const char *to, struct err *err) {
    struct source source;
    struct outfile file;
    if (source_open(&source, from, err) != 0) return -1;
    int rc = outfile_open(&file, to, err);
    if (rc == 0) {
        rc = outfile_write(&file, source.bytes, err);
        if (rc == 0) rc = outfile_commit(&file, err);
        else outfile_abort(&file);
    }
    source_release(&source);
    return rc;
}

static void tell_notes(const struct invocation *inv, struct slice notes) {
    while (notes.len) {
        struct slice line = slice_take(notes, slice_find_byte(notes, '\n'));
        note(inv, "%.*s", SLICE_FMT(line));
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

static int view_folder(struct invocation *inv, const char *folder, const char *name, const char *output, struct err *err) {
    struct report_files files;
    struct strbuf page = {0};
    if (report_files_open(&files, folder, name, err) != 0) return -1;
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
    bool exists = report_folder_of(word, &folder, &name);
    int rc =
        exists ? view_folder(inv, strbuf_text(&folder), strbuf_text(&name), output, err) : view_log(inv, word, output, err);
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
    .summary = "The report page of a log or of an existing report",
    .synopsis = "DIR|LOG|NAME [-o FILE]",
    .details =
        "LOG is a runtime log: without -o its whole report is written, as analyze does; with -o the page alone.\n"
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
