#include <cairo.h>

#include "render/chart/scene.h"

/* fontconfig keeps what it read for the life of the process; a leak checker must not count that. */
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

enum { SHARP = 2, LARGEST = 30000 }; /* pixels per unit for fine screens; cairo's limit is 32767 */

static void use_color(cairo_t *cr, uint32_t color) {
    cairo_set_source_rgb(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
}

static void draw_line(cairo_t *cr, const struct shape *s) {
    static const double dashes[] = {8, 5};
    cairo_set_line_width(cr, s->width);
    cairo_set_dash(cr, dashes, s->dashed ? 2 : 0, 0);
    /* a line of one pixel between two pixels would be a grey one of two */
    double half = s->width % 2 ? 0.5 : 0;
    cairo_move_to(cr, s->x + half, s->y + half);
    cairo_line_to(cr, s->x2 + half, s->y2 + half);
    cairo_stroke(cr);
}

static void draw_text(cairo_t *cr, const struct shape *s, struct strbuf *room) {
    strbuf_clear(room);
    strbuf_add(room, s->text);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           s->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, s->size);
    cairo_text_extents_t extents;
    cairo_text_extents(cr, strbuf_text(room), &extents);
    double shift = s->anchor == ANCHOR_MIDDLE ? extents.x_advance / 2 : s->anchor == ANCHOR_END ? extents.x_advance : 0;
    cairo_save(cr);
    cairo_translate(cr, s->x, s->y);
    cairo_rotate(cr, s->angle * 3.14159265358979323846 / 180);
    cairo_move_to(cr, -shift, 0);
    cairo_show_text(cr, strbuf_text(room));
    cairo_restore(cr);
}

static void draw_shape(cairo_t *cr, const struct shape *s, struct strbuf *room) {
    use_color(cr, s->color);
    switch (s->kind) {
        case SHAPE_RECT:
            cairo_rectangle(cr, s->x, s->y, s->x2 - s->x, s->y2 - s->y);
            cairo_fill(cr);
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
    int scale = scene->width * SHARP <= LARGEST && scene->height * SHARP <= LARGEST ? SHARP : 1;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, scene->width * scale, scene->height * scale);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    use_color(cr, 0xffffff);
    cairo_paint(cr);
    struct strbuf room = {0};
    for (size_t i = 0; i < scene->shapes.len; i++) draw_shape(cr, &scene->shapes.items[i], &room);
    strbuf_release(&room);
    cairo_status_t status = cairo_status(cr);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface, append, out);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return err_set(err, ERR_OUTPUT, "cannot draw the picture: %s", cairo_status_to_string(status));
    return 0;
}
