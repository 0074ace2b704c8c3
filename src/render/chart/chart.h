/* SPDX-License-Identifier: Apache-2.0 */
/* Two charts of memory: stacked bars against a limit, and steps over time. From plain data to a scene (SVG, PNG) or to a
 * terminal. Amounts are thousandths of a MB and not negative. */
#ifndef TTMEM_RENDER_CHART_H
#define TTMEM_RENDER_CHART_H

#include "base/term.h"
#include "render/chart/scene.h"

struct chart_series {
    const char *title;
    uint32_t color;
    const char *fill; /* a cell of a bar in a terminal */
    const char *ascii_fill;
};

struct chart_bar {
    struct slice name;
    const int64_t *values; /* one per series, from the bottom */
    int64_t total;         /* may be less than the sum of the values; this is then marked */
    bool total_unknown;
    int64_t limit;
    int64_t share; /* of the limit, thousandths of a percent */
};

struct bar_chart {
    struct slice title;
    const struct chart_series *series;
    size_t series_len;
    const char *limit_title;
    VEC(struct chart_bar) bars;
};

struct chart_step {
    struct slice name;
    int64_t before; /* in use when the step starts */
    int64_t rise;   /* how much more the step needs at most */
    int64_t after;  /* in use when it ends */
    int64_t peak;   /* highest so far */
};

struct step_panel {
    struct slice title;
    int64_t limit;
    size_t peak; /* the step that sets the peak; it is always drawn */
    VEC(struct chart_step) steps;
};

struct step_chart {
    struct slice title;
    const char *limit_title;
    VEC(struct step_panel) panels; /* on a common scale; more than three form a grid */
};

/* What did not fit in a picture; a note in the picture says so too. */
struct chart_left_out {
    size_t runs;  /* bars or panels */
    size_t steps; /* of the panels that are drawn */
};

int64_t bar_excess(const struct bar_chart *chart,
                   const struct chart_bar *bar); /* by how much the parts exceed the total, or 0 */
struct chart_left_out bar_chart_draw(struct scene *scene, const struct bar_chart *chart);
void bar_chart_print(struct strbuf *out, const struct bar_chart *chart, const struct term *term);
void bar_chart_release(struct bar_chart *chart);

struct chart_left_out step_chart_draw(struct scene *scene, const struct step_chart *chart);
void step_chart_print(struct strbuf *out, const struct step_chart *chart, const struct term *term);
void step_chart_release(struct step_chart *chart);

#endif
