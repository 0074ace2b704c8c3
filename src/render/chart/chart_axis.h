/* SPDX-License-Identifier: Apache-2.0 */
/* What both charts share: colours of axes and text, the vertical axis, the legend. */
#ifndef TTMEM_RENDER_CHART_AXIS_H
#define TTMEM_RENDER_CHART_AXIS_H

#include "render/chart/scene.h"

enum {
    COLOR_INK = 0x1f2328,
    COLOR_DIM = 0x59636e,
    COLOR_GRID = 0xe6e8eb,
    COLOR_PAPER = 0xffffff,
    COLOR_LIMIT = 0xff0000,
    COLOR_BAD = 0xc4001a,
};

enum { CHART_LEFT = 84, CHART_RIGHT = 28, CHART_EDGE = 24, TEXT_SMALL = 11, TEXT_PLAIN = 12, TEXT_TITLE = 17 };

/* The vertical scale of one plot: 0 at `bottom`, `most` at `top`. */
struct axis {
    int top, bottom;
    int64_t most;
};

int axis_y(const struct axis *axis, int64_t value);

/* Grid lines at round numbers with their labels left of `x`. */
void axis_draw(struct scene *scene, const struct axis *axis, int x, int x2);

struct legend_item {
    const char *title;
    uint32_t color;
    bool is_line;
    bool dashed;
};

/* Title and legend from the top edge down; returns where the next part may begin. */
int chart_head(struct scene *scene, struct slice title, const struct legend_item *items, size_t count);

/* A note under the head; returns where the next part may begin. */
int chart_note(struct scene *scene, int y, const char *text);

/* Text on a background in the colour of the paper, so that lines do not cross it. */
void label_on_paper(struct scene *scene, int x, int y, struct slice text, struct text_style style);

#endif
