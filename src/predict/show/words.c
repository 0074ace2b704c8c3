/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"
#include "predict/show/show.h"

const char *show_class_words(enum memory_class class) {
    static const char *const words[MEMORY_CLASSES] = {
        "weights",
        "const-eval results",
        "KV caches",
        "inputs",
        "constants",
        "activations",
        "temporaries",
        "maps of tiled reshapes",
        "tables of convolutions",
        "kernel binaries",
        "there before",
    };
    return words[class];
}

unsigned show_largest_maps(const struct replay *r, const struct map_made **largest, unsigned room) {
    unsigned count = 0;
    for (size_t i = 0; i < r->maps_made.len; i++) {
        const struct map_made *map = &r->maps_made.items[i];
        uint64_t bytes = r->memory.buffers.items[map->buffer].bytes;
        unsigned at = count;
        while (at && r->memory.buffers.items[largest[at - 1]->buffer].bytes < bytes) at--;
        if (at == room) continue;
        for (unsigned k = count < room ? count : room - 1; k > at; k--) largest[k] = largest[k - 1];
        largest[at] = map;
        if (count < room) count++;
    }
    return count;
}

void show_op_json(struct json *j, const struct replay *r, const struct op_state *s) {
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    const struct ir *ir = s ? r->runs.items[s->program].ir : NULL;
    struct strbuf location = {0};
    if (op) ir_location(ir, op, &location);
    json_object(j);
    if (s && s->record != IR_NONE) json_member_u64(j, "index", s->record);
    else json_member_null(j, "index");
    json_member_str(j, "name", op ? op->name : SLICE("arguments"));
    if (op) json_member_u64(j, "line", op->line);
    else json_member_null(j, "line");
    if (location.len) json_member_str(j, "location", strbuf_slice(&location));
    else json_member_null(j, "location");
    if (ir) json_member_str(j, "program", ir->functions.items[s->function].name);
    else json_member_null(j, "program");
    json_member_null(j, "rank");
    json_object_end(j);
    strbuf_release(&location);
}
