/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/doc.h"

#include <stdarg.h>
#include <stdio.h>

#include "render/format/escape.h"
#include "render/format/markdown.h"

void doc_add(struct doc *doc, enum doc_kind kind, struct slice text) {
    vec_push(&doc->parts, ((struct doc_part){.kind = kind, .text = arena_copy(&doc->arena, text)}));
}

static void add_formatted(struct doc *doc, enum doc_kind kind, const char *format, va_list args) {
    char text[2048];
    int n = vsnprintf(text, sizeof text, format, args);
    doc_add(doc, kind, slice_of(text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1));
}

void doc_addf(struct doc *doc, enum doc_kind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_formatted(doc, kind, format, args);
    va_end(args);
}

void doc_table(struct doc *doc, const char *headings) { doc_add(doc, DOC_TABLE, slice_from(headings)); }
void doc_row(struct doc *doc) { doc_add(doc, DOC_ROW, SLICE("")); }
void doc_cell(struct doc *doc, struct slice text) { doc_add(doc, DOC_CELL, text); }
void doc_table_end(struct doc *doc) { doc_add(doc, DOC_TABLE_END, SLICE("")); }

void doc_cellf(struct doc *doc, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_formatted(doc, DOC_CELL, format, args);
    va_end(args);
}

struct scene *doc_picture(struct doc *doc, const char *caption) {
    doc_add(doc, DOC_PICTURE, slice_from(caption));
    return vec_last(&doc->parts).scene = mem_zalloc(1, sizeof(struct scene));
}

void doc_release(struct doc *doc) {
    for (size_t i = 0; i < doc->parts.len; i++)
        if (doc->parts.items[i].scene) {
            scene_release(doc->parts.items[i].scene);
            free(doc->parts.items[i].scene);
        }
    vec_release(&doc->parts);
    arena_release(&doc->arena);
}

/* --- markdown --- */

void doc_markdown(struct strbuf *out, const struct doc *doc) {
    for (size_t i = 0; i < doc->parts.len; i++) {
        const struct doc_part *p = &doc->parts.items[i];
        bool in_row = i && p[-1].kind == DOC_CELL;
        switch (p->kind) {
            case DOC_TITLE:
            case DOC_HEADING:
                md_heading(out, p->kind == DOC_TITLE ? 1 : 2, p->text);
                strbuf_addc(out, '\n');
                break;
            case DOC_TEXT:
                md_item(out, p->text, 0);
                strbuf_addz(out, "\n\n");
                break;
            case DOC_TABLE:
                md_table(out, p->text);
                break;
            case DOC_ROW:
                if (in_row) md_row_end(out);
                break;
            case DOC_CELL:
                md_cell_open(out);
                md_text(out, p->text, 0);
                break;
            case DOC_TABLE_END:
                if (in_row) md_row_end(out);
                strbuf_addc(out, '\n');
                break;
            case DOC_PICTURE:
                break;
        }
    }
}

/* --- html --- */

static const char style[] =
    ":root{color-scheme:light dark;--line:#d0d4da;--dim:#5b6470}"
    "@media(prefers-color-scheme:dark){:root{--line:#3a4048;--dim:#9aa4b0}body{background:#16181c;color:#e4e7eb}}"
    "body{font:13px/1.45 system-ui,sans-serif;max-width:1080px;margin:24px auto;padding:0 16px}"
    "h1{font-size:18px;margin:0 0 8px}h2{font-size:13px;margin:24px 0 8px;border-top:1px solid var(--line);padding-top:12px}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:2px 12px 2px "
    "0;text-align:left;border-bottom:1px solid var(--line);"
    "font-weight:400;vertical-align:top}th{color:var(--dim)}.r{text-align:right}td{font-family:ui-monospace,monospace;font-"
    "size:12px;white-space:nowrap}"
    "figure{margin:8px 0 16px;overflow-x:auto}figcaption{color:var(--dim)}svg{background:#fff;max-width:100%;height:auto}"
    "div{overflow-x:auto}";

static void html_heading_cells(struct strbuf *out, struct slice headings) {
    struct slice heading;
    bool right;
    for (struct slice rest = headings; md_next_heading(&rest, &heading, &right);) {
        strbuf_addz(out, right ? "<th class=\"r\">" : "<th>");
        escape_xml(out, heading);
        strbuf_addz(out, "</th>");
    }
    strbuf_addz(out, "</tr>");
}

void doc_html(struct strbuf *out, const struct doc *doc) {
    struct slice title = SLICE("ttmem");
    for (size_t i = 0; i < doc->parts.len; i++)
        if (doc->parts.items[i].kind == DOC_TITLE) title = doc->parts.items[i].text;
    strbuf_addz(out,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    escape_xml(out, title);
    strbuf_addf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
    struct slice headings = {0};
    for (size_t i = 0; i < doc->parts.len; i++) {
        const struct doc_part *p = &doc->parts.items[i];
        bool right = false;
        struct slice heading;
        static const char *const tags[] = {[DOC_TITLE] = "h1", [DOC_HEADING] = "h2", [DOC_TEXT] = "p"};
        switch (p->kind) {
            case DOC_TITLE:
            case DOC_HEADING:
            case DOC_TEXT:
                strbuf_addf(out, "<%s>", tags[p->kind]);
                escape_xml(out, p->text);
                strbuf_addf(out, "</%s>\n", tags[p->kind]);
                break;
            case DOC_TABLE:
                strbuf_addz(out, "<div><table>\n<tr>");
                html_heading_cells(out, p->text);
                break;
            case DOC_ROW:
                strbuf_addz(out, "\n<tr>");
                for (size_t t = i; t-- > 0;)
                    if (doc->parts.items[t].kind == DOC_TABLE) {
                        headings = doc->parts.items[t].text;
                        break;
                    }
                break;
            case DOC_CELL:
                if (!md_next_heading(&headings, &heading, &right)) right = false;
                strbuf_addz(out, right ? "<td class=\"r\">" : "<td>");
                escape_xml(out, p->text);
                strbuf_addz(out, "</td>");
                break;
            case DOC_TABLE_END:
                strbuf_addz(out, "\n</table></div>\n");
                break;
            case DOC_PICTURE:
                strbuf_addz(out, "<figure>\n");
                scene_svg(out, p->scene);
                strbuf_addz(out, "<figcaption>");
                escape_xml(out, p->text);
                strbuf_addz(out, "</figcaption>\n</figure>\n");
                break;
        }
    }
    strbuf_addz(out, "</body>\n</html>\n");
}
