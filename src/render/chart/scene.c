/* SPDX-License-Identifier: Apache-2.0 */
#include "render/chart/scene.h"

#include "base/utf8.h"
#include "render/format/escape.h"

#define FONTS "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"

void scene_rect(struct scene *scene, int x, int y, int x2, int y2, uint32_t color) {
    if (x2 <= x || y2 <= y) return;
    vec_push(&scene->shapes, ((struct shape){.kind = SHAPE_RECT, .x = x, .y = y, .x2 = x2, .y2 = y2, .color = color}));
}

void scene_line(struct scene *scene, int x, int y, int x2, int y2, uint32_t color, int width, bool dashed) {
    vec_push(&scene->shapes,
             ((struct shape){
                 .kind = SHAPE_LINE, .x = x, .y = y, .x2 = x2, .y2 = y2, .color = color, .width = width, .dashed = dashed}));
}

void scene_text(struct scene *scene, int x, int y, struct slice text, struct text_style style) {
    if (!text.len) return;
    vec_push(&scene->shapes, ((struct shape){.kind = SHAPE_TEXT,
                                             .x = x,
                                             .y = y,
                                             .color = style.color,
                                             .text = arena_copy(&scene->text, text),
                                             .size = style.size,
                                             .bold = style.bold,
                                             .anchor = style.anchor,
                                             .angle = style.angle}));
}

void scene_release(struct scene *scene) {
    vec_release(&scene->shapes);
    arena_release(&scene->text);
}

int text_width(struct slice text, int size, bool bold) {
    size_t columns = utf8_width(text);
    if (columns > 10000) columns = 10000;
    return ((int)columns * size * (bold ? 72 : 64) + 99) / 100;
}

struct slice scene_fit(struct scene *scene, struct slice text, int width, int size, bool bold) {
    struct strbuf clean = {0};
    utf8_add_printable(&clean, text, false);
    struct slice shown = strbuf_slice(&clean);
    struct strbuf shortened = {0};
    if (text_width(shown, size, bold) > width) {
        int one = text_width(SLICE("x"), size, bold);
        utf8_add_shortened(&shortened, shown, width > 2 * one ? (size_t)(width / one) : 1, SLICE("…"));
        shown = strbuf_slice(&shortened);
    }
    struct slice fitted = arena_copy(&scene->text, shown);
    strbuf_release(&clean);
    strbuf_release(&shortened);
    return fitted;
}

static void svg_text(struct strbuf *out, const struct shape *s) {
    static const char *const anchors[] = {"start", "middle", "end"};
    strbuf_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#%06x\"", s->x, s->y, s->size, s->color);
    if (s->anchor != ANCHOR_START) strbuf_addf(out, " text-anchor=\"%s\"", anchors[s->anchor]);
    if (s->bold) strbuf_addz(out, " font-weight=\"600\"");
    if (s->angle) strbuf_addf(out, " transform=\"rotate(%d %d %d)\"", s->angle, s->x, s->y);
    strbuf_addc(out, '>');
    escape_xml(out, s->text);
    strbuf_addz(out, "</text>\n");
}

static void svg_shape(struct strbuf *out, const struct shape *s) {
    switch (s->kind) {
        case SHAPE_RECT:
            strbuf_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", s->x, s->y, s->x2 - s->x,
                        s->y2 - s->y, s->color);
            return;
        case SHAPE_LINE:
            strbuf_addf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#%06x\" stroke-width=\"%d\"%s/>\n", s->x,
                        s->y, s->x2, s->y2, s->color, s->width, s->dashed ? " stroke-dasharray=\"8 5\"" : "");
            return;
        case SHAPE_TEXT:
            svg_text(out, s);
            return;
    }
}

void scene_svg(struct strbuf *out, const struct scene *scene) {
    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"" FONTS "\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                scene->width, scene->height, scene->width, scene->height, scene->width, scene->height);
    for (size_t i = 0; i < scene->shapes.len; i++) svg_shape(out, &scene->shapes.items[i]);
    strbuf_addz(out, "</svg>\n");
}

void scenes_html(struct strbuf *out, struct slice title, const struct scene *scenes, size_t count) {
    strbuf_addz(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    escape_xml(out, title);
    strbuf_addz(
        out,
        "</title>\n<style>body { margin: 16px; background: #fff; } svg { display: block; max-width: 100%; height: auto; "
        "margin: 0 auto 24px; }</style>\n</head>\n<body>\n");
    for (size_t i = 0; i < count; i++) scene_svg(out, &scenes[i]);
    strbuf_addz(out, "</body>\n</html>\n");
}
