/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mcp/resources.h"

#include "cmd/line/cmd.h"
#include "cmd/mcp/documents.h"
#include "serve/catalog.h"
#include "store/report.h"
#include "work/open.h"

#define REPORTS "ttmem://reports"
#define REPORT "ttmem://report/"
#define AGENTS "ttmem://docs/agents"

static void put(struct json *j, const char *key, const char *uri, const char *name, const char *mime) {
    json_object(j);
    json_member_text(j, key, uri);
    json_member_text(j, "name", name);
    json_member_text(j, "mimeType", mime);
    json_object_end(j);
}

void resources_list(void *context, struct json *j) {
    (void)context;
    put(j, "uri", REPORTS, "Reports of this user", "application/json");
    put(j, "uri", AGENTS, "How to ask ttmem", "text/markdown");
}

void resources_templates(void *context, struct json *j) {
    (void)context;
    put(j, "uriTemplate", REPORT "{name}", "A report in markdown", "text/markdown");
}

static int list_reports(struct strbuf *text, struct err *err) {
    struct strbuf folder = {0};
    struct catalog catalog;
    if (ttmem_home(&folder, err) != 0) return -1;
    strbuf_addz(&folder, "/reports");
    catalog_read(&catalog, strbuf_text(&folder), false);
    struct json j = {.out = text};
    json_array(&j);
    for (size_t i = 0; i < catalog.entries.len; i++) {
        const struct catalog_entry *entry = &catalog.entries.items[i];
        json_object(&j);
        json_member_text(&j, "name", entry->id);
        json_member_i64(&j, "written_unix_s", (int64_t)entry->written);
        json_object_end(&j);
    }
    json_array_end(&j);
    catalog_release(&catalog);
    strbuf_release(&folder);
    return 0;
}

static int read_report(const struct work *work, struct slice name, struct strbuf *text, struct err *err) {
    struct strbuf folder = {0}, word = {0};
    struct err why = {0};
    strbuf_add(&word, name);
    int rc = open_report_named(strbuf_text(&word), &folder) ? 0 : -1;
    const char *const words[] = {strbuf_text(&folder), "--no-files", NULL};
    if (rc == 0) rc = command_answer("report", words, work, text, &why) < 0 ? -1 : 0;
    if (rc != 0)
        err_set(err, ERR_INPUT, "%.*s%s%s", (int)(name.len < 100 ? name.len : 100), name.ptr,
                why.text[0] ? ": " : " is not a report", why.text);
    strbuf_release(&folder);
    strbuf_release(&word);
    return rc;
}

int resource_read(const struct work *work, struct slice uri, struct strbuf *text, const char **mime, struct err *err) {
    *mime = "text/markdown";
    if (slice_equal(uri, SLICE(AGENTS))) {
        strbuf_add(text, document_agents());
        return 0;
    }
    if (slice_equal(uri, SLICE(REPORTS))) {
        *mime = "application/json";
        return list_reports(text, err);
    }
    if (slice_starts(uri, SLICE(REPORT))) return read_report(work, slice_skip(uri, strlen(REPORT)), text, err);
    return err_set(err, ERR_INPUT, "there is no resource '%.*s'", (int)(uri.len < 100 ? uri.len : 100), uri.ptr);
}
