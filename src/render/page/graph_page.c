/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/graph_page.h"

#include "base/json_write.h"
#include "render/answer/graph_render.h"
#include "render/page/page_l1.h"
#include "render/page/page_pack.h"
#include "render/page/page_template.h"

/* The capacity of a core and a chip: the capture's own figures, else those of the simulated chip. */
static void capacity(struct json *json, const struct graph_session *session) {
    uint64_t l1 = 0, dram = 0;
    for (size_t i = 0; i < session->devices.len; i++) {
        const struct graph_device *device = &session->devices.items[i];
        if (device->l1_bank_bytes > l1) l1 = device->l1_bank_bytes;
        uint64_t bytes;
        if (!__builtin_mul_overflow(device->dram_channels, device->dram_channel_bytes, &bytes) && bytes > dram) dram = bytes;
    }
    const struct chip *chip = session->simulate;
    if (!l1 && chip) l1 = chip_l1_bank_bytes(chip);
    if (!dram && chip) dram = chip_dram_bank_bytes(chip) * chip->dram_banks;
    json_key(json, "capacity");
    json_object(json);
    if (l1) json_member_u64(json, "l1_bytes", l1);
    if (dram) json_member_u64(json, "dram_bytes", dram);
    json_object_end(json);
}

static int64_t dram_of(const struct graph_point *point) { return point->dram; }
static int64_t l1_of(const struct graph_point *point) { return point->l1; }
static int64_t circular_of(const struct graph_point *point) { return point->program.circular; }
static int64_t dataflow_of(const struct graph_point *point) { return point->program.dataflow; }
static int64_t scratchpad_of(const struct graph_point *point) { return point->program.scratchpad; }
static int64_t program_of(const struct graph_point *point) { return point->program.total; }

static const struct {
    const char *name;
    int64_t (*of)(const struct graph_point *point);
} series[] = {{"dram", dram_of},         {"l1_buffer", l1_of},          {"circular", circular_of},
              {"dataflow", dataflow_of}, {"scratchpad", scratchpad_of}, {"program", program_of}};

static void points(struct json *json, const struct graph_timeline *timeline) {
    for (size_t k = 0; k < sizeof series / sizeof *series; k++) {
        json_key(json, series[k].name);
        json_array(json);
        for (size_t i = 0; i < timeline->points.len; i++) json_i64(json, series[k].of(&timeline->points.items[i]));
        json_array_end(json);
    }
}

static void call(struct json *json, const struct graph_session *session, const struct graph_call *call) {
    json_object(json);
    json_member_u64(json, "segment", call->segment);
    json_member_u64(json, "function", call->function);
    json_member_u64(json, "depth", call->depth);
    json_member_u64(json, "begin", call->begin);
    json_member_u64(json, "end", call->end);
    if (call->duration_ns) json_member_u64(json, "duration_ns", call->duration_ns);
    json_member_i64(json, "dram_start_bytes", call->dram_start);
    json_member_i64(json, "dram_end_bytes", call->dram_end);
    json_member_i64(json, "dram_rise_bytes", call->dram_rise);
    json_member_i64(json, "l1_start_bytes", call->l1_start);
    json_member_i64(json, "l1_end_bytes", call->l1_end);
    json_member_i64(json, "l1_rise_bytes", call->l1_rise);
    json_member_i64(json, "program_peak_bytes", call->program_peak);
    graph_arguments_json(json, session, call->arguments, call->arguments_count);
    json_object_end(json);
}

static void timeline(struct json *json, const struct graph_session *session) {
    const struct graph_timeline *line = &session->timeline;
    json_key(json, "timeline");
    json_object(json);
    json_member_u64(json, "nodes", line->nodes);
    json_member_u64(json, "stride", line->stride);
    json_key(json, "segment_starts");
    json_array(json);
    for (size_t i = 0; i < session->details.len; i++) json_u64(json, session->details.items[i].first_node);
    json_array_end(json);
    points(json, line);
    json_member_u64(json, "calls_left_out", line->left_out);
    json_member_u64(json, "shortest_call", line->shortest);
    json_key(json, "calls");
    json_array(json);
    for (size_t i = 0; i < line->calls.len; i++) call(json, session, &line->calls.items[i]);
    json_array_end(json);
    json_object_end(json);
}

int graph_page(const struct graph_session *session, const struct run *run, struct slice name, const char *generator,
               struct outfile *file, struct err *err) {
    struct strbuf text = {0};
    struct json json = {.out = &text};
    json_object(&json);
    json_member_u64(&json, "format", 1);
    json_member_str(&json, "name", name);
    json_member_text(&json, "generator", generator);
    capacity(&json, session);
    json_key(&json, "segments");
    json_array(&json);
    graph_json(&json, session, NULL);
    json_array_end(&json);
    timeline(&json, session);
    if (run) page_l1(&json, run, true);
    json_object_end(&json);
    int rc = page_write_text(graph_template(), name, "graph", strbuf_slice(&text), file, err);
    strbuf_release(&text);
    return rc;
}
