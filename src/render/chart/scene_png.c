/* SPDX-License-Identifier: Apache-2.0 */
#include <cairo.h>

#include "base/dynlib.h"
#include "render/chart/scene.h"

/* fontconfig keeps what it reads for the life of the process; a leak checker must not count it. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKS_LEAKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CHECKS_LEAKS
#endif
#ifdef CHECKS_LEAKS
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
#endif

/* clang-format off */
#define CAIRO_FUNCTIONS(F) \
    F(cairo_, create) F(cairo_, destroy) F(cairo_, fill) F(cairo_, image_surface_create) F(cairo_, line_to) \
    F(cairo_, move_to) F(cairo_, paint) F(cairo_, rectangle) F(cairo_, restore) F(cairo_, rotate) F(cairo_, save) \
    F(cairo_, scale) F(cairo_, select_font_face) F(cairo_, set_dash) F(cairo_, set_font_size) F(cairo_, set_line_width) \
    F(cairo_, set_source_rgb) F(cairo_, show_text) F(cairo_, status) F(cairo_, status_to_string) F(cairo_, stroke) \
    F(cairo_, surface_destroy) F(cairo_, surface_write_to_png_stream) F(cairo_, text_extents) F(cairo_, translate)
/* clang-format on */

static struct { CAIRO_FUNCTIONS(DYNLIB_MEMBER) } cairo;
static const char *const cairo_names[] = {CAIRO_FUNCTIONS(DYNLIB_NAME)};
static struct dynlib libcairo = DYNLIB("drawing PNG", TTMEM_CAIRO_FILE, cairo_names, cairo);

enum { SHARP = 2, LARGEST = 30000 }; /* pixels per unit for fine screens; cairo's limit is 32767 */

static void use_color(cairo_t *cr, uint32_t color) {
    cairo.set_source_rgb(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
}

static void draw_line(cairo_t *cr, const struct shape *s) {
    static const double dashes[] = {8, 5};
    cairo.set_line_width(cr, s->width);
    cairo.set_dash(cr, dashes, s->dashed ? 2 : 0, 0);
    /* a line of one pixel between two pixels would become a grey one of two */
    double half = s->width % 2 ? 0.5 : 0;
    cairo.move_to(cr, s->x + half, s->y + half);
    cairo.line_to(cr, s->x2 + half, s->y2 + half);
    cairo.stroke(cr);
}

static void draw_text(cairo_t *cr, const struct shape *s, struct strbuf *room) {
    strbuf_clear(room);
    strbuf_add(room, s->text);
    cairo.select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           s->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo.set_font_size(cr, s->size);
    cairo_text_extents_t extents;
    cairo.text_extents(cr, strbuf_text(room), &extents);
    double shift = s->anchor == ANCHOR_MIDDLE ? extents.x_advance / 2 : s->anchor == ANCHOR_END ? extents.x_advance : 0;
    cairo.save(cr);
    cairo.translate(cr, s->x, s->y);
    cairo.rotate(cr, s->angle * 3.14159265358979323846 / 180);
    cairo.move_to(cr, -shift, 0);
    cairo.show_text(cr, strbuf_text(room));
    cairo.restore(cr);
}

static void draw_shape(cairo_t *cr, const struct shape *s, struct strbuf *room) {
    use_color(cr, s->color);
    switch (s->kind) {
        case SHAPE_RECT:
            cairo.rectangle(cr, s->x, s->y, s->x2 - s->x, s->y2 - s->y);
            cairo.fill(cr);
            return;
        case SHAPE_LINE:
            draw_line(cr, s);
            return;
        case SHAPE_TEXT:
            draw_text(cr, s, room);
            return;
    }
}

static cairo_status_t append(void *out, const unsigned char *bytes, unsigned len) {
    strbuf_add(out, slice_of((const char *)bytes, len));
    return CAIRO_STATUS_SUCCESS;
}

int scene_png(struct strbuf *out, const struct scene *scene, struct err *err) {
    if (dynlib_load(&libcairo, ERR_OUTPUT, err) != 0) return -1;
    int scale = scene->width * SHARP <= LARGEST && scene->height * SHARP <= LARGEST ? SHARP : 1;
    cairo_surface_t *surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, scene->width * scale, scene->height * scale);
    cairo_t *cr = cairo.create(surface);
    cairo.scale(cr, scale, scale);
    use_color(cr, 0xffffff);
    cairo.paint(cr);
    struct strbuf room = {0};
    for (size_t i = 0; i < scene->shapes.len; i++) draw_shape(cr, &scene->shapes.items[i], &room);
    strbuf_release(&room);
    cairo_status_t status = cairo.status(cr);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo.surface_write_to_png_stream(surface, append, out);
    cairo.destroy(cr);
    cairo.surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return err_set(err, ERR_OUTPUT, "cannot draw the picture: %s", cairo.status_to_string(status));
    return 0;
}
