/* SPDX-License-Identifier: Apache-2.0 */
/* Comma-separated values according to RFC 4180, with a header; an unknown cell is empty. */
#include "base/num.h"
#include "base/utf8.h"
#include "render/export/export_rows.h"

static bool needs_quotes(struct slice text) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' || c == ',' || c == '\n' || c == '\r') return true;
    }
    return false;
}

static void add_text(struct strbuf *out, struct slice text) {
    bool quoted = needs_quotes(text);
    size_t start = out->len;
    if (quoted) strbuf_addc(out, '"');
    for (; quoted && text.len;) {
        size_t end = slice_find_byte(text, '"');
        utf8_add_valid(out, slice_take(text, end));
        if (end != SLICE_NONE) strbuf_addz(out, "\"\"");
        text = end == SLICE_NONE ? slice_of("", 0) : slice_skip(text, end + 1);
    }
    if (!quoted) utf8_add_valid(out, text);
    else strbuf_addc(out, '"');
    for (size_t i = start; i < out->len; i++)
        if (!out->data[i]) out->data[i] = ' ';
}

static void add_cell(struct strbuf *out, const struct export_cell *cell) {
    switch (cell->kind) {
        case CELL_NULL:
            return;
        case CELL_INTEGER:
            strbuf_took(out, num_write_i64(strbuf_room(out, NUM_ROOM), cell->number));
            return;
        case CELL_TEXT:
            add_text(out, cell->text);
    }
}

int export_csv(const struct output_job *job, struct outfile *file, struct err *err) {
    const struct export_table *table = export_row_tables;
    while (table[1].name && strcmp(table->name, job->table) != 0) table++;
    struct strbuf text = {0};
    for (const struct export_column *column = table->columns; column->name; column++)
        strbuf_addf(&text, "%s%s", column == table->columns ? "" : ",", column->name);
    strbuf_addz(&text, "\r\n");
    size_t rows = table->rows(job);
    int rc = 0;
    for (size_t row = 0; rc == 0 && row < rows; row++) {
        for (const struct export_column *column = table->columns; column->name; column++) {
            struct export_cell cell = {0};
            column->get(job, row, &cell);
            if (column != table->columns) strbuf_addc(&text, ',');
            else if (cell.kind == CELL_NULL) goto next;
            add_cell(&text, &cell);
        }
        strbuf_addz(&text, "\r\n");
    next:
        rc = export_flush(&text, false, file, err);
    }
    if (rc == 0) rc = export_flush(&text, true, file, err);
    strbuf_release(&text);
    return rc;
}
