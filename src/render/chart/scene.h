/* SPDX-License-Identifier: Apache-2.0 */
/* A picture as a list of shapes in whole pixels, drawn once and written as SVG (text, by hand) or PNG (cairo). Shapes cover
 * each other in the order in which they were added. */
#ifndef TTMEM_RENDER_SCENE_H
#define TTMEM_RENDER_SCENE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

enum shape_kind { SHAPE_RECT, SHAPE_LINE, SHAPE_TEXT };

struct shape {
    enum shape_kind kind;
    int x, y;   /* corner, start, or the text's anchor on its baseline */
    int x2, y2; /* opposite corner or end */
    int width;  /* of a line */
    bool dashed;
    uint32_t color; /* 0xrrggbb */
    struct slice text;
    int size;
    bool bold;
    enum anchor anchor;
    int angle; /* degrees, clockwise, around the anchor */
};

struct scene {
    int width, height;
    VEC(struct shape) shapes;
    struct arena text;
};

struct text_style {
    int size;
    bool bold;
    enum anchor anchor;
    uint32_t color;
    int angle;
};

void scene_rect(struct scene *scene, int x, int y, int x2, int y2, uint32_t color);
void scene_line(struct scene *scene, int x, int y, int x2, int y2, uint32_t color, int width, bool dashed);
void scene_text(struct scene *scene, int x, int y, struct slice text, struct text_style style);
void scene_release(struct scene *scene);

/* The room that a text takes in any usual sans-serif font: an upper bound, so that labels laid out by it do not touch. */
int text_width(struct slice text, int size, bool bold);

/* The text in `width` pixels, shortened in the middle with an ellipsis; lives in the scene. */
struct slice scene_fit(struct scene *scene, struct slice text, int width, int size, bool bold);

void scene_svg(struct strbuf *out, const struct scene *scene);
int scene_png(struct strbuf *out, const struct scene *scene, struct err *err);

/* A page with the pictures, one below the other. */
void scenes_html(struct strbuf *out, struct slice title, const struct scene *scenes, size_t count);

#endif
