/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/trends_page.h"

#include <stdlib.h>

#include "analysis/compare/measures.h"
#include "analysis/compare/trend.h"
#include "base/json_write.h"
#include "base/table/map.h"
#include "render/format/escape.h"
#include "render/page/page_template.h"
#include "serve/known_runs.h"

enum { MODELS_SHOWN = 50, POINTS_SHOWN = 2000 };

/* Runs of one model: indices in the list, newest first. */
struct model {
    struct slice name;
    VEC(uint32_t) runs;
};

struct page {
    struct known_runs known;
    VEC(struct model) models;              /* newest first */
    const struct catalog_entry **entry_of; /* of each run: its report, or NULL */
};

static void group(struct page *p) {
    for (size_t i = 0; i < p->known.list.runs.len; i++) {
        struct slice name = p->known.list.runs.items[i].run.model;
        size_t at = 0;
        while (at < p->models.len && !slice_equal(p->models.items[at].name, name)) at++;
        if (at == MODELS_SHOWN) continue;
        if (at == p->models.len) vec_push(&p->models, ((struct model){.name = name}));
        if (p->models.items[at].runs.len < POINTS_SHOWN) vec_push(&p->models.items[at].runs, (uint32_t)i);
    }
}

static void find_reports(struct page *p, const struct catalog *catalog) {
    struct json_reader *reader = json_reader_new();
    struct strbuf text = {0};
    p->entry_of = mem_zalloc(p->known.list.runs.len + 1, sizeof(struct catalog_entry *));
    for (size_t i = 0; i < catalog->entries.len; i++) {
        const struct catalog_entry *entry = &catalog->entries.items[i];
        struct report_summary summary;
        report_summary_read(&summary, entry->folder, entry->name, reader, &text);
        const struct history_listed *listed = known_run_of(&p->known, entry->name, &summary);
        size_t at = listed ? (size_t)(listed - p->known.list.runs.items) : 0;
        if (!listed) continue;
        const struct catalog_entry *other = p->entry_of[at];
        /* of equal ones the newest, preferring one with a page */
        if (!other || (!other->have[FILE_PAGE] && entry->have[FILE_PAGE])) p->entry_of[at] = entry;
    }
    strbuf_release(&text);
    json_reader_free(reader);
}

static void point(struct json *j, const struct page *p, uint32_t at) {
    const struct history_listed *run = &p->known.list.runs.items[at];
    const struct catalog_entry *entry = p->entry_of[at];
    struct strbuf text = {0};
    char id[HISTORY_ID_DIGITS + 1];
    history_id_text(run->run.id, id);
    json_object(j);
    json_member_text(j, "id", id);
    json_member_i64(j, "ms", run->run.added / 1000);
    json_member_str(j, "commit", run->run.commit);
    json_member_str(j, "branch", run->run.branch);
    json_key(j, "dram");
    json_i64(j, run->has_dram ? run->dram : -1);
    json_member_i64(j, "dram_of", run->dram_whole);
    json_key(j, "l1");
    json_i64(j, run->has_l1 ? run->l1 : -1);
    json_member_i64(j, "l1_of", run->l1_whole);
    json_member_bool(j, "dram_at_least", run->dram_peak.at_least);
    json_member_bool(j, "l1_at_least", run->l1_peak.at_least);
    json_member_i64(j, "failures", run->failures);
    known_labels(&text, &p->known, run->run.id);
    json_member_str(j, "labels", strbuf_slice(&text));
    strbuf_clear(&text);
    if (entry) {
        strbuf_addc(&text, '/');
        escape_url_part(&text, entry->id);
        strbuf_addc(&text, '/');
        escape_url_part(&text, entry->name);
        strbuf_addz(&text, report_suffixes[FILE_PAGE]);
    }
    json_member_str(j, "report", strbuf_slice(&text));
    json_object_end(j);
    strbuf_release(&text);
}

/* Where a peak rose by more than 2 % and stayed higher: indices of the points, as ttmem history regressions finds them. */
static void rises(struct json *j, const char *key, const struct page *p, const struct model *model, bool l1) {
    VEC(struct trend_value) values = {0};
    VEC(uint32_t) places = {0};
    struct trend_rises found = {0};
    for (size_t i = model->runs.len; i-- > 0;) {
        const struct history_listed *run = &p->known.list.runs.items[model->runs.items[i]];
        if (!(l1 ? run->has_l1 : run->has_dram)) continue;
        vec_push(&values, ((struct trend_value){l1 ? run->l1 : run->dram, run->ended}));
        vec_push(&places, (uint32_t)(model->runs.len - 1 - i));
    }
    trend_find(values.items, values.len, false, (struct trend_limit){true, 2000}, &found);
    json_key(j, key);
    json_array(j);
    for (size_t i = 0; i < found.len; i++) json_u64(j, places.items[found.items[i].at]);
    json_array_end(j);
    vec_release(&found);
    vec_release(&values);
    vec_release(&places);
}

static void data(struct strbuf *out, const struct page *p) {
    struct strbuf text = {0};
    struct json j = {.out = &text};
    json_object(&j);
    json_member_text(&j, "problem", p->known.problem.code ? p->known.problem.text : NULL);
    json_member_bool(&j, "cut", p->known.list.runs.len == KNOWN_RUNS_MOST || p->models.len == MODELS_SHOWN);
    json_key(&j, "models");
    json_array(&j);
    for (size_t i = 0; i < p->models.len; i++) {
        const struct model *model = &p->models.items[i];
        json_object(&j);
        json_member_str(&j, "name", model->name);
        json_key(&j, "points");
        json_array(&j);
        for (size_t k = model->runs.len; k-- > 0;) point(&j, p, model->runs.items[k]);
        json_array_end(&j);
        rises(&j, "dram_rises", p, model, false);
        rises(&j, "l1_rises", p, model, true);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    escape_json_in_html(out, strbuf_slice(&text));
    strbuf_release(&text);
}

void trends_page(struct strbuf *out, const struct catalog *catalog) {
    struct page p = {0};
    struct slice rest = trends_template();
    known_runs_read(&p.known);
    group(&p);
    find_reports(&p, catalog);
    strbuf_add(out, template_until(&rest, "DATA"));
    data(out, &p);
    strbuf_add(out, rest);
    for (size_t i = 0; i < p.models.len; i++) vec_release(&p.models.items[i].runs);
    vec_release(&p.models);
    free(p.entry_of);
    known_runs_release(&p.known);
}
