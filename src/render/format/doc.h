/* SPDX-License-Identifier: Apache-2.0 */
/* A document of headings, paragraphs, tables and pictures, written as markdown or as one HTML page. The text is plain, and
 * the writer escapes it. Pictures are for the page; markdown shows their caption's table instead. */
#ifndef TTMEM_RENDER_DOC_H
#define TTMEM_RENDER_DOC_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "render/chart/scene.h"

enum doc_kind { DOC_TITLE, DOC_HEADING, DOC_TEXT, DOC_TABLE, DOC_ROW, DOC_CELL, DOC_TABLE_END, DOC_PICTURE };

struct doc_part {
    enum doc_kind kind;
    struct slice text;
    bool right, strong; /* cells */
    struct scene *scene;
};

struct doc {
    struct arena arena;
    VEC(struct doc_part) parts;
};

void doc_add(struct doc *doc, enum doc_kind kind, struct slice text);
void doc_addf(struct doc *doc, enum doc_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A table: its headings separated by '|', a '>' before one that is right-aligned; then doc_row and cells. */
void doc_table(struct doc *doc, const char *headings);
void doc_row(struct doc *doc);
void doc_cell(struct doc *doc, struct slice text);
void doc_cellf(struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_table_end(struct doc *doc);

/* Takes ownership of the scene, which is released with the document. */
struct scene *doc_picture(struct doc *doc, const char *caption);

void doc_markdown(struct strbuf *out, const struct doc *doc);
void doc_html(struct strbuf *out, const struct doc *doc);
void doc_release(struct doc *doc);

#endif
