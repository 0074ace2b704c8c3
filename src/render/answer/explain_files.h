/* SPDX-License-Identifier: Apache-2.0 */
/* The failures of many files: a line for each file, then the distinct failures, as text, for JUnit and for GitHub. Files are
 * added in sequence; little is kept of each, and its run can be released. A zeroed struct is empty. */
#ifndef TTMEM_RENDER_EXPLAIN_FILES_H
#define TTMEM_RENDER_EXPLAIN_FILES_H

#include "base/arena.h"
#include "base/table/map.h"
#include "render/answer/explain.h"
#include "render/ci/junit.h"

struct explain_row {
    const char *class;
    struct slice headline, op, advice, python;
    struct hash128 key; /* equal for failures that belong together */
    uint64_t line, printed;
    enum failure_outcome outcome;
    bool warning;
    size_t file;
    struct group_range lacking, wanted;
    struct slice path; /* the file in the checkout that it came from, once looked up; else empty */
    uint32_t path_line;
};

struct explain_file {
    struct slice name;
    struct slice state; /* "ends inside @main", "cannot be read: ..."; empty if all is well */
    size_t failures, ended, caught, warnings;
};

/* Equal failures over all files. */
struct explain_entry {
    const struct explain_row *row; /* the first with the worst outcome */
    size_t count, files, last_file, ended, caught;
    uint64_t printed;
    struct group_range lacking, wanted;
};

typedef VEC(struct explain_entry) explain_entries;

struct explain_files {
    VEC(struct explain_file) files;
    VEC(struct explain_row) rows;
    VEC(struct slice) skipped; /* files in folders whose names are not those of logs */
    struct strbuf json;        /* the items of "files" so far */
    struct arena arena;
};

/* `explain` may be NULL: the file could not be read, and `state` says why. JSON gets at most `limit` of its failures, 0: any
 * number. */
void explain_files_add(struct explain_files *all, struct slice name, const struct explain *explain, struct slice state,
                       size_t limit);
void explain_files_skip(struct explain_files *all, struct slice name);
void explain_files_release(struct explain_files *all);

/* The distinct failures, worst first; with `each` every failure on its own. Release with vec_release. */
void explain_entries_make(const struct explain_files *all, bool each, explain_entries *out);

/* " and 2 more, in 2 files, short by ..." after the place of the first. */
void explain_entry_others(struct strbuf *out, const struct explain_entry *entry);

void explain_files_text(struct strbuf *out, const struct term *term, const struct explain_files *all, struct explain_show show);
void explain_files_json(struct strbuf *out, const struct explain_files *all);
/* `time`: duration of the reading. */
void explain_files_junit(struct strbuf *out, const struct explain_files *all, struct junit_time time);
/* Annotations: the worst first, caught ones as warnings; then logs that are cut or cannot be read. */
void explain_files_github(struct strbuf *out, const struct explain_files *all, struct explain_show show);
/* A table for the summary of a GitHub step. */
void explain_files_markdown(struct strbuf *out, const struct explain_files *all, struct explain_show show);

#endif
