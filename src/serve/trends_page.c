/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/trends_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "render/format/doc.h"
#include "render/compare/history.h"
#include "store/history.h"

enum { MODELS_SHOWN = 20, POINTS_SHOWN = 2000 };

static const char *const shown[] = {"dram.peak", "l1.peak"};

/* Draws the points [begin, end) of a series, which are of one model. */
static void draw(struct doc *doc, const struct history_series *series, size_t begin, size_t end,
                 const struct measure *measure) {
    size_t count = end - begin, skip = count > POINTS_SHOWN ? count - POINTS_SHOWN : 0;
    struct trend_point *points = mem_zalloc(count - skip, sizeof *points);
    int64_t *values = mem_zalloc(count - skip, sizeof *values);
    struct trend_rises rises;
    for (size_t i = 0; i < count - skip; i++) {
        const struct history_point *from = &series->points.items[begin + skip + i];
        values[i] = from->value;
        points[i] = (struct trend_point){from->added, from->value, from->whole, from->id};
    }
    trend_find(values, count - skip, measure->low_is_bad, (struct trend_limit){true, 2000}, &rises);
    struct trend trend = {series->points.items[begin].model, measure, points, count - skip, rises.items, rises.len};
    char caption[96];
    snprintf(caption, sizeof caption, "%s, %zu runs%s", measure->name, count, skip ? ", the newest 2000" : "");
    trend_draw(doc_picture(doc, caption), &trend);
    vec_release(&rises);
    free(points);
    free(values);
}

/* The points of one model. */
struct model_part {
    size_t begin, end;
    int64_t newest;
};

static int newer_first(const void *x, const void *y) {
    const struct model_part *a = x, *b = y;
    return a->newest != b->newest ? a->newest < b->newest ? 1 : -1 : a->begin < b->begin ? -1 : a->begin > b->begin;
}

static int add_measure(struct doc *doc, struct store *store, const struct measure *measure, struct err *err) {
    struct history_series series;
    VEC(struct model_part) parts = {0};
    int rc = history_series(store, measure, &(struct history_filter){0}, &series, err);
    for (size_t i = 0, end; rc == 0 && i < series.points.len; i = end) {
        for (end = i + 1; end < series.points.len; end++)
            if (!slice_equal(series.points.items[end].model, series.points.items[i].model)) break;
        vec_push(&parts, ((struct model_part){i, end, series.points.items[end - 1].added}));
    }
    if (parts.len) qsort(parts.items, parts.len, sizeof *parts.items, newer_first);
    if (parts.len) doc_add(doc, DOC_HEADING, slice_from(measure->name));
    for (size_t i = 0; i < parts.len && i < MODELS_SHOWN; i++)
        draw(doc, &series, parts.items[i].begin, parts.items[i].end, measure);
    if (parts.len > MODELS_SHOWN) doc_addf(doc, DOC_TEXT, "and %zu models more", parts.len - MODELS_SHOWN);
    vec_release(&parts);
    history_series_release(&series);
    return rc;
}

void trends_page(struct strbuf *out) {
    struct doc doc = {0};
    struct err err = {0};
    doc_add(&doc, DOC_TITLE, SLICE("ttmem: trends"));
    struct store *store = history_open(getenv("TTMEM_STORE"), false, &err);
    int rc = store ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < sizeof shown / sizeof *shown; i++)
        rc = add_measure(&doc, store, measure_find(slice_from(shown[i])), &err);
    if (rc != 0) doc_add(&doc, DOC_TEXT, slice_from(err.text));
    else doc_add(&doc, DOC_TEXT, SLICE("A dashed line marks the first run from which on the peak was more than 2 % higher."));
    history_close(store);
    doc_html(out, &doc);
    doc_release(&doc);
}
