/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/show/cb_pictures.h"

#include <stdio.h>

#include "device/chip.h"

enum { WIDTH = 880, LEFT = 130, RIGHT = 20 };
enum {
    COLOR_FIRMWARE = 0x8b949e,
    COLOR_RING = 0xb9c0c8,
    COLOR_FREE = 0xeef1f4,
    COLOR_BUFFERS = 0xd99a2b,
    COLOR_INK = 0x24292f,
    COLOR_DIM = 0x5b6470,
    COLOR_GRID = 0xd0d4da
};

/* Blue, teal, violet, amber: distinct for colour-blind readers too. */
static const uint32_t series_colors[] = {0x2f6fb5, 0x1b998b, 0x7c4dff, 0xc77d0a, 0xb03a5b, 0x5b6470, 0x3f8f3f, 0x9c6b30};
enum { N_COLORS = sizeof series_colors / sizeof *series_colors };

static void label(struct scene *scene, int x, int y, enum anchor anchor, uint32_t color, const char *text) {
    scene_text(scene, x, y, slice_from(text), (struct text_style){.size = 11, .anchor = anchor, .color = color});
}

static int scaled(uint64_t value, uint64_t whole, int pixels) {
    return whole ? (int)((unsigned __int128)value * (unsigned)pixels / whole) : 0;
}

static void map_row(struct scene *scene, const struct cb_study *s, const struct cb_case *c, int y) {
    uint64_t l1 = s->chip->l1_bytes, base = s->chip->l1_unreserved_base, firmware = s->chip->l1_firmware_end;
    int room = WIDTH - LEFT - RIGHT;
    int a = scaled(firmware, l1, room), b = scaled(base, l1, room), buffers = scaled(s->workload.l1_buffer_bytes, l1, room);
    scene_rect(scene, LEFT, y, LEFT + room, y + 24, COLOR_FREE);
    scene_rect(scene, LEFT, y, LEFT + a, y + 24, COLOR_FIRMWARE);
    scene_rect(scene, LEFT + a, y, LEFT + b, y + 24, firmware ? COLOR_RING : COLOR_FIRMWARE);
    uint64_t at = base;
    for (unsigned i = 0; i < c->sizes.n_buffers; i++) {
        const struct cb_sim_buffer *buffer = &c->sizes.buffers[i];
        uint64_t bytes = cb_sim_bytes(buffer);
        int from = scaled(at, l1, room), to = scaled(at + bytes, l1, room);
        if (to > room) to = room;
        if (from < to) scene_rect(scene, LEFT + from, y, LEFT + to, y + 24, series_colors[i % N_COLORS]);
        at += bytes;
    }
    if (buffers) scene_rect(scene, LEFT + room - buffers, y, LEFT + room, y + 24, COLOR_BUFFERS);
    scene_text(scene, LEFT - 8, y + 16, scene_fit(scene, c->sizes.name, LEFT - 16, 11, false),
               (struct text_style){.size = 11, .anchor = ANCHOR_END, .color = COLOR_INK});
    char text[64];
    snprintf(text, sizeof text, "%llu B", (unsigned long long)c->pressure.cb_bytes);
    int end = LEFT + scaled(at, l1, room) + 6;
    if (end < WIDTH - 90) label(scene, end, y + 16, ANCHOR_START, COLOR_DIM, text);
}

void cb_map_picture(struct scene *scene, const struct cb_study *s) {
    scene->width = WIDTH;
    scene->height = 60 + (int)s->n_cases * 34;
    int y = 24;
    char text[128];
    label(scene, LEFT, 14, ANCHOR_START, COLOR_DIM, "0");
    snprintf(text, sizeof text, "%llu B", (unsigned long long)s->chip->l1_bytes);
    label(scene, WIDTH - RIGHT, 14, ANCHOR_END, COLOR_DIM, text);
    for (unsigned i = 0; i < s->n_cases; i++, y += 34) map_row(scene, s, &s->cases[i], y);
    int x = LEFT;
    static const struct {
        const char *name;
        uint32_t color;
    } fixed[] = {{"firmware", COLOR_FIRMWARE}, {"kernel ring", COLOR_RING}, {"free", COLOR_FREE}};
    for (unsigned i = 0; i < 3; i++) {
        scene_rect(scene, x, y + 6, x + 10, y + 16, fixed[i].color);
        label(scene, x + 14, y + 15, ANCHOR_START, COLOR_DIM, fixed[i].name);
        x += 24 + text_width(slice_from(fixed[i].name), 11, false);
    }
    for (unsigned i = 0; s->n_cases && i < s->cases[0].sizes.n_buffers && x < WIDTH - 80; i++) {
        snprintf(text, sizeof text, "CB%d", (int)s->cases[0].sizes.buffers[i].index);
        scene_rect(scene, x, y + 6, x + 10, y + 16, series_colors[i % N_COLORS]);
        label(scene, x + 14, y + 15, ANCHOR_START, COLOR_DIM, text);
        x += 24 + text_width(slice_from(text), 11, false);
    }
}

void cb_pressure_picture(struct scene *scene, const struct cb_study *studies, size_t n) {
    enum { TOP = 14, HEIGHT = 220 };
    int room = WIDTH - LEFT - RIGHT - 90;
    scene->width = WIDTH;
    scene->height = TOP + HEIGHT + 40;
    static const struct {
        int at;
        const char *name;
    } marks[] = {{0, "0"}, {30, "30, MEDIUM"}, {70, "70, HIGH"}, {100, "100"}};
    for (unsigned i = 0; i < 4; i++) {
        int y = TOP + HEIGHT - HEIGHT * marks[i].at / 100;
        scene_line(scene, LEFT, y, LEFT + room, y, COLOR_GRID, 1, marks[i].at == 30 || marks[i].at == 70);
        label(scene, LEFT - 8, y + 4, ANCHOR_END, COLOR_DIM, marks[i].name);
    }
    for (size_t i = 0; i < n; i++) {
        int x = LEFT + (n > 1 ? (int)(i * (size_t)room / (n - 1)) : room / 2);
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)studies[i].workload.a_tiles);
        label(scene, x, TOP + HEIGHT + 16, ANCHOR_MIDDLE, COLOR_DIM, text);
    }
    label(scene, LEFT + room / 2, TOP + HEIGHT + 34, ANCHOR_MIDDLE, COLOR_DIM, "tiles of each operand");
    int labels[CB_MAX_CASES]; /* positions of the names, so that those of lines that end together do not overlap */
    for (unsigned c = 0; n && c < studies[0].n_cases; c++) {
        int px = 0, py = 0;
        for (size_t i = 0; i < n; i++) {
            int x = LEFT + (n > 1 ? (int)(i * (size_t)room / (n - 1)) : room / 2);
            int y = TOP + HEIGHT - (int)(studies[i].cases[c].pressure.score_milli * HEIGHT / 100000);
            if (i) scene_line(scene, px, py, x, y, series_colors[c % N_COLORS], 2, false);
            scene_rect(scene, x - 3, y - 3, x + 3, y + 3, series_colors[c % N_COLORS]);
            px = x;
            py = y;
        }
        labels[c] = py + 4;
        for (unsigned k = 0; k < c; k++)
            if (labels[c] > labels[k] - 13 && labels[c] < labels[k] + 13)
                labels[c] = labels[c] < labels[k] ? labels[k] - 13 : labels[k] + 13;
        scene_text(scene, px + 8, labels[c], scene_fit(scene, studies[0].cases[c].sizes.name, 84, 11, false),
                   (struct text_style){.size = 11, .anchor = ANCHOR_START, .color = series_colors[c % N_COLORS]});
    }
}

void cb_level_picture(struct scene *scene, const struct cb_runtime *runtime) {
    enum { ROW = 46, SHOWN = 16 };
    size_t rows = runtime->buffers.len < SHOWN ? runtime->buffers.len : SHOWN;
    int room = WIDTH - LEFT - RIGHT, y = 10;
    scene->width = WIDTH;
    scene->height = 30 + (int)rows * ROW;
    for (size_t i = 0; i < rows; i++, y += ROW) {
        const struct cb_runtime_buffer *b = &runtime->buffers.items[i];
        char text[64];
        snprintf(text, sizeof text, "CB%u, peak %u", b->cb, b->peak_tiles);
        label(scene, LEFT - 8, y + 24, ANCHOR_END, COLOR_INK, text);
        scene_line(scene, LEFT, y + 34, LEFT + room, y + 34, COLOR_GRID, 1, false);
        int last_x = 0;
        uint32_t level = 0;
        for (size_t k = 0; k <= b->levels.len; k++) {
            /* several changes within one pixel: draw the highest level */
            int x = k < b->levels.len ? scaled(b->levels.items[k].time, runtime->span ? runtime->span : 1, room) : room;
            int height = b->peak_tiles ? (int)(30 * (uint64_t)level / b->peak_tiles) : 0;
            if (x > last_x && height)
                scene_rect(scene, LEFT + last_x, y + 34 - height, LEFT + x, y + 34, series_colors[i % N_COLORS]);
            if (x > last_x) last_x = x, level = 0;
            if (k < b->levels.len && (b->levels.items[k].tiles > level || x == last_x)) level = b->levels.items[k].tiles;
        }
    }
    char text[64];
    snprintf(text, sizeof text, "%llu cycles", (unsigned long long)runtime->span);
    label(scene, LEFT, y + 8, ANCHOR_START, COLOR_DIM, "0");
    label(scene, LEFT + room, y + 8, ANCHOR_END, COLOR_DIM, text);
}
