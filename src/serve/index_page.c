/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/index_page.h"

#include <limits.h>
#include <stdio.h>

#include "base/json_read.h"
#include "base/num.h"
#include "base/amounts.h"
#include "device/chip.h"
#include "render/format/escape.h"
#include "render/page/page_template.h"
#include "serve/known_runs.h"

enum { COMMIT_SHOWN = 10 };

static void link_to(struct strbuf *out, const struct catalog_entry *entry, enum report_file file, const char *label) {
    strbuf_addz(out, "<a href=\"/");
    escape_url_part(out, entry->id);
    strbuf_addc(out, '/');
    escape_url_part(out, entry->name);
    strbuf_addf(out, "%s\">", report_suffixes[file]);
    escape_xml(out, slice_from(label));
    strbuf_addz(out, "</a>");
}

/* `known`: the summary was read. */
static void state_cell(struct strbuf *out, const struct catalog_entry *entry, const struct report_summary *summary,
                       bool known) {
    if (!known) {
        strbuf_addf(out, "<td class=\"state failed\">%s</td>",
                    summary->mixed              ? "\xe2\x9a\xa0 its files do not belong together"
                    : entry->have[FILE_SUMMARY] ? "\xe2\x9a\xa0 its summary cannot be read"
                                                : "not known: it has no summary");
        return;
    }
    if (!summary->failures) {
        strbuf_addf(out, "<td class=\"state\">%s</td>", summary->predicted ? "predicted" : "");
        return;
    }
    strbuf_addz(out, "<td class=\"state failed\">\xe2\x9a\xa0 ");
    if (summary->predicted) strbuf_addz(out, "predicted: does not fit, ");
    if (slice_equal(summary->failure_kind, SLICE("oom"))) {
        strbuf_addz(out, "out of ");
        escape_xml(out, summary->failure_pool);
        strbuf_addz(out, ", ");
    } else {
        escape_xml(out, summary->failure_kind);
        strbuf_addz(out, ", ");
    }
    escape_xml(out, summary->failure_verdict);
    if (summary->failures > 1)
        strbuf_addf(out, ", and %s%llu more", summary->more_failures ? "at least " : "",
                    (unsigned long long)summary->failures - 1);
    strbuf_addz(out, "</td>");
}

/* What the history knows about it: else empty cells. */
static void history_cells(struct strbuf *out, const struct known_runs *known, const struct history_listed *listed) {
    struct strbuf labels = {0};
    if (listed) {
        strbuf_add(&labels, listed->run.branch);
        struct strbuf others = {0};
        known_labels(&others, known, listed->run.id);
        if (labels.len && others.len) strbuf_addz(&labels, ", ");
        strbuf_add(&labels, strbuf_slice(&others));
        strbuf_release(&others);
    }
    strbuf_addz(out, "<td class=\"mono\" title=\"");
    if (listed) escape_xml(out, listed->run.commit);
    strbuf_addz(out, "\">");
    if (listed) escape_xml(out, slice_take(listed->run.commit, COMMIT_SHOWN));
    strbuf_addz(out, "</td><td class=\"labels\" title=\"");
    escape_xml(out, strbuf_slice(&labels));
    strbuf_addz(out, "\">");
    escape_xml(out, strbuf_slice(&labels));
    strbuf_addz(out, "</td>");
    strbuf_release(&labels);
}

/* "wormhole_b0" by the pages' name for it. */
static struct slice chip_words(struct slice name) {
    const struct chip *chip = chip_find(name);
    return chip ? slice_from(chip->title) : name;
}

static const char *state_key(const struct report_summary *summary, bool known) {
    if (!known) return "unknown";
    if (summary->predicted) return summary->failures ? "predicted: does not fit" : "predicted";
    return summary->failures ? "failed" : "ok";
}

static void add_row(struct strbuf *out, const struct catalog_entry *entry, const struct report_summary *summary, bool is_known,
                    const struct known_runs *known) {
    char date[32], label[PATH_MAX];
    bool same = strcmp(entry->id, entry->name) == 0;
    snprintf(label, sizeof label, "%s%s%s", entry->id, same ? "" : " / ", same ? "" : entry->name);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&entry->written, &parts));
    int64_t share = summary->capacity[POOL_DRAM] > 0 && summary->peak[POOL_DRAM] >= 0
                        ? num_percent_milli(summary->peak[POOL_DRAM], summary->capacity[POOL_DRAM]) / 100
                        : -1;
    strbuf_addz(out, "<tr data-name=\"");
    escape_xml(out, slice_from(label));
    strbuf_addz(out, "\" data-chip=\"");
    escape_xml(out, chip_words(summary->chip));
    strbuf_addf(out,
                "\" data-date=\"%lld\" data-ops=\"%lld\" data-ranks=\"%zu\" data-share=\"%lld\" data-state=\"%s\"><td><input "
                "type=\"checkbox\" aria-label=\"compare\" value=\"",
                (long long)entry->written, (long long)summary->ops, summary->ranks, (long long)share,
                state_key(summary, is_known));
    escape_xml(out, slice_from(entry->id));
    strbuf_addz(out, "\"></td><td>");
    link_to(out, entry, FILE_PAGE, label);
    strbuf_addz(out, "</td>");
    history_cells(out, known, known_run_of(known, entry->name, summary));
    strbuf_addz(out, "<td>");
    escape_xml(out, chip_words(summary->chip));
    strbuf_addf(out, "</td><td>%s</td><td class=\"num\">%s</td><td class=\"num\">%s</td>", date,
                summary->ranks > 1 ? figure_grouped(summary->ranks).text : "",
                summary->ops < 0 ? "\xe2\x80\x93" : figure_grouped((uint64_t)summary->ops).text);
    if (share < 0) strbuf_addz(out, "<td class=\"num\">\xe2\x80\x93</td><td></td>");
    else
        strbuf_addf(out, "<td class=\"num\">%s / %s MB</td><td><span class=\"bar\" title=\"%lld %%\"><i></i></span></td>",
                    figure_milli(summary->peak[POOL_DRAM], 2).text, figure_milli(summary->capacity[POOL_DRAM], 2).text,
                    (long long)(share + 5) / 10);
    state_cell(out, entry, summary, is_known);
    strbuf_addz(out, "<td class=\"files\">");
    for (unsigned kind = FILE_MEMORY; kind < REPORT_FILES; kind++)
        if (entry->have[kind]) link_to(out, entry, kind, catalog_kinds[kind].label);
    strbuf_addz(out, "</td></tr>\n");
}

void index_page(struct strbuf *out, const struct catalog *catalog, const char *folder) {
    struct slice rest = index_template();
    struct json_reader *reader = json_reader_new();
    struct strbuf text = {0};
    struct known_runs known;
    known_runs_read(&known);
    strbuf_add(out, template_until(&rest, "FOLDER"));
    escape_xml(out, slice_from(folder));
    if (catalog->elsewhere) strbuf_addz(out, " and the last runs of ttmem run");
    strbuf_add(out, template_until(&rest, "ROWS"));
    for (size_t i = 0; i < catalog->entries.len; i++) {
        const struct catalog_entry *entry = &catalog->entries.items[i];
        struct report_summary summary;
        bool is_known = report_summary_read(&summary, entry->folder, entry->name, reader, &text);
        add_row(out, entry, &summary, is_known, &known);
    }
    strbuf_add(out, template_until(&rest, "UNREAD"));
    if (catalog->unread)
        strbuf_addf(out, "<p class=\"state failed\">\xe2\x9a\xa0 %zu folder%s cannot be read: reports in %s are not listed</p>",
                    catalog->unread, catalog->unread > 1 ? "s" : "", catalog->unread > 1 ? "them" : "it");
    strbuf_add(out, rest);
    known_runs_release(&known);
    strbuf_release(&text);
    json_reader_free(reader);
}
