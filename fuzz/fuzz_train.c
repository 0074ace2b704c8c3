/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a training log: read, analysed and rendered in every format; the JSON and SVG must stay free of control bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/train/train.h"
#include "base/size.h"
#include "render/train/train.h"
#include "render/train/train_chart.h"

static void refuse_control_bytes(const struct strbuf *text) {
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice text = slice_of((const char *)data, size);
    uint64_t bytes;
    size_read(slice_take(text, 64), &bytes);
    struct train_log log = {0};
    struct train_report report = {0};
    train_parse(&log, SLICE("fuzz.log"), text);
    train_parse(&log, SLICE("again.log"), text);
    train_analyze(&report, &log, &(struct train_options){.use_actual_sizes = size & 1});
    struct strbuf out = {0};
    const struct term term = {.utf8 = true, .columns = size & 2 ? 80 : 0};
    for (const struct train_format *format = train_formats; format->name; format++) {
        strbuf_clear(&out);
        format->render(&out, &report, &term);
        refuse_control_bytes(&out);
    }
    struct bar_chart bars;
    struct step_chart steps;
    struct scene scenes[2] = {{0}, {0}};
    train_peak_chart(&bars, &report, SLICE("peak"));
    train_timeline_chart(&steps, &report, SLICE("timeline"));
    bar_chart_draw(&scenes[0], &bars);
    step_chart_draw(&scenes[1], &steps);
    strbuf_clear(&out);
    scenes_html(&out, SLICE("fuzz"), scenes, 2);
    bar_chart_print(&out, &bars, &term);
    step_chart_print(&out, &steps, &term);
    refuse_control_bytes(&out);
    strbuf_release(&out);
    scene_release(&scenes[0]);
    scene_release(&scenes[1]);
    bar_chart_release(&bars);
    step_chart_release(&steps);
    train_report_release(&report);
    train_log_release(&log);
    return 0;
}
