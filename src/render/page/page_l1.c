/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_l1.h"

#include "analysis/run/l1_map.h"

enum { MOST_OPS = 20000 };

/* Equal sets of areas are written once. */
struct grids {
    const struct run *run;
    struct map known; /* content -> number */
    l1_areas all, at;
    VEC(uint32_t) ends; /* of each, in `all` */
};

static int64_t grid_of(struct grids *g, const struct l1_op *op) {
    bool added;
    vec_clear(&g->at);
    l1_op_areas(g->run, op, &g->at);
    if (!g->at.len) return -1;
    for (size_t i = 0; i < g->at.len; i++) g->at.items[i].step = g->at.items[i].end = 0;
    uint32_t *number =
        map_at(&g->known, hash_bytes(slice_of((const char *)g->at.items, g->at.len * sizeof *g->at.items)), &added);
    if (!added) return *number;
    *number = (uint32_t)g->ends.len;
    for (size_t i = 0; i < g->at.len; i++) vec_push(&g->all, g->at.items[i]);
    vec_push(&g->ends, (uint32_t)g->all.len);
    return *number;
}

/* The step of the op, which may come before that of its tightest state. */
static int64_t place_of(const struct run *run, const struct l1_op *op, bool by_node) {
    if (op->record == NONE) return -1;
    uint32_t step = run->records.items[op->record];
    return by_node ? (int64_t)run->steps.items[step].line : (int64_t)step;
}

static void write_op(struct json *j, const struct run *run, const struct l1_map *map, const struct l1_op *op, int64_t grid,
                     bool by_node) {
    bool failed = op->failure != NONE;
    json_array(j);
    json_i64(j, place_of(run, op, by_node));
    json_u64(j, op->rank); /* of its layout */
    json_i64(j, op->margin);
    json_i64(j, op->program_known ? (int64_t)op->circular : -1);
    json_u64(j, op->dataflow);
    json_u64(j, op->scratchpad);
    json_u64(j, op->program_end);
    json_i64(j, op->has_lowest ? (int64_t)op->lowest : -1);
    json_u64(j, op->buffers);
    json_u64(j, op->buffer_bytes);
    json_i64(j, grid);
    json_u64(j, failed ? run->failures.entries.items[op->failure].line : 0);
    json_str(j, failed ? l1_failure_op(run, op->failure) : slice_of("", 0));
    json_u64(j, l1_op_end(run, map, op));
    json_array_end(j);
}

static void write_layouts(struct json *j, const struct l1_map *map) {
    json_key(j, "layouts");
    json_array(j);
    for (size_t i = 0; i < map->layouts.len; i++) {
        const struct l1_layout *l = &map->layouts.items[i];
        json_array(j);
        json_u64(j, l->base);
        json_u64(j, l->top);
        json_u64(j, l->small_bytes);
        json_u64(j, l->end);
        json_array_end(j);
    }
    json_array_end(j);
}

static void write_grids(struct json *j, const struct grids *g) {
    json_key(j, "grids");
    json_array(j);
    for (size_t i = 0, at = 0; i < g->ends.len; i++) {
        json_array(j);
        for (; at < g->ends.items[i]; at++) {
            const struct l1_area *area = &g->all.items[at];
            json_array(j);
            json_u64(j, area->cores.x0);
            json_u64(j, area->cores.y0);
            json_u64(j, area->cores.x1);
            json_u64(j, area->cores.y1);
            json_u64(j, area->bytes);
            json_array_end(j);
        }
        json_array_end(j);
    }
    json_array_end(j);
}

void page_l1(struct json *j, const struct run *run, bool by_node) {
    struct l1_map map;
    struct grids grids = {.run = run};
    l1_map_find(run, &map);
    if (map.known && map.ops.len) {
        json_key(j, "l1");
        json_object(j);
        json_member_bool(j, "program_known", run->l1.told);
        json_member_bool(j, "assumed", run->device_assumed);
        json_member_u64(j, "count", map.ops.len);
        write_layouts(j, &map);
        json_key(j, "ops");
        json_array(j);
        for (size_t i = 0; i < map.ops.len && i < MOST_OPS; i++)
            write_op(j, run, &map, &map.ops.items[i], grid_of(&grids, &map.ops.items[i]), by_node);
        json_array_end(j);
        write_grids(j, &grids);
        json_object_end(j);
    }
    map_release(&grids.known);
    vec_release(&grids.all);
    vec_release(&grids.at);
    vec_release(&grids.ends);
    l1_map_release(&map);
}
