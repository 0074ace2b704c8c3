#include "serve/index_page.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/num.h"
#include "render/figures.h"
#include "render/page_template.h"

enum { LARGEST_SUMMARY = 16 << 20 };

/* What a row shows of a summary; -1 where it does not tell. */
struct row {
    int64_t ops, allocated, capacity; /* thousandths of a MB per bank */
    uint64_t failures;
    struct slice kind, verdict, pool; /* of the first failure */
};

static void read_file(struct strbuf *out, const struct catalog_entry *entry, enum catalog_file file) {
    char path[PATH_MAX];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s%s", entry->folder, entry->name, catalog_kinds[file].suffix);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return;
    if (fstat(fd, &info) == 0 && info.st_size > 0 && info.st_size <= LARGEST_SUMMARY) {
        char *room = strbuf_room(out, (size_t)info.st_size);
        ssize_t n = read(fd, room, (size_t)info.st_size);
        strbuf_took(out, n > 0 ? (size_t)n : 0);
    }
    close(fd);
}

static void member_slice(struct json_value object, const char *name, struct slice *out) {
    struct json_value value;
    if (json_member(object, name, &value)) json_string_of(value, out);
}

static void read_summary(struct json_value root, struct row *row) {
    struct json_value value, peaks, dram, item;
    if (json_member(root, "records", &value)) json_i64_of(value, &row->ops);
    if (json_member(root, "peaks", &peaks) && json_member(peaks, "DRAM", &dram)) {
        if (json_member(dram, "allocated_MB", &value)) json_milli_of(value, &row->allocated);
        if (json_member(dram, "capacity_MB", &value)) json_milli_of(value, &row->capacity);
    }
    if (!json_member(root, "failures", &value)) return;
    for (struct json_walk w = json_walk_of(value); json_next(&w, NULL, &item); row->failures++) {
        if (row->failures) continue;
        member_slice(item, "kind", &row->kind);
        member_slice(item, "verdict", &row->verdict);
        member_slice(item, "pool", &row->pool);
    }
}

/* A part of a URL: what is not a letter, digit or one of -_.~ as %XX. */
static void url_part(struct strbuf *out, const char *text) {
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || strchr("-_.~", *p);
        if (plain) strbuf_addc(out, (char)*p);
        else strbuf_addf(out, "%%%02X", *p);
    }
}

static void link_to(struct strbuf *out, const struct catalog_entry *entry, enum catalog_file file, const char *label) {
    strbuf_addz(out, "<a href=\"/");
    url_part(out, entry->id);
    strbuf_addc(out, '/');
    url_part(out, entry->name);
    strbuf_addf(out, "%s\">", catalog_kinds[file].suffix);
    html_text(out, slice_from(label));
    strbuf_addz(out, "</a>");
}

static void state_cell(struct strbuf *out, const struct row *row) {
    if (!row->failures) {
        strbuf_addz(out, "<td class=\"state\"></td>");
        return;
    }
    strbuf_addz(out, "<td class=\"state failed\">\xe2\x9a\xa0 ");
    if (slice_equal(row->kind, SLICE("oom"))) {
        strbuf_addz(out, "out of ");
        html_text(out, row->pool);
        strbuf_addz(out, " memory, ");
    } else {
        html_text(out, row->kind);
        strbuf_addz(out, ", ");
    }
    html_text(out, row->verdict);
    if (row->failures > 1) strbuf_addf(out, " (+%llu)", (unsigned long long)row->failures - 1);
    strbuf_addz(out, "</td>");
}

static void add_row(struct strbuf *out, const struct catalog_entry *entry, const struct row *row) {
    char date[32], label[PATH_MAX];
    bool same = strcmp(entry->id, entry->name) == 0;
    snprintf(label, sizeof label, "%s%s%s", entry->id, same ? "" : " / ", same ? "" : entry->name);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime_r(&entry->written, &parts));
    int64_t share = row->capacity > 0 && row->allocated >= 0 ? num_percent_milli(row->allocated, row->capacity) / 100 : -1;
    strbuf_addz(out, "<tr data-name=\"");
    html_text(out, slice_from(label));
    strbuf_addf(out, "\" data-date=\"%lld\" data-ops=\"%lld\" data-share=\"%lld\" data-state=\"%s\"><td>",
                (long long)entry->written, (long long)row->ops, (long long)share, row->failures ? "failed" : "ok");
    link_to(out, entry, FILE_PAGE, label);
    strbuf_addf(out, "</td><td>%s</td><td class=\"num\">%s</td>", date,
                row->ops < 0 ? "\xe2\x80\x93" : grouped((uint64_t)row->ops).text);
    if (share < 0) strbuf_addz(out, "<td class=\"num\">\xe2\x80\x93</td><td></td>");
    else
        strbuf_addf(out, "<td class=\"num\">%s / %s MB</td><td><span class=\"bar\" title=\"%lld %%\"><i></i></span></td>",
                    fixed2(row->allocated).text, fixed2(row->capacity).text, (long long)(share + 5) / 10);
    state_cell(out, row);
    strbuf_addz(out, "<td class=\"files\">");
    for (unsigned kind = FILE_MEMORY; kind < FILE_KINDS; kind++)
        if (entry->have[kind]) link_to(out, entry, kind, catalog_kinds[kind].label);
    strbuf_addz(out, "</td></tr>\n");
}

void index_page(struct strbuf *out, const struct catalog *catalog, const char *folder) {
    struct slice rest = index_template();
    struct json_reader *reader = json_reader_new();
    struct strbuf text = {0};
    strbuf_add(out, template_until(&rest, "FOLDER"));
    html_text(out, slice_from(folder));
    strbuf_add(out, template_until(&rest, "ROWS"));
    for (size_t i = 0; i < catalog->entries.len; i++) {
        const struct catalog_entry *entry = &catalog->entries.items[i];
        struct row row = {.ops = -1, .allocated = -1, .capacity = -1};
        struct json_value root;
        strbuf_clear(&text);
        if (entry->have[FILE_SUMMARY]) read_file(&text, entry, FILE_SUMMARY);
        if (reader && text.len && json_parse(reader, strbuf_slice(&text), &root)) read_summary(root, &row);
        add_row(out, entry, &row);
    }
    strbuf_add(out, rest);
    strbuf_release(&text);
    json_reader_free(reader);
}
