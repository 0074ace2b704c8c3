/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of files for CI: JUnit, annotations and the summary of a GitHub step. */
#include "render/answer/explain_files.h"
#include "render/ci/junit.h"
#include "render/format/escape.h"
#include "render/format/markdown.h"

enum { MOST_ANNOTATIONS = 10, MOST_ROWS = 100 }; /* GitHub shows ten of each kind per step */

/* Keeps line ends, which escape_xml treats as control bytes. */
static void xml_lines(struct strbuf *out, struct slice text) {
    for (size_t end; (end = slice_find_byte(text, '\n')) != SLICE_NONE; text = slice_skip(text, end + 1)) {
        escape_xml(out, slice_take(text, end));
        strbuf_addc(out, '\n');
    }
    escape_xml(out, text);
}

static void case_name(struct strbuf *out, const struct explain_row *row) {
    strbuf_addf(out, "%s at line %llu", row->class, (unsigned long long)row->line);
    if (row->op.len) strbuf_addz(out, " in ");
    strbuf_add(out, row->op);
}

/* One case per failure, one for each file without any. */
void explain_files_junit(struct strbuf *out, const struct explain_files *all, struct junit_time time) {
    size_t failures = 0, quiet = 0, errors = 0;
    for (size_t i = 0; i < all->files.len; i++) {
        failures += all->files.items[i].failures;
        quiet += !all->files.items[i].failures && !all->files.items[i].state.len;
        errors += !all->files.items[i].failures && all->files.items[i].state.len;
    }
    junit_begin(out, &(struct junit_suite){.name = SLICE("ttmem explain"),
                                           .tests = failures + quiet + errors,
                                           .failures = failures,
                                           .errors = errors,
                                           .time = time});
    struct strbuf name = {0};
    for (size_t i = 0; i < all->rows.len; i++) {
        const struct explain_row *row = &all->rows.items[i];
        if (row->warning) continue;
        case_name(&name, row);
        junit_case(out, all->files.items[row->file].name, strbuf_slice(&name));
        strbuf_addz(out, "\n<failure");
        junit_attribute(out, "type", slice_from(row->class));
        junit_attribute(out, "message", row->headline);
        strbuf_addc(out, '>');
        xml_lines(out, row->advice);
        strbuf_addz(out, "</failure>\n</testcase>\n");
        strbuf_clear(&name);
    }
    strbuf_release(&name);
    for (size_t i = 0; i < all->files.len; i++) {
        const struct explain_file *file = &all->files.items[i];
        if (file->failures) continue;
        junit_case(out, file->name, SLICE("no memory failure"));
        if (file->state.len) {
            strbuf_addz(out, "\n<error");
            junit_attribute(out, "message", file->state);
            strbuf_addz(out, "></error>\n</testcase>\n");
        } else {
            strbuf_addz(out, "</testcase>\n");
        }
    }
    junit_end(out);
}

static bool is_mild(const struct explain_row *row) { return row->outcome == OUTCOME_CAUGHT || row->warning; }

static size_t at_most(size_t most, struct explain_show show) { return show.limit && show.limit < most ? show.limit : most; }

static void annotations(struct strbuf *out, const struct explain_files *all, const explain_entries *entries, bool mild,
                        struct explain_show show) {
    size_t shown = 0, last = at_most(entries->len, show);
    for (size_t i = 0; i < last && shown < MOST_ANNOTATIONS; i++) {
        const struct explain_row *row = entries->items[i].row;
        if (is_mild(row) != mild) continue;
        strbuf_addf(out, "::%s ", mild ? "warning" : "error");
        if (row->path.len) {
            strbuf_addz(out, "file=");
            escape_github(out, row->path, true);
            strbuf_addf(out, ",line=%u,", row->path_line);
        }
        strbuf_addz(out, "title=");
        escape_github(out, slice_from(row->class), true);
        strbuf_addz(out, "::");
        escape_github(out, row->headline, false);
        strbuf_addz(out, " (");
        escape_github(out, all->files.items[row->file].name, false);
        strbuf_addf(out, ", line %llu", (unsigned long long)row->line);
        explain_entry_others(out, &entries->items[i]);
        strbuf_addz(out, ")\n");
        shown++;
    }
}

/* "run.log ends inside @main after #1,204 without a word" */
static void state_annotations(struct strbuf *out, const struct explain_files *all) {
    size_t shown = 0;
    for (size_t i = 0; i < all->files.len && shown < MOST_ANNOTATIONS; i++) {
        const struct explain_file *file = &all->files.items[i];
        if (!file->state.len) continue;
        strbuf_addz(out, "::error title=not the whole log::");
        escape_github(out, file->name, false);
        strbuf_addz(out, ": ");
        escape_github(out, file->state, false);
        strbuf_addc(out, '\n');
        shown++;
    }
}

void explain_files_github(struct strbuf *out, const struct explain_files *all, struct explain_show show) {
    explain_entries entries = {0};
    explain_entries_make(all, show.all, &entries);
    annotations(out, all, &entries, false, show);
    annotations(out, all, &entries, true, show);
    state_annotations(out, all);
    if (show.limit && entries.len > show.limit)
        strbuf_addf(out, "::notice::%zu further failures are not shown (--limit %zu)\n", entries.len - show.limit, show.limit);
    vec_release(&entries);
}

/* A line for each log that is cut or cannot be read. */
static void add_states(struct strbuf *out, const struct explain_files *all) {
    for (size_t i = 0; i < all->files.len; i++) {
        const struct explain_file *file = &all->files.items[i];
        if (!file->state.len) continue;
        strbuf_addz(out, "\n- ");
        md_text(out, file->name, 200);
        strbuf_addz(out, ": ");
        md_text(out, file->state, 200);
    }
    strbuf_addc(out, '\n');
}

/* "Memory failures: 27, 3 different; 2 warnings" */
static void add_title(struct strbuf *out, const struct explain_files *all, const explain_entries *entries) {
    size_t failures = 0, warnings = 0, different = 0;
    for (size_t i = 0; i < all->rows.len; i++) *(all->rows.items[i].warning ? &warnings : &failures) += 1;
    for (size_t i = 0; i < entries->len; i++) different += !entries->items[i].row->warning;
    struct strbuf title = {0};
    strbuf_addf(&title, "Memory failures: %zu", failures);
    if (different < failures) strbuf_addf(&title, ", %zu different", different);
    if (warnings) strbuf_addf(&title, "; %zu warning%s", warnings, warnings == 1 ? "" : "s");
    md_heading(out, 3, strbuf_slice(&title));
    strbuf_addc(out, '\n');
    strbuf_release(&title);
}

void explain_files_markdown(struct strbuf *out, const struct explain_files *all, struct explain_show show) {
    static const char *const outcomes[] = {[OUTCOME_UNKNOWN] = "not known",
                                           [OUTCOME_ENDED] = "ended the run",
                                           [OUTCOME_CAUGHT] = "caught",
                                           [OUTCOME_TEST] = "ended its test"};
    explain_entries entries = {0};
    explain_entries_make(all, show.all, &entries);
    size_t shown = at_most(MOST_ROWS, show);
    add_title(out, all, &entries);
    if (entries.len) md_table(out, SLICE("class|what|op|outcome|where"));
    for (size_t i = 0; i < entries.len && i < shown; i++) {
        const struct explain_row *row = entries.items[i].row;
        md_cellf(out, "%s", row->class);
        md_cell(out, row->headline, 200);
        md_cell_open(out);
        md_text(out, row->op, 96);
        md_cellf(out, "%s", row->warning ? "warning" : outcomes[row->outcome]);
        md_cell(out, all->files.items[row->file].name, 200);
        strbuf_addf(out, ":%llu", (unsigned long long)row->line);
        explain_entry_others(out, &entries.items[i]);
        md_row_end(out);
    }
    if (entries.len > shown) strbuf_addf(out, "\n... and %zu more\n", entries.len - shown);
    add_states(out, all);
    vec_release(&entries);
}
