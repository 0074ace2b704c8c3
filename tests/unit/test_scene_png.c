/* SPDX-License-Identifier: Apache-2.0 */
/* The PNG of a picture, read back with cairo. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cairo.h>
#include <cmocka.h>

#include "render/train/train_chart.h"

/* Counts the pixels of exactly this colour in an area of the picture. */
static size_t pixels_of(cairo_surface_t *image, uint32_t color) {
    size_t count = 0;
    int stride = cairo_image_surface_get_stride(image) / 4;
    const uint32_t *pixels = (const uint32_t *)(const void *)cairo_image_surface_get_data(image);
    for (int y = 0; y < cairo_image_surface_get_height(image); y++)
        for (int x = 0; x < cairo_image_surface_get_width(image); x++) count += (pixels[y * stride + x] & 0xffffff) == color;
    return count;
}

struct bytes {
    struct slice rest;
};

static cairo_status_t read_bytes(void *from, unsigned char *out, unsigned len) {
    struct bytes *bytes = from;
    if (bytes->rest.len < len) return CAIRO_STATUS_READ_ERROR;
    memcpy(out, bytes->rest.ptr, len);
    bytes->rest = slice_skip(bytes->rest, len);
    return CAIRO_STATUS_SUCCESS;
}

static void the_png_holds_every_colour_in_proportion(void **state) {
    (void)state;
    const int64_t parts[TRAIN_PARTS] = {2000000, 3000000, 1000000, 2000000, 4000000};
    static const uint32_t colors[TRAIN_PARTS] = {0xcccccc, 0x4da6b8, 0xe789ab, 0xcec0fa, 0xe38a42};
    struct train_result result = {
        .name = SLICE("run"), .has_peak = true, .peak = 12000000, .device = 14000000, .usage_pct = 85714};
    memcpy(result.parts, parts, sizeof parts);
    struct train_report report = {0};
    vec_push(&report.results, result);
    struct bar_chart chart;
    train_peak_chart(&chart, &report, SLICE("title"));
    struct scene scene = {0};
    bar_chart_draw(&scene, &chart);
    struct strbuf png = {0};
    struct err err = {0};
    assert_int_equal(scene_png(&png, &scene, &err), 0);
    struct bytes bytes = {strbuf_slice(&png)};
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(read_bytes, &bytes);
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(image), 2 * scene.width);
    size_t count[TRAIN_PARTS];
    for (enum train_part p = 0; p < TRAIN_PARTS; p++) count[p] = pixels_of(image, colors[p]);
    /* areas follow the amounts; labels, gaps and the legend's squares take some */
    assert_in_range(count[PART_MODEL] * 100 / count[PART_OTHER], 140, 165);
    assert_in_range(count[PART_ACTIVATIONS] * 100 / count[PART_OPTIMIZER], 185, 220);
    assert_in_range(count[PART_OPTIMIZER] * 100 / count[PART_OTHER], 93, 107);
    assert_in_range(count[PART_GRADIENTS_OVERHEAD] * 100 / count[PART_OTHER], 45, 60);
    assert_true(pixels_of(image, 0xff0000) > 1000);
    cairo_surface_destroy(image);
    strbuf_release(&png);
    scene_release(&scene);
    bar_chart_release(&chart);
    vec_release(&report.results);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_png_holds_every_colour_in_proportion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
